"""Climbs, and who judges machines: exactly, by trials on all rows, by what more rows will say."""

import numpy as np
import pytest
from sklearn.datasets import make_classification

import kernelwise as kw
from helpers import close
from inside import (
    SILENT,
    Climb,
    ExactJudge,
    Grid,
    GridIndex,
    Guide,
    Judge,
    LeastSquares,
    LocalSearch,
    Problem,
    SearchFailed,
    Targets,
    TrendJudge,
    TrialJudge,
    judge_of,
    local_search,
    stratified_order,
)
from kernelwise import criteria as c

RIDGES = 10.0 ** np.arange(-4.0, 3.0)
KERNELS = kw.grids.gaussian(1, 5)[::-1]


def data(seed=0, n=900):
    return make_classification(
        n, 8, n_informative=5, n_redundant=0, flip_y=0.1, class_sep=0.8, random_state=seed
    )


def problem(X, y, weights=None, engine="dense"):
    targets = Targets.of(y).weighted(weights)
    return Problem(X, targets, KERNELS, engine, fit_intercept=True, machine=LeastSquares)


def grid(loss="squared_hinge"):
    return Grid(KERNELS, c.ELOO(loss), np.tile(RIDGES, (len(KERNELS), 1)))


class Scripted(Judge):
    """Says what a table says, and counts how often it is asked."""

    def __init__(self, table):
        self.table, self.asked = np.asarray(table, dtype=float), []

    def value(self, place, progress=SILENT):
        self.asked.append(place)
        return float(self.table[place])


@pytest.mark.parametrize(
    ("loss", "weights"),
    [
        ("squared_hinge", None),
        ("press", np.linspace(0.5, 2.0, 900)),
        ("balanced_error", None),
        ("log_loss", None),
    ],
)
def test_trials_on_all_rows_are_nearly_exact(loss, weights):
    X, y = data()
    whole = problem(X, y, weights)
    trial = judge_of(whole, stratified_order(whole.targets), 900, grid(loss))
    exact = ExactJudge(whole, grid(loss))
    assert isinstance(trial, TrialJudge)
    for place in (GridIndex(0, 3), GridIndex(4, 1), GridIndex(2, 6)):
        assert trial.value(place) == pytest.approx(exact.value(place), rel=5e-3)


def test_trials_on_some_rows_are_judged_on_all():
    X, y = data()
    whole, place = problem(X, y), GridIndex(2, 4)
    order = stratified_order(whole.targets)
    judge = judge_of(whole, order, 300, grid())
    part, rest = np.sort(order[:300]), np.sort(order[300:])
    machine = kw.LSSVC(KERNELS[2], RIDGES[4]).fit(X[part], y[part])
    values = np.append(machine.loo_values_, machine.decision_function(X[rest]))
    signs = 2.0 * np.append(y[part], y[rest]) - 1.0
    losses = np.maximum(0.0, 1.0 - signs * values) ** 2
    assert judge.value(place) == pytest.approx(losses.mean(), rel=1e-4)
    error = losses.std(ddof=1) / 30.0 / losses.mean()
    assert judge.relative_error(place) == pytest.approx(error, rel=1e-2)


def test_the_trend_goes_on():
    class Fixed(TrialJudge):
        def __init__(self, value):
            self._value = value

        def value(self, place, progress=SILENT):
            return self._value

    place = GridIndex(0, 0)
    assert TrendJudge(Fixed(0.4), Fixed(0.2)).value(place) == pytest.approx(0.2 * 0.5**0.7)
    assert TrendJudge(Fixed(0.2), Fixed(0.2)).value(place) == pytest.approx(0.2)
    assert TrendJudge(Fixed(0.0), Fixed(0.2)).value(place) == 0.2
    assert TrendJudge(Fixed(np.inf), Fixed(0.2)).value(place) == np.inf
    assert TrendJudge(Fixed(0.2), Fixed(np.inf)).value(place) == np.inf


def test_a_steep_fall_is_not_expected_to_go_on():
    """A machine that was hopeless on a quarter of the rows may be better on half of them."""

    class Losses(TrialJudge):
        def __init__(self, *values):
            self._known = values

        def value(self, place, progress=SILENT):
            return self._known[place.ridge]

    steady, steep, slow = (GridIndex(0, j) for j in range(3))
    judge = TrendJudge(Losses(0.4, 9.0, 0.2), Losses(0.2, 0.22, 0.2))
    expected = 0.2 * 0.5**0.7
    assert judge.value(steady) == pytest.approx(expected)
    assert judge.value(steep) == pytest.approx(0.95 * 1.1 * expected)
    assert judge.value(slow) == pytest.approx(0.2)


def test_what_was_compared_before_comes_first_on_all_rows():
    guide = np.array([[9.0, 1.5, 9.0], [3.0, 1.0, 2.0], [9.0, 4.0, 5.0]])
    judge = Scripted(np.where(guide == 1.0, 0.0, 1.0))
    compared = frozenset({GridIndex(1, 1), GridIndex(1, 0), GridIndex(2, 1)})
    Climb(judge, Guide(guide, GridIndex(1, 1), compared), SILENT, rougher_first=False).run(10)
    assert [guide[place] for place in judge.asked] == [1.0, 3.0, 4.0, 1.5, 2.0, 5.0, 9.0]


def test_a_climb_tells_what_it_has_compared():
    table = np.array([[1.0, 1.0], [1.5, 2.0]])
    climb = Climb(Scripted(table), Guide(table, GridIndex(0, 0)), SILENT).run(2)
    assert len(climb.guide(True).compared) == 2


def test_a_climb_asks_once_for_each_and_stops_at_the_peak():
    k, j = np.mgrid[:6, :7]
    table = (k - 4.0) ** 2 + (j - 2.0) ** 2 + 0.5 * (k - 4.0) * (j - 2.0) + 1.0
    judge = Scripted(table)
    climb = Climb(judge, Guide(table, GridIndex(0, 6)), SILENT).run(100)
    assert climb.pick == (4, 2) and climb.is_peak
    assert len(judge.asked) == len(set(judge.asked)) < 42
    short = Scripted(table)
    climb = Climb(short, Guide(table, GridIndex(0, 6)), SILENT).run(5)
    assert len(short.asked) == 5 and not climb.is_peak
    assert table[climb.pick] == min(table[place] for place in short.asked)


def test_the_guide_decides_alone_where_it_knows_all_rows():
    guide = np.array([[9.0, 1.5, 9.0], [3.0, 1.0, 2.0], [9.0, 4.0, 5.0]])
    orders = []
    for rougher_first in (True, False):
        judge = Scripted(np.where(guide == 1.0, 0.0, 1.0))
        given = judge, Guide(guide, GridIndex(1, 1)), SILENT
        Climb(*given, rougher_first=rougher_first).run(10)
        orders.append([guide[place] for place in judge.asked])
    assert orders == [[1.0, 3.0, 4.0, 5.0, 1.5, 2.0, 9.0], [1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 9.0]]


def test_more_rows_begin_with_a_rougher_machine_that_is_as_good():
    table = np.array([[1.0, 1.0], [1.003, 2.0], [2.0, 2.0]])
    climb = Climb(Scripted(table), Guide(table, GridIndex(0, 0)), SILENT).run(10)
    assert climb.pick == (0, 0)
    assert climb.guide(True).pick == (1, 0)
    assert climb.guide(False).pick == (0, 0)


def test_what_is_undefined_is_not_visited():
    guide = np.array([[1.0, np.nan], [np.nan, np.nan]])
    judge = Scripted(np.zeros((2, 2)))
    Climb(judge, Guide(guide, GridIndex(0, 0)), SILENT).run(10)
    assert judge.asked == [(0, 0)]


@pytest.mark.parametrize(("loss", "seed"), [("squared_hinge", 0), ("press", 1)])
def test_the_pick_is_judged_exactly_and_nearly_the_best(monkeypatch, seed, loss):
    X, y = data(seed)
    monkeypatch.setattr(local_search, "EXACT_VALUES", 400)
    found = LocalSearch(problem(X, y), *grid(loss)).run(SILENT)
    full = kw.score_kernels(X, y, KERNELS, c.ELOO(loss), ridge=RIDGES, engine="dense")
    table = full.table["eloo"].reshape(len(KERNELS), -1)
    known = np.isfinite(found.values)
    assert known[found.pick] and known.sum() == 1
    close(found.values[known], table[known])
    assert table[found.pick] <= 1.01 * table.min()
    machine = kw.LSSVC(KERNELS[found.pick.kernel], RIDGES[found.pick.ridge]).fit(X, y)
    close(found.solution.fit.loo_values[:, 0], machine.loo_values_)
    close(found.solution.coefficients[:, 0], machine.dual_coef_)


def test_few_decisive_rows_are_asked_all(monkeypatch):
    """Where the loss comes from few rows, machines are compared on all rows, however many."""
    X, y = data()
    monkeypatch.setattr(local_search, "EXACT_VALUES", 400)
    monkeypatch.setattr(local_search, "_AFFORDABLE", 100)
    counts = []
    for doubtful in (1.0, 0.0):
        monkeypatch.setattr(local_search, "_DOUBTFUL", doubtful)
        asked = []
        value = TrialJudge.value

        def watched(self, place, progress=SILENT, asked=asked, value=value):
            asked.append(self._rows)
            return value(self, place, progress)

        with monkeypatch.context() as patch:
            patch.setattr(TrialJudge, "value", watched)
            LocalSearch(problem(X, y), *grid()).run(SILENT)
        counts.append(asked.count(900))
    assert counts[0] == 0 and 2 <= counts[1] <= local_search._IN_DOUBT


def test_a_pick_without_a_machine_fails():
    X, y = data()
    judge = ExactJudge(problem(X, y), grid())
    judge.values[GridIndex(0, 0)] = np.inf
    with pytest.raises(SearchFailed):
        judge.solution(GridIndex(0, 0))
