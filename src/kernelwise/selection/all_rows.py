"""A choice for rows that stay on a cluster: made on a sample of them, fitted to all of them.

The kernel is chosen on a sample that this process holds. The machine is one on landmarks, and sums
over all rows are all it takes: Phi' Phi and Phi' Y, to which every worker adds its partitions. Rows
of the sample are held out of these sums by subtraction; they choose the ridge again, for many rows
call for another one than few, and give the error.
"""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from sklearn.base import clone

from kernelwise._arguments import as_bytes, shown
from kernelwise._threads import limited
from kernelwise._types import Array
from kernelwise.gram import LowRank
from kernelwise.gram.cluster import Cluster, connected
from kernelwise.gram.features import Features
from kernelwise.gram.lowrank import distinct_rows
from kernelwise.gram.pairs import kernel_between
from kernelwise.gram.remote import Coding, RemoteMoments, RemoteRows, moments_of
from kernelwise.gram.thin_inverse import bias_of
from kernelwise.kernels import Kernel
from kernelwise.machines import KRR, LSSVC
from kernelwise.machines.held_out import HeldOutFit, LeftOut
from kernelwise.selection.cascade import AUTO_RIDGES, loo_criterion
from kernelwise.selection.diagnostics import Code, Diagnostic
from kernelwise.selection.estimators import balanced_leave_one_out, leave_one_out
from kernelwise.selection.inputs import as_ridges
from kernelwise.targets import Targets, last_rows, stratified_order

SAMPLE = 100_000  # rows on which the kernel is chosen
_HELD_OUT, _HELD_SHARE = 5000, 10  # rows, and at most one in so many of the sample
_RANKS = (1000, 500, 250, 125)
_TO_CHOOSE = 500  # landmarks at most by which kernels are compared
_WORK = 1e13  # multiplications for the sums over all rows
_PACE = 5e9  # of them that a worker makes in a second
_LOADED = 3e8  # bytes of a worker: Python with the libraries
_MATRICES = 6  # as large as the sums: the factor, those of two tasks, what they are added to


class Machine(NamedTuple):
    """A machine on features: f(x) = k(x, landmarks) coefficients + bias."""

    coefficients: Array
    bias: Array


def fit_collection(selector: Any, X: Any, y: Any, params: dict[str, Any]) -> dict[str, Any]:
    """Return the attributes of a selector that is fitted to Dask collections."""
    check_collection(selector, params)
    with connected() as cluster:
        drawn = SampledRows(selector, cluster, X, y)
        chosen = drawn.fitted(selector)
        drawn.refit(chosen, drawn.targets_of(chosen))
    return attributes(chosen)


def attributes(estimator: Any) -> dict[str, Any]:
    """Return what an estimator has learnt."""
    own = estimator.get_params(deep=False)
    return {name: value for name, value in vars(estimator).items() if name not in own}


class SampledRows:
    """The rows of two collections, with the sample of them that kernels are chosen on.

    Parameters
    ----------
    estimator : KernelSelector or KernelStack
    cluster : Cluster
    X, y : Dask collections
    members : int, default=1
        Among how many machines time and work are divided.
    """

    def __init__(self, estimator: Any, cluster: Cluster, X: Any, y: Any, members: int = 1) -> None:
        self.rows = RemoteRows(cluster, X, y)
        self.sample, self._labels = self.rows.sample(SAMPLE)
        rank = _rank_for(members * self.rows.n, estimator, cluster)
        self.rank, self._memory = min(rank, len(self.sample) // 2), estimator.memory

    def fitted(self, estimator: Any) -> Any:
        """Return a copy of an estimator, fitted to the sample with few landmarks."""
        few = LowRank(rank=min(self.rank, _TO_CHOOSE), memory=self._memory)
        copied = clone(estimator).set_params(engine=few)
        return copied.fit(_named(self.sample, self.rows.names), self._labels)

    def targets_of(self, chosen: Any) -> Targets:
        """Return the targets of the sample as a fitted estimator takes them."""
        targets = Targets.of(self._labels, chosen._known_task())
        _check_labels(self.rows, targets)
        return targets

    def refit(self, chosen: Any, targets: Targets) -> None:
        """Fit the machine of a selector that was fitted to the sample to all rows."""
        machine = chosen.best_estimator_
        fit = _Fit(chosen, self.rows, self.sample, targets, self.rank)
        with limited(chosen.n_jobs, rows=self.rank):
            ridge, held_out, found = fit.run()
        machine.set_params(ridge=ridge)
        known: Any = replace(held_out, bias=found.bias)
        machine.adopt(fit.features.landmarks, targets, known, found.coefficients)
        chosen.best_ridge_ = ridge
        chosen.error_ = leave_one_out(machine, targets, "held-out rows")
        chosen.balanced_error_ = balanced_leave_one_out(machine, targets, "held-out rows")
        said = f"chosen on a sample of {targets.n} of {self.rows.n} rows, fitted to all of them"
        note = Diagnostic(f"{said} with {self.rank} landmarks", Code.ESTIMATED)
        chosen.result_.notes["rows"] = note


class _Fit:
    """The machine with a chosen kernel on all rows."""

    def __init__(
        self, chosen: Any, rows: RemoteRows, sample: Array, targets: Targets, rank: int
    ) -> None:
        self._rows, self._sample, self._targets, self._chosen = rows, sample, targets, chosen
        order = np.random.default_rng(0).permutation(targets.n)
        self._landmarks = distinct_rows(sample, order, rank)
        self.features = Features.of(chosen.best_kernel_, sample[self._landmarks])
        self._coding = Coding(targets.classes, bool(chosen.best_estimator_.fit_intercept))

    def run(self) -> tuple[float, HeldOutFit, Machine]:
        """Return the ridge, what is known of rows held out, and the machine on all rows."""
        moments = self._rows.moments(self.features, self._coding)
        held = self._held_rows()
        part = self._sample[held], self._targets.labels[held]
        without = moments.without(RemoteMoments(*moments_of(part, (self.features, self._coding))))
        K = kernel_between(self.features.kernel, self._sample[held], self.features.landmarks)
        tried = {}
        for ridge in self._ridges():
            machine = solved(self.features, without, ridge)
            values = K @ machine.coefficients + machine.bias
            fit = HeldOutFit.of_rows(self._targets, held, values, machine.bias, ridge)
            tried[ridge] = self._loss(fit, held), fit
        best = min(tried, key=lambda ridge: tried[ridge][0])
        return best, tried[best][1], solved(self.features, moments, best)

    def _held_rows(self) -> Array:
        """Return rows of the sample that were not taken for landmarks, of every class."""
        order = stratified_order(self._targets)
        order = order[~np.isin(order, self._landmarks)]
        most = max(1, min(_HELD_OUT, self._targets.n // _HELD_SHARE))
        return np.sort(last_rows(self._targets, order, most))

    def _ridges(self) -> list[float]:
        ridge = self._chosen.ridge
        if not isinstance(ridge, str):
            return [float(r) for r in np.unique(as_ridges(ridge))]
        kernel: Kernel = self._chosen.best_kernel_
        mean = float(kernel.diagonal(self._sample).mean())
        return [float(r) for r in AUTO_RIDGES * (mean if mean > 0.0 else 1.0)]

    def _loss(self, fit: HeldOutFit, held: Array) -> float:
        criterion, targets = loo_criterion(self._targets), self._targets.part(held)
        return float(np.mean(np.asarray(criterion.losses(targets, LeftOut(fit)))))


def solved(features: Features, moments: RemoteMoments, ridge: float) -> Machine:
    r"""Return the machine :math:`(\Phi^\top \Phi + \lambda I) w = \Phi^\top (Y - b)` at a ridge."""
    G, onto, inner = moments
    M = np.array(G)
    M.flat[:: len(M) + 1] += ridge
    weights = cho_solve(cho_factor(M, overwrite_a=True, check_finite=False), onto)
    bias = bias_of((inner - onto.T @ weights) / ridge)
    w = weights[:, :-1] - np.outer(weights[:, -1], bias)
    return Machine(features.coefficients(w), bias)


def check_collection(selector: Any, params: dict[str, Any]) -> None:
    """Refuse what sums over all rows do not know."""
    estimator = getattr(selector, "estimator", None)
    if not isinstance(estimator, LSSVC | KRR | None):
        raise ValueError("rows on a cluster are fitted by LSSVC or KRR: leave estimator None.")
    weights = selector.class_weight, getattr(estimator, "class_weight", None)
    for name, is_given in (
        ("fit parameters such as sample_weight", bool(params)),
        ("class_weight", weights != (None, None)),
        ("refit=False", not getattr(selector, "refit", True)),
        (f"engine={shown(selector.engine)}", selector.engine != "auto"),
    ):
        if is_given:
            raise ValueError(f"rows on a cluster do not go with {name}: leave it out.")


def _rank_for(rows: int, selector: Any, cluster: Cluster) -> int:
    """Return how many landmarks memory and time allow, of all workers together."""
    work = _WORK if selector.time is None else 0.5 * selector.time * _PACE * cluster.threads
    memory = min(as_bytes(selector.memory), cluster.memory)
    for rank in _RANKS:
        of_sums = _MATRICES * 8.0 * float(rank) ** 2
        if 2.0 * rows * rank**2 <= work and _LOADED + of_sums <= memory:
            return rank
    return _RANKS[-1]


def _check_labels(rows: RemoteRows, targets: Targets) -> None:
    """Refuse classes that the sample has not seen."""
    if targets.classes is None:
        return
    labels = rows.labels
    unseen = [] if labels is None else sorted(set(labels.tolist()) - set(targets.classes.tolist()))
    if labels is None or unseen:
        which = "more than a thousand classes" if labels is None else f"the class {unseen[0]!r}"
        raise ValueError(
            f"y has {which}, of which a sample of {targets.n} rows says too little: merge classes, "
            "or set task='regression'."
        )


def _named(sample: Array, names: list[str] | None) -> Any:
    """Return rows with the names of their columns."""
    if names is None:
        return sample
    import pandas as pd

    return pd.DataFrame(sample, columns=names)
