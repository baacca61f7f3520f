"""score_kernels: any arguments, and what its tables say."""

from typing import Any

import numpy as np

import kernelwise as kw
from fuzz.cases import Trial, insist
from fuzz.criteria import tame_criterion, wild_criterion
from fuzz.draw import chance, log_uniform, odd_ones, pick, tame_number, wild_number
from fuzz.random_kernels import some_kernels, wild_kernel
from fuzz.rows import tame_rows, wild_rows
from fuzz.targets import length, tame_classes, tame_reals, wild_target

ENGINES = ["auto", "dense", "tiled", "low_rank", kw.gram.LowRank(6), kw.gram.LowRank(3, "pivoted")]


def scoring(trial: Trial) -> None:
    """Run one case."""
    if chance(trial.rng, 0.4):
        _extremes(trial)
    else:
        _anything(trial)


def _anything(trial: Trial) -> None:
    rng = trial.rng
    odd = odd_ones(rng, "X", "y", "kernels", "criteria", "ridge", "settings")
    X = wild_rows(rng) if "X" in odd else tame_rows(rng)
    n = length(X)
    y = wild_target(rng, n) if "y" in odd else tame_classes(rng, max(n, 4))
    if "criteria" in odd:
        asked = [trial(wild_criterion, rng) for _ in range(int(rng.integers(1, 4)))]
    else:
        asked = tame_criterion(rng, classes=True)
    result = trial(
        kw.score_kernels,
        X,
        y,
        _wild_kernels(trial) if "kernels" in odd else some_kernels(rng),
        asked,
        ridge=_wild_ridges(rng) if "ridge" in odd else [tame_number(rng)],
        engine=pick(rng, ENGINES),
        fit_intercept=chance(rng, 0.5),
        machine=pick(rng, ["least-squares", "svm"]),
        **_wild_settings(rng) if "settings" in odd else {},
    )
    check_result(trial, result)


def _extremes(trial: Trial) -> None:
    """Make every argument valid, and as large or small as it may be."""
    rng = trial.rng
    size = pick(rng, [1.0, 1.0, log_uniform(rng, -100, 148)])
    X = tame_rows(rng, most=pick(rng, [30, 30, 60])) * size
    is_real = chance(rng, 0.3)
    y = tame_reals(rng, len(X)) if is_real else tame_classes(rng, len(X), most=3)
    width = size * log_uniform(rng, -2, 3)
    kernels = [
        kw.Gaussian(min(max(width**2, 1e-290), 1e290)),
        kw.Laplacian(width),
        kw.Matern(width, pick(rng, [0.5, 1.5, 2.5])),
        kw.Polynomial(int(rng.integers(1, 30))),
        kw.Sigmoid(pick(rng, [1.0, -1.0, 0.01]), pick(rng, [0.0, -1.0, 1.0])),
        log_uniform(rng, -100, 100) * kw.Linear(),
        pick(rng, trial(kw.grids.auto, X)),
    ]
    result = trial(
        kw.score_kernels,
        X,
        y * log_uniform(rng, -97, 97) if is_real else y,
        [pick(rng, kernels)],
        tame_criterion(rng, not is_real),
        ridge=pick(rng, [1.0, log_uniform(rng, -100, 100), log_uniform(rng, -100, 100)]),
        engine=pick(rng, ENGINES),
        fit_intercept=chance(rng, 0.5),
        machine=pick(rng, ["least-squares", "svm"]),
        task="regression" if is_real else "auto",
    )
    check_result(trial, result)


def _wild_kernels(trial: Trial):
    rng = trial.rng
    if chance(rng, 0.7):
        return [trial(wild_kernel, rng) for _ in range(int(rng.integers(1, 3)))]
    return pick(rng, [None, None, [], "auto", kw.Linear(), kw.Gaussian, [kw.Gaussian], 3, {}])


def _wild_ridges(rng):
    one = wild_number(rng)
    return pick(rng, [one, one, [one, 2.0], np.array([0.1, 1.0]), (), [[1.0]], "auto"])


def _wild_settings(rng):
    memories = [None, "1GB", 0.5, "1KB", 0, -1, "lots", 1e30, np.nan, "1e400GB", True, "GB", 1e-9]
    return {
        "task": pick(rng, ["auto", "classification", "regression", "nope", None]),
        "memory": pick(rng, memories),
        "progress": pick(rng, [None, False]),
    }


def check_result(trial: Trial, result, complete: bool = True) -> None:
    """Ask a table everything; a value is a number, infinite, or NaN with a note.

    The table of a selection is not complete: NaN stands where a kernel did not reach a stage.
    """
    for name, values in result.table.items():
        insist(values.shape == (len(result),), f"the column {name} has shape {values.shape}")
        noted = any(key.endswith(f": {name}") for key in result.notes)
        insist(
            noted or not complete or not np.isnan(values).any(),
            f"{name} is NaN, and no note says why",
        )
    for name in result.choosing():
        trial.must(result.best, name)
        trial.try_(result.best_ridge, name, "one_se")
        trial.must(result.ranks, name)
    trial.must(result.agreement)
    trial.must(result.frame, ranks=True)
    trial.must(result._repr_html_)
    again = trial.must(kw.selection.SelectionResult.from_json, trial.must(result.to_json))
    # Folds that were given are left out, as documented.
    same = [_kernels(again) == _kernels(result), again.notes == result.notes]
    insist(all(same) and len(again.table) == len(result.table), "another result after JSON")


def _kernels(result) -> list[Any]:
    """Return the kernels; those with a function, of which files have the name, by their text."""
    return [str(k) if "Function(" in str(k) else k for k in result.kernels]
