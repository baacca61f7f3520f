"""Dask collections: chosen on a sample, fitted to all rows, evaluated lazily."""

import numpy as np
import pytest
from sklearn.svm import SVC

import kernelwise as kw
from inside import (
    Cluster,
    Coding,
    Features,
    RemoteMoments,
    RemoteRows,
    all_rows,
    connected,
    moments_of,
    solved,
)

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
pd = pytest.importorskip("pandas")


def data(n=4000, classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    f = X[:, 0] ** 2 + X[:, 1] + 0.2 * rng.normal(size=n)
    return X, f if classes == 0 else np.digitize(f, np.linspace(0.5, 2.0, classes - 1))


def arrays(X, y, rows=700):
    return da.from_array(X, chunks=(rows, 2)), da.from_array(y, chunks=rows)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("classes", [0, 2, 3])
def test_the_machine_is_that_of_all_rows(classes, fit_intercept):
    """Against ridge regression on the features, all rows in memory."""
    X, y = data(300, classes)
    features = Features.of(kw.Gaussian(2.0), X[:30])
    coding = Coding(None if classes == 0 else np.arange(classes), fit_intercept)
    moments = RemoteMoments(*moments_of((X, y), (features, coding)))
    machine = solved(features, moments, 0.3)
    phi = kw.Gaussian(2.0)(X, features.landmarks) @ np.linalg.inv(features.factor).T
    Y = coding.columns(y)[:, :-1]
    center = np.eye(300) - (1.0 / 300 if fit_intercept else 0.0)
    w = np.linalg.solve(phi.T @ center @ phi + 0.3 * np.eye(30), phi.T @ center @ Y)
    bias = (Y - phi @ w).mean(axis=0) if fit_intercept else np.zeros(Y.shape[1])
    values = kw.Gaussian(2.0)(X, features.landmarks) @ machine.coefficients + machine.bias
    np.testing.assert_allclose(values, phi @ w + bias, atol=1e-8)


def test_sums_over_partitions_are_those_over_all_rows(cluster):
    X, y = data(2000)
    features, coding = Features.of(kw.Gaussian(2.0), X[:30]), Coding(np.arange(2), True)
    rows = RemoteRows(Cluster(cluster), *arrays(X, y))
    found = rows.moments(features, coding)
    for ours, theirs in zip(found, moments_of((X, y), (features, coding)), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0.0, atol=1e-12 * np.abs(theirs).max())
    assert rows.n == 2000
    np.testing.assert_array_equal(rows.labels, [0, 1])


@pytest.mark.parametrize("classes", [0, 2, 3])
def test_fits_and_predicts_lazily(cluster, classes, monkeypatch):
    monkeypatch.setattr(all_rows, "SAMPLE", 1500)
    monkeypatch.setattr(all_rows, "_RANKS", (100,))
    X, y = data(classes=classes)
    lazy_X, lazy_y = arrays(X, y)
    fitted = kw.KernelSelector().fit(lazy_X, lazy_y)
    assert "chosen on a sample of" in fitted.result_.notes["rows"]
    assert fitted.error_.method == "held-out rows"
    predicted = fitted.predict(lazy_X)
    assert isinstance(predicted, da.Array) and predicted.shape == (4000,)
    new, truth = data(classes=classes, seed=1)
    if classes == 0:
        np.testing.assert_allclose(predicted.compute(), fitted.predict(X), atol=1e-8)
    else:
        np.testing.assert_array_equal(predicted.compute(), fitted.predict(X))
    if classes == 0:
        assert np.mean((fitted.predict(new) - truth) ** 2) < 0.1 * truth.var()
        return
    error = np.mean(fitted.predict(new) != truth)
    assert error < 0.12 and abs(error - fitted.error_.value) < 0.06
    for method in (fitted.decision_function, fitted.predict_proba):
        ours = method(lazy_X)
        assert isinstance(ours, da.Array) and ours.shape == method(X).shape
        np.testing.assert_allclose(ours.compute(), method(X), atol=1e-8)


def test_a_folder_of_parquet(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr(all_rows, "SAMPLE", 1000)
    monkeypatch.setattr(all_rows, "_RANKS", (100,))
    X, y = data(3000)
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(label=np.array(["no", "yes"])[y])
    for i in range(5):
        frame.iloc[600 * i : 600 * (i + 1)].to_parquet(tmp_path / f"part-{i}.parquet")
    lazy = dd.read_parquet(tmp_path)
    features = lazy[["a", "b", "c"]]
    fitted = kw.KernelSelector().fit(features, lazy["label"])
    assert list(fitted.feature_names_in_) == ["a", "b", "c"]
    predicted = fitted.predict(features)
    assert isinstance(predicted, dd.Series)
    assert np.mean(predicted.compute().to_numpy() != frame["label"].to_numpy()) < 0.1
    proba = fitted.predict_proba(features).compute()
    np.testing.assert_allclose(proba, fitted.predict_proba(frame[["a", "b", "c"]]), atol=1e-8)


@pytest.mark.parametrize(
    "change, sentence",
    [
        (lambda X, y: (X, y[:2000]), "X has 3000 rows and y has 2000: give one for each"),
        (lambda X, y: (X * np.nan, y), "X contains NaN or infinity: fill or drop those rows"),
        (lambda X, y: (X * 1e200, y), "X"),
    ],
)
def test_bad_rows_are_refused(cluster, change, sentence):
    with pytest.raises(ValueError, match=sentence):
        kw.KernelSelector().fit(*change(*arrays(*data(3000))))


@pytest.mark.parametrize(
    "given, params, sentence",
    [
        ({"class_weight": "balanced"}, {}, "do not go with class_weight: leave it out"),
        ({"estimator": kw.LSSVC(class_weight="balanced")}, {}, "do not go with class_weight"),
        ({"estimator": SVC()}, {}, "fitted by LSSVC or KRR: leave estimator None"),
        ({"refit": False}, {}, "do not go with refit=False"),
        ({}, {"sample_weight": 1}, "do not go with fit parameters such as sample_weight"),
        ({"engine": "dense"}, {}, "do not go with engine='dense': leave it out"),
    ],
)
def test_what_sums_do_not_know_is_refused(given, params, sentence):
    with pytest.raises(ValueError, match=sentence):
        kw.KernelSelector(**given).fit(*arrays(*data(100)), **params)


def test_a_class_that_the_sample_lacks_is_refused(cluster, monkeypatch):
    monkeypatch.setattr(all_rows, "SAMPLE", 300)
    X, y = data(3000)
    y[0] = 7
    with pytest.raises(ValueError, match="the class 7, of which a sample of 300 rows says too"):
        kw.KernelSelector().fit(*arrays(X, y))


def test_memory_and_time_limit_the_landmarks(cluster):
    def rank(n, **given):
        return all_rows._rank_for(n, kw.KernelSelector(**given), Cluster(cluster))

    assert rank(10**5) == 1000
    assert rank(2 * 10**7) == 500
    assert rank(10**5, time=1) < 1000
    assert rank(10**5, memory="330MB") == 500


@pytest.mark.filterwarnings("ignore::kernelwise.selection.guards.KernelChoiceWarning")
def test_rare_classes_are_among_the_rows_held_out(cluster, monkeypatch):
    monkeypatch.setattr(all_rows, "_RANKS", (60,))
    X, y = data(1500)
    y[[100, 700, 1300]], X[[100, 700, 1300]] = 2, [9.0, 9.0, 9.0] + 0.1 * X[[100, 700, 1300]]
    find, found = all_rows._Fit._held_rows, []

    def held_rows(self):
        found.append((self, find(self)))
        return found[-1][1]

    monkeypatch.setattr(all_rows._Fit, "_held_rows", held_rows)
    fitted = kw.KernelSelector().fit(*arrays(X, y))
    [(fit, held)] = found
    np.testing.assert_array_equal(np.unique(fit._targets.labels[held]), [0, 1, 2])
    assert not np.isin(held, fit._landmarks).any()
    assert np.isfinite(fitted.balanced_error_.value)


def test_without_a_client_a_cluster_is_started_and_stopped(monkeypatch):
    def no_client():
        raise ValueError("No global client found")

    monkeypatch.setattr("distributed.get_client", no_client)
    monkeypatch.setattr("kernelwise.gram.cluster.processors", lambda: 1)
    with connected() as own:
        assert own.threads == 1 and own.memory > 1e8
        assert own.of_parts(pow, [2, 3, 4]) == [1, 3, 16]
    assert own._client.status == "closed"


@pytest.mark.filterwarnings("ignore::kernelwise.selection.guards.KernelChoiceWarning")
@pytest.mark.parametrize("classes", [0, 2])
def test_rows_that_all_repeat(cluster, classes):
    """Every row equals a landmark; rows are held out all the same."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (1500, 3)).astype(float)
    f = X[:, 0] * X[:, 1] + 0.5 * rng.normal(size=1500)
    fitted = kw.KernelSelector().fit(*arrays(X, f if classes == 0 else f > 1))
    assert 0.0 < fitted.error_.value < (f.var() if classes == 0 else 0.3)
