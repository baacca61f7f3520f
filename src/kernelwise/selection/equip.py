"""The machine that gets the chosen kernel and ridge."""

from typing import Any

from sklearn.base import clone, is_regressor

from kernelwise.gram import Targets
from kernelwise.kernels import Kernel
from kernelwise.kernels.geometry import Array
from kernelwise.machines import KRR, LSSVC, RidgeFit, fit_known


def machine_for(estimator: Any, targets: Targets) -> Any:
    """Return a fresh machine for the targets, or say why the estimator cannot be it."""
    if estimator is None:
        return KRR(fit_intercept=True) if targets.classes is None else LSSVC()
    name, module = type(estimator).__name__, type(estimator).__module__
    if (targets.classes is None) != is_regressor(estimator):
        task = "regression" if targets.classes is None else "classification"
        raise ValueError(f"estimator {name} does not fit task {task!r}: change either.")
    if "kernel" not in estimator.get_params(deep=False):
        raise ValueError(
            f"estimator {name} has no parameter 'kernel': use LSSVC, KRR, or an SVM of "
            "scikit-learn."
        )
    if module.startswith("sklearn.") and not module.startswith("sklearn.svm"):
        raise ValueError(
            f"estimator {name} takes no function of two matrices as its kernel: use LSSVC, KRR, or "
            "an SVM of scikit-learn."
        )
    return clone(estimator)


def judge_for(machine: Any) -> str:
    """Return the machine by which criteria with a training error judge."""
    is_svc = type(machine).__name__ == "SVC" and type(machine).__module__.startswith("sklearn.svm")
    return "svm" if is_svc else "least-squares"


def equip(machine: Any, kernel: Kernel, ridge: float) -> Any:
    """Return the machine with the kernel and, in its own terms, the ridge."""
    known = machine.get_params(deep=False)
    settings: dict[str, Any] = {"kernel": kernel}
    if "ridge" in known:
        settings["ridge"] = ridge
    elif "C" in known:
        settings["C"] = 0.5 / ridge
    return machine.set_params(**settings)


def fit_machine(machine: Any, X: Any, y: Array, known: RidgeFit | None) -> None:
    """Fit the machine, from the solution that the choice left behind where it is the same one."""
    weighted = getattr(machine, "class_weight", None) is not None
    if known is not None and type(machine) in (LSSVC, KRR) and not weighted:
        fit_known(machine, X, y, known)
    else:
        machine.fit(X, y)
