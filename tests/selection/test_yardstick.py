"""Machines compared on half of the rows: nearly the values, and the picks, of all rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_classification

import kernelwise as kw
from helpers import close
from kernelwise import criteria as c
from kernelwise._progress import SILENT
from kernelwise.gram import Targets
from kernelwise.machines import LeastSquares
from kernelwise.selection import exact_values
from kernelwise.selection.exact_values import Yardstick
from kernelwise.selection.local_search import LocalSearch
from kernelwise.selection.problem import Problem

RIDGES = 10.0 ** np.arange(-4.0, 3.0)
KERNELS = kw.grids.gaussian(1, 5)[::-1]


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(8, 200))
def test_the_mean_is_exact_on_the_largest_losses_and_unbiased_elsewhere(seed, n):
    rng = np.random.default_rng(seed)
    first, second = rng.exponential(size=(2, n)) ** 2
    yardstick = Yardstick.of(first)
    assert yardstick.mean == pytest.approx(first.mean())
    assert yardstick.mean_of(first[yardstick.rows]) == pytest.approx(first.mean())
    assert yardstick.shares.sum() == pytest.approx(1.0)
    assert yardstick.rows.size == 2 * (n // 4)
    largest = np.argsort(-first, kind="stable")[: n // 4]
    assert np.isin(largest, yardstick.rows).all()
    changed = first.copy()
    changed[largest] = second[largest]
    assert yardstick.mean_of(changed[yardstick.rows]) == pytest.approx(changed.mean())


def test_a_constant_change_is_known_exactly():
    losses = np.random.default_rng(0).exponential(size=101)
    yardstick = Yardstick.of(losses)
    assert yardstick.mean_of(losses[yardstick.rows] + 0.5) == pytest.approx(losses.mean() + 0.5)


def test_a_mean_loss_is_never_negative():
    losses = np.ones(100)
    yardstick = Yardstick.of(losses)
    sampled = yardstick.shares > 1.0 / 100
    assert yardstick.mean_of(np.where(sampled, 0.0, 1.0) - 0.5) == 0.0


def searched(X, y, criterion, weights=None):
    targets = Targets.of(y).weighted(weights)
    problem = Problem(X, targets, KERNELS, "dense", fit_intercept=True, machine=LeastSquares)
    grid = np.tile(RIDGES, (len(KERNELS), 1))
    return LocalSearch(problem, KERNELS, criterion, grid).run(SILENT)


def data(seed=0, n=900):
    return make_classification(
        n, 8, n_informative=5, n_redundant=0, flip_y=0.1, class_sep=0.8, random_state=seed
    )


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("loss", ["squared_hinge", "press"])
def test_the_pick_is_judged_on_all_rows_and_nearly_the_best(monkeypatch, seed, loss):
    X, y = data(seed)
    monkeypatch.setattr(exact_values, "COMPARED_ROWS", 400)
    found = searched(X, y, c.ELOO(loss))
    full = kw.score_kernels(X, y, KERNELS, c.ELOO(loss), ridge=RIDGES, engine="dense")
    table = full.table["eloo"].reshape(len(KERNELS), -1)
    known = np.isfinite(found.values)
    assert known[found.pick] and known.sum() <= 2  # the first, and the pick
    close(found.values[known], table[known])
    assert table[found.pick] <= 1.01 * table.min()
    machine = kw.LSSVC(KERNELS[found.pick.kernel], RIDGES[found.pick.ridge]).fit(X, y)
    close(found.solution.fit.loo_values[:, 0], machine.loo_values_)
    close(found.solution.coefficients[:, 0], machine.dual_coef_)


@pytest.mark.parametrize(
    ("loss", "weights"), [("balanced_error", None), ("squared_hinge", np.linspace(0.5, 2.0, 900))]
)
def test_losses_that_depend_on_other_rows_are_not_compared(monkeypatch, loss, weights):
    monkeypatch.setattr(exact_values, "COMPARED_ROWS", 400)
    found = searched(*data(), c.ELOO(loss), weights)
    assert np.isfinite(found.values).sum() > 2
