"""Textbook forms of every criterion and closed form, written from the papers, never optimised.

Loops over entries and removed points, explicit centring matrices, refits. The O(n^2) oracles use
plain Python arithmetic on nested sequences, so that they run in extended precision too when they
are given mpmath numbers: float64 oracles are themselves wrong for very wide kernels.
"""

import itertools
import math

import mpmath
import numpy as np

# --- kernels, one pair at a time -------------------------------------------------------------


def sqdist(x, z):
    return sum((a - b) ** 2 for a, b in zip(x, z, strict=True))


def dot(x, z):
    return sum(a * b for a, b in zip(x, z, strict=True))


def gaussian(x, z, tau, m=math):
    return m.exp(-sqdist(x, z) / (2 * tau))


def laplacian(x, z, scale, m=math):
    return m.exp(-sum(abs(a - b) for a, b in zip(x, z, strict=True)) / scale)


def matern(x, z, scale, nu, m=math):
    s = m.sqrt(2 * nu) * m.sqrt(sqdist(x, z)) / scale
    polynomial = {0.5: 1, 1.5: 1 + s, 2.5: 1 + s + s**2 / 3}[nu]
    return polynomial * m.exp(-s)


def polynomial(x, z, degree, coef0, gamma, m=math):
    return (coef0 + gamma * dot(x, z)) ** degree


def sigmoid(x, z, gamma, coef0, m=math):
    return m.tanh(gamma * dot(x, z) + coef0)


def matrix(k, X, Z=None):
    Z = X if Z is None else Z
    return [[k(x, z) for z in Z] for x in X]


def extended(X):
    """Return X as nested lists of mpmath numbers."""
    return [[mpmath.mpf(float(v)) for v in row] for row in np.asarray(X)]


# --- targets ---------------------------------------------------------------------------------


def one_vs_rest(codes, c):
    return [1 if code == c else -1 for code in codes]


def contrasts(codes):
    """±1 columns: one for two classes, one per class otherwise."""
    n_classes = len(set(codes))
    return [one_vs_rest(codes, c) for c in (range(1, 2) if n_classes == 2 else range(n_classes))]


def class_pairs(codes):
    classes = sorted(set(codes))
    return [(p, q) for i, p in enumerate(classes) for q in classes[i + 1 :]]


def restrict(K, codes, p, q):
    """The kernel matrix and the ±1 labels of two classes."""
    rows = [i for i, code in enumerate(codes) if code in (p, q)]
    return [[K[i][j] for j in rows] for i in rows], [1 if codes[i] == p else -1 for i in rows]


def target_matrix(codes):
    """1 for the same class, -1/(c-1) for another."""
    other = mpmath.mpf(-1) / (len(set(codes)) - 1)
    return [[1 if a == b else other for b in codes] for a in codes]


def outer(y):
    return [[a * b for b in y] for a in y]


# --- matrix criteria -------------------------------------------------------------------------


def frobenius_inner(A, B):
    return sum(a * b for r, s in zip(A, B, strict=True) for a, b in zip(r, s, strict=True))


def alignment(A, B):
    return frobenius_inner(A, B) / (frobenius_inner(A, A) * frobenius_inner(B, B)) ** 0.5


def matmul(A, B):
    columns = list(zip(*B, strict=True))
    return [[sum(a * b for a, b in zip(row, col, strict=True)) for col in columns] for row in A]


def centred(K):
    """HKH with the explicit centring matrix H = I - 11'/n."""
    n = len(K)
    one = mpmath.mpf(1)
    H = [[(1 if i == j else 0) - one / n for j in range(n)] for i in range(n)]
    return matmul(matmul(H, K), H)


def kta(K, Y):
    return alignment(K, Y)


def ckta(K, Y):
    return alignment(centred(K), centred(Y))


def fsm(K, y):
    """Nguyen and Ho, equations 10 to 14, with the paper's a_i, b_i, c_i, d_i."""
    pos = [i for i, v in enumerate(y) if v > 0]
    neg = [i for i, v in enumerate(y) if v < 0]
    a = [sum(K[i][j] for j in pos) / len(pos) for i in pos]
    b = [sum(K[i][j] for j in neg) / len(neg) for i in pos]
    c = [sum(K[i][j] for j in pos) / len(pos) for i in neg]
    d = [sum(K[i][j] for j in neg) / len(neg) for i in neg]
    A, B = sum(a) / len(pos), sum(b) / len(pos)
    C, D = sum(c) / len(neg), sum(d) / len(neg)
    gap = A + D - B - C
    plus = sum((bi - ai + A - B) ** 2 for ai, bi in zip(a, b, strict=True))
    minus = sum((ci - di + D - C) ** 2 for ci, di in zip(c, d, strict=True))
    var_plus = (plus / gap / (len(pos) - 1)) ** 0.5
    var_minus = (minus / gap / (len(neg) - 1)) ** 0.5
    return (var_plus + var_minus) / gap**0.5


def fsm_from_features(Phi, y):
    """Equations 9 and 10 on the feature vectors themselves."""
    Phi, y = np.asarray(Phi, float), np.asarray(y)
    plus, minus = Phi[y > 0], Phi[y < 0]
    gap = np.linalg.norm(minus.mean(0) - plus.mean(0))
    e = (minus.mean(0) - plus.mean(0)) / gap
    return (np.std(plus @ e, ddof=1) + np.std(minus @ e, ddof=1)) / gap


def fsm_error(K, y):
    value = fsm(K, y)
    return value**2 / (1 + value**2)


def mean_discrepancy(K, y):
    """|mean phi(x+) - mean phi(x-)| by summing over blocks."""
    pos = [i for i, v in enumerate(y) if v > 0]
    neg = [i for i, v in enumerate(y) if v < 0]
    square = (
        sum(K[i][j] for i in pos for j in pos) / (len(pos) * len(pos))
        + sum(K[i][j] for i in neg for j in neg) / (len(neg) * len(neg))
        - 2 * sum(K[i][j] for i in pos for j in neg) / (len(pos) * len(neg))
    )
    return square**0.5


def ncut(K, y):
    """y'Ly / y'Dy with L = D - K."""
    n = len(y)
    D = [sum(row) for row in K]
    yLy = sum(y[i] * ((D[i] if i == j else 0) - K[i][j]) * y[j] for i in range(n) for j in range(n))
    return yLy / sum(y[i] * D[i] * y[i] for i in range(n))


def weighted_labels(y):
    """n/n+ and -n/n-."""
    one = mpmath.mpf(1)
    n, n_plus = len(y), sum(v > 0 for v in y)
    return [one * n / n_plus if v > 0 else -one * n / (n - n_plus) for v in y]


def normalised(K, normalizer):
    n = len(K)
    scale = sum(K[i][i] for i in range(n)) if normalizer == "trace" else sum(sum(row) for row in K)
    return [[v / scale for v in row] for row in K]


def sm(K, y, r, normalizer="trace"):
    """y' N^r y / n with the matrix power written out."""
    N = normalised(K, normalizer)
    power = N
    for _ in range(r - 1):
        power = matmul(power, N)
    Ny = [sum(a * b for a, b in zip(row, y, strict=True)) for row in power]
    return sum(a * b for a, b in zip(y, Ny, strict=True)) / len(y)


def sm_spectral(K, y, phi, normalizer="trace"):
    """Definition 1: sum_i phi(lambda_i) <y, v_i>^2 / n over the eigenpairs of N."""
    N = np.array(normalised(np.asarray(K, float).tolist(), normalizer), float)
    y = np.asarray(y, float)
    eigenvalues, vectors = np.linalg.eigh(N)
    return sum(phi(s) * (y @ v) ** 2 for s, v in zip(eigenvalues, vectors.T, strict=True)) / len(y)


def removed(K, i):
    """K with row and column i set to zero."""
    K = np.array(K, float)
    K[i, :] = 0.0
    K[:, i] = 0.0
    return K


def kernel_stability(K, norm=2):
    """max_i |K - K^i| by a norm of numpy's: 2, "nuc" or "fro"."""
    K = np.asarray(K, float)
    return max(np.linalg.norm(K - removed(K, i), norm) for i in range(len(K)))


# --- least-squares machines ------------------------------------------------------------------


def lssvm(K, y, ridge, bias=True, weights=None):
    """Solve the bordered system; return coefficients, bias and the bordered matrix."""
    K, y = np.asarray(K, float), np.asarray(y, float)
    n = len(y)
    weights = np.ones(n) if weights is None else np.asarray(weights, float)
    M = K + ridge * np.diag(1.0 / weights)
    if not bias:
        return np.linalg.solve(M, y), 0.0, M
    C = np.block([[M, np.ones((n, 1))], [np.ones((1, n)), np.zeros((1, 1))]])
    solution = np.linalg.solve(C, np.append(y, 0.0))
    return solution[:n], solution[n], C


def training_loss(K, y, ridge, bias=True):
    alpha, b, _ = lssvm(K, y, ridge, bias)
    return np.mean((np.asarray(y) - np.asarray(K, float) @ alpha - b) ** 2)


def loo_residuals(K, y, ridge, bias=True, weights=None):
    """Refit without each point and look at the point left out."""
    K, y = np.asarray(K, float), np.asarray(y, float)
    residuals = []
    for i in range(len(y)):
        rest = np.delete(np.arange(len(y)), i)
        w = None if weights is None else np.asarray(weights)[rest]
        alpha, b, _ = lssvm(K[np.ix_(rest, rest)], y[rest], ridge, bias, w)
        residuals.append(y[i] - K[i, rest] @ alpha - b)
    return np.array(residuals)


def hat_matrix(K, ridge, bias=True, weights=None):
    """The fitted values of every unit vector, column by column."""
    K = np.asarray(K, float)
    columns = []
    for unit in np.eye(len(K)):
        alpha, b, _ = lssvm(K, unit, ridge, bias, weights)
        columns.append(K @ alpha + b)
    return np.column_stack(columns)


def gcv(K, y, ridge, bias=True):
    n = len(y)
    return training_loss(K, y, ridge, bias) / (1 - np.trace(hat_matrix(K, ridge, bias)) / n) ** 2


def eigenvalues_ratio(K, t):
    s = np.sort(np.linalg.eigvalsh(np.asarray(K, float)))[::-1]
    return s[:t].sum() / s[t:].sum()


def er(K, y, ridge, t, eta, scale, bias=True):
    factor = len(y) if scale == "printed" else 1.0
    return training_loss(K, y, ridge, bias) + eta * factor / eigenvalues_ratio(K, t)


def rks(K, y, ridge, eta, bias=True):
    return training_loss(K, y, ridge, bias) + eta / len(y) * kernel_stability(K)


def sps_first_order(K, y, ridge, delta, bias=True):
    """Theorem 3 as printed: 2 q_ji q_j'k_i - q_ji^2 K_ii."""
    K = np.asarray(K, float)
    n = len(y)
    _, Q = np.linalg.eigh(K)
    total = 0.0
    for j in range(n):
        q = Q[:, j]
        for i in range(n):
            total += abs(2 * q[i] * (q @ K[:, i]) - q[i] ** 2 * K[i, i])
    return training_loss(K, y, ridge, bias) + delta / n**2 * total


def squared_hinge(y, residuals):
    return np.mean([max(0.0, 1.0 - a * (a - r)) ** 2 for a, r in zip(y, residuals, strict=True)])


def bayesian_regularisation(press, n, theta):
    return n / 2 * math.log(press / 2) + len(theta) / 2 * math.log(sum(t**2 for t in theta) / 2)


def log_marginal_likelihood(K, y, ridge):
    y = np.asarray(y, float)
    M = np.asarray(K, float) + ridge * np.eye(len(y))
    return (
        -0.5 * y @ np.linalg.solve(M, y)
        - 0.5 * np.linalg.slogdet(M)[1]
        - 0.5 * len(y) * math.log(2 * math.pi)
    )


def refit_scores(K, y, ridge, train, test, bias=True):
    """Return f on the test rows of the least-squares machine fitted to the training rows."""
    alpha, b, _ = lssvm(K[np.ix_(train, train)], y[train], ridge, bias)
    return K[np.ix_(test, train)] @ alpha + b


def taylor_residuals(K, y, ridge, rows, order, bias=True):
    """Return the sum of H_BB^j e_B, with the hat matrix written out."""
    H = hat_matrix(K, ridge, bias)
    residuals = (y - H @ y)[rows]
    block = H[np.ix_(rows, rows)]
    return sum(np.linalg.matrix_power(block, j) @ residuals for j in range(order + 1))


def svm_scores(K, y, C, weights):
    """f on all rows of the SVM whose row i has the bound C weights_i, by scikit-learn."""
    from sklearn.svm import SVC

    machine = SVC(kernel="precomputed", C=C, tol=1e-12).fit(K, y, sample_weight=weights)
    return machine.decision_function(K)


def nystrom(K, landmarks):
    """Return the part of K that the columns of the landmarks span."""
    C = np.asarray(K)[:, landmarks]
    s, Q = np.linalg.eigh(C[landmarks])
    kept = s > 1e-13 * len(s) * s[-1]
    features = C @ (Q[:, kept] / np.sqrt(s[kept]))
    return features @ features.T


def squared_hinge_objective(K, y, ridge, alpha, b):
    f = K @ alpha + b
    return ridge * alpha @ K @ alpha + np.sum(np.maximum(0.0, 1.0 - y * f) ** 2)


def relevance(k, rows, alpha, points):
    """Return mean_a sum_c (df_c/dx_j (x_a))^2 of f_c(x) = sum_i alpha_ic k(x_i, x).

    By central differences in extended precision: exact but for the square of the step. They give
    the mean of both sides at a kink. The bias has no derivative.
    """
    with mpmath.workdps(50):
        rows, alpha, points = extended(rows), extended(alpha), extended(points)
        step = mpmath.mpf("1e-20")

        def f(x, c):
            return sum(a[c] * k(z, x) for a, z in zip(alpha, rows, strict=True))

        def moved(x, j, by):
            return [v + by if i == j else v for i, v in enumerate(x)]

        def derivative(x, c, j):
            return (f(moved(x, j, step), c) - f(moved(x, j, -step), c)) / (2 * step)

        classes, features = range(len(alpha[0])), range(len(rows[0]))
        return [
            float(sum(derivative(x, c, j) ** 2 for x in points for c in classes) / len(points))
            for j in features
        ]


# --- a stack of machines ---------------------------------------------------------------------


def stack_weights(Y, F, pull=0.02, weights=None):
    """The best of the stationary points over every set of members of positive weight."""
    n, _, m = F.shape
    share = np.ones(n) / n if weights is None else np.asarray(weights) / np.sum(weights)

    def objective(w):
        squares = ((Y - F @ w) ** 2).mean(axis=1)
        return share @ squares + pull * np.sum((w - 1 / m) ** 2)

    best = None
    for size in range(1, m + 1):
        for chosen in map(list, itertools.combinations(range(m), size)):
            Q, q = np.zeros((size, size)), np.zeros(size)
            for a, k in enumerate(chosen):
                q[a] = share @ (Y * F[:, :, k]).mean(axis=1) + pull / m
                for b, j in enumerate(chosen):
                    Q[a, b] = share @ (F[:, :, k] * F[:, :, j]).mean(axis=1) + pull * (a == b)
            ones = np.ones((size, 1))
            C = np.block([[Q, ones], [ones.T, np.zeros((1, 1))]])
            w = np.zeros(m)
            w[chosen] = np.linalg.solve(C, np.append(q, 1.0))[:size]
            if w.min() >= 0.0 and (best is None or objective(w) < objective(best)):
                best = w
    return best


def stack_gate(Y, single, stack, is_real, penalty=0.0, weights=None):
    """Row by row: by how many standard errors the stack is better, over three, from 0 to 1."""
    gains = []
    for i, y in enumerate(Y):
        if is_real:
            a, b = ([(v - f) ** 2 for v, f in zip(y, of[i], strict=True)] for of in (single, stack))
        else:
            a, b = (
                [max(0.0, 1.0 - v * f) ** 2 for v, f in zip(y, of[i], strict=True)]
                for of in (single, stack)
            )
        share = 1.0 if weights is None else weights[i] / np.mean(weights)
        gains.append(share * (sum(a) - sum(b)) / len(y))
    z = math.sqrt(len(gains)) * np.mean(gains) / np.std(gains)
    return min(max((z - penalty) / 3.0, 0.0), 1.0)


def screened(K, Y, is_real):
    """The spectral measure of order two, |K c|^2 / tr(K)^2 over columns c of weighted targets."""
    n, total = len(Y), 0.0
    for y in Y.T:
        c = y - y.mean() if is_real else weighted_labels(y)
        total += np.sum((K @ c) ** 2)
    return total / np.trace(K) ** 2 / n


def stack_member(matrices, Y, is_real, keep):
    """Screen, then refit without each row at seven ridges: the place, ridge and values that win."""
    order = sorted(range(len(matrices)), key=lambda k: -screened(matrices[k], Y, is_real))
    best = None
    for k in order[:keep]:
        K = matrices[k]
        for power in range(-4, 3):
            ridge = 10.0**power * np.trace(K) / len(K)
            values = np.column_stack([y - loo_residuals(K, y, ridge) for y in Y.T])
            off = Y - values if is_real else np.maximum(0.0, 1.0 - Y * values)
            if best is None or np.mean(off**2) < best[0]:
                best = np.mean(off**2), k, ridge, values
    return best[1:]


def city_block(X):
    return np.array([[sum(abs(a - b) for a, b in zip(x, z, strict=True)) for z in X] for x in X])


def laplacian_member(X, Y, is_real):
    """Scale, ridge and leave-one-out values of a Laplacian kernel on eight scales."""
    D = city_block(X)
    scales = [np.median(D[D > 0.0]) * 2.0**k for k in range(-2, 6)]
    k, ridge, values = stack_member([np.exp(-D / s) for s in scales], Y, is_real, keep=3)
    return scales[k], ridge, values


def relevant_features(X, Y, scale, ridge):
    """sqrt(M_j) over its mean, M_j the mean square of the derivatives of a Laplacian machine."""
    K = np.exp(-city_block(X) / scale)
    M = np.zeros(X.shape[1])
    for y in Y.T:
        alpha, _, _ = lssvm(K, y, ridge)
        for a, x in enumerate(X):
            for j in range(X.shape[1]):
                signs = np.sign(x[j] - X[:, j])
                M[j] += (-np.sum(alpha * K[a] * signs) / scale) ** 2 / len(X)
    return np.sqrt(M) / np.mean(np.sqrt(M))
