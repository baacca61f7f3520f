"""The estimator that combines machines with different kernels."""

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from kernelwise._collections import is_collection
from kernelwise._progress import SILENT, Task
from kernelwise._sklearn import (
    CLASS_WEIGHT,
    POSITIVE,
    CallbackSupportMixin,
    Interval,
    StrOptions,
    _fit_context,
    fit_inside,
    fit_task,
    validate_rows,
)
from kernelwise._threads import limited
from kernelwise._types import Array
from kernelwise._warnings import warn_user
from kernelwise.combine.all_rows import fit_collection
from kernelwise.combine.combined import (
    WeightedMembers,
    as_flat,
    check_member,
    loo_values_of,
    weighted_sum,
)
from kernelwise.combine.recipe import Known, Member, Unsuitable, as_recipe
from kernelwise.combine.weights import gate, stacked
from kernelwise.gram import Engine, Targets
from kernelwise.kernels import Kernel
from kernelwise.kernels.geometry import in_range
from kernelwise.machines.calibration import Calibration
from kernelwise.selection.declaration import Declared
from kernelwise.selection.diagnostics import Code, Diagnostic, code_of
from kernelwise.selection.estimators import (
    balanced_leave_one_out,
    favours_rare_classes,
    leave_one_out,
)
from kernelwise.selection.guards import KernelChoiceWarning, no_signal
from kernelwise.selection.inputs import weighted_rows
from kernelwise.selection.result import SelectionResult
from kernelwise.selection.selector import KernelSelector
from kernelwise.targets import TASKS

_FITTED = (
    "members_ weights_ stack_weights_ gate_ classes_ target_variance_ calibration_ loo_values_ "
    "loo_residuals_ error_ single_error_ balanced_error_ guards_ notes_"
).split()
_CAUTION = 2.0  # times sqrt(d / n), what a cautious gate subtracts


class KernelStack(CallbackSupportMixin, WeightedMembers, Declared, BaseEstimator):
    r"""Combine machines with different kernels, as far as leave-one-out supports it.

    Every member is a :class:`KernelSelector` with candidates of its own. By default there are four,
    "GLBl":

    - G, ``gaussian``: the default choice of a selector, the *single* machine;
    - L, ``laplacian``: Laplacian kernels, three of which the spectral measure lets pass;
    - B, ``relevant_laplacian``: the same on features scaled by
      :math:`\sqrt{M_j} / \mathrm{mean}(\sqrt M)`, with the relevance M of the features to L;
    - l, ``linear``: the linear kernel.

    Their leave-one-out values give convex weights w, and a gate :math:`\gamma` says how far the
    stack is better than the single machine beyond chance
    (:mod:`kernelwise.combine.weights` has the formulas). The stack says

    .. math:: f(x) = (1 - \gamma) f_G(x) + \gamma \sum_k w_k f_k(x) .

    Parameters
    ----------
    recipe : str or list, default="GLBl"
        The members, the single machine first: the letters or names above, a family of kernels such
        as "matern", a kernel, a list of kernels, or a KernelSelector with a machine that knows its
        leave-one-out values.
    task : {"auto", "classification", "regression"}, default="auto"
        As of :class:`KernelSelector`.
    gate : {"auto", "cautious"} or float, default="auto"
        "auto" is the gate above. "cautious" takes :math:`z - 2 \sqrt{d / n}` for z: the relevance
        has seen the row left out, which matters where there are many features to few rows. A number
        from 0 (the single machine) to 1 (the stack) is taken as it is.
    engine : {"auto", "dense", "tiled", "low_rank"} or Engine, default="auto"
        As of :class:`KernelSelector`, for every member.
    memory : str, float or None, default=None
        As of :class:`KernelSelector`.
    time : float or None, default=None
        About how many seconds all choices may take together.
    n_jobs : int or None, default=None
        As of :class:`KernelSelector`.
    random_state : int, RandomState or None, default=None
        Selects the rows whose distances are looked at if there are more than 1,000.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, multiplied into the sample weights: in the members, in the weights
        of the stack and in the gate.

    Attributes
    ----------
    members_ : dict of str to KernelSelector
        The fitted members by name, the single machine first.
    weights_ : array of shape (m,)
        The weight of every member in the predictions: ``gate_ * stack_weights_``, and
        ``1 - gate_`` more for the first. Members of weight zero are not evaluated.
    stack_weights_ : array of shape (m,)
        The convex weights w of the stack, before the gate.
    gate_ : float
        :math:`\gamma`: 0 means exactly the single machine, 1 the stack.
    best_kernel_, best_ridge_, result_
        Of the single machine, as of a fitted :class:`KernelSelector`.
    error_ : ErrorEstimate
        The leave-one-out error of the stack behind its gate, weights and relevance taken as given.
        scikit-learn's ``cross_val_score`` accounts for them.
    single_error_ : ErrorEstimate
        The leave-one-out error of the single machine.
    balanced_error_ : ErrorEstimate or None
        As of :class:`KernelSelector`.
    loo_values_, loo_residuals_ : arrays of shape (n,) or (n, c)
        The leave-one-out values of the stack behind its gate, and the targets (±1 for classes) less
        them.
    classes_ : array of shape (c,)
        The class labels; classification only.
    calibration_ : Calibration
        How decision values become probabilities; classification only.
    target_variance_ : float
        The variance of a real target; regression only.
    guards_ : tuple of str
        Warnings about the choice, each with a remedy.
    notes_ : tuple of str
        Members that were left out, and why.

    References
    ----------
    L. Breiman, Stacked regressions, Machine Learning 24 (1996).
    A. Radhakrishnan, D. Beaglehole, P. Pandit and M. Belkin, Mechanism for feature learning in
    neural networks and backpropagation-free machine learning models, Science 383 (2024).

    Examples
    --------
    >>> import kernelwise as kw
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import StandardScaler
    >>> X, y = load_wine(return_X_y=True)
    >>> stack = kw.KernelStack().fit(StandardScaler().fit_transform(X), y)
    >>> list(stack.members_)
    ['gaussian', 'laplacian', 'relevant_laplacian', 'linear']
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "recipe": "no_validation",  # as_recipe looks at every member
        "task": [StrOptions(TASKS)],
        "gate": [StrOptions({"auto", "cautious"}), Interval(Real, 0.0, 1.0, closed="both")],
        "engine": [str, Engine],
        "memory": [str, Real, None],
        "time": [POSITIVE, None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "class_weight": CLASS_WEIGHT,
    }
    # What a selector has as parameters, and its declarations ask for.
    estimator: Any = None
    kernels: Any = None
    get_metadata_routing = BaseEstimator.get_metadata_routing  # fit itself takes the weights

    def __init__(
        self,
        recipe: Any = "GLBl",
        task: str = "auto",
        gate: Any = "auto",
        engine: Any = "auto",
        memory: Any = None,
        time: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        class_weight: Any = None,
    ) -> None:
        self.recipe = recipe
        self.task = task
        self.gate = gate
        self.engine = engine
        self.memory = memory
        self.time = time
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.class_weight = class_weight

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "KernelStack":
        """Fit the members, then weigh them by leave-one-out.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d), or a Dask array or frame
        y : array of shape (n,)
            Class labels of any type, or real targets.
        sample_weight : array of shape (n,), default=None
            Non-negative; a row of weight zero has no influence.
        """
        for earlier in _FITTED:
            self.__dict__.pop(earlier, None)  # nothing of an earlier fit survives
        recipe = as_recipe(self.recipe)
        params = {} if sample_weight is None else {"sample_weight": sample_weight}
        if is_collection(X):
            self.__dict__ |= fit_collection(self, X, y, params)
            return self
        X, y = validate_rows(self, X, y, ensure_min_samples=3)
        X, y, weights, params = weighted_rows(X, y, params, self.class_weight, self.task, False)
        X, targets = in_range(X), Targets.of(y, self.task).weighted(weights)
        with limited(self.n_jobs, rows=targets.n):
            long = sum(not member.is_quick for member in recipe)
            with fit_task(self, X, y, parts=long) as progress:
                names = list(getattr(self, "feature_names_in_", ()))
                known = Known(X, targets, self.random_state, names, {})
                self.notes_ = tuple(self._fit_members(recipe, known, (y, params), progress))
            self.members_ = known.fitted
            self._combine(targets)
        return self

    def _fit_members(
        self, recipe: list[Member], known: Known, rest: tuple[Any, dict[str, Any]], progress: Task
    ) -> list[Diagnostic]:
        """Fit the members one after the other; return why some were left out."""
        (y, params), notes = rest, []
        settings = self._settings(known.targets, len(recipe))
        for member in recipe:
            is_first = not known.fitted
            try:
                selector = member.make(known, settings)
                fit_inside(selector, SILENT if member.is_quick else progress)
                with warnings.catch_warnings():
                    # What there is to say of the first is said of the stack.
                    about = KernelChoiceWarning if is_first else UserWarning
                    warnings.simplefilter("ignore", about)
                    selector.fit(known.X, y, **params)
            except (Unsuitable, ValueError, MemoryError) as error:
                if is_first or member.is_own:
                    raise
                notes.append(Diagnostic(f"{member.name} is left out: {error}", Code.LEFT_OUT))
                continue
            check_member(member.name, selector)
            known.fitted[member.name] = selector
        return notes

    def _settings(self, targets: Targets, members: int) -> dict[str, Any]:
        """Return the parameters that every member gets."""
        return {
            "task": targets.task,
            "engine": self.engine,
            "memory": self.memory,
            "time": None if self.time is None else self.time / members,
            "n_jobs": self.n_jobs,
            "random_state": self.random_state,
            "class_weight": self.class_weight,
        }

    def _combine(self, targets: Targets) -> None:
        """Weigh the fitted members by their leave-one-out values, and assess the stack."""
        Y, is_real = targets.fit_columns, targets.classes is None
        F, rows = loo_values_of(self.members_.values())
        given = Y[rows], F[rows], targets.relative_weights[rows]
        self.stack_weights_, gains = stacked(*given, is_real=is_real)
        self.gate_ = self._gate_for(gains)
        self.weights_ = self.gate_ * self.stack_weights_
        self.weights_[0] += 1.0 - self.gate_
        self.loo_values_ = as_flat(weighted_sum(self.weights_, np.moveaxis(F, -1, 0)))
        self.loo_residuals_ = as_flat(Y) - self.loo_values_
        self._assess(targets)

    def _gate_for(self, gains: Array) -> float:
        """Return how far to trust the stack."""
        if not isinstance(self.gate, str):
            return float(self.gate)
        caution = _CAUTION if self.gate == "cautious" else 0.0
        return gate(gains, caution * np.sqrt(self.n_features_in_ / gains.size))

    def _assess(self, targets: Targets) -> None:
        """Calibrate, estimate the error, and say what deserves a second look."""
        first = self._single
        self.single_error_ = first.error_
        method = "leave-one-out" if first.error_ is None else first.error_.method
        if targets.classes is not None:
            weights = np.ones(targets.n) if targets.weights is None else targets.weights
            self.classes_ = targets.classes
            self.calibration_ = Calibration.fit(self.loo_values_, targets.y, weights)
        else:
            self.target_variance_ = float(targets.y.var())
        self.error_ = leave_one_out(self, targets, method)
        self.balanced_error_ = balanced_leave_one_out(self, targets, method)
        judged = self.balanced_error_ if favours_rare_classes(self) else self.error_
        said = [guard for guard in first.guards_ if code_of(guard) != Code.NO_SIGNAL]
        if judged is not None:
            said += no_signal(judged, targets.classes is None, said)
        for guard in said:
            warn_user(guard, KernelChoiceWarning)
        self.guards_ = tuple(said)

    @property
    def _single(self) -> KernelSelector:
        return next(iter(self.members_.values()))

    @property
    def best_kernel_(self) -> Kernel:
        """The kernel of the single machine."""
        return self._single.best_kernel_

    @property
    def best_ridge_(self) -> float:
        """The ridge of the single machine."""
        return self._single.best_ridge_

    @property
    def result_(self) -> SelectionResult:
        """The table of candidates that the single machine was chosen from."""
        return self._single.result_
