"""The evidence that criteria judge by."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from kernelwise._threads import cached_property
from kernelwise._types import Array
from kernelwise._undefined import Undefined
from kernelwise.gram import Gram, GramStatistics, Need, Powers, Spectrum
from kernelwise.kernels import Kernel
from kernelwise.machines import LeastSquares, Machine, RidgeFit, SupportVectors, needs_with
from kernelwise.machines.held_out import LeftOut
from kernelwise.targets import Targets

_BY_INVERSES = frozenset({Need.SOLVE, Need.DIAGONAL, Need.BLOCKS, Need.LOGDET})


class Evidence:
    """What is known of one candidate kernel; everything is computed once, when first asked for.

    Parameters
    ----------
    gram : Gram
        The kernel matrix as an engine sees it.
    targets : Targets
    kernel : Kernel or None
        The kernel itself, where there is one.
    fit_intercept : bool
        Whether the least-squares machine has a bias.
    machine : subclass of Machine
        The machine that criteria with a training or cross-validation error judge by.
    """

    def __init__(
        self,
        gram: Gram,
        targets: Targets,
        kernel: Kernel | None = None,
        fit_intercept: bool = True,
        machine: type[Machine] = LeastSquares,
    ) -> None:
        self.gram, self.targets, self.kernel, self.n = gram, targets, kernel, targets.n
        self.least_squares = LeastSquares(gram, targets, fit_intercept)
        self._machine = machine
        self.shared: dict[Any, Any] = {}  # what several criteria or ridges need, by its name
        self._powers: dict[tuple[bool, int], Array] = {}

    @property
    def statistics(self) -> GramStatistics:
        """The statistics of the kernel matrix."""
        return self.gram.statistics

    @cached_property
    def spectrum(self) -> Spectrum:
        """The eigenpairs; those of eigenvalue zero may be left out."""
        return self.gram.spectrum()

    @property
    def is_psd(self) -> bool | None:
        """Whether the matrix is positive semidefinite, as far as that is known."""
        if "spectrum" in vars(self):
            return bool(self.spectrum.values.min(initial=0.0) >= 0.0)
        return self.gram.is_psd

    @cached_property
    def machine(self) -> Machine:
        """The machine that criteria with a training or cross-validation error judge by."""
        if self._machine is LeastSquares:
            return self.least_squares
        return self._machine(self.gram, self.targets, self.least_squares.fit_intercept)

    @cached_property
    def support_vectors(self) -> SupportVectors:
        """The support vector machine for every ridge."""
        if isinstance(self.machine, SupportVectors):
            return self.machine
        return SupportVectors(self.gram, self.targets)

    def fit(self, ridge: float) -> RidgeFit:
        """Return the least-squares machine at one ridge; undefined where rounding ruins it."""
        return self.least_squares.fit(ridge)

    def left_out(self, ridge: float) -> tuple[Targets, LeftOut]:
        """Return the rows that the machine is judged on when they are left out, and what it says.

        All of them, unless the engine knows a sample alone.
        """
        fit = self.fit(ridge)
        targets = self.targets if fit.judged is None else self.targets.part(fit.judged)
        return targets, fit.left_out

    def prefit(self, ridges: Sequence[float], needs: Iterable[Need | Powers]) -> None:
        """Prepare for what will be asked: fit the machine at all ridges if it is needed."""
        taken = needs_with(self._machine, needs)
        self.gram.prepare(taken)
        if not taken.isdisjoint(_BY_INVERSES) and Need.DIAGONAL in self.gram.provides:
            if self.gram.is_psd is not True and Need.SPECTRUM in self.gram.provides:
                _ = self.spectrum  # shows whether it is
            with suppress(Undefined):  # fit() says at which ridge, and why
                self.least_squares.prefit(ridges)

    def release(self, *, keep_fits: bool = False) -> None:
        """Release what is as large as the matrix and can be computed again."""
        self.least_squares.release(keep_fits=keep_fits)
        for name in ("spectrum", "support_vectors", "machine"):
            vars(self).pop(name, None)
        self.gram.release()

    def contrasts(self, weighted: bool) -> list["Contrast"]:
        """Return the target vectors of the spectral measure, each with its product with K.

        One for two classes or a real target, one per class (against the rest) otherwise.
        """
        plain = self._plain_contrasts(weighted)
        if self.targets.weights_within is None:
            return plain
        products = self.statistics.frobenius * self.powers(weighted, 1)
        found = zip(plain, self.factors(weighted, 1).T, products.T, strict=True)
        return [Contrast(y, contrast.total, product) for contrast, y, product in found]

    def _plain_contrasts(self, weighted: bool) -> list["Contrast"]:
        """Return the contrasts of rows that count equally."""
        n, targets, stats = self.n, self.targets, self.statistics
        if targets.classes is None:
            # The centred target sums to zero: K y = S y.
            return [Contrast(targets.centered, 0.0, stats.full_products[:, 1])]
        found = []
        for c in range(1, 2) if targets.classes.size == 2 else range(targets.classes.size):
            n_in, S_in = float(targets.counts[c]), stats.full_products[:, c]
            a, b = (n / n_in, n / (n - n_in)) if weighted else (1.0, 1.0)
            total = 0.0 if weighted else 2.0 * n_in - n  # a n_in - b (n - n_in)
            product = a * S_in - b * (stats.row_sums - S_in) + stats.shift * total
            found.append(Contrast(np.where(targets.columns[:, c] > 0.0, a, -b), total, product))
        return found

    def factors(self, weighted: bool, k: int) -> Array:
        """Return the columns whose product with K is power k, where no sweep has it."""
        if k > 1:
            return self.powers(weighted, k - 1)
        Y = np.column_stack([contrast.y for contrast in self._plain_contrasts(weighted)])
        weights = self.targets.weights_within
        assert weights is not None
        if self.targets.classes is None:
            Y = Y - np.average(Y, axis=0, weights=weights)
        return np.asarray(weights[:, None] * Y)

    def powers(self, weighted: bool, k: int) -> Array:
        """Return a power of K over its norm times every contrast; dividing avoids overflow."""
        known = k
        while known > 0 and (weighted, known) not in self._powers:
            known -= 1
        for j in range(known + 1, k + 1):
            if j == 1 and self.targets.weights_within is None:  # known from the first sweep
                _, _, products = zip(*self.contrasts(weighted), strict=True)
                self.put_powers(weighted, j, np.column_stack(products))
            else:
                self.put_powers(weighted, j, self.gram.matmul(self.factors(weighted, j)))
        return self._powers[weighted, k]

    def put_powers(self, weighted: bool, k: int, products: Array) -> None:
        """Take K @ the columns of power k - 1, also from an engine that multiplied all kernels."""
        self._powers[weighted, k] = products / self.statistics.frobenius


class Contrast(NamedTuple):
    """A target vector y with its exact sum, and K y."""

    y: Array
    total: float
    product: Array

    @property
    def quadratic_form(self) -> float:
        """The number y' K y, centred first: small values keep their digits."""
        mean = float(self.product.mean())
        return float(self.y @ (self.product - mean)) + self.total * mean
