"""A choice in stages of rising cost, and the defaults: the stages and the ridges."""

from dataclasses import dataclass
from itertools import pairwise
from numbers import Integral

import numpy as np

from kernelwise._arguments import shown
from kernelwise._sklearn import Interval, StrOptions, check_parameters
from kernelwise.criteria import ELOO, SM, Criterion, get
from kernelwise.gram import Targets
from kernelwise.selection.result import RULES

# The ridges tried by default, in units of the mean diagonal of each kernel matrix.
AUTO_RIDGES = 10.0 ** np.arange(-4.0, 3.0)
REFERENCE_RIDGE = 1.0  # the papers' fixed ridge, for criteria that may not choose one


@dataclass(frozen=True, init=False, repr=False)
class Cascade:
    """Stages, each a criterion and how many kernels survive it.

    Parameters
    ----------
    *stages : tuple of (str or Criterion, int)
        From the cheapest to the most expensive; the last keeps one.
    rule : {"best", "one_se"}, default="best"
        How the last stage picks. "best" takes the best value; of equal ones the smoother (wider)
        kernel and the larger ridge. "one_se" takes the smoothest kernel of the same family, with
        the largest ridge, whose value is within one standard error of the best: for criteria that
        are means of losses over rows or folds, such as ELOO and KFold.

    Examples
    --------
    >>> from kernelwise import Cascade
    >>> Cascade(("sm", 5), ("eloo", 1))
    Cascade((SM(r=3, normalizer='trace', weighted=True), 5), (ELOO(loss='press'), 1))
    """

    stages: tuple[tuple[Criterion, int], ...]
    rule: str

    def __init__(self, *stages: tuple[str | Criterion, int], rule: str = "best") -> None:
        checked = tuple(_stage(stage) for stage in stages)
        if not checked:
            raise ValueError(
                "Cascade needs at least one stage, as in Cascade(('sm', 5), ('eloo', 1))."
            )
        keeps = [keep for _, keep in checked]
        if keeps[-1] != 1:
            raise ValueError(f"the last stage of a Cascade must keep 1 kernel, not {keeps[-1]}.")
        if any(later > keep for keep, later in pairwise(keeps)):
            raise ValueError(f"the stages of a Cascade must keep fewer and fewer, not {keeps}.")
        check_parameters("Cascade", {"rule": [StrOptions(RULES)]}, rule=rule)
        object.__setattr__(self, "stages", checked)
        object.__setattr__(self, "rule", rule)

    def __repr__(self) -> str:
        stages = ", ".join(f"({c!r}, {keep})" for c, keep in self.stages)
        rule = "" if self.rule == "best" else f", rule={self.rule!r}"
        return f"Cascade({stages}{rule})"


def _stage(stage: tuple[str | Criterion, int]) -> tuple[Criterion, int]:
    try:
        criterion, keep = stage
    except (TypeError, ValueError):
        raise ValueError(
            f"a stage must be a pair (criterion, how many to keep), got {shown(stage)}."
        ) from None
    criterion = get(criterion)
    if criterion.greater_is_better is None:
        raise ValueError(f"{criterion.name} has no direction: it is to be read, not to choose by.")
    check_parameters("Cascade", {"keep": [Interval(Integral, 1, None, closed="left")]}, keep=keep)
    return criterion, int(keep)


def loo_criterion(targets: Targets) -> ELOO:
    """Return leave-one-out with its best loss: squared hinge, or press for regression."""
    return ELOO("press" if targets.classes is None else "squared_hinge")


# The library's defaults: one sweep by SM keeps five, leave-one-out picks.
FOR_REALS = Cascade((SM(r=2), 5), (ELOO("press"), 1))
FOR_CLASSES = Cascade((SM(r=2), 5), (ELOO("squared_hinge"), 1))
