"""Whatever the library does with few rows is done by one thread, and n_jobs is followed."""

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
from sklearn.kernel_ridge import KernelRidge
from sklearn.svm import SVC
from threadpoolctl import ThreadpoolController, threadpool_info

import kernelwise as kw
from inside import PrecomputedAdapter, SpectrumDisplay, geometry, main, observe, panels
from inside import lapack as _lapack
from inside import threads as _threads
from kernelwise import bounds, gram


@pytest.fixture(autouse=True)
def two_threads():
    """Let every library have two threads, whatever the environment and the machine say."""
    libraries = ThreadpoolController().lib_controllers
    before = [library.num_threads for library in libraries]
    for library in libraries:
        _threads._set(library, 2)
    yield
    for library, threads in zip(libraries, before, strict=True):
        _threads._set(library, threads)


@pytest.fixture
def data(rng):
    X = rng.normal(size=(60, 4))
    return X, np.where(X[:, 0] + 0.5 * rng.normal(size=60) > 0.0, 1, 0)


@pytest.fixture
def seen(monkeypatch):
    """The threads that the linear algebra had, whenever matrices were multiplied or factorised."""
    found = []

    def watch(owner, name):
        real = getattr(owner, name)

        def watched(*args, **kwargs):
            found.append(max(settings().values()))
            return real(*args, **kwargs)

        monkeypatch.setattr(owner, name, watched)

    watch(geometry, "dot_products")
    watch(_lapack, "eigh")
    watch(_lapack, "get_lapack_funcs")
    watch(panels, "get_lapack_funcs")
    watch(scipy.linalg, "eigh")
    watch(np.linalg, "eigvalsh")
    return found


def settings():
    return {info["filepath"]: info["num_threads"] for info in threadpool_info()}


def matrix(X):
    return np.exp(-0.1 * np.square(X[:, None] - X).sum(axis=2))


CALLS = {
    "kernel": lambda X, y: kw.Gaussian(2.0)(X),
    "cross": lambda X, y: kw.Gaussian(2.0)(X, X[:5]),
    "grid": lambda X, y: kw.grids.auto(X),
    "repair": lambda X, y: gram.repair(matrix(X)),
    "LSSVC": lambda X, y: kw.LSSVC().fit(X, y).predict_proba(X),
    "KRR": lambda X, y: kw.KRR().fit(X, X[:, 0]).predict(X),
    "relevance": lambda X, y: kw.relevance(kw.LSSVC().fit(X, y)),
    "on matrix": lambda X, y: (
        PrecomputedAdapter(KernelRidge(kernel="precomputed"), kw.Gaussian(2.0)).fit(X, y).predict(X)
    ),
    "scores": lambda X, y: kw.score_kernels(X, y, criteria=["sm", "eloo"]),
    "scores of a matrix": lambda X, y: kw.score_matrix(matrix(X), y, ["eloo"]),
    "bounds": lambda X, y: bounds.all_bounds(matrix(X), y),
    "observed": lambda X, y: observe(matrix(X), y),
    "figure": lambda X, y: SpectrumDisplay.from_kernel(kw.Gaussian(2.0), X),
    "fit": lambda X, y: kw.KernelSelector().fit(X, y).predict(X),
    "score": lambda X, y: kw.KernelSelector(kernels=[kw.Gaussian(2.0)]).fit(X, y).score(X, y),
    "error": lambda X, y: kw.KernelSelector(SVC()).fit(X, y).error_estimate(X, y, cv=2),
}


@pytest.mark.parametrize("name", CALLS)
def test_few_rows_are_done_by_one_thread(name, data, seen):
    before = settings()
    CALLS[name](*data)
    assert set(seen) == {1}
    assert settings() == before


def test_a_refusal_changes_nothing(data):
    before = settings()
    X, y = data
    with pytest.raises(ValueError, match="engine"):
        kw.KernelSelector(n_jobs=10**6, engine="nope").fit(X, y)
    assert settings() == before
    K = kw.Laplacian(2.0)(sp.csr_matrix(X))  # by OpenMP, for which a million threads are too many
    np.testing.assert_allclose(K, kw.Laplacian(2.0)(X))


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt])
def test_an_error_changes_nothing(error, data, monkeypatch):
    before = settings()

    def broken(kernel, g):
        raise error

    monkeypatch.setattr(kw.Gaussian, "profile", broken)
    for selector in (kw.KernelSelector(n_jobs=1), kw.KernelSelector(engine="tiled")):
        with pytest.raises(error):
            selector.fit(*data)
        assert settings() == before


def test_n_jobs_is_followed(data, seen, monkeypatch):
    monkeypatch.setattr(_threads, "processors", lambda: 8)
    X, y = data
    selector = kw.KernelSelector(kernels=kw.grids.gaussian(0, 3), n_jobs=2).fit(X, y)
    selector.predict(X)
    kw.score_kernels(X, y, kw.Gaussian(1.0), n_jobs=2)
    assert set(seen) == {2}
    seen.clear()
    selector.set_params(n_jobs=1).fit(X, y).predict(X)
    assert set(seen) == {1}


def test_n_jobs_is_at_most_the_processors(data, seen, monkeypatch):
    monkeypatch.setattr(_threads, "processors", lambda: 1)
    kw.KernelSelector(n_jobs=10**6).fit(*data)
    assert set(seen) == {1}


def test_the_same_result_to_rounding(data, monkeypatch):
    monkeypatch.setattr(_threads, "processors", lambda: 2)
    X, y = data
    one, two = (
        kw.score_kernels(X, y, criteria=["sm", "eloo"], engine="tiled", n_jobs=n) for n in (1, 2)
    )
    for name in one.table:
        np.testing.assert_allclose(one.table[name], two.table[name], rtol=1e-9)


def test_sweeps_have_as_many_threads_as_jobs(data, monkeypatch):
    monkeypatch.setattr(_threads, "processors", lambda: 3)
    X, y = data
    made, real = [], gram.runner.pool
    monkeypatch.setattr(gram.runner, "pool", lambda size: made.append(size) or real(size))
    for threads, n_jobs, expected in ((None, 2, 2), (None, None, 3), (5, 2, 2), (5, None, 5)):
        kw.score_kernels(X, y, engine=gram.Tiled(tile=8, threads=threads), n_jobs=n_jobs)
        assert set(made) == {expected}
        made.clear()


class TestCommandLine:
    @pytest.fixture
    def table(self, data, tmp_path):
        X, y = data
        path = tmp_path / "table.csv"
        np.savetxt(path, np.column_stack([X, y]), "%.5f,%.5f,%.5f,%.5f,%d", header="a,b,c,d,class")
        return str(path)

    def test_every_command_takes_one_thread_for_few_rows(self, table, seen, tmp_path, capsys):
        before, model = settings(), str(tmp_path / "model.skops")
        assert main(["select", table, "--out", str(tmp_path), "--nested"]) == 0
        for command in (["predict", model, table], ["compare", table], ["bounds", table]):
            assert main(command) == 0
        assert set(seen) == {1} and settings() == before

    def test_jobs(self, table, seen, monkeypatch, capsys):
        monkeypatch.setattr(_threads, "processors", lambda: 2)
        for jobs, threads in (("1", 1), ("2", 2), ("-1", 2), ("99", 2)):
            assert main(["compare", table, "--criterion", "eloo", "--jobs", jobs]) == 0
            assert set(seen) == {threads}
            seen.clear()

    @pytest.mark.parametrize("jobs", ["0", "many", "1.5"])
    def test_no_number_of_jobs(self, jobs, table, capsys):
        for command in (["select", table], ["predict", "model.skops", table]):
            assert main([*command, "--jobs", jobs]) == 2
            said = capsys.readouterr().err
            assert said.count("\n") == 1 and "--jobs: a number of jobs must be" in said
