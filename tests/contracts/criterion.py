import pickle
import warnings

import numpy as np

import kernelwise as kw

CHECKS = []


def check(f):
    CHECKS.append(f)
    return f


def problem(criterion):
    rng = np.random.default_rng(5)
    X = np.vstack([rng.normal(size=(14, 3)), 1.0 + rng.normal(size=(8, 3))])
    if "binary" in criterion.tasks:
        return X, np.repeat(["no", "yes"], [14, 8]), "classification"
    return X, X[:, 0] + rng.normal(size=22), "regression"


def value(criterion, X, y, task, kernel=kw.Gaussian(2.0)):  # noqa: B008 (a frozen value)
    [number] = kw.score_kernels(X, y, kernel, criterion, task=task).table.values()
    return number[0]


@check
def says_what_it_is(criterion):
    assert criterion.name == criterion.name.lower()
    assert criterion.greater_is_better in (True, False, None)
    assert criterion.cost in ("n^2", "n^3", "training")
    assert criterion.formula and criterion.reference
    assert criterion.tasks <= {"binary", "multiclass", "regression"}
    assert not criterion.chooses_ridge or criterion.uses_ridge
    assert kw.criteria.get(criterion.name) == criterion
    assert criterion.name in [info.name for info in kw.criteria.available()]


@check
def is_a_frozen_picklable_value(criterion):
    again = pickle.loads(pickle.dumps(criterion))
    assert again == criterion and hash(again) == hash(criterion)


@check
def gives_a_finite_number(criterion):
    assert np.isfinite(value(criterion, *problem(criterion)))


@check
def does_not_depend_on_the_order_of_rows(criterion):
    if criterion.draws_folds:
        return  # other rows come together
    X, y, task = problem(criterion)
    order = np.random.default_rng(1).permutation(len(y))
    np.testing.assert_allclose(
        value(criterion, X[order], y[order], task), value(criterion, X, y, task), rtol=1e-10
    )


@check
def does_not_depend_on_the_names_of_classes(criterion):
    X, y, task = problem(criterion)
    if task == "classification":
        flipped = np.where(y == "yes", "a", "b")
        np.testing.assert_allclose(
            value(criterion, X, flipped, task), value(criterion, X, y, task), rtol=1e-10
        )


@check
def says_so_where_a_task_is_not_defined(criterion):
    if "regression" not in criterion.tasks:
        X = problem(criterion)[0]
        try:
            kw.score_kernels(X, X[:, 0], kw.Gaussian(1.0), criterion, task="regression")
        except ValueError as error:
            assert "not defined for regression" in str(error)
        else:
            raise AssertionError("a number for a task that is not defined")


@check
def never_gives_a_silent_wrong_number_at_the_ends(criterion):
    """Narrow, wide and constant matrices: a number, an infinity, or NaN with a warning."""
    X, y, task = problem(criterion)
    for kernel in (kw.Gaussian(1e-12), kw.Gaussian(1e12), kw.Linear()):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            number = value(criterion, X, y, task, kernel)
        assert not np.isnan(number) or any("undefined" in str(w.message) for w in caught)
