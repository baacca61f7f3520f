"""SM 2017, Remark 1: the hinge form of SM is about as accurate as its power form, but slower."""

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kernelwise._types import Array
from kernelwise.criteria import SM, SMHinge
from kernelwise.selection import score_kernels
from kernelwise_papers.experiment import Job, Line
from kernelwise_papers.markdown import holds, table
from kernelwise_papers.papers.remarks.parts import against, label, verdict
from kernelwise_papers.papers.sm import SM_TABLE2
from kernelwise_papers.tables.split import Part, outcomes, part_of
from kernelwise_papers.timing import cpu_seconds

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PART = "SM"  # how the lines of this remark are marked
FIELDS = ("form", "error", "seconds")  # that only they have
POWER, HINGE = "power, r = 3", "hinge, h = 0.01"
FORMS = {
    POWER: SM(r=3),
    "hinge, h = 0.001": SMHinge(0.001),
    HINGE: SMHinge(0.01),
    "hinge, h = 0.03": SMHinge(0.03),
    "hinge, h = 0.1": SMHinge(0.1),
}
HINGES = tuple(form for form in FORMS if form != POWER)
SM_TABLE = replace(SM_TABLE2, columns=dict(FORMS))
_FEW = 20  # rows
_TICKS, _TIMES = (20, 50, 100, 200, 500), (1, 2, 5, 10)  # on the axes
_TIMED = 3  # splits: a time varies less than an error
_SIMILAR_SHARE, _SIMILAR_ERROR = 0.75, 1.0  # of the sets; percent


def form_lines(job: Job) -> list[dict[str, Any]]:
    """Return, for every form, the kernel it picks, its test error and the time of the choice."""
    part = part_of(SM_TABLE, job)
    lines = []
    for found in outcomes(part, SM_TABLE):
        line = {"part": PART, "rows": part.targets.n, "form": found.column}
        line |= {"kernel": found.kernel, "error": f"{found.error:.5g}"}
        if found.column in (POWER, HINGE) and job.repetition < _TIMED:
            line["seconds"] = f"{form_seconds(found.column, part):.5g}"
        lines.append(line)
    return lines


def form_seconds(form: str, part: Part) -> float:
    """Return the processor's seconds of a form alone, from the data to all values."""

    def run(X: Array, y: Array) -> None:
        settings: dict[str, Any] = {"engine": "dense", "task": SM_TABLE.task, "progress": False}
        score_kernels(X, y, SM_TABLE.kernels, FORMS[form], **settings)

    few = part.X[:_FEW]
    cpu_seconds(lambda: run(few, np.arange(len(few)) % 2))  # loads what a first call loads
    return cpu_seconds(lambda: run(part.X, part.targets.y))


class Forms(NamedTuple):
    """Errors in percent by form and set, a number a split; seconds of two forms, rows by set."""

    errors: dict[str, dict[str, Array]]
    seconds: dict[str, dict[str, float]]
    rows: dict[str, int]

    @classmethod
    def of(cls, lines: Iterable[Line]) -> "Forms":
        """Sort the lines of a run."""
        errors: Any = defaultdict(lambda: defaultdict(list))
        seconds: Any = defaultdict(lambda: defaultdict(list))
        rows = {}
        for line in lines:
            if line["part"] != PART:
                continue
            form, name = line["form"], line["dataset"]
            rows[name] = int(line["rows"])
            errors[form][name].append(100.0 * float(line["error"]))
            if line["seconds"]:
                seconds[form][name].append(float(line["seconds"]))
        return cls(
            {form: {n: np.array(v) for n, v in found.items()} for form, found in errors.items()},
            {f: {n: float(np.median(v)) for n, v in row.items()} for f, row in seconds.items()},
            rows,
        )

    @property
    def slower(self) -> dict[str, float]:
        """The time of the hinge form over that of the power form, by set."""
        power, hinge = self.seconds[POWER], self.seconds[HINGE]
        return {name: hinge[name] / power[name] for name in power}

    def mean(self, form: str) -> float:
        """Return the mean error over the sets."""
        return float(np.mean([values.mean() for values in self.errors[form].values()]))

    def verdicts(self, form: str) -> list[int]:
        """Return, by set, 1 where a hinge form errs significantly more than the power form."""
        power = self.errors[POWER]
        return [verdict(values, power[name]) for name, values in self.errors[form].items()]


def _is_similar(forms: Forms, form: str) -> bool:
    verdicts = forms.verdicts(form)
    share = verdicts.count(0) / len(verdicts)
    return share >= _SIMILAR_SHARE and abs(forms.mean(form) - forms.mean(POWER)) < _SIMILAR_ERROR


def _growth(forms: Forms) -> float:
    """Return the power of the number of rows by which the ratio of the times grows."""
    slower = forms.slower
    rows = np.log([forms.rows[name] for name in slower])
    if np.ptp(rows) == 0.0:
        return math.nan
    return float(np.polyfit(rows, np.log(list(slower.values())), 1)[0])


def form_findings(forms: Forms) -> list[str]:
    """Return what holds, with the numbers it is judged by."""
    slower = np.array(list(forms.slower.values()))
    mean = np.exp(np.mean(np.log(slower)))
    similar = [form.split(", ")[1] for form in HINGES if _is_similar(forms, form)]
    return [
        "**Accuracy is similar** holds for "
        + (" and ".join(similar) or "no threshold")
        + f", of {len(HINGES)} tried.",
        f"**Power is much faster** {holds(bool(slower.min() > 1.0 and mean >= 2.0))}: the hinge "
        f"form takes {mean:.2g} times as long (geometric mean; {slower.min():.2g} to "
        f"{slower.max():.2g}), growing as the number of rows to the power {_growth(forms):.2f} "
        "(1 where only n³ against n² counts).",
    ]


def form_page(forms: Forms) -> list[str]:
    """Return the section on the remark: what was run, what holds, all numbers."""
    splits = max(values.size for values in forms.errors[POWER].values())
    return [
        "## SM 2017, Remark 1: the hinge form",
        "",
        '"The time cost of high degree form is O(n²), which is much faster than that of Hinge '
        'form. However, the accuracy of these two forms is similar, ..." The paper gives no '
        "numbers and no threshold h; eigenvalues are shares of the trace here, so that h is one "
        "too.",
        "",
        f"- {len(forms.rows)} sets of SM Table 2, {splits} random splits each, "
        f"{100 * SM_TABLE.train_share:.0f} % of the rows for training; least squares with bias, "
        f"ridge 1, {len(SM_TABLE.kernels)} Gaussian widths.",
        f"- Times: processor seconds of one thread, of each form alone from the data to the values "
        f"of all widths; medians of {_TIMED} splits.",
        "- Significant: paired t-test over the splits, two-sided, 95 %. Similar: not significantly "
        f"different on at least {100 * _SIMILAR_SHARE:.0f} % of the sets, and mean errors less "
        f"than {_SIMILAR_ERROR:g} percentage point apart. Much faster: on every set, and twice as "
        "fast in the geometric mean.",
        "",
        "What holds:",
        "",
        *(f"- {text}" for text in form_findings(forms)),
        "",
        *_form_table(forms),
        "",
        *_set_table(forms),
    ]


def _form_table(forms: Forms) -> list[str]:
    heads = ["form", "mean error %", "significantly better / worse than power", "similar"]
    rows = [[POWER, f"{forms.mean(POWER):.4g}", "", ""]]
    for form in HINGES:
        verdicts = forms.verdicts(form)
        counts = f"{verdicts.count(-1)} / {verdicts.count(1)} of {len(verdicts)}"
        similar = "yes" if _is_similar(forms, form) else "no"
        rows.append([form, f"{forms.mean(form):.4g}", counts, similar])
    best = [form for form in forms.errors if form not in FORMS]
    return table(heads, rows + [[form, f"{forms.mean(form):.4g}", "", ""] for form in best])


def _set_table(forms: Forms) -> list[str]:
    rows = []
    for name in (name for name in SM_TABLE.datasets if name in forms.rows):
        cells = [f"{forms.errors[form][name].mean():.4g}" for form in FORMS]
        cells += [f"{forms.seconds[form][name]:.3g}" for form in (POWER, HINGE)]
        rows.append([name, str(forms.rows[name]), *cells, f"{forms.slower[name]:.2g}"])
    note = "Mean test error in percent, and seconds, by set and training rows:"
    heads = ["set", "rows", *FORMS, "seconds, power", "seconds, hinge", "ratio"]
    return [note, "", *table(heads, rows)]


def draw_errors(ax: "Axes", forms: Forms) -> None:
    """Draw the errors of the two forms against each other, a point a set."""
    power, hinge = ([v.mean() for v in forms.errors[form].values()] for form in (POWER, HINGE))
    against(ax, power, hinge)
    label(ax, "SM: test error in %", POWER, HINGE)


def draw_times(ax: "Axes", forms: Forms) -> None:
    """Draw how much longer the hinge form takes, over the number of rows."""
    from matplotlib.ticker import NullFormatter

    slower = forms.slower
    ax.loglog([forms.rows[name] for name in slower], list(slower.values()), "o", ms=3)
    ax.axhline(1.0, color="0.6", lw=0.8, zorder=0)
    ax.set_xticks(_TICKS)
    ax.set_yticks(_TIMES)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter("{x:g}")
        axis.set_minor_formatter(NullFormatter())
    label(ax, "SM: time of hinge / of power", "training rows", "")
