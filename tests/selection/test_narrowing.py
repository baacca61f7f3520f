"""The second stage follows the best kernel as rows are added, also where few rows mislead."""

import numpy as np
import pytest

import kernelwise as kw
from inside import (
    SILENT,
    Bar,
    LeastSquares,
    LocalSearch,
    Problem,
    SearchFailed,
    Targets,
    local_search,
    with_narrower,
)
from kernelwise import criteria as c

RIDGES = 10.0 ** np.arange(-4.0, 3.0)
WIDTHS = [kw.Gaussian(2.0**i) for i in range(1, -11, -1)]


def rough(n=800, seed=2, noise=0.1):
    """A function without a scale: the more rows, the more of its details can be learnt."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 2))
    distances = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    factor = np.linalg.cholesky(np.exp(-2.0 * distances) + 1e-10 * np.eye(n))
    return X, factor @ rng.normal(size=n) + noise * rng.normal(size=n)


def searched(X, y, kernels=WIDTHS, criterion=None, ridges=RIDGES):
    targets = Targets.of(y)
    problem = Problem(X, targets, kernels, "dense", fit_intercept=True, machine=LeastSquares)
    grid = np.tile(ridges, (len(kernels), 1))
    return LocalSearch(problem, kernels, criterion or c.ELOO(), grid)


def table(X, y, kernels=WIDTHS, ridges=RIDGES):
    found = kw.score_kernels(X, y, kernels, "eloo", ridge=ridges, engine="dense")
    return found.table["eloo"].reshape(len(kernels), -1)


@pytest.fixture
def few_values(monkeypatch):
    """As with thousands of rows: one value on all of them."""
    monkeypatch.setattr(local_search, "FIRST_LOOK", 100)
    monkeypatch.setattr(local_search, "EXACT_VALUES", 400)
    monkeypatch.setattr(local_search, "_AFFORDABLE", 700)
    monkeypatch.setattr(local_search, "_DOUBTFUL", 10.0)


@pytest.mark.parametrize("noise", [0.1, 0.3])
def test_the_pick_narrows_as_rows_are_added(few_values, noise):
    X, y = rough(noise=noise)
    exact, search = table(X, y), searched(X, y)
    first, found = search._first_look(100, SILENT).pick, search.run(SILENT)
    assert found.looked_at == [100, 200, 400, 800]
    assert np.count_nonzero(~np.isnan(found.values)) == 1
    assert found.pick.kernel >= first.kernel + 2
    assert exact[first] > 1.2 * exact.min()  # what a band around it would have hidden
    assert exact[found.pick] <= 1.01 * exact.min()


def test_where_values_are_affordable_the_pick_is_the_best_of_the_table(monkeypatch):
    monkeypatch.setattr(local_search, "FIRST_LOOK", 100)
    X, y = rough(seed=0)
    exact, found = table(X, y), searched(X, y).run(SILENT)
    assert exact[found.pick] == pytest.approx(exact.min())


def test_narrower_candidates_join_the_survivors():
    kernels = [*kw.grids.gaussian(-2, 5), kw.Linear(), *kw.grids.laplacian(0, 3)]
    widest_first = [4, 3, 2, 1, 0]  # Gaussians of width 4 and 2 survived, and two more came
    assert with_narrower(kernels, [4, 3]) == [4, 3, 2, 1]
    assert with_narrower(kernels, [2, 4]) == [4, 2, 1, 0]
    assert with_narrower(kernels, [1]) == [1, 0]
    assert with_narrower(kernels, widest_first) == widest_first
    assert with_narrower(kernels, [8]) == [8]
    families = with_narrower(kernels, [11, 8, 3])
    assert sorted(families) == [1, 2, 3, 8, 9, 10, 11]


def test_the_default_reaches_kernels_that_the_screen_left_out():
    X, y = rough(900)
    result = kw.KernelSelector(kernels=kw.grids.gaussian(-10, 1)).fit(X, y).result_
    screened = np.argsort(-result.table["sm"])[:5]
    looked_at = [
        i
        for i, kernel in enumerate(result.kernels)
        if f"{kernel}: eloo" in result.notes or np.isfinite(result.table["eloo"][i])
    ]
    assert len(looked_at) == 7 and set(screened) < set(looked_at)


def test_notes_list_all_looks():
    X, y = rough(1600)
    notes = kw.KernelSelector(kernels=kw.grids.gaussian(-10, 1)).fit(X, y).result_.notes.values()
    assert "set aside after a look at 400, 500 and 800 rows" in notes


def test_one_kernel_and_one_ridge():
    X, y = rough(700)
    found = searched(X, y, WIDTHS[5:6]).run(SILENT)
    exact = table(X, y, WIDTHS[5:6])
    assert exact[found.pick] == exact.min()
    found = searched(X, y, ridges=RIDGES[3:4]).run(SILENT)
    exact = table(X, y, ridges=RIDGES[3:4])
    assert exact[found.pick] == pytest.approx(exact.min())
    found = searched(X, y, WIDTHS[5:6], ridges=RIDGES[3:4]).run(SILENT)
    assert found.pick == (0, 0) and np.isfinite(found.values).all()


def test_kernels_in_any_order():
    X, y = rough(700)
    kernels = [WIDTHS[i] for i in np.random.default_rng(0).permutation(len(WIDTHS))]
    exact, found = table(X, y, kernels), searched(X, y, kernels).run(SILENT)
    k, j = found.pick
    assert np.isfinite(found.values[k, j])
    assert exact[k, j] <= np.nanmin(found.values) * (1 + 1e-9)


class TestOddValues:
    """Leave-one-out that is undefined or infinite where a test says so."""

    def search(self, monkeypatch, says, n=700):
        X, y = rough(n)
        value = c.ELOO.value

        def scripted(self, evidence, ridge):
            said = says(evidence.n, evidence.kernel, ridge)
            return value(self, evidence, ridge) if said is None else said

        monkeypatch.setattr(c.ELOO, "value", scripted)
        return searched(X, y)

    @pytest.mark.parametrize("value", [np.nan, np.inf])
    def test_nothing_on_the_first_rows(self, monkeypatch, value):
        search = self.search(monkeypatch, lambda n, *_: value if n == 500 else None)
        with pytest.raises(SearchFailed):
            search.run(SILENT)

    def test_nothing_on_all_rows(self, monkeypatch):
        search = self.search(monkeypatch, lambda n, *_: np.nan if n == 700 else None)
        with pytest.raises(SearchFailed):
            search.run(SILENT)

    def test_infinite_values_are_walked_away_from(self, monkeypatch):
        search = self.search(
            monkeypatch, lambda n, kernel, ridge: np.inf if n > 500 and ridge < 1.0 else None
        )
        found = search.run(SILENT)
        assert RIDGES[found.pick.ridge] >= 1.0 and np.isfinite(found.values[found.pick])

    def test_some_values_are_undefined_on_few_rows(self, monkeypatch):
        search = self.search(
            monkeypatch, lambda n, kernel, ridge: np.nan if n == 500 and ridge > 0.01 else None
        )
        found = search.run(SILENT)
        assert RIDGES[found.pick.ridge] <= 0.01


def test_progress_moves_with_every_value_and_ends_complete(few_values):
    X, y = rough()
    bar, seen = Bar("search"), []
    bar.show = seen.append
    searched(X, y).run(bar)
    assert seen == sorted(seen) and seen[-1] == pytest.approx(1.0)
    assert len(set(seen)) > 12


def test_the_bar_goes_as_the_work_does(few_values):
    """A value on twice the rows takes eight times the stretch."""
    X, y = rough()
    search = searched(X, y)
    stages = search._stages()
    first, *shares, last = search._shares(stages, budget=1)
    works = [stage.budget * stage.rows**3 for stage in stages if stage.budget > 1]
    told = [share for share, stage in zip(shares, stages, strict=True) if stage.budget > 1]
    assert len(works) > 1 and first >= 1 and last > max(told)
    unit = sum(told) / sum(works)
    np.testing.assert_allclose(told, unit * np.array(works), atol=1.0)
