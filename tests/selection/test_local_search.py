"""Looking at few rows first finds what looking at everything finds, and its values are exact."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_classification, make_friedman1

import kernelwise as kw
from helpers import close
from inside import (
    SILENT,
    GridIndex,
    LeastSquares,
    LocalSearch,
    Problem,
    Targets,
    local_search,
    search,
    stratified_order,
)
from kernelwise import criteria as c

RIDGES = 10.0 ** np.arange(-4.0, 3.0)


def problem(X, y, kernels):
    targets = Targets.of(y)
    return Problem(X, targets, kernels, "dense", fit_intercept=True, machine=LeastSquares)


def blobs(n=700, seed=0):
    return make_classification(
        n, 8, n_informative=5, n_redundant=0, flip_y=0.1, class_sep=0.8, random_state=seed
    )


def zoomed(X, y, kernels, criterion):
    grid = np.tile(RIDGES, (len(kernels), 1))
    return LocalSearch(problem(X, y, kernels), kernels, criterion, grid).run(SILENT)


@pytest.mark.parametrize("seed", [0, 1])
def test_the_pick_is_as_good_as_that_of_the_full_table(seed):
    X, y = blobs(seed=seed)
    kernels = kw.grids.gaussian(1, 5)[::-1]
    criterion = c.ELOO("squared_hinge")
    full = kw.score_kernels(X, y, kernels, criterion, ridge=RIDGES, engine="dense")
    full = full.table["eloo"].reshape(len(kernels), -1)
    found = zoomed(X, y, kernels, criterion)
    known = ~np.isnan(found.values)
    close(found.values[known], full[known])
    assert known.sum() <= 10
    k, j = found.pick
    assert full[k, j] <= 1.01 * full.min()
    assert full[k, j] <= full[k, max(j - 1, 0) : j + 2].min() * (
        1 + 1e-12
    )  # no neighbour is better


def test_regression_and_many_classes():
    X, y = make_friedman1(700, noise=1.0, random_state=0)
    kernels = kw.grids.gaussian(-2, 2)[::-1]
    full = kw.score_kernels(X, y, kernels, "eloo", ridge=RIDGES, engine="dense").table["eloo"]
    found = zoomed(X, y, kernels, c.ELOO())
    assert full.reshape(5, -1)[found.pick] <= 1.01 * full.min()
    X, y = load_digits(return_X_y=True)
    found = zoomed(X[:700], y[:700], kw.grids.gaussian(8, 11)[::-1], c.ELOO("squared_hinge"))
    assert found.solution.coefficients.shape == (700, 10)


def test_the_machine_of_the_pick_is_the_fitted_one():
    X, y = blobs()
    selector = kw.KernelSelector(kernels=kw.grids.gaussian(0, 8)).fit(X, y)
    again = kw.LSSVC(selector.best_kernel_, selector.best_ridge_).fit(X, y)
    close(selector.best_estimator_.dual_coef_, again.dual_coef_)
    close(selector.best_estimator_.loo_residuals_, again.loo_residuals_)
    close(selector.best_estimator_.intercept_, again.intercept_)
    np.testing.assert_array_equal(selector.predict(X), again.predict(X))
    column = selector.result_.table["eloo"]
    exact = kw.score_kernels(
        X, y, selector.best_kernel_, c.ELOO("squared_hinge"), ridge=selector.best_ridge_
    )
    close(np.nanmin(column), exact.table["eloo"][0])


def test_weights_are_not_forgotten():
    X, y = blobs()
    machine = kw.LSSVC(class_weight={0: 1.0, 1: 5.0})
    selector = kw.KernelSelector(machine, kernels=kw.grids.gaussian(2, 6)).fit(X, y)
    best = selector.best_estimator_
    again = kw.LSSVC(best.kernel, best.ridge, class_weight={0: 1.0, 1: 5.0}).fit(X, y)
    close(best.dual_coef_, again.dual_coef_)


def test_few_rows_are_scored_in_full():
    X, y = blobs(400)
    result = kw.KernelSelector(kernels=kw.grids.gaussian(0, 8)).fit(X, y).result_
    assert np.count_nonzero(~np.isnan(result.table["eloo"])) == 5
    assert result.notes == {}


def test_kernels_set_aside_are_noted_and_alone_leave_one_out_is_complete():
    X, y = blobs()
    kernels = kw.grids.gaussian(-4, 8)
    result = kw.KernelSelector(kernels=kernels).fit(X, y).result_
    aside = [note for note in result.notes.values() if "set aside after a look at 500" in note]
    # Five survivors and two narrower kernels.
    assert len(aside) == 7 - np.count_nonzero(~np.isnan(result.table["eloo"]))
    assert np.isnan(result.ridges[np.isnan(result.table["eloo"])]).all()
    alone = kw.KernelSelector(kernels=kernels[6:9], criterion="eloo").fit(X, y).result_
    assert np.isfinite(alone.table["eloo"]).all()


def test_large_data_get_one_exact_value(monkeypatch):
    monkeypatch.setattr(local_search, "FIRST_LOOK", 80)
    monkeypatch.setattr(local_search, "EXACT_VALUES", 120)
    monkeypatch.setattr(local_search, "_AFFORDABLE", 600)
    monkeypatch.setattr(search, "LOCAL_ROWS", 120)
    X, y = blobs()
    found = zoomed(X, y, kw.grids.gaussian(1, 5)[::-1], c.ELOO("squared_hinge"))
    assert found.looked_at == [80, 175, 350, 700]
    assert np.count_nonzero(~np.isnan(found.values)) == 1 and not np.isnan(found.values[found.pick])


def test_every_beginning_has_all_classes_in_proportion():
    y = np.repeat([0, 1, 2], [600, 300, 100])
    order = stratified_order(Targets.of(y))
    assert sorted(order) == list(range(1000))
    for m in (50, 100, 500):
        np.testing.assert_allclose(np.bincount(y[order[:m]]) / m, [0.6, 0.3, 0.1], atol=0.03)


def test_a_kernel_that_is_not_definite_keeps_the_ridges_that_work():
    X, y = blobs(700)
    kernels = [kw.Sigmoid(0.5, 1.0), kw.Gaussian(8.0)]
    with pytest.warns(kw.gram.NotPSDWarning):
        selector = kw.KernelSelector(kernels=kernels).fit(X, y)
    assert np.isfinite(selector.best_ridge_)
    found = zoomed(X, y, [kw.Gaussian(8.0)], c.ELOO())
    assert isinstance(found.pick, GridIndex)


def sigmoid_data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(700, 4))
    return X, (X[:, 0] + X[:, 1] ** 2 + 0.5 * rng.normal(size=700) > 0.5).astype(int)


@pytest.mark.filterwarnings("ignore::kernelwise.gram.NotPSDWarning", "ignore:undefined")
class TestIndefinite:
    kernel = kw.Sigmoid(1.0, -1.0)

    def test_a_kernel_without_a_ridge_that_works_is_left_out(self):
        X, y = sigmoid_data()
        selector = kw.KernelSelector(kernels=[self.kernel, kw.Gaussian(1.0)]).fit(X, y)
        assert selector.best_kernel_ == kw.Gaussian(1.0)

    def test_nothing_that_works_is_said_in_a_sentence(self):
        X, y = sigmoid_data()
        with pytest.raises(ValueError, match="eloo is undefined for every candidate"):
            kw.KernelSelector(kernels=[self.kernel], ridge=[1e-6, 1e-4]).fit(X, y)

    def test_a_ridge_that_works_on_few_rows_only(self):
        X, y = sigmoid_data()
        selector = kw.KernelSelector(kernels=[self.kernel], ridge=[248.8, 251.3, 2513.0]).fit(X, y)
        assert selector.best_ridge_ == 2513.0
        cascade = kw.Cascade(("sm", 5), ("eloo", 1))
        both = [self.kernel, kw.Gaussian(16.0)]
        for ridge in ([212.9, 6386.0], [229.6, 6888.0], [250.4, 7512.0]):
            selector = kw.KernelSelector(kernels=both, criterion=cascade, ridge=ridge).fit(X, y)
            assert np.isfinite(np.nanmin(selector.result_.table["eloo"]))


def test_values_of_zero(monkeypatch):
    monkeypatch.setattr(local_search, "_AFFORDABLE", 1200)
    X = np.random.default_rng(0).normal(size=(1600, 2)) + 9.0 * (np.arange(1600) % 2)[:, None]
    cascade = kw.Cascade(("sm", 2), (c.ELOO("error"), 1))
    kernels = kw.grids.gaussian(0, 3)
    selector = kw.KernelSelector(kernels=kernels, criterion=cascade, ridge=[0.1, 1.0])
    assert selector.fit(X, np.arange(1600) % 2).score(X, np.arange(1600) % 2) == 1.0


def test_a_tie_does_not_mix_up_machines():
    """Every width and ridge is right about every row: the preferred one is also the fitted one."""
    X = np.random.default_rng(0).normal(size=(700, 2)) + 12.0 * (np.arange(700) % 2)[:, None]
    y = np.arange(700) % 2
    cascade = kw.Cascade(("sm", 4), (c.ELOO("error"), 1))
    selector = kw.KernelSelector(kernels=kw.grids.gaussian(1, 4), criterion=cascade).fit(X, y)
    again = kw.LSSVC(selector.best_kernel_, selector.best_ridge_).fit(X, y)
    close(selector.best_estimator_.dual_coef_, again.dual_coef_)


def test_rare_classes_are_in_every_beginning():
    y = np.r_[np.zeros(2398, int), 1, 1]
    assert y[stratified_order(Targets.of(y))[:10]].sum() >= 1


def test_sparse_rows():
    import scipy.sparse as sp

    X, y = blobs(700)
    X = np.where(np.abs(X) > 1.0, X, 0.0)
    dense, sparse = (
        kw.KernelSelector(kernels=kw.grids.gaussian(0, 6)).fit(Z, y) for Z in (X, sp.csr_array(X))
    )
    assert dense.best_kernel_ == sparse.best_kernel_ and dense.best_ridge_ == sparse.best_ridge_
