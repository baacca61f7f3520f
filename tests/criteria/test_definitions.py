"""Names, parameters, and what is said where a criterion has no value."""

import warnings

import numpy as np
import pytest

import kernelwise as kw
import oracles
from inside import Dense, LowRank, UndefinedCriterionWarning
from kernelwise import criteria as c

Y = np.repeat([0, 1], [5, 4])


def undefined(kernel, X, y, criterion, match, **settings):
    with pytest.warns(UndefinedCriterionWarning, match=match):
        result = kw.score_kernels(X, y, kernel, criterion, **settings)
    [values] = result.table.values()
    assert np.isnan(values).all()
    assert len(result.notes) == 1


def test_available_lists_every_criterion():
    table = {info.name: info for info in c.available()}
    expected = {
        "sm": ("max", "n^2"),
        "sm_hinge": ("max", "n^3"),
        "kta": ("max", "n^2"),
        "ckta": ("max", "n^2"),
        "fsm": ("min", "n^2"),
        "fsm_error": ("min", "n^2"),
        "md": ("max", "n^2"),
        "ncut": ("min", "n^2"),
        "ks": ("–", "n^2"),
        "er": ("min", "n^3"),
        "rks": ("min", "n^3"),
        "sps": ("min", "n^3"),
        "eloo": ("min", "n^3"),
        "gcv": ("min", "n^3"),
        "br": ("min", "n^3"),
        "lml": ("max", "n^3"),
    }
    assert {
        name: (i.direction, i.cost) for name, i in table.items() if name in expected
    } == expected
    assert all(info.reference and info.formula for info in table.values())
    assert table["er"].parameters == {"t": 4, "eta": 0.6, "scale": "plain"}


def test_parameters_are_those_of_the_papers():
    assert c.get("sm") == c.SM(r=3, normalizer="trace", weighted=True)
    assert c.get("er", t=16) == c.ER(t=16, eta=0.6, scale="plain")
    assert c.get("rks").eta == 0.25 and c.get("sps").delta == 1.0
    assert c.get(c.SM(normalizer="sum"), r=2) == c.SM(r=2, normalizer="sum")
    assert c.SMHinge().h == 0.01
    assert c.SM(r=2).label == "sm(r=2)" and c.SM().label == "sm"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: c.SM(r=np.inf), "'r' parameter of SM"),
        (lambda: c.ER(eta=np.inf), "'eta' parameter of ER"),
        (lambda: c.SM(r="3"), "'r' parameter of SM"),
        (lambda: c.SM(weighted="no"), "'weighted' parameter of SM"),
        (lambda: c.RKS(eta="a"), "'eta' parameter of RKS"),
        (lambda: c.SM(r=0.5), "'r' parameter of SM"),
        (lambda: c.SM(r=17), "'r' parameter of SM"),
        (
            lambda: c.SM(normalizer="max"),
            "'normalizer' parameter of SM",
        ),
        (lambda: c.SMHinge(-1), "'h' parameter of SMHinge"),
        (lambda: c.ER(t=0), "'t' parameter of ER"),
        (lambda: c.ER(scale="n"), "'scale' parameter of ER"),
        (lambda: c.RKS(eta=0), "'eta' parameter of RKS"),
        (lambda: c.SPS(delta=-1), "'delta' parameter of SPS"),
        (
            lambda: c.ELOO("hinge"),
            "'loss' parameter of ELOO",
        ),
        (lambda: c.LML("none"), "'mean' parameter of LML"),
        (lambda: c.get("cktta"), "unknown criterion 'cktta': did you mean 'ckta'?"),
        (lambda: c.get("qqq"), "unknown criterion 'qqq': choose from bif, br, ckta"),
    ],
)
def test_bad_parameters(make, message):
    with pytest.raises(ValueError, match=message.replace("?", r"\?")):
        make()


class TestUndefined:
    def test_width_free_kernels_have_no_bayesian_regularisation(self, rng):
        X = rng.normal(size=(9, 2))
        undefined(kw.Linear(), X, Y, "br", r"br of Linear\(\), because the kernel has no width")

    def test_one_sentence_for_many_kernels(self, rng):
        X = rng.normal(size=(9, 2))
        with pytest.warns(UndefinedCriterionWarning, match="and 2 more, because") as caught:
            kw.score_kernels(X, Y, kw.grids.polynomial(1, 3), ["br", "sm"])
        assert len(caught) == 1

    def test_a_constant_kernel_has_no_centred_alignment(self):
        undefined(kw.Gaussian(1.0), np.ones((9, 2)), Y, "ckta", "all points look alike")

    def test_a_zero_matrix_has_no_alignment(self):
        zeros = np.zeros((9, 2))
        undefined(kw.Linear(), zeros, Y, "kta", "the kernel matrix is zero")
        undefined(kw.Linear(), zeros, Y, "sm", "the trace of the kernel matrix is not positive")
        undefined(kw.Linear(), zeros, Y, "er", "leading eigenvalues do not sum to a positive")

    @pytest.mark.parametrize("criterion", ["ncut", c.SM(normalizer="sum")])
    def test_entries_that_sum_to_zero(self, rng, criterion):
        """A linear kernel on centred data."""
        X = rng.normal(size=(9, 2))
        undefined(kw.Linear(), X - X.mean(axis=0), Y, criterion, "sum to zero")

    def test_a_class_of_one_row_has_no_variance(self, rng):
        y = np.repeat([0, 1], [8, 1])
        undefined(kw.Gaussian(1.0), rng.normal(size=(9, 2)), y, "fsm", "class 1 has one row")

    @pytest.mark.parametrize("criterion", ["md", "fsm", "fsm_error"])
    def test_negative_squares_are_no_distances(self, rng, criterion):
        K = -kw.Gaussian(1.0)(rng.normal(size=(9, 2)))
        with pytest.warns(UndefinedCriterionWarning, match="a distance has a negative square"):
            assert np.isnan(kw.score_matrix(K, Y, criterion)[criterion])

    def test_a_negative_trace_is_no_normaliser(self, rng):
        K = -kw.Gaussian(1.0)(rng.normal(size=(9, 2)))
        with pytest.warns(UndefinedCriterionWarning, match="trace of the kernel matrix is not pos"):
            assert np.isnan(kw.score_matrix(K, Y, "sm")["sm"])

    @pytest.mark.filterwarnings("ignore::kernelwise.gram.NotPSDWarning")
    def test_a_negative_eigenvalue_hidden_in_the_tail(self, rng):
        Q, _ = np.linalg.qr(rng.normal(size=(9, 9)))
        K = (Q * [10, 3, 2, 1, 0.5, -0.4, 0.3, 0.2, 0.1]) @ Q.T
        with pytest.warns(UndefinedCriterionWarning, match="has negative eigenvalues"):
            assert np.isnan(kw.score_matrix(0.5 * (K + K.T), Y, "er")["er"])

    @pytest.mark.filterwarnings("ignore::kernelwise.gram.NotPSDWarning")
    def test_a_negative_tail_is_no_eigenvalues_ratio(self, rng):
        X = rng.normal(size=(9, 2))
        undefined(kw.Sigmoid(1.0, -0.5), X, Y, "er", "has negative eigenvalues", ridge=100.0)

    @pytest.mark.parametrize("criterion", ["ckta", "fsm", "md", c.SM(r=1)])
    def test_what_is_lost_to_rounding_is_told(self, rng, criterion):
        """A time stamp among the features of a linear kernel."""
        X = rng.normal(size=(9, 2)) + 1.7e9
        undefined(kw.Linear(), X, Y, criterion, "lost to rounding, so centre the")

    def test_overflow_is_told(self, rng):
        X = 1e20 * rng.normal(size=(9, 2))
        undefined(kw.Polynomial(10), X, Y, "kta", "overflows, so standardise the features")

    @pytest.mark.parametrize("criterion", ["ks", "fsm", "sm"])
    def test_underflow_is_told(self, rng, criterion):
        kernel = 1e-200 * kw.Gaussian(1.0)
        X = rng.normal(size=(9, 2))
        undefined(kernel, X, Y, criterion, "squares of its entries vanish, so rescale the kernel")

    def test_too_many_leading_eigenvalues(self, rng):
        X = rng.normal(size=(9, 2))
        undefined(kw.Gaussian(1.0), X, Y, c.ER(t=9), "t = 9 eigenvalues of 9 leave none")

    @pytest.mark.filterwarnings("ignore::kernelwise.gram.NotPSDWarning")
    @pytest.mark.parametrize("criterion", ["eloo", "lml"])
    def test_a_ridge_below_the_negative_eigenvalues(self, rng, criterion):
        X = rng.normal(size=(9, 2))
        undefined(kw.Sigmoid(1.0, -1.0), X, Y, criterion, "is not positive definite", ridge=1e-3)

    @pytest.mark.filterwarnings("ignore::kernelwise.gram.NotPSDWarning")
    def test_fractional_powers_of_negative_eigenvalues(self, rng):
        X = rng.normal(size=(9, 2))
        undefined(kw.Sigmoid(1.0, 1.0), X, Y, c.SM(r=1.5), "has negative eigenvalues")


def test_a_kernel_that_is_none_is_told(rng):
    X = rng.normal(size=(9, 2))
    with pytest.warns(kw.gram.NotPSDWarning, match=r"Sigmoid\(.*\) is not positive semidefinite"):
        kw.score_kernels(X, Y, kw.Sigmoid(), ["kta"])
    K = kw.Sigmoid(1.0, -1.0)(X)
    with pytest.warns(kw.gram.NotPSDWarning, match=r"repair\(K, 'clip'\)"):
        kw.score_matrix(K, Y, ["eloo"], ridge=10.0)
    kw.score_matrix(kw.gram.repair(K), Y, ["eloo"])  # silent once repaired


def test_warnings_point_at_the_caller(two_blobs):
    X, y = two_blobs
    for call in (
        lambda: kw.score_kernels(X, y, kw.Sigmoid(), "sm"),
        lambda: kw.KernelSelector(kernels=[kw.Sigmoid()], ridge=100.0).fit(X, y),
    ):
        with pytest.warns(kw.gram.NotPSDWarning) as caught:
            call()
        assert {w.filename for w in caught} == {__file__}


@pytest.mark.parametrize("offset", [1e2, 1e3])
def test_offset_features_of_a_linear_kernel(two_blobs, offset):
    X, y = two_blobs
    for name in ("ckta", "fsm", "md"):
        [plain] = kw.score_kernels(X, y, kw.Linear(), name).table.values()
        [shifted] = kw.score_kernels(X + offset, y, kw.Linear(), name).table.values()
        np.testing.assert_allclose(shifted, plain, rtol=1e-8)


@pytest.mark.parametrize("offset", [1e5, 1e6, 1e7, 1e8])
def test_digits_lost_to_an_offset_are_never_silent(offset):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 3)), np.repeat([0, 1], [30, 20])
    X[y == 1, 0] += 0.3
    names = ["ckta", "fsm", "md", c.SM(r=1)]
    expected = kw.score_kernels(X, y, kw.Linear(), names).table
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedCriterionWarning)
        shifted = kw.score_kernels(X + offset, y, kw.Linear(), names).table
    trace = {"sm": kw.Linear().diag(X).sum() / kw.Linear().diag(X + offset).sum()}
    for name, values in shifted.items():
        if not np.isnan(values[0]):
            value = expected[name][0] * trace.get(name, 1.0)
            np.testing.assert_allclose(values[0], value, rtol=1e-3)
    assert offset < 1e6 or np.isnan(shifted["md"][0])
    assert np.isnan(shifted["sm"][0])  # it is not centred, and is lost sooner


def test_cuts_between_classes_that_hardly_touch(rng):
    y = np.repeat([0, 1], [35, 15])
    X = 0.01 * rng.normal(size=(50, 1)) + 7.0 * y[:, None]
    K = kw.Gaussian(1.0)(X)
    expected = kw.score_matrix(K, y, "ncut")["ncut"]
    for engine in ("dense", "tiled"):
        value = kw.score_kernels(X, y, kw.Gaussian(1.0), "ncut", engine=engine).table["ncut"][0]
        np.testing.assert_allclose(value, expected, rtol=1e-9)


def test_a_far_point_of_a_third_class_does_not_hide_the_others(three_blobs):
    X, y = three_blobs
    kernel = kw.Linear()
    far = X.copy()
    far[y == 2] *= 1e6
    pairs = [
        kw.score_kernels(far[y != drop], y[y != drop], kernel, "fsm").table["fsm"][0]
        for drop in range(3)
    ]
    value = kw.score_kernels(far, y, kernel, "fsm").table["fsm"][0]
    np.testing.assert_allclose(value, np.mean(pairs), rtol=1e-6)


def test_pairs_of_classes_have_cuts_where_the_whole_sums_to_zero(three_blobs):
    X, y = three_blobs
    K = kw.Linear()(X - X.mean(axis=0))
    rest = [np.ix_(y != drop, y != drop) for drop in range(3)]
    pairs = [kw.score_matrix(K[r], y[y != d], "ncut")["ncut"] for d, r in enumerate(rest)]
    np.testing.assert_allclose(kw.score_matrix(K, y, "ncut")["ncut"], np.mean(pairs))


def test_a_small_ridge_fits_the_widest_kernel(two_blobs):
    """Eigenvalues that are negative by rounding are zero: the matrix stays positive definite."""
    X, y = two_blobs
    values = kw.score_kernels(X, y, kw.Gaussian(1e9), ["eloo", "lml", "gcv"], ridge=1e-9).table
    assert all(np.isfinite(v).all() for v in values.values())


def test_a_ridge_below_the_rounding_errors_of_the_matrix_is_reported(two_blobs):
    X, y = two_blobs
    with pytest.warns(kw.selection.UndefinedCriterionWarning, match="fewer than four digits"):
        values = kw.score_kernels(X, y, kw.Gaussian(1e9), ["eloo", "lml", "er"], ridge=1e-15).table
    assert all(np.isnan(v).all() for v in values.values())


def test_two_widths_and_three_classes_of_bayesian_regularisation(three_blobs):
    X, y = three_blobs
    kernel = kw.Gaussian(0.5) * kw.Laplacian(4.0)
    residuals = [oracles.loo_residuals(kernel(X), oracles.one_vs_rest(y, k), 1.0) for k in range(3)]
    press = np.mean([np.sum(r**2) for r in residuals])
    expected = oracles.bayesian_regularisation(press, len(y), [1.0, 0.25])
    np.testing.assert_allclose(kw.score_kernels(X, y, kernel, "br").table["br"], expected)


@pytest.mark.parametrize("bias", [True, False])
def test_remaining_criteria_of_three_classes_and_real_targets(three_blobs, bias):
    X, y = three_blobs
    K = kw.Gaussian(1.0)(X)
    for target, columns in (
        (y, [oracles.one_vs_rest(y, k) for k in range(3)]),
        (X[:, 0] ** 2, [X[:, 0] ** 2]),
    ):
        values = kw.score_matrix(K, target, ["er", "sps", c.LML("constant")], fit_intercept=bias)
        expected = {
            "er": [oracles.er(K, t, 1.0, 4, 0.6, "plain", bias) for t in columns],
            "sps": [oracles.sps_first_order(K, t, 1.0, 1.0, bias) for t in columns],
            "lml": [oracles.log_marginal_likelihood(K, t - np.mean(t), 1.0) for t in columns],
        }
        for name, value in expected.items():
            np.testing.assert_allclose(values[name], np.mean(value), rtol=1e-9)


def test_spectral_perturbation_of_a_matrix_of_low_rank(two_blobs):
    """Eigenvalues that no one computes are zero, and move as those that somebody does."""
    X, y = two_blobs
    values = []
    for engine in (Dense(), LowRank(X.shape[1], random_state=0)):
        result = kw.score_kernels(X, y, kw.Linear(), c.SPS(delta=50.0), engine=engine)
        values.append(result.table["sps"][0])
    np.testing.assert_allclose(values[1], values[0], rtol=1e-6)


@pytest.mark.parametrize("scale", [1.0, 2.0**-20, 2.0**20])
def test_the_ideal_matrix_has_a_spectral_measure_of_one(scale):
    y = np.array([1.0, -1.0, 1.0, -1.0])
    criterion = c.SM(r=1, weighted=False)
    assert kw.score_matrix(scale * np.outer(y, y), y, criterion)["sm"] == 1.0


def test_infinity_is_kept(two_blobs):
    _, y = two_blobs
    K = np.ones((len(y), len(y)))
    assert kw.score_matrix(K, y, ["fsm"])["fsm"] == np.inf
