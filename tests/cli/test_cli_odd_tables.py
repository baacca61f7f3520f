"""Tables that are allowed but odd, and tables that were damaged: an answer, or one sentence."""

import datetime
import gzip
import io
import random

import numpy as np
import pandas as pd
import pytest
from cli_helpers import as_libsvm, flowers, run

from inside import days, one_line

QUICK = ["--kernels", "gaussian:0:1", "--criterion", "sm", "--ridge", "1"]
N = 24


def select(capsys, path, *options):
    """Select for a table: the status, and what was said; never an error of ours."""
    status, out, err = run(capsys, "select", path, *QUICK, *options)
    errors = [line for line in err.splitlines() if line.startswith("kernelwise: ")]
    assert (status, len(errors), out == "") in ((0, 0, False), (2, 1, True)), err
    assert "unexpected" not in err and "encountered" not in err
    return status, err


@pytest.fixture
def parquet(tmp_path, capsys):
    """Return what selects for columns in a Parquet file."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")

    def choose(columns, names=None):
        path = tmp_path / "f.parquet"
        table = pa.table(columns) if names is None else pa.Table.from_arrays(columns, names)
        pq.write_table(table, path)
        return select(capsys, path)

    return choose


def test_dates_of_any_year(tmp_path, capsys):
    frame = pd.DataFrame(
        {"day": ["2024-01-01", "9999-12-31", None, "0001-01-01", "2024-01-01T12:00"]}
    )
    assert days(frame)[:, 0].tolist() == pytest.approx(
        [19723.0, 2932896.0, np.nan, -719162.0, 19723.5], nan_ok=True
    )
    table = flowers(N).assign(day=[f"{1000 + 300 * i}-01-02" for i in range(N)])
    table[["day", "length", "species"]].to_csv(tmp_path / "f.csv", index=False)
    status, err = select(capsys, tmp_path / "f.csv")
    assert status == 0 and "dates, as numbers of days: 'day'." in err


def test_dates_of_any_year_in_zones():
    texts = ["2999-12-31 23:30-00:30", "9999-12-31T23:30-00:30", "2999-02-30T10:00Z", "2024-01-01"]
    assert days(pd.DataFrame({"day": texts}))[:, 0].tolist() == pytest.approx(
        [376200.0, 2932897.0, np.nan, 19723.0], nan_ok=True
    )


def test_times_that_have_no_nanoseconds(parquet):
    import pyarrow as pa

    far = pa.array([10**15 * (i - 9) for i in range(N)], pa.timestamp("ms"))
    assert parquet({"t": far, "x": list(range(N)), "y": ["a", "b"] * 12})[0] == 0


def test_bytes_are_no_values(parquet):
    status, err = parquet(
        {"b": [bytes([255, i % 3]) for i in range(N)], "x": list(range(N)), "y": ["a", "b"] * 12}
    )
    assert status == 0 and "left out: 'b'" in err
    status, err = parquet({"x": list(range(N)), "y": [b"a", b"\xff"] * 12})
    assert status == 2 and "the target 'y' holds lists or other values with parts" in err


def test_few_columns(parquet):
    assert "has fewer than two columns" in parquet({})[1]
    assert "has fewer than two columns" in parquet({"y": ["a", "b"] * 12})[1]
    import pyarrow as pa

    empty = {"x": pa.array([], pa.float64()), "y": pa.array([], pa.string())}
    assert "the target 'y' has no values" in parquet(empty)[1]


def test_rows_that_a_model_cannot_predict(tmp_path, capsys):
    """None at all, and numbers so far away that the kernel overflows."""
    flowers(N).to_csv(tmp_path / "f.csv", index=False)
    options = ["--kernels", "polynomial:8:8", "--out", tmp_path]
    assert run(capsys, "select", tmp_path / "f.csv", *options)[0] == 0
    argv = ["predict", tmp_path / "model.skops", tmp_path / "new.parquet"]
    flowers(N).head(0).to_parquet(tmp_path / "new.parquet")
    status, out, err = run(capsys, *argv)
    assert (status, out) == (2, "") and "has no rows" in err
    flowers(N).assign(length=1e49).to_parquet(tmp_path / "new.parquet")
    status, out, err = run(capsys, *argv)
    assert (status, out) == (2, "")
    [line] = err.splitlines()
    assert "cannot predict these rows: their numbers are far beyond those" in line


def test_columns_of_the_same_name(parquet):
    import pyarrow as pa

    columns = [pa.array(range(N)), pa.array(range(N)), pa.array(["a", "b"] * 12)]
    assert "two columns of the same name" in parquet(columns, ["x", "x", "y"])[1]


@pytest.mark.parametrize("names", [["", "x", "y"], ["x", "\x00", "y"], ["", "\x00", "y"]])
def test_columns_that_hardly_have_a_name(parquet, names):
    import pyarrow as pa

    columns = [pa.array(range(N)), pa.array(range(N)), pa.array(["a", "b"] * 12)]
    try:
        pa.Table.from_arrays(columns, names).to_pandas()
    except ValueError:
        pytest.skip("this pyarrow takes these names for one")
    assert parquet(columns, names)[0] == 0


def test_kinds_of_columns_that_parquet_knows(parquet):
    import pyarrow as pa

    columns = {
        "date": pa.array([datetime.date(2024, 1, 1 + i % 9) for i in range(N)]),
        "time": pa.array([datetime.time(i % 24) for i in range(N)]),
        "span": pa.array([datetime.timedelta(i) for i in range(N)]),
        "none": pa.nulls(N),
        "maybe": [True, False, None] * 8,
        "words": pa.array(["u", "v", "w"] * 8).dictionary_encode(),
        "large": pa.array([2**64 - 1 - i for i in range(N)], pa.uint64()),
        "y": ["a", "b"] * 12,
    }
    assert parquet(columns)[0] == 0


def test_a_label_that_is_no_number(tmp_path, capsys):
    (tmp_path / "f.libsvm").write_text("nan 900:1\n0 2:1\n1 3:1\n" * 9)
    assert "holds a label that is no number" in select(capsys, tmp_path / "f.libsvm")[1]


def test_blank_lines_before_the_table(tmp_path, capsys):
    path = tmp_path / "f.csv"
    path.write_text("\n" * 500 + flowers(N).to_csv(index=False))
    assert select(capsys, path)[0] == 0
    path.write_bytes(b"\x1f\n\x1c \n")  # white space of Unicode, not of ASCII
    assert "is empty" in select(capsys, path)[1]


def test_sentences_stay_short_and_printable(tmp_path, capsys):
    assert one_line("a\n b\x1b[31m\x00") == "a b?[31m?"
    assert len(one_line("x" * 10**6)) < 1100
    name = "\x1b[31m" + "n" * 10**5
    (tmp_path / "f.csv").write_text(f"{name},y\n1,2\n", encoding="utf-8")
    status, err = select(capsys, tmp_path / "f.csv", "--target", "z" * 10**5)
    assert status == 2 and len(err) < 3000 and "\x1b" not in err


SOURCES = {
    "f.csv": flowers(N).to_csv(index=False).encode(),
    "f.tsv": flowers(N).to_csv(index=False, sep="\t").encode(),
    "f.libsvm": as_libsvm(
        np.random.default_rng(0).normal(size=(N, 4)).round(2), np.arange(N) % 2
    ).encode(),
    "f.csv.gz": gzip.compress(flowers(N).to_csv(index=False).encode()),
}
PIECES = [
    *(b"\0", b'"', b"'", b",,,", b"\t", b"\n\n", b"\r", b"{", b"%", b"#", b"\\", b"?"),
    *(b"1e400", b"-inf", b"nan", b"9" * 400, b"1000000000000:1", b"-1:2", b"2:1 2:1", b"5:", b":"),
    *(b"\xff\xfe", b"\xef\xbb\xbf", b"\xc3(", b"\xed\xa0\x80", b"x" * 5000, b"2024-13-45", b"=1+1"),
]


def damaged(content, rng):
    """Return a content with something cut off, changed, or put in."""
    data, place = bytearray(content), rng.randrange(len(content))
    change = rng.randrange(5)
    if change == 0:
        return bytes(data[:place])
    if change == 1:
        data[place] ^= 1 << rng.randrange(8)
    elif change == 2:
        del data[place : place + rng.choice([1, 5, 50])]
    elif change == 3:
        data[place:place] = data[place : place + 20] * 3
    else:
        data[place:place] = rng.choice(PIECES)
    return bytes(data)


@pytest.mark.parametrize("name", SOURCES)
def test_damaged_tables(name, tmp_path, capsys):
    rng = random.Random(name)
    for _ in range(12):
        (tmp_path / name).write_bytes(damaged(SOURCES[name], rng))
        select(capsys, tmp_path / name, "--quiet")


def test_damaged_parquet(tmp_path, capsys):
    pytest.importorskip("pyarrow")
    content = io.BytesIO()
    flowers(N).to_parquet(content)
    rng = random.Random(0)
    for _ in range(12):
        (tmp_path / "f.parquet").write_bytes(damaged(content.getvalue(), rng))
        select(capsys, tmp_path / "f.parquet", "--quiet")


def test_classes_of_numbers_that_reals_do_not_tell_apart(tmp_path, capsys):
    """As a target with gaps is read: whole, and beyond what float64 counts."""
    rows = "\n".join(f"{i},{1e17 if i % 2 else 2e17:.0f}.0" for i in range(12))
    (tmp_path / "t.csv").write_text(f"a,y\n{rows}\n")
    _, err = select(capsys, tmp_path / "t.csv", "--target", "y", "--task", "classification")
    assert "too large to tell apart" in err
