"""Who takes part in the leaderboard, and on which data sets."""

from typing import Final

from kernelwise import criteria as c
from kernelwise.criteria import Criterion
from kernelwise_papers.criteria import RelativeRKS
from kernelwise_papers.papers.tables import TABLES

ROWS: Final = 1000  # at most, of a set
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

RKS, RELATIVE = "RKS", "relative RKS (ours)"
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
    RKS: c.RKS(),
    RELATIVE: RelativeRKS(),
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
    "cv_variance": "has its place on [another page](relative.md)",
}
MEDIAN, SCALE, GRID = "median heuristic", "gamma=scale", "GridSearchCV"
SAME_WIDTHS, DEFAULT = "KernelSelector (31 widths)", "KernelSelector()"
STACK, FOREST, BOOSTING, LIGHTGBM = (
    "KernelStack()",
    "random forest",
    "histogram boosting",
    "LightGBM",
)
MODELS: Final = (STACK, FOREST, BOOSTING, LIGHTGBM)  # which choose more than kernel and ridge
BEST, CONSTANT = "best possible", "constant"
ENTRANTS: Final = (*CRITERIA, MEDIAN, SCALE, GRID, SAME_WIDTHS, DEFAULT, *MODELS)


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
    return [*asked, *others, DEFAULT, *MODELS] if setting == CHOSEN else [*asked, *others]


def reference(setting: str) -> str:
    """Return the library's default: with the ridge fixed its cascade on the same widths."""
    return DEFAULT if setting == CHOSEN else SAME_WIDTHS
