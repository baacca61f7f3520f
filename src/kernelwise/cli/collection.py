"""A folder of Parquet files whose rows stay on the workers of a cluster.

A sample of the rows is read and prepared here, as any table is. Workers then prepare the partitions
by what was found out about the sample, whenever they need one.
"""

import argparse
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from kernelwise.cli.formats.base import Table
from kernelwise.cli.prepare import Prepared, Wanted, conform
from kernelwise.cli.screen import BadInput
from kernelwise.cli.target import are_known, choose_target, left_columns, same_target
from kernelwise.gram import Distributed, Targets
from kernelwise.gram.cluster import arrays_of, explained, parquet_parts
from kernelwise.selection.all_rows import SAMPLE

_PATTERNS = ("*.parquet", "*.pq")


def is_given_folder(args: argparse.Namespace) -> bool:
    """Say whether a folder is given where a file may be; complain of what does not go with it."""
    if not Path(args.file).is_dir():
        return False
    if args.command != "select":
        raise BadInput(f"{args.file!r} is a folder, which only 'kernelwise select' takes.")
    asked = {
        "--machine svm": args.machine == "svm",
        "--class-weight": args.class_weight is not None,
        "--groups": args.groups is not None,
        "--nested": args.nested,
        "--rows": args.rows is not None,
        f"--format {args.format}": args.format not in (None, "parquet"),
    }
    for option in (option for option, is_given in asked.items() if is_given):
        raise BadInput(f"a folder of Parquet files does not go with {option}: leave it out.")
    if not _files(args.file):
        raise BadInput(f"{args.file!r} is a directory without Parquet files: give some, or a file.")
    return True


def _files(folder: str) -> list[str]:
    """Return the whole paths of the Parquet files in a folder."""
    found = [path for pattern in _PATTERNS for path in Path(folder).glob(pattern)]
    return sorted(str(path.resolve()) for path in found)


class ParquetFolder:
    """The rows of a folder.

    Parameters
    ----------
    path : str
    engine : Distributed
    target : str or None
        The column that is asked for.
    dropped : list of str
        Columns that are not to be used.

    Attributes
    ----------
    n : int
        The rows that have a target.
    """

    def __init__(
        self, path: str, engine: Distributed, target: str | None, dropped: list[str]
    ) -> None:
        self._path, self._cluster = path, engine.cluster
        try:
            columns, self._parts = parquet_parts(_files(path))
        except (ValueError, OSError):  # as pyarrow says it
            raise BadInput(f"{path!r} has files that are no Parquet, or are damaged.") from None
        self._target, _ = choose_target(left_columns(columns, dropped, target), target)
        with explained(self._cluster):
            asked = self._cluster.map(count_known, self._parts, self._target)
            self._rows: list[int] = self._cluster.gather(asked)
        self.n = sum(self._rows)
        if self.n == 0:
            raise BadInput(
                f"the target {self._target!r} has no values: name another column by --target."
            )

    def table(self, seed: int | None) -> Table:
        """Return a sample of the rows."""
        import pandas as pd

        share = min(1.0, SAMPLE / self.n)
        with explained(self._cluster):
            asked = [
                self._cluster.map(draw, [part], self._target, share, [seed or 0, i])[0]
                for i, part in enumerate(self._parts)
            ]
            frame = pd.concat(self._cluster.gather(asked), ignore_index=True)
        notes = f"rows stay on the workers, which prepare them by a sample of {len(frame):,}."
        return Table(self._path, frame, total=self.n, notes=(notes,))

    def arrays(self, data: Prepared) -> tuple[Any, Any]:
        """Return all rows and targets as Dask arrays, prepared as the sample was."""
        how = Preparing(self._path, data.preparation, self._target, data.task, data.y[:1])
        return arrays_of(
            partial(prepare_part, how), self._parts, self._rows, data.X.shape[1], data.y.dtype
        )


@dataclass(frozen=True, eq=False)
class Preparing:
    """How rows are prepared: what workers need to know."""

    source: str
    preparation: Any
    target: str
    task: str
    like: Any  # a value of the target as it is to be read


def count_known(frame: Any, target: str) -> int:
    """Return how many rows of a partition have a target: what a task does."""
    return int(np.count_nonzero(are_known(frame[target])))


def draw(frame: Any, target: str, share: float, seed: list[int]) -> Any:
    """Return some of the rows of a partition that have a target."""
    rows = np.flatnonzero(are_known(frame[target]))
    chosen = np.random.default_rng(seed).permutation(rows)[: round(share * rows.size)]
    return frame.iloc[np.sort(chosen)]


def prepare_part(how: Preparing, frame: Any) -> tuple[Any, Any]:
    """Return rows and targets of a partition as a kernel takes them."""
    frame = frame[are_known(frame[how.target])].reset_index(drop=True)
    rows, _ = conform(Table(how.source, frame), Wanted.by((how.preparation,)))
    X = np.asarray(how.preparation.transform(rows), dtype=np.float64)
    return X, same_target(frame[how.target], how.target, how.task, how.like)


def judged_on(selector: Any, data: Prepared) -> Prepared:
    """Return the prepared rows that the machine of a selector was chosen and judged on."""
    X, y = selector._sample
    return replace(data, X=X, y=y, targets=Targets.of(y, data.task))
