"""Tables of the pages are those of the files that benchmarks write; links lead somewhere."""

import json
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def saved(name):
    return json.loads((ROOT / "benchmarks" / f"{name}.json").read_text())


def strategies():
    """Error, difference and ratio of times of every strategy."""
    for name in ("default_choice", "default_choice_svm"):
        for found in list(saved(name).values())[1:]:
            ratio = found["ratio of times"]
            yield f"| {found['error']:.2f} % | {_difference(found)} | {ratio:.1f} |"


def _difference(found):
    mean, error = found["difference"], found["its standard error"]
    return f"{mean:+.2f} ± {error:.2f}" if mean < 10.0 else f"{mean:+.1f} ± {error:.1f}"


def models_beside_the_stack():
    parts = [("default_choice_stack", "summary"), ("stack", "classes, summary")]
    for name, part in [*parts, ("stack", "regression, summary")]:
        for model, found in saved(name)[part].items():
            yield f"| {model} | {' | '.join(_of_model(model, found))} |"
    for found in saved("stack")["together"].values():
        yield f"| {100 * found['relative']:+.1f} % | {_sets(found)} | {found['p']:.2g} |"


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


def times_of_the_stack():
    """By the number of rows: least, mean and greatest ratio, and those of others."""
    for size, found in saved("stack")["time, summary"].items():
        stack = found["KernelStack()"]
        cells = [
            f"{int(size):,}",
            f"{found['KernelSelector()']['cpu']:.2f} s",
            f"{stack['to the single kernel']:.1f} ({stack['least']:.1f} to {stack['most']:.1f})",
        ]
        for name in ("random forest, 500 trees", "histogram boosting", "LightGBM"):
            cells.append(f"{found[name]['to the stack']:.2g}")
        search = found.get("GridSearchCV(SVC)")
        cells.append("" if search is None else f"{search['to the stack']:.1f}")
        yield f"| {' | '.join(cells)} |"


def picks():
    """By set, the loss of the picks over the best, mean and worst, by the number of rows."""
    found = saved("picks")
    for name in {pick["set"] for pick in found}:
        cells = []
        for rows in (2000, 4000, 6000, 8000):
            own = [p["ratio"] for p in found if (p["set"], p["rows"]) == (name, rows)]
            cells.append(f"{sum(own) / len(own):.3f} ({max(own):.3f})" if own else "")
        yield f"| {name} | {' | '.join(cells)} |"


def rows_of_the_gradient():
    for rows, mean in saved("relevance_rows")["mean"].items():
        error, lost, most = mean["error"], mean["lost"], mean["most lost"]
        yield f"| {rows} | {error:.2f} % | {lost:+.2f} | {most:+.2f} |"


def messy_tables():
    """By pipeline the mean error on plain tables and on those that people write."""
    means = saved("messy_tables")["means"]
    for name in ("kernelwise", "skrub, gradient boosting", "skrub, then KernelSelector"):
        plain, messy = (means[f"{name}, {kind}"] for kind in ("clean", "messy"))
        yield f"| {plain:.1f} | {messy:.1f} |"


def views():
    """By method its error, and in brackets the share of the weight on the two views."""
    found = saved("views")
    for method in next(iter(found.values())):
        cells = [setting.get(method) for setting in found.values()]
        yield f"| {' | '.join(f'{c[0]:.1f} ({c[1]:.0f})' if c else '–' for c in cells)} |"


def rare_classes():
    found = saved("imbalance")
    sets = found.pop("sets")
    del found["seeds"]
    for name, strategy in found.items():
        yield f"| `{name}` | {strategy['balanced accuracy']:.2f} |"
    shown = [list(found)[i] for i in (0, 1, 2, 4)]
    for each in sets:
        cells = [found[name]["of sets"][each] for name in shown]
        numbers = " | ".join(f"{c['mean']:.1f} ± {c['standard error']:.1f}" for c in cells)
        yield f"| {each} | {numbers} |"


def threads():
    """By rows the seconds with one thread and with two."""
    found = saved("threads")
    for rows in (300, 600, 1000, 1500, 2000, 3000):
        key = f"KernelSelector().fit, {rows} rows, {{}}: wall seconds"
        one, two = (found[key.format(threads)] for threads in ("one", "all"))
        yield f"| {rows:,} | {one:.2f} | {two:.2f} |"


TABLES = [
    ("measured", strategies),
    ("measured", models_beside_the_stack),
    ("measured", times_of_the_stack),
    ("measured", picks),
    ("relevance", rows_of_the_gradient),
    ("command_line", messy_tables),
    ("views", views),
    ("imbalance", rare_classes),
    ("engines", threads),
]


@pytest.mark.parametrize(("page", "rows"), TABLES, ids=lambda given: getattr(given, "__name__", ""))
def test_a_table_has_the_numbers_of_its_file(page, rows):
    text = (ROOT / "docs" / f"{page}.md").read_text()
    plain = text.replace("`", "")
    for row in rows():
        assert row in text or row in plain, row


README = (ROOT / "README.md").read_text()
PAGES = [".", "docs", "docs/papers", "examples", "papers", "papers/pages"]
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
