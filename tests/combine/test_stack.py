"""The stack as an estimator."""

from sklearn.utils.estimator_checks import parametrize_with_checks

import kernelwise as kw


def expected_failures(estimator):
    # The choice of kernels, the weights and the gate rest on leave-one-out values.
    equivalence = "leaving out one of two equal rows is not leaving out a row of weight two"
    failures = {
        "check_sample_weight_equivalence_on_dense_data": equivalence,
        "check_sample_weight_equivalence_on_sparse_data": equivalence,
    }
    if estimator.task == "auto":
        failures["check_classifiers_regression_target"] = "task='auto' regresses on real targets"
    return failures


@parametrize_with_checks(
    [
        kw.KernelStack("GLl"),
        kw.KernelStack("GLl", task="classification"),
        kw.KernelStack("GLl", task="regression"),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
