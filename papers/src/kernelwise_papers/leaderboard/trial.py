"""A trial of the entrants on one split: what each chooses, and how well its choice does.

The criteria share one eigendecomposition per kernel; what they pick from its values is what
``KernelSelector`` with the criterion picks, which a test shows. The selectors themselves are run as
they are.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
from scipy.spatial.distance import pdist
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold

from kernelwise import criteria as c
from kernelwise._threads import cached_property
from kernelwise._types import Array
from kernelwise.criteria import Criterion
from kernelwise.gram import Targets
from kernelwise.kernels import Gaussian, Kernel
from kernelwise.machines import KRR, LSSVC
from kernelwise.selection import KernelSelector
from kernelwise.selection.cascade import AUTO_RIDGES, REFERENCE_RIDGE, loo_criterion
from kernelwise.selection.result import preferred
from kernelwise_papers.datasets import load
from kernelwise_papers.leaderboard.entrants import (
    CHOSEN,
    CRITERIA,
    DEFAULT,
    FIXED,
    GRID,
    MEDIAN,
    MODELS,
    ROWS,
    SAME_WIDTHS,
    SCALE,
    sets,
)
from kernelwise_papers.leaderboard.models import model
from kernelwise_papers.papers.sm import SM_TABLE2
from kernelwise_papers.tables.split import Part, Scores, draw, score
from kernelwise_papers.tables.table import WIDTHS

TRAIN_SHARE: Final = 0.7
_ONE = int(np.abs(AUTO_RIDGES - REFERENCE_RIDGE).argmin())


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
class Trial:
    """One split, what every entrant chooses on it, and how well its choice does.

    Attributes
    ----------
    part : Part
    criteria : dict of str to Criterion
        Those that take part.
    searches : bool
        Whether grid search takes part, which costs more than most criteria.
    """

    part: Part
    criteria: Mapping[str, Criterion] = field(default_factory=lambda: CRITERIA)
    searches: bool = True

    @property
    def task(self) -> str:
        """The task."""
        return "regression" if self.part.targets.classes is None else "classification"

    @cached_property
    def kernels(self) -> list[Kernel]:
        """The candidates, then the two that need no choice."""
        return [*WIDTHS, median_heuristic(self.part.X), gamma_scale(self.part.X)]

    @cached_property
    def scores(self) -> Scores:
        """All criteria and the test error in percent, of all kernels at all ridges."""
        table = replace(SM_TABLE2, kernels=self.kernels)
        kind = self.part.targets.kind
        asked = {name: each for name, each in self.criteria.items() if kind in each.tasks}
        if self.searches:
            asked[GRID] = c.KFold(5, cv=unshuffled(self.task))
        asked["ridge"] = loo_criterion(self.part.targets)
        found = score(self.part, table, asked, AUTO_RIDGES)
        unit = 1.0 if self.task == "classification" else float(np.var(self.part.test_targets.y))
        return Scores(found.values, 100.0 * found.errors / unit)

    def losses(self, name: str) -> Array:
        """Return what an entrant minimises, of all kernels at all ridges."""
        criterion = self.criteria.get(name)
        greater = criterion is not None and criterion.greater_is_better
        return -self.scores.values[name] if greater else self.scores.values[name]

    def pick(self, name: str, setting: str) -> tuple[int, int] | None:
        """Return the positions of kernel and ridge; None where a criterion is undefined for all."""
        criterion, widths = self.criteria.get(name), len(WIDTHS)
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
        if name in (SAME_WIDTHS, DEFAULT, *MODELS):
            chosen = self.fit(name, setting)
            test = self.part.test_targets
            return 100.0 * (1.0 - float(chosen.score(self.part.X_test, test.labels)))
        place = self.pick(name, setting)
        return float("nan") if place is None else float(self.scores.errors[place])

    def best(self, setting: str) -> float:
        """Return the lowest test error of any candidate."""
        errors = self.scores.errors[: len(WIDTHS)]
        return float(np.nanmin(errors if setting == CHOSEN else errors[:, _ONE]))

    def constant(self) -> float:
        """Return the test error without any kernel: the larger class, or the mean."""
        train, test = self.part.targets, self.part.test_targets
        if self.task == "regression":
            return 100.0 * float(np.mean((test.y - train.y.mean()) ** 2) / np.var(test.y))
        return 100.0 * float(np.mean(test.y != train.counts.argmax()))

    def fit(self, name: str, setting: str) -> Any:
        """Fit one who takes part as a model."""
        if name in MODELS:
            made = model(name, is_real=self.task == "regression")
            return made.fit(self.part.X, self.part.targets.labels)
        return self.select(refit=True, **selector_settings(name, setting))

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
        if name in MODELS:
            return self.fit(name, setting)
        if name in (MEDIAN, SCALE):
            kernel = (median_heuristic if name == MEDIAN else gamma_scale)(self.part.X)
            if setting == FIXED:
                return kernel
            return self.select(
                kernels=[kernel], criterion=loo_criterion(self.part.targets), **settings
            )
        if name in self.criteria:
            return self.select(kernels=WIDTHS, criterion=self.criteria[name], **settings)
        return self.select(refit=False, **selector_settings(name, setting))


def selector_settings(name: str, setting: str) -> dict[str, Any]:
    """Return the parameters of a selector that takes part: none for the default."""
    if name == DEFAULT:
        return {}
    return {"kernels": WIDTHS, "ridge": 1.0 if setting == FIXED else "auto"}


def unshuffled(task: str) -> Any:
    """Return the folds that scikit-learn makes of ``cv=5``."""
    return KFold(5) if task == "regression" else StratifiedKFold(5)


def grid_search(part: Part, setting: str) -> GridSearchCV:
    """Search as scikit-learn does, with a refit for every fold."""
    is_real = part.targets.classes is None
    search = GridSearchCV(
        KRR(fit_intercept=True) if is_real else LSSVC(),
        {"kernel": WIDTHS, "ridge": [1.0] if setting == FIXED else list(AUTO_RIDGES[::-1])},
        scoring="neg_mean_squared_error" if is_real else None,
        cv=5,
        refit=False,
    )
    return search.fit(part.X, part.targets.labels)
