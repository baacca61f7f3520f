"""Hostile arguments of scoring and selection are refused, by name."""

import contextlib
import inspect

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

import kernelwise as kw
from inside import estimators
from kernelwise import gram

X = np.random.default_rng(0).normal(size=(12, 2))
Y = np.arange(12) % 2
K = kw.Gaussian(1.0)(X)
HOSTILE = [
    0,
    -1,
    1.5,
    np.nan,
    "a",
    [],
    [None],
    {},
    np.array(1.0),
    np.array([1.0, 2.0]),
    np.eye(2),
    object(),
    int,
    kw.Gaussian,
]


def select(X, y, **parameters):
    given = {"kernels": [kw.Gaussian(1.0)], "ridge": 1.0, **parameters}
    return kw.KernelSelector(**given).fit(X, y)


select.__signature__ = inspect.signature(kw.KernelSelector)
FUNCTIONS = {
    "score_kernels": (
        kw.score_kernels,
        {"X": X, "y": Y, "kernels": kw.Gaussian(1.0), "criteria": ["sm", "eloo"]},
    ),
    "score_matrix": (kw.score_matrix, {"K": K, "y": Y, "criteria": "eloo"}),
    "repair": (gram.repair, {"K": K}),
    "Dense": (gram.Dense, {}),
    "Tiled": (gram.Tiled, {}),
    "selector": (select, {"X": X, "y": Y}),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_hostile_arguments_are_refused_or_taken(name):
    function, usual = FUNCTIONS[name]
    for parameter in inspect.signature(function).parameters:
        for value in HOSTILE:
            with contextlib.suppress(ValueError, TypeError, MemoryError):
                function(**{**usual, parameter: value})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: kw.score_kernels(X, Y, np.array(1.0)), "kernels must be .auto., names"),
        (lambda: kw.score_kernels(X, Y, criteria=np.array(1)), "criteria must be a name, a Crit"),
        (lambda: kw.score_kernels(X, Y, ridge=np.array(1.0)), "'ridge' parameter"),
        (lambda: kw.score_kernels(X, Y, memory=-1), "memory must be an amount such as"),
        (lambda: kw.score_kernels(X, Y, memory=np.eye(9)), r"memory must be .* got array\(\[\[1"),
        (lambda: kw.score_kernels(X, Y, fit_intercept="yes"), "'fit_intercept' parameter"),
        (lambda: kw.score_kernels(X, Y, engine=np.eye(2)), r"unknown engine array\(\[\[1"),
        (lambda: kw.score_kernels(X, Y, machine=["svm"]), "'machine' parameter of score_kernels"),
        (lambda: gram.repair(K, ["clip"]), "'method' parameter of repair"),
        (lambda: gram.repair([["a", "0"], ["0", "1"]]), "could not convert"),
        (lambda: gram.repair(1j * K), "Complex data"),
        (lambda: kw.Cascade(("sm", 1), rule=["best"]), "'rule' parameter"),
        (lambda: kw.KRR().fit(X, Y, sample_weight=np.ones(12) * 1j), "sample_weight|Complex"),
    ],
)
def test_refusals(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()


class TestFitted:
    selector = select(X, Y)

    def test_folds(self):
        with pytest.raises(ValueError, match="cv must be a number of folds"):
            self.selector.error_estimate(X, Y, cv=np.array(5.0))

    @pytest.mark.parametrize("column", [["sm"], {}, np.eye(2), None])
    def test_columns(self, column):
        with pytest.raises(ValueError, match="unknown column"):
            self.selector.result_.best(column)


def test_the_support_vector_machines_of_others_end_too(monkeypatch):
    """Scikit-learn sets no limit: ten rows at C = 1e12 take a minute, at 5e98 for ever."""
    monkeypatch.setattr(estimators, "_MOST_STEPS", 1000)
    y = (X[:, 0] * X[:, 1] > 0.0).astype(int)
    selector = kw.KernelSelector(SVC(), kernels=kw.Linear(), ridge=1e-99, criterion="sm")
    with pytest.warns(ConvergenceWarning, match="max_iter=1000"):
        selector.fit(X, y)
    chosen = kw.KernelSelector(SVC(max_iter=77), kernels=kw.Linear(), ridge=1.0, criterion="sm")
    assert chosen.fit(X, y).best_estimator_.max_iter == 77


@pytest.mark.parametrize("estimator", [kw.KernelSelector, kw.KernelStack])
@pytest.mark.parametrize("value", [False, 0.0, np.nan, "5"])
def test_seconds_are_a_positive_number(estimator, value):
    with pytest.raises(ValueError, match=f"'time' parameter of {estimator.__name__} must be"):
        estimator(time=value).fit(X, Y)
