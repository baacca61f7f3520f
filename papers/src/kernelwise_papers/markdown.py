"""Pieces of the pages, in Markdown."""

from collections.abc import Container, Iterable, Sequence

PUBLISHED_NUMBERS = "../src/kernelwise_papers/published/"  # as seen from a page


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table.

    Parameters
    ----------
    heads : sequence of str
    rows : iterable of sequence of str
        As long as the heads.
    """
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    return lines + [f"| {' | '.join(row)} |" for row in rows]


def holds(is_so: bool) -> str:
    """Return the verdict on a statement in words."""
    return "holds" if is_so else "does not hold"


def span(numbers: Iterable[int]) -> str:
    """Return a number, or the least and the largest of several."""
    low, *_, high = sorted([*numbers] * 2)
    return str(low) if low == high else f"{low} to {high}"


def not_run(asked: Iterable[str], done: Container[str]) -> list[str]:
    """Return an item of a list that names what was left out; none where nothing was."""
    missing = [name for name in asked if name not in done]
    return [f"- Not run: {', '.join(missing)}."] if missing else []
