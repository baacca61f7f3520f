"""Two remarks of the papers, checked.

SM 2017, Remark 1: the hinge form of the spectral measure is about as accurate as its power form,
which is much faster. SPS 2014, section 4.2: the moves of the eigenvalues of a kernel matrix when a
row is removed, of which the criterion is a sum, may be replaced by their first-order approximation.
"""

import time
import warnings
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.linalg
from scipy.stats import spearmanr, ttest_rel

from kernelwise.criteria import SM, Evidence, SMHinge
from kernelwise.experiments.experiment import Experiment, Job, Line
from kernelwise.experiments.split import Part, draw, outcomes, score
from kernelwise.experiments.tables import TABLES
from kernelwise.gram import Dense, Targets
from kernelwise.kernels import grids
from kernelwise.kernels.geometry import Array
from kernelwise.selection import score_kernels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

POWER, HINGE = "power, r = 3", "hinge, h = 0.01"
_FORMS = {
    POWER: SM(r=3),
    "hinge, h = 0.001": SMHinge(0.001),
    HINGE: SMHinge(0.01),
    "hinge, h = 0.03": SMHinge(0.03),
    "hinge, h = 0.1": SMHinge(0.1),
}
_HINGES = tuple(form for form in _FORMS if form != POWER)
_SM_TABLE = replace(TABLES["sm-table2"], columns=dict(_FORMS))
_TOO_LARGE = ("a1a", "a2a")  # the only sets of more than 1,000 rows
_FEW = 20  # rows
_TICKS, _TIMES = (20, 50, 100, 200, 500), (1, 2, 5, 10)  # on the axes
_TIMED = 3  # splits: a time varies less than an error

_SPS_TABLE = replace(
    TABLES["sps-table1"], kernels=sorted(grids.gaussian_gamma(), key=lambda k: k.roughness)
)
_SPS_SETS = tuple(name for name in _SPS_TABLE.datasets if name in _SM_TABLE.datasets)
_SPS_SPLITS = 5
_SPS_ROWS = 300  # of which half train: a matrix takes as many decompositions as it has rows
_LAMBDAS = _SPS_TABLE.lambdas

_FORM_PART, _MOVE_PART = "SM", "SPS"
_LEVEL = 0.05
_SIMILAR_SHARE, _SIMILAR_ERROR = 0.75, 1.0  # of the sets; percent
_CLOSE = 0.1  # relative error of a good approximation
_ALIKE = 0.9  # rank correlation
_ROUNDING = 1e-9


class Remarks(Experiment):
    """Both remarks: a line a form and split of the first, a line a width and split of the other."""

    key = "remarks"
    title = "Two remarks, checked: the hinge form of SM, the first-order form of SPS"

    @property
    def datasets(self) -> Sequence[str]:
        """Those of SM Table 2 up to 1,000 rows."""
        return [name for name in _SM_TABLE.datasets if name not in _TOO_LARGE]

    @property
    def repetitions(self) -> int:
        """Ours: the papers give no numbers."""
        return 10

    def work(self, job: Job) -> list[dict[str, Any]]:
        """Return the lines of both remarks on one split."""
        lines = form_lines(job)
        if job.dataset in _SPS_SETS and job.repetition < _SPS_SPLITS:
            lines += move_lines(job)
        return [dict.fromkeys(_FIELDS, "") | line for line in lines]

    def summary(self, lines: Sequence[Line]) -> str:
        """Return how the forms differ."""
        forms, curves = Forms.of(lines), curves_of(lines)
        return "\n".join(_plain(text) for text in (*_form_findings(forms), *_move_findings(curves)))

    def headline(self, lines: Sequence[Line]) -> str:
        """Return the verdicts alone, in a line."""
        forms, curves = Forms.of(lines), curves_of(lines)
        findings = (*_form_findings(forms), *_move_findings(curves))
        return "; ".join(_plain(text).split(":")[0].rstrip(".") for text in findings)

    def page(self, lines: Sequence[Line]) -> str:
        """Return both remarks with what holds of them."""
        forms, curves = Forms.of(lines), curves_of(lines)
        parts = [
            f"# {self.title}",
            "",
            f"Made from `results/{self.key}.csv` by `kernelwise reproduce {self.key} --out "
            "docs/papers`; do not edit.",
            "",
            "![Errors and times of the two forms of SM; first-order sum over the exact one, and "
            f"errors of the two forms of SPS]({self.key}.svg)",
            "",
            *_form_page(forms),
            "",
            *_move_page(curves),
        ]
        return "\n".join(parts) + "\n"

    def figure(self, lines: Sequence[Line]) -> "Figure":
        """Draw errors and times of the forms of SM, sums and errors of those of SPS."""
        from kernelwise.experiments.figures import panels

        forms, curves = Forms.of(lines), curves_of(lines)
        figure, axes = panels(4 if curves else 2)
        _draw_errors(axes[0], forms)
        _draw_times(axes[1], forms)
        if curves:
            _draw_sums(axes[2], curves)
            _draw_picks(axes[3], curves)
        return figure


_FIELDS = (
    "part",
    "rows",
    "kernel",
    "form",
    "error",
    "seconds",
    "excess",
    "first order",
    "astray",
    *(f"loss {lam:g}" for lam in _LAMBDAS),
    *(f"error {lam:g}" for lam in _LAMBDAS),
)


# The hinge form of SM


def form_lines(job: Job) -> list[dict[str, Any]]:
    """Return, for every form, the kernel it picks, its test error and the time of the choice."""
    data = _SM_TABLE.load(job.dataset, job.rows)
    part = draw(data.X, Targets.of(data.y, _SM_TABLE.task), _SM_TABLE.train_share, job.seed)
    lines = []
    for found in outcomes(part, _SM_TABLE):
        line = {"part": _FORM_PART, "rows": part.targets.n, "form": found.column}
        line |= {"kernel": found.kernel, "error": f"{found.error:.5g}"}
        if found.column in (POWER, HINGE) and job.repetition < _TIMED:
            line["seconds"] = f"{form_seconds(found.column, part):.5g}"
        lines.append(line)
    return lines


def form_seconds(form: str, part: Part) -> float:
    """Return the processor's seconds of a form alone, from the data to all values."""
    few = part.X[:_FEW], np.arange(len(part.X[:_FEW])) % 2
    for X, y in (few, (part.X, part.targets.y)):  # the first loads what a first call loads
        start = time.process_time()  # what else runs on the machine does not count
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            score_kernels(
                X,
                y,
                _SM_TABLE.kernels,
                _FORMS[form],
                engine="dense",
                task=_SM_TABLE.task,
                progress=False,
            )
    return time.process_time() - start


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
            if line["part"] != _FORM_PART:
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
        return [_verdict(values, power[name]) for name, values in self.errors[form].items()]


def _verdict(ours: Array, theirs: Array) -> int:
    """Return 1, -1 or 0: larger, smaller, or neither by a paired t-test, two-sided, 95 %."""
    difference = ours - theirs
    direction = int(np.sign(difference.mean()))
    if difference.size < 2:
        return 0
    if np.ptp(difference) <= _ROUNDING:  # as certain as can be
        return direction if abs(difference.mean()) > _ROUNDING else 0
    return direction if ttest_rel(ours, theirs).pvalue < _LEVEL else 0


def _is_similar(forms: Forms, form: str) -> bool:
    verdicts = forms.verdicts(form)
    share = verdicts.count(0) / len(verdicts)
    return share >= _SIMILAR_SHARE and abs(forms.mean(form) - forms.mean(POWER)) < _SIMILAR_ERROR


def _growth(forms: Forms) -> float:
    """Return the power of the number of rows by which the ratio of the times grows."""
    slower = forms.slower
    rows = np.log([forms.rows[name] for name in slower])
    return float(np.polyfit(rows, np.log(list(slower.values())), 1)[0])


def _form_findings(forms: Forms) -> list[str]:
    slower = np.array(list(forms.slower.values()))
    mean = np.exp(np.mean(np.log(slower)))
    similar = [form.split(", ")[1] for form in _HINGES if _is_similar(forms, form)]
    return [
        "**Accuracy is similar** holds for "
        + (" and ".join(similar) or "no threshold")
        + f", of {len(_HINGES)} tried.",
        f"**Power is much faster** {_holds(bool(slower.min() > 1.0 and mean >= 2.0))}: the hinge "
        f"form takes {mean:.2g} times as long (geometric mean; {slower.min():.2g} to "
        f"{slower.max():.2g}), growing as the number of rows to the power {_growth(forms):.2f} "
        "(1 where only n³ against n² counts).",
    ]


def _form_page(forms: Forms) -> list[str]:
    splits = max(values.size for values in forms.errors[POWER].values())
    lines = [
        "## SM 2017, Remark 1: the hinge form",
        "",
        '"The time cost of high degree form is O(n²), which is much faster than that of Hinge '
        'form. However, the accuracy of these two forms is similar, ..." The paper gives no '
        "numbers and no threshold h; eigenvalues are shares of the trace here, so that h is one "
        "too.",
        "",
        f"- {len(forms.rows)} sets of SM Table 2, {splits} random splits each, "
        f"{100 * _SM_TABLE.train_share:.0f} % of the rows for training; least squares with bias, "
        f"ridge 1, {len(_SM_TABLE.kernels)} Gaussian widths.",
        f"- Times: processor seconds of one thread, of each form alone from the data to the values "
        f"of all widths; medians of {_TIMED} splits.",
        "- Significant: paired t-test over the splits, two-sided, 95 %. Similar: not significantly "
        f"different on at least {100 * _SIMILAR_SHARE:.0f} % of the sets, and mean errors less "
        f"than {_SIMILAR_ERROR:g} percentage point apart. Much faster: on every set, and twice as "
        "fast in the geometric mean.",
        "",
        "What holds:",
        "",
        *(f"- {text}" for text in _form_findings(forms)),
        "",
        "| form | mean error % | significantly better / worse than power | similar |",
        "|---|---|---|---|",
        f"| {POWER} | {forms.mean(POWER):.4g} | | |",
    ]
    for form in _HINGES:
        verdicts = forms.verdicts(form)
        counts = f"{verdicts.count(-1)} / {verdicts.count(1)} of {len(verdicts)}"
        similar = "yes" if _is_similar(forms, form) else "no"
        lines.append(f"| {form} | {forms.mean(form):.4g} | {counts} | {similar} |")
    best = [form for form in forms.errors if form not in _FORMS]
    lines += [f"| {form} | {forms.mean(form):.4g} | | |" for form in best]
    return [*lines, "", *_form_rows(forms)]


def _form_rows(forms: Forms) -> list[str]:
    heads = [*_FORMS, "seconds, power", "seconds, hinge", "ratio"]
    lines = [f"| set | rows | {' | '.join(heads)} |", "|---" * (len(heads) + 2) + "|"]
    for name in (name for name in _SM_TABLE.datasets if name in forms.rows):
        cells = [f"{forms.errors[form][name].mean():.4g}" for form in _FORMS]
        cells += [f"{forms.seconds[form][name]:.3g}" for form in (POWER, HINGE)]
        cells.append(f"{forms.slower[name]:.2g}")
        lines.append(f"| {name} | {forms.rows[name]} | {' | '.join(cells)} |")
    return ["Mean test error in percent, and seconds, by set and training rows:", "", *lines]


# The first-order form of SPS


def move_lines(job: Job) -> list[dict[str, Any]]:
    """Return, for every width, the sums of the moves, training losses and test errors."""
    data = _SPS_TABLE.load(job.dataset, min(job.rows or _SPS_ROWS, _SPS_ROWS))
    part = draw(data.X, Targets.of(data.y, _SPS_TABLE.task), _SPS_TABLE.train_share, job.seed)
    ridges = np.array([_SPS_TABLE.ridge(lam, part.targets.n) for lam in _LAMBDAS])
    errors = score(part, _SPS_TABLE, {}, ridges).errors
    lines = []
    grams = Dense().grams(_SPS_TABLE.kernels, part.X, part.targets)
    for k, (kernel, gram) in enumerate(zip(_SPS_TABLE.kernels, grams, strict=True)):
        evidence = Evidence(gram, part.targets, kernel, _SPS_TABLE.fit_intercept)
        line = {"part": _MOVE_PART, "rows": part.targets.n, "kernel": k} | sums(gram.matrix())
        for lam, ridge, error in zip(_LAMBDAS, ridges, errors[k], strict=True):
            line[f"loss {lam:g}"] = f"{evidence.training_loss(float(ridge)):.5g}"
            line[f"error {lam:g}"] = f"{error:.5g}"
        lines.append(line)
    return lines


def sums(K: Array) -> dict[str, str]:
    """Return the sums of the moves relative to the trace.

    ``excess`` is that of the exact moves less one, ``first order`` that of the approximate ones,
    ``astray`` the sum of the errors of the single moves.
    """
    exact, first = exact_moves(K), first_order_moves(K)
    trace = float(np.trace(K))
    return {
        "excess": f"{np.abs(exact).sum() / trace - 1.0:.2g}",
        "first order": f"{np.abs(first).sum() / trace:.5g}",
        "astray": f"{np.abs(first - exact).sum() / trace:.5g}",
    }


def exact_moves(K: Array) -> Array:
    """Return how far every eigenvalue (column) falls when a row is set to zero."""
    s = scipy.linalg.eigvalsh(K)
    moves = np.empty_like(K)
    for i in range(len(K)):
        removed = K.copy()
        removed[i, :] = removed[:, i] = 0.0
        moves[i] = s - scipy.linalg.eigvalsh(removed)
    return moves


def first_order_moves(K: Array) -> Array:
    """Return the derivatives of the eigenvalues by the weights of the rows (Theorem 3)."""
    s, Q = scipy.linalg.eigh(K)
    return np.asarray(Q**2 * (2.0 * s - np.diag(K)[:, None]))


class Curve(NamedTuple):
    """The widths on one split, from the widest; losses and errors of every lambda as columns."""

    dataset: str
    rows: int
    excess: Array
    first_order: Array
    astray: Array
    losses: Array
    errors: Array

    def criterion(self, relative_sum: Array | float) -> Array:
        """Return R_emp + sum / n^2; the trace of a Gaussian kernel matrix is n."""
        return np.asarray(self.losses + np.reshape(relative_sum, (-1, 1)) / self.rows)

    @property
    def exact_values(self) -> Array:
        """The criterion with exact moves."""
        return self.criterion(1.0 + self.excess)

    @property
    def first_order_values(self) -> Array:
        """The criterion with approximate moves."""
        return self.criterion(self.first_order)

    @property
    def least_loss_picked(self) -> Array:
        """Whether the exact criterion picks a smallest training error, for every lambda."""
        picked = self.losses[self.exact_values.argmin(axis=0), np.arange(len(_LAMBDAS))]
        return np.asarray(picked == self.losses.min(axis=0))

    def errors_of(self, values: Array) -> Array:
        """Return the test error in percent of what a criterion picks, for every lambda."""
        return np.asarray(100.0 * self.errors[values.argmin(axis=0), np.arange(len(_LAMBDAS))])

    @property
    def correlations(self) -> Array:
        """The rank correlation over the widths of both criteria, for every lambda."""
        pairs = zip(self.exact_values.T, self.first_order_values.T, strict=True)
        return np.array([spearmanr(*pair).statistic for pair in pairs])


def curves_of(lines: Iterable[Line]) -> list[Curve]:
    """Return the curve of every split of a run."""
    found: dict[tuple[str, str], list[Line]] = defaultdict(list)
    for line in lines:
        if line["part"] == _MOVE_PART:
            found[line["dataset"], line["repetition"]].append(line)
    return [_curve(name, mine) for (name, _), mine in found.items()]


def _by_set(curves: Iterable[Curve]) -> dict[str, list[Curve]]:
    """Return the curves by set, in the order of the paper."""
    found: dict[str, list[Curve]] = {name: [] for name in _SPS_SETS}
    for curve in curves:
        found[curve.dataset].append(curve)
    return {name: mine for name, mine in found.items() if mine}


def _curve(name: str, lines: Sequence[Line]) -> Curve:
    def columns(*fields: str) -> Array:
        return np.array([[float(line[field]) for field in fields] for line in lines])

    excess, first_order, astray = columns("excess", "first order", "astray").T
    return Curve(
        name,
        int(lines[0]["rows"]),
        excess,
        first_order,
        astray,
        columns(*(f"loss {lam:g}" for lam in _LAMBDAS)),
        columns(*(f"error {lam:g}" for lam in _LAMBDAS)),
    )


def _picked(curves: Sequence[Curve]) -> tuple[Array, Array, Array]:
    """Return the errors of the exact pick, of the first-order pick and the least, (splits, l)."""
    exact = np.array([c.errors_of(c.exact_values) for c in curves])
    first = np.array([c.errors_of(c.first_order_values) for c in curves])
    return exact, first, np.array([c.errors_of(c.errors) for c in curves])


def _move_findings(curves: list[Curve]) -> list[str]:
    if not curves:
        return []
    excess = max(float(np.abs(c.excess).max()) for c in curves)
    off = np.concatenate([c.first_order for c in curves]) - 1.0
    close = int(np.sum(np.abs(off) <= _CLOSE))
    by_loss = [c.least_loss_picked for c in curves]
    exact, first, _ = _picked(curves)
    correlations = np.array([c.correlations for c in curves])
    same = [c.exact_values.argmin(axis=0) == c.first_order_values.argmin(axis=0) for c in curves]
    return [
        f"**The exact sum is tr(K) for every width** {_holds(excess <= _ROUNDING)}: it differs by "
        f"{excess:.1g} of it at most. The exact criterion therefore ranks the widths by their "
        f"training error alone: it picks the smallest one in {np.sum(by_loss)} of "
        f"{np.size(by_loss)} choices.",
        f"**The first-order sum approximates the exact one** "
        f"{_holds(close == off.size)}: it is within {100 * _CLOSE:.0f} % for {close} of "
        f"{off.size} matrices, and up to {off.max() + 1.0:.2f} times as large.",
        f"**Both criteria rank the widths alike** "
        f"{_holds(bool(np.nanmean(correlations) >= _ALIKE))}: rank correlation "
        f"{np.nanmean(correlations):.2f} on average, from {np.nanmin(correlations):.2f} to "
        f"{np.nanmax(correlations):.2f}; they pick the same width in {np.sum(same)} of "
        f"{np.size(same)} choices.",
        f"**The approximation is the significantly better criterion** "
        f"{_holds(_verdict_of_means(curves) > 0)}: "
        f"mean error {exact.mean():.4g} % by the exact form, {first.mean():.4g} % by the "
        "first-order form.",
    ]


def _verdict_of_means(curves: list[Curve]) -> int:
    """Return 1 where the exact form errs significantly more, over the means of the sets."""
    means = [[v.mean() for v in _picked(mine)[:2]] for mine in _by_set(curves).values()]
    exact, first = np.array(means).T
    return _verdict(exact, first)


def _move_page(curves: list[Curve]) -> list[str]:
    if not curves:
        return ["The sets of the other remark were not run."]
    rows = [curve.rows for curve in curves]
    sets = _by_set(curves)
    splits = max(map(len, sets.values()))
    kernels = _SPS_TABLE.kernels
    return [
        "## SPS 2014, Section 4.2: the first-order approximation",
        "",
        "The criterion adds up how far every eigenvalue moves when a row is removed, over all "
        'rows; to save n decompositions the paper takes derivatives for the moves. "This '
        'approximation error can be bounded by the residue terms." It gives no bound and no '
        "numbers.",
        "",
        f"- {len(sets)} sets of SPS Table 1, {splits} random splits each, "
        f"{min(rows)} to {max(rows)} training rows ({100 * _SPS_TABLE.train_share:.0f} % of at "
        f"most {_SPS_ROWS}), as the exact form takes a decomposition a row; the paper's "
        f"{len(kernels)} Gaussian widths, lambda {', '.join(f'{lam:g}' for lam in _LAMBDAS)} "
        "(ridge: times the rows), least squares without bias.",
        f"- Approximates: within {100 * _CLOSE:.0f} % for every matrix. Alike: a mean rank "
        f"correlation of at least {_ALIKE:g} over the widths. Better criterion: significantly "
        "smaller errors, paired t-test over the means of the sets, two-sided, 95 %.",
        "- No eigenvalue rises when a row of a positive semidefinite matrix is removed, so that "
        "the exact moves sum to tr(K). The first-order moves sum to 2 tr(K) - tr(K) = tr(K), too, "
        "if their signs are kept: besides the training error, what tells kernels apart are the "
        "moves that the approximation gives the wrong sign, that is, its error.",
        "",
        "What holds:",
        "",
        *(f"- {text}" for text in _move_findings(curves)),
        "",
        *_lambda_rows(curves),
        "",
        *_set_rows(curves),
        "",
        *_width_rows(curves),
    ]


def _lambda_rows(curves: list[Curve]) -> list[str]:
    exact, first, least = (errors.mean(axis=0) for errors in _picked(curves))
    correlations = np.nanmean([c.correlations for c in curves], axis=0)
    lines = [
        "| lambda | rank correlation | error %, exact | error %, first order | least possible |",
        "|---|---|---|---|---|",
    ]
    for i, lam in enumerate(_LAMBDAS):
        errors = f"{exact[i]:.4g} | {first[i]:.4g} | {least[i]:.4g}"
        lines.append(f"| {lam:g} | {correlations[i]:.2f} | {errors} |")
    return lines


def _set_rows(curves: list[Curve]) -> list[str]:
    lines = [
        "| set | rank correlation | error %, exact | error %, first order | least possible |",
        "|---|---|---|---|---|",
    ]
    for name, mine in _by_set(curves).items():
        correlation = np.nanmean([c.correlations for c in mine])
        errors = " | ".join(f"{values.mean():.4g}" for values in _picked(mine))
        lines.append(f"| {name} | {correlation:.2f} | {errors} |")
    return lines


def _width_rows(curves: list[Curve]) -> list[str]:
    lines = [
        "By width, means over sets and splits. The error of the single moves is the sum of their "
        "absolute errors, moves being matched by the order of the eigenvalues, as the paper has "
        "it; where nearly all eigenvalues are equal, the move goes to another one than the "
        "derivative says, so that the sum is right although its parts are not.",
        "",
        "| kernel | first-order sum / tr(K) | error of the single moves / tr(K) |",
        "|---|---|---|",
    ]
    first = np.mean([c.first_order for c in curves], axis=0)
    astray = np.mean([c.astray for c in curves], axis=0)
    for kernel, one, other in zip(_SPS_TABLE.kernels, first, astray, strict=True):
        lines.append(f"| {kernel} | {one:.3f} | {other:.3f} |")
    return lines


def _holds(holds: bool) -> str:
    return "holds" if holds else "does not hold"


def _plain(text: str) -> str:
    return text.replace("**", "")


# Figure


def _draw_errors(ax: "Axes", forms: Forms) -> None:
    power, hinge = ([v.mean() for v in forms.errors[form].values()] for form in (POWER, HINGE))
    _against(ax, power, hinge)
    _label(ax, "SM: test error in %", POWER, HINGE)


def _draw_times(ax: "Axes", forms: Forms) -> None:
    from matplotlib.ticker import NullFormatter

    slower = forms.slower
    ax.loglog([forms.rows[name] for name in slower], list(slower.values()), "o", ms=3)
    ax.axhline(1.0, color="0.6", lw=0.8, zorder=0)
    ax.set_xticks(_TICKS)
    ax.set_yticks(_TIMES)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter("{x:g}")
        axis.set_minor_formatter(NullFormatter())
    _label(ax, "SM: time of hinge / of power", "training rows", "")


def _draw_sums(ax: "Axes", curves: list[Curve]) -> None:
    gammas = [kernel.roughness for kernel in _SPS_TABLE.kernels]
    for name, mine in _by_set(curves).items():
        first = np.mean([curve.first_order for curve in mine], axis=0)
        ax.semilogx(gammas, first, lw=0.9, label=name)
    ax.axhline(1.0, color="black", lw=1.2, ls="--", label="exact")
    ax.legend(fontsize=5, frameon=False)
    _label(ax, "SPS: first-order sum / tr(K)", "gamma, wide to narrow", "")


def _draw_picks(ax: "Axes", curves: list[Curve]) -> None:
    sets = _by_set(curves).values()
    means = [[v.mean(axis=0) for v in _picked(mine)[:2]] for mine in sets]
    exact, first = np.moveaxis(np.array(means), 1, 0)
    _against(ax, first.T, exact.T, [f"lambda {lam:g}" for lam in _LAMBDAS])
    ax.legend(fontsize=5, frameon=False)
    _label(ax, "SPS: test error in %", "first order", "exact")


def _against(ax: "Axes", x: Any, y: Any, labels: Sequence[str] = ("",)) -> None:
    """Draw points, a colour a row, and the diagonal."""
    for across, up, label in zip(np.atleast_2d(x), np.atleast_2d(y), labels, strict=True):
        ax.plot(across, up, "o", ms=3, label=label)
    low, high = min(np.min(x), np.min(y)), max(np.max(x), np.max(y))
    ax.axline((low, low), (high, high), color="0.6", lw=0.8, zorder=0)


def _label(ax: "Axes", title: str, x: str, y: str) -> None:
    ax.set_title(title, fontsize=8)
    ax.set_xlabel(x, fontsize=7)
    ax.set_ylabel(y, fontsize=7)
    ax.tick_params(labelsize=7)
