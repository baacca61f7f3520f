"""Which column is the target, and what kind of target it is."""

import warnings
from typing import Any

import numpy as np
import pandas as pd

from kernelwise._registry import unknown
from kernelwise._written import guess_numbers, to_numeric
from kernelwise.cli.formats.base import by_look, look_of
from kernelwise.cli.screen import BadInput, counted
from kernelwise.cli.values import check_size, is_nested
from kernelwise.gram import Targets
from kernelwise.targets import FEW_VALUES, IntegerTargetWarning

_USUAL = ("target", "class", "label", "y")
_LARGEST_INTEGER = 2**53  # beyond it neighbours share a float64


def choose_target(columns: list[str], asked: str | None) -> tuple[str, str]:
    """Return the target's column, and a sentence where nobody asked for it."""
    if asked is not None:
        found = found_column(asked, columns, "target column")
        return found, "" if found == asked else f"{found!r} is taken as the target {asked!r}."
    usual = [name for name in columns if name.lower() in _USUAL]
    if len(usual) == 1:
        return usual[0], f"{usual[0]!r} is taken as the target; --target names another."
    last = columns[-1]
    return last, f"{last!r}, the last column, is taken as the target; --target names another."


def left_columns(columns: list[str], dropped: list[str], target: str | None) -> list[str]:
    """Return the columns without those that are not to be used."""
    for name in set(dropped) - set(columns):
        parts = [part.strip() for part in name.split(",")]
        if len(parts) > 1 and set(parts) <= set(columns):
            asked = " ".join(f"--drop {part!r}" for part in parts)
            raise BadInput(f"--drop takes one column at a time: write {asked}.")
    gone = {found_column(name, columns, "column in --drop") for name in dropped}
    if target is not None and found_column(target, columns, "target column") in gone:
        raise BadInput(f"--drop names the target {target!r}: leave it out of --drop.")
    return [name for name in columns if name not in gone]


def found_column(asked: str, columns: list[str], what: str) -> str:
    """Return the column of a name, in another case if only one looks so."""
    alike = asked if asked in columns else by_look(columns).get(look_of(asked))
    if alike is None:
        raise BadInput(_no_such(asked, columns, what))
    return alike


def _no_such(asked: str, columns: list[str], what: str) -> str:
    same = [name for name in columns if name.lower() == asked.lower()]
    shown = same or [name for name in columns if len(name) < 60][:20]
    return unknown(what, asked, same or columns if len(columns) <= 20 else shown)


def known_rows(values: Any, name: str) -> tuple[Any, str]:
    """Return which rows of a table have a target, and a sentence where some have none."""
    if is_nested(values):
        raise BadInput(
            f"the target {name!r} holds lists or other values with parts: name another by --target."
        )
    known = are_known(values)
    if not known.any():
        raise BadInput(f"the target {name!r} has no values: name another column by --target.")
    lost = int((~known).sum())
    return known, f"{counted(lost, 'row')} without a value of {name!r} left out." if lost else ""


def are_known(values: Any) -> Any:
    """Return which values there are: none is missing, nor a blank text."""
    is_known = values.notna()
    if not pd.api.types.is_numeric_dtype(values):
        is_known &= values.astype(str).str.strip() != ""
    return is_known.to_numpy(dtype=bool)


def read_target(values: Any, name: str, task: str, decimal: str) -> tuple[Any, str]:
    """Return a target without missing values as numbers where it is written so, and a sentence."""
    if task == "classification" or pd.api.types.is_numeric_dtype(values):
        return values, ""
    reading = guess_numbers(values, decimal)
    if not reading.rule or reading.values.isna().any():
        return values, ""
    return reading.values, f"the target {name!r} is read as numbers: {reading.example}."


def target_values(values: Any, name: str, task: str) -> tuple[Any, Targets]:
    """Return a target without missing values as an array, and as the library sees it."""
    if len(values) < 3:
        raise BadInput(
            f"only {counted(len(values), 'row')} with a value of {name!r}: at least 3 are needed."
        )
    y = _array(values, name, task)
    if _is_blurred(y, task):
        raise BadInput(
            f"the target {name!r} holds integers such as {y[0]}, too large to tell apart: subtract "
            "a constant from all of them, or put a letter before each to make them classes."
        )
    if task == "classification" or (task == "auto" and y.dtype.kind in "UOb"):
        _check_classes(y, name)
    elif np.unique(y).size == 1:
        raise BadInput(f"the target {name!r} is constant ({y[0]}): name another by --target.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IntegerTargetWarning)  # decided() says it
        return y, Targets.of(y, task)


def decided(y: Any, targets: Targets, name: str, task: str) -> str:
    """Return a sentence where integers could be classes or numbers and nobody said which."""
    if task != "auto" or y.dtype.kind not in "iu":
        return ""
    values = np.unique(y).size
    if targets.classes is None:
        what, other = "regressed on", "classification takes them as classes"
    elif values > 2:
        what, other = "taken as classes", "regression takes them as numbers"
    else:
        return ""
    return f"the {values} integers of {name!r} are {what}; --task {other}."


def _is_blurred(y: Any, task: str) -> bool:
    """Say whether integers are so large that reals do not tell them apart."""
    distinct = np.unique(y)
    if y.dtype.kind == "f":  # as a column with gaps is read
        return distinct.size == 1 and abs(distinct[0]) >= _LARGEST_INTEGER
    if y.dtype.kind not in "iu" or task == "classification":
        return False
    if task == "auto" and distinct.size <= FEW_VALUES:
        return False
    return 2 * np.unique(distinct.astype(float)).size <= distinct.size


def _array(values: Any, name: str, task: str) -> Any:
    """Return integers, reals, booleans or texts."""
    if not pd.api.types.is_numeric_dtype(values):
        numbers = to_numeric(values)
        wrong = values[numbers.isna()]
        if task != "regression" and len(wrong):
            return values.astype(str).str.strip().to_numpy(dtype=object).astype(str)
        if len(wrong):
            raise BadInput(
                f"the target {name!r} holds text such as {str(wrong.iloc[0])[:40]!r}, which "
                "nothing regresses on: use --task classification, or name another by --target."
            )
        values = numbers
    if pd.api.types.is_bool_dtype(values):
        return values.to_numpy(dtype=float if task == "regression" else bool)
    if pd.api.types.is_integer_dtype(values):
        return values.to_numpy(dtype=np.uint64 if values.max() >= 2**63 else np.int64)
    y = values.to_numpy(dtype=float)
    check_size(values, f"the target {name!r}")
    # A column of integers with gaps was read as reals; labels are to be 1 and 2, not 1.0 and 2.0.
    whole = task != "regression" and bool(
        np.all(y == np.round(y)) and np.abs(y).max() < _LARGEST_INTEGER
    )
    return y.astype(np.int64) if whole else y


def _check_classes(y: Any, name: str) -> None:
    classes = np.unique(y)
    if classes.size < 2:
        raise BadInput(
            f"the target {name!r} has only one class ({classes[0]}): at least two are needed; "
            "name another column by --target."
        )
    if y.dtype.kind == "f":
        fractions = classes[classes != np.round(classes)]
        if not fractions.size:
            raise BadInput(
                f"the target {name!r} holds numbers such as {classes[-1]:g}, too large to tell "
                "apart: put a letter before each to make them classes, or use --task regression."
            )
        raise BadInput(
            f"the target {name!r} holds fractions such as {fractions[0]:g}: use --task regression."
        )
    if classes.size > max(2, y.size // 2):
        remedy = "--target names another column" if y.dtype.kind == "U" else "use --task regression"
        raise BadInput(
            f"the target {name!r} has {classes.size} different values in {y.size} rows, too many "
            f"for classes: {remedy}."
        )
