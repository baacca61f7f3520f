"""The reconstruction of EP: eigenvalues of an integral operator, and columns added to a table."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

import kernelwise as kw
from inside import Dense, Evidence, Targets
from kernelwise import criteria as c
from kernelwise_papers import publications
from kernelwise_papers.experiment import Job
from kernelwise_papers.papers.er import EP_OURS
from kernelwise_papers.papers.tables import TABLES
from kernelwise_papers.tables import run as tables_run
from kernelwise_papers.tables.eigenvalue_gap import EP, ROWS, operator_eigenvalues
from kernelwise_papers.tables.run import TableRun, split_lines


def along_an_axis(v, tau, count):
    a, b = 1 / (4 * v), 1 / (2 * tau)
    A = a + b + np.sqrt(a**2 + 2 * a * b)
    return np.sqrt(2 * a / A) * (b / A) ** np.arange(count)


@pytest.mark.parametrize("variances", [[1.0], [0.3, 2.0], [1.0, 1.0, 0.2]])
@pytest.mark.parametrize("tau", [0.05, 1.0, 30.0])
def test_products_of_the_axes_in_order(variances, tau):
    axes = [along_an_axis(v, tau, 40) for v in variances]
    products = sorted((np.prod(each) for each in itertools.product(*axes)), reverse=True)
    found = operator_eigenvalues(np.array(variances), tau, 30)
    np.testing.assert_allclose(found, products[:30], rtol=1e-10)


@pytest.mark.parametrize("tau", [0.5, 4.0])
def test_they_are_those_of_the_operator(tau):
    """By quadrature: the eigenvalues of sqrt(w_i) k(x_i, x_j) sqrt(w_j)."""
    x, w = np.polynomial.hermite_e.hermegauss(120)
    w = w / w.sum()
    v = 1.7
    K = np.exp(-v * (x[:, None] - x) ** 2 / (2 * tau))
    s = np.linalg.eigvalsh(np.sqrt(w)[:, None] * K * np.sqrt(w))[::-1]
    np.testing.assert_allclose(operator_eigenvalues(np.array([v]), tau, 12), s[:12], atol=1e-10)


def test_they_sum_to_the_trace():
    found = operator_eigenvalues(np.array([0.4, 1.3]), 2.0, 3000)
    assert found.sum() == pytest.approx(1.0, abs=1e-9) and np.all(np.diff(found) <= 0)


def test_rows_that_are_all_alike():
    np.testing.assert_array_equal(operator_eigenvalues(np.zeros(3), 1.0, 4), [1, 0, 0, 0])


def evidence(X, y, kernel):
    targets = Targets.of(y)
    [gram] = Dense().grams([kernel], X, targets)
    found = Evidence(gram, targets, kernel)
    found.shared[ROWS] = X
    return found


def test_the_value_is_the_definition(two_blobs):
    X, y = two_blobs
    kernel = kw.Gaussian(2.0)
    s = np.sort(np.linalg.eigvalsh(kernel(X)))[::-1] / len(y)
    variances = np.linalg.eigvalsh(np.cov(X.T))
    gap = np.abs(s - operator_eigenvalues(variances, 2.0, len(y))).sum()
    machine = kw.LSSVC(kernel, 1.0).fit(X, y)
    loss = np.mean((np.where(y == 1, 1, -1) - machine.decision_function(X)) ** 2)
    found = EP(64.0).value(evidence(X, y, kernel), 1.0)
    assert found == pytest.approx(loss + 64.0 / len(y) * gap, rel=1e-8)


def test_many_rows_come_close_to_the_operator(rng):
    X = rng.normal(size=(900, 1))
    gaps = []
    for n in (60, 900):
        found = evidence(X[:n], X[:n, 0] > 0, kw.Gaussian(1.0))
        gaps.append(n / 1e6 * (EP(1e6).value(found, 1.0) - EP(1e-9).value(found, 1.0)))
    assert gaps[1] < 0.5 * gaps[0]


def test_where_it_is_undefined(two_blobs):
    X, y = two_blobs
    with pytest.raises(c.Undefined, match="takes the rows themselves and a Gaussian kernel"):
        EP().value(evidence(X, y, kw.Linear()), 1.0)
    with pytest.raises(ValueError, match="'delta' parameter of EP"):
        EP(-1.0)


@pytest.fixture
def run(folder):
    kernels = sorted(kw.grids.gaussian(-1, 3), key=lambda k: k.roughness)
    return TableRun(replace(TABLES["er-table1"], kernels=kernels))


def test_its_column_stands_over_the_published_one_and_says_what_it_is(run):
    place = {"dataset": "heart", "repetition": "0"}
    lines = [place | as_text(line) for line in run.work(Job("er-table1", "heart", 0))]
    assert {line["lambda"] for line in lines} == {"0.01", "0.1", "1.0", "10.0"}
    page = run.page(lines)
    assert f"| EP | {EP_OURS} |" in page and "is reconstructed, not reproduced" in page
    [head] = [line for line in page.split("\n") if line.startswith("| set | lambda |")]
    [row] = [line for line in page.split("\n") if line.startswith("| heart | 0.01 |")]
    cell = dict(zip(head.split("|"), row.split("|"), strict=True))[f" {EP_OURS} "]
    [known] = [
        each
        for each in publications.load("er2015_table1")
        if (each.dataset, each.lam, each.criterion) == ("heart", 0.01, "EP")
    ]
    assert f"<br>{known.value:g} ± {known.spread:g}" in cell


def test_a_column_that_a_table_gains_is_added_to_finished_lines(run, monkeypatch):
    """On the same split: what it finds is what it would have found at first."""
    job = Job("er-table1", "heart", 0)
    whole = [{"dataset": "heart", "repetition": "0"} | as_text(line) for line in run.work(job)]
    new = (EP_OURS, f"{EP_OURS} kernel", "FSM", "FSM kernel")
    before = [{n: v for n, v in line.items() if n not in new} for line in whole]
    before[1]["FSM"] = before[1]["FSM kernel"] = ""  # as where another job had it first
    assert run.lacks(before) and not run.lacks(whole)
    asked = []
    monkeypatch.setattr(
        tables_run,
        "split_lines",
        lambda table, job: asked.append(list(table.columns)) or split_lines(table, job),
    )
    assert [as_text(line) for line in run.complete(job, before)] == whole
    assert asked == [["FSM", EP_OURS]]
    page = run.page(before)  # as long as it is not there, the page does without it
    assert f"| EP | {EP_OURS} |" not in page


def as_text(line):
    return {name: str(value) for name, value in line.items()}
