"""The experiment on widths, and forms of stability beside each other."""

import pytest

from kernelwise_papers.catalog import EXPERIMENTS
from kernelwise_papers.experiment import Effort


def lines_of(key, name, rows=None):
    experiment = EXPERIMENTS[key]
    [job] = experiment.jobs(Effort(1, rows, (name,)))
    place = {"dataset": name, "repetition": "0"}
    return [place | {k: str(v) for k, v in line.items()} for line in experiment.work(job)]


def test_what_holds_over_the_widths(folder):
    found = lines_of("widths", "heart")
    experiment = EXPERIMENTS["widths"]
    assert len(found) == 31 + 10
    said = experiment.summary(found).split("\n")
    assert "Stability rises with the width: holds (1 of 1)" in said
    assert "So does the term of SPS: holds (1 of 1)" in said
    assert experiment.figure(found).axes and "(widths.svg)" in experiment.page(found)


@pytest.mark.parametrize("name", ["heart", "mpg"])
def test_forms_of_stability(folder, name):
    found = lines_of("relative", name, 50)
    experiment = EXPERIMENTS["relative"]
    assert [line["setting"] for line in found] == ["ridge 1", "ridge chosen"]
    assert "relative RKS (ours) has rank" in experiment.summary(found)
    assert "| relative RKS (ours) |" in experiment.page(found) and experiment.figure(found).axes
