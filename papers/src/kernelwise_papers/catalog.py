"""All experiments by their keys, as the command line takes them."""

from kernelwise_papers.experiment import Experiment
from kernelwise_papers.leaderboard.experiment import Leaderboard
from kernelwise_papers.leaderboard.relative import Relative
from kernelwise_papers.papers.approximations import Approximations
from kernelwise_papers.papers.combinations import Combinations
from kernelwise_papers.papers.cost import Cost
from kernelwise_papers.papers.curves import CURVES
from kernelwise_papers.papers.digits.experiment import Digits
from kernelwise_papers.papers.fsm.real import FsmFigure3
from kernelwise_papers.papers.fsm.synthetic import FsmFigure2
from kernelwise_papers.papers.remarks.experiment import Remarks
from kernelwise_papers.papers.run_times.experiment import RunTimes
from kernelwise_papers.papers.sentences import Sentences
from kernelwise_papers.papers.sps import SPS_TABLE1
from kernelwise_papers.papers.sps_figure1 import HighestAccuracies
from kernelwise_papers.papers.tables import TABLES
from kernelwise_papers.papers.widths import Widths
from kernelwise_papers.tables.run import TableRun

_ORDER = (
    "sm",
    "fsm",
    "er",
    "ks",
    "sps",
    "digits",
    "remarks",
    "sentences",
    "widths",
    "approximations",
    "combinations",
    "leaderboard",
    "relative",
    "cost",
)


def _place(experiment: Experiment) -> tuple[int, bool, str]:
    """Return where an experiment stands: by paper, tables before figures."""
    paper, _, what = experiment.key.partition("-")
    return _ORDER.index(paper), what.startswith("figure"), what


EXPERIMENTS: dict[str, Experiment] = {
    each.key: each
    for each in sorted(
        [
            *map(TableRun, TABLES.values()),
            *CURVES,
            FsmFigure2(),
            FsmFigure3(),
            HighestAccuracies(SPS_TABLE1),
            RunTimes(),
            Digits(),
            Remarks(),
            Sentences(),
            Widths(),
            Approximations(),
            Combinations(),
            Leaderboard(),
            Relative(),
            Cost(),
        ],
        key=_place,
    )
}
