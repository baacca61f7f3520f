"""kernelwise select fits a stack of kernels, unless one kernel is asked for."""

import io
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from cli_helpers import as_libsvm, flowers, run
from test_cli_answers import record_of

import kernelwise as kw
from inside import (
    Candidates,
    ErrorEstimate,
    Job,
    Member,
    Stack,
    Table,
    features,
    main,
    owners,
    prepare,
    quality,
    recipe,
    shares,
    to_plain,
)

NAMES = ["gaussian", "laplacian", "relevant_laplacian", "linear"]


def noisy(n=150, seed=0):
    """Two columns that matter, one by its size, among five that do not: a stack does better."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 7))
    f = np.abs(X[:, 4]) + 0.6 * X[:, 2] + 0.2 * rng.normal(size=n)
    frame = pd.DataFrame(X.round(6), columns=list("abcdefg"))
    return frame.assign(kind=np.where(f > np.median(f), "high", "low"), size=f.round(6))


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("stack") / "t.csv"
    noisy().drop(columns="size").to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def out(table):
    """The folder of a stack that was chosen for the table."""
    argv = ["select", table, "--out", table.parent / "out", "--quiet"]
    assert main(list(map(str, argv))) == 0
    return table.parent / "out"


def prepared(frame, target, task="auto"):
    return prepare(Table("t.csv", frame), target, task, True)


class TestAnswer:
    @staticmethod
    def told(gate, members=3):
        def error(value):
            return ErrorEstimate("error rate", value, 0.006, "leave-one-out", 0.4)

        kernels = [kw.Gaussian(16.0), kw.Laplacian(3.0), kw.Scaled([1, 2], kw.Laplacian(9.0))]
        weights = [1.0 - 0.5 * gate, 0.5 * gate, 0.0]
        known = zip("abc", kernels, weights, strict=True)
        parts = tuple(Member(n, k, 0.1, w, error(0.05), 12, 0.5) for n, k, w in known)
        stack = Stack(gate, error(0.023), parts[:members])
        record = replace(record_of(kernels[:1], 0, [0.1]), stack=stack, error=error(0.019))
        [line] = [line for line in quality(record).splitlines() if line.startswith("stack ")]
        return line.removeprefix("stack      ")

    def test_what_one_kernel_does_and_what_others_add(self):
        assert self.told(0.8) == (
            "one kernel: Gaussian(tau=16.0), 2.3 % ± 0.6; 60 % of it stacked with Laplacian 40 %: "
            "1.9 % ± 0.6 (gate 0.8, how far the stack is trusted)"
        )

    def test_one_kernel_is_as_good(self):
        assert self.told(0.0) == (
            "one kernel: Gaussian(tau=16.0), 2.3 % ± 0.6; it is as good as a stack with Laplacian, "
            "Laplacian on weighted features (gate 0)"
        )

    def test_weights_that_round_to_nothing_name_no_empty_list(self):
        said = self.told(0.001)
        assert "as good as a stack with Laplacian" in said and "stacked with :" not in said

    def test_nothing_to_stack_with(self):
        assert self.told(0.0, members=1).endswith("2.3 % ± 0.6; no other member suits the data")


class TestResult:
    def test_has_members_weights_gate_and_both_errors(self, table, out):
        text = (out / "result.json").read_text("utf-8")
        found, frame = json.loads(text), pd.read_csv(table)
        stack = kw.KernelStack().fit(prepared(frame, "kind").X, frame["kind"])
        members = found["stack"]["members"]
        assert stack.gate_ == 1.0
        assert found["stack"]["gate"] == pytest.approx(stack.gate_)
        assert [member["name"] for member in members] == NAMES
        np.testing.assert_allclose([m["weight"] for m in members], stack.weights_, atol=1e-6)
        assert found["error"]["value"] == pytest.approx(stack.error_.value)
        assert found["stack"]["single_error"]["value"] == pytest.approx(stack.single_error_.value)
        assert found["kernel"] == members[0]["kernel"]
        assert [member["error"]["value"] for member in members] == pytest.approx(
            [member.error_.value for member in stack.members_.values()]
        )

    def test_confusion_is_that_of_the_stack(self, out):
        found = json.loads((out / "result.json").read_text("utf-8"))
        wrong = sum(mistake["rows"] for mistake in found["confusion"]["mistakes"])
        assert wrong / 150 == pytest.approx(found["error"]["value"])

    def test_the_model_predicts_what_the_stack_does(self, table, out, capsys):
        path, frame = out / "model.skops", pd.read_csv(table)
        model = kw.load_model(path)
        assert isinstance(model[-1], kw.KernelStack) and list(model[-1].members_) == NAMES
        options = ["--proba", "--interval", "0.8"]
        status, out, _ = run(capsys, "predict", path, table, *options)
        found = pd.read_csv(io.StringIO(out), keep_default_na=False)
        assert status == 0
        assert found["prediction"].tolist() == model.predict(frame).tolist()
        np.testing.assert_allclose(found["decision"], model.decision_function(frame), rtol=1e-12)
        np.testing.assert_allclose(
            found[["probability_high", "probability_low"]], model.predict_proba(frame), rtol=1e-12
        )
        sets = model[-1].predict_set(model[:-1].transform(frame), 0.8)
        labels = ["|".join(model.classes_[row]) for row in sets]
        assert found["set"].tolist() == labels

    def test_real_targets(self, tmp_path, capsys):
        noisy().drop(columns="kind").to_csv(tmp_path / "r.csv", index=False)
        status, out, _ = run(capsys, "select", tmp_path / "r.csv", "--out", tmp_path, "--json")
        found = json.loads(out)
        assert status == 0 and found["machine"] == "KRR" and found["stack"]["gate"] > 0.0
        assert found["error"]["value"] < found["stack"]["single_error"]["value"]
        argv = ["predict", tmp_path / "model.skops", tmp_path / "r.csv", "--interval", "0.9"]
        rows = pd.read_csv(io.StringIO(run(capsys, *argv)[1]))
        assert (rows["lower"] < rows["prediction"]).all()
        assert (
            (rows["lower"] <= noisy()["size"]) & (noisy()["size"] <= rows["upper"])
        ).mean() > 0.9

    def test_the_nested_error_is_that_of_the_whole_procedure(self, tmp_path, capsys, monkeypatch):
        flowers().to_csv(tmp_path / "t.csv", index=False)
        fits = []
        fit = kw.KernelStack.fit
        monkeypatch.setattr(
            kw.KernelStack, "fit", lambda s, X, y: fits.append(len(y)) or fit(s, X, y)
        )
        found = json.loads(run(capsys, "select", tmp_path / "t.csv", "--nested", "--json")[1])
        assert fits == [60, *[48] * 5]
        assert found["nested"]["method"] == "nested 5-fold"


class TestOneKernel:
    def test_single_is_the_choice_of_a_selector_bit_for_bit(self, table, tmp_path, capsys):
        argv = ["select", table, "--single", "--out", tmp_path / "out"]
        status, out, err = run(capsys, *argv)
        assert status == 0 and "stack" not in out + err
        machine, frame = kw.load_model(tmp_path / "out" / "model.skops")[-1], pd.read_csv(table)
        data = prepared(frame, "kind")
        selector = kw.KernelSelector(task="classification").fit(data.X, data.y)
        assert (machine.kernel, machine.ridge) == (selector.best_kernel_, selector.best_ridge_)
        for name in ("dual_coef_", "intercept_", "loo_values_"):
            own = getattr(selector.best_estimator_, name)
            np.testing.assert_array_equal(getattr(machine, name), own)
        found = json.loads((tmp_path / "out" / "result.json").read_text("utf-8"))
        assert found["stack"] is None and found["error"] == to_plain(selector.error_)

    def test_a_closed_gate_is_that_machine(self, table, tmp_path, capsys, monkeypatch):
        closed = kw.KernelStack(task="classification", gate=0.0)
        monkeypatch.setattr(Job, "stack", lambda self: closed)
        predictions = []
        for options in ([], ["--single"]):
            status, out, _ = run(capsys, "select", table, "--out", tmp_path / "out", *options)
            assert status == 0 and ("it is as good as a stack with" in out) == (not options)
            model = tmp_path / "out" / "model.skops"
            assert isinstance(kw.load_model(model)[-1], kw.LSSVC)
            predictions.append(run(capsys, "predict", model, table, "--proba")[1])
        assert predictions[0] == predictions[1]

    @pytest.mark.parametrize(
        ("options", "named"),
        [
            (["--kernels", "rbf"], "--kernels"),
            (["--criterion", "ckta", "--ridge", "1"], "--criterion and --ridge"),
            (
                ["--machine", "svm", "--ridge", "1", "--kernels", "linear"],
                "--kernels, --ridge and --machine svm",
            ),
        ],
    )
    def test_options_that_are_for_one_kernel_say_so(self, table, capsys, options, named):
        status, out, err = run(capsys, "select", table, *options)
        assert status == 0 and "\nstack " not in out
        sentence = f"note: with {named} one kernel is chosen, not a stack of several.\n"
        assert err.count(sentence) == 1

    def test_who_asks_for_one_kernel_knows_it(self, table, capsys):
        _, out, err = run(capsys, "select", table, "--single", "--ridge", "1")
        assert "\nstack " not in out and "one kernel is chosen" not in err


def test_what_is_asked_reaches_the_members(table, tmp_path, capsys):
    options = ["--class-weight", "balanced", "--memory", "1GB", "--time", "60", "--seed", "3"]
    status, out, _ = run(capsys, "select", table, *options, "--out", tmp_path / "out")
    assert status == 0 and "balanced " in out and "stacked with" in out
    stack = kw.load_model(tmp_path / "out" / "model.skops")[-1]
    asked = {"class_weight": "balanced", "memory": "1GB", "random_state": 3}
    for model, time in ((stack, 60.0), *((m, 15.0) for m in stack.members_.values())):
        params = model.get_params(deep=False)
        assert {name: params[name] for name in asked} == asked and params["time"] == time


def test_members_that_are_left_out(table, tmp_path, capsys, monkeypatch):
    def fail(*_, **__):
        raise ValueError("the rows are too wide.")

    monkeypatch.setattr(recipe, "relevance", fail)
    status, _, err = run(capsys, "select", table, "--out", tmp_path / "out")
    sentence = "relevant_laplacian is left out: the rows are too wide."
    assert status == 0 and err.count(sentence) == 1
    found = json.loads((tmp_path / "out" / "result.json").read_text("utf-8"))["stack"]
    assert found["notes"] == [sentence] and len(found["members"]) == 3
    assert sentence in (tmp_path / "out" / "report.html").read_text("utf-8")


class TestFeatures:
    def test_columns_that_matter_come_first(self, table, out, capsys):
        one = run(capsys, "select", table, "--json", "--kernels", "gaussian:1:3")[1]
        for text in ((out / "result.json").read_text("utf-8"), one):
            found = json.loads(text)["relevance"]
            assert set(list(found)[:2]) == {"c", "e"}
            assert sorted(found) == list("abcdefg")
            assert list(found.values()) == sorted(found.values(), reverse=True)
            assert sum(found.values()) == pytest.approx(1.0)

    def test_are_derivatives_times_variances(self):
        data = prepared(flowers(), "species")
        machine = kw.LSSVC(kw.Gaussian(4.0)).fit(data.X, data.y)
        found = shares(machine, data.preparation)
        sizes = kw.relevance(machine).values * data.X.var(axis=0)
        columns = ["length", "width", "colour", "colour", "colour"]
        assert owners(data.preparation) == columns
        for name in set(columns):
            own = sizes[[column == name for column in columns]].sum()
            assert found[name] == pytest.approx(own / sizes.sum())

    def test_every_feature_has_its_column(self, rng):
        n = 120
        frame = pd.DataFrame(
            {
                "_text": rng.choice(["a_1", "b_", "_c"], n),
                "seen": pd.date_range("2024-01-01", periods=n).strftime("%d/%m/%Y"),
                "rare": [f"v{i % 60}" for i in range(n)],
                "number": rng.normal(size=n),
                "money": [f"$ {1000 + i:,}" for i in range(n)],
                "note": [f"{'good' if i % 3 else 'poor'} {'red' if i % 2 else 'blue'} no{i}x{i * 7}"
                         for i in range(n)],
                "y": ["u", "v"] * (n // 2),
            }
        )  # fmt: skip
        data = prepared(frame, "y")
        columns = owners(data.preparation)
        assert len(columns) == data.X.shape[1]
        assert set(columns) == set(frame.columns) - {"y"}
        assert columns.count("_text") == 3 and columns.count("rare") == 50
        for place, name in enumerate(columns):
            if name in ("_text", "rare"):
                groups = pd.Series(data.X[:, place]).groupby(frame[name])
                assert (groups.nunique() == 1).all()

    def test_sparse_rows_by_their_indices(self, tmp_path, capsys, rng):
        X = np.where(rng.random((60, 40)) < 0.2, rng.random((60, 40)), 0.0)
        (tmp_path / "s.libsvm").write_text(as_libsvm(X, (X[:, 4] > 0).astype(int)))
        status, out, _ = run(capsys, "select", tmp_path / "s.libsvm", "--json")
        assert status == 0
        assert next(iter(json.loads(out)["relevance"])) == "5"

    def test_too_many_sparse_entries(self, tmp_path, capsys, monkeypatch):
        monkeypatch.setattr(features, "_MOST_DENSE", 1000)
        (tmp_path / "s.libsvm").write_text("1 1:1 90:1\n0 2:1\n" * 20)
        status, out, err = run(capsys, "select", tmp_path / "s.libsvm", "--json")
        assert status == 0 and json.loads(out)["relevance"] is None
        assert "columns that matter was not possible: sparse rows of 3,640 entries are too" in err

    def test_a_machine_without_derivatives_has_none(self, table, capsys):
        argv = ["select", table, "--machine", "svm", "--kernels", "gaussian:1:3", "--json"]
        assert json.loads(run(capsys, *argv)[1])["relevance"] is None


def test_an_unknown_family_points_to_the_page_on_candidates():
    with pytest.raises(ValueError, match=r"choose from auto, .*; docs/candidates.md has kernels"):
        Candidates.parse("rbf,nonsense")


@pytest.mark.parametrize("rows", [59, 60])
def test_few_rows_are_said_to_be_few_for_a_stack(rows, tmp_path, capsys):
    flowers(rows).to_csv(tmp_path / "t.csv", index=False)
    told = "note: with fewer than 60 rows a stack may do worse than one kernel: --single chooses"
    assert (told in run(capsys, "select", tmp_path / "t.csv")[2]) == (rows < 60)
    assert told not in run(capsys, "select", tmp_path / "t.csv", "--single")[2]
