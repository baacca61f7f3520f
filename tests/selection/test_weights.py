"""Weights of rows and classes in the choice, against machines that are refitted row by row."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.metrics import balanced_accuracy_score
from sklearn.svm import SVC, NuSVC
from tests.helpers import close

import kernelwise as kw
from inside import Evidence, SupportVectors, ask, make_splits
from kernelwise import criteria as c

RIDGES = [0.03, 0.4, 5.0]
ENGINES = [kw.gram.Dense(), kw.gram.Tiled(tile=16)]
KINDS = ["binary", "multiclass", "regression"]


def rows(kind="binary", n=40, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    signal = X[:, 0] + 0.3 * X[:, 1] ** 2 + 0.5 * rng.normal(size=n)
    if kind == "regression":
        return X, signal
    cuts = [0.9] if kind == "binary" else [-0.3, 0.9]
    return X, np.digitize(signal, cuts)


def imbalanced(n=300, share=0.08, seed=0, gap=1.3):
    rng = np.random.default_rng(seed)
    y = (np.arange(n) < share * n).astype(int)
    return rng.normal(size=(n, 3)) + gap * y[:, None], y


def random_weights(n, seed=1):
    return np.exp(np.random.default_rng(seed).normal(size=n))


def solve(K, Y, w, ridge, bias=True):
    """Return the weighted least-squares machine from its whole linear system."""
    n = len(Y)
    M = np.zeros((n + bias, n + bias))
    M[:n, :n] = K + np.diag(ridge / w)
    if bias:
        M[n, :n] = M[:n, n] = 1.0
    solved = np.linalg.solve(M, np.vstack([Y, np.zeros((int(bias), Y.shape[1]))]))
    return solved[:n], solved[n:].sum(axis=0)


def left_out(K, Y, w, ridge, folds=None, bias=True):
    """Return what machines without a row, or without its fold, say of it."""
    values = np.empty_like(Y)
    folds = np.arange(len(Y)) if folds is None else folds
    for fold in np.unique(folds):
        out = np.flatnonzero(folds == fold)
        rest = np.flatnonzero(folds != fold)
        alpha, b = solve(K[np.ix_(rest, rest)], Y[rest], w[rest], ridge, bias)
        values[out] = K[np.ix_(out, rest)] @ alpha + b
    return values


def evidence_of(X, y, w, engine, kind, kernel=kw.Gaussian(2.0), fit_intercept=True):  # noqa: B008
    task = "regression" if kind == "regression" else "classification"
    targets = kw.gram.Targets.of(y, task).weighted(w)
    [gram] = engine.grams([kernel], X, targets)
    return Evidence(gram, targets, kernel, fit_intercept=fit_intercept)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("ridges", "bias"), [(RIDGES[:1], False), (RIDGES, True)])
def test_leave_one_out_is_that_of_refits(engine, kind, ridges, bias):
    X, y = rows(kind)
    w = random_weights(len(y))
    evidence = evidence_of(X, y, w, engine, kind, fit_intercept=bias)
    evidence.prefit(ridges, c.ELOO().needs)
    Y, K = evidence.targets.fit_columns, kw.Gaussian(2.0)(X)
    for ridge in ridges:
        values = left_out(K, Y, w, ridge, bias=bias)
        close(evidence.fit(ridge).loo_values, values)
        expected = {"press": (Y - values) ** 2, "absolute": np.abs(Y - values)}
        if kind != "regression":
            winners = values[:, 0] > 0.0 if kind == "binary" else values.argmax(axis=1)
            expected["error"] = (winners != y)[:, None]
            expected["squared_hinge"] = np.maximum(1.0 - Y * values, 0.0) ** 2
        for loss, losses in expected.items():
            mean = np.average(np.mean(losses, axis=1), weights=w)
            close(ask(c.ELOO(loss), evidence, ridge).mean, mean)


def test_balanced_losses_are_means_over_classes_of_weighted_means():
    X, y = rows("multiclass", 60)
    w = random_weights(60)
    evidence = evidence_of(X, y, w, kw.gram.Dense(), "multiclass")
    wrong = evidence.fit(0.4).loo_values.argmax(axis=1) != y
    means = [np.average(wrong[y == label], weights=w[y == label]) for label in range(3)]
    close(ask(c.ELOO("balanced_error"), evidence, 0.4).mean, np.mean(means))


def test_other_criteria_of_the_machine_know_weights():
    X, y = rows("regression")
    w, ridge, K = random_weights(len(y)), 0.4, kw.Gaussian(2.0)(X)
    evidence = evidence_of(X, y, w, kw.gram.Dense(), "regression")
    n, Y = len(y), y[:, None]
    values = np.column_stack([K, np.ones(n)]) @ np.vstack(solve(K, np.eye(n), w, ridge))
    df, residuals = np.trace(values), y - values @ y
    gcv = np.sum(w * residuals**2) / n / (1.0 - df / n) ** 2
    close(ask(c.GCV(), evidence, ridge).mean, gcv)
    S = K + np.diag(ridge / w)
    lml = -0.5 * (y @ np.linalg.solve(S, y) + np.linalg.slogdet(S)[1] + n * np.log(2 * np.pi))
    close(ask(c.LML(), evidence, ridge).mean, lml)
    press = np.average((y - left_out(K, Y, w, ridge)[:, 0]) ** 2, weights=w)
    br = n / 2 * np.log(n * press / 2) + 0.5 * np.log(0.25**2 / 2)
    close(ask(c.BR(), evidence, ridge).mean, br)
    close(evidence.fit(ridge).training_loss, np.average(residuals**2, weights=w))
    assert "choose by kfold" in ask(c.BIF(), evidence, ridge).reason


@pytest.mark.parametrize("engine", ENGINES)
def test_folds_are_those_of_refits(engine):
    X, y = rows("binary", 60)
    w, folds = random_weights(60), np.arange(60) % 4
    evidence = evidence_of(X, y, w, engine, "binary")
    pairs = [(np.flatnonzero(folds != k), np.flatnonzero(folds == k)) for k in range(4)]
    values = left_out(kw.Gaussian(2.0)(X), evidence.targets.fit_columns, w, 0.4, folds)[:, 0]
    wrong = (values > 0.0) != y
    expected = [np.average(wrong[folds == k], weights=w[folds == k]) for k in range(4)]
    close(ask(c.KFold(cv=pairs), evidence, 0.4).mean, np.mean(expected))


@pytest.mark.parametrize("kind", ["binary", "multiclass"])
def test_support_vectors_are_those_of_weighted_refits(kind):
    X, y = rows(kind, 60, seed=2)  # no value is zero up to the tolerance of the solvers
    w, folds, ridge = random_weights(60), np.arange(60) % 4, 0.2
    problem = evidence_of(X, y, w, kw.gram.Dense(), kind)
    machine = SupportVectors(problem.gram, problem.targets)
    settings = {"kernel": kw.Gaussian(2.0), "C": 0.5 / ridge}
    losses = []
    for column in problem.targets.fit_columns.T:
        values = SVC(**settings).fit(X, column, sample_weight=w).decision_function(X)
        losses.append(np.average(np.maximum(1.0 - column * values, 0.0), weights=w))
    close(machine.training_loss(ridge), np.mean(losses), rtol=1e-3)
    pairs = [(np.flatnonzero(folds != k), np.flatnonzero(folds == k)) for k in range(4)]
    for split in make_splits(problem.targets, pairs, 4, 1, 0):
        refit = SVC(**settings).fit(X[split.train], y[split.train], sample_weight=w[split.train])
        wrong = refit.predict(X[split.test]) != y[split.test]
        expected = np.average(wrong, weights=w[split.test])
        close(machine.fold_loss(ridge, split, "error"), expected, scale=1.0)
    by_folds = kw.KernelSelector(SVC(), criterion=c.KFold(cv=pairs), class_weight="balanced")
    assert by_folds.fit(X, y).best_estimator_.class_weight == "balanced"


def test_spans_are_weighted():
    X, y = rows("binary", 60)
    w = random_weights(60)
    evidence = evidence_of(X, y, w, kw.gram.Dense(), "binary")
    errors = evidence.support_vectors.span_errors(0.2)
    close(ask(c.Span(), evidence, 0.2).mean, np.average(errors[:, 0], weights=w))


def naive_screen(X, y, w, kind, measure):
    """Return the spectral measure with the kernel means of classes, or of y, weighted by w."""
    K, n = kw.Gaussian(2.0)(X), len(y)
    if kind == "regression":
        vectors = [w / w.mean() * (y - np.average(y, weights=w))]
    else:
        v, vectors = w.copy(), []
        for label in np.unique(y):
            v[y == label] /= w[y == label].mean()
        for label in [1] if kind == "binary" else np.unique(y):
            inside = y == label
            a, b = (n / inside.sum(), n / (~inside).sum()) if measure.weighted else (1.0, 1.0)
            vectors.append(v * np.where(inside, a, -b))
    N = K / (np.trace(K) if measure.normalizer == "trace" else K.sum())
    s, Q = np.linalg.eigh(N)
    s = np.maximum(s, 0.0)
    gains = s * (s > measure.h) if isinstance(measure, c.SMHinge) else s**measure.r
    return np.mean([gains @ (Q.T @ z) ** 2 / n for z in vectors])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("r", "normalizer", "weighted"),
    [(1, "trace", True), (2, "sum", True), (3, "trace", False), (2.5, "sum", False)],
)
def test_the_screen_weights_the_rows_of_a_class(engine, kind, r, normalizer, weighted):
    X, y = rows(kind)
    w = random_weights(len(y))
    measure = c.SM(r=r, normalizer=normalizer, weighted=weighted)
    evidence = evidence_of(X, y, w, engine, kind)
    close(ask(measure, evidence, 1.0).mean, naive_screen(X, y, w, kind, measure))
    hinge = c.SMHinge(normalizer="trace", weighted=weighted)
    close(ask(hinge, evidence, 1.0).mean, naive_screen(X, y, w, kind, hinge))


@pytest.mark.parametrize("n", [100, 800])
def test_weights_of_whole_classes_cancel_in_the_screen(n):
    X, y = rows("multiclass", n)
    screens = [
        kw.KernelSelector(kernels=kw.grids.gaussian(-1, 4), class_weight=w).fit(X, y).result_
        for w in (None, {0: 1.0, 1: 7.0, 2: 0.3})
    ]
    np.testing.assert_array_equal(screens[0].table["sm"], screens[1].table["sm"])
    weights = random_weights(n)
    swept = kw.KernelSelector(kernels=[kw.Gaussian(2.0)]).fit(X, y, sample_weight=weights).result_
    expected = naive_screen(X, y, weights, "multiclass", c.SM(r=2))
    close(swept.table["sm"][0], expected)


# The last is searched locally, in tiles.
@pytest.mark.parametrize(("kind", "n"), [*((kind, 120) for kind in KINDS), ("multiclass", 700)])
def test_the_choice_and_its_machine_are_weighted(n, kind):
    X, y = rows(kind, n)
    w = random_weights(n)
    selector = kw.KernelSelector(kernels=kw.grids.gaussian(-1, 4)).fit(X, y, sample_weight=w)
    again = clone(selector.best_estimator_).fit(X, y, sample_weight=w)
    condition = 1.0 + n * w.max() / selector.best_ridge_
    close(selector.best_estimator_.dual_coef_, again.dual_coef_, condition)
    close(selector.best_estimator_.loo_values_, again.loo_values_, condition)
    residuals = again.loo_residuals_.reshape(n, -1)
    if kind != "regression":
        signs = again.loo_values_.reshape(n, -1) + residuals
        residuals = np.maximum(signs * residuals, 0.0)
        close(again.calibration_.slope, selector.best_estimator_.calibration_.slope, condition)
    loss = np.average(np.mean(residuals**2, axis=1), weights=w)
    close(np.nanmin(selector.result_.table["eloo"]), loss, condition)


@pytest.mark.parametrize(("kind", "n"), [*((kind, 100) for kind in KINDS), ("binary", 700)])
def test_equal_weights_change_nothing(kind, n):
    X, y = rows(kind, n)
    kernels = kw.grids.gaussian(-1, 4)
    plain = kw.KernelSelector(kernels=kernels).fit(X, y)
    ones = kw.KernelSelector(kernels=kernels).fit(X, y, sample_weight=np.ones(n))
    for name, column in plain.result_.table.items():
        np.testing.assert_array_equal(ones.result_.table[name], column)
    np.testing.assert_array_equal(ones.predict(X), plain.predict(X))
    # c times the weights with c times the ridge is the same machine, and "auto" follows.
    heavy = kw.KernelSelector(kernels=kernels).fit(X, y, sample_weight=np.full(n, 8.0))
    assert heavy.best_kernel_ == plain.best_kernel_
    close(heavy.best_ridge_, 8.0 * plain.best_ridge_)
    condition = 1.0 + n / plain.best_ridge_
    close(heavy.best_estimator_.loo_values_, plain.best_estimator_.loo_values_, condition)
    for name, column in plain.result_.table.items():
        close(np.nan_to_num(heavy.result_.table[name]), np.nan_to_num(column), condition)


def test_class_weights_are_weights_of_rows():
    X, y = imbalanced()
    balanced = kw.KernelSelector(class_weight="balanced").fit(X, y)
    counts = np.bincount(y)
    by_dict = kw.KernelSelector(class_weight={k: 150 / counts[k] for k in (0, 1)}).fit(X, y)
    by_row = kw.KernelSelector().fit(X, y, sample_weight=150 / counts[y])
    for other in (by_dict, by_row):
        assert other.best_kernel_ == balanced.best_kernel_
        close(other.decision_function(X), balanced.decision_function(X), 1e4)
    exact = kw.KernelSelector(
        class_weight="balanced",
        criterion=kw.Cascade(("sm", 5), (c.ELOO("balanced_squared_hinge"), 1)),
    ).fit(X, y)
    close(np.nanmin(exact.result_.table["eloo"]), np.nanmin(balanced.result_.table["eloo"]))
    assert balanced.best_estimator_.class_weight == "balanced"


def test_balanced_counts_rows_by_weight():
    X, y = imbalanced(200)
    w = random_weights(200)
    selector = kw.KernelSelector(class_weight="balanced").fit(X, y, sample_weight=w)
    again = clone(selector.best_estimator_).fit(X, y, sample_weight=w)
    close(selector.decision_function(X), again.decision_function(X), 1e4)


def test_balance_finds_the_rare_class():
    X, y = imbalanced(400, 0.08, gap=0.9)
    new, truth = imbalanced(800, 0.5, seed=1, gap=0.9)
    plain, balanced = (kw.KernelSelector(class_weight=w).fit(X, y) for w in (None, "balanced"))
    scores = [balanced_accuracy_score(truth, s.predict(new)) for s in (plain, balanced)]
    assert scores[1] > scores[0] + 0.1
    assert balanced.balanced_error_.value < plain.balanced_error_.value
    moved = kw.KernelSelector(kw.LSSVC(threshold="midpoint")).fit(X, y)
    for selector in (balanced, moved):  # more errors than always the largest class, and a signal
        assert selector.error_.value > selector.error_.baseline
        assert selector.guards_ == ()


def test_the_error_stays_plain_beside_the_balanced_one():
    X, y = imbalanced()
    selector = kw.KernelSelector(class_weight="balanced").fit(X, y)
    wrong = (selector.best_estimator_.loo_values_ > 0.0) != y
    assert selector.error_.measure == "error rate"
    close(selector.error_.value, wrong.mean())
    rates = [wrong[y == k].mean() for k in (0, 1)]
    close(selector.balanced_error_.value, np.mean(rates))
    spreads = [np.std(wrong[y == k], ddof=1) / np.sqrt(np.sum(y == k)) for k in (0, 1)]
    close(selector.balanced_error_.standard_error, np.hypot(*spreads) / 2)
    assert selector.balanced_error_.baseline == 0.5
    assert "balanced error rate, leave-one-out" in str(selector.balanced_error_)
    assert selector.error_estimate() is selector.error_
    real = kw.KernelSelector().fit(*rows("regression"))
    assert real.balanced_error_ is None


@pytest.mark.parametrize("machine", [SVC(), NuSVC(nu=0.05)])
def test_class_weights_reach_machines_of_scikit_learn(machine):
    X, y = imbalanced()
    selector = kw.KernelSelector(machine, class_weight="balanced").fit(X, y)
    assert selector.best_estimator_.class_weight == "balanced"
    same = clone(selector.best_estimator_).fit(X, y)
    np.testing.assert_array_equal(selector.predict(X), same.predict(X))
    assert selector.balanced_error_ is None
    assert machine.class_weight is None


def test_weights_of_the_estimator_itself_are_for_its_fit():
    X, y = imbalanced()
    plain = kw.KernelSelector().fit(X, y)
    own = kw.KernelSelector(kw.LSSVC(class_weight="balanced")).fit(X, y)
    assert own.best_kernel_ == plain.best_kernel_ and own.best_ridge_ == plain.best_ridge_
    again = kw.LSSVC(own.best_kernel_, own.best_ridge_, class_weight="balanced").fit(X, y)
    close(own.decision_function(X), again.decision_function(X))


def test_a_class_of_weight_zero_is_no_class():
    X, y = rows("multiclass", 90)
    selector = kw.KernelSelector(class_weight={0: 1.0, 1: 2.0, 2: 0.0}).fit(X, y)
    assert selector.classes_.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("settings", "y", "message"),
    [
        ({"class_weight": "even"}, 2, "'class_weight' parameter of KernelSelector"),
        ({"class_weight": 3.0}, 2, "'class_weight' parameter of KernelSelector"),
        ({"class_weight": {0: -1.0}}, 2, "class_weight must not be negative"),
        ({"class_weight": {0: "a", 1: 1.0}}, 2, "could not convert string to float: 'a'"),
        ({"class_weight": {0: 1e200, 1: 1.0}}, 2, "class_weight must be zero or lie between"),
        ({"class_weight": {0: 0.0, 1: 1.0}}, 2, "less than two classes"),
        ({"class_weight": "balanced"}, 0, "class_weight is for classes: give real targets"),
        (
            {"class_weight": "balanced", "estimator": GaussianProcessClassifier()},
            2,
            "class_weight is not for GaussianProcessClassifier, which has no such parameter",
        ),
        (
            {"class_weight": "balanced", "estimator": kw.LSSVC(class_weight="balanced")},
            2,
            "given to the selector and to its estimator: give it once",
        ),
    ],
)
def test_bad_class_weights_are_refused_in_a_sentence(settings, y, message):
    X, target = rows("binary" if y else "regression")
    with pytest.raises(ValueError, match=message):
        kw.KernelSelector(**settings).fit(X, target)


def test_a_part_of_the_rows_keeps_their_weights():
    _, y = rows("binary", 60)
    part = kw.gram.Targets.of(y).weighted(random_weights(60)).part(np.arange(0, 60, 2))
    np.testing.assert_array_equal(part.weights, random_weights(60)[::2])
    close(part.relative_weights.mean(), 1.0)
    assert kw.gram.Targets.of(y).part(np.arange(9)).weights is None


def test_a_weighted_machine_takes_the_entries():
    X, y = rows("binary", 300)
    settings = {"ridge": 1.0, "refit": False, "engine": kw.gram.Tiled(memory="1MB")}
    for criterion in ("sm", "rks"):  # which trains by products with the matrix
        assert kw.KernelSelector(criterion=criterion, **settings).fit(X, y).best_ridge_ == 1.0
    w = random_weights(300)
    kw.KernelSelector(criterion="sm", **settings).fit(X, y, sample_weight=w)
    with pytest.raises(MemoryError, match="300 rows need about"):
        kw.KernelSelector(criterion="rks", **settings).fit(X, y, sample_weight=w)


def test_a_scaled_gram_is_that_of_scaled_entries():
    X, y = rows()
    evidence, scale = evidence_of(X, y, None, kw.gram.Dense(), "binary"), random_weights(len(y))
    B = np.eye(len(y))
    gram = evidence.gram.scaled(scale)
    expected = kw.Gaussian(2.0)(X) * np.outer(scale, scale)
    close(gram.entries(), expected)
    close(gram.rows(np.arange(3)), expected[:3])
    close(gram.matmul(B), expected)
    for inverse in gram.inverses(RIDGES):
        M = np.linalg.inv(expected + inverse.ridge * B)
        close(inverse.solve(B), M)


@settings(max_examples=40, deadline=None)
@given(
    kind=st.sampled_from(KINDS),
    bias=st.booleans(),
    exponents=st.lists(st.floats(-3.0, 3.0), min_size=16, max_size=16),
    duplicate=st.booleans(),
    ridge=st.floats(0.05, 20.0),
)
def test_random_and_degenerate_weights(kind, bias, exponents, duplicate, ridge):
    X, y = rows(kind, 16, seed=3)
    if duplicate:
        X[::2] = X[0]
    if kind != "regression":
        y[:3] = [0, 1, 2 if kind == "multiclass" else 0]
    w = 10.0 ** np.array(exponents)
    for ridges in ([ridge], [ridge, 2.0 * ridge]):
        evidence = evidence_of(X, y, w, kw.gram.Dense(), kind, fit_intercept=bias)
        evidence.prefit(ridges, c.ELOO().needs)
        values = left_out(kw.Gaussian(2.0)(X), evidence.targets.fit_columns, w, ridge, bias=bias)
        found = evidence.fit(ridge).loo_values
        close(found, values, 1e3 * (1.0 + 16 * w.max() / ridge), scale=1.0 + np.abs(values).max())


@pytest.mark.parametrize("scale", [1e-90, 1e-3, 1e90])
def test_weights_of_any_scale(scale):
    X, y = rows("binary", 80)
    w = random_weights(80)
    one = kw.KernelSelector().fit(X, y, sample_weight=w)
    other = kw.KernelSelector().fit(X, y, sample_weight=scale * w)
    assert one.best_kernel_ == other.best_kernel_
    np.testing.assert_array_equal(one.predict(X), other.predict(X))


def test_one_row_may_have_all_the_weight():
    X, y = rows("binary", 80)
    w = np.ones(80)
    w[0] = 1e12
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selector = kw.KernelSelector().fit(X, y, sample_weight=w)
    assert np.isfinite(selector.decision_function(X)).all()
    assert selector.predict(X[:1])[0] == y[0]
