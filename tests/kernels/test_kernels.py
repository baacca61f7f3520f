"""Kernels against their formulas, scikit-learn's, and their own limits."""

import functools
import itertools

import mpmath
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.gaussian_process.kernels import Matern as GPMatern
from sklearn.metrics.pairwise import laplacian_kernel, polynomial_kernel, rbf_kernel, sigmoid_kernel
from sklearn.svm import SVC

import kernelwise as kw
import oracles
from helpers import points
from inside import Kernel, Pairs, squared_distances


def name_of(value):
    """Name a test by its kernel: a function's name has its address, which is another every time."""
    return str(value) if isinstance(value, Kernel) else None


PAIRS = [
    (kw.Gaussian(1.7), functools.partial(oracles.gaussian, tau=1.7)),
    (kw.Laplacian(2.5), functools.partial(oracles.laplacian, scale=2.5)),
    (kw.Matern(1.3, 0.5), functools.partial(oracles.matern, scale=1.3, nu=0.5)),
    (kw.Matern(1.3, 1.5), functools.partial(oracles.matern, scale=1.3, nu=1.5)),
    (kw.Matern(1.3, 2.5), functools.partial(oracles.matern, scale=1.3, nu=2.5)),
    (
        kw.Polynomial(4, 0.5, 2.0),
        functools.partial(oracles.polynomial, degree=4, coef0=0.5, gamma=2.0),
    ),
    (kw.Linear(), oracles.dot),
    (kw.Sigmoid(0.3, -0.2), functools.partial(oracles.sigmoid, gamma=0.3, coef0=-0.2)),
]


@pytest.mark.parametrize(("kernel", "oracle"), PAIRS, ids=name_of)
@given(X=points())
def test_entry_by_entry(kernel, oracle, X):
    expected = np.array(oracles.matrix(oracle, X.tolist()))
    np.testing.assert_allclose(kernel(X), expected, rtol=1e-11, atol=1e-14)


@pytest.mark.parametrize(
    ("kernel", "theirs"),
    [
        (kw.Gaussian.from_gamma(0.3), lambda X: rbf_kernel(X, gamma=0.3)),
        (kw.Laplacian(4.0), lambda X: laplacian_kernel(X, gamma=0.25)),
        (kw.Matern(0.7, 0.5), GPMatern(0.7, nu=0.5)),
        (kw.Matern(0.7, 1.5), GPMatern(0.7, nu=1.5)),
        (kw.Matern(0.7, 2.5), GPMatern(0.7, nu=2.5)),
        (
            kw.Polynomial(3, 2.0, 0.5),
            lambda X: polynomial_kernel(X, degree=3, gamma=0.5, coef0=2.0),
        ),
        (kw.Sigmoid(0.1, 1.0), lambda X: sigmoid_kernel(X, gamma=0.1, coef0=1.0)),
    ],
    ids=name_of,
)
def test_scikit_learn_agrees(rng, kernel, theirs):
    X = rng.normal(size=(30, 5))
    np.testing.assert_allclose(kernel(X), theirs(X), rtol=1e-10, atol=1e-13)


def test_special_cases_coincide(rng):
    X = rng.normal(size=(12, 1))
    np.testing.assert_allclose(kw.Laplacian(2.0)(X), kw.Matern(2.0, 0.5)(X), rtol=1e-12)
    X = rng.normal(size=(12, 3))
    np.testing.assert_allclose(kw.Polynomial(1, 0.0)(X), kw.Linear()(X), rtol=1e-12)
    product = (kw.Gaussian(1.0) * kw.Gaussian(3.0))(X)
    np.testing.assert_allclose(product, kw.Gaussian(0.75)(X), rtol=1e-11)
    np.testing.assert_allclose((kw.Linear() + kw.Linear())(X), (2.0 * kw.Linear())(X))


WIDE = [
    (kw.Gaussian(1e9), functools.partial(oracles.gaussian, tau=mpmath.mpf(1e9), m=mpmath)),
    (kw.Laplacian(1e8), functools.partial(oracles.laplacian, scale=mpmath.mpf(1e8), m=mpmath)),
    (
        kw.Matern(1e7, 0.5),
        functools.partial(oracles.matern, scale=mpmath.mpf(1e7), nu=0.5, m=mpmath),
    ),
    (
        kw.Matern(1e7, 1.5),
        functools.partial(oracles.matern, scale=mpmath.mpf(1e7), nu=1.5, m=mpmath),
    ),
    (
        kw.Matern(1e7, 2.5),
        functools.partial(oracles.matern, scale=mpmath.mpf(1e7), nu=2.5, m=mpmath),
    ),
    (
        kw.Matern(3.0, 1.5),
        functools.partial(oracles.matern, scale=mpmath.mpf(3.0), nu=1.5, m=mpmath),
    ),
    (
        kw.Matern(3.0, 2.5),
        functools.partial(oracles.matern, scale=mpmath.mpf(3.0), nu=2.5, m=mpmath),
    ),
    (
        kw.Polynomial(7, 1.0, 1e-10),
        functools.partial(oracles.polynomial, degree=7, coef0=1, gamma=mpmath.mpf(1e-10), m=mpmath),
    ),
    (
        kw.Sigmoid(1e-10, 0.5),
        functools.partial(
            oracles.sigmoid, gamma=mpmath.mpf(1e-10), coef0=mpmath.mpf(0.5), m=mpmath
        ),
    ),
    (
        (2.0 * kw.Gaussian(1e9)) * (3.0 * kw.Laplacian(1e8)) * (5.0 * kw.Matern(1e7, 0.5)),
        lambda x, z: (
            30
            * oracles.gaussian(x, z, mpmath.mpf(1e9), mpmath)
            * oracles.laplacian(x, z, mpmath.mpf(1e8), mpmath)
            * oracles.matern(x, z, mpmath.mpf(1e7), 0.5, mpmath)
        ),
    ),
    (
        kw.Gaussian(1e9) * kw.Polynomial(2, 1.0, 1e-9) + 3.0 * kw.Matern(1e5, 2.5),
        lambda x, z: (
            oracles.gaussian(x, z, mpmath.mpf(1e9), mpmath)
            * oracles.polynomial(x, z, 2, 1, mpmath.mpf(1e-9))
            + 3 * oracles.matern(x, z, mpmath.mpf(1e5), 2.5, mpmath)
        ),
    ),
]


@pytest.mark.parametrize(("kernel", "oracle"), WIDE, ids=name_of)
def test_deviations_of_wide_kernels_keep_their_digits(rng, kernel, oracle):
    X = rng.normal(size=(8, 3))
    with mpmath.workdps(60):
        Ke = oracles.matrix(oracle, oracles.extended(X))
        # the constant in extended precision: the kernel at geometry zero
        origin = oracle([mpmath.mpf(0)] * 3, [mpmath.mpf(0)] * 3)
        expected = np.array([[float(v - origin) for v in row] for row in Ke])
    E = kernel.deviations(Pairs(X))
    np.testing.assert_allclose(E, expected, rtol=1e-10, atol=1e-12 * np.abs(expected).max())


class TestSquaredDistances:
    @given(X=points(), offset=st.sampled_from([0.0, 1e3, 1e8]))
    def test_relative_error_is_small_even_far_from_the_origin(self, X, offset):
        X = X + offset
        exact = np.array(oracles.matrix(oracles.sqdist, X.tolist()))
        np.testing.assert_allclose(squared_distances(X), exact, rtol=1e-10, atol=0.0)

    @pytest.mark.parametrize("spread", [1.0, 1e-3, 1e-6])
    def test_near_pairs_keep_their_digits(self, rng, spread):
        """Clusters tighter than their distance: the matrix product alone loses the near pairs."""
        X = np.repeat(rng.normal(size=(5, 30)), 8, axis=0)
        X += spread * rng.normal(size=X.shape)
        exact = np.array(oracles.matrix(oracles.sqdist, X.tolist()))
        np.testing.assert_allclose(squared_distances(X), exact, rtol=1e-12, atol=0.0)

    def test_equal_rows_have_distance_zero(self, rng):
        X = 1e6 + rng.normal(size=(700, 7))
        X[650:] = X[:50]
        D = squared_distances(X)
        assert np.all(np.diag(D) == 0.0) and np.all(D >= 0.0)
        assert np.all(D[np.arange(50), np.arange(650, 700)] == 0.0)
        assert np.all(squared_distances(X, X[:50].copy())[650:].diagonal() == 0.0)

    def test_sparse_rows(self, rng):
        X = rng.normal(size=(40, 6)) * (rng.random((40, 6)) < 0.3)
        D = squared_distances(sp.csr_array(X))
        np.testing.assert_allclose(D, squared_distances(X), rtol=1e-11, atol=1e-14)


class TestSparse:
    @pytest.mark.parametrize("index", [np.int32, np.int64])
    @pytest.mark.parametrize("kernel", [kw.Gaussian(1.0), kw.Laplacian(2.0), kw.Linear()], ids=str)
    def test_unsorted_and_long_indices_are_fine_and_left_alone(self, rng, kernel, index):
        X = rng.normal(size=(12, 5)) * (rng.random((12, 5)) < 0.5)
        S = sp.csr_array(X)
        data, indices, indptr = S.data, S.indices.astype(index), S.indptr.astype(index)
        for start, stop in itertools.pairwise(indptr):  # reverse every row
            data[start:stop] = data[start:stop][::-1].copy()
            indices[start:stop] = indices[start:stop][::-1].copy()
        for array in (data, indices, indptr):
            array.flags.writeable = False
        S = sp.csr_array((data, indices, indptr), shape=X.shape)
        np.testing.assert_allclose(kernel(S), kernel(X), rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(kernel(S, X[:4]), kernel(X, X[:4]), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("kernel", [kw.Gaussian(1e-90), kw.Matern(1e-45, 2.5), kw.Laplacian(1e-45)])
def test_the_narrowest_kernels_are_the_identity(rng, kernel):
    X = rng.normal(size=(6, 2))
    np.testing.assert_array_equal(kernel(X), np.eye(6))


def test_strided_rows_give_a_symmetric_matrix(rng):
    X = rng.normal(size=(60, 40))[::-2, ::-3]
    for kernel in (kw.Linear(), kw.Polynomial(3), kw.Gaussian(3.0)):
        np.testing.assert_array_equal(kernel(X), kernel(X).T)


class TestAlgebra:
    def test_prints_as_it_is_written(self):
        k = 2.0 * kw.Gaussian(1.0) + kw.Linear() * (kw.Linear() + kw.Laplacian(3.0))
        names = {"Gaussian": kw.Gaussian, "Linear": kw.Linear, "Laplacian": kw.Laplacian}
        assert eval(repr(k), names) == k
        assert repr(2 * (kw.Linear() + kw.Linear())) == "2.0 * (Linear() + Linear())"

    def test_numpy_numbers_scale(self):
        assert np.float64(2) * kw.Linear() == kw.Linear() * np.int64(2) == 2 * kw.Linear()

    def test_what_is_known_of_the_parts(self):
        k = kw.Gaussian(0.5) * kw.Laplacian(4.0) + kw.Linear()
        assert k.is_psd is True and k.inverse_widths == (1.0, 0.25)
        assert (kw.Linear() + kw.Sigmoid()).is_psd is None  # who knows
        assert (2 * kw.Sigmoid()).is_psd is False
        assert kw.Polynomial(2, -1.0).is_psd is False
        assert (2 * kw.Precomputed()).takes_matrix
        assert kw.Matern(4.0).inverse_widths == (0.25,)

    def test_a_given_matrix_does_not_mix_with_features(self):
        for combine in (lambda a, b: a + b, lambda a, b: a * b):
            with pytest.raises(ValueError, match="combines with its own kind only"):
                combine(kw.Precomputed(), kw.Linear())

    def test_sums_and_multiples_are_flat(self):
        k = kw.Gaussian(1.0)
        assert sum([k, k, k]) == k + k + k
        assert 3 * (2 * k) == 6.0 * k
        names = {"Gaussian": kw.Gaussian}
        for kernel in (3 * (2 * k), k * (2 * k), (k + k) * (2 * k)):
            assert eval(repr(kernel), names) == kernel

    def test_other_things_do_not_add(self):
        with pytest.raises(TypeError):
            kw.Linear() + 1
        with pytest.raises(TypeError):
            "2" * kw.Linear()


def test_svc_with_a_kernel_equals_svc_with_gamma(wdbc):
    X, y = wdbc
    ours = SVC(kernel=kw.Gaussian.from_gamma(0.05)).fit(X[:400], y[:400])
    theirs = SVC(gamma=0.05).fit(X[:400], y[:400])
    np.testing.assert_allclose(
        ours.decision_function(X[400:]), theirs.decision_function(X[400:]), atol=1e-3
    )


def test_precomputed_checks_its_shape(rng):
    K = kw.Linear()(rng.normal(size=(6, 2)))
    np.testing.assert_array_equal(kw.Precomputed()(K), K)
    with pytest.raises(ValueError, match="one column per training row: expected 6 columns, got 4"):
        kw.Precomputed()(K[:, :4], K)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: kw.Gaussian(0.0), "tau of Gaussian must be positive .* and finite, got 0.0"),
        (lambda: kw.Gaussian(np.nan), "tau of Gaussian must be positive .* got nan"),
        (lambda: kw.Gaussian("wide"), "tau of Gaussian must be a number, got 'wide'"),
        (lambda: kw.Gaussian.from_gamma(0), "'gamma' parameter"),
        (lambda: kw.Gaussian("2"), "tau of Gaussian must be a number, got '2'"),
        (lambda: kw.Gaussian.from_gamma("scale"), "'gamma' parameter"),
        (lambda: kw.Matern(1.0, [1.5]), "'nu' parameter of Matern"),
        (lambda: kw.grids.libsvm(0), "'n_features' parameter of libsvm"),
        (lambda: kw.Laplacian(-1), "scale of Laplacian must be positive"),
        (lambda: kw.Matern(1.0, 3.5), "'nu' parameter of Matern"),
        (lambda: kw.Polynomial(0), "'degree' parameter of Polynomial"),
        (lambda: kw.Polynomial(2.5), "'degree' parameter of Polynomial"),
        (lambda: kw.Polynomial(2, np.inf), "coef0 of Polynomial must be finite"),
        (lambda: kw.Sigmoid(np.inf), "gamma of Sigmoid must be finite"),
        (lambda: 0.0 * kw.Linear(), "factor of Multiple must be positive"),
        (lambda: kw.grids.gaussian(3, 2), "hi must not be below lo"),
    ],
)
def test_bad_parameters(make, message):
    with pytest.raises((ValueError, TypeError), match=message):
        make()


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (
            [1.0, 2.0],
            "Expected 2D array, got 1D array",
        ),
        ([[1.0], [np.nan]], "X contains NaN"),
        ([[1.0], [1.0, 2.0]], "inhomogeneous shape"),
        (np.array([[1j], [2j]]), "Complex data not supported"),
        (sp.csr_array([[1j], [2j]]), "Complex data not supported"),
        (np.array([["2020-01-01"]], "datetime64[D]"), "X holds dates or texts"),
        (np.array([["1"], ["2"]]), "X holds dates or texts"),
        ([["a"], ["b"]], "could not convert string to float: 'a'"),
        (np.zeros((0, 3)), r"0 sample\(s\) \(shape=\(0, 3\)\)"),
        ([[1e200], [1.0]], "X has entries beyond 1e\\+50"),
        (sp.csr_array([[np.inf, 0.0]]), "X contains (NaN|infinity)"),
    ],
)
def test_bad_rows(X, message):
    with pytest.raises(ValueError, match=message):
        kw.Gaussian(1.0)(X)


def test_rows_that_do_not_fit():
    with pytest.raises(
        ValueError, match="X and Z must have the same number of features, got 2 and 3"
    ):
        kw.Linear()(np.ones((4, 2)), np.ones((4, 3)))
