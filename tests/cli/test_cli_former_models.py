"""Models that earlier versions wrote."""

import zipfile

import pandas as pd
import pytest
from cli_helpers import run

import kernelwise as kw


def test_a_model_of_dates_that_names_the_function_where_it_was(tmp_path, capsys, rng):
    dates = pd.date_range("2020-01-01", periods=40).astype(str)
    frame = pd.DataFrame({"day": dates, "a": rng.normal(size=40), "y": ["u", "v"] * 20})
    frame.to_csv(tmp_path / "f.csv", index=False)
    select = ["select", tmp_path / "f.csv", "--kernels", "linear", "--quiet"]
    assert run(capsys, *select, "--out", tmp_path)[0] == 0
    new, old = tmp_path / "model.skops", tmp_path / "old.skops"
    with zipfile.ZipFile(new) as source, zipfile.ZipFile(old, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            if name == "schema.json":
                assert b"kernelwise._dates" in content and b"kernelwise.cli" not in content
                content = content.replace(b"kernelwise._dates", b"kernelwise.cli.prepare")
            target.writestr(name, content)
    predictions = [run(capsys, "predict", model, tmp_path / "f.csv") for model in (new, old)]
    assert predictions[0][0] == 0 and predictions[0][:2] == predictions[1][:2]
    former = "kernelwise.cli.prepare.days"
    with pytest.raises(ValueError, match=former):
        kw.load_model(old)
    assert kw.load_model(old, trusted=[former]).predict(frame).tolist()[:1] != []
