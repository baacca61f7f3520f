"""Small data sets with the names of the papers'."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes


@pytest.fixture
def folder(data_folder):
    """A folder with two small sets: heart, of two classes with gaps, and mpg, to regress on."""
    X, y = load_breast_cancer(return_X_y=True)
    X[3, 2] = np.nan
    Z, t = load_diabetes(return_X_y=True)
    labels = [f"c{code}" for code in y[:90]]
    return data_folder({"heart": (X[:90, :5], labels), "mpg": (Z[:60], t[:60])})
