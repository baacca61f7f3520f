"""Real files: the saved model on held-out rows against a linear baseline."""

import io

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from cli_helpers import DATA, run
from sklearn.datasets import dump_svmlight_file
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

CLASSES = ["colic", "glass"]
REALS = ["mpg"]
ROWS = 200

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"there is no data in {DATA}")


def _parts(name):
    """Return two thirds of at most a few hundred rows to learn from, and the rest."""
    frame = pd.read_csv(DATA / f"{name}.csv.gz")
    frame = frame.sample(min(ROWS, len(frame)), random_state=0)
    n = 2 * len(frame) // 3
    return frame.iloc[:n], frame.iloc[n:]


def _predicted(capsys, folder, train, test):
    train.to_csv(folder / "train.csv.gz", index=False)
    test.drop(columns="target").iloc[:, ::-1].to_csv(folder / "test.csv", index=False)
    status, out, _ = run(capsys, "select", folder / "train.csv.gz", "--out", folder)
    assert status == 0, out
    status, out, _ = run(capsys, "predict", folder / "model.skops", folder / "test.csv")
    assert status == 0
    return pd.read_csv(io.StringIO(out))["prediction"].to_numpy()


def _linear(model, train, test):
    model = make_pipeline(SimpleImputer(strategy="median"), StandardScaler(), model)
    model.fit(train.drop(columns="target"), train["target"])
    return model.predict(test.drop(columns="target"))


def _worse_beyond_noise(ours, theirs):
    """Say whether paired losses are larger by more than two standard errors."""
    difference = ours - theirs
    return difference.mean() > 2.0 * difference.std(ddof=1) / np.sqrt(difference.size)


@pytest.mark.parametrize("name", CLASSES)
def test_classes(name, tmp_path, capsys):
    train, test = _parts(name)
    y = test["target"].to_numpy()
    ours = _predicted(capsys, tmp_path, train, test) != y
    theirs = _linear(LogisticRegression(max_iter=2000), train, test) != y
    assert not _worse_beyond_noise(ours.astype(float), theirs.astype(float))


@pytest.mark.parametrize("name", REALS)
def test_reals(name, tmp_path, capsys):
    train, test = _parts(name)
    y = test["target"].to_numpy()
    ours = (_predicted(capsys, tmp_path, train, test) - y) ** 2
    theirs = (_linear(RidgeCV(np.logspace(-3, 3, 7)), train, test) - y) ** 2
    assert not _worse_beyond_noise(ours, theirs)


def test_sparse_rows(tmp_path, capsys):
    frame = pd.read_csv(DATA / "w8a.csv.gz", nrows=20000)
    frame = pd.concat([part.iloc[:150] for _, part in frame.groupby("target")])
    frame = frame.sample(frac=1.0, random_state=0)
    X, y = sp.csr_matrix(frame.drop(columns="target").to_numpy(float)), frame["target"].to_numpy()
    n = 200
    for name, part in (("train", slice(None, n)), ("test", slice(n, None))):
        path = str(tmp_path / f"{name}.libsvm")
        dump_svmlight_file(X[part], y[part], path, zero_based=False)
    status, _, err = run(capsys, "select", tmp_path / "train.libsvm", "--single", "--out", tmp_path)
    assert status == 0
    assert "stay sparse" in err
    model = tmp_path / "model.skops"
    status, out, _ = run(capsys, "predict", model, tmp_path / "test.libsvm")
    ours = pd.read_csv(io.StringIO(out))["prediction"].to_numpy() != y[n:]
    theirs = LogisticRegression(max_iter=2000).fit(X[:n], y[:n]).predict(X[n:]) != y[n:]
    assert not _worse_beyond_noise(ours.astype(float), theirs.astype(float))
