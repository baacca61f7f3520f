"""What a machine is to the criteria that judge by it."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from kernelwise._arguments import is_one_of
from kernelwise._registry import check_new_name, members, unknown
from kernelwise._types import Array
from kernelwise.gram import Gram, Need
from kernelwise.machines.folds import Split
from kernelwise.targets import Targets


class Machine(ABC):
    """A machine on one kernel matrix, at every ridge: how it trains, and what its losses are.

    A subclass is found by its name, as in ``score_kernels(..., machine="svm")``. Methods raise
    :class:`~kernelwise.criteria.Undefined` where there is no such machine.

    Parameters
    ----------
    gram : Gram
        The kernel matrix of the training rows.
    targets : Targets
    fit_intercept : bool
        Whether it has a bias, where it may have none.
    """

    name: ClassVar[str]
    own_loss: ClassVar[str]  # what it minimises, as losses are named
    # What training and folds take of a kernel matrix.
    needs: ClassVar[Mapping[Need, frozenset[Need]]] = MappingProxyType({})
    ridge_parameter: ClassVar[str]  # what estimators of the kind call the ridge

    def __init__(self, gram: Gram, targets: Targets, fit_intercept: bool = True) -> None:
        self.gram, self.targets, self.fit_intercept = gram, targets, fit_intercept

    @abstractmethod
    def training_loss(self, ridge: float) -> float:
        """Return the mean loss of its own on the training rows."""

    @abstractmethod
    def fold_loss(self, ridge: float, split: Split, loss: str) -> float:
        """Return the mean loss on the tested rows of the machine without those left out."""

    @abstractmethod
    def error_on(self, ridge: float, cross: Array, targets: Targets) -> float:
        """Return the error on other rows, from their kernel values with the training rows.

        The rate of misclassified rows, or the mean square of real targets.
        """

    @classmethod
    def from_ridge(cls, ridge: float) -> float:
        """Return the ridge in the terms of its estimators."""
        return ridge

    @classmethod
    def is_machine_of(cls, estimator: Any) -> bool:
        """Say whether criteria with a training error judge an estimator by this machine."""
        return False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        check_new_name(cls, Machine)
        missing = [f for f in ("name", "own_loss", "ridge_parameter") if not hasattr(cls, f)]
        if missing:
            raise TypeError(f"{cls.__name__} must say its {', '.join(missing)}.")


def available() -> dict[str, type[Machine]]:
    """Return every machine that criteria can judge by, those from outside included, by name."""
    return {cls.name: cls for cls in members(Machine)}


def get(machine: Any) -> type[Machine]:
    """Return a machine by its name; a machine is returned as it is."""
    if isinstance(machine, type) and issubclass(machine, Machine):
        return machine
    known = available()
    if not is_one_of(machine, list(known)):
        raise ValueError(unknown("machine", machine, list(known)))
    return known[machine]


def needs_with(machine: type[Machine], needs: frozenset[Need]) -> frozenset[Need]:
    """Return needs of a kernel matrix, with what training and folds of a machine take."""
    taken = set(needs.difference(machine.needs))
    for need in needs.intersection(machine.needs):
        taken |= machine.needs[need]
    return frozenset(taken)
