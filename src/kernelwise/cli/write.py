"""Files that appear under their names only when they are complete."""

import importlib.util
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kernelwise._files import replacing
from kernelwise.cli.screen import BadInput
from kernelwise.report import write_report
from kernelwise.selection.persistence import save_model
from kernelwise.selection.record import Record

MODEL, RESULT, REPORT = "model.skops", "result.json", "report.html"
# The signs, their wide forms, and the white space that spreadsheets skip before them.
_COMPUTED = re.compile(r"'*[=+\-@＝＋－＠\t\r\n]")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


class Folder:
    """The folder that output goes to, if any; whether it can be written to is checked at once.

    A file that cannot be written later, as on a full disk, is no reason to lose what was found:
    nothing more is written, and :meth:`check` complains once all has been told.
    """

    def __init__(self, path: str | None) -> None:
        self.path, self.is_wanted = Path(path or ""), path is not None
        self.written: list[str] = []
        self._failure = ""
        if path is not None:
            self._make(path)

    def _make(self, path: str) -> None:
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise BadInput(f"--out {path!r} is a file, not a folder: name another.") from None
        except OSError as error:
            raise BadInput(f"--out {path!r} cannot be made: {error.strerror}.") from None
        for name in (MODEL, RESULT, REPORT):
            check_writable(self.path / name)
        if importlib.util.find_spec("skops") is None:
            raise BadInput("--out needs skops for the model: pip install 'kernelwise[cli]'.")

    def model(self, model: Any) -> dict[str, Any]:
        """Write the model; what there is about an earlier one goes before it does.

        Returns what a record says of it: nothing where it could not be written.
        """

        def write(path: Path) -> None:
            with replacing(path) as part:
                save_model(model, part)
                for name in (RESULT, REPORT):
                    (self.path / name).unlink(missing_ok=True)

        return {"model": MODEL} if self._write(MODEL, write) else {}

    def text(self, name: str, content: str) -> None:
        """Write a text."""
        self._write(name, lambda path: write_text(path, content))

    def report(self, record: Record) -> None:
        """Write the report."""
        self._write(REPORT, lambda path: write_report(record, path))

    def check(self) -> None:
        """Complain if a file could not be written."""
        if self._failure:
            raise BadInput(self._failure)

    def _write(self, name: str, write: Callable[[Path], None]) -> bool:
        """Write a file, unless an earlier one could not be written; say whether it was."""
        path = self.path / name
        if self._failure or not self.is_wanted:
            return False
        try:
            write(path)
        except OSError as error:
            self._failure = not_written(path, error)
            return False
        self.written.append(str(path))
        return True


def not_written(path: Path, error: OSError) -> str:
    """Return a sentence on a file that could not be written."""
    return f"{str(path)!r} could not be written ({error.strerror or error}): name another --out."


def write_text(path: Path, content: str) -> None:
    """Write a text file."""
    with replacing(path) as part:
        part.write_text(content, encoding="utf-8")


def check_writable(path: Path) -> None:
    """Say so where a file could not be written, before any work is done."""
    if path.is_dir():
        raise BadInput(f"{str(path)!r} is a directory: name a file for the output.")
    probe = path.parent / f".{path.name}.{os.getpid()}.probe"
    try:
        probe.touch()
        probe.unlink()
    except OSError as error:
        reason = "there is no such folder" if not path.parent.is_dir() else error.strerror
        raise BadInput(
            f"{str(path)!r} cannot be written ({reason}): name another place by --out."
        ) from None


def to_csv(table: Any) -> str:
    """Return a table as CSV, with nothing that a spreadsheet computes.

    It computes a cell that begins with ``=``, ``+``, ``-`` or ``@``, and a computation can start a
    program. A text that begins so gets an apostrophe in front. So does a text that begins with
    apostrophes and then so: taking one apostrophe away always gives back what there was.
    """
    import pandas as pd

    frame = pd.DataFrame(table)
    texts = [name for name in frame if frame[name].dtype.kind not in "biuf"]
    frame = frame.assign(**{name: frame[name].map(inert) for name in texts})
    return str(frame.rename(columns=inert).to_csv(index=False))


def inert(value: Any) -> Any:
    """Return a value, with an apostrophe before a text that a spreadsheet would compute."""
    is_text = isinstance(value, str) and _COMPUTED.match(value) and not _NUMBER.fullmatch(value)
    return f"'{value}" if is_text else value
