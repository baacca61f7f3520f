"""Several entrants on several data sets: ranks, and whether their differences may be chance.

Every data set is one observation, its error the mean over its splits, as Demšar advises: splits of
one set are not independent of each other.

References
----------
J. Demšar, Statistical comparisons of classifiers over multiple data sets, JMLR 7 (2006).
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import stats

from kernelwise._threads import cached_property
from kernelwise._types import Array
from kernelwise_papers.significance import LEVEL

_DIGITS = 10  # means that agree in so many are equal: what differs is rounding


def ranks(errors: Array) -> Array:
    """Return the rank of every entrant on every set, 1 for the lowest error; equals share theirs.

    Parameters
    ----------
    errors : array of shape (sets, entrants)
    """
    return np.asarray(stats.rankdata(_rounded(errors), axis=1))


def _rounded(errors: Array) -> Array:
    """Return numbers to some significant digits."""
    with np.errstate(divide="ignore"):
        size = np.where(errors == 0.0, 0.0, np.floor(np.log10(np.abs(errors))))
    scale = 10.0 ** (_DIGITS - 1 - size)
    return np.asarray(np.round(errors * scale) / scale)


class Friedman(NamedTuple):
    """Friedman's test of all entrants being alike, and Iman and Davenport's sharper form of it."""

    statistic: float
    p: float
    f: float
    f_p: float


def friedman(ranked: Array) -> Friedman:
    """Return Friedman's test, corrected for ties.

    Parameters
    ----------
    ranked : array of shape (sets, entrants)
        As :func:`ranks` returns them; at least two of each.
    """
    n, k = ranked.shape
    centred = ranked - (k + 1) / 2.0
    spread = float(np.sum(centred**2)) / (n * (k - 1))  # k (k + 1) / 12 where there are no ties
    if spread == 0.0:
        return Friedman(0.0, 1.0, 0.0, 1.0)
    statistic = n * float(np.sum(centred.mean(axis=0) ** 2)) / spread
    f = iman_davenport(statistic, n, k)
    p = float(stats.chi2.sf(statistic, k - 1))
    return Friedman(statistic, p, f, float(stats.f.sf(f, k - 1, (k - 1) * (n - 1))))


def iman_davenport(statistic: float, n: int, k: int) -> float:
    """Return Friedman's statistic of k entrants on n sets as one of the F distribution."""
    left = n * (k - 1) - statistic
    return math.inf if left <= 1e-9 * n * (k - 1) else (n - 1) * statistic / left


def critical_difference(k: int, n: int, level: float = LEVEL) -> float:
    """Return Nemenyi's: mean ranks of k entrants on n sets that differ by less may be alike."""
    q = float(stats.studentized_range.ppf(1.0 - level, k, np.inf)) / math.sqrt(2.0)
    return q * math.sqrt(k * (k + 1) / (6.0 * n))


def wilcoxon(a: Array, b: Array) -> tuple[float, bool]:
    """Return the exact two-sided p of the signed-rank test of two entrants, ties and all.

    Equal errors have the lowest ranks and count half to either side. The second value says whether
    the errors of the first are the lower ones, by sums of ranks.
    """
    difference = _rounded(a) - _rounded(b)
    size = np.rint(2.0 * stats.rankdata(np.abs(difference))).astype(int)  # shared ranks have halves
    above, below = int(size[difference > 0.0].sum()), int(size[difference < 0.0].sum())
    chances = np.ones(1)  # of every sum of ranks, each set taking either side by the toss of a coin
    for rank in size[difference != 0.0]:
        chances = np.convolve(chances, np.r_[0.5, np.zeros(rank - 1), 0.5])
    p = 2.0 * float(chances[: min(above, below) + 1].sum())
    return min(1.0, p), above < below


def holm(p: Sequence[float]) -> Array:
    """Return p values adjusted by Holm's step-down rule, in the order given."""
    order = np.argsort(p, kind="stable")
    factors = np.arange(len(p), 0, -1)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(factors * np.asarray(p)[order]))
    return adjusted


def alike(means: Array, difference: float) -> list[tuple[int, int]]:
    """Return the largest runs of sorted mean ranks within a critical difference, two or more."""
    found: list[tuple[int, int]] = []
    for first, mean in enumerate(means):
        last = int(np.searchsorted(means, mean + difference, side="left")) - 1
        if last > first and (not found or last > found[-1][1]):
            found.append((first, last))
    return found


class Row(NamedTuple):
    """What is known of one entrant.

    Attributes
    ----------
    name : str
    error : float
        The mean over the sets.
    rank : float
        The mean over the sets.
    is_near_best : bool
        Whether Nemenyi's test does not tell it from the entrant of the best mean rank.
    p : float
        Wilcoxon's, against the reference; NaN for the reference itself.
    adjusted : float
        The same by Holm's rule.
    is_better : bool
        Whether that test sees its errors as the lower ones.
    wins, ties, losses : int
        Sets on which it has the lower, the same or the higher error than the reference.
    """

    name: str
    error: float
    rank: float
    is_near_best: bool
    p: float
    adjusted: float
    is_better: bool
    wins: int
    ties: int
    losses: int


@dataclass(frozen=True, eq=False)
class Contest:
    """All entrants on all sets of one kind.

    Attributes
    ----------
    names : tuple of str
        The entrants.
    errors : array of shape (sets, entrants)
        The mean error over the splits of each set.
    reference : str
        The entrant that the others are tested against.
    """

    names: tuple[str, ...]
    errors: Array
    reference: str

    @property
    def sets(self) -> int:
        """The number of data sets."""
        return int(self.errors.shape[0])

    @cached_property
    def ranks(self) -> Array:
        """The rank of every entrant on every set."""
        return ranks(self.errors)

    @property
    def difference(self) -> float:
        """The critical difference of mean ranks."""
        return critical_difference(len(self.names), self.sets)

    @property
    def friedman(self) -> Friedman:
        """The test of all being alike."""
        return friedman(self.ranks)

    @cached_property
    def rows(self) -> list[Row]:
        """The entrants from the lowest to the highest mean rank."""
        means, reference = self.ranks.mean(axis=0), self.names.index(self.reference)
        theirs = self.errors[:, reference]
        others = [i for i in range(len(self.names)) if i != reference]
        tested = {i: wilcoxon(self.errors[:, i], theirs) for i in others}
        adjusted = dict(zip(others, holm([p for p, _ in tested.values()]), strict=True))
        near = means - means.min() < self.difference
        order = np.lexsort([self.errors.mean(axis=0), means])
        return [
            Row(
                self.names[i],
                float(self.errors[:, i].mean()),
                float(means[i]),
                bool(near[i]),
                tested[i][0] if i in tested else math.nan,
                float(adjusted.get(i, math.nan)),
                i in tested and tested[i][1],
                *self._score(i, reference),
            )
            for i in order
        ]

    def _score(self, i: int, reference: int) -> tuple[int, int, int]:
        """Return on how many sets an entrant is better than, as good as and worse than another."""
        signs = np.sign(self.ranks[:, i] - self.ranks[:, reference])
        return int((signs < 0).sum()), int((signs == 0).sum()), int((signs > 0).sum())

    def row(self, name: str) -> Row:
        """Return one entrant."""
        return next(row for row in self.rows if row.name == name)

    def place(self, name: str) -> int:
        """Return the place of an entrant by mean rank, 1 for the best."""
        return 1 + sum(row.rank < self.row(name).rank for row in self.rows)


def verdict(contest: Contest) -> list[str]:
    """Return what the tests say of the reference, in sentences of Markdown."""
    ours, best = contest.row(contest.reference), contest.rows[0]
    lowest = min(contest.rows, key=lambda row: row.error)
    test, place = contest.friedman, contest.place(contest.reference)
    return [
        f"`{ours.name}` has mean rank {ours.rank:.1f}, place {place} of {len(contest.names)}; the "
        f"lowest is {best.rank:.1f} ({best.name}). Its mean error is {ours.error:.4g} %, the "
        f"lowest of any entrant {lowest.error:.4g} % ({lowest.name}).",
        f"Friedman's test of all {len(contest.names)} being alike on {contest.sets} sets: "
        f"p = {test.f_p:.2g} (Iman and Davenport's F = {test.f:.3g}).",
        _nemenyi(contest, ours, best),
        _signed_ranks(contest, ours),
    ]


def _nemenyi(contest: Contest, ours: Row, best: Row) -> str:
    if ours.name == best.name:
        return "Nemenyi's test: nothing has a lower mean rank."
    told = "does not tell it from the best" if ours.is_near_best else "finds it worse than the best"
    return (
        f"Nemenyi's test {told}: the mean ranks differ by {ours.rank - best.rank:.1f}, the "
        f"critical difference is {contest.difference:.1f}."
    )


def _signed_ranks(contest: Contest, ours: Row) -> str:
    found = [row for row in contest.rows if row.adjusted < LEVEL]
    better, worse = [r for r in found if r.is_better], [r for r in found if not r.is_better]
    alone = [row for row in contest.rows if row.p < LEVEL and row.is_better]
    least = holm([2.0 / 2.0**contest.sets] * (len(contest.names) - 1))[0]
    weak = (
        f" On {contest.sets} sets the correction lets no p be below {least:.2g}, so that this test "
        "can find nothing."
        if least > LEVEL
        else ""
    )
    return (
        f"Wilcoxon's test with Holm's correction: significantly better than `{ours.name}`: "
        f"{_named(better)}; significantly worse: {_named(worse)}.{weak} Taken one by one, without "
        f"the correction, better: {_named(alone)}."
    )


def _named(rows: Iterable[Row]) -> str:
    return ", ".join(row.name for row in rows) or "none"


def is_beaten(contest: Contest) -> bool:
    """Say whether either test finds an entrant that is significantly better than the reference."""
    beaten = any(row.adjusted < LEVEL and row.is_better for row in contest.rows)
    return beaten or not contest.row(contest.reference).is_near_best
