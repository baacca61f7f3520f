"""Weights of kernels by the papers' criteria, as an experiment."""

import numpy as np
import pytest

from inside import grids
from kernelwise import MultiKernelSelector
from kernelwise_papers.catalog import EXPERIMENTS
from kernelwise_papers.experiment import Effort
from kernelwise_papers.papers import combinations
from kernelwise_papers.tables.split import part_of


@pytest.fixture
def lines(folder):
    experiment = EXPERIMENTS["combinations"]
    [job] = experiment.jobs(Effort(1, 60, ("heart",)))
    place = {"dataset": "heart", "repetition": "0"}
    return [place | {k: str(v) for k, v in line.items()} for line in experiment.work(job)]


def test_every_way_is_run(lines):
    assert [line["way"] for line in lines] == list(combinations.WAYS)
    assert all(0.0 <= float(line["error"]) <= 1.0 for line in lines)
    assert all(1.0 <= float(line["kernels"]) <= 9.0 + 1e-9 for line in lines)


def test_the_error_is_that_of_the_selector(folder, lines):
    [job] = EXPERIMENTS["combinations"].jobs(Effort(1, 60, ("heart",)))
    part = part_of(combinations.SM_TABLE2, job)
    model = MultiKernelSelector(grids.gaussian(-1, 7), method="criterion", criterion="sm")
    model.fit(part.X, part.targets.y)
    error = np.mean(model.predict(part.X_test) != part.test_targets.y)
    [told] = [line for line in lines if line["way"].startswith("SM")]
    assert float(told["error"]) == pytest.approx(error, rel=1e-5)


def test_the_page(lines):
    experiment = EXPERIMENTS["combinations"]
    page = experiment.page(lines)
    assert "| SPS |" in page and "| best single, LOO |" in page
    assert len(experiment.figure(lines).axes) == len(combinations.WEIGHTS)
    assert experiment.summary(lines).count("mean error") == len(combinations.WAYS)
