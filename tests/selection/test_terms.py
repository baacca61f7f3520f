"""The choice in scikit-learn's words."""

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics import get_scorer
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.svm import SVC, SVR

import kernelwise as kw
from inside import SCORINGS, params_of


@pytest.fixture
def blobs(rng):
    """Two overlapping classes with a curved border."""
    X = rng.normal(size=(120, 3))
    return X, (X[:, 0] + X[:, 1] ** 2 + 0.3 * rng.normal(size=120) > 1.0).astype(int)


@pytest.fixture
def wave(rng):
    """A real target."""
    X = rng.normal(size=(90, 2))
    return X, np.sin(2.0 * X[:, 0]) + 0.1 * rng.normal(size=90)


@pytest.mark.parametrize(
    "kernel",
    [
        kw.Gaussian(3.0),
        kw.Laplacian(2.0),
        kw.Polynomial(2, 0.5, 0.3),
        kw.Sigmoid(0.2, 0.1),
        kw.Linear(),
    ],
    ids=lambda kernel: type(kernel).__name__,
)
def test_a_kernel_by_its_name_in_scikit_learn(kernel, rng):
    X, Z = rng.normal(size=(6, 3)), rng.normal(size=(4, 3))
    params = kernel.to_sklearn()
    theirs = pairwise_kernels(X, Z, metric=params.pop("kernel"), **params)
    np.testing.assert_allclose(kernel(X, Z), theirs, rtol=1e-12)


@pytest.mark.parametrize("kernel", [kw.Matern(1.0), kw.Gaussian(1.0) + kw.Linear()])
def test_a_kernel_without_a_name(kernel):
    assert kernel.to_sklearn() == {"kernel": kernel}


def test_params_name_what_the_estimator_takes():
    assert params_of(kw.Gaussian(8.0), 0.25) == {
        "kernel": "rbf",
        "gamma": 0.0625,
        "C": 2.0,
        "alpha": 0.25,
    }
    assert set(params_of(kw.Gaussian(8.0), 0.25, SVC())) == {"kernel", "gamma", "C"}
    assert set(params_of(kw.Gaussian(8.0), 0.25, KernelRidge())) == {"kernel", "gamma", "alpha"}
    assert params_of(kw.Laplacian(1.0), 0.5, SVC()) == {"kernel": kw.Laplacian(1.0), "C": 1.0}


@pytest.mark.parametrize("machine", [SVC(), SVR(), KernelRidge()], ids=lambda m: type(m).__name__)
def test_their_estimator_with_our_params(machine, blobs, wave):
    """``SVC(**best_params_)`` is the machine that was fitted."""
    X, y = blobs if isinstance(machine, SVC) else wave
    chosen = kw.KernelSelector(machine).fit(X, y)
    again = type(machine)(**chosen.best_params_).fit(X, y)
    np.testing.assert_allclose(again.predict(X), chosen.predict(X), rtol=1e-3, atol=1e-3)


def test_the_attributes_of_a_grid_search(blobs):
    pandas = pytest.importorskip("pandas")
    chosen = kw.KernelSelector().fit(*blobs)
    table = pandas.DataFrame(chosen.cv_results_)
    assert len(table) == len(chosen.result_.kernels)
    best = table.iloc[chosen.best_index_]
    assert best["param_kernel"] == chosen.best_kernel_ and best["rank_test_score"] == 1
    assert best["param_ridge"] == chosen.best_ridge_ == best["params"]["alpha"]
    assert best["param_gamma"] == 0.5 / chosen.best_kernel_.tau
    assert best["mean_test_score"] == table["mean_test_score"].max()
    assert (table["rank_test_score"] >= 1).all()
    unranked = table["mean_test_score"].isna()
    assert (table["rank_test_score"][unranked] == (~unranked).sum() + 1).all()
    assert chosen.best_score_ == 1.0 - chosen.error_.value
    assert chosen.scorer_(chosen, *blobs) == chosen.score(*blobs)


def test_attributes_come_with_the_fit():
    for name in ("best_params_", "best_score_", "best_index_", "cv_results_", "scorer_"):
        assert not hasattr(kw.KernelSelector(), name)


def test_r2_of_the_default(wave):
    X, y = wave
    chosen = kw.KernelSelector().fit(X, y)
    held_out = chosen.best_estimator_.loo_values_
    naive = 1.0 - np.sum((y - held_out) ** 2) / np.sum((y - y.mean()) ** 2)
    assert chosen.best_score_ == pytest.approx(naive)


@pytest.mark.parametrize("scoring", SCORINGS)
def test_choosing_by_a_score(scoring, blobs, wave):
    """The score of the choice is that of its leave-one-out values, the best of the candidates."""
    X, y = blobs if SCORINGS[scoring].is_for_classes else wave
    chosen = kw.KernelSelector(scoring=scoring).fit(X, y)
    assert chosen.best_score_ == np.nanmax(chosen.cv_results_["mean_test_score"])
    assert chosen.score(X, y) == get_scorer(scoring)(chosen, X, y)
    held_out = chosen.best_estimator_.loo_values_
    if scoring != "neg_log_loss":  # whose probabilities are calibrated on the way
        assert chosen.best_score_ == pytest.approx(_naive(scoring, y, held_out))


def _naive(scoring, y, held_out):
    """Return a score of held-out values by scikit-learn's own function."""
    metric = get_scorer(scoring)
    is_class = SCORINGS[scoring].is_for_classes
    values = (held_out > 0.0).astype(int) if is_class and scoring != "roc_auc" else held_out
    return metric._sign * metric._score_func(y, values)


def test_scores_that_cannot_be(blobs, wave):
    with pytest.raises(ValueError, match="'scoring' parameter"):
        kw.KernelSelector(scoring="roc_auk").fit(*blobs)
    with pytest.raises(ValueError, match="scoring='roc_auc' is for classes"):
        kw.KernelSelector(scoring="roc_auc").fit(*wave)
    with pytest.raises(ValueError, match="scoring and criterion both"):
        kw.KernelSelector(scoring="accuracy", criterion="eloo").fit(*blobs)


def test_an_error_estimate_without_the_data_again(blobs, tmp_path):
    X, y = blobs
    chosen = kw.KernelSelector(SVC()).fit(X, y)
    assert chosen.error_estimate() == chosen.error_estimate(X, y)
    kw.save_model(chosen, tmp_path / "model.skops")
    again = kw.load_model(tmp_path / "model.skops")
    with pytest.raises(ValueError, match="give the training data again"):
        again.error_estimate()
    assert again.error_estimate(X, y) == chosen.error_estimate()


def test_the_standard_deviation_of_a_process(wave):
    X, y = wave
    chosen = kw.KernelSelector(GaussianProcessRegressor()).fit(X, y)
    mean, deviation = chosen.predict(X[:4], return_std=True)
    np.testing.assert_array_equal(mean, chosen.predict(X[:4]))
    assert deviation.shape == (4,) and (deviation > 0.0).all()


def test_gamma_of_a_gaussian():
    with pytest.raises(TypeError, match=r"use Gaussian\.from_gamma"):
        kw.Gaussian(gamma=0.5)
