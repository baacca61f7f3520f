"""All experiments by their keys, as the command line takes them."""

from kernelwise.experiments.experiment import Experiment
from kernelwise.experiments.leaderboard.experiment import Leaderboard
from kernelwise.experiments.papers.cost import Cost
from kernelwise.experiments.papers.curves import CURVES
from kernelwise.experiments.papers.fsm.real import FsmFigure3
from kernelwise.experiments.papers.fsm.synthetic import FsmFigure2
from kernelwise.experiments.papers.remarks.experiment import Remarks
from kernelwise.experiments.papers.run_times.experiment import RunTimes
from kernelwise.experiments.papers.sps import SPS_TABLE1
from kernelwise.experiments.papers.sps_figure1 import HighestAccuracies
from kernelwise.experiments.papers.tables import TABLES
from kernelwise.experiments.tables.run import TableRun

_ORDER = ("sm", "fsm", "er", "ks", "sps", "remarks", "leaderboard", "cost")


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
            Remarks(),
            Leaderboard(),
            Cost(),
        ],
        key=_place,
    )
}
