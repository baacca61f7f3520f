"""The table of candidates and criteria."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kernelwise._registry import unknown
from kernelwise.criteria import Criterion
from kernelwise.kernels import Kernel
from kernelwise.kernels.geometry import Array
from kernelwise.selection.preference import check_rule, preferred


@dataclass(frozen=True, eq=False)
class SelectionResult:
    """Every candidate with the raw value of every criterion.

    A candidate is a kernel with a ridge. Values are raw: neither scaled nor turned so that larger
    is better. NaN stands where a criterion is undefined, or was not asked.

    Attributes
    ----------
    kernels : tuple of Kernel
        The kernel of every candidate.
    ridges : array of shape (candidates,)
        The ridge of every candidate; in the table of a selection that of the last stage that used
        one, NaN where none did.
    criteria : dict of str to Criterion
        The criteria by column name: the criterion's name, with its parameters where two columns
        would share it.
    table : dict of str to array of shape (candidates,)
        The values by column name.
    notes : dict of str to str
        Why values are undefined, by "kernel: column".
    engine : str
        The engine that was used.
    engine_reason : str
        Why it was that one.
    seconds : float
        How long it took.
    standard_errors : dict of str to array of shape (candidates,)
        The standard errors of values that are means of losses over rows or folds, by column name;
        NaN for the others.
    """

    kernels: tuple[Kernel, ...]
    ridges: Array
    criteria: dict[str, Criterion]
    table: dict[str, Array]
    notes: dict[str, str]
    engine: str
    engine_reason: str
    seconds: float
    standard_errors: dict[str, Array] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.kernels)

    def best_index(self, criterion: str, rule: str = "best") -> int:
        """Return the position of the preferred candidate.

        Of equal values the smoother (wider) kernel is preferred, then the larger ridge. With
        ``rule="one_se"`` everything within one standard error of the best counts as equal.
        """
        return self.ranking(criterion, rule)[0]

    def ranking(self, criterion: str, rule: str = "best") -> list[int]:
        """Return the positions of the defined candidates from the best to the worst."""
        check_rule(rule)
        if criterion not in self.table:
            raise ValueError(unknown("column", criterion, list(self.table)))
        greater = self.criteria[criterion].greater_is_better
        if greater is None:
            raise ValueError(f"{criterion} has no direction: it is to be read, not to choose by.")
        values = self.table[criterion]
        if np.isnan(values).all():
            reason = next((r for k, r in self.notes.items() if k.endswith(f": {criterion}")), "")
            raise ValueError(f"{criterion} is undefined for every candidate: {reason}.")
        errors = self.standard_errors.get(criterion, np.full(len(self), np.nan))
        losses = -values if greater else values
        return preferred(losses, errors, self.kernels, self.ridges, rule)

    def best(self, criterion: str, rule: str = "best") -> Kernel:
        """Return the kernel that a criterion prefers."""
        return self.kernels[self.best_index(criterion, rule)]

    def best_ridge(self, criterion: str, rule: str = "best") -> float:
        """Return the ridge of the candidate that a criterion prefers."""
        return float(self.ridges[self.best_index(criterion, rule)])

    def frame(self) -> Any:
        """Return the table as a pandas DataFrame; needs pandas."""
        try:
            import pandas as pd
        except ImportError:
            raise ImportError("frame() needs pandas: pip install 'kernelwise[frame]'.") from None
        columns = {"kernel": list(map(str, self.kernels)), "ridge": self.ridges, **self.table}
        return pd.DataFrame(columns)

    def __repr__(self) -> str:
        return (
            f"SelectionResult({len(self)} candidates, criteria: {', '.join(self.table)}, "
            f"engine: {self.engine}, {self.seconds:.3g} s)"
        )
