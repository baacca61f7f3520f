"""What the papers mention beside their main criteria, and a criterion of our own.

Each has a file of its own. Criteria are subclasses of :class:`kernelwise.criteria.Criterion`, found
by their names once this package is imported. The others are functions of a kernel matrix and a
target.
"""

from kernelwise_papers.criteria.exact_perturbation import sps_exact
from kernelwise_papers.criteria.fold_variance import CVVariance
from kernelwise_papers.criteria.minimax import minimax_error
from kernelwise_papers.criteria.relative_stability import RelativeRKS

__all__ = ["CVVariance", "RelativeRKS", "minimax_error", "sps_exact"]
