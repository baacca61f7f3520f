import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

import kernelwise as kw
from helpers import close, own_criteria, shared_data
from kernelwise import criteria as c

# Span trains a support vector machine instead.
EVERYTHING = [info.name for info in own_criteria() if info.cost != "training"]


def count_decompositions(monkeypatch):
    """Note every decomposition there is, wherever it is called, and of how many rows."""
    calls = []
    import sys

    import numpy.linalg
    import scipy.linalg
    import scipy.sparse.linalg

    def counted(original, name):
        def call(*args, **kwargs):
            calls.append((name, len(args[0])))
            return original(*args, **kwargs)

        return call

    names = ("eigh", "eigvalsh", "eig", "eigvals", "svd", "cholesky", "inv", "solve", "qr")
    originals = {name: getattr(scipy.linalg, name) for name in names}
    modules = [numpy.linalg, scipy.linalg, scipy.sparse.linalg]
    modules += [m for n, m in sys.modules.items() if n.startswith("kernelwise.")]
    for module in modules:
        for name, original in originals.items():
            if hasattr(module, name):
                monkeypatch.setattr(module, name, counted(original, name))
        for name in ("eigsh", "dpotrf", "dtrtri"):
            if hasattr(module, name):
                monkeypatch.setattr(module, name, counted(getattr(module, name), name))
    return calls


def test_one_eigendecomposition_per_kernel(wdbc, monkeypatch):
    """31 kernels, every criterion, three ridges: one decomposition each, none of any other kind.

    Groups of rows that have nothing to do with each other are decomposed one by one, and a row
    alone needs nothing.
    """
    X, y = wdbc
    calls = count_decompositions(monkeypatch)
    result = kw.score_kernels(X, y, kw.grids.gaussian(), EVERYTHING, ridge=[0.01, 1.0, 100.0])
    groups = []
    for kernel in kw.grids.gaussian():
        touching = kernel(X) > np.finfo(float).eps / len(y)
        labels = connected_components(csr_matrix(touching), directed=False)[1]
        groups += [size for size in np.bincount(labels) if size > 1]
    assert sorted(calls) == sorted(("eigh", size) for size in groups)
    assert 10 < groups.count(len(y)) < 20  # the others fall apart
    assert len(result) == 93 and set(result.table) == set(EVERYTHING)
    assert all(np.isfinite(values).all() for values in result.table.values())


def test_one_ridge_needs_no_decomposition_either(wdbc, monkeypatch):
    """A Cholesky factor is enough, and gives what the eigensystem gives."""
    X, y = wdbc
    criteria = ["eloo", "gcv", "br", "sm"]
    kernels = kw.grids.gaussian(2, 5)
    expected = kw.score_kernels(X, y, kernels, criteria, ridge=[0.1, 1.0])
    calls = count_decompositions(monkeypatch)
    one = kw.score_kernels(X, y, kernels, criteria, ridge=0.1)
    assert "eigh" not in dict(calls)
    for name in criteria:
        np.testing.assert_allclose(one.table[name], expected.table[name][::2], rtol=1e-9)


def test_sweeps_need_no_decomposition(wdbc, monkeypatch):
    X, y = wdbc
    calls = count_decompositions(monkeypatch)
    cheap = [info.name for info in own_criteria() if info.cost == "n^2"]
    kw.score_kernels(X, y, kw.grids.gaussian(0, 3), [*cheap, c.SM(r=4)])
    assert calls == []


def test_matrix_and_kernels_agree(two_blobs):
    X, y = two_blobs
    names = [name for name in EVERYTHING if name != "br"]  # a matrix has no width
    table = kw.score_kernels(X, y, [kw.Gaussian(2.0)], names, ridge=0.3).table
    values = kw.score_matrix(kw.Gaussian(2.0)(X), y, names, ridge=0.3)
    assert list(values) == names
    for name in names:
        close(values[name], table[name][0], condition=1e3)


def test_several_ridges_are_as_many_candidates(two_blobs):
    X, y = two_blobs
    kernels = [kw.Gaussian(1.0), kw.Gaussian(4.0)]
    result = kw.score_kernels(X, y, kernels, ["sm", "eloo"], ridge=[0.1, 1.0, 10.0])
    assert result.kernels == tuple(np.repeat(kernels, 3))
    np.testing.assert_array_equal(result.ridges, [0.1, 1.0, 10.0] * 2)
    for i, ridge in enumerate([0.1, 1.0, 10.0]):
        alone = kw.score_kernels(X, y, kernels, "eloo", ridge=ridge)
        close(alone.table["eloo"], result.table["eloo"][i::3], condition=1.0 + len(y) / ridge)
    assert len(set(result.table["sm"])) == 2
    best = result.best_index("eloo")
    assert result.table["eloo"][best] == result.table["eloo"].min()
    assert result.best("eloo") == result.kernels[best]
    assert result.best_ridge("eloo") == result.ridges[best]


def test_columns_are_named_by_what_differs(two_blobs):
    X, y = two_blobs
    result = kw.score_kernels(X, y, kw.Gaussian(1.0), [c.SM(r=2), c.SM(), "kta"])
    assert list(result.table) == ["sm(r=2)", "sm", "kta"]
    assert list(kw.score_kernels(X, y, kw.Gaussian(1.0), c.SM(r=2)).table) == ["sm"]


def test_frame_and_print(two_blobs):
    X, y = two_blobs
    result = kw.score_kernels(X, y, kw.grids.gaussian(0, 2), ["sm", "ckta"])
    frame = result.frame()
    assert list(frame.columns) == ["kernel", "ridge", "sm", "ckta"] and len(frame) == 3
    assert frame["kernel"][1] == "Gaussian(tau=2.0)"
    assert "3 candidates, criteria: sm, ckta, engine: dense" in repr(result)


def test_best_is_the_maximum_or_the_minimum(two_blobs):
    X, y = two_blobs
    result = kw.score_kernels(X, y, kw.grids.gaussian(-5, 5), ["sm", "gcv", "ks"])
    assert result.best("sm") == result.kernels[result.table["sm"].argmax()]
    assert result.best("gcv") == result.kernels[result.table["gcv"].argmin()]
    with pytest.raises(ValueError, match="ks has no direction"):
        result.best("ks")
    with pytest.raises(ValueError, match=r"unknown column 'gvc': did you mean 'gcv'\?"):
        result.best("gvc")


@pytest.mark.filterwarnings("ignore::kernelwise.selection.UndefinedCriterionWarning")
def test_best_leaves_out_what_is_undefined(two_blobs):
    X, y = two_blobs
    kernels = [kw.Linear(), kw.Gaussian(2.0)]
    assert kw.score_kernels(X, y, kernels, "br").best("br") == kw.Gaussian(2.0)
    with pytest.raises(ValueError, match="br is undefined for every candidate"):
        kw.score_kernels(X, y, kw.Linear(), "br").best("br")


def test_default_kernels_come_from_the_data(two_blobs):
    X, y = two_blobs
    assert list(kw.score_kernels(X, y).kernels) == kw.grids.auto(X)


@pytest.mark.parametrize("wrap", [sp.csr_array, sp.csc_matrix, pd.DataFrame, np.ndarray.tolist])
def test_containers(two_blobs, wrap):
    X, y = two_blobs
    expected = kw.score_kernels(X, y, kw.Gaussian(1.0), ["sm", "ckta", "eloo"]).table
    table = kw.score_kernels(wrap(X), y, kw.Gaussian(1.0), ["sm", "ckta", "eloo"]).table
    for name in expected:
        close(table[name], expected[name])


def test_text_labels(two_blobs):
    X, y = two_blobs
    names = np.where(y == 1, "malignant", "benign")
    expected = kw.score_kernels(X, y, kw.Gaussian(1.0), "sm").table["sm"]
    assert kw.score_kernels(X, names, kw.Gaussian(1.0), "sm").table["sm"] == expected


def test_duplicate_rows_are_fine(two_blobs):
    X, y = two_blobs
    twice = kw.score_kernels(np.vstack([X, X]), np.tile(y, 2), kw.Gaussian(1.0), EVERYTHING)
    assert all(np.isfinite(v).all() for v in twice.table.values())
    once = kw.score_kernels(X, y, kw.Gaussian(1.0), EVERYTHING)
    close(twice.table["kta"], once.table["kta"])  # means do not change


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_scale_of_features_and_widths_cancel(two_blobs, scale):
    X, y = two_blobs
    kernels, scaled = [kw.Gaussian(1.0)], [kw.Gaussian(scale**2)]
    expected = kw.score_kernels(X, y, kernels, [n for n in EVERYTHING if n != "br"]).table
    table = kw.score_kernels(scale * X, y, scaled, [n for n in EVERYTHING if n != "br"]).table
    for name in expected:
        close(table[name], expected[name], condition=1e4)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda X, y: kw.score_kernels(X, y, []), "kernels is empty: give at least one"),
        (
            lambda X, y: kw.score_kernels(X, y, ["cubic"]),
            "unknown kernel 'cubic'.*kernels must be .auto., names",
        ),
        (lambda X, y: kw.score_kernels(X, y, 3), "kernels must be .auto., names"),
        (lambda X, y: kw.score_kernels(X, y, criteria=[]), "criteria is empty: name at least one"),
        (lambda X, y: kw.score_kernels(X, y, criteria="smm"), "unknown criterion 'smm'"),
        (lambda X, y: kw.score_kernels(X, y, criteria=["sm", "sm"]), "the same criterion twice"),
        (lambda X, y: kw.score_kernels(X, y, ridge=0.0), "'ridge' parameter"),
        (lambda X, y: kw.score_kernels(X, y, ridge="small"), "'ridge' parameter"),
        (lambda X, y: kw.score_kernels(X, y, ridge=[]), "ridge is empty"),
        (lambda X, y: kw.score_kernels(X, y, ridge=1e200), "'ridge' parameter"),
        (
            lambda X, y: kw.score_kernels(X, y, criteria=None),
            "criteria must be a name",
        ),
        (lambda X, y: kw.score_kernels(X, y, criteria=[["sm"]]), "a criterion must be a name"),
        (lambda X, y: kw.score_kernels(X, None), "y should be a 1d array"),
        (
            lambda X, y: kw.score_kernels(X, y, [kw.Precomputed(), kw.Linear()]),
            r"kernels mixes Precomputed\(\) with kernels of features",
        ),
        (
            lambda X, y: kw.score_matrix(X @ X.T, y, ridge=[1, 2]),
            "'ridge' parameter",
        ),
        (lambda X, y: kw.score_kernels(X, y[:-1]), "X has 40 rows but y has 39 entries"),
        (lambda X, y: kw.score_kernels(X, 0 * y), "y has only one class"),
        (lambda X, y: kw.score_kernels(X[:2], y[-2:]), "2 sample"),
        (
            lambda X, y: kw.score_kernels(X, X[:, 0], criteria=["sm", "fsm"]),
            "fsm is not defined for regression targets: choose another criterion, or set task",
        ),
        (
            lambda X, y: kw.score_kernels(X, X[:, 0], criteria=c.ELOO("error")),
            "eloo.* is not defined for regression",
        ),
        (lambda X, y: kw.score_kernels(np.full_like(X, np.nan), y), "X contains (NaN|infinity)"),
        (lambda X, y: kw.score_kernels(X, y, engine="gpu"), "unknown engine 'gpu': choose from"),
    ],
)
def test_bad_input(two_blobs, call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call(*two_blobs)


def test_frame_without_pandas(two_blobs, monkeypatch):
    import sys

    result = kw.score_kernels(*two_blobs, kw.Gaussian(1.0))
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(
        ImportError, match=r"frame\(\) needs pandas: pip install 'kernelwise\[frame\]'"
    ):
        result.frame()


def test_the_spectral_measure_picks_as_published():
    """SM (trace, r = 3) picks a width in the middle of the grid; as printed, a near-identity."""
    frame = pd.read_csv(shared_data() / "heart.csv.gz")
    X = frame.drop(columns="target").to_numpy(float)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    y = frame["target"].to_numpy()
    asked = [c.SM(), c.SM(normalizer="sum")]
    result = kw.score_kernels(X, y, kw.grids.gaussian(), asked)

    def mean_similarity(kernel):
        K = kernel(X)
        return (K.sum() - len(K)) / (len(K) * (len(K) - 1))

    assert 0.2 < mean_similarity(result.best("sm")) < 0.8
    assert mean_similarity(result.best("sm(normalizer='sum')")) < 0.01
