"""Every criterion, and what users do instead, on all data sets of the papers.

One job is one split. The criteria share one eigendecomposition per kernel; what they pick from its
values is what ``KernelSelector`` with the criterion picks, which a test shows. The selectors
themselves are run as they are. The time of every choice is measured on the first split of each set,
each entrant on its own from the data to the choice.
"""

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy.spatial.distance import pdist
from scipy.stats import gmean
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold

from kernelwise import criteria as c
from kernelwise.criteria import Criterion
from kernelwise.experiments.datasets import PAIRS, load
from kernelwise.experiments.experiment import Experiment, Job, Line
from kernelwise.experiments.ranks import LEVEL, Contest, Row, is_beaten, verdict
from kernelwise.experiments.split import Part, Scores, draw, score
from kernelwise.experiments.tables import TABLES
from kernelwise.gram import Targets
from kernelwise.kernels import Gaussian, Kernel
from kernelwise.kernels.geometry import Array
from kernelwise.machines import KRR, LSSVC
from kernelwise.selection import KernelSelector
from kernelwise.selection.cascade import loo_criterion
from kernelwise.selection.preference import preferred
from kernelwise.selection.search import AUTO_RIDGES, REFERENCE_RIDGE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROWS: Final = 1000  # at most, of a set
TRAIN_SHARE: Final = 0.7
REPETITIONS: Final = 10
TASKS: Final = {"classification": "Two classes", "regression": "Real targets"}
FIXED, CHOSEN = "ridge 1", "ridge chosen"

# Sets that are in a table under another name, or inside another set.
DUPLICATES: Final = {
    "pima": "the patients of diabetes",
    "liver-disorders": "the rows of bupa",
    "breast-w": "breast-cancer and 16 rows with gaps",
    "a1a": "a part of a2a",
}
# Two-class sets by whose errors the default was chosen, see benchmarks/default_choice.py.
DESIGNED_ON: Final = frozenset(
    "labor autos hepatitis wpbc sonar glass heart bupa ionosphere colic vote vehicle wdbc "
    "breast-cancer australian diabetes anneal segment tic-tac-toe german.numer".split()
)

CRITERIA: Final[dict[str, Criterion]] = {
    "KTA": c.KTA(),
    "CKTA": c.CKTA(),
    "FSM": c.FSM(),
    "MD": c.MD(),
    "Ncut": c.Ncut(),
    "SM (r=2)": c.SM(r=2),
    "SM (r=3)": c.SM(r=3),
    "SM hinge": c.SMHinge(),
    "ER": c.ER(),
    "RKS": c.RKS(),
    "SPS": c.SPS(),
    "CVKS": c.CVKS(),
    "5-fold CV": c.KFold(5),
    "BIF": c.BIF(),
    "LOO (press)": c.ELOO("press"),
    "LOO (absolute)": c.ELOO("absolute"),
    "LOO (error rate)": c.ELOO("error"),
    "LOO (squared hinge)": c.ELOO("squared_hinge"),
    "LOO (log loss)": c.ELOO("log_loss"),
    "LOO (auc)": c.ELOO("auc"),
    "GCV": c.GCV(),
    "BR": c.BR(),
    "LML": c.LML(),
    "Span": c.Span(),
}
LEFT_OUT: Final = {
    "fsm_error": "rises with FSM, so that the two picks differ by rounding at most",
    "ks": "is to be read, not to choose by",
}
MEDIAN, SCALE, GRID = "median heuristic", "gamma=scale", "GridSearchCV"
SAME_WIDTHS, DEFAULT = "KernelSelector (31 widths)", "KernelSelector()"
BEST, CONSTANT = "best possible", "constant"
ENTRANTS: Final = (*CRITERIA, MEDIAN, SCALE, GRID, SAME_WIDTHS, DEFAULT)

_ONE = int(np.abs(AUTO_RIDGES - REFERENCE_RIDGE).argmin())
_WIDTHS: Final[list[Kernel]] = TABLES["sm-table2"].kernels
_LONG_ENOUGH = 0.3  # seconds that measuring one entrant takes at least, up to three times
_TIMES = 3


def sets() -> dict[str, str]:
    """Return the task of every data set of the papers' tables, and fourclass, each set once."""
    found = {name: table.task for table in TABLES.values() for name in table.datasets}
    found["fourclass"] = "classification"
    return {name: task for name, task in found.items() if name not in DUPLICATES}


def entrants(task: str, setting: str) -> list[str]:
    """Return who takes part: criteria that are defined for the task, and the strategies."""
    kind = "regression" if task == "regression" else "binary"
    asked = [name for name, criterion in CRITERIA.items() if kind in criterion.tasks]
    others = [MEDIAN, SCALE, GRID, SAME_WIDTHS]
    return [*asked, *others, DEFAULT] if setting == CHOSEN else [*asked, *others]


def reference(setting: str) -> str:
    """Return the library's default: with the ridge fixed its cascade on the same widths."""
    return DEFAULT if setting == CHOSEN else SAME_WIDTHS


# One split.


def median_heuristic(X: Array) -> Gaussian:
    """Return the Gaussian whose width is the median distance of two rows that differ."""
    squares = pdist(X, "sqeuclidean")
    return Gaussian(float(np.median(squares[squares > 0.0])))


def gamma_scale(X: Array) -> Gaussian:
    """Return the Gaussian of scikit-learn's gamma="scale"."""
    return Gaussian.from_gamma(1.0 / (X.shape[1] * float(X.var())))


def split_of(name: str, rows: int | None, seed: int) -> tuple[Part, int]:
    """Return a random split of a set, and how many rows the set has.

    Real targets are standardised as well: criteria that add a penalty to a mean square depend on
    their scale, machines do not.
    """
    task = sets()[name]
    data = load(name, task=task)
    capped = data.head(ROWS if rows is None else min(rows, ROWS))
    part = draw(capped.X, Targets.of(capped.y, task), TRAIN_SHARE, seed)
    if task == "regression":
        y = part.targets.y
        scaled = [(t.y - y.mean()) / y.std() for t in (part.targets, part.test_targets)]
        part = replace(
            part, targets=Targets(scaled[0], None), test_targets=Targets(scaled[1], None)
        )
    return part, data.n


@dataclass(frozen=True, eq=False)
class Split:
    """What every entrant chooses on a split, and how well its choice does."""

    part: Part

    @property
    def task(self) -> str:
        """The task."""
        return "regression" if self.part.targets.classes is None else "classification"

    @cached_property
    def kernels(self) -> list[Kernel]:
        """The candidates, then the two that need no choice."""
        return [*_WIDTHS, median_heuristic(self.part.X), gamma_scale(self.part.X)]

    @cached_property
    def scores(self) -> Scores:
        """All criteria and the test error in percent, of all kernels at all ridges."""
        table = replace(TABLES["sm-table2"], kernels=self.kernels)
        asked: dict[str, Criterion] = {
            name: CRITERIA[name] for name in entrants(self.task, FIXED) if name in CRITERIA
        }
        asked[GRID] = c.KFold(5, cv=unshuffled(self.task))
        asked["ridge"] = loo_criterion(self.part.targets)
        found = score(self.part, table, asked, AUTO_RIDGES)
        unit = 1.0 if self.task == "classification" else float(np.var(self.part.test_targets.y))
        return Scores(found.values, 100.0 * found.errors / unit)

    def losses(self, name: str) -> Array:
        """Return what an entrant minimises, of all kernels at all ridges."""
        criterion = CRITERIA.get(name)
        greater = criterion is not None and criterion.greater_is_better
        return -self.scores.values[name] if greater else self.scores.values[name]

    def pick(self, name: str, setting: str) -> tuple[int, int] | None:
        """Return the positions of kernel and ridge; None where a criterion is undefined for all."""
        criterion, widths = CRITERIA.get(name), len(_WIDTHS)
        if name in (MEDIAN, SCALE):
            place: tuple[int, int] | None = (widths + (name == SCALE), _ONE)
        elif setting == CHOSEN and (criterion is None or criterion.chooses_ridge):
            return self._best(self.losses(name)[:widths])
        else:
            place = self._best(self.losses(name)[:widths, [_ONE]])
        if place is None:
            return None
        if setting == FIXED:
            return place[0], _ONE
        ridge = self._best(self.losses("ridge")[[place[0]]])
        return None if ridge is None else (place[0], ridge[1])

    def _best(self, losses: Array) -> tuple[int, int] | None:
        """Return the place of the lowest; of equals the wider kernel, then the larger ridge."""
        if np.isnan(losses).all():
            return None
        rows, columns = losses.shape
        kernels = [kernel for kernel in self.kernels[:rows] for _ in range(columns)]
        ridges = np.tile(AUTO_RIDGES[:columns], rows)
        unknown = np.full(losses.size, np.nan)
        first = preferred(losses.ravel(), unknown, kernels, ridges, "best")[0]
        return first // int(columns), first % int(columns)

    def error(self, name: str, setting: str) -> float:
        """Return the test error of an entrant's choice in percent."""
        if name in (SAME_WIDTHS, DEFAULT):
            chosen = self.select(refit=True, **selector_settings(name, setting))
            test = self.part.test_targets
            return 100.0 * (1.0 - float(chosen.score(self.part.X_test, test.labels)))
        place = self.pick(name, setting)
        return float("nan") if place is None else float(self.scores.errors[place])

    def best(self, setting: str) -> float:
        """Return the lowest test error of any candidate."""
        errors = self.scores.errors[: len(_WIDTHS)]
        return float(np.nanmin(errors if setting == CHOSEN else errors[:, _ONE]))

    def constant(self) -> float:
        """Return the test error without any kernel: the larger class, or the mean."""
        train, test = self.part.targets, self.part.test_targets
        if self.task == "regression":
            return 100.0 * float(np.mean((test.y - train.y.mean()) ** 2) / np.var(test.y))
        return 100.0 * float(np.mean(test.y != train.counts.argmax()))

    def select(self, **settings: Any) -> KernelSelector:
        """Let the library choose."""
        selector = KernelSelector(**settings)
        selector.fit(self.part.X, self.part.targets.labels)
        return selector

    def choose(self, name: str, setting: str) -> object:
        """Choose as one who wants this choice alone, from the data on; for its time."""
        settings: dict[str, Any] = {"ridge": 1.0 if setting == FIXED else "auto", "refit": False}
        if name == GRID:
            return grid_search(self.part, setting)
        if name in (MEDIAN, SCALE):
            kernel = (median_heuristic if name == MEDIAN else gamma_scale)(self.part.X)
            if setting == FIXED:
                return kernel
            return self.select(
                kernels=[kernel], criterion=loo_criterion(self.part.targets), **settings
            )
        if name in CRITERIA:
            return self.select(kernels=_WIDTHS, criterion=CRITERIA[name], **settings)
        return self.select(refit=False, **selector_settings(name, setting))


def selector_settings(name: str, setting: str) -> dict[str, Any]:
    """Return the parameters of a selector that takes part: none for the default."""
    if name == DEFAULT:
        return {}
    return {"kernels": _WIDTHS, "ridge": 1.0 if setting == FIXED else "auto"}


def unshuffled(task: str) -> Any:
    """Return the folds that scikit-learn makes of ``cv=5``."""
    return KFold(5) if task == "regression" else StratifiedKFold(5)


def grid_search(part: Part, setting: str) -> GridSearchCV:
    """Search as scikit-learn does, with a refit for every fold."""
    is_real = part.targets.classes is None
    search = GridSearchCV(
        KRR(fit_intercept=True) if is_real else LSSVC(),
        {"kernel": _WIDTHS, "ridge": [1.0] if setting == FIXED else list(AUTO_RIDGES[::-1])},
        scoring="neg_mean_squared_error" if is_real else None,
        cv=5,
        refit=False,
    )
    return search.fit(part.X, part.targets.labels)


# Times.


def cpu_seconds(run: Callable[[], object]) -> float:
    """Return the processor time of a run: the best of up to three where one is short."""
    found: list[float] = []
    while len(found) < _TIMES and sum(found) < _LONG_ENOUGH:
        start = time.process_time()
        run()
        found.append(time.process_time() - start)
    return min(found)


@cache
def _warm_up(task: str) -> None:
    """Let every entrant choose once: what is compiled or loaded at first use is not its time."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    y = X[:, 0] + 0.5 * rng.normal(size=30)
    targets = Targets.of(y if task == "regression" else y > 0.0, task)
    small = Split(Part(X, targets, X, targets))
    for setting in (FIXED, CHOSEN):
        for name in entrants(task, setting):
            if name != GRID:
                small.choose(name, setting)


# Lines.


def split_lines(job: Job) -> list[dict[str, Any]]:
    """Return the errors of one split, a line a setting; of the first split the times as well."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # guards and small classes: said to users, not here
        part, available = split_of(job.dataset, job.rows, job.seed)
        split = Split(part)
        facts = {
            "task": split.task,
            "available": available,
            "train": part.targets.n,
            "test": part.test_targets.n,
        }
        lines = [facts | _errors(split, setting) for setting in (FIXED, CHOSEN)]
        if job.repetition == 0:
            _warm_up(split.task)
            lines += [facts | _seconds(split, setting) for setting in (FIXED, CHOSEN)]
    return lines


def _line(setting: str, quantity: str, values: dict[str, float]) -> dict[str, Any]:
    """Return a line with all columns; empty where an entrant takes no part."""
    columns = (*ENTRANTS, BEST, CONSTANT)
    written = {name: f"{values[name]:.5g}" if name in values else "" for name in columns}
    return {"setting": setting, "quantity": quantity, **written}


def _errors(split: Split, setting: str) -> dict[str, Any]:
    values = {name: split.error(name, setting) for name in entrants(split.task, setting)}
    values |= {BEST: split.best(setting), CONSTANT: split.constant()}
    return _line(setting, "error", values)


def _seconds(split: Split, setting: str) -> dict[str, Any]:
    values = {}
    for name in entrants(split.task, setting):
        try:
            values[name] = cpu_seconds(partial(split.choose, name, setting))
        except ValueError:  # undefined for every kernel
            values[name] = float("nan")
    return _line(setting, "seconds", values)


# What the lines say.


@dataclass(frozen=True, eq=False)
class Panel:
    """One task in one setting.

    Attributes
    ----------
    task, setting : str
    sets : tuple of str
        The data sets, in the order of the rows of the contest.
    contest : Contest
    beside : dict of str to array
        The mean error on every set of the best possible choice and of no kernel at all.
    seconds : dict of str to array
        The time of every entrant on the sets where it was measured.
    undefined : dict of str to int
        On how many splits a criterion was undefined for every kernel.
    """

    task: str
    setting: str
    sets: tuple[str, ...]
    contest: Contest
    beside: dict[str, Array]
    seconds: dict[str, Array]
    undefined: dict[str, int]

    @property
    def title(self) -> str:
        """The task and the setting in words."""
        return f"{TASKS[self.task]}, {self.setting}"

    @classmethod
    def of(cls, lines: Sequence[Line], task: str, setting: str) -> "Panel | None":
        """Sort the lines of a run; None where there is nothing to compare on two sets."""
        ours = [line for line in lines if (line["task"], line["setting"]) == (task, setting)]
        errors = [line for line in ours if line["quantity"] == "error"]
        known = {line["dataset"] for line in errors}
        names = tuple(name for name in sets() if name in known)
        if len(names) < 2:
            return None
        by_set = {n: [line for line in errors if line["dataset"] == n] for n in names}
        who = tuple(entrants(task, setting))
        means = [[_mean(rows, name) for name in who] for rows in by_set.values()]
        times = [line for line in ours if line["quantity"] == "seconds"]
        return cls(
            task,
            setting,
            names,
            Contest(who, np.array(means), reference(setting)),
            {b: np.array([_mean(r, b) for r in by_set.values()]) for b in (BEST, CONSTANT)},
            {name: np.array([float(line[name]) for line in times]) for name in who},
            {name: sum(line[name] == "nan" for line in errors) for name in who},
        )


def _mean(lines: Sequence[Line], name: str) -> float:
    """Return the mean error over splits; one who could not choose has the error of no kernel."""
    values = [line[CONSTANT] if line[name] == "nan" else line[name] for line in lines]
    return float(np.mean([float(value) for value in values]))


def panels(lines: Sequence[Line]) -> list[Panel]:
    """Return every task in every setting."""
    found = [Panel.of(lines, task, setting) for task in TASKS for setting in (FIXED, CHOSEN)]
    return [panel for panel in found if panel is not None]


class Leaderboard(Experiment):
    """All criteria and the usual strategies on all data sets."""

    key = "leaderboard"
    title = "Every criterion on every data set"

    @property
    def datasets(self) -> Sequence[str]:
        """The sets of all tables, each once."""
        return tuple(sets())

    @property
    def repetitions(self) -> int:
        """The number of splits."""
        return REPETITIONS

    def work(self, job: Job) -> list[dict[str, Any]]:
        """Return errors and times on one split."""
        return split_lines(job)

    def summary(self, lines: Sequence[Line]) -> str:
        """Return where the default stands."""
        found = []
        for panel in panels(lines):
            contest = panel.contest
            ours, best = contest.row(contest.reference), contest.rows[0]
            beaten = "significantly worse" if is_beaten(contest) else "not significantly worse"
            found.append(
                f"{panel.title} ({contest.sets} sets): {ours.name} has rank {ours.rank:.1f}, place "
                f"{contest.place(ours.name)} of {len(contest.names)}; best {best.name} "
                f"({best.rank:.1f}); {beaten}."
            )
        return "\n".join(found)

    def page(self, lines: Sequence[Line]) -> str:
        """Return protocol, verdict, figure and a table per task and setting."""
        found = panels(lines)
        parts = [
            f"# {self.title}",
            "",
            f"Made from `results/{self.key}.csv` by `kernelwise reproduce {self.key} --out "
            "docs/papers`; do not edit.",
            "",
            *_protocol(lines),
            "",
            "## The library's default",
            "",
            *_verdicts(found),
            "",
            f"![Mean ranks and critical differences]({self.key}.svg)",
            "",
            "Mean ranks, the best on the left; a bar joins entrants that Nemenyi's test cannot "
            "tell apart. The default is coloured.",
            "",
            *_reading(),
            *(line for panel in found for line in _table(panel)),
            *(line for panel in found if panel.setting == CHOSEN for line in _by_set(panel)),
        ]
        return "\n".join(parts)

    def figure(self, lines: Sequence[Line]) -> "Figure":
        """Draw a critical-difference diagram per task and setting."""
        from kernelwise.experiments.ranks_figure import diagram

        return diagram({panel.title: panel.contest for panel in panels(lines)})


def _protocol(lines: Sequence[Line]) -> list[str]:
    errors = [line for line in lines if line["quantity"] == "error" and line["setting"] == FIXED]
    counts = np.unique([line["dataset"] for line in errors], return_counts=True)[1]
    splits = (
        f"{counts.min()}" if counts.min() == counts.max() else f"{counts.min()} to {counts.max()}"
    )
    facts = {line["dataset"]: line for line in errors}
    used = {n: int(f["train"]) + int(f["test"]) for n, f in facts.items()}
    rows = {n: int(f["available"]) for n, f in facts.items()}
    capped = [f"{n} {used[n]:,} of {rows[n]:,}" for n in facts if used[n] < rows[n]]
    missing = [name for name in sets() if name not in facts]
    pairs = [f"{n} ({a} and {b})" for n, (a, b) in PAIRS.items() if n in facts]
    said = [
        f"- {len(facts)} data sets: those of the papers' tables and fourclass, each once. Left out "
        f"as duplicates: {'; '.join(f'{n} ({why})' for n, why in DUPLICATES.items())}.",
        f"- At most {ROWS:,} rows of a set, drawn once; capped: {', '.join(capped) or 'none'}.",
        f"- Random splits a set: {splits}, {100 * TRAIN_SHARE:.0f} % of the rows for training, not "
        "stratified; features, and real targets, standardised by the training rows; gaps set to "
        "the median. Ranks and tests take the mean over the splits of a set as one observation.",
        "- Two classes: LSSVM with bias, misclassified test rows in percent. Real targets: kernel "
        "ridge regression with bias, mean square error in percent of the variance of the test "
        "target.",
        f"- Candidates: the papers' {len(_WIDTHS)} Gaussian widths, `{_WIDTHS[-1]}` to "
        f"`{_WIDTHS[0]}`. "
        f"`{DEFAULT}` makes its own grid from the data.",
        f"- _{FIXED}_: the papers' setting, K + I. _{CHOSEN}_: one of "
        f"{', '.join(f'{r:g}' for r in AUTO_RIDGES)}. A criterion that can choose the ridge "
        "chooses both at once; another chooses the kernel at ridge 1, and leave-one-out (squared "
        "hinge, or press on real targets) the ridge.",
    ]
    if pairs:
        said.append(f"- Two classes of sets with more: {', '.join(pairs)}.")
    if missing:
        said.append(f"- Not run: {', '.join(missing)}.")
    return said


def _verdicts(found: Sequence[Panel]) -> list[str]:
    """Return the verdict on the default: all contests at once, then one by one."""
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


def _reading() -> list[str]:
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
        "",
    ]


def _table(panel: Panel) -> list[str]:
    """Return the entrants of one contest from the best to the worst, as a table."""
    contest = panel.contest
    heads = ["", "entrant", "mean error", "mean rank", "near best", "against the default", "p"]
    heads += ["CPU s", "speed"]
    lines = [f"### {panel.title}", "", f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for row in contest.rows:
        name = f"**`{row.name}`**" if row.name == contest.reference else row.name
        near = "yes" if row.is_near_best else "no"
        cells = [str(contest.place(row.name)), name, f"{row.error:.4g}", f"{row.rank:.2f}", near]
        lines.append(f"| {' | '.join([*cells, *_tested(row), *_times(panel, row.name)])} |")
    for name, errors in panel.beside.items():
        lines.append(f"| | _{name}_ | {errors.mean():.4g} | | | | | | |")
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
    faster = float(f"{gmean(search[known] / ours[known]):.3g}")  # no powers of ten in a table
    return [f"{ours[known].mean():.3g}", f"{faster:,g}"]


def _by_set(panel: Panel) -> list[str]:
    """Return the errors of a few entrants on every set."""
    contest = panel.contest
    loo = "LOO (press)" if panel.task == "regression" else "LOO (squared hinge)"
    names = [contest.reference, SAME_WIDTHS, loo, GRID, MEDIAN]
    lines = [f"### {panel.title}: errors set by set", ""]
    lines += [f"| set | {' | '.join(names)} | {' | '.join(panel.beside)} |", "|---" * 8 + "|"]
    for i, name in enumerate(panel.sets):
        errors = [contest.errors[i, contest.names.index(n)] for n in names]
        errors += [beside[i] for beside in panel.beside.values()]
        lines.append(f"| {name} | {' | '.join(f'{e:.4g}' for e in errors)} |")
    return [*lines, ""]


LEADERBOARD = Leaderboard()
