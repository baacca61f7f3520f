"""What a report calls things: columns, parameters, and what a kernel does."""

import math
from collections import defaultdict
from dataclasses import fields
from typing import Any

from kernelwise.criteria import Criterion
from kernelwise.kernels import Gaussian, Kernel
from kernelwise.selection.archive import to_plain
from kernelwise.selection.params import numeric_params
from kernelwise.selection.record import Record

Titles = dict[tuple[str, str], str]  # of columns, by name and label


def column_titles(record: Record) -> Titles:
    """Return a title for every column: its name, with what differs where two settings share it."""
    sharing: defaultdict[str, dict[str, Criterion]] = defaultdict(dict)
    for result in (record.result, record.comparison):
        if result is None:
            continue
        for name, criterion in result.criteria.items():
            sharing[name][criterion.label] = criterion
    return {
        (name, label): _title(name, criterion, list(criteria.values()))
        for name, criteria in sharing.items()
        for label, criterion in criteria.items()
    }


def _title(name: str, criterion: Criterion, sharing: list[Criterion]) -> str:
    if len(sharing) == 1:
        return name
    if len(set(map(type, sharing))) > 1:
        return criterion.label
    differing = [
        f"{f.name}={getattr(criterion, f.name)}"
        for f in fields(criterion)
        if len({str(getattr(each, f.name)) for each in sharing}) > 1
    ]
    return f"{criterion.name}({', '.join(differing)})"


def terms(kernel: Kernel, ridge: float) -> dict[str, Any]:
    """Return a kernel and a ridge in scikit-learn's terms, as plain data."""
    return dict(to_plain(numeric_params(kernel, ridge)))


def kernel_meaning(kernel: Kernel) -> str:
    """Return what a kernel does, in words; nothing where there are no plain ones."""
    if not isinstance(kernel, Gaussian):
        return ""
    return (
        f"The kernel says how similar two rows are. With tau = {kernel.tau:g}, rows up to a "
        f"distance of about {math.sqrt(kernel.tau):.3g} (the root of tau, in units of the prepared "
        "columns) count as similar, and rows three times as far hardly matter to each other. A "
        "narrower kernel follows single rows; a wider one smooths more."
    )
