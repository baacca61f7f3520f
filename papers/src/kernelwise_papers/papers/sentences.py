"""Two sentences of the papers without numbers: larger lambdas of ER, more training rows of SPS.

ER 2015 says at the end of its experiments that lambda of 100 and 1000 is almost always much worse
than 0.01, 0.1 and 1; SPS 2014 says that 70 % of the rows for training give similar results to 50 %.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kernelwise._types import Array
from kernelwise_papers.experiment import Experiment, Job, Line
from kernelwise_papers.markdown import holds, span, table
from kernelwise_papers.papers.er import ER_TABLE1
from kernelwise_papers.papers.sps import SPS_TABLE1
from kernelwise_papers.significance import LEVEL, paired
from kernelwise_papers.tables.comparison import BEST, spread_of
from kernelwise_papers.tables.run import split_lines
from kernelwise_papers.tables.table import VARIANT_SPLITS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_ER, _SPS = "er", "sps"
_SMALL, _LARGE = (0.01, 0.1, 1.0), (100.0, 1000.0)
_COLUMNS = ("ER", "5-CV", "LOO", "CKTA", "FSM")
_SHARES = (0.5, 0.7)
_MOST = 0.5

LAMBDAS = replace(
    ER_TABLE1,
    lambdas=(*_SMALL, 10.0, *_LARGE),
    columns={name: ER_TABLE1.columns[name] for name in _COLUMNS},
    datasets=tuple(name for name in ER_TABLE1.datasets if name != "a2a"),
)
_SPS_ALONE = replace(
    SPS_TABLE1,
    columns={"SPS": SPS_TABLE1.columns["SPS"]},
    datasets=tuple(name for name in SPS_TABLE1.datasets if name != "splice"),
)
SHARES = {share: replace(_SPS_ALONE, train_share=share) for share in _SHARES}


class Sentences(Experiment):
    """What the papers say of further runs."""

    key = "sentences"
    title = (
        "Two sentences without numbers: larger lambdas in ER 2015, 70 % for training in SPS 2014"
    )

    @property
    def datasets(self) -> Sequence[str]:
        """A paper and one of its sets, but for the largest."""
        sets = [f"{_ER} {name}" for name in LAMBDAS.datasets]
        return (*sets, *(f"{_SPS} {name}" for name in _SPS_ALONE.datasets))

    @property
    def repetitions(self) -> int:
        """Ours: as many as of other protocols that are tried besides."""
        return VARIANT_SPLITS

    def work(self, job: Job) -> list[dict[str, Any]]:
        """Return a line a share of training rows, lambda and column."""
        paper, name = job.dataset.split()
        tables = [LAMBDAS] if paper == _ER else list(SHARES.values())
        return [
            {
                "share": f"{each.train_share:g}",
                "lambda": f"{line['lambda']:g}",
                "column": column,
                "error": line[column],
            }
            for each in tables
            for line in split_lines(each, job._replace(dataset=name))
            for column in (*each.columns, BEST)
        ]

    def summary(self, lines: Sequence[Line]) -> str:
        """Return which sentences hold."""
        return "\n".join(_verdicts(_errors(lines)))

    def page(self, lines: Sequence[Line]) -> str:
        """Return the sentences, the rules that decide them, and the mean errors."""
        return _page(_errors(lines))

    def figure(self, lines: Sequence[Line]) -> "Figure":
        """Draw errors over lambda, and those with more training rows over those with fewer."""
        from kernelwise_papers.figures import panels
        from kernelwise_papers.papers.remarks.parts import against, label

        found = _errors(lines)
        figure, [left, right] = panels(2, 3.2)
        for column in _COLUMNS if _sets(found, _ER) else ():
            means = [_mean(found, column, lam) for lam in LAMBDAS.lambdas]
            left.semilogx(LAMBDAS.lambdas, means, "o-", ms=3, lw=1.0, label=column)
            left.legend(fontsize=6)
        label(left, "ER 2015: mean test error in %", "lambda", "")
        if pairs := _shares(found):
            against(right, *np.array([(a.mean(), b.mean()) for a, b in pairs]).T)
        label(right, "SPS 2014: test error in %", "50 % for training", "70 % for training")
        return figure


class _Key(NamedTuple):
    dataset: str
    share: float
    lam: float
    column: str


_Errors = dict[_Key, Array]  # of every split, in percent


def _errors(lines: Sequence[Line]) -> _Errors:
    found: dict[_Key, list[float]] = {}
    for line in lines:
        share, lam = float(line["share"]), float(line["lambda"])
        key = _Key(line["dataset"], share, lam, line["column"])
        found.setdefault(key, []).append(100.0 * float(line["error"]))
    return {key: np.array(values) for key, values in found.items()}


def _sets(found: _Errors, paper: str) -> list[str]:
    """Return the sets of a paper."""
    return list(dict.fromkeys(k.dataset for k in found if k.dataset.startswith(f"{paper} ")))


def _mean(found: _Errors, column: str, lam: float) -> float:
    """Return the mean error over the sets of ER at one lambda."""
    keys = [_Key(name, LAMBDAS.train_share, lam, column) for name in _sets(found, _ER)]
    return float(np.mean([found[key].mean() for key in keys]))


def _is_worse(found: _Errors) -> Iterator[tuple[str, bool]]:
    """Yield for every set, column and large lambda whether all small lambdas err less."""
    share = LAMBDAS.train_share
    for name, column, lam in product(_sets(found, _ER), _COLUMNS, _LARGE):
        large = found[_Key(name, share, lam, column)]
        gaps = [large - found[_Key(name, share, small, column)] for small in _SMALL]
        yield column, all(_exceeds(gap) for gap in gaps)


def _exceeds(gap: Array) -> bool:
    """Say whether differences are above zero, by a paired t-test, one-sided."""
    return bool(gap.mean() > 0.0 and (gap.size < 2 or paired(gap) < LEVEL))


def _shares(found: _Errors) -> list[tuple[Array, Array]]:
    """Return the errors with 50 % and with 70 % for training, of every set and lambda."""
    few, many = _SHARES
    return [
        (found[_Key(name, few, lam, "SPS")], found[_Key(name, many, lam, "SPS")])
        for name, lam in product(_sets(found, _SPS), _SPS_ALONE.lambdas)
    ]


def _is_similar(first: Array, second: Array) -> bool:
    """Say whether two means differ by no more than the standard deviation of the first."""
    spread = spread_of(first) if first.size > 1 else 0.0
    return bool(abs(first.mean() - second.mean()) <= spread)


def _verdicts(found: _Errors) -> list[str]:
    said = []
    for text, counted in (
        ("ER 2015, lambda of 100 and 1000 is almost always much worse", _is_worse(found)),
        (
            "SPS 2014, 70 % for training give similar results",
            (("SPS", _is_similar(*pair)) for pair in _shares(found)),
        ),
    ):
        so = [is_so for _, is_so in counted]
        if so:
            verdict = holds(sum(so) > _MOST * len(so))
            said.append(f"{text}: {verdict} (so in {sum(so)} of {len(so)})")
    return said


def _page(found: _Errors) -> str:
    parts = [
        "![Errors over lambda, and with more training rows](sentences.svg)",
        "",
        f"{span({values.size for values in found.values()})} random splits a set; otherwise the "
        "protocols of [ER 2015, Table 1](er-table1.md) without a2a, and of [SPS 2014, Table 1]"
        "(sps-table1.md) without splice.",
        "",
        "Worse: significantly higher errors than with each of 0.01, 0.1 and 1 (paired t-test, "
        "one-sided, 95 %), set by set and column by column. Similar: means that differ by no more "
        "than the standard deviation over the splits with 50 %, set by set and lambda by lambda. A "
        "sentence holds where it is so in more than half.",
        "",
        *(f"- {verdict}." for verdict in _verdicts(found)),
        "",
        *_by_lambda(found),
        *_by_share(found),
    ]
    return "\n".join(parts) + "\n"


def _by_lambda(found: _Errors) -> list[str]:
    if not _sets(found, _ER):
        return []
    worse, rows = list(_is_worse(found)), []
    for column in (*_COLUMNS, BEST):
        own = [is_so for name, is_so in worse if name == column]
        means = [f"{_mean(found, column, lam):.2f}" for lam in LAMBDAS.lambdas]
        rows.append([column, *means, f"{sum(own)} of {len(own)}" if own else ""])
    heads = ["column", *(f"{lam:g}" for lam in LAMBDAS.lambdas), "100, 1000 worse"]
    return ["Mean test error over the sets of ER 2015, by lambda:", "", *table(heads, rows), ""]


def _by_share(found: _Errors) -> list[str]:
    rows = []
    for name in _sets(found, _SPS):
        row = [name.removeprefix(f"{_SPS} ")]
        for lam in _SPS_ALONE.lambdas:
            means = [100.0 - found[_Key(name, share, lam, "SPS")].mean() for share in _SHARES]
            row.append(" / ".join(f"{mean:.2f}" for mean in means))
        rows.append(row)
    if not rows:
        return []
    heads = ["set", *(f"lambda {lam:g}" for lam in _SPS_ALONE.lambdas)]
    return ["Accuracy of SPS with 50 % / with 70 % for training:", "", *table(heads, rows)]
