"""From a file of results to what a person reads: page, figure, summary, index."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from kernelwise.experiments.experiment import Effort, Experiment, Line
from kernelwise.experiments.markdown import table
from kernelwise.experiments.runner import capped, read, results_path
from kernelwise.selection.persistence import replacing

INDEX = "index.md"


class Published(NamedTuple):
    """What was written of an experiment, and what came out of it."""

    page: Path
    figure: Path
    summary: str


def publish(experiment: Experiment, folder: Path, effort: Effort) -> Published:
    """Write page and figure of an experiment from its file of results."""
    lines = read(results_path(experiment, folder, effort))
    name = experiment.key + capped(effort)
    page, figure = folder / f"{name}.md", folder / f"{name}.svg"
    text = experiment.page(lines)
    if effort.rows is not None:
        text = _with_cap(text, experiment, effort)
    _write(page, text)
    _draw(experiment, lines, figure)
    return Published(page, figure, experiment.summary(lines))


def _with_cap(text: str, experiment: Experiment, effort: Effort) -> str:
    """Say on a page that the data sets were capped, and point to its own files."""
    own = experiment.key + capped(effort)
    source = experiment.source + capped(effort)
    text = text.replace(f"({experiment.key}.svg)", f"({own}.svg)")
    text = text.replace(f"results/{experiment.source}.csv", f"results/{source}.csv")
    title, rest = text.split("\n", 1)
    return f"{title}\n\nA quick look: at most {effort.rows} rows of every data set.\n{rest}"


def _draw(experiment: Experiment, lines: Sequence[Line], path: Path) -> None:
    """Draw a figure whose bytes depend on the results only."""
    from matplotlib import rc_context

    with rc_context({"svg.hashsalt": experiment.key}), replacing(path) as temporary:
        experiment.figure(lines).savefig(temporary, format="svg", metadata={"Date": None})


def _write(path: Path, text: str) -> None:
    with replacing(path) as temporary:
        Path(temporary).write_text(text)


def write_index(experiments: Sequence[Experiment], folder: Path) -> Path:
    """List the pages there are, with what came out in a line each."""
    lines = [
        "# The papers, reproduced",
        "",
        "Every page is made from a file in `results/` by the command it names; none is typed, nor "
        "is this one. What was published stands in `src/kernelwise/experiments/published/`, with "
        "how it was typed and checked.",
        "",
    ]
    rows = []
    for experiment in experiments:
        page = folder / f"{experiment.key}.md"
        found = read(results_path(experiment, folder, Effort()))
        if page.is_file() and found:
            rows.append([f"[{experiment.title}]({page.name})", experiment.headline(found)])
    others = [p for p in ("data.md",) if (folder / p).is_file()]
    lines += table(["page", "what came out"], rows)
    lines += ["", *(f"- [{_title(folder / p)}]({p})" for p in others)]
    path = folder / INDEX
    _write(path, "\n".join(lines) + "\n")
    return path


def _title(path: Path) -> str:
    return path.read_text().split("\n", 1)[0].removeprefix("# ")
