"""What there is to say about a selection: a text for people and a code for programs."""

from collections.abc import Collection, Iterable, Mapping
from enum import StrEnum

from kernelwise._warnings import warn_user


class UndefinedCriterionWarning(UserWarning):
    """A criterion has no value for a kernel; the table holds NaN there."""


class Code(StrEnum):
    """What a diagnostic is about."""

    FEW_ROWS = "few_rows"  # a class has very few rows, or very few held out
    GRID_EDGE = "grid_edge"  # the chosen kernel is the narrowest or widest offered
    RIDGE_EDGE = "ridge_edge"  # the chosen ridge is the smallest or largest offered
    CONSTANT_MATRIX = "constant_matrix"  # all rows look alike to the chosen kernel
    IDENTITY_MATRIX = "identity_matrix"  # no row resembles another to the chosen kernel
    DISAGREEMENT = "disagreement"  # the first stage nearly dropped what the last one prefers
    NO_SIGNAL = "no_signal"  # a constant prediction does as well as the choice
    NO_GAIN = "no_gain"  # a combination does no better than the best single kernel
    UNDEFINED = "undefined"  # a criterion has no value for a kernel
    SET_ASIDE = "set_aside"  # a kernel clearly lost on part of the rows
    ESTIMATED = "estimated"  # values are estimates, from some of the rows or a lower rank
    RANK_LIMITED = "rank_limited"  # a matrix of larger rank may give a better choice
    LEFT_OUT = "left_out"  # columns of a table are not used
    TELLS_TARGET = "tells_target"  # a column of a table may give the target away
    MOSTLY_EMPTY = "mostly_empty"  # most of a column of a table was filled in


class Diagnostic(str):
    """A text that has a code; in every other way it is that text.

    JSON keeps both. A model file keeps the text alone: ask for the code with :func:`code_of`, which
    knows texts without one.

    Attributes
    ----------
    code : str
        A member of :class:`Code`, or "" where it is not known.

    Examples
    --------
    >>> from kernelwise.selection.diagnostics import Code, Diagnostic, code_of
    >>> note = Diagnostic("the trace is zero", Code.UNDEFINED)
    >>> note == "the trace is zero", code_of(note) == "undefined", code_of("a text")
    (True, True, '')
    """

    code: str

    def __new__(cls, text: str, code: str = "") -> "Diagnostic":
        """Return a text with a code."""
        diagnostic = super().__new__(cls, text)
        diagnostic.code = code
        return diagnostic


def code_of(text: str) -> str:
    """Return the code of a diagnostic, "" for a text that has none."""
    return str(getattr(text, "code", ""))


def change_of_loss(gain: float, spread: float) -> str:
    """Return in words by how much a loss is lower, with the standard error of that."""
    return f"{'lower' if gain >= 0.0 else 'higher'} by {abs(gain):.2g} ± {spread:.2g}"


def has_code(texts: Iterable[str], *codes: Code) -> bool:
    """Say whether one of several diagnostics has one of the codes."""
    return any(code_of(text) in codes for text in texts)


def warn_undefined(notes: Mapping[tuple[str, str], str]) -> None:
    """Say what is undefined and why, once for all kernels that share the reason."""
    kernels: dict[str, list[str]] = {}
    names: dict[str, list[str]] = {}
    for (kernel, name), reason in notes.items():
        kernels.setdefault(reason, []).append(kernel)
        names.setdefault(reason, []).append(name)
    for reason in kernels:
        first, *others = dict.fromkeys(kernels[reason])
        more = f" and {len(others)} more" if others else ""
        warn_user(
            f"undefined (NaN): {', '.join(dict.fromkeys(names[reason]))} of {first}{more}, "
            f"because {reason}.",
            UndefinedCriterionWarning,
        )


def sampled(rows: int, n: int) -> Diagnostic:
    """Return the note that a choice was made on some of the rows."""
    said = f"chosen on a sample of {rows} of {n} rows; the estimator is fitted to all of them"
    return Diagnostic(said, Code.ESTIMATED)


def by_landmarks(columns: Iterable[str], landmarks: Collection[int]) -> dict[str, str]:
    """Return the notes that columns are estimates, by matrices of so many landmarks if by any."""
    if not landmarks:
        return {}
    fewest, most = min(landmarks), max(landmarks)
    how_many = f"{most}" if fewest == most else f"{fewest} to {most}"
    return {
        f"{name}: {Code.ESTIMATED}": Diagnostic(
            f"{name} is estimated by matrices of low rank, with {how_many} landmarks",
            Code.ESTIMATED,
        )
        for name in columns
    }
