"""What the parameters of criteria may be, and powers of the spectral measure beyond the usual."""

import warnings

import mpmath
import numpy as np
import pytest

import kernelwise as kw
from helpers import rounding
from inside import UndefinedCriterionWarning
from kernelwise import criteria as c

HOSTILE = [np.nan, -np.inf, -1, "a", None, [1], np.array([1.0, 2.0]), object(), float]


def parameters():
    """Return every parameter of every criterion."""
    return [(info.name, name) for info in c.available() for name in info.parameters]


@pytest.mark.parametrize(("criterion", "parameter"), parameters())
def test_a_hostile_parameter_is_refused_by_name_or_taken(criterion, parameter):
    """Also by a field that takes nearly anything, such as the folds of a list."""
    for value in HOSTILE:
        try:
            made = c.get(criterion, **{parameter: value})
        except (ValueError, TypeError) as error:
            assert parameter in str(error)
        else:
            assert made.label.startswith(criterion)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: c.SMHinge(h=np.inf), "'h' parameter of SMHinge"),
        (lambda: c.SMHinge(h=np.nan), "'h' parameter of SMHinge"),
        (lambda: c.SM(weighted=np.array([1, 2])), "'weighted' parameter of SM"),
        (lambda: c.KFold(repeats=10**9), "'repeats' parameter of KFold"),
        (lambda: c.KFold(random_state=2**40), "'random_state' parameter of KFold"),
        (lambda: c.BIF(order=10**9), "'order' parameter of BIF"),
        (lambda: c.get(10 ** np.arange(9)), "a criterion must be a name or a Criterion, got arr"),
        (lambda: c.get("sm" * 1000), r"unknown criterion 'smsm[sm]*\.\.\."),
    ],
)
def test_refusals(make, message):
    with pytest.raises((ValueError, TypeError), match=message):
        make()


def spectral_measure(K, codes, r):
    """Return ybar' (K / tr K)^r ybar / n in extended precision."""
    counts = np.bincount(codes)
    n = len(codes)
    with mpmath.workdps(60):
        y = mpmath.matrix(
            [(2 * int(code) - 1) * mpmath.mpf(n) / int(counts[code]) for code in codes]
        )
        N = mpmath.matrix(K.tolist())
        N /= sum(N[i, i] for i in range(n))
        return (y.T * N**r * y)[0] / n


def magnified(K, codes, r):
    r"""Return by how much that measure magnifies a relative change of K.

    A change E of N = K / tr K changes y' N^r y by the sum of y' N^i E N^(r-1-i) y, i < r: at most
    by |E| times that of \|N^i y\| \|N^(r-1-i) y\|.
    """
    counts = np.bincount(codes)
    y = np.where(codes == 1, 1.0, -1.0) * len(codes) / counts[codes]
    N = K / np.trace(K)
    powers = [y]
    for _ in range(r):
        powers.append(N @ powers[-1])
    norms = np.linalg.norm(powers, axis=1)
    return np.linalg.norm(N, 2) * (norms[:r] @ norms[:r][::-1]) / abs(y @ powers[r])


class TestHighPowers:
    X = np.random.default_rng(0).normal(size=(12, 2))
    y = np.repeat([0, 1], [5, 7])

    @pytest.mark.parametrize("engine", ["dense", "tiled"])
    @pytest.mark.parametrize("r", [5, 15, 16])
    @pytest.mark.parametrize("kernel", [kw.Gaussian(4.0), kw.Gaussian(1e3), kw.Linear()], ids=str)
    def test_the_value_is_right(self, kernel, r, engine):
        value = kw.score_kernels(self.X, self.y, kernel, c.SM(r=r), engine=engine).table["sm"][0]
        expected = spectral_measure(kernel(self.X), self.y, r)
        assert abs(value / expected - 1) < rounding(12, magnified(kernel(self.X), self.y, r))

    def test_a_zero_matrix_is_undefined(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedCriterionWarning)
            for r in (1, 2, 3, 16, 1.5):
                assert np.isnan(kw.score_matrix(np.zeros((4, 4)), [0, 0, 1, 1], c.SM(r=r))["sm"])
