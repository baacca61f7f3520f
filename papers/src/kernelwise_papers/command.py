"""What ``kernelwise reproduce`` says of itself and takes.

kernelwise finds ``REPRODUCE`` by its entry point; nothing of the experiments is imported before
one of them is run.
"""

import argparse
from collections.abc import Callable
from typing import Any

from kernelwise.cli.options import integer, row_count
from kernelwise.cli.reproduce import Command
from kernelwise.cli.screen import Screen

_ABOUT = """\
Runs the tables and figures of the papers again, on all processors, and writes for each a file of
results, a page with ours beside published, and a figure. A run that was stopped goes on where it
was."""
_EXAMPLES = """\
examples:
  kernelwise reproduce --list
  kernelwise reproduce er-table1 --datasets heart sonar --repetitions 5
  kernelwise reproduce --all --quick

The data are looked for in the folder of the environment variable KERNELWISE_DATA and in
../shared/data, and are downloaded where they are in neither.
"""
_FOLDER = "reproduced"

_repetitions = integer("a number of repetitions must be a positive integer", 1)


def _add_options(add: Callable[..., Any]) -> None:
    add("key", metavar="TABLE", nargs="*", help="what to run; --list has all")
    add("--all", action="store_true", help="run everything")
    add("--list", action="store_true", help="list what can be run")
    add("--out", metavar="DIR", default=_FOLDER, help=f"default: {_FOLDER}")
    add("--quick", action="store_true", help="few repetitions, few rows: minutes, not hours")
    add("--repetitions", type=_repetitions, metavar="N", help="default: the paper's")
    add("--rows", type=row_count, metavar="N", help="at most this many rows of a data set")
    add("--datasets", metavar="NAME", nargs="+", help="default: the paper's")
    add("--no-run", action="store_true", help="make the pages of what has been run")


def _run(args: argparse.Namespace, screen: Screen) -> int:
    from kernelwise_papers.reproduce import reproduce

    return reproduce(args, screen)


REPRODUCE = Command(about=_ABOUT, examples=_EXAMPLES, add_options=_add_options, run=_run)
