"""What narrow kernels, whose matrix is nearly the identity, do to estimates of the error."""

import numpy as np
import pytest

import kernelwise as kw
from inside import BIF, KFold


def test_influence_functions_are_fooled_as_documented():
    """After two terms of the series f = y / 8 at ridge 1: no row counts as wrong."""
    y = np.array([0, 1] * 10)
    criteria = [BIF(), BIF(measure="square"), KFold()]
    values = kw.score_matrix(np.eye(20), y, criteria, fit_intercept=False)
    assert list(values.values()) == [0.0, pytest.approx((7 / 8) ** 2), 0.5]
