"""The engine of low rank against the matrix that it stands for, and against refits."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import kernelwise as kw
import oracles
from helpers import given_gram
from inside import (
    Evidence,
    Features,
    LowRank,
    Moments,
    OrderlessSums,
    RowBlocks,
    Targets,
    Task,
    Watch,
    run_strips,
)

N, RANK = 90, 20
KERNELS = (
    kw.Gaussian(0.3),
    kw.Gaussian(8.0),
    kw.Gaussian(2.0**12),
    kw.Laplacian(3.0),
    kw.Polynomial(2),
    kw.Linear(),
    0.5 * kw.Gaussian(4.0) + kw.Linear(),
)
EXACT = [
    kw.criteria.SM(),
    kw.criteria.SM(r=1),
    "kta",
    "ckta",
    "ncut",
    "ks",
    "md",
    "gcv",
    "lml",
    kw.criteria.LML("constant"),
    "er",
    "rks",
]


def problem(task="binary", seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, 3))
    X[50:55] = X[:5]
    signal = X[:, 0] + X[:, 1] ** 2 + 0.3 * rng.normal(size=N)
    if task == "regression":
        return X, Targets.of(signal)
    return X, Targets.of(np.digitize(signal, [1.0] if task == "binary" else [0.3, 1.5]))


def gram_of(kernel, X, targets, **settings):
    [gram] = LowRank(**{"rank": RANK, **settings}).grams([kernel], X, targets)
    return gram


def matrix_of(gram, kernel, X):
    """Return the matrix that a gram of low rank stands for."""
    return oracles.nystrom(kernel(X), gram.sample.landmarks)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
def test_statistics_and_products_are_those_of_the_matrix(kernel, task):
    X, targets = problem(task)
    gram = gram_of(kernel, X, targets)
    K = matrix_of(gram, kernel, X)
    T = targets.columns
    scale = np.abs(K).max() * np.abs(T).max()
    stats, same = gram.statistics, {"rtol": 1e-8, "atol": 1e-10 * scale * N}
    np.testing.assert_allclose(stats.full_products, K @ T, **same)
    np.testing.assert_allclose(stats.kernel_row_squares, (K**2).sum(axis=1), rtol=1e-8)
    np.testing.assert_allclose(stats.diagonal, K.diagonal(), **same)
    H = np.eye(N) - 1.0 / N
    np.testing.assert_allclose(stats.centered_frobenius, np.linalg.norm(H @ K @ H), rtol=1e-7)
    V = np.random.default_rng(1).normal(size=(N, 2))
    np.testing.assert_allclose(gram.matmul(V), K @ V, **same)
    rows = np.array([0, 7, 89])
    np.testing.assert_allclose(gram.rows(rows), K[rows], **same)
    np.testing.assert_allclose(gram.leading_eigenvalues(3), np.linalg.eigvalsh(K)[::-1][:3], **same)


@pytest.mark.parametrize("criterion", EXACT, ids=str)
@pytest.mark.parametrize("kernel", [kw.Gaussian(0.5), kw.Gaussian(20.0), kw.Linear()], ids=str)
def test_criteria_are_those_of_the_matrix(criterion, kernel):
    X, targets = problem()
    gram = gram_of(kernel, X, targets)
    dense = given_gram(matrix_of(gram, kernel, X), targets)
    criterion = kw.criteria.get(criterion)
    ours, theirs = (criterion.value(Evidence(g, targets, kernel), 0.3) for g in (gram, dense))
    np.testing.assert_allclose(ours, theirs, rtol=1e-7)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
@pytest.mark.parametrize("ridge", [1e-2, 1.0, 30.0])
def test_leave_one_out_is_that_of_refits(task, weighted, bias, ridge):
    X, targets = problem(task)
    weights = np.random.default_rng(3).uniform(0.2, 3.0, N) if weighted else None
    targets, kernel = targets.weighted(weights), kw.Gaussian(2.0)
    gram = gram_of(kernel, X, targets)
    fit = Evidence(gram, targets, kernel, fit_intercept=bias).fit(ridge)
    K = matrix_of(gram, kernel, X)
    for column, residuals in zip(targets.fit_columns.T, fit.left_out.residuals.T, strict=True):
        expected = oracles.loo_residuals(K, column, ridge, bias, weights)
        np.testing.assert_allclose(residuals, np.array(expected)[fit.judged], atol=1e-9)
    assert np.isnan(fit.loo_residuals[gram.sample.landmarks]).all()


@pytest.mark.parametrize("kernel", [kw.Gaussian(30.0), kw.Gaussian(1e4), kw.Linear()], ids=str)
def test_small_ridges_and_wide_kernels_keep_their_digits(kernel):
    """A constant is nearly a function of the features: the bias must not cancel."""
    X, targets = problem("regression")
    gram = gram_of(kernel, X, targets)
    fit = Evidence(gram, targets, kernel).fit(1e-3)
    phi = gram._phi.part(np.arange(N))
    m, y = phi.shape[1], targets.y
    ridge_rows = np.hstack([np.sqrt(1e-3) * np.eye(m), np.zeros((m, 1))])

    def refitted(rows):
        rest = np.setdiff1d(np.arange(N), rows)
        A = np.vstack([np.column_stack([phi[rest], np.ones(rest.size)]), ridge_rows])
        w = np.linalg.lstsq(A, np.append(y[rest], np.zeros(m)), rcond=None)[0]
        return phi[rows] @ w[:-1] + w[-1]

    for i in fit.judged[::7]:
        assert fit.loo_values[i, 0] == pytest.approx(refitted([i])[0], abs=1e-9)
    fold = np.arange(0, N, 3)
    np.testing.assert_allclose(fit.held_out_values(fold)[:, 0], refitted(fold), atol=1e-7)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_folds_are_those_of_refits(bias, weighted):
    X, targets = problem()
    weights = np.random.default_rng(3).uniform(0.2, 3.0, N) if weighted else None
    targets, kernel, rows = targets.weighted(weights), kw.Gaussian(2.0), np.arange(10, 40)
    gram = gram_of(kernel, X, targets)
    fit = Evidence(gram, targets, kernel, fit_intercept=bias).fit(0.1)
    K, rest = matrix_of(gram, kernel, X), np.setdiff1d(np.arange(N), rows)
    kept = None if weights is None else weights[rest]
    alpha, b, _ = oracles.lssvm(
        K[np.ix_(rest, rest)], targets.fit_columns[rest, 0], 0.1, bias, kept
    )
    expected = K[np.ix_(rows, rest)] @ alpha + b
    np.testing.assert_allclose(fit.held_out_values(rows)[:, 0], expected, atol=1e-9)


def test_blocks_and_determinants_are_those_of_the_inverse():
    X, targets = problem()
    gram = gram_of(kw.Gaussian(2.0), X, targets)
    K, rows = matrix_of(gram, kw.Gaussian(2.0), X), np.array([3, 50, 60])
    for inverse in gram.inverses([0.1, 2.0]):
        M = K + inverse.ridge * np.eye(N)
        expected = np.linalg.inv(M)
        V = np.random.default_rng(0).normal(size=(3, 2))
        np.testing.assert_allclose(inverse.block(rows), expected[np.ix_(rows, rows)], atol=1e-9)
        np.testing.assert_allclose(
            inverse.times_block(rows)(V), expected[np.ix_(rows, rows)] @ V, atol=1e-9
        )
        np.testing.assert_allclose(inverse.solve(K[:, :2]), expected @ K[:, :2], atol=1e-9)
        np.testing.assert_allclose(inverse.trace(), np.trace(expected), rtol=1e-9)
        np.testing.assert_allclose(inverse.logdet(), np.linalg.slogdet(M)[1], rtol=1e-9)


def test_folds_and_the_influence_function_judge_no_landmark():
    X, targets = problem()
    X, targets = np.vstack([X, X + 0.01]), Targets.of(np.concatenate([targets.y, targets.y]))
    engine = LowRank(RANK)
    found = kw.score_kernels(X, targets.y, kw.Gaussian(2.0), ["kfold", "bif"], engine=engine)
    assert found.table["kfold"][0] == pytest.approx(found.table["bif"][0], abs=0.1)
    [gram] = engine.grams([kw.Gaussian(2.0)], X, targets)
    [split, *_] = kw.machines.make_splits(targets, None, 5, 1, 0)
    assert np.intersect1d(split.left_out[split.judged(gram)], gram.sample.landmarks).size == 0


class TestLandmarks:
    @pytest.mark.parametrize("landmarks", ["uniform", "pivoted"])
    def test_a_larger_rank_has_those_of_a_smaller_one(self, landmarks):
        rng = np.random.default_rng(0)
        X, targets = rng.normal(size=(900, 3)), Targets.of(rng.integers(0, 2, 900))
        small, large = (
            gram_of(kw.Gaussian(0.1), X, targets, rank=r, landmarks=landmarks).sample
            for r in (100, 200)
        )
        assert small.landmarks.tolist() == large.landmarks.tolist()[:100]
        assert np.isin(large.judged, small.judged).all()

    def test_no_row_occurs_twice(self):
        rng = np.random.default_rng(0)
        X = rng.integers(0, 3, size=(300, 3)).astype(float) * rng.choice([1.0, -1.0], (300, 1))
        targets = Targets.of(rng.integers(0, 2, 300))
        for rows in (X, sp.csr_matrix(X)):
            chosen = gram_of(kw.Gaussian(1.0), rows, targets, rank=60).sample.landmarks
            distinct = np.unique(X, axis=0)
            assert len(np.unique(X[chosen], axis=0)) == len(chosen) == min(60, len(distinct))

    def test_those_that_others_explain_are_dropped(self):
        X, targets = problem()
        gram = gram_of(kw.Linear(), X, targets)
        rows, _ = gram.expansion(X, np.ones((N, 1)))
        assert rows.shape == (3, 3)

    def test_pivots_come_closer_to_the_matrix(self):
        rng = np.random.default_rng(0)
        X = np.vstack([rng.normal(size=(850, 2)) * 0.1, 5.0 * rng.normal(size=(150, 2))])
        targets = Targets.of(rng.integers(0, 2, 1000))
        uniform, pivoted = (
            gram_of(kw.Gaussian(0.5), X, targets, rank=200, landmarks=kind).statistics.trace
            for kind in ("uniform", "pivoted")
        )
        assert 1000.0 - pivoted < 0.1 * (1000.0 - uniform)

    def test_judged_rows_are_a_sample_of_the_others(self):
        X, targets = problem()
        sample = gram_of(kw.Gaussian(1.0), X, targets, judged=25).sample
        assert sample.judged.size == 25
        assert np.intersect1d(sample.judged, sample.landmarks).size == 0


def test_few_rows_have_their_matrices_in_memory():
    X, targets = problem()
    for rank in (60, 90, 1000):
        [low], [dense] = (
            list(engine.grams([kw.Gaussian(1.0)], X, targets))
            for engine in (LowRank(rank), kw.gram.Dense())
        )
        np.testing.assert_array_equal(low.entries(), dense.entries())
        assert low.unsound is None


def test_a_pass_over_the_rows_sums_products_of_their_features():
    X, targets = problem()
    features = Features.of(kw.Gaussian(1.0), X[:10])
    blocks, moments = RowBlocks(X, features.landmarks, 16), Moments(features, None, targets.columns)
    ours = run_strips(blocks, moments, range(blocks.count), Watch())
    Phi = features.values(kw.kernels.Pairs(X, features.landmarks))
    np.testing.assert_allclose(np.triu(ours[0]), np.triu(Phi.T @ Phi), rtol=1e-12)
    np.testing.assert_allclose(ours[1], Phi.T @ targets.columns, rtol=1e-12, atol=1e-12)


class Recorder(Task):
    """Remembers the parts of a task, and may be interrupted at one of them."""

    def __init__(self, interrupted_at=None):
        self.names, self._interrupted_at = [], interrupted_at

    def part(self, name="", parts=0, share=1):
        self.names.append(name)
        if name == self._interrupted_at:
            raise KeyboardInterrupt
        return self


def test_every_pass_is_told_of():
    X, targets = problem()
    gram = gram_of(kw.Gaussian(1.0), X, targets)
    gram.progress = Recorder()
    Evidence(gram, targets).prefit([0.1, 1.0], kw.criteria.ELOO().needs)
    assert gram.progress.names.count("sweep") == gram.sweeps


def test_control_c_ends_a_pass():
    X, targets = problem()
    gram = gram_of(kw.Gaussian(1.0), X, targets)
    gram.progress = Recorder("sweep")
    with pytest.raises(KeyboardInterrupt):
        _ = gram.statistics


@pytest.mark.parametrize("tau", [0.05, 1.0, 50.0])
@pytest.mark.parametrize("ridge", [0.1, 1.0])
def test_criteria_by_eigenvectors_are_those_of_the_thin_matrix(tau, ridge):
    """SPS, and SM with a fractional power, of the matrix by landmarks (SPS 2014, future work)."""
    X, targets = problem()
    y = np.where(targets.y == 1, 1.0, -1.0)
    kernel = kw.Gaussian(tau)
    gram = gram_of(kernel, X, targets)
    K = oracles.nystrom(kernel(X), gram.sample.landmarks)
    measure = kw.criteria.SM(r=2.5)
    found = kw.score_kernels(
        X,
        targets.y,
        kernel,
        ["sps", measure],
        ridge=ridge,
        engine=LowRank(RANK),
        fit_intercept=False,
    ).table
    assert found["sps"][0] == pytest.approx(
        oracles.sps_first_order(K, y, ridge, 1.0, bias=False), rel=1e-6
    )
    weighted = [float(v) for v in oracles.weighted_labels(y)]
    expected = oracles.sm_spectral(K, weighted, lambda s: max(s, 0.0) ** 2.5)
    assert found["sm"][0] == pytest.approx(expected, rel=1e-6)


class TestRefusals:
    def test_of_arguments(self):
        for arguments, told in [
            ({"rank": 0}, "'rank' parameter of LowRank"),
            ({"rank": "all"}, "'rank' parameter of LowRank"),
            ({"landmarks": "best"}, "'landmarks' parameter of LowRank"),
            ({"random_state": -1}, "'random_state' parameter of LowRank"),
            ({"judged": 0}, "'judged' parameter of LowRank"),
        ]:
            with pytest.raises(ValueError, match=told):
                LowRank(**arguments)

    @pytest.mark.parametrize("criterion", ["span", kw.criteria.BIF(loss="hinge")], ids=str)
    def test_of_what_takes_the_whole_matrix(self, criterion):
        X, targets = problem()
        with pytest.raises(ValueError, match="which engine 'low_rank' does not provide"):
            kw.score_kernels(X, targets.y, kw.Gaussian(1.0), criterion, engine=LowRank(RANK))

    def test_of_a_given_matrix(self):
        with pytest.raises(ValueError, match="in memory already: use engine='dense'"):
            kw.score_kernels(
                np.eye(9), [0, 1, 1] * 3, kw.Precomputed(), engine=LowRank(3), task="classification"
            )

    def test_of_kernels_that_are_not_semidefinite(self):
        X, targets = problem()
        with pytest.raises(ValueError, match="takes positive semidefinite kernels"):
            kw.score_kernels(X, targets.y, kw.Sigmoid(), engine=LowRank(RANK))

    def test_of_eigenvectors_that_do_not_fit(self):
        """They are as large as the features of all rows, which no other need holds."""
        LowRank(100, memory="50MB").check_memory(frozenset(), 40_000)
        with pytest.raises(MemoryError, match="40000 rows at rank 100 need about"):
            LowRank(100, memory="50MB").check_memory(frozenset({kw.gram.Need.SPECTRUM}), 40_000)

    def test_of_a_rank_that_does_not_fit(self):
        X = np.random.default_rng(0).normal(size=(3200, 2))
        with pytest.raises(MemoryError, match="rows at rank 2000 need about"):
            kw.score_kernels(X, X[:, 0] > 0, engine=LowRank(2000), memory="50MB")


@st.composite
def degenerate(draw):
    """Rows that coincide, features that are constant, and a class of two rows."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(8, 40)), draw(st.integers(1, 3))
    X = rng.normal(size=(n, d))
    if draw(st.booleans()):
        X = X[rng.integers(0, draw(st.integers(2, n)), n)]
    if draw(st.booleans()):
        X[:, 0] = draw(st.sampled_from([0.0, 1.0, 1e6]))
    y = np.zeros(n, int)
    y[rng.permutation(n)[: draw(st.integers(2, n // 2))]] = 1
    return (sp.csr_matrix(X) if draw(st.booleans()) else X), y


@settings(max_examples=15, deadline=None)
@given(
    degenerate(),
    st.integers(1, 60),
    st.sampled_from([kw.Gaussian(1e-3), kw.Gaussian(1.0), kw.Gaussian(1e6), kw.Linear()]),
    st.sampled_from(["uniform", "pivoted"]),
)
def test_degenerate_rows_have_the_values_of_their_matrix(rows, rank, kernel, landmarks):
    X, y = rows
    targets = Targets.of(y)
    gram = gram_of(kernel, X, targets, rank=rank, landmarks=landmarks)
    if gram.unsound is None:
        return  # in memory
    K = matrix_of(gram, kernel, X)
    fit, stats = Evidence(gram, targets, kernel).fit(1.0), gram.statistics
    scale = max(float(np.abs(K).max()), 1e-300)
    np.testing.assert_allclose(stats.diagonal, K.diagonal(), atol=1e-7 * scale)
    if fit.lost_digits is None and scale < 1e3:
        expected = np.array(oracles.loo_residuals(K, targets.fit_columns[:, 0], 1.0))
        np.testing.assert_allclose(fit.left_out.residuals[:, 0], expected[fit.judged], atol=1e-5)


def test_products_do_not_depend_on_the_order_of_rows():
    """Sums over blocks are exact but for a rest that hardly counts, whoever adds which blocks."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 3))
    V = rng.normal(size=(3000, 2)) * np.array([1.0, 0.0])  # one column is zero
    blocks, kernel = RowBlocks(X, X[:40]), kw.Gaussian(4.0)
    sums = OrderlessSums.of(kernel, V, 40, 1.0)
    whole = run_strips(blocks, sums, range(blocks.count), Watch())
    parts = [run_strips(blocks, sums, part, Watch()) for part in np.array_split(range(12), 5)]
    found = parts[3]
    for i in (0, 4, 1, 2):
        found = sums.merge(found, parts[i])
    np.testing.assert_array_equal(found[0], whole[0])
    np.testing.assert_allclose(sum(found), kernel(X[:40], X) @ V, rtol=1e-12, atol=1e-10)
    np.testing.assert_allclose(sum(found), sum(whole), rtol=3e-16)
