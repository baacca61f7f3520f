"""Which rows go wrong when they are left out, against refits; and records that carry it."""

import json
import math

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.svm import SVC

import kernelwise as kw
from inside import Record, Targets, confusion, residuals


def refitted(machine, X, y):
    return cross_val_predict(clone(machine), X, y, cv=LeaveOneOut())


@pytest.mark.parametrize("classes", [2, 3])
def test_confusion_is_that_of_refits(classes, rng):
    X = rng.normal(size=(60, 3))
    y = np.array(["a", "b", "c"])[np.digitize(X[:, 0] + rng.normal(size=60), [0.0, 0.7])]
    y = np.where(y == "c", "a", y) if classes == 2 else y
    machine = kw.LSSVC(kw.Gaussian(4.0), ridge=0.5).fit(X, y)
    found = confusion(machine, Targets.of(y))
    labels = sorted(set(y))
    expected = confusion_matrix(y, refitted(machine, X, y), labels=labels)
    assert found.counts == dict(zip(labels, expected.sum(axis=1).tolist(), strict=True))
    cells = {(m.label, m.predicted): m.rows for m in found.mistakes}
    for i, label in enumerate(labels):
        assert found.wrong[label] == expected[i].sum() - expected[i, i]
        for j, other in enumerate(labels):
            if i != j:
                assert cells.get((label, other), 0) == expected[i, j]
    rows = [mistake.rows for mistake in found.mistakes]
    assert rows == sorted(rows, reverse=True) and len(rows) > 0
    assert residuals(machine, Targets.of(y)) is None


def test_residuals_are_those_of_refits(rng):
    X = rng.normal(size=(83, 2))
    y = X[:, 0] ** 2 + 0.3 * rng.normal(size=83)
    machine = kw.KRR(kw.Gaussian(2.0), ridge=0.1, fit_intercept=True).fit(X, y)
    found, targets = residuals(machine, Targets.of(y)), Targets.of(y)
    predicted = refitted(machine, X, y)
    off = y - predicted
    assert sum(found.counts) == 83 and found.edges[0] == pytest.approx(off.min())
    assert np.histogram(off, found.edges)[0].sum() >= 82  # an edge is one up to rounding
    assert found.median == pytest.approx(np.median(np.abs(off)))
    assert found.ninety == pytest.approx(np.quantile(np.abs(off), 0.9))
    assert sum(level.rows for level in found.levels) == 83
    lowest = np.argsort(predicted)[: found.levels[0].rows]
    assert found.levels[0].bias == pytest.approx(off[lowest].mean())
    assert found.levels[0].error == pytest.approx(math.sqrt(np.mean(off[lowest] ** 2)))
    assert confusion(machine, targets) is None


def test_a_machine_that_does_not_know():
    X, y = np.arange(12.0)[:, None], np.arange(12) % 2
    assert confusion(SVC().fit(X, y), Targets.of(y)) is None
    assert residuals(SVC().fit(X, y), Targets.of(y)) is None


@pytest.fixture(scope="module")
def records():
    """A record with classes, and one with a real target."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 2))
    found = []
    for y in ((X[:, 0] + rng.normal(size=50) > 0).astype(int), X[:, 0] + rng.normal(size=50)):
        selector = kw.KernelSelector().fit(X, y)
        machine, targets = selector.best_estimator_, Targets.of(y)
        found.append(
            Record(
                kernel=selector.best_kernel_,
                ridge=selector.best_ridge_,
                machine=type(machine).__name__,
                task="regression" if targets.classes is None else "classification",
                result=selector.result_,
                confusion=confusion(machine, targets),
                residuals=residuals(machine, targets),
            )
        )
    return found


def test_records_hold_them(records):
    classes, real = (json.loads(record.to_json()) for record in records)
    assert classes["confusion"]["counts"] == records[0].confusion.counts
    assert classes["residuals"] is None and real["confusion"] is None
    assert real["residuals"]["counts"] == list(records[1].residuals.counts)
