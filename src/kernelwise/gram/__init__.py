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
none. ``LowRank`` replaces the matrix by a few features of every row. numba appears in modules with
an underscore only. This package imports kernels and targets.
"""

from kernelwise.gram.base import Engine as Engine
from kernelwise.gram.base import Gram as Gram
from kernelwise.gram.base import GramStatistics as GramStatistics
from kernelwise.gram.base import Need as Need
from kernelwise.gram.base import Powers as Powers
from kernelwise.gram.dense import Dense as Dense
from kernelwise.gram.engines import resolve_engine as resolve_engine
from kernelwise.gram.inverse import Inverse as Inverse
from kernelwise.gram.inverse import Spectrum as Spectrum
from kernelwise.gram.lowrank import LowRank as LowRank
from kernelwise.gram.psd import NotPSDWarning as NotPSDWarning
from kernelwise.gram.psd import repair as repair
from kernelwise.gram.refusals import lacking as lacking
from kernelwise.gram.tiled import Tiled as Tiled
from kernelwise.targets import Targets as Targets
