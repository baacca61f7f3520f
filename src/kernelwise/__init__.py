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

import importlib
from typing import TYPE_CHECKING, Any

from kernelwise import criteria, gram
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

if TYPE_CHECKING:
    from kernelwise import bounds as bounds
    from kernelwise import figures as figures

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

_LATER = ("bounds", "figures")  # few need them, and they take time to import


def __getattr__(name: str) -> Any:
    """Import a part of the package when it is first asked for."""
    if name in _LATER:
        return importlib.import_module(f"kernelwise.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})
