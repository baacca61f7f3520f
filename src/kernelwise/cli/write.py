"""Files that appear under their names only when they are complete."""

import importlib.util
import os
from pathlib import Path
from typing import Any

from kernelwise.cli.screen import BadInput, Screen, one_line
from kernelwise.selection.persistence import replacing, save_model
from kernelwise.selection.record import Record

MODEL, RESULT, REPORT = "model.skops", "result.json", "report.html"


class Folder:
    """The folder that output goes to; that it can be written to is found out at once."""

    def __init__(self, path: str) -> None:
        self.path = Path(path)
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
        self.written: list[str] = []

    def model(self, model: Any) -> None:
        """Write the model; what there is about an earlier one goes before it does."""
        with replacing(self.path / MODEL) as part:
            save_model(model, part)
            for name in (RESULT, REPORT):
                (self.path / name).unlink(missing_ok=True)
        self._done(MODEL)

    def text(self, name: str, content: str) -> None:
        """Write a text."""
        write_text(self._done(name), content)

    def report(self, record: Record, screen: Screen) -> None:
        """Write the report; without what it needs, say so."""
        path = self.path / REPORT
        try:
            write_html(record, path)
        except ImportError as error:
            screen.note(f"{REPORT} was not written: {one_line(str(error))}")
        else:
            self._done(REPORT)

    def _done(self, name: str) -> Path:
        path = self.path / name
        self.written.append(str(path))
        return path


def write_html(record: Record, path: Path) -> None:
    """Write the report of a record."""
    from kernelwise.report import write_report

    write_report(record, path)


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
