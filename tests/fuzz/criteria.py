"""Criteria with any parameters on any matrix, and ordinary ones against oracles."""

import mpmath
import numpy as np
from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold

import kernelwise as kw
import oracles
from fuzz import references
from fuzz.cases import Trial, insist
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
from kernelwise.selection import UndefinedCriterionWarning

EPS = np.finfo(float).eps
NAMES = [info.name for info in kw.criteria.available()]
PARAMETERS = {info.name: info.parameters for info in kw.criteria.available()}
_WORDS = {
    "loss": "press error squared_hinge absolute log_loss auc square hinge nope".split(),
    "measure": ["error", "square", "squared_hinge", "nope"],
    "normalizer": ["trace", "sum", "nope"],
    "scale": ["plain", "printed", "nope"],
    "fold_ridge": ["fixed", "scaled", "nope"],
    "mean": ["zero", "constant", "nope"],
    "weighted": [True, False, None],
}


def criteria(trial: Trial) -> None:
    """Run one case."""
    kind = trial.rng.random()
    if kind < 0.03:
        _less_ridge_less_hinge_loss(trial)
    elif kind < 0.2:
        _matrix_criteria(trial)
    elif kind < 0.45:
        _cross_validation(trial)
    else:
        _anything(trial)


# --- random criteria -------------------------------------------------------------------------


def wild_criterion(rng: Rng) -> kw.criteria.Criterion:
    """Return a criterion with any parameters; call it through a trial."""
    name = pick(rng, NAMES)
    given = {field: _parameter(rng, field) for field in PARAMETERS[name] if chance(rng, 0.5)}
    return kw.criteria.get(name, **given)


def tame_criterion(rng: Rng, classes: bool) -> kw.criteria.Criterion:
    """Return a criterion as it comes, for classes or for a real target."""
    task = "multiclass" if classes else "regression"
    known = [kw.criteria.get(name) for name in NAMES]
    known += [kw.criteria.SM(r=r) for r in (1, 2, 2.5, 4)]
    known += [kw.criteria.ELOO(loss) for loss in ("error", "squared_hinge", "log_loss", "auc")]
    known += [kw.criteria.KFold(k=3, loss=loss) for loss in ("error", "square", "hinge")]
    return pick(rng, [c for c in known if task in c.tasks])


def _parameter(rng: Rng, field: str):
    if field in _WORDS:
        return pick(rng, _WORDS[field])
    if field == "cv":
        return _folds(rng)
    if field in ("eta", "delta", "t") and chance(rng, 0.3):
        return "cv"
    if field in ("k", "order", "repeats", "random_state", "t"):
        value = wild_integer(rng)
        # That many repetitions take that long: it is what was asked for.
        return 3 if isinstance(value, int | float) and 20 < value < np.inf else value
    if field == "r" and chance(rng, 0.5):
        return pick(rng, [1, 2, 3, 5, 17, 50, 1000, 10**6, 1.5, 1.0 + 1e-15, 1e300])
    return wild_number(rng)


def _folds(rng: Rng):
    return pick(
        rng,
        [
            None,
            KFold(2),
            StratifiedKFold(2),
            ShuffleSplit(2, test_size=0.3),
            [([0, 1, 2, 3], [4, 5])],
            [([0, 1], [0, 1])],
            [([0], [1])],
            [([0, 1, 2], [])],
            [([0, 1, 2], [10**6])],
            [(np.array([0.0, 1.0]), np.array([2.0]))],
            [],
            [1, 2],
            "cv",
            3,
        ],
    )


# --- anything --------------------------------------------------------------------------------


@np.errstate(all="ignore")
def wild_matrix(rng: Rng):
    """Return anything that somebody may take for a kernel matrix."""
    X = tame_rows(rng, most=20)
    K = tame_kernel(rng)(X)
    n = len(K)
    return pick(
        rng,
        [
            K,
            K,
            X @ X.T,
            K * log_uniform(rng, -160, 160),
            K * log_uniform(rng, -300, 300),
            K - K.mean(),
            -K,
            0.0 * K,
            np.ones_like(K),
            np.ones_like(K) * 1e154,
            np.eye(n),
            np.eye(n)[::-1],
            np.diag(10.0 ** rng.uniform(-150, 150, n)),
            np.outer(*2 * [10.0 ** rng.uniform(-70, 70, n)]),
            np.diag(np.arange(n) - 3.0),
            K + 1e-12 * rng.normal(size=K.shape),
            rng.normal(size=K.shape),
            K[:-1],
            K[:2, :2],
            K[:1, :1],
            K[:0, :0],
            K + np.diag(np.full(n, 1e10)),
            np.where(np.eye(n), np.nan, K),
            np.where(np.eye(n), np.inf, K),
            K.astype(np.float32),
            K.tolist(),
            K.astype(str),
            (10 * K).astype(int),
            None,
        ],
    )


def _anything(trial: Trial) -> None:
    rng = trial.rng
    odd = odd_ones(rng, "K", "y", "criterion", "criterion", "ridge", "task")
    K = wild_matrix(rng) if "K" in odd else tame_kernel(rng)(tame_rows(rng))
    n = len(K) if K is not None else 5
    y = wild_target(rng, n) if "y" in odd else tame_classes(rng, max(n, 4))
    is_wild = "criterion" in odd or chance(rng, 0.3)
    asked = trial(wild_criterion, rng) if is_wild else tame_criterion(rng, chance(rng, 0.8))
    trial.must(repr, asked)
    values = trial(
        kw.score_matrix,
        K,
        y,
        pick(rng, [asked, [asked], asked.name]),
        ridge=wild_number(rng) if "ridge" in odd else tame_number(rng),
        task=pick(rng, ["classification", "regression", "nope", None]) if "task" in odd else "auto",
        fit_intercept=chance(rng, 0.5),
    )
    insist(len(values) == 1, "the criterion has no value")
    [value] = values.values()
    insist(isinstance(value, float), "the value is not a number")
    explained = any(issubclass(w.category, UndefinedCriterionWarning) for w in trial.warned)
    insist(explained or not np.isnan(value), "the value is NaN, and nobody says why")


# --- against oracles -------------------------------------------------------------------------


def _matrix_criteria(trial: Trial) -> None:
    """The criteria that need one sweep, in extended precision."""
    rng = trial.rng
    X = tame_rows(rng, most=9)
    y = tame_classes(rng, len(X), most=3)
    codes = np.unique(y, return_inverse=True)[1].tolist()
    K = kw.Gaussian(log_uniform(rng, -2, 2))(X)
    pairs = [oracles.restrict(K, codes, p, q) for p, q in oracles.class_pairs(codes)]
    with mpmath.workdps(40):
        Ke = [[mpmath.mpf(float(v)) for v in row] for row in K]
        columns = oracles.contrasts(codes)
        expected = {
            "kta": oracles.kta(Ke, oracles.target_matrix(codes)),
            "sm": _mean(oracles.sm(Ke, oracles.weighted_labels(y), 3) for y in columns),
            "md": _mean(oracles.mean_discrepancy(*_extended(*pair)) for pair in pairs),
            "ncut": _mean(oracles.ncut(*_extended(*pair)) for pair in pairs),
        }
    found = trial.must(kw.score_matrix, K, y, list(expected))
    for name, value in expected.items():
        # Sums of n^2 terms of size 1 are known to n^2 eps; these values stand beside 1.
        tolerance = 100 * EPS * len(X) ** 2 / max(abs(float(value)), 1e-9)
        right = abs(found[name] - float(value)) <= tolerance + 1e-9 * abs(float(value))
        insist(right or np.isnan(found[name]), f"{name} is {found[name]}, not {float(value)}")


def _extended(K, y):
    return [[mpmath.mpf(float(v)) for v in row] for row in K], y


def _mean(values):
    values = list(values)
    return sum(values) / len(values)


def _cross_validation(trial: Trial) -> None:
    """Leave-one-out and k folds against refits, by the rule of predict."""
    rng = trial.rng
    X = tame_rows(rng, most=14)
    kernel = kw.Gaussian(log_uniform(rng, -4, 4)) if chance(rng, 0.7) else tame_kernel(rng)
    K, ridge, bias = kernel(X), log_uniform(rng, -3, 3), chance(rng, 0.5)
    if np.linalg.cond(K + ridge * np.eye(len(K))) > references.WORST:
        return
    if chance(rng, 0.2):
        _press(trial, X, kernel, ridge, bias)
        return
    y = tame_classes(rng, len(X), most=3)
    codes = np.unique(y, return_inverse=True)[1]
    Y = references.signs(codes)
    splitter = KFold(3, shuffle=True, random_state=0)
    folds = list(splitter.split(X))
    asked = [kw.criteria.ELOO("error"), kw.criteria.KFold(cv=splitter)]
    found = trial.must(kw.score_kernels, X, y, kernel, asked, ridge=ridge, fit_intercept=bias)
    loo = references.error_range(references.leave_one_out(K, Y, ridge, bias), codes)
    parts = references.held_out(K, Y, ridge, bias, folds)
    rates = [references.error_range(values, codes[rows]) for rows, values in parts]
    by_folds = tuple(np.mean([rate[i] for rate in rates]) for i in range(2))
    for name, (low, high) in (("eloo", loo), ("kfold", by_folds)):
        value = found.table[name][0]
        insist(
            low - 1e-12 <= value <= high + 1e-12,
            f"the error rate {name} is {value}, by refits between {low} and {high}",
        )


def _press(trial: Trial, X, kernel, ridge: float, bias: bool) -> None:
    y = tame_reals(trial.rng, len(X))
    K = kernel(X)
    scores, error = references.leave_one_out(K, y[:, None], ridge, bias)
    residuals = np.abs(y[:, None] - scores).astype(float)
    condition = np.linalg.cond(K + ridge * np.eye(len(K)))
    rounding = references.SLACK * EPS * len(K) * condition
    error = error + rounding * (np.abs(y).max() + residuals.max()) * len(K)
    found = trial.must(
        kw.score_kernels, X, y, kernel, "eloo", ridge=ridge, fit_intercept=bias, task="regression"
    ).table["eloo"][0]
    low, high = (np.mean(np.maximum(residuals + s * error, 0.0) ** 2) for s in (-1.0, 1.0))
    insist(low <= found <= high, f"press is {found}, by refits between {low} and {high}")


def _less_ridge_less_hinge_loss(trial: Trial) -> None:
    """The smaller the ridge of a support vector machine, the smaller its training loss."""
    rng = trial.rng
    X = tame_rows(rng)
    y = tame_classes(rng, len(X), most=2)
    ridges = sorted([log_uniform(rng, -3, 2), log_uniform(rng, -12, 2)])
    kernel = pick(rng, [kw.Linear(), tame_kernel(rng, depth=0)])
    result = trial.must(kw.score_kernels, X, y, kernel, "rks", ridge=ridges, machine="svm")
    small, large = result.table["rks"]  # both have the same stability term
    # LIBSVM stops at violations of 1e-3.
    insist(not small > large + 0.01, f"hinge losses {small} and {large} at ridges {ridges}")
