"""What is kept of a selection: the choice, how sure it is, and the tables behind it."""

import json
import math
from dataclasses import dataclass, field
from typing import Any

from kernelwise.kernels import Kernel
from kernelwise.selection.archive import from_kernel, from_number, to_kernel, to_number
from kernelwise.selection.result import SelectionResult

FORMAT = "kernelwise-record/1"


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

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "measure": self.measure,
            "value": from_number(self.value),
            "standard_error": from_number(self.standard_error),
            "method": self.method,
            "baseline": from_number(self.baseline),
        }

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> "ErrorEstimate":
        """Return what plain data describes."""
        numbers = {k: to_number(plain[k]) for k in ("value", "standard_error", "baseline")}
        return cls(measure=plain["measure"], method=plain["method"], **numbers)


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
        The error of the chosen machine, and the one that pays for the choice.
    stability : dict of str to float
        How often each kernel was picked on random parts of the rows; empty where nobody asked.
    warnings : tuple of str
        What the guards had to say.
    data : dict
        "source", "rows", "features", "target", "classes" (label to count; classification only),
        "prepared" (list of sentences): whatever of it is known.
    seconds : float
    model : str or None
        The file name of the model beside the record.
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
    version: str = ""

    def to_json(self) -> str:
        """Return it as JSON."""
        plain = {
            "format": FORMAT,
            "version": self.version,
            "kernel": from_kernel(self.kernel),
            "ridge": self.ridge,
            "machine": self.machine,
            "task": self.task,
            "error": self.error and self.error.to_dict(),
            "nested": self.nested and self.nested.to_dict(),
            "stability": self.stability,
            "warnings": list(self.warnings),
            "data": self.data,
            "seconds": from_number(self.seconds),
            "model": self.model,
            "result": self.result.to_dict(),
            "comparison": self.comparison and self.comparison.to_dict(),
        }
        return json.dumps(plain, indent=1, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> "Record":
        """Return the record that a JSON text holds, or say that it holds none."""
        try:
            plain = json.loads(text)
            if plain["format"] != FORMAT:
                raise ValueError(f"format {plain['format']!r}")
            return cls._from_dict(plain)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ValueError(
                f"this is no record of a selection ({error}): give the result.json that "
                "kernelwise select wrote."
            ) from None

    @classmethod
    def _from_dict(cls, plain: dict[str, Any]) -> "Record":
        estimates = {
            k: None if plain[k] is None else ErrorEstimate.from_dict(plain[k])
            for k in ("error", "nested")
        }
        comparison = plain["comparison"]
        if not all(isinstance(sentence, str) for sentence in plain["warnings"]):
            raise ValueError("its warnings are no sentences")
        return cls(
            kernel=to_kernel(plain["kernel"]),
            ridge=float(plain["ridge"]),
            machine=plain["machine"],
            task=plain["task"],
            result=SelectionResult.from_dict(plain["result"]),
            comparison=None if comparison is None else SelectionResult.from_dict(comparison),
            stability=dict(plain["stability"]),
            warnings=tuple(plain["warnings"]),
            data=dict(plain["data"]),
            seconds=to_number(plain["seconds"]),
            model=plain["model"],
            version=plain["version"],
            **estimates,
        )
