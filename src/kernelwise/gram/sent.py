"""Rows as the tasks of a cluster take them: sent once, or read from a file that workers see."""

import weakref
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from kernelwise.gram.mapped import file_of, stamp_of

if TYPE_CHECKING:
    from kernelwise.gram.cluster import Cluster


class SentRows:
    """The rows that a cluster has got.

    Parameters
    ----------
    cluster : Cluster
    """

    def __init__(self, cluster: "Cluster") -> None:
        self._cluster = weakref.proxy(cluster)
        # Of an array: who tells that it is gone, and its rows by their place, with a checksum.
        self._sent: dict[int, tuple[Any, dict[tuple[int, int], tuple[int, Any]]]] = {}
        self._is_seen: dict[Any, bool] = {}  # whether all workers see a file, by path and stamp

    def take(self, X: Any, spans: Sequence[slice]) -> list[Any]:
        """Return some rows of X as tasks take them.

        Of a file that all workers see they are told where it has them. Others are sent, once, and
        stay on the cluster as long as X lives and is not changed.
        """
        source = file_of(X)
        if source is not None and self._sees(source.path):
            return [source.part(span) for span in spans]
        key, sent_rows = id(X), self._sent
        if key not in sent_rows:
            sent_rows[key] = weakref.ref(X, lambda _: sent_rows.pop(key, None)), {}
        sent, places = sent_rows[key][1], [(span.start, span.stop) for span in spans]
        for place in dict.fromkeys(places):
            part = X[slice(*place)]
            checksum = _checksum(part)
            if place not in sent or sent[place][0] != checksum:
                sent[place] = checksum, self._cluster.send(part)
        return [sent[place][1] for place in places]

    def _sees(self, path: str) -> bool:
        """Say whether all workers see a file as it is here."""
        stamp = stamp_of(path)
        if (path, stamp) not in self._is_seen:
            answers = self._cluster.ask(stamp_of, path)
            is_seen = stamp is not None and all(answer == stamp for answer in answers)
            self._is_seen[path, stamp] = is_seen
        return self._is_seen[path, stamp]


def _checksum(rows: Any) -> int:
    """Return a number that tells whether rows have been changed."""
    parts = (rows.data, rows.indices, rows.indptr) if sp.issparse(rows) else (rows,)
    checksum = 0
    for part in parts:
        checksum = zlib.crc32(np.ascontiguousarray(part).data, checksum)
    return checksum
