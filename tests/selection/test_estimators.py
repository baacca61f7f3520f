"""The selector with the estimators of scikit-learn, frames, weights and routing."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.cluster import SpectralClustering
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.decomposition import KernelPCA
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR, NuSVC, NuSVR

import kernelwise as kw
from helpers import close
from inside import PrecomputedAdapter, process_kernel


@pytest.fixture
def regression():
    X, y = load_diabetes(return_X_y=True)
    return StandardScaler().fit_transform(X)[:150], y[:150] - y[:150].mean()


@pytest.fixture
def iris():
    X, y = load_iris(return_X_y=True)
    return StandardScaler().fit_transform(X), y


class TestMachinesOfScikitLearn:
    def test_kernel_ridge_gets_the_matrix(self, regression):
        X, y = regression
        selector = kw.KernelSelector(KernelRidge()).fit(X[:100], y[:100])
        inner = selector.best_estimator_
        assert (
            isinstance(inner, PrecomputedAdapter) and inner.estimator_.alpha == selector.best_ridge_
        )
        same = kw.KRR(selector.best_kernel_, selector.best_ridge_).fit(X[:100], y[:100])
        close(selector.predict(X[100:]), same.predict(X[100:]), rtol=1e-6)
        close(selector.score(X[100:], y[100:]), same.score(X[100:], y[100:]), rtol=1e-6)

    def test_it_is_judged_without_a_bias(self, regression):
        X, y = regression
        ours = kw.KernelSelector(KernelRidge()).fit(X, y + 100.0)
        theirs = kw.KernelSelector(kw.KRR(fit_intercept=False)).fit(X, y + 100.0)
        assert ours.best_kernel_ == theirs.best_kernel_ and ours.best_ridge_ == theirs.best_ridge_

    @pytest.mark.parametrize("estimator", [SVR(), NuSVR()])
    def test_support_vector_regression(self, regression, estimator):
        X, y = regression
        selector = kw.KernelSelector(estimator).fit(X, y)
        close(selector.best_estimator_.C, 0.5 / selector.best_ridge_)
        assert selector.best_estimator_.kernel == selector.best_kernel_

    def test_nu_svc_gets_the_kernel_alone(self, iris):
        X, y = iris
        selector = kw.KernelSelector(NuSVC(nu=0.2)).fit(X, y)
        assert selector.best_estimator_.nu == 0.2 and selector.score(X, y) > 0.9

    def test_a_gaussian_process_gets_width_and_noise(self, regression):
        X, y = regression
        process = GaussianProcessRegressor(random_state=0)
        selector = kw.KernelSelector(process).fit(X, y)
        same = kw.KRR(selector.best_kernel_, selector.best_ridge_).fit(X, y)
        close(selector.predict(X), same.predict(X), rtol=1e-4)
        assert process.kernel is None  # a clone was changed

    def test_a_gaussian_process_classifier_gets_the_width(self, iris):
        X, y = iris
        selector = kw.KernelSelector(GaussianProcessClassifier()).fit(X[50:], y[50:])
        assert selector.score(X[50:], y[50:]) > 0.9
        assert selector.predict_proba(X[50:]).shape == (100, 2)

    @pytest.mark.parametrize("kernel", [kw.Gaussian(3.0), kw.Matern(2.0, 1.5), kw.Linear()])
    def test_kernels_are_the_same_in_a_process(self, rng, kernel):
        X = rng.normal(size=(12, 3))
        close(process_kernel(kernel, None)(X), kernel(X), rtol=1e-10)
        close(process_kernel(kernel, 0.3)(X), kernel(X) + 0.3 * np.eye(12), rtol=1e-10)

    @pytest.mark.parametrize(
        "kernel", [kw.Laplacian(1.0), kw.Polynomial(2), kw.Linear() + kw.Gaussian(1.0)]
    )
    def test_other_kernels_are_refused_for_a_process(self, regression, kernel):
        selector = kw.KernelSelector(GaussianProcessRegressor(), kernels=[kw.Linear(), kernel])
        with pytest.raises(ValueError, match="offer Gaussian, Matern or Linear") as error:
            selector.fit(*regression)
        assert str(kernel) in str(error.value)

    @pytest.mark.parametrize("estimator", [KernelPCA(), SpectralClustering(), LogisticRegression()])
    def test_estimators_that_are_not_fitted_with_a_kernel_are_refused(self, iris, estimator):
        with pytest.raises(ValueError, match=f"{type(estimator).__name__} cannot be given a ker"):
            kw.KernelSelector(estimator).fit(*iris)

    def test_an_estimator_that_takes_a_matrix_takes_no_second_one(self, regression):
        X, y = regression
        selector = kw.KernelSelector(KernelRidge(), kernels=kw.Precomputed())
        with pytest.raises(ValueError, match="takes a matrix by itself"):
            selector.fit(X @ X.T, y)

    def test_an_estimator_of_somebody_else(self, iris):
        class Nearest(ClassifierMixin, BaseEstimator):
            def __init__(self, kernel=None):
                self.kernel = kernel

            def fit(self, X, y):
                self.X_, self.y_, self.classes_ = X, y, np.unique(y)
                return self

            def predict(self, X):
                return self.y_[self.kernel(X, self.X_).argmax(axis=1)]

        assert kw.KernelSelector(Nearest()).fit(*iris).score(*iris) == 1.0


class TestScikitLearn:
    def test_frames_of_polars_and_pandas(self, iris):
        X, y = iris
        names = ["a", "b", "c", "d"]
        expected = kw.KernelSelector().fit(X, y).predict(X)
        for frame in (pd.DataFrame(X, columns=names), pl.DataFrame(X, schema=names)):
            selector = kw.KernelSelector().fit(frame, y)
            assert selector.feature_names_in_.tolist() == names
            np.testing.assert_array_equal(selector.predict(frame), expected)
        with pytest.raises(ValueError, match="feature names should match"):
            selector.predict(pd.DataFrame(X, columns=list("wxyz")))

    def test_nested_search(self, iris):
        model = make_pipeline(StandardScaler(), kw.KernelSelector())
        search = GridSearchCV(model, {"kernelselector__criterion": ["auto", "ckta"]}, cv=3)
        assert cross_val_score(search, *iris, cv=3).mean() > 0.9

    def test_weights_reach_the_machine(self, iris):
        X, y = iris
        weights = np.where(y == 1, 5.0, 1.0)
        selector = kw.KernelSelector().fit(X, y, sample_weight=weights)
        same = clone(selector.best_estimator_).fit(X, y, sample_weight=weights)
        # A weighted row has the ridge over its weight; K has the trace 150.
        condition = 1.0 + 150 * weights.max() / selector.best_ridge_
        close(selector.decision_function(X), same.decision_function(X), condition)
        plain = kw.KernelSelector().fit(X, y)
        assert plain.best_kernel_ == selector.best_kernel_
        assert not np.allclose(plain.decision_function(X), selector.decision_function(X))

    @pytest.mark.parametrize("estimator", [None, SVC(), NuSVC(nu=0.2), SVR()])
    def test_rows_of_weight_zero_are_as_good_as_absent(self, iris, estimator):
        X, y = iris
        weights = np.where(np.arange(150) % 3 == 0, 0.0, 1.0)
        used = weights > 0.0
        ours = kw.KernelSelector(estimator).fit(X, y, sample_weight=weights)
        expected = kw.KernelSelector(estimator).fit(X[used], y[used])
        assert ours.best_kernel_ == expected.best_kernel_
        close(ours.predict(X).astype(float), expected.predict(X).astype(float), rtol=1e-6)

    def test_a_class_of_weight_zero_is_no_class(self, iris):
        X, y = iris
        selector = kw.KernelSelector().fit(X, y, sample_weight=(y != 2) * 1.0)
        assert selector.classes_.tolist() == [0, 1]
        assert selector.predict_proba(X).shape == (150, 2)
        assert selector.error_.baseline == 0.5
        with pytest.raises(ValueError, match=r"less than two classes .* of positive sample_weight"):
            kw.KernelSelector().fit(X, y, sample_weight=(y == 2) * 1.0)

    def test_labels_of_several_types_beside_weights_of_zero(self, iris):
        X, y = iris
        mixed = np.where(y > 0, y.astype(object), "setosa")
        selector = kw.KernelSelector().fit(X, mixed, sample_weight=(y != 2) * 1.0)
        assert selector.score(X[y != 2], mixed[y != 2].astype(str)) == 1.0

    def test_a_given_matrix_takes_no_weight_of_zero(self, iris):
        X, y = iris
        selector = kw.KernelSelector(kernels=kw.Precomputed())
        with pytest.raises(ValueError, match="sample_weight has zeros, which a given matrix"):
            selector.fit(X @ X.T, y, sample_weight=(y != 2) * 1.0)

    def test_a_given_matrix_for_an_svm(self, iris):
        X, y = iris
        K = kw.Gaussian(2.0)(X)
        selector = kw.KernelSelector(SVC(), kernels=kw.Precomputed()).fit(K, y)
        assert selector.best_estimator_.kernel == "precomputed"
        assert selector.error_estimate(K, y).value < 0.1
        assert cross_val_score(clone(selector), K, y).mean() > 0.9

    def test_weights_are_refused_by_machines_that_take_none(self, regression):
        X, y = regression
        with pytest.raises(TypeError, match="sample_weight"):
            kw.KernelSelector(GaussianProcessRegressor()).fit(X, y, sample_weight=np.ones(len(y)))

    @pytest.mark.parametrize("estimator", [None, SVC()])
    def test_metadata_is_routed(self, iris, estimator):
        X, y = iris
        weights = np.where(y == 1, 5.0, 1.0)
        expected = kw.KernelSelector(estimator).fit(X, y, sample_weight=weights)
        with sklearn.config_context(enable_metadata_routing=True):
            if estimator is not None:
                estimator.set_fit_request(sample_weight=True)
            routed = kw.KernelSelector(estimator).fit(X, y, sample_weight=weights)
            through = make_pipeline(kw.KernelSelector(estimator)).fit(X, y, sample_weight=weights)
        close(routed.decision_function(X), expected.decision_function(X))
        close(through.decision_function(X), expected.decision_function(X))

    def test_metadata_that_nobody_asked_for_is_refused(self, iris):
        X, y = iris
        with (
            sklearn.config_context(enable_metadata_routing=True),
            pytest.raises(Exception, match="sample_weight"),
        ):
            kw.KernelSelector(SVC()).fit(X, y, sample_weight=np.ones(len(y)))

    def test_score_takes_weights(self, iris):
        X, y = iris
        selector = kw.KernelSelector().fit(X, y)
        right = selector.predict(X) == y
        weights = np.where(right, 1.0, 10.0)
        assert selector.score(X, y, sample_weight=weights) == pytest.approx(
            np.average(right, weights=weights)
        )

    def test_probabilities(self, iris):
        X, y = iris
        selector = kw.KernelSelector().fit(X, y)
        P = selector.predict_proba(X)
        assert P.shape == (150, 3) and np.allclose(P.sum(axis=1), 1.0)
        np.testing.assert_array_equal(selector.classes_[P.argmax(axis=1)], selector.predict(X))
        close(np.exp(selector.predict_log_proba(X)), P)
        scores = cross_val_score(kw.KernelSelector(), X, y, cv=3, scoring="neg_log_loss")
        assert scores.mean() > -0.4
        assert not hasattr(kw.KernelSelector(task="regression"), "predict_proba")
        assert not hasattr(kw.KernelSelector(SVC()), "predict_proba")

    def test_breast_cancer_scores_by_area(self):
        X, y = load_breast_cancer(return_X_y=True)
        model = make_pipeline(StandardScaler(), kw.KernelSelector())
        assert cross_val_score(model, X, y, cv=3, scoring="roc_auc").min() > 0.97
