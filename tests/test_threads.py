"""Threads of the linear algebra and of our own loops: how many, and what is left behind."""

import contextlib
import signal
import sys
import threading
import types

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController, threadpool_info

import kernelwise as kw
from inside import algebra_threads, as_jobs, helpful, limited, pool, workers
from inside import threads as _threads


@pytest.fixture
def four_processors(monkeypatch):
    monkeypatch.setattr(_threads, "processors", lambda: 4)


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


def settings():
    return {info["filepath"]: info["num_threads"] for info in threadpool_info()}


class Hurdle(Exception):
    """Something that goes wrong inside."""


@pytest.mark.usefixtures("four_processors")
class TestNumber:
    @pytest.mark.parametrize(
        ("n_jobs", "threads"),
        [
            *[(None, None), (1, 1), (3, 3), (4, 4), (5, 4), (10**30, 4), (np.int64(2), 2)],
            *[(-1, 4), (-2, 3), (-4, 1), (-5, 1), (-(10**30), 1)],
        ],
    )
    def test_counts_as_scikit_learn_does(self, n_jobs, threads):
        assert as_jobs(n_jobs) == threads

    @pytest.mark.parametrize("n_jobs", [0, 1.5, "2", [1], np.nan])
    def test_others_are_refused(self, n_jobs, data):
        for call in (
            lambda: kw.KernelSelector(n_jobs=n_jobs).fit(*data),
            lambda: kw.score_kernels(*data, n_jobs=n_jobs),
        ):
            with pytest.raises(ValueError, match="n_jobs"):
                call()

    @pytest.mark.parametrize(
        ("rows", "threads"), [(0, 1), (1999, 1), (2000, 2), (2999, 2), (3000, 3), (10**6, 4)]
    )
    def test_few_rows_take_one(self, rows, threads):
        assert helpful(rows) == threads

    def test_own_loops_follow(self):
        assert workers() == 4 and workers(9) == 9
        with limited(3):
            assert workers() == 3 and workers(2) == 2 and workers(9) == 3
            with limited(2):
                assert workers() == 2
            with limited(4), limited(rows=10):
                assert workers() == 3
        with limited(rows=10):  # the loops do not spin: they may have them all
            assert workers() == 4

    def test_linear_algebra_has_as_many_as_it_is_set_to(self):
        assert algebra_threads() == 2  # of four processors
        with limited(1):
            assert algebra_threads() == 1
        for library in ThreadpoolController().lib_controllers:
            _threads._set(library, 1)
        assert algebra_threads() == 1

    def test_without_a_known_library_linear_algebra_counts_as_our_loops(self, monkeypatch):
        monkeypatch.setattr(_threads._PROCESS, "algebra_setting", lambda: None)
        assert algebra_threads() == 4


class TestLimits:
    def test_one_for_few_rows_two_for_many(self, four_processors):
        before = settings()
        for given, threads in (({"rows": 10}, 1), ({"rows": 2000}, 2), ({"n_jobs": 1}, 1)):
            with limited(**given):
                assert set(settings().values()) == {threads}
            assert settings() == before

    def test_what_is_asked_for_holds_further_in(self, four_processors):
        with limited(2), limited(rows=10):
            assert set(settings().values()) == {2}

    def test_never_more_than_a_library_is_set_to(self, four_processors):
        with limited(1), limited(4):
            assert set(settings().values()) == {1}
        with limited(4):
            assert set(settings().values()) == {2}

    def test_nothing_asked_nothing_done(self):
        with limited():
            assert set(settings().values()) == {2}

    def test_each_thread_of_a_pool_has_one(self):
        with pool(2) as threads:
            assert set(threads.submit(settings).result().values()) == {1}
            assert set(settings().values()) == {1}

    @pytest.mark.parametrize("error", [Hurdle, KeyboardInterrupt, SystemExit])
    def test_errors_inside(self, error):
        before = settings()
        with pytest.raises(error), limited(1), limited(rows=10), pool(2):
            raise error
        assert settings() == before and workers() == _threads.processors()

    def test_interrupted_while_entering_and_leaving(self, monkeypatch):
        before, real = settings(), _threads._set
        for moment in range(6):
            left = iter(range(moment))

            def interrupted(library, threads, left=left):
                real(library, threads)
                if next(left, None) is None:
                    monkeypatch.setattr(_threads, "_set", real)
                    raise KeyboardInterrupt

            monkeypatch.setattr(_threads, "_set", interrupted)
            with contextlib.suppress(KeyboardInterrupt), limited(1):
                pass
            monkeypatch.setattr(_threads, "_set", real)
            assert settings() == before and not _threads._PROCESS._limits

    def test_an_abandoned_limit_is_taken_back(self):
        before = settings()
        inside = limited(1)
        inside.__enter__()
        assert settings() != before
        del inside
        assert settings() == before

    def test_a_forked_process_begins_anew(self):
        process = _threads._Process()
        holder = threading.Thread(target=process._lock.acquire)
        holder.start()
        holder.join()
        process.forget()
        process.enter("key", 1)  # would wait for ever
        process.leave("key", [])


class TestOverlap:
    """Calls in several threads share one setting of BLAS."""

    def test_first_in_first_out(self, data, monkeypatch):
        """The second finds the limit of the first, which must not be what it restores."""
        before = settings()
        inside, leave = ({name: threading.Event() for name in "ab"} for _ in range(2))
        real = kw.Gaussian.profile

        def waiting(kernel, g):
            inside[threading.current_thread().name].set()
            assert leave[threading.current_thread().name].wait(20)
            return real(kernel, g)

        monkeypatch.setattr(kw.Gaussian, "profile", waiting)
        selectors = {name: kw.KernelSelector(kernels=[kw.Gaussian(1.0)], n_jobs=1) for name in "ab"}
        threads = {
            name: threading.Thread(target=selectors[name].fit, args=data, name=name)
            for name in "ab"
        }
        for name, thread in threads.items():
            thread.start()
            assert inside[name].wait(20)
        for name, thread in threads.items():
            leave[name].set()
            thread.join(20)
        assert hasattr(selectors["b"], "result_") and settings() == before

    def test_many_at_once(self, data):
        X, y = data
        before, errors = settings(), []

        def fit(seed):
            try:
                for _ in range(3):
                    kw.KernelSelector(n_jobs=1 + seed % 2, engine="tiled").fit(X, y).predict(X)
                    with contextlib.suppress(Hurdle), limited(1):
                        raise Hurdle
            except Exception as error:
                errors.append(error)

        threads = [threading.Thread(target=fit, args=(seed,)) for seed in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert not errors and settings() == before
        assert not _threads._PROCESS._limits and not _threads._PROCESS._before

    def test_the_lowest_limit_holds(self, four_processors):
        blas = {i["filepath"] for i in threadpool_info() if i["user_api"] == "blas"}
        out, done = threading.Event(), threading.Event()

        def other():
            with limited(1):
                out.set()
                done.wait(20)

        with limited(2):
            thread = threading.Thread(target=other)
            thread.start()
            out.wait(20)
            assert {settings()[path] for path in blas} == {1}
            done.set()
            thread.join(20)
            assert {settings()[path] for path in blas} == {2}


class TestLibraries:
    def library(self, threads, api="openblas", layer="pthreads"):
        made = types.SimpleNamespace(
            user_api="openmp" if api == "openmp" else "blas",
            internal_api=api,
            threading_layer=layer,
            filepath=f"/lib/{api}-{layer}-{threads}",
            num_threads=threads,
        )
        made.set_num_threads = lambda n: setattr(made, "num_threads", n)
        return made

    @pytest.fixture
    def loaded(self, monkeypatch):
        """Libraries of which threadpoolctl tells."""
        found = []
        monkeypatch.setattr(
            _threads.threadpoolctl,
            "ThreadpoolController",
            lambda: types.SimpleNamespace(lib_controllers=list(found)),
        )
        monkeypatch.setattr(_threads, "_PROCESS", _threads._Process())
        return found

    def test_each_gets_back_its_own(self, loaded, four_processors):
        loaded += [self.library(n, api) for n, api in ((8, "openblas"), (3, "mkl"), (1, "blis"))]
        with limited(2):
            assert [library.num_threads for library in loaded] == [2, 2, 1]
        assert [library.num_threads for library in loaded] == [8, 3, 1]

    def test_one_that_is_loaded_inside(self, loaded, monkeypatch, four_processors):
        loaded.append(self.library(4))
        with limited(rows=2000):
            loaded.append(self.library(6))
            monkeypatch.setitem(sys.modules, "a_module_with_a_library", sys)
            with limited(rows=10):
                assert [library.num_threads for library in loaded] == [1, 1]
        assert [library.num_threads for library in loaded] == [4, 6]

    def test_they_are_looked_for_only_with_new_modules(self, loaded, monkeypatch):
        loaded.append(self.library(4))
        with limited(1):
            pass
        monkeypatch.setattr(_threads.threadpoolctl, "ThreadpoolController", None)
        with limited(1):
            assert loaded[0].num_threads == 1


class TestAwaited:
    def test_returns_and_raises_what_the_call_does(self):
        assert _threads.awaited(lambda: 3) == 3
        with pytest.raises(np.linalg.LinAlgError):
            _threads.awaited(lambda: np.linalg.cholesky(-np.eye(3)))

    def test_the_limit_of_the_caller_holds(self):
        with limited(1):
            known = _threads.awaited(lambda: [info["num_threads"] for info in threadpool_info()])
        assert set(known) == {1}

    @pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="no signals to a thread")
    def test_an_interrupt_does_not_wait_for_the_end(self):
        ended, goes_on = threading.Event(), threading.Event()

        def interrupt(*_):
            raise KeyboardInterrupt

        def call():
            signal.pthread_kill(threading.main_thread().ident, signal.SIGUSR1)
            goes_on.wait(60.0)
            ended.set()

        before = signal.signal(signal.SIGUSR1, interrupt)
        try:
            with pytest.raises(KeyboardInterrupt):
                _threads.awaited(call)
            assert not ended.is_set()
        finally:
            signal.signal(signal.SIGUSR1, before)
            goes_on.set()
        assert ended.wait(60.0)
