"""The papers' figures of a parameter: r of SM, eta and t of ER, eta of kernel stability.

A figure is a table whose columns are the values of the parameter. The papers print no numbers of
them, so what they say of their shape is checked, by rules that every page states.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kernelwise._types import Array
from kernelwise.criteria import CVKS, ER, RKS, SM, Criterion
from kernelwise_papers.experiment import Line
from kernelwise_papers.markdown import table
from kernelwise_papers.papers.tables import TABLES
from kernelwise_papers.tables.comparison import Place, Results, not_worse, spread_of
from kernelwise_papers.tables.page import protocol
from kernelwise_papers.tables.run import OfTable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MOST = 0.5


@dataclass(frozen=True)
class Claim:
    """What a paper says of the shape of a curve.

    Attributes
    ----------
    family : str
        The curve it is about.
    kind : {"stable", "best within", "as good as the best"}
    low, high : float
        The values of the parameter it is about.
    lambdas : tuple of float
    said : bool
        Whether the paper says that it is so, or that it is not.
    """

    family: str
    kind: str
    low: float
    high: float
    lambdas: tuple[float, ...]
    said: bool = True


@dataclass(frozen=True, eq=False)
class Curve(OfTable):
    """The test error over the values of a parameter.

    Attributes
    ----------
    table : PaperTable
        One column for every curve and value.
    parameter : str
    curves : dict of str to dict of float to str
        By curve and value the column of the table.
    claims : tuple of Claim
    """

    parameter: str
    curves: dict[str, dict[float, str]]
    claims: tuple[Claim, ...]

    def summary(self, lines: Sequence[Line]) -> str:
        """Return which claims hold."""
        results = Results.of(self.table, lines)
        return "\n".join(self._verdict(results, claim) for claim in self.claims)

    def page(self, lines: Sequence[Line]) -> str:
        """Return what holds, then the mean errors over the sets, then where each set is best."""
        results = Results.of(self.table, lines)
        parts = [
            *protocol(results),
            "",
            f"![{self.title}]({self.key}.svg)",
            "",
            "## What the paper says of it",
            "",
            "Stable on a set: over the values named, the mean error moves by no more than its "
            "standard deviation over the splits. As good as the best: not significantly worse than "
            "the best value (paired t-test, one-sided, 95 %). A statement holds where it is so on "
            "more than half of the sets.",
            "",
            *(f"- {self._verdict(results, claim)}" for claim in self.claims),
            "",
            "## Mean error over the sets",
            "",
            *self._means(results),
            "",
            "## The best value of every set",
            "",
            *self._best_values(results),
        ]
        return "\n".join(parts) + "\n"

    def figure(self, lines: Sequence[Line]) -> "Figure":
        """Draw the curves of every set and their mean, a panel a curve and lambda."""
        from kernelwise_papers.figures import panels

        results = Results.of(self.table, lines)
        shown = [(name, lam) for name in self.curves for lam in self.table.lambdas]
        figure, axes = panels(len(shown))
        for ax, (name, lam) in zip(axes, shown, strict=True):
            values = list(self.curves[name])
            errors = np.array([self._errors(results, p, name) for p in _at(results, lam)])
            ax.plot(values, errors.T, color="#9db7d3", lw=0.7)
            ax.plot(values, errors.mean(axis=0), "o-", color="#1f4e79", ms=3)
            if max(values) > 10 * min(values):
                ax.set_xscale("log", base=2)
            several = f", lambda {lam:g}" if len(self.table.lambdas) > 1 else ""
            ax.set_title(f"{name}{several}", fontsize=9)
            ax.tick_params(labelsize=7)
        figure.supxlabel(self.parameter, fontsize=9)
        figure.supylabel("test error, percent", fontsize=9)
        return figure

    def _errors(self, results: Results, place: Place, name: str) -> Array:
        """Return the mean error of one row at every value."""
        row = results.errors[place]
        return np.array([row[column].mean() for column in self.curves[name].values()])

    def _verdict(self, results: Results, claim: Claim) -> str:
        places = [p for lam in claim.lambdas for p in _at(results, lam)]
        holding = sum(self._holds(results, place, claim) for place in places)
        of = len(places)
        found = holding > _MOST * of
        lambdas = ", ".join(f"{lam:g}" for lam in claim.lambdas)
        at = f" at lambda {lambdas}" if len(self.table.lambdas) > 1 else ""
        span = (
            f"{self.parameter} = {claim.low:g}"
            if claim.low == claim.high
            else f"{self.parameter} from {claim.low:g} to {claim.high:g}"
        )
        denied = "" if claim.said else "not "
        verdict = "holds" if found == claim.said else "does not hold"
        return (
            f"{claim.family}: {denied}{claim.kind}, {span}{at}: {verdict} (so on {holding} of {of})"
        )

    def _holds(self, results: Results, place: Place, claim: Claim) -> bool:
        values = self.curves[claim.family]
        inside = [v for v in values if claim.low <= v <= claim.high]
        errors = dict(zip(values, self._errors(results, place, claim.family), strict=True))
        best = min(errors, key=lambda v: errors[v])
        if claim.kind == "best within":
            return best in inside
        if claim.kind == "as good as the best":
            columns = [values[v] for v in inside]
            return all(not_worse(results, place, column, values[best]) for column in columns)
        spread = np.mean([spread_of(results.errors[place][values[v]]) for v in inside])
        means = [errors[v] for v in inside]
        return bool(max(means) - min(means) <= spread)

    def _means(self, results: Results) -> list[str]:
        lines = []
        for name, values in self.curves.items():
            rows = []
            for lam in self.table.lambdas:
                errors = [self._errors(results, place, name) for place in _at(results, lam)]
                rows.append([f"lambda {lam:g}", *(f"{v:.2f}" for v in np.mean(errors, axis=0))])
            lines += table([f"{name}, {self.parameter}", *(f"{v:g}" for v in values)], rows)
            lines.append("")
        return lines[:-1]

    def _best_values(self, results: Results) -> list[str]:
        heads = [f"{name}, lambda {lam:g}" for name in self.curves for lam in self.table.lambdas]
        rows = []
        for dataset in self.table.datasets:
            cells = []
            for name, values in self.curves.items():
                for place in (Place(dataset, lam) for lam in self.table.lambdas):
                    if place in results.errors:
                        errors = self._errors(results, place, name)
                        at = int(errors.argmin())
                        cells.append(f"{list(values)[at]:g} ({errors[at]:.2f})")
            if cells:
                rows.append([dataset, *cells])
        return table(["set", *heads], rows)


def _at(results: Results, lam: float) -> list[Place]:
    return [place for place in results.errors if place.lam == lam]


def _curve(
    key: str,
    of: str,
    title: str,
    parameter: str,
    curves: dict[str, dict[float, Criterion]],
) -> Curve:
    """Return a curve with the protocol of one of the paper's tables; claims are still to come."""
    columns: dict[str, Criterion] = {}
    names = {}
    for name, criteria in curves.items():
        names[name] = {v: f"{name}, {parameter} = {v:g}" for v in criteria}
        columns.update(zip(names[name].values(), criteria.values(), strict=True))
    table = replace(TABLES[of], key=key, title=title, published=None, columns=columns)
    return Curve(table, parameter, names, ())


_SM_FIGURE1 = replace(
    _curve(
        "sm-figure1",
        "sm-table2",
        "SM 2017, Figure 1: the power r of SM",
        "r",
        {
            "SM": {float(r): SM(r=r) for r in range(1, 11)},
            "SM (as printed)": {float(r): SM(r=r, normalizer="sum") for r in range(1, 11)},
        },
    ),
    claims=(
        Claim("SM", "best within", 2, 5, (1.0,)),
        *(Claim("SM", "as good as the best", r, r, (1.0,)) for r in (2, 3, 4)),
        Claim("SM (as printed)", "best within", 2, 5, (1.0,)),
    ),
)

_SMALL, _ALL = (0.01, 0.1, 1.0), (0.01, 0.1, 1.0, 10.0)
_ETAS = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.5, 2.0, 3.0, 5.0)

_ER_FIGURE1 = replace(
    _curve(
        "er-figure1",
        "er-table1",
        "ER 2015, Figure 1: the weight eta of ER, t = 4",
        "eta",
        {"ER": {eta: ER(t=4, eta=eta) for eta in _ETAS}},
    ),
    claims=(
        Claim("ER", "stable", 0.4, 1.5, _SMALL),
        Claim("ER", "stable", 0.4, 1.5, (10.0,), said=False),
        Claim("ER", "as good as the best", 0.6, 0.6, _ALL),
    ),
)

_ER_FIGURE2 = replace(
    _curve(
        "er-figure2",
        "er-table1",
        "ER 2015, Figure 2: the number t of eigenvalues of ER, eta = 0.6",
        "t",
        {"ER": {float(t): ER(t=t, eta=0.6) for t in (1, 2, 3, 4, 6, 8, 12, 16, 32, 64)}},
    ),
    claims=(
        Claim("ER", "stable", 2, 8, _SMALL),
        Claim("ER", "stable", 2, 8, (10.0,), said=False),
    ),
)

_POWERS = [math.ldexp(1.0, i) for i in range(-8, 9)]

_KS_FIGURE2 = _curve(
    "ks-figure2",
    "ks-table2",
    "KS 2019, Fig. 2: the weight eta of kernel stability, n lambda = 1, SVM",
    "eta",
    {
        "5-CVKS": {eta: CVKS(5, eta=eta) for eta in _POWERS},
        "10-CVKS": {eta: CVKS(10, eta=eta) for eta in _POWERS},
        "RKS": {eta: RKS(eta=eta) for eta in _POWERS},
    },
)
_KS_FIGURE2 = replace(
    _KS_FIGURE2,
    table=replace(_KS_FIGURE2.table, lambdas=(1.0,)),
    claims=tuple(
        Claim(name, kind, low, high, (1.0,))
        for name, low, high in (
            ("5-CVKS", 2**-3, 2),
            ("10-CVKS", 2**-3, 2),
            ("RKS", 2**-4, 2**-1),
        )
        for kind in ("stable", "best within")
    ),
)

CURVES = [_SM_FIGURE1, _ER_FIGURE1, _ER_FIGURE2, _KS_FIGURE2]
