"""Relevance: hostile arguments, and ordinary ones against differences."""

import numpy as np

import kernelwise as kw
from fuzz.cases import Trial, insist
from fuzz.draw import chance, log_uniform, odd_ones, pick, wild_number
from fuzz.random_kernels import tame_kernel, wild_kernel
from fuzz.rows import tame_rows, wild_rows
from fuzz.targets import length, tame_classes, tame_reals

_STEP = 1e-6


def relevance(trial: Trial) -> None:
    """Run one case."""
    if chance(trial.rng, 0.5):
        _against_differences(trial)
    else:
        _anything(trial)


def _anything(trial: Trial) -> None:
    rng = trial.rng
    odd = odd_ones(rng, "X", "kernel", "rows", "settings")
    kernel = trial(wild_kernel, rng) if "kernel" in odd else tame_kernel(rng)
    X = wild_rows(rng) if "X" in odd else tame_rows(rng)
    machine = kw.KRR(kernel, ridge=log_uniform(rng, -3, 3), fit_intercept=chance(rng, 0.5))
    trial(machine.fit, X, rng.normal(size=length(X)))
    given = wild_rows(rng) if "rows" in odd else None
    settings = {"rows": wild_number(rng)} if "settings" in odd else {}
    found = trial(kw.relevance, machine, given, **settings)
    insist(np.isfinite(found.values).all() and (found.values >= 0.0).all(), "a value is no square")
    insist(found.values.shape == (machine.n_features_in_,), "values have another shape")


def _against_differences(trial: Trial) -> None:
    """Compare with central differences, at points where no kernel has a kink."""
    rng = trial.rng
    X = tame_rows(rng, most=14)
    kernel = pick(rng, [kw.Gaussian, kw.Laplacian, kw.Matern])(log_uniform(rng, -1, 2))
    if chance(rng, 0.3):
        kernel = kw.Scaled(rng.random(X.shape[1]).tolist(), kernel)
    if chance(rng, 0.3):
        kernel = kernel + 0.5 * kernel * kw.Linear()
    classes = chance(rng, 0.5)
    machine = kw.LSSVC(kernel) if classes else kw.KRR(kernel)
    trial.must(machine.fit, X, (tame_classes if classes else tame_reals)(rng, len(X)))
    points = X[:3] + rng.normal(size=X[:3].shape)
    say = machine.decision_function if classes else machine.predict
    steps = _STEP * np.eye(X.shape[1])
    G = np.array([(say(points + s) - say(points - s)).reshape(3, -1) / 2 / _STEP for s in steps])
    expected = np.mean(np.sum(G**2, axis=2), axis=1)
    found = trial.must(kw.relevance, machine, points).values
    # A difference is off by the rounding of the terms of f, divided by the step.
    terms = np.abs(kernel(points, X)) @ np.abs(machine.dual_coef_) + np.abs(machine.intercept_)
    error = 1e-5 * np.sqrt(expected.max()) + 1e-8 * terms.max()
    apart = np.abs(np.sqrt(found) - np.sqrt(expected))
    insist((apart <= error).all(), f"{found} is not {expected}")
