"""Two remarks of the papers, checked.

SM 2017, Remark 1: the hinge form of the spectral measure is about as accurate as its power form,
which is much faster. SPS 2014, section 4.2: the moves of the eigenvalues of a kernel matrix when a
row is removed, of which the criterion is a sum, may be replaced by their first-order approximation.
The first stands in ``remark_hinge``, the other in ``remark_moves``; here they are one experiment.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kernelwise.experiments import remark_hinge, remark_moves, remark_parts
from kernelwise.experiments.experiment import Experiment, Job, Line
from kernelwise.experiments.page import made_from
from kernelwise.experiments.remark_hinge import (
    HINGE,
    POWER,
    Forms,
    draw_errors,
    draw_times,
    form_findings,
    form_lines,
    form_page,
)
from kernelwise.experiments.remark_moves import (
    SPS_SETS,
    SPS_SPLITS,
    curves_of,
    draw_picks,
    draw_sums,
    exact_moves,
    first_order_moves,
    move_findings,
    move_lines,
    move_page,
    sums,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "HINGE",
    "POWER",
    "Remarks",
    "curves_of",
    "exact_moves",
    "first_order_moves",
    "form_lines",
    "move_lines",
    "sums",
]

# The parts by the names that the tests know them by.
_SM_TABLE, _SPS_TABLE = remark_hinge.SM_TABLE, remark_moves.SPS_TABLE
_FORMS, _HINGES, _verdict = remark_hinge.FORMS, remark_hinge.HINGES, remark_parts.verdict
_FIELDS = ("part", "rows", "kernel", *remark_hinge.FIELDS, *remark_moves.FIELDS)
_TOO_LARGE = ("a1a", "a2a")  # the only sets of more than 1,000 rows


class Remarks(Experiment):
    """Both remarks: a line a form and split of the first, a line a width and split of the other."""

    key = "remarks"
    title = "Two remarks, checked: the hinge form of SM, the first-order form of SPS"

    @property
    def datasets(self) -> Sequence[str]:
        """Those of SM Table 2 up to 1,000 rows."""
        return [name for name in _SM_TABLE.datasets if name not in _TOO_LARGE]

    @property
    def repetitions(self) -> int:
        """Ours: the papers give no numbers."""
        return 10

    def work(self, job: Job) -> list[dict[str, Any]]:
        """Return the lines of both remarks on one split."""
        lines = form_lines(job)
        if job.dataset in SPS_SETS and job.repetition < SPS_SPLITS:
            lines += move_lines(job)
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
            *made_from(self.key, self.title),
            "![Errors and times of the two forms of SM; first-order sum over the exact one, and "
            f"errors of the two forms of SPS]({self.key}.svg)",
            "",
            *form_page(Forms.of(lines)),
            "",
            *move_page(curves_of(lines)),
        ]
        return "\n".join(parts) + "\n"

    def figure(self, lines: Sequence[Line]) -> "Figure":
        """Draw errors and times of the forms of SM, sums and errors of those of SPS."""
        from kernelwise.experiments.figures import panels

        forms, curves = Forms.of(lines), curves_of(lines)
        figure, axes = panels(4 if curves else 2)
        draw_errors(axes[0], forms)
        draw_times(axes[1], forms)
        if curves:
            draw_sums(axes[2], curves)
            draw_picks(axes[3], curves)
        return figure


def _plain_findings(lines: Sequence[Line]) -> list[str]:
    """Return what holds of both remarks, without marks."""
    findings = [*form_findings(Forms.of(lines)), *move_findings(curves_of(lines))]
    return [text.replace("**", "") for text in findings]
