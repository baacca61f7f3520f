"""A journal keeps what is finished: whoever was stopped, or killed, goes on where he was."""

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import scipy.sparse as sp

import kernelwise as kw
from inside import Journal, NotHashable, Products, Sums, fingerprint
from inside import journal as journals


def never():
    raise AssertionError("a finished piece was computed again")


def data(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, (X[:, 0] ** 2 + X[:, 1] + 0.3 * rng.normal(size=n) > 1.0).astype(int)


class TestFile:
    def test_gives_back_what_it_got(self, tmp_path):
        values = [
            [np.arange(6.0).reshape(2, 3), np.asfortranarray(np.eye(3, dtype=np.float32))],
            [[0.1, float("nan"), float("inf"), -0.0], None, True, "text", 2**60],
            3.0,
            [],
        ]
        first = Journal(tmp_path / "run.kwj")
        for i, value in enumerate(values):
            first.piece(fingerprint(i), lambda value=value: value)
        again = Journal(tmp_path / "run.kwj")
        for i, value in enumerate(values):
            np.testing.assert_equal(again.piece(fingerprint(i), never), value)
        assert (first.found, first.added) == (0, 4) and (again.found, again.added) == (4, 0)

    @pytest.mark.parametrize("cut", [1, 10, 47, 48, 60])
    def test_a_tail_that_is_not_whole_is_dropped(self, tmp_path, cut):
        path = tmp_path / "run.kwj"
        Journal(path).piece(fingerprint("one"), lambda: [1.0])
        before = path.stat().st_size
        Journal(path).piece(fingerprint("two"), lambda: [2.0] * 10)
        os.truncate(path, path.stat().st_size - cut)
        assert path.stat().st_size > before
        again = Journal(path)
        assert again.piece(fingerprint("one"), never) == [1.0]
        assert again.piece(fingerprint("two"), lambda: [3.0]) == [3.0]
        assert Journal(path).piece(fingerprint("two"), never) == [3.0]

    def test_a_damaged_byte_drops_what_follows(self, tmp_path):
        path = tmp_path / "run.kwj"
        for name in ("one", "two", "three"):
            Journal(path).piece(fingerprint(name), lambda: [1.0])
        content = bytearray(path.read_bytes())
        content[-80] ^= 1
        path.write_bytes(bytes(content))
        again = Journal(path)
        assert again.piece(fingerprint("one"), never) == [1.0]
        again.piece(fingerprint("three"), lambda: [1.0])
        assert again.added == 1

    def test_a_file_killed_in_its_first_bytes_is_begun_again(self, tmp_path):
        path = tmp_path / "run.kwj"
        path.write_bytes(b"kernel")
        assert Journal(path).piece(fingerprint("one"), lambda: 1) == 1
        assert Journal(path).piece(fingerprint("one"), never) == 1

    def test_other_files_are_refused(self, tmp_path):
        path = tmp_path / "table.csv"
        path.write_text("a,b\n1,2\n")
        with pytest.raises(ValueError, match="is not a journal of kernelwise: give another file"):
            Journal(path)
        assert path.read_text() == "a,b\n1,2\n"

    def test_large_pieces_are_not_kept(self, tmp_path, monkeypatch):
        monkeypatch.setattr(journals, "_LARGEST", 100)
        journal = Journal(tmp_path / "run.kwj")
        journal.piece(fingerprint("one"), lambda: [0.0] * 100)
        assert journal.added == 0

    def test_processes_share_it(self, tmp_path):
        """Nothing is lost and nothing damaged, however their writing overlaps."""
        path = tmp_path / "run.kwj"
        context = multiprocessing.get_context("spawn")
        writers = [context.Process(target=write_many, args=(path, k)) for k in range(3)]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        journal = Journal(path)
        for k in range(3):
            for i in range(100):
                assert journal.piece(fingerprint(k, i), never)[0] == k
        assert journal.found == 300

    def test_finds_what_another_has_added_meanwhile(self, tmp_path):
        ours, theirs = Journal(tmp_path / "run.kwj"), Journal(tmp_path / "run.kwj")
        theirs.piece(fingerprint("one"), lambda: 1.0)
        assert ours.piece(fingerprint("one"), never) == 1.0


def write_many(path, k):
    journal = Journal(path)
    for i in range(100):
        journal.piece(fingerprint(k, i), lambda i=i: [k, np.full(50 * (i % 7), k)])


class TestFingerprint:
    def test_equal_values_however_made(self):
        a = np.arange(12.0).reshape(3, 4)
        assert fingerprint(a) == fingerprint(np.asfortranarray(a)) == fingerprint(a[:, :].copy())
        assert fingerprint([1, 2.0]) == fingerprint((1, 2.0))
        assert fingerprint(kw.Gaussian(2.0)) == fingerprint(kw.Gaussian(2))

    @pytest.mark.parametrize(
        "a, b",
        [
            (np.zeros(4), np.zeros((2, 2))),
            (np.zeros(4), np.zeros(4, np.float32)),
            (["ab", "c"], ["a", "bc"]),
            ([[1], 2], [[1, 2]]),
            (1, 1.0),
            (None, "None"),
            (kw.Gaussian(1.0), kw.Gaussian(1.0 + 1e-15)),
            (kw.Gaussian(1.0), kw.Laplacian(1.0)),
            (kw.Scaled([1.0] * 30, kw.Linear()), kw.Scaled([1.0] * 29 + [2.0], kw.Linear())),
            (kw.criteria.ELOO("error"), kw.criteria.ELOO("press")),
            (sp.csr_matrix(np.eye(3)), sp.csr_matrix(np.eye(4)[:3])),
        ],
    )
    def test_different_values_differ(self, a, b):
        assert fingerprint(a) != fingerprint(b)

    def test_functions_have_none(self):
        with pytest.raises(NotHashable):
            fingerprint(kw.kernels.Function(np.dot) + kw.Linear())


class TestSelector:
    @pytest.mark.parametrize("n", [300, 1200])
    @pytest.mark.parametrize("engine", ["auto", "tiled", kw.gram.LowRank(60)], ids=str)
    def test_the_second_run_finds_everything(self, tmp_path, n, engine):
        X, y = data(n)
        plain = kw.KernelSelector(engine=engine).fit(X, y)
        for _ in range(2):
            fitted = kw.KernelSelector(engine=engine, journal=tmp_path / "run.kwj").fit(X, y)
            for name, values in plain.result_.table.items():
                np.testing.assert_array_equal(fitted.result_.table[name], values)
            assert fitted.best_ridge_ == plain.best_ridge_
            # The machine itself is fitted again, from a factor rather than from eigenvectors.
            ours, theirs = fitted.decision_function(X), plain.decision_function(X)
            np.testing.assert_allclose(ours, theirs, rtol=0.0, atol=1e-9)
        journal = Journal(tmp_path / "run.kwj")
        size = journal.path.stat().st_size
        kw.KernelSelector(engine=engine, journal=journal).fit(X, y)
        assert journal.added == 0 and journal.found > 5
        assert journal.path.stat().st_size == size

    def test_many_rows(self, tmp_path, monkeypatch):
        """Passes over landmarks are found as well."""
        X, y = data(3000)
        given = {"memory": 80e6, "kernels": kw.grids.gaussian(-1, 2), "ridge": [0.1, 1.0]}
        first, again = (Journal(tmp_path / "run.kwj") for _ in range(2))
        one = kw.KernelSelector(**given, journal=first).fit(X, y)
        two = kw.KernelSelector(**given, journal=again).fit(X, y)
        assert one.error_.method == "held-out rows"
        assert first.added > 10 and (again.added, again.found) == (0, first.added)
        np.testing.assert_array_equal(one.predict(X), two.predict(X))

    def test_no_pass_is_made_twice(self, tmp_path, monkeypatch):
        X, y = data(1200)
        kw.KernelSelector(journal=tmp_path / "run.kwj", refit=False).fit(X, y)
        monkeypatch.setattr(Sums, "step", lambda *args: never())
        monkeypatch.setattr(Products, "step", lambda *args: never())
        kw.KernelSelector(journal=tmp_path / "run.kwj", refit=False).fit(X, y)

    def test_other_data_is_refused(self, tmp_path):
        X, y = data()
        path = tmp_path / "run.kwj"
        kw.KernelSelector(journal=path).fit(X, y)
        for other in ((X + 1e-9, y), (X, 1 - y), (X[:-1], y[:-1])):
            with pytest.raises(ValueError, match=r"run.kwj' was begun with other data: give the"):
                kw.KernelSelector(journal=path).fit(*other)

    def test_other_settings_are_not_mixed_up(self, tmp_path):
        X, y = data()
        path = tmp_path / "run.kwj"
        kw.KernelSelector(journal=path).fit(X, y)
        for given in ({"criterion": "ckta"}, {"kernels": "laplacian"}, {"ridge": [0.3, 3.0]}):
            ours = kw.KernelSelector(journal=path, **given).fit(X, y)
            theirs = kw.KernelSelector(**given).fit(X, y)
            assert ours.best_kernel_ == theirs.best_kernel_
            assert ours.best_ridge_ == theirs.best_ridge_

    def test_kernels_of_the_users_are_computed_every_time(self, tmp_path):
        X, y = data(100)
        path = tmp_path / "run.kwj"
        for width in (9.0, 0.01):
            ours = kw.KernelSelector(kernels=lambda_kernel(width), journal=path).fit(X, y)
            theirs = kw.KernelSelector(kernels=lambda_kernel(width)).fit(X, y)
            assert ours.error_ == theirs.error_

    def test_a_stack_shares_it(self, tmp_path):
        X, y = data(200)
        first, again = (Journal(tmp_path / "run.kwj") for _ in range(2))
        one = kw.KernelStack(journal=first).fit(X, y)
        two = kw.KernelStack(journal=again).fit(X, y)
        assert again.added == 0 and again.found == first.added
        np.testing.assert_allclose(one.weights_, two.weights_, atol=1e-9)  # machines fitted again

    @pytest.mark.parametrize("journal", [3, b"run", ["run.kwj"]])
    def test_what_is_no_path_is_refused(self, journal):
        with pytest.raises(TypeError, match=r"journal must be a path such as 'run\.kwj', or None"):
            kw.KernelSelector(journal=journal).fit(*data(50))


def lambda_kernel(width):
    return lambda X, Z: np.exp(-0.5 / width * ((X[:, None] - Z) ** 2).sum(axis=2))


RUN = """
import sys, numpy as np, kernelwise as kw
from kernelwise.selection.journal import Journal
rng = np.random.default_rng(0)
X = rng.normal(size=(1500, 3))
y = (X[:, 0] ** 2 + X[:, 1] + 0.3 * rng.normal(size=1500) > 1.0).astype(int)
journal = Journal(sys.argv[1])
print("begin", flush=True)
fitted = kw.KernelSelector(journal=journal).fit(X, y)
print(journal.added, journal.found, fitted.best_kernel_, fitted.best_ridge_, fitted.error_)
print([values.tobytes().hex() for values in fitted.result_.table.values()])
"""


def run(path):
    return subprocess.Popen([sys.executable, "-c", RUN, path], stdout=subprocess.PIPE, text=True)


def test_a_killed_run_goes_on(tmp_path):
    """What was written when it was killed is found, and all together is written once."""
    whole = run(tmp_path / "whole.kwj").communicate()[0].split()
    path = tmp_path / "run.kwj"
    written = 0
    for pieces in (3, 6):
        process = run(path)
        while process.poll() is None and len(Journal(path)) < pieces:
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert len(Journal(path)) >= written
        written = len(Journal(path))
    last = run(path).communicate()[0].split()
    assert int(last[1]) + int(last[2]) == int(whole[1]) and int(last[2]) == written
    assert last[3:] == whole[3:]


def test_a_pickled_journal_is_the_same_file(tmp_path):
    first = Journal(tmp_path / "run.kwj")
    first.piece(fingerprint("a key"), lambda: [1.0])
    again = pickle.loads(pickle.dumps(journals.for_parts(first)))
    assert again.piece(fingerprint("a key"), never) == [1.0] and again._file != first._file
    assert not again._is_checked
