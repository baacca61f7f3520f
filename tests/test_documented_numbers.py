"""Every measured number of the README, of the page on engines and of the sweeps is in a file.

A claim is a pattern of a page and what its groups must say, computed from files that benchmarks or
experiments wrote. What looks measured and belongs to no claim fails, unless it is a setting.
"""

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
NUMBER = r"\d[\d,]*(?:\.\d+)?"
UNIT = r"(?:s\b|seconds?\b|minutes?\b|%|GB\b|MB\b|times\b|points?\b|of the time\b|of it\b)"
MEASURED = re.compile(rf"(?<![\w.=^⁻-])({NUMBER}(?:,? (?:to|and) {NUMBER})*) {UNIT}")


def page(name):
    """A page in one line, without code."""
    text = re.sub(r"```.*?```", "", (ROOT / name).read_text(), flags=re.DOTALL)
    return " ".join(text.split())


def saved(name):
    return json.loads((ROOT / "benchmarks" / f"{name}.json").read_text())


def sweeps():
    return page("docs/measured.md").partition("## Sweeps")[2].partition("## ")[0]


PAGES = {
    "README.md": lambda: page("README.md"),
    "docs/engines.md": lambda: page("docs/engines.md"),
    "the sweeps of docs/measured.md": sweeps,
}

# What has a unit and is chosen, not measured.
SETTINGS = {
    "README.md": (),
    "docs/engines.md": (
        "features lie 10⁴ times their spread",
        "by 1 %, both measured",
        "with 95 % confidence",
        "two standard errors and 1 %",
        "Up to 1.5 times as many rows as landmarks",
        "a bar with the time left on standard error after one second",
        "miss by more than 5 % of its residuals",
    ),
    "the sweeps of docs/measured.md": ("one kernel matrix would be 20,000 MB",),
}


def engines(key, digits):
    return f"{saved('engines')[key]:.{digits}f}"


def stack_losses():
    """By how many points the stack errs more than one kernel, the largest over the sets."""
    found = {}
    results = (ROOT / "papers" / "pages" / "results" / "leaderboard.csv").read_text()
    for line in csv.DictReader(results.splitlines()):
        if line["setting"] == "ridge chosen" and line["quantity"] == "error":
            less = float(line["KernelStack()"]) - float(line["KernelSelector()"])
            found.setdefault(line["dataset"], []).append(less)
    return max(map(np.mean, found.values()))


def halving():
    ratios = [v for k, v in saved("searches").items() if k.startswith("ratio Halving / default")]
    return f"{min(ratios):.1f}", f"{max(ratios):.0f}"


def lowrank(name):
    runs = [run[name] for run in saved("lowrank")["runs"]]
    cpu, error, peak = (np.mean([run[key] for run in runs]) for key in ("cpu", "error", "peak_mb"))
    return f"{cpu:.1f}", f"{error:.2f}", f"{peak / 1000:.{2 if peak < 1000 else 1}f}"


def grid_search():
    """The ratio of its time to that of the selector."""
    models = saved("default_choice_stack")["summary"]
    return f"{models['GridSearchCV(SVC)']['ratio of times']:.0f}"


def lowrank_runs():
    runs = saved("lowrank")["runs"]
    ratios = [run["scikit-learn"]["cpu"] / run["kernelwise"]["cpu"] for run in runs]
    less = [run["kernelwise"]["error"] - run["scikit-learn"]["error"] for run in runs]
    return f"{min(ratios):.1f}", f"{max(ratios):.1f}", f"{max(less):.2f}", f"{-min(less):.2f}"


def growing_rows():
    found = saved("lowrank")["growing_rows"]
    last = [run["1000000"] for run in found["runs"]]
    seconds, memory = (np.mean([run[key] for run in last]) for key in ("cpu", "peak_mb"))
    ratio = found["ratio"]
    return f"{seconds:.0f}", f"{ratio['mean']:.1f}", f"{ratio['worst']:.1f}", f"{memory / 1000:.1f}"


def select(threads, beside):
    return (
        f"{saved('threads')[f'kernelwise select, 398 rows, {threads}, {beside}: wall seconds']:.1f}"
    )


def both(first, second, digits):
    return tuple(f"{saved('engines')[key]:.{digits}f}" for key in (first, second))


N = f"({NUMBER})"
CLAIMS = [
    ("README.md", rf"loses up to {N} points on others", lambda: (f"{stack_losses():.1f}",)),
    (
        "README.md",
        rf"Against `GridSearchCV\(SVC\)` the selector is {N} times as fast, against successive "
        rf"halving {N} to {N} times",
        lambda: (
            grid_search(),
            *halving(),
        ),
    ),
    (
        "docs/engines.md",
        rf"31 widths on 50,000 rows of 20 features peak at about {N} GB",
        lambda: (f"{saved('engines')['peak resident MB, n=50000'] / 1000:.1f}",),
    ),
    (
        "docs/engines.md",
        rf"in single precision \({N} of the time at 20 features\)",
        lambda: (engines("ratio float32 / float64", 1),),
    ),
    (
        "docs/engines.md",
        rf"compiles the loops \({N} s for both kinds of sweep\).* the first call takes {N} s, "
        rf"after {N} s for the import",
        lambda: (
            engines("first call in a new process, nothing compiled", 0),
            engines("first call in a new process, compiled code on disk", 1),
            engines("import in a new process, compiled code on disk", 1),
        ),
    ),
    (
        "docs/engines.md",
        rf"\| `KernelSelector\(\.\.\., engine=LowRank\(1000\)\)` \| {N} s \| {N} % \| {N} GB \|",
        lambda: lowrank("kernelwise"),
    ),
    (
        "docs/engines.md",
        rf"\| `Nystroem\(1000\)`, `RidgeClassifierCV` \| {N} s \| {N} % \| {N} GB \|",
        lambda: lowrank("scikit-learn"),
    ),
    (
        "docs/engines.md",
        rf"The ratio of the times is {N} to {N}; kernelwise's error is at most {N} points higher "
        rf"in a split, and {N} lower",
        lowrank_runs,
    ),
    (
        "docs/engines.md",
        rf"at rank 500 takes {N} s of processor time on 10⁶ rows of 10 features, {N} times as much "
        rf"as on 200,000 \({N} at most\), and {N} GB beside the data",
        growing_rows,
    ),
    (
        "docs/engines.md",
        rf"on 398 rows takes {N} s on an idle machine and {N} s beside two processes that keep "
        rf"both cores busy; with two BLAS threads it takes {N} s and {N} s",
        lambda: tuple(select(t, b) for t in ("by itself", "all") for b in ("alone", "busy")),
    ),
    (
        "the sweeps of docs/measured.md",
        rf"\| 4,000 \| {N} s \| {N} s \| .*?5 folds: {N} s \({N} and {N} times as long\) \|",
        lambda: (
            *both("first sweep, n=4000", "both sweeps, n=4000", 2),
            engines("GridSearchCV(SVC), n=4000", 0),
            *both(
                "ratio GridSearchCV(SVC) / first sweep", "ratio GridSearchCV(SVC) / both sweeps", 0
            ),
        ),
    ),
    (
        "the sweeps of docs/measured.md",
        rf"`GridSearchCV\(KernelRidge\)`: {N} s; every formula by numpy, kernel by kernel: {N} s",
        lambda: both("GridSearchCV(KernelRidge), n=4000", "naive numpy, n=4000", 0),
    ),
    (
        "the sweeps of docs/measured.md",
        rf"\| 10,000 \| {N} s \| {N} s \| one call of `rbf_kernel\(X\)`: {N} s "
        rf"\(the sweeps take {N} and {N} of it\)",
        lambda: (
            *both("first sweep, n=10000", "both sweeps, n=10000", 2),
            engines("one rbf_kernel call, n=10000", 1),
            *both("ratio first sweep / rbf_kernel", "ratio both sweeps / rbf_kernel", 2),
        ),
    ),
    (
        "the sweeps of docs/measured.md",
        rf"\| 50,000 \| {N} s \| \| {N} MB resident",
        lambda: (
            engines("first sweep in a process of its own, n=50000", 1),
            engines("peak resident MB, n=50000", 0),
        ),
    ),
    (
        "the sweeps of docs/measured.md",
        rf"takes {N} times the arithmetic lower bound.* grows by {N} of n².* 200 features take {N} "
        rf"times as long as 5, and 31 widths {N} times as long as one. float32 takes {N} of the "
        rf"time",
        lambda: (
            engines("ratio first sweep / limit", 1),
            engines("ratio to the n^2 line, 10000 to 50000", 2),
            engines("time relative to 5 features, d=200", 1),
            engines("time relative to 1 width, 31 widths", 1),
            engines("ratio float32 / float64", 2),
        ),
    ),
    (
        "the sweeps of docs/measured.md",
        rf"degrees 1 to 10 are {N} times faster and a mixed grid .*? {N} times",
        lambda: both(
            "ratio dense one by one / tiled, degrees 1..10, n=4000",
            "ratio dense one by one / tiled, mixed grid, n=4000",
            0,
        ),
    ),
    (
        "the sweeps of docs/measured.md",
        rf"compiles for {N} s; in later processes it takes {N} s, after an import of {N} s",
        lambda: (
            engines("first call in a new process, nothing compiled", 0),
            *both(
                "first call in a new process, compiled code on disk",
                "import in a new process, compiled code on disk",
                2,
            ),
        ),
    ),
]


@pytest.mark.parametrize(
    ("name", "pattern", "wanted"), CLAIMS, ids=[re.sub(r"\W+", " ", c[1])[:40] for c in CLAIMS]
)
def test_a_claim_is_what_the_file_says(name, pattern, wanted):
    [found] = re.finditer(pattern, PAGES[name]())
    assert found.groups() == wanted()


def test_threads():
    """One row a number of rows, of one thread and of two."""
    found, text = saved("threads"), page("docs/engines.md")
    for rows in (300, 600, 1000, 1500, 2000, 3000):
        key = f"KernelSelector().fit, {rows} rows, {{}}: wall seconds"
        one, two = (found[key.format(threads)] for threads in ("one", "all"))
        assert f"| {rows:,} | {one:.2f} | {two:.2f} |" in text


def test_mutants():
    """Shares of a sample with their standard errors; every survivor is explained or tested."""
    text = page("CONTRIBUTING.md")
    for package, found in saved("mutants").items():
        share, error = (f"{100 * found[key]:.0f}" for key in ("share", "standard_error"))
        assert f"{share} ± {error} % of {found['tried']} in `{package}/`" in text
        survivors = [each for each in found["mutants"] if not each["killed"]]
        assert (
            found["killed"]
            == found["tried"] - len(survivors)
            == round(found["share"] * len(found["mutants"]))
        )
        assert all("reason" in each or "since" in each for each in survivors)


def test_numbers_in_words():
    """What the README says in words lies where the words put it."""
    text = page("README.md")
    assert "in a second or two on 2,000 rows, in half a minute on a million" in text
    assert 0.8 < saved("searches")["whole default choice and fit, n=2000"] < 2.5
    found = saved("many_rows").items()
    million = [v["wall"] for k, v in found if "1000000 rows" in k and k.endswith("default")]
    assert 15.0 < np.median(million) < 45.0
    assert "compiles for a quarter of a minute" in text
    assert 12.0 < saved("engines")["first call in a new process, nothing compiled"] < 18.0


@pytest.mark.parametrize("name", PAGES)
def test_every_measured_number_belongs_to_a_claim(name):
    text = PAGES[name]()
    for owner, pattern, _ in CLAIMS:
        if owner == name:
            text = re.sub(pattern, "", text)
    for setting in SETTINGS[name]:
        assert setting in text, f"{setting!r} is no longer there"
        text = text.replace(setting, "")
    if name == "README.md":  # of the leaderboard, which test_documentation compares
        text = re.sub(r"\| [^|]*\| [\d.]+ % \| [\d.]+ % \| [\d.]+, [\d.]+ \|", "", text)
        text = re.sub(r'`gamma="scale"`, [\d.]+ and [\d.]+ %', "", text)
        text = re.sub(r"± \d.*?%\)", "", text)
    assert MEASURED.findall(text) == []
