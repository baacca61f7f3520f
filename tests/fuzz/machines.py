"""LSSVC and KRR: hostile arguments, and ordinary ones against a direct solve."""

import pickle

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

import kernelwise as kw
from fuzz import references
from fuzz.cases import Trial, insist
from fuzz.draw import chance, log_uniform, odd_ones, pick, tame_number, wild_number, wild_weights
from fuzz.random_kernels import tame_kernel, wild_kernel
from fuzz.rows import tame_rows, wild_rows
from fuzz.targets import length, tame_classes, tame_reals, wild_target


def machines(trial: Trial) -> None:
    """Run one case."""
    kind = trial.rng.random()
    if kind < 0.3:
        _against_direct_solve(trial)
    elif kind < 0.4:
        _scaled_within_the_documented_range(trial)
    else:
        _anything(trial)


# --- anything --------------------------------------------------------------------------------


def _anything(trial: Trial) -> None:
    rng = trial.rng
    odd = odd_ones(rng, "X", "y", "kernel", "settings", "weights")
    X = wild_rows(rng) if "X" in odd else tame_rows(rng)
    n = length(X)
    machine = _machine(trial, odd)
    tame = tame_reals if isinstance(machine, kw.KRR) else tame_classes
    y = wild_target(rng, n) if "y" in odd else tame(rng, max(n, 4))
    repr(machine)
    if chance(rng, 0.05):
        trial.try_(machine.predict, X)
    trial(machine.fit, X, y, sample_weight=wild_weights(rng, n) if "weights" in odd else None)
    insist(np.isfinite(machine.dual_coef_).all(), "dual_coef_ is not finite")
    insist(np.isfinite(machine.intercept_).all(), "intercept_ is not finite")
    weighted = np.isfinite(machine.loo_residuals_).all()
    insist(weighted or _may_lack_residuals(machine), "loo_residuals_ is not finite")
    check_methods(trial, machine, X)
    if chance(rng, 0.3):
        check_methods(trial, machine, wild_rows(rng))
    if chance(rng, 0.1):
        trial.must(clone, machine)
        trial.must(pickle.dumps, machine)


def _machine(trial: Trial, odd: set[str]):
    rng = trial.rng
    kernel = trial(wild_kernel, rng) if "kernel" in odd else tame_kernel(rng)
    if "kernel" in odd and chance(rng, 0.1):
        kernel = pick(rng, _NO_KERNELS)
    settings = {"ridge": tame_number(rng), "fit_intercept": chance(rng, 0.5)}
    weights = [None, None, "balanced"]
    if "settings" in odd:
        settings["ridge"] = wild_number(rng)
        settings["fit_intercept"] = pick(rng, [True, False, True, False, np.True_, None, "yes"])
        weights = [None, "balanced", {0: 2.0}, {"a": 3}, {0: 0}, {1: -1}, {0: 1e300}, {}, "a", 3]
    if chance(rng, 0.4):
        return kw.KRR(kernel, **settings)
    if chance(rng, 0.2):
        settings["threshold"] = pick(rng, ["midpoint", "zero", None, 0.5] if odd else ["midpoint"])
    return kw.LSSVC(kernel, **settings, class_weight=pick(rng, weights))


_NO_KERNELS = [
    None,
    "rbf",
    kw.Gaussian,
    3,
    lambda X, Z: "matrix",
    lambda X, Z: None,
    lambda X, Z: np.zeros((2, 2)),
    lambda X, Z: np.full((X.shape[0], Z.shape[0]), np.nan),
    lambda X, Z: np.ones((X.shape[0], Z.shape[0]), dtype=int),
    lambda X, Z: [[1.0] * Z.shape[0]] * X.shape[0],
    lambda X, Z: sp.csr_matrix(np.ones((X.shape[0], Z.shape[0]))),
    lambda X, Z: 1j * np.ones((X.shape[0], Z.shape[0])),
]


def _may_lack_residuals(machine) -> bool:
    """Rows of weight zero have no residual, and a row that is alone cannot be left out."""
    residuals = machine.loo_residuals_.reshape(len(machine.loo_residuals_), -1)
    without = ~np.isfinite(residuals).all(axis=1)
    unused = ~np.any(machine.dual_coef_.reshape(residuals.shape) != 0.0, axis=1)
    return bool(np.all(unused[without])) or residuals.shape[0] - unused.sum() <= 1


def check_methods(trial: Trial, machine, X) -> None:
    """Ask a fitted machine everything about some rows; answers go together."""
    predicted = trial(machine.predict, X)
    if isinstance(machine, kw.KRR):
        insist(np.isfinite(predicted).all(), "predict is not finite")
        lower, upper = trial.must(machine.predict_interval, X, 0.5)
        insist(lower.shape == upper.shape == predicted.shape, "an interval has another shape")
        insist((lower <= upper).all(), "an interval is upside down, or not a number")
        return
    scores = trial.must(machine.decision_function, X)
    insist(np.isfinite(scores).all(), "decision_function is not finite")
    winners = (scores > 0.0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
    insist(np.array_equal(predicted, machine.classes_[winners]), "predict differs from its rule")
    members = trial.must(machine.predict_set, X, 0.5)
    insist(members.shape == (len(predicted), len(machine.classes_)), "a set has another shape")
    P = trial.must(machine.predict_proba, X)
    insist(P.shape == (len(predicted), len(machine.classes_)), "predict_proba has another shape")
    insist(((P >= 0.0) & (P <= 1.0)).all(), "predict_proba is not within 0 and 1")
    insist(np.allclose(P.sum(axis=1), 1.0), "predict_proba does not sum to 1")
    log_P = trial.must(machine.predict_log_proba, X)
    insist(np.allclose(np.exp(log_P), P), "predict_log_proba is not the logarithm")
    insist(not np.isnan(log_P).any() and (log_P <= 0.0).all(), "predict_log_proba is positive")


def _scaled_within_the_documented_range(trial: Trial) -> None:
    """Features of any scale from 1e-100 to 1e150 are fine."""
    rng = trial.rng
    X = rng.normal(size=(int(rng.integers(6, 20)), 3)) * log_uniform(rng, -100, 148)
    y = tame_classes(rng, len(X))
    kernel = pick(rng, trial.must(kw.grids.auto, X))
    machine = kw.LSSVC(kernel, fit_intercept=chance(rng, 0.5))
    trial.must(machine.fit, X, y)
    check_methods(trial, machine, X)


# --- against a direct solve ------------------------------------------------------------------


def _against_direct_solve(trial: Trial) -> None:
    rng = trial.rng
    X = tame_rows(rng, most=14)
    kernel = tame_kernel(rng) if chance(rng, 0.6) else kw.Gaussian(log_uniform(rng, -6, 6))
    bias, ridge = chance(rng, 0.5), log_uniform(rng, -4, 4)
    weights = None if chance(rng, 0.7) else rng.random(len(X)) + 0.1
    kernel, ridge, weights = _rescaled(rng, kernel, ridge, weights)
    if chance(rng, 0.5):
        y = tame_classes(rng, len(X))
        machine = kw.LSSVC(kernel, ridge, bias)
        Y = references.signs(np.unique(y, return_inverse=True)[1])
    else:
        y = tame_reals(rng, len(X))
        y = y if chance(rng, 0.7) else np.column_stack([y, y[::-1]])
        machine = kw.KRR(kernel, ridge, bias)
        Y = y.reshape(len(X), -1)
    rows = sp.csr_matrix(X) if chance(rng, 0.2) else X
    K = kernel(rows)
    direct = references.machine(K, Y, ridge, bias, weights)
    if direct.condition > references.WORST:
        return
    trial.must(machine.fit, rows, y, sample_weight=weights)
    _compare_scores(trial, machine, direct, rows)
    if weights is None:
        _compare_residuals(machine, K, Y)
    if isinstance(machine, kw.LSSVC):
        check_methods(trial, machine, X)


def _rescaled(rng, kernel, ridge, weights):
    """Return the same machine in other units: of the kernel and the ridge, or of the weights."""
    unit = log_uniform(rng, -90, 90)
    if weights is not None and chance(rng, 0.3):
        return kernel, ridge * unit, weights * unit
    return (unit * kernel, ridge * unit, weights) if chance(rng, 0.2) else (kernel, ridge, weights)


def _compare_scores(trial: Trial, machine, direct: references.Solution, X) -> None:
    Z = trial.rng.normal(size=(5, X.shape[1]))
    expected, error = references.evaluate(direct, machine.kernel(Z, X))
    say = machine.decision_function if isinstance(machine, kw.LSSVC) else machine.predict
    found = trial.must(say, Z).reshape(expected.shape)
    insist((np.abs(found - expected) <= error).all(), f"{found} is not {expected}, a direct solve")


def _compare_residuals(machine, K, Y) -> None:
    scores, error = references.leave_one_out(K, Y, machine.ridge, machine.fit_intercept)
    size = np.linalg.norm(K, 2) + machine.ridge
    reach = np.linalg.norm(machine.dual_coef_) * size + np.abs(Y).max()
    condition = np.linalg.cond(K / size + machine.ridge / size * np.eye(len(K)))
    error = error + references.SLACK * references.EPS * len(K) * condition * reach
    found = machine.loo_residuals_.reshape(Y.shape)
    insist(
        (np.abs(found - (Y - scores)) <= error).all(),
        f"leave-one-out residuals {found} are not {Y - scores}, those of refits",
    )
