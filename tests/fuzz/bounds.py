"""The theorems: any matrix, target and parameters."""

import inspect

import numpy as np

import kernelwise as kw
from fuzz.cases import Trial, insist
from fuzz.criteria import wild_matrix
from fuzz.data import Rng, chance, log_uniform, pick, tame_classes, tame_number, tame_reals
from fuzz.data import tame_rows, wild_integer, wild_number, wild_target
from fuzz.random_kernels import tame_kernel

FUNCTIONS = [
    getattr(kw.bounds, name) for name in kw.bounds.__all__ if inspect.isfunction(
        getattr(kw.bounds, name)
    )
]


def bounds(trial: Trial) -> None:
    """Run one case."""
    rng = trial.rng
    K = wild_matrix(rng) if chance(rng, 0.6) else tame_kernel(rng)(tame_rows(rng))
    n = len(K) if K is not None else 5
    y = pick(rng, [tame_classes(rng, max(n, 4), most=2), tame_reals(rng, n), wild_target(rng, n)])
    function = pick(rng, [*FUNCTIONS, kw.bounds.all_bounds, kw.bounds.all_bounds])
    parameters = inspect.signature(function).parameters
    given = {
        name: trial(_parameter, rng, name)
        for name, parameter in parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY and chance(rng, 0.4)
    }
    found = trial(function, K, *([y] if "y" in parameters else []), **given)
    for bound in found.values() if isinstance(found, dict) else [found]:
        _check(bound)


def _check(bound) -> None:
    """A bound is a number, infinite where a term overflows, and says what it is made of."""
    if isinstance(bound, kw.bounds.Bound):
        insist(not np.isnan(bound.value), f"the bound is NaN: {bound.terms}")
        insist(isinstance(bound.vacuous, bool | np.bool_), "vacuous is neither true nor false")
        str(bound), repr(bound)
    else:
        insist(isinstance(bound, float) and not np.isnan(bound), f"{bound!r} is no number")


def _parameter(rng: Rng, name: str):
    if name == "ridge":
        return pick(rng, [tame_number(rng), log_uniform(rng, -100, 100), wild_number(rng)])
    if name == "limits":
        limit = [None, 1.0, tame_number(rng), wild_number(rng)]
        return kw.bounds.Limits(pick(rng, limit), pick(rng, limit), pick(rng, limit))
    if name == "variant":
        return pick(rng, ["printed", "corrected", "printed", "corrected", "nope", None])
    if name == "task":
        return pick(rng, ["auto", "classification", "regression", "nope"])
    if name in ("normalizer", "removed_ridge"):
        return pick(rng, [None, "trace", "sum", "scaled", "fixed", "same", "nope"])
    if name in ("t", "k"):
        return pick(rng, [wild_integer(rng), tame_number(rng), None])
    return pick(rng, [wild_number(rng), tame_number(rng), 0.05, 0.5, "empirical", None])
