"""A memory-mapped file in the place of an array: the same numbers, and no more copies of it."""

import os
import pickle
import tracemalloc

import numpy as np
import pytest
from distributed import Future

import kernelwise as kw
from inside import Cluster, Distributed, FileRows, Targets, all_rows, file_of, in_range, in_single

KERNELS = kw.grids.gaussian(1, 5)
LOW_RANK = kw.gram.LowRank(rank=60, judged=200)


def data(n=1200, columns=5):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, columns))
    y = X[:, 0] ** 2 + X[:, 1] + 0.3 * rng.normal(size=n)
    return X, (y > 1.0).astype(int)


@pytest.fixture
def mapped(tmp_path):
    """Write rows to a file and map it."""

    def write(X, mode="r"):
        np.save(tmp_path / "rows.npy", X)
        return np.load(tmp_path / "rows.npy", mmap_mode=mode)

    return write


class TestFile:
    @pytest.mark.parametrize("dtype", [float, np.float32, np.int16, ">f8"])
    def test_rows_are_read_from_where_they_are(self, mapped, dtype):
        X = np.arange(300).reshape(60, 5).astype(dtype)
        for view in (mapped(X), np.asarray(mapped(X)), mapped(X)[7:50][3:]):
            part = file_of(view).part(slice(10, 30))
            np.testing.assert_array_equal(part.read(), view[10:30])
            assert part.read().dtype == X.dtype

    def test_a_file_without_a_head(self, tmp_path):
        X = data()[0]
        X.tofile(tmp_path / "rows.bin")
        for offset in (0, 5 * 8 * 100):
            raw = np.memmap(tmp_path / "rows.bin", np.float64, "r", offset, (1000, 5))
            np.testing.assert_array_equal(file_of(raw).read(), raw)

    @pytest.mark.parametrize("mode", ["r+", "w+"])
    def test_what_was_written_is_in_the_file(self, tmp_path, mode):
        data()[0].tofile(tmp_path / "rows.bin")
        X = np.memmap(tmp_path / "rows.bin", np.float64, mode, shape=(1200, 5))
        X[:] = 7.0
        assert (file_of(X).read() == 7.0).all()

    def test_what_no_file_has_as_it_is(self, mapped):
        X = data()[0]
        whole = mapped(X)
        for view in (X, whole[:, :3], whole[::2], whole.T, whole + 0.0, whole[0], [[1.0]]):
            assert file_of(view) is None
        assert file_of(mapped(np.asfortranarray(X))) is None
        assert file_of(mapped(X, "c")) is None  # what is changed stays in memory

    def test_another_file_in_its_place(self, mapped, tmp_path):
        """The mapped one is still there, without a name."""
        X = mapped(data()[0])
        np.save(tmp_path / "other.npy", np.asarray(X) + 1.0)
        os.replace(tmp_path / "other.npy", tmp_path / "rows.npy")
        assert file_of(X) is None
        os.remove(tmp_path / "rows.npy")
        assert file_of(X) is None

    def test_a_file_that_became_shorter(self, mapped, tmp_path):
        source = file_of(mapped(data()[0]))
        os.truncate(tmp_path / "rows.npy", 1000)
        with pytest.raises(OSError, match="the file has become shorter"):
            source.read()


class TestInProcess:
    @pytest.mark.parametrize("engine", ["dense", "tiled", LOW_RANK], ids=str)
    def test_scores(self, mapped, engine):
        X, y = data()
        ours, theirs = (
            kw.score_kernels(rows, y, KERNELS, ["sm", "eloo"], engine=engine).table
            for rows in (mapped(X), X)
        )
        for name, values in theirs.items():
            np.testing.assert_array_equal(ours[name], values)

    @pytest.mark.parametrize("estimator", [kw.KernelSelector, kw.KernelStack])
    def test_choice_and_predictions(self, mapped, estimator, tmp_path):
        X, y = data()
        rows = mapped(X)
        theirs = estimator(journal=tmp_path / "run.kwj").fit(X, y)
        ours = estimator(journal=tmp_path / "run.kwj").fit(rows, y)  # the same data
        assert ours.best_kernel_ == theirs.best_kernel_
        np.testing.assert_allclose(ours.decision_function(rows), theirs.decision_function(X))
        np.testing.assert_array_equal(rows, X)

    def test_many_rows(self, mapped):
        X, y = data(3000)
        given = {"memory": 80e6, "kernels": KERNELS, "ridge": [0.1, 1.0]}
        ours, theirs = (kw.KernelSelector(**given).fit(rows, y) for rows in (mapped(X), X))
        assert ours.error_.method == theirs.error_.method == "held-out rows"
        np.testing.assert_array_equal(ours.decision_function(X), theirs.decision_function(X))

    def test_no_more_copies_are_made(self, mapped):
        X = mapped(data(20_000, 50)[0])
        tracemalloc.start()
        try:
            in_range(X)
            assert tracemalloc.get_traced_memory()[1] < 0.1 * X.nbytes
            tracemalloc.reset_peak()
            single = in_single(X, X[:100].mean(axis=0))
            assert tracemalloc.get_traced_memory()[1] < 0.6 * X.nbytes  # single precision
        finally:
            tracemalloc.stop()
        np.testing.assert_array_equal(single, (X - X[:100].mean(axis=0)).astype(np.float32))


@pytest.fixture
def sent(monkeypatch):
    """The bytes of everything that the client puts into tasks."""
    sizes, submit = [], Cluster.submit

    def counted(self, name, function, *given, **options):
        sizes.append(sum(len(pickle.dumps(a)) for a in given if not isinstance(a, Future)))
        return submit(self, name, function, *given, **options)

    monkeypatch.setattr(Cluster, "submit", counted)
    return sizes


class TestDistributed:
    def test_workers_read_the_file_for_themselves(self, cluster, mapped, sent):
        X, y = data(6000, 60)
        given = Targets.of(y)
        sizes, found = [], []
        for rows in (X, mapped(X)):
            [gram] = Distributed(cluster, LOW_RANK).grams(KERNELS[:1], rows, given)
            found.append(gram.statistics)
            sizes.append(sum(sent))
            sent.clear()
        np.testing.assert_array_equal(found[0].products, found[1].products)
        assert sizes[0] > X.nbytes and sizes[1] < 0.4 * X.nbytes

    @pytest.mark.parametrize("engine", ["auto", LOW_RANK], ids=str)
    def test_a_choice_is_the_same(self, cluster, mapped, engine):
        X, y = data()
        given = {"kernels": KERNELS, "engine": Distributed(cluster, engine)}
        ours, theirs = (kw.KernelSelector(**given).fit(rows, y) for rows in (mapped(X), X))
        for name, values in theirs.result_.table.items():
            np.testing.assert_array_equal(ours.result_.table[name], values)
        np.testing.assert_array_equal(ours.decision_function(X), theirs.decision_function(X))

    def test_a_file_that_workers_do_not_see_is_sent(self, cluster, mapped, sent, monkeypatch):
        monkeypatch.setattr(Cluster, "ask", lambda self, *given: [None])
        X, y = data(6000, 60)
        [gram] = Distributed(cluster, LOW_RANK).grams(KERNELS[:1], mapped(X), Targets.of(y))
        [same] = LOW_RANK.grams(KERNELS[:1], X, Targets.of(y))
        np.testing.assert_allclose(gram.statistics.products, same.statistics.products, rtol=1e-9)
        assert sum(sent) > X.nbytes

    @pytest.mark.parametrize("estimator", [kw.KernelSelector, kw.KernelStack])
    def test_beyond_the_memory_rows_stay_in_the_file(self, cluster, mapped, estimator, monkeypatch):
        monkeypatch.setattr(all_rows, "SAMPLE", 1500)
        monkeypatch.setattr(all_rows, "_RANKS", (100,))
        X, y = data(4000)
        for dtype in (np.float64, np.float32):
            rows = mapped(X.astype(dtype))
            given = {"engine": Distributed(cluster)}
            assert "rows" not in estimator(**given).fit(rows[:300], y[:300]).result_.notes
            with monkeypatch.context() as patch:
                patch.setattr(all_rows, "_COPIES", 1e12)
                fitted = estimator(**given).fit(rows, y[:, None])
            said = "chosen on a sample of 1500 of 4000 rows, fitted to all of them with 100"
            assert said in fitted.result_.notes["rows"]
            assert np.mean(fitted.predict(rows) != y) < 0.1

    def test_memory_says_what_is_beyond_it(self, cluster, mapped):
        X, y = data()
        selector = kw.KernelSelector(engine=Distributed(cluster), memory=1.9 * X.nbytes)
        assert all_rows.rows_elsewhere(selector, X, y) is None
        lazy = all_rows.rows_elsewhere(selector, mapped(X), y)
        np.testing.assert_array_equal(lazy[0].compute(), X)
        np.testing.assert_array_equal(lazy[1].compute(), y)
        selector.set_params(memory=2.1 * X.nbytes)
        assert all_rows.rows_elsewhere(selector, mapped(X), y) is None
        selector.set_params(memory=1.0, engine="auto")
        assert all_rows.rows_elsewhere(selector, mapped(X), y) is None

    def test_a_mapped_matrix_is_no_rows(self, cluster, mapped):
        K = mapped(kw.Gaussian(2.0)(data(60)[0]))
        selector = kw.KernelSelector(
            kernels=kw.Precomputed(), engine=Distributed(cluster), memory=1.0
        )
        assert all_rows.rows_elsewhere(selector, K, np.zeros(60)) is None


def test_rows_that_were_changed_are_sent_again(cluster):
    X, y = data()
    engine, targets = Distributed(cluster, LOW_RANK), Targets.of(y)
    for factor in (1.0, 3.0):
        X *= factor
        [ours] = engine.grams(KERNELS[:1], X, targets)
        [theirs] = LOW_RANK.grams(KERNELS[:1], X, targets)
        np.testing.assert_allclose(
            ours.statistics.row_squares, theirs.statistics.row_squares, rtol=1e-9
        )


def test_where_rows_are_can_be_sent(tmp_path):
    source = FileRows(str(tmp_path / "rows"), 8, (2, 3), "<f8")
    assert pickle.loads(pickle.dumps(source)) == source
