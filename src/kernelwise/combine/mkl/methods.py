"""The methods by name: base matrices in, proposals of weights out."""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from kernelwise._arguments import shown
from kernelwise.combine.mkl import alignment, gradient
from kernelwise.combine.mkl import criteria as by_weights
from kernelwise.combine.mkl.base import BaseMatrices
from kernelwise.combine.mkl.judging import Proposal
from kernelwise.combine.mkl.sparse import PENALTIES, mean_diagonal, sparse_path
from kernelwise.combine.mkl.sphere import minimise
from kernelwise.criteria import ER, MD, RKS, SM, SPS, Criterion, get

Objective = by_weights.Objective
CRITERIA = (SM, MD, ER, RKS, SPS)
_NAMES = tuple(cls.name for cls in CRITERIA)

METHODS: Mapping[str, Callable[[BaseMatrices, float], Iterator[Proposal]]] = MappingProxyType(
    {
        "l1": lambda base, ridge: sparse_path(base),
        "align": lambda base, ridge: iter([Proposal(alignment.align(base))]),
        "alignf": lambda base, ridge: iter([Proposal(alignment.alignf(base))]),
        "uniform": lambda base, ridge: iter([Proposal(alignment.uniform(base))]),
        "loo": lambda base, ridge: iter([Proposal(gradient.by_leave_one_out(base, ridge))]),
        "lml": lambda base, ridge: iter([Proposal(gradient.by_likelihood(base, ridge))]),
    }
)


class Method(NamedTuple):
    """How weights are found: by name, or by a criterion under a norm."""

    name: str
    criterion: Criterion | None = None
    p: float = 2.0

    def proposals(self, base: BaseMatrices, ridge: float) -> Iterator[Proposal]:
        """Yield weights, one in sum; `ridge` is the best one for equal weights."""
        if self.criterion is None:
            return METHODS["l1" if self.is_gated else self.name](base, ridge)
        return by_criterion(base, self.criterion, self.p)

    @property
    def is_gated(self) -> bool:
        """Whether its weights count only as far as they are better than equal ones."""
        return self.name == "auto"

    @property
    def is_path(self) -> bool:
        """Whether it goes from large penalties to small ones, each search from the last weights."""
        return self.name in ("auto", "l1")

    def check_scales(self, most: int) -> None:
        """Say so where it takes more time and memory than this many rows allow."""
        if self.forms_matrix:
            which = f"method {self.name!r}" if self.criterion is None else f"{self.criterion.label}"
            raise ValueError(
                f"{which} needs the combined matrix of all rows, of which there may be {most}: use "
                "'l1', 'align', 'alignf' or 'uniform', or criterion 'sm' or 'md'."
            )

    @property
    def forms_matrix(self) -> bool:
        """Whether it decomposes or inverts the combined matrix of all rows."""
        if self.criterion is None:
            return self.name in ("loo", "lml")
        if isinstance(self.criterion, SM):
            return not by_weights.takes_products(self.criterion.r)
        return self.criterion.uses_ridge


def as_method(method: str, criterion: Any, p: float) -> Method:
    """Return the method that the arguments name together; refuse those that do not go together."""
    if criterion is None:
        if method == "criterion":
            raise ValueError(f"criterion is missing: name one of {', '.join(_NAMES)}.")
        return Method(method)
    if method not in ("auto", "criterion"):
        raise ValueError(f"criterion is not for method={method!r}: use method='criterion'.")
    return Method("criterion", _as_criterion(criterion), p)


def _as_criterion(given: Any) -> Criterion:
    found = get(given)
    if not isinstance(found, CRITERIA):
        raise ValueError(f"criterion must be one of {', '.join(_NAMES)}, got {shown(given)}.")
    if isinstance(found, SM) and found.normalizer != "trace":
        raise ValueError("criterion SM must have normalizer='trace' to find weights by it.")
    for name in found.tradeoffs:
        if getattr(found, name) == "cv":
            raise ValueError(f"criterion must have a number for {name}, got 'cv'.")
    return found


def by_criterion(base: BaseMatrices, criterion: Criterion, p: float) -> Iterator[Proposal]:
    """Yield the weights of norm one that are best by a criterion, scaled to be one in sum.

    A criterion with a training error gives one set of weights for every penalty, which is the ridge
    of the machine in it.
    """
    if base.is_real and "regression" not in criterion.tasks:
        raise ValueError(f"criterion {criterion.name} is for classes: use another for numbers.")
    penalties = (PENALTIES * mean_diagonal(base)).tolist() if criterion.uses_ridge else [np.nan]
    for penalty in penalties:
        weights = minimise(objective_of(criterion, base, penalty), base.usable, p)
        yield Proposal(weights / weights.sum(), penalty)


def objective_of(criterion: Criterion, base: BaseMatrices, ridge: float) -> Objective:
    """Return a criterion as a function of the weights, to be minimised."""
    if isinstance(criterion, SM):
        return by_weights.spectral_measure(base, criterion.r, weighted=criterion.weighted)
    if isinstance(criterion, ER):
        t = min(int(criterion.t), base.rows - 1)
        factor = base.rows if criterion.scale == "printed" else 1.0
        return by_weights.eigenvalues_ratio(base, ridge, t=t, eta=factor * float(criterion.eta))
    if isinstance(criterion, RKS):
        return by_weights.kernel_stability(base, ridge, eta=float(criterion.eta))
    if isinstance(criterion, SPS):
        return by_weights.spectral_perturbation(base, ridge, delta=float(criterion.delta))
    return by_weights.mean_discrepancy(base)
