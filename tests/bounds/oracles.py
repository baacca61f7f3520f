"""The theorems as they stand in the papers, term by term, and machines refitted by brute force.

Nothing here imports the package: every constant is written out again.
"""

import math

import numpy as np
from scipy.optimize import minimize


def removed(K, i):
    """K^i: row and column i set to zero."""
    out = np.array(K, dtype=float)
    out[i, :] = 0.0
    out[:, i] = 0.0
    return out


def kernel_stability(K):
    return max(np.linalg.norm(K - removed(K, i), 2) for i in range(len(K)))


def spectral_perturbation(K):
    full = np.linalg.eigvalsh(K)
    return max(np.abs(full - np.linalg.eigvalsh(removed(K, i))).max() for i in range(len(K)))


def krr(K, y, ridge):
    return np.linalg.inv(K + ridge * np.eye(len(K))) @ y


def krr_without(K, y, i, ridge):
    """Coefficients on all rows of the machine trained without row i; zero at i."""
    rows = [j for j in range(len(K)) if j != i]
    alpha = np.zeros(len(K))
    alpha[rows] = krr(K[np.ix_(rows, rows)], y[rows], ridge)
    return alpha


def svm(K, y, C):
    """The SVM without bias: max sum(a) - (a y)'K(a y) / 2, 0 <= a <= C, by a general optimiser."""
    Q = np.outer(y, y) * K
    found = minimize(
        lambda a: 0.5 * a @ Q @ a - a.sum(),
        np.zeros(len(y)),
        jac=lambda a: Q @ a - 1.0,
        bounds=[(0.0, C)] * len(y),
        method="L-BFGS-B",
        options={"ftol": 1e-15, "gtol": 1e-9, "maxiter": 20000, "maxfun": 10**6},
    )
    return found.x * y


def hinge(y, scores):
    return np.mean([max(0.0, 1.0 - a * b) for a, b in zip(y, scores, strict=True)])


def square(y, scores):
    return np.mean([(a - b) ** 2 for a, b in zip(y, scores, strict=True)])


# --- Li et al. 2017 --------------------------------------------------------------------------


def spectral_measure(K, y, r, C):
    values, vectors = np.linalg.eigh(K / C)
    total = 0.0
    for value, v in zip(values, vectors.T, strict=True):
        total += max(value, 0.0) ** r * (y @ v) ** 2
    return total / len(y)


def infimum(n, delta, extra):
    """The infimum over theta on a fine grid."""
    theta = np.linspace(1e-3, 1.0, 20001)
    mu = 8 / theta**2 * math.log(n) * math.log(2 * n) + math.log(2 * n / delta)
    complexity = (7 * mu + 3 * np.sqrt(3 * mu) + extra) / (3 * n)
    return (theta + complexity + np.sqrt(3 * mu / n)).min()


def sm_theorem_1(K, y, lam, delta, r, C, printed):
    c0 = C * lam / (C + lam) if printed else C / (C + lam)
    return 1 - c0 * spectral_measure(K, y, r, C) + infimum(len(y), delta, 6)


def sm_theorem_2(K, y, lam, delta, r, printed):
    C = K.sum()
    b = max(1, 1 / (2 * lam) - 1)
    extra = 3 / (2 * lam) + 3 * b if printed else 6 + 3 * C * b
    return 1 - C * spectral_measure(K, y, r, C) + infimum(len(y), delta, extra)


# --- Liu and Liao 2015 -----------------------------------------------------------------------


def ratio(K, t):
    s = np.sort(np.linalg.eigvalsh(K / len(K)))[::-1]
    return s[:t].sum() / s[t:].sum()


def er_theorem_2(K, training, t, k, delta, kappa, D):
    n, F = len(K), 1 + D
    C1, C3 = 12 * k * math.sqrt(2 * kappa), (1 + D) / (k - 1)
    C2 = k * (96 * F * t + 96 + 5 * F) + 22
    return training + C1 * math.sqrt(1 / (n * ratio(K, t))) + C2 / n * math.log(3 / delta) + C3


def er_theorem_3(K, training, t, k, delta, kappa, *, D, M, lost_factor=False):
    n = len(K)
    h, B = 2 * (M + D), (D + M) ** 2
    C4 = 12 * h * (1 if lost_factor else B) * k * math.sqrt(2 * kappa)
    C5 = 96 * h**2 * B * k * t + (96 * k + 22 * M + 5 * B * k) * math.log(3 / delta)
    C6 = (D + M) ** 2 / (k - 1)
    return training + C4 * math.sqrt(1 / (n * ratio(K, t))) + C5 / n + C6


def er_chain(K, training, t, k, delta, kappa, *, h, B, M):
    """The sketch of the proof; the fixed point by iteration from above."""
    n, log = len(K), math.log(3 / delta)
    r = 1e6
    for _ in range(300):
        r = 2 * h * math.sqrt(2 / n * (t * r + kappa / ratio(K, t))) + 13 * log / n
    return training + B / (k - 1) + 6 * k * B * r + log * (22 * M + 5 * B * k) / n


# --- Liu et al. 2019 -------------------------------------------------------------------------


def ks_constants(kappa, M, lam):
    return kappa * M / lam**2, 2 * kappa * M / lam, 4 * M + 4 * kappa * M / lam


def ks_theorem_8(n, beta, kappa, M, lam):
    C1, C2, _ = ks_constants(kappa, M, lam)
    return (C1 * beta + C2) / (n - 1)


def ks_equation_15(n, beta, kappa, M, lam):
    C1, C2, _ = ks_constants(kappa, M, lam)
    return (C1 * beta + C2) / (n - 1) * (2 * M + 2 * kappa * M / lam)


def ks_appendix_c(training, n, beta, kappa, M, lam, delta):
    C1, C2, C3 = ks_constants(kappa, M, lam)
    Q = 2 * kappa**2 * M**2 / lam**2 + 2 * M**2
    first = C3 * (C1 * beta + C2) / (n - 1)
    second = 2 * C3 * n * (C1 * beta + C2) / (n - 1) + Q
    return training + first + second * math.sqrt(math.log(1 / delta) / (2 * n))


def ks_equation_16(beta, kappa, lam):
    front = kappa ** (3 / 4) / (math.sqrt(2) * lam)
    return front * beta ** (1 / 4) * (1 + (beta / (4 * kappa)) ** (1 / 4))


def ks_appendix_d(training, n, beta, kappa, lam, delta, Q):
    gamma = ks_equation_16(beta, kappa, lam)
    return training + math.sqrt((Q**2 + 12 * Q * n * gamma) / (2 * n * delta))


# --- Liu and Liao 2014 -----------------------------------------------------------------------


def sps_theorem_2(training, m, beta, kappa, M, lam, delta):
    C = kappa * M / (lam**2 * (m - 1))
    Q = 2 * kappa**2 * M**2 / lam**2 + 2 * M**2
    F = 2 * kappa * M**2 / (lam**2 * (m - 1))
    b = beta + 2 * lam
    deviation = (F * b + C**2 * b**2 + Q) * math.sqrt(math.log(1 / delta) / (2 * m))
    return training + 2 * F * b + C**2 * b**2 + deviation


def sps_conclusion(training, m, beta, kappa, delta, Q):
    inner = 6 * Q * m * beta ** (1 / 4) * (1 + (beta / (2 * kappa)) ** (1 / 4))
    return training + math.sqrt((Q**2 + inner) / (2 * m * delta))


# --- Nguyen and Ho 2007 ----------------------------------------------------------------------


def fsm_error_and_bound(Phi, y):
    """Equations 9, 10, 15 and 17 on feature vectors; points on the hyperplane are right."""
    plus, minus = Phi[y > 0], Phi[y < 0]
    gap = minus.mean(0) - plus.mean(0)
    e = gap / np.linalg.norm(gap)
    var_plus, var_minus = np.std(plus @ e, ddof=1), np.std(minus @ e, ddof=1)
    fsm = (var_plus + var_minus) / np.linalg.norm(gap)
    middle = (var_minus * plus.mean(0) + var_plus * minus.mean(0)) / (var_plus + var_minus)
    scores = Phi @ e - middle @ e  # positive on the side of the class -1
    slack = 1e-12 * np.abs(Phi).max()
    return np.mean(y * scores > slack), fsm**2 / (1 + fsm**2)
