import numpy as np
import pytest
from sklearn.cluster import SpectralClustering
from sklearn.decomposition import KernelPCA
from sklearn.kernel_ridge import KernelRidge
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import kernelwise as kw
from helpers import close
from inside import PrecomputedAdapter


def expected_failures(machine):
    if isinstance(machine.estimator, SVC):
        name = "check_classifiers_one_label_sample_weights"
        return {name: "SVC's own words for a single class of positive weight"}
    return {}


@parametrize_with_checks(
    [
        PrecomputedAdapter(KernelRidge(kernel="precomputed"), kw.Gaussian(1.0)),
        PrecomputedAdapter(SVC(kernel="precomputed"), kw.Gaussian(1.0)),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def test_is_the_estimator_on_the_matrix(rng):
    X, Z, y = rng.normal(size=(30, 2)), rng.normal(size=(7, 2)), np.arange(30) % 2
    kernel = kw.Laplacian(2.0)
    plain = SVC(kernel="precomputed").fit(kernel(X), y)
    machine = PrecomputedAdapter(SVC(kernel="precomputed"), kernel).fit(X, y)
    close(machine.decision_function(Z), plain.decision_function(kernel(Z, X)))
    np.testing.assert_array_equal(machine.predict(Z), plain.predict(kernel(Z, X)))
    np.testing.assert_array_equal(machine.classes_, [0, 1])


def test_has_what_the_estimator_has():
    ridge = PrecomputedAdapter(KernelRidge(kernel="precomputed"), kw.Linear())
    assert hasattr(ridge, "predict") and not hasattr(ridge, "transform")
    components = PrecomputedAdapter(KernelPCA(kernel="precomputed"), kw.Linear())
    assert hasattr(components, "transform") and not hasattr(components, "predict")
    clusters = PrecomputedAdapter(SpectralClustering(affinity="precomputed"), kw.Linear())
    assert not hasattr(clusters, "predict")


def test_weights_are_handed_on(rng):
    X, y, weights = rng.normal(size=(20, 2)), rng.normal(size=20), rng.uniform(1, 2, 20)
    kernel = kw.Gaussian(1.0)
    machine = PrecomputedAdapter(KernelRidge(kernel="precomputed"), kernel).fit(
        X, y, sample_weight=weights
    )
    same = kw.KRR(kernel, 1.0).fit(X, y, sample_weight=weights)
    close(machine.predict(X), same.predict(X), rtol=1e-8)
    with pytest.raises(ValueError, match="2 features"):
        machine.predict(X[:, :1])
