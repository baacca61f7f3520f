"""What a new user meets on the first day: names, imports, weights of scores, many classes."""

import subprocess
import sys
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import KFold, cross_val_predict

import kernelwise as kw
from helpers import close
from inside import Record, figures, left_out, render, summarize
from inside import report_figures as home

KERNELS = kw.grids.gaussian(-1, 3)
WEIGHED = ["sm", "eloo", "gcv", "lml", "kfold"]


def test_parts_that_few_need_are_imported_later():
    code = """
import sys
from kernelwise.cli.main import main
for argv in (["--version"], ["--help"]):
    main(argv)
print([name for name in ("numpy", "scipy", "sklearn", "pandas", "numba") if name in sys.modules])
import kernelwise as kw
print("kernelwise.bounds" in sys.modules, {"bounds", "figures"} <= set(dir(kw)))
print(kw.bounds.__name__)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    said = done.stdout.splitlines()
    assert said[0] == f"kernelwise {kw.__version__}"
    assert said[-3:] == ["[]", "False True", "kernelwise.bounds"]


def test_completion_of_grids():
    names = {"auto", "gaussian", "gaussian_gamma", "laplacian", "laplacian_for", "libsvm", "matern"}
    assert set(dir(kw.grids)) == {*names, "polynomial"}


def test_displays_where_users_look_for_them():
    for name in home.__all__:
        assert getattr(figures, name) is getattr(home, name)
    assert not hasattr(kw, "Bounds")


def rows(n=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, np.where(X[:, 0] + 0.5 * rng.normal(size=n) > 0.8, "rare", "usual")


def table(X, y, names=WEIGHED, **options):
    result = kw.score_kernels(X, y, KERNELS, names, **options)
    return np.array([result.table[name] for name in names])


def test_scores_with_weights_of_ones_are_those_without():
    X, y = rows()
    np.testing.assert_array_equal(table(X, y, sample_weight=np.ones(60)), table(X, y))


def test_scores_with_integer_weights_are_those_of_repeated_rows():
    X, y = rows()
    counts = np.random.default_rng(1).integers(0, 4, 60)  # rows of weight zero are left out
    again = np.repeat(np.arange(60), counts)
    # What leaves rows out would leave their copies in, and powers of a matrix count them again. A
    # training error alone is RKS with hardly any weight of stability.
    for name in (kw.criteria.SM(r=1), kw.criteria.RKS(eta=1e-14)):
        for target in (y, X[:, 1] + X[:, 0] ** 2):
            weighted = kw.score_kernels(X, target, KERNELS, name, sample_weight=counts)
            repeated = kw.score_kernels(X[again], target[again], KERNELS, name)
            close(weighted.table[name.name], repeated.table[name.name])


def test_balanced_scores_are_those_of_explicit_weights():
    X, y = rows()
    sizes = {label: int(np.sum(y == label)) for label in ("rare", "usual")}
    by_class = {label: 60 / (2 * size) for label, size in sizes.items()}
    balanced = table(X, y, class_weight="balanced")
    close(balanced, table(X, y, class_weight=by_class))
    close(balanced, table(X, y, sample_weight=[by_class[label] for label in y]))
    assert not np.allclose(balanced[1], table(X, y)[1])


def test_scores_are_weighted_as_in_the_selector():
    X, y = rows()
    w = np.exp(np.random.default_rng(2).normal(size=60))
    stages = kw.Cascade(("sm", len(KERNELS)), ("eloo", 1))
    selector = kw.KernelSelector(None, KERNELS, stages, 0.5, class_weight="balanced")
    chosen = selector.fit(X, y, sample_weight=w).result_
    options = {"ridge": 0.5, "sample_weight": w, "class_weight": "balanced"}
    scored = table(X, y, ["sm", "eloo"], **options)
    close(scored, [chosen.table["sm"], chosen.table["eloo"]])
    given = kw.score_kernels(KERNELS[0](X), y, kw.Precomputed(), ["eloo"], **options)
    close(given.table["eloo"][0], scored[1, 0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sample_weight": np.ones(59)}, r"sample_weight.shape == \(59,\)"),
        ({"sample_weight": -np.ones(60)}, "[Nn]egative values"),
        ({"class_weight": "even"}, "'class_weight' parameter of score_kernels"),
        ({"class_weight": "balanced", "task": "regression"}, "class_weight is for classes"),
        ({"sample_weight": np.eye(60)[0]}, "y has less than two classes or values of positive"),
    ],
)
def test_weights_of_scores_that_cannot_be_are_refused(options, message):
    X, y = rows()
    y = (y == "rare").astype(int)
    with pytest.raises(ValueError, match=message):
        kw.score_kernels(X, y, KERNELS, **options)
    with pytest.raises(ValueError, match="X has 59 rows but y has 60 entries"):
        kw.score_kernels(X[1:], y, KERNELS, sample_weight=np.arange(60))
    with pytest.raises(ValueError, match="sample_weight has zeros, which a given matrix"):
        kw.score_kernels(KERNELS[0](X), y, kw.Precomputed(), sample_weight=np.arange(60))


def confused(labels):
    pairs = [left_out.Mistake(a, b, 3) for a, b in pairwise(labels)]
    return left_out.Confusion(dict.fromkeys(labels, 12), tuple(pairs))


@pytest.fixture
def record():
    X, y = rows()
    selector = kw.KernelSelector(None, KERNELS).fit(X, y)
    chosen = selector.best_kernel_, selector.best_ridge_, "LSSVC", "classification"
    return Record(*chosen, selector.result_, error=selector.error_)


def test_a_report_on_a_hundred_classes(record):
    labels = [f"species {i:03d}" for i in range(100)]
    many = replace(record, confusion=confused(labels), data={"classes": dict.fromkeys(labels, 12)})
    page = render(summarize(many))
    assert "Which class is taken for which" not in page  # no table of 100 x 100
    assert "The pairs that are confused most" in page
    assert "87 more pairs occur no more often." in page
    assert "88 more classes err no more often." in page and "and 88 more" in page
    assert "species 020" not in page
    few = render(summarize(replace(record, confusion=confused(labels[:12]))))
    assert "The pairs that are confused most" not in few
    assert "Which class is taken for which" in few


@pytest.mark.parametrize(
    ("machine", "task", "what"),
    [("SVC", "classification", "Errors class by class"), ("SVR", "regression", "Residuals")],
)
def test_a_report_says_why_it_does_not_tell_where_it_errs(record, machine, task, what):
    measured = replace(record.error, method="5-fold")
    of_svm = replace(record, machine=machine, task=task, error=measured)
    page = render(summarize(of_svm))
    assert f"{what} are not shown for {machine}: they come from leaving out every row" in page
    for other in (record, replace(of_svm, error=None)):
        assert "are not shown for" not in render(summarize(other))


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_an_error_by_the_folds_that_are_asked_for(task):
    X, y = rows()
    y = y if task == "classification" else X[:, 0] ** 2 + X[:, 1]
    selector = kw.KernelSelector(None, KERNELS, task=task).fit(X, y)
    assert selector.error_estimate() is selector.error_estimate(X, y) is selector.error_
    folds = KFold(4, shuffle=True, random_state=3)
    predicted = cross_val_predict(clone(selector.best_estimator_), X, y, cv=folds)
    wrong = predicted != y if task == "classification" else (predicted - y) ** 2
    found = selector.error_estimate(X, y, cv=folds)
    close(found.value, wrong.mean() if task == "classification" else np.sqrt(wrong.mean()))
    assert (found.method, found.baseline) == ("KFold", selector.error_.baseline)
    assert selector.error_estimate(X, y, cv=3).method == "3-fold"
    with pytest.raises(ValueError, match="X and y are needed to estimate the error of"):
        selector.error_estimate(cv=3)  # leave-one-out needed no rows to be kept
    with pytest.raises(ValueError, match="cv must be a number of folds of at least 2"):
        selector.error_estimate(X, y, cv=1)


def test_results_print_in_scikit_learns_terms_too():
    X, y = rows()
    selector = kw.KernelSelector(None, KERNELS).fit(X, y)
    params = {name: selector.best_params_[name] for name in ("gamma", "C", "alpha")}
    told = ", ".join(f"{name} = {value:.4g}" for name, value in params.items())
    assert repr(selector.result_).endswith(f" s; eloo prefers {selector.best_kernel_}: {told})")
    screened = repr(kw.score_kernels(X, y, [kw.Gaussian(4.0)], "sm"))
    assert screened.endswith("; sm prefers Gaussian(tau=4.0): gamma = 0.125)")  # at any ridge
    assert repr(kw.score_kernels(X, y, kw.Linear(), "sm")).endswith("; sm prefers Linear())")
    assert repr(kw.score_kernels(X, y, kw.Linear(), "ks")).endswith(" s)")  # it does not choose
    for kernel in (kw.Gaussian(2.0), kw.Laplacian(3.0) + kw.Linear()):
        assert eval(repr(kernel), vars(kw)) == kernel
