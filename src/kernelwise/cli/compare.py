"""kernelwise compare: what every criterion says of the candidates."""

import argparse
import json
import shutil
from textwrap import indent

import numpy as np

from kernelwise.cli.pipeline import Job, explain_memory_error
from kernelwise.cli.screen import Screen, counted, labelled, tell
from kernelwise.cli.write import to_csv
from kernelwise.criteria.base import LEFT_OUT, MATCH, PENALTY, check_task
from kernelwise.selection import SelectionResult
from kernelwise.selection.widths import edge

COMPARISON, TABLE = "comparison.json", "comparison.csv"
_ALL_UP_TO = 2000  # rows, unless criteria are named
_REMEDY = "--criterion with names of cost n^2 only"


def compare(args: argparse.Namespace, screen: Screen) -> int:
    """Score the candidates by all criteria; return the exit status."""
    job = Job(args, screen, chooses=False)
    data, folder, asked = job.data, job.folder, job.criteria
    for criterion in asked:
        check_task(criterion, data.targets)
    if not asked and data.targets.n > _ALL_UP_TO:
        screen.note(
            f"beyond {_ALL_UP_TO:,} rows only the quick criteria; --criterion names others."
        )
    with screen.heard(), explain_memory_error(args.memory, data.targets.n, _REMEDY):
        kernels = args.kernels.kernels(data.X, args.seed)
        if asked:
            result = job.score(kernels, args.ridge, asked)
        else:
            result = job.score_by_all(kernels, args.ridge, _ALL_UP_TO)
    weights = data.facts.get("class_weight")
    more = {} if weights is None else {"class_weight": weights}
    plain = json.dumps(result.to_dict() | more, allow_nan=False)
    folder.text(COMPARISON, plain)
    folder.text(TABLE, to_csv(result.frame()))
    settings = f"ridge {args.ridge:g}" + (", classes weighted" if weights else "")
    tell(plain if args.json else _page(result, settings, folder.written))
    folder.check()
    return 0


def _page(result: SelectionResult, settings: str, files: list[str]) -> str:
    """Return the table in blocks as wide as the terminal, then what each criterion picks."""
    best = {name: result.best_index(name) for name in result.choosing()}
    width = shutil.get_terminal_size((100, 24)).columns
    names = ["kernel", *map(str, result.kernels)]
    columns = [_column(result, name, best.get(name)) for name in result.table]
    blocks = ["\n".join(lines) for lines in _blocks(names, columns, width)]
    about = (
        f"{counted(len(result), 'kernel')}, {settings}, {result.seconds:.1f} s; * marks the best "
        "of a criterion."
    )
    written = labelled({"written": ", ".join(files)})
    return "\n\n".join([*blocks, f"picks:\n{_picks(result)}", f"{about}\n{written}".rstrip()])


def _picks(result: SelectionResult) -> str:
    """Return what every criterion prefers; those that judge the same thing stand together."""
    groups: dict[str, dict[str, str]] = {}
    for name in result.choosing():
        index = result.best_index(name)
        side = edge(result.kernels, index)
        note = "" if side is None else f", the {side} offered"
        told = f"{result.kernels[index]}{note}"
        groups.setdefault(result.criteria[name].judges, {})[name] = told
    order = sorted(groups, key=lambda kind: (kind != LEFT_OUT, kind != PENALTY, kind != MATCH))
    return "\n".join(f"  {kind}:\n{indent(labelled(groups[kind]), '    ')}" for kind in order)


def _column(result: SelectionResult, name: str, best: int | None) -> list[str]:
    values = result.table[name]
    cells = ["–" if np.isnan(value) else f"{value:.4g}" for value in values]
    return [name + " ", *(c + ("*" if i == best else " ") for i, c in enumerate(cells))]


def _blocks(names: list[str], columns: list[list[str]], width: int) -> list[list[str]]:
    """Return blocks of lines, each with as many columns as the width allows."""
    left = [name.ljust(max(map(len, names))) for name in names]
    blocks, lines = [], list(left)
    for column in columns:
        size = max(map(len, column)) + 1
        if len(lines[0]) + size > width and lines != left:
            blocks.append(lines)
            lines = list(left)
        lines = [line + cell.rjust(size) for line, cell in zip(lines, column, strict=True)]
    return [*blocks, lines]
