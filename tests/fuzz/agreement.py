"""The same question asked in two ways has the same answer."""

import numpy as np
import scipy.sparse as sp

import kernelwise as kw
from fuzz.cases import Trial, insist
from fuzz.commands import folder
from fuzz.criteria import tame_criterion
from fuzz.draw import Rng, chance, log_uniform, pick
from fuzz.random_kernels import some_kernels, tame_kernel
from fuzz.rows import tame_rows
from fuzz.targets import tame_classes, tame_reals

WORST = 1e8  # condition number beyond which rounding decides


def agreement(trial: Trial) -> None:
    """Run one case."""
    pick(trial.rng, [_engines, _units, _units, _orders, _containers, _machines, _selection])(trial)


def _problem(rng: Rng):
    """Return rows, a target, and what to call it."""
    X = tame_rows(rng)
    if chance(rng, 0.3):
        return X, tame_reals(rng, len(X)), "regression"
    return X, tame_classes(rng, len(X), most=3), "classification"


def _asked(rng: Rng, task: str) -> list[kw.criteria.Criterion]:
    """Return criteria whose values are not counts: rounding may move a count by one."""
    drawn = [tame_criterion(rng, task == "classification") for _ in range(4)]
    kept = [c for c in drawn if getattr(c, "loss", "") not in ("error", "auc")]
    kept = [c for c in kept if c.name not in ("span", "bif")]
    return list({c.label: c for c in kept}.values()) or [kw.criteria.SM()]


def _engines(trial: Trial) -> None:
    """The engines, and score_matrix on the kernel's own matrix."""
    rng = trial.rng
    X, y, task = _problem(rng)
    kernel = pick(rng, [kw.Gaussian(log_uniform(rng, -2, 2)), *some_kernels(rng)])
    asked, ridge = _asked(rng, task), log_uniform(rng, -2, 2)
    settings = {"ridge": ridge, "fit_intercept": chance(rng, 0.5), "task": task}
    dense, tiled = (
        trial.must(kw.score_kernels, X, y, kernel, asked, engine=engine, **settings).table
        for engine in ("dense", "tiled")
    )
    given = trial.must(kw.score_matrix, kernel(X), y, asked, **settings)
    condition = _condition(kernel(X), ridge)
    for name, [value] in dense.items():
        _same(name, value, tiled[name][0], condition, "the tiled engine")
        if name != "br":  # a given matrix has no width
            _same(name, value, given[name], condition, "score_matrix")


def _condition(K, ridge: float) -> float:
    """Return what rounding in K is amplified by: solving, and the centring of wide kernels."""
    spread = np.abs(K).max() / max(float(np.ptp(K)), 1e-300)
    return float(np.linalg.cond(K + ridge * np.eye(len(K)))) * (1.0 + spread)


def _same(name: str, a: float, b: float, condition: float, who: str) -> None:
    if np.isnan(a) or np.isnan(b) or condition > WORST:
        return
    tolerance = max(1e-9, 1e-13 * condition) * max(abs(a), 1e-3)
    insist(a == b or abs(a - b) <= tolerance, f"{name} is {a}, but {b} by {who}")


def _units(trial: Trial) -> None:
    """Rows in another unit, a power of two, with the width to match: the very same matrix."""
    rng = trial.rng
    X, y, task = _problem(rng)
    unit = 2.0 ** int(rng.integers(-330, 480))  # 1e-100 to 1e144
    s = log_uniform(rng, -1, 2)
    nu = pick(rng, [0.5, 1.5, 2.5])
    kernel, scaled = pick(
        rng,
        [
            (kw.Gaussian(s), lambda: kw.Gaussian(s * unit * unit)),
            (kw.Laplacian(s), lambda: kw.Laplacian(s * unit)),
            (kw.Matern(s, nu), lambda: kw.Matern(s * unit, nu)),
        ],
    )
    asked = [c for c in _asked(rng, task) if c.name != "br"] or ["sm"]  # br looks at the width
    settings = {
        "ridge": log_uniform(rng, -2, 2),
        "engine": pick(rng, ["dense", "tiled"]),
        "machine": pick(rng, ["least-squares", "least-squares", "svm"]),
        "task": task,
    }
    if settings["machine"] == "svm" and task == "regression":
        return
    plain = trial.must(kw.score_kernels, X, y, kernel, asked, **settings).table
    other = trial.must(kw.score_kernels, X * unit, y, trial.must(scaled), asked, **settings).table
    for name, [value] in plain.items():
        _same(name, value, other[name][0], 1.0, f"rows in units of {unit}")
        insist(np.isnan(value) == np.isnan(other[name][0]), f"{name} is NaN in one unit only")


def _orders(trial: Trial) -> None:
    """Rows in another order."""
    rng = trial.rng
    X, y, task = _problem(rng)
    order = rng.permutation(len(X))
    kernel, ridge = tame_kernel(rng), log_uniform(rng, -2, 2)
    asked = [c for c in _asked(rng, task) if not c.draws_folds] or ["sm"]
    one, other = (
        trial.must(kw.score_kernels, X[rows], y[rows], kernel, asked, ridge=ridge, task=task).table
        for rows in (np.arange(len(X)), order)
    )
    for name, [value] in one.items():
        _same(name, value, other[name][0], _condition(kernel(X), ridge), "rows in another order")


def _containers(trial: Trial) -> None:
    """The same numbers as a list, sparse, in Fortran's order, read-only, by another byte order."""
    rng = trial.rng
    X, y, task = _problem(rng)
    X = np.round(X, 2)
    kernel = tame_kernel(rng, depth=0)
    fixed = X.copy()
    fixed.flags.writeable = False
    other = pick(
        rng,
        [
            X.tolist(),
            sp.csr_matrix(X),
            sp.csc_array(X),
            np.asfortranarray(X),
            np.repeat(X, 2, axis=0)[::2],
            fixed,
            X.astype(">f8"),
            X.astype(object),
        ],
    )
    ask = [c for c in _asked(rng, task) if c.cost == "n^2"] or ["sm"]
    engine = pick(rng, ["dense", "tiled"])
    one, two = (
        trial.must(kw.score_kernels, rows, y, kernel, ask, engine=engine, task=task).table
        for rows in (X, other)
    )
    for name, [value] in one.items():
        _same(name, value, two[name][0], _condition(kernel(X), 1.0), type(other).__name__)


def _machines(trial: Trial) -> None:
    """LSSVC is KRR on ±1; a given matrix and a saved model predict the same."""
    rng = trial.rng
    X = tame_rows(rng)
    y = tame_classes(rng, len(X), most=2)
    kernel, ridge, bias = tame_kernel(rng), log_uniform(rng, -2, 2), chance(rng, 0.5)
    if _condition(kernel(X), ridge) > WORST:
        return
    machine = trial.must(kw.LSSVC(kernel, ridge, bias).fit, X, y)
    scores = trial.must(machine.decision_function, X)
    signs = np.where(y == machine.classes_[1], 1.0, -1.0)
    regression = trial.must(kw.KRR(kernel, ridge, bias).fit, X, signs)
    given = trial.must(kw.LSSVC(kw.Precomputed(), ridge, bias).fit, kernel(X), y)
    with folder() as here:
        trial.must(kw.save_model, machine, here / "model.skops")
        loaded = trial.must(kw.load_model, here / "model.skops")
    error = 1e-13 * _condition(kernel(X), ridge) * max(1.0, float(np.abs(scores).max()))
    for name, found in (
        ("KRR", trial.must(regression.predict, X)),
        ("a given matrix", trial.must(given.decision_function, kernel(X))),
        ("a saved model", trial.must(loaded.decision_function, X)),
    ):
        insist(np.abs(found - scores).max() <= error, f"{found} by {name}, not {scores}")


def _selection(trial: Trial) -> None:
    """A selector follows the unit of the rows."""
    rng = trial.rng
    X, y, _ = _problem(rng)
    if len(np.unique(X, axis=0)) < 2:
        return
    unit = 2.0 ** int(rng.integers(-330, 480))
    grids = [[k.tau for k in trial.must(kw.grids.auto, rows)] for rows in (X, X * unit)]
    if grids[1] != [tau * unit * unit for tau in grids[0]]:
        return  # distances that are a power of two but for rounding: the logarithm decides
    one = trial.must(kw.KernelSelector().fit, X, y)
    other = trial.must(kw.KernelSelector().fit, X * unit, y)
    insist(
        other.best_kernel_.tau == one.best_kernel_.tau * unit * unit,
        f"{other.best_kernel_} in units of {unit}, but {one.best_kernel_}",
    )
    insist(np.isclose(other.best_ridge_, one.best_ridge_), "another ridge in another unit")
