"""The commands on good input."""

import gzip
import io
import json

import numpy as np
import pandas as pd
import pytest
from cli_helpers import as_libsvm, flowers, run

import kernelwise as kw
from inside import Code, Diagnostic, ErrorEstimate, Record, answer, load_model, runner_up


def _write(frame, path):
    """Write a frame in the format that the name says."""
    kind = path.suffixes[0]
    if kind == ".parquet":
        frame.to_parquet(path)
        return
    text = {
        ".csv": lambda: frame.to_csv(index=False),
        ".tsv": lambda: frame.to_csv(index=False, sep="\t"),
        ".semicolon": lambda: frame.to_csv(index=False, sep=";", decimal=","),
        ".pipe": lambda: frame.to_csv(index=False, sep="|"),
        ".space": lambda: frame.to_csv(index=False, sep=" "),
        ".data": lambda: frame.to_csv(index=False, header=False),
    }[kind]()
    data = text.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)


KINDS = [
    "f.tsv.gz",
    "f.semicolon",
    "f.pipe",
    "f.space",
    "f.parquet",
    "f.data",
]


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_table_gives_the_same_choice(name, tmp_path, capsys):
    path, plain = tmp_path / name, tmp_path / "plain.csv"
    few = ["--kernels", "gaussian:0:4"]
    _write(flowers(), path)
    status, out, _ = run(capsys, "select", path, "--target", _name("species", name), *few)
    assert status == 0
    _write(flowers(), plain)
    expected = run(capsys, "select", plain, "--target", "species", *few)[1]
    assert "2 classes of 'species' on 60 rows, 3 features" in expected
    assert _without_time(out).replace("column4", "species") == _without_time(expected)


def _name(column, file):
    return "column4" if file == "f.data" else column


def _without_time(out):
    return "\n".join(line for line in out.splitlines() if not line.startswith("time"))


@pytest.mark.parametrize("name", ["f.svm.gz", "f.txt"])
def test_libsvm_dense_and_sparse(name, tmp_path, capsys, rng):
    dense = rng.normal(size=(40, 3)).round(3)
    y = np.where(dense[:, 0] > 0, 1, -1)
    path = tmp_path / name
    for X, how in ((dense, "standardised"), (np.pad(dense, ((0, 0), (0, 60))), "stay sparse")):
        X[:, -1] = 0.5 * (np.arange(40) == 7)  # the last index occurs
        data = as_libsvm(X, y).encode()
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        few = ["--kernels", "gaussian:0:4"]
        status, out, err = run(capsys, "select", path, "--out", tmp_path, *few)
        assert status == 0
        assert how in err
        status, out, err = run(capsys, "predict", tmp_path / "model.skops", path)
        assert (pd.read_csv(io.StringIO(out))["prediction"] == y).mean() > 0.9


def test_sparse_rows_that_lack_the_last_features(tmp_path, capsys):
    train, new = tmp_path / "a.libsvm", tmp_path / "b.libsvm"
    train.write_text("1 1:1 900:1\n0 2:1\n" * 20)
    new.write_text("1 1:1\n0 2:1 1000:3\n")
    assert run(capsys, "select", train, "--single", "--out", tmp_path)[0] == 0
    status, out, _err = run(capsys, "predict", tmp_path / "model.skops", new)
    assert status == 0
    assert [line.split(",")[0] for line in out.splitlines()] == ["prediction", "1", "0"]


@pytest.mark.parametrize("single", [(), ("--single",)])
def test_the_answer_says_what_matters(single, tmp_path, capsys):
    path = tmp_path / "flowers.csv"
    _write(flowers(), path)
    status, out, err = run(capsys, "select", path, *single)
    assert status == 0
    names = [line.split()[0] for line in out.splitlines()]
    stack = [] if single else ["stack"]
    assert names == ["kernel", "ridge", "machine", "error", *stack, "runner-up", "time"]
    assert "leave-one-out; always the largest class: 50.0 %" in out
    assert "'species', the last column, is taken as the target" in err
    assert list(tmp_path.iterdir()) == [path]


def test_quiet_and_json(tmp_path, capsys):
    path = tmp_path / "flowers.csv"
    _write(flowers(), path)
    status, out, err = run(capsys, "select", path, "--quiet", "--json", "--nested")
    assert (status, err) == (0, "")
    found = json.loads(out)
    assert found["nested"]["method"] == "nested 5-fold"
    assert found["runner_up"]["name"] != found["kernel"]
    assert found["files"] == []
    assert "ckta" in found["comparison"]["table"]


def test_what_is_written(tmp_path, capsys):
    path, out = tmp_path / "flowers.csv", tmp_path / "deep" / "out"
    _write(flowers(), path)
    out.mkdir(parents=True)
    (out / "mine.txt").write_text("kept")
    (out / "report.html").write_text("old")
    status, said, _ = run(capsys, "select", path, "--out", out)
    assert status == 0
    names = {entry.name for entry in out.iterdir()}
    assert names == {"mine.txt", "model.skops", "result.json", "report.html"}
    assert (out / "mine.txt").read_text() == "kept"
    assert all(str(out / name) in said for name in names - {"mine.txt"})
    found = json.loads((out / "result.json").read_text())
    assert found["model"] == "model.skops"
    assert f"Gaussian(tau={found['kernel']['tau']})" in said
    assert found["data"]["prepared"]
    assert (out / "report.html").read_text() != "old"


def test_predictions_of_a_raw_table_in_any_order(tmp_path, capsys):
    train, new = tmp_path / "train.csv", tmp_path / "new.csv"
    _write(flowers(), train)
    assert run(capsys, "select", train, "--single", "--out", tmp_path)[0] == 0
    frame = flowers(40, seed=1)
    frame.loc[0, "colour"] = "never seen"
    frame.loc[1, "length"] = np.nan
    frame["colour"] = frame["colour"].astype(object)  # pandas 3 would make NaN of None
    frame.loc[2, "colour"] = None
    _write(frame[["species", "colour", "width", "length"]].assign(more=1), new)
    model = tmp_path / "model.skops"
    status, out, _err = run(capsys, "predict", model, new, "--proba")
    assert status == 0
    found = pd.read_csv(io.StringIO(out))
    assert list(found) == ["prediction", "decision", "probability_rose", "probability_violet"]
    assert (found["prediction"] == frame["species"]).mean() > 0.8
    assert np.allclose(found["probability_rose"] + found["probability_violet"], 1.0)
    # Python's own way to the same numbers
    loaded = load_model(model)
    assert loaded.predict(frame).tolist() == found["prediction"].tolist()
    assert np.allclose(loaded.decision_function(frame), found["decision"])
    assert run(capsys, "predict", model, new, "--out", tmp_path / "p.csv", "--proba")[1] == ""
    assert (tmp_path / "p.csv").read_text() == out
    plain = json.loads(run(capsys, "predict", model, new, "--json")[1])
    assert plain["prediction"] == found["prediction"].tolist()


def test_more_rows_than_are_predicted_at_once(tmp_path, capsys, monkeypatch):
    train = tmp_path / "train.csv"
    _write(flowers(), train)
    run(capsys, "select", train, "--out", tmp_path)
    whole = run(capsys, "predict", tmp_path / "model.skops", train, "--json")[1]
    monkeypatch.setattr("kernelwise.cli.predict._AT_ONCE", 7)
    parts = run(capsys, "predict", tmp_path / "model.skops", train, "--json")[1]
    assert json.loads(parts)["prediction"] == json.loads(whole)["prediction"]
    assert np.allclose(json.loads(parts)["decision"], json.loads(whole)["decision"])


@pytest.mark.parametrize("machine", ["lssvm", "svm", "krr"])
def test_regression_by_every_machine(machine, tmp_path, capsys, rng):
    x = np.linspace(-3, 3, 80)
    frame = pd.DataFrame({"x": x, "y": np.sin(x) + 0.05 * rng.normal(size=80)})
    frame.to_csv(tmp_path / "sine.csv", index=False)
    argv = ["--machine", machine, "--out", tmp_path]
    status, out, _ = run(capsys, "select", tmp_path / "sine.csv", *argv)
    assert status == 0
    assert "root mean squared error" in out
    status, out, _ = run(capsys, "predict", tmp_path / "model.skops", tmp_path / "sine.csv")
    found = pd.read_csv(io.StringIO(out))
    assert list(found) == ["prediction"]
    assert np.abs(found["prediction"] - np.sin(x)).max() < 0.35


def test_multiclass_decisions(tmp_path, capsys):
    frame = flowers()
    _write(frame, tmp_path / "f.csv")
    argv = ["--target", "colour", "--out", tmp_path, "--kernels", "gaussian:0:4,linear"]
    assert run(capsys, "select", tmp_path / "f.csv", *argv)[0] == 0
    argv = ["predict", tmp_path / "model.skops", tmp_path / "f.csv", "--proba"]
    found = pd.read_csv(io.StringIO(run(capsys, *argv)[1]))
    levels = sorted(frame["colour"].unique())
    names = [f"{what}_{level}" for what in ("decision", "probability") for level in levels]
    assert list(found) == ["prediction", *names]


@pytest.mark.parametrize(
    ("argv", "kernels"),
    [
        (["--kernels", "gaussian:-2:2"], 5),
        (["--kernels", "laplacian:0:3,matern:0:1,linear"], 7),
        (["--kernels", "polynomial:1:3"], 3),
        (["--kernels", "linear", "--ridge", "0.1,1,10"], 1),
        (["--criterion", "sm", "--kernels", "gaussian:0:3"], 4),
        (["--criterion", "sm,ckta", "eloo", "--kernels", "gaussian:0:6", "--ridge", "1"], 7),
    ],
)
def test_kernels_criteria_and_ridges(argv, kernels, tmp_path, capsys):
    _write(flowers(), tmp_path / "f.csv")
    status, out, _ = run(capsys, "select", tmp_path / "f.csv", "--json", "--no-scale", *argv)
    assert status == 0
    assert len(json.loads(out)["comparison"]["kernels"]) == kernels


def test_file_after_the_criteria(tmp_path, capsys):
    _write(flowers(), tmp_path / "f.csv")
    assert run(capsys, "select", "--criterion", "sm", tmp_path / "f.csv")[0] == 0


def test_rows_are_drawn(tmp_path, capsys):
    _write(flowers(), tmp_path / "f.csv")
    status, out, err = run(capsys, "select", tmp_path / "f.csv", "--rows", 30, "--seed", 1)
    assert status == 0
    assert "30 of 60 rows drawn at random" in err
    assert "on 30 rows" in out


def test_compare(tmp_path, capsys):
    _write(flowers(), tmp_path / "f.csv")
    argv = ["compare", tmp_path / "f.csv", "--kernels", "gaussian:-1:3", "--ridge", "0.5"]
    status, out, _err = run(capsys, *argv, "--out", tmp_path / "out")
    assert status == 0
    for info in kw.criteria.available():
        assert info.name in out
    assert out.count("*") >= len(kw.criteria.available()) - 1
    table = pd.read_csv(tmp_path / "out" / "comparison.csv")
    assert len(table) == 5
    status, out, _ = run(capsys, *argv, "--criterion", "sm", "kta", "--json", "--quiet")
    found = json.loads(out)["table"]
    assert list(found) == ["sm", "kta"]
    assert np.argmax(found["kta"]) == table["kta"].idxmax()


def test_compare_leaves_out_dear_criteria_of_many_rows(tmp_path, capsys, monkeypatch):
    _write(flowers(), tmp_path / "f.csv")
    monkeypatch.setattr("kernelwise.cli.compare._ALL_UP_TO", 50)
    status, out, err = run(capsys, "compare", tmp_path / "f.csv", "--json")
    assert status == 0
    assert "--criterion" in err
    assert "eloo" not in json.loads(out)["table"]


def test_criteria(capsys):
    status, out, err = run(capsys, "criteria")
    assert (status, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines()[1:]] == [
        info.name for info in kw.criteria.available()
    ]
    assert len(json.loads(run(capsys, "criteria", "--json")[1])) == len(kw.criteria.available())


@pytest.mark.parametrize("command", [[], ["select"], ["compare"], ["predict"]])
def test_help_has_an_example(command, capsys):
    status, out, err = run(capsys, *command, "--help")
    assert (status, err) == (0, "")
    assert f"kernelwise {' '.join(command)}" in out.split("options:")[1 if command else 0]


def test_guards_are_notices_and_are_kept(tmp_path, capsys, rng):
    frame = pd.DataFrame(rng.normal(size=(60, 3)), columns=["a", "b", "c"])
    frame["y"] = np.repeat([0, 1, 2], [29, 29, 2])
    frame.to_csv(tmp_path / "f.csv", index=False)
    status, out, err = run(capsys, "select", tmp_path / "f.csv", "--json")
    assert status == 0
    assert "note: class 2 has only 2 rows" in err
    assert any("class 2" in sentence for sentence in json.loads(out)["warnings"])
    assert len(set(err.splitlines())) == len(err.splitlines())


def test_files_without_a_header(tmp_path, capsys):
    train, new = tmp_path / "f.data", tmp_path / "g.data"
    _write(flowers(), train)
    assert run(capsys, "select", train, "--single", "--out", tmp_path)[0] == 0
    new.write_text("2.5,0.1,never seen\n")  # one line, which might pass for a header
    status, out, _ = run(capsys, "predict", tmp_path / "model.skops", new)
    assert status == 0
    assert out.splitlines()[1].startswith("rose,")


def _record(notes=None, **stages):
    """A record of three Gaussians, the second of which was chosen."""
    kernels = tuple(kw.Gaussian(tau) for tau in (1.0, 2.0, 4.0))
    result = kw.selection.SelectionResult(
        kernels=kernels,
        ridges=np.ones(3),
        criteria={name: kw.criteria.get(name) for name in stages},
        table={name: np.array(values) for name, values in stages.items()},
        notes=notes or {},
        engine="dense",
        engine_reason="",
        seconds=0.1,
    )
    return Record(
        kernel=kernels[1],
        ridge=1.0,
        machine="LSSVC",
        task="regression",
        result=result,
        data={"rows": 270, "features": 2, "target": "y"},
        seconds=0.2,
    )


def test_runner_up_of_the_last_stage_that_compares():
    """The leave-one-out stage that only chooses the ridge has one kernel."""
    nan = np.nan
    record = _record(sm=[1.0, 2.0, 3.0], eloo=[nan, 0.5, nan])
    assert runner_up(record)["criterion"] == "sm"
    record = _record(sm=[1.0, 2.0, 3.0], eloo=[nan, 0.5, 0.6])
    assert runner_up(record)["name"] == "Gaussian(tau=4.0)"
    assert "runner-up  Gaussian(tau=4.0) (eloo 0.6 against 0.5)" in answer(record, [])
    notes = {"Gaussian(tau=1.0): eloo": Diagnostic("set aside", Code.SET_ASIDE)}
    record = _record(sm=[1.0, 2.0, 3.0], eloo=[nan, 0.5, nan], notes=notes)
    assert runner_up(record) is None
    assert "runner-up  none: a part of the rows was enough" in answer(record, [])
    assert "runner-up" not in answer(_record(eloo=[nan, 0.5, nan]), [])


def test_runner_up_where_a_stage_for_the_ridge_was_added(tmp_path, capsys):
    _write(flowers(), tmp_path / "f.csv")
    argv = ["select", tmp_path / "f.csv", "--criterion", "sm", "ckta"]
    assert "(ckta " in run(capsys, *argv)[1]
    argv = ["select", tmp_path / "f.csv", "--kernels", "linear"]
    assert "runner-up" not in run(capsys, *argv)[1]


def test_a_huge_index(tmp_path, capsys):
    """Dense or sparse, only the indices that occur matter."""
    new = tmp_path / "new.libsvm"
    new.write_text("1 3:1 1999999990:1\n0 7:1 20:5\n1 1999999990:1 1999999999:4\n")
    dense = "1 1999999990:1\n0 7:1\n" * 20
    first = (7, 1999999990)
    spread = "".join(f"{i % 2} {first[i % 2]}:1 {10**8 + i}:1\n" for i in range(40))
    for content, how in ((dense, "standardised"), (spread, "indices up to 1,999,999,990")):
        swapped = "\n".join(" ".join(_ascending(line)) for line in content.splitlines())
        (tmp_path / "f.libsvm").write_text(swapped)
        status, _, err = run(capsys, "select", tmp_path / "f.libsvm", "--single", "--out", tmp_path)
        assert status == 0
        assert how in err
        status, out, _ = run(capsys, "predict", tmp_path / "model.skops", new, "--json")
        assert status == 0
        assert json.loads(out)["prediction"] == [1, 0, 1]


def _ascending(line):
    label, *pairs = line.split()
    return [label, *sorted(pairs, key=lambda pair: int(pair.split(":")[0]))]


def test_an_error_that_folds_tell_is_looked_at_too(tmp_path, capsys, rng):
    frame = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"]).assign(y=["u", "v"] * 30)
    frame.to_csv(tmp_path / "f.csv", index=False)
    argv = ["select", tmp_path / "f.csv", "--machine", "svm", "--json", "--kernels", "linear"]
    with pytest.MonkeyPatch.context() as patch:
        error = ErrorEstimate("error rate", 0.6, 0.1, "5-fold", 0.5)
        patch.setattr(kw.KernelSelector, "error_estimate", lambda self, X, y: error)
        status, out, err = run(capsys, *argv)
    assert status == 0
    said = "always predicting the same class does as well as the choice, by 5-fold"
    assert err.count(said) == 1
    assert sum(said in sentence for sentence in json.loads(out)["warnings"]) == 1


def test_a_criterion_that_few_rows_do_not_allow_is_left_out_alone(tmp_path, capsys, monkeypatch):
    def score(X, y, kernels, criteria, **options):
        if "kfold" in criteria:
            raise ValueError("k = 5 folds need more rows.")
        return kw.score_kernels(X, y, kernels, criteria, **options)

    monkeypatch.setattr("kernelwise.cli.pipeline.score_kernels", score)
    (tmp_path / "f.csv").write_text("x,y\n1,a\n2,b\n3,a\n4,b\n6,b\n7,a\n")
    for command, where in (("select", "comparison"), ("compare", None)):
        status, out, err = run(capsys, command, tmp_path / "f.csv", "--json")
        assert status == 0
        assert "kfold is left out: k = 5 folds need more rows." in err
        found = json.loads(out)
        table = (found if where is None else found[where])["table"]
        assert "eloo" in table
        assert "kfold" not in table


def test_few_rows_keep_the_choice(tmp_path, capsys):
    """What cannot be found out of three rows is said, and loses nothing."""
    (tmp_path / "f.csv").write_text("x,y\n1,a\n2,b\n3,a\n")
    status, out, err = run(capsys, "select", tmp_path / "f.csv", "--nested", "--out", tmp_path)
    assert status == 0
    assert out.startswith("kernel ")
    assert "estimating the error of the whole choice was not possible" in err
    assert (tmp_path / "report.html").exists()
