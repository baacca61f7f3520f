"""Numbers in the documentation are those of the files that benchmarks write."""

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROWS = [
    line
    for line in (ROOT / "docs" / "measured.md").read_text().split("\n")
    if line.startswith("| ")
]


@pytest.mark.parametrize("name", ["default_choice", "default_choice_svm"])
def test_strategies(name):
    """Error, difference and ratio of times of every strategy stand in one row."""
    found = json.loads((ROOT / "benchmarks" / f"{name}.json").read_text())
    for strategy in list(found.values())[1:]:
        cells = (
            f"| {strategy['error']:.2f} % | {_difference(strategy)} | "
            f"{strategy['ratio of times']:.1f} |"
        )
        assert sum(row.endswith(cells) for row in ROWS) == 1, cells


def _difference(strategy):
    mean, error = strategy["difference"], strategy["its standard error"]
    return f"{mean:+.2f} ± {error:.2f}" if mean < 10.0 else f"{mean:+.1f} ± {error:.1f}"
