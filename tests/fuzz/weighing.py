"""MultiKernelSelector: any kernels, views, methods, settings and data."""

import numpy as np
from sklearn.base import clone

import kernelwise as kw
from fuzz.cases import Trial, insist
from fuzz.draw import Rng, chance, odd_ones, pick, wild_weights
from fuzz.random_kernels import some_kernels, wild_kernel
from fuzz.rows import tame_rows, wild_rows
from fuzz.targets import length, tame_classes, tame_reals, wild_target

_METHODS = ["auto", "l1", "align", "alignf", "uniform", "loo", "lml"]
_CRITERIA = ["sm", "md", "er", "rks", "sps", kw.criteria.SM(r=1.5), kw.criteria.ER(t=1)]
_WILD = {
    "method": ["best", None, 3, "criterion", ["l1"]],
    "criterion": ["eloo", 3, kw.criteria.RKS(eta="cv"), kw.criteria.SM(normalizer="sum")],
    "p": [0, 0.5, -1, np.nan, np.inf, "2", None, 1, 100],
    "ridge": [-1.0, 0, [], "x", None, np.nan, [1.0, 1e-3], 1e100, 1e-100],
    "views": [{}, [], 3, {1: [0]}, {"a": []}, {"a": [10**6]}, {"a": ["x"]}, {"a": None}, {"": 0}],
    "memory": ["1KB", -1, "x", 0.5],
    "center": [False, None, "no"],
    "normalize": [False, None, 2],
    "class_weight": ["balanced", {0: 2.0}, "a"],
}


def weighing(trial: Trial) -> None:
    """Run one case."""
    rng = trial.rng
    odd = odd_ones(rng, "X", "y", "kernels", "settings", "fit")
    X = wild_rows(rng) if "X" in odd else tame_rows(rng)
    n, is_real = length(X), chance(rng, 0.3)
    y = tame_reals(rng, n) if is_real else tame_classes(rng, max(n, 4), most=3)
    if is_real and chance(rng, 0.3):
        y = np.column_stack([y, tame_reals(rng, n)])
    y = wild_target(rng, n) if "y" in odd else y
    model = kw.MultiKernelSelector(**trial(_arguments, rng, odd))
    repr(model)
    weights = {"sample_weight": wild_weights(rng, n)} if "fit" in odd else {}
    trial(model.fit, X, y, **weights)
    _check(model)
    for method in ("predict", "decision_function", "predict_proba"):
        if hasattr(model, method):
            found = trial(getattr(model, method), X)
            insist(found.dtype.kind != "f" or not np.isnan(found).any(), f"{method} is NaN")
    trial.must(clone, model)


def _arguments(rng: Rng, odd: set[str]) -> dict:
    arguments = {"kernels": "auto" if chance(rng, 0.4) else some_kernels(rng)}
    if "kernels" in odd:
        arguments["kernels"] = pick(rng, [[], 3, None, "cosine", [wild_kernel(rng)], kw.Linear])
    if chance(rng, 0.3):
        arguments["criterion"] = pick(rng, _CRITERIA)
    else:
        arguments["method"] = pick(rng, _METHODS)
    if chance(rng, 0.3):
        arguments["views"] = {"first": [0], "again": 0}
    if "settings" in odd:
        name = pick(rng, list(_WILD))
        arguments[name] = pick(rng, _WILD[name])
    return arguments


def _check(model: kw.MultiKernelSelector) -> None:
    """See whether the weights are convex and belong to the kernels."""
    weights = model.weights_
    insist(weights.shape == (len(model.kernels_),), "weights of other kernels")
    insist(weights.min() >= 0.0, f"negative weights {weights}")
    insist(abs(weights.sum() - 1.0) < 1e-9, f"weights {weights} do not add up to one")
    insist(abs(sum(model.view_weights_.values()) - 1.0) < 1e-9, "views lose weight")
    insist(model.best_ridge_ > 0.0, f"the ridge is {model.best_ridge_}")
