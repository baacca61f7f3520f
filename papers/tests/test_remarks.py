"""Remarks: the moves of eigenvalues, the lines of a job, and verdicts by the stated rules."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

import kernelwise as kw
from inside import Targets
from kernelwise import criteria as c
from kernelwise_papers import datasets
from kernelwise_papers.catalog import EXPERIMENTS
from kernelwise_papers.criteria import sps_exact
from kernelwise_papers.experiment import Job
from kernelwise_papers.papers.remarks.experiment import _FIELDS
from kernelwise_papers.papers.remarks.hinge import (
    FORMS,
    HINGE,
    HINGES,
    POWER,
    SM_TABLE,
    form_lines,
)
from kernelwise_papers.papers.remarks.moves import (
    SPS_TABLE,
    curves_of,
    exact_moves,
    first_order_moves,
    move_lines,
    sums,
)
from kernelwise_papers.papers.remarks.parts import verdict
from kernelwise_papers.tables.split import draw, pick

EXPERIMENT = EXPERIMENTS["remarks"]


@pytest.fixture
def folder(data_folder):
    """A folder with one small set."""
    X, y = load_breast_cancer(return_X_y=True)
    return data_folder({"heart": (X[:60, :5], y[:60])})


@pytest.fixture
def K(two_blobs):
    return kw.Gaussian(4.0)(two_blobs[0])


def as_text(lines, **place):
    return [{k: str(v) for k, v in (place | line).items()} for line in lines]


class TestMoves:
    def test_exact_moves_sum_to_the_trace(self, K, two_blobs):
        moves = exact_moves(K)
        assert moves.min() > -1e-12
        np.testing.assert_allclose(moves.sum(axis=1), np.diag(K))
        n, y = len(K), two_blobs[1]
        loss = sps_exact(K, y, 1.0, delta=1.0) - sps_exact(K, y, 1.0, delta=2.0)
        assert -loss == pytest.approx(np.abs(moves).sum() / n**2)

    def test_first_order_moves_are_derivatives(self, K):
        moves = first_order_moves(K)
        i, step = 5, 1e-5
        C = np.zeros_like(K)
        C[i], C[:, i] = K[i], K[:, i]
        up, down = (np.linalg.eigvalsh(K + sign * step * C) for sign in (1, -1))
        np.testing.assert_allclose(moves[i], (up - down) / (2 * step), rtol=1e-3, atol=1e-6)

    def test_first_order_moves_are_those_of_the_criterion(self, K, two_blobs):
        y, n = two_blobs[1], len(K)
        one, two = (kw.score_matrix(K, y, c.SPS(delta))["sps"] for delta in (1.0, 2.0))
        moves = first_order_moves(K)
        assert two - one == pytest.approx(np.abs(moves).sum() / n**2)
        assert moves.sum() == pytest.approx(np.trace(K))

    def test_from_the_identity_to_a_constant(self):
        n = 7
        narrow, wide = sums(np.eye(n)), sums(np.ones((n, n)))
        assert float(narrow["first order"]) == pytest.approx(1.0)
        # The smallest of equal eigenvalues falls; the derivative moves that of the row.
        assert float(narrow["astray"]) == pytest.approx(2 * (n - 1) / n, rel=1e-4)
        assert float(wide["first order"]) == pytest.approx((3 * n - 2) / n, rel=1e-4)
        assert abs(float(wide["excess"])) < 1e-12


class TestJobs:
    def test_lines_of_both_remarks(self, folder):
        lines = EXPERIMENT.work(Job("remarks", "heart", 0))
        assert all(list(line) == list(lines[0]) for line in lines)
        forms = [line for line in lines if line["part"] == "SM"]
        assert [line["form"] for line in forms] == [*FORMS, "best possible"]
        timed = {line["form"] for line in forms if line["seconds"]}
        assert timed == {POWER, HINGE}
        widths = [line for line in lines if line["part"] == "SPS"]
        assert [line["kernel"] for line in widths] == list(range(20))

    def test_fewer_lines_later(self, folder):
        late = EXPERIMENT.work(Job("remarks", "heart", 9))
        assert {line["part"] for line in late} == {"SM"}
        assert not any(line["seconds"] for line in late)

    def test_forms_pick_what_the_library_picks(self, folder):
        job = Job("remarks", "heart", 1)
        data = datasets.load("heart")
        part = draw(data.X, Targets.of(data.y, "classification"), 0.7, job.seed)
        kernels = SM_TABLE.kernels
        for line in form_lines(job)[:-1]:
            form = FORMS[line["form"]]
            result = kw.score_kernels(part.X, part.targets.y, kernels, form, engine="dense")
            [values] = result.table.values()
            assert line["kernel"] == pick(values, form)
            machine = kw.LSSVC(kernels[line["kernel"]]).fit(part.X, part.targets.y)
            error = 1.0 - machine.score(part.X_test, part.test_targets.y)
            assert float(line["error"]) == pytest.approx(error, abs=1e-5)

    def test_curves_hold_the_criterion(self, folder):
        job = Job("remarks", "heart", 1)
        [curve] = curves_of(as_text(move_lines(job), dataset="heart", repetition=1))
        data = datasets.load("heart")
        part = draw(data.X, Targets.of(data.y, "classification"), 0.5, job.seed)
        for i, lam in enumerate((0.01, 0.1, 1.0, 10.0)):
            expected = kw.score_kernels(
                part.X,
                part.targets.y,
                SPS_TABLE.kernels,
                "sps",
                ridge=lam * part.targets.n,
                fit_intercept=False,
                engine="dense",
            ).table["sps"]
            np.testing.assert_allclose(curve.first_order_values[:, i], expected, rtol=1e-4)
        assert curve.least_loss_picked.all()
        np.testing.assert_allclose(curve.excess, 0.0, atol=1e-12)


def made_up(hinge=0.0, hinge_seconds=0.3, first_order=1.0, rows=20):
    """Lines of four sets: how much worse the hinge form is, how slow, and a first-order sum."""
    rng = np.random.default_rng(0)
    lines = []
    for name in ("heart", "sonar", "australian", "diabetes"):
        for repetition in range(4):
            place = {"dataset": name, "repetition": repetition}
            base, noise = rng.uniform(0.1, 0.3), rng.normal(0.0, 0.002)
            for form in (*FORMS, "best possible"):
                is_hinge = form in HINGES
                line = {"part": "SM", "rows": rows, "form": form, "kernel": 3}
                line["error"] = base + (hinge + noise) * is_hinge
                if form in (POWER, HINGE):
                    line["seconds"] = hinge_seconds if is_hinge else 0.1
                lines.append(dict.fromkeys(_FIELDS, "") | place | line)
            for k in range(20):
                line = {"part": "SPS", "rows": rows, "kernel": k, "excess": 1e-15, "astray": 0.5}
                # The widest kernels have large sums, the narrowest the smallest training errors.
                line["first order"] = first_order if k < 10 else 1.0 + (first_order - 1.0) * k
                for lam in ("0.01", "0.1", "1", "10"):
                    line |= {f"loss {lam}": 1.0 - 0.01 * k, f"error {lam}": base + 0.01 * k}
                lines.append(dict.fromkeys(_FIELDS, "") | place | line)
        rows += 10
    return as_text(lines)


class TestPage:
    def test_equal_forms(self):
        page = EXPERIMENT.page(made_up())
        assert page.count("| yes |") == len(HINGES)
        assert "holds for h = 0.001 and h = 0.01 and h = 0.03 and h = 0.1, of 4" in page
        assert "**Power is much faster** holds: the hinge form takes 3 times" in page
        assert "**The first-order sum approximates the exact one** holds" in page
        assert "**Both criteria rank the widths alike** holds: rank correlation 1.00" in page
        assert "**The approximation is the significantly better criterion** does not hold" in page

    def test_different_forms(self):
        page = EXPERIMENT.page(made_up(hinge=0.05, hinge_seconds=0.15, first_order=2.0))
        assert "| yes |" not in page and "holds for no threshold" in page
        assert "0 / 4 of 4" in page
        assert "**Power is much faster** does not hold" in page
        assert "**The exact sum is tr(K) for every width** holds" in page
        assert "picks the smallest one in 64 of 64 choices" in page
        assert "**The first-order sum approximates the exact one** does not hold" in page
        assert "**Both criteria rank the widths alike** does not hold" in page
        assert "**The approximation is the significantly better criterion** holds" in page

    def test_without_the_other_remark(self):
        lines = [line for line in made_up() if line["part"] == "SM"]
        assert "were not run" in EXPERIMENT.page(lines)
        assert len(EXPERIMENT.summary(lines).splitlines()) == 2

    def test_summary(self):
        summary = EXPERIMENT.summary(made_up())
        assert len(summary.splitlines()) == 6 and "**" not in summary

    def test_headline(self):
        headline = EXPERIMENT.headline(made_up())
        assert headline.startswith("Accuracy is similar holds for h = 0.001")
        assert "Power is much faster holds; The exact sum" in headline and "\n" not in headline

    def test_figure(self):
        pytest.importorskip("matplotlib")
        lines = made_up()
        assert len(EXPERIMENT.figure(lines).axes) == 4
        alone = [line for line in lines if line["part"] == "SM"]
        assert len(EXPERIMENT.figure(alone).axes) == 2


def test_verdicts():
    ones = np.ones(5)
    assert verdict(ones, ones) == 0
    assert verdict(2.0 * ones, ones) == 1
    wobble = np.array([0.1, -0.1, 0.05, 0.0, -0.05])
    assert verdict(ones + wobble, ones) == 0
    assert verdict(wobble, ones) == -1


def test_sets_are_those_up_to_a_thousand_rows():
    try:
        datasets.folder()
    except datasets.NoData:
        pytest.skip("the papers' data are not on this machine")
    table = SM_TABLE
    small = [name for name in table.datasets if table.load(name).n <= 1000]
    assert list(EXPERIMENT.datasets) == small
