"""What should make a user look twice."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

import kernelwise as kw
from inside import (
    CascadeOutcome,
    KernelChoiceWarning,
    LeastSquares,
    Problem,
    SelectionResult,
    Targets,
    edge,
    extended,
    warn_about,
)
from kernelwise import criteria as c


def fit(X, y, **settings):
    """Fit a selector and return it; the guards' warnings must be what guards_ says."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", KernelChoiceWarning)
        selector = kw.KernelSelector(**settings).fit(X, y)
    said = [str(w.message) for w in caught if w.category is KernelChoiceWarning]
    assert tuple(said) == selector.guards_
    return selector


@pytest.fixture
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def test_nothing_to_say_of_a_good_choice(cancer):
    assert fit(*cancer).guards_ == ()


@pytest.mark.parametrize(
    ("lo", "hi", "sentence"),
    [
        (-9, -5, "is the widest offered: add wider kernels, or Linear()"),
        (8, 12, "is the narrowest offered: add narrower kernels"),
    ],
)
def test_the_edge_of_a_given_grid(cancer, lo, hi, sentence):
    selector = fit(*cancer, kernels=kw.grids.gaussian(lo, hi), criterion="eloo")
    assert any(s.endswith(sentence) for s in selector.guards_)
    assert len(selector.result_) == hi - lo + 1  # the user's grid is not changed


def test_rows_of_tiny_norms_are_told_apart():
    """The product of two diagonal entries may underflow."""
    X = np.array([[3.0], [1.0], [1e-146], [2.0], [-1.0], [3.0], [-2.0], [1.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        fit(X, X[:, 0] + 0.1, kernels=[kw.Linear()])


def test_two_kernels_are_no_grid():
    assert edge([kw.Gaussian(1.0), kw.Gaussian(2.0)], 1) is None
    assert edge([kw.Linear(), kw.Gaussian(1.0), kw.Gaussian(2.0), kw.Gaussian(4.0)], 0) is None
    assert edge(kw.grids.polynomial(1, 5), 4) is None  # a degree is no width
    assert edge(kw.grids.gaussian(0, 4), 0) == "narrowest"
    assert edge([*kw.grids.laplacian(0, 4), *kw.grids.gaussian(-9, 9)], 4) == "widest"


def test_an_automatic_grid_is_extended(cancer, monkeypatch):
    X, y = cancer
    whole = fit(X, y)
    narrow = [kw.Gaussian(whole.best_kernel_.tau / 2.0**i) for i in (6, 5, 4, 3, 2)]
    monkeypatch.setattr(kw.grids, "auto", lambda X, random_state=None: narrow)
    selector = fit(X, y)
    assert len(selector.result_) > len(narrow)
    assert selector.best_kernel_ == whole.best_kernel_
    assert not any("widest" in sentence for sentence in selector.guards_)


def test_extension_ends(cancer, monkeypatch):
    X, y = cancer
    tiny = kw.grids.gaussian(-40, -36)
    monkeypatch.setattr(kw.grids, "auto", lambda X, random_state=None: tiny)
    selector = fit(X, y)
    assert len(selector.result_) <= 5 + 2 * 4


def test_extended_grids_continue_the_powers_of_two():
    grid = kw.grids.gaussian(0, 3)
    assert extended(grid, "widest") == kw.grids.gaussian(0, 7)
    assert extended(grid, "narrowest") == kw.grids.gaussian(-4, 3)


def test_the_edge_of_given_ridges(cancer):
    selector = fit(*cancer, ridge=[1e3, 1e4, 1e5])
    assert "the chosen ridge 1000 is the smallest offered: add smaller ones" in selector.guards_
    selector = fit(*cancer, ridge=[1e-9, 1e-8, 1e-7], criterion="eloo")
    assert "the chosen ridge 1e-07 is the largest offered: add larger ones" in selector.guards_


def test_a_matrix_like_the_identity(rng):
    X, y = rng.normal(size=(60, 20)), np.arange(60) % 2
    selector = fit(X, y, kernels=kw.Gaussian(0.01), ridge=1.0, criterion="kta")
    assert any("nearly the identity, so that every row is alone" in s for s in selector.guards_)


def test_a_matrix_that_is_constant(rng):
    X, y = rng.normal(size=(60, 3)), np.arange(60) % 2
    selector = fit(X, y, kernels=kw.Gaussian(1e12), ridge=1.0, criterion="kta")
    assert any("nearly constant, so that all rows look alike" in s for s in selector.guards_)


def test_a_given_matrix_is_looked_at_too():
    y = np.arange(40) % 2
    selector = fit(np.eye(40), y, kernels=kw.Precomputed(), ridge=1.0, criterion="kta")
    assert any("nearly the identity" in s for s in selector.guards_)


def test_classes_of_few_rows(rng):
    X = rng.normal(size=(40, 2))
    y = np.array(["many"] * 37 + ["few"] * 2 + ["one"])
    said = fit(X, y).guards_
    assert sum("class 'few' has only 2 rows: merge it" in s for s in said) == 1
    assert sum("class 'one' has only 1 row: merge it" in s for s in said) == 1


def test_a_target_that_cannot_be_told(rng):
    X, y = rng.normal(size=(80, 3)), rng.normal(size=80)
    assert any("always predicting the same value does as well" in s for s in fit(X, y).guards_)


def test_a_kernel_that_says_nothing_is_not_called_a_lack_of_signal(rng):
    X, y = rng.normal(size=(60, 20)), np.arange(60) % 2
    said = fit(X, y, kernels=kw.Gaussian(0.01), ridge=1.0, criterion="kta").guards_
    assert sum("nearly the identity" in s for s in said) == len(said) == 1


def test_only_the_last_that_passed_is_called_the_last(rng):
    """After a look at few rows some of those that passed have no value."""
    kernels = tuple(kw.grids.gaussian(0, 7))
    nan = np.nan
    table = {"sm": np.arange(8.0, 0.0, -1.0), "eloo": np.array([9, nan, 5, 1, nan, nan, nan, nan])}
    criteria = {"sm": c.SM(), "eloo": c.ELOO()}
    result = SelectionResult(kernels, np.ones(8), criteria, table, {}, "dense", "", 0.1)
    problem = Problem(
        rng.normal(size=(20, 2)),
        Targets.of(np.arange(20) % 2),
        kernels,
        "dense",
        fit_intercept=True,
        machine=LeastSquares,
    )
    evidence = next(problem.evidence([kernels[3]]))
    for finalists, told in ((5, False), (4, True)):
        found = CascadeOutcome(result, 3, kernels[3], 1.0, finalists, evidence)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert any("disagree" in s for s in warn_about(found, None)) is told


def test_criteria_that_disagree(rng):
    """MD prefers narrow kernels here, leave-one-out the widest that MD lets pass."""
    X = rng.normal(size=(150, 6))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    kernels = kw.grids.gaussian(-2, 6)
    cascade = kw.Cascade(("fsm", 4), (c.ELOO("squared_hinge"), 1))
    selector = fit(X, y, kernels=kernels, criterion=cascade)
    [said] = [s for s in selector.guards_ if "fsm and eloo disagree" in s]
    assert "let more kernels pass" in said
    assert not any("disagree" in s for s in fit(X, y).guards_)
