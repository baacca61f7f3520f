"""Numbers in the documentation are those of the files that benchmarks write."""

import json
import re
import tomllib
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
    found = saved(name)
    for strategy in list(found.values())[1:]:
        cells = (
            f"| {strategy['error']:.2f} % | {_difference(strategy)} | "
            f"{strategy['ratio of times']:.1f} |"
        )
        assert sum(row.endswith(cells) for row in ROWS) == 1, cells


def test_rows_of_the_gradient():
    page = (ROOT / "docs" / "relevance.md").read_text()
    found = json.loads((ROOT / "benchmarks" / "relevance_rows.json").read_text())["mean"]
    for rows, mean in found.items():
        cells = f"| {mean['error']:.2f} % | {mean['lost']:+.2f} | {mean['most lost']:+.2f} |"
        assert f"\n| {rows} {cells}\n" in page


def _difference(strategy):
    mean, error = strategy["difference"], strategy["its standard error"]
    return f"{mean:+.2f} ± {error:.2f}" if mean < 10.0 else f"{mean:+.1f} ± {error:.1f}"


def saved(name):
    return json.loads((ROOT / "benchmarks" / f"{name}.json").read_text())


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("default_choice_stack", "summary"),
        ("stack", "classes, summary"),
        ("stack", "regression, summary"),
    ],
)
def test_models_beside_the_stack(name, part):
    """Every model of a comparison has one row with its numbers."""
    for model, found in saved(name)[part].items():
        row = f"| {model} | {' | '.join(_of_model(model, found))} |"
        assert sum(told.replace("`", "") == row for told in ROWS) == 1, row


def _of_model(model, found):
    theirs, rank = found["the stack against it"], found["mean rank"]
    ours = ["", "", ""]
    if model != "KernelSelector()":
        ours = [f"{100 * found['relative']:+.1f} %", _sets(found), f"{found['p']:.2g}"]
    against = ["", ""] if model == "KernelStack()" else [_sets(theirs), f"{theirs['p']:.2g}"]
    rank = "" if rank is None else f"{rank:.2f}"
    # A member and another gate come with the stack, and have no time of their own.
    time = f"{found['ratio of times']:.1f}" if rank else ""
    return [f"{found['error']:.2f} %", *ours, rank, *against, time]


def _sets(found):
    return " / ".join(str(count) for count in found["better / equal / worse"])


def test_times_of_the_stack():
    """One row a number of rows: least, mean and greatest ratio, and those of others."""
    for size, found in saved("stack")["time, summary"].items():
        stack = found["KernelStack()"]
        cells = [
            f"{int(size):,}",
            f"{found['KernelSelector()']['cpu']:.2f} s",
            f"{stack['to the single kernel']:.1f} ({stack['least']:.1f} to {stack['most']:.1f})",
        ]
        cells += [
            f"{found[name]['to the stack']:.2g}"
            for name in ("random forest, 500 trees", "histogram boosting", "LightGBM")
        ]
        search = found.get("GridSearchCV(SVC)")
        cells.append("" if search is None else f"{search['to the stack']:.1f}")
        assert f"| {' | '.join(cells)} |" in ROWS, cells


def test_all_sets_together():
    for name, found in saved("stack")["together"].items():
        cells = f"| {100 * found['relative']:+.1f} % | {_sets(found)} | {found['p']:.2g} |"
        assert sum(row.endswith(cells) for row in ROWS) == 1, (name, cells)


def test_where_the_stack_is_worse():
    """The page names every set of the comparison on which the single kernel errs less."""
    text = (ROOT / "docs" / "measured.md").read_text()
    [told] = re.findall(r"\*\*Worse than the single kernel\*\*:\s([^;.]*(?:\.\d+[^;.]*)*)", text)
    found = {}
    for name, models in saved("default_choice_stack")["sets"].items():
        single, stack = (
            sum(models[who]["error"]) / len(models[who]["error"])
            for who in ("KernelSelector()", "KernelStack()")
        )
        if stack > single + 1e-9:
            found[name] = f"{name} ({single:.2f} to {stack:.2f} %)"
    assert " ".join(told.split()).strip() == ", ".join(found.values())


README = (ROOT / "README.md").read_text()


def test_the_readme_is_one_screen():
    assert README.count("\n") <= 120 and len(README.split()) <= 700


PAGES = [".", "docs", "docs/papers", "examples", "changes", "papers", "papers/pages"]
PAGES += ["papers/src/kernelwise_papers/published"]


def test_links_lead_somewhere():
    """Every link within the repository, with the heading that it names."""
    pages = [path for folder in PAGES for path in sorted((ROOT / folder).glob("*.md"))]
    assert len(pages) > 80
    for page in pages:
        text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if target.startswith(("http://", "https://")):
                continue
            path, _, heading = target.partition("#")
            found = (page.parent / path).resolve() if path else page
            assert found.exists(), f"{page.name}: {target}"
            if heading:
                assert heading in _anchors(found.read_text()), f"{page.name}: {target}"


def _anchors(text):
    """Return the anchors of a page's headings, as code hosts make them."""
    headings = re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE)
    return [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings]


def test_numbers_of_the_readme_stand_in_the_leaderboard():
    """Errors and speeds in the table of the README are those of the page that it cites."""
    papers = (ROOT / "docs" / "papers.md").read_text()
    rows = [line.split("|") for line in README.split("\n") if line.startswith("| ") and "%" in line]
    assert 2 <= len(rows) <= 6
    for _, _, classes, regression, speed, _ in rows:
        [row] = [line for line in papers.split("\n") if f"|{speed}|" in line and classes in line]
        assert regression in row


def test_a_package_index_gets_no_links_into_the_repository():
    """As the build does it, by the substitutions that pyproject.toml declares."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    hook = settings["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]
    text = README
    for step in hook["substitutions"]:
        text = re.sub(step["pattern"], step["replacement"], text)
    assert "](" not in text and "Questions" in text and "KernelSelector" in text


def test_messy_tables():
    """One row a pipeline: its mean error on plain tables and on those that people write."""
    page = (ROOT / "docs" / "command_line.md").read_text()
    means = saved("messy_tables")["means"]
    pipelines = {
        "kernelwise": "`kernelwise select --single`",
        "skrub, gradient boosting": "`tabular_pipeline`",
        "skrub, then KernelSelector": "its preparation",
    }
    for name, words in pipelines.items():
        plain, messy = (means[f"{name}, {kind}"] for kind in ("clean", "messy"))
        [row] = [line for line in page.split("\n") if line.startswith(f"| {words}")]
        assert row.endswith(f"| {plain:.1f} | {messy:.1f} |"), name


def test_synthetic_views():
    """One row a method: error, and in brackets the share of the weight on the two views."""
    page = (ROOT / "docs" / "views.md").read_text()
    settings = [f"noise {noise}, {kind}" for noise in (0.3, 0.4) for kind in ("classes", "numbers")]
    found = saved("views")
    assert list(found) == settings
    words = {"auto": "the default", "uniform": "equal weights", "best single": "best single kernel"}
    for method in found[settings[0]]:
        cells = [found[setting].get(method) for setting in settings]
        told = [f"{cell[0]:.1f} ({cell[1]:.0f})" if cell else "–" for cell in cells]
        assert f"\n| {words.get(method, method)} | {' | '.join(told)} |\n" in page, method


def test_picks():
    """One row a set: the loss of the picks over the best, mean and worst, by the number of rows."""
    picks = saved("picks")
    for name in {pick["set"] for pick in picks}:
        cells = []
        for rows in (2000, 4000, 6000, 8000):
            found = [p["ratio"] for p in picks if (p["set"], p["rows"]) == (name, rows)]
            cells.append(f"{sum(found) / len(found):.3f} ({max(found):.3f})" if found else "")
        assert any(row.startswith(f"| {name} | {' | '.join(cells)} |") for row in ROWS), name
