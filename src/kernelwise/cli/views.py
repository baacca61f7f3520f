"""Groups of columns as they are given on the command line, and the features that each becomes."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kernelwise._registry import unknown
from kernelwise.cli import features
from kernelwise.cli.prepare import Prepared
from kernelwise.cli.screen import BadInput, Screen, listed

_KINDS, _COLUMNS = "kinds", "columns"
_WANTED = (
    f"{_KINDS!r} (numbers, texts, dates), {_COLUMNS!r} (each a view of its own), or a JSON file "
    'that names columns, as in {"size": ["height", "width"]}'
)
_MOST = 10**7  # bytes of a file


@dataclass(frozen=True)
class Views:
    """Groups of columns by name; or how columns are grouped."""

    groups: Mapping[str, tuple[str, ...]]
    way: str = ""

    @classmethod
    def parse(cls, text: str) -> "Views":
        """Read a way of grouping, or the file that names columns."""
        if text in (_KINDS, _COLUMNS):
            return cls({}, text)
        path = Path(text)
        if not path.is_file():
            raise ValueError(f"views must be {_WANTED}; there is no file {text!r}")
        try:
            if path.stat().st_size > _MOST:
                raise ValueError("it is too large")
            groups = json.loads(path.read_text("utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise ValueError(f"views cannot be read from {text!r}: {error}") from None
        if not _are_groups(groups):
            raise ValueError(f"{text!r} must name columns by view: views are {_WANTED}")
        return cls({name: tuple(columns) for name, columns in groups.items()})

    def features(self, data: Prepared, screen: Screen) -> dict[str, list[int]]:
        """Return the places of the prepared features of every view."""
        owners = features.owners(data.preparation)
        groups = self.groups or _grouped(self.way, data.preparation, owners)
        known = dict.fromkeys([*owners, *data.columns])
        found: dict[str, list[int]] = {}
        for view, columns in groups.items():
            for column in columns:
                if column not in known:
                    raise BadInput(f"--views, {view!r}: {unknown('column', column, list(known))}")
            found[view] = [place for place, owner in enumerate(owners) if owner in columns]
            if not found[view]:
                raise BadInput(f"--views: all columns of {view!r} were left out: leave it out too.")
        seen = {column for columns in groups.values() for column in columns}
        unseen = [column for column in dict.fromkeys(owners) if column not in seen]
        if unseen:
            screen.note(f"in no view, and not used: {listed(unseen)}.")
        return found


def _are_groups(groups: Any) -> bool:
    """Say whether what a file holds names columns by view."""
    return (
        isinstance(groups, dict)
        and bool(groups)
        and all(
            isinstance(columns, list) and columns and all(isinstance(c, str) for c in columns)
            for columns in groups.values()
        )
    )


def _grouped(way: str, preparation: Any, owners: list[str]) -> dict[str, tuple[str, ...]]:
    """Return every column alone, or the columns of each kind together."""
    if way == _COLUMNS:
        return {column: (column,) for column in owners}
    if not hasattr(preparation, "transformers_"):
        raise BadInput(f"--views {_KINDS} is for tables, and these are sparse rows: name columns.")
    names = preparation.feature_names_in_
    parts = [(str(kind), names[columns]) for kind, _, columns in preparation.transformers_]
    return {kind: tuple(map(str, found)) for kind, found in parts if kind != "remainder"}
