"""Kernels on transformed features in reports and figures: a curve by width for each transform."""

import numpy as np

import kernelwise as kw
from inside import KernelAxis, Record, render, summarize

INNER = [kw.Laplacian(2.0**i) for i in range(4)]
WEIGHTS = [1.0, 2.0, 0.5]


def grid():
    return [*INNER, *(kw.Scaled(WEIGHTS, k) for k in INNER), *(kw.Columns([0], k) for k in INNER)]


def test_a_report_draws_a_curve_for_every_transform():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    summary = summarize(Record.of(kw.KernelSelector(kernels=grid()).fit(X, y), y))
    candidates = summary["tables"][0]["candidates"]
    assert {c["axis"] for c in candidates} == {"width"}
    assert [c["x"] for c in candidates] == 3 * [0.0, 1.0, 2.0, 3.0]
    families = list(dict.fromkeys(c["family"] for c in candidates))
    assert families == ["Laplacian", f"Laplacian, scaled {WEIGHTS}", "Laplacian, columns [0]"]
    assert "Scaled" in render(summary)


def test_a_figure_has_one_axis_for_all_transforms():
    axis = KernelAxis.of(grid())
    assert axis.parameter == "scale" and axis.label == "scale of Laplacian"
    assert axis.positions == tuple(np.repeat([1.0, 2.0, 4.0, 8.0], 3))
    assert set(axis.lines()) == {
        "Laplacian",
        f"Laplacian(Scaled {WEIGHTS})",
        "Laplacian(Columns [0])",
    }
