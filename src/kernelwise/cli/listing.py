"""kernelwise report and kernelwise criteria: what was found, and what there is."""

import argparse
import json
from pathlib import Path

from kernelwise.cli.read import read_bytes
from kernelwise.cli.screen import BadInput, Screen
from kernelwise.cli.write import REPORT, check_writable, write_html
from kernelwise.criteria import available
from kernelwise.selection.record import Record


def report(args: argparse.Namespace, screen: Screen) -> int:
    """Write the report of a saved result; return the exit status."""
    result = Path(args.result)
    out = result.with_name(REPORT) if args.out is None else Path(args.out)
    content = read_bytes(args.result)
    if out.exists() and out.samefile(result):
        raise BadInput(f"--out {args.out!r} is the result itself: name another file.")
    check_writable(out)
    try:
        record = Record.from_json(content.decode("utf-8", errors="replace"))
    except ValueError as error:
        raise BadInput(f"{args.result!r}: {error}") from None
    try:
        with screen.heard(), screen.status("writing the report"):
            write_html(record, out)
    except (LookupError, TypeError, ValueError):  # its parts do not fit together
        raise BadInput(f"{args.result!r} is damaged: select again with --out.") from None
    print(f"written    {out}")
    return 0


def criteria(args: argparse.Namespace, screen: Screen) -> int:
    """List the criteria; return the exit status."""
    found = available()
    if args.json:
        print(json.dumps([info._asdict() for info in found]))
        return 0
    lines = [("name", "best", "cost", "reference", "formula")]
    lines += [(i.name, i.direction, i.cost, i.reference, i.formula) for i in found]
    widths = [max(len(line[k]) for line in lines) for k in range(4)]
    for *cells, formula in lines:
        padded = [cell.ljust(width) for cell, width in zip(cells, widths, strict=True)]
        print("  ".join([*padded, formula]))
    return 0
