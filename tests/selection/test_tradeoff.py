"""Trade-off parameters that are undefined on the inner folds."""

import numpy as np
import pytest

import kernelwise as kw
from inside import ER, UndefinedCriterionWarning


@pytest.mark.parametrize("seed", range(5))
def test_the_undefined_cannot_win(seed):
    """14 inner rows have no tail beyond t = 16."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(22, 3))
    y = rng.integers(0, 2, 22)
    result = kw.score_kernels(X, y, kw.grids.gaussian(-3, 3), ER(t="cv", eta=3.0))
    assert result.criteria["er"].t in (1, 4)


def test_where_all_are_undefined_the_criterion_says_so():
    y = [0, 1] * 6
    with pytest.warns(UndefinedCriterionWarning, match="no value of t and eta is defined on 3 inn"):
        values = kw.score_matrix(np.zeros((12, 12)), y, ER(t="cv", eta="cv"))
    assert np.isnan(values["er"])
