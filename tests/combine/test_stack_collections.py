"""Stacks of Dask collections: chosen on a sample, fitted to all rows, evaluated lazily."""

import numpy as np
import pytest

import kernelwise as kw
from inside import all_rows, load_model, save_model

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
pd = pytest.importorskip("pandas")

N, SAMPLE = 4000, 1500


def data(classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, 4))
    f = np.abs(X[:, 0]) + np.maximum(X[:, 1], 0.0) + 0.2 * rng.normal(size=N)
    return X, f if classes == 0 else np.digitize(f, np.linspace(1.0, 2.0, classes - 1))


def arrays(X, y, rows=700):
    return da.from_array(X, chunks=(rows, 2)), da.from_array(y, chunks=rows)


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(all_rows, "SAMPLE", SAMPLE)
    monkeypatch.setattr(all_rows, "_RANKS", (100,))


@pytest.fixture(scope="module", params=[0, 2, 3])
def chosen(request, cluster):
    """A stack fitted to collections, and for how many classes; 0 for regression."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(all_rows, "SAMPLE", SAMPLE)
        patch.setattr(all_rows, "_RANKS", (100,))
        return kw.KernelStack().fit(*arrays(*data(request.param))), request.param


def test_members_are_those_of_all_rows(chosen):
    """Every member is the machine of the same kernel that a selector fits to the collection."""
    fitted, classes = chosen
    X, y = data(classes)
    lazy = arrays(X, y)
    assert list(fitted.members_) == ["gaussian", "laplacian", "relevant_laplacian", "linear"]
    assert fitted.error_.method == fitted.single_error_.method == "held-out rows"
    assert fitted.weights_.sum() == pytest.approx(1.0) and fitted.weights_.min() >= 0.0
    values = fitted.loo_values_.reshape(len(fitted.loo_values_), -1)
    assert abs(len(values) - SAMPLE) <= 6  # the sample has a share of every partition
    assert np.isfinite(values).all(axis=1).sum() == len(values) // all_rows._HELD_SHARE
    for member in fitted.members_.values():
        assert "fitted to all of them with 100" in member.result_.notes["rows"]
        alone = kw.KernelSelector(kernels=member.best_kernel_).fit(*lazy)
        assert alone.best_ridge_ == pytest.approx(member.best_ridge_, rel=1e-9)
        ask = "predict" if classes == 0 else "decision_function"
        ours, theirs = getattr(member, ask)(X), getattr(alone, ask)(X)
        np.testing.assert_allclose(ours, theirs, atol=1e-6 * np.abs(theirs).max())


def test_predicts_lazily_and_well(chosen):
    fitted, classes = chosen
    X, y = data(classes)
    lazy = arrays(X, y)
    predicted = fitted.predict(lazy[0])
    assert isinstance(predicted, da.Array) and predicted.shape == (N,)
    new, truth = data(classes, seed=1)
    if classes == 0:
        np.testing.assert_allclose(predicted.compute(), fitted.predict(X), atol=1e-8)
        rest = np.sqrt(np.mean((fitted.predict(new) - truth) ** 2))
        assert rest == pytest.approx(fitted.error_.value, rel=0.25)
        return
    np.testing.assert_array_equal(predicted.compute(), fitted.predict(X))
    assert np.mean(fitted.predict(new) != truth) == pytest.approx(fitted.error_.value, abs=0.08)
    for method in (fitted.decision_function, fitted.predict_proba):
        ours = method(lazy[0])
        assert isinstance(ours, da.Array) and ours.shape == method(X).shape
        np.testing.assert_allclose(ours.compute(), method(X), atol=1e-8)


def test_frames_and_files(cluster, tmp_path):
    X, y = data()
    frame = pd.DataFrame(X, columns=list("abcd")).assign(label=np.array(["no", "yes"])[y])
    lazy = dd.from_pandas(frame, npartitions=3)
    features = lazy[list("abcd")]
    fitted = kw.KernelStack().fit(features, lazy["label"])
    assert list(fitted.feature_names_in_) == list("abcd")
    predicted = fitted.predict(features)
    assert isinstance(predicted, dd.Series)
    here = fitted.predict(frame[list("abcd")])
    np.testing.assert_array_equal(predicted.compute().to_numpy(), here)
    save_model(fitted, tmp_path / "stack.skops")
    np.testing.assert_array_equal(
        load_model(tmp_path / "stack.skops").predict(frame[list("abcd")]), here
    )


@pytest.mark.parametrize(
    "given, params, sentence",
    [
        ({"class_weight": "balanced"}, {}, "do not go with class_weight: leave it out"),
        ({}, {"sample_weight": 1}, "do not go with fit parameters such as sample_weight"),
        ({"engine": "dense"}, {}, "do not go with engine='dense': leave it out"),
    ],
)
def test_what_sums_do_not_know_is_refused(given, params, sentence):
    with pytest.raises(ValueError, match=sentence):
        kw.KernelStack(**given).fit(*arrays(*data()), **params)


def test_members_share_the_time(cluster, monkeypatch):
    asked = []
    rank_for = all_rows._rank_for

    def noted(rows, *given):
        asked.append(rows)
        return rank_for(rows, *given)

    monkeypatch.setattr(all_rows, "_rank_for", noted)
    kw.KernelStack(recipe="Gl").fit(*arrays(*data()))
    assert asked == [2 * N]
