"""Which features a fitted machine uses: the average squared gradient of its decision function."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from numbers import Integral
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from kernelwise._arguments import as_bytes, in_words, shown
from kernelwise._sklearn import Interval, check_parameters, validate_rows
from kernelwise._threads import limited, pool, workers
from kernelwise._types import Array
from kernelwise.gram.pairs import EnginePairs
from kernelwise.kernels import Kernel, Pairs
from kernelwise.machines.least_squares import KRR, LSSVC

_WORK = 2e9  # rows x training rows x features x targets, half a second of one processor
_FEWEST = 200  # rows that gradients are taken at, where that is more work
_BLOCK = 32  # rows at once: their products with the coefficients stay in the cache


@dataclass(frozen=True, eq=False)
class Relevance:
    """How much a machine's decision function changes with every feature.

    ``np.asarray(relevance)`` is ``relevance.values``.

    Attributes
    ----------
    values : array of shape (d,)
        The mean squared derivative by each feature, summed over targets.
    standard_errors : array of shape (d,)
        Those of the means, for rows drawn at random; NaN of a single row.
    names : array of shape (d,)
        Of the features: those of the frame that the machine was fitted to, or x0, x1, ....
    rows : int
        At how many rows the gradient was taken.
    spreads : array of shape (d,)
        The standard deviations of the features, over the rows that the machine was fitted to.
    """

    values: Array
    standard_errors: Array
    names: Array
    rows: int
    spreads: Array

    @property
    def effects(self) -> Array:
        r"""The root mean squared change of f by a standard deviation, :math:`\sqrt{M_j} s_j`.

        To first order; it compares features whatever their units.
        """
        return np.asarray(np.sqrt(self.values) * self.spreads)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """Return the values."""
        values = np.asarray(self.values, dtype=dtype)
        return values.copy() if copy else values  # numpy 1 knows no copy=None


def relevance(
    machine: Any, X: Any = None, *, rows: int | None = None, random_state: Any = None
) -> Relevance:
    r"""Return how much the decision function of a machine changes with every feature.

    The diagonal of the average gradient outer product of
    :math:`f_c(x) = \sum_i \alpha_{ic} k(x_i, x) + b_c`:

    .. math:: M_j = \frac1m \sum_a \sum_c \left(\frac{\partial f_c}{\partial x_j}(x_a)\right)^2

    Derivatives are exact. Where a kernel has a kink (city-block distances of equal entries, Matérn
    of smoothness 1/2 at equal rows), its term is zero, the mean of both sides. A derivative is per
    unit of its feature; ``effects`` of the result compare features of different scales.

    Parameters
    ----------
    machine : LSSVC, KRR, KernelSelector or KernelStack
        Fitted; its kernel may be any but ``Precomputed``, also sums, products and multiples,
        ``Scaled`` and ``Columns``. Of a stack, f is the weighted sum of its members.
    X : array or sparse matrix of shape (m, d), default=None
        The rows at which to take the gradient; None means the training rows of positive weight (the
        landmarks, if the machine has those instead).
    rows : int or None, default=None
        Take the gradient at so many of them, drawn at random. None takes all of them unless that is
        more than 2e9 multiplications (rows, training rows, features, targets), and then as many
        as that allows, at least 200.
    random_state : int, RandomState or None, default=None
        Draws the rows; None is 0, so that two calls agree.

    Returns
    -------
    relevance : Relevance
        Its ``values`` are M, beside their standard errors.

    References
    ----------
    A. Radhakrishnan, D. Beaglehole, P. Pandit and M. Belkin, Mechanism for feature learning in
    neural networks and backpropagation-free machine learning models, Science 383 (2024).

    Examples
    --------
    >>> import numpy as np
    >>> import kernelwise as kw
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> machine = kw.KRR(kw.Gaussian(8.0), ridge=0.1).fit(X, np.sin(X[:, 1]))
    >>> kw.relevance(machine).effects.round(2)
    array([0.06, 0.66, 0.07])
    """
    machines = _differentiable_parts(machine)
    check_parameters(
        "relevance", {"rows": [Interval(Integral, 1, None, closed="left"), None]}, rows=rows
    )
    draw = check_random_state(0 if random_state is None else random_state)
    d = machines[0][0].X_fit_.shape[1]
    names = getattr(machine, "feature_names_in_", [f"x{j}" for j in range(d)])
    parts = [_expansion(fitted, weight, list(names)) for fitted, weight in machines]
    first = parts[0].Z
    points = first if X is None else _dense_rows(validate_rows(machine, X, reset=False))
    work = sum(part.Z.size * part.A.shape[0] for part in parts)
    most = max(_FEWEST, int(_WORK / work)) if rows is None else rows
    if most < points.shape[0]:
        points = points[np.sort(draw.choice(points.shape[0], most, replace=False))]
    values, errors = _mean_squares(parts, points)
    names = np.asarray(names, dtype=object)
    return Relevance(values, errors, names, points.shape[0], first.std(axis=0))


def _differentiable_parts(machine: Any) -> list[tuple[LSSVC | KRR, float]]:
    """Return the machines whose weighted sum is asked about: itself, or those of a stack."""
    if isinstance(machine, type) or not hasattr(machine, "members_"):
        return [(_differentiable(machine), 1.0)]
    pairs = zip(machine.members_.values(), machine.weights_.tolist(), strict=True)
    return [(_differentiable(member), weight) for member, weight in pairs if weight > 0.0]


def _differentiable(machine: Any) -> LSSVC | KRR:
    """Return a fitted machine, or the one of a selector, whose kernel may have a derivative."""
    if isinstance(machine, type) or not hasattr(machine, "fit"):
        raise TypeError(f"machine must be a fitted LSSVC or KRR, got {shown(machine)}.")
    check_is_fitted(machine)
    inner = getattr(machine, "best_estimator_", machine)
    if not isinstance(inner, LSSVC | KRR):
        raise TypeError(
            "machine must be a fitted LSSVC or KRR, a KernelStack, or a KernelSelector that fitted "
            f"one, got {type(inner).__name__}: of a pipeline, give the last step."
        )
    kernel = inner.kernel
    if not isinstance(kernel, Kernel) or kernel.takes_matrix:
        raise ValueError(
            "machine must have a kernel of features such as Gaussian(1.0), whose derivative is "
            f"known, got {shown(kernel)}."
        )
    return inner


class _Expansion(NamedTuple):
    """A sum of kernels around rows."""

    kernel: Kernel
    Z: Array  # the rows
    A: Array  # their coefficients, one line per target


def _expansion(machine: LSSVC | KRR, weight: float, names: list[str]) -> _Expansion:
    """Return what a machine sums up, times its weight."""
    X, alpha = machine.X_fit_, machine.dual_coef_.reshape(machine.X_fit_.shape[0], -1)
    weights = machine.sample_weight_
    if weights.shape[0] == X.shape[0] and not weights.all():  # landmarks have no weights
        X, alpha = X[weights > 0.0], alpha[weights > 0.0]
    kernel = machine.kernel.with_positions(names)
    return _Expansion(kernel, _dense_rows(X), weight * np.ascontiguousarray(alpha.T))


def _dense_rows(X: Any) -> Array:
    """Return rows as an array: gradients have entries in every feature."""
    if not sp.issparse(X):
        return np.ascontiguousarray(X)
    size = 8.0 * X.shape[0] * X.shape[1]
    if size > as_bytes(None):
        raise ValueError(
            f"X takes {in_words(size)} as a dense array, which relevance needs: keep fewer "
            "features."
        )
    return np.asarray(X.toarray())


def _mean_squares(parts: Sequence[_Expansion], points: Array) -> tuple[Array, Array]:
    """Return the mean over points of the squared derivatives, and its standard error."""
    m = points.shape[0]
    blocks = [points[start : start + _BLOCK] for start in range(0, m, _BLOCK)]

    def sums(block: Array) -> tuple[Array, Array]:
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused below
            whole = reduce(np.add, (_gradients_at(block, part, m) for part in parts))
            squares = (whole**2).sum(axis=0)
            return squares.sum(axis=0), (squares**2).sum(axis=0)

    most = max(part.Z.shape[0] for part in parts)
    with limited(rows=most), pool(min(workers(), len(blocks))) as threads:
        first, second = map(sum, zip(*threads.map(sums, blocks), strict=True))
    # One row has no error, NaN; that of squares beyond float64 is infinite.
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        mean = first / m
        error = np.sqrt(np.maximum(second / m - mean**2, 0.0) / (m - 1.0))
    if not np.isfinite(mean).all():
        raise ValueError(
            "the gradients of the machine are not finite: standardise X, or use a wider kernel."
        )
    return mean, error


def _gradients_at(block: Array, part: _Expansion, rows: int) -> Array:
    """Return the gradients of a part at a block of so many rows."""
    pairs = EnginePairs(block, part.Z, rows * part.Z.shape[0])
    return gradients(part.kernel, pairs, part.A)


def gradients(kernel: Kernel, pairs: Pairs, A: Array) -> Array:
    r"""Return :math:`\sum_i A_{ci}\, \partial k(x_a, z_i) / \partial x_a`, (c, m, d)."""

    def contract(geometry: str, view: Pairs, weights: Array) -> Array:
        return _CONTRACTIONS[geometry](view, weights, A)

    try:
        return kernel.gradients(pairs, np.ones(1), contract)
    except NotImplementedError as error:
        raise ValueError(
            f"the derivative of the kernel is not known: {error}, see docs/add_a_kernel.md."
        ) from None


def _of_squared_distances(pairs: Pairs, W: Array, A: Array) -> Array:
    """Contract with 2 (x - z), as matrix products on centred data."""
    X, Z = _rows(pairs)
    center = Z.mean(axis=0)
    W = np.where(pairs["sqdist"] > 0.0, W, 0.0)  # equal rows: x - z is zero, not nearly
    sums = (W @ A.T).T[:, :, None]
    return np.asarray(2.0 * (sums * (X - center) - _weighted_rows(W, A, Z - center)))


def _of_dot_products(pairs: Pairs, W: Array, A: Array) -> Array:
    """Contract with z."""
    return _weighted_rows(W, A, _rows(pairs)[1])


def _of_city_block_distances(pairs: Pairs, W: Array, A: Array) -> Array:
    """Contract with the signs of x - z."""
    from kernelwise.machines._gradients import FEATURES, city_block  # numba takes half a second

    parts = []
    for first in range(0, pairs.X.shape[1], FEATURES):
        some = slice(first, first + FEATURES)
        X, Z = (np.ascontiguousarray(rows[:, some]) for rows in _rows(pairs))
        parts.append(city_block(X, Z, W, A))
    return np.concatenate(parts, axis=-1)


def _rows(pairs: Pairs) -> tuple[Array, Array]:
    return pairs.X, pairs.X if pairs.Z is None else pairs.Z


def _weighted_rows(W: Array, A: Array, Z: Array) -> Array:
    """Return sum_i A[c, i] W[a, i] Z[i] for all c and a, by one product."""
    stacked = (A[:, None, :] * W).reshape(-1, Z.shape[0]) @ Z
    return np.asarray(stacked.reshape(A.shape[0], -1, Z.shape[1]))


_CONTRACTIONS: Mapping[str, Callable[[Pairs, Array, Array], Array]] = MappingProxyType(
    dict(sqdist=_of_squared_distances, dot=_of_dot_products, l1=_of_city_block_distances)
)
