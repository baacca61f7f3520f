"""Figures of a selection, as scikit-learn's display objects; they need matplotlib.

Every display keeps the numbers it shows, draws them with ``plot(ax=None)`` and then has
``figure_``, ``ax_`` and its artists; the class methods ``from_...`` compute the numbers and draw::

    result ────> CriterionCurveDisplay   the criteria over the width or degree
             └─> RankHeatmapDisplay      the ranks, criteria by kernels
    kernel, X ─> SpectrumDisplay         the eigenvalues, and the ridge among them
             └─> KernelMatrixDisplay     the matrix, ordered by the target
    fitted ────> LooResidualsDisplay     what leave-one-out says of every row
             ├─> DecisionRegionDisplay   the regions of two features
             ├─> RelevanceDisplay        the features that it uses
             └─> WeightPathDisplay       the weights of views, penalty by penalty

Drawing on the user's axes (``ax=...``) leaves the rest of the figure alone. This package imports
selection and what lies below it; matplotlib is imported when something is drawn.
"""

from kernelwise.report.figures.curves import CriterionCurveDisplay
from kernelwise.report.figures.features import RelevanceDisplay
from kernelwise.report.figures.matrix import KernelMatrixDisplay
from kernelwise.report.figures.ranks import RankHeatmapDisplay
from kernelwise.report.figures.regions import DecisionRegionDisplay
from kernelwise.report.figures.residuals import LooResidualsDisplay
from kernelwise.report.figures.spectrum import SpectrumDisplay
from kernelwise.report.figures.weights import WeightPathDisplay

__all__ = [
    "CriterionCurveDisplay",
    "DecisionRegionDisplay",
    "KernelMatrixDisplay",
    "LooResidualsDisplay",
    "RankHeatmapDisplay",
    "RelevanceDisplay",
    "SpectrumDisplay",
    "WeightPathDisplay",
]
