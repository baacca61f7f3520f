"""Whether the papers' claims of significance follow from the means and spreads they print.

``python -m kernelwise_papers.significance`` prints ``published/significance.md``.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from scipy import stats

from kernelwise._types import Array
from kernelwise_papers import publications
from kernelwise_papers.publications import Cell

LEVEL: Final = 0.05
CORRELATIONS: Final = (0.0, 0.5, 0.8, 0.9)

INTRODUCTION: Final = """\
# Do the claims follow from the printed numbers?

Printed by `python -m kernelwise_papers.significance`; a test compares this file with it.

The SM and ER papers compare two criteria by a paired t-test over the splits, one-sided at 95 %
(t > 1.676 with 50 splits, t > 1.699 with 30); the KS paper says only "95% level of significance of
t-test". From means and spreads only Welch's test can be recomputed: here one-sided at 95 %, the
spread read as a standard deviation. Where the errors of two criteria rise and fall together over
the splits, as usual, a paired test finds more: a difference that only the paper finds may be right,
one that only Welch's test finds needs a negative correlation. Column "mean": sets whose means
differ as claimed, which no test can exceed; then what a paired test finds at correlation rho.
"""

CLAIMS_HEAD: Final = """
## Counted claims

| table | lambda | claim | paper | Welch | agrees | mean | rho 0 | 0.5 | 0.8 | 0.9 |
|---|---|---|---|---|---|---|---|---|---|---|
"""

NAMED_HEAD: Final = """
## Claims that name the sets

Every set, by what the paper says of the pair and by Welch's test. For each disagreement: the
correlation from which on the paired test finds the difference (above 1: under no correlation).
"""


def welch(mean1: float, sd1: float, mean2: float, sd2: float, n: int) -> tuple[float, float]:
    """Return Welch's t statistic of two means over n values each, and its two-sided p.

    Parameters
    ----------
    mean1, sd1 : float
        Mean and standard deviation of the first sample.
    mean2, sd2 : float
        The same of the second.
    n : int
        Size of each sample, at least 2.

    Returns
    -------
    t : float
        Positive where the second mean is the larger one.
    p : float
        Two-sided; half of it is the one-sided p in the direction of t.
    """
    if n < 2:
        raise ValueError("Welch's test needs two values or more in each sample")
    a, b = sd1**2 / n, sd2**2 / n
    if a + b == 0.0:
        return (0.0, 1.0) if mean1 == mean2 else (math.copysign(math.inf, mean2 - mean1), 0.0)
    t = (mean2 - mean1) / math.sqrt(a + b)
    freedom = (a + b) ** 2 * (n - 1) / (a**2 + b**2)
    return t, 2.0 * float(stats.t.sf(abs(t), freedom))


def paired(differences: Array) -> float:
    """Return the one-sided p of a mean above zero by the paired t-test.

    Parameters
    ----------
    differences : array of shape (n,)

    Returns
    -------
    float
        Below one half where the mean is positive; certain where all differences are the same; NaN
        of a single one.
    """
    n, mean = differences.size, float(differences.mean())
    if n < 2:
        return math.nan
    error = float(differences.std(ddof=1)) / math.sqrt(n)
    if error == 0.0:
        return 0.5 - 0.5 * math.copysign(bool(mean), mean)
    return float(stats.t.sf(mean / error, n - 1))


def needed_correlation(mean1: float, sd1: float, mean2: float, sd2: float, n: int) -> float:
    """Return the correlation from which on a paired t-test finds a difference.

    The paired t exceeds its one-sided 95 % point c where the variance of the differences,
    ``sd1^2 + sd2^2 - 2 rho sd1 sd2``, is below ``(mean2 - mean1)^2 n / c^2``.

    Parameters
    ----------
    mean1, sd1, mean2, sd2, n
        As for :func:`welch`.

    Returns
    -------
    float
        Below -1: significant whatever the correlation. Above 1: under no correlation.
    """
    limit = (mean2 - mean1) ** 2 * n / float(stats.t.ppf(1.0 - LEVEL, n - 1)) ** 2
    excess = sd1**2 + sd2**2 - limit
    if sd1 * sd2 == 0.0:
        return math.copysign(math.inf, excess)
    return excess / (2.0 * sd1 * sd2)


@dataclass(frozen=True)
class _Row:
    """The legible cells of one data set at one regularisation."""

    lam: float | None
    dataset: str
    cells: dict[str, Cell]

    @property
    def label(self) -> str:
        return self.dataset if self.lam is None else f"{self.dataset} at {self.lam:g}"


@dataclass(frozen=True)
class _Pair:
    """Two criteria on one data set; the lower value is the better one."""

    dataset: str
    moments: tuple[float, float, float, float]
    n: int

    @property
    def direction(self) -> str:
        """What the means alone say of the first criterion."""
        mean1, _, mean2, _ = self.moments
        return "better" if mean1 < mean2 else "worse" if mean1 > mean2 else "neither"

    @property
    def verdict(self) -> str:
        """What Welch's test says of the first criterion, one-sided."""
        return self.direction if welch(*self.moments, self.n)[1] / 2.0 < LEVEL else "neither"

    @property
    def correlation(self) -> float:
        return needed_correlation(*self.moments, self.n)


def _rows(table: str) -> Iterator[_Row]:
    for (lam, dataset), group in groupby(publications.load(table), key=lambda c: c.place[:2]):
        yield _Row(lam, dataset, {cell.criterion: cell for cell in group if cell.legible})


def _moments(cell: Cell | None) -> tuple[float, float] | None:
    if cell is None or cell.value is None or cell.spread is None:
        return None
    return cell.value, cell.spread


def _pair(row: _Row, first: str, second: str, n: int) -> _Pair | None:
    """Return the pair, or None where a mean or a spread is missing."""
    a, b = _moments(row.cells.get(first)), _moments(row.cells.get(second))
    return None if a is None or b is None else _Pair(row.dataset, a + b, n)


def _pairs(said: dict[str, str]) -> list[_Pair]:
    lam = float(said["lambda"]) if said["lambda"] else None
    n = int(publications.protocol(said["table"])["repetitions"])
    rows = (row for row in _rows(said["table"]) if row.lam == lam)
    found = (_pair(row, said["first"], said["second"], n) for row in rows)
    return [pair for pair in found if pair]


def _agrees(said: dict[str, str], found: int) -> bool:
    count = int(said["count"])
    return found == count if said["relation"] == "exactly" else found >= count


def _claim_line(said: dict[str, str]) -> tuple[bool, str]:
    """Return whether Welch's test gives the paper's count, and the line of the table."""
    pairs = _pairs(said)
    found = sum(pair.verdict == said["claim"] for pair in pairs)
    agrees = _agrees(said, found)
    along = [pair for pair in pairs if pair.direction == said["claim"]]
    paired = [sum(pair.correlation < rho for pair in along) for rho in CORRELATIONS]
    least = "" if said["relation"] == "exactly" else ">= "
    entries = [
        said["table"],
        said["lambda"],
        f"{said['first']} {said['claim']} than {said['second']}",
        f"{least}{said['count']}",
        str(found),
        "yes" if agrees else "**no**",
        str(len(along)),
        *map(str, paired),
    ]
    return agrees, f"| {' | '.join(entries)} |\n"


def _claims() -> str:
    claims = publications.records("claims")
    lines = [_claim_line(said) for said in claims]
    agree = sum(agrees for agrees, _ in lines)
    total = f"\n{agree} of {len(lines)} counts agree, {len(lines) - agree} do not.\n"
    never = [text for said in claims if (text := _contradiction(said))]
    reason = f"\nOf these, {len(never)} follow under no correlations, set by set, at all:\n\n"
    return CLAIMS_HEAD + "".join(line for _, line in lines) + total + reason + "".join(never)


def _contradiction(said: dict[str, str]) -> str:
    """Return a line on a count that no correlations of a paired test give; nothing otherwise."""
    along = [pair for pair in _pairs(said) if pair.direction == said["claim"]]
    least = sum(pair.correlation < -1.0 for pair in along)
    most = sum(pair.correlation < 1.0 for pair in along)
    count = int(said["count"])
    if count <= most and (count >= least or said["relation"] != "exactly"):
        return ""
    lam = f", lambda {said['lambda']}" if said["lambda"] else ""
    claim = f"{said['first']} {said['claim']} than {said['second']}"
    return f"- {said['table']}{lam}: {claim} on {count}, possible are {least} to {most}\n"


def _named() -> str:
    """Return the claims that name their sets, compared set by set."""
    claims = [said for said in publications.records("claims") if said["datasets"]]
    text = NAMED_HEAD
    for (table, lam, first, second), group in groupby(
        claims, key=lambda said: (said["table"], said["lambda"], said["first"], said["second"])
    ):
        both = list(group)
        said = {name: one["claim"] for one in both for name in one["datasets"].split()}
        pairs = _pairs(both[0])
        wrong = [p for p in pairs if said.get(p.dataset, "neither") != p.verdict]
        where = f"{table}, lambda {lam}" if lam else table
        text += f"\n**{where}, {first} against {second}**: {len(pairs) - len(wrong)} agree, "
        text += f"{len(wrong)} disagree\n" + ("\n" if wrong else "")
        for p in wrong:
            text += f"- {p.dataset}: paper {said.get(p.dataset, 'neither')}, Welch {p.verdict} "
            text += f"(p {welch(*p.moments, p.n)[1] / 2.0:.3f}); needs rho > {p.correlation:.2f}\n"
    return text


def _misplaced_bold(row: _Row) -> str:
    """Return what is wrong with the bold number of a row, or nothing."""
    values = {name: cell.value for name, cell in row.cells.items() if cell.value is not None}
    lowest = min(values, key=values.__getitem__)
    lower = f"{lowest} ({values[lowest]:g})"
    bold = [name for name, cell in row.cells.items() if cell.mark == "best"]
    if not bold:
        return f"- {row.label}: no number is bold; the lowest is {lower}\n"
    if values[bold[0]] == values[lowest]:
        return ""
    return f"- {row.label}: bold {bold[0]} ({values[bold[0]]:g}), lower {lower}\n"


def _bold(table: str) -> str:
    lines = [_misplaced_bold(row) for row in _rows(table)]
    good = lines.count("")
    head = f"\n## Bold numbers of {table}\n\n{good} of {len(lines)} rows have the lowest in bold"
    return f"{head}; the others:\n\n{''.join(lines)}"


def _compared(table: str) -> dict[tuple[str, str], list[str]]:
    """Return the cells by mark and by Welch's test of the bold cell of their row against them."""
    found: dict[tuple[str, str], list[str]] = {}
    n = int(publications.protocol(table)["repetitions"])
    for row in _rows(table):
        best = [name for name, cell in row.cells.items() if cell.mark == "best"]
        for name, cell in row.cells.items():
            pair = _pair(row, best[0], name, n) if best and cell.mark != "best" else None
            if pair is not None:
                found.setdefault((cell.mark, pair.verdict), []).append(f"{row.label} {name}")
    return found


def _underlined() -> str:
    found = _compared("ks2019_table2")
    wrong = found[("not_worse", "better")]
    silent = found[("", "neither")] + found.get(("", "worse"), [])
    right = sum(map(len, found.values())) - len(wrong) - len(silent)
    return (
        "\n## Underlined numbers of ks2019_table2\n\n"
        "Underlined: not significantly worse than the bold one. Against Welch's test, cell by "
        f"cell: {right} agree, {len(wrong) + len(silent)} do not.\n\n"
        f"- {len(wrong)} underlined, yet worse by Welch: {'; '.join(wrong)}.\n"
        f"- {len(silent)} not underlined, yet not worse by Welch: {'; '.join(silent)}.\n"
    )


def _unmarked() -> str:
    found = {key[1]: len(cells) for key, cells in _compared("ks2019_table3").items()}
    return (
        "\n## Underlined numbers of ks2019_table3\n\n"
        "In the text every number that is not bold is underlined, so the marks say nothing. By "
        f"Welch's test {found['better']} of {sum(found.values())} cells are significantly worse "
        "than the bold one of their row.\n"
    )


def _ranks() -> str:
    cells = {cell.criterion: cell for cell in publications.load("fsm2007_text")}
    row = _Row(None, "eight UCI sets", cells)
    name = "rank of the best kernel by "
    pair = _pair(row, f"{name}FSM", f"{name}KTA", 8)
    t, p = welch(*pair.moments, pair.n) if pair is not None else (math.nan, math.nan)
    return (
        "\n## Ranks of fsm2007_text\n\n"
        "The paper: FSM ranks the best kernel closer to 1 than KTA (t-test, 95 %). Welch, 8 sets: "
        f"t = {t:.2f}, two-sided p = {p:.3f}.\n"
    )


def report() -> str:
    """Return the comparison of the papers' claims with Welch's test, in Markdown.

    Returns
    -------
    str
        The content of ``published/significance.md``.
    """
    bold = _bold("ks2019_table2") + _bold("ks2019_table3")
    return INTRODUCTION + _claims() + _named() + bold + _underlined() + _unmarked() + _ranks()


if __name__ == "__main__":
    print(report(), end="")
