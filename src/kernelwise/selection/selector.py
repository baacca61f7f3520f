"""The estimator that chooses its kernel and ridge."""

from numbers import Integral, Real
from typing import Any, ClassVar

from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils.metadata_routing import process_routing
from sklearn.utils.validation import check_is_fitted

from kernelwise._collections import is_collection
from kernelwise._sklearn import (
    CLASS_WEIGHT,
    POSITIVE,
    CallbackSupportMixin,
    HasMethods,
    StrOptions,
    _fit_context,
    _routing_enabled,
    fit_task,
    validate_rows,
)
from kernelwise._threads import limited
from kernelwise.criteria import Criterion
from kernelwise.gram import Engine, Targets
from kernelwise.machines.delegation import Delegating
from kernelwise.machines.ridges import RIDGE
from kernelwise.selection.advice import plan_or_advise
from kernelwise.selection.all_rows import fit_collection
from kernelwise.selection.cascade import Cascade
from kernelwise.selection.declaration import Declared
from kernelwise.selection.diagnostics import sampled
from kernelwise.selection.estimates import by_folds
from kernelwise.selection.estimators import (
    balanced_leave_one_out,
    configure_estimator,
    favours_rare_classes,
    fit_estimator,
    leave_one_out,
)
from kernelwise.selection.guards import warn_about
from kernelwise.selection.record import ErrorEstimate
from kernelwise.selection.search import parts_of
from kernelwise.selection.terms import SCORINGS, SearchAttributes
from kernelwise.targets import TASKS, as_vector

_FITTED = (
    "result_ best_kernel_ best_ridge_ best_estimator_ classes_ error_ balanced_error_ "
    "target_variance_ _training _sample"
).split()


class KernelSelector(
    CallbackSupportMixin,
    Delegating,
    SearchAttributes,
    Declared,
    MetaEstimatorMixin,
    BaseEstimator,
):
    r"""Choose a kernel and a ridge from the kernel matrices, then fit a machine with them.

    By default one sweep screens every candidate by the spectral measure, and exact leave-one-out
    picks the kernel and the ridge among the five best.

    Parameters
    ----------
    estimator : estimator or None, default=None
        The machine to fit: LSSVC, KRR or an estimator of scikit-learn; None means LSSVC, or KRR
        with an intercept for regression. SVC, NuSVC, SVR and NuSVR get the kernel as a function,
        KernelRidge gets its matrix, Gaussian processes get its width, and the ridge as noise. The
        ridge becomes ``ridge``, ``alpha`` or :math:`C = 1 / (2\,\mathrm{ridge})`. With SVC, the
        criteria that train a machine (KFold, RKS, CVKS, ER, SPS) train the support vector machine;
        leave-one-out is always that of the least-squares machine.
    kernels : "auto", str, Kernel, callable or list of these, default="auto"
        The candidates. "auto" takes ``grids.auto(X)``; if its narrowest or widest kernel wins, it
        adds four more widths on that side, at most twice. Other names ("laplacian", "matern",
        "poly", "linear", "sigmoid") are grids made from X; docs/candidates.md has the other forms.
    criterion : "auto", str, Criterion or Cascade, default="auto"
        The criterion to choose by. "auto" is
        ``Cascade((SM(r=2), 5), (ELOO(loss="squared_hinge"), 1))``, with press for regression.
    ridge : "auto", float or list of float, default="auto"
        The ridge, or several to choose from. "auto" tries 10^-4 to 10^2 times the mean diagonal of
        each kernel matrix. A criterion that ignores the ridge, or that would always prefer the
        smallest (a training error), chooses only the kernel, at 1 in that unit; exact leave-one-out
        then chooses the ridge.
    task : {"auto", "classification", "regression"}, default="auto"
        "auto" follows the estimator, or else the target: fractions are regressed on, and integers
        that have few rows to each value. Before it is fitted, a selector with "auto" counts as a
        classifier, so that scikit-learn stratifies its folds.
    engine : {"auto", "dense", "tiled", "low_rank"} or Engine, default="auto"
        How to compute with kernel matrices. "auto" keeps them in memory up to 700 rows; beyond
        that, or beyond the memory budget, it sweeps over tiles. Beyond 8,000 rows, or the budget,
        it estimates what costs n^3. ``gram.LowRank(rank)`` takes time linear in the rows.
    refit : bool, default=True
        Whether to fit the estimator with the choice.
    memory : str, float or None, default=None
        The memory budget for kernel matrices: an amount such as "4GB", or a share of what is free;
        None means 0.8.
    time : float or None, default=None
        About how many seconds the choice may take; the fit of another estimator takes its own.
        Where exact leave-one-out takes longer, machines on landmarks are compared, as many as there
        is time for; other estimators are chosen on fewer rows. None is exact up to 8,000 rows that
        fit into memory, and estimates with an effort that grows with the rows beyond.
    n_jobs : int or None, default=None
        The number of threads for fits and predictions, at most the number of processors: -1 uses
        all of them, -2 all but one. None uses as many as help; linear algebra on fewer than 2,000
        rows runs in one thread. Settings such as ``OPENBLAS_NUM_THREADS`` are never exceeded.
    random_state : int, RandomState or None, default=None
        Selects the rows that ``grids.auto`` samples if there are more than 1,000.
    scoring : str or None, default=None
        The score of scikit-learn to choose by, after the same screen, through exact leave-one-out:
        "accuracy", "balanced_accuracy", "roc_auc", "neg_log_loss", "r2", "neg_mean_squared_error"
        or "neg_mean_absolute_error". It replaces ``criterion``, which must then be "auto", and
        :meth:`score` returns it.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, multiplied into the sample weights: in the screen, in leave-one-out
        and in the machine, which must have a parameter of that name. "balanced" makes every class
        count equally, so that leave-one-out chooses by the balanced loss. Weights that the
        estimator has already are for its fit alone.

    Attributes
    ----------
    best_kernel_ : Kernel
    best_ridge_ : float
    best_estimator_ : estimator
        The estimator fitted with them, if ``refit``.
    result_ : SelectionResult
        One row per kernel, one column per stage; NaN for kernels that did not reach a stage.
    classes_ : array of shape (c,)
        The class labels; classification only.
    error_ : ErrorEstimate or None
        The leave-one-out error of the fitted machine; None if it has none
        (:meth:`error_estimate` then refits it). It does not account for the selection;
        scikit-learn's ``cross_val_score`` does.
    balanced_error_ : ErrorEstimate or None
        The mean over classes of the error rate in each, as ``error_``; None for regression.
    guards_ : tuple of str
        Warnings about the choice, each with a remedy.
    target_variance_ : float
        The variance of a real target, the unit of R²; regression only.
    best_params_, best_score_, best_index_, cv_results_, scorer_
        As of a fitted ``GridSearchCV``; the choice in scikit-learn's terms (gamma, C, alpha).

    Examples
    --------
    >>> import kernelwise as kw
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import StandardScaler
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> selector = kw.KernelSelector().fit(StandardScaler().fit_transform(X), y)
    >>> isinstance(selector.best_kernel_, kw.Gaussian)
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "estimator": [HasMethods(["fit"]), None],
        "kernels": "no_validation",  # as_kernels looks at every one
        "criterion": [str, Criterion, Cascade],
        "ridge": [StrOptions({"auto"}), RIDGE, "array-like"],
        "task": [StrOptions(TASKS)],
        "engine": [str, Engine],
        "refit": ["boolean"],
        "memory": [str, Real, None],
        "time": [POSITIVE, None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "scoring": [StrOptions(set(SCORINGS)), None],
        "class_weight": CLASS_WEIGHT,
    }

    def __init__(
        self,
        estimator: Any = None,
        kernels: Any = "auto",
        criterion: Any = "auto",
        ridge: Any = "auto",
        task: str = "auto",
        engine: Any = "auto",
        refit: bool = True,
        memory: Any = None,
        time: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        scoring: str | None = None,
        class_weight: Any = None,
    ) -> None:
        self.estimator = estimator
        self.kernels = kernels
        self.criterion = criterion
        self.ridge = ridge
        self.task = task
        self.engine = engine
        self.refit = refit
        self.memory = memory
        self.time = time
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.scoring = scoring
        self.class_weight = class_weight

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any, **fit_params: Any) -> "KernelSelector":
        """Choose kernel and ridge, and fit the estimator with them.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
            The data; or the kernel matrix itself, with ``kernels=Precomputed()``. Of a Dask array
            or frame a sample is chosen on, and the machine is fitted to all rows.
        y : array of shape (n,)
            Class labels of any type, or real targets.
        **fit_params : dict
            For the fit of the estimator, such as ``sample_weight``, which the choice uses as well;
            with metadata routing enabled those that it requests.
        """
        for earlier in _FITTED:
            self.__dict__.pop(earlier, None)  # nothing of an earlier fit survives
        if _routing_enabled():
            fit_params = dict(process_routing(self, "fit", **fit_params).estimator.fit)
        if is_collection(X):
            self.__dict__ |= fit_collection(self, X, y, fit_params)
            return self
        X, y = validate_rows(self, X, y, ensure_min_samples=3)
        plan = plan_or_advise(self, X, y, fit_params)
        problem, targets = plan.problem, plan.problem.targets
        with limited(self.n_jobs, rows=targets.n):
            with fit_task(self, plan.X, plan.y, parts=parts_of(extend=plan.extends)) as progress:
                found = plan.search.run(plan.kernels, progress, extend=plan.extends)
                self.result_ = found.result
                self.best_kernel_, self.best_ridge_ = found.kernel, found.ridge
                if targets.classes is not None:
                    self.classes_ = targets.classes
                else:
                    self.target_variance_ = float(targets.y.var())
                if plan.chosen_on is not problem:
                    self.result_.notes["rows"] = sampled(plan.chosen_on.targets.n, targets.n)
                if self.refit:
                    self.best_estimator_ = configure_estimator(
                        plan.machine, found.kernel, found.ridge, by_name=plan.by_name
                    )
                    fit_estimator(
                        self.best_estimator_, problem, found, plan.params, self.class_weight
                    )
            fitted = getattr(self, "best_estimator_", None)
            self.error_ = leave_one_out(fitted, targets, found.judged_by)
            self.balanced_error_ = balanced_leave_one_out(fitted, targets, found.judged_by)
            of_classes = favours_rare_classes(fitted)
            self.guards_ = warn_about(found, self.balanced_error_ if of_classes else self.error_)
        if self.error_ is None:  # folds will need them; files do without
            self._training = plan.X, targets.labels
        return self

    def error_estimate(self, X: Any = None, y: Any = None, cv: Any = None) -> ErrorEstimate:
        """Return the error to expect of the fitted machine, kernel and ridge taken as given.

        Parameters
        ----------
        X, y : arrays, default=None
            The training data, for folds only. A selector keeps them where leave-one-out is not
            known; a loaded one does not.
        cv : int, splitter, list of (train, test) rows or None, default=None
            The folds for which the machine is refitted; they hold out every row once. None takes
            leave-one-out, which LSSVC and KRR know from the fit, and five folds for other machines.
        """
        check_is_fitted(self, "result_")
        if cv is None and self.error_ is not None:
            return self.error_
        if X is None and y is None:
            X, y = getattr(self, "_training", (None, None))
        if X is None or y is None:
            raise ValueError(
                f"X and y are needed to estimate the error of {type(self._fitted()).__name__}: "
                "give the training data again."
            )
        machine, rows = clone(self._fitted()), self._checked(X)
        targets = Targets.of(y, self._known_task())
        with limited(self.n_jobs, rows=targets.n):
            return by_folds(machine, rows, targets, cv, "")

    def __getstate__(self) -> dict[str, Any]:
        """Return what is saved: everything but the training data."""
        state = dict(super().__getstate__())
        state.pop("_training", None)
        return state

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the score of the fitted estimator: by ``scoring``, else accuracy or R²."""
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        if self.scoring is not None:
            self._fitted()
            return float(self.scorer_(self, X, as_vector(y), **weights))
        return float(self._ask("score", X, as_vector(y), **weights))

    def _ask(self, method: str, X: Any, *given: Any, **weights: Any) -> Any:
        """Return what a method of the fitted estimator says of rows."""
        machine, rows = self._fitted(), self._checked(X)
        with limited(self.n_jobs):  # without it the machine decides, by rows that it was fitted to
            return getattr(machine, method)(rows, *given, **weights)

    def _checked(self, X: Any) -> Any:
        return validate_rows(self, X, reset=False)

    def _inner(self) -> Any:
        machine = getattr(self, "best_estimator_", self.estimator)
        return self._default_machine() if machine is None else machine

    def _fitted(self) -> Any:
        check_is_fitted(self, "result_")
        if not self.refit:
            raise AttributeError(
                "KernelSelector was fitted with refit=False: fit an estimator with best_kernel_ "
                "and best_ridge_, or set refit=True."
            )
        return self.best_estimator_
