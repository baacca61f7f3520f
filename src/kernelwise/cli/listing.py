"""kernelwise report and kernelwise criteria: what was found, and what there is."""

import argparse
import json
from dataclasses import replace
from operator import attrgetter
from pathlib import Path

from kernelwise._files import TooLarge
from kernelwise.cli.read import read_bytes
from kernelwise.cli.screen import BadInput, Screen, aligned, labelled, tell
from kernelwise.cli.write import LARGEST_RESULT, REPORT, check_writable, mismatch, write_html
from kernelwise.criteria import available
from kernelwise.selection.archive import WRONG
from kernelwise.selection.record import Record


def report(args: argparse.Namespace, screen: Screen) -> int:
    """Write the report of a saved result; return the exit status."""
    result = Path(args.result)
    out = result.with_name(REPORT) if args.out is None else Path(args.out)
    content = _content(args.result)
    if out.exists() and out.samefile(result):
        raise BadInput(f"--out {args.out!r} is the result itself: name another file.")
    check_writable(out)
    try:
        record = Record.from_json(content)
    except ValueError as error:
        raise BadInput(f"{args.result!r}: {error}") from None
    model = result.parent / Path(record.model or "").name
    sentence = mismatch(record, result, model) if model.is_file() else None
    if sentence is not None:
        screen.note(sentence)
        record = replace(record, warnings=(*record.warnings, sentence))
    try:
        with screen.heard(), screen.status("writing the report"):
            write_html(record, out)
    except WRONG as error:  # its parts do not fit together
        raise BadInput(f"{args.result!r} is damaged: select again with --out.") from error
    tell(labelled({"written": str(out)}))
    return 0


def _content(path: str) -> str:
    """Return the text of a result."""
    try:
        return read_bytes(path, LARGEST_RESULT).decode("utf-8-sig")
    except TooLarge as error:
        raise BadInput(f"{error.what}, which no result.json does.") from None
    except UnicodeDecodeError:
        raise BadInput(f"{path!r} is no result.json: it is not UTF-8.") from None


def criteria(args: argparse.Namespace, screen: Screen) -> int:
    """List the criteria; return the exit status."""
    found = available()
    if args.json:
        tell(json.dumps([info._asdict() for info in found]))
        return 0
    titles = ("name", "best", "cost", "what it measures", "formula", "reference")
    facts = attrgetter("name", "direction", "cost", "meaning", "formula", "reference")
    tell(aligned([titles, *map(facts, found)]))
    return 0
