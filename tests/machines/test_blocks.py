"""Predictions for many rows hold a few of them at a time."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

import kernelwise as kw
from helpers import close
from inside import blocks, limited

KERNELS = [
    kw.Gaussian(2.0),
    kw.Laplacian(1.0),
    kw.Linear() + kw.Polynomial(2),
    kw.Scaled([2.0, 0.5, 1.0], kw.Matern(1.0)),
    lambda X, Z: X @ Z.T + 1.0,
]


def machines(kernel, rows=60):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 3))
    return [
        kw.KRR(kernel, 0.5).fit(X, rng.normal(size=rows)),
        kw.KRR(kernel, 0.5).fit(X, rng.normal(size=(rows, 2))),
        kw.LSSVC(kernel, 0.5).fit(X, rng.integers(0, 3, rows)),
    ]


def said(machine, Z):
    """Return all that a machine says of rows, with intervals and sets."""
    if isinstance(machine, kw.KRR):
        return machine.predict(Z), *machine.predict_interval(Z, 0.8)
    sets = machine.predict_set(Z, 0.8)
    return machine.decision_function(Z), machine.predict_proba(Z), sets


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("jobs", [1, 3])
def test_blocks_say_the_same(monkeypatch, kernel, jobs):
    Z = np.random.default_rng(1).normal(size=(101, 3))
    for machine in machines(kernel):
        for rows in (Z,) if kernel is KERNELS[-1] else (Z, sp.csr_matrix(Z)):
            whole = said(machine, rows)
            with monkeypatch.context() as patch, limited(jobs):
                patch.setattr(blocks, "_ENTRIES", 100)
                parts = said(machine, rows)
            for part, of_all in zip(parts, whole, strict=True):
                close(part, of_all)


def test_a_given_matrix_in_blocks(monkeypatch):
    rng = np.random.default_rng(0)
    X, Z = rng.normal(size=(30, 2)), rng.normal(size=(50, 2))
    kernel = kw.Gaussian(1.0)
    machine = kw.KRR(kw.Precomputed(), 0.5).fit(kernel(X), X[:, 0])
    whole = machine.predict(kernel(Z, X))
    monkeypatch.setattr(blocks, "_ENTRIES", 100)
    close(machine.predict(kernel(Z, X)), whole)


@pytest.mark.parametrize("kernel", KERNELS[:1])
def test_memory_does_not_grow_with_the_rows(kernel):
    """The whole matrix would take 160 MB, and its distances as much again."""
    Z = np.random.default_rng(1).normal(size=(100_000, 3))
    for machine in machines(kernel, rows=200):
        tracemalloc.start()
        said(machine, Z)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 8e7
