import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.estimator_checks import parametrize_with_checks

import kernelwise as kw
import oracles
from helpers import close


def expected_failures(estimator):
    if not isinstance(estimator, kw.LSSVC):
        return {}
    # Decision values are equivalent, see below; leave-one-out values, and so probabilities, not.
    copies = "leaving out a row of weight 2 leaves out both copies, of repeated rows one"
    failures = {
        "check_sample_weight_equivalence_on_dense_data": copies,
        "check_sample_weight_equivalence_on_sparse_data": copies,
    }
    if not estimator.fit_intercept:
        failures["check_class_weight_classifiers"] = (
            "without a bias, a class of weight 1000 does not reach points where its kernel has "
            "decayed"
        )
    return failures


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("machine", [kw.LSSVC(), kw.LSSVC(class_weight="balanced"), kw.KRR()])
def test_integer_weights_are_repeated_rows(rng, machine, convert):
    X, y, weights = rng.normal(size=(30, 3)), rng.integers(0, 3, 30), rng.integers(0, 4, 30)
    weighted = clone(machine).fit(convert(X), y, sample_weight=weights)
    repeated = clone(machine).fit(convert(np.repeat(X, weights, axis=0)), np.repeat(y, weights))
    values = "predict" if isinstance(machine, kw.KRR) else "decision_function"
    close(getattr(weighted, values)(X), getattr(repeated, values)(X), rtol=1e-8)


@parametrize_with_checks(
    [
        kw.LSSVC(),
        kw.LSSVC(fit_intercept=False),
        kw.LSSVC(kw.Linear(), class_weight="balanced"),
        kw.KRR(),
        kw.KRR(fit_intercept=True),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def test_two_classes_as_published(two_blobs):
    X, y = two_blobs
    labels = np.where(y == 1, "yes", "no")
    machine = kw.LSSVC(kw.Gaussian(2.0), ridge=0.5).fit(X, labels)
    K = kw.Gaussian(2.0)(X)
    signs = 2.0 * y - 1.0
    alpha, b, _ = oracles.lssvm(K, signs, 0.5)
    close(machine.dual_coef_, alpha)
    close(machine.intercept_, b)
    close(machine.decision_function(X), K @ alpha + b)
    close(machine.loo_residuals_, oracles.loo_residuals(K, signs, 0.5))
    assert machine.classes_.tolist() == ["no", "yes"]
    assert np.all(machine.predict(X) == np.where(K @ alpha + b > 0, "yes", "no"))


def test_three_classes_are_three_columns(three_blobs):
    X, y = three_blobs
    machine = kw.LSSVC(kw.Gaussian(1.0), ridge=0.2).fit(X, y)
    K = kw.Gaussian(1.0)(X)
    for c in range(3):
        alpha, b, _ = oracles.lssvm(K, oracles.one_vs_rest(y, c), 0.2)
        close(machine.dual_coef_[:, c], alpha)
        close(machine.intercept_[c], b)
    assert machine.score(X, y) > 0.9


def test_class_weights_are_sample_weights(two_blobs):
    X, y = two_blobs
    by_class = kw.LSSVC(class_weight={0: 1.0, 1: 3.0}).fit(X, y)
    by_row = kw.LSSVC().fit(X, y, sample_weight=np.where(y == 1, 3.0, 1.0))
    close(by_class.decision_function(X), by_row.decision_function(X))
    balanced = kw.LSSVC(class_weight="balanced", ridge=100.0).fit(X, y)
    assert (balanced.predict(X) == 1).sum() > (
        kw.LSSVC(ridge=100.0).fit(X, y).predict(X) == 1
    ).sum()


def test_balanced_weights_are_those_of_scikit_learn(two_blobs):
    X, y = two_blobs
    weights = compute_sample_weight("balanced", y)
    balanced = kw.LSSVC(class_weight="balanced").fit(X, y)
    close(
        balanced.decision_function(X),
        kw.LSSVC().fit(X, y, sample_weight=weights).decision_function(X),
    )


def test_one_row_alone_has_no_leave_one_out():
    machine = kw.KRR(fit_intercept=True).fit([[1.0]], [2.0])
    close(machine.predict([[5.0]]), [2.0])
    assert not np.isfinite(machine.loo_residuals_).any()


def test_rows_of_weight_zero_have_no_influence(two_blobs):
    X, y = two_blobs
    w = np.ones(len(y))
    w[::5] = 0.0
    machine = kw.LSSVC().fit(X, y, sample_weight=w)
    close(machine.decision_function(X), kw.LSSVC().fit(X[w > 0], y[w > 0]).decision_function(X))
    assert np.all(np.isnan(machine.loo_residuals_) == (w == 0))
    K = kw.Gaussian(1.0)(X)
    given = kw.LSSVC(kw.Precomputed()).fit(K, y, sample_weight=w)
    close(given.decision_function(K), machine.decision_function(X))


@pytest.mark.parametrize("machine", [kw.LSSVC, kw.KRR])
def test_sparse_precomputed_frames_and_pickles_predict_the_same(machine, two_blobs):
    X, y = two_blobs
    dense = machine(kw.Gaussian(2.0)).fit(X, y).predict(X)
    K = kw.Gaussian(2.0)(X)
    close(machine(kw.Gaussian(2.0)).fit(sp.csr_array(X), y).predict(sp.csr_array(X)), dense)
    close(machine(kw.Precomputed()).fit(K, y).predict(K[:5]), dense[:5])
    close(machine(kw.Gaussian(2.0).__call__).fit(X, y).predict(X), dense)
    fitted = machine(kw.Gaussian(2.0)).fit(pd.DataFrame(X, columns=list("abc")), y)
    close(pickle.loads(pickle.dumps(fitted)).predict(pd.DataFrame(X, columns=list("abc"))), dense)
    assert fitted.feature_names_in_.tolist() == ["a", "b", "c"]


def test_a_precomputed_matrix_is_cut_by_folds(two_blobs):
    X, y = two_blobs
    given = cross_val_score(kw.LSSVC(kw.Precomputed()), kw.Gaussian(1.0)(X), y)
    np.testing.assert_array_equal(given, cross_val_score(kw.LSSVC(kw.Gaussian(1.0)), X, y))


@pytest.mark.parametrize(
    ("fit", "message"),
    [
        (lambda X, y: kw.LSSVC(ridge=0.0).fit(X, y), r"'ridge' parameter"),
        (lambda X, y: kw.LSSVC(kernel="rbf").fit(X, y), "The 'kernel' parameter of LSSVC must be"),
        (lambda X, y: kw.LSSVC(class_weight={0: 0.0, 1: 0.0}).fit(X, y), r"only one class \[\]"),
        (lambda X, y: kw.LSSVC(class_weight={0: 0.0}).fit(X, y), r"only one class \[1\]"),
        (lambda X, y: kw.LSSVC(class_weight={0: -1.0}).fit(X, y), "class_weight must not be neg"),
        (lambda X, y: kw.LSSVC().fit(X, np.zeros(len(y))), "y has only one class"),
        (lambda X, y: kw.LSSVC().fit(X, y, sample_weight=-np.ones(len(y))), "Negative values"),
        (lambda X, y: kw.LSSVC().fit(X, X[:, 0]), "Unknown label type: continuous"),
        (lambda X, y: kw.KRR().fit(X, y, sample_weight=0 * X[:, 0]), "zero"),
        (lambda X, y: kw.KRR(kw.Precomputed()).fit(X, y), "expected 40 columns, got 3"),
        (
            lambda X, y: kw.KRR(kw.Sigmoid(1.0, -3.0), ridge=1e-3).fit(X, y),
            "is not positive definite: use a larger ridge, or repair",
        ),
        (
            lambda X, y: kw.KRR().fit(X, y).predict(X[:, :2]),
            "X has 2 features, but KRR is expecting 3",
        ),
        (lambda X, y: kw.KRR().predict(X), "not fitted yet"),
    ],
)
def test_bad_input(two_blobs, fit, message):
    with pytest.raises(ValueError, match=message):
        fit(*two_blobs)
