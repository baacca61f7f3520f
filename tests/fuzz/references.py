"""Naive machines in extended precision, each with how far a sound float64 answer may be off.

A backward stable solver of M a = y is off by a small multiple of n eps cond(M) |a|; a value
f = k'a then by |k| times that. Extended precision is off by two thousand times less.
"""

from typing import NamedTuple

import numpy as np

EPS = np.finfo(float).eps
SLACK = 100.0  # the "small multiple", with room for the several steps of a closed form
WORST = 1e10  # condition number beyond which nothing is compared
LONG = np.longdouble


class Solution(NamedTuple):
    """A least-squares machine: coefficients (n, c) and bias (c,).

    The system that it solves has a condition, and the bias a unit: zero where there is none.
    """

    alpha: np.ndarray
    bias: np.ndarray
    condition: float
    unit: float


class Values(NamedTuple):
    """Scores (m, c) of rows, and how far off a sound computation may be."""

    scores: np.ndarray
    error: np.ndarray


def solve(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Solve by Gaussian elimination with pivots, in extended precision."""
    A, B = A.astype(LONG), B.astype(LONG)
    n = len(A)
    for k in range(n):
        p = k + int(np.argmax(np.abs(A[k:, k])))
        A[[k, p]], B[[k, p]] = A[[p, k]], B[[p, k]]
        factor = A[k + 1 :, k : k + 1] / A[k, k]
        A[k + 1 :] -= factor * A[k]
        B[k + 1 :] -= factor * B[k]
    X = np.zeros_like(B)
    for k in reversed(range(n)):
        X[k] = (B[k] - A[k, k + 1 :] @ X[k + 1 :]) / A[k, k]
    return X


def machine(
    K: np.ndarray, Y: np.ndarray, ridge: float, bias: bool, weights: np.ndarray | None = None
) -> Solution:
    """Solve the bordered system, or K + ridge / w without a bias."""
    n = len(K)
    M = K + np.diag(ridge / (np.ones(n) if weights is None else weights))
    unit = float(np.abs(M).max())  # that of the bias too, or its scale would be a condition
    if not bias:
        condition = float(np.linalg.cond(M / unit))
        return Solution(solve(M, Y), np.zeros(Y.shape[1], LONG), condition, 0.0)
    C = np.block([[M, np.full((n, 1), unit)], [np.full((1, n), unit), np.zeros((1, 1))]])
    solved = solve(C, np.vstack([Y, np.zeros((1, Y.shape[1]))]))
    return Solution(solved[:n], unit * solved[n], float(np.linalg.cond(C / unit)), unit)


def evaluate(solution: Solution, K: np.ndarray) -> Values:
    """Return the scores of rows with kernel values K (m, n) to the training rows."""
    alpha, bias, condition, unit = solution
    size = (np.linalg.norm(K, axis=1)[:, None] + unit) * np.linalg.norm(alpha.astype(float), axis=0)
    error = SLACK * EPS * len(alpha) * condition * (size + np.abs(bias).astype(float))
    return Values(K @ alpha + bias, error + _entries(K) @ np.abs(alpha).astype(float))


def _entries(K: np.ndarray) -> np.ndarray:
    """Return how far off entries are: exponents to the 1e-12 that distances promise."""
    small = np.maximum(np.abs(K), np.finfo(float).tiny)
    return 1e-12 * np.abs(K) * np.abs(np.log(small)) + np.finfo(float).tiny


def held_out(
    K: np.ndarray, Y: np.ndarray, ridge: float, bias: bool, folds: list[tuple]
) -> list[tuple[np.ndarray, Values]]:
    """Refit without each fold; return its rows and what the machine says of them."""
    found = []
    for train, test in folds:
        fitted = machine(K[np.ix_(train, train)], Y[train], ridge, bias)
        found.append((test, evaluate(fitted, K[np.ix_(test, train)])))
    return found


def leave_one_out(K: np.ndarray, Y: np.ndarray, ridge: float, bias: bool) -> Values:
    """Refit without each row."""
    rows = np.arange(len(K))
    folds = [(np.delete(rows, i), rows[i : i + 1]) for i in rows]
    values = [value for _, value in held_out(K, Y, ridge, bias, folds)]
    return Values(*(np.vstack([v[i] for v in values]) for i in range(2)))


_NOTHING = 1e-290  # the error of a sum of zeros


def error_range(values: Values, codes: np.ndarray) -> tuple[float, float]:
    """Return the least and the largest error rate that rounding may leave.

    The rule is that of predict: of two classes the second where the score is positive, of more the
    first of those with the largest score. Zeros are not in doubt where all kernel values are zero;
    those of terms that cancel, as of equal rows with opposite labels, are.
    """
    scores, error = values
    if scores.shape[1] == 1:
        wrong = (scores[:, 0] > 0.0) != codes
        doubt = (np.abs(scores[:, 0]) <= error[:, 0]) & (error[:, 0] > _NOTHING)
    else:
        order = np.sort(scores, axis=1)
        gap = order[:, -1] - order[:, -2]
        wrong = scores.argmax(axis=1) != codes
        doubt = (gap <= 2.0 * error.max(axis=1)) & (error.max(axis=1) > _NOTHING)
    return float(np.mean(wrong & ~doubt)), float(np.mean(wrong | doubt))


def signs(codes: np.ndarray) -> np.ndarray:
    """Return ±1 targets (n, 1) of two classes, +1 for the second, (n, c) of more."""
    columns = np.where(codes[:, None] == np.arange(codes.max() + 1), 1.0, -1.0)
    return columns[:, 1:] if columns.shape[1] == 2 else columns
