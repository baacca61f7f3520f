"""Candidates in all the forms that users have them, through scoring, selector and report."""

import json
import sys
import types

import numpy as np
import pandas as pd
import pytest

import kernelwise as kw
from inside import (
    Matrix,
    NotPSDWarning,
    Record,
    _is_settled,
    main,
    surviving,
    write_report,
)


def data(n=80, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


def overlap(X, Z):
    return np.exp(-np.abs(X[:, None] - Z[None]).sum(axis=-1))


def spectrum(texts, p):
    """The string kernel that counts common substrings of length p."""
    counts = [[t[i : i + p] for i in range(len(t) - p + 1)] for t in texts]
    return np.array([[float(sum(s.count(u) for u in t)) for s in counts] for t in counts])


def strings():
    rng = np.random.default_rng(0)
    texts = ["".join(rng.choice(list("acgt"), 30)) for _ in range(60)]
    texts = [t[:10] + "gattaca" + t[17:] if i % 2 else t for i, t in enumerate(texts)]
    return texts, np.arange(60) % 2


def fidelity(X):
    """Of states of one qubit a feature, turned by its angle: a product of cosines."""
    states = [np.array([np.cos(x / 2), np.sin(x / 2)]).T for x in X]
    phi = np.array([np.kron(np.kron(s[0], s[1]), s[2]) for s in states])
    return abs(phi @ phi.conj().T) ** 2


CANDIDATES = {
    "auto": ("auto", "Gaussian"),
    "rbf": ("rbf", "Gaussian"),
    "name": ("laplacian", "Laplacian"),
    "names": (["matern", "poly"], "Matern Polynomial"),
    "linear": (["linear", kw.Gaussian(1.0)], "Linear Gaussian"),
    "function": (overlap, "Function"),
    "mixture": ([overlap, "rbf", kw.Matern(1.0), kw.Linear()], "Function Gaussian Matern Linear"),
}


@pytest.mark.parametrize(("given", "kinds"), CANDIDATES.values(), ids=CANDIDATES)
def test_kernels_as_users_have_them(given, kinds):
    X, y = data()
    selector = kw.KernelSelector(kernels=given).fit(X, y)
    assert {type(k).__name__ for k in selector.result_.kernels} == set(kinds.split())
    assert selector.predict(X).shape == y.shape
    scored = kw.score_kernels(X, y, given, ["sm", "eloo"])
    assert {type(k).__name__ for k in scored.kernels} == set(kinds.split())
    plain = json.loads(selector.result_.to_json())["kernels"]
    assert {kernel["kernel"] for kernel in plain} == set(kinds.split())


def test_rbf_is_auto():
    X, y = data()
    auto, rbf = (kw.KernelSelector(kernels=name).fit(X, y) for name in ("auto", "rbf"))
    assert auto.result_.kernels == rbf.result_.kernels
    assert auto.best_kernel_ == rbf.best_kernel_


def test_a_frame_serves_names_and_functions():
    X, y = data()
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    kernels = ["laplacian", overlap, kw.Columns(["c", "a"], kw.Gaussian(1.0))]
    result = kw.score_kernels(frame, y, kernels)
    assert result.kernels[-1] == kw.Columns([2, 0], kw.Gaussian(1.0))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("laplacan", "kernels: unknown kernel 'laplacan': did you mean 'laplacian'; kernels must"),
        (["rbf", "cubic"], "kernels: unknown kernel 'cubic'.*see docs/candidates.md"),
        (3, "kernels must be 'auto', names .rbf, laplacian.*functions k.X, Z.*got 3: see docs/c"),
        ([kw.Gaussian], "kernels must be 'auto', names .*got <class"),
        ([None], "kernels must be 'auto', names .*got None"),
        (lambda X, Z: X[:, 0] @ Z[:, 0], "Expected 2D array, got scalar"),
        (lambda X, Z: X @ Z.T + X[:, :1], "is not symmetric"),
    ],
)
def test_what_is_none_of_these_is_refused_in_a_sentence(given, message):
    X, y = data(20)
    for call in (
        lambda: kw.KernelSelector(kernels=given).fit(X, y),
        lambda: kw.score_kernels(X, y, given),
    ):
        with pytest.raises((ValueError, TypeError), match=message):
            call()


def test_a_function_that_is_not_semidefinite_is_told():
    X, y = data(40)

    def distance(X, Z):
        return ((X[:, None] - Z[None]) ** 2).sum(axis=-1)

    with pytest.warns(NotPSDWarning, match="Function.distance. is not positive semi"):
        result = kw.score_kernels(X, y, [distance, "linear"], "ckta")
    assert result.kernels[0].is_psd is False


def test_a_function_in_every_engine():
    X, y = data(90)
    values = [
        kw.score_kernels(X, y, overlap, ["sm", "ckta", "eloo"], engine=engine).table
        for engine in ("dense", kw.gram.Tiled(tile=32))
    ]
    twin = kw.score_kernels(X, y, kw.Laplacian(1.0), ["sm", "ckta", "eloo"]).table
    for name, expected in twin.items():
        for table in values:
            np.testing.assert_allclose(table[name], expected, rtol=1e-10)


def test_functions_are_saved_by_name_where_they_have_one(tmp_path, monkeypatch):
    X, y = data(40)
    path, module = tmp_path / "model.skops", types.ModuleType("my_kernels")
    module.overlap = types.FunctionType(overlap.__code__, globals(), "overlap")
    module.overlap.__module__ = "my_kernels"
    monkeypatch.setitem(sys.modules, "my_kernels", module)
    selector = kw.KernelSelector(kernels=module.overlap).fit(X, y)
    with pytest.raises(ValueError, match=r"trusted=.'my_kernels.overlap'. when saving"):
        kw.save_model(selector, path)
    kw.save_model(selector, path, trusted=["my_kernels.overlap"])
    loaded = kw.load_model(path, trusted=["my_kernels.overlap"])
    np.testing.assert_array_equal(loaded.predict(X), selector.predict(X))
    nameless = kw.KernelSelector(kernels=lambda X, Z: X @ Z.T).fit(X, y)
    with pytest.raises(ValueError, match="which a file cannot name: define it with def"):
        kw.save_model(nameless, path)


# --- several families -------------------------------------------------------------------------


def test_every_family_survives_a_screen():
    gaussians = [kw.Gaussian(2.0**i) for i in range(6)]
    laplacians = [kw.Laplacian(2.0**i) for i in range(6)]
    kernels = [*gaussians, *laplacians, kw.Linear()]
    order = range(len(kernels))  # all Gaussians ahead of all Laplacians
    assert surviving(gaussians, range(6), 5) == [0, 1, 2, 3, 4]
    assert surviving(kernels, order, 5) == [0, 1, 2, 6, 7, 8, 12]
    assert surviving(kernels, order, 1) == [0, 6, 12]
    assert surviving(kernels, order, 12) == [0, 1, 2, 3, 6, 7, 8, 9, 12]
    assert surviving(kernels, [8, 1, 0, 7, 6, 9], 2) == [8, 1, 0, 7]


def test_a_family_that_the_screen_ranks_last_can_win():
    """SM prefers every Gaussian here to every Laplacian; leave-one-out a Laplacian."""
    X, y = data(120)
    kernels = [
        *(kw.Gaussian(tau) for tau in (0.4, 0.5, 0.7, 1.0, 1.4, 2.0)),
        *(kw.Laplacian(2.0**i) for i in range(-1, 4)),
    ]
    sm = kw.score_kernels(X, y, kernels, kw.criteria.SM(r=2)).table["sm"]
    selector = kw.KernelSelector(kernels=kernels).fit(X, y)
    assert {type(kernels[i]) for i in np.argsort(-sm)[:5]} == {kw.Gaussian}
    reached = np.flatnonzero(np.isfinite(selector.result_.table["eloo"]))
    assert [type(kernels[i]) for i in reached] == 3 * [kw.Gaussian] + 3 * [kw.Laplacian]
    assert isinstance(selector.best_kernel_, kw.Laplacian)


def test_samples_settle_every_family():
    kernels = [kw.Gaussian(1.0), kw.Gaussian(2.0), kw.Laplacian(1.0), kw.Laplacian(2.0)]
    rng = np.random.default_rng(0)
    apart = [np.array([9.0, 5.0, 0.9, 0.1]) + 0.01 * rng.normal(size=4) for _ in range(4)]
    tied = [np.array([9.0, 5.0, 0.5, 0.5]) + 0.01 * rng.normal(size=4) for _ in range(4)]
    assert _is_settled(1.0, apart, kernels, 1) and not _is_settled(1.0, tied, kernels, 1)
    assert _is_settled(1.0, tied, kernels, 2)


# --- matrices ---------------------------------------------------------------------------------


def test_matrices_score_as_the_kernels_they_are_of():
    X, y = data()
    kernels = kw.grids.gaussian(-2, 2)
    matrices = {f"{k.tau:g}": k(X) for k in kernels}
    names = ["sm", "ckta", "eloo", "kfold"]
    ours = kw.score_matrices(matrices, y, names, ridge=[0.1, 1.0])
    theirs = kw.score_kernels(X, y, kernels, names, ridge=[0.1, 1.0], engine="dense")
    assert [k.name for k in ours.kernels[::2]] == list(matrices)
    for name in names:
        np.testing.assert_allclose(ours.table[name], theirs.table[name], rtol=1e-9)
    stacked = kw.score_matrices(np.array(list(matrices.values())), y, names, ridge=[0.1, 1.0])
    assert stacked.kernels[-1] == Matrix(4)
    single = kw.score_matrix(matrices["1"], y, "sm")["sm"]
    assert single == pytest.approx(ours.table["sm"][4], rel=1e-12)


_weighed = kw.MultiKernelSelector


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda K, y: kw.score_matrices({}, y), "matrices is empty"),
        (lambda K, y: kw.score_matrices(K[0], y), "matrices must be a mapping of names to square"),
        (lambda K, y: kw.score_matrices({1: K[0]}, y), "matrices must have texts for names"),
        (
            lambda K, y: kw.score_matrices({"a": K[0], "b": K[1, :5]}, y),
            r"Matrix\(1, 'b'\): K must",
        ),
        (lambda K, y: kw.score_matrices({"a": K[0] + K[0, 0]}, y), r"'a'\): K is not symmetric"),
        (lambda K, y: kw.score_matrices({"a": K[0]}, y[:-1]), "X has 12 rows but y has 11"),
        (lambda K, y: _weighed().fit([K[0], K[1, :, :5]], y), "matrices of one shape"),
        (lambda K, y: _weighed(kernels="rbf").fit(K, y), "X is a stack of matrices: leave"),
        (lambda K, y: _weighed(kernels=Matrix(7)).fit(K, y), "kernels names matrix 7 of"),
        (lambda K, y: _weighed().fit(K, y).predict(K[:1]), "a stack of as many matrices"),
        (lambda K, y: _weighed().fit(K[:, :5], y[:5]), "a stack of square matrices"),
        (lambda K, y: kw.KernelSelector().fit(K, y), "array with dim 3"),
    ],
)
def test_wrong_stacks_are_refused_in_a_sentence(call, message):
    X, y = data(12)
    with pytest.raises((ValueError, TypeError), match=message) as caught:
        call(np.array([kw.Gaussian(t)(X) for t in (1.0, 2.0)]), y)
    assert "\n" not in str(caught.value)


def test_a_model_of_matrices_is_saved(tmp_path):
    X, y = data(40)
    stack = np.array([kw.Gaussian(t)(X) for t in (0.5, 1.0, 8.0)])
    selector = kw.MultiKernelSelector().fit(stack, y)
    kw.save_model(selector, tmp_path / "model.skops")
    loaded = kw.load_model(tmp_path / "model.skops")
    np.testing.assert_array_equal(loaded.predict(stack), selector.predict(stack))


@pytest.mark.parametrize("kind", ["strings", "fidelity"])
def test_strings_and_quantum_states(kind, tmp_path):
    if kind == "strings":
        texts, y = strings()
        matrices = {f"spectrum {p}": spectrum(texts, p) for p in (1, 3, 5)}
    else:
        X = np.random.default_rng(0).uniform(0, np.pi, (60, 3))
        y = (np.cos(X).prod(axis=1) > 0).astype(int)
        matrices = {f"angles times {t}": fidelity(t * X) for t in (1, 2, 4)}
    best = kw.score_matrices(matrices, y, ["sm", "ckta", "eloo"]).best("eloo").name
    selector = kw.KernelSelector(kernels=kw.Precomputed()).fit(matrices[best], y)
    record = Record.of(selector, y, f"{kind}, {best}")
    assert record.kernel == kw.Precomputed() and selector.error_.value < record.error.baseline
    write_report(record, tmp_path / "report.html")
    assert f"{kind}, {best}" in (tmp_path / "report.html").read_text()


def test_a_result_of_a_function_is_reported(tmp_path):
    X, y = data(40)
    record = Record.of(kw.KernelSelector(kernels=[overlap, "rbf"]).fit(X, y), y)
    assert json.loads(record.to_json())["result"]["kernels"][0]["function"] == "overlap"
    write_report(record, tmp_path / "report.html")
    assert "Function(overlap)" in (tmp_path / "report.html").read_text()


@pytest.mark.parametrize("command", ["select", "compare"])
def test_names_on_the_command_line(command, tmp_path, capsys):
    X, y = data(60)
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=np.where(y == 1, "yes", "no"))
    frame.to_csv(tmp_path / "t.csv", index=False)
    asked = ["--target", "y", "--kernels", "rbf,laplacian", "--json"]
    assert main([command, str(tmp_path / "t.csv"), *asked]) == 0
    found = json.loads(capsys.readouterr().out)
    table = found["result"] if command == "select" else found
    kinds = {kernel["kernel"] for kernel in table["kernels"]}
    assert kinds == {"Gaussian", "Laplacian"}
