"""Kernels and grids at the edges of what they take: no warning, no internal error."""

import inspect

import numpy as np
import pytest
import scipy.sparse as sp

import kernelwise as kw
from inside import Function, Multiple, Pairs, Product, Sum, as_rows, available
from kernelwise import grids

HOSTILE = [np.nan, np.inf, -1, 0, "a", None, [1], 1j, np.array([1.0, 2.0]), object(), float]
EXTREME = [1e-50, 1e50, 1.0 / 3.0, np.float32(2.0)]


def parameters():
    """Return every parameter of every kernel of ours."""
    return [
        (kind, name)
        for kind in available().values()
        if kind.__module__.startswith("kernelwise")
        for name in inspect.signature(kind).parameters
    ]


NO_NUMBERS = ("parts", "part", "kernel", "function", "name")


def made(kind, **given):
    defaults = {
        Multiple: {"part": kw.Linear(), "factor": 2.0},
        kw.Scaled: {"weights": [1.0, 2.0], "kernel": kw.Gaussian(1.0)},
        kw.Columns: {"columns": [0], "kernel": kw.Gaussian(1.0)},
        Function: {"function": np.dot},
    }.get(kind, {})
    return kind(**{**defaults, **given})


@pytest.mark.parametrize(("kind", "parameter"), parameters())
def test_a_hostile_parameter_is_refused_by_name_or_taken(kind, parameter):
    for value in HOSTILE:
        try:
            kernel = made(kind, **{parameter: value})
        except (ValueError, TypeError) as error:
            assert parameter in str(error)
        else:
            assert isinstance(hash(kernel), int) and repr(kernel)


@pytest.mark.parametrize(
    ("kind", "parameter"),
    [pair for pair in parameters() if pair[1] not in NO_NUMBERS],
)
@pytest.mark.parametrize("scale", [0.0, 1e-50, 1.0, 1e50])
def test_extreme_parameters_on_extreme_data(kind, parameter, scale):
    """No RuntimeWarning (an error in these tests) inside what is accepted."""
    X = scale * np.random.default_rng(0).uniform(-1.0, 1.0, (5, 2))
    for value in EXTREME:
        try:
            kernel = made(kind, **{parameter: value})
        except ValueError:
            continue  # a degree or a smoothness that there is not
        K = kernel(X)
        assert K.shape == (5, 5) and kernel(X[:1], X).shape == (1, 5)
        assert kernel.diag(X).shape == (5,) and kernel.deviations(Pairs(X)).shape == (5, 5)
        assert kernel.roughness >= 0.0 and kernel.is_psd in (True, False, None)
        if kernel.inverse_widths:
            assert np.all((K >= 0.0) & (K <= 1.0))
            np.testing.assert_array_equal(K.diagonal(), 1.0)


def test_combinations_that_overflow_do_not_warn():
    X = np.array([[1e40], [-2e40], [3e40]])
    huge = kw.Polynomial(6)
    for kernel in (1e300 * kw.Linear(), huge + huge, huge * kw.Gaussian(1.0), huge * huge):
        assert kernel(X).shape == kernel.deviations(Pairs(X)).shape == (3, 3)
        assert kernel.diag(X).shape == (3,)
    assert np.isinf((kw.Polynomial(2, 1e200) * huge).origin)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: 1e300 * (1e300 * kw.Linear()), "factor of Multiple must be positive .* got inf"),
        (lambda: kw.Gaussian.from_gamma(np.inf), "'gamma' parameter"),
        (lambda: kw.Gaussian.from_gamma(1e-310), "tau of Gaussian must be positive .* got inf"),
        (lambda: kw.Polynomial(10**9), "'degree' parameter of Polynomial"),
        (lambda: Sum("ab"), "parts of Sum must be a tuple of kernels, got 'ab'"),
        (lambda: Sum(()), r"parts of Sum must be a tuple of kernels, got \(\)"),
        (lambda: Product((kw.Linear(), 1)), "parts of Product must hold kernels .* got 1"),
        (lambda: Multiple(2.0, "linear"), "part of Multiple must hold kernels .* got 'linear'"),
        (lambda: grids.gaussian("a", 3), "'(lo|hi)' parameter"),
        (lambda: grids.gaussian(0, 1024), "'(lo|hi)' parameter"),
        (lambda: grids.gaussian(-1000, 3), "'(lo|hi)' parameter"),
        (lambda: grids.gaussian_gamma(1030, 1030), "'(lo|hi)' parameter"),
        (lambda: grids.laplacian(0.5, 2), "'(lo|hi)' parameter"),
        (lambda: grids.matern(None, 2), "'(lo|hi)' parameter"),
        (lambda: grids.matern(0, 1, "a"), "'nu' parameter of Matern"),
        (lambda: grids.polynomial(1, 10**9), "'(lo|hi)' parameter"),
        (lambda: grids.polynomial(5, 2), "hi must not be below lo, got lo=5 and hi=2"),
        (lambda: grids.libsvm("a"), "'n_features' parameter of libsvm"),
        (lambda: grids.libsvm(2.5), "'n_features' parameter of libsvm"),
        (lambda: as_rows([[1e51]]), "X has entries beyond 1e.50: standardise"),
    ],
)
def test_refusals(make, message):
    with pytest.raises((ValueError, TypeError), match=message):
        make()


def test_the_widest_and_the_narrowest_grids():
    assert grids.gaussian(-996, -996)[0].tau == 2.0**-996
    assert grids.gaussian(1023, 1023)[0].tau == 2.0**1023
    assert grids.gaussian_gamma(995, 995)[0].tau == 2.0**-996
    assert grids.gaussian_gamma(-1024, -1024)[0].tau == 2.0**1023
    assert len(grids.gaussian(np.int8(126), np.int8(127))) == 2


class TestPolynomialsOfHighDegree:
    @pytest.mark.parametrize("degree", [1, 2, 3, 7, 8, 100, 10_000])
    def test_deviations_are_the_difference(self, degree):
        X = np.random.default_rng(0).normal(size=(4, 2)) / degree
        kernel = kw.Polynomial(degree)
        difference = np.expm1(degree * np.log1p(X @ X.T))
        np.testing.assert_allclose(kernel.deviations(Pairs(X)), difference, rtol=1e-11)

    def test_deviations_of_a_negative_constant(self):
        X = np.random.default_rng(0).normal(size=(6, 2))
        for degree in range(1, 12):
            kernel = kw.Polynomial(degree, -0.7)
            expected = (X @ X.T - 0.7) ** degree - (-0.7) ** degree
            np.testing.assert_allclose(kernel.deviations(Pairs(X)), expected, rtol=1e-9, atol=1e-12)


def test_layouts_and_types_do_not_matter():
    """Read-only, Fortran, float32, integer and sparse rows are the same rows."""
    X = np.random.default_rng(0).integers(-3, 4, (6, 3)).astype(float)
    locked = X.copy()
    locked.flags.writeable = False
    same = [locked, np.asfortranarray(X), X.astype(np.float32), X.astype(np.int8), X[::-1][::-1]]
    for kernel in (kw.Gaussian(2.0), kw.Laplacian(), kw.Matern(), kw.Linear(), kw.Sigmoid()):
        for rows in same:
            np.testing.assert_array_equal(kernel(rows), kernel(X))
        np.testing.assert_allclose(kernel(sp.csr_array(X)), kernel(X), rtol=1e-12, atol=1e-12)
