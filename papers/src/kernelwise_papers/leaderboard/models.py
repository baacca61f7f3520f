"""The models that take part beside the choices of one kernel."""

from importlib.util import find_spec
from typing import Any, Final

from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

from kernelwise.combine import KernelStack
from kernelwise_papers.leaderboard.entrants import BOOSTING, FOREST, LIGHTGBM, STACK

TREES: Final = 500


def can_run(name: str) -> bool:
    """Say whether an entrant can take part here: one of them is a package of its own."""
    return name != LIGHTGBM or find_spec("lightgbm") is not None


def model(name: str, *, is_real: bool) -> Any:
    """Return an entrant, not fitted, with its default parameters and a seed."""
    if name == STACK:
        return KernelStack(random_state=0)
    if name == FOREST:
        forest = RandomForestRegressor if is_real else RandomForestClassifier
        return forest(TREES, random_state=0)
    if name == BOOSTING:
        boosting = HistGradientBoostingRegressor if is_real else HistGradientBoostingClassifier
        return boosting(random_state=0)
    import lightgbm

    light = lightgbm.LGBMRegressor if is_real else lightgbm.LGBMClassifier
    return light(random_state=0, n_jobs=1, verbose=-1)
