"""How a kernel matrix is seen.

An engine looks at the matrix of every candidate kernel and hands out *grams*: small statistics at
once, products and a spectrum on request. Criteria never see the engine, engines never see a
criterion; the statistics are the narrow waist between them::

    kernels, X, targets ──> Engine.grams ──> Gram.statistics         K @ T, row squares, diagonal
                                             Gram.matmul(V)          K @ V
                                             Gram.leading_eigenvalues(t)
                                             Gram.eigensystem()      one decomposition, kept

``Dense`` holds the matrix in memory; it is the reference for every other engine and serves a
user's precomputed matrix. ``Tiled`` sweeps over tiles of all kernel matrices at once and stores
none. numba appears in ``_loops`` and
``_smo`` only. This package imports kernels only.
"""

from kernelwise._registry import load_modules
from kernelwise.gram.base import Engine, Gram, GramStatistics, available, get
from kernelwise.gram.dense import Dense
from kernelwise.gram.psd import NotPSDWarning, repair
from kernelwise.gram.resolve import resolve_engine
from kernelwise.gram.tiled import Tiled
from kernelwise.targets import Targets

__all__ = [
    "Dense",
    "Engine",
    "Gram",
    "GramStatistics",
    "NotPSDWarning",
    "Targets",
    "Tiled",
    "available",
    "get",
    "repair",
    "resolve_engine",
]

load_modules(__name__, __path__)
