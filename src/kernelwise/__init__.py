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

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kernelwise import bounds, criteria, gram
    from kernelwise import figures as figures
    from kernelwise.combine import KernelStack, MultiKernelSelector
    from kernelwise.kernels import (
        Columns,
        Gaussian,
        Laplacian,
        Linear,
        Matern,
        Polynomial,
        Precomputed,
        Scaled,
        Sigmoid,
        grids,
    )
    from kernelwise.machines import KRR, LSSVC
    from kernelwise.machines.relevance import relevance
    from kernelwise.selection import (
        Cascade,
        KernelSelector,
        load_model,
        save_model,
        score_kernels,
        score_matrices,
        score_matrix,
    )

__version__ = "0.1.0.dev0"

# Where the public names are defined. They are imported when first asked for, so that a part of the
# package that needs no scikit-learn does not wait for it.
_KERNELS = (
    "Columns Gaussian Laplacian Linear Matern Polynomial Precomputed Scaled Sigmoid grids".split()
)
_SELECTION = (
    "Cascade KernelSelector load_model save_model score_kernels score_matrices score_matrix".split()
)
_HOMES = {
    **dict.fromkeys(_KERNELS, "kernels"),
    **dict.fromkeys(("KRR", "LSSVC"), "machines"),
    "relevance": "machines.relevance",
    **dict.fromkeys(_SELECTION, "selection"),
    **dict.fromkeys(("KernelStack", "MultiKernelSelector"), "combine"),
}
_PARTS = "bounds combine criteria figures gram kernels machines report selection targets".split()

# The public names; scripts rely on them.
__all__ = [
    "KRR",
    "LSSVC",
    "Cascade",
    "Columns",
    "Gaussian",
    "KernelSelector",
    "KernelStack",
    "Laplacian",
    "Linear",
    "Matern",
    "MultiKernelSelector",
    "Polynomial",
    "Precomputed",
    "Scaled",
    "Sigmoid",
    "bounds",
    "criteria",
    "gram",
    "grids",
    "load_model",
    "relevance",
    "save_model",
    "score_kernels",
    "score_matrices",
    "score_matrix",
]


def __getattr__(name: str) -> Any:
    """Return a public name, imported now."""
    if name in _HOMES:
        value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
        globals()[name] = value
        return value
    if name in _PARTS:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return what completion shows."""
    return sorted({*globals(), *__all__, "figures"})
