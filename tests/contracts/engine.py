import dataclasses

import numpy as np

import kernelwise as kw
from helpers import rounding
from inside import Code, Evidence, LowRankGram, Pairs, Targets, code_of
from inside import feature_matrix_Sample as Sample

CHECKS = []
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


def check(f):
    CHECKS.append(f)
    return f


def problem():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(25, 4))
    X[20] = X[3]
    return X, Targets.of(rng.integers(0, 3, 25))


def grams(engine):
    X, targets = problem()
    for kernel, gram in zip(KERNELS, engine.grams(KERNELS, X, targets), strict=True):
        yield kernel.values(Pairs(X)), gram, targets


@check
def is_found_by_name(engine):
    assert kw.gram.get(engine.name) == engine


@check
def statistics_are_those_of_the_matrix(engine):
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


@check
def centred_norm_keeps_its_digits(engine):
    X, targets = problem()
    H = np.eye(25) - 1.0 / 25
    for kernel, gram in zip(KERNELS, engine.grams(KERNELS, X, targets), strict=True):
        E = kernel.deviations(Pairs(X))
        np.testing.assert_allclose(
            gram.statistics.centered_frobenius, np.linalg.norm(H @ E @ H), rtol=1e-9
        )


@check
def products_and_spectrum_are_those_of_the_matrix(engine):
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


@check
def gives_the_matrix_itself(engine):
    for K, gram, _ in grams(engine):
        np.testing.assert_allclose(gram.entries(), K, rtol=1e-12, atol=1e-12 * np.abs(K).max())


def losses(engine, seed, **settings):
    """Return the leave-one-out loss of a machine on rows of its own, and the error of that."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 2))
    y = (X[:, 0] ** 2 + X[:, 1] + 0.5 * rng.normal(size=300) > 1.0).astype(int)
    if hasattr(engine, "rank"):  # as it estimates
        engine = dataclasses.replace(engine, rank=30, random_state=seed, **settings)
    criterion = kw.criteria.ELOO("squared_hinge")
    found = kw.score_kernels(X, y, kw.Laplacian(2.0), criterion, engine=engine)
    return found.table["eloo"][0], found.standard_errors["eloo"][0]


@check
def leave_one_out_is_exact_or_within_its_error(engine):
    """What is estimated is within two standard errors of its limit in 95 % of runs."""
    if not hasattr(engine, "rank"):
        ours, exact = losses(engine, 0), losses(kw.gram.Dense(), 0)
        np.testing.assert_allclose(ours, exact, rtol=1e-9)
        return
    runs = [(losses(engine, seed, judged=100), losses(engine, seed)) for seed in range(40)]
    within = [abs(few - all_rows) <= 2.0 * error for (few, error), (all_rows, _) in runs]
    assert np.mean(within) >= 0.95


def estimated(engine, seed, kernel, criteria, ridge, n=300):
    """Return what an engine says of rows of their own, and what the exact matrix says."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = (X[:, 0] ** 2 + X[:, 1] + 0.5 * rng.normal(size=n) > 1.0).astype(int)
    by = [engine, kw.gram.Dense()]
    return [kw.score_kernels(X, y, kernel, criteria, ridge=ridge, engine=each) for each in by]


@check
def a_matrix_of_low_rank_gives_the_exact_value_within_its_error(engine):
    """A wide kernel has a matrix of few eigenvalues: all that is left is which rows are judged."""
    if not hasattr(engine, "rank"):
        return
    criterion, within = kw.criteria.ELOO("squared_hinge"), []
    for seed in range(40):
        few = dataclasses.replace(engine, rank=60, random_state=seed, judged=100)
        ours, exact = estimated(few, seed, kw.Gaussian(64.0), criterion, 1e-3)
        assert {code_of(note) for note in ours.notes.values()} == {Code.ESTIMATED}
        assert not exact.notes
        off = abs(ours.table["eloo"][0] - exact.table["eloo"][0])
        within.append(off <= 2.0 * ours.standard_errors["eloo"][0])
        assert off > 0.0  # or the rows would have been few enough for the matrix itself
    assert np.mean(within) >= 0.95


@check
def a_matrix_of_low_rank_gives_what_is_judged_on_all_rows(engine):
    """Criteria that leave no row out are those of the exact matrix, where that has low rank."""
    if not hasattr(engine, "rank"):
        return
    for seed in range(5):
        few = dataclasses.replace(engine, rank=60, random_state=seed)
        names = ["gcv", "lml", "sm", "kta", "ckta"]
        ours, exact = estimated(few, seed, kw.Gaussian(64.0), names, 1.0)
        assert ours.notes.keys() == {f"{name}: estimated" for name in names}
        for name in names:
            # What the landmarks miss of the trace, 1e-6, over the ridge bounds the difference.
            np.testing.assert_allclose(ours.table[name], exact.table[name], rtol=1e-6)


@check
def landmarks_that_are_all_rows_give_the_exact_values(engine):
    """By features, not by the matrix itself: of every distinct row, and of rows without copies."""
    if not hasattr(engine, "rank"):
        return
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(80, 2)), rng.integers(0, 2, 80)
    thrice, labels = np.tile(X, (3, 1)), np.tile(y, 3)
    names = ["eloo", "gcv", "lml", "sm", "kta", "ckta"]
    every_row = np.arange(80)
    for kernel in (kw.Laplacian(2.0), kw.Gaussian(0.05), kw.Matern(1.0, 1.5)):
        # One copy of each row is a landmark, and two are judged.
        ours = kw.score_kernels(
            thrice, labels, kernel, names, engine=dataclasses.replace(engine, rank=80)
        )
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
