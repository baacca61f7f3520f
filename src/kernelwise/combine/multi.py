"""The estimator that weighs kernels: one machine on a sum of them."""

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils.validation import check_is_fitted

from kernelwise._sklearn import CLASS_WEIGHT, Interval, StrOptions, _fit_context, validate_rows
from kernelwise._threads import limited
from kernelwise._warnings import warn_user
from kernelwise.combine.many_rows import limits, prepared, selected
from kernelwise.combine.mkl.methods import METHODS, as_method
from kernelwise.combine.mkl.outcome import Outcome, choose, no_gain
from kernelwise.combine.views import BaseKernels, base_kernels, given_matrices, weight_by_view
from kernelwise.criteria import Criterion
from kernelwise.gram import Targets
from kernelwise.kernels.geometry import in_range
from kernelwise.machines.delegation import Delegating
from kernelwise.machines.ridges import RIDGE
from kernelwise.selection.declaration import Declared
from kernelwise.selection.diagnostics import Code, Diagnostic, has_code
from kernelwise.selection.estimators import (
    balanced_leave_one_out,
    favours_rare_classes,
    leave_one_out,
    machine_for,
)
from kernelwise.selection.guards import KernelChoiceWarning, no_signal
from kernelwise.selection.inputs import as_ridges, weighted_rows
from kernelwise.selection.selector import KernelSelector
from kernelwise.selection.stacks import check_matrices, is_stack, side_by_side
from kernelwise.targets import TASKS, as_vector

_FITTED = (
    "kernels_ views_ weights_ gate_ view_weights_ best_kernel_ best_ridge_ best_estimator_ "
    "result_ path_ gain_ gain_standard_error_ error_ single_error_ uniform_error_ balanced_error_ "
    "guards_ classes_ target_variance_"
).split()


class MultiKernelSelector(Delegating, Declared, BaseEstimator):
    r"""Weigh several kernels, and fit one machine with their sum.

    .. math:: K_\mu = \sum_k \mu_k K_k, \qquad \mu \ge 0, \; \textstyle\sum_k \mu_k = 1,

    with base matrices that are centred and of mean diagonal one. It is for features that come in
    groups, *views*: the weights say which of them matter. On ordinary tables a sum of kernels
    showed no clear gain over the best of them; ``single_error_`` and a guard say so.

    Parameters
    ----------
    kernels : "auto", str, Kernel or list, default="auto"
        The base kernels, given as to :class:`KernelSelector`. "auto" are its Gaussian widths, or
        three around the median distance on every view.
    method : str, default="auto"
        How the weights are found; weights and ridge of those that a method proposes are chosen by
        exact leave-one-out:

        - "auto": "l1", mixed with equal weights as far as its gain over these is in doubt, by the
          gate of a :class:`KernelStack`;
        - "l1": the least-squares machine with the sum of the norms of its parts as penalty, which
          gives sparse weights (:mod:`kernelwise.combine.mkl.sparse`);
        - "align": in proportion to the alignment of every kernel with the target;
        - "alignf": the sum with the largest alignment (:mod:`kernelwise.combine.mkl.alignment`);
        - "uniform": equal weights;
        - "loo": the gradient of leave-one-out with a normal prior on the logarithms of the weights;
        - "lml": the gradient of the marginal likelihood (:mod:`kernelwise.combine.mkl.gradient`);
        - "criterion": best by `criterion`, with :math:`|\mu|_p = 1`
          (:mod:`kernelwise.combine.mkl.criteria`).
    criterion : {"sm", "md", "er", "rks", "sps"}, Criterion or None, default=None
        For method="criterion".
    p : float, default=2.0
        The norm of the weights for method="criterion", at least 1. SM and MD pick a single kernel
        at p = 1.
    ridge : "auto", float or list of float, default="auto"
        Added to the diagonal of :math:`K_\mu`; from several leave-one-out picks.
    views : mapping of str to columns, default=None
        Names of groups of features, each with positions or, for a DataFrame, names of columns. All
        kernels are then made for, and applied to, every view.
    task : {"auto", "classification", "regression"}, default="auto"
        As of :class:`KernelSelector`.
    center, normalize : bool, default=True
        Whether base matrices are centred, and scaled to mean diagonal one, before they are weighed.
        The machine has a bias, so that centring changes only how kernels are compared.
    memory : str, float or None, default=None
        What the base matrices may take, as of :class:`KernelSelector`. Up to 2,000 rows all are
        kept if they fit; otherwise weights are chosen by features of low rank, as many as fit.
    n_jobs : int or None, default=None
        As of :class:`KernelSelector`.
    random_state : int, RandomState or None, default=None
        Selects the rows whose distances are looked at if there are more than 1,000.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, multiplied into the sample weights.

    Attributes
    ----------
    kernels_ : list of Kernel
        The base kernels.
    views_ : list of str
        The view of every base kernel.
    weights_ : array of shape (k,)
        The weight of every base kernel, one in sum. A kernel that is constant on the training rows
        has none.
    gate_ : float
        The share of what the method proposed in the weights, the rest is equal weights; 1 for all
        methods but "auto".
    view_weights_ : dict of str to float
        The weights, summed by view; by the columns that kernels are on without `views`.
    best_kernel_ : Kernel
        The weighted sum, of the kernels as they are.
    best_ridge_ : float
        The ridge that goes with it.
    best_estimator_ : LSSVC or KRR
        The machine with that kernel and ridge.
    result_ : SelectionResult
        The base kernels, each with its best ridge, by leave-one-out.
    path_ : dict of str to array
        What the method proposed: "penalty", "weights", "ridge" and "loss", by leave-one-out
        (squared hinge, or squared error over the variance), until it is clearly above the least.
    error_, single_error_, uniform_error_ : ErrorEstimate
        The leave-one-out error of the machine, of the best single kernel, and of equal weights, all
        taken as given; scikit-learn's ``cross_val_score`` accounts for the choice. Beyond 2,000
        rows the last two are by features of low rank, as is the gain.
    gain_, gain_standard_error_ : float
        By how much the leave-one-out loss is lower than that of the best single kernel, and the
        standard error of that, row by row.
    balanced_error_ : ErrorEstimate or None
        As of :class:`KernelSelector`.
    classes_ : array of shape (c,)
        The class labels; classification only.
    target_variance_ : float or array of shape (t,)
        The variance of a real target, or of each; regression only.
    guards_ : tuple of str
        Warnings about the choice, each with a remedy.

    References
    ----------
    M. Gönen and E. Alpaydın, Multiple kernel learning algorithms, JMLR 12 (2011).

    Examples
    --------
    >>> import numpy as np
    >>> import kernelwise as kw
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(120, 6))
    >>> y = np.sin(2.0 * X[:, 0]) + X[:, 3] * X[:, 2]
    >>> views = {"a": [0, 1], "b": [2, 3], "noise": [4, 5]}
    >>> model = kw.MultiKernelSelector(views=views).fit(X, y)
    >>> model.view_weights_["noise"] < 0.1
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "kernels": "no_validation",  # as_kernels looks at every one
        "method": [StrOptions({"auto", *METHODS, "criterion"})],
        "criterion": [str, Criterion, None],
        "p": [Interval(Real, 1.0, 100.0, closed="both")],
        "ridge": [StrOptions({"auto"}), RIDGE, "array-like"],
        "views": [Mapping, None],
        "task": [StrOptions(TASKS)],
        "center": ["boolean"],
        "normalize": ["boolean"],
        "memory": [str, Real, None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "class_weight": CLASS_WEIGHT,
    }
    estimator: Any = None  # what a selector has as a parameter, and its declarations ask for
    get_metadata_routing = BaseEstimator.get_metadata_routing  # fit itself takes the weights

    def __init__(
        self,
        kernels: Any = "auto",
        method: str = "auto",
        criterion: Any = None,
        p: float = 2.0,
        ridge: Any = "auto",
        views: Any = None,
        task: str = "auto",
        center: bool = True,
        normalize: bool = True,
        memory: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        class_weight: Any = None,
    ) -> None:
        self.kernels = kernels
        self.method = method
        self.criterion = criterion
        self.p = p
        self.ridge = ridge
        self.views = views
        self.task = task
        self.center = center
        self.normalize = normalize
        self.memory = memory
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.class_weight = class_weight

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "MultiKernelSelector":
        """Choose the weights and the ridge, and fit the machine.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
            The data; or a stack (k, n, n) of kernel matrices to weigh, for predictions (k, m, n).
        y : array of shape (n,) or (n, t)
            Class labels of any type, or real targets; several of these as columns share weights and
            ridge.
        sample_weight : array of shape (n,), default=None
            Non-negative; a row of weight zero has no influence.
        """
        for earlier in _FITTED:
            self.__dict__.pop(earlier, None)  # nothing of an earlier fit survives
        method = as_method(self.method, self.criterion, self.p)
        ridges = None if isinstance(self.ridge, str) else as_ridges(self.ridge)
        matrices = len(X) if is_stack(X) else 0
        are_several = self._are_several(y)
        several = {"multi_output": True, "y_numeric": True} if are_several else {}
        X, y = validate_rows(self, side_by_side(X), y, ensure_min_samples=3, **several)
        is_matrix = matrices > 0 or self.__sklearn_tags__().input_tags.pairwise
        params = {} if sample_weight is None else {"sample_weight": sample_weight}
        X, y, weights, params = weighted_rows(X, y, params, self.class_weight, self.task, is_matrix)
        if are_several:
            targets = Targets.of_several(np.asarray(y, dtype=np.float64))
        else:
            targets = Targets.of(y, self.task)
        X, targets = in_range(X), targets.weighted(weights)
        with limited(self.n_jobs, rows=targets.n):
            found = self._base_kernels(X, matrices)
            X = check_matrices(X, found.kernels) if is_matrix else X
            base = prepared(self, (X, is_matrix), targets, found.kernels, method)
            self._keep(choose(base, method, ridges), found)
            if base.landmarks.size and targets.y.ndim == 1:
                said = self._adopt(selected(self, X, targets, params))
            else:
                said = self._fit_machine(X, targets, params)
        self._finish(targets, said)
        return self

    def _are_several(self, y: Any) -> bool:
        """Say whether there are several targets, or why that cannot be."""
        try:
            shape = np.asarray(y).shape
        except (TypeError, ValueError):  # rows of different lengths, which are refused later
            return False
        is_table = len(shape) == 2 and shape[1] > 1
        if is_table and (self.task == "classification" or self.class_weight is not None):
            raise ValueError("y has several columns, which are real targets: give one of classes.")
        return is_table

    def _base_kernels(self, X: Any, matrices: int) -> BaseKernels:
        if matrices:
            return given_matrices(self.kernels, self.views, X, matrices)
        names = getattr(self, "feature_names_in_", None)
        return base_kernels(self.kernels, self.views, X, names, self.random_state)

    def _keep(self, outcome: Outcome, found: BaseKernels) -> None:
        """Keep the choice, beside the best single kernel and equal weights."""
        self.kernels_, self.views_ = found.kernels, found.views
        self.weights_, self.gate_ = outcome.best.proposal.weights, outcome.gate
        self.view_weights_ = weight_by_view(found.views, self.weights_)
        self.best_kernel_, self.best_ridge_ = outcome.kernel(found.kernels), outcome.ridge
        self.result_, self.path_ = outcome.table(found.kernels), outcome.path()
        self.gain_, self.gain_standard_error_ = outcome.gain
        self.single_error_ = outcome.error(outcome.single)
        self.uniform_error_ = outcome.error(outcome.uniform)

    def _fit_machine(self, X: Any, targets: Targets, params: dict[str, Any]) -> list[Diagnostic]:
        machine = machine_for(None, targets, self.kernels_, self.class_weight)
        machine.set_params(kernel=self.best_kernel_, ridge=self.best_ridge_)
        self.best_estimator_ = machine.fit(X, targets.labels, **params)
        self.error_ = leave_one_out(machine, targets)
        self.balanced_error_ = balanced_leave_one_out(machine, targets)
        return []

    def _adopt(self, selector: KernelSelector) -> list[Diagnostic]:
        """Take the machine of a selector that had the weighted sum alone; say what limits it."""
        self.best_estimator_, self.best_ridge_ = selector.best_estimator_, selector.best_ridge_
        self.error_, self.balanced_error_ = selector.error_, selector.balanced_error_
        return limits(selector)

    def _finish(self, targets: Targets, said: list[Diagnostic]) -> None:
        """Keep what is known of the target, and say what deserves a second look."""
        if targets.classes is not None:
            self.classes_ = targets.classes
        else:
            variance = targets.y.var(axis=0)
            self.target_variance_ = float(variance) if targets.y.ndim == 1 else variance
        self._warn(targets, said)

    def _warn(self, targets: Targets, said: list[Diagnostic]) -> None:
        of_classes = favours_rare_classes(self.best_estimator_)
        judged = self.balanced_error_ if of_classes else self.error_
        if judged is not None:
            said += no_signal(judged, targets.classes is None, said)
        if len(self.kernels_) > 1 and not has_code(said, Code.NO_SIGNAL):
            said += no_gain(self.gain_, self.gain_standard_error_, self.result_.best("eloo"))
        for guard in said:
            warn_user(guard, KernelChoiceWarning)
        self.guards_ = tuple(said)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy, or R² of a real target."""
        predicted = self.predict(X)
        y = np.asarray(y) if predicted.ndim == 2 else as_vector(y)
        measure = accuracy_score if hasattr(self, "classes_") else r2_score
        return float(measure(y, predicted, sample_weight=sample_weight))

    def _ask(self, method: str, X: Any, *given: Any, **params: Any) -> Any:
        machine, rows = self._fitted(), self._checked(X)
        with limited(self.n_jobs):
            return getattr(machine, method)(rows, *given, **params)

    def _checked(self, X: Any) -> Any:
        return validate_rows(self, side_by_side(X, self.n_features_in_), reset=False)

    def _inner(self) -> Any:
        return getattr(self, "best_estimator_", None) or self._default_machine()

    def _fitted(self) -> Any:
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_
