r"""The support vector machine on a kernel matrix: all ridges and all folds from one matrix.

The ridge :math:`\lambda` of the least-squares machine is :math:`C = 1 / (2 \lambda)` here. A fold
is the same problem with the multipliers of its rows held at zero, so that no part of the matrix is
copied, training starts from the machine of all rows, and the values on the rows left out are there
when it ends. The optimum is libsvm's, with libsvm's tolerance.

References
----------
O. Chapelle and V. Vapnik, Model selection for support vector machines, NIPS 1999.
R.-E. Fan, P.-H. Chen and C.-J. Lin, Working set selection using second order information for
training support vector machines, JMLR 6 (2005).
"""

from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar, NamedTuple

import numpy as np

from kernelwise._types import Array
from kernelwise._undefined import NotConverged, Undefined
from kernelwise.machines.base import Machine, mean_loss
from kernelwise.machines.folds import Split
from kernelwise.targets import Targets

_AT_BOUND = 1e-8  # how near to C, relative to it, a multiplier is at its bound
_TOLERANCE = 1e-3  # of the optimality conditions, as libsvm's
_MOST_STEPS = 3_000_000
_WORK = 1_000_000_000  # steps times rows: a few seconds
_WORK_AT_ONCE = 50_000_000  # after which Python may look at the keyboard
_NEAR = 1e6  # ratio of two C up to which one machine is a start for the other
_FELT = 1e-3  # of the tolerance: rounding errors below it do not add up to it
_EPS = float(np.finfo(float).eps)


class TwoClassMachine(NamedTuple):
    """A machine for two classes."""

    C: float
    bounds: Array  # C times the weight of every row
    y: Array  # 1, -1, or 0 for rows without a part in it
    b: Array  # the signed multipliers
    products: Array  # K b
    bias: float

    @property
    def scores(self) -> Array:
        """The values on all rows, also those left out."""
        return np.asarray(self.products + self.bias)


@dataclass(eq=False, repr=False)
class SupportVectors(Machine):
    """The support vector machine for classes.

    Error rates are of votes, one class against one, as scikit-learn's SVC has them; hinge losses
    and spans are means over one-vs-rest machines.
    """

    name: ClassVar[str] = "svm"
    own_loss: ClassVar[str] = "hinge"
    ridge_parameter: ClassVar[str] = "C"

    def __post_init__(self) -> None:
        targets = self.targets
        if targets.classes is None:
            raise Undefined("the support vector machine is for classes")
        if targets.counts.min() == 0:
            raise Undefined("a class has no row to train on")
        self._K = np.ascontiguousarray(self.gram.entries())
        self._weights = np.ones(targets.n) if targets.weights is None else targets.weights
        self._pairs = list(combinations(range(targets.counts.size), 2))
        rest = list(np.asarray(targets.fit_columns, dtype=np.float64).T)
        y = targets.y
        votes = [1.0 * (y == high) - (y == low) for low, high in self._pairs]
        pairs = votes if len(rest) > 1 else []
        self._labels = [*rest, *pairs]  # of every class against the rest, then of every pair
        self._rest = range(len(rest))
        self._votes = range(len(rest), len(self._labels)) or self._rest
        self._known: dict[int, dict[float, TwoClassMachine]] = {}
        self._failed: dict[tuple[int, float], NotConverged] = {}  # not to be tried again
        self._folds: dict[tuple[int, float, Split], Array] = {}

    @classmethod
    def from_ridge(cls, ridge: float) -> float:
        """Return C."""
        return 0.5 / ridge

    def training_loss(self, ridge: float) -> float:
        """Return the mean hinge loss on the training rows."""
        scores = [self._trained(p, ridge).scores for p in self._rest]
        return mean_loss(self.targets, np.column_stack(scores), "hinge")

    def fold_loss(self, ridge: float, split: Split, loss: str) -> float:
        """Return the mean loss on the tested rows of a machine trained on the others."""
        self._check_fold(split, loss)
        tested = self.targets.part(split.test)
        if loss == "error":
            votes = [self._fold_scores(p, ridge, split) for p in self._votes]
            return self._error(votes, tested)
        scores = [self._fold_scores(p, ridge, split) for p in self._rest]
        return mean_loss(tested, np.column_stack(scores), "hinge")

    def _check_fold(self, split: Split, loss: str) -> None:
        """Say so where a fold cannot be trained, or has no such loss."""
        if loss not in ("error", "hinge"):
            raise Undefined(
                f"the support vector machine has no {loss!r} loss: use 'error' or 'hinge'"
            )
        present = np.unique(self.targets.y[split.train]).size
        if present < 2:
            raise Undefined("a fold leaves a single class to train on")
        if loss == "hinge" and present < np.unique(self.targets.y).size:
            raise Undefined("a fold leaves a class without a row to train on")

    def error_on(self, ridge: float, cross: Array, targets: Targets) -> float:
        """Return the error rate on other rows."""
        machines = [self._trained(p, ridge) for p in self._votes]
        return self._error([cross @ machine.b + machine.bias for machine in machines], targets)

    def span_errors(self, ridge: float) -> Array:
        """Return the leave-one-out errors that the span predicts: rows by machines."""
        machines = [self._trained(p, ridge) for p in self._rest]
        return np.column_stack([_span_errors(self._K, machine) for machine in machines])

    def first_order_scores(self, ridge: float, rows: Array, order: int) -> Array:
        """Return the scores on some rows of the machines without them, to first order.

        In the weight of the rows; of order 0 those of the machines that have been trained on them.
        """
        machines = [self._trained(p, ridge) for p in self._rest]
        if order == 0:
            return np.column_stack([machine.scores[rows] for machine in machines])
        return np.column_stack([_first_order_scores(self._K, each, rows) for each in machines])

    def _error(self, scores: list[Array], targets: Targets) -> float:
        """Return the share of rows misclassified by vote; the first class wins ties."""
        votes = np.zeros((targets.n, self.targets.counts.size))
        for (low, high), values in zip(self._pairs, scores, strict=True):
            votes[:, high] += values > 0.0
            votes[:, low] += values <= 0.0
        return float(np.mean(targets.relative_weights * (votes.argmax(axis=1) != targets.y)))

    def _trained(self, problem: int, ridge: float) -> TwoClassMachine:
        """Return the machine of all rows, from the one at the nearest ridge."""
        known = self._known.setdefault(problem, {})
        C = 0.5 / ridge
        if (problem, C) in self._failed:
            raise self._failed[problem, C]
        if C not in known:
            y = self._labels[problem]
            b, products = np.zeros(y.size), np.zeros(y.size)
            near = [other for other in known if 1.0 / _NEAR < other / C < _NEAR]
            if near:
                nearest = min(near, key=lambda other: abs(np.log(other / C)))
                ratio, start = C / nearest, known[nearest]
                b, products = ratio * start.b, ratio * start.products
            try:
                known[C] = _train(self._K, y, C, C * self._weights, b, products)
            except NotConverged as error:
                self._failed[problem, C] = error
                raise
        return known[C]

    def _fold_scores(self, problem: int, ridge: float, split: Split) -> Array:
        """Return the values on the tested rows of the machine that never saw those left out."""
        key = problem, ridge, split
        if key not in self._folds:
            whole = self._trained(problem, ridge)
            machine = _train(self._K, *_without(self._K, whole, split.left_out))
            self._folds[key] = machine.scores[split.test]
        return self._folds[key]


def hinge(signs: Array, scores: Array) -> float:
    """Return the mean of max(0, 1 - y f)."""
    return float(np.mean(np.maximum(1.0 - signs * scores, 0.0)))


def _train(
    K: Array, y: Array, C: float, bounds: Array, b: Array, products: Array
) -> TwoClassMachine:
    """Return the machine, from a start that keeps sum b = 0 and the box, or NotConverged."""
    from kernelwise.machines._smo import ROUNDING  # numba, where it is needed

    box = np.where(y < 0.0, -bounds, 0.0), np.where(y > 0.0, bounds, 0.0)
    for bound in box:
        np.copyto(b, bound, where=np.abs(b - bound) <= ROUNDING * np.abs(bound))
    highest, lowest = _ascend(K, y, box, b, products)
    is_free = (b > box[0]) & (b < box[1])
    if is_free.any():
        bias = float(np.mean((y - products)[is_free]))
    else:
        bias = 0.5 * (highest + lowest)
    return TwoClassMachine(C, bounds, y, b, products, bias)


def _ascend(
    K: Array, y: Array, box: tuple[Array, Array], b: Array, products: Array
) -> tuple[float, float]:
    """Move b and K b to the optimum, some steps at a time so that a user can interrupt."""
    from kernelwise.machines._smo import solve

    steps = min(_MOST_STEPS, max(_WORK // y.size, 100 * y.size))
    at_once = max(1, _WORK_AT_ONCE // y.size)
    for _ in range(0, steps, at_once):
        highest, lowest, done = solve(K, y, box, b, products, _TOLERANCE, at_once)
        if done and _is_sound(K, b, products):
            return highest, lowest
        if done:  # rounding errors of the steps have added up: go on from the true products
            np.matmul(K, b, out=products)
    C = max(float(box[1].max()), -float(box[0].min()))
    raise NotConverged(
        f"the support vector machine did not converge at C = {C:g}, so use a larger ridge"
    )


def _is_sound(K: Array, b: Array, products: Array) -> bool:
    """Say whether the products, updated step by step, are still K b as far as it is felt."""
    if _EPS * float(np.abs(K.diagonal()).max()) * float(np.abs(b).sum()) < _FELT * _TOLERANCE:
        return True
    return bool(np.abs(K @ b - products).max() < _TOLERANCE)


def _without(
    K: Array, whole: TwoClassMachine, rows: Array
) -> tuple[Array, float, Array, Array, Array]:
    """Return a start for the machine without some rows: that of the others."""
    from kernelwise.machines._smo import leave

    y, b, products = whole.y.copy(), whole.b.copy(), whole.products.copy()
    leave(K, y, whole.bounds, b, products, rows)
    return y, whole.C, whole.bounds, b, products


def _free_and_bounded(K: Array, machine: TwoClassMachine) -> tuple[Array, Array, Array]:
    """Return the free support vectors, those at the bound, and the inverse of the former's system.

    Its matrix is [[K_11, 1], [1', 0]] with the free support vectors 1.
    """
    alpha, bound = np.abs(machine.b), machine.bounds * (1.0 - _AT_BOUND)
    free, bounded = np.flatnonzero((alpha > 0.0) & (alpha < bound)), np.flatnonzero(alpha >= bound)
    if free.size == 0:
        raise Undefined("every support vector is at its bound, so it has no span")
    G = np.ones((free.size + 1, free.size + 1))
    G[:-1, :-1], G[-1, -1] = K[np.ix_(free, free)], 0.0
    return free, bounded, np.linalg.pinv(G, hermitian=True)


def _first_order_scores(K: Array, machine: TwoClassMachine, rows: Array) -> Array:
    """Return the scores on rows whose weight goes from one to zero, by the derivative at one.

    The multipliers of theirs that are at the bound go to zero with it; the free support vectors
    move so that they keep their margins of one, and the multipliers their sum of zero.
    """
    free, bounded, inverse = _free_and_bounded(K, machine)
    leaving = rows[np.isin(rows, bounded)]
    change = -machine.b[leaving]
    moved = inverse @ -np.append(K[np.ix_(free, leaving)] @ change, change.sum())
    shifts = K[np.ix_(rows, leaving)] @ change + K[np.ix_(rows, free)] @ moved[:-1] + moved[-1]
    return np.asarray(machine.scores[rows] + shifts)


def _span_errors(K: Array, machine: TwoClassMachine) -> Array:
    r"""Return where :math:`y_i f(x_i) < \alpha_i S_i^2`, the span of point i squared.

    With the free support vectors 1 and G = [[K_11, 1], [1', 0]]: S_i^2 = 1 / (G^-1)_ii on them,
    K_ii - v_i' G^-1 v_i with v_i = [K_1i; 1] on those at the bound. Points that are no support
    vectors stay where they are.
    """
    alpha, y = np.abs(machine.b), machine.y
    free, bounded, inverse = _free_and_bounded(K, machine)
    margins = y * machine.scores
    squares = np.zeros(y.size)
    with np.errstate(divide="ignore"):
        squares[free] = 1.0 / np.maximum(inverse.diagonal()[:-1], 0.0)
    V = np.vstack([K[np.ix_(free, bounded)], np.ones(bounded.size)])
    squares[bounded] = K[bounded, bounded] - np.einsum("ij,ij->j", V, inverse @ V)
    shift = np.zeros(y.size)
    support = alpha > 0.0
    with np.errstate(over="ignore"):
        shift[support] = alpha[support] * np.maximum(squares[support], 0.0)
    return np.asarray(margins - shift < 0.0)
