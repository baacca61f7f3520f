"""Intervals and sets against machines that are refitted without each row."""

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st

import kernelwise as kw
from helpers import biases, close, labelled, real_targets, ridges
from inside import TooFewRowsWarning, conformal, load_model, save_model

levels = st.sampled_from([0.05, 0.3, 0.5, 0.6, 0.7])
NEW = np.random.default_rng(7).normal(size=(5, 4))


# --- the oracle: one refit per row, and the definitions as they are printed -------------------


def solved(kernel, X, Y, ridge, bias, weights, Z):
    """Return f(Z) of the machine on X, from the bordered system."""
    n = len(X)
    bias = int(bias)
    C = np.zeros((n + bias, n + bias))
    C[:n, :n] = kernel(X, X) + np.diag(ridge / weights)
    if bias:
        C[:n, n] = C[n, :n] = 1.0
    solution = np.linalg.solve(C, np.vstack([Y, np.zeros((bias, Y.shape[1]))]))
    return kernel(Z, X) @ solution[:n] + (solution[n] if bias else 0.0)


def refits(kernel, X, Y, ridge, bias, weights, Z):
    """Return f(Z), then f_{-i}(x_i) for each row i of positive weight, and the targets of these."""
    rows = np.flatnonzero(weights > 0.0)
    whole = solved(kernel, X[rows], Y[rows], ridge, bias, weights[rows], Z)
    at_own = []
    for i in rows:
        others = rows[rows != i]
        known = (kernel, X[others], Y[others], ridge, bias, weights[others])
        at_own.append(solved(*known, X[[i]])[0])
    return whole, np.array(at_own), Y[rows]


def order(level, n):
    return math.ceil((n + 1) * Fraction(str(level)))


def smallest(values, r):
    return sorted(values)[r - 1] if r <= len(values) else math.inf


def naive_interval(found, level):
    whole, at_own, Y = found
    r = order(level, len(Y))
    radius = np.array([smallest(e, r) for e in np.abs(Y - at_own).T])
    return whole - radius, whole + radius


def margin(scores, k):
    if len(scores) == 1:
        return scores[0] if k == 0 else -scores[0]
    return max(s for j, s in enumerate(scores) if j != k) - scores[k]


def naive_set(found, codes, classes, level):
    """Return the sets, and how near a tie the nearest comparison was."""
    whole, at_own, _ = found
    (m, _), n = whole.shape, len(at_own)
    members, nearest = np.empty((m, classes), bool), math.inf
    for j in range(m):
        for k in range(classes):
            exceeded = 0
            for i in range(n):
                excess = margin(whole[j], k) - margin(at_own[i], codes[i])
                exceeded, nearest = exceeded + (excess > 0.0), min(nearest, abs(excess))
            members[j, k] = exceeded < order(level, n)
    return members, nearest


def drawn_weights(draw_zero, n):
    weights = np.random.default_rng(n).uniform(0.3, 3.0, n)
    weights[:draw_zero] = 0.0
    return weights


# --- real targets ------------------------------------------------------------------------------


@given(real_targets(), ridges.filter(lambda r: r > 1e-5), biases, levels, st.integers(0, 3))
def test_intervals_are_those_of_refits(problem, ridge, bias, level, zeros):
    X, y = problem
    weights = drawn_weights(zeros - 1, len(y)) if zeros else np.ones(len(y))
    Z, Y = NEW[:, : X.shape[1]], np.column_stack([y, y[::-1] ** 2])
    machine = kw.KRR(kw.Gaussian(1.0), ridge, fit_intercept=bias)
    expected = naive_interval(refits(machine.kernel, X, Y, ridge, bias, weights, Z), level)
    both = machine.fit(X, Y, sample_weight=weights).predict_interval(Z, level)
    close(both, expected, 100.0 / ridge, rtol=1e-8)
    first = machine.fit(X, y, sample_weight=weights).predict_interval(Z, level)
    close(first, [bound[:, 0] for bound in both])
    assert np.all(both[0] <= both[1])


@pytest.mark.parametrize("convert", [sp.csr_array, sp.csr_matrix])
def test_sparse_rows(rng, convert):
    X, y = rng.normal(size=(30, 4)) * (rng.random((30, 4)) < 0.5), rng.normal(size=30)
    dense, sparse = (kw.KRR(kw.Gaussian(1.0), 0.3).fit(rows, y) for rows in (X, convert(X)))
    close(sparse.predict_interval(convert(X[:7])), dense.predict_interval(X[:7]))


def test_a_given_matrix(rng):
    X, y, Z = rng.normal(size=(30, 2)), rng.integers(0, 3, 30), rng.normal(size=(6, 2))
    kernel = kw.Gaussian(1.0)
    given_matrix = kw.LSSVC(kw.Precomputed(), 0.3).fit(kernel(X), y)
    rows = kw.LSSVC(kernel, 0.3).fit(X, y)
    assert np.array_equal(given_matrix.predict_set(kernel(Z, X), 0.8), rows.predict_set(Z, 0.8))


# --- classes -----------------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [2, 3])
@given(st.data(), ridges.filter(lambda r: r > 1e-5), biases, levels, st.booleans())
def test_sets_are_those_of_refits(classes, data, ridge, bias, level, is_weighted):
    X, codes = data.draw(labelled(n_classes=classes))
    weights = drawn_weights(0, len(codes)) if is_weighted else np.ones(len(codes))
    Z = NEW[:, : X.shape[1]]
    signs = np.where(codes[:, None] == np.arange(classes), 1.0, -1.0)
    Y = signs[:, 1:] if classes == 2 else signs
    machine = kw.LSSVC(kw.Gaussian(1.0), ridge, fit_intercept=bias)
    found = refits(machine.kernel, X, Y, ridge, bias, weights, Z)
    expected, nearest = naive_set(found, codes, classes, level)
    assume(nearest > 1e-9 * max(1.0, 1.0 / ridge))
    labels = np.array(list("abc"))[codes]
    sets = machine.fit(X, labels, sample_weight=weights).predict_set(Z, level)
    assert np.array_equal(sets, expected)


def test_class_weights_are_part_of_the_machine(rng):
    X, y = rng.normal(size=(40, 2)), np.repeat([0, 1], [30, 10])
    balanced = kw.LSSVC(class_weight="balanced").fit(X, y)
    weighted = kw.LSSVC().fit(X, y, sample_weight=np.where(y == 0, 40 / 60, 2.0))
    sets = [machine.predict_set(NEW[:, :2], 0.8) for machine in (balanced, weighted)]
    assert np.array_equal(*sets)


@given(st.integers(2, 6), st.integers(0, 1000))
def test_sets_grow_with_the_level_and_from_the_predicted_class(classes, seed):
    rng = np.random.default_rng(seed)
    y = np.arange(60) % classes
    X = rng.normal(size=(60, 2)) + y[:, None]
    machine, Z = kw.LSSVC(kw.Gaussian(1.0), 0.1).fit(X, y), rng.normal(size=(20, 2)) + 1.0
    small, large = (machine.predict_set(Z, level) for level in (0.6, 0.95))
    assert np.all(small <= large)
    some = small.any(axis=1)
    assert small[some, machine.predict(Z)[some]].all()


def test_margins_of_many_classes(rng):
    scores = rng.normal(size=(200, 40))
    others = np.where(np.eye(40, dtype=bool), -np.inf, scores[:, None, :]).max(axis=-1)
    np.testing.assert_array_equal(conformal.margins(scores), others - scores)


@pytest.mark.parametrize("level", [0.05, 0.5, 0.9])
def test_ranks_of_many_scores(rng, level):
    scores = rng.normal(size=(20, 999))
    expected = np.sort(scores, axis=-1)[:, round(1000 * level) - 1]
    np.testing.assert_array_equal(conformal._ranked(scores, level), expected)


def test_rows_of_another_width_are_refused(rng):
    machine = kw.KRR().fit(rng.normal(size=(20, 3)), rng.normal(size=20))
    for _ in range(2):  # asking leaves the machine as it is
        with pytest.raises(ValueError, match="X has 2 features, but KRR is expecting 3"):
            machine.predict_interval(rng.normal(size=(5, 2)))


def test_margins_of_equal_scores():
    """Two classes that lead together have a margin of zero."""
    scores = np.array([[1.0, 1.0, 0.0], [2.0, 1.0, 0.0]])
    assert conformal.margins(scores).tolist() == [[0.0, 0.0, 1.0], [-1.0, 1.0, 2.0]]
    assert conformal.margins(np.array([[0.5]])).tolist() == [[0.5, -0.5]]


def test_a_tie_with_the_ranked_margin_is_in_the_set():
    own = np.full(9, -0.5)
    assert conformal.jackknife_set(np.array([[0.5]]), own, 0.9).tolist() == [[False, True]]
    assert conformal.jackknife_set(np.array([[0.4]]), own, 0.9).tolist() == [[False, False]]


# --- coverage, levels, arguments ---------------------------------------------------------------


def test_coverage_of_new_rows():
    """On fresh data the share is the level, within four standard errors."""
    rng, covered = np.random.default_rng(1), []
    for _ in range(200):
        X = rng.normal(size=(41, 1))
        y = np.sin(2 * X[:, 0]) + rng.standard_t(3, 41)
        machine = kw.KRR(kw.Gaussian(0.3), 0.5, fit_intercept=True).fit(X[:40], y[:40])
        lower, upper = machine.predict_interval(X[40:], 0.8)
        covered.append(bool(lower[0] <= y[40] <= upper[0]))
    assert abs(np.mean(covered) - 0.8) < 4 * math.sqrt(0.16 / 200)


def test_the_rank_takes_levels_as_they_are_written():
    assert (conformal.rank(0.9, 9), conformal.rank(0.9, 8), conformal.rank(0.07, 99)) == (9, 9, 7)
    for level in (0.05, 0.5, 0.9, 0.95, 0.999):
        fewest = conformal.fewest_rows(level)
        assert conformal.rank(level, fewest) <= fewest
        assert conformal.rank(level, fewest - 1) > fewest - 1


def test_too_few_rows_for_the_level(rng):
    X = rng.normal(size=(8, 2))
    sentence = "level=0.9 needs at least 9 training rows, and there are 8"
    with pytest.warns(TooFewRowsWarning, match=sentence):
        lower, upper = kw.KRR().fit(X, X[:, 0]).predict_interval(X)
    assert np.all(lower == -np.inf) and np.all(upper == np.inf)
    with pytest.warns(TooFewRowsWarning, match=sentence):
        assert kw.LSSVC().fit(X, [0, 1] * 4).predict_set(X).all()


def test_one_row_alone():
    machine = kw.KRR(fit_intercept=True).fit([[1.0]], [2.0])
    with pytest.warns(TooFewRowsWarning, match="there are 0"):
        assert np.isinf(machine.predict_interval([[1.0]])).all()


@pytest.mark.parametrize("level", [0, 1, -0.1, 1.5, 90, math.nan, math.inf, True, "0.9", None])
def test_levels_lie_between_zero_and_one(rng, level):
    X = rng.normal(size=(12, 2))
    with pytest.raises(ValueError, match="'level' parameter"):
        kw.KRR().fit(X, X[:, 0]).predict_interval(X, level)
    with pytest.raises(ValueError, match="'level' parameter"):
        kw.LSSVC().fit(X, [0, 1] * 6).predict_set(X, level)


# --- selector, files -----------------------------------------------------------------


def test_the_selector_delegates(rng):
    X = rng.normal(size=(60, 2))
    y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=60)
    selector = kw.KernelSelector(task="regression").fit(X, y)
    for found, direct in zip(
        selector.predict_interval(X, 0.8),
        selector.best_estimator_.predict_interval(X, 0.8),
        strict=True,
    ):
        assert np.array_equal(found, direct)
    assert not hasattr(selector, "predict_set")
    selector = kw.KernelSelector().fit(X, np.where(y > 0, "up", "down"))
    assert selector.predict_set(X).shape == (60, 2)
    assert not hasattr(selector, "predict_interval")


def test_machines_without_leave_one_out_values(rng):
    from sklearn.svm import SVC

    X = rng.normal(size=(60, 2))
    selector = kw.KernelSelector(SVC()).fit(X, X[:, 0] > 0)
    with pytest.raises(AttributeError, match="predict_set"):
        selector.predict_set(X)


def test_a_loaded_machine_answers(rng, tmp_path):
    X, y = rng.normal(size=(40, 2)), rng.normal(size=40)
    machine = kw.KRR(kw.Gaussian(1.0), 0.1).fit(X, y, sample_weight=rng.random(40) + 0.1)
    save_model(machine, tmp_path / "m.skops")
    loaded = load_model(tmp_path / "m.skops")
    close(loaded.predict_interval(X), machine.predict_interval(X))


# --- the page ----------------------------------------------------------------------------------


def test_the_page_has_the_numbers_that_were_measured():
    root = Path(__file__).parents[2]
    found = json.loads((root / "benchmarks" / "intervals.json").read_text())
    page = (root / "docs" / "uncertainty.md").read_text()
    for kind, what in (("real", "width"), ("classes", "size")):
        for name, of in found[kind].items():
            cells = [f"{100 * of['coverage']:.1f}", f"{of[what]:.2f}"]
            if kind == "classes":
                cells += [f"{100 * of['empty']:.1f}"]
            assert f"| {name} | {' | '.join(cells)} |" in page
        shares = [of["coverage"] for of in found[kind].values()]
        assert abs(np.mean(shares) - 0.9) < 0.02 and min(shares) > 0.84
        assert f"| mean | {100 * np.mean(shares):.1f} |" in page
