"""What is kept of a selection: the choice, how sure it is, and the tables behind it."""

import json
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from kernelwise.kernels import Kernel
from kernelwise.selection import archive
from kernelwise.selection.archive import kernel_to_dict, number_to_plain
from kernelwise.selection.diagnostics import Diagnostic, code_of
from kernelwise.selection.result import SelectionResult

FORMAT = "kernelwise-record/1"
_TASKS = ("classification", "regression")
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

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            name: value if isinstance(value, str) else number_to_plain(value)
            for name, value in asdict(self).items()
        }

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> "ErrorEstimate":
        """Return what plain data describes."""
        kinds: dict[Any, Any] = {str: archive.to_text, float: archive.to_number}
        return cls(**{f.name: kinds[f.type](plain[f.name], f.name) for f in fields(cls)})


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
        plain = {
            "format": FORMAT,
            "version": self.version,
            "kernel": kernel_to_dict(self.kernel),
            "ridge": self.ridge,
            "machine": self.machine,
            "task": self.task,
            "error": self.error and self.error.to_dict(),
            "nested": self.nested and self.nested.to_dict(),
            "stability": self.stability,
            "warnings": list(self.warnings),
            "warning_codes": [code_of(warning) for warning in self.warnings],
            "data": self.data,
            "seconds": number_to_plain(self.seconds),
            "model": self.model,
            "model_sha256": self.model_sha256,
            "result": self.result.to_dict(),
            "comparison": self.comparison and self.comparison.to_dict(),
        }
        return json.dumps(plain, indent=1, allow_nan=False)

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
        texts = {key: archive.to_text(plain[key], key) for key in ("machine", "version")}
        if plain["task"] not in _TASKS:
            raise ValueError("its task is unknown")
        result = SelectionResult.from_dict(plain["result"])
        comparison = _given(plain["comparison"], SelectionResult.from_dict)
        tables = [each.table for each in (result, comparison) if each is not None]
        if max(map(len, tables)) > _MOST_COLUMNS:
            raise ValueError(f"it has more than {_MOST_COLUMNS} columns")
        return cls(
            kernel=archive.kernel_from_dict(plain["kernel"]),
            ridge=archive.to_number(plain["ridge"], "ridge"),
            task=plain["task"],
            result=result,
            comparison=comparison,
            error=_given(plain["error"], ErrorEstimate.from_dict),
            nested=_given(plain["nested"], ErrorEstimate.from_dict),
            stability=archive.to_mapping(plain["stability"], "stability", _share),
            warnings=_warnings(plain),
            data=_data(archive.to_mapping(plain["data"], "data", lambda value, _: value)),
            seconds=archive.to_number(plain["seconds"], "seconds"),
            model=_given(plain["model"], lambda name: archive.to_text(name, "model")),
            model_sha256=_given(
                plain.get("model_sha256"), lambda digest: archive.to_text(digest, "model_sha256")
            ),
            **texts,
        )


def _given(plain: Any, restored: Callable[[Any], Any]) -> Any:
    """Return what plain data describes, None where nothing is given."""
    return None if plain is None else restored(plain)


def _warnings(plain: dict[str, Any]) -> tuple[Diagnostic, ...]:
    texts = archive.to_list(plain["warnings"], "warnings", archive.to_text)
    unknown = [""] * len(texts)  # earlier versions wrote no codes
    codes = archive.to_list(plain.get("warning_codes", unknown), "warning_codes", archive.to_text)
    return tuple(Diagnostic(*pair) for pair in zip(texts, codes, strict=True))


def _share(plain: Any, what: str) -> float:
    share = archive.to_number(plain, what)
    if not 0.0 <= share <= 1.0:
        raise ValueError(f"{what} is no share but {share}")
    return share


def _data(facts: dict[str, Any]) -> dict[str, Any]:
    """Return facts of the data, each of its kind."""
    kinds: dict[str, Callable[[Any, str], Any]] = {
        "source": archive.to_text,
        "rows": archive.to_count,
        "features": archive.to_count,
        "target": archive.to_text,
        "classes": lambda value, what: archive.to_mapping(value, what, archive.to_count),
        "prepared": lambda value, what: archive.to_list(value, what, archive.to_text),
    }
    for name, fact in facts.items():
        if name in kinds and fact is not None:
            kinds[name](fact, name)
    return facts
