"""KernelSelector: any constructor arguments, estimators and data."""

import numpy as np
from sklearn.base import clone
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.svm import SVC, SVR, NuSVC, OneClassSVM

import kernelwise as kw
from fuzz.cases import Trial, insist
from fuzz.criteria import tame_criterion, wild_criterion
from fuzz.draw import (
    Rng,
    chance,
    odd_ones,
    pick,
    tame_number,
    wild_integer,
    wild_number,
    wild_weights,
)
from fuzz.random_kernels import some_kernels, tame_kernel, wild_kernel
from fuzz.rows import tame_rows, wild_rows
from fuzz.scoring import check_result
from fuzz.targets import length, tame_classes, tame_reals, wild_target


def selector(trial: Trial) -> None:
    """Run one case."""
    rng = trial.rng
    odd = odd_ones(rng, "X", "y", "estimator", "kernels", "criterion", "ridge", "settings", "fit")
    X = wild_rows(rng) if "X" in odd else tame_rows(rng)
    is_real = chance(rng, 0.3)
    y = _target(rng, length(X), is_real) if "y" not in odd else wild_target(rng, length(X))
    arguments = _arguments(trial, odd, is_real)
    if odd <= {"criterion", "ridge", "settings"} and chance(rng, 0.1):
        X, arguments["kernels"] = tame_kernel(rng)(X), kw.Precomputed()
    chooser = kw.KernelSelector(**arguments)
    repr(chooser)
    if chance(rng, 0.1) and hasattr(chooser, "predict"):
        trial.try_(chooser.predict, X)
    weights = {"sample_weight": wild_weights(rng, length(X))} if "fit" in odd else {}
    trial(chooser.fit, X, y, **weights)
    check_result(trial, chooser.result_, complete=False)
    insist(chooser.best_kernel_ in chooser.result_.kernels, "the choice is not in the table")
    insist(chooser.best_ridge_ > 0.0, f"the ridge is {chooser.best_ridge_}")
    _ask(trial, chooser, X, y)


def _target(rng: Rng, n: int, is_real: bool):
    return tame_reals(rng, n) if is_real else tame_classes(rng, max(n, 4), most=3)


def _arguments(trial: Trial, odd: set[str], is_real: bool) -> dict:
    rng = trial.rng
    arguments = {}
    if "estimator" in odd:
        arguments["estimator"] = pick(rng, _ESTIMATORS)()
    if chance(rng, 0.6):
        arguments["kernels"] = some_kernels(rng)
    if "kernels" in odd:
        odd_kernels = [None, "auto", [], kw.Gaussian, "rbf", kw.Precomputed(), kw.Linear(), 3]
        wild = [trial(wild_kernel, rng) for _ in range(2)]
        arguments["kernels"] = pick(rng, [wild, wild, wild, pick(rng, odd_kernels)])
    if chance(rng, 0.4):
        arguments["criterion"] = tame_criterion(rng, not is_real)
    if "criterion" in odd:
        arguments["criterion"] = trial(_criterion, rng)
    if "ridge" in odd:
        one = wild_number(rng)
        arguments["ridge"] = pick(rng, [one, one, [one, 1.0], [], [0.1, 1.0, 1.0], "nope"])
    elif chance(rng, 0.4):
        arguments["ridge"] = tame_number(rng)
    arguments |= random_settings(rng) if "settings" in odd else {}
    if chance(rng, 0.2):
        arguments["class_weight"] = pick(rng, _WEIGHTS if "settings" in odd else _WEIGHTS[:2])
    return arguments


def _criterion(rng: Rng):
    kind = rng.integers(4)
    if kind == 0:
        stages = [(wild_criterion(rng), wild_integer(rng)), (wild_criterion(rng), 1)]
        return kw.Cascade(*stages, rule=pick(rng, ["best", "best", "one_se", "nope"]))
    if kind == 1:
        return pick(rng, ["auto", "sm", "eloo", "ks", "nope", "", None, 3, kw.criteria.SM, []])
    return wild_criterion(rng)


_ESTIMATORS = [
    lambda: kw.LSSVC(class_weight="balanced"),
    lambda: kw.LSSVC(threshold="midpoint"),
    lambda: kw.LSSVC(fit_intercept=False),
    kw.KRR,
    SVC,
    lambda: SVC(class_weight="balanced"),
    NuSVC,
    SVR,
    KernelRidge,
    GaussianProcessRegressor,
    GaussianProcessClassifier,
    OneClassSVM,
    LogisticRegression,
    lambda: kw.LSSVC,
    lambda: "SVC",
    kw.KernelSelector,
]


_WEIGHTS = ["balanced", None, {0: 2.0, 1: 1.0, 2: 0.5}, {}, {"a": 3}, {0: 0}, {1: -1}, "a", 3]


def random_settings(rng: Rng) -> dict:
    """Return some parameters of a selector with values of any kind."""
    choices = {
        "task": ["auto", "classification", "regression", "nope", None],
        "engine": ["auto", "dense", "tiled", "nope", None, kw.gram.Dense, kw.gram.LowRank(4)],
        "refit": [True, False, False, None, 3],
        "memory": [None, "1GB", "1KB", 0.5, 0, -1, 2.0, "lots", np.nan, 10**30, [], True],
        "time": [None, 3],
        "journal": [None, "fuzz.kwj"],
        "n_jobs": [None, 1, 2, -1, 0, 3, 10**6, 1.5, "all", -5],
        "random_state": [None, 0, 3, -1, "a", 2**40, np.random.RandomState(0)],
    }
    return {name: pick(rng, values) for name, values in choices.items() if chance(rng, 0.35)}


def _ask(trial: Trial, chooser: kw.KernelSelector, X, y) -> None:
    """Ask a fitted selector everything that it offers."""
    rng = trial.rng
    for method in ("predict", "decision_function", "predict_proba", "predict_log_proba"):
        if chooser.refit and hasattr(chooser, method):
            found = trial(getattr(chooser, method), X)
            # scikit-learn's GaussianProcessClassifier says NaN of three classes at times.
            ours = type(chooser.best_estimator_) in (kw.LSSVC, kw.KRR) and found.dtype.kind == "f"
            insist(not ours or not np.isnan(found).any(), f"{method} is NaN")
    if chooser.refit and hasattr(chooser, "score"):
        trial.try_(chooser.score, X, y)
    folds = [2, 3, KFold(2), StratifiedKFold(2), 0, 1, -1, 10**6, None, "a", 2.5, []]
    if chance(rng, 0.3):
        trial.try_(chooser.error_estimate, X, y, cv=pick(rng, folds))
    trial.must(clone, chooser)
