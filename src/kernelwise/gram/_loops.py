"""The inner loops of the tiled engine, compiled by numba.

All of them work on one tile: the geometry G of a block of rows against a block of columns. Four
rows go together, so that every column accumulator is loaded and stored once for four rows; the
loops over columns are plain enough for LLVM to vectorise. Nothing here knows threads: the functions
release the interpreter lock and are called from ordinary threads.

A Gaussian grid is a ladder. With e = exp(-g / (2 tau)) - 1, halving tau squares 1 + e::

    e  <-  e (2 + e)  =  2 e + e^2          the square is also what the row sums of squares need

The first `wide` steps carry e, the others K = 1 + e itself: the deviation of a wide kernel and the
size of a narrow one both keep their digits. The squares of a narrow step are the next step, so
there the row sums of squares of one step are the row sums of the next.

A grid of polynomial degrees is a ladder too: with u = gamma g and b = c + u, the deviations
e_d = b^d - c^d follow from e_{d+1} = b e_d + c^d u.
"""

import numpy as np
from numba import njit

# Sums may be reassociated and products fused: what vectorisation needs. NaN and infinity keep their
# meaning, so that an overflow stays visible.
_OPTIONS = {
    "nogil": True,
    "cache": True,
    "fastmath": {"reassoc", "contract", "arcp", "nsz"},
}

LARGEST_EXPONENT = 800.0  # exp(-800) is zero in float64


@njit(**_OPTIONS)
def squared_distance_tile(left, right, G):
    """Set G[i, j] = |x_i - z_j|^2 from differences; features are the rows of left and right."""
    for i in range(left.shape[1]):
        row = G[i]
        row[:] = 0.0
        for k in range(left.shape[0]):
            x = left[k, i]
            z = right[k]
            for j in range(right.shape[1]):
                t = z[j] - x
                row[j] += t * t


@njit(**_OPTIONS)
def _expm1(g, rate, halvings, keeps_size, e):
    """Set e = exp(-rate g) - 1, or exp(-rate g) itself where its size must keep its digits.

    The series at 2^-halvings of the exponent, which is at most 1/16, then squarings.
    """
    scale = -rate * 0.5**halvings
    lowest = -LARGEST_EXPONENT * 0.5**halvings
    for j in range(g.shape[0]):
        y = max(g[j] * scale, lowest)
        p = 1.0 + y * (1.0 / 9.0)
        p = 1.0 + y * (1.0 / 8.0) * p
        p = 1.0 + y * (1.0 / 7.0) * p
        p = 1.0 + y * (1.0 / 6.0) * p
        p = 1.0 + y * (1.0 / 5.0) * p
        p = 1.0 + y * (1.0 / 4.0) * p
        p = 1.0 + y * (1.0 / 3.0) * p
        p = 1.0 + y * 0.5 * p
        e[j] = y * p
    if keeps_size:
        for j in range(g.shape[0]):
            e[j] += 1.0
        for _ in range(halvings):
            for j in range(g.shape[0]):
                e[j] *= e[j]
    else:
        for _ in range(halvings):
            for j in range(g.shape[0]):
                e[j] = 2.0 * e[j] + e[j] * e[j]


@njit(**_OPTIONS)
def _load_gaussian(G, i, rate, halvings, keeps_size, e):
    """Fill the four rows of e from row i of G on; rows beyond the tile are zero, without effect."""
    for k in range(4):
        if i + k < G.shape[0]:
            _expm1(G[i + k], rate, halvings, keeps_size, e[k])
        else:
            e[k] = 0.0


@njit(**_OPTIONS)
def _to_size(G, i, e):
    """Turn deviations into the kernel itself."""
    for k in range(min(4, G.shape[0] - i)):
        row = e[k]
        for j in range(row.shape[0]):
            row[j] += 1.0


@njit(**_OPTIONS)
def _wide_step(e0, e1, e2, e3, col_sums, col_squares):
    """Sum four rows of deviations and their squares, and square the kernel."""
    s0 = s1 = s2 = s3 = 0.0
    q0 = q1 = q2 = q3 = 0.0
    for j in range(e0.shape[0]):
        a, b, c, d = e0[j], e1[j], e2[j], e3[j]
        aa, bb, cc, dd = a * a, b * b, c * c, d * d
        s0 += a
        s1 += b
        s2 += c
        s3 += d
        q0 += aa
        q1 += bb
        q2 += cc
        q3 += dd
        col_sums[j] += (a + b) + (c + d)
        col_squares[j] += (aa + bb) + (cc + dd)
        e0[j] = 2.0 * a + aa
        e1[j] = 2.0 * b + bb
        e2[j] = 2.0 * c + cc
        e3[j] = 2.0 * d + dd
    return s0, s1, s2, s3, q0, q1, q2, q3


@njit(**_OPTIONS)
def _narrow_step(e0, e1, e2, e3, col_sums):
    """Sum four rows of the kernel, and square it."""
    s0 = s1 = s2 = s3 = 0.0
    for j in range(e0.shape[0]):
        a, b, c, d = e0[j], e1[j], e2[j], e3[j]
        s0 += a
        s1 += b
        s2 += c
        s3 += d
        col_sums[j] += (a + b) + (c + d)
        e0[j] = a * a
        e1[j] = b * b
        e2[j] = c * c
        e3[j] = d * d
    return s0, s1, s2, s3


@njit(**_OPTIONS)
def gaussian_tile(G, ladder, row_sums, row_squares, col_sums, col_squares, e):
    """Add the sums of every step of a ladder over one tile; the last step is for squares only."""
    rate, halvings, wide, steps = ladder
    for i in range(0, G.shape[0], 4):
        _load_gaussian(G, i, rate, halvings, wide == 0, e)
        rows = min(4, G.shape[0] - i)
        for s in range(wide):
            sums = _wide_step(e[0], e[1], e[2], e[3], col_sums[s], col_squares[s])
            for k in range(rows):
                row_sums[s, i + k] += sums[k]
                row_squares[s, i + k] += sums[4 + k]
        if wide > 0:
            _to_size(G, i, e)
        for s in range(wide, steps + 1):
            narrow = _narrow_step(e[0], e[1], e[2], e[3], col_sums[s])
            for k in range(rows):
                row_sums[s, i + k] += narrow[k]


@njit(**_OPTIONS)
def _multiply(e0, e1, e2, e3, v_col, o_col, v0, v1, v2, v3):
    """Return the products of four rows with v_col, and add those of the columns to o_col."""
    s0 = s1 = s2 = s3 = 0.0
    for j in range(e0.shape[0]):
        a, b, c, d = e0[j], e1[j], e2[j], e3[j]
        v = v_col[j]
        s0 += a * v
        s1 += b * v
        s2 += c * v
        s3 += d * v
        o_col[j] += (a * v0 + b * v1) + (c * v2 + d * v3)
    return s0, s1, s2, s3


@njit(**_OPTIONS)
def _square(e, is_wide):
    """Go one step down the ladder."""
    for k in range(4):
        row = e[k]
        if is_wide:
            for j in range(row.shape[0]):
                row[j] = 2.0 * row[j] + row[j] * row[j]
        else:
            for j in range(row.shape[0]):
                row[j] = row[j] * row[j]


@njit(**_OPTIONS)
def _multiply_columns(e, i, rows, v_row, v_col, o_row, o_col):
    """Multiply four rows with every vector; vectors are the rows of v_row and v_col."""
    for m in range(v_col.shape[0]):
        v = np.zeros(4)
        for k in range(rows):
            v[k] = v_row[m, i + k]
        sums = _multiply(e[0], e[1], e[2], e[3], v_col[m], o_col[m], v[0], v[1], v[2], v[3])
        for k in range(rows):
            o_row[m, i + k] += sums[k]


@njit(**_OPTIONS)
def gaussian_matmul_tile(G, ladder, wanted, v_row, v_col, o_row, o_col, e):
    """Add S V over one tile for every wanted step of a ladder, each step with its own vectors."""
    rate, halvings, wide, steps = ladder
    for i in range(0, G.shape[0], 4):
        _load_gaussian(G, i, rate, halvings, wide == 0, e)
        rows = min(4, G.shape[0] - i)
        for s in range(steps):
            if s == wide and wide > 0:
                _to_size(G, i, e)
            if wanted[s]:
                _multiply_columns(e, i, rows, v_row[s], v_col[s], o_row[s], o_col[s])
            _square(e, s < wide)


@njit(**_OPTIONS)
def _load_linear(G, i, gamma, u):
    for k in range(4):
        if i + k < G.shape[0]:
            for j in range(G.shape[1]):
                u[k, j] = gamma * G[i + k, j]
        else:
            u[k] = 0.0


@njit(**_OPTIONS)
def _polynomial_step(e, u, coef0, power):
    """Go one degree up: e <- (c + u) e + c^d u."""
    for k in range(4):
        ek, uk = e[k], u[k]
        for j in range(ek.shape[0]):
            ek[j] = (coef0 + uk[j]) * ek[j] + power * uk[j]


@njit(**_OPTIONS)
def polynomial_tile(G, ladder, row_sums, row_squares, col_sums, col_squares, e, u):
    """Add the sums of the deviations of every degree up to the highest over one tile."""
    gamma, coef0, degrees = ladder
    for i in range(0, G.shape[0], 4):
        _load_linear(G, i, gamma, u)
        e[:] = u
        rows = min(4, G.shape[0] - i)
        power = 1.0
        for s in range(degrees):
            _sum_rows(e, i, rows, row_sums[s], row_squares[s], col_sums[s], col_squares[s])
            power *= coef0
            _polynomial_step(e, u, coef0, power)


@njit(**_OPTIONS)
def _sum_rows(e, i, rows, row_sums, row_squares, col_sums, col_squares):
    for k in range(rows):
        row = e[k]
        s = q = 0.0
        for j in range(row.shape[0]):
            a = row[j]
            s += a
            q += a * a
            col_sums[j] += a
            col_squares[j] += a * a
        row_sums[i + k] += s
        row_squares[i + k] += q


@njit(**_OPTIONS)
def polynomial_matmul_tile(G, ladder, wanted, v_row, v_col, o_row, o_col, e, u):
    """Add S V over one tile for every wanted degree, each with its own vectors."""
    gamma, coef0, degrees = ladder
    for i in range(0, G.shape[0], 4):
        _load_linear(G, i, gamma, u)
        e[:] = u
        rows = min(4, G.shape[0] - i)
        power = 1.0
        for s in range(degrees):
            if wanted[s]:
                _multiply_columns(e, i, rows, v_row[s], v_col[s], o_row[s], o_col[s])
            power *= coef0
            _polynomial_step(e, u, coef0, power)
