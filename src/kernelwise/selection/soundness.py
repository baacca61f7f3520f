"""Whether a model that was loaded is one that fitting could have made.

A file can hold anything: arrays of the wrong shape, text instead of numbers, indices out of
range. Compiled code trusts them, so they are checked once, here.
"""

import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import MaxAbsScaler, OneHotEncoder, StandardScaler
from sklearn.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

from kernelwise import _sklearn as private
from kernelwise._registry import PACKAGE
from kernelwise.criteria import Criterion
from kernelwise.kernels import Kernel
from kernelwise.machines import KRR, LSSVC, PrecomputedAdapter, check_ridge
from kernelwise.machines.calibration import Calibration
from kernelwise.selection.declaration import Checkable
from kernelwise.selection.result import SelectionResult
from kernelwise.selection.selector import KernelSelector

Shapes = dict[str, tuple[int, ...]]  # of attributes, by name


class Unsound(ValueError):
    """Parts of a model that do not fit together; the message says which."""


def check_model(model: Any) -> None:
    """Raise Unsound where parts of a model, fitted or not, do not fit together."""
    try:
        for part in reversed(list(_parts(model))):  # what a part is made of comes before it
            for kind, check in _CHECKS.items():
                if isinstance(part, kind):
                    check(part)
    except Unsound:
        raise
    except Exception as error:  # whatever a wrong type makes a check stumble over
        raise Unsound(f"a part of another kind: {type(error).__name__}") from error


def _parts(model: Any) -> Iterator[Any]:
    """Yield a model and all that it is made of, each once."""
    seen: set[int] = set()
    waiting = [model]
    while waiting:
        part = waiting.pop()
        if id(part) in seen or isinstance(part, str | bytes | np.ndarray):
            continue
        seen.add(id(part))
        yield part
        if isinstance(part, dict):
            waiting += [*part.keys(), *part.values()]
        elif isinstance(part, list | tuple | set | frozenset):
            waiting += part
        elif isinstance(part, BaseEstimator):
            waiting += vars(part).values()
        elif is_dataclass(part) and not isinstance(part, type):
            waiting += [getattr(part, field.name) for field in fields(part)]


def _require(holds: Any, what: str) -> None:
    if not holds:
        raise Unsound(what)


def _check_value(value: Any) -> None:
    """Make a kernel or a criterion of ours anew: its constructor knows what parameters may be."""
    if type(value).__module__.startswith(PACKAGE):
        replace(value)


def _check_rows(rows: Any) -> None:
    """Refuse sparse rows with indices out of range: compiled loops would follow them."""
    rows.check_format(full_check=True)
    _check_numbers(rows.data, "sparse rows")


def _check_result(result: SelectionResult) -> None:
    shape = (len(result.kernels),)
    columns = [result.ridges, *result.table.values(), *result.standard_errors.values()]
    _require(all(np.shape(column) == shape for column in columns), "a table is not rectangular")
    _require(result.table.keys() == result.criteria.keys(), "columns lack their criteria")


def _check_params(machine: Any) -> None:
    try:
        private.check_params(machine)
    except ValueError as error:
        raise Unsound(str(error)) from None


def _check_itself(estimator: Checkable) -> None:
    _check_params(estimator)
    try:
        estimator.check_sound()
    except ValueError as error:
        raise Unsound(str(error)) from None


def _check_machine(machine: LSSVC | KRR) -> None:
    """Compare the shapes of a machine in closed form with each other."""
    _check_params(machine)
    check_ridge(machine.ridge)
    if not hasattr(machine, "X_fit_"):
        return
    n, d = np.shape(machine.X_fit_)
    _require(machine.n_features_in_ == d, f"X_fit_ has {d} columns, not {machine.n_features_in_}")
    for name in ("X_fit_", "dual_coef_", "intercept_"):
        _check_numbers(getattr(machine, name), name)
    wide = () if machine.dual_coef_.ndim == 1 else (machine.dual_coef_.shape[-1],)
    # A machine of low rank is a sum over fewer rows than it was trained on.
    trained = (max(n, len(machine.loo_values_)), *wide)
    shapes = {"loo_values_": trained, "loo_residuals_": trained, "intercept_": wide}
    if hasattr(machine, "sample_weight_"):  # files of earlier versions have none
        _check_numbers(machine.sample_weight_, "sample_weight_")
        _require(bool((machine.sample_weight_ >= 0.0).all()), "sample_weight_ is negative")
        shapes["sample_weight_"] = trained[:1]
    _check_shapes(machine, {"dual_coef_": (n, *wide), **shapes})
    for name in ("loo_values_", "loo_residuals_"):  # NaN for rows of weight zero
        _check_numbers(np.nan_to_num(getattr(machine, name)), name)
    if isinstance(machine, LSSVC):
        _check_classes(machine.classes_, *(wide or (2,)))
        _require(isinstance(machine.calibration_, Calibration), "calibration_ is of another kind")
        _check_numbers(machine.threshold_, "threshold_")
        slope = machine.calibration_.slope
        _require(isinstance(slope, float) and 0.0 <= slope < math.inf, f"slope is {slope!r:.40}")
    _try(machine.predict, machine.X_fit_)


def _check_numbers(values: Any, name: str) -> None:
    values = np.asarray(values.data if sp.issparse(values) else values)
    _require(values.dtype == np.float64, f"{name} holds {values.dtype} in the place of float64")
    _require(bool(np.isfinite(values).all()), f"{name} holds NaN or infinity")


def _check_shapes(owner: Any, shapes: Shapes) -> None:
    for name, shape in shapes.items():
        found = np.shape(getattr(owner, name))
        _require(found == shape, f"{name} has the shape {found}, not {shape}")


def _check_classes(classes: Any, number: int) -> None:
    _require(isinstance(classes, np.ndarray), "classes_ is no array")
    _require(classes.shape == (number,), f"classes_ has the shape {classes.shape}, not ({number},)")
    _require(np.unique(classes).size == number, "classes_ holds a class twice")
    if classes.dtype.kind == "U":
        "".join(classes.tolist()).encode()  # half of a character is no text


def _check_svm(machine: Any) -> None:
    """Compare what LIBSVM is handed: it computes addresses from it."""
    if not hasattr(machine, "support_"):
        return
    vectors, c = machine.support_.size, len(getattr(machine, "classes_", "+-"))
    counts = getattr(machine, private.SVM_COUNTS)
    if hasattr(machine, "classes_"):
        _check_classes(machine.classes_, c)
        _require(np.sum(counts) == vectors, f"{private.SVM_COUNTS} has another sum")
    _require(np.all(counts >= 0), f"{private.SVM_COUNTS} holds negative numbers")
    learned: Shapes = dict.fromkeys(private.SVM_COEFFICIENTS, (c - 1, vectors))
    learned |= dict.fromkeys(private.SVM_INTERCEPTS, (c * (c - 1) // 2,))
    _check_shapes(machine, {private.SVM_COUNTS: (c,), "support_": (vectors,), **learned})
    for name in learned:
        _check_numbers(getattr(machine, name), name)
    _require(np.ndim(getattr(machine, private.SVM_WIDTH)) == 0, f"{private.SVM_WIDTH} is no number")
    _check_svm_rows(machine, vectors)


def _check_svm_rows(machine: Any, vectors: int) -> None:
    """Compare the rows with each other: support vectors, or all where the kernel is a function."""
    n, d = machine.shape_fit_
    _require(np.all((machine.support_ >= 0) & (machine.support_ < n)), "support_ leads astray")
    own_kernel = callable(machine.kernel) or machine.kernel == "precomputed"
    kept = (0, 0) if own_kernel else (vectors, machine.n_features_in_)
    _check_shapes(machine, {"support_vectors_": kept})
    if callable(machine.kernel):
        _check_shapes(machine, {private.SVM_ROWS: (n, d)})
        _try(machine.predict, getattr(machine, private.SVM_ROWS))
    else:
        _try(machine.predict, np.zeros((1, n)) if own_kernel else machine.support_vectors_)


def _check_adapter(machine: PrecomputedAdapter) -> None:
    if hasattr(machine, "X_fit_"):
        _try(machine.predict, machine.X_fit_)


def _check_process(machine: Any) -> None:
    """Use a Gaussian process; a classifier's rows are in that of its first class."""
    inner = getattr(machine, "base_estimator_", machine)
    inner = getattr(inner, "estimators_", [inner])[0]
    if hasattr(inner, "X_train_"):
        _try(machine.predict, inner.X_train_)


def _check_columns(transformer: Any) -> None:
    """Compare the lengths of what was learned of every column."""
    if not hasattr(transformer, "n_features_in_"):
        return
    d = transformer.n_features_in_
    for name in ("mean_", "var_", "scale_", "max_abs_", "statistics_"):
        learned = getattr(transformer, name, None)
        if learned is not None:
            _check_shapes(transformer, {name: (d,)})
            _require(name == "statistics_" or learned.dtype.kind == "f", f"{name} holds no numbers")
    if hasattr(transformer, "categories_"):
        _require(len(transformer.categories_) == d, "categories_ has another length")


def _try(method: Callable[[Any], Any], rows: Any) -> None:
    """Use a machine on one of its own training rows."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        outcome = method(rows[:1])
    _require(np.shape(outcome)[0] == 1, "a row has no single prediction")


_CHECKS: dict[Any, Callable[[Any], None]] = {
    Kernel: _check_value,
    Criterion: _check_value,
    (sp.csr_matrix, sp.csr_array): _check_rows,
    SelectionResult: _check_result,
    KernelSelector: _check_params,
    Checkable: _check_itself,
    (LSSVC, KRR): _check_machine,
    (SVC, NuSVC, SVR, NuSVR, OneClassSVM): _check_svm,
    PrecomputedAdapter: _check_adapter,
    (GaussianProcessRegressor, GaussianProcessClassifier): _check_process,
    (SimpleImputer, StandardScaler, MaxAbsScaler, OneHotEncoder): _check_columns,
}
