"""Both remarks as one experiment."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kernelwise_papers.experiment import Experiment, Job, Line
from kernelwise_papers.papers.remarks import hinge, moves
from kernelwise_papers.papers.remarks.hinge import SM_TABLE, Forms

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_FIELDS = ("part", "rows", "kernel", *hinge.FIELDS, *moves.FIELDS)
_TOO_LARGE = ("a1a", "a2a")  # the only sets of more than 1,000 rows


class Remarks(Experiment):
    """Both remarks: a line a form and split of the first, a line a width and split of the other."""

    key = "remarks"
    title = "Two remarks, checked: the hinge form of SM, the first-order form of SPS"

    @property
    def datasets(self) -> Sequence[str]:
        """Those of SM Table 2 up to 1,000 rows."""
        return [name for name in SM_TABLE.datasets if name not in _TOO_LARGE]

    @property
    def repetitions(self) -> int:
        """Ours: the papers give no numbers."""
        return 10

    def work(self, job: Job) -> list[dict[str, Any]]:
        """Return the lines of both remarks on one split."""
        lines = hinge.form_lines(job)
        if job.dataset in moves.SPS_SETS and job.repetition < moves.SPS_SPLITS:
            lines += moves.move_lines(job)
        return [dict.fromkeys(_FIELDS, "") | line for line in lines]

    def summary(self, lines: Sequence[Line]) -> str:
        """Return how the forms differ."""
        return "\n".join(_plain_findings(lines))

    def headline(self, lines: Sequence[Line]) -> str:
        """Return the verdicts alone, in a line."""
        return "; ".join(text.split(":")[0].rstrip(".") for text in _plain_findings(lines))

    def page(self, lines: Sequence[Line]) -> str:
        """Return both remarks with what holds of them."""
        parts = [
            "![Errors and times of the two forms of SM; first-order sum over the exact one, and "
            f"errors of the two forms of SPS]({self.key}.svg)",
            "",
            *hinge.form_page(Forms.of(lines)),
            "",
            *moves.move_page(moves.curves_of(lines)),
        ]
        return "\n".join(parts) + "\n"

    def figure(self, lines: Sequence[Line]) -> "Figure":
        """Draw errors and times of the forms of SM, sums and errors of those of SPS."""
        from kernelwise_papers.figures import panels

        forms, curves = Forms.of(lines), moves.curves_of(lines)
        figure, axes = panels(4 if curves else 2)
        hinge.draw_errors(axes[0], forms)
        hinge.draw_times(axes[1], forms)
        if curves:
            moves.draw_sums(axes[2], curves)
            moves.draw_picks(axes[3], curves)
        return figure


def _plain_findings(lines: Sequence[Line]) -> list[str]:
    """Return what holds of both remarks, without marks."""
    findings = [*hinge.form_findings(Forms.of(lines)), *moves.move_findings(moves.curves_of(lines))]
    return [text.replace("**", "") for text in findings]
