"""A stack for rows that stay on a cluster: chosen on a sample of them, fitted to all of them.

Members are chosen and made on the sample, as :mod:`kernelwise.selection.all_rows` does for one
kernel. Each is then fitted to all rows, all of them on the same landmarks, so that all are judged
on the same rows held out. What they say of these gives the weights and the gate.
"""

import warnings
from typing import Any

from kernelwise.combine.recipe import as_recipe
from kernelwise.gram.cluster import connected
from kernelwise.selection.all_rows import SampledRows, attributes, check_collection
from kernelwise.selection.guards import KernelChoiceWarning


def fit_collection(stack: Any, X: Any, y: Any, params: dict[str, Any]) -> dict[str, Any]:
    """Return the attributes of a stack that is fitted to Dask collections."""
    check_collection(stack, params)
    with connected() as cluster:
        drawn = SampledRows(stack, cluster, X, y, members=len(as_recipe(stack.recipe)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", KernelChoiceWarning)  # it is said of the last machines
            chosen = drawn.fitted(stack)
        targets = drawn.targets_of(chosen)
        for member in chosen.members_.values():
            drawn.refit(member, targets)
    chosen._combine(targets)
    return attributes(chosen)
