"""A report says which of its numbers are estimates."""

from dataclasses import replace

import numpy as np

import kernelwise as kw
from inside import Code, Diagnostic, Record, render, summarize


def test_estimates_are_told_beside_the_engine():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    selector = kw.KernelSelector().fit(X, X[:, 0] > 0.0)
    said = Diagnostic("estimated on 500 rows held out, with 1000 landmarks", Code.ESTIMATED)
    result = replace(selector.result_, notes={"eloo: estimated": said})
    record = Record(
        kernel=selector.best_kernel_,
        ridge=selector.best_ridge_,
        machine="LSSVC",
        task="classification",
        result=result,
    )
    summary = summarize(record)
    assert summary["why"]["estimates"] == [said]
    assert summary["notes"] == []
    assert "Estimated on 500 rows held out, with 1000 landmarks." in render(summary)
