"""What a criterion is, and the evidence it judges by."""

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, ClassVar, NamedTuple

import numpy as np

from kernelwise._arguments import shown
from kernelwise._registry import check_new_name, members, unknown
from kernelwise._types import Array
from kernelwise.gram import Gram, GramStatistics, Targets
from kernelwise.gram.conjugate_gradients import NotConverged
from kernelwise.gram.psd import without_rounding
from kernelwise.kernels import Kernel
from kernelwise.machines import RidgeFit, RidgePath, SupportVectors, fit_cholesky
from kernelwise.machines.ridge_fit import eliminate_intercept

ALL_TASKS = frozenset({"binary", "multiclass", "regression"})
CLASSES_ONLY = frozenset({"binary", "multiclass"})
_POWERS_KEPT = 8  # of those of a kernel matrix, which criteria may share
LOST = 1e4  # what is less than this many rounding errors has at most four digits left


_FACTS = ("name", "greater_is_better", "cost", "formula", "reference")


class Undefined(ValueError):
    """A criterion has no value for this kernel matrix; the message says why."""


def defined(value: Any) -> float:
    """Return a value, or say that it is beyond float64: infinity less infinity, or over it."""
    if math.isnan(value):
        raise Undefined("its value is beyond float64, so rescale the kernel and the target")
    return float(value)


@contextmanager
def converged() -> Iterator[None]:
    """Leave a criterion undefined where a machine that it needs does not converge."""
    try:
        yield
    except NotConverged as error:
        raise Undefined(str(error)) from None


class Evidence:
    """What is known of one candidate kernel; everything is computed once, when first asked for.

    Parameters
    ----------
    gram : Gram
        The kernel matrix as an engine sees it.
    targets : Targets
    kernel : Kernel or None
        The kernel itself, where there is one.
    fit_intercept : bool
        Whether the least-squares machine has a bias.
    machine : {"least-squares", "svm"}
        The machine that criteria with a training or cross-validation error judge by.
    """

    def __init__(
        self,
        gram: Gram,
        targets: Targets,
        kernel: Kernel | None = None,
        fit_intercept: bool = True,
        machine: str = "least-squares",
    ) -> None:
        self.gram, self.targets, self.kernel = gram, targets, kernel
        self.fit_intercept, self.machine = fit_intercept, machine
        self._fits: dict[float, RidgeFit] = {}
        self._losses: dict[float, float] = {}
        self.shared: dict[Any, Any] = {}  # what several criteria or ridges need, by its name
        self._powers: dict[tuple[bool, int], Power] = {}

    @property
    def n(self) -> int:
        """The number of rows."""
        return self.targets.n

    @property
    def statistics(self) -> GramStatistics:
        """The statistics of the kernel matrix."""
        return self.gram.statistics

    @cached_property
    def spectrum(self) -> tuple[Array, Array]:
        """All eigenvalues, ascending, and the eigenvectors as columns.

        Eigenvalues that are negative by rounding only are zero.
        """
        s, Q = self.gram.eigensystem()
        return without_rounding(s), Q

    @property
    def is_psd(self) -> bool | None:
        """Whether the matrix is positive semidefinite: by its spectrum, or what its kernel says."""
        if "spectrum" in vars(self):
            return bool(self.spectrum[0][0] >= 0.0)
        return None if self.kernel is None else self.kernel.is_psd

    @cached_property
    def path(self) -> RidgePath:
        """The least-squares machine for every ridge."""
        thin = None if "spectrum" in vars(self) else self.gram.thin_eigensystem()
        return RidgePath.from_eigensystem(
            thin or self.spectrum,
            self.targets.fit_columns,
            fit_intercept=self.fit_intercept,
            matrix=self.gram.matrix,
        )

    def fit(self, ridge: float) -> RidgeFit:
        """Return the least-squares machine at one ridge; undefined where rounding ruins it."""
        if ridge not in self._fits:
            try:
                self._fits[ridge] = self.path.at(ridge)
            except np.linalg.LinAlgError as error:
                raise Undefined(str(error).rstrip(".")) from None
        reason = self._fits[ridge].lost_digits
        if reason is not None:
            raise Undefined(reason)
        return self._fits[ridge]

    def prefit(self, ridges: Sequence[float]) -> None:
        """Fit the machine at all the ridges there will be, where nothing else needs the spectrum.

        One ridge takes a Cholesky factor, several the eigensystem and products with all at once.
        """
        try:
            # Of other kernels the spectrum tells whether they are positive semidefinite.
            sound = self.kernel is not None and self.kernel.is_psd is True
            if len(ridges) == 1 and sound and "spectrum" not in vars(self):
                self._fits[ridges[0]] = fit_cholesky(
                    self.gram.matrix(),
                    self.targets.fit_columns,
                    ridges[0],
                    fit_intercept=self.fit_intercept,
                    overwrite=True,
                )
            else:
                self._fits |= zip(ridges, self.path.at_all(ridges), strict=True)
        except np.linalg.LinAlgError:
            pass  # fit() will say at which ridge

    @cached_property
    def support_vectors(self) -> SupportVectors:
        """The support vector machine for every ridge."""
        if self.targets.classes is None:
            raise Undefined("the support vector machine is for classes")
        if self.targets.counts.min() == 0:
            raise Undefined("a class has no row to train on")
        return SupportVectors(self.gram.matrix(), self.targets)

    def training_loss(self, ridge: float) -> float:
        """Return the mean training loss of the machine: squares, or hinge for the SVM."""
        if self.machine == "svm":
            with converged():
                return self.support_vectors.training_loss(ridge)
        if self.gram.in_reach:
            return self.fit(ridge).training_loss
        if ridge not in self._losses:
            self._losses[ridge] = self._training_loss_by_products(ridge)
        return self._losses[ridge]

    def _training_loss_by_products(self, ridge: float) -> float:
        """Return the training loss from the coefficients alone; no matrix is stored."""
        if self.is_psd is not True:
            raise Undefined("without the matrix in memory only positive semidefinite kernels train")
        Y = self.targets.fit_columns
        if self.fit_intercept:  # the bias takes up a constant
            Y = Y - Y.mean(axis=0)
        ones = np.ones(self.n)
        with converged():
            solved = self.gram.solve(ridge, np.column_stack([Y, ones]))
        alpha, h = solved[:, :-1], solved[:, -1]
        if self.fit_intercept:
            alpha = eliminate_intercept(alpha, np.zeros(self.n), h, ones)[0]
        return float(np.mean((ridge * alpha) ** 2))

    def contrasts(self, weighted: bool) -> list["Contrast"]:
        """Return the target vectors of the spectral measure, each with its product with K.

        One for two classes or a real target (in its own units), one per class (against the rest)
        otherwise.
        """
        if self.targets.classes is None:
            y = self.targets.centered
            # The centred target sums to zero: K y = S y.
            return [Contrast(y, 0.0, self.statistics.full_products[:, 1])]
        k = self.targets.classes.size
        return [self._one_vs_rest(c, weighted) for c in (range(1, 2) if k == 2 else range(k))]

    def powers(self, weighted: bool, k: int) -> "Power":
        """Return (K / |K|_F)^k y for every contrast y; dividing avoids overflow."""
        known = k
        while known > 0 and (weighted, known) not in self._powers:
            known -= 1
        for j in range(known + 1, k + 1):
            self.put_powers(weighted, j, self._next_product(weighted, j))
        return self._powers[weighted, k]

    def put_powers(self, weighted: bool, k: int, products: Array) -> None:
        """Take K @ the columns of power k - 1, also from an engine that multiplied all kernels."""
        before = 0 if k == 1 else self._powers[weighted, k - 1].exponent
        self._powers[weighted, k] = Power.of(products / self.statistics.frobenius, before)
        if k - 2 > _POWERS_KEPT:  # a criterion takes the last one or two
            self._powers.pop((weighted, k - 2), None)

    def _next_product(self, weighted: bool, k: int) -> Array:
        if k == 1:  # known from the first sweep
            return np.column_stack([c.product for c in self.contrasts(weighted)])
        return self.gram.matmul(self.powers(weighted, k - 1).columns)

    def _one_vs_rest(self, c: int, weighted: bool) -> "Contrast":
        n, stats = self.n, self.statistics
        inside = self.targets.columns[:, c]
        n_in = float(self.targets.counts[c])
        a, b = (n / n_in, n / (n - n_in)) if weighted else (1.0, 1.0)
        S_in = stats.full_products[:, c]
        total = 0.0 if weighted else 2.0 * n_in - n  # a n_in - b (n - n_in)
        product = a * S_in - b * (stats.row_sums - S_in) + stats.shift * total
        return Contrast(np.where(inside > 0.0, a, -b), total, product)


class Power(NamedTuple):
    """A power of the kernel matrix times vectors: 2^exponent times the columns.

    The exponent takes what a float64 cannot: high powers of a small matrix would vanish.
    """

    columns: Array
    exponent: int

    @classmethod
    def of(cls, columns: Array, exponent: int) -> "Power":
        """Return columns whose largest entry is about one, without a change to their digits."""
        largest = float(np.abs(columns).max())
        shift = math.frexp(largest)[1] if 0.0 < largest < math.inf else 0
        return cls(np.ldexp(columns, -shift), exponent + shift)


class Contrast(NamedTuple):
    """A target vector y with its exact sum, and K y."""

    y: Array
    total: float
    product: Array

    @property
    def quadratic_form(self) -> float:
        """The number y' K y, centred first: small values keep their digits."""
        mean = float(self.product.mean())
        return float(self.y @ (self.product - mean)) + self.total * mean


def class_pairs(targets: Targets) -> list[tuple[int, int]]:
    """Return all pairs of classes."""
    assert targets.classes is not None
    return list(combinations(range(targets.classes.size), 2))


@dataclass(frozen=True)
class Criterion(ABC):
    """A measure of how good a kernel is for a target.

    A subclass is a frozen dataclass: its fields are the parameters, the class variables below say
    what it is, :meth:`value` computes it.
    """

    name: ClassVar[str]
    greater_is_better: ClassVar[bool | None]  # None: to be read, not to choose by
    cost: ClassVar[str]  # "n^2", "n^3" or "training"
    formula: ClassVar[str]
    reference: ClassVar[str]
    tasks: ClassVar[frozenset[str]] = ALL_TASKS
    uses_ridge: ClassVar[bool] = False
    # Whether the criterion may choose the ridge as well as the kernel. A training error may not:
    # it is smallest where the ridge is.
    chooses_ridge: ClassVar[bool] = False
    # Parameters that may be "cv", and what cross-validation chooses them from.
    tradeoffs: ClassVar[dict[str, tuple[float, ...]]] = {}
    # Whether all that the value needs beyond the statistics is the fitted least-squares machine.
    judges_the_fit: ClassVar[bool] = False
    # Whether products with K are enough for the least-squares machine where K does not fit.
    by_products: ClassVar[bool] = False
    # Whether the value depends on how rows are dealt to folds.
    draws_folds: ClassVar[bool] = False
    # The highest power of K whose product with the contrasts is needed; each costs a sweep.
    highest_power: ClassVar[int] = 1

    @abstractmethod
    def value(self, evidence: Evidence, ridge: float) -> float:
        """Return the raw value; raise :class:`Undefined` where there is none."""

    def losses(self, evidence: Evidence, ridge: float) -> Array | None:
        """Return the losses whose mean is the value, by row or fold; None where there are none."""
        return None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        check_new_name(cls, Criterion)
        missing = [fact for fact in _FACTS if not hasattr(cls, fact)]
        if missing:
            raise TypeError(f"{cls.__name__} must say its {', '.join(missing)}.")

    @property
    def has_open_tradeoffs(self) -> bool:
        """Whether a trade-off parameter is still to be chosen."""
        return any(getattr(self, field) == "cv" for field in self.tradeoffs)

    def _specialize(self, **facts: Any) -> None:
        """Replace what the class says by what holds for these parameters."""
        for name, fact in facts.items():
            object.__setattr__(self, name, fact)

    @property
    def label(self) -> str:
        """The name with the parameters that differ from their defaults, as in "sm(r=2)"."""
        changed = [
            f"{f.name}={getattr(self, f.name)!r}"
            for f in dataclasses.fields(self)
            if getattr(self, f.name) != f.default
        ]
        return f"{self.name}({', '.join(changed)})" if changed else self.name


class Information(NamedTuple):
    """What :func:`available` tells of a criterion."""

    name: str
    direction: str
    cost: str
    reference: str
    formula: str
    parameters: dict[str, Any]


_DIRECTIONS = {True: "max", False: "min", None: "–"}


def available() -> list[Information]:
    """Return what there is to know of every criterion, those defined outside the package included.

    Examples
    --------
    >>> from kernelwise import criteria
    >>> info = {c.name: c for c in criteria.available()}
    >>> info["sm"].direction, info["sm"].cost
    ('max', 'n^2')
    """
    return [_information(cls) for _, cls in sorted(_classes().items())]


def _information(cls: type[Criterion]) -> Information:
    return Information(
        name=cls.name,
        direction=_DIRECTIONS[cls.greater_is_better],
        cost=cls.cost,
        reference=cls.reference,
        formula=cls.formula,
        parameters={f.name: f.default for f in dataclasses.fields(cls)},
    )


def _classes() -> dict[str, type[Criterion]]:
    return {cls.name: cls for cls in members(Criterion)}


def get(criterion: str | Criterion, **parameters: Any) -> Criterion:
    """Return a criterion by name, with parameters; of a criterion, parameters are replaced.

    Examples
    --------
    >>> from kernelwise import criteria
    >>> criteria.get("sm", r=2)
    SM(r=2, normalizer='trace', weighted=True)
    """
    if isinstance(criterion, Criterion):
        return dataclasses.replace(criterion, **parameters)
    if not isinstance(criterion, str):
        raise TypeError(f"a criterion must be a name or a Criterion, got {shown(criterion)}.")
    known = _classes()
    if criterion not in known:
        raise ValueError(unknown("criterion", criterion, sorted(known)))
    return known[criterion](**parameters)


def check_task(criterion: Criterion, targets: Targets) -> None:
    """Say so where a criterion is not defined for the kind of target."""
    if targets.kind not in criterion.tasks:
        raise ValueError(
            f"{criterion.label} is not defined for {targets.kind} targets: choose another "
            "criterion, or set task."
        )
