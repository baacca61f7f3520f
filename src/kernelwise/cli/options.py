"""What may be asked on the command line."""

import argparse
import math
import re
import tomllib
from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import Any, NoReturn

from kernelwise import __version__
from kernelwise._registry import unknown
from kernelwise.cli.screen import BadInput, one_line

Add = Callable[..., Any]  # an ArgumentParser's add_argument
MACHINES = ("lssvm", "svm", "krr")
TASKS = ("auto", "classification", "regression")
VARIANTS = ("corrected", "printed", "both")

_FILE = "a table (csv, tsv, libsvm, parquet; .gz too)"
_TARGET = "what to predict; default: the column called target, class, label or y, else the last"
_DROP = "a column not to use, such as what is known only afterwards; again for each"
_SINGLE = "one kernel, not a stack of several; so do --kernels, --criterion, --ridge, --machine svm"
_MACHINE = "lssvm (default; kernel ridge regression for regression), svm, krr"
_RIDGES = "auto (default), a number, or several to choose from: 0.01,0.1,1"
_WEIGHTS = "balanced: every class counts equally"
_GROUPS = "rows with the same value belong together: also the error where all of them are new"
_INTERVAL = "also an interval, or a set of classes, that is right with this probability: 0.9"
_JOBS = "threads or, to reproduce, processes; -1: all processors; default: as many as help"


_ALIKE = 0.72  # from which on an option is taken for a slip of another: all begin with "--"


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one sentence."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Complain of an unknown option here, where those of the command are known."""
        known, others = super().parse_known_args(args, namespace)
        for word in others:
            if word.startswith("--") and word != "--":
                options = re.findall(r"--[a-z][a-z-]*", self.format_usage())
                self.error(unknown("option", word.split("=")[0], options, _ALIKE))
        return known, others

    def error(self, message: str) -> NoReturn:
        message = message.removeprefix("argument ").rstrip(".")
        if message == "the following arguments are required: COMMAND":
            message = f"a command is missing: {', '.join(_COMMANDS)}"
        wrong = re.match(r"COMMAND: invalid choice: '(.*?)'", message)
        if wrong is not None:
            message = unknown("command", wrong[1], list(_COMMANDS)).rstrip(".")
        raise BadInput(f"{one_line(message)} (see '{self.prog} --help').")


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """Return what is asked; raise BadInput for what cannot be."""
    asked = next((word for word in argv if word != "--"), None)
    args = parser(asked).parse_args(argv)
    if args.command in ("select", "compare", "bounds"):
        _find_file(args)
    return args


def _find_file(args: argparse.Namespace) -> None:
    """Take FILE from the end of --criterion's names, which swallow it if it follows them."""
    if args.file is None and args.criterion and len(args.criterion) > 1:
        args.file = args.criterion.pop()
    if args.file is None:
        raise BadInput(f"FILE is missing (see 'kernelwise {args.command} --help').")


def parser(asked: str | None = None) -> argparse.ArgumentParser:
    """Return the parser of the whole; what another distribution brings is loaded if asked for."""
    texts = tomllib.loads((files(__package__) / "help.toml").read_text("utf-8"))
    layout = argparse.RawDescriptionHelpFormatter
    whole = _Parser("kernelwise", formatter_class=layout, **texts["kernelwise"])
    whole.add_argument("--version", action="version", version=f"kernelwise {__version__}")
    commands = whole.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, add_options in _COMMANDS.items():
        text, add = texts[name], add_options
        if name == asked == "reproduce":
            from kernelwise.cli.reproduce import installed

            brought = installed()
            text |= {"description": brought.about, "epilog": brought.examples}
            add = brought.add_options
        command = commands.add_parser(name, formatter_class=layout, **text)
        add(command.add_argument)
        if name != "criteria":
            command.add_argument("--jobs", type=_jobs, metavar="N", help=_JOBS)
        command.add_argument("--quiet", action="store_true", help="no progress, no notices")
        command.add_argument("--debug", action="store_true", help="show the traceback of an error")
    return whole


def _table(add: Add) -> None:
    """Add what all commands that look at a table with a target take."""
    add("file", metavar="FILE", nargs="?", help=_FILE)
    add("--target", metavar="COLUMN", help=_TARGET)
    add("--drop", metavar="COLUMN", action="append", default=[], help=_DROP)
    add("--criterion", metavar="NAME", nargs="+", action="extend", help="what to choose by")
    add("--kernels", "--kernel", type=_kernels, default="auto", metavar="NAMES", help="candidates")
    add("--task", type=_one_of("task", TASKS), default="auto", help=", ".join(TASKS))
    add("--no-scale", action="store_true", help="leave numbers as they are")
    add("--rows", type=row_count, metavar="N", help="sample this many rows at random")
    add("--seed", type=_seed, help="of what is drawn at random")
    _shared(add, "DIR", "write what was found to this folder")
    add("--memory", type=_memory, metavar="4GB", help="the most that matrices may take")


def _shared(add: Add, out: str, help_out: str) -> None:
    """Add what all commands that read a table take."""
    add("--out", metavar=out, help=help_out)
    add("--json", action="store_true", help="print JSON")
    add("--format", type=_format, help="of FILE: csv, tsv, libsvm, parquet")


def _select(add: Add) -> None:
    _table(add)
    add("--single", action="store_true", help=_SINGLE)
    add("--machine", type=_one_of("machine", MACHINES), default="lssvm", help=_MACHINE)
    add("--ridge", type=_ridges, default="auto", help=_RIDGES)
    add("--time", type=_seconds, metavar="SECONDS", help="about how long the choice may take")
    add("--class-weight", type=_class_weight, metavar="balanced", help=_WEIGHTS)
    add("--groups", metavar="COLUMN", help=_GROUPS)
    add("--nested", action="store_true", help="also the error of the whole selection, by 5 folds")


def _compare(add: Add) -> None:
    _table(add)
    add("--ridge", type=_ridge, default=1.0, help="for criteria that train; default: 1")
    add("--class-weight", type=_class_weight, metavar="balanced", help=_WEIGHTS)


def _bounds(add: Add) -> None:
    variants = _one_of("variant", VARIANTS)
    _table(add)
    add("--ridge", type=_ridges, default="auto", help=_RIDGES)
    add("--delta", type=float, default=0.05, help="the chance that a bound fails; default: 0.05")
    add("--t", type=int, default=4, help="eigenvalues that lead; default: 4")
    add("--variant", type=variants, default="corrected", help="corrected (default), printed, both")


def _predict(add: Add) -> None:
    add("model", metavar="MODEL", help="a model.skops")
    add("file", metavar="FILE", help=_FILE)
    add("--proba", action="store_true", help="also the probability of each class")
    add("--interval", type=_level, metavar="LEVEL", help=_INTERVAL)
    _shared(add, "FILE", "write to this file instead of standard output")


def _criteria(add: Add) -> None:
    add("--json", action="store_true", help="print JSON")


def _checked(read: Callable[[str], Any]) -> Callable[[str], Any]:
    """Return a type for argparse: the sentence of a ValueError becomes that of the parser."""

    def checked(text: str) -> Any:
        try:
            return read(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error).rstrip(".")) from None

    return checked


def _one_of(what: str, known: Sequence[str]) -> Callable[[str], Any]:
    def read(text: str) -> str:
        if text not in known:
            raise ValueError(unknown(what, text, known))
        return text

    return _checked(read)


def integer(rule: str, low: int, high: float = math.inf) -> Callable[[str], Any]:
    """Return a type for argparse that takes integers from the lowest to the highest."""

    def read(text: str) -> int:
        if not text.isdecimal() or not low <= int(text) <= high:
            raise ValueError(f"{rule}, got {text!r}")
        return int(text)

    return _checked(read)


_class_weight = _one_of("class weight", ["balanced"])
row_count = integer("a number of rows must be an integer of at least 3", 3)
_seed = integer(f"a seed must be an integer from 0 to {2**32 - 1}", 0, 2**32 - 1)


# What reads an option is imported with it: --version and --help do not wait for scikit-learn.
@_checked
def _kernels(text: str) -> Any:
    from kernelwise.cli.candidates import Candidates

    return Candidates.parse(text)


@_checked
def _format(text: str) -> Any:
    from kernelwise.cli import formats

    return _one_of("format", list(formats.READERS))(text)


@_checked
def _ridge(text: str) -> float:
    try:
        ridge = float(text)
    except ValueError:
        ridge = math.nan
    if not 0.0 < ridge < math.inf:
        raise ValueError(f"a ridge must be a positive number, got {text!r}")
    return ridge


@_checked
def _level(text: str) -> float:
    try:
        level = float(text)
    except ValueError:
        level = math.nan
    if not 0.0 < level < 1.0:
        raise ValueError(f"a level must be a number between 0 and 1, such as 0.9, got {text!r}")
    return level


def _ridges(text: str) -> str | float | list[float]:
    if text == "auto":
        return text
    ridges = [_ridge(part) for part in text.split(",")]
    return ridges[0] if len(ridges) == 1 else ridges


@_checked
def _jobs(text: str) -> int:
    from kernelwise._threads import as_jobs

    try:
        return as_jobs(int(text)) or 0
    except ValueError:
        raise ValueError(
            f"a number of jobs must be a positive integer, or -1 for all processors, got {text!r}"
        ) from None


@_checked
def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0.0 < seconds < math.inf:
        raise ValueError(f"a time must be a positive number of seconds, got {text!r}")
    return seconds


@_checked
def _memory(text: str) -> str:
    from kernelwise._arguments import as_bytes

    as_bytes(text)
    return text


_COMMANDS: dict[str, Callable[[Add], None]] = {
    "select": _select,
    "compare": _compare,
    "predict": _predict,
    "bounds": _bounds,
    "reproduce": lambda add: None,  # they come with the command
    "criteria": _criteria,
}
