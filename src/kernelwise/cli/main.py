"""Entry point: what is asked is done, and whatever goes wrong is one sentence and a status."""

import contextlib
import sys
import time
import traceback
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from kernelwise.cli.options import parse
from kernelwise.cli.screen import BadInput, Screen, one_line, say, tell

OK, FAILED, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    start = time.perf_counter()
    if argv is None:  # the process is ours: what it has done so far is a part of the wait
        start -= time.process_time()
        argv = sys.argv[1:]
    argv = list(argv)
    _print_anything()
    try:
        return _run(argv, start)
    except BrokenPipeError:  # whoever read the answer has had enough
        return OK
    except KeyboardInterrupt:
        return _fail("interrupted.", INTERRUPTED)
    except Exception as error:
        if "--debug" in argv:
            traceback.print_exc()
        return _explain(error)


def _run(argv: list[str], start: float) -> int:
    try:
        args = parse(argv)
    except SystemExit as end:  # --help and --version
        tell("", end="")
        return int(end.code or OK)
    from kernelwise._threads import limited  # joblib, which --version does not need

    args.started = start  # imports are a part of what a person waits for
    with limited(getattr(args, "jobs", None)):
        return int(_command(args.command)(args, Screen(quiet=args.quiet)))


def _command(name: str) -> Any:
    """Return the function of a command; its module is imported only where it is asked for."""
    return getattr(import_module(f"{__package__}.{name}"), name)


def _explain(error: Exception) -> int:
    """Say in one sentence what went wrong."""
    if isinstance(error, ModuleNotFoundError) and not str(error.name).startswith("kernelwise"):
        return _fail(f"{error.name} is missing: pip install 'kernelwise[cli]'.", BAD_INPUT)
    if isinstance(error, BadInput) or _is_meant_for_users(error):
        return _fail(str(error) or type(error).__name__, BAD_INPUT)
    if isinstance(error, MemoryError):
        return _fail("there is too little memory: give fewer rows.", BAD_INPUT)
    if isinstance(error, OSError):
        where = f"{error.filename!r}: " if error.filename else ""
        return _fail(f"{where}{error.strerror or error}.", BAD_INPUT)
    kind, what = type(error).__name__, one_line(str(error))[:200]
    return _fail(f"unexpected {kind} ({what}): run again with --debug for the details.", FAILED)


def _is_meant_for_users(error: Exception) -> bool:
    """Say whether the library, or scikit-learn's validation, raised it for bad input."""
    if not isinstance(error, ValueError | ImportError):
        return False
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    module = str(frames[-1].f_globals.get("__name__", "")) if frames else ""
    return module.startswith(("kernelwise", "sklearn."))  # papers too


def _fail(sentence: str, status: int) -> int:
    say(f"kernelwise: {one_line(sentence)}")
    return status


def _print_anything() -> None:
    """Keep characters that a terminal does not know from being an error."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, ValueError):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


if __name__ == "__main__":
    sys.exit(main())
