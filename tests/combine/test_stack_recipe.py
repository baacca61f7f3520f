"""The recipe by its formulas: members, weights and gate against refits in plain numpy."""

import numpy as np
import pytest

import kernelwise as kw
import oracles
from helpers import close


def problem(kind, n=36, seed=1):
    """Rows, the target of an estimator, and its columns: ±1, one per class of several, or real."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    X[n // 2] = X[0]  # duplicates
    f = np.abs(X[:, 0]) + 0.5 * X[:, 1] + 0.3 * rng.normal(size=n)
    if kind == "reals":
        return X, 40.0 * f, 40.0 * f[:, None]
    if kind == "two":
        y = (f > np.median(f)).astype(int)
        return X, y, 2.0 * y[:, None] - 1.0
    y = np.digitize(f, np.quantile(f, [0.4, 0.7]))
    return X, y, np.where(y[:, None] == np.arange(3), 1.0, -1.0)


KINDS = ["two", "three", "reals"]


def fitted(kind, **options):
    X, y, Y = problem(kind)
    task = "regression" if kind == "reals" else "classification"
    return kw.KernelStack(task=task, **options).fit(X, y), X, y, Y


def loo_columns(member):
    values = member.best_estimator_.loo_values_
    return values.reshape(len(values), -1)


@pytest.mark.parametrize("kind", KINDS)
def test_members_are_those_of_the_recipe(kind):
    stack, X, y, Y = fitted(kind)
    is_real = kind == "reals"
    single = kw.KernelSelector(task=stack.task).fit(X, y)
    assert stack.members_["gaussian"].best_kernel_ == single.best_kernel_ == stack.best_kernel_
    assert stack.best_ridge_ == single.best_ridge_

    plain = stack.members_["laplacian"]
    scale, ridge, values = oracles.laplacian_member(X, Y, is_real)
    close(plain.best_kernel_.scale, scale)
    close(plain.best_ridge_, ridge)
    close(loo_columns(plain), values, rtol=1e-8)

    weighted = stack.members_["relevant_laplacian"]
    features = oracles.relevant_features(X, Y, scale, ridge)
    close(weighted.best_kernel_.weights, features, rtol=1e-8)
    scale, ridge, values = oracles.laplacian_member(X * features, Y, is_real)
    close(weighted.best_kernel_.kernel.scale, scale, rtol=1e-8)
    close(weighted.best_ridge_, ridge)
    close(loo_columns(weighted), values, rtol=1e-7)

    linear = stack.members_["linear"]
    _, ridge, values = oracles.stack_member([X @ X.T / X.shape[1]], Y, is_real, keep=1)
    close(linear.best_ridge_ / X.shape[1], ridge)  # the scale of a kernel is that of its ridge
    close(loo_columns(linear), values, rtol=1e-8)


@pytest.mark.parametrize("kind", KINDS)
def test_weights_and_gate_are_those_of_the_recipe(kind):
    stack, _, _, Y = fitted(kind)
    is_real = kind == "reals"
    F = np.stack([loo_columns(member) for member in stack.members_.values()], axis=-1)
    unit = Y.std() if is_real else 1.0
    w = oracles.stack_weights(Y / unit, F / unit)
    close(stack.stack_weights_, w)
    gamma = oracles.stack_gate(Y / unit, F[..., 0] / unit, F @ w / unit, is_real)
    assert stack.gate_ == pytest.approx(gamma, rel=1e-8, abs=1e-12)
    close(stack.weights_, gamma * w + (1.0 - gamma) * np.eye(4)[0], rtol=1e-8)
    close(stack.loo_values_, (F @ stack.weights_).reshape(stack.loo_values_.shape))


@pytest.mark.parametrize("kind", KINDS)
def test_cautious_gate(kind):
    stack, X, _, Y = fitted(kind, gate="cautious")
    F = np.stack([loo_columns(member) for member in stack.members_.values()], axis=-1)
    unit = Y.std() if kind == "reals" else 1.0
    penalty = 2.0 * np.sqrt(X.shape[1] / len(X))
    given = Y / unit, F[..., 0] / unit, F @ stack.stack_weights_ / unit, kind == "reals"
    gamma = oracles.stack_gate(*given, penalty)
    assert stack.gate_ == pytest.approx(gamma, rel=1e-8, abs=1e-12)
    assert stack.gate_ <= fitted(kind)[0].gate_


@pytest.mark.parametrize("kind", KINDS)
def test_leave_one_out_values_are_those_of_refits(kind):
    """Every member refitted without the row, its kernel (with its metric) and ridge as they are."""
    stack, X, y, _ = fitted(kind, gate=0.7)
    method = "predict" if kind == "reals" else "decision_function"
    refits = np.empty(stack.loo_values_.shape)
    for i in range(len(X)):
        rest = np.delete(np.arange(len(X)), i)
        refits[i] = sum(
            weight * getattr(clone_of(member).fit(X[rest], y[rest]), method)(X[[i]])[0]
            for member, weight in zip(stack.members_.values(), stack.weights_, strict=True)
        )
    close(stack.loo_values_, refits, rtol=1e-8)


def clone_of(member):
    machine = member.best_estimator_
    return type(machine)(machine.kernel, ridge=machine.ridge, fit_intercept=True)


@pytest.mark.parametrize("kind", KINDS)
def test_a_closed_gate_is_the_single_machine_to_the_last_bit(kind):
    stack, X, y, _ = fitted(kind, gate=0.0)
    single = kw.KernelSelector(task=stack.task).fit(X, y)
    Z = np.random.default_rng(7).normal(size=(50, 3))
    assert stack.weights_.tolist() == [1.0, 0.0, 0.0, 0.0]
    assert np.array_equal(stack.predict(Z), single.predict(Z))
    assert np.array_equal(stack.loo_values_, single.best_estimator_.loo_values_)
    assert stack.error_ == stack.single_error_ == single.error_
    if kind == "reals":
        assert np.array_equal(stack.predict_interval(Z), single.predict_interval(Z))
    else:
        assert np.array_equal(stack.decision_function(Z), single.decision_function(Z))
        assert np.array_equal(stack.predict_proba(Z), single.predict_proba(Z))
        assert np.array_equal(stack.predict_set(Z), single.predict_set(Z))


def test_the_unit_of_a_real_target_does_not_matter():
    X, y, _ = problem("reals")
    one = kw.KernelStack(task="regression").fit(X, y)
    other = kw.KernelStack(task="regression").fit(X, 2.0**60 * y)
    close(one.weights_, other.weights_)
    close(2.0**60 * one.predict(X), other.predict(X))
