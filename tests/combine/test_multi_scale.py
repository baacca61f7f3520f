"""MultiKernelSelector on several targets and on thousands of rows."""

from functools import partial

import numpy as np
import pytest

import kernelwise as kw
from helpers import close
from inside import Code, KernelChoiceWarning, building, code_of, many_rows, problem

pytestmark = pytest.mark.filterwarnings("ignore::kernelwise.selection.KernelChoiceWarning")
VIEWS = {"a": [0, 1], "b": [2, 3], "noise": [4, 5]}


def rows(n=100, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    first, second = np.sin(2.0 * X[:, 0]), X[:, 2] * X[:, 3]
    noise = 0.1 * rng.normal(size=(n, 2))
    return X, np.column_stack([first, 100.0 * second + 7.0]) + noise


class TestSeveralTargets:
    def test_share_weights_and_ridge(self):
        X, Y = rows(150)
        model = kw.MultiKernelSelector(views=VIEWS).fit(X[:100], Y[:100])
        assert model.view_weights_["noise"] < 0.05
        assert min(model.view_weights_["a"], model.view_weights_["b"]) > 0.1
        machine = kw.KRR(model.best_kernel_, model.best_ridge_, fit_intercept=True)
        expected = machine.fit(X[:100], Y[:100]).predict(X[100:])
        close(model.predict(X[100:]), expected)
        assert model.score(X[100:], Y[100:]) > 0.8
        close(model.target_variance_, Y[:100].var(axis=0))

    def test_do_not_depend_on_their_units(self):
        X, Y = rows()
        plain = kw.MultiKernelSelector(views=VIEWS).fit(X, Y)
        other = kw.MultiKernelSelector(views=VIEWS).fit(X, Y * [1e3, 1e-3] + [5.0, -3.0])
        close(other.weights_, plain.weights_, rtol=1e-6)
        close(other.best_ridge_, plain.best_ridge_)
        close(other.error_.value, plain.error_.value, rtol=1e-6)

    def test_the_same_target_twice_is_one(self):
        X, Y = rows()
        one = kw.MultiKernelSelector(views=VIEWS).fit(X, Y[:, 0])
        two = kw.MultiKernelSelector(views=VIEWS).fit(X, Y[:, [0, 0]])
        close(two.weights_, one.weights_, rtol=1e-6)
        close(two.predict(X)[:, 1], one.predict(X), rtol=1e-6)
        close(two.error_.value * Y[:, 0].std(), one.error_.value)
        close(two.gain_, one.gain_, rtol=1e-6)

    def test_errors_are_in_units_of_the_spread(self):
        X, Y = rows()
        model = kw.MultiKernelSelector(views=VIEWS).fit(X, Y)
        residuals = model.best_estimator_.loo_residuals_
        expected = np.sqrt(np.mean((residuals / Y.std(axis=0)) ** 2))
        close(model.error_.value, expected)
        assert model.error_.measure == "standardised root mean squared error"
        close(model.error_.baseline, 100 / 99)
        assert model.error_.value < model.single_error_.value < model.error_.baseline

    @pytest.mark.parametrize("way", [{"method": m} for m in ("align", "alignf", "uniform", "loo")])
    def test_by_other_methods(self, way):
        X, Y = rows(60)
        model = kw.MultiKernelSelector(views=VIEWS, **way).fit(X, Y, sample_weight=np.ones(60))
        assert model.predict(X).shape == (60, 2)

    def test_bad_ones_are_explained(self):
        X, Y = rows(20)
        for settings in ({"task": "classification"}, {"class_weight": "balanced"}):
            with pytest.raises(ValueError, match="y has several columns, which are real targets"):
                kw.MultiKernelSelector(**settings).fit(X, Y)
        with pytest.raises(ValueError, match="y is constant"):
            kw.MultiKernelSelector().fit(X, Y * [1.0, 0.0])
        with pytest.raises(ValueError, match="NaN"):
            kw.MultiKernelSelector().fit(X, Y * [1.0, np.nan])
        with pytest.raises(ValueError, match="criterion md is for classes"):
            kw.MultiKernelSelector(criterion="md").fit(X, Y)


class TestManyRows:
    @pytest.fixture(autouse=True)
    def _few_are_many(self, monkeypatch):
        monkeypatch.setattr(many_rows, "MOST_EXACT", 150)

    @pytest.mark.parametrize("kind", ["binary", "multiclass", "regression"])
    def test_weights_are_near_those_of_the_matrices(self, kind, monkeypatch):
        X, Y = rows(400)
        f = Y[:, 0] + Y[:, 1] / 100.0
        cuts = {"binary": [0.07], "multiclass": [-0.5, 0.6]}
        y = f if kind == "regression" else np.digitize(f, cuts[kind])
        model = kw.MultiKernelSelector(views=VIEWS).fit(X, y)
        assert model.result_.engine == "low_rank"
        monkeypatch.setattr(many_rows, "MOST_EXACT", 1000)
        exact = kw.MultiKernelSelector(views=VIEWS).fit(X, y)
        assert exact.result_.engine == "dense"
        # Penalty by penalty; which of them is picked may differ.
        paths = [m.path_["weights"].reshape(-1, 3, 3).sum(axis=2) for m in (model, exact)]
        both = min(map(len, paths))
        assert both > 2
        views = [path[:both] for path in paths]
        np.testing.assert_allclose(*views, rtol=0, atol=0.05)
        assert model.error_.value < 1.2 * exact.error_.value
        assert model.best_estimator_.kernel == model.best_kernel_
        assert model.gain_ > model.gain_standard_error_

    def test_leave_one_out_passes_over_landmarks(self):
        X, Y = rows(300)
        model = kw.MultiKernelSelector(views=VIEWS, method="uniform").fit(X, Y[:, 1])
        assert model.single_error_.standard_error > 0.0
        close(model.uniform_error_.value**2, model.path_["loss"][0] * Y[:, 1].var(), rtol=1e-6)

    def test_ridges_that_are_given_are_kept(self):
        X, Y = rows(200)
        model = kw.MultiKernelSelector(views=VIEWS, ridge=0.3).fit(X, Y[:, 0])
        assert model.best_ridge_ == 0.3

    def test_several_targets(self):
        X, Y = rows(200)
        model = kw.MultiKernelSelector(views=VIEWS).fit(X, Y)
        assert model.predict(X).shape == (200, 2)

    @pytest.mark.parametrize(
        "way",
        [
            *({"method": name} for name in ("loo", "lml")),
            *({"criterion": c} for c in ("er", "rks", "sps", kw.criteria.SM(r=1.5))),
        ],
    )
    def test_methods_that_form_the_matrix_say_so(self, way):
        X, Y = rows(200)
        with pytest.raises(ValueError, match="needs the combined matrix of all rows") as error:
            kw.MultiKernelSelector(views=VIEWS, **way).fit(X, Y[:, 0])
        assert "\n" not in str(error.value)

    @pytest.mark.parametrize(
        "way", [{"method": "alignf"}, {"criterion": "sm"}, {"criterion": "md"}]
    )
    def test_others_do_not(self, way):
        X, Y = rows(200)
        model = kw.MultiKernelSelector(views=VIEWS, **way).fit(X, (Y[:, 0] > 0.0).astype(int))
        assert model.view_weights_["a"] == max(model.view_weights_.values())

    def test_a_machine_of_too_few_landmarks_says_so(self, monkeypatch):
        """Beyond the rows of exact matrices the number of landmarks stays."""
        monkeypatch.setattr(problem, "EXACT_ROWS", 300)
        monkeypatch.setattr(problem, "LowRank", partial(kw.gram.LowRank, 100))
        X, Y = rows(600)
        wide = kw.MultiKernelSelector([kw.Gaussian(8.0)], views=VIEWS).fit(X, Y[:, 0])
        assert not any(code_of(guard) == Code.RANK_LIMITED for guard in wide.guards_)
        narrow = kw.MultiKernelSelector([kw.Gaussian(1e-4)], views=VIEWS)
        with pytest.warns(KernelChoiceWarning, match="is still limited by its 100 landmarks"):
            narrow.fit(X, Y[:, 0])

    def test_bad_input_is_explained(self):
        X, Y = rows(200)
        with pytest.raises(ValueError, match=r"the features of 9 kernels on 200 rows take .*fewer"):
            kw.MultiKernelSelector(views=VIEWS, memory="10KB").fit(X, Y[:, 0])
        with pytest.raises(ValueError, match="take positive semidefinite kernels, and Sigmoid"):
            kw.MultiKernelSelector([kw.Linear(), kw.Sigmoid(1.0, 0.0)]).fit(X, Y[:, 0])
        with pytest.raises(ValueError, match="kernels are all constant on the rows"):
            kw.MultiKernelSelector([kw.Gaussian(1e200)]).fit(X, Y[:, 0])


class TestFewRowsThatDoNotFit:
    """12 matrices of 400 rows take 18 MB, the fewest features in their place 5 MB."""

    def fit(self, memory, **way):
        X, Y = rows(400)
        kernels = [kw.Columns([j], kw.Gaussian(2.0 + t)) for j in range(4) for t in range(3)]
        return kw.MultiKernelSelector(kernels, memory=memory, **way).fit(X, Y[:, 0])

    def test_have_features(self):
        model = self.fit("10MB")
        assert model.result_.engine == "low_rank"
        assert self.fit("30MB").result_.engine == "dense"
        assert max(model.view_weights_, key=model.view_weights_.get) == "columns 0"

    def test_are_refused_where_features_will_not_do(self):
        for way in ({"method": "loo"}, {"criterion": "er"}, {"memory": "3MB"}):
            with pytest.raises(ValueError, match="12 base matrices of 400 rows take 18"):
                self.fit(**{"memory": "10MB"} | way)


@pytest.mark.parametrize("rows", [2001, 4000, 20_000, 10**6])
@pytest.mark.parametrize("kernels", [1, 3, 12])
def test_the_rank_is_one_that_fits(rows, kernels):
    """Of all budgets that have room for the fewest features, none is refused."""
    least = building.bytes_for(kernels, rows, building._RANKS[0])
    for budget in least * np.array([1.0 + 1e-9, 1.5, 4.0, 50.0]):
        rank = building.rank_for(kernels, rows, budget)
        building.check_memory(kernels, rows, budget, rank)
        is_largest = building.bytes_for(kernels, rows, rank + 1) > budget
        limits = rank == building._RANKS[1] or kernels * (rank + 1) > building.MOST_COLUMNS
        assert is_largest or limits or rank == rows // building._SMALL_PART


def test_several_targets_that_do_not_fit_are_refused_before_any_work():
    X = np.random.default_rng(0).normal(size=(3000, 4))
    model = kw.MultiKernelSelector(views={"a": [0, 1], "b": [2, 3]}, memory="300MB")
    with pytest.raises(ValueError, match=r"several targets on 3000 rows take 360 MB"):
        model.fit(X, X[:, :2])
