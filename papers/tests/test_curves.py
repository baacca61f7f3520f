"""The papers' figures over a parameter: a quick version of each, and their statements."""

import numpy as np
import pytest

from kernelwise_papers.experiment import Effort, Job
from kernelwise_papers.papers.curves import CURVES, Claim

BY_KEY = {curve.key: curve for curve in CURVES}


def lines(curve, errors, dataset="heart", splits=6):
    """Lines of results in which a column errs as a function of its value says."""
    rng = np.random.default_rng(0)
    found = []
    for repetition in range(splits):
        for lam in curve.table.lambdas:
            line = {"dataset": dataset, "repetition": str(repetition), "lambda": str(lam)}
            noise = 0.02 * rng.normal()
            for values in curve.curves.values():
                for value, column in values.items():
                    line[column] = str(errors(value) + noise)
            found.append(line | {"best possible": "0.01"})
    return found


@pytest.mark.parametrize("key", sorted(BY_KEY))
def test_a_quick_version(key, folder):
    curve = BY_KEY[key]
    found = []
    for job in curve.jobs(Effort(2, 60, ("heart",))):
        place = {"dataset": "heart", "repetition": str(job.repetition)}
        found += [place | {k: str(v) for k, v in line.items()} for line in curve.work(job)]
    assert len(found) == 2 * len(curve.table.lambdas)
    page = curve.page(found)
    assert f"]({key}.svg)" in page and "- Not run: " in page
    assert page.count("holds") + page.count("does not hold") >= len(curve.claims)
    assert curve.figure(found).axes


def test_one_job_is_one_split(folder):
    curve = BY_KEY["er-figure1"]
    first, again = (curve.work(Job(curve.key, "heart", 0, 50)) for _ in range(2))
    assert first == again
    assert first != curve.work(Job(curve.key, "heart", 1, 50))


class TestStatements:
    def verdict(self, claim, errors):
        curve = BY_KEY["sm-figure1"]
        [said] = [
            curve._verdict(results, claim) for results in [_results(curve, lines(curve, errors))]
        ]
        return said

    def test_the_best_value(self):
        claim = Claim("SM", "best within", 2, 5, (1.0,))
        assert "holds (so on 1 of 1)" in self.verdict(claim, lambda r: 0.1 + 0.1 * abs(r - 4))
        assert "does not hold" in self.verdict(claim, lambda r: 0.1 + 0.1 * abs(r - 7))

    def test_a_stable_stretch(self):
        claim = Claim("SM", "stable", 2, 5, (1.0,))
        assert "holds" in self.verdict(claim, lambda r: 0.2 if 2 <= r <= 5 else 0.5)
        assert "does not hold" in self.verdict(claim, lambda r: 0.1 * r)

    def test_a_denied_statement_is_turned(self):
        claim = Claim("SM", "stable", 2, 5, (1.0,), said=False)
        assert "SM: not stable" in self.verdict(claim, lambda r: 0.1 * r)
        assert ": holds" in self.verdict(claim, lambda r: 0.1 * r)

    def test_as_good_as_the_best(self):
        claim = Claim("SM", "as good as the best", 3, 3, (1.0,))
        assert ": holds" in self.verdict(claim, lambda r: 0.2)
        assert "does not hold" in self.verdict(claim, lambda r: 0.1 if r == 8 else 0.2)


def _results(curve, found):
    from kernelwise_papers.tables.comparison import Results

    return Results.of(curve.table, found)


def test_columns_are_the_criteria_they_name():
    curve = BY_KEY["er-figure2"]
    for t, column in curve.curves["ER"].items():
        criterion = curve.table.columns[column]
        assert (criterion.t, criterion.eta) == (t, 0.6)
    assert BY_KEY["ks-figure2"].table.lambdas == (1.0,)
