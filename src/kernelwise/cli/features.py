"""Which columns of a table matter to a machine."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from kernelwise.machines.relevance import relevance

_MOST = 100  # columns that a record keeps
_MOST_DENSE = 3 * 10**7  # entries of sparse rows, which every member of a stack makes dense


def shares(machine: Any, preparation: Any) -> dict[str, float]:
    r"""Return the share of every column in how the decisions of a machine change, largest first.

    A column of the table becomes one feature or several, as the values of a text. Its share is the
    sum over these of the squared effects :math:`M_j s_j^2`, the mean squared derivative times the
    variance, relative to that of all columns.
    """
    names, owner = np.unique(np.array(owners(preparation), dtype=object), return_inverse=True)
    sizes = np.bincount(owner, relevance(machine).effects ** 2, names.size)
    if not 0.0 < sizes.sum() < np.inf:
        return {}
    sizes = sizes / sizes.sum()
    order = np.argsort(-sizes, kind="stable")[:_MOST]
    return dict(zip(names[order].tolist(), sizes[order].tolist(), strict=True))


def check_size(X: Any) -> None:
    """Refuse sparse rows whose derivatives would take minutes."""
    entries = X.shape[0] * X.shape[1]
    if sp.issparse(X) and entries > _MOST_DENSE:
        raise ValueError(
            f"sparse rows of {entries:,} entries are too many, {_MOST_DENSE:,} the most."
        )


def owners(preparation: Any) -> list[str]:
    """Return the column of the table that every prepared feature comes from."""
    if not hasattr(preparation, "transformers_"):  # sparse rows, by their indices
        indices = getattr(preparation, "indices_", range(preparation.n_features_in_))
        return [str(index) for index in indices]
    names = preparation.feature_names_in_
    found: list[str] = []
    for kind, part, columns in preparation.transformers_:
        if kind != "remainder":
            found += _owners_of(str(kind), part, [str(name) for name in names[columns]])
    return found


def _owners_of(kind: str, part: Any, names: list[str]) -> Iterator[str]:
    """Yield the column of every feature that a part of the preparation makes."""
    if kind == "words":
        vocabularies = part[0].kw_args["rules"]
        yield from (name for name in names for _ in vocabularies[name])
    elif kind == "texts":
        # The encoder puts what it is given before its own: numbers, which have no "_" in them.
        numbered = part[-1].get_feature_names_out([str(place) for place in range(len(names))])
        yield from (names[int(name.partition("_")[0])] for name in numbered)
    else:
        yield from names
