"""kernelwise bounds: what the papers' theorems say of one kernel, beside what was observed."""

import argparse
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from kernelwise import __version__
from kernelwise.bounds.base import VARIANTS, Bound, check_delta
from kernelwise.bounds.observed import Observed, observe
from kernelwise.bounds.overview import evaluate
from kernelwise.bounds.sample import Learner, Sample
from kernelwise.bounds.theorem import Quantity, Theorem, statements
from kernelwise.cli.answer import described
from kernelwise.cli.pipeline import Job, explain_memory_error
from kernelwise.cli.prepare import Prepared
from kernelwise.cli.screen import BadInput, Screen, aligned, counted, labelled, tell
from kernelwise.cli.write import to_csv
from kernelwise.gram import Dense
from kernelwise.kernels import Kernel
from kernelwise.selection.archive import to_plain

RESULT, TABLE = "bounds.json", "bounds.csv"
_FEWEST = 5  # rows: the theorems on cross-validation have five folds
_QUICK = 2000  # rows beyond which it takes minutes
_ROUNDING = 1e-9


@dataclass(frozen=True)
class _Row:
    """A bound under its name, with the number it bounds where the sample has that."""

    name: str
    label: str  # with the variant, where both are shown
    theorem: Theorem
    bound: Bound
    observed: Observed | None

    @property
    def fails(self) -> list[str]:
        """The assumptions that do not hold."""
        return [a.text for a in self.bound.assumptions if a.holds is False]

    @property
    def contradicted(self) -> bool:
        """Whether the observed number is on the wrong side of the bound."""
        if self.observed is None:
            return False
        side = -1.0 if self.theorem.from_below else 1.0
        excess = side * (self.observed.value - self.bound.value)
        return excess > _ROUNDING * (1.0 + abs(self.bound.value))

    def plain(self) -> dict[str, Any]:
        """Return it as data that JSON can hold."""
        bound, seen = self.bound, self.observed
        return {
            "bound": self.name,
            "theorem": bound.reference,
            "variant": bound.variant,
            "quantity": bound.quantity,
            "value": to_plain(bound.value),
            "observed": None if seen is None else to_plain(seen.value),
            "observed_by": None if seen is None else seen.method,
            "known_without": to_plain(bound.trivial),
            "vacuous": bound.vacuous,
            "contradicted": self.contradicted,
            "valid": bound.valid,
            "terms": to_plain(bound.terms),
            "fails": self.fails,
            "assumptions": [{"text": a.text, "holds": a.holds} for a in bound.assumptions],
        }


@dataclass(frozen=True)
class _Findings:
    """All that is printed and written."""

    kernel: Kernel
    ridge: float
    rows: list[_Row]
    observed: dict[str, Observed]
    left_out: dict[str, dict[str, str]]


def bounds(args: argparse.Namespace, screen: Screen) -> int:
    """Evaluate the theorems for one kernel; return the exit status."""
    check_delta(args.delta)
    job = Job(args, screen)
    data, folder, n = job.data, job.folder, job.data.targets.n
    _check(args, data, screen)
    selector = job.selector()
    with screen.heard(), explain_memory_error(args.memory, n):
        # The support vector machine takes copies of the matrix of its own.
        rows = n if data.task == "regression" else 2 * n
        Dense(args.memory).check_memory(frozenset(), rows)
        with screen.fitting(selector, "choosing the kernel"):
            selector.fit(data.X, data.y)
        with screen.status("evaluating the theorems"):
            found = _find(args, data, selector.best_kernel_, selector.best_ridge_)
    plain = _plain(args, data, found)
    files = [str(folder.path / name) for name in (RESULT, TABLE)]
    folder.text(RESULT, json.dumps({**plain, "files": files}, indent=1, allow_nan=False))
    folder.text(TABLE, _csv(found.rows))
    answer = json.dumps({**plain, "files": folder.written}, allow_nan=False)
    tell(answer if args.json else _page(args, data, found, folder.written))
    folder.check()
    return 0


def _check(args: argparse.Namespace, data: Prepared, screen: Screen) -> None:
    """Refuse what no theorem is about, and say what makes bounds larger than they need to be."""
    targets, name = data.targets, data.facts["target"]
    if targets.kind == "multiclass":
        remedy = ", or use --task regression" if data.y.dtype.kind in "iu" else ""
        raise BadInput(
            f"the theorems are for two classes or a real target, and {name!r} has "
            f"{targets.counts.size} classes: keep the rows of two of them{remedy}."
        )
    if targets.n < _FEWEST:
        raise BadInput(f"only {targets.n} rows: the theorems need at least {_FEWEST}.")
    if not 1 <= args.t < targets.n:
        raise BadInput(
            f"--t must be at least 1 and less than the {counted(targets.n, 'row')}, got {args.t}."
        )
    if targets.n > _QUICK:
        screen.note(f"beyond {_QUICK:,} rows this takes minutes; --rows draws fewer at random.")
    if targets.classes is None and abs(np.mean(targets.y)) > np.std(targets.y):
        screen.note(
            f"the theorems know no bias, and the mean of {name!r} is far from zero: subtract it "
            "first for smaller errors and bounds."
        )


def _find(args: argparse.Namespace, data: Prepared, kernel: Kernel, ridge: float) -> _Findings:
    """Evaluate the theorems, in one variant or both, and observe what they bound."""
    sample = Sample(kernel(data.X), data.y, ridge, task=data.task)
    theorems = {name: statement.theorem for name, statement in statements().items()}
    observed = observe(sample, data.y, t=args.t)
    rows: dict[tuple[str, str], _Row] = {}  # a theorem without misprints has one form
    left_out: dict[str, dict[str, str]] = {}
    for variant in VARIANTS if args.variant == "both" else (args.variant,):
        overview = evaluate(sample, data.y, delta=args.delta, t=args.t, variant=variant)
        for name, bound in overview.bounds.items():
            label = f"{name} ({bound.variant})" if args.variant == "both" else name
            seen = observed.get(name)
            rows[name, bound.variant] = _Row(name, label, theorems[name], bound, seen)
        for name, reason in overview.left_out.items():
            theorem = theorems[name].reference
            left_out[name] = {"bound": name, "theorem": theorem, "reason": reason}
    return _Findings(kernel, ridge, [rows[key] for key in sorted(rows)], observed, left_out)


def _plain(args: argparse.Namespace, data: Prepared, found: _Findings) -> dict[str, Any]:
    return {
        "version": __version__,
        "kernel": to_plain(found.kernel),
        "name": str(found.kernel),
        "ridge": found.ridge,
        "delta": args.delta,
        "t": args.t,
        "variant": args.variant,
        "task": data.task,
        "data": data.facts,
        "bounds": [row.plain() for row in found.rows],
        "left_out": list(found.left_out.values()),
    }


def _csv(rows: list[_Row]) -> str:
    """Return a line for every bound; terms and assumptions that fail are texts."""
    lines = []
    for row in rows:
        plain = row.plain()
        del plain["assumptions"]
        terms = "; ".join(f"{name}={term}" for name, term in plain["terms"].items())
        lines.append(plain | {"terms": terms, "fails": "; ".join(row.fails)})
    return to_csv(pd.DataFrame(lines, columns=None if lines else ["bound"], dtype=object))


def _page(args: argparse.Namespace, data: Prepared, found: _Findings, written: list[str]) -> str:
    """Return what a person reads: the table, the terms, what fails and what does not apply."""
    failing = list(dict.fromkeys(text for row in found.rows for text in row.fails))
    reasons = {n: f"{gap['theorem']}: {gap['reason']}" for n, gap in found.left_out.items()}
    parts = (
        _head(args, data, found),
        _table(found.rows, failing),
        _section("terms:", {row.label: _terms(row) for row in found.rows}),
        _section("assumptions that fail:", dict(enumerate(failing, 1))) if failing else "",
        _section("theorems that do not apply:", reasons) if reasons else "",
        _legend(found.rows),
        labelled({"written": ", ".join(written)}),
    )
    return "\n\n".join(filter(None, parts))


def _head(args: argparse.Namespace, data: Prepared, found: _Findings) -> str:
    lines = {
        "kernel": str(found.kernel),
        "ridge": f"{found.ridge:.4g}",
        "data": described(data.facts),
        "theorems": f"{args.variant}, delta = {args.delta:g}, t = {args.t}",
    }
    for learner in (Learner.KRR,) if data.task == "regression" else (Learner.LSSVM, Learner.SVM):
        known = _losses(learner, found.observed)
        seen = ", ".join(f"{what} {number.value:.4g}" for what, number in known.items())
        method = next((number.method for number in known.values()), "none")
        text = f"{seen} ({method}, without bias)" if known else "undefined, see below"
        lines[learner.name] = text
    return labelled(lines)


def _losses(learner: Learner, observed: dict[str, Observed]) -> dict[str, Observed]:
    """Return the loss and the error rate of a machine, as observed beside its theorems."""
    labels = {Quantity.LOSS: learner.loss, Quantity.ERROR_RATE: "error rate"}
    return {
        labels[theorem.quantity]: observed[name]
        for name, (theorem, _) in statements().items()
        if name in observed and theorem.learner is learner and theorem.quantity in labels
    }


def _table(rows: list[_Row], failing: list[str]) -> str:
    """Return a line for every bound; the numbers of what fails are explained below the table."""
    lines = [["bound", "theorem", "value", "observed", "known", "vacuous", "fails"]]
    for row in rows:
        bound, mark = row.bound, "!" if row.contradicted else ""
        seen = "–" if row.observed is None else f"{row.observed.value:.4g}{mark}"
        numbers = [f"{bound.value:.4g}", seen, f"{bound.trivial:.4g}"]
        fails = " ".join(str(failing.index(text) + 1) for text in row.fails)
        is_vacuous = "yes" if bound.vacuous else "no"
        lines.append([row.label, bound.reference, *numbers, is_vacuous, fails])
    return aligned(lines, right=("value", "observed", "known"))


def _terms(row: _Row) -> str:
    """Return what is bounded and the terms: a sum where they add up to the value."""
    bound = row.bound
    adds_up = bool(np.isclose(sum(bound.terms.values()), bound.value))
    join = " + " if adds_up else ", "
    terms = join.join(f"{name} {term:.4g}" for name, term in bound.terms.items())
    how = "" if row.observed is None else f" [{row.observed.method}]"
    return f"{bound.quantity}{how}: {terms}"


def _section(title: str, texts: Mapping[Any, str]) -> str:
    width = max((len(str(name)) for name in texts), default=0)
    return "\n".join([title, *(f"{name!s:<{width}}  {text}" for name, text in texts.items())])


def _legend(rows: list[_Row]) -> str:
    vacuous = sum(row.bound.vacuous for row in rows)
    sentences = [
        "observed: what is bounded, as far as these rows have it; [...] says how it was found.",
        f"known: what is known without the theorem; {vacuous} of {len(rows)} bounds are vacuous, "
        "no better than that.",
    ]
    if any(row.contradicted for row in rows):
        sentences.append("! marks a bound that what was observed contradicts.")
    return "\n".join(sentences)
