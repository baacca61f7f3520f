"""What is done to columns, and that it is said."""

import numpy as np
import pandas as pd
import pytest
from cli_helpers import flowers
from sklearn.pipeline import Pipeline

from inside import Code, Table, Wanted, code_of, conform, days, prepare, read_table


def _read(tmp_path, content, name="f.csv", **options):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_table(str(path), **options)


def _prepared(frame, target="y", task="auto", scale=True):
    return prepare(Table("table", frame), target, task, scale)


def _said(data):
    return " ".join(data.facts["prepared"])


def _frame(**columns):
    n = len(next(iter(columns.values())))
    return pd.DataFrame({**columns, "y": (["a", "b"] * n)[:n]})


def test_texts_become_indicators_and_rare_ones_are_pooled():
    many = [f"l{i % 70}" for i in range(200)]
    data = _prepared(_frame(x=np.arange(200.0), few=["u", "v", "u", "w"] * 50, many=many))
    assert data.X.shape == (200, 1 + 3 + 50)
    assert "'few' (3), 'many' (70)." in _said(data)
    assert "rarer ones are pooled: 'many'" in _said(data)
    assert set(np.unique(data.X[:, 1:])) == {0.0, 1.0}


def test_identifiers_constants_and_empty_columns_are_left_out():
    n = 20
    frame = _frame(
        id=range(n),
        name=[f"n{i}" for i in range(n)],
        one=[1] * n,
        gap=[1.0] * 5 + [np.nan] * 15,
        none=[np.nan] * n,
        x=np.arange(n) * 1.5,
    )
    data = _prepared(frame)
    assert data.X.shape == (n, 1)
    for sentence in ("left out: 'id', 'name'", "constant, left out: 'one', 'gap'", "'none'"):
        assert sentence in _said(data)


@pytest.mark.parametrize(
    ("name", "is_left_out"),
    [
        ("customer_id", True),
        ("Customer ID", True),
        ("orderId", True),
        ("sample-uuid", True),
        ("thyroid", False),
        ("paid", False),
        ("price index", False),
        ("amount", False),
    ],
)
def test_numbers_that_all_differ_are_identifiers_by_their_name(name, is_left_out):
    numbers = np.random.default_rng(0).choice(10**6, 80, replace=False)
    data = _prepared(_frame(**{name: numbers, "x": np.arange(80.0) % 7}))
    assert (f"as an identifier has, left out: {name!r}" in _said(data)) == is_left_out
    repeated = np.append(numbers[:-1], numbers[0])
    assert "left out" not in _said(_prepared(_frame(**{name: repeated, "x": np.arange(80.0) % 7})))


class TestColumnsThatTellTheTarget:
    """By their texts, or by where they are empty, for classes that are not too rare."""

    Y = np.repeat(["stay", "leave"], [70, 30])

    def told(self, column, y=Y):
        frame = pd.DataFrame({"c": column, "x": np.arange(len(y)) * 0.37 % 1.0, "y": y})
        data = prepare(Table("t.csv", frame), "y", "auto", scale=False)
        return [w for w in data.warnings if code_of(w) == Code.TELLS_TARGET]

    def test_a_reason_that_only_one_class_has(self):
        column = [None] * 70 + ["price", "moved"] * 15
        [warning] = self.told(column)
        assert warning.startswith("'c' alone tells nearly every class, by the text or by where it ")
        assert self.told([None] * 70 + [1.5, 2.5] * 15) == [warning]  # numbers, by their gaps
        assert self.told([None] * 68 + ["price"] * 32) == []  # two of thirty errors are left

    def test_several_columns(self):
        gaps = np.array([None] * 70 + ["price", "moved"] * 15)
        frame = pd.DataFrame({"c": gaps, "d": gaps, "x": np.arange(100) * 0.37 % 1.0, "y": self.Y})
        data = prepare(Table("t.csv", frame), "y", "auto", scale=False)
        assert "each of 'c', 'd' alone tells nearly every class, by the text" in _said(data)

    def test_what_may_be_honest(self):
        assert self.told(np.repeat([1.0, 2.0], [70, 30])) == []  # a number
        assert self.told(["a", "b"] * 50) == []
        few = np.repeat(["stay", "leave"], [91, 9])
        assert self.told([None] * 91 + ["price"] * 9, few) == []
        assert self.told([None] * 70 + ["price"] * 30, np.arange(100) * 0.1) == []  # no classes


def test_a_count_that_is_no_identifier_is_kept():
    data = _prepared(_frame(hour=range(20)))
    assert data.X.shape == (20, 1)


def test_texts_that_hardly_repeat_are_left_out():
    texts = [f"some words {i // 2 if i < 20 else i}" for i in range(120)]
    data = _prepared(_frame(comment=texts, x=np.arange(120.0)))
    assert "hardly ever repeat, left out: 'comment'" in _said(data)


def test_missing_values_are_filled_in():
    frame = _frame(x=[1.0, 2.0, np.nan, 9.0, 2.0, 2.0], t=["u", "u", None, "v", "u", "?"])
    data = _prepared(frame, scale=False)
    assert data.X[:, 0].tolist() == [1.0, 2.0, 2.0, 9.0, 2.0, 2.0]
    assert data.X[:, 1].tolist() == [1.0, 1.0, 1.0, 0.0, 1.0, 1.0]
    told = "3 missing values filled in by the median or the most frequent text: 't' (2), 'x' (1)."
    assert told in _said(data)
    assert "more than half empty" not in _said(data)


def test_columns_that_are_mostly_empty_are_a_warning():
    data = _prepared(_frame(x=[1.0, 2.0, *[np.nan] * 4], z=[1.0, np.nan, 3.0, np.nan, 5.0, 6.0]))
    [warning] = data.warnings
    assert warning == "more than half empty, and filled in all the same: 'x'."
    assert code_of(warning) == Code.MOSTLY_EMPTY


@pytest.mark.parametrize("gap", [None, np.nan, pd.NA, pd.NaT, " ? "], ids=repr)
def test_gaps_among_texts_in_a_frame(gap):
    """A loaded model is given frames as they are, not as the command line reads them."""
    frame = _frame(t=["u", "u", "v", "7", "u", "v"])
    preparation = _prepared(frame).preparation
    new = pd.DataFrame({"t": pd.Series([gap, "v", 7, "new", " u"], dtype=object)})
    expected = [[0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 0, 0], [0, 1, 0]]
    assert preparation.transform(new).tolist() == expected
    assert preparation.get_feature_names_out().tolist() == [f"texts__t_{x}" for x in "7uv"]


def test_slips_among_numbers_are_missing():
    frame = _frame(x=[*map(str, range(30)), "n.a."])
    data = _prepared(frame, scale=False)
    assert data.X[-1, 0] == 14.5
    assert "'x' holds numbers but for 'n.a.'" in _said(data)


def test_many_different_numbers_are_no_texts_however_often_one_word_stands_for_a_gap():
    measured = [f"{value:.1f}" for value in range(20)] + ["n.d."] * 15
    codes = [str(value % 5) for value in range(20)] + ["n.d."] * 15
    data = _prepared(_frame(x=measured, code=codes, z=range(35)), scale=False)
    assert "'x' holds numbers but for 'n.d.', taken for missing." in _said(data)
    assert "a 0/1 column for every value: 'code' (6)" in _said(data)
    assert data.X[-1, 0] == 9.5 and data.X.shape == (35, 2 + 6)


def test_dates_are_days():
    dates = pd.date_range("2020-01-01", periods=12).strftime("%Y-%m-%d").tolist()
    data = _prepared(_frame(when=dates), scale=False)
    assert data.X[:, 0].tolist() == list(range(18262, 18274))
    assert "dates, as numbers of days: 'when'" in _said(data)
    assert np.isnan(days(pd.DataFrame({"d": ["2020-01-01", "soon"]}))[1, 0])


def test_booleans_are_numbers():
    data = _prepared(_frame(ok=[True, False, True] * 5, x=np.arange(15.0)), scale=False)
    assert data.X[:3, 0].tolist() == [1.0, 0.0, 1.0]


def test_scaling():
    frame = flowers()
    scaled = prepare(Table("t", frame), "species", "auto", True)
    assert np.allclose(scaled.X[:, :2].std(axis=0), 1.0)
    plain = prepare(Table("t", frame), "species", "auto", False)
    assert np.array_equal(plain.X[:, 0], frame["length"])
    assert "standardised" not in _said(plain)


@pytest.mark.parametrize(
    ("columns", "target"),
    [
        (["a", "Class", "b"], "Class"),
        (["a", "y", "label"], "label"),
        (["target", "a", "b"], "target"),
        (["a", "b", "c"], "c"),
    ],
)
def test_the_target_that_nobody_named(columns, target):
    frame = pd.DataFrame(np.arange(30.0).reshape(10, 3) ** 1.5, columns=columns)
    data = _prepared(frame, None)
    assert data.facts["target"] == target
    assert repr(target) in data.facts["prepared"][0]


def test_rows_without_a_target_are_left_out():
    frame = _frame(x=np.arange(12.0))
    frame.loc[[1, 5], "y"] = [None, " "]
    data = _prepared(frame)
    assert data.X.shape[0] == len(data.y) == 10
    assert "2 rows without a value of 'y' left out" in _said(data)


@pytest.mark.parametrize(
    ("values", "task", "labels"),
    [
        ([1.0, 2.0, np.nan] * 4, "auto", [1, 2]),
        (["yes", "no ", "no"] * 4, "auto", ["no", "yes"]),
        ([True, False, True] * 4, "auto", [False, True]),
        (np.arange(12) % 3, "classification", [0, 1, 2]),
    ],
)
def test_class_labels_are_those_of_the_file(values, task, labels):
    data = _prepared(pd.DataFrame({"x": np.arange(12.0) ** 2, "y": values}), task=task)
    assert np.unique(data.y).tolist() == labels
    assert list(data.facts["classes"]) == [str(label) for label in labels]


def test_real_targets():
    data = _prepared(pd.DataFrame({"x": np.arange(30.0), "y": np.arange(30)}))
    assert data.task == "regression"
    assert "classes" not in data.facts


def test_header_or_not(tmp_path):
    assert list(_read(tmp_path, "5.1,3.5,a\n4.9,3.0,a\n6,2,b\n").frame) == [
        "column1",
        "column2",
        "column3",
    ]
    years = _read(tmp_path, "name,2019,2020\nx,1,2\ny,3,4\n")
    assert list(years.frame) == ["name", "2019", "2020"]
    assert years.notes == ()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_encodings(encoding, tmp_path):
    table = _read(tmp_path, "größe,y\n1,ä\n2,5 €\n".encode(encoding))
    assert list(table.frame) == ["größe", "y"]
    assert table.frame["y"].tolist() == ["ä", "5 €"]
    told = ("the file is not UTF-8: it was read as Windows-1252.",)
    assert table.notes == (told if encoding == "cp1252" else ())


def test_bytes_that_windows_does_not_use_are_latin_1(tmp_path):
    table = _read(tmp_path, b"gr\xf6\xdfe,y\n1,\x81\n2,b\n")
    assert list(table.frame) == ["größe", "y"] and table.frame["y"][0] == "\x81"
    assert table.notes == ("the file is not UTF-8: it was read as Latin-1.",)


def test_prices_of_a_file_from_windows_are_numbers(tmp_path):
    """The euro sign is there and in no Latin-1."""
    rows = "".join(f"{i},{i % 97:02} €;{'ab'[i % 2]}\n" for i in range(400))
    data = prepare(_read(tmp_path, ("Preis;y\n" + rows).encode("cp1252")), "y", "auto", scale=True)
    assert data.X.shape == (400, 1) and not data.warnings


def test_codes_read_as_numbers_stay_texts_for_a_model_that_knows_them_so(tmp_path):
    """A column of 1, 2 and x is text; a new file may hold only 1 and 2, or 1 and nothing."""
    data = prepare(
        _read(tmp_path, "code,z,y\n" + "1,1,a\n2,2,b\nx,4,a\n" * 9), "y", "auto", scale=True
    )
    model = Pipeline([("preparation", data.preparation), ("machine", "passthrough")])
    new = _read(tmp_path, "z,code\n1,1\n2,2\n4,\n", text=("code",))
    rows, _ = conform(new, Wanted.by(model))
    assert np.allclose(data.preparation.transform(rows)[:2], data.X[:2])


def test_table_for_a_model_of_sparse_rows(tmp_path):
    from inside import BadInput

    sparse = _read(tmp_path, "1 900:1\n0 2:1\n" * 9, "f.libsvm")
    data = prepare(sparse, None, "auto", scale=False)
    assert data.X.nnz == 18
    model = Pipeline([("preparation", data.preparation), ("machine", "passthrough")])
    with pytest.raises(BadInput, match="LIBSVM"):
        conform(Table("t", flowers()), Wanted.by(model))


def test_large_integers_are_classes():
    data = _prepared(_frame(x=np.arange(20.0)).assign(y=10**17 + np.arange(20) % 2))
    assert data.facts["classes"] == {str(10**17): 10, str(10**17 + 1): 10}
    data = _prepared(_frame(x=np.arange(30.0)).assign(y=10**17 + 10**6 * np.arange(30)))
    assert data.task == "regression"


def test_two_columns_of_one_name(tmp_path):
    table = _read(tmp_path, "a,a,b,y\n1,2,3,u\n2,3,4,v\n")
    assert list(table.frame) == ["a", "a.1", "b", "y"]
    assert "several columns are called 'a': the second is now 'a.1'." in table.notes
