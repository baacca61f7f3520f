"""What a person is told: in scikit-learn's terms, at once; and how long it took."""

import json
import re
import time
from pathlib import Path

import numpy as np
import pytest
from cli_helpers import ROOT, flowers, run

import kernelwise as kw
from inside import Record, SelectionResult, answer, choice, features

# Other tests may define more.
OURS = [
    i
    for i in kw.criteria.available()
    if hasattr(kw.criteria, type(kw.criteria.get(i.name)).__name__)
]


@pytest.fixture
def table(tmp_path):
    flowers().to_csv(tmp_path / "f.csv", index=False)
    return tmp_path / "f.csv"


def scored(kernels, **table):
    n = len(kernels)
    return SelectionResult(
        kernels=tuple(kernels),
        ridges=np.full(n, 0.5),
        criteria={name: kw.criteria.get(name) for name in table},
        table={name: np.array(values) for name, values in table.items()},
        notes={},
        engine="dense",
        engine_reason="",
        seconds=0.1,
        standard_errors={name: np.full(n, 0.05) for name in table},
    )


def record_of(kernels, chosen, eloo, ridge=0.5):
    return Record(
        kernel=kernels[chosen],
        ridge=ridge,
        machine="LSSVC",
        task="regression",
        result=scored(kernels, eloo=eloo),
        data={"rows": 99, "features": 2, "target": "y"},
    )


class TestTerms:
    def test_gamma_and_c_stand_beside_tau_and_ridge(self):
        kernel, ridge, _ = choice(record_of([kw.Gaussian(4.0)], 0, [0.1])).splitlines()
        assert kernel == "kernel     Gaussian(tau=4.0)"
        assert ridge == "ridge      0.5 (scikit-learn: gamma = 0.125, C = 1, alpha = 0.5)"

    def test_what_a_kernel_calls_the_same_is_not_said_twice(self):
        record = record_of([kw.Polynomial(3, gamma=0.5)], 0, [0.1], ridge=np.nan)
        kernel, ridge, _ = choice(record).splitlines()
        assert kernel == f"kernel     {record.kernel}"
        assert ridge == "ridge      nan"


class TestAsWell:
    def test_widths_within_a_standard_error(self):
        record = record_of(kw.grids.gaussian(0, 5), 2, [0.9, 0.14, 0.1, 0.12, 0.3, 0.11])
        assert record.as_well() == "any tau from 2 to 8 does as well"
        assert "(eloo 0.11 against 0.1); any tau from 2 to 8 does as well" in answer(record, [])

    def test_nothing_else(self):
        record = record_of(kw.grids.gaussian(0, 2), 1, [0.9, 0.1, 0.9])
        assert record.as_well() == "no other kernel offered does as well"

    def test_other_families(self):
        kernels = [kw.Gaussian(1.0), kw.Laplacian(1.0), kw.Laplacian(2.0), kw.Linear()]
        record = record_of(kernels, 1, [0.1, 0.1, 0.12, 0.1])
        assert record.as_well() == "Laplacian(scale=2.0) would do as well"

    @pytest.mark.parametrize("eloo", [[np.nan] * 3, [0.1, np.nan, 0.1]])
    def test_not_known(self, eloo):
        assert record_of(kw.grids.gaussian(0, 2), 1, eloo).as_well() == ""

    def test_infinite_values(self):
        record = record_of(kw.grids.gaussian(0, 2), 1, [np.inf, np.inf, 0.1])
        assert record.as_well() == "no other kernel offered does as well"


class TestOrder:
    def test_the_answer_comes_before_what_takes_longer(self, table, tmp_path, capsys, monkeypatch):
        seen = []

        def shares(*_):
            seen.append(capsys.readouterr().out)
            return {}

        monkeypatch.setattr(features, "shares", shares)
        status, out, _ = run(capsys, "select", table, "--out", tmp_path / "out")
        assert status == 0
        names = [[line.split()[0] for line in part.splitlines()] for part in (*seen, out)]
        assert names[0] == ["kernel", "ridge", "machine", "error", "stack", "runner-up"]
        assert names[1] == ["time", "written"]

    def test_json_comes_at_the_end(self, table, capsys, monkeypatch):
        seen = []

        def shares(*_):
            seen.append(capsys.readouterr().out)
            return {}

        monkeypatch.setattr(features, "shares", shares)
        status, out, _ = run(capsys, "select", table, "--json")
        assert (status, seen) == (0, [""])
        found = json.loads(out)
        assert found["confusion"]["counts"] == {"rose": 30, "violet": 30}
        assert found["params"]["gamma"] == 0.5 / found["kernel"]["tau"]

    def test_a_reader_that_leaves_early_gets_all_files(self, table, tmp_path, capsys, monkeypatch):
        def leave(text, end="\n"):
            raise BrokenPipeError

        monkeypatch.setattr("kernelwise.cli.select.tell", leave)
        assert run(capsys, "select", table, "--out", tmp_path / "out")[0] == 0
        names = {path.name for path in (tmp_path / "out").iterdir()}
        assert names == {"model.skops", "result.json", "report.html"}

    def test_the_time_printed_is_the_time_waited(self, table, tmp_path, capsys, monkeypatch):
        monkeypatch.setattr("kernelwise.cli.write.write_report", lambda *_: time.sleep(1.5))
        start = time.perf_counter()
        out = run(capsys, "select", table, "--out", tmp_path / "out")[1]
        waited = time.perf_counter() - start
        said = float(re.search(r"kernels, ([\d.]+) s in all", out)[1])
        assert 1.4 <= said <= waited + 0.06  # printed with one digit


def test_criteria_say_what_they_measure_before_the_formula(capsys):
    lines = run(capsys, "criteria")[1].splitlines()
    assert lines[0].split("  ")[0] == "name"
    told = {line.split()[0]: line for line in lines[1:]}
    for info in OURS:
        line = told[info.name]
        assert info.meaning.endswith(".") and len(info.meaning.split()) >= 8
        assert line.index(info.meaning) < line.index(info.formula)


class TestCompare:
    def test_groups_criteria_that_judge_the_same(self, table, capsys):
        out = run(capsys, "compare", table, "--kernels", "gaussian:-1:3")[1]
        [picks] = re.findall(r"picks:\n(.*?)\n\n", out, re.DOTALL)
        lines = picks.splitlines()
        groups = [line for line in lines if line.startswith("  ") and line.endswith(":")]
        assert [group.strip(" :") for group in groups][:3] == [
            "errors on rows left out",
            "fit to the training rows, less a penalty",
            "match of similarities and target, without training",
        ]
        first = [line.split()[0] for line in lines[1 : lines.index(groups[1])]]
        ours = {info.name for info in OURS}
        left_out = ["bif", "br", "cvks", "eloo", "gcv", "kfold", "span"]
        assert [name for name in first if name in ours] == left_out

    def test_says_where_a_pick_sits_on_the_edge(self, table, capsys):
        argv = ["compare", table, "--kernels", "gaussian:3:6", "--criterion", "fsm", "sm"]
        _, out, err = run(capsys, *argv)
        assert "Gaussian(tau=8.0), the narrowest offered" in out
        assert re.search(r"note: .* would pick the narrowest kernel offered: add narrower", err)


def test_the_span_is_compared_for_the_machine_that_it_judges(table, capsys):
    few = ["--kernels", "gaussian:0:2", "--json", "--quiet"]
    tables = [
        json.loads(run(capsys, "select", table, "--machine", machine, *few)[1])["comparison"]
        for machine in ("lssvm", "svm")
    ]
    assert ["span" in comparison["table"] for comparison in tables] == [False, True]


def _demo():
    import importlib.util

    spec = importlib.util.spec_from_file_location("demo", Path(ROOT) / "examples" / "demo.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_demo_explains_its_numbers(tmp_path, capsys):
    _demo().main(tmp_path)
    out = capsys.readouterr().out
    both = r"On 171 rows .* \d\.\d % ± \d\.\d are wrong.*estimate was \d\.\d % ± \d\.\d"
    assert re.search(both, out)
    assert re.search(r"runner-up .*; any tau from \d+ to \d+ does as well", out)
    last = f"Now open the report: {(tmp_path / 'report.html').resolve().as_uri()}"
    assert out.splitlines()[-1] == last
