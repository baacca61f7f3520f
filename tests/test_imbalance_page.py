"""Numbers on the page about rare classes are those of the file that the benchmark writes."""

import json
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_measured_numbers():
    found = json.loads((ROOT / "benchmarks" / "imbalance.json").read_text())
    lines = (ROOT / "docs" / "imbalance.md").read_text().split("\n")
    sets, seeds = found.pop("sets"), found.pop("seeds")
    assert any(
        f"{len(sets)} real sets" in line and f"{seeds} random seeds" in line for line in lines
    )
    for name, strategy in found.items():
        assert any(
            line.startswith(f"| `{name}` | {strategy['balanced accuracy']:.2f} |") for line in lines
        ), name
    shown = [list(found)[i] for i in (0, 1, 2, 4)]
    for each in sets:
        cells = [found[name]["of sets"][each] for name in shown]
        numbers = " | ".join(f"{c['mean']:.1f} ± {c['standard error']:.1f}" for c in cells)
        assert f"| {each} | {numbers} |" in lines


def test_the_balanced_choice_is_at_least_as_good_as_a_grid_search():
    found = json.loads((ROOT / "benchmarks" / "imbalance.json").read_text())
    for name, strategy in found.items():
        if name.startswith("KernelSelector(LSSVC") and "balanced" in name:
            assert strategy["difference"] > 2.0 * strategy["its standard error"]
