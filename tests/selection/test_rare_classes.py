"""Many rows, few of which belong to some class."""

import numpy as np
import pytest

import kernelwise as kw
from inside import Code, Targets, code_of, last_rows, screen, stratified_order

GAUSSIANS = kw.grids.gaussian(-3, 3)
IGNORED = pytest.mark.filterwarnings("ignore::kernelwise.selection.guards.KernelChoiceWarning")


def rows_with_a_rare_class(n=1000, rare=3, classes=2, seed=0):
    """Return Gaussian rows; those of the last class are few and lie apart."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = (X[:, 0] + 0.3 * rng.normal(size=n) > 0.0).astype(int) * (classes - 2)
    of_class = rng.choice(n, rare, replace=False)
    X[of_class] += 4.0
    y[of_class] = classes - 1
    return X, y


@pytest.mark.parametrize("rare", [1, 2, 3, 5, 30])
def test_every_sample_has_rows_of_every_class(few_are_many, rare):
    _, y = rows_with_a_rare_class(rare=rare, classes=3)
    samples = screen._samples(Targets.of(y), 5)
    held = np.array([np.bincount(y[rows], minlength=3) for rows in samples])
    assert held.min() >= min(rare, 2)
    assert np.all(np.abs(held.sum(axis=1) - 200) <= 2)
    for rows in samples:
        assert np.unique(rows).size == rows.size
    taken = np.bincount(np.concatenate(samples), minlength=y.size)
    assert taken[y < 2].max() == 1
    assert np.ptp(taken[y == 2]) <= 1  # they take turns


def test_samples_without_rare_classes_are_slices_of_an_order(few_are_many):
    y = np.arange(1000) % 3
    for targets in (Targets.of(y), Targets.of(np.sin(y + np.arange(1000.0)))):
        order = stratified_order(targets, seed=1)
        for i, rows in enumerate(screen._samples(targets, 5)):
            np.testing.assert_array_equal(np.sort(rows), np.sort(order[200 * i : 200 * i + 200]))


@IGNORED
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("rare", [1, 2, 4])
def test_a_class_that_is_too_rare_for_samples(few_are_many, rare, classes):
    X, y = rows_with_a_rare_class(rare=rare, classes=classes)
    selector = kw.KernelSelector(kernels=GAUSSIANS).fit(X, y)
    assert np.isfinite(selector.result_.table["sm"]).all()
    assert "share rows of rare classes" in selector.result_.notes["sm: screen"]
    assert selector.predict(X).size == 1000


@IGNORED
def test_samples_say_that_they_share_rows_only_where_they_do(few_are_many):
    X, y = rows_with_a_rare_class(rare=100)
    selector = kw.KernelSelector(kernels=GAUSSIANS).fit(X, y)
    assert "share" not in selector.result_.notes["sm: screen"]


@IGNORED
@pytest.mark.parametrize("zeros", [3, 4])
def test_rare_rows_of_weight_zero(few_are_many, zeros):
    X, y = rows_with_a_rare_class(rare=4, classes=3)
    weights = np.ones(1000)
    weights[np.flatnonzero(y == 2)[:zeros]] = 0.0
    selector = kw.KernelSelector(kernels=GAUSSIANS).fit(X, y, sample_weight=weights)
    assert selector.classes_.size == (3 if zeros < 4 else 2)


def held_counts(selector, y):
    known = np.isfinite(selector.best_estimator_.loo_values_.reshape(y.size, -1)).all(axis=1)
    return np.bincount(y[known], minlength=y.max() + 1).tolist()


def said_of_few_rows(selector):
    return [said for said in selector.guards_ if code_of(said) == Code.FEW_ROWS]


@pytest.mark.parametrize("rare", [1, 2, 9, 60])
def test_rows_of_every_class_are_held_out(rare):
    _, y = rows_with_a_rare_class(rare=rare, classes=3)
    targets = Targets.of(y)
    order = stratified_order(targets)
    held = last_rows(targets, order, 100)
    counts = np.bincount(y[held], minlength=3)
    np.testing.assert_array_equal(held[-100:], order[-100:])
    assert np.unique(held).size == held.size <= 101
    assert counts[2] == (0 if rare == 1 else max(1, rare // 10))
    assert counts[2] < rare  # one stays for training
    real = Targets.of(np.sin(np.arange(1000.0)))
    np.testing.assert_array_equal(last_rows(real, order, 100), order[-100:])


@IGNORED
@pytest.mark.parametrize("weight", [None, "balanced"])
@pytest.mark.parametrize("classes", [2, 3])
def test_a_rare_class_is_judged(few_are_many, classes, weight):
    X, y = rows_with_a_rare_class(rare=6, classes=classes)
    selector = kw.KernelSelector(kernels=GAUSSIANS, class_weight=weight).fit(X, y)
    assert held_counts(selector, y)[-1] == 1
    assert selector.balanced_error_.method == "held-out rows"
    [said] = said_of_few_rows(selector)
    assert f"class {classes - 1} has only 1 of the 101 rows held out, so" in said


def test_a_warning_that_a_class_is_hardly_judged(few_are_many):
    X, y = rows_with_a_rare_class(rare=6)
    with pytest.warns(kw.selection.KernelChoiceWarning, match="1 of the 101 rows held out"):
        kw.KernelSelector(kernels=GAUSSIANS).fit(X, y)


@IGNORED
def test_several_classes_that_are_hardly_judged_are_named_in_one_sentence(few_are_many):
    X, y = rows_with_a_rare_class(rare=20)
    y[np.flatnonzero(y == 1)[:10]] = 2
    [said] = said_of_few_rows(kw.KernelSelector(kernels=GAUSSIANS).fit(X, y))
    assert "class 1 has only 1 of the 100 rows held out (and 1 other class fewer than 5)" in said


@IGNORED
def test_classes_with_enough_rows_or_hardly_any_are_named_once_at_most(few_are_many):
    X, y = rows_with_a_rare_class(rare=60)
    assert said_of_few_rows(kw.KernelSelector(kernels=GAUSSIANS).fit(X, y)) == []
    X, y = rows_with_a_rare_class(rare=2)
    [said] = said_of_few_rows(kw.KernelSelector(kernels=GAUSSIANS).fit(X, y))
    assert "class 1 has only 2 rows" in said


@IGNORED
def test_a_class_that_is_not_learnt_shows_in_the_error(few_are_many):
    """Five rows of 3,000 amid the others: their class is never predicted."""
    X, y = rows_with_a_rare_class(3000, rare=5)
    X[y == 1] -= 4.0
    selector = kw.KernelSelector(kernels=GAUSSIANS, time=0.001).fit(X, y)
    usual, rare = held_counts(selector, y)
    assert rare == 1
    assert selector.error_.value == pytest.approx(1.0 / (usual + 1))
    assert selector.balanced_error_.value == pytest.approx(0.5)
