"""What is kept of a selection: the choice, how sure it is, and the tables behind it."""

import json
import math
from dataclasses import dataclass, field
from typing import Any

from kernelwise.kernels import Kernel
from kernelwise.selection import archive
from kernelwise.selection.diagnostics import Diagnostic, code_of
from kernelwise.selection.result import SelectionResult

FORMAT = "kernelwise-record/1"
_TASKS = ("classification", "regression")
_FACTS = {  # of the data, as far as they are known
    "source": str | None,
    "rows": int | None,
    "features": int | None,
    "target": str | None,
    "classes": dict[str, int] | None,
    "prepared": list[str] | None,
}
_MOST_COLUMNS = 300  # in a table: comparing all with all would take minutes


@dataclass(frozen=True)
class ErrorEstimate:
    """An error that is to be expected on new rows.

    Attributes
    ----------
    measure : {"error rate", "root mean squared error"}
    value : float
    standard_error : float
        NaN where it is not known.
    method : str
        How it was found, as "leave-one-out" or "nested 5-fold".
    baseline : float
        The same measure for the best constant prediction.
    """

    measure: str
    value: float
    standard_error: float
    method: str
    baseline: float

    def __str__(self) -> str:
        known = not math.isnan(self.standard_error)
        if self.measure == "error rate":
            spread = f" ± {100 * self.standard_error:.1f}" if known else ""
            return (
                f"{100 * self.value:.1f} %{spread} ({self.method}; "
                f"always the largest class: {100 * self.baseline:.1f} %)"
            )
        spread = f" ± {self.standard_error:.2g}" if known else ""
        return (
            f"{self.value:.4g}{spread} ({self.measure}, {self.method}; "
            f"always the mean: {self.baseline:.4g})"
        )


@dataclass(frozen=True, eq=False)
class Record:
    """Everything a report needs, and nothing of the data itself.

    Attributes
    ----------
    kernel : Kernel
        The chosen kernel.
    ridge : float
        The chosen ridge.
    machine : str
        The class name of the machine.
    task : {"classification", "regression"}
    result : SelectionResult
        The table of the selection: one column per stage.
    comparison : SelectionResult or None
        All criteria side by side, at the chosen ridge.
    error, nested : ErrorEstimate or None
        The error of the chosen machine, and that of the whole selection.
    stability : dict of str to float
        How often each kernel was picked on random parts of the rows; empty where nobody asked.
    warnings : tuple of Diagnostic
        What the guards, and others, had to say.
    data : dict
        "source", "rows", "features", "target", "classes" (label to count; classification only),
        "prepared" (list of sentences): whatever of it is known.
    seconds : float
    model : str or None
        The file name of the model beside the record.
    model_sha256 : str or None
        The SHA-256 of that file; None in records of earlier versions.
    version : str
        Of kernelwise.
    """

    kernel: Kernel
    ridge: float
    machine: str
    task: str
    result: SelectionResult
    comparison: SelectionResult | None = None
    error: ErrorEstimate | None = None
    nested: ErrorEstimate | None = None
    stability: dict[str, float] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    data: dict[str, Any] = field(default_factory=dict)
    seconds: float = math.nan
    model: str | None = None
    model_sha256: str | None = None
    version: str = ""

    def to_json(self) -> str:
        """Return it as JSON."""
        codes = [code_of(warning) for warning in self.warnings]
        plain = {"format": FORMAT, **archive.fields_to_plain(self), "warning_codes": codes}
        tables = {name: plain.pop(name) for name in ("result", "comparison")}  # the longest: last
        return json.dumps(plain | tables, indent=1, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> "Record":
        """Return the record that a JSON text holds, or say that it holds none."""
        try:
            plain = archive.parse(text)
            if plain["format"] != FORMAT:
                raise ValueError(f"format {plain['format']!r}")
            return cls._from_dict(plain)
        except archive.WRONG as error:
            raise ValueError(
                f"this is no record of a selection ({archive.reason(error)}): give the result.json "
                "that kernelwise select wrote."
            ) from None

    @classmethod
    def _from_dict(cls, plain: dict[str, Any]) -> "Record":
        # Earlier versions wrote neither the SHA-256 nor codes.
        given = archive.fields_from_plain(cls, {"model_sha256": None, **plain})
        none = [""] * len(given["warnings"])
        codes = archive.from_plain(list[str], plain.get("warning_codes", none), "warning_codes")
        pairs = zip(given["warnings"], codes, strict=True)
        record = cls(**given | {"warnings": tuple(Diagnostic(*pair) for pair in pairs)})
        record._check()
        return record

    def _check(self) -> None:
        """Say so where something is of its kind and still cannot be."""
        if self.task not in _TASKS:
            raise ValueError("its task is unknown")
        tables = [each.table for each in (self.result, self.comparison) if each is not None]
        if max(map(len, tables)) > _MOST_COLUMNS:
            raise ValueError(f"it has more than {_MOST_COLUMNS} columns")
        for share in self.stability.values():
            if not 0.0 <= share <= 1.0:
                raise ValueError(f"stability is no share but {share}")
        for name, kind in _FACTS.items():
            archive.from_plain(kind, self.data.get(name), name)
