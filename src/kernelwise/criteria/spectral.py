"""The spectral measure and its two special cases, mean discrepancy and normalised cut."""

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from kernelwise._sklearn import Interval, StrOptions
from kernelwise._types import Array
from kernelwise._undefined import Undefined
from kernelwise.criteria.base import CLASSES_ONLY, LOST, MATCH, Criterion, Needs, mean_over_pairs
from kernelwise.criteria.evidence import Contrast, Evidence
from kernelwise.criteria.feature_space import squared_mean_distance
from kernelwise.criteria.parameters import check_fields
from kernelwise.gram import GramStatistics, Need, Powers

_REFERENCE = "Li et al. 2017"
_HIGHEST = 16  # power: beyond, all kernels but the widest have values near zero
_FORM: dict[str, list[Any]] = {
    "normalizer": [StrOptions({"trace", "sum"})],
    "weighted": ["boolean"],
}


def _normalizer(stats: GramStatistics, kind: str) -> float:
    """Return tr(K) or the sum of K, or say that dividing by it makes no sense."""
    if kind == "trace":
        if stats.trace <= 0.0:
            raise Undefined("the trace of the kernel matrix is not positive")
        return stats.trace
    return _nonzero(stats.total, stats.n, stats)


def _nonzero(total: float, rows: float, stats: GramStatistics) -> float:
    """Return the sum of K over some rows and columns; zero but for rounding is refused."""
    # |sum K| <= rows |K|_F: below the rounding error of that the entries cancel.
    if abs(total) <= 4.0 * np.finfo(float).eps * rows * stats.frobenius:
        raise Undefined("the entries of the kernel matrix sum to zero")
    return total


@dataclass(frozen=True)
class SM(Criterion):
    r"""How closely the similarity of rows follows the classes or the target (spectral measure).

    .. math:: \frac1n \bar y^\top N^r \bar y, \quad
        \bar y_+ = n / n_+, \; \bar y_- = -n / n_-, \quad N = K / \mathrm{tr}\, K

    With ``normalizer="sum"`` :math:`N = K / \sum_{ij} K_{ij}`, the form that the paper prints; it
    cannot tell the identity from the ideal block matrix and does not give the published numbers.
    Regression takes the centred target for :math:`\bar y`; with more than two classes the mean over
    one-vs-rest targets. Where rows have weights, :math:`\bar y` is multiplied by them over their
    mean in the class; weights of whole classes cancel, since every class counts equally already.

    Parameters
    ----------
    r : float, default=3
        The power, from 1 to 16. Integers cost :math:`\lfloor (r - 1) / 2 \rfloor` products with K
        after the first sweep, other powers an eigendecomposition.
    normalizer : {"trace", "sum"}, default="trace"
    weighted : bool, default=True
        Whether classes are weighted as above; the labels ±1 otherwise.

    References
    ----------
    J. Li, Y. Liu, H. Lin, Y. Yue and W. Wang, Efficient kernel selection via spectral analysis,
    IJCAI 2017, eq. 1.
    """

    r: float = 3
    normalizer: str = "trace"
    weighted: bool = True

    name: ClassVar[str] = "sm"
    judges: ClassVar[str] = MATCH
    greater_is_better: ClassVar[bool | None] = True
    needs: ClassVar[Needs] = frozenset({Need.STATISTICS, Powers(2, True)})
    formula: ClassVar[str] = "ybar' N^r ybar / n, N = K / tr K"
    reference: ClassVar[str] = _REFERENCE

    def __post_init__(self) -> None:
        check_fields(self, r=[Interval(Real, 1.0, _HIGHEST, closed="both")], **_FORM)
        if self.r == int(self.r):
            products = Powers((int(self.r) + 1) // 2, self.weighted)
            self._specialize(needs=frozenset({Need.STATISTICS, products}))
        else:
            self._specialize(needs=frozenset({Need.STATISTICS, Need.SPECTRUM}))

    def value(self, evidence: Evidence, ridge: float) -> float:
        """Return the mean over targets."""
        scale = _normalizer(evidence.statistics, self.normalizer)
        if Need.SPECTRUM not in self.needs:
            return _by_products(evidence, self.weighted, int(self.r), scale)
        eigenvalues, squares = _spectrum(evidence, self.weighted, scale)
        return float(eigenvalues ** float(self.r) @ squares) / evidence.n


def _by_products(evidence: Evidence, weighted: bool, r: int, scale: float) -> float:
    """Return the mean of y' N^r y / n as (N^a y)'(N^b y), a + b = r."""
    if r == 1:
        forms = [_form(c, evidence.statistics.precision) for c in evidence.contrasts(weighted)]
        return float(np.mean(forms)) / scale / evidence.n
    if evidence.statistics.frobenius == 0.0:
        raise Undefined("the kernel matrix is zero")
    left, right = evidence.powers(weighted, r // 2), evidence.powers(weighted, r - r // 2)
    mean = float(np.mean(np.sum(left * right, axis=0))) / evidence.n
    return mean * (evidence.statistics.frobenius / scale) ** r  # powers are those of K / |K|_F


def _form(contrast: Contrast, precision: float) -> float:
    """Return y' K y, unless it is lost to the rounding errors of K's entries."""
    form = contrast.quadratic_form
    if 0.0 < abs(form) < LOST * precision * float(np.abs(contrast.y).sum()) ** 2:
        raise Undefined(
            "the difference between the classes is lost to rounding, so centre the data"
        )
    return form


def _spectrum(evidence: Evidence, weighted: bool, scale: float) -> tuple[Array, Array]:
    """Return the eigenvalues of N and the squared coordinates of y, their mean over targets."""
    spectrum = evidence.spectrum
    if not evidence.is_psd:
        raise Undefined("the kernel matrix has negative eigenvalues")
    Y = np.column_stack([contrast.y for contrast in evidence.contrasts(weighted)])
    return spectrum.values / scale, np.mean((spectrum.vectors.T @ Y) ** 2, axis=1)


@dataclass(frozen=True)
class SMHinge(Criterion):
    r"""The spectral measure, with the weak directions of the kernel left out (hinge form).

    .. math:: \frac1n \sum_j \varphi(\lambda_j) \langle \bar y, v_j \rangle^2, \quad
        \varphi(\lambda) = \lambda \,[\lambda > h]

    over the eigenpairs of :math:`N = K / \mathrm{tr}\, K`. h = 0 is :class:`SM` with r = 1.
    Eigenvectors carry the rounding error of the largest eigenvalue; for very wide kernels, whose
    other eigenvalues are tiny, only the first digits are correct.

    Parameters
    ----------
    h : float, default=0.01
        The threshold, between 0 and 1: eigenvalues of N are shares of its trace.
    normalizer : {"trace", "sum"}, default="trace"
    weighted : bool, default=True

    References
    ----------
    J. Li et al., Efficient kernel selection via spectral analysis, IJCAI 2017, section 3.1.
    """

    h: float = 0.01
    normalizer: str = "trace"
    weighted: bool = True

    name: ClassVar[str] = "sm_hinge"
    judges: ClassVar[str] = MATCH
    greater_is_better: ClassVar[bool | None] = True
    needs: ClassVar[Needs] = frozenset({Need.STATISTICS, Need.SPECTRUM})
    formula: ClassVar[str] = "sum_j l_j [l_j > h] <ybar, v_j>^2 / n, N = K / tr K"
    reference: ClassVar[str] = _REFERENCE

    def __post_init__(self) -> None:
        check_fields(self, h=[Interval(Real, 0.0, None, closed="left")], **_FORM)

    def value(self, evidence: Evidence, ridge: float) -> float:
        """Return the mean over targets."""
        scale = _normalizer(evidence.statistics, self.normalizer)
        eigenvalues, squares = _spectrum(evidence, self.weighted, scale)
        kept = eigenvalues > float(self.h)
        return float(eigenvalues[kept] @ squares[kept]) / evidence.n


@dataclass(frozen=True)
class MD(Criterion):
    r"""Distance of the class means, as the kernel sees it (mean discrepancy).

    .. math:: |\phi_+ - \phi_-|

    :math:`\mathrm{SM}(r = 1) = n\, \mathrm{MD}^2 /` normaliser (the paper prints MD for its
    square). With more than two classes the mean over pairs; undefined for regression.

    References
    ----------
    A. Gretton et al., A kernel method for the two-sample problem, NIPS 2007; J. Li et al., IJCAI
    2017, section 4.
    """

    name: ClassVar[str] = "md"
    judges: ClassVar[str] = MATCH
    greater_is_better: ClassVar[bool | None] = True
    needs: ClassVar[Needs] = frozenset({Need.STATISTICS})
    formula: ClassVar[str] = "|phi+ - phi-|"
    reference: ClassVar[str] = "Gretton et al. 2007"
    tasks: ClassVar[frozenset[str]] = CLASSES_ONLY

    def value(self, evidence: Evidence, ridge: float) -> float:
        """Return the mean over class pairs."""
        return mean_over_pairs(_mean_distance, evidence.statistics)


def _mean_distance(stats: GramStatistics, p: int, q: int) -> float:
    return math.sqrt(squared_mean_distance(stats, p, q))


@dataclass(frozen=True)
class Ncut(Criterion):
    r"""How similar rows of different classes are (normalised cut).

    .. math:: 1 - \frac{y^\top K y}{y^\top D y}, \quad D = \mathrm{diag}(K 1)

    Equal to :math:`1 - n\,\mathrm{SM}` with r = 1, sum normaliser and labels ±1. With more than two
    classes the mean over pairs, each on its own rows. Undefined where the entries of K sum to zero
    (a linear kernel on centred data) and for regression.

    References
    ----------
    J. Shi and J. Malik, Normalized cuts and image segmentation, IEEE PAMI 22 (2000); J. Li et al.,
    IJCAI 2017, section 4.
    """

    name: ClassVar[str] = "ncut"
    judges: ClassVar[str] = MATCH
    greater_is_better: ClassVar[bool | None] = False
    needs: ClassVar[Needs] = frozenset({Need.STATISTICS})
    formula: ClassVar[str] = "1 - y'Ky / y'Dy, D = diag(K1)"
    reference: ClassVar[str] = "Shi and Malik 2000"
    tasks: ClassVar[frozenset[str]] = CLASSES_ONLY

    def value(self, evidence: Evidence, ridge: float) -> float:
        """Return the mean over class pairs."""
        return mean_over_pairs(_cut, evidence.statistics)


def _cut(stats: GramStatistics, p: int, q: int) -> float:
    """Return 2 links between / all links: 1 - (same - between) / (same + between)."""
    B = stats.kernel_block_sums
    between = B[p, q] + B[q, p]
    degree = B[p, p] + B[q, q] + between
    size = float(stats.targets.counts[[p, q]].sum())
    return float(2.0 * between / _nonzero(degree, size, stats))
