"""Tables as spreadsheets export them: numbers and dates as people write them, and blanks."""

import io
import json

import numpy as np
import pandas as pd
import pytest
from cli_helpers import flowers, run
from hypothesis import given, settings
from hypothesis import strategies as st

import kernelwise as kw
from inside import (
    BadInput,
    Code,
    Table,
    code_of,
    days,
    guess_dates,
    guess_numbers,
    numbers,
    prepare,
    read_numbers,
    read_table,
)

N = 300
QUICK = ["--kernels", "gaussian:1:5", "--ridge", "1"]


def clean(n=N, seed=0):
    """Numbers and dates that tell the class, most of all the revenue."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    start = pd.Timestamp("2021-01-01")
    hours = rng.integers(0, 24 * 700, n) + 24 * 200 * y
    return pd.DataFrame(
        {
            "Row": np.arange(n) * 7.25,
            "Revenue": np.exp(rng.normal(9.5, 0.8, n) + 0.9 * y).round(2),
            "Cost": rng.gamma(2.0, 900.0, n).round(0) + 400 * y,
            "Fee": (rng.gamma(3.0, 500.0, n) - 300 * y).clip(0.01).round(2),
            "Discount": rng.integers(0, 40, n) + 5.0 * y,
            "Growth": (rng.normal(0, 20, n) + 12 * y).round(1),
            "Size": np.exp(rng.normal(6, 2, n)).round(3),
            "Signup": start + pd.to_timedelta(24 * (hours // 24), unit="h"),
            "Login": start + pd.to_timedelta(60 * hours + rng.integers(0, 60, n), unit="min"),
            "Plan": np.where(rng.random(n) < 0.3, "basic", np.where(y, "pro", "free")),
            "Will Churn?": np.where(y, "yes", "no"),
        }
    )


def european(numbers):
    return [f"{x:,.2f}".translate(str.maketrans(",.", ".,")) for x in numbers]


def messy(frame):
    """The same table as a spreadsheet exports it."""
    return pd.DataFrame(
        {
            "Customer": [f"customer {i}" for i in frame.index],
            "id": frame.index + 1,
            "Row ": frame["Row"],
            "Revenue": [f" {x:,.2f} " for x in frame["Revenue"]],
            "Cost": [f"$ {x:,.0f}" for x in frame["Cost"]],
            "Fee": [f"€{text}" for text in european(frame["Fee"])],
            "Discount  ": [f"{x:.0f}%" for x in frame["Discount"]],
            "Growth": [f"({-x})" if x < 0 else str(x) for x in frame["Growth"]],
            "Size": [f"{x:.10e}" for x in frame["Size"]],
            "Signup": frame["Signup"].dt.strftime("%d/%m/%Y"),
            "Login": frame["Login"].dt.strftime("%m/%d/%Y %I:%M %p"),
            "Plan": frame["Plan"] + "  ",
            "Will  Churn? ": frame["Will Churn?"],
        }
    )


def write(frame, path, **options):
    """Write a file as Excel does, with a byte order mark."""
    path.write_text(frame.to_csv(index=False, **options), encoding="utf-8-sig")
    return path


def select(capsys, path, *options):
    """Select for a table: the error, and what was said."""
    out = path.with_suffix("")
    argv = ["select", path, "--target", "will churn?", "--out", out, *QUICK, *options]
    status, _, err = run(capsys, *argv)
    assert status == 0, err
    return json.loads((out / "result.json").read_text()), err


def predictions(capsys, model, path):
    status, out, err = run(capsys, "predict", model / "model.skops", path)
    assert status == 0, err
    return pd.read_csv(io.StringIO(out)), err


def test_a_messy_table_is_as_good_as_a_clean_one(tmp_path, capsys):
    expected, _ = select(capsys, write(clean(), tmp_path / "clean.csv"))
    found, said = select(capsys, write(messy(clean()), tmp_path / "messy.csv"))
    assert abs(found["error"]["value"] - expected["error"]["value"]) < 0.01
    assert found["kernel"] == expected["kernel"]
    without = clean().drop(columns=["Revenue", "Fee", "Signup", "Login"])
    poor, _ = select(capsys, write(without, tmp_path / "poor.csv"))
    assert poor["error"]["value"] > expected["error"]["value"] + 0.02
    for sentence in (
        "note: needless blanks are taken out of names: 'Row', 'Discount', 'Will Churn?'.",
        "note: 'Will Churn?' is taken as the target 'will churn?'.",
        "warning: a different value in every row, as an identifier has, left out: 'Customer', 'id'",
        "note: read as numbers or dates: 'Revenue' ('",
    ):
        assert sentence in said
    [left_out] = [text for text in found["warnings"] if "left out" in text]
    assert found["warning_codes"][found["warnings"].index(left_out)] == Code.LEFT_OUT

    new = clean(200, seed=1)
    expected, _ = predictions(capsys, tmp_path / "clean", write(new, tmp_path / "new.csv"))
    # All that is left of the table differs in its look: the decisions are those of the model.
    for rows in (messy(new), messy(new).rename(columns=str.upper), messy(new).iloc[:, ::-1]):
        found, _ = predictions(capsys, tmp_path / "messy", write(rows, tmp_path / "new.csv"))
        assert (found["prediction"] == expected["prediction"]).all()
        assert np.allclose(found["decision"], expected["decision"], atol=1e-8)


def test_a_saved_model_reads_raw_frames(tmp_path, capsys):
    select(capsys, write(messy(clean(200)), tmp_path / "messy.csv"))
    expected, _ = predictions(capsys, tmp_path / "messy", tmp_path / "messy.csv")
    model = kw.load_model(tmp_path / "messy" / "model.skops")
    raw = messy(clean(200)).rename(columns=lambda name: " ".join(name.split()))
    raw["Plan"] = raw["Plan"].str.strip()
    assert model.predict(raw).tolist() == expected["prediction"].tolist()


def test_semicolons_and_decimal_commas(tmp_path, capsys):
    frame = clean(200)[["Revenue", "Growth", "Signup", "Will Churn?"]]
    rough = frame.assign(
        Revenue=european(frame["Revenue"]),
        Growth=[str(x).replace(".", ",") for x in frame["Growth"]],
        Signup=frame["Signup"].dt.strftime("%d.%m.%Y"),
        Staff=[f"{x:,}".replace(",", ".") for x in range(100, 4100, 20)],
    )
    frame["Staff"] = range(100, 4100, 20)
    expected = prepare(Table("t", frame), "Will Churn?", "auto", scale=True)
    found = prepare(
        read_table(str(write(rough, tmp_path / "f.csv", sep=";"))), "Will Churn?", "auto", True
    )
    order = ["Revenue", "Growth", "Staff", "Signup"]
    assert found.raw.columns.tolist() == expected.raw.columns.tolist() == order
    assert np.allclose(found.X, expected.X)


def test_the_decision_of_the_training_file_holds(tmp_path, capsys):
    """What would be guessed otherwise: points for thousands, and days below 13."""
    n = 60
    rng = np.random.default_rng(0)
    dates = pd.Timestamp("2023-01-01") + pd.to_timedelta(np.arange(n) * 5, unit="D")
    size = rng.uniform(1, 5000, n).round(2)
    frame = pd.DataFrame({"size": european(size), "day": dates.strftime("%d/%m/%Y")})
    frame["y"] = np.where(size > 1500, "a", "b")
    path = write(frame, tmp_path / "f.csv", sep=";")
    assert run(capsys, "select", path, "--out", tmp_path / "m", *QUICK)[0] == 0
    new = pd.DataFrame({"size": ["1.234", "4.321"], "day": ["03/04/2023", "05/06/2023"]})
    plain = pd.DataFrame({"size": [1234.0, 4321.0], "day": ["2023-04-03", "2023-06-05"]})
    for sep in ",;":
        found, _ = predictions(capsys, tmp_path / "m", write(new, tmp_path / "n.csv", sep=sep))
        plain_size = plain.assign(size=european(plain["size"]))
        path = write(plain_size, tmp_path / "p.csv", sep=sep)
        expected, _ = predictions(capsys, tmp_path / "m", path)
        assert found.equals(expected)
    assert read_numbers(pd.Series(["1.234"]), ",").tolist() == [1234.0]


def test_plain_columns_take_written_numbers_later(tmp_path, capsys):
    frame = flowers()
    path = write(frame, tmp_path / "f.csv")
    assert run(capsys, "select", path, "--out", tmp_path / "m", *QUICK)[0] == 0
    expected, _ = predictions(capsys, tmp_path / "m", path)
    written = frame.assign(length=[f"$ {x}" for x in frame["length"]])
    found, said = predictions(capsys, tmp_path / "m", write(written, tmp_path / "g.csv"))
    assert found.equals(expected)
    assert f"note: read as numbers: 'length' ('{written['length'][0]}' is " in said


def test_a_messy_table_without_a_header(tmp_path):
    path = tmp_path / "f.csv"
    path.write_text('"1,234.50",31/12/2023,a\n"2,345.60",30/12/2023,b\n"12",29/12/2023,a\n')
    assert list(read_table(str(path)).frame) == ["column1", "column2", "column3"]


@pytest.mark.parametrize("command", [["compare"], ["select", "--nested"], ["bounds", "--t", "2"]])
def test_other_commands_on_a_messy_table(command, tmp_path, capsys):
    path = write(messy(clean(60)), tmp_path / "messy.csv")
    options = ["--kernels", "gaussian:3:3"]
    status, _, err = run(capsys, *command, path, "--target", "Will Churn?", *options)
    assert status == 0 and "'Fee' ('€" in err and "warning: a different value" in err


NUMBERS = {
    "thousands": (["62,374.96", "1,200", "5"], [62374.96, 1200.0, 5.0]),
    "comma": (["1.234,56", "12,5", "7"], [1234.56, 12.5, 7.0]),
    "dollars": (["$ 1,200.50", "$5", "US$ 7"], [1200.5, 5.0, 7.0]),
    "euros": (["€1.200,50", "3 €", "7,5 EUR"], [1200.5, 3.0, 7.5]),
    "percent": (["23%", "4.5 %", "100"], [23.0, 4.5, 100.0]),
    "brackets": (["(12.5)", "3", "($1,000.00)"], [-12.5, 3.0, -1000.0]),
    "signs": (["-$5", "$-6.5", "5.50-", "\u22127", "+3"], [-5.0, -6.5, -5.5, -7.0, 3.0]),
    "blanks": (["1 234,5", "12\u00a0345,6", "1\u202f000\u202f000,1"], [1234.5, 12345.6, 1000000.1]),
    "swiss": (["1'234.50", "12’345.60"], [1234.5, 12345.6]),
    "indian": (["₹ 1,25,000", "₹ 3,40,00,000"], [125000.0, 34000000.0]),
    "powers": (["1,5e3", "2,5E-1"], [1500.0, 0.25]),
    "zero": (["0,123", "0,500"], [0.123, 0.5]),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_as_people_write_them(name):
    texts, values = NUMBERS[name]
    reading = guess_numbers(pd.Series(texts, dtype=object), ".")
    assert reading.values.tolist() == values
    assert reading.rule in (".", ",") and " is " in reading.example


@pytest.mark.parametrize(
    "text",
    "a1 --5 (5 5) 1,2,3 . , - $ % 1_000 0x10 1,234,56 1.2.3 -(5) 5%% 1,,000 ( ) 12:30 1/2".split(),
)
def test_what_is_no_number(text):
    assert guess_numbers(pd.Series([text], dtype=object), ".").values.isna().all()


def test_plain_numbers_need_no_rule():
    for texts in (["1e3", "2.5", "-7"], ["12", "x"]):
        assert guess_numbers(pd.Series(texts, dtype=object), ".").rule == ""
    assert guess_numbers(pd.Series(["12", "x"], dtype=object), ",").rule == ""
    # A file of decimal commas may have one column of decimal points.
    reading = guess_numbers(pd.Series(["2.5", "1.234", "7"], dtype=object), ",")
    assert (reading.rule, reading.values.tolist()) == (".", [2.5, 1.234, 7.0])


FORMATS = {
    "%d/%m/%Y": "dmy",
    "%d.%m.%Y": "dmy",
    "%d-%m-%y": "dmy",
    "%m/%d/%Y": "mdy",
    "%m-%d-%Y %H:%M": "mdy",
    "%m/%d/%y %I:%M:%S %p": "mdy",
    "%d.%m.%Y, %H:%M": "dmy",
    "%d %b %Y": "dmy",
    "%B %d, %Y": "mdy",
    "%Y-%m-%d": "",
    "%Y/%m/%d": "",
    "%Y.%m.%d %H:%M:%S": "",
    "%Y-%m-%dT%H:%M": "",
}


@pytest.mark.parametrize("form", FORMATS)
def test_dates_as_people_write_them(form):
    step = "7h" if "%I" in form or "%H" in form else "1D"
    dates = pd.Series(pd.date_range("1999-12-20", periods=60, freq=step))
    texts = dates.dt.strftime(form).astype(object)
    reading = guess_dates(texts, "mdy")
    assert reading.rule == FORMATS[form] and not reading.is_ambiguous
    assert (reading.values == dates).all()
    frame = pd.DataFrame({"day": texts})
    rules = {"day": reading.rule} if reading.rule else None
    assert np.array_equal(days(frame, rules), days(pd.DataFrame({"day": dates})))


@pytest.mark.parametrize("text", ["30/02/2023", "1.2.3", "2023", "32/13/2023", "1/2/2023 25:00"])
def test_what_is_no_date(text):
    assert guess_dates(pd.Series([text], dtype=object), "mdy").values.isna().all()


def _prepared(decimal=".", total=None, **columns):
    n = len(next(iter(columns.values())))
    frame = pd.DataFrame({**columns, "y": (["a", "b"] * n)[:n]})
    return prepare(Table("table", frame, decimal=decimal, total=total), "y", "auto", False)


def _said(data):
    return " ".join(data.facts["prepared"])


@pytest.mark.parametrize(
    ("texts", "decimal", "first"),
    [
        ("03/04/2023", ".", "2023-03-04"),
        ("03/04/2023", ",", "2023-04-03"),
        ("03.04.2023", ".", "2023-04-03"),
        ("03-04-2023", ".", "2023-04-03"),
    ],
)
def test_dates_that_do_not_tell(texts, decimal, first):
    column = [texts.replace("03", f"{i:02}") for i in range(3, 12)]
    data = _prepared(decimal, day=column)
    assert data.raw["day"][0] == pd.Timestamp(first)
    assert f"these could be read otherwise: 'day' ('{texts}' is {first})" in _said(data)


def test_other_dates_of_the_table_decide():
    doubtful = [f"{i:02}/04/2023" for i in range(3, 12)]
    data = _prepared(day=doubtful, other=[f"{i:02}/05/2023" for i in range(13, 22)])
    assert data.raw["day"][0] == pd.Timestamp("2023-04-03")


def test_numbers_that_do_not_tell():
    column = [f"{i},234" for i in range(1, 10)]
    assert _prepared(x=column).X[0, 0] == 1234.0
    assert _prepared(",", x=column).X[0, 0] == 1.234
    assert "these could be read otherwise: 'x' ('1,234' is 1234); to be sure" in _said(
        _prepared(x=column)
    )


def test_several_currencies_are_taken_for_one():
    data = _prepared(x=["$5", "€7", "$9", "€3"] * 5)
    assert data.X[:4, 0].tolist() == [5.0, 7.0, 9.0, 3.0]
    assert "'x' has several currencies, taken for one: $, €." in _said(data)


def test_slips_among_written_numbers_and_dates():
    data = _prepared(
        x=[*(f"${i}.5" for i in range(29)), "tbd"],
        day=[*(f"{i}/1/2023" for i in range(1, 30)), "-"],
    )
    assert data.X[-1, 0] == 14.5
    assert "'x' holds numbers but for 'tbd', taken for missing." in _said(data)
    assert "'day' holds dates but for '-', taken for missing." in _said(data)
    assert data.X[-1, 1] == np.median(data.X[:-1, 1])


def test_identifiers():
    n = 40
    rng = np.random.default_rng(0)
    data = _prepared(
        id=rng.permutation(n) + 1000,
        uid=rng.permutation(10**6)[:n],
        code=[f"c-{i}" for i in range(n)],
        share=[f"{x:.3f} pct" if i % 3 == 0 else f"{x:.3f}" for i, x in enumerate(rng.random(n))],
        ticket=[f"A{i}" if i % 3 == 0 else str(7 * i) for i in range(n)],
        price=[f"${x:.2f}" for x in rng.random(n)],
    )
    assert data.raw.columns.tolist() == ["uid", "share", "price"]
    [warning] = data.warnings
    assert warning.endswith("left out: 'id', 'code', 'ticket'.")
    assert code_of(warning) == Code.LEFT_OUT
    assert "'share' holds numbers but for '0." in _said(data)


def test_texts_that_hardly_repeat_by_their_words(tmp_path, capsys):
    rng = np.random.default_rng(0)
    late = rng.random(120) < 0.4
    frame = flowers(120).assign(
        note=[f"{'Late' if x else 'fine'}, order no. {i}" for i, x in enumerate(late)],
        owner=[f"owner no. {i}" for i in range(120)],
        species=np.where(late, "a", "b"),
    )
    frame.loc[3, "note"] = None
    data = prepare(Table("t", frame), "species", "auto", scale=True)
    assert data.raw.columns.tolist() == ["length", "width", "colour", "note"]
    assert "by their frequent words: 'note' (2)." in _said(data)
    assert "left out: 'owner'." in _said(data)
    assert data.X[:, -2:].tolist() == [
        [0.0, 0.0] if i == 3 else [float(not x), float(x)] for i, x in enumerate(late)
    ]
    path = write(frame, tmp_path / "f.csv")
    argv = ["--target", "species", "--out", tmp_path / "m", *QUICK]
    assert run(capsys, "select", path, *argv)[0] == 0
    new = pd.DataFrame({"length": 1.0, "width": 0.0, "colour": "red", "note": ["late", "fine", 5]})
    found, _ = predictions(capsys, tmp_path / "m", write(new, tmp_path / "n.csv"))
    assert found["prediction"].tolist()[:2] == ["a", "b"]


def test_row_numbers_of_some_of_the_rows():
    frame = flowers(60).assign(id=range(60))
    table = Table("table", frame).drawn(20, seed=0)
    assert "left out: 'id'" in _said(prepare(table, "species", "auto", scale=True))


def test_constant_in_several_spellings():
    data = _prepared(x=["5%", "5 %", "5.0%"] * 5, z=np.arange(15.0), t=["u", "u ", " u"] * 5)
    assert "constant, left out: 'x', 't'." in _said(data)


def test_a_target_as_people_write_numbers(tmp_path, capsys):
    frame = flowers().assign(price=[f"$ {1000 + 37.5 * i:,.2f}" for i in range(60)])
    data = prepare(Table("t", frame), "price", "auto", scale=True)
    assert data.task == "regression" and data.y[1] == 1037.5
    assert "the target 'price' is read as numbers: '$ 1,000.00' is 1000." in _said(data)
    levels = flowers().assign(rate=["5%", "10%"] * 30)
    data = prepare(Table("t", levels), "rate", "classification", scale=True)
    assert list(data.facts["classes"]) == ["10%", "5%"]


def test_dates_that_a_model_cannot_read(tmp_path, capsys):
    frame = flowers().assign(day=[f"{i % 28 + 1}/5/2023" for i in range(60)])
    path = write(frame, tmp_path / "f.csv")
    argv = ["--target", "species", "--out", tmp_path / "m", *QUICK]
    assert run(capsys, "select", path, *argv)[0] == 0
    new = write(frame.assign(day="soon"), tmp_path / "g.csv")
    status, _, err = run(capsys, "predict", tmp_path / "m" / "model.skops", new)
    assert status == 2
    assert "column 'day' is to hold dates but has 'soon' in data row 1" in err


def test_names_that_differ_by_blanks_alone_stay(tmp_path):
    path = tmp_path / "f.csv"
    path.write_text("a,a ,y\n1,2,u\n2,3,v\n3,5,u\n")
    assert len(set(read_table(str(path)).frame.columns)) == 3


@pytest.mark.parametrize("asked", ["Species", " SPECIES ", "species"])
def test_targets_by_their_look(asked):
    data = prepare(Table("t", flowers()), asked, "auto", scale=True)
    assert data.facts["target"] == "species"


def test_two_targets_that_look_alike():
    frame = flowers().assign(Species=flowers()["species"])
    with pytest.raises(BadInput, match="unknown target column 'SPECIES'"):
        prepare(Table("t", frame), "SPECIES", "auto", scale=True)


def test_options_that_are_nearly_right(tmp_path, capsys):
    path = write(flowers(), tmp_path / "f.csv")
    for option, meant in (("--critrion", "--criterion"), ("--targt=x", "--target")):
        status, _, err = run(capsys, "select", path, option, "sm")
        assert status == 2
        assert f"did you mean '{meant}'? (see 'kernelwise select --help')" in err


AMOUNTS = st.lists(st.integers(-(10**11), 10**11), min_size=2, max_size=20, unique=True)


def _grouped(cents, mark, gap):
    whole, part = divmod(abs(cents), 100)
    return f"{whole:,}".replace(",", gap) + f"{mark}{part:02}"


@settings(max_examples=40)
@given(
    AMOUNTS,
    st.sampled_from([(".", ","), (",", "."), (".", " "), (",", " "), (".", "'"), (".", "")]),
    st.sampled_from(["{}", "$ {}", "{} €", "{}%", "EUR {}"]),
    st.sampled_from(["-{}", "({})", "{}-"]),
)
def test_numbers_in_any_format_are_what_they_were(cents, marks, unit, negative):
    texts = []
    for amount in cents:
        text = unit.format(_grouped(amount, *marks))
        texts.append(negative.format(text) if amount < 0 else text)
    values = pd.Series(texts, dtype=object)
    reading = guess_numbers(values, "." if marks[0] == "," else ",")
    assert reading.values.tolist() == [amount / 100 for amount in cents]
    assert not reading.is_ambiguous
    frame = numbers(pd.DataFrame({"x": values, "z": 1.0}), {"x": marks[0]})
    assert frame["x"].tolist() == reading.values.tolist()
    assert numbers(frame, {"x": marks[0]}).equals(frame)  # numbers stay


@settings(max_examples=40)
@given(st.text(max_size=30))
def test_any_text_is_read_or_not(text):
    for usual in ".,":
        guess_numbers(pd.Series([text, "1"], dtype=object), usual)
    guess_dates(pd.Series([text, "1/2/2023"], dtype=object), "dmy")
