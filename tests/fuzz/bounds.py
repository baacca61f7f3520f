"""The theorems: any matrix, target and parameters."""

import inspect

import numpy as np

import kernelwise as kw
from fuzz.cases import Trial, insist
from fuzz.criteria import wild_matrix
from fuzz.draw import (
    Rng,
    chance,
    log_uniform,
    odd_ones,
    pick,
    tame_number,
    wild_integer,
    wild_number,
)
from fuzz.random_kernels import tame_kernel
from fuzz.rows import tame_rows
from fuzz.targets import tame_classes, tame_reals, wild_target

FUNCTIONS = [
    function
    for name in kw.bounds.__all__
    if inspect.isfunction(function := getattr(kw.bounds, name))
]


def bounds(trial: Trial) -> None:
    """Run one case."""
    rng = trial.rng
    function = pick(rng, [*FUNCTIONS, kw.bounds.all_bounds, kw.bounds.all_bounds])
    parameters = inspect.signature(function).parameters
    names = [name for name, p in parameters.items() if p.kind is p.KEYWORD_ONLY]
    odd = odd_ones(rng, "K", "K", "y", *names)
    K = wild_matrix(rng) if "K" in odd else tame_kernel(rng)(tame_rows(rng))
    n = len(K) if K is not None else 5
    real = "krr" in function.__name__ or chance(rng, 0.1)
    tame = tame_reals(rng, n) if real else tame_classes(rng, max(n, 4), most=2)
    y = wild_target(rng, n) if "y" in odd else tame
    given = {name: trial(_parameter, rng, name) for name in names if name in odd}
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
    """Draw an argument by its name."""
    limit = [None, 1.0, tame_number(rng), wild_number(rng)]
    choices = {
        "ridge": [tame_number(rng), *2 * [log_uniform(rng, -100, 100)], wild_number(rng)],
        "delta": [0.05, 0.5, log_uniform(rng, -300, 0), 1.0 - 1e-16, wild_number(rng)],
        "variant": ["printed", "corrected", "printed", "corrected", "nope", None],
        "task": ["auto", "classification", "regression", "nope"],
        "normalizer": [None, "trace", "sum", "nope"],
        "removed_ridge": ["scaled", "fixed", "nope", None],
        "t": [wild_integer(rng), 3, None],
        "k": [wild_integer(rng), tame_number(rng), None],
    }
    if name == "limits":
        return kw.bounds.Limits(pick(rng, limit), pick(rng, limit), pick(rng, limit))
    return pick(rng, choices.get(name, [*limit, 0.05, 0.5, "empirical", wild_number(rng)]))
