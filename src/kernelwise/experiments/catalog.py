"""All experiments by their keys, as the command line takes them."""

from kernelwise.experiments.experiment import Experiment
from kernelwise.experiments.table_runs import TABLE_RUNS

EXPERIMENTS: dict[str, Experiment] = {each.key: each for each in TABLE_RUNS}
