"""What a criterion is."""

import dataclasses
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np

from kernelwise._arguments import shown
from kernelwise._registry import PACKAGE, members, unknown
from kernelwise._types import Array
from kernelwise._undefined import Undefined
from kernelwise.criteria.evidence import Evidence
from kernelwise.gram import GramStatistics, Need, Powers
from kernelwise.machines.base import standard_error
from kernelwise.targets import Targets

K = TypeVar("K")

ALL_TASKS = frozenset({"binary", "multiclass", "regression"})
CLASSES_ONLY = frozenset({"binary", "multiclass"})
LOST = 1e4  # a value below this many rounding errors has fewer than four digits

# What criteria judge: those of one kind say nearly the same.
LEFT_OUT = "errors on rows left out"
PENALTY = "fit to the training rows, less a penalty"
MATCH = "match of similarities and target, without training"

_BEYOND = "its value is beyond float64, so rescale the kernel and the target"
_FACTS = ("name", "greater_is_better", "formula", "reference")


Needs = frozenset[Need | Powers]
LEAVE_ONE_OUT = frozenset({Need.SOLVE, Need.DIAGONAL})  # of the least-squares machine


def cost_of(needs: Needs) -> str:
    """Return how the time for some needs grows."""
    beyond = {need for need in needs if isinstance(need, Need)}
    if beyond <= {Need.STATISTICS, Need.PRODUCTS}:
        return "n^2"
    return "training" if Need.ENTRIES in beyond else "n^3"


class Value(NamedTuple):
    """What a criterion says of a candidate.

    Attributes
    ----------
    mean : float
        The value; NaN where it is undefined.
    error : float
        Its standard error, where it is a mean of losses.
    reason : str or None
        Why it is undefined.
    """

    mean: float
    error: float
    reason: str | None = None


def ask(criterion: "Criterion", evidence: Evidence, ridge: float) -> Value:
    """Return the value of a criterion, or why it has none.

    Parameters
    ----------
    criterion : Criterion
    evidence : Evidence
        What is known of the kernel.
    ridge : float
        Without effect on a criterion that uses none.

    Returns
    -------
    value : Value
        NaN with the reason where the criterion is undefined, or its value is beyond float64.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise import Precomputed, criteria, gram
    >>> targets = gram.Targets.of([1, 1, -1, -1])
    >>> [identity] = gram.Dense().grams([Precomputed()], np.eye(4), targets)
    >>> evidence = criteria.Evidence(identity, targets)
    >>> criteria.ask(criteria.KTA(), evidence, 1.0).mean
    0.5
    """
    try:
        with np.errstate(all="ignore"):  # NaN tells
            found = np.asarray(criterion.value(evidence, ridge))
            mean, error = float(found.mean()), standard_error(found)
    except Undefined as reason:
        return Value(math.nan, math.nan, str(reason))
    if math.isnan(mean):  # infinity less infinity, or over it
        return Value(mean, mean, _BEYOND)
    return Value(mean, error)


def judge(
    evidence: Evidence, columns: Mapping[K, "Criterion"], ridges: Sequence[float]
) -> dict[K, list[Value]]:
    """Return what every criterion says of a kernel, ridge by ridge.

    Criteria without a ridge are asked once.

    Parameters
    ----------
    evidence : Evidence
        What is known of the kernel.
    columns : dict of Criterion
        By names of any hashable type.
    ridges : list of float

    Returns
    -------
    values : dict of list of Value
        By the same names, one value per ridge; all undefined where the squares of the entries of
        the matrix overflow or vanish.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise import Precomputed, criteria, gram
    >>> targets = gram.Targets.of([1, 1, -1, -1])
    >>> [identity] = gram.Dense().grams([Precomputed()], np.eye(4), targets)
    >>> evidence = criteria.Evidence(identity, targets)
    >>> values = criteria.judge(evidence, {"kta": criteria.KTA()}, [0.1, 1.0])
    >>> [value.mean for value in values["kta"]]
    [0.5, 0.5]
    """
    invalid = evidence.gram.invalid_reason
    if invalid is not None:
        return dict.fromkeys(columns, [Value(math.nan, math.nan, invalid)] * len(ridges))
    needs: set[Need | Powers] = set()
    for criterion in columns.values():
        needs |= criterion.needs
    evidence.prefit(ridges, needs)
    found = {}
    for name, criterion in columns.items():
        values: list[Value] = []
        for ridge in ridges:
            is_known = values and not criterion.uses_ridge
            values.append(values[0] if is_known else ask(criterion, evidence, ridge))
        found[name] = values
    return found


def mean_over_pairs(
    measure: Callable[[GramStatistics, int, int], float], stats: GramStatistics
) -> float:
    """Return the mean of a measure over all pairs of classes."""
    pairs = combinations(range(stats.targets.counts.size), 2)
    return float(np.mean([measure(stats, p, q) for p, q in pairs]))


@dataclass(frozen=True)
class Criterion(ABC):
    """A measure of how good a kernel is for a target.

    A subclass is a frozen dataclass: its fields are the parameters, the class variables below say
    what it is, :meth:`value` computes it.
    """

    name: ClassVar[str]
    greater_is_better: ClassVar[bool | None]  # None: for information only
    judges: ClassVar[str] = "other"  # LEFT_OUT, PENALTY, MATCH, or words of your own
    needs: ClassVar[Needs] = frozenset({Need.STATISTICS})  # of the matrix, and of the machine
    formula: ClassVar[str]
    reference: ClassVar[str]
    tasks: ClassVar[frozenset[str]] = ALL_TASKS
    uses_ridge: ClassVar[bool] = False
    # Whether the criterion may choose the ridge as well as the kernel. A training error may not:
    # it is smallest where the ridge is.
    chooses_ridge: ClassVar[bool] = False
    # Parameters that may be "cv", and what cross-validation chooses them from.
    tradeoffs: ClassVar[dict[str, tuple[float, ...]]] = {}
    # Whether the value depends on how rows are dealt to folds.
    draws_folds: ClassVar[bool] = False

    @abstractmethod
    def value(self, evidence: Evidence, ridge: float) -> float | Array:
        """Return the raw value, or the losses, by row or fold, whose mean it is.

        Raise :class:`Undefined` where there is none.
        """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        _check_new_name(cls)
        missing = [fact for fact in _FACTS if not hasattr(cls, fact)]
        if missing:
            raise TypeError(f"{cls.__name__} must say its {', '.join(missing)}.")

    @property
    def cost(self) -> str:
        """How time grows: "n^2", "n^3", or "training" if a machine is trained iteratively."""
        return cost_of(self.needs)

    @property
    def meaning(self) -> str:
        """What it measures, in a sentence: the first line of the docstring."""
        return _meaning(type(self))

    @property
    def has_open_tradeoffs(self) -> bool:
        """Whether a trade-off parameter is still to be chosen."""
        return bool(self.tradeoffs) and "cv" in [getattr(self, f) for f in self.tradeoffs]

    def _specialize(self, **facts: Any) -> None:
        """Replace what the class says by what holds for these parameters."""
        for name, fact in facts.items():
            object.__setattr__(self, name, fact)

    def __getstate__(self) -> dict[str, Any]:
        """Return the parameters: the rest follows from them."""
        return {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

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
    """What :func:`available` reports about a criterion."""

    name: str
    direction: str
    cost: str
    reference: str
    formula: str
    parameters: dict[str, Any]
    meaning: str
    judges: str


_DIRECTIONS = {True: "max", False: "min", None: "–"}


def _check_new_name(cls: type[Criterion]) -> None:
    """Keep a criterion from outside the package from taking the name of one of ours."""
    if cls.__module__.startswith(PACKAGE):
        return
    for other in members(Criterion):
        if other.__module__.startswith(PACKAGE) and other.name == cls.__dict__.get("name"):
            raise ValueError(
                f"the name {other.name!r} is taken by {other.__name__}: choose another."
            )


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
        cost=cost_of(cls.needs),
        reference=cls.reference,
        formula=cls.formula,
        parameters={f.name: f.default for f in dataclasses.fields(cls)},
        meaning=_meaning(cls),
        judges=cls.judges,
    )


def _meaning(cls: type[Criterion]) -> str:
    """Return the first line of a docstring, formulas as plain text."""
    first_line = (cls.__doc__ or "").strip().partition("\n")[0]
    return re.sub(r":\w+:`\\?([^`]*)`", r"\1", first_line)


def _classes() -> dict[str, type[Criterion]]:
    return {cls.name: cls for cls in members(Criterion)}


def get(criterion: str | Criterion, **parameters: Any) -> Criterion:
    """Return a criterion by name, with parameters; of a criterion, parameters are replaced.

    Parameters
    ----------
    criterion : str or Criterion
        A name as in :func:`available`, or a criterion.
    **parameters : Any
        Fields of the criterion by name; its own, or the defaults, for the others.

    Returns
    -------
    criterion : Criterion

    Raises
    ------
    ValueError
        If no criterion has this name.

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
