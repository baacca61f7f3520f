"""Random calls of the public entry points: each answers soundly, or refuses in one sentence.

A refusal is a ValueError, a TypeError or a MemoryError that scikit-learn's validation or a line of
kernelwise raises. Errors of numpy, scipy or Python, warnings of others, and changed arguments are
faults. ``make fuzz`` runs the same with many more examples.
"""

import contextlib
import dis
import io
import json
import re
import tempfile
import traceback
import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone, is_classifier
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning

import kernelwise as kw
from fuzz import strategies as some
from fuzz.strategies import built
from inside import main

LONGEST = 600  # characters of a sentence
# scikit-learn's way to say that y was a column, and that its own solver stopped early.
DOCUMENTED = (DataConversionWarning, ConvergenceWarning)
# What scikit-learn says to users of all its estimators.
ADVICE = (
    "The number of unique classes is greater than 50%",
    "The least populated class in y has only",
    "feature names",
    "Singular matrix in solving dual problem",
)


# --- the verdict ----------------------------------------------------------------------------------


def is_in_order(error):
    """Say whether scikit-learn's validation refuses, or a line of ours raises one sentence."""
    if not isinstance(error, ValueError | TypeError | MemoryError):
        return False
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    modules = [frame.f_globals.get("__name__", "") for frame in frames]
    if any(name.startswith("sklearn.utils.") for name in modules):
        return True
    trace = error.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    # A line that raises by itself, rather than calls something written in C that does.
    raises = dis.opname[trace.tb_frame.f_code.co_code[trace.tb_lasti]] == "RAISE_VARARGS"
    if modules[-1].startswith("kernelwise.") and raises:
        return 0 < len(str(error)) <= LONGEST
    # A class of Python says by itself which argument it does not know.
    return modules[-1].startswith("sklearn.") or "unexpected keyword argument" in str(error)


@contextlib.contextmanager
def answers(*arguments, may_refuse=True):
    """Let calls return or refuse; the block ends where one refuses."""
    before = [_bytes(each) for each in arguments]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield
        except Exception as error:
            if not (may_refuse and is_in_order(error)):
                raise
    assert [_bytes(each) for each in arguments] == before, "arguments are changed"
    for warning in caught:
        said = str(warning.message)
        ours = warning.category.__module__.startswith("kernelwise.")
        checks = re.search(r"sklearn.(utils|externals)", warning.filename)  # scikit-learn's own
        known = checks or issubclass(warning.category, DOCUMENTED)
        assert ours or known or any(advice in said for advice in ADVICE), said


def _bytes(value):
    held = value.data if isinstance(value, sp.csr_matrix | sp.csr_array) else value
    return held.tobytes() if type(held) is np.ndarray and held.dtype.kind != "O" else None


# --- estimators -----------------------------------------------------------------------------------

ESTIMATORS = [kw.LSSVC, kw.KRR, kw.KernelSelector, kw.KernelStack, kw.MultiKernelSelector]
each_estimator = pytest.mark.parametrize("make", ESTIMATORS, ids=lambda make: make.__name__)


@st.composite
def problems(draw, make):
    """Ordinary rows with a target that an estimator takes."""
    X = draw(some.rows())
    is_real = make is kw.KRR or (make is not kw.LSSVC and draw(st.booleans()))
    return X, draw((some.reals if is_real else some.classes)(len(X)))


def check(model, X):
    """Ask a fitted estimator all that it says of rows; its answers agree with each other."""
    predicted = model.predict(X)
    if not is_classifier(model):
        assert np.isfinite(predicted).all()
        return predicted
    assert np.isin(predicted, model.classes_).all()
    if hasattr(model, "decision_function"):
        scores = model.decision_function(X)
        assert len(scores) == len(predicted) and np.isfinite(scores).all()
    if hasattr(model, "predict_proba"):
        P = model.predict_proba(X)
        assert P.shape == (len(predicted), len(model.classes_))
        np.testing.assert_allclose(P.sum(axis=1), 1.0)
    return predicted


@each_estimator
@given(data=st.data())
def test_ordinary_arguments_are_served(make, data):
    X, y = data.draw(problems(make))
    chosen = data.draw(some.estimators(make))
    if make not in (kw.LSSVC, kw.KRR) and len(np.unique(X, axis=0)) < 2:
        return  # there is nothing to choose by
    own = {"kernel", "kernels"} & chosen.keywords.keys()  # a matrix may be too large, or constant
    with answers(X, y, may_refuse=bool(own)), tempfile.TemporaryDirectory() as folder:
        model = built(chosen).fit(X, y)
        predicted = check(model, X)
        assert len(predicted) == len(X)
        again = clone(model).fit(X, y)
        np.testing.assert_array_equal(again.predict(X), predicted)
        kw.save_model(model, Path(folder) / "model.skops")
        loaded = kw.load_model(Path(folder) / "model.skops")
        np.testing.assert_array_equal(loaded.predict(X), predicted)


@each_estimator
@given(data=st.data())
def test_hostile_rows_and_targets(make, data):
    X, n = data.draw(some.hostile_rows() | problems(make).map(lambda p: (p[0], len(p[0]))))
    real = make is kw.KRR
    ordinary = (some.reals if real else some.classes)(n)
    y, w = data.draw(some.hostile_targets(n) | ordinary), data.draw(some.sample_weights(n))
    others, _ = data.draw(some.hostile_rows())
    chosen = data.draw(some.estimators(make))
    with answers(X, y, w):
        model = built(chosen)
        model = model.fit(X, y) if w is None else model.fit(X, y, sample_weight=w)
        check(model, X)
        check(model, others)


@each_estimator
@given(data=st.data())
def test_hostile_settings(make, data):
    X, y = data.draw(problems(make))
    chosen, weights = data.draw(some.hostile_estimators(make)), data.draw(st.booleans())
    w = data.draw(some.sample_weights(len(X))) if weights else None
    with answers(X, y, w):
        model = built(chosen)
        repr(model)
        model = model.fit(X, y) if w is None else model.fit(X, y, sample_weight=w)
        if getattr(model, "refit", True) and hasattr(model, "predict"):
            predicted = model.predict(X)
            assert len(predicted) == len(X)
        clone(model)


@given(X=some.rows(most=9), kernel=some.kernels, ridge=some.moderate, data=st.data())
def test_residuals_are_those_of_refits(X, kernel, ridge, data):
    bias, classify = data.draw(st.booleans()), data.draw(st.booleans())
    K, n = kernel(X), len(X)
    condition = np.linalg.cond(K + ridge * np.eye(n))
    if condition > 1e8:
        return
    y = np.where(np.arange(n) % 3 == 1, 1.0, -1.0) if classify else data.draw(some.reals(n))
    with answers(X, y, may_refuse=False):
        machine = (kw.LSSVC if classify else kw.KRR)(kernel, ridge, fit_intercept=bias).fit(X, y)
        left = [np.delete(np.arange(n), i) for i in range(n)]
        refits = [clone(machine).fit(X[rows], y[rows]) for rows in left]
        ask = "decision_function" if classify else "predict"
        said = [getattr(fit, ask)(X[i : i + 1])[0] for i, fit in enumerate(refits)]
        residuals = np.ravel(machine.loo_residuals_)
        size = np.abs(machine.dual_coef_).max() * (np.abs(K).max() + ridge) + np.abs(y).max()
        atol = 1e-9 * np.abs(y).max() + 1e-13 * condition * size
        np.testing.assert_allclose(residuals, y - said, rtol=1e-7, atol=atol)


# --- scores ---------------------------------------------------------------------------------------


def check_table(result):
    """See that every value is a number, or NaN with the reason."""
    for name, values in result.table.items():
        assert values.shape == (len(result),)
        noted = any(key.endswith(f": {name}") for key in result.notes)
        assert noted or not np.isnan(values).any(), f"{name} is NaN, and no note says why"
    for name in result.choosing():
        assert result.best(name) in result.kernels
        result.ranks(name)
    result.frame()


@given(data=st.data())
def test_scores_of_kernels(data):
    X, n = data.draw(some.hostile_rows() | some.rows().map(lambda X: (X, len(X))))
    y = data.draw(some.classes(n) | some.reals(n) | some.hostile_targets(n))
    kernels = data.draw(st.lists(some.kernels, min_size=1, max_size=3) | some.hostile_kernels)
    asked = data.draw(some.criteria("multiclass") | some.criteria("regression"))
    odd = data.draw(st.just(asked) | st.just(asked) | some.hostile_criteria)
    settings = {
        "ridge": data.draw(some.moderate | st.just([0.1, 1.0]) | some.HOSTILE["ridge"]),
        "engine": data.draw(st.sampled_from(["auto", "dense", "tiled", "low_rank"])),
        "machine": data.draw(st.sampled_from(["least-squares", "least-squares", "svm"])),
        "fit_intercept": data.draw(st.booleans()),
    }
    with answers(X, y):
        check_table(kw.score_kernels(X, y, built(kernels), built(odd), **settings))


@given(data=st.data())
def test_scores_of_matrices(data):
    X = data.draw(some.rows())
    K = data.draw(some.kernels)(X)
    y = data.draw(some.classes(len(X)) | some.hostile_targets(len(X)))
    odd = data.draw(st.just(lambda K: K) | st.sampled_from(some.ODD_MATRICES))(K)
    asked = data.draw(some.criteria("multiclass") | some.hostile_criteria)
    ridge = data.draw(some.moderate | some.odd_values)
    given_as = data.draw(st.sampled_from([lambda K, L: {"a": K, "b": L}, lambda K, L: L]))
    with answers(K, odd, y):
        check_table(kw.score_matrices(given_as(K, odd), y, built(asked), ridge=ridge))


@given(X=some.rows(), kernel=some.kernels, ridge=some.moderate, data=st.data())
def test_scores_are_the_same_by_every_way(X, kernel, ridge, data):
    """By tiles, on sparse rows, of the given matrix, and by the residuals of the machine."""
    y = data.draw(some.classes(len(X)))
    names = ["sm", "ckta", "kta", "md", "er"]
    K = kernel(X)
    condition = np.linalg.cond(K + ridge * np.eye(len(K)))
    if np.ptp(K) < 1e-6 * np.abs(K).max() or condition > 1e8:
        return
    with answers(X, y, may_refuse=False):
        tables = [
            kw.score_kernels(X, y, kernel, names, ridge=ridge).table,
            kw.score_kernels(X, y, kernel, names, ridge=ridge, engine="tiled").table,
            kw.score_kernels(sp.csr_matrix(X), y, kernel, names, ridge=ridge).table,
            kw.score_matrices({"K": K}, y, names, ridge=ridge).table,
        ]
        for name in names:
            first, *others = (table[name][0] for table in tables)
            rtol = max(1e-9, 1e-12 * condition)
            np.testing.assert_allclose(others, first, rtol=rtol, atol=rtol * 1e-3, err_msg=name)


@given(data=st.data())
def test_errors_of_a_selector(data):
    X, y = data.draw(problems(kw.KernelSelector))
    cv = data.draw(st.sampled_from(some.FOLDS))
    with answers(X, y):
        found = kw.KernelSelector().fit(X, y).error_estimate(X, y, cv=cv)
        assert np.isfinite(found.value)


# --- the command line -----------------------------------------------------------------------------


def command(*argv):
    """Run a command in this process: done, or refused in one sentence; return what it printed."""
    out, said = io.StringIO(), io.StringIO()
    with answers(may_refuse=False):
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(said):
            status = main([str(each) for each in [*argv, "--debug"]])
    text = said.getvalue()
    lines = [line for line in text.splitlines() if line.startswith("kernelwise: ")]
    assert status == 0 or (status == 2 and len(lines) == 1 and len(lines[0]) < 2 * LONGEST), text
    return out.getvalue() if status == 0 else None


@given(command_name=st.sampled_from(["select", "compare"]), file=some.files(), odd=some.options)
def test_commands_on_damaged_tables(command_name, file, odd):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / file[0]
        path.write_bytes(file[1])
        quick = ["--criterion", "sm", "--kernels", "gaussian:0:2"]
        quick = [] if set(quick) & set(odd) else quick
        printed = command(command_name, path, *quick, *odd, "--json")
        assert printed is None or json.loads(printed)


@pytest.fixture(scope="module")
def chosen(tmp_path_factory):
    """A table and the model that was chosen for it."""
    folder = tmp_path_factory.mktemp("chosen")
    rng = np.random.default_rng(0)
    lines = [
        f"{a:.3f},{'red' if a > b else 'blue'},{'u' if a > 0 else 'v'}"
        for a, b in rng.normal(size=(24, 2))
    ]
    text = "\n".join(["a,colour,target", *lines]) + "\n"
    (folder / "table.csv").write_text(text)
    assert command("select", folder / "table.csv", "--out", folder / "out", "--quiet") is not None
    return text, folder / "out" / "model.skops"


@given(data=st.data())
def test_predictions_of_damaged_tables(chosen, data):
    text, model = chosen
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "new.csv"
        path.write_bytes(data.draw(some.damaged(text)))
        command("predict", model, path)


# --- the verdict itself ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "call",
    [lambda: {}["a"], lambda: float("a"), lambda: np.linalg.inv(np.zeros((2, 2)))],
)
def test_an_error_from_the_depths_is_a_fault(call):
    with pytest.raises((KeyError, ValueError, np.linalg.LinAlgError)), answers():
        call()


def test_a_refusal_in_one_sentence_is_in_order():
    with answers():
        kw.Gaussian(-1.0)


def test_warnings_of_others_and_changed_arguments_are_faults():
    with pytest.raises(AssertionError), answers():
        np.log(np.array(0.0))
    array = np.array([2.0, 1.0])
    with pytest.raises(AssertionError, match="changed"), answers(array):
        array.sort()
