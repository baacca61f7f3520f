"""Pieces of the pages, in Markdown."""

from collections.abc import Iterable, Sequence


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


def made_from(key: str, title: str, source: str | None = None) -> list[str]:
    """Return the first lines of a page: its title, the file it is made from and the command.

    ``source`` names the experiment whose results they are, where it is another.
    """
    made = f"Made from `results/{source or key}.csv` by `kernelwise reproduce {key}"
    return [f"# {title}", "", f"{made} --out docs/papers`; do not edit.", ""]
