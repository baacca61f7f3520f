"""What may be asked on the command line."""

import argparse
import math
import re
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from kernelwise import __version__
from kernelwise._registry import unknown
from kernelwise._threads import as_jobs
from kernelwise.cli import plugins
from kernelwise.cli.candidates import Candidates
from kernelwise.cli.read import FORMATS
from kernelwise.cli.screen import BadInput, one_line
from kernelwise.gram.memory import as_bytes

COMMANDS = ("select", "compare", "predict", "bounds", "reproduce", "report", "criteria")
MACHINES = ("lssvm", "svm", "krr")
HEADERS = {"auto": None, "yes": True, "no": False}
TASKS = ("auto", "classification", "regression")
VARIANTS = ("corrected", "printed", "both")

_ABOUT = """\
Chooses the kernel, and the regularisation, of a kernel method for a table.

  kernelwise select data.csv --target price --out chosen   choose, fit, save, report
  kernelwise predict chosen/model.skops new.csv            use what was chosen
  kernelwise compare data.csv                              what every criterion says
"""

_SELECT = """\
Chooses kernel and ridge for a table and says what error to expect. With --out it also writes
model.skops (for 'kernelwise predict'), result.json and report.html to a folder."""
_SELECT_EXAMPLES = """\
examples:
  kernelwise select data.csv --target species --out chosen
  kernelwise select prices.tsv.gz --target price --task regression --kernels gaussian,laplacian
  kernelwise select a9a.libsvm --criterion sm eloo --json

kernels:    auto (Gaussian, widths from the data), gaussian, laplacian, matern, polynomial, linear,
            all; gaussian:-5:5 has the widths tau = 2^-5 to 2^5, polynomial:1:4 the degrees 1 to 4;
            several are separated by commas
criteria:   'kernelwise criteria' lists them; with several, each but the last keeps the five best
columns:    texts become 0/1 columns, gaps are filled in, numbers are standardised, columns of no
            use are left out; what was done is said on standard error
"""
_COMPARE = "Scores the candidate kernels by every criterion that applies, side by side."
_COMPARE_EXAMPLES = """\
examples:
  kernelwise compare data.csv --target species
  kernelwise compare data.csv --criterion sm ckta eloo --kernels gaussian:-3:6 --ridge 0.1

The best value of each criterion is marked by '*'. Criteria that cost n^3 are left out beyond 2,000
rows unless --criterion names them.
"""
_PREDICT = "Predicts the rows of a table by a model that 'kernelwise select --out' wrote."
_PREDICT_EXAMPLES = """\
examples:
  kernelwise predict chosen/model.skops new.csv > predictions.csv
  kernelwise predict chosen/model.skops new.csv --proba --out predictions.csv

The table has the columns that the model was made from, in any order; others are ignored. Loading a
model executes nothing that is in the file.
"""
_BOUNDS = """\
Evaluates the papers' theorems for one kernel: what they bound the error, or what it hangs on, by;
whether that says anything; and what was really observed."""
_BOUNDS_EXAMPLES = """\
examples:
  kernelwise bounds data.csv --target species
  kernelwise bounds data.csv --kernel gaussian:3:3 --ridge 1 --variant both

gaussian:3:3 is the Gaussian kernel of width tau = 2^3. Where several kernels or ridges are named,
or none, the theorems are evaluated for those that 'kernelwise select' would choose.
"""
_REPORT_EXAMPLES = "example:\n  kernelwise report chosen/result.json --out report.html\n"
_CRITERIA_EXAMPLES = "example:\n  kernelwise criteria\n"


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one sentence."""

    def error(self, message: str) -> NoReturn:
        message = message.removeprefix("argument ").rstrip(".")
        if message == "the following arguments are required: COMMAND":
            message = f"a command is missing: {', '.join(COMMANDS)}"
        wrong = re.match(r"COMMAND: invalid choice: '(.*?)'", message)
        if wrong is not None:
            message = unknown("command", wrong[1], COMMANDS).rstrip(".")
        raise BadInput(f"{one_line(message)} (see '{self.prog} --help').")


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """Return what is asked; raise BadInput for what cannot be."""
    args = parser(_asked(argv)).parse_args(argv)
    if args.command in ("select", "compare", "bounds"):
        _find_file(args)
    if hasattr(args, "header"):
        args.header = HEADERS[args.header]
    return args


def _find_file(args: argparse.Namespace) -> None:
    """Take FILE from the end of --criterion's names, which swallow it if it follows them."""
    if args.file is None and args.criterion and len(args.criterion) > 1:
        args.file = args.criterion.pop()
    if args.file is None:
        raise BadInput(f"FILE is missing (see 'kernelwise {args.command} --help').")


def _asked(argv: Sequence[str]) -> str | None:
    """Return the command that is asked for, if any."""
    return next((word for word in argv if word != "--"), None)


def parser(asked: str | None = None) -> argparse.ArgumentParser:
    """Return the parser of the whole command line; a plugin is loaded only where it is asked."""
    whole = _Parser(
        prog="kernelwise",
        description=_ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="'kernelwise COMMAND --help' says more. Exit status: 0 done, 2 a file or an option "
        "that cannot be used, 130 interrupted, 1 an error of kernelwise's own.",
    )
    whole.add_argument("--version", action="version", version=f"kernelwise {__version__}")
    commands = whole.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _select(_command(commands, "select", "choose a kernel", _SELECT, _SELECT_EXAMPLES))
    _compare(_command(commands, "compare", "compare criteria", _COMPARE, _COMPARE_EXAMPLES))
    _predict(_command(commands, "predict", "use a saved model", _PREDICT, _PREDICT_EXAMPLES))
    _bounds(_command(commands, "bounds", "evaluate theorems", _BOUNDS, _BOUNDS_EXAMPLES))
    _plugin(commands, "reproduce", "run the papers", asked)
    about = "Makes the HTML report of a result.json that 'kernelwise select --out' wrote."
    report = _command(commands, "report", "make a report", about, _REPORT_EXAMPLES)
    report.add_argument("result", metavar="RESULT", help="a result.json")
    report.add_argument("--out", metavar="FILE", help="default: report.html beside RESULT")
    about = "Lists the criteria: what is best, what a kernel costs on n rows, who found them."
    criteria = _command(commands, "criteria", "list the criteria", about, _CRITERIA_EXAMPLES)
    criteria.add_argument("--json", action="store_true", help="print JSON")
    for name in ("select", "compare", "predict", "bounds", "reproduce"):
        _jobs_option(commands.choices[name])
    for command in commands.choices.values():
        command.add_argument("--quiet", action="store_true", help="no progress, no notices")
        command.add_argument("--debug", action="store_true", help="show the traceback of an error")
    return whole


def _command(commands: Any, name: str, short: str, about: str, examples: str) -> Any:
    return commands.add_parser(
        name,
        help=short,
        description=about,
        epilog=examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def _plugin(commands: Any, name: str, short: str, asked: str | None) -> None:
    if asked != name:
        _command(commands, name, short, "", "")
        return
    plugin = plugins.load(name)
    command = _command(commands, name, short, plugin.about, plugin.examples)
    plugin.add_options(command.add_argument)


def _jobs_option(command: Any) -> None:
    command.add_argument(
        "--jobs",
        type=_checked(_jobs),
        metavar="N",
        help="threads or, to reproduce, processes; -1: all processors; default: as many as help",
    )


def _table(command: Any) -> None:
    """Add what all commands that look at a table with a target take."""
    command.add_argument(
        "file", metavar="FILE", nargs="?", help=f"a table ({', '.join(FORMATS)}; .gz too)"
    )
    command.add_argument(
        "--target",
        metavar="COLUMN",
        help="what to predict; default: the column called target, class, label or y, else the last",
    )
    command.add_argument(
        "--criterion", metavar="NAME", nargs="+", action="extend", help="what to choose by"
    )
    command.add_argument(
        "--kernels",
        "--kernel",
        type=_checked(Candidates.parse),
        default="auto",
        metavar="NAMES",
        help="the candidates",
    )
    command.add_argument(
        "--task", type=_one_of("task", TASKS), default="auto", help=", ".join(TASKS)
    )
    command.add_argument("--no-scale", action="store_true", help="leave numbers as they are")
    command.add_argument("--rows", type=row_count, metavar="N", help="draw so many rows at random")
    command.add_argument("--seed", type=_checked(_seed), help="of what is drawn at random")
    _shared(command, "DIR", "write what was found to this folder")
    command.add_argument(
        "--memory", type=_checked(_memory), metavar="4GB", help="the most that matrices may take"
    )


def _shared(command: Any, out: str, help_out: str) -> None:
    command.add_argument("--out", metavar=out, help=help_out)
    command.add_argument("--json", action="store_true", help="print JSON")
    command.add_argument(
        "--format", type=_one_of("format", FORMATS), help=f"of FILE: {', '.join(FORMATS)}"
    )
    command.add_argument(
        "--header",
        type=_one_of("answer to --header", tuple(HEADERS)),
        default="auto",
        help="whether the first line of delimited text names the columns: auto, yes, no",
    )
    command.add_argument(
        "--max-size",
        type=_checked(_size),
        metavar="4GB",
        help="the most that a compressed file may unpack to; default: 256MB, a model 1GB",
    )


def _select(command: Any) -> None:
    _table(command)
    command.add_argument(
        "--machine",
        type=_one_of("machine", MACHINES),
        default="lssvm",
        help="lssvm (default; kernel ridge regression for regression), svm, krr",
    )
    _ridges_to_choose_from(command)
    command.add_argument(
        "--nested", action="store_true", help="also the error that pays for the choice; 5 folds"
    )


def _compare(command: Any) -> None:
    _table(command)
    command.add_argument(
        "--ridge", type=_checked(_ridge), default=1.0, help="for criteria that train; default: 1"
    )


def _ridges_to_choose_from(command: Any) -> None:
    command.add_argument(
        "--ridge",
        type=_checked(_ridges),
        default="auto",
        help="auto (default), a number, or several to choose from: 0.01,0.1,1",
    )


def _bounds(command: Any) -> None:
    _table(command)
    command.set_defaults(machine="lssvm")
    _ridges_to_choose_from(command)
    command.add_argument(
        "--delta", type=float, default=0.05, help="the chance that a bound fails; default: 0.05"
    )
    command.add_argument("--t", type=int, default=4, help="eigenvalues that lead; default: 4")
    command.add_argument(
        "--variant",
        type=_one_of("variant", VARIANTS),
        default="corrected",
        help="corrected (default), printed, both",
    )


def _predict(command: Any) -> None:
    command.add_argument("model", metavar="MODEL", help="a model.skops")
    command.add_argument("file", metavar="FILE", help=f"a table ({', '.join(FORMATS)}; .gz too)")
    command.add_argument("--proba", action="store_true", help="also the probability of each class")
    command.add_argument(
        "--raw",
        action="store_true",
        help="no apostrophe before labels that a spreadsheet would compute, as '=A1'",
    )
    _shared(command, "FILE", "write to this file in the place of standard output")


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


def integer(rule: str, low: int) -> Callable[[str], Any]:
    """Return a type for argparse that takes integers from the lowest on."""

    def read(text: str) -> int:
        if not text.isdecimal() or int(text) < low:
            raise ValueError(f"{rule}, got {text!r}")
        return int(text)

    return _checked(read)


row_count = integer("a number of rows must be an integer of at least 3", 3)


def _ridge(text: str) -> float:
    try:
        ridge = float(text)
    except ValueError:
        ridge = math.nan
    if not 0.0 < ridge < math.inf:
        raise ValueError(f"a ridge must be a positive number, got {text!r}")
    return ridge


def _ridges(text: str) -> str | float | list[float]:
    if text == "auto":
        return text
    ridges = [_ridge(part) for part in text.split(",")]
    return ridges[0] if len(ridges) == 1 else ridges


def _jobs(text: str) -> int:
    try:
        return as_jobs(int(text)) or 0
    except ValueError:
        raise ValueError(
            f"a number of jobs must be a positive integer, or -1 for all processors, got {text!r}"
        ) from None


def _seed(text: str) -> int:
    if not text.isdecimal() or int(text) >= 2**32:
        raise ValueError(f"a seed must be an integer from 0 to {2**32 - 1}, got {text!r}")
    return int(text)


def _size(text: str) -> float:
    return as_bytes(text, "--max-size")


def _memory(text: str) -> str:
    as_bytes(text)
    return text
