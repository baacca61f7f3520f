"""The table of candidates and criteria."""

import html
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import rankdata

from kernelwise._registry import unknown
from kernelwise._sklearn import StrOptions, check_parameters
from kernelwise._types import Array
from kernelwise.criteria import Criterion
from kernelwise.kernels import Kernel
from kernelwise.selection import archive
from kernelwise.selection.diagnostics import code_of
from kernelwise.selection.params import told_params

RULES = {"best", "one_se"}
_TIE = 1e-12  # relative difference of values that is rounding


class Agreement(NamedTuple):
    """Rank correlations of criteria: 1 for the same order, -1 for the opposite."""

    names: tuple[str, ...]
    matrix: Array


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
    notes : dict of str to Diagnostic
        Why values are missing, by "kernel: column"; how values were estimated, by
        "column: estimated".
    engine : str
        The engine that was used; "tiled and low_rank" where some columns are exact and others are
        estimated.
    engine_reason : str
        Why it was that one; of two, which columns are by which of them.
    seconds : float
        How long it took.
    standard_errors : dict of str to array of shape (candidates,)
        The standard errors of values that are means of losses over rows or folds, by column name;
        NaN for the others.
    timings : dict of str to float
        The seconds of every stage of a selection, by column name.
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
    timings: dict[str, float] = field(default_factory=dict)

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
        check_parameters("SelectionResult", {"rule": [StrOptions(RULES)]}, rule=rule)
        if not isinstance(criterion, str) or criterion not in self.table:
            raise ValueError(unknown("column", criterion, list(self.table)))
        greater = self.criteria[criterion].greater_is_better
        if greater is None:
            raise ValueError(f"{criterion} has no direction: it is to be read, not to choose by.")
        values = self.table[criterion]
        if np.isnan(values).all():
            reason = next(iter(self.notes_on(criterion)), "")
            raise ValueError(f"{criterion} is undefined for every candidate: {reason}.")
        errors = self.standard_errors.get(criterion, np.full(values.size, np.nan))
        losses = -values if greater else values
        return preferred(losses, errors, self.kernels, self.ridges, rule)

    def best(self, criterion: str, rule: str = "best") -> Kernel:
        """Return the kernel that a criterion prefers."""
        return self.kernels[self.best_index(criterion, rule)]

    def best_ridge(self, criterion: str, rule: str = "best") -> float:
        """Return the ridge of the candidate that a criterion prefers."""
        return float(self.ridges[self.best_index(criterion, rule)])

    def ranks(self, criterion: str) -> Array:
        """Return the rank of every candidate, 1 for the preferred one, NaN where undefined."""
        ranks = np.full(len(self), np.nan)
        order = self.ranking(criterion)
        ranks[order] = np.arange(1.0, len(order) + 1.0)
        return ranks

    def notes_on(self, criterion: str) -> list[str]:
        """Return why values of a column are missing, one note for each kernel without a value."""
        return [note for key, note in self.notes.items() if key.endswith(f": {criterion}")]

    def choosing(self) -> list[str]:
        """Return the columns that can choose: they have a direction, and a value somewhere."""
        return [
            name
            for name, values in self.table.items()
            if self.criteria[name].greater_is_better is not None and not np.isnan(values).all()
        ]

    def agreement(self) -> "Agreement":
        """Return how alike the criteria rank the candidates: Spearman's rank correlation.

        Every pair of criteria is compared on the candidates for which both are defined.
        """
        names = self.choosing()
        ranks = [self.ranks(name) for name in names]
        matrix = np.array([[_spearman(a, b) for b in ranks] for a in ranks])
        return Agreement(tuple(names), matrix.reshape(len(names), len(names)))

    def frame(self, ranks: bool = False) -> Any:
        """Return the table as a pandas DataFrame, with the ranks on request; needs pandas."""
        try:
            import pandas as pd
        except ImportError:
            raise ImportError("frame() needs pandas: pip install 'kernelwise[frame]'.") from None
        columns = {"kernel": list(map(str, self.kernels)), "ridge": self.ridges, **self.table}
        if ranks:
            columns |= {f"{name} rank": self.ranks(name) for name in self.choosing()}
        return pd.DataFrame(columns)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data that JSON can hold."""
        codes = {key: code_of(note) for key, note in self.notes.items()}
        return {**archive.fields_to_plain(self), "note_codes": codes}

    def to_json(self) -> str:
        """Return everything as JSON; kernels and criteria by name and parameters."""
        return json.dumps(self.to_dict(), allow_nan=False)

    def _repr_html_(self) -> str:
        """Return a table for notebooks: the best of each column is bold."""
        best = {name: self.best_index(name) for name in self.choosing()}
        head = "".join(f"<th>{html.escape(t)}</th>" for t in ("kernel", "ridge", *self.table))
        rows = "".join(
            f"<tr><td>{html.escape(str(kernel))}</td><td>{_cell(self.ridges[i])}</td>"
            + "".join(
                f"<td><b>{_cell(v[i])}</b></td>" if best.get(n) == i else f"<td>{_cell(v[i])}</td>"
                for n, v in self.table.items()
            )
            + "</tr>"
            for i, kernel in enumerate(self.kernels)
        )
        return (
            f"<table><caption>{len(self)} candidates, engine {html.escape(self.engine)}, "
            f"{self.seconds:.3g} s</caption><thead><tr>{head}</tr></thead>"
            f"<tbody>{rows}</tbody></table>"
        )

    def __repr__(self) -> str:
        return (
            f"SelectionResult({len(self)} candidates, criteria: {', '.join(self.table)}, "
            f"engine: {self.engine}, {self.seconds:.3g} s{self._told_best()})"
        )

    def _told_best(self) -> str:
        """Return what the last column prefers, in scikit-learn's terms too."""
        name = next(reversed(self.choosing()), None)
        if name is None:
            return ""
        index = self.best_index(name)
        ridge = float(self.ridges[index]) if self.criteria[name].uses_ridge else math.nan
        theirs = told_params(self.kernels[index], ridge)
        return f"; {name} prefers {self.kernels[index]}" + (f": {theirs}" if theirs else "")


def _spearman(a: Array, b: Array) -> float:
    """Return the correlation of two rankings on what both rank; NaN for fewer than two."""
    both = ~(np.isnan(a) | np.isnan(b))
    if np.count_nonzero(both) < 2:
        return float("nan")
    return float(np.corrcoef(rankdata(a[both]), rankdata(b[both]))[0, 1])


def _cell(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:.4g}"


def preferred(
    losses: Array, errors: Array, kernels: Sequence[Kernel], ridges: Array, rule: str
) -> list[int]:
    """Return the positions of the defined candidates from the most to the least preferred.

    Candidates that cannot be told apart from the best, by rounding or by its standard error, come
    first if they are of its family: the smoothest kernel, then the largest ridge. The others follow
    by their losses.
    """
    defined = int(np.count_nonzero(~np.isnan(losses)))
    order = np.argsort(losses, kind="stable")[:defined].tolist()  # NaN come last
    best = order[0]
    # An infinite value is equal to itself alone.
    slack = _TIE * abs(losses[best]) if np.isfinite(losses[best]) else 0.0
    limit = losses[best] + slack
    if rule == "one_se":
        if np.isnan(errors[best]):
            raise ValueError(
                "rule='one_se' needs a criterion with a standard error, such as eloo, or kfold "
                "with several folds."
            )
        limit = losses[best] + errors[best]

    def place(i: int) -> tuple[bool, float, float]:
        if losses[i] <= limit and kernels[i].family == kernels[best].family:
            return False, kernels[i].roughness, -np.nan_to_num(ridges[i])
        return True, 0.0, 0.0

    return sorted(order, key=place)
