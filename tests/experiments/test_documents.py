"""Pages and README say what the files of results say."""

import re
from pathlib import Path

import pytest

from kernelwise.experiments import datasets, runner
from kernelwise.experiments.catalog import EXPERIMENTS
from kernelwise.experiments.experiment import Effort
from kernelwise.experiments.papers.tables import TABLES
from kernelwise.experiments.publish import write_index
from kernelwise.experiments.tables.comparison import Results, compare

ROOT = Path(__file__).parents[2]
PAPERS = ROOT / "docs" / "papers"
WRITTEN = sorted(key for key in EXPERIMENTS if (PAPERS / f"{key}.md").is_file())


@pytest.fixture
def with_data():
    """Pages tell what is special about the data, so that these must be there."""
    try:
        datasets.folder()
    except datasets.NoData:
        pytest.skip("pages describe the data sets, which are not on this machine")


def found(key):
    return runner.read(runner.results_path(EXPERIMENTS[key], PAPERS, Effort()))


@pytest.mark.parametrize("key", WRITTEN)
def test_pages_are_made_from_results(key, with_data):
    assert EXPERIMENTS[key].page(found(key)) == (PAPERS / f"{key}.md").read_text()


@pytest.mark.parametrize("key", WRITTEN)
def test_every_page_shows_its_figure(key):
    assert f"({key}.svg)" in (PAPERS / f"{key}.md").read_text()
    assert (PAPERS / f"{key}.svg").is_file()


def test_the_index_is_made_too(tmp_path):
    (tmp_path / "results").mkdir()
    for path in [*PAPERS.glob("*.md"), *PAPERS.glob("results/*.csv")]:
        (tmp_path / path.relative_to(PAPERS)).write_bytes(path.read_bytes())
    made = write_index(list(EXPERIMENTS.values()), tmp_path)
    assert made.read_text() == (PAPERS / "index.md").read_text()


@pytest.mark.parametrize("key", sorted(set(TABLES) & set(WRITTEN)))
def test_counts_in_the_readme(key):
    rows = [line for line in (ROOT / "README.md").read_text().split("\n") if line[:1] == "|"]
    lines = [row for row in rows if f"/{key}.md)" in row]
    if not lines:
        pytest.skip("the README has no row of this table")
    results = Results.of(TABLES[key], found(key))
    for column, count in re.findall(
        r"(?<![\w-])([A-Z0-9-]+) (\d+)(?=[,| (])", lines[0].split("|", 2)[2]
    ):
        cells = [c for c in compare(results) if c.published.criterion == column]
        assert sum(cell.is_loose for cell in cells) == int(count), column
