"""SM 2017, Table 3: how long every criterion takes to choose one of 31 Gaussian widths.

Each criterion works alone, from the data to the chosen kernel, on one processor, in two ways:
through the library, and by hand, as one writes it down from the formula with numpy and as the
papers' authors presumably did, cross-validation by refitting. The machine is not the paper's, so
that within a row of the table the times relative to SM's are compared.
"""

import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import spearmanr

from kernelwise.experiments import publications
from kernelwise.experiments.experiment import Experiment, Job, Line
from kernelwise.experiments.split import KERNEL, Part, draw, pick
from kernelwise.experiments.tables import TABLES
from kernelwise.gram import Dense, Targets, Tiled
from kernelwise.gram.choice import DENSE_ROWS
from kernelwise.kernels import grids
from kernelwise.kernels.geometry import Array
from kernelwise.machines import make_splits
from kernelwise.selection import score_kernels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_TABLE = TABLES["sm-table2"]
_PUBLISHED = "sm2017_table3"
_CRITERIA = ("SM", "CV", "ELOO", "CKTA", "FSM", "ER")
_OTHERS = _CRITERIA[1:]
_TAUS = sorted((kernel.tau for kernel in grids.gaussian()), reverse=True)  # as in the table
_LEADING, _ETA = 4, 0.6  # of ER
_TICKS = (20, 50, 100, 200, 500, 1000)  # rows
_MUCH = 2.0  # times: more is much faster, less is comparable

PUBLISHED, BY_HAND, LIBRARY = "published", "by hand", "library"
_OURS = (BY_HAND, LIBRARY)
_KINDS = (PUBLISHED, *_OURS)

Times = dict[str, dict[str, float]]  # seconds by data set and criterion


# What is measured


def by_library(name: str, part: Part) -> int:
    """Return the position of the kernel that a criterion chooses, by the library."""
    # What engine="auto" takes, held to one thread.
    engine = Tiled(threads=1) if part.targets.n > DENSE_ROWS else Dense()
    result = score_kernels(
        part.X,
        part.targets.y,
        _TABLE.kernels,
        _TABLE.columns[name],
        engine=engine,
        task="classification",
        progress=False,
    )
    [values] = result.table.values()
    return pick(values, _TABLE.columns[name])


def by_hand(name: str, part: Part) -> int:
    """Return the position of the kernel that a criterion chooses, by numpy and its formula."""
    X, squares = part.X, np.sum(part.X**2, axis=1)
    distances = np.maximum(squares[:, None] + squares - 2.0 * X @ X.T, 0.0)
    np.fill_diagonal(distances, 0.0)
    matrices = (np.exp(-distances / (2.0 * tau)) for tau in _TAUS)
    values = [_FORMULAS[name](K, part.targets) for K in matrices]
    return pick(np.array(values), _TABLE.columns[name])


def _sm(K: Array, targets: Targets) -> float:
    """Return ybar' N^3 ybar / n, N = K / tr K."""
    n, (below, above) = targets.n, targets.counts
    ybar = np.where(targets.y == 1, n / above, -n / below)
    product = K @ ybar
    return float(product @ K @ product) / float(np.trace(K)) ** 3 / n


def _ckta(K: Array, targets: Targets) -> float:
    """Return the alignment of the centred matrix."""
    means = K.mean(axis=0)
    centred = K - means - means[:, None] + means.mean()
    y = targets.signs[:, 0] - targets.signs.mean()
    return float(y @ centred @ y / (np.linalg.norm(centred) * (y @ y)))


def _fsm(K: Array, targets: Targets) -> float:
    """Return the spread of the classes over the distance of their means."""
    above = targets.y == 1
    along = K[:, above].mean(axis=1) - K[:, ~above].mean(axis=1)
    distance = along[above].mean() - along[~above].mean()
    spread = along[above].std(ddof=1) + along[~above].std(ddof=1)
    return float(spread / distance) if distance > 0.0 else float("inf")


def _bordered(K: Array) -> Array:
    """Return the matrix of the machine with bias, at ridge 1."""
    n = len(K)
    C = np.ones((n + 1, n + 1))
    C[:n, :n] = K + np.eye(n)
    C[n, n] = 0.0
    return C


def _solution(K: Array, y: Array) -> Array:
    """Return the coefficients of the machine, and its bias as the last."""
    return np.asarray(np.linalg.solve(_bordered(K), np.append(y, 0.0)))


def _cv(K: Array, targets: Targets) -> float:
    """Return the error rate on five folds, a machine trained on the rest of each."""
    y = targets.signs[:, 0]
    errors = []
    for split in make_splits(targets, None, 5, 1, 0):
        solution = _solution(K[np.ix_(split.train, split.train)], y[split.train])
        scores = K[np.ix_(split.test, split.train)] @ solution[:-1] + solution[-1]
        errors.append(np.mean((scores > 0.0) != (y[split.test] > 0.0)))
    return float(np.mean(errors))


def _eloo(K: Array, targets: Targets) -> float:
    """Return the mean square of the leave-one-out residuals alpha_i / (C^-1)_ii."""
    inverse = np.linalg.inv(_bordered(K))[:-1, :-1]
    return float(np.mean((inverse @ targets.signs[:, 0] / np.diag(inverse)) ** 2))


def _er(K: Array, targets: Targets) -> float:
    """Return the training error and the ratio of the eigenvalues."""
    eigenvalues = np.linalg.eigvalsh(K)
    tail, lead = eigenvalues[:-_LEADING].sum(), eigenvalues[-_LEADING:].sum()
    residuals = _solution(K, targets.signs[:, 0])[:-1]  # at ridge 1 the coefficients
    return float(np.mean(residuals**2) + _ETA * tail / lead)


_FORMULAS: Mapping[str, Callable[[Array, Targets], float]] = {
    "SM": _sm,
    "CV": _cv,
    "ELOO": _eloo,
    "CKTA": _ckta,
    "FSM": _fsm,
    "ER": _er,
}
_WAYS: Mapping[str, Callable[[str, Part], int]] = {BY_HAND: by_hand, LIBRARY: by_library}


def timed(kind: str, name: str, part: Part) -> tuple[float, int]:
    """Return the processor's seconds of a choice, and the position of the kernel chosen."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a kernel for which a criterion is undefined
        start = time.process_time()  # what else runs on the machine does not count
        kernel = _WAYS[kind](name, part)
        return time.process_time() - start, kernel


@cache
def _warm_up(rows: int) -> None:
    """Load what a first call loads, in this process."""
    rng = np.random.default_rng(0)
    targets = Targets.of(np.arange(rows) % 2, "classification")
    part = Part(rng.normal(size=(rows, 2)), targets, np.empty((0, 2)), targets)
    for kind in _OURS:
        for name in _CRITERIA:
            timed(kind, name, part)


class RunTimes(Experiment):
    """Table 3 of the SM paper."""

    key = "sm-table3"
    title = "SM 2017, Table 3: run time of choosing one of 31 Gaussian widths, ridge 1"
    takes_time = True

    @property
    def datasets(self) -> Sequence[str]:
        """The paper's."""
        return _TABLE.datasets

    @property
    def repetitions(self) -> int:
        """As many as a median needs; the paper does not say what its times are of."""
        return 5

    def work(self, job: Job) -> list[dict[str, Any]]:
        """Return a line per way, of all criteria on one split."""
        data = _TABLE.load(job.dataset, job.rows)
        part = draw(data.X, Targets.of(data.y, _TABLE.task), _TABLE.train_share, job.seed)
        _warm_up(64 if part.targets.n <= DENSE_ROWS else DENSE_ROWS + 1)
        return [_line(kind, part) for kind in _OURS]

    def summary(self, lines: Sequence[Line]) -> str:
        """Return the times relative to SM's, geometric means over the sets."""
        times = _all_times(lines)
        rows = [f"{'time / time of SM':<20}" + "".join(f"{kind:>12}" for kind in _KINDS)]
        for name in _OTHERS:
            means = (_mean(_ratios(times[kind], name)) for kind in _KINDS)
            rows.append(f"{name:<20}" + "".join(f"{mean:>12.3g}" for mean in means))
        return "\n".join(rows)

    def headline(self, lines: Sequence[Line]) -> str:
        """Return the times relative to SM's, in a line."""
        times = _all_times(lines)
        cells = [
            f"{name} {' / '.join(f'{_mean(_ratios(times[kind], name)):.3g}' for kind in _KINDS)}"
            for name in _OTHERS
        ]
        return f"time / time of SM, {' / '.join(_KINDS)}: {', '.join(cells)}"

    def page(self, lines: Sequence[Line]) -> str:
        """Return times relative to SM's, order, claims and seconds."""
        times = _all_times(lines)
        parts = [
            f"# {self.title}",
            "",
            f"Made from `results/{self.key}.csv` by `kernelwise reproduce {self.key} --out "
            "docs/papers`; do not edit.",
            "",
            *_protocol(lines, times),
            "",
            "![Time of every criterion relative to that of SM, against the number of training "
            f"rows: published, by hand, by the library]({self.key}.svg)",
            "",
            "## Times relative to SM",
            "",
            "Geometric means over the sets. The factor is our ratio over the published one, in "
            "brackets the smallest and the largest of all sets.",
            "",
            *_ratio_table(times),
            "",
            "## What holds",
            "",
            *_claims(times),
            "",
            "## Seconds",
            "",
            "Published, by hand, by the library.",
            "",
            *_seconds(times),
        ]
        return "\n".join(parts) + "\n"

    def figure(self, lines: Sequence[Line]) -> "Figure":
        """Draw the times relative to SM's against the rows, a panel a kind."""
        times, rows = _all_times(lines), _rows(lines)
        names = sorted(rows, key=lambda name: rows[name])
        return _figure([rows[name] for name in names], {
            kind: {c: _ratios({n: times[kind][n] for n in names}, c) for c in _OTHERS}
            for kind in _KINDS
        })  # fmt: skip


def _line(kind: str, part: Part) -> dict[str, Any]:
    line: dict[str, Any] = {"kind": kind, "rows": part.targets.n}
    for name in _CRITERIA:
        seconds, kernel = timed(kind, name, part)
        line |= {name: f"{seconds:.5g}", KERNEL.format(name): kernel}
    return line


# What came out


def _all_times(lines: Sequence[Line]) -> dict[str, Times]:
    """Return the seconds by kind, of the sets that were run: medians, or as published."""
    names = [name for name in _TABLE.datasets if any(line["dataset"] == name for line in lines)]
    found: dict[str, Times] = {kind: {name: {} for name in names} for kind in _KINDS}
    for cell in publications.load(_PUBLISHED):
        if cell.dataset in names and cell.value is not None:
            found[PUBLISHED][cell.dataset][cell.criterion] = cell.value
    for kind in _OURS:
        for name in names:
            mine = [one for one in lines if one["dataset"] == name and one["kind"] == kind]
            found[kind][name] = {
                c: float(np.median([float(line[c]) for line in mine])) for c in _CRITERIA
            }
    return found


def _rows(lines: Sequence[Line]) -> dict[str, int]:
    """Return the number of training rows of every set."""
    return {line["dataset"]: int(line["rows"]) for line in lines}


def _ratios(times: Times, name: str) -> Array:
    """Return the time of a criterion over that of SM, for every set."""
    return np.array([row[name] / row["SM"] for row in times.values()])


def _mean(ratios: Array) -> float:
    """Return the geometric mean."""
    return float(np.exp(np.mean(np.log(ratios))))


def _protocol(lines: Sequence[Line], times: dict[str, Times]) -> list[str]:
    names, rows = list(times[PUBLISHED]), _rows(lines).values()
    splits = len({line["repetition"] for line in lines})
    missing = [name for name in _TABLE.datasets if name not in names]
    said = publications.protocol(_PUBLISHED)
    return [
        f"- {len(names)} sets of {min(rows)} to {max(rows)} training rows, "
        f"{100 * _TABLE.train_share:.0f} % of all, drawn {splits} times; the median counts.",
        *([f"- Not run: {', '.join(missing)}."] if missing else []),
        "- Every criterion alone, from the standardised features to the chosen kernel, all kernel "
        "matrices included; processor seconds of one thread, after a first call that does not "
        "count.",
        "- By the library: `score_kernels` with the one criterion. By hand: the formula in numpy, "
        "each kernel matrix computed anew; CV trains five machines a kernel, ELOO inverts, ER "
        "takes all eigenvalues and trains once.",
        f"- Published: {said['quantity']} ({said['computer']}). Therefore only ratios within a row "
        "are compared.",
        "- "
        + "; ".join(_picks(lines))
        + ". FSM falls to zero, or to a plateau, as the width does, "
        "so that rounding decides among the narrowest.",
    ]


def _picks(lines: Sequence[Line]) -> list[str]:
    """Say how often both ways choose the same kernel, of every criterion."""
    picked = {
        kind: {
            (line["dataset"], line["repetition"]): line for line in lines if line["kind"] == kind
        }
        for kind in _OURS
    }
    found = []
    for name in _CRITERIA:
        column = KERNEL.format(name)
        same = sum(
            picked[BY_HAND][p][column] == picked[LIBRARY][p][column] for p in picked[BY_HAND]
        )
        found.append(f"{name} {same} of {len(picked[BY_HAND])}")
    return [f"Both ways choose the same kernel: {found[0]}", *found[1:]]


def _ratio_table(times: dict[str, Times]) -> list[str]:
    lines = [
        "| time / time of SM | published | by hand | factor | by the library | factor |",
        "|---|---|---|---|---|---|",
    ]
    for name in _OTHERS:
        cells = [f"{_mean(_ratios(times[PUBLISHED], name)):.3g}"]
        for kind in _OURS:
            cells += [f"{_mean(_ratios(times[kind], name)):.3g}", _factor(times, kind, name)]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def _factor(times: dict[str, Times], kind: str, name: str) -> str:
    """Return our ratio over the published one: mean, smallest and largest."""
    factors = _ratios(times[kind], name) / _ratios(times[PUBLISHED], name)
    return f"{_mean(factors):.2f} ({factors.min():.2f} to {factors.max():.2f})"


def _claims(times: dict[str, Times]) -> list[str]:
    """Return what the paper says of its table, by stated rules, for every kind."""
    lines = [
        f"Much faster: the geometric mean of the ratios is at least {_MUCH:g}. Comparable: it is "
        f"between 1/{_MUCH:g} and {_MUCH:g}. The order of the six criteria is compared set by set "
        "by Spearman's rank correlation with the published times.",
        "",
        f"| | {' | '.join(_KINDS)} |",
        "|---" * (len(_KINDS) + 1) + "|",
    ]
    tables = [times[kind] for kind in _KINDS]
    rows: dict[str, Iterable[str]] = {}
    for name in ("CV", "ELOO", "ER"):
        held = [_mean(_ratios(table, name)) >= _MUCH for table in tables]
        rows[f"SM is much faster than {name}"] = map(_yes, held)
    for name in ("CKTA", "FSM"):
        held = [1.0 / _MUCH < _mean(_ratios(table, name)) < _MUCH for table in tables]
        rows[f"SM is comparable with {name}"] = map(_yes, held)
    rows["ratios within that factor of the published"] = [
        _agreeing(t, times[PUBLISHED]) for t in tables
    ]
    rows["sets on which SM is the quickest"] = map(_sm_first, tables)
    rows["the order, from the quickest"] = map(_order, tables)
    rows["rank correlation with the published order"] = map(
        lambda table: f"{_correlation(table, times[PUBLISHED]):.2f}", tables
    )
    return lines + [f"| {text} | {' | '.join(cells)} |" for text, cells in rows.items()]


def _yes(holds: bool) -> str:
    return "yes" if holds else "**no**"


def _agreeing(times: Times, published: Times) -> str:
    """Name the criteria whose mean ratio is the published one but for a factor."""
    factors = {c: _mean(_ratios(times, c) / _ratios(published, c)) for c in _OTHERS}
    return ", ".join(c for c, f in factors.items() if 1.0 / _MUCH < f < _MUCH) or "none"


def _sm_first(times: Times) -> str:
    """Say on how many sets SM is the quickest."""
    count = sum(min(row, key=lambda name: row[name]) == "SM" for row in times.values())
    return f"{count} of {len(times)}"


def _order(times: Times) -> str:
    return ", ".join(sorted(_CRITERIA, key=lambda name: _mean(_ratios(times, name))))


def _correlation(times: Times, published: Times) -> float:
    """Return the mean over the sets of the rank correlation between two rows of six times."""
    pairs = [
        ([times[name][c] for c in _CRITERIA], [published[name][c] for c in _CRITERIA])
        for name in times
    ]
    return float(np.mean([spearmanr(*pair).statistic for pair in pairs]))


def _seconds(times: dict[str, Times]) -> list[str]:
    lines = [f"| set | {' | '.join(_CRITERIA)} |", "|---" * (len(_CRITERIA) + 1) + "|"]
    for dataset in times[PUBLISHED]:
        cells = [
            " / ".join(_short(times[kind][dataset][name]) for kind in _KINDS) for name in _CRITERIA
        ]
        lines.append(f"| {dataset} | {' | '.join(cells)} |")
    return lines


def _short(seconds: float) -> str:
    return f"{seconds:.0f}" if seconds >= 100.0 else f"{seconds:.3g}"


def _figure(rows: Sequence[int], ratios: dict[str, dict[str, Array]]) -> "Figure":
    from matplotlib.figure import Figure
    from matplotlib.ticker import NullFormatter

    figure = Figure(figsize=(9.6, 3.2), layout="constrained")
    axes = figure.subplots(1, len(ratios), sharey=True)
    for ax, (kind, columns) in zip(axes, ratios.items(), strict=True):
        for name, values in columns.items():
            ax.loglog(rows, values, "o-", ms=3, lw=0.8, label=name)
        ax.axhline(1.0, color="0.6", lw=0.8, zorder=0)
        ax.set_title(kind, fontsize=9)
        ax.tick_params(labelsize=7)
        ax.set_xlabel("training rows", fontsize=8)
        ax.set_xticks([t for t in _TICKS if min(rows) <= t <= max(rows)])
        ax.xaxis.set_major_formatter("{x:g}")
        ax.xaxis.set_minor_formatter(NullFormatter())
    axes[0].set_ylabel("time / time of SM", fontsize=8)
    axes[-1].legend(fontsize=7, frameon=False)
    return figure
