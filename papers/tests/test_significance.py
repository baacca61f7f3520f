import math
from importlib.resources import files

import numpy as np
import pytest
from scipy import stats

from kernelwise_papers.significance import needed_correlation, report, welch


@pytest.mark.parametrize("seed", range(5))
def test_welch_is_scipys(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(0.0, 1.0, 30), rng.normal(0.4, 2.0, 30)
    t, p = welch(a.mean(), a.std(ddof=1), b.mean(), b.std(ddof=1), 30)
    expected = stats.ttest_ind(b, a, equal_var=False)
    assert t == pytest.approx(expected.statistic, rel=1e-12)
    assert p == pytest.approx(expected.pvalue, rel=1e-10)


def test_welch_of_equal_spreads_is_students():
    # 2 (n - 1) = 98 degrees of freedom: t = 1 / sqrt(2 * 4 / 50)
    t, p = welch(10.0, 2.0, 11.0, 2.0, 50)
    assert t == pytest.approx(2.5)
    assert p == pytest.approx(2.0 * stats.t.sf(2.5, 98))


def test_welch_changes_sign_with_the_order():
    t, p = welch(1.0, 0.5, 2.0, 0.7, 20)
    assert welch(2.0, 0.7, 1.0, 0.5, 20) == pytest.approx((-t, p))


@pytest.mark.parametrize(
    ("mean2", "expected"), [(1.0, (0.0, 1.0)), (2.0, (math.inf, 0.0)), (0.0, (-math.inf, 0.0))]
)
def test_welch_without_spread(mean2, expected):
    assert welch(1.0, 0.0, mean2, 0.0, 50) == expected


def test_welch_needs_two_values():
    with pytest.raises(ValueError, match="two values"):
        welch(1.0, 1.0, 2.0, 1.0, 1)


@pytest.mark.parametrize("gap", [-1e-6, 1e-6])
def test_needed_correlation_is_where_the_paired_test_turns(gap):
    m1, s1, m2, s2, n = 13.7, 2.1, 14.2, 2.6, 50
    rho = needed_correlation(m1, s1, m2, s2, n) + gap
    spread = math.sqrt(s1**2 + s2**2 - 2.0 * rho * s1 * s2)
    p = stats.t.sf((m2 - m1) / (spread / math.sqrt(n)), n - 1)
    assert (p < 0.05) == (gap > 0.0)


def test_needed_correlation_at_the_ends():
    assert needed_correlation(1.0, 1.0, 9.0, 1.0, 50) < -1.0
    assert needed_correlation(1.0, 1.0, 1.0, 2.0, 50) > 1.0
    assert needed_correlation(0.01, 0.0, 0.2, 0.04, 50) == -math.inf
    assert needed_correlation(0.01, 0.0, 0.01, 0.04, 50) == math.inf


def test_the_papers_thresholds_are_one_sided():
    """SM 2017, Section 5: 1.676 for 50 splits; ER 2015, Experiments: 1.699 for 30."""
    assert stats.t.ppf(0.95, 49) == pytest.approx(1.676, abs=1e-3)
    assert stats.t.ppf(0.95, 29) == pytest.approx(1.699, abs=1e-3)


def test_the_report_on_file_is_the_one_the_numbers_give():
    on_file = files("kernelwise_papers") / "published" / "significance.md"
    assert report() == on_file.read_text(encoding="utf-8")


def test_the_report_counts_every_claim():
    text = report()
    assert "41 of 59 counts agree, 18 do not." in text
    assert "**sm2017_table2, SM against ELOO**: 13 agree, 12 disagree" in text
    assert "heart at 1: bold 10-CVKS (15.31), lower BR (14.07)" in text
    assert "t = 2.40, two-sided p = 0.037" in text
