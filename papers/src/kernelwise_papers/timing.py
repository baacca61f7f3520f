"""Processor time: what else runs on the machine does not count."""

import time
import warnings
from collections.abc import Callable


def cpu_seconds(run: Callable[[], object], *, enough: float = 0.0, most: int = 1) -> float:
    """Return the processor's seconds of a run, of several the least.

    Parameters
    ----------
    run : callable
    enough : float, default=0.0
        Run again until this much time is spent,
    most : int, default=1
        but no more often than this.
    """
    found: list[float] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a kernel for which a criterion is undefined
        while not found or (len(found) < most and sum(found) < enough):
            start = time.process_time()
            run()
            found.append(time.process_time() - start)
    return min(found)
