"""Pages and documentation say what the files of results say."""

import re
from pathlib import Path

import pytest

from helpers import assert_same_text
from kernelwise_papers import datasets, runner
from kernelwise_papers.catalog import EXPERIMENTS
from kernelwise_papers.experiment import Effort
from kernelwise_papers.papers.tables import TABLES
from kernelwise_papers.publish import page_text, write_index
from kernelwise_papers.tables.comparison import Results, compare

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "papers" / "pages"
WRITTEN = sorted(key for key in EXPERIMENTS if (PAGES / f"{key}.md").is_file())


@pytest.fixture
def with_data():
    """Pages tell what is special about the data, so that these must be there."""
    try:
        datasets.folder()
    except datasets.NoData:
        pytest.skip("pages describe the data sets, which are not on this machine")


def found(key):
    return runner.read(runner.results_path(EXPERIMENTS[key], PAGES, Effort()))


@pytest.mark.parametrize("key", WRITTEN)
def test_pages_are_made_from_results(key, with_data):
    made = page_text(EXPERIMENTS[key], found(key), Effort())
    assert_same_text(made, (PAGES / f"{key}.md").read_text())


@pytest.mark.parametrize("key", WRITTEN)
def test_every_page_shows_its_figure(key):
    assert f"({key}.svg)" in (PAGES / f"{key}.md").read_text()
    assert (PAGES / f"{key}.svg").is_file()


def test_the_index_is_made_too(tmp_path):
    (tmp_path / "results").mkdir()
    for path in [*PAGES.glob("*.md"), *PAGES.glob("results/*.csv")]:
        (tmp_path / path.relative_to(PAGES)).write_bytes(path.read_bytes())
    made = write_index(list(EXPERIMENTS.values()), tmp_path)
    assert_same_text(made.read_text(), (PAGES / "index.md").read_text())


@pytest.mark.parametrize("key", WRITTEN)
def test_a_part_of_the_results_has_a_page_too(key, with_data):
    """One repetition on one set, as someone has who stops a run."""
    lines = found(key)
    some = [line for line in lines if line["dataset"] == lines[0]["dataset"]]
    some = [line for line in some if line["repetition"] == some[0]["repetition"]]
    experiment = EXPERIMENTS[key]
    assert experiment.summary(some) and experiment.headline(some)
    assert f"({key}.svg)" in page_text(experiment, some, Effort(rows=50)).replace("-50-rows", "")
    assert experiment.figure(some)


PAPER_ROWS = [
    line for line in (ROOT / "docs" / "papers.md").read_text().split("\n") if line[:1] == "|"
]
IN_PAPERS = [key for key in TABLES if any(f"/{key}.md)" in row for row in PAPER_ROWS)]


@pytest.mark.parametrize("key", IN_PAPERS)
def test_counts_in_the_documentation(key):
    """Every "column count" of a table's row; variants of a column stand in brackets."""
    [row] = [row for row in PAPER_ROWS if f"/{key}.md)" in row]
    results = Results.of(TABLES[key], found(key))
    said = re.findall(
        r"(?<![\w-])([A-Z0-9-]+(?: as printed)?):? (\d+)(?=[,| ()])", row.split("|", 2)[2]
    )
    assert said
    for words, count in said:
        criterion, *variant = words.split(" ", 1)
        column = f"{criterion} ({variant[0]})" if variant else criterion
        cells = [c for c in compare(results, {criterion: column}) if c.column == column]
        assert sum(cell.is_loose for cell in cells) == int(count), words


def test_the_leaderboard_in_the_documentation():
    from kernelwise_papers.leaderboard.entrants import CHOSEN
    from kernelwise_papers.leaderboard.page import speed
    from kernelwise_papers.leaderboard.panel import panels

    chosen = [panel for panel in panels(found("leaderboard")) if panel.setting == CHOSEN]
    rows = [row for row in PAPER_ROWS if row.count("|") == 7 and row.rstrip().endswith("|")]
    names = [row.split("|")[1].strip().strip("`") for row in rows]
    told = [name for name in names if name in chosen[0].contest.names]
    assert len(told) == 9
    for name in told:
        cells = [
            text
            for panel in chosen
            for row in [panel.contest.row(name)]
            for text in (f"{row.error:.2f} %", f"{row.rank:.2f}")
        ]
        faster = ", ".join(speed(panel, name) for panel in chosen)
        [line] = [row for row in rows if row.split("|")[1].strip().strip("`") == name]
        assert_same_text(f" {' | '.join([*cells, faster])} |", line.split("|", 2)[2])
