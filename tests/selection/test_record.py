"""Results and records as plain data."""

import json

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import KFold

import kernelwise as kw
from inside import ErrorEstimate, Record, SelectionResult, kernel_from_dict, kernel_to_dict
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
def test_kernels_come_back(kernel):
    assert kernel_from_dict(json.loads(json.dumps(kernel_to_dict(kernel)))) == kernel


def test_a_result_comes_back(scored):
    again = SelectionResult.from_json(scored.to_json())
    assert again.kernels == scored.kernels and again.notes == scored.notes
    assert again.engine == scored.engine and again.seconds == scored.seconds
    for name, values in scored.table.items():
        np.testing.assert_array_equal(again.table[name], values)
        np.testing.assert_array_equal(again.standard_errors[name], scored.standard_errors[name])
    assert again.criteria["eloo"] == scored.criteria["eloo"]
    assert again.best("sm") == scored.best("sm")
    assert again.to_json() == scored.to_json()


def test_a_splitter_is_left_out():
    X, y = load_iris(return_X_y=True)
    given = kw.score_kernels(X, y, kw.Linear(), c.KFold(4, cv=KFold(3, shuffle=True)))
    again = SelectionResult.from_json(given.to_json())
    assert again.criteria["kfold"] == c.KFold(4)


def test_infinite_and_undefined_values_come_back():
    table = {"fsm": np.array([np.inf, np.nan, -np.inf, 0.1])}
    kernels = tuple(kw.grids.gaussian(0, 3))
    result = SelectionResult(
        kernels, np.full(4, np.nan), {"fsm": c.FSM()}, table, {}, "dense", "", 0.1
    )
    json.loads(result.to_json(), parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    again = SelectionResult.from_json(result.to_json())
    np.testing.assert_array_equal(again.table["fsm"], table["fsm"])
    np.testing.assert_array_equal(again.ridges, result.ridges)


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


def test_a_record_comes_back(scored):
    first = record(scored)
    again = Record.from_json(first.to_json())
    assert again.to_json() == first.to_json()
    assert again.kernel == first.kernel and again.error.value == 0.04
    assert np.isnan(again.error.standard_error) and again.nested is None
    assert again.comparison.best("sm") == scored.best("sm")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "null",
        '{"format": "other/1"}',
        '{"format": "kernelwise-record/1"}',
        '{"format": "kernelwise-record/1", "kernel": {"kernel": "Evil"}}',
    ],
)
def test_what_is_no_record_is_refused_in_one_sentence(text):
    with pytest.raises(ValueError, match="this is no record of a selection") as caught:
        Record.from_json(text)
    assert "\n" not in str(caught.value)


def test_damaged_records_are_refused(scored):
    plain = json.loads(record(scored).to_json())
    plain["result"]["table"]["sm"].pop()
    with pytest.raises(ValueError, match="a value for every kernel"):
        Record.from_json(json.dumps(plain))
    plain = json.loads(record(scored).to_json())
    plain["warnings"] = [1]
    with pytest.raises(ValueError, match="warnings is no text but 1"):
        Record.from_json(json.dumps(plain))
    with pytest.raises(ValueError, match="this is no result of kernelwise"):
        SelectionResult.from_json("{}")


def test_unknown_kernels_are_refused(scored):
    text = record(scored).to_json().replace('"Gaussian"', '"Gaussiam"')
    with pytest.raises(ValueError, match="unknown kernel 'Gaussiam': did you mean 'Gaussian'"):
        Record.from_json(text)
