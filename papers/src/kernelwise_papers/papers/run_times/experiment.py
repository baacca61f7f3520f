"""The experiment: every criterion alone, by the library and by hand, timed."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelwise.gram import Dense, Targets, Tiled
from kernelwise.gram.engines import DENSE_ROWS
from kernelwise.selection import score_kernels
from kernelwise_papers.experiment import Experiment, Job, Line
from kernelwise_papers.papers.run_times.by_hand import by_hand
from kernelwise_papers.papers.run_times.page import figure, page
from kernelwise_papers.papers.run_times.times import (
    BY_HAND,
    CRITERIA,
    KINDS,
    LIBRARY,
    OTHERS,
    OURS,
    all_times,
    mean,
    ratios,
)
from kernelwise_papers.papers.sm import SM_TABLE2
from kernelwise_papers.tables.split import KERNEL, Part, part_of, pick
from kernelwise_papers.timing import cpu_seconds

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def by_library(name: str, part: Part) -> int:
    """Return the position of the kernel that a criterion chooses, by the library."""
    # What engine="auto" takes, held to one thread.
    engine = Tiled(threads=1) if part.targets.n > DENSE_ROWS else Dense()
    result = score_kernels(
        part.X,
        part.targets.y,
        SM_TABLE2.kernels,
        SM_TABLE2.columns[name],
        engine=engine,
        task="classification",
        progress=False,
    )
    [values] = result.table.values()
    return pick(values, SM_TABLE2.columns[name])


_WAYS: Mapping[str, Callable[[str, Part], int]] = {BY_HAND: by_hand, LIBRARY: by_library}


def timed(kind: str, name: str, part: Part) -> tuple[float, int]:
    """Return the processor's seconds of a choice, and the position of the kernel chosen."""
    kernels: list[int] = []
    seconds = cpu_seconds(lambda: kernels.append(_WAYS[kind](name, part)))
    return seconds, kernels[0]


@cache
def _warm_up(rows: int) -> None:
    """Load what a first call loads, in this process."""
    rng = np.random.default_rng(0)
    targets = Targets.of(np.arange(rows) % 2, "classification")
    part = Part(rng.normal(size=(rows, 2)), targets, np.empty((0, 2)), targets)
    for kind in OURS:
        for name in CRITERIA:
            timed(kind, name, part)


class RunTimes(Experiment):
    """Table 3 of the SM paper."""

    key = "sm-table3"
    title = "SM 2017, Table 3: run time of choosing one of 31 Gaussian widths, ridge 1"
    takes_time = True

    @property
    def datasets(self) -> Sequence[str]:
        """The paper's."""
        return SM_TABLE2.datasets

    @property
    def repetitions(self) -> int:
        """As many as a median needs; the paper does not say what its times are of."""
        return 5

    def work(self, job: Job) -> list[dict[str, Any]]:
        """Return a line per way, of all criteria on one split."""
        part = part_of(SM_TABLE2, job)
        _warm_up(64 if part.targets.n <= DENSE_ROWS else DENSE_ROWS + 1)
        return [_line(kind, part) for kind in OURS]

    def summary(self, lines: Sequence[Line]) -> str:
        """Return the times relative to SM's, geometric means over the sets."""
        times = all_times(lines)
        rows = [f"{'time / time of SM':<20}" + "".join(f"{kind:>12}" for kind in KINDS)]
        for name in OTHERS:
            means = (mean(ratios(times[kind], name)) for kind in KINDS)
            rows.append(f"{name:<20}" + "".join(f"{mean:>12.3g}" for mean in means))
        return "\n".join(rows)

    def headline(self, lines: Sequence[Line]) -> str:
        """Return the times relative to SM's, in a line."""
        times = all_times(lines)
        cells = [
            f"{name} {' / '.join(f'{mean(ratios(times[kind], name)):.3g}' for kind in KINDS)}"
            for name in OTHERS
        ]
        return f"time / time of SM, {' / '.join(KINDS)}: {', '.join(cells)}"

    def page(self, lines: Sequence[Line]) -> str:
        """Return times relative to SM's, order, claims and seconds."""
        return page(self.key, self.title, lines)

    def figure(self, lines: Sequence[Line]) -> "Figure":
        """Draw the times relative to SM's against the rows, a panel a kind."""
        return figure(lines)


def _line(kind: str, part: Part) -> dict[str, Any]:
    line: dict[str, Any] = {"kind": kind, "rows": part.targets.n}
    for name in CRITERIA:
        seconds, kernel = timed(kind, name, part)
        line |= {name: f"{seconds:.5g}", KERNEL.format(name): kernel}
    return line
