"""kernelwise chooses the kernel, and the regularisation, of a kernel method.

From the data it makes candidate kernels, looks at each kernel matrix once, scores it by criteria
that need no training or one factorisation, and fits the machine with the winner::

    X, y ──> kernels ──> gram (engines) ──> criteria ──> selection ──> machines ──> predictions

>>> import kernelwise as kw
>>> from sklearn.datasets import load_iris
>>> X, y = load_iris(return_X_y=True)
>>> selector = kw.KernelSelector().fit(X, y)
>>> selector.score(X, y) > 0.95
True
"""

from kernelwise import bounds, criteria, gram
from kernelwise.kernels import (
    Gaussian,
    Laplacian,
    Linear,
    Matern,
    Polynomial,
    Precomputed,
    Sigmoid,
    grids,
)
from kernelwise.machines import KRR, LSSVC
from kernelwise.selection import (
    Cascade,
    KernelSelector,
    load_model,
    save_model,
    score_kernels,
    score_matrix,
)

__version__ = "0.1.0.dev0"

# The public names; scripts rely on them.
__all__ = [
    "KRR",
    "LSSVC",
    "Cascade",
    "Gaussian",
    "KernelSelector",
    "Laplacian",
    "Linear",
    "Matern",
    "Polynomial",
    "Precomputed",
    "Sigmoid",
    "bounds",
    "criteria",
    "gram",
    "grids",
    "load_model",
    "save_model",
    "score_kernels",
    "score_matrix",
]
