"""Every bad file or option: exit status 2, one sentence, no traceback."""

import gzip
import os
import pickle
import sys

import numpy as np
import pytest
from cli_helpers import flowers, run

from inside import main

GOOD = flowers().to_csv(index=False)


def _with(column, value, row=3):
    frame = flowers()
    frame[column] = frame[column].astype(object)
    frame.loc[row, column] = value
    return frame.to_csv(index=False)


def _replaced(**columns):
    return flowers().assign(**columns).to_csv(index=False)


# name: content, further arguments, what the sentence must hold
FILES = {
    "empty.csv": ("", [], "is empty"),
    "blank.csv": ("\n \n", [], "is empty"),
    "header.csv": ("a,b,c\n", [], "no rows"),
    "one_column.csv": ("a\n1\n2\n3\n", [], "only one column"),
    "near_target.csv": (GOOD, ["--target", "speciess"], "did you mean 'species'"),
    "no_target.csv": (_replaced(species=""), [], "has no values"),
    "one_class.csv": (_replaced(species="rose"), [], "only one class"),
    "all_useless.csv": ("a,b,y\n1,,u\n1,,v\n1,,u\n1,,v\n", [], "no column is left"),
    "junk.csv": (bytes(range(256)) * 20, [], "is no text"),
    "junk.dat": (b"\x80\x81\x82\x01\x02\xff" * 50, [], "is no text"),
    "huge_line.csv": ("x" * 3_000_000, [], "only one column"),
    "ragged.csv": ("a,b,y\n1,2,u\n1,2,3,4,5,u\n", [], "line 3"),
    "long_rows.csv": ("a,b\n1,2,u\n3,4,v\n1,2,u\n", [], "more fields"),
    "text_regression.csv": (GOOD, ["--task", "regression"], "holds text such as"),
    "krr_on_text.csv": (GOOD, ["--machine", "krr"], "holds text such as"),
    "constant.csv": (_replaced(species=1.5), ["--task", "regression"], "is constant"),
    "fractions.csv": (_replaced(species=np.arange(60) / 7), ["--task", "classification"], "fract"),
    "names.csv": (_replaced(species=[f"n{i}" for i in range(60)]), [], "different values"),
    "infinite.csv": (_with("length", "inf"), [], "'length' holds infinity (data row 4)"),
    "infinite_y.csv": (_replaced(species=["1.5"] * 59 + ["inf"]), [], "infinity"),
    "large.csv": (_with("length", "1e300"), [], "'length' holds a number of size 1e+300 (data row"),
    "large.libsvm": ("1 900:1\n0 2:1e300\n" * 9, [], "holds 1e+300 at index 2"),
    "large_y.csv": (
        _replaced(species=np.arange(60) * 1e300),
        [],
        "target 'species' holds a number",
    ),
    "alike.csv": (_replaced(species=10**17 + np.arange(60)), [], "too large to tell apart"),
    "alike_gap.csv": (
        _replaced(species=["", *[10**17, 10**17 + 1] * 29, 10**17]),
        [],
        "tell apart",
    ),
    "index.libsvm": ("1 3000000000:1\n0 2:1\n" * 9, [], "index beyond"),
    "two_rows.csv": ("a,b,y\n1,2,u\n2,3,v\n", [], "at least 3"),
    "corrupt.csv.gz": (gzip.compress(GOOD.encode())[:-20], [], "damaged gzip"),
    "corrupt.parquet": (b"PAR1" + b"junk" * 50, [], "no Parquet"),
    "bad.libsvm": ("1 1:2 2:3\n0 1:abc\n", [], "line 2"),
    "text.libsvm": (GOOD, [], "no LIBSVM"),
    "bare.libsvm": ("1\n0\n1\n", [], "no features"),
    "target.libsvm": ("1 900:1\n0 2:1\n" * 9, ["--target", "label"], "leave out --target"),
    "wrong_format.csv": (GOOD, ["--format", "parquet"], "no Parquet"),
    "wrong_libsvm.csv": (GOOD, ["--format", "libsvm"], "no LIBSVM"),
}


def one_sentence(status, out, err):
    assert status == 2
    assert out == ""
    [line] = err.splitlines()
    assert line.startswith("kernelwise: ")
    assert "Traceback" not in line
    assert line.rstrip(")").endswith((".", "?"))
    return line


@pytest.mark.parametrize("name", FILES)
def test_bad_files(name, tmp_path, capsys):
    content, options, expected = FILES[name]
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert expected in one_sentence(*run(capsys, "select", path, *options))


OPTIONS = {
    "criterion": (["--criterion", "elo"], "did you mean 'eloo'"),
    "no direction": (["--criterion", "sm", "ks"], "no direction"),
    "family": (["--kernels", "gaussiann"], "did you mean 'gaussian'"),
    "range": (["--kernels", "gaussian:1"], "no range"),
    "order": (["--kernels", "gaussian:5:-5"], "no range"),
    "linear range": (["--kernels", "linear:1:2"], "has no range"),
    "degree": (["--kernels", "polynomial:0:2"], "begin at 1"),
    "ridge": (["--ridge", "-1"], "positive"),
    "ridge text": (["--ridge", "much"], "positive"),
    "machine": (["--machine", "lsvm"], "did you mean 'lssvm'"),
    "task": (["--task", "regressions"], "did you mean 'regression'"),
    "format": (["--format", "xls"], "unknown format"),
    "memory": (["--memory", "lots"], "amount such as"),
    "seed": (["--seed", "x"], "seed must be"),
    "rows": (["--rows", "1"], "at least 3"),
    "krr for classes": (["--machine", "krr", "--task", "classification"], "for regression"),
    "unknown option": (["--depth", "3"], "--depth"),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_bad_options(name, tmp_path, capsys):
    options, expected = OPTIONS[name]
    path = tmp_path / "flowers.csv"
    path.write_text(GOOD)
    assert expected in one_sentence(*run(capsys, "select", path, *options))


@pytest.mark.parametrize("argv", [[], ["selects"], ["select"], ["predict", "model"]])
def test_bad_commands(argv, capsys):
    assert "--help" in one_sentence(*run(capsys, *argv))


def test_missing_file_and_directory(tmp_path, capsys):
    (tmp_path / "flowers.csv").write_text(GOOD)
    said = one_sentence(*run(capsys, "select", tmp_path / "flower.csv"))
    assert "did you mean 'flowers.csv'" in said
    assert "directory" in one_sentence(*run(capsys, "select", tmp_path))
    assert "no file" in one_sentence(*run(capsys, "select", tmp_path / "no" / "such.csv"))


def test_file_without_permission(tmp_path, capsys, monkeypatch):
    def refuse(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("pathlib.Path.read_bytes", refuse)
    assert "flowers.csv': Permission denied" in one_sentence(
        *run(capsys, "select", tmp_path / "flowers.csv")
    )


def test_output_is_checked_before_the_work(tmp_path, capsys, monkeypatch):
    path = tmp_path / "flowers.csv"
    path.write_text(GOOD)
    monkeypatch.setattr(
        "kernelwise.cli.pipeline.read_table", lambda *a, **k: pytest.fail("work was begun")
    )
    assert "not a folder" in one_sentence(*run(capsys, "select", path, "--out", path))
    assert "not a folder" in one_sentence(*run(capsys, "select", path, "--out", path / "deeper"))
    assert path.read_text() == GOOD


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_output_without_permission(tmp_path, capsys):
    path = tmp_path / "flowers.csv"
    path.write_text(GOOD)
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    assert "cannot be" in one_sentence(*run(capsys, "select", path, "--out", locked))


@pytest.fixture
def model(tmp_path, capsys):
    path = tmp_path / "train.csv"
    path.write_text(GOOD)
    argv = ["select", path, "--kernels", "gaussian:0:1", "--ridge", "1", "--out", tmp_path / "out"]
    assert run(capsys, *argv)[0] == 0
    return tmp_path / "out" / "model.skops"


def test_predict_without_a_model(tmp_path, capsys):
    path = tmp_path / "flowers.csv"
    path.write_text(GOOD)
    assert "no model" in one_sentence(*run(capsys, "predict", path, path))
    (tmp_path / "model.pkl").write_bytes(pickle.dumps({"a": 1}))
    assert "no model" in one_sentence(*run(capsys, "predict", tmp_path / "model.pkl", path))
    assert "none.skops" in one_sentence(*run(capsys, "predict", tmp_path / "none.skops", path))


def test_predict_with_the_wrong_table(model, tmp_path, capsys):
    path = tmp_path / "new.csv"
    flowers().drop(columns=["length", "width"]).to_csv(path, index=False)
    said = one_sentence(*run(capsys, "predict", model, path))
    assert "'length', 'width'" in said
    flowers().assign(length="long").to_csv(path, index=False)
    assert "'length' is to hold numbers" in one_sentence(*run(capsys, "predict", model, path))
    assert "'length'" in one_sentence(*run(capsys, "predict", model, path))
    flowers().to_csv(path, index=False)
    assert "read from" in one_sentence(*run(capsys, "predict", model, path, "--out", path))
    assert "folder" in one_sentence(*run(capsys, "predict", model, path, "--out", path / "x"))


def test_too_little_memory(tmp_path, capsys):
    path = tmp_path / "flowers.csv"
    path.write_text(GOOD)
    for command in ("select", "compare"):
        status, _, err = run(capsys, command, path, "--memory", "40KB")
        assert status == 2
        said = err.splitlines()[-1]
        assert "60 rows need about 144 kB for their kernel matrix and the budget is 40 kB" in said
        assert "use --rows 31, or " in said
        assert "or a larger --memory." in said
        assert ("cost n^2" in said) == (command == "compare")
        assert run(capsys, command, path, "--memory", "40KB", "--rows", 31)[0] == 0
    argv = ["select", path, "--memory", "40KB", "--criterion", "sm"]  # the ridge needs the matrix
    assert "--rows 31" in run(capsys, *argv)[2]
    assert "--rows" not in run(capsys, "select", path, "--memory", "100B")[2]


def test_less_memory_than_the_budget(tmp_path, capsys, monkeypatch):
    def allocate(*args):
        raise MemoryError

    path = tmp_path / "flowers.csv"
    path.write_text(GOOD)
    monkeypatch.setattr("kernelwise.KernelSelector.fit", allocate)
    assert "use --rows 30." in run(capsys, "select", path)[2].splitlines()[-1]
    monkeypatch.setattr("kernelwise.cli.pipeline.read_table", lambda *args, **options: allocate())
    assert "too little memory" in one_sentence(*run(capsys, "select", path))


def test_columns_of_lists(tmp_path, capsys):
    path, out = tmp_path / "f.parquet", tmp_path / "out"
    parts = {"tags": [[i] for i in range(60)], "size": [{"cm": i} for i in range(60)]}
    frame = flowers().assign(**parts)[["length", "width", "tags", "size", "colour", "species"]]
    frame.to_parquet(path)
    few = ["--kernels", "gaussian:0:1", "--ridge", "1"]
    status, _, err = run(capsys, "select", path, *few, "--out", out)
    assert status == 0
    assert "lists or other values with parts, left out: 'tags', 'size'." in err
    assert "holds lists" in one_sentence(*run(capsys, "select", path, "--target", "tags"))
    frame.assign(length=parts["tags"]).to_parquet(path)
    assert "'length' holds lists" in one_sentence(
        *run(capsys, "predict", out / "model.skops", path)
    )


@pytest.mark.parametrize("package", ["pandas", "skops"])
def test_missing_packages(package, tmp_path, capsys, monkeypatch):
    path = tmp_path / "flowers.csv"
    path.write_text(GOOD)
    for name in [name for name in sys.modules if name.split(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [_Without(package), *sys.meta_path])
    said = one_sentence(*run(capsys, "select", path, "--out", tmp_path))
    assert package in said
    assert "pip install" in said


class _Without:
    """Finds nothing of one package, as if it were not installed."""

    def __init__(self, package):
        self.package = package

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == self.package:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def test_an_internal_error_is_one_sentence_with_a_hint(tmp_path, capsys, monkeypatch):
    def broken(*args):
        raise RuntimeError("out\nof order")

    monkeypatch.setattr("kernelwise.cli.criteria.available", broken)
    status, out, err = run(capsys, "criteria")
    assert (status, out) == (1, "")
    [line] = err.splitlines()
    assert "RuntimeError (out of order)" in line
    assert "--debug" in line
    status, out, err = run(capsys, "criteria", "--debug")
    assert status == 1
    assert "Traceback" in err


def test_a_value_error_of_numpy_is_internal(capsys, monkeypatch):
    monkeypatch.setattr("kernelwise.cli.criteria.available", lambda: np.zeros(3).reshape(2, 2))
    assert run(capsys, "criteria")[0] == 1


def test_main_takes_the_arguments_of_the_process(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["kernelwise", "--version"])
    assert main() == 0
    assert capsys.readouterr().out.startswith("kernelwise ")
