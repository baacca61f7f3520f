"""The page and the figure of the run times."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from kernelwise_papers import publications
from kernelwise_papers.experiment import Line
from kernelwise_papers.markdown import not_run, span, table
from kernelwise_papers.papers.run_times.times import (
    BY_HAND,
    CRITERIA,
    KINDS,
    LIBRARY,
    MUCH,
    OTHERS,
    OURS,
    PUBLISHED,
    PUBLISHED_TIMES,
    Times,
    agreeing,
    all_times,
    correlation,
    mean,
    order,
    ratios,
    rows_of,
    sm_first,
)
from kernelwise_papers.papers.sm import SM_TABLE2
from kernelwise_papers.tables.split import KERNEL

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_TICKS = (20, 50, 100, 200, 500, 1000)  # rows


def page(key: str, title: str, lines: Sequence[Line]) -> str:
    """Return times relative to SM's, order, claims and seconds."""
    times = all_times(lines)
    parts = [
        *_protocol(lines, times),
        "",
        "![Time of every criterion relative to that of SM, against the number of training "
        f"rows: published, by hand, by the library]({key}.svg)",
        "",
        "## Times relative to SM",
        "",
        "Geometric means over the sets. The factor is our ratio over the published one, in "
        "brackets the smallest and the largest of all sets.",
        "",
        *_ratio_table(times),
        "",
        "## What holds",
        "",
        *_claims(times),
        "",
        "## Seconds",
        "",
        "Published, by hand, by the library.",
        "",
        *_seconds(times),
    ]
    return "\n".join(parts) + "\n"


def _protocol(lines: Sequence[Line], times: dict[str, Times]) -> list[str]:
    names, rows = list(times[PUBLISHED]), rows_of(lines).values()
    splits = len({line["repetition"] for line in lines})
    said = publications.protocol(PUBLISHED_TIMES)
    return [
        f"- {len(names)} data sets, training rows {span(rows)}, "
        f"{100 * SM_TABLE2.train_share:.0f} % of all, drawn {splits} times; the median counts.",
        *not_run(SM_TABLE2.datasets, names),
        "- Every criterion alone, from the standardised features to the chosen kernel, all kernel "
        "matrices included; processor seconds of one thread, after a first call that does not "
        "count.",
        "- By the library: `score_kernels` with the one criterion. By hand: the formula in numpy, "
        "each kernel matrix computed anew; CV trains five machines a kernel, ELOO inverts, ER "
        "takes all eigenvalues and trains once.",
        f"- Published: {said['quantity']} ({said['computer']}). Therefore only ratios within a row "
        "are compared.",
        "- "
        + "; ".join(_picks(lines))
        + ". FSM falls to zero, or to a plateau, as the width does, "
        "so that rounding decides among the narrowest.",
    ]


def _picks(lines: Sequence[Line]) -> list[str]:
    """Say how often both ways choose the same kernel, of every criterion."""
    picked = {
        kind: {
            (line["dataset"], line["repetition"]): line for line in lines if line["kind"] == kind
        }
        for kind in OURS
    }
    found = []
    for name in CRITERIA:
        column = KERNEL.format(name)
        same = sum(
            picked[BY_HAND][p][column] == picked[LIBRARY][p][column] for p in picked[BY_HAND]
        )
        found.append(f"{name} {same} of {len(picked[BY_HAND])}")
    return [f"Both ways choose the same kernel: {found[0]}", *found[1:]]


def _ratio_table(times: dict[str, Times]) -> list[str]:
    heads = ["time / time of SM", PUBLISHED, "by hand", "factor", "by the library", "factor"]
    rows = []
    for name in OTHERS:
        cells = [f"{mean(ratios(times[PUBLISHED], name)):.3g}"]
        for kind in OURS:
            cells += [f"{mean(ratios(times[kind], name)):.3g}", _factor(times, kind, name)]
        rows.append([name, *cells])
    return table(heads, rows)


def _factor(times: dict[str, Times], kind: str, name: str) -> str:
    """Return our ratio over the published one: mean, smallest and largest."""
    factors = ratios(times[kind], name) / ratios(times[PUBLISHED], name)
    return f"{mean(factors):.2f} ({factors.min():.2f} to {factors.max():.2f})"


def _claims(times: dict[str, Times]) -> list[str]:
    """Return what the paper says of its table, by stated rules, for every kind."""
    lines = [
        f"Much faster: the geometric mean of the ratios is at least {MUCH:g}. Comparable: it is "
        f"between 1/{MUCH:g} and {MUCH:g}. The order of the six criteria is compared set by set "
        "by Spearman's rank correlation with the published times.",
        "",
    ]
    tables = [times[kind] for kind in KINDS]
    rows: dict[str, Iterable[str]] = {}
    for name in ("CV", "ELOO", "ER"):
        held = [mean(ratios(seconds, name)) >= MUCH for seconds in tables]
        rows[f"SM is much faster than {name}"] = map(_yes, held)
    for name in ("CKTA", "FSM"):
        held = [1.0 / MUCH < mean(ratios(seconds, name)) < MUCH for seconds in tables]
        rows[f"SM is comparable with {name}"] = map(_yes, held)
    rows["ratios within that factor of the published"] = [
        agreeing(t, times[PUBLISHED]) for t in tables
    ]
    rows["sets on which SM is the quickest"] = map(sm_first, tables)
    rows["the order, from the quickest"] = map(order, tables)
    rows["rank correlation with the published order"] = [
        f"{correlation(t, times[PUBLISHED]):.2f}" for t in tables
    ]
    return lines + table(["", *KINDS], [[text, *cells] for text, cells in rows.items()])


def _yes(holds: bool) -> str:
    return "yes" if holds else "**no**"


def _seconds(times: dict[str, Times]) -> list[str]:
    rows = []
    for dataset in times[PUBLISHED]:
        cells = [
            " / ".join(_short(times[kind][dataset][name]) for kind in KINDS) for name in CRITERIA
        ]
        rows.append([dataset, *cells])
    return table(["set", *CRITERIA], rows)


def _short(seconds: float) -> str:
    return f"{seconds:.0f}" if seconds >= 100.0 else f"{seconds:.3g}"


def figure(lines: Sequence[Line]) -> "Figure":
    """Draw the times relative to SM's against the rows, a panel a kind."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import NullFormatter

    times, rows_by_set = all_times(lines), rows_of(lines)
    names = sorted(rows_by_set, key=lambda name: rows_by_set[name])
    rows = [rows_by_set[name] for name in names]
    drawn = Figure(figsize=(9.6, 3.2), layout="constrained")
    axes = drawn.subplots(1, len(KINDS), sharey=True)
    for ax, kind in zip(axes, KINDS, strict=True):
        seconds = {name: times[kind][name] for name in names}
        for criterion in OTHERS:
            ax.loglog(rows, ratios(seconds, criterion), "o-", ms=3, lw=0.8, label=criterion)
        ax.axhline(1.0, color="0.6", lw=0.8, zorder=0)
        ax.set_title(kind, fontsize=9)
        ax.tick_params(labelsize=7)
        ax.set_xlabel("training rows", fontsize=8)
        ax.set_xticks([t for t in _TICKS if min(rows) <= t <= max(rows)])
        ax.xaxis.set_major_formatter("{x:g}")
        ax.xaxis.set_minor_formatter(NullFormatter())
    axes[0].set_ylabel("time / time of SM", fontsize=8)
    axes[-1].legend(fontsize=7, frameon=False)
    return drawn
