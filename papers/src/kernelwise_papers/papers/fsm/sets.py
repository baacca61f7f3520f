"""The data sets and the kernels of Figure 3 of the FSM paper.

References
----------
C. H. Nguyen and T. B. Ho, Kernel matrix evaluation, IJCAI 2007, Section 4.2.
"""

import numpy as np

from kernelwise._types import Array
from kernelwise.kernels import Gaussian, Kernel, Linear, Polynomial, Sigmoid
from kernelwise_papers import datasets, downloads
from kernelwise_papers.datasets import Dataset

KERNELS = ("linear", "polynomial", "RBF", "tanh")
VARIANTS = {"polynomial": "polynomial (offset 1)", "tanh": "tanh (slope 1)"}
SETS = (
    "australian",
    "breast-cancer",
    "diabetes",
    "fourclass",
    "german.numer",
    "heart",
    "ionosphere",
    "vehicle",
)
CARS = ("opel", "saab")


def kernels(features: int) -> dict[str, Kernel]:
    """Return the four kernels of the paper, then other readings of two of them."""
    slope = 1.0 / features
    return {
        "linear": Linear(),
        "polynomial": Polynomial(degree=3, coef0=0.0, gamma=1.0),
        "RBF": Gaussian.from_gamma(slope),
        "tanh": Sigmoid(gamma=slope, coef0=0.0),
        VARIANTS["polynomial"]: Polynomial(degree=3, coef0=1.0, gamma=1.0),
        VARIANTS["tanh"]: Sigmoid(gamma=1.0, coef0=0.0),
    }


def load(name: str) -> Dataset:
    """Return a set; the four classes of vehicle are grouped to cars and others."""
    if name != "vehicle":
        return datasets.load(name)
    table = downloads.read(datasets.path(name))
    y = np.where(np.isin(table.y, CARS), "car", "other")
    return Dataset(name, table.X, y, ("classes grouped",))


def scaled(X: Array) -> Array:
    """Return features from -1 to 1; a constant one is zero."""
    low, high = X.min(axis=0), X.max(axis=0)
    width = np.where(high > low, high - low, 1.0)
    return np.asarray(np.where(high > low, 2.0 * (X - low) / width - 1.0, 0.0))
