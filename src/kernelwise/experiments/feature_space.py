"""The figures of the FSM paper: two classes at an angle, and four kernels on eight data sets.

Both set the cross-validation error of a support vector machine beside 1 - KTA and FSMerr. What they
share stands in ``fsm_measures``, Figure 2 in ``fsm_angles`` and ``fsm_synthetic``, Figure 3 in
``fsm_sets``, ``fsm_grid`` and ``fsm_real``; their parts can be had from here, too.

References
----------
C. H. Nguyen and T. B. Ho, Kernel matrix evaluation, IJCAI 2007, Sections 4.1 and 4.2.
"""

from kernelwise.criteria import FSMError
from kernelwise.experiments.experiment import Experiment
from kernelwise.experiments.fsm_angles import ANGLES, READINGS, limits, synthetic
from kernelwise.experiments.fsm_grid import Grid, RankTest, figure3_verdicts
from kernelwise.experiments.fsm_measures import MEASURES
from kernelwise.experiments.fsm_real import FsmFigure3
from kernelwise.experiments.fsm_sets import KERNELS, load, scaled
from kernelwise.experiments.fsm_synthetic import Curves, FsmFigure2, figure2_verdicts

__all__ = [
    "ANGLES",
    "FEATURE_SPACE",
    "KERNELS",
    "MEASURES",
    "READINGS",
    "Curves",
    "FSMError",
    "FsmFigure2",
    "FsmFigure3",
    "Grid",
    "RankTest",
    "figure2_verdicts",
    "figure3_verdicts",
    "limits",
    "load",
    "scaled",
    "synthetic",
]

FEATURE_SPACE: list[Experiment] = [FsmFigure2(), FsmFigure3()]
