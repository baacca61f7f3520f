"""Results and records as plain data."""

import json

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import KFold

import kernelwise as kw
from inside import ErrorEstimate, Record, SelectionResult, kernel_to_dict
from kernelwise import criteria as c

KERNELS = [
    kw.Gaussian(0.1),
    kw.Matern(2.0, 2.5),
    kw.Polynomial(3, 0.5, 2.0),
    kw.Linear(),
    kw.Laplacian(1.5),
    0.5 * kw.Gaussian(4.0) + kw.Linear() * (kw.Laplacian(3.0) + kw.Gaussian(1.0)),
]


@pytest.fixture
def scored():
    X, y = load_iris(return_X_y=True)
    names = ["sm", "ckta", "fsm", "ks", c.ELOO("error"), "kfold"]
    return kw.score_kernels(X, y, KERNELS, names, ridge=[0.1, 1.0])


@pytest.mark.parametrize("kernel", [*KERNELS, kw.Sigmoid(0.5, 1.0), kw.Precomputed()], ids=str)
def test_kernels_are_told_apart(kernel):
    plain = kernel_to_dict(kernel)
    assert plain["kernel"] == type(kernel).__name__
    assert json.loads(json.dumps(plain)) == plain
    others = [other for other in KERNELS if other != kernel]
    assert plain not in list(map(kernel_to_dict, others))


def test_a_result_as_json(scored):
    plain = json.loads(scored.to_json())
    assert plain["kernels"] == [kernel_to_dict(kernel) for kernel in scored.kernels]
    assert plain["notes"] == scored.notes and plain["engine"] == scored.engine
    for name, values in scored.table.items():
        np.testing.assert_array_equal(np.array(plain["table"][name], dtype=float), values)
        errors = np.array(plain["standard_errors"][name], dtype=float)
        np.testing.assert_array_equal(errors, scored.standard_errors[name])
    assert plain["criteria"]["eloo"] == {"criterion": "eloo", "loss": "error"}


def test_a_splitter_is_left_out():
    X, y = load_iris(return_X_y=True)
    given = kw.score_kernels(X, y, kw.Linear(), c.KFold(4, cv=KFold(3, shuffle=True)))
    assert "cv" not in json.loads(given.to_json())["criteria"]["kfold"]


def test_infinite_and_undefined_values():
    table = {"fsm": np.array([np.inf, np.nan, -np.inf, 0.1])}
    kernels = tuple(kw.grids.gaussian(0, 3))
    result = SelectionResult(
        kernels, np.full(4, np.nan), {"fsm": c.FSM()}, table, {}, "dense", "", 0.1
    )
    plain = json.loads(
        result.to_json(), parse_constant=lambda name: pytest.fail(f"{name} is no JSON")
    )
    assert plain["table"]["fsm"] == ["inf", None, "-inf", 0.1]
    assert plain["ridges"] == [None] * 4


def test_infinite_values_are_ranked():
    kernels = tuple(kw.grids.gaussian(0, 2))
    table = {"br": np.array([-np.inf, 1.0, -np.inf])}
    result = SelectionResult(kernels, np.ones(3), {"br": c.BR()}, table, {}, "dense", "", 0.1)
    assert result.ranking("br") == [2, 0, 1]


def test_an_unknown_spread_is_not_shown():
    assert "nan" not in str(ErrorEstimate("error rate", 0.1, np.nan, "x", 0.5))
    assert "nan" not in str(ErrorEstimate("root mean squared error", 0.1, np.nan, "x", 0.5))


def test_a_selection_keeps_its_standard_errors():
    X, y = load_iris(return_X_y=True)
    errors = kw.KernelSelector().fit(X, y).result_.standard_errors
    assert np.isfinite(errors["eloo"]).sum() == 5 and np.isnan(errors["sm"]).all()


def test_ranks_and_agreement(scored):
    ranks = scored.ranks("sm")
    assert ranks[scored.best_index("sm")] == 1.0 and sorted(ranks) == list(range(1, 13))
    names, matrix = scored.agreement()
    assert "ks" not in names and matrix.shape == (len(names), len(names))
    np.testing.assert_allclose(np.diag(matrix), 1.0)
    np.testing.assert_allclose(matrix, matrix.T)
    i, j = names.index("sm"), names.index("ckta")
    expected = np.corrcoef(scored.ranks("sm"), scored.ranks("ckta"))[0, 1]
    np.testing.assert_allclose(matrix[i, j], expected)


def test_frame_with_ranks(scored):
    frame = scored.frame(ranks=True)
    assert frame.loc[frame["sm rank"] == 1, "kernel"].tolist() == [str(scored.best("sm"))]
    assert "ks rank" not in frame and "sm rank" not in scored.frame()


def test_notebooks_show_a_table(scored):
    html = scored._repr_html_()
    assert html.count("<tr>") == 13 and "<b>" in html and "Gaussian(tau=0.1)" in html
    strange = SelectionResult(
        (kw.Linear(),), np.array([1.0]), {"<i>": c.SM()}, {"<i>": np.array([1.0])}, {}, "<x>", "", 0
    )
    assert "<i>" not in strange._repr_html_() and "<x>" not in strange._repr_html_()


def test_stages_tell_their_time():
    X, y = load_iris(return_X_y=True)
    result = kw.KernelSelector().fit(X, y).result_
    assert set(result.timings) == {"sm", "eloo"}
    assert sum(result.timings.values()) == pytest.approx(result.seconds)


def record(scored):
    return Record(
        kernel=KERNELS[5],
        ridge=0.1,
        machine="LSSVC",
        task="classification",
        result=scored,
        comparison=scored,
        error=ErrorEstimate("error rate", 0.04, np.nan, "leave-one-out", 2 / 3),
        warnings=("look twice",),
        data={"rows": 150, "classes": {"a": 50}},
        seconds=0.25,
        model="model.skops",
        version="1.0",
    )


def test_a_record_as_json(scored):
    plain = json.loads(record(scored).to_json())
    assert plain["error"]["value"] == 0.04 and plain["error"]["standard_error"] is None
    assert plain["nested"] is None
    assert plain["comparison"] == scored.to_dict() | {"seconds": scored.seconds}
