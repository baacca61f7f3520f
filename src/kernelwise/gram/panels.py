"""Cholesky factors and their inverses in steps: LAPACK's cubic work, a second at a time.

A call to LAPACK for 20,000 rows takes a minute in which no bar moves and no key is read. Here
matrices are halved until they are small enough for it; what joins the halves are matrix products,
which are as fast, and between which a task is told and Ctrl-C acts.
"""

from scipy.linalg import get_blas_funcs, get_lapack_funcs

from kernelwise._progress import SILENT, Task
from kernelwise._types import Array
from kernelwise.gram._lapack import factorize, invert

STEPWISE = 8001  # rows from which on a call to LAPACK takes seconds
_SMALL = 2048  # rows that it is given at once then
_THIN = 256  # columns of a triangle that is solved with at once
_STEP = 1.5e10  # multiplications at once, which take less than a second
PARTS = 100  # in which progress is told
_ROUNDING = 1e-6


def cholesky_factor(M: Array, progress: Task = SILENT) -> Array | None:
    """Return the lower Cholesky factor of a matrix, zeros above it; None if there is none.

    Only the lower triangle is read. A matrix in LAPACK's order is overwritten.
    """
    if M.shape[0] < STEPWISE:
        return factorize(M)
    return M if _factorize(M, _Steps(M.shape[0], progress)) else None


def steps_for(rows: int) -> int:
    """Return in how many parts a factor and its inverse are told of."""
    return 2 * PARTS if rows >= STEPWISE else 0


def inverse_factor(L: Array, progress: Task = SILENT) -> Array:
    """Return the inverse of a lower triangle, in its place if it is in LAPACK's order."""
    if L.shape[0] < STEPWISE:
        return invert(L)
    _invert(L, _Steps(L.shape[0], progress))
    return L


class _Steps:
    """Products one step after the other, which are told to a task.

    Parameters
    ----------
    n : int
        The number of rows.
    progress : Task
        Told in :data:`PARTS`.
    """

    def __init__(self, n: int, progress: Task = SILENT) -> None:
        self._total, self._progress = float(n) ** 3 / 6.0, progress
        self._done, self._told = 0.0, 0

    def count(self, multiplications: float) -> None:
        """Count work, and tell of it."""
        self._done += multiplications
        while self._told < min(PARTS, int(PARTS * self._done / self._total + _ROUNDING)):
            self._progress.advance()
            self._told += 1

    def subtract(self, C: Array, A: Array, B: Array) -> None:
        """Subtract A B from C."""
        rows = max(1, int(_STEP / (A.shape[1] * B.shape[1])))
        for start in range(0, C.shape[0], rows):
            block = slice(start, start + rows)
            C[block] -= A[block] @ B
            self.count(float(C[block].size) * A.shape[1])


def _factorize(M: Array, steps: _Steps) -> bool:
    """Replace the lower triangle of M by its Cholesky factor, the rest by zeros.

    Returns False where M is not positive definite, and then leaves it in pieces.
    """
    n = M.shape[0]
    if n <= _SMALL:
        M[:], info = get_lapack_funcs("potrf", (M,))(M, lower=1, clean=1)
        steps.count(n**3 / 6.0)
        return bool(info == 0)
    h = n // 2
    M[:h, h:] = 0.0
    if not _factorize(M[:h, :h], steps):
        return False
    _solve(M[:h, :h], M[h:, :h], steps)
    _subtract_square(M[h:, h:], M[h:, :h], steps)
    return _factorize(M[h:, h:], steps)


def _invert(L: Array, steps: _Steps) -> None:
    """Replace a lower triangle by its inverse."""
    n = L.shape[0]
    if n <= _SMALL:
        L[:], _ = get_lapack_funcs("trtri", (L,))(L, lower=1)
        steps.count(n**3 / 6.0)
        return
    h = n // 2
    # The lower left of the inverse is -L22^-1 L21 L11^-1.
    L[h:, :h] *= -1.0
    _solve_transposed(L[:h, :h], L[h:, :h], steps)
    _solve(L[h:, h:], L[h:, :h].T, steps)
    _invert(L[:h, :h], steps)
    _invert(L[h:, h:], steps)


def _solve(L: Array, B: Array, steps: _Steps) -> None:
    """Replace B by B L^-T."""
    n = L.shape[0]
    if n <= _THIN:
        B[:] = get_blas_funcs("trsm", (B,))(1.0, L, B.T, lower=1).T
        steps.count(B.shape[0] * n**2 / 2.0)
        return
    h = n // 2
    _solve(L[:h, :h], B[:, :h], steps)
    steps.subtract(B[:, h:], B[:, :h], L[h:, :h].T)
    _solve(L[h:, h:], B[:, h:], steps)


def _solve_transposed(L: Array, B: Array, steps: _Steps) -> None:
    """Replace B by B L^-1."""
    n = L.shape[0]
    if n <= _THIN:
        B[:] = get_blas_funcs("trsm", (B,))(1.0, L, B.T, lower=1, trans_a=1).T
        steps.count(B.shape[0] * n**2 / 2.0)
        return
    h = n // 2
    _solve_transposed(L[h:, h:], B[:, h:], steps)
    steps.subtract(B[:, :h], B[:, h:], L[h:, :h])
    _solve_transposed(L[:h, :h], B[:, :h], steps)


def _subtract_square(C: Array, B: Array, steps: _Steps) -> None:
    """Subtract B B' from the lower triangle of C."""
    n = C.shape[0]
    if n <= _SMALL // 2:
        steps.subtract(C, B, B.T)
        return
    h = n // 2
    _subtract_square(C[:h, :h], B[:h], steps)
    steps.subtract(C[h:, :h], B[h:], B[:h].T)
    _subtract_square(C[h:, h:], B[h:], steps)
