"""The page of the leaderboard: protocol, verdict, and a table per task and setting."""

from collections.abc import Sequence

import numpy as np
from scipy.stats import gmean

from kernelwise.selection.cascade import AUTO_RIDGES
from kernelwise_papers.datasets import PAIRS
from kernelwise_papers.experiment import Line
from kernelwise_papers.leaderboard.entrants import (
    BEST,
    BOOSTING,
    CHOSEN,
    DEFAULT,
    DESIGNED_ON,
    DUPLICATES,
    ENTRANTS,
    FIXED,
    FOREST,
    GRID,
    LEFT_OUT,
    LIGHTGBM,
    MEDIAN,
    MODELS,
    RELATIVE,
    RKS,
    ROWS,
    SAME_WIDTHS,
    SCALE,
    STACK,
    entrants,
    sets,
)
from kernelwise_papers.leaderboard.models import TREES
from kernelwise_papers.leaderboard.panel import Panel, panels
from kernelwise_papers.leaderboard.ranks import Row, is_beaten, verdict
from kernelwise_papers.leaderboard.trial import TRAIN_SHARE
from kernelwise_papers.markdown import not_run, span, table
from kernelwise_papers.significance import LEVEL
from kernelwise_papers.tables.table import WIDTHS


def page(key: str, title: str, lines: Sequence[Line]) -> str:
    """Return protocol, verdict, figure and a table per task and setting."""
    found = panels(lines)
    parts = [
        *_protocol(lines),
        "",
        "## The library's default",
        "",
        *_verdicts(found),
        "",
        f"![Mean ranks and critical differences]({key}.svg)",
        "",
        "Mean ranks, the best on the left; a bar joins entrants that Nemenyi's test cannot "
        "tell apart. The default is coloured.",
        "",
        *_reading(lines),
        *(line for panel in found for line in _table(panel)),
        *(line for panel in found if panel.setting == CHOSEN for line in _by_set(panel)),
    ]
    return "\n".join(parts)


def _protocol(lines: Sequence[Line]) -> list[str]:
    errors = [line for line in lines if line["quantity"] == "error" and line["setting"] == FIXED]
    counts = np.unique([line["dataset"] for line in errors], return_counts=True)[1]
    facts = {line["dataset"]: line for line in errors}
    used = {n: int(f["train"]) + int(f["test"]) for n, f in facts.items()}
    rows = {n: int(f["available"]) for n, f in facts.items()}
    capped = [f"{n} {used[n]:,} of {rows[n]:,}" for n in facts if used[n] < rows[n]]
    pairs = [f"{n} ({a} and {b})" for n, (a, b) in PAIRS.items() if n in facts]
    said = [
        f"- {len(facts)} data sets: those of the papers' tables and fourclass, each once. Left out "
        f"as duplicates: {'; '.join(f'{n} ({why})' for n, why in DUPLICATES.items())}.",
        f"- At most {ROWS:,} rows of a set, drawn once; capped: {', '.join(capped) or 'none'}.",
        f"- Random splits a set: {span(counts)}, {100 * TRAIN_SHARE:.0f} % of the rows for "
        "training, not stratified; features, and real targets, standardised by the training rows; "
        "gaps set to the median. Ranks and tests take the mean over the splits of a set as one "
        "observation.",
        "- Two classes: LSSVM with bias, misclassified test rows in percent. Real targets: kernel "
        "ridge regression with bias, mean square error in percent of the variance of the test "
        "target.",
        f"- Candidates: the papers' {len(WIDTHS)} Gaussian widths, `{WIDTHS[-1]}` to "
        f"`{WIDTHS[0]}`. "
        f"`{DEFAULT}` makes its own grid from the data.",
        f"- _{FIXED}_: the papers' setting, K + I. _{CHOSEN}_: one of "
        f"{', '.join(f'{r:g}' for r in AUTO_RIDGES)}. A criterion that can choose the ridge "
        "chooses both at once; another chooses the kernel at ridge 1, and leave-one-out (squared "
        "hinge, or press on real targets) the ridge.",
    ]
    if pairs:
        said.append(f"- Two classes of sets with more: {', '.join(pairs)}.")
    return [*said, *not_run(sets(), facts)]


def _verdicts(found: Sequence[Panel]) -> list[str]:
    """Return the verdict on the default: all contests at once, then one by one."""
    if not found:
        return ["Nothing can be said: no task has results on two data sets."]
    beaten = [panel.title for panel in found if is_beaten(panel.contest)]
    best = "the best entrant"
    if not beaten:
        overall = f"**The default is not significantly worse than {best} in any contest.**"
    else:
        overall = (
            f"**The default is significantly worse than {best}, by one test or the other, in "
            f"{len(beaten)} of {len(found)} contests: {'; '.join(beaten)}.**"
        )
    said = [
        f"{overall} Not being found worse is no proof of being as good: with this many entrants "
        "the critical difference is wide, and few sets tell little.",
    ]
    for panel in found:
        said += ["", f"**{panel.title}.** {' '.join(verdict(panel.contest))}{_unseen(panel)}"]
    return said


def _unseen(panel: Panel) -> str:
    """Say how much of a contest the default was made on, and how it does on the rest."""
    if panel.task == "regression":
        return " The default was chosen by its errors on these sets, on other splits."
    new = [i for i, name in enumerate(panel.sets) if name not in DESIGNED_ON]
    seen = len(panel.sets) - len(new)
    text = f" The default was chosen by its errors on {seen} of these sets, on other splits."
    if not new:
        return text
    contest = panel.contest
    mean = contest.ranks[new].mean(axis=0)
    ours = mean[contest.names.index(contest.reference)]
    place = 1 + int((mean < ours).sum())
    return (
        f"{text} On the others ({', '.join(panel.sets[i] for i in new)}) its mean rank is "
        f"{ours:.1f}, place {place}; the lowest is {mean.min():.1f} "
        f"({contest.names[int(mean.argmin())]})."
    )


def _reading(lines: Sequence[Line]) -> list[str]:
    left_out = ", ".join(f"`{name}` ({why})" for name, why in LEFT_OUT.items())
    return [
        "## All entrants",
        "",
        "By mean rank. _Near best_: Nemenyi's test does not tell it from the lowest mean rank. "
        "_Against the default_: sets with a lower, equal and higher error, and the p of Wilcoxon's "
        f"test by Holm's rule, bold below {LEVEL:g}, with + where the entrant is the better one. "
        "_CPU s_: processor seconds of the choice alone, one thread, on the first split, from the "
        f"data on, mean over the sets; _speed_: how many times faster than `{GRID}`, geometric "
        "mean over the sets. Errors in percent. Entrants that mostly agree share each other's "
        "ranks.",
        "",
        "- Criteria have the library's default parameters, those in brackets aside; trade-off "
        "parameters are fixed, where some of the papers choose them by cross-validation. LOO is "
        "exact leave-one-out (`ELOO`), LML what a Gaussian process maximises (amplitude 1, labels "
        "as ±1). Span is an estimate for the support vector machine, and judges a machine other "
        f"than the one fitted here. Left out: {left_out}.",
        f"- _{MEDIAN}_: the width is the median distance; _{SCALE}_: scikit-learn's default. "
        f"`{GRID}`: five folds as scikit-learn makes them, over the same candidates, mean squares "
        "for real targets. Its errors come from exact folds without refits, its time from "
        "scikit-learn's own search with `LSSVC` or `KRR`.",
        f"- `{SAME_WIDTHS}`: the default on the same candidates. _{BEST}_: the candidate with the "
        "lowest error on the test rows, which nobody knows; _constant_: the larger class, or the "
        "mean. Neither has a rank.",
        f"- _{RELATIVE}_: kernel stability over the largest eigenvalue "
        "([why](../../docs/widths.md)); of our making, not the paper's. It joined later, on the "
        f"same splits; its times were measured beside {RKS} and are given in units of the earlier "
        f"time of {RKS}.",
        *_of_models(),
        *_without_rank(lines),
        "",
    ]


def _without_rank(lines: Sequence[Line]) -> list[str]:
    """Name those who have joined but have not been run on every split: they have no rank yet."""
    said = []
    for name in ENTRANTS:
        asked = [
            line
            for line in lines
            if line["quantity"] == "error" and name in entrants(line["task"], line["setting"])
        ]
        done = sum(bool(line.get(name)) for line in asked)
        if 0 < done < len(asked):
            said.append(
                f"- _{name}_ has no rank yet: {done:,} of its {len(asked):,} errors are known, "
                "and a rank takes all of them."
            )
    return said


def _of_models() -> list[str]:
    return [
        f"- `{STACK}`, _{FOREST}_ ({TREES} trees), _{BOOSTING}_ "
        f"(`HistGradientBoosting`) and _{LIGHTGBM}_ are whole models with their default "
        "parameters, where the others choose a Gaussian width and a ridge; their time is that of "
        "the fit. They joined later, on the same splits; their times were measured beside "
        f"`{DEFAULT}` and are given in units of its earlier time."
    ]


def _table(panel: Panel) -> list[str]:
    """Return the entrants of one contest from the best to the worst, as a table."""
    contest = panel.contest
    heads = ["", "entrant", "mean error", "mean rank", "near best", "against the default", "p"]
    heads += ["CPU s", "speed"]
    rows = []
    for row in contest.rows:
        name = f"**`{row.name}`**" if row.name == contest.reference else row.name
        near = "yes" if row.is_near_best else "no"
        cells = [str(contest.place(row.name)), name, f"{row.error:.4g}", f"{row.rank:.2f}", near]
        rows.append([*cells, *_tested(row), *_times(panel, row.name)])
    for name, errors in panel.beside.items():
        rows.append(["", f"_{name}_", f"{errors.mean():.4g}", *[""] * 6])
    lines = [f"### {panel.title}", "", *table(heads, rows)]
    gaps = [f"{name} {count}" for name, count in panel.undefined.items() if count]
    if gaps:
        lines += [
            "",
            "Undefined for every kernel, and given the error of the constant, on so many splits: "
            f"{', '.join(gaps)}.",
        ]
    return [*lines, ""]


def _tested(row: Row) -> list[str]:
    """Return an entrant's sets won and lost, and its p."""
    if np.isnan(row.p):
        return ["", ""]
    p = f"{row.adjusted:.2g}"
    if row.adjusted < LEVEL:
        p = f"**{p}**{' +' if row.is_better else ''}"
    return [f"{row.wins} / {row.ties} / {row.losses}", p]


def _times(panel: Panel, name: str) -> list[str]:
    """Return an entrant's mean time and how many times faster than grid search it is."""
    ours, search = panel.seconds[name], panel.seconds[GRID]
    known = np.isfinite(ours) & np.isfinite(search)
    if not known.any():
        return ["–", "–"]
    return [f"{ours[known].mean():.3g}", speed(panel, name)]


def speed(panel: Panel, name: str) -> str:
    """Return how many times faster than grid search an entrant is, geometric mean over the sets."""
    ratios = panel.seconds[GRID] / panel.seconds[name]
    faster = float(f"{gmean(ratios[np.isfinite(ratios)]):.3g}")  # no powers of ten in a table
    return f"{faster:,g}"


def _by_set(panel: Panel) -> list[str]:
    """Return the errors of a few entrants on every set."""
    contest = panel.contest
    loo = "LOO (press)" if panel.task == "regression" else "LOO (squared hinge)"
    asked = [STACK, contest.reference, SAME_WIDTHS, loo, GRID, MEDIAN, *MODELS[1:]]
    names = [name for name in asked if name in contest.names]
    rows = []
    for i, name in enumerate(panel.sets):
        errors = [contest.errors[i, contest.names.index(n)] for n in names]
        errors += [beside[i] for beside in panel.beside.values()]
        rows.append([name, *(f"{error:.4g}" for error in errors)])
    heads = ["set", *names, *panel.beside]
    return [f"### {panel.title}: errors set by set", "", *table(heads, rows), ""]
