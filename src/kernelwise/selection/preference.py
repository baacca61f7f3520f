"""Which of several candidates is preferred, where their values alone do not decide."""

from collections.abc import Sequence

import numpy as np

from kernelwise._arguments import is_one_of, shown
from kernelwise._types import Array
from kernelwise.kernels import Kernel

RULES = ("best", "one_se")
_TIE = 1e-12  # relative difference of values that is rounding


def check_rule(rule: str) -> None:
    """Say so where a rule is not known."""
    if not is_one_of(rule, RULES):
        raise ValueError(f"rule must be {' or '.join(map(repr, RULES))}, got {shown(rule)}.")


def preferred(
    losses: Array, errors: Array, kernels: Sequence[Kernel], ridges: Array, rule: str
) -> list[int]:
    """Return the positions of the defined candidates from the most to the least preferred.

    Candidates that cannot be told apart from the best, by rounding or by its standard error, come
    first if they are of its family: the smoothest kernel, then the largest ridge. The others follow
    by their losses.
    """
    defined = int(np.count_nonzero(~np.isnan(losses)))
    order = np.argsort(losses, kind="stable")[:defined].tolist()  # NaN come last
    best = order[0]
    # An infinite value is equal to itself alone.
    slack = _TIE * abs(losses[best]) if np.isfinite(losses[best]) else 0.0
    limit = losses[best] + slack
    if rule == "one_se":
        if np.isnan(errors[best]):
            raise ValueError(
                "rule='one_se' needs a criterion with a standard error, such as eloo, or kfold "
                "with several folds."
            )
        limit = losses[best] + errors[best]
    family = type(kernels[best])
    equal = [i for i in order if losses[i] <= limit and type(kernels[i]) is family]
    equal.sort(key=lambda i: (kernels[i].roughness, -np.nan_to_num(ridges[i])))
    return equal + [i for i in order if i not in set(equal)]
