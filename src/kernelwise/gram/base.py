"""What an engine promises of a kernel matrix: the narrow waist of the library.

Engines produce grams; criteria and machines consume them; neither knows the other. What a consumer
needs and what an engine provides are sets of :class:`Need`, compared before any work.
"""

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar, NamedTuple

import numpy as np

from kernelwise._progress import SILENT, Task
from kernelwise._registry import check_new_name, members, unknown
from kernelwise._threads import cached_property
from kernelwise._types import Array
from kernelwise.gram.inverse import Inverse, Spectrum, spectral_inverses
from kernelwise.gram.statistics import GramStatistics
from kernelwise.kernels import Kernel
from kernelwise.targets import Targets


class Need(Enum):
    """What a criterion or a machine may need of a kernel matrix; the value ends a sentence."""

    STATISTICS = "its statistics"
    PRODUCTS = "products with it"
    LEADING = "its leading eigenvalues"
    SPECTRUM = "its spectrum"
    SOLVE = "linear systems"
    DIAGONAL = "the diagonal of inverses"
    BLOCKS = "blocks of inverses"
    LOGDET = "determinants"
    ENTRIES = "its entries"
    # What a criterion needs of the machine it judges by, which says what that takes of the matrix.
    TRAINING = "a machine trained on it"
    FOLDS = "machines trained on folds of it"


class Powers(NamedTuple):
    """The need of K^k y for all k up to the highest, each of which costs a sweep.

    Attributes
    ----------
    highest : int
    weighted : bool
        Whether the classes in y are weighted by their size.
    """

    highest: int
    weighted: bool


class Gram(ABC):
    """One kernel matrix as an engine sees it.

    A subclass has statistics, products and a spectrum; inverses follow from the spectrum unless
    there is a better way. It computes what it is asked for when it is asked for it.
    """

    provides: frozenset[Need] = frozenset(Need)
    is_psd: bool | None = None  # whether it is positive semidefinite, where that is known

    @cached_property
    def statistics(self) -> GramStatistics:
        """The statistics, computed once."""
        return self.compute_statistics()

    @abstractmethod
    def compute_statistics(self) -> GramStatistics:
        """Return the statistics."""

    @abstractmethod
    def matmul(self, V: Array) -> Array:
        """Return K @ V for V of shape (n, m)."""

    @abstractmethod
    def spectrum(self) -> Spectrum:
        """Return the eigenpairs, computed once; those of eigenvalue zero may be left out."""

    def leading_eigenvalues(self, t: int) -> Array:
        """Return the t largest eigenvalues in descending order."""
        leading = np.zeros(t)
        known = self.spectrum().values[::-1][:t]
        leading[: known.size] = known
        return leading

    def inverses(self, ridges: Sequence[float]) -> Iterable[Inverse]:
        """Return the inverse of K + ridge I for every ridge."""
        return spectral_inverses(self.spectrum(), ridges)

    def rows(self, index: Array) -> Array:
        """Return some rows of K, of shape (rows, n)."""
        unit = np.zeros((self.statistics.n, index.size))
        unit[index, np.arange(index.size)] = 1.0
        return self.matmul(unit).T

    def entries(self) -> Array:
        """Return K itself, a copy, where it is in memory."""
        raise NotImplementedError(f"{type(self).__name__} does not provide its entries.")

    def prepare(self, needs: Iterable[Need]) -> None:
        """Prepare for these needs, so that one factorisation can serve them all."""
        return None

    def release(self) -> None:
        """Release what takes much memory and can be computed again, such as a spectrum."""
        return None

    def expansion(self, X: Any, coefficients: Array) -> tuple[Any, Array]:
        """Return rows Z and coefficients b with f(x) = k(x, Z) b for the machine K alpha.

        An engine with a matrix of low rank has few rows; others have the training rows themselves.
        """
        return X, coefficients


@dataclass(frozen=True)
class Engine(ABC):
    """A way to look at kernel matrices.

    A subclass has a name and one method, :meth:`grams`; one that shares work between kernels says
    so and multiplies them all in one sweep.
    """

    name: ClassVar[str]
    provides: ClassVar[frozenset[Need]] = frozenset(Need)
    # Whether all grams may exist together, so that further products are worth doing in one sweep.
    shares_sweeps: ClassVar[bool] = False

    @abstractmethod
    def grams(
        self, kernels: Sequence[Kernel], X: Any, targets: Targets, progress: Task = SILENT
    ) -> Iterator[Gram]:
        """Yield one gram per kernel, in order; every sweep shared by them is a part of progress."""

    def matmul(
        self, grams: Sequence[Gram], vectors: Sequence[Array], progress: Task = SILENT
    ) -> list[Array]:
        """Return K @ V of every gram with vectors of its own."""
        return [gram.matmul(V) for gram, V in zip(grams, vectors, strict=True)]

    def check_memory(self, needs: frozenset[Need], rows: int) -> None:
        """Refuse, before any work, what cannot fit."""
        return None

    def grams_at_once(self, targets: Targets) -> int:
        """Return how many grams the memory allows to exist together."""
        return sys.maxsize

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        check_new_name(cls, Engine)
        if not hasattr(cls, "name"):
            raise TypeError(f"{cls.__name__} must say its name.")


def lacking(engine: Engine, needs: frozenset[Need], rows: int) -> str | None:
    """Say which needs an engine does not provide; None if it provides all of them.

    Raises MemoryError where it provides what does not fit into memory.
    """
    missing = needs - engine.provides
    if not missing:
        engine.check_memory(needs, rows)
        return None
    names = " and ".join(need.value for need in Need if need in missing)
    return (
        f"needs {names}, which engine {engine.name!r} does not provide: choose another criterion "
        "or engine."
    )


def available() -> dict[str, type[Engine]]:
    """Return every engine class by name, those defined outside the package included."""
    return {cls.name: cls for cls in members(Engine)}


def get(engine: "str | Engine") -> Engine:
    """Return an engine by name; an engine is returned as it is."""
    if isinstance(engine, Engine):
        return engine
    known = available()
    if not isinstance(engine, str) or engine not in known:
        raise ValueError(unknown("engine", engine, ["auto", *known]))
    return known[engine]()
