"""Cross-validation without refits equals cross-validation with refits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import (
    GroupKFold,
    LeaveOneOut,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.model_selection import KFold as PlainKFold
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import kernelwise as kw
import oracles
from helpers import SpectralMachine, close, support_vectors
from inside import Targets, eigensystems, fit_squared_hinge, make_splits
from kernelwise import criteria as c


def problem(n=40, seed=0, classes=2):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    X = rng.normal(size=(n, 3)) + 0.8 * y[:, None]
    order = rng.permutation(n)
    return X[order], y[order]


def score(X, y, criterion, ridge=1.0, kernel=kw.Gaussian(2.0), **settings):  # noqa: B008
    result = kw.score_kernels(X, y, kernel, criterion, ridge=ridge, **settings)
    [values] = result.table.values()
    return values if np.ndim(ridge) else values[0]


def refits(K, targets, ridge, splits, bias, loss):
    """The mean over splits of the loss of refitted machines."""
    losses = []
    for train, test in splits:
        scores = np.column_stack(
            [oracles.refit_scores(K, s, ridge, train, test, bias) for s in targets.fit_columns.T]
        )
        signs = targets.fit_columns[test]
        if loss == "error" and targets.classes is not None:
            winner = scores[:, 0] > 0 if scores.shape[1] == 1 else scores.argmax(axis=1)
            losses.append(np.mean(winner != targets.y[test]))
        elif loss == "squared_hinge":
            losses.append(np.mean(np.maximum(0.0, 1.0 - signs * scores) ** 2))
        else:
            losses.append(np.mean((signs - scores) ** 2))
    return np.mean(losses)


SPLITTERS = {
    "plain": PlainKFold(4),
    "stratified": StratifiedKFold(5, shuffle=True, random_state=3),
    "repeated": RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=1),
    "one by one": LeaveOneOut(),
    "random": ShuffleSplit(4, test_size=0.3, random_state=0),
    "a part of the rows": ShuffleSplit(3, test_size=0.2, train_size=0.5, random_state=0),
    "groups": list(GroupKFold(4).split(np.zeros((40, 1)), groups=np.arange(40) // 5)),
}


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("ridge", [1e-6, 1e-3, 1.0, 1e3])
@pytest.mark.parametrize("splitter", SPLITTERS)
@pytest.mark.parametrize("classes", [2, 3])
def test_exact_folds_equal_refits(splitter, ridge, bias, classes):
    X, y = problem(classes=classes)
    cv, targets, kernel = SPLITTERS[splitter], Targets.of(y), kw.Gaussian(2.0)
    K = kernel(X)
    splits = list(cv.split(X, y)) if hasattr(cv, "split") else cv
    condition = np.linalg.cond(K + ridge * np.eye(40))
    for loss in ("square", "squared_hinge", "error"):
        ours = score(X, y, c.KFold(cv=cv, loss=loss), ridge, kernel, fit_intercept=bias)
        close(ours, refits(K, targets, ridge, splits, bias, loss), condition)


@pytest.mark.parametrize("bias", [True, False])
def test_regression_equals_refits(bias):
    X, _ = problem()
    y = X[:, 0] + np.sin(3.0 * X[:, 1])
    targets, kernel = Targets.of(y), kw.Laplacian(2.0)
    splits = list(PlainKFold(5, shuffle=True, random_state=0).split(X))
    for ridge in (1e-6, 1.0, 1e3):
        expected = refits(kernel(X), targets, ridge, splits, bias, "square")
        for loss in ("square", "error"):
            ours = score(X, y, c.KFold(5, loss), ridge, kernel, fit_intercept=bias)
            close(ours, expected, np.linalg.cond(kernel(X) + ridge * np.eye(40)))


@settings(max_examples=10, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(6, 30),
    k=st.integers(2, 6),
    log_ridge=st.floats(-4, 3),
    duplicates=st.booleans(),
)
def test_exact_folds_equal_refits_on_random_data(seed, n, k, log_ridge, duplicates):
    X, y = problem(n, seed)
    if duplicates:
        X[n // 2 :] = X[: n - n // 2]
    ridge, kernel = 10.0**log_ridge, kw.Gaussian(1.0)
    criterion = c.KFold(k, "square", random_state=seed)
    splits = [(s.train, s.test) for s in make_splits(Targets.of(y), None, k, 1, seed)]
    expected = refits(kernel(X), Targets.of(y), ridge, splits, True, "square")
    close(score(X, y, criterion, ridge, kernel), expected, n / ridge)


def test_leave_one_out_is_a_special_case():
    X, y = problem()
    for loss, same in (("square", "press"), ("error", "error"), ("squared_hinge",) * 2):
        close(score(X, y, c.KFold(cv=LeaveOneOut(), loss=loss)), score(X, y, c.ELOO(same)))


def test_a_scaled_ridge_is_that_of_the_share_trained():
    X, y = problem()
    K, targets = kw.Gaussian(2.0)(X), Targets.of(y)
    splits = list(StratifiedKFold(5).split(X, y))
    expected = refits(K, targets, 0.5 * 0.8, splits, True, "square")
    close(score(X, y, c.KFold(cv=splits, loss="square", fold_ridge="scaled"), 0.5), expected)


def test_all_ridges_share_one_decomposition(monkeypatch):
    X, y = problem()
    ridges = 10.0 ** np.arange(-3.0, 3.0)
    expected = [score(X, y, c.KFold(), ridge) for ridge in ridges]
    original = eigensystems.decompose
    decompositions = []

    def counted(*args, **kwargs):
        decompositions.append(1)
        return original(*args, **kwargs)

    monkeypatch.setattr(eigensystems, "decompose", counted)
    np.testing.assert_allclose(score(X, y, c.KFold(), ridges), expected)
    assert len(decompositions) == 1


def test_all_candidates_see_the_same_folds():
    X, y = problem()
    kernels = [kw.Gaussian(1.0), kw.Gaussian(1.0)]
    for cv in (ShuffleSplit(3), GroupKFold(4).split(X, y, np.arange(40) // 5)):
        values = kw.score_kernels(X, y, kernels, c.KFold(cv=cv, loss="square")).table["kfold"]
        assert values[0] == values[1]


def test_given_folds_have_a_short_name():
    X, y = problem()
    criterion = c.KFold(cv=SPLITTERS["groups"])
    assert criterion.label == "kfold(cv=<4 given splits>)" and hash(criterion)
    result = kw.score_kernels(X, y, kw.Gaussian(1.0), [criterion, c.KFold()])
    assert list(result.table) == ["kfold(cv=<4 given splits>)", "kfold"]


def test_repeats_average_over_chance():
    X, y = problem(60)
    one = [score(X, y, c.KFold(3, "square", random_state=s)) for s in range(4)]
    close(score(X, y, c.KFold(3, "square", repeats=4)), np.mean(one))
    assert np.ptp(one) > 0.0


@pytest.mark.parametrize("classes", [2, 3])
def test_svm_folds_equal_scikit_learn(classes):
    X, y = problem(60, classes=classes)
    kernel, folds = kw.Gaussian(2.0), StratifiedKFold(5, shuffle=True, random_state=0)
    for ridge in (0.01, 0.5, 5.0):
        theirs = cross_val_score(SVC(kernel="precomputed", C=0.5 / ridge), kernel(X), y, cv=folds)
        close(score(X, y, c.KFold(), ridge, machine="svm"), np.mean(1.0 - theirs))


def test_svm_training_and_fold_hinge_losses():
    """To the tolerance of the optimality conditions, which is libsvm's default."""
    X, y = problem(50)
    K, signs = kw.Gaussian(2.0)(X), 2.0 * y - 1.0
    exact = SVC(kernel="precomputed", C=0.5, tol=1e-9)

    def close(ours, theirs):
        assert ours == pytest.approx(theirs, abs=1e-3)

    machine = exact.fit(K, signs)
    loss = np.mean(np.maximum(0.0, 1.0 - signs * machine.decision_function(K)))
    beta = score(X, y, "ks")
    close(score(X, y, c.RKS(eta=0.3), machine="svm"), loss + 0.3 / 50 * beta)
    folds = []
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
        part = exact.fit(K[np.ix_(train, train)], signs[train])
        f = part.decision_function(K[np.ix_(test, train)])
        folds.append(np.mean(np.maximum(0.0, 1.0 - signs[test] * f)))
    close(score(X, y, c.CVKS(eta=0.7), machine="svm"), np.mean(folds) + 0.7 / 50 * beta)
    close(score(X, y, c.KFold(loss="hinge"), machine="svm"), np.mean(folds))
    s, Q = np.linalg.eigh(K)
    close(score(X, y, c.ER(t=2), machine="svm"), loss + 0.6 * s[:-2].sum() / s[-2:].sum())
    moves = np.abs(Q**2 * (2.0 * s - 1.0)).sum()
    close(score(X, y, c.SPS(), machine="svm"), loss + moves / 50**2)


def test_cvks_of_least_squares():
    X, y = problem(50)
    splits = list(StratifiedKFold(10, shuffle=True, random_state=0).split(X, y))
    K = kw.Gaussian(2.0)(X)
    error = refits(K, Targets.of(y), 0.7, splits, True, "square")
    expected = error + 0.25 / 50 * oracles.kernel_stability(K)
    close(score(X, y, c.CVKS(10, 0.25), 0.7), expected)


class TestSpan:
    def test_small_data_against_real_leave_one_out(self):
        """It follows the truth from above: support vectors are taken to stay what they are."""
        truths, estimates = [], []
        for seed in range(3):
            X, y = problem(60, seed)
            for kernel in kw.grids.gaussian(-4, 5)[::2]:
                truths.append(self.refitted(kernel(X), y))
                estimates.append(score(X, y, "span", 0.1, kernel))
        assert np.corrcoef(truths, estimates)[0, 1] > 0.9
        assert 0.0 <= np.mean(estimates) - np.mean(truths) < 0.06

    @staticmethod
    def refitted(K, y):
        """The share of rows that a machine trained without them gets wrong."""
        wrong = 0
        for i in range(len(y)):
            rest = np.delete(np.arange(len(y)), i)
            machine = SVC(kernel="precomputed", C=5.0).fit(K[np.ix_(rest, rest)], y[rest])
            wrong += machine.predict(K[[i]][:, rest])[0] != y[i]
        return wrong / len(y)

    def test_exact_where_no_other_multiplier_reaches_or_leaves_its_bound(self):
        unchanged = 0
        for seed in range(4):
            X, y = problem(40, seed)
            K, signs, C = kw.Gaussian(3.0)(X), 2.0 * y - 1.0, 10.0
            flagged = support_vectors(K, Targets.of(y)).span_errors(0.5 / C)[:, 0]
            before = self.states(SVC(kernel="precomputed", C=C).fit(K, signs), np.arange(40))
            for i in range(40):
                rest = np.delete(np.arange(40), i)
                without = SVC(kernel="precomputed", C=C).fit(K[np.ix_(rest, rest)], signs[rest])
                if np.array_equal(self.states(without, rest)[rest], before[rest]):
                    unchanged += 1
                    wrong = signs[i] * without.decision_function(K[[i]][:, rest])[0] < 0.0
                    assert flagged[i] == wrong
        assert unchanged > 20

    @staticmethod
    def states(machine, rows):
        """0 for no support vector, 1 for a free one, 2 at the bound."""
        states = np.zeros(40, int)
        bounded = np.abs(machine.dual_coef_[0]) > machine.C * (1 - 1e-6)
        states[rows[machine.support_]] = np.where(bounded, 2, 1)
        return states

    def test_points_alone_are_always_wrong_without_their_kind(self):
        """K = I, balanced: without its point the machine has the bias of the other class."""
        y = np.arange(8) % 2
        assert kw.score_matrix(np.eye(8), y, "span", ridge=0.01)["span"] == 1.0

    def test_undefined_where_every_support_vector_is_at_its_bound(self):
        X, y = problem(20)
        with pytest.warns(UserWarning, match="every support vector is at its bound"):
            assert np.isnan(score(X, y, "span", 1e4))

    def test_not_for_regression(self):
        with pytest.raises(ValueError, match="not defined for regression"):
            score(problem()[0], np.linspace(0.0, 1.0, 40), "span")


class TestBIF:
    @pytest.mark.parametrize("bias", [True, False])
    @pytest.mark.parametrize("order", [0, 1, 4])
    def test_terms_are_those_of_the_hat_matrix(self, order, bias):
        X, y = problem()
        K, signs = kw.Gaussian(2.0)(X), 2.0 * y - 1.0
        folds = list(StratifiedKFold(4).split(X, y))
        expected = np.mean(
            [
                np.mean(oracles.taylor_residuals(K, signs, 0.3, test, order, bias) ** 2)
                for _, test in folds
            ]
        )
        criterion = c.BIF(order=order, measure="square", cv=folds)
        close(score(X, y, criterion, 0.3, fit_intercept=bias), expected)

    @settings(max_examples=10, deadline=None)
    @given(seed=st.integers(0, 10**6), log_ridge=st.floats(-2, 2), order=st.integers(0, 8))
    def test_converges_to_exact_folds_at_its_rate(self, seed, log_ridge, order):
        X, y = problem(30, seed)
        K, signs, ridge = kw.Gaussian(2.0)(X), 2.0 * y - 1.0, 10.0**log_ridge
        H = oracles.hat_matrix(K, ridge)
        for train, test in PlainKFold(5).split(X):
            rho = np.linalg.eigvalsh(H[np.ix_(test, test)]).max()
            assert rho < 1.0
            exact = signs[test] - oracles.refit_scores(K, signs, ridge, train, test)
            taylor = oracles.taylor_residuals(K, signs, ridge, test, order)
            error = np.linalg.norm(taylor - exact) / np.linalg.norm(exact)
            assert error <= rho ** (order + 1) * (1 + 1e-6) + 1e-9
            if rho <= 0.3 and order >= 5:
                assert error < 1e-3

    def test_high_order_is_exact(self):
        X, y = problem()
        for ridge in (1.0, 10.0):
            exact = score(X, y, c.KFold(loss="square"), ridge)
            close(score(X, y, c.BIF(order=300, measure="square"), ridge), exact, rtol=1e-7)

    def test_squared_hinge_machine_is_a_minimum(self):
        X, y = problem(30)
        K, signs = kw.Gaussian(2.0)(X), 2.0 * y - 1.0
        for ridge in (0.01, 1.0):
            fit = fit_squared_hinge(K, signs, ridge)
            alpha = np.zeros(30)
            alpha[fit.active] = fit.coefficients
            ours = oracles.squared_hinge_objective(K, signs, ridge, alpha, fit.bias)
            found = minimize(
                lambda p, r=ridge: oracles.squared_hinge_objective(K, signs, r, p[:-1], p[-1]),
                np.append(alpha, fit.bias),
                method="BFGS",
            )
            assert ours <= found.fun * (1 + 1e-8)
            assert fit.coefficients.sum() == pytest.approx(0.0, abs=1e-9)

    def test_squared_hinge_follows_real_cross_validation(self):
        X, y = load_breast_cancer(return_X_y=True)
        X, y = StandardScaler().fit_transform(X)[:300], y[:300]
        kernels = kw.grids.gaussian(1, 7)
        folds = list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y))
        signs = 2.0 * y - 1.0

        def refitted(K, ridge):
            losses = []
            for train, test in folds:
                fit = fit_squared_hinge(K[np.ix_(train, train)], signs[train], ridge)
                f = fit.scores(K[np.ix_(test, train)])
                losses.append(np.mean(np.maximum(0.0, 1.0 - signs[test] * f) ** 2))
            return np.mean(losses)

        truth = np.array([refitted(kernel(X), 1.0) for kernel in kernels])
        apart = {}
        for order in (0, 1, 3, 20):
            criterion = c.BIF(order=order, loss="squared_hinge", measure="squared_hinge", cv=folds)
            ours = kw.score_kernels(X, y, kernels, criterion).table["bif"]
            apart[order] = np.abs(ours - truth).max() / truth.max()
        assert apart[0] > apart[1] > apart[3] > apart[20]
        assert apart[20] < 0.03  # what the active rows' changes leave

    @pytest.mark.parametrize("bias", [True, False])
    def test_squared_hinge_leaves_single_rows_out(self, bias):
        """A row without loss changes nothing; another takes its own share of the fit with it."""
        X, y = problem(30)
        X[y == 1] += 2.0
        K, signs, ridge = kw.Gaussian(2.0)(X), 2.0 * y - 1.0, 0.1
        fit = fit_squared_hinge(K, signs, ridge, bias)
        active, expected = fit.active, []
        assert 0 < active.size < 30
        for row in range(30):
            rest = np.setdiff1d(active, [row])
            if row in active:  # least squares of the active rows that stay
                left = oracles.refit_scores(K, signs, ridge, rest, [row], bias)
            else:
                left = fit.scores(K[[row]])
            expected.append(np.maximum(0.0, 1.0 - signs[row] * np.ravel(left)[0]) ** 2)
        folds = list(LeaveOneOut().split(X))
        criterion = c.BIF(order=300, loss="squared_hinge", measure="squared_hinge", cv=folds)
        close(score(X, y, criterion, ridge, fit_intercept=bias), np.mean(expected), rtol=1e-6)

    def test_needs_are_those_of_its_loss(self):
        assert c.Need.ENTRIES not in c.BIF().needs
        assert c.BIF(loss="hinge").needs == {c.Need.ENTRIES}


class TestBadInput:
    @pytest.mark.parametrize(
        "make, message",
        [
            (lambda: c.KFold(1), "'k' parameter of KFold"),
            (lambda: c.KFold(loss="cubic"), "'loss' parameter of KFold"),
            (lambda: c.KFold(repeats=0), "'repeats' parameter of KFold"),
            (lambda: c.KFold(fold_ridge="n"), "'fold_ridge' parameter of KFold"),
            (lambda: c.CVKS(eta=0.0), "'eta' parameter of CVKS"),
            (lambda: c.BIF(order=-1), "'order' parameter of BIF"),
        ],
    )
    def test_parameters(self, make, message):
        with pytest.raises(ValueError, match=message):
            make()

    @pytest.mark.parametrize(
        "cv, message",
        [
            ([], "cv has no split"),
            (3, "cv must be a splitter or a list"),
            ([([0, 1, 2], [2, 3])], "cv tests on rows that it trains on"),
            ([([0, 1, 2], [99])], "cv must name rows from 0 to 39"),
            ([([0, 1, 2], [])], "cv must name rows from 0 to 39"),
            ([([0.5, 1.5, 2.5], [3])], "cv must name rows from 0 to 39"),
            ([([True, False], [3])], "cv must name rows from 0 to 39"),
            ([("a", "b")], "cv must name rows from 0 to 39"),
            ([([0, 0, 1, 2], [3])], "cv trains on a row twice"),
            ([1, 2], "cv must list pairs of rows"),
            ("abc", "cv must be a splitter or a list"),
            (StratifiedKFold, "cv must be a splitter or a list"),
        ],
    )
    def test_folds(self, cv, message):
        with pytest.raises(ValueError, match=message):
            score(*problem(), c.KFold(cv=cv))

    def test_a_class_without_a_row_is_undefined_for_the_svm(self):
        X, y = problem(60)
        y[0] = 2
        with pytest.warns(UserWarning, match="a fold leaves a class without a row"):
            assert np.isnan(score(X, y, c.CVKS(), machine="svm"))
        for criterion in (c.RKS(eta="cv"), c.ER(eta="cv")):
            assert np.isfinite(score(X, y, criterion, machine="svm"))

    def test_more_folds_than_rows(self):
        with pytest.raises(ValueError, match="k = 50 folds need at least as many rows"):
            score(*problem(), c.KFold(50))

    def test_a_fold_with_one_class_is_undefined_for_the_svm(self):
        X, y = problem()
        apart = [(np.flatnonzero(y == 0), np.flatnonzero(y == 1))]
        with pytest.warns(UserWarning, match="a fold leaves a single class"):
            assert np.isnan(score(X, y, c.KFold(cv=apart), machine="svm"))
        assert np.isfinite(score(X, y, c.KFold(cv=apart)))

    def test_the_svm_is_for_classes(self):
        X, _ = problem()
        with pytest.warns(UserWarning, match="support vector machine is for classes"):
            assert np.isnan(score(X, X[:, 0], "kfold", machine="svm"))

    def test_unknown_machine(self):
        with pytest.raises(ValueError, match="'machine' parameter of score_kernels"):
            score(*problem(), "kfold", machine="tree")


def test_small_classes_and_many_classes():
    X, y = load_iris(return_X_y=True)
    few = np.r_[0:30, 50:53, 100:130]
    assert np.isfinite(score(X[few], y[few], c.KFold(5)))


def test_blocks_of_the_inverse():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(12, 12))
    weights = rng.uniform(0.5, 2.0, 12)
    K, rows = A @ A.T, np.array([1, 4, 9])
    path = SpectralMachine(K, rng.normal(size=12), sample_weight=weights)
    C = np.ones((13, 13))
    C[:-1, :-1], C[-1, -1] = K + 0.3 * np.diag(1.0 / weights), 0.0
    expected = np.linalg.inv(C)[np.ix_(rows, rows)]
    np.testing.assert_allclose(path.at(0.3)._block(rows), expected, rtol=1e-9)


@pytest.mark.parametrize(
    "criterion", [c.KFold(4), c.ELOO("error"), c.KFold(4, "auc"), c.ELOO("auc")]
)
@pytest.mark.parametrize("classes", [2, 3])
def test_a_machine_that_says_nothing_is_not_right(criterion, classes):
    """K = I without a bias: f = 0 on every row left out, whatever the ridge."""
    y = np.arange(24) % classes
    for ridge in (0.3, 1.35, 70.0):
        value = kw.score_matrix(np.eye(24), y, criterion, ridge=ridge, fit_intercept=False)
        expected = 0.5 if criterion.loss == "auc" else 1.0 - 1.0 / classes
        assert next(iter(value.values())) == pytest.approx(expected)


def test_narrow_kernels_do_not_look_perfect(wdbc):
    """A width below all distances, no bias: the closed form has only rounding errors to judge."""
    X, y = wdbc
    kernels = [kw.Gaussian(1e-4), kw.Gaussian(30.0)]
    result = kw.score_kernels(
        X[:200], y[:200], kernels, c.KFold(10), ridge=2.0, fit_intercept=False
    )
    narrow, good = next(iter(result.table.values()))
    assert narrow > 0.3 and good < 0.1
