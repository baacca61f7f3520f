"""Every number of the README and of the page on engines that is not measured is in the code.

A setting is a pattern of a page and what its groups must say, taken from the code. What is neither
measured (test_documented_numbers.py) nor a setting nor one of a few plain words fails.
"""

import csv
import inspect
import re
import tomllib
from functools import cache

import numpy as np
import pytest

import kernelwise as kw
from inside import (
    TOLERANCE,
    LowRank,
    Tiled,
    cascade,
    dense,
    effort,
    families,
    grids,
    landmark_search,
    lowrank,
    panels,
    problem,
    ranks,
    screen,
    tiled,
    whole,
)
from inside import arguments as _arguments
from inside import gram_features as features
from inside import threads as _threads
from test_documented_numbers import CLAIMS, NUMBER, ROOT, page
from test_documented_numbers import SETTINGS as WITH_UNITS

N = f"({NUMBER})"
README, ENGINES = "README.md", "docs/engines.md"


@cache
def leaderboard():
    """The errors where the ridge is chosen: by set its task, and by entrant the mean."""
    text = (ROOT / "papers" / "pages" / "results" / "leaderboard.csv").read_text()
    found = {}
    for line in csv.DictReader(text.splitlines()):
        if line["setting"] == "ridge chosen" and line["quantity"] == "error":
            found.setdefault((line["task"], line["dataset"]), []).append(line)
    return found


def sets(task):
    return [lines for (of, _), lines in leaderboard().items() if of == task]


def error(name, task):
    """The mean over the sets of an entrant's mean over the splits."""
    return np.mean([np.mean([float(line[name]) for line in lines]) for lines in sets(task)])


def errors(name):
    return tuple(f"{error(name, task):.2f}" for task in ("classification", "regression"))


def default(function, name):
    return inspect.signature(function).parameters[name].default


def integers(*values):
    return tuple(f"{value:,.0f}" for value in values)


def power(value):
    """10⁻¹⁰ for 1e-10."""
    exponent = str(round(np.log10(value)))
    return "10" + exponent.translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def least_python():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    return (settings["project"]["requires-python"].removeprefix(">="),)


def most_rows():
    """Rows, and splits, of a set of the leaderboard."""
    rows = {int(x["train"]) + int(x["test"]) for lines in leaderboard().values() for x in lines}
    [splits] = {len(lines) for lines in leaderboard().values()}
    assert splits == 10
    return integers(max(rows))


SETTINGS = [
    (
        README,
        rf"On {N} data sets: \| \| error, {N} two-class sets \| error, {N} regression sets",
        lambda: integers(len(leaderboard()), len(sets("classification")), len(sets("regression"))),
    ),
    (README, rf"Up to {N} rows, ten splits each", most_rows),
    (
        README,
        rf"tries {N} widths and {N} ridges",
        lambda: integers(len(grids.gaussian()), cascade.AUTO_RIDGES.size),
    ),
    (README, rf'`gamma="scale"`, {N} and {N} %', lambda: errors("gamma=scale")),
    (README, rf"with Python {N} or later", least_python),
    (README, rf"on more than {N} rows also compiles", lambda: integers(dense.DENSE_ROWS)),
    (ENGINES, rf"up to {N} rows, given matrices", lambda: integers(dense.DENSE_ROWS)),
    (
        ENGINES,
        rf'`Tiled\(tile={N}, threads=None, dtype="float64", memory=None\)` \| tiles of {N} × {N} ',
        lambda: (str(default(Tiled, "tile")),) * 3,
    ),
    (
        ENGINES,
        rf'`LowRank\(rank={N}, landmarks="uniform", random_state={N}, memory=None, judged={N}\)`',
        lambda: tuple(str(default(LowRank, name)) for name in ("rank", "random_state", "judged")),
    ),
    (ENGINES, rf"\(`judged={N}`\)", lambda: (str(default(LowRank, "judged")),)),
    (
        ENGINES,
        rf"Ratios of {N} to {N} \(such",
        lambda: integers(families._RATIOS[0], families._RATIOS[-1]),
    ),
    (ENGINES, rf"the default is {N}\)", lambda: (str(_arguments._SHARE),)),
    (ENGINES, r"relative tolerance of (10[⁻\d¹⁰]+)\.", lambda: (power(TOLERANCE),)),
    (
        ENGINES,
        rf"of rank up to {N}, until the residual is (10⁻¹⁰) of",
        lambda: (*integers(tiled._LARGEST_RANK), power(TOLERANCE)),
    ),
    (ENGINES, rf"a block of {N} rows × m features", lambda: integers(features._BLOCK)),
    (
        ENGINES,
        rf"explain to {N} digits are dropped",
        lambda: integers(-np.log10(features._DEPENDENT)),
    ),
    (ENGINES, rf"Cholesky factor on up to {N} rows", lambda: integers(lowrank._POOL)),
    (
        ENGINES,
        rf"begins with {N} and doubles the rank, up to {N},",
        lambda: integers(lowrank.RANKS[0], lowrank.RANKS[-1]),
    ),
    (ENGINES, rf"exact matrices for up to {N} rows", lambda: integers(problem.EXACT_ROWS)),
    (ENGINES, rf"`score_kernels` uses `LowRank\({N}\)`", lambda: (str(LowRank().rank),)),
    (ENGINES, rf"`LowRank\({N}\)` takes over", lambda: (str(LowRank().rank),)),
    (ENGINES, rf"runs on samples of {N} rows", lambda: integers(screen._ROWS)),
    (
        ENGINES,
        rf"exact leave-one-out on {N} rows, among",
        lambda: integers(landmark_search.START_ROWS),
    ),
    (
        ENGINES,
        rf"machines on {N} landmarks, trained on {N} rows a landmark, are compared by {N} rows",
        lambda: integers(
            landmark_search.FEWEST_LANDMARKS,
            landmark_search._ROWS_A_LANDMARK,
            landmark_search._HELD_OUT,
        ),
    ),
    (
        ENGINES,
        rf"one row in ten, of up to {N} rows one in five",
        lambda: integers(
            landmark_search._ROWS_A_LANDMARK
            * landmark_search.FEWEST_LANDMARKS
            / (1 - 1 / landmark_search._HELD_SHARES[0])
        ),
    ),
    (
        ENGINES,
        rf"Their number is doubled, up to {N} and .*? \({N} bytes times its square\)",
        lambda: integers(landmark_search.MOST_LANDMARKS, landmark_search._BYTES),
    ),
    (
        ENGINES,
        rf"while the effort lasts: {N}·(10¹⁰) kernel values .*?, or {N} a row",
        lambda: (
            f"{effort._EFFORT / 1e10:g}",
            power(1e10),
            *integers(effort._EFFORT_A_ROW),
        ),
    ),
    (
        ENGINES,
        rf"up to {N} rows, if landmarks .*? if {N} bytes times the square of the rows",
        lambda: (*integers(whole._MOST_ROWS), str(whole._BYTES)),
    ),
    (
        ENGINES,
        rf"on a sample of {N} rows, or of as many as `time` \(at least {N}\)",
        lambda: integers(problem.EXACT_ROWS, problem.FEWEST_ROWS),
    ),
    (ENGINES, rf"factors \(more than {N} rows,", lambda: integers(panels.STEPWISE - 1)),
]

SINGLE = (
    "On 3,000 rows of normal features and 31 widths the relative errors are at most 2·10⁻⁶ for SM "
    "and 2·10⁻⁷ for KTA, CKTA and KS"
)

# What is no measurement and no setting: examples, names, versions, the numbers of a list.
PLAIN = {
    README: (
        "in a second or two on 2,000 rows",  # test_documented_numbers
        r"random forest, 500 trees",
        "`GridSearchCV`, 5 folds",
        "faster, 200,000 rows, imbalanced",
        "BSD 3-clause",
    ),
    ENGINES: (
        "`gamma = 10^-3 ... 10^3`",
        '(`"4GB"`) or a share of the free memory (`0.5`;',
        '`dtype="float32"`',
        SINGLE,
        "Ncut is zero below 10⁻³⁸",  # what float32 holds
        "scikit-learn 1.9 and later",
        "has 100,000 rows.",  # a script of the gallery
        "On 50,000 rows of cod-rna, one width with seven ridges and leave-one-out at rank 1,000, "
        "against scikit-learn's `Nystroem(1000)`",
        "1. **The screen**",
        "2. **The start**",
        "3. **Landmarks.**",
        "4. **All rows**",
        "5. **The machine**",
        "Rosasco, 2017",
        "`OPENBLAS_NUM_THREADS=1` stays 1.",
        "(-1: all processors, -2: all but one)",
        "set `n_jobs=1` for",
    ),
}


@pytest.mark.parametrize(
    ("name", "pattern", "wanted"),
    SETTINGS,
    ids=[re.sub(r"\W+", " ", s[1].replace(N, ""))[:40] for s in SETTINGS],
)
def test_a_setting_is_that_of_the_code(name, pattern, wanted):
    [found] = re.finditer(pattern, page(name))
    assert found.groups() == wanted()


@pytest.mark.parametrize("name", [README, ENGINES])
def test_every_number_is_measured_or_a_setting(name):
    text = page(name)
    for owner, pattern, _ in [*CLAIMS, *SETTINGS]:
        if owner == name:
            text = re.sub(pattern, "", text)
    for words in (*WITH_UNITS[name], *PLAIN[name]):
        assert words in text, f"{words!r} is no longer there"
        text = text.replace(words, "")
    # The tables of the leaderboard and of threads, which other tests compare with their files.
    text = re.sub(r"\| [^|]*\| [\d.]+ % \| [\d.]+ % \| [\d.]+, [\d.]+ \|", "", text)
    text = re.sub(r"(\| [\d,]+ \| [\d.]+ \| [\d.]+ \| ?)+", "", text)
    assert re.findall(r".{0,30}\d.{0,10}", text) == []


def test_the_screen_and_ranks_in_words():
    text = page(ENGINES)
    assert "at least three and at most eight" in text
    assert (screen._FEWEST, screen._MOST, screen._CONFIDENCE) == (3, 8, 0.95)
    assert "the preconditioner comes from four rows a landmark" in text
    assert landmark_search._SAMPLE == 4
    assert "next doubling would make them two fifths of the rows" in text
    assert whole._ROWS_A_LANDMARK == 1 / 0.4 and whole._EXACT == 0.05
    assert "by two standard errors and by 1 %" in text
    assert (ranks._ERRORS, ranks._GAIN, ranks._LITTLE) == (2.0, 0.01, 0.5)
    assert "one thread per thousand rows" in text and _threads.ROWS_A_THREAD == 1000


def test_the_readme_in_words():
    """A hundred times as fast as grid search, and who errs less than whom on average."""
    text = page(README)
    assert "One kernel is as accurate as grid search, and about a hundred times as fast" in text
    [fast] = re.findall(rf"\| `KernelSelector\(\)` \| \S+ % \| \S+ % \| {N}, {N} \|", text)
    assert all(70.0 < float(each) < 140.0 for each in fast)
    assert "a [stack](docs/stack.md) of four is on average more accurate than forests" in text
    for task in ("classification", "regression"):
        assert error("KernelSelector()", task) <= error("GridSearchCV", task)
        for other in ("random forest", "histogram boosting", "LightGBM"):
            assert error("KernelStack()", task) < error(other, task)


def test_the_table_of_the_readme():
    text = page(README)
    rows = {"KernelStack()": "`KernelStack()`", "KernelSelector()": "`KernelSelector()`"}
    rows |= {"random forest": "random forest, 500 trees", "LightGBM": "LightGBM"}
    rows |= {"histogram boosting": "`HistGradientBoosting`"}
    rows |= {"GridSearchCV": "`GridSearchCV`, 5 folds"}
    for name, told in rows.items():
        classes, regression = errors(name)
        assert f"| {told} | {classes} % | {regression} % |" in text


@pytest.mark.parametrize(("features", "seed"), [(5, 1), (20, 0)])
def test_errors_of_single_precision(features, seed):
    """The two that are largest, of two numbers of features and two seeds."""
    assert SINGLE in page(ENGINES)
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(3000, features))
    y = X[:, 0] + 0.5 * rng.normal(size=3000) > 0
    criteria = ["sm", "ckta", "kta", "ks"]
    exact, single = (
        kw.score_kernels(X, y, grids.gaussian(), criteria, engine=engine).table
        for engine in (Tiled(), Tiled(dtype="float32"))
    )
    worst = {n: np.abs(np.array(single[n]) / np.array(exact[n]) - 1.0).max() for n in criteria}
    assert worst.pop("sm") < 2e-6 and max(worst.values()) < 2e-7
