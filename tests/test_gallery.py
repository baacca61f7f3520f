"""Every script of the gallery runs, on fewer rows than the site shows, and draws a figure."""

import ast
import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "examples" / "gallery"
SCRIPTS = sorted(FOLDER.glob("plot_*.py"))
# Constants at the top of a script, and what they are here.
SMALL = {
    "plot_cluster": {"ROWS": 300, "PROCESSES": False},
    "plot_fidelity_kernel": {"ROWS": 60},
    "plot_graph_kernel": {"GRAPHS": 30},
    "plot_groups": {"PATIENTS": 30},
    "plot_many_rows": {"ROWS": 1000},
    "plot_paper_table": {"SPLITS": 1},
    "plot_replace_grid_search": {"ROWS": 100},
    "plot_spectral_clustering": {"ROWS": 120, "LABELLED": 40},
    "plot_stack_and_forest": {"SPLITS": 1, "TREES": 4},
    "plot_two_samples": {"ROWS": 60, "SHUFFLES": 10},
}

NEEDS = {"plot_cluster": "dask.array"}


def smaller(path):
    """Return the code of a script with its constants replaced."""
    code = path.read_text()
    for name, value in SMALL.get(path.stem, {}).items():
        code, found = re.subn(rf"^{name} = .*$", f"{name} = {value}", code, flags=re.MULTILINE)
        assert found == 1, f"{path.name} has no constant {name}"
    return code


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
@pytest.mark.filterwarnings("ignore:FigureCanvasAgg is non-interactive")
def test_a_script_runs_and_draws(path, monkeypatch):
    pytest.importorskip("matplotlib").use("agg")
    import matplotlib.pyplot as plt

    if path.stem in NEEDS:
        pytest.importorskip(NEEDS[path.stem])
    monkeypatch.chdir(path.parent)
    plt.close("all")
    exec(compile(smaller(path), path, "exec"), {"__name__": "__main__"})
    figures = [plt.figure(number) for number in plt.get_fignums()]
    assert figures and all(figure.axes for figure in figures)
    plt.close("all")


@pytest.mark.filterwarnings("ignore:FigureCanvasAgg is non-interactive")
def test_the_script_of_the_guide_runs():
    pytest.importorskip("matplotlib").use("agg")
    import matplotlib.pyplot as plt

    page = (FOLDER.parents[1] / "docs" / "add_a_script.md").read_text()
    [code] = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    title, line, *_ = ast.get_docstring(ast.parse(code)).split("\n")
    assert set(line) == {"="} and len(line) >= len(title)
    exec(compile(code, "add_a_script.md", "exec"), {"__name__": "__main__"})
    assert plt.get_fignums()
    plt.close("all")


def test_every_script_is_listed_and_introduced():
    listed = re.findall(r"\]\(gallery/(plot_\w+\.py)\)", (FOLDER.parent / "README.md").read_text())
    assert sorted(listed) == [path.name for path in SCRIPTS]
    assert len(SCRIPTS) >= 15
    for path in SCRIPTS:
        title, line, _, *words = ast.get_docstring(ast.parse(path.read_text())).split("\n")
        assert set(line) == {"="} and len(line) >= len(title) and words
