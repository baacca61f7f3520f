"""Weights of kernels: gradients, optimality conditions, norms, and the matrices behind them."""

import numpy as np
import pytest
from scipy.optimize import minimize

import kernelwise as kw
import oracles
from helpers import close
from inside import (
    ER,
    MD,
    METHODS,
    RKS,
    SM,
    SPS,
    Proposal,
    Targets,
    Verdict,
    _curvature,
    alignment,
    as_method,
    base_matrices,
    by_criterion,
    choose,
    criteria,
    gradient,
    judge,
    minimise,
    objective_of,
    on_sphere,
    sparse_path,
    sparse_weights,
    until_clearly_worse,
)

KERNELS = [
    kw.Gaussian(1.0),
    kw.Gaussian(6.0),
    kw.Columns([1, 2], kw.Laplacian(1.0)),
    kw.Columns([0], kw.Gaussian(0.5)),
    kw.Linear(),
]
TARGETS = ["binary", "multiclass", "regression"]
ALL = [SM(r=1), SM(r=3), SM(r=2.5), SM(r=2, weighted=False), MD(), ER(), ER(t=2, scale="printed")]
ALL += [RKS(), SPS()]
DEFINED = [(c, kind) for c in ALL for kind in TARGETS if kind != "regression" or c != MD()]
RIDGE = 0.3


def problem(kind="binary", kernels=KERNELS, n=26, seed=0, weighted=False, **how):
    """Base matrices of random rows whose target depends on the first features."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    f = np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.2 * rng.normal(size=n)
    y = f if kind == "regression" else np.digitize(f, [0.0] if kind == "binary" else [-0.6, 0.6])
    task = "regression" if kind == "regression" else "classification"
    targets = Targets.of(y, task).weighted(rng.uniform(0.3, 2.0, n) if weighted else None)
    return base_matrices(kernels, X, targets, **{"center": True, "normalize": True} | how)


def matrices(base):
    """The base matrices, whether they are kept as factors or not."""
    return np.array([base.combined(unit) for unit in np.eye(base.kernels)])


def differences(objective, x, step=1e-5):
    steps = step * np.eye(x.size)
    return np.array([(objective(x + e)[0] - objective(x - e)[0]) / (2 * step) for e in steps])


class TestBaseMatrices:
    @pytest.mark.parametrize("weighted", [False, True])
    def test_are_centred_with_mean_diagonal_one(self, weighted):
        base = problem(weighted=weighted)
        close(base.diagonals.mean(axis=1), np.ones(5))
        close(base.products(base.root[:, None]), np.zeros((5, 26, 1)), scale=1.0)

    def test_match_the_definition(self):
        base = problem()
        X = np.random.default_rng(0).normal(size=(26, 4))
        K = np.array(oracles.centred(kw.Gaussian(1.0)(X)))
        close(matrices(base)[0], K * 26 / np.trace(K))
        close(base.scales[0], np.trace(K) / 26)

    def test_by_choice_are_as_they_are(self):
        base = problem(center=False, normalize=False)
        X = np.random.default_rng(0).normal(size=(26, 4))
        close(matrices(base)[4], X @ X.T)
        assert np.all(base.scales == 1.0)

    def test_constant_kernels_are_not_used(self):
        base = problem(kernels=[kw.Gaussian(1.0), kw.Gaussian(1e200), kw.Linear()])
        assert base.usable.tolist() == [True, False, True]
        for method in METHODS.values():
            for proposal in method(base, 0.1):
                assert proposal.weights[1] == 0.0
        for criterion in ALL:
            for proposal in by_criterion(base, criterion, 2.0):
                assert proposal.weights[1] == 0.0


class TestGradients:
    @pytest.mark.parametrize("weighted", [False, True])
    @pytest.mark.parametrize(("criterion", "kind"), DEFINED, ids=str)
    def test_of_criteria_are_those_of_finite_differences(self, criterion, kind, weighted):
        objective = objective_of(criterion, problem(kind, weighted=weighted), RIDGE)
        mu = np.random.default_rng(1).uniform(0.2, 1.0, 5)
        close(objective(mu)[1], differences(objective, mu), rtol=1e-6)

    @pytest.mark.parametrize("weighted", [False, True])
    @pytest.mark.parametrize("kind", TARGETS)
    @pytest.mark.parametrize("function", [gradient.loo_posterior, gradient.negative_likelihood])
    def test_by_log_weights_are_those_of_finite_differences(self, function, kind, weighted):
        base = problem(kind, weighted=weighted)
        theta = np.random.default_rng(1).normal(size=5)
        found = function(base, theta, RIDGE)[1]
        close(found, differences(lambda t: function(base, t, RIDGE), theta), rtol=1e-6)

    @pytest.mark.parametrize("weighted", [False, True])
    @pytest.mark.parametrize("kind", TARGETS)
    def test_of_sparse_weights_are_those_of_finite_differences(self, kind, weighted):
        """The slopes that its optimality conditions are about, and the curvature of its steps."""
        base = problem(kind, weighted=weighted)
        mu = np.random.default_rng(1).uniform(0.2, 1.0, 5)

        def objective(weights):
            A, _ = base.coefficients(weights, RIDGE)
            return float(np.vdot(A, base.weighted_targets)), -base.forms(A, A)

        close(objective(mu)[1], differences(objective, mu), rtol=1e-6)
        A, solve = base.coefficients(mu, RIDGE)
        slopes = [differences(lambda w, k=k: (objective(w)[1][k],), mu) for k in range(5)]
        close(_curvature(base.products(A), solve), np.array(slopes), rtol=1e-6)

    @pytest.mark.parametrize("center", [False, True])
    def test_of_equal_eigenvalues(self, center):
        """Where all rows are alone, eigenvalues are equal: divided differences are slopes."""
        kernels = [kw.Gaussian(1e-4), kw.Columns([0], kw.Gaussian(1e-9))]
        base = problem(kernels=kernels, center=center)
        mu = np.array([0.7, 0.4])
        for criterion in (SM(r=2.5), SM(r=1.5)):
            objective = objective_of(criterion, base, RIDGE)
            close(objective(mu)[1], differences(objective, mu), rtol=1e-6)


class TestValues:
    """The objectives are the criteria of the library on the combined matrix."""

    @pytest.mark.parametrize(("criterion", "kind"), DEFINED, ids=str)
    def test_are_those_of_the_criteria(self, criterion, kind):
        base = problem(kind)
        mu = np.random.default_rng(1).uniform(0.2, 1.0, 5)
        K = base.combined(mu)
        y = base.Y[:, 0] if kind == "regression" else base.targets.labels
        [expected] = kw.score_matrix(K, y, [criterion], ridge=RIDGE).values()
        value, _ = objective_of(criterion, base, RIDGE)(mu)
        if isinstance(criterion, SM):
            close(np.exp(-value), expected * np.trace(K) ** criterion.r)
        else:
            close(np.exp(-value) if isinstance(criterion, MD) else value, expected)

    @pytest.mark.parametrize("weighted", [False, True])
    def test_leave_one_out_is_that_of_refits(self, weighted):
        base = problem("regression", weighted=weighted)
        w, theta = base.root**2, np.zeros(5)
        K = base.combined(np.full(5, 0.2)) / np.outer(base.root, base.root)
        residuals = oracles.loo_residuals(K, base.Y[:, 0], RIDGE, weights=w)
        expected = 13.0 * np.log(np.sum(w * np.asarray(residuals) ** 2))
        close(gradient.loo_posterior(base, theta, RIDGE)[0], expected)

    def test_likelihood_is_that_of_contrasts(self):
        """A flat prior on the bias leaves the likelihood of what is orthogonal to it."""
        base = problem("regression", weighted=True)
        Q = np.linalg.qr(np.column_stack([base.root, np.eye(26)[:, 1:]]))[0][:, 1:]

        def naive(theta):
            M = Q.T @ (base.combined(np.exp(theta) / 5) + RIDGE * np.eye(26)) @ Q
            y = Q.T @ base.weighted_targets[:, 0]
            return 12.5 * np.log(y @ np.linalg.solve(M, y)) + 0.5 * np.linalg.slogdet(M)[1]

        one, two = np.zeros(5), np.random.default_rng(1).normal(size=5)
        found = [gradient.negative_likelihood(base, theta, RIDGE)[0] for theta in (one, two)]
        close(found[1] - found[0], naive(two) - naive(one))


class TestSparseWeights:
    @pytest.mark.parametrize("kind", TARGETS)
    @pytest.mark.parametrize("penalty", [0.1, 1.0, 10.0])
    def test_satisfy_the_optimality_conditions(self, kind, penalty):
        base = problem(kind)
        mu = sparse_weights(base, penalty, gap=1e-9)
        A, _ = base.coefficients(mu, penalty)
        forms = base.forms(A, A)
        close(forms[mu > 1e-3], forms.max(), rtol=1e-3)
        assert mu.min() >= 0.0 and np.isclose(mu.sum(), 1.0)

    def test_are_those_of_a_generic_solver(self):
        base = problem("regression")

        def objective(mu):
            A, _ = base.coefficients(np.maximum(mu, 0.0), 1.0)
            return float(np.vdot(A, base.weighted_targets)), -base.forms(A, A)

        constraint = {"type": "eq", "fun": lambda mu: mu.sum() - 1.0, "jac": lambda mu: np.ones(5)}
        found = minimize(
            objective,
            np.full(5, 0.2),
            jac=True,
            method="SLSQP",
            bounds=[(0.0, 1.0)] * 5,
            constraints=[constraint],
            options={"ftol": 1e-12, "maxiter": 500},
        )
        mu = sparse_weights(base, 1.0, gap=1e-9)
        close(objective(mu)[0], found.fun, rtol=1e-6)
        close(mu, found.x, rtol=1e-2)

    def test_minimise_the_sum_of_norms(self):
        """The norms of the parts are in proportion to the weights."""
        base = problem("regression")
        mu = sparse_weights(base, 1.0, gap=1e-9)
        A, _ = base.coefficients(mu, 1.0)
        norms = mu * np.sqrt(base.forms(A, A))
        close(norms / norms.sum(), mu, rtol=1e-3)

    def test_duplicates_share_the_weight_of_one(self):
        mu = sparse_weights(problem(), 1.0, gap=1e-9)
        base = problem(kernels=[*KERNELS, KERNELS[2]])
        doubled = sparse_weights(base, 1.0, gap=1e-9)
        close(doubled[2], doubled[5])
        close(doubled[2] + doubled[5], mu[2], rtol=1e-2, scale=1.0)


class TestAlignment:
    def test_of_every_kernel_is_centred_alignment(self):
        base = problem()
        X = np.random.default_rng(0).normal(size=(26, 4))
        values = [kw.score_matrix(k(X), base.targets.labels, ["ckta"])["ckta"] for k in KERNELS]
        close(alignment.align(base), np.array(values) / np.sum(values))

    @pytest.mark.parametrize("kind", TARGETS)
    @pytest.mark.parametrize("seed", range(5))
    def test_of_the_sum_satisfies_the_optimality_conditions(self, kind, seed):
        a, M = alignment.alignments(problem(kind, seed=seed))
        v = alignment.nonnegative_minimum(M, a)
        slack = M @ v - a
        assert v.min() >= 0.0
        close(slack[v > 0.0], 0.0, rtol=1e-7, scale=np.abs(a).max())
        assert slack.min() >= -1e-7 * np.abs(a).max()

    @pytest.mark.parametrize("seed", range(3))
    def test_of_the_sum_is_that_of_a_generic_solver(self, seed):
        a, M = alignment.alignments(problem(seed=seed))
        unit = float(np.trace(M))
        found = minimize(
            lambda v: (v @ M @ v / unit - 2.0 * v @ a / unit, 2.0 * (M @ v - a) / unit),
            np.ones(5),
            jac=True,
            method="L-BFGS-B",
            bounds=[(0.0, None)] * 5,
            options={"ftol": 1e-15, "gtol": 1e-12, "maxiter": 10_000},
        )
        v = alignment.nonnegative_minimum(M, a)
        close(v, found.x, rtol=1e-5)

    def test_of_the_sum_is_largest(self):
        base = problem()
        Y = base.centred_targets

        def aligned(w):
            K = base.combined(w)
            return np.vdot(Y, K @ Y) / np.linalg.norm(K)

        best = aligned(alignment.alignf(base))
        for w in np.random.default_rng(2).dirichlet(np.ones(5), 200):
            assert aligned(w) <= best * (1.0 + 1e-9)

    def test_singular_problems_have_the_solution_of_minimum_norm(self):
        base = problem(kernels=[*KERNELS, *KERNELS])
        w = alignment.alignf(base)
        close(w[:5], w[5:], rtol=1e-5)
        close(w[:5] + w[5:], alignment.alignf(problem()), rtol=1e-5)

    def test_nothing_aligned_gives_equal_weights(self):
        close(alignment.nonnegative_minimum(np.zeros((2, 2)), np.zeros(2)), [0.0, 0.0], scale=1.0)


class TestNorms:
    @pytest.mark.parametrize("p", [1.0, 1.5, 2.0, 4.0])
    @pytest.mark.parametrize("criterion", ALL, ids=str)
    def test_hold_exactly(self, criterion, p):
        objective = objective_of(criterion, problem(), RIDGE)
        mu = minimise(objective, np.ones(5, dtype=bool), p)
        close(np.sum(mu**p) ** (1.0 / p), 1.0)
        assert mu.min() >= 0.0
        value = objective(mu)[0]
        for z in np.random.default_rng(1).exponential(size=(50, 5)) ** 3:
            assert objective(on_sphere(z, p)[0])[0] >= value - 1e-4 * abs(value)

    @pytest.mark.parametrize("p", [1.5, 2.0, 3.0])
    def test_of_linear_objectives_are_dual(self, p):
        r"""The maximum of g'mu has mu in proportion to :math:`g^{1/(p - 1)}`, by Hölder."""
        base = problem()
        Y = criteria.contrasts(base)
        g = base.forms(Y, Y) ** (1.0 / (p - 1.0))
        for criterion in (SM(r=1), MD()):
            [proposal] = by_criterion(base, criterion, p)
            close(proposal.weights, g / g.sum(), rtol=1e-3)

    @pytest.mark.parametrize("p", [1.5, 2.0])
    def test_duplicates_share_as_the_norm_dictates(self, p):
        [single] = by_criterion(problem(), SM(r=1), p)
        [doubled] = by_criterion(problem(kernels=[*KERNELS, KERNELS[0]]), SM(r=1), p)
        close(doubled.weights[0], doubled.weights[5], rtol=1e-3)
        ratio = doubled.weights[1] / doubled.weights[0]
        close(ratio, single.weights[1] / single.weights[0], rtol=1e-3)

    @pytest.mark.parametrize("r", [1, 1.5, 2])
    def test_the_scale_free_measure_prefers_one_kernel(self, r):
        """Divided by the trace it is convex in the weights: no combination beats the best."""
        base = problem()
        objective, traces = objective_of(SM(r=r), base, RIDGE), base.diagonals.sum(axis=1)

        def measure(mu):
            return np.exp(-objective(mu)[0]) / (traces @ mu) ** r

        best = max(measure(unit) for unit in np.eye(5))
        for mu in np.random.default_rng(1).dirichlet(np.full(5, 0.5), 200):
            assert measure(mu) <= best * (1.0 + 1e-12)
        [proposal] = by_criterion(base, SM(r=r), 1.0)
        close(proposal.weights.max(), 1.0, rtol=1e-3)


class TestJudging:
    @pytest.mark.parametrize("kind", TARGETS)
    @pytest.mark.parametrize("weighted", [False, True])
    @pytest.mark.parametrize("center", [False, True])
    def test_is_by_exact_leave_one_out(self, kind, weighted, center):
        base = problem(kind, weighted=weighted, center=center)
        verdict = judge(base, Proposal(np.full(5, 0.2)), np.array([0.5]))
        K = base.combined(np.full(5, 0.2)) / np.outer(base.root, base.root)
        for column in range(base.Y.shape[1]):
            y = base.Y[:, column]
            expected = oracles.loo_residuals(K, y, 0.5, weights=base.root**2)
            close(y - verdict.values[:, column], expected)

    def test_takes_the_best_ridge(self):
        base = problem()
        ridges = np.array([0.01, 0.1, 1.0, 10.0])
        losses = [judge(base, Proposal(np.full(5, 0.2)), ridges[i : i + 1]).loss for i in range(4)]
        verdict = judge(base, Proposal(np.full(5, 0.2)), ridges)
        assert verdict.ridge == ridges[np.argmin(losses)]
        close(verdict.loss, min(losses))


class TestPath:
    def test_ends_where_the_loss_is_clearly_larger_and_the_choice_is_the_same(self):
        """One feature of twelve matters: small penalties fit the others to the noise."""
        rng = np.random.default_rng(0)
        X = rng.normal(size=(400, 12))
        targets = Targets.of(np.sin(2.0 * X[:, 0]) + 0.3 * rng.normal(size=400))
        kernels = [kw.Columns([j], kw.Gaussian(tau)) for j in range(12) for tau in (0.3, 2.0)]
        base = base_matrices(kernels, X, targets, center=True, normalize=True)
        whole = [judge(base, proposal, None).loss for proposal in sparse_path(base)]
        found = choose(base, as_method("l1", None, 2.0), None)
        tried = [verdict.loss for verdict in found.tried]
        assert 1 < len(tried) < len(whole)
        close(tried, whole[: len(tried)])
        close(found.best.loss, min(whole))

    def test_ends_at_three_standard_errors_above_the_least(self):
        def kept(*means):
            wave = np.tile([1.0, -1.0], 50)  # of standard error 0.1, every other row apart
            lost = [mean + (i % 2) * wave for i, mean in enumerate(means)]
            verdicts = [Verdict(Proposal(np.ones(1)), 1.0, np.zeros(1), each) for each in lost]
            return len(until_clearly_worse(iter(verdicts)))

        assert kept(1.0) == 1
        assert kept(1.0, 1.29, 1.0) == 3
        assert kept(1.0, 1.31, 0.0) == 2
        assert kept(1.0, 0.5, 0.79, 0.1) == 4  # above the least, not the first
        assert kept(1.0, 0.5, 0.81, 0.1) == 3
        assert kept(1.0, 1.0, 1.0) == 3


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("criterion", None, 2.0), "criterion is missing: name one of sm, md, er, rks, sps"),
        (("align", "sm", 2.0), "criterion is not for method='align'"),
        (("criterion", "eloo", 2.0), "criterion must be one of sm, md, er, rks, sps, got 'eloo'"),
        (("auto", SM(normalizer="sum"), 2.0), "criterion SM must have normalizer='trace'"),
        (("auto", RKS(eta="cv"), 2.0), "criterion must have a number for eta, got 'cv'"),
    ],
)
def test_methods_that_make_no_sense_are_explained(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        as_method(*arguments)


def test_criteria_of_classes_are_not_for_numbers():
    with pytest.raises(ValueError, match="criterion md is for classes"):
        list(by_criterion(problem("regression"), MD(), 2.0))
