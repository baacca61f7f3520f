"""Data sets from their public locations: converted, checked, kept, and looked for."""

import gzip
import http.server
import re
import threading
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from helpers import shared_data
from kernelwise_papers import datasets, downloads
from kernelwise_papers.papers.tables import TABLES

PAGES = Path(__file__).parents[1] / "pages"

FLOWERS = b"""\
% a comment
@relation flowers
@attribute 'petal length' real
@attribute colour {'red','blue'}
@attribute smell {'none','sweet','foul'}
@attribute grown {'here'}
@attribute id real
@attribute class {'rose','tulip'}
@data
1.5,'red','none','here',7,'rose'
2,'blue',?,'here',8,'tulip'
?,'blue','sweet','here',9,'rose'
4.25,?,'foul','here',10,'rose'
"""
X = np.array(
    [
        [1.5, 0, 1, 0, 0],
        [2, 1, np.nan, np.nan, np.nan],
        [np.nan, 1, 0, 1, 0],
        [4.25, np.nan, 0, 0, 1],
    ]
)
Y = np.array(["rose", "tulip", "rose", "rose"])


def source(url="", form="arff", steps="one-hot without=id", table=None, **changes):
    """A source that must give a table, of flowers if no other is named."""
    table = table or downloads.ConvertedTable(X, Y)
    entry = downloads.Source(
        name="flowers",
        task="classification",
        rows=table.X.shape[0],
        features=table.X.shape[1],
        missing=int(np.isnan(table.X).sum()),
        classes=downloads.classes(table),
        origin="nobody",
        urls=tuple(url.split()),
        format=form,
        steps=tuple(steps.split()),
        proof="whole",
        deviation="",
        sha256=downloads.checksum(table),
    )
    return replace(entry, **changes)


def converted(content, form, steps="", features=0):
    return downloads.convert(source(form=form, steps=steps, features=features), [content])


class TestConversion:
    def test_nominal_attributes(self):
        table = downloads.convert(source(), [FLOWERS])
        np.testing.assert_array_equal(table.X, X)
        assert table.y.tolist() == Y.tolist()
        assert downloads.difference(source(), table) == ""

    def test_ends_of_lines_and_comments_in_other_encodings(self):
        text = FLOWERS.replace(b"\n", b"\r\n").replace(b"a comment", b"na\xefve")
        assert downloads.difference(source(), downloads.convert(source(), [text])) == ""

    def test_a_declared_question_mark_is_a_category(self):
        text = b"@relation r\n@attribute a {'?','Y'}\n@attribute c {u,v}\n@data\n'?',u\n'Y',v\n"
        np.testing.assert_array_equal(converted(text, "arff", "one-hot").X, [[0], [1]])

    def test_levels_are_numbers_without_one_hot(self):
        text = b"@relation r\n@attribute a {8,4}\n@attribute c real\n@data\n8,1.5\n4,2\n"
        table = converted(text, "arff")
        np.testing.assert_array_equal(table.X, [[8], [4]])
        assert table.y.astype(float).tolist() == [1.5, 2.0]

    def test_target_and_first_column(self):
        text = (
            b"@relation r\n@attribute d real\n@attribute a real\n@attribute c real\n@data\n1,2,3\n"
        )
        table = converted(text, "arff", "target=d front=c")
        np.testing.assert_array_equal(table.X, [[3, 2]])
        assert float(table.y[0]) == 1.0

    def test_csv(self):
        text = b"label,a,b\n0,1,\n1,?,3\n+1,5,6\n"
        table = converted(text, "csv", "header target=0 label:0=no")
        np.testing.assert_array_equal(table.X, [[1, np.nan], [np.nan, 3], [5, 6]])
        assert table.y.tolist() == ["no", "1", "+1"]
        assert downloads.classes(table) == "1: 2; no: 1"

    def test_incomplete_rows_and_rows_that_come_last(self):
        text = b"1,2,x\n3,?,y\n5,6,z\n7,8,x\n"
        np.testing.assert_array_equal(converted(text, "csv", "complete").X[:, 0], [1, 5, 7])
        np.testing.assert_array_equal(converted(text, "csv", "last=0,2").X[:, 0], [3, 7, 1, 5])

    def test_libsvm_files_follow_one_another(self):
        parts = [b"+1 1:0.5 3:2\n", b"-1 2:4\n-1\n"]
        table = downloads.convert(source(form="libsvm", steps="", features=3), parts)
        np.testing.assert_array_equal(table.X, [[0.5, 0, 2], [0, 4, 0], [0, 0, 0]])
        assert downloads.classes(table) == "-1: 2; 1: 1"


class TestChecksums:
    def test_spelling_does_not_matter(self):
        one = downloads.ConvertedTable(np.array([[33.599998, -0.0]]), np.array(["+1"]))
        other = downloads.ConvertedTable(np.array([[33.6, 0.0]]), np.array(["1.0"]))
        assert downloads.checksum(one) == downloads.checksum(other)

    @pytest.mark.parametrize("i", range(4))
    def test_a_value_a_gap_a_label_and_the_order_matter(self, i):
        changed = [
            downloads.ConvertedTable(np.nan_to_num(X), Y),
            downloads.ConvertedTable(X * 1.0001, Y),
            downloads.ConvertedTable(X, Y[::-1]),
            downloads.ConvertedTable(X[::-1], Y[::-1]),
        ][i]
        assert downloads.checksum(changed) != downloads.checksum(downloads.ConvertedTable(X, Y))

    def test_files_keep_what_tables_hold(self, tmp_path):
        table = downloads.ConvertedTable(
            np.array([[0.1234567891, np.nan]]), np.array(["-0.6615588412"])
        )
        downloads.write(tmp_path / "t.csv.gz", table)
        again = downloads.read(tmp_path / "t.csv.gz")
        np.testing.assert_array_equal(again.X, table.X)
        assert again.y.tolist() == table.y.tolist()


class Site:
    """A server on this machine that answers with what it was given, and counts."""

    def __init__(self):
        self.answers, self.asked = {}, Counter()
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                site.asked[self.path] += 1
                site.agent = self.headers["User-Agent"]
                site.answer(self)

            def log_message(self, *args):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/flowers"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        self.thread.start()

    def answer(self, request):
        answers = self.answers.get(request.path)
        if answers is None:
            return request.send_error(404)
        body = answers.pop(0) if len(answers) > 1 else answers[0]
        if isinstance(body, int):
            return request.send_error(body)
        cut = isinstance(body, str)
        body = body.encode() if cut else body
        request.send_response(200)
        request.send_header("Content-Length", str(len(body) + 100 * cut))
        request.end_headers()
        request.wfile.write(body)

    def give(self, *answers, path="/flowers"):
        """Set the answers: bytes; a number for an error; a text for a body that is cut off."""
        self.answers[path] = list(answers)

    def close(self):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


@pytest.fixture
def site(monkeypatch):
    site = Site()
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setattr(downloads, "_SCHEMES", ("http",))
    monkeypatch.setattr(downloads, "sources", lambda: {"flowers": source(site.url)})
    yield site
    site.close()


def refused(folder, match):
    with pytest.raises(downloads.Unavailable, match=match) as caught:
        downloads.fetch("flowers", folder)
    assert not folder.exists() or not list(folder.iterdir())
    assert "\n" not in str(caught.value)


class TestFetching:
    def test_a_good_file(self, site, tmp_path):
        site.give(FLOWERS)
        path = downloads.fetch("flowers", tmp_path / "new" / "cache")
        table = downloads.read(path)
        np.testing.assert_array_equal(table.X, X)
        assert table.y.tolist() == Y.tolist()
        assert [p.name for p in path.parent.iterdir()] == ["flowers.csv.gz"]
        assert downloads.verify(path.parent) == {"flowers": ""}
        assert site.asked["/flowers"] == 1 and site.agent.startswith("kernelwise")

    @pytest.mark.parametrize(
        ("old", "new", "match"),
        [
            (
                b"4.25,",
                b"4.26,",
                r"4 rows and 5 features .*checksum \w{12} expected, \w{12} found",
            ),
            (b"2,'blue',?,'here',8,'tulip'\n", b"", "expected 4 rows, found 3$"),
            (b"'foul','here'", b"'none','here'", "expected 5 features, found 3$"),
            (b"?,'blue'", b"3,'blue'", "expected 5 missing values, found 4$"),
            (b"8,'tulip'", b"8,'rose'", "expected rose: 3; tulip: 1 as classes, found rose: 4$"),
            (b"@data", b"", "no arff file, or a damaged one"),
            (b"1.5,'red'", b"1.5,'green'", "no arff file, or a damaged one"),
        ],
    )
    def test_a_changed_file_is_refused(self, site, tmp_path, old, new, match):
        assert FLOWERS.count(old) == 1
        site.give(FLOWERS.replace(old, new))
        refused(tmp_path, match)
        refused(tmp_path, re.escape(f"flowers from {site.url} is refused: "))

    def test_a_page_in_its_place_is_refused(self, site, tmp_path):
        site.give(b"<!DOCTYPE html>\n<html><body>Sign in</body></html>\n")
        refused(tmp_path, "is refused: no arff file, or a damaged one")

    def test_a_missing_file_is_asked_for_once(self, site, tmp_path):
        refused(tmp_path, rf"flowers cannot be fetched from {site.url} \(Not Found\)")
        assert site.asked["/flowers"] == 1

    def test_a_passing_fault_is_asked_for_twice(self, site, tmp_path):
        site.give(503, FLOWERS)
        downloads.fetch("flowers", tmp_path)
        assert site.asked["/flowers"] == 2
        site.give(503)
        refused(tmp_path / "other", "Service Unavailable")
        assert site.asked["/flowers"] == 4

    def test_a_file_that_breaks_off(self, site, tmp_path):
        site.give(FLOWERS.decode()[:150])
        refused(tmp_path, "cannot be fetched .* 100 more expected")
        assert site.asked["/flowers"] == 2

    def test_no_network(self, site, tmp_path):
        site.close()
        refused(tmp_path, f"flowers cannot be fetched from {site.url} ")

    def test_a_file_too_large(self, site, tmp_path, monkeypatch):
        monkeypatch.setattr(downloads, "_LARGEST", len(FLOWERS) - 1)
        site.give(FLOWERS)
        refused(tmp_path, "is refused: it is larger than")

    def test_only_encrypted_addresses(self, site, tmp_path, monkeypatch):
        monkeypatch.setattr(downloads, "_SCHEMES", ("https",))
        refused(tmp_path, "is refused: it is no address of https")
        assert not site.asked

    def test_parts(self, site, tmp_path, monkeypatch):
        site.give(b"1 1:2\n", path="/a")
        site.give(b"-1 2:3\n", path="/b")
        root = site.url.removesuffix("flowers")
        table = downloads.ConvertedTable(np.array([[2.0, 0], [0, 3]]), np.array(["1", "-1"]))
        entry = source(f"{root}a {root}b", "libsvm", "", table)
        monkeypatch.setattr(downloads, "sources", lambda: {"flowers": entry})
        np.testing.assert_array_equal(
            downloads.read(downloads.fetch("flowers", tmp_path)).X, table.X
        )

    def test_what_has_no_location(self, site, tmp_path, monkeypatch):
        monkeypatch.setattr(downloads, "sources", lambda: {"flowers": source()})
        refused(tmp_path, "no public location of the data set 'flowers' is known")
        with pytest.raises(downloads.Unavailable, match="'weeds'"):
            downloads.fetch("weeds", tmp_path)

    def test_an_interrupted_write_leaves_nothing(self, site, tmp_path, monkeypatch):
        def half(path, table):
            path.write_bytes(b"half")
            raise KeyboardInterrupt

        site.give(FLOWERS)
        monkeypatch.setattr(downloads, "write", half)
        with pytest.raises(KeyboardInterrupt):
            downloads.fetch("flowers", tmp_path)
        assert not list(tmp_path.iterdir())

    def test_damaged_files_are_found(self, site, tmp_path):
        (tmp_path / "flowers.csv.gz").write_bytes(b"no gzip")
        assert "cannot be read" in downloads.verify(tmp_path)["flowers"]
        downloads.write(tmp_path / "flowers.csv.gz", downloads.ConvertedTable(X[:3], Y[:3]))
        assert downloads.verify(tmp_path) == {"flowers": "expected 4 rows, found 3"}


@pytest.fixture
def nowhere(tmp_path, monkeypatch):
    """No folder with data, and an empty cache."""
    monkeypatch.delenv(datasets.VARIABLE, raising=False)
    monkeypatch.delenv(datasets.DOWNLOAD, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    (tmp_path / "work" / "here").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "work" / "here")
    return tmp_path


class TestPlaces:
    def test_fetched_once_then_from_the_cache(self, site, nowhere, capsys):
        site.give(FLOWERS)
        data = datasets.load("flowers")
        np.testing.assert_array_equal(data.X, X)
        assert (nowhere / "xdg" / "kernelwise" / "flowers.csv.gz").is_file()
        told = capsys.readouterr()
        assert told.out == ""
        place = nowhere / "xdg" / "kernelwise"
        assert told.err == f"Fetching flowers from {site.url} into {place}.\n"
        np.testing.assert_array_equal(datasets.load("flowers").X, X)
        assert site.asked["/flowers"] == 1
        assert capsys.readouterr().err == ""

    def test_a_folder_comes_before_the_cache(self, site, nowhere, monkeypatch):
        shared = nowhere / "shared" / "data"
        shared.mkdir(parents=True)
        (shared / "MANIFEST.csv").write_text("name\n")
        site.give(FLOWERS)
        assert datasets.load("flowers").n == 4  # not in the folder: fetched
        downloads.write(shared / "flowers.csv.gz", downloads.ConvertedTable(X[:2], Y[:2]))
        assert datasets.load("flowers").n == 2
        downloads.write(nowhere / "flowers.csv.gz", downloads.ConvertedTable(X[:3], Y[:3]))
        (nowhere / "MANIFEST.csv").write_text("name\n")
        monkeypatch.setenv(datasets.VARIABLE, str(nowhere))
        assert datasets.load("flowers").n == 3
        with pytest.raises(datasets.NoData, match=r"weeds.csv.gz does not exist"):
            datasets.load("weeds")
        assert site.asked["/flowers"] == 1

    def test_home_without_a_cache_variable(self, monkeypatch, tmp_path):
        monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
        monkeypatch.setenv("HOME", str(tmp_path))
        assert downloads.cache_folder() == tmp_path / ".cache" / "kernelwise"

    def test_downloads_can_be_forbidden(self, site, nowhere, monkeypatch):
        monkeypatch.setenv(datasets.DOWNLOAD, "no")
        with pytest.raises(datasets.NoData, match="KERNELWISE_DOWNLOAD forbids"):
            datasets.load("flowers")
        assert not site.asked

    @pytest.mark.parametrize("name", ["flowers", "weeds"])
    def test_one_sentence_with_a_remedy(self, site, nowhere, name):
        site.close()
        with pytest.raises(datasets.NoData) as caught:
            datasets.load(name)
        said = str(caught.value)
        assert name in said and "\n" not in said
        assert said.endswith(
            f": set KERNELWISE_DATA to a folder with MANIFEST.csv and {name}.csv.gz."
        )


class TestSources:
    def test_every_set_of_the_tables_has_one(self):
        wanted = {name for table in TABLES.values() for name in table.datasets}
        wanted |= {n for table in TABLES.values() for n in table.stand_ins.values()}
        assert wanted | {"fourclass", "breast-cancer_libsvm10"} == set(downloads.sources())

    @pytest.mark.parametrize("name", list(downloads.sources()))
    def test_they_are_well_formed(self, name):
        entry = downloads.sources()[name]
        assert entry.urls and all(url.startswith("https://") for url in entry.urls)
        assert re.fullmatch("[0-9a-f]{64}", entry.sha256)
        assert entry.proof in ("whole", "head", "unproven")
        assert entry.format in ("arff", "csv", "libsvm")
        assert (entry.task == "classification") is bool(entry.classes)
        known = r"header|one-hot|complete|(target|front|without|last)=.+|label:.+=.+"
        assert all(re.fullmatch(known, step) for step in entry.steps)

    def test_scikit_learn_has_the_public_text_of_wdbc(self):
        import sklearn.datasets

        path = Path(sklearn.datasets.__file__).parent / "data" / "breast_cancer.csv"
        entry = downloads.sources()["wdbc"]
        assert downloads.difference(entry, downloads.convert(entry, [path.read_bytes()])) == ""

    def test_the_page_is_made_from_them(self):
        assert (PAGES / "data.md").read_text() == datasets.describe()

    def test_pairs_have_rows(self):
        for name, pair in datasets.PAIRS.items():
            labels = downloads.sources()[name].classes
            assert all(f"{label}: " in labels for label in pair)


class TestSharedData:
    def test_they_are_the_tables(self):
        found = downloads.verify(shared_data())
        assert {name: said for name, said in found.items() if said} == {}
        assert set(found) == set(downloads.sources())

    @pytest.mark.parametrize(
        ("made", "of"),
        [("breast-cancer", "breast-w"), ("diabetes", "pima"), ("liver-disorders", "bupa")],
    )
    def test_sets_that_are_made_of_others(self, made, of):
        # The table of the one, as a CSV file, becomes the other by the steps of that.
        table = downloads.read(shared_data() / f"{of}.csv.gz")
        lines = [",".join([*map(str, row), t]) for row, t in zip(table.X, table.y, strict=True)]
        entry = downloads.sources()[made]
        steps = tuple(s for s in entry.steps if s != "header" and not s.startswith("last="))
        again = replace(entry, format="csv", steps=steps)
        found = downloads.convert(again, ["\n".join(lines).encode()])
        assert downloads.difference(entry, found) == ""

    def test_what_the_page_says(self):
        folder = shared_data()
        names = ["svmguide3", "breast-cancer_libsvm10", "breast-cancer", "bodyfat"]
        names += ["ionosphere", "segment", "pyrim", "triazines"]
        table = {name: downloads.read(folder / f"{name}.csv.gz") for name in names}
        X, y = table["svmguide3"]
        trained = set(map(tuple, X[:1243]))
        assert y.size == 1243 + 41 and set(y[1243:]) == {"1"}
        assert all(tuple(row) in trained for row in X[1243:])
        ten, nine = table["breast-cancer_libsvm10"], table["breast-cancer"]
        np.testing.assert_array_equal(ten.X[:, 1:], nine.X)
        assert ten.X[:, 0].min() > 10_000  # ids
        fat, density = table["bodyfat"].X[:, 0], table["bodyfat"].y.astype(float)
        assert np.median(np.abs(fat - (495 / density - 450))) < 0.05  # Siri's equation
        assert np.ptp(table["ionosphere"].X[:, 1]) == 0.0
        assert set(table["segment"].X[:, 2]) == {9.0}
        assert [np.sum(np.ptp(table[n].X, axis=0) == 0) for n in ("pyrim", "triazines")] == [1, 2]


def test_written_files_are_the_same_twice(tmp_path):
    table = downloads.ConvertedTable(X, Y)
    for name in "ab":
        downloads.write(tmp_path / name, table)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert gzip.decompress((tmp_path / "a").read_bytes()).startswith(b"f0,f1,f2,f3,f4,target\n")
