"""All experiments by their keys, as the command line takes them."""

from kernelwise.experiments.cost import Cost
from kernelwise.experiments.curves import CURVES
from kernelwise.experiments.experiment import Experiment
from kernelwise.experiments.feature_space import FEATURE_SPACE
from kernelwise.experiments.highest import HighestAccuracies
from kernelwise.experiments.leaderboard import LEADERBOARD
from kernelwise.experiments.remarks import Remarks
from kernelwise.experiments.run_times import RunTimes
from kernelwise.experiments.table_runs import TABLE_RUNS

_ORDER = ("sm", "fsm", "er", "ks", "sps", "remarks", "leaderboard", "cost")


def _place(experiment: Experiment) -> tuple[int, bool, str]:
    """Return where an experiment stands: by paper, tables before figures."""
    paper, _, what = experiment.key.partition("-")
    return _ORDER.index(paper), what.startswith("figure"), what


EXPERIMENTS: dict[str, Experiment] = {
    each.key: each
    for each in sorted(
        [
            *TABLE_RUNS,
            *CURVES,
            *FEATURE_SPACE,
            HighestAccuracies(),
            RunTimes(),
            Remarks(),
            LEADERBOARD,
            Cost(),
        ],
        key=_place,
    )
}
