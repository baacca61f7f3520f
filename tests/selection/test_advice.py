"""What a refusal advises is not refused."""

import pickle
import re
from dataclasses import replace

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge
from sklearn.svm import SVC

import kernelwise as kw
from inside import (
    Dense,
    DoesNotFit,
    LowRank,
    NotProvided,
    Tiled,
    landmark_search,
    limited,
    problem,
    screen,
)

pytestmark = [
    pytest.mark.filterwarnings("ignore::kernelwise.selection.guards.KernelChoiceWarning"),
    pytest.mark.filterwarnings("ignore:undefined:UserWarning"),
    pytest.mark.filterwarnings("ignore:Sigmoid:UserWarning"),
]

BALANCED = "give class_weight='balanced' to KernelSelector, not to LSSVC"
COST = "set criteria to those of cost n^2, such as 'sm'"


@pytest.fixture(autouse=True)
def fewer_are_many(few_are_many, monkeypatch):
    """Let 100 landmarks be many too."""
    monkeypatch.setattr(landmark_search, "MOST_LANDMARKS", 80)
    monkeypatch.setattr(screen, "_ROWS", 150)
    monkeypatch.setattr(problem, "LowRank", lambda memory: LowRank(100, memory=memory))


def data(n, estimator=None):
    X = np.random.default_rng(0).normal(size=(n, 2))
    y = X[:, 0] + X[:, 1] ** 2
    return X, y if isinstance(estimator, KernelRidge) else y > 1.0


def refused(monkeypatch, call):
    """Return the pieces of advice of a call that is refused before any work."""
    with monkeypatch.context() as patch, pytest.raises((MemoryError, ValueError)) as error:
        for engine in (Dense, Tiled, LowRank):
            patch.setattr(engine, "grams", lambda *args: pytest.fail("work was begun"))
        call()
    sentence = str(error.value)
    assert sentence.count(": ") == 1 and sentence.endswith(".") and "\n" not in sentence
    return sentence[:-1].split(": ")[1].split(", or ")


def literally(way):
    """Return the settings that a piece of advice names."""
    found = {}
    for part in way.split(" and "):
        if part == BALANCED:
            found |= {"estimator": kw.LSSVC(), "class_weight": "balanced"}
        elif part == COST:
            found |= {"criteria": "sm"}
        else:
            assert re.match(r"set \w+=", part), part
            found |= eval(f"dict({part[4:]})", {"LowRank": LowRank})
    return found


# In memory 600 rows take 14.4 MB and 250 rows 2.5 MB; at rank 100 they take 1.23 MB and 0.84 MB.
REFUSED = [
    ({"engine": "tiled", "memory": "10MB", "criterion": "sm", "ridge": 1.0}, 600),
    ({"engine": Tiled(memory="10MB")}, 600),
    ({"memory": "0.5MB"}, 600),
    ({"estimator": kw.LSSVC(class_weight="balanced"), "memory": "10MB"}, 600),
    ({"estimator": KernelRidge(), "memory": "10MB", "engine": "tiled"}, 600),
    ({"estimator": SVC(), "memory": "10MB", "kernels": "laplacian"}, 600),
    ({"estimator": SVC(), "engine": LowRank(50)}, 600),
    ({"criterion": "span", "engine": LowRank(50)}, 600),
]


@pytest.mark.parametrize(("settings", "rows"), REFUSED)
def test_advice_to_a_selector_works(monkeypatch, settings, rows):
    X, y = data(rows, settings.get("estimator"))
    with limited(1):  # every thread has a matrix of its own
        ways = refused(monkeypatch, lambda: kw.KernelSelector(**settings).fit(X, y))
        assert "memory" not in settings or ways[-1].startswith("set memory=")
        for way in ways:
            selector = kw.KernelSelector(**settings | literally(way)).fit(X, y)
            assert not selector.refit or selector.score(X, y) > 0.6


@pytest.mark.parametrize(
    "settings",
    [
        {"engine": "tiled", "memory": "10MB"},
        {"criteria": "span", "engine": LowRank(50)},
        {"criteria": "sm", "engine": "dense", "memory": "10MB"},
    ],
)
def test_advice_to_scores_works(monkeypatch, settings):
    X, y = data(600)
    given = {"criteria": "eloo", **settings}
    kernels = kw.grids.gaussian(-1, 1)
    with limited(1):
        for way in refused(monkeypatch, lambda: kw.score_kernels(X, y, kernels, **given)):
            result = kw.score_kernels(X, y, kernels, **given | literally(way))
            assert np.isfinite([*result.table.values()]).all()


@pytest.mark.parametrize("engine", [Dense("10MB"), LowRank(300, memory="1MB")])
def test_advice_of_an_engine_works(engine):
    X, y = data(600)

    def first(engine, rows=600):
        return next(engine.grams([kw.Gaussian(1.0)], X[:rows], kw.gram.Targets.of(y[:rows])))

    with limited(1):
        with pytest.raises(MemoryError) as error:
            first(engine)
        less, memory = str(error.value)[:-1].split(": ")[1].split(", or ")
        assert first(replace(engine, **literally(memory)))
        if found := re.fullmatch(r"use at most (\d+) rows", less):
            assert first(engine, int(found[1]))
            with pytest.raises(MemoryError):
                first(engine, int(found[1]) + 1)
        else:
            assert first(replace(engine, **literally(less)))


def test_refusals_reach_other_processes():
    for refusal in (DoesNotFit("7 rows", 2e9, 1e6), NotProvided("span needs its entries")):
        again = pickle.loads(pickle.dumps(refusal))
        assert isinstance(refusal, type(again)) and str(again) == str(refusal)
