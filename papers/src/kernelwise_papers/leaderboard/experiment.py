"""The leaderboard as an experiment: one job is one split."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from kernelwise_papers.experiment import Experiment, Job, Line
from kernelwise_papers.leaderboard.entrants import sets
from kernelwise_papers.leaderboard.lines import completed, missing, split_lines
from kernelwise_papers.leaderboard.page import page
from kernelwise_papers.leaderboard.panel import panels
from kernelwise_papers.leaderboard.ranks import is_beaten

if TYPE_CHECKING:
    from matplotlib.figure import Figure

REPETITIONS: Final = 10


class Leaderboard(Experiment):
    """All criteria and the usual strategies on all data sets."""

    key = "leaderboard"
    title = "Every criterion on every data set"

    @property
    def datasets(self) -> Sequence[str]:
        """The sets of all tables, each once."""
        return tuple(sets())

    @property
    def repetitions(self) -> int:
        """The number of splits."""
        return REPETITIONS

    def work(self, job: Job) -> list[dict[str, Any]]:
        """Return errors and times on one split."""
        return split_lines(job)

    def lacks(self, lines: Sequence[Line]) -> bool:
        """Say whether somebody has joined since."""
        return any(missing(line) for line in lines)

    def complete(self, job: Job, lines: Sequence[Line]) -> list[dict[str, Any]]:
        """Return the lines with those who have joined since."""
        return completed(job, lines)

    def summary(self, lines: Sequence[Line]) -> str:
        """Return where the default stands."""
        found = []
        if not panels(lines):
            return "Nothing to compare: no task has results on two data sets."
        for panel in panels(lines):
            contest = panel.contest
            ours, best = contest.row(contest.reference), contest.rows[0]
            beaten = "significantly worse" if is_beaten(contest) else "not significantly worse"
            found.append(
                f"{panel.title} ({contest.sets} sets): {ours.name} has rank {ours.rank:.1f}, place "
                f"{contest.place(ours.name)} of {len(contest.names)}; best {best.name} "
                f"({best.rank:.1f}); {beaten}."
            )
        return "\n".join(found)

    def page(self, lines: Sequence[Line]) -> str:
        """Return protocol, verdict, figure and a table per task and setting."""
        return page(self.key, self.title, lines)

    def figure(self, lines: Sequence[Line]) -> "Figure":
        """Draw a critical-difference diagram per task and setting."""
        from kernelwise_papers.leaderboard.figure import diagram

        return diagram({panel.title: panel.contest for panel in panels(lines)})
