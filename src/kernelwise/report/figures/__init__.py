"""Figures of a selection, as scikit-learn's display objects; they need matplotlib.

Every display keeps the numbers it shows, draws them with ``plot(ax=None)`` and then has
``figure_``, ``ax_`` and its artists; the class methods ``from_...`` compute the numbers and draw::

    result, fitted selector ──> CriterionCurveDisplay   the criteria over the width or degree
    kernel and X, machine ────> SpectrumDisplay         the eigenvalues, and the ridge among them

Drawing on the user's axes (``ax=...``) leaves the rest of the figure alone. This package imports
selection and what lies below it; matplotlib is imported when something is drawn.
"""

from kernelwise.report.figures.curve import CriterionCurveDisplay
from kernelwise.report.figures.spectrum import SpectrumDisplay

__all__ = ["CriterionCurveDisplay", "SpectrumDisplay"]
