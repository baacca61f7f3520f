"""KernelStack: any recipe, settings and data."""

import numpy as np
from sklearn.base import clone

import kernelwise as kw
from fuzz.cases import Trial, insist
from fuzz.draw import Rng, chance, odd_ones, pick, wild_weights
from fuzz.random_kernels import some_kernels, tame_kernel, wild_kernel
from fuzz.rows import tame_rows, wild_rows
from fuzz.selector import random_settings
from fuzz.targets import length, tame_classes, tame_reals, wild_target

_TAME = ["GLBl", "GLBl", "GLBl", "GL", "Gl", ["gaussian", "linear"], "lLB"]
_WILD = ["", "GG", "GB", "x", [], 3, None, [3], [[]], [kw.Precomputed()], [kw.Gaussian], ["G", "?"]]
_GATES = ["auto", "cautious", 0.0, 1.0, 0.5, 0, True, -1, 2, None, "open", np.nan, [0.5]]


def stacks(trial: Trial) -> None:
    """Run one case."""
    rng = trial.rng
    odd = odd_ones(rng, "X", "y", "recipe", "gate", "settings", "fit")
    X = wild_rows(rng) if "X" in odd else tame_rows(rng)
    n, is_real = length(X), chance(rng, 0.3)
    y = tame_reals(rng, n) if is_real else tame_classes(rng, max(n, 4), most=3)
    y = wild_target(rng, n) if "y" in odd else y
    stack = kw.KernelStack(trial(_recipe, rng, "recipe" in odd), **_arguments(rng, odd))
    repr(stack)
    weights = {"sample_weight": wild_weights(rng, n)} if "fit" in odd else {}
    trial(stack.fit, X, y, **weights)
    _check(stack)
    for method in ("predict", "decision_function", "predict_proba", "predict_log_proba"):
        if hasattr(stack, method):
            found = trial(getattr(stack, method), X)
            insist(found.dtype.kind != "f" or not np.isnan(found).any(), f"{method} is NaN")
    for method in ("predict_interval", "predict_set", "score"):
        if hasattr(stack, method):
            trial.try_(getattr(stack, method), X, y if method == "score" else 0.5)
    trial.must(clone, stack)


def _recipe(rng: Rng, is_odd: bool):
    if is_odd:
        return pick(rng, [*_WILD, ["G", wild_kernel(rng)]])
    own = ["G", tame_kernel(rng), some_kernels(rng)]
    return own if chance(rng, 0.2) else pick(rng, _TAME)


def _arguments(rng: Rng, odd: set[str]) -> dict:
    arguments = random_settings(rng) if "settings" in odd else {}
    for name in ("refit", "journal"):
        arguments.pop(name, None)
    if "gate" in odd:
        arguments["gate"] = pick(rng, _GATES)
    if chance(rng, 0.2):
        arguments["class_weight"] = pick(rng, ["balanced", None, {0: 2.0}, "a"])
    return arguments


def _check(stack: kw.KernelStack) -> None:
    """See whether the weights are convex and the gate is between its limits."""
    for weights in (stack.weights_, stack.stack_weights_):
        insist(weights.min() >= 0.0, f"negative weights {weights}")
        insist(abs(weights.sum() - 1.0) < 1e-9, f"weights {weights} do not add up to one")
    insist(0.0 <= stack.gate_ <= 1.0, f"the gate is {stack.gate_}")
    insist(stack.best_ridge_ > 0.0, f"the ridge is {stack.best_ridge_}")
    insist(stack.gate_ > 0.0 or stack.weights_[0] == 1.0, "a closed gate lets members through")
