"""Every engine against the full matrix."""

import numpy as np
import pytest

import kernelwise as kw
from helpers import rounding
from inside import Code, Evidence, LowRankGram, Pairs, Targets, code_of
from inside import feature_matrix_Sample as Sample

KERNELS = (
    kw.Gaussian(2.0**-15),
    kw.Gaussian(1.0),
    kw.Gaussian(2.0**15),
    kw.Laplacian(3.0),
    kw.Matern(1e4, 2.5),
    kw.Polynomial(3),
    kw.Linear(),
    0.5 * kw.Gaussian(4.0) + kw.Linear(),
)


@pytest.fixture(params=[kw.gram.Dense, kw.gram.Tiled, kw.gram.LowRank])
def engine(request):
    return request.param()


def problem():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(25, 4))
    X[20] = X[3]
    return X, Targets.of(rng.integers(0, 3, 25))


def grams(engine):
    X, targets = problem()
    for kernel, gram in zip(KERNELS, engine.grams(KERNELS, X, targets), strict=True):
        yield kernel.values(Pairs(X)), gram, targets


def test_statistics_are_those_of_the_matrix(engine):
    for K, gram, targets in grams(engine):
        stats = gram.statistics
        scale = np.abs(K).max()
        T = targets.columns
        np.testing.assert_allclose(
            stats.full_products + stats.shift * targets.column_sums,
            K @ T,
            rtol=1e-10,
            atol=1e-12 * scale,
        )
        if stats.excludes_diagonal:
            assert stats.shift == 0.0
            np.testing.assert_allclose(stats.products, (K - np.diag(np.diag(K))) @ T, rtol=1e-10)
        np.testing.assert_allclose(stats.kernel_row_squares, (K**2).sum(axis=1), rtol=1e-10)
        np.testing.assert_allclose(stats.diagonal, np.diag(K), rtol=1e-12)
        np.testing.assert_allclose(stats.total, K.sum(), rtol=1e-9, atol=1e-10 * scale)


def test_centred_norm_keeps_its_digits(engine):
    X, targets = problem()
    H = np.eye(25) - 1.0 / 25
    for kernel, gram in zip(KERNELS, engine.grams(KERNELS, X, targets), strict=True):
        E = kernel.deviations(Pairs(X))
        np.testing.assert_allclose(
            gram.statistics.centered_frobenius, np.linalg.norm(H @ E @ H), rtol=1e-9
        )


def test_products_and_spectrum_are_those_of_the_matrix(engine):
    rng = np.random.default_rng(0)
    for K, gram, _ in grams(engine):
        V = rng.normal(size=(25, 3))
        scale = np.abs(K).max()
        np.testing.assert_allclose(gram.matmul(V), K @ V, rtol=1e-10, atol=1e-11 * scale)
        s, Q = gram.spectrum().values, gram.spectrum().vectors
        assert np.all(np.diff(s) >= 0.0)
        np.testing.assert_allclose((Q * s) @ Q.T, K, atol=1e-12 * 25 * scale)
        leading = np.linalg.eigvalsh(K)[::-1][:3]  # known to a few roundings of the largest
        np.testing.assert_allclose(
            gram.leading_eigenvalues(3), leading, rtol=1e-9, atol=rounding(25, leading[0])
        )


def test_gives_the_matrix_itself(engine):
    for K, gram, _ in grams(engine):
        np.testing.assert_allclose(gram.entries(), K, rtol=1e-12, atol=1e-12 * np.abs(K).max())


def losses(engine, seed):
    """Return the leave-one-out loss of a machine on rows of its own, and the error of that."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 2))
    y = (X[:, 0] ** 2 + X[:, 1] + 0.5 * rng.normal(size=300) > 1.0).astype(int)
    criterion = kw.criteria.ELOO("squared_hinge")
    found = kw.score_kernels(X, y, kw.Laplacian(2.0), criterion, engine=engine)
    return found.table["eloo"][0], found.standard_errors["eloo"][0]


@pytest.mark.parametrize("engine", [kw.gram.Tiled()])
def test_leave_one_out_is_exact(engine):
    np.testing.assert_allclose(losses(engine, 0), losses(kw.gram.Dense(), 0), rtol=1e-9)


def test_what_is_estimated_is_within_two_standard_errors_in_nearly_all_runs():
    within = []
    for seed in range(40):
        few, all_rows = (
            kw.gram.LowRank(30, random_state=seed, **how) for how in ({"judged": 100}, {})
        )
        (ours, error), (limit, _) = losses(few, seed), losses(all_rows, seed)
        within.append(abs(ours - limit) <= 2.0 * error)
    assert np.mean(within) >= 0.95


def estimated(engine, seed, kernel, criteria, ridge, n=300):
    """Return what an engine says of rows of their own, and what the exact matrix says."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = (X[:, 0] ** 2 + X[:, 1] + 0.5 * rng.normal(size=n) > 1.0).astype(int)
    by = [engine, kw.gram.Dense()]
    return [kw.score_kernels(X, y, kernel, criteria, ridge=ridge, engine=each) for each in by]


def test_a_matrix_of_low_rank_gives_the_exact_value_within_its_error():
    """A wide kernel has a matrix of few eigenvalues: all that is left is which rows are judged."""
    criterion, within = kw.criteria.ELOO("squared_hinge"), []
    for seed in range(40):
        few = kw.gram.LowRank(60, random_state=seed, judged=100)
        ours, exact = estimated(few, seed, kw.Gaussian(64.0), criterion, 1e-3)
        assert {code_of(note) for note in ours.notes.values()} == {Code.ESTIMATED}
        assert not exact.notes
        off = abs(ours.table["eloo"][0] - exact.table["eloo"][0])
        within.append(off <= 2.0 * ours.standard_errors["eloo"][0])
        assert off > 0.0  # or the rows would have been few enough for the matrix itself
    assert np.mean(within) >= 0.95


def test_a_matrix_of_low_rank_gives_what_is_judged_on_all_rows():
    """Criteria that leave no row out are those of the exact matrix, where that has low rank."""
    for seed in range(5):
        few = kw.gram.LowRank(60, random_state=seed)
        names = ["gcv", "lml", "sm", "kta", "ckta"]
        ours, exact = estimated(few, seed, kw.Gaussian(64.0), names, 1.0)
        assert ours.notes.keys() == {f"{name}: estimated" for name in names}
        for name in names:
            # What the landmarks miss of the trace, 1e-6, over the ridge bounds the difference.
            np.testing.assert_allclose(ours.table[name], exact.table[name], rtol=1e-6)


def test_landmarks_that_are_all_rows_give_the_exact_values():
    """By features, not by the matrix itself: of every distinct row, and of rows without copies."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(80, 2)), rng.integers(0, 2, 80)
    thrice, labels = np.tile(X, (3, 1)), np.tile(y, 3)
    names = ["eloo", "gcv", "lml", "sm", "kta", "ckta"]
    every_row = np.arange(80)
    for kernel in (kw.Laplacian(2.0), kw.Gaussian(0.05), kw.Matern(1.0, 1.5)):
        # One copy of each row is a landmark, and two are judged.
        ours = kw.score_kernels(thrice, labels, kernel, names, engine=kw.gram.LowRank(80))
        exact = kw.score_kernels(thrice, labels, kernel, names, engine="dense")
        assert "with 80 landmarks" in ours.notes["eloo: estimated"]
        for name in names:
            np.testing.assert_allclose(ours.table[name], exact.table[name], rtol=1e-9)
        targets = Targets.of(y)
        gram = LowRankGram(kernel, X, targets, Sample(every_row, every_row))
        [dense] = kw.gram.Dense().grams([kernel], X, targets)
        left, right = (Evidence(each, targets, kernel) for each in (gram, dense))
        for name in names:
            criterion = kw.criteria.get(name)
            np.testing.assert_allclose(
                criterion.value(left, 0.1), criterion.value(right, 0.1), rtol=1e-9, atol=1e-12
            )
