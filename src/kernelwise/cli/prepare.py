"""From a table to numbers, and what was done on the way."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler, OneHotEncoder, StandardScaler

from kernelwise._dates import days
from kernelwise._sklearn import COLUMN_PLACES
from kernelwise._texts import texts
from kernelwise._words import words
from kernelwise._written import numbers
from kernelwise.cli.columns import MANY_LEVELS, ColumnRoles, assign_roles, of_kinds
from kernelwise.cli.formats.base import Table, by_look, look_of
from kernelwise.cli.formats.delimited import NEEDED
from kernelwise.cli.formats.libsvm import at_indices, to_frame
from kernelwise.cli.leaks import told_leaks
from kernelwise.cli.screen import BadInput, listed
from kernelwise.cli.target import (
    choose_target,
    decided,
    known_rows,
    left_columns,
    read_target,
    target_values,
)
from kernelwise.gram import Targets
from kernelwise.selection.diagnostics import code_of

Check = Callable[[int, int], None]
_LONG_NAME = 200  # characters: an array has room for the longest in every place


@dataclass(frozen=True, eq=False)
class Prepared:
    """Data as a kernel takes it."""

    raw: Any  # frame or sparse matrix: what the preparation takes
    X: Any  # array or sparse matrix of shape (n, d): what it makes of that
    y: Any  # array of shape (n,)
    targets: Targets  # the target as the library sees it
    preparation: Any  # the transformer that made X of the table, fitted
    facts: dict[str, Any]  # as Record.data has them
    groups: Any = None  # a number for every row, equal for those that belong together

    @property
    def task(self) -> str:
        """Either "classification" or "regression"."""
        return self.targets.task

    @property
    def warnings(self) -> list[str]:
        """What was done and may matter: the columns that were left out."""
        return [sentence for sentence in self.facts["prepared"] if code_of(sentence)]


def without(table: Table, dropped: list[str], target: str | None) -> Table:
    """Return a table without the columns that are not to be used."""
    if not dropped:
        return table
    if table.frame is None:
        raise BadInput("--drop takes names of columns, which a LIBSVM file has not: leave it out.")
    columns = list(table.frame.columns)
    left = left_columns(columns, dropped, target)
    gone = listed([name for name in columns if name not in left])
    notes = (*table.notes, f"not used, as --drop says: {gone}.")
    return replace(table, frame=table.frame[left], notes=notes)


def prepare(
    table: Table, target: str | None, task: str, scale: bool, fits: Check = lambda n, d: None
) -> Prepared:
    """Return the data of a table, prepared.

    Without a target one is found. ``scale`` standardises numbers. ``fits(n, d)`` raises if n rows
    of d columns are too many; d is zero as long as the columns are not known.
    """
    if table.frame is None:
        fits(table.rows.shape[0], 0)
        return _prepare_sparse(table, target, task, scale)
    frame = table.frame
    if frame.shape[1] < 2:
        raise BadInput(f"{table.source!r} has fewer than two columns: {NEEDED}.")
    name, sentence = choose_target(list(frame.columns), target)
    known, lost = known_rows(frame[name], name)
    fits(int(known.sum()), 0)
    column, read = read_target(frame[name][known], name, task, table.decimal)
    y, targets = target_values(column, name, task)
    features = frame.loc[known].drop(columns=name).reset_index(drop=True)
    roles = assign_roles(features, table.decimal, table.total or len(frame))
    standardised = "numbers are standardised: mean 0, standard deviation 1."
    scaling = standardised if scale and (roles.numbers or roles.dates) else ""
    told = [sentence, decided(y, targets, name, task), lost, read]
    sentences = [*table.notes, *told, *roles.sentences, *told_leaks(roles, targets), scaling]
    if not roles.used:
        raise BadInput(f"no column is left to predict {name!r} from: {' '.join(roles.sentences)}")
    fits(targets.n, roles.width)
    preparation = _transformer(roles, scale)
    X = np.asarray(preparation.fit_transform(roles.frame), dtype=np.float64)
    _compact(preparation)
    facts = _facts(table, targets, name, len(roles.used), sentences)
    return Prepared(roles.frame, X, y, targets, preparation, facts)


def _prepare_sparse(table: Table, target: str | None, task: str, scale: bool) -> Prepared:
    if target is not None:
        raise BadInput("a LIBSVM file's target is the label of each line: leave out --target.")
    y, targets = target_values(pd.Series(table.labels), "label", task)
    # Without a function it passes the rows on: the simplest transformer there is.
    preparation = MaxAbsScaler() if scale else FunctionTransformer(accept_sparse=True)
    X = preparation.fit_transform(table.rows)
    if table.indices is not None:
        preparation.indices_ = table.indices  # is saved with it: conform finds the columns again
    used = int(np.count_nonzero(table.rows.getnnz(axis=0)))
    sentences = [*table.notes, decided(y, targets, "label", task), "sparse rows stay sparse."]
    if table.indices is not None:
        sentences.append(f"of indices up to {table.indices[-1]:,} only those that occur are kept.")
    if scale:
        sentences.append("every feature is divided by its largest absolute value.")
    facts = _facts(table, targets, "label", used, sentences)
    return Prepared(table.rows, X, y, targets, preparation, facts)


def _facts(
    table: Table, targets: Targets, target: str, features: int, sentences: list[str]
) -> dict[str, Any]:
    facts = {
        "source": table.source,
        "rows": targets.n,
        "features": features,
        "target": target,
        "prepared": [sentence for sentence in sentences if sentence],
    }
    if targets.classes is not None:
        sizes = zip(targets.classes.tolist(), targets.counts.tolist(), strict=True)
        facts["classes"] = {str(label): size for label, size in sizes}
    return facts


def _transformer(roles: ColumnRoles, scale: bool) -> Any:
    """Return plain scikit-learn transformers, so that the model can be saved as plain data."""

    def numeric(*first: tuple[str, Any]) -> Any:
        last = [("scale", StandardScaler())] if scale else []
        return Pipeline([*first, ("fill", SimpleImputer(strategy="median")), *last])

    read = _reading("read", numbers, roles.rules(roles.numbers))
    steps = {
        "numbers": (numeric(read), roles.numbers),
        "dates": (numeric(_reading("days", days, roles.rules(roles.dates))), roles.dates),
        "texts": (_indicators(), roles.texts),
        "words": (Pipeline([_reading("words", words, roles.vocabularies)]), roles.words),
    }
    return ColumnTransformer(
        [(kind, step, _places(roles.used, names)) for kind, (step, names) in steps.items() if names]
    )


def _indicators() -> Any:
    """Return what makes a 0/1 column of every text.

    They are not standardised: two different texts are then as far apart, at squared distance 2, as
    two standardised numbers are on average.
    """
    read = FunctionTransformer(texts, feature_names_out="one-to-one")
    fill = SimpleImputer(strategy="most_frequent")
    indicate = OneHotEncoder(
        handle_unknown="infrequent_if_exist", max_categories=MANY_LEVELS, sparse_output=False
    )
    return Pipeline([("read", read), ("fill", fill), ("indicate", indicate)])


def _reading(name: str, read: Any, rules: Mapping[str, Any]) -> tuple[str, Any]:
    """Return the step that reads columns by their rules."""
    given = {"rules": dict(rules)} if rules else None
    names = None if name == "words" else "one-to-one"
    return name, FunctionTransformer(read, kw_args=given, feature_names_out=names)


def _places(used: list[str], names: list[str]) -> slice:
    """Return where columns are; to find many of them by name takes scikit-learn minutes."""
    start = used.index(names[0])
    return slice(start, start + len(names))


def _compact(transformer: Any) -> None:
    """Keep names and places of columns as arrays: texts in a list take a line of the model each."""
    places = getattr(transformer, COLUMN_PLACES, None)
    if places is not None:
        setattr(transformer, COLUMN_PLACES, {k: np.array(v, int) for k, v in places.items()})
    names = vars(transformer).get("feature_names_in_")  # a pipeline's is that of its first step
    if names is not None and max(map(len, names)) <= _LONG_NAME:
        plain = names.astype(str)
        if plain.tolist() == names.tolist():  # an array forgets zeros at the end of a name
            transformer.feature_names_in_ = plain
    for _, part, *_ in getattr(transformer, "transformers_", getattr(transformer, "steps", ())):
        _compact(part)


@dataclass(frozen=True)
class Wanted:
    """What a saved model takes: a table, or sparse rows."""

    names: list[str]  # the columns of a table, in their order
    kinds: dict[str, list[str]]  # the columns by what they are: "numbers" and so on
    indices: Any = None  # those of sparse rows; None for a table
    rules: dict[str, str] = field(default_factory=dict)  # how columns are read, where that is known

    @property
    def texts(self) -> tuple[str, ...]:
        """The columns to be read as text, even if they look like numbers."""
        return (*self.kinds.get("texts", ()), *self.kinds.get("words", ()), *self.rules)

    @property
    def numeric(self) -> list[str]:
        """The columns that are numbers or dates, in the order in which they are prepared."""
        return [*self.kinds.get("numbers", ()), *self.kinds.get("dates", ())]

    @classmethod
    def by(cls, model: Any) -> "Wanted":
        """Return what a model takes."""
        preparation = model[0]
        if not hasattr(preparation, "transformers_"):
            every = np.arange(preparation.n_features_in_)
            return cls([], {}, getattr(preparation, "indices_", every))
        names = list(map(str, preparation.feature_names_in_))
        kinds: dict[str, list[str]] = {}
        rules: dict[str, str] = {}
        for kind, part, columns in preparation.transformers_:
            kinds[kind] = names[columns]
            if kind != "words":  # its first step says how the columns are read, if at all
                rules |= (getattr(part[0], "kw_args", None) or {}).get("rules", {})
        return cls(names, kinds, rules=rules)


def conform(table: Table, wanted: Wanted) -> tuple[Any, list[str]]:
    """Return the rows of a table as a saved model takes them, and what had to be passed over."""
    if wanted.indices is not None:
        if table.rows is None:
            raise BadInput(
                f"{table.source!r} is a table, but the model was made from sparse rows: give a "
                "LIBSVM file."
            )
        # What the model never saw is left out.
        return at_indices(table.rows, table.indices, wanted.indices), []
    frame = _renamed(_frame_of(table, wanted.names), wanted.names)
    known = set(frame.columns)
    missing = [name for name in wanted.names if name not in known]
    if missing:
        raise BadInput(
            f"{table.source!r} lacks {'column' if len(missing) == 1 else 'columns'} "
            f"{listed(missing)}, which the model was made from: add what is missing, empty if it "
            "is not known."
        )
    if len(frame) == 0:
        raise BadInput(f"{table.source!r} has no rows: give a file with data.")
    return of_kinds(frame[wanted.names], wanted.kinds, wanted.rules, table.decimal)


def _renamed(frame: Any, names: list[str]) -> Any:
    """Return a frame whose columns have the wanted names where blanks or case differ."""
    known, wanted = set(frame.columns), set(names)
    if wanted <= known:
        return frame
    alike = by_look([name for name in frame.columns if name not in wanted])
    new = {alike[look_of(name)]: name for name in wanted - known if look_of(name) in alike}
    return frame.rename(columns=new)


def _frame_of(table: Table, names: list[str]) -> Any:
    """Return the columns of a table; of sparse rows, where absent ones are zero, the named."""
    if table.rows is None:
        return table.frame
    numbered = [name for name in names if re.fullmatch(r"0|[1-9]\d{0,9}", name, re.ASCII)]
    indices = np.array([int(name) for name in numbered], dtype=np.int64)
    return to_frame(at_indices(table.rows, table.indices, indices), table.labels, indices)
