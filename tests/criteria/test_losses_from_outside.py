"""A criterion that returns losses instead of their mean."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

import kernelwise as kw
from inside import Criterion, Need


@pytest.fixture
def absolute():
    """The absolute leave-one-out residuals, by row."""

    @dataclass(frozen=True)
    class Absolute(Criterion):
        name: ClassVar[str] = "my_absolute"
        greater_is_better: ClassVar[bool | None] = False
        needs: ClassVar[frozenset] = frozenset({Need.SOLVE, Need.DIAGONAL})
        formula: ClassVar[str] = "|r_i|"
        reference: ClassVar[str] = "none"
        uses_ridge: ClassVar[bool] = True

        def value(self, evidence, ridge):
            return np.abs(evidence.fit(ridge).loo_residuals[:, 0])

    return Absolute()


def test_the_table_holds_mean_and_standard_error(absolute, rng):
    X, y = rng.normal(size=(40, 2)), rng.normal(size=40)
    kernels = kw.grids.gaussian(-1, 2)
    result = kw.score_kernels(X, y, kernels, [absolute, kw.criteria.ELOO("absolute")])
    np.testing.assert_allclose(result.table["my_absolute"], result.table["eloo"], rtol=1e-12)
    for i, kernel in enumerate(kernels):
        losses = np.abs(kw.KRR(kernel, 1.0, fit_intercept=True).fit(X, y).loo_residuals_)
        naive = losses.std(ddof=1) / np.sqrt(40)
        assert result.standard_errors["my_absolute"][i] == pytest.approx(naive)


def test_a_selector_chooses_by_it(absolute, rng):
    X = rng.normal(size=(50, 2))
    chosen = kw.KernelSelector(criterion=absolute, ridge=1.0).fit(X, np.sin(X[:, 0]))
    assert chosen.best_kernel_ == chosen.result_.best("my_absolute", rule="best")
    assert np.isfinite(chosen.result_.standard_errors["my_absolute"]).any()
