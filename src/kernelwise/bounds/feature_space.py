"""The feature-space measure bounds a training error: equation 15 of Nguyen and Ho 2007."""

from typing import Any

import numpy as np

from kernelwise._types import Array
from kernelwise.bounds.base import Assumption, Bound, guarded
from kernelwise.bounds.sample import Learner, Sample
from kernelwise.bounds.theorem import Paper, Quantity, Theorem, states
from kernelwise.criteria import FSM, FSMError, Undefined

_ROUNDING = 8.0 * float(np.finfo(float).eps)  # of a mean of n entries, per entry


def _smaller_share(sample: Sample, learner: Learner) -> float:
    return float(sample.targets.counts.min()) / sample.n


_PAPER = Paper("Nguyen and Ho 2007", "the feature-space measure", _smaller_share, given=())
_EQUATION_15 = Theorem(_PAPER, "eq. 15", Quantity.TRAINING_ERROR, Learner.HYPERPLANE)


@states(_EQUATION_15)
def fsm_training_error(sample: Sample) -> Bound:
    r"""Bound the training error of a hyperplane by the feature-space measure (eq. 15).

    .. math:: \mathrm{FSMerr} = \frac{\mathrm{FSM}^2}{1 + \mathrm{FSM}^2}

    This is a statement about the training rows, with certainty, not about new ones. It follows from
    the one-sided Chebyshev inequality in either class; the variances have :math:`n_\pm - 1`, which
    only loosens it. Points on the hyperplane must count as right: where one class has no variance
    the hyperplane of equation 17 passes through all of it, and equation 16 with its "at least" is
    false. Every class needs two rows or more. See :func:`fsm_hyperplane_error`.

    {parameters}

    Returns
    -------
    bound : Bound
        The term is "fsm", the measure itself; the value is FSM² / (1 + FSM²). Vacuous from the
        share of the smaller class on: a hyperplane far from all points does as well.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.bounds import fsm_training_error
    >>> y = np.repeat([-1, 1], 3)
    >>> round(fsm_training_error(np.outer(y, y), y).value, 12)
    0.0
    """
    fsm = FSM().value(sample.evidence, 1.0)
    value = FSMError().value(sample.evidence, 1.0)
    share = _smaller_share(sample, Learner.HYPERPLANE)
    return Bound(
        value=value,
        terms={"fsm": fsm},
        assumptions=(Assumption("the class means differ", bool(np.isfinite(fsm))),),
        vacuous=not value < share,
        reference=_EQUATION_15.reference,
        variant="printed",
        quantity=_EQUATION_15.quantity.value,
        trivial=share,
    )


@guarded
def fsm_hyperplane_error(K: Any, y: Any) -> float:
    r"""Return the training error of the hyperplane of equation 17.

    .. math:: f(x) = \Big\langle e,\; \phi(x) -
        \frac{\mathrm{var}_- \phi_+ + \mathrm{var}_+ \phi_-}{\mathrm{var}_+ + \mathrm{var}_-}
        \Big\rangle

    with e the direction between the class means. Points on it, up to rounding, count as right; it
    lies in the middle where neither class has variance. Never exceeds :func:`fsm_training_error`.

    Parameters
    ----------
    K : array of shape (n, n)
    y : array of shape (n,)
        Two classes of two rows or more, whose means differ.

    Returns
    -------
    error : float

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.bounds import fsm_hyperplane_error
    >>> x = np.array([0.0, 1.0, 2.0, 2.5, 4.0, 5.0])
    >>> fsm_hyperplane_error(np.outer(x, x), [0, 0, 1, 0, 1, 1])
    0.3333333333333333
    """
    sample = _EQUATION_15.sample(K, y)
    if not np.isfinite(FSM().value(sample.evidence, 1.0)):
        raise Undefined("the class means coincide, so there is no hyperplane between them")
    values, rounding = _hyperplane(sample.K, sample.y)
    return float(np.mean(sample.y * values < -rounding))


def _hyperplane(K: Array, y: Array) -> tuple[Array, float]:
    """Return f(x_i), positive on the side of the class +1, and its rounding error."""
    plus = y > 0.0
    weights = np.where(plus, 1.0 / plus.sum(), -1.0 / (~plus).sum())
    S = K - K.mean()  # the weights sum to zero: a constant cancels
    u = S @ weights  # <phi(x_i), phi+ - phi->
    spread_plus, spread_minus = np.std(u[plus], ddof=1), np.std(u[~plus], ddof=1)
    total = spread_plus + spread_minus
    share = spread_minus / total if total > 0.0 else 0.5
    threshold = share * u[plus].mean() + (1.0 - share) * u[~plus].mean()
    return np.asarray(u - threshold), _ROUNDING * y.size * float(np.abs(S).max())
