"""Two sentences of the papers without numbers: what decides them."""

import itertools

import numpy as np
import pytest

import kernelwise as kw
from kernelwise_papers.catalog import EXPERIMENTS
from kernelwise_papers.experiment import Effort
from kernelwise_papers.papers import sentences
from kernelwise_papers.tables.comparison import BEST
from kernelwise_papers.tables.split import part_of

SENTENCES = EXPERIMENTS["sentences"]


def as_lines(job, found):
    place = {"dataset": job.dataset, "repetition": str(job.repetition)}
    return [place | {name: str(value) for name, value in line.items()} for line in found]


def er_lines(error):
    """Six splits on which the columns err by lambda as a function says, give or take."""
    rng = np.random.default_rng(0)
    lines = []
    for repetition in range(6):
        for lam, column in itertools.product(sentences.LAMBDAS.lambdas, sentences._COLUMNS):
            value = error(lam) + 0.01 * rng.normal()
            place = {"dataset": "er heart", "repetition": str(repetition), "share": "0.7"}
            lines.append(place | {"lambda": str(lam), "column": column, "error": str(value)})
    return lines + [line | {"column": BEST} for line in lines if line["column"] == "ER"]


def sps_lines(gap):
    rng = np.random.default_rng(0)
    lines = []
    for repetition, share, lam in itertools.product(range(6), (0.5, 0.7), (0.01, 0.1, 1.0, 10.0)):
        value = 0.2 + 0.01 * rng.normal() + gap * (share == 0.7)
        place = {"dataset": "sps heart", "repetition": str(repetition), "share": str(share)}
        lines.append(place | {"lambda": str(lam), "column": "SPS", "error": str(value)})
    return lines


def test_larger_lambdas():
    """So where both large lambdas are worse than all three small ones, in every column."""
    found = er_lines(lambda lam: 0.4 if lam > 50 else 0.2)
    assert SENTENCES.summary(found).endswith(": holds (so in 10 of 10)")
    found = er_lines(lambda lam: 0.4 if lam in (0.01, 100.0, 1000.0) else 0.2)
    assert SENTENCES.summary(found).endswith(": does not hold (so in 0 of 10)")
    assert "\n| ER | " in SENTENCES.page(found) and SENTENCES.figure(found).axes


def test_more_training_rows():
    assert SENTENCES.summary(sps_lines(0.0)).endswith(": holds (so in 4 of 4)")
    found = sps_lines(0.05)
    assert SENTENCES.summary(found).endswith(": does not hold (so in 0 of 4)")
    assert "\n| heart | 8" in SENTENCES.page(found) and SENTENCES.figure(found).axes


@pytest.mark.parametrize("name", ["er heart", "sps heart"])
def test_errors_are_those_of_machines(folder, name, monkeypatch):
    kernels = sorted(kw.grids.gaussian(0, 2), key=lambda k: k.roughness)
    small = sentences.replace(sentences.LAMBDAS, kernels=kernels)
    monkeypatch.setattr(sentences, "LAMBDAS", small)
    shares = {s: sentences.replace(t, kernels=kernels) for s, t in sentences.SHARES.items()}
    monkeypatch.setattr(sentences, "SHARES", shares)
    [job] = SENTENCES.jobs(Effort(1, 60, (name,)))
    lines = as_lines(job, SENTENCES.work(job))
    for line in lines:
        if line["column"] == BEST:
            table = small if name.startswith("er") else shares[float(line["share"])]
            part = part_of(table, job._replace(dataset="heart"))
            ridge = table.ridge(float(line["lambda"]), part.targets.n)
            machines = [
                kw.LSSVC(k, ridge, fit_intercept=table.fit_intercept).fit(part.X, part.targets.y)
                for k in kernels
            ]
            best = min(1.0 - m.score(part.X_test, part.test_targets.y) for m in machines)
            assert float(line["error"]) == pytest.approx(best, abs=1e-5)
    assert SENTENCES.summary(lines) and SENTENCES.page(lines) and SENTENCES.figure(lines)
