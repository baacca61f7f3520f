"""From a file of results to what a person reads: page, figure, summary, index."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from kernelwise._files import replacing
from kernelwise_papers.experiment import Effort, Experiment, Line
from kernelwise_papers.markdown import PUBLISHED_NUMBERS, table
from kernelwise_papers.reproduced import section
from kernelwise_papers.runner import capped, read, results_path

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
    _write(page, page_text(experiment, lines, effort))
    _draw(experiment, lines, figure)
    return Published(page, figure, experiment.summary(lines))


def page_text(experiment: Experiment, lines: Sequence[Line], effort: Effort) -> str:
    """Return a page: title, the file it is made from and the command, then what came out."""
    cap = capped(effort)
    made = f"Made from `results/{experiment.source}{cap}.csv`"
    command = _command(experiment, lines, effort)
    head = [f"# {experiment.title}", "", f"{made} by `{command}`; do not edit."]
    if effort.rows is not None:
        head += ["", f"A quick look: at most {effort.rows} rows of every data set."]
    text = experiment.page(lines).replace(f"({experiment.key}.svg)", f"({experiment.key}{cap}.svg)")
    return "\n".join([*head, "", text.rstrip("\n"), ""])


def _command(experiment: Experiment, lines: Sequence[Line], effort: Effort) -> str:
    """Return what gives these results, a few data sets more or less."""
    words = ["kernelwise", "reproduce", experiment.key, "--out", "papers/pages"]
    last = max(int(line["repetition"]) for line in lines)
    repetitions = 1 + last - experiment.first_repetition
    if repetitions != experiment.repetitions:
        words += ["--repetitions", str(repetitions)]
    if effort.rows is not None:
        words += ["--rows", str(effort.rows)]
    return " ".join(words)


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
        f"is this one. What was published stands in [`published/`]({PUBLISHED_NUMBERS}README.md), "
        "with how it was typed and checked; whether the papers' claims of significance follow from "
        f"it, in [significance.md]({PUBLISHED_NUMBERS}significance.md).",
        "",
    ]
    rows = []
    for experiment in experiments:
        page = folder / f"{experiment.key}.md"
        found = read(results_path(experiment, folder, Effort()))
        if page.is_file() and found:
            rows.append([f"[{experiment.title}]({page.name})", experiment.headline(found)])
    others = [p for p in ("data.md",) if (folder / p).is_file()]
    lines += [*_columns(experiments, folder), "## Pages", ""]
    lines += table(["page", "what came out"], rows)
    lines += ["", *(f"- [{_title(folder / p)}]({p})" for p in others)]
    path = folder / INDEX
    _write(path, "\n".join(lines) + "\n")
    return path


def _columns(experiments: Sequence[Experiment], folder: Path) -> list[str]:
    """Return how many columns are reproduced, of the tables whose protocol the digits support."""
    by_key = {experiment.key: experiment for experiment in experiments}

    def lines_of(key: str) -> list[Line]:
        found = by_key.get(key)
        return [] if found is None else read(results_path(found, folder, Effort()))

    return section(lines_of)


def _title(path: Path) -> str:
    return path.read_text().split("\n", 1)[0].removeprefix("# ")
