"""All experiments by their keys, as the command line takes them."""

from kernelwise.experiments.experiment import Experiment
from kernelwise.experiments.feature_space import FEATURE_SPACE
from kernelwise.experiments.leaderboard import LEADERBOARD
from kernelwise.experiments.remarks import Remarks
from kernelwise.experiments.run_times import RunTimes
from kernelwise.experiments.table_runs import TABLE_RUNS

EXPERIMENTS: dict[str, Experiment] = {
    each.key: each for each in (*TABLE_RUNS, LEADERBOARD, *FEATURE_SPACE, RunTimes(), Remarks())
}
