"""How a kernel matrix is seen.

An engine looks at the matrix of every candidate kernel and hands out *grams*, which compute what
they are asked for. Criteria and machines never see the engine, engines never see a criterion: the
gram is the narrow waist between them::

    kernels, X, targets ──> Engine.grams ──> Gram.statistics              K @ T, row squares, ...
                                             Gram.matmul(V)               K @ V
                                             Gram.leading_eigenvalues(t)
                                             Gram.spectrum()              may be thin
                                             Gram.inverses(ridges)        solve, diagonal, block
                                             Gram.rows(index), entries()  where there are any

``Dense`` holds the matrix in memory; it is the reference for every other engine and serves a
user's precomputed matrix. ``Tiled`` sweeps over tiles of all kernel matrices at once and stores
none. numba appears in ``_loops`` only. This package imports kernels and targets only.
"""

from kernelwise._registry import load_modules
from kernelwise.gram.base import Engine, Gram, Need, available, check_needs, get
from kernelwise.gram.dense import Dense, resolve_engine
from kernelwise.gram.inverse import Inverse, Spectrum
from kernelwise.gram.psd import NotPSDWarning, repair
from kernelwise.gram.statistics import GramStatistics
from kernelwise.gram.tiled import Tiled
from kernelwise.targets import Targets

__all__ = [
    "Dense",
    "Engine",
    "Gram",
    "GramStatistics",
    "Inverse",
    "Need",
    "NotPSDWarning",
    "Spectrum",
    "Targets",
    "Tiled",
    "available",
    "check_needs",
    "get",
    "repair",
    "resolve_engine",
]

load_modules(__name__, __path__)
