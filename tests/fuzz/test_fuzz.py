"""A few hundred cases of the fuzz harness, and its verdicts; ``make fuzz`` runs ten thousand."""

import warnings

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import kernelwise as kw
from fuzz import cases
from fuzz.areas import AREAS, names, run

CASES = 500
AT_ONCE = 12  # in one test: xdist deals tests to its processes
BLOCKS = [
    area[i : i + AT_ONCE]
    for area in names(list(AREAS), CASES)
    for i in range(0, len(area), AT_ONCE)
]


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: f"{block[0]}+{len(block)}")
def test_no_case_fails(block):
    failures = [failure for name in block if (failure := run(name)) is not None]
    assert not failures, "\n".join(map(str, failures))


def verdict(area):
    failure = cases.run_case(area, "verdict:0")
    return None if failure is None else failure.what


def test_a_refusal_in_one_sentence_passes():
    assert verdict(lambda trial: trial(kw.Gaussian, -1.0)) is None


def test_a_refusal_of_ordinary_arguments_fails():
    assert verdict(lambda trial: trial.must(kw.Gaussian, -1.0)).startswith("refuses ordinary")


@pytest.mark.parametrize(
    "call",
    [
        lambda: {}["a"],
        lambda: float("a"),
        lambda: np.linalg.inv(np.zeros((2, 2))),
        lambda: kw.kernels.base.float(10**400),
    ],
)
def test_an_error_from_the_depths_fails(call):
    assert verdict(lambda trial: trial(call)) is not None


def test_a_warning_from_the_depths_fails():
    assert "RuntimeWarning" in verdict(lambda trial: trial(np.log, 0.0))
    assert verdict(lambda trial: trial(warnings.warn, "x", kw.gram.NotPSDWarning)) is None


def test_changed_arguments_fail():
    assert "changes" in verdict(lambda trial: trial(np.ndarray.sort, np.array([2.0, 1.0])))


def test_printing_fails():
    assert "prints" in verdict(lambda trial: trial(print, "hello"))


def test_a_case_that_takes_too_long_is_stopped(monkeypatch):
    def forever(trial):
        while True:
            pass

    monkeypatch.setattr(cases, "SECONDS", 0.1)
    assert "takes more than" in verdict(forever)


def test_limits_of_threads_left_behind_fail_and_are_restored():
    def limits():
        return [pool["num_threads"] for pool in threadpool_info()]

    before = limits()
    assert "leaves" in verdict(lambda trial: trial(threadpool_limits, 3))
    assert limits() == before


def test_the_same_case_draws_the_same():
    assert cases.generator("a:1").random() == cases.generator("a:1").random()
    assert cases.generator("a:1").random() != cases.generator("b:1").random()
