"""The criteria of SM 2017, Table 3, as one writes them down from their formulas with numpy."""

from collections.abc import Callable, Mapping

import numpy as np

from kernelwise._types import Array
from kernelwise.gram import Targets
from kernelwise.kernels import grids
from kernelwise.machines import make_splits
from kernelwise_papers.papers.sm import SM_TABLE2
from kernelwise_papers.tables.split import Part, pick

_TAUS = sorted((kernel.tau for kernel in grids.gaussian()), reverse=True)  # as in the table
_LEADING, _ETA = 4, 0.6  # of ER


def by_hand(name: str, part: Part) -> int:
    """Return the position of the kernel that a criterion chooses, by numpy and its formula."""
    X, squares = part.X, np.sum(part.X**2, axis=1)
    distances = np.maximum(squares[:, None] + squares - 2.0 * X @ X.T, 0.0)
    np.fill_diagonal(distances, 0.0)
    matrices = (np.exp(-distances / (2.0 * tau)) for tau in _TAUS)
    values = [_FORMULAS[name](K, part.targets) for K in matrices]
    return pick(np.array(values), SM_TABLE2.columns[name])


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
    y = targets.fit_columns[:, 0] - targets.fit_columns.mean()
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
    y = targets.fit_columns[:, 0]
    errors = []
    for split in make_splits(targets, None, 5, 1, 0):
        solution = _solution(K[np.ix_(split.train, split.train)], y[split.train])
        scores = K[np.ix_(split.test, split.train)] @ solution[:-1] + solution[-1]
        errors.append(np.mean((scores > 0.0) != (y[split.test] > 0.0)))
    return float(np.mean(errors))


def _eloo(K: Array, targets: Targets) -> float:
    """Return the mean square of the leave-one-out residuals alpha_i / (C^-1)_ii."""
    inverse = np.linalg.inv(_bordered(K))[:-1, :-1]
    return float(np.mean((inverse @ targets.fit_columns[:, 0] / np.diag(inverse)) ** 2))


def _er(K: Array, targets: Targets) -> float:
    """Return the training error and the ratio of the eigenvalues."""
    eigenvalues = np.linalg.eigvalsh(K)
    tail, lead = eigenvalues[:-_LEADING].sum(), eigenvalues[-_LEADING:].sum()
    residuals = _solution(K, targets.fit_columns[:, 0])[:-1]  # at ridge 1 the coefficients
    return float(np.mean(residuals**2) + _ETA * tail / lead)


_FORMULAS: Mapping[str, Callable[[Array, Targets], float]] = {
    "SM": _sm,
    "CV": _cv,
    "ELOO": _eloo,
    "CKTA": _ckta,
    "FSM": _fsm,
    "ER": _er,
}
