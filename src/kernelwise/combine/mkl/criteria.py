r"""The papers' criteria as functions of the weights, each with its gradient.

The matrix is :math:`K = \sum_k \mu_k K_k` of base matrices that are centred and have mean diagonal
one. Criteria that are to be large are returned as minus their logarithm, the others as they are.
With an eigenvalue decomposition :math:`K = Q S Q'`, the derivative of a function of the matrix is
that of its eigenvalues, :math:`q_j' dK q_j`, and where eigenvectors matter the matrix of divided
differences :math:`(f(s_i) - f(s_j)) / (s_i - s_j)` (Daleckii and Krein).

The spectral measure divided by the trace does not depend on the scale of the weights, and is convex
on matrices of one trace for :math:`r \le 2`: it is largest at a single base kernel. Therefore the
numerator is taken, with :math:`|\mu|_p = 1` and p > 1.

References
----------
J. Li, Y. Liu, H. Lin, Y. Yue and W. Wang, IJCAI 2017 (SM, and MD); Y. Liu and S. Liao, AAAI 2015
(ER); Y. Liu et al., IEEE Trans. Cybernetics 2019 (RKS); Y. Liu and S. Liao, Science China
Information Sciences 57 (2014) (SPS).
"""

from collections.abc import Callable
from itertools import combinations

import numpy as np
import scipy.linalg

from kernelwise._types import Array
from kernelwise.combine.mkl.base import BaseMatrices
from kernelwise.gram.eigensystems import eigensystem

Objective = Callable[[Array], tuple[float, Array]]

_TIE = 1e-9  # relative difference of eigenvalues, below which divided differences are derivatives
_NOTHING = 1e-300  # replaces zero, which has no logarithm


def contrasts(base: BaseMatrices, *, weighted: bool = True) -> Array:
    r"""Return the columns :math:`\bar y` of the spectral measure, times the roots of the weights.

    :math:`n / n_+` and :math:`-n / n_-` for two classes, of each class and the rest for more, or
    the centred target.
    """
    if base.is_real:
        return base.centred_targets
    if not weighted:
        return base.weighted_targets
    targets = base.targets
    inside = targets.columns[:, 1:] if targets.kind == "binary" else targets.columns
    sizes = targets.sizes[1:] if targets.kind == "binary" else targets.sizes
    total = float(targets.sizes.sum())
    Y = np.where(inside > 0.0, total / sizes, -total / (total - sizes))
    return np.asarray(base.root[:, None] * Y)


def spectral_measure(base: BaseMatrices, r: float, *, weighted: bool = True) -> Objective:
    r"""Return minus the logarithm of :math:`\bar y' K^r \bar y / n`, the mean over targets."""
    Y = contrasts(base, weighted=weighted)
    scale = 1.0 / (base.rows * Y.shape[1])
    form = _integer_form if takes_products(r) else _spectral_form

    def objective(mu: Array) -> tuple[float, Array]:
        value, gradient = form(base, mu, Y, r)
        value = max(value, _NOTHING)
        return -float(np.log(scale * value)), -gradient / value

    return objective


def takes_products(r: float) -> bool:
    """Say whether a power is a few products with the matrix, which need not be formed."""
    return float(r).is_integer() and r <= 16


def _integer_form(base: BaseMatrices, mu: Array, Y: Array, r: float) -> tuple[float, Array]:
    """Return tr(Y' K^r Y), and its gradient: the sum of tr((K^a Y)' K_k K^b Y), a + b = r - 1."""
    powers = [Y]
    for _ in range(int(r)):
        powers.append(base.product(mu, powers[-1]))
    left = np.hstack(powers[:-1])
    right = np.hstack(powers[-2::-1])
    return float(np.vdot(Y, powers[-1])), base.forms(left, right)


def _spectral_form(base: BaseMatrices, mu: Array, Y: Array, r: float) -> tuple[float, Array]:
    """Return tr(Y' K^r Y), and its gradient, for any power."""
    s, Q = eigensystem(lambda: base.combined(mu))
    s = np.maximum(s, 0.0)
    Z = Q.T @ Y
    with np.errstate(divide="ignore"):
        slopes = r * s ** (r - 1.0)
    D = _divided(s, s**r, slopes)
    G = Q @ (D * (Z @ Z.T)) @ Q.T
    return float(np.sum(s**r * np.sum(Z**2, axis=1))), base.inner_products(G)


def _divided(s: Array, f: Array, slopes: Array) -> Array:
    """Return divided differences of a function; its slopes where eigenvalues are equal."""
    gaps = s[:, None] - s[None, :]
    close = np.abs(gaps) <= _TIE * max(float(s[-1]), _NOTHING)
    means = 0.5 * (slopes[:, None] + slopes[None, :])
    return np.asarray(
        np.where(close, means, (f[:, None] - f[None, :]) / np.where(close, 1.0, gaps))
    )


def mean_discrepancy(base: BaseMatrices) -> Objective:
    r"""Return minus the logarithm of the distance of class means, its mean over pairs."""
    targets = base.targets
    means = base.root[:, None] * targets.columns / targets.sizes
    pairs = list(combinations(range(means.shape[1]), 2))
    squares = np.array(
        [base.forms(v, v) for p, q in pairs for v in [(means[:, p] - means[:, q])[:, None]]]
    )

    def objective(mu: Array) -> tuple[float, Array]:
        distances = np.sqrt(np.maximum(squares @ mu, _NOTHING))
        value = float(distances.mean())
        gradient = np.mean(squares / (2.0 * distances[:, None]), axis=0)
        return -float(np.log(value)), -gradient / value

    return objective


def training_error(base: BaseMatrices, K: Array, ridge: float) -> tuple[float, Array]:
    r"""Return the mean squared training residual :math:`|\lambda P Y|^2 / (n c)` and its gradient.

    By :math:`dP = -P\, dK\, P` it changes by :math:`-2 \lambda^2 \mathrm{tr}(A' P\, dK A) / (n c)`.
    """
    Y = base.weighted_targets
    P = base.bordered_inverse(K, ridge)
    A = P @ Y
    factor = ridge**2 / Y.size
    return factor * float(np.vdot(A, A)), -2.0 * factor * base.forms(P @ A, A)


def eigenvalues_ratio(base: BaseMatrices, ridge: float, *, t: int, eta: float) -> Objective:
    r"""Return the training error plus :math:`\eta \sum_{i > t} s_i / \sum_{i \le t} s_i`."""
    n, traces = base.rows, base.diagonals.sum(axis=1)

    def objective(mu: Array) -> tuple[float, Array]:
        K = base.combined(mu)
        error, slope = training_error(base, K, ridge)
        s, Q = scipy.linalg.eigh(K, subset_by_index=(n - t, n - 1), check_finite=False)
        lead, trace = max(float(s.sum()), _NOTHING), float(traces @ mu)
        ratio = (traces * lead - trace * base.forms(Q, Q)) / lead**2
        return error + eta * (trace / lead - 1.0), slope + eta * ratio

    return objective


def kernel_stability(base: BaseMatrices, ridge: float, *, eta: float) -> Objective:
    r"""Return the training error plus :math:`\eta \beta / n`.

    :math:`\beta = \max_i (d + \sqrt{d^2 + 4 o})/2` with :math:`d = K_{ii}` and
    :math:`o = \sum_{j \ne i} K_{ij}^2`; its gradient is that of the row where it is attained.
    """

    def objective(mu: Array) -> tuple[float, Array]:
        K = base.combined(mu)
        error, slope = training_error(base, K, ridge)
        d = K.diagonal()
        roots = np.sqrt(np.maximum(4.0 * np.sum(K * K, axis=1) - 3.0 * d * d, _NOTHING))
        i = int(np.argmax(d + roots))
        rows = base.row(i)
        own = rows[:, i]
        change = (4.0 * (rows @ K[i]) - 3.0 * d[i] * own) / roots[i]
        factor = 0.5 * eta / base.rows
        return error + factor * float(d[i] + roots[i]), slope + factor * (own + change)

    return objective


def spectral_perturbation(base: BaseMatrices, ridge: float, *, delta: float) -> Objective:
    r"""Return the training error plus :math:`\delta \sum_{ij} |q_{ji}^2 (2 s_j - K_{ii})| / n^2`.

    The sum is that of the diagonal entries i of :math:`f_i(K)`, :math:`f_i(s) = |2 s - K_{ii}|`.
    """
    factor = delta / base.rows**2

    def objective(mu: Array) -> tuple[float, Array]:
        K = base.combined(mu)
        error, slope = training_error(base, K, ridge)
        total, G = _moves(K)
        return error + factor * total, slope + factor * base.inner_products(G)

    return objective


def _moves(K: Array) -> tuple[float, Array]:
    r"""Return the sum of moves, and the matrix G with which it changes by <G, dK>.

    With :math:`W_{ij} = |2 s_j - K_{ii}|`, :math:`\sigma` its sign and :math:`C = Q' (W \circ Q)`,
    the divided differences of all :math:`f_i` add up to :math:`(C_{lj} - C_{jl}) / (s_j - s_l)`,
    and to :math:`2 Q' (\sigma \circ Q)` where eigenvalues are equal.
    """
    s, Q = eigensystem(K.copy)
    moves = 2.0 * s[None, :] - K.diagonal()[:, None]
    W, signs = np.abs(moves), np.sign(moves)
    C, E = Q.T @ (W * Q), 2.0 * Q.T @ (signs * Q)
    gaps = s[None, :] - s[:, None]
    close = np.abs(gaps) <= _TIE * max(float(np.abs(s).max()), _NOTHING)
    S = np.where(close, 0.5 * (E + E.T), (C - C.T) / np.where(close, 1.0, gaps))
    G = Q @ S @ Q.T
    G.flat[:: K.shape[0] + 1] -= np.sum(signs * Q * Q, axis=1)
    return float(np.sum(W * Q * Q)), G
