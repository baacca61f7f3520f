import pytest
from sklearn.kernel_ridge import KernelRidge
from sklearn.utils.estimator_checks import parametrize_with_checks

import kernelwise as kw
from helpers import close
from inside import PrecomputedAdapter


@parametrize_with_checks([PrecomputedAdapter(KernelRidge(kernel="precomputed"), kw.Gaussian(1.0))])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def test_is_the_estimator_on_the_matrix(rng):
    X, Z, y = rng.normal(size=(30, 2)), rng.normal(size=(7, 2)), rng.normal(size=30)
    kernel = kw.Laplacian(2.0)
    plain = KernelRidge(kernel="precomputed").fit(kernel(X), y)
    machine = PrecomputedAdapter(KernelRidge(kernel="precomputed"), kernel).fit(X, y)
    close(machine.predict(Z), plain.predict(kernel(Z, X)))
    close(machine.score(X, y), plain.score(kernel(X), y))


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
