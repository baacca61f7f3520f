"""The inner loops of the tiled engine, compiled by numba.

All of them work on one tile: the geometry G of a block of rows against a block of columns. Four
rows go together, so that every column accumulator is loaded and stored once for four rows, and two
steps of a ladder go together, so that every entry is loaded and stored once for two; the loops over
columns are plain enough for LLVM to vectorise. Sums are kept on *lines*: one number for every row
and one for every column of the tile. The functions release the interpreter lock, so that ordinary
threads can call them side by side.

A grid of widths is a ladder, of Gaussians on squared and of Laplacians on city-block distances g.
With e = exp(-rate g) - 1, halving the width doubles the rate and squares 1 + e::

    e  <-  e (2 + e)  =  2 e + e^2

so the sums of one step follow from those of the step before and its squares; as long as no pair is
far (where e is near -1 that recursion would double its errors) only the squares are summed. The
first `wide` steps carry e, the others K = 1 + e itself: the deviation of a wide kernel and the size
of a narrow one both keep their digits. The squares of a narrow step are the next step. Once every
exponential of four rows is zero, so is the rest.

Squaring K doubles its relative error, which matters for pairs so near that K stays close to one for
many steps. Four rows with such a pair are walked *signed*: an entry is e where that is above -1/2
(and then negative) and K where it is not.

A grid of polynomial degrees is a ladder too: with u = gamma g and b = c + u, the deviations
e_d = b^d - c^d follow from e_{d+1} = b e_d + c^d u.
"""

import numpy as np
from numba import njit

import kernelwise.gram._compiling  # noqa: F401 (says that it compiles)

# Sums may be reassociated and products fused: what vectorisation needs. NaN and infinity keep their
# meaning, so that an overflow stays visible.
_OPTIONS = {"nogil": True, "cache": True, "fastmath": {"reassoc", "contract", "arcp", "nsz"}}

_INLINE = {**_OPTIONS, "inline": "always"}

LARGEST_EXPONENT = 800.0  # exp(-800) is zero in float64
# Exponent, at the first narrow step, below which a pair would stay near one for too many squarings.
_NEAR = 1e-4
_FEATURES_AT_ONCE = 64  # of a tile: they stay in a core's cache
SMALLEST_DEVIATION = 1e-37  # far below rounding, also after dozens of doublings


# Explicit loops instead of slices: numba compiles the latter with their error messages, which
# takes longer than all the rest.
@njit(**_INLINE)
def _clear(row):
    for j in range(row.shape[0]):
        row[j] = 0


@njit(**_OPTIONS)
def distance_tile(left, right, is_city_block, G):
    """Set G[i, j] to |x_i - z_j|^2 or |x_i - z_j|_1; features are the rows of left and right."""
    d, rows = left.shape
    spare = np.zeros_like(G[0])
    for i in range(rows):
        _clear(G[i])
    for first in range(0, d, _FEATURES_AT_ONCE):
        stop = min(first + _FEATURES_AT_ONCE, d)
        fours = stop - (stop - first) % 4
        for i in range(0, rows, 2):
            paired = i + 1 < rows
            second = i + 1 if paired else i
            r, s = G[i], G[second] if paired else spare
            for k in range(first, fours, 4):
                near = right[k : k + 4]
                _add_four_features(left[k : k + 4], near, i, second, is_city_block, r, s)
            for k in range(fours, stop):
                _add_feature(left[k, i], left[k, second], right[k], is_city_block, r, s)


@njit(**_INLINE)
def _term(a, is_city_block):
    return abs(a) if is_city_block else a * a


@njit(**_OPTIONS)
def _add_four_features(left, right, i, second, is_city_block, r, s):
    x0, x1, x2, x3 = left[0, i], left[1, i], left[2, i], left[3, i]
    y0, y1, y2, y3 = left[0, second], left[1, second], left[2, second], left[3, second]
    z0, z1, z2, z3 = right[0], right[1], right[2], right[3]
    for j in range(r.shape[0]):
        a, b = _term(z0[j] - x0, is_city_block), _term(z1[j] - x1, is_city_block)
        c, d = _term(z2[j] - x2, is_city_block), _term(z3[j] - x3, is_city_block)
        e, f = _term(z0[j] - y0, is_city_block), _term(z1[j] - y1, is_city_block)
        g, h = _term(z2[j] - y2, is_city_block), _term(z3[j] - y3, is_city_block)
        r[j] += (a + b) + (c + d)
        s[j] += (e + f) + (g + h)


@njit(**_INLINE)
def _add_feature(x, y, z, is_city_block, r, s):
    for j in range(r.shape[0]):
        r[j] += _term(z[j] - x, is_city_block)
        s[j] += _term(z[j] - y, is_city_block)


@njit(**_INLINE)
def _copy(source, target):
    for k in range(4):
        for j in range(source.shape[1]):
            target[k, j] = source[k, j]


@njit(**_OPTIONS)
def _series(g, scale, lowest, e):
    """Set e = exp(y) - 1 for y = scale g, |y| up to 1/16, by its series."""
    c2, c3, c4, c5 = 1 / 2, 1 / 6, 1 / 24, 1 / 120
    c6, c7, c8, c9 = 1 / 720, 1 / 5040, 1 / 40320, 1 / 362880
    for j in range(g.shape[0]):
        y = max(g[j] * scale, lowest)
        p = c8 + y * c9
        p = c7 + y * p
        p = c6 + y * p
        p = c5 + y * p
        p = c4 + y * p
        p = c3 + y * p
        p = c2 + y * p
        e[j] = y + y * y * p


@njit(**_OPTIONS)
def _load_exponential(G, i, rate, halvings, e):
    """Fill the four rows of e with exp(-rate g / 2^halvings) - 1, from row i of G on.

    Rows beyond the tile are zero, without effect. Return the smallest of the distances.
    """
    scale = -rate * 0.5**halvings
    lowest = -LARGEST_EXPONENT * 0.5**halvings
    nearest = np.inf
    for k in range(4):
        if i + k < G.shape[0]:
            g = G[i + k]
            for j in range(g.shape[0]):
                nearest = min(nearest, g[j])
            _series(g, scale, lowest, e[k])
        else:
            _clear(e[k])
    return nearest


@njit(**_OPTIONS)
def _nearest_apart(G, i):
    """Return the smallest distance but zero of four rows."""
    nearest = np.inf
    for k in range(i, min(i + 4, G.shape[0])):
        g = G[k]
        for j in range(g.shape[0]):
            nearest = min(nearest, g[j] if g[j] > 0.0 else np.inf)
    return nearest


@njit(**_OPTIONS)
def _to_signed(rows, e):
    """Turn deviations into signed entries; a deviation of zero becomes a tiny one below it."""
    for k in range(rows):
        row = e[k]
        for j in range(row.shape[0]):
            a = row[j]
            row[j] = 1.0 + a if a < -0.5 else min(a, -SMALLEST_DEVIATION)


@njit(**_OPTIONS)
def _signed_square(e):
    """Square the kernel in signed form."""
    for k in range(4):
        row = e[k]
        for j in range(row.shape[0]):
            a = row[j]
            aa = a * a
            deviation = (a + a) + aa
            deviation = 1.0 + deviation if deviation < -0.5 else deviation
            row[j] = deviation if a < 0.0 else aa


@njit(**_OPTIONS)
def _sizes(e, K):
    """Set K to the kernel itself, from signed entries."""
    for k in range(4):
        row, size = e[k], K[k]
        for j in range(row.shape[0]):
            size[j] = 1.0 + row[j] if row[j] < 0.0 else row[j]


@njit(**_INLINE)
def _steps_above_zero(exponent, steps):
    """Return how many of the steps, each doubling the exponent, leave something above zero."""
    alive = 0
    while alive < steps and exponent < LARGEST_EXPONENT:
        alive += 1
        exponent *= 2.0
    return alive


@njit(**_INLINE)
def _sum(e0, e1, e2, e3, columns):
    """Sum four rows."""
    s0 = s1 = s2 = s3 = 0.0
    for j in range(e0.shape[0]):
        a, b, c, d = e0[j], e1[j], e2[j], e3[j]
        s0, s1, s2, s3 = s0 + a, s1 + b, s2 + c, s3 + d
        columns[j] += (a + b) + (c + d)
    return s0, s1, s2, s3


@njit(**_INLINE)
def _next(a, aa, is_wide):
    """Return an entry one step down: 2 e + e^2 of a deviation, K^2 of the kernel itself."""
    return (a + a) + aa if is_wide else aa


@njit(**_OPTIONS)
def _step(e0, e1, e2, e3, columns, is_wide):
    """Sum the squares of four rows, and go one step down."""
    s0 = s1 = s2 = s3 = 0.0
    for j in range(e0.shape[0]):
        a, b, c, d = e0[j], e1[j], e2[j], e3[j]
        aa, bb, cc, dd = a * a, b * b, c * c, d * d
        s0, s1, s2, s3 = s0 + aa, s1 + bb, s2 + cc, s3 + dd
        columns[j] += (aa + bb) + (cc + dd)
        e0[j], e1[j] = _next(a, aa, is_wide), _next(b, bb, is_wide)
        e2[j], e3[j] = _next(c, cc, is_wide), _next(d, dd, is_wide)
    return s0, s1, s2, s3


@njit(**_OPTIONS)
def _two_steps(e0, e1, e2, e3, first, second, is_wide):
    """Do two steps in one pass."""
    s0 = s1 = s2 = s3 = 0.0
    t0 = t1 = t2 = t3 = 0.0
    for j in range(e0.shape[0]):
        a, b, c, d = e0[j], e1[j], e2[j], e3[j]
        aa, bb, cc, dd = a * a, b * b, c * c, d * d
        s0, s1, s2, s3 = s0 + aa, s1 + bb, s2 + cc, s3 + dd
        first[j] += (aa + bb) + (cc + dd)
        a, b = _next(a, aa, is_wide), _next(b, bb, is_wide)
        c, d = _next(c, cc, is_wide), _next(d, dd, is_wide)
        aa, bb, cc, dd = a * a, b * b, c * c, d * d
        t0, t1, t2, t3 = t0 + aa, t1 + bb, t2 + cc, t3 + dd
        second[j] += (aa + bb) + (cc + dd)
        e0[j], e1[j] = _next(a, aa, is_wide), _next(b, bb, is_wide)
        e2[j], e3[j] = _next(c, cc, is_wide), _next(d, dd, is_wide)
    return s0, s1, s2, s3, t0, t1, t2, t3


@njit(**_OPTIONS)
def _direct_step(e0, e1, e2, e3, sums, squares):
    """Sum four rows of deviations and their squares, and go one step down."""
    s0 = s1 = s2 = s3 = 0.0
    q0 = q1 = q2 = q3 = 0.0
    for j in range(e0.shape[0]):
        a, b, c, d = e0[j], e1[j], e2[j], e3[j]
        aa, bb, cc, dd = a * a, b * b, c * c, d * d
        s0, s1, s2, s3 = s0 + a, s1 + b, s2 + c, s3 + d
        sums[j] += (a + b) + (c + d)
        q0, q1, q2, q3 = q0 + aa, q1 + bb, q2 + cc, q3 + dd
        squares[j] += (aa + bb) + (cc + dd)
        e0[j], e1[j], e2[j], e3[j] = (a + a) + aa, (b + b) + bb, (c + c) + cc, (d + d) + dd
    return s0, s1, s2, s3, q0, q1, q2, q3


@njit(**_INLINE)
def _add_one(line, i, rows, sums):
    for k in range(rows):
        line[i + k] += sums[k]


@njit(**_INLINE)
def _add_two(first, second, i, rows, sums):
    for k in range(rows):
        first[i + k] += sums[k]
        second[i + k] += sums[4 + k]


@njit(**_OPTIONS)
def _first_step(G, i, ladder, e, K):
    """Load four rows; return how many steps are above zero, and if narrow ones must be signed."""
    rate, halvings, _, wide, steps = ladder
    rows = min(4, G.shape[0] - i)
    nearest = _load_exponential(G, i, rate, halvings, e)
    alive = max(wide, _steps_above_zero(rate * nearest, steps))
    apart = nearest if nearest > 0 else _nearest_apart(G, i)
    signed = rate * apart * 2.0**wide < _NEAR
    if wide > 0:
        for _ in range(halvings):
            _square(e, True)
    else:
        _to_signed(rows, e)
        for _ in range(halvings):
            _signed_square(e)
        if not signed:
            _sizes(e, K)
            _copy(K, e)
    return alive, signed


@njit(**_INLINE)
def _clear_diagonal(rows, i, e):
    """Leave the diagonal of a tile out of the sums; zero stays zero, step after step."""
    for k in range(rows):
        e[k, i + k] = 0


@njit(**_OPTIONS)
def _to_narrow(rows, signed, e):
    """Turn the deviations of the last wide step into what the narrow ones carry."""
    if signed:
        _to_signed(rows, e)
    else:
        for k in range(rows):
            row = e[k]
            for j in range(row.shape[0]):
                row[j] += 1.0


@njit(**_INLINE)
def _go_down(e, i, rows, line, count, is_wide, on_rows, on_columns):
    """Sum four rows on one line and the squares of so many steps on the next; return the last."""
    e0, e1, e2, e3 = e[0], e[1], e[2], e[3]
    _add_one(on_rows[line], i, rows, _sum(e0, e1, e2, e3, on_columns[line]))
    for k in range(line + 1, line + count, 2):
        sums = _two_steps(e0, e1, e2, e3, on_columns[k], on_columns[k + 1], is_wide)
        _add_two(on_rows[k], on_rows[k + 1], i, rows, sums)
    line += count
    if count % 2 == 1:
        _add_one(on_rows[line], i, rows, _step(e0, e1, e2, e3, on_columns[line], is_wide))
    return line


@njit(**_OPTIONS)
def width_tile(G, ladder, excludes_diagonal, on_rows, on_columns, e, K):
    """Add the sums of a ladder of squares over one tile; without its narrow diagonals.

    With r the steps whose sums follow by recursion: line 0 holds the sums of the deviations of the
    first step, line s + 1 the sums of their squares for every step s < r; the other wide steps have
    a line for each, the narrow ones one line for the kernel, and a last one for its squares.
    """
    rate, halvings, recursive, wide, steps = ladder
    ladder = (rate, halvings, recursive, wide, steps + 1)
    for i in range(0, G.shape[0], 4):
        alive, signed = _first_step(G, i, ladder, e, K)
        rows = min(4, G.shape[0] - i)
        line = 0
        if recursive > 0:
            line = _go_down(e, i, rows, 0, recursive, True, on_rows, on_columns) + 1
        for _ in range(recursive, wide):
            sums = _direct_step(e[0], e[1], e[2], e[3], on_columns[line], on_columns[line + 1])
            _add_two(on_rows[line], on_rows[line + 1], i, rows, sums)
            line += 2
        if wide == steps:
            continue
        if wide > 0:
            _to_narrow(rows, signed, e)
        if excludes_diagonal:
            _clear_diagonal(rows, i, e)
        if signed:
            for k in range(line, line + alive - wide):
                _sizes(e, K)
                sums = _sum(K[0], K[1], K[2], K[3], on_columns[k])
                _add_one(on_rows[k], i, rows, sums)
                _signed_square(e)
        elif alive > wide:
            _go_down(e, i, rows, line, alive - wide - 1, False, on_rows, on_columns)


@njit(**_OPTIONS)
def _multiply(e0, e1, e2, e3, v_column, o_column, v0, v1, v2, v3):
    """Return the products of four rows with v_column, and add those of the columns to o_column."""
    s0 = s1 = s2 = s3 = 0.0
    for j in range(e0.shape[0]):
        a, b, c, d = e0[j], e1[j], e2[j], e3[j]
        v = v_column[j]
        s0, s1, s2, s3 = s0 + a * v, s1 + b * v, s2 + c * v, s3 + d * v
        o_column[j] += (a * v0 + b * v1) + (c * v2 + d * v3)
    return s0, s1, s2, s3


@njit(**_OPTIONS)
def _multiply_and_square(e0, e1, e2, e3, v_column, o_column, v0, v1, v2, v3, is_wide):
    """Multiply four rows, and go one step down."""
    s0 = s1 = s2 = s3 = 0.0
    for j in range(e0.shape[0]):
        a, b, c, d = e0[j], e1[j], e2[j], e3[j]
        v = v_column[j]
        s0, s1, s2, s3 = s0 + a * v, s1 + b * v, s2 + c * v, s3 + d * v
        o_column[j] += (a * v0 + b * v1) + (c * v2 + d * v3)
        e0[j], e1[j] = _next(a, a * a, is_wide), _next(b, b * b, is_wide)
        e2[j], e3[j] = _next(c, c * c, is_wide), _next(d, d * d, is_wide)
    return s0, s1, s2, s3


@njit(**_OPTIONS)
def _square(e, is_wide):
    """Go one step down the ladder."""
    for k in range(4):
        row = e[k]
        for j in range(row.shape[0]):
            row[j] = _next(row[j], row[j] * row[j], is_wide)


@njit(**_INLINE)
def _four(v, i, rows):
    """Return the entries of a vector at four rows; zeros beyond the tile, without effect."""
    return (
        v[i],
        v[i + 1] if rows > 1 else 0.0,
        v[i + 2] if rows > 2 else 0.0,
        v[i + 3] if rows > 3 else 0.0,
    )


@njit(**_OPTIONS)
def _multiply_rows(e, i, v_row, v_column, o_row, o_column):
    """Multiply four rows with every vector; vectors are the rows of v_row and v_column."""
    rows = min(4, v_row.shape[1] - i)
    for m in range(v_column.shape[0]):
        v0, v1, v2, v3 = _four(v_row[m], i, rows)
        sums = _multiply(e[0], e[1], e[2], e[3], v_column[m], o_column[m], v0, v1, v2, v3)
        _add_one(o_row[m], i, rows, sums)


@njit(**_OPTIONS)
def _multiply_rows_and_square(e, i, is_wide, v_row, v_column, o_row, o_column):
    """Multiply four rows with every vector, and go one step down with the last of them."""
    last = v_column.shape[0] - 1
    rows = min(4, v_row.shape[1] - i)
    _multiply_rows(e, i, v_row[:last], v_column[:last], o_row[:last], o_column[:last])
    v0, v1, v2, v3 = _four(v_row[last], i, rows)
    v, o = v_column[last], o_column[last]
    sums = _multiply_and_square(e[0], e[1], e[2], e[3], v, o, v0, v1, v2, v3, is_wide)
    _add_one(o_row[last], i, rows, sums)


@njit(**_OPTIONS)
def width_matmul_tile(G, ladder, wanted, v_row, v_column, o_row, o_column, e, K):
    """Add S V over one tile for every wanted step of a ladder, each step with its own vectors."""
    wide = ladder[3]
    for i in range(0, G.shape[0], 4):
        alive, signed = _first_step(G, i, ladder, e, K)
        rows = min(4, G.shape[0] - i)
        for s in range(alive):
            if s == wide and wide > 0:
                _to_narrow(rows, signed, e)
            if s >= wide and signed:
                if wanted[s]:
                    _sizes(e, K)
                    _multiply_rows(K, i, v_row[s], v_column[s], o_row[s], o_column[s])
                _signed_square(e)
            elif wanted[s]:
                _multiply_rows_and_square(
                    e, i, s < wide, v_row[s], v_column[s], o_row[s], o_column[s]
                )
            else:
                _square(e, s < wide)


@njit(**_OPTIONS)
def _sum_with_squares(e0, e1, e2, e3, sums, squares):
    """Sum four rows and their squares."""
    s0 = s1 = s2 = s3 = 0.0
    q0 = q1 = q2 = q3 = 0.0
    for j in range(e0.shape[0]):
        a, b, c, d = e0[j], e1[j], e2[j], e3[j]
        s0, s1, s2, s3 = s0 + a, s1 + b, s2 + c, s3 + d
        sums[j] += (a + b) + (c + d)
        q0, q1, q2, q3 = q0 + a * a, q1 + b * b, q2 + c * c, q3 + d * d
        squares[j] += (a * a + b * b) + (c * c + d * d)
    return s0, s1, s2, s3, q0, q1, q2, q3


@njit(**_INLINE)
def _load_linear(G, i, gamma, u):
    for k in range(4):
        if i + k < G.shape[0]:
            for j in range(G.shape[1]):
                u[k, j] = gamma * G[i + k, j]
        else:
            _clear(u[k])


@njit(**_OPTIONS)
def _polynomial_step(e, u, constant, power):
    """Go one degree up: e <- (c + u) e + c^d u."""
    for k in range(4):
        ek, uk = e[k], u[k]
        for j in range(ek.shape[0]):
            ek[j] = (constant + uk[j]) * ek[j] + power * uk[j]


@njit(**_OPTIONS)
def polynomial_tile(G, ladder, excludes_diagonal, on_rows, on_columns, e, u):
    """Add the sums and squares of the deviations of every degree: lines 2 s and 2 s + 1."""
    gamma, constant, degrees = ladder
    for i in range(0, G.shape[0], 4):
        rows = min(4, G.shape[0] - i)
        _load_linear(G, i, gamma, u)
        if excludes_diagonal:
            _clear_diagonal(rows, i, u)
        _copy(u, e)
        power = 1.0
        for s in range(degrees):
            sums = _sum_with_squares(
                e[0], e[1], e[2], e[3], on_columns[2 * s], on_columns[2 * s + 1]
            )
            _add_two(on_rows[2 * s], on_rows[2 * s + 1], i, rows, sums)
            power *= constant
            _polynomial_step(e, u, constant, power)


@njit(**_OPTIONS)
def polynomial_matmul_tile(G, ladder, wanted, v_row, v_column, o_row, o_column, e, u):
    """Add S V over one tile for every wanted degree, each with its own vectors."""
    gamma, constant, degrees = ladder
    for i in range(0, G.shape[0], 4):
        _load_linear(G, i, gamma, u)
        _copy(u, e)
        power = 1.0
        for s in range(degrees):
            if wanted[s]:
                _multiply_rows(e, i, v_row[s], v_column[s], o_row[s], o_column[s])
            power *= constant
            _polynomial_step(e, u, constant, power)
