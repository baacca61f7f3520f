"""From a table to numbers, and what was done on the way."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelwise.cli.columns import Plan, of_kinds, plan_columns
from kernelwise.cli.libsvm import at_indices, to_frame
from kernelwise.cli.read import Table
from kernelwise.cli.screen import BadInput, counted, listed
from kernelwise.cli.target import choose_target, target_values
from kernelwise.gram import Targets

MOST_LEVELS = 50  # columns that one text column may become


@dataclass(frozen=True, eq=False)
class Prepared:
    """Data as a kernel takes it.

    Attributes
    ----------
    raw : frame or sparse matrix of shape (n, columns)
        What the preparation takes.
    X : array or sparse matrix of shape (n, d)
        What it makes of that.
    y : array of shape (n,)
    targets : Targets
        The target as the library sees it.
    preparation : transformer
        What made X of the table, fitted.
    facts : dict
        As :attr:`kernelwise.selection.record.Record.data` has them.
    """

    raw: Any
    X: Any
    y: Any
    targets: Targets
    preparation: Any
    facts: dict[str, Any]

    @property
    def task(self) -> str:
        """Either "classification" or "regression"."""
        return "regression" if self.targets.classes is None else "classification"


def prepare(table: Table, target: str | None, task: str, scale: bool) -> Prepared:
    """Return the data of a table, prepared."""
    if table.frame is None:
        return _prepare_sparse(table, target, task, scale)
    frame = table.frame
    name, sentence = choose_target(list(frame.columns), target)
    sentences = [*table.notes, *([sentence] if sentence else [])]
    values = frame[name]
    known = (values.notna() & (values.astype(str).str.strip() != "")).to_numpy()
    if not known.any():
        raise BadInput(f"the target {name!r} has no values: name another column by --target.")
    if not known.all():
        lost = counted(int((~known).sum()), "row")
        sentences.append(f"{lost} without a value of {name!r} left out.")
    y, targets = target_values(values[known], name, task)
    features = frame.loc[known].drop(columns=name).reset_index(drop=True)
    plan = plan_columns(features)
    sentences += plan.sentences
    if not plan.used:
        raise BadInput(f"no column is left to predict {name!r} from: {' '.join(plan.sentences)}")
    sentences.append(_scaling(plan, scale))
    preparation = _transformer(plan, scale)
    raw = plan.frame[plan.used]
    X = np.asarray(preparation.fit_transform(raw), dtype=np.float64)
    facts = _facts(table, targets, name, len(plan.used), sentences)
    return Prepared(raw, X, y, targets, preparation, facts)


def _prepare_sparse(table: Table, target: str | None, task: str, scale: bool) -> Prepared:
    import pandas as pd
    from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler

    if target is not None:
        raise BadInput("a LIBSVM file's target is the label of each line: leave out --target.")
    y, targets = target_values(pd.Series(table.labels), "label", task)
    # Without a function it passes the rows on: the simplest transformer there is.
    preparation = MaxAbsScaler() if scale else FunctionTransformer(accept_sparse=True)
    X = preparation.fit_transform(table.rows)
    if table.indices is not None:
        preparation.indices_ = table.indices  # is saved with it: conform finds the columns again
    used = int(np.count_nonzero(table.rows.getnnz(axis=0)))
    sentences = [*table.notes, "sparse rows stay sparse."]
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


def _scaling(plan: Plan, scale: bool) -> str:
    if not scale or not (plan.numbers or plan.dates):
        return ""
    return "numbers are standardised: mean 0, standard deviation 1."


def _transformer(plan: Plan, scale: bool) -> Any:
    """Return plain scikit-learn transformers, so that the model can be saved as plain data."""
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

    def numeric(*first: tuple[str, Any]) -> Any:
        last = [("scale", StandardScaler())] if scale else []
        return Pipeline([*first, ("fill", SimpleImputer(strategy="median")), *last])

    # Indicators stay 0 and 1: two different texts are then as far apart, at squared distance 2, as
    # two standardised numbers are on average.
    indicators = OneHotEncoder(
        handle_unknown="infrequent_if_exist", max_categories=MOST_LEVELS, sparse_output=False
    )
    texts = Pipeline([("fill", SimpleImputer(strategy="most_frequent")), ("indicate", indicators)])
    steps = [
        ("numbers", numeric(), plan.numbers),
        ("dates", numeric(("days", FunctionTransformer(days))), plan.dates),
        ("texts", texts, plan.texts),
    ]
    return ColumnTransformer([step for step in steps if step[2]])


def days(frame: Any) -> Any:
    """Return dates as days since 1970; NaN for what is no date."""
    import pandas as pd

    columns = [
        pd.to_datetime(frame[name], errors="coerce", format="ISO8601", utc=True) for name in frame
    ]
    epoch = pd.Timestamp(0, tz="UTC")
    return np.column_stack([((c - epoch) / pd.Timedelta(days=1)).to_numpy() for c in columns])


def conform(table: Table, model: Any) -> tuple[Any, list[str]]:
    """Return the rows of a table as a saved model takes them, and what had to be passed over.

    Parameters
    ----------
    table : Table
    model : Pipeline
        Preparation and machine.
    """
    preparation = model[0]
    if not hasattr(preparation, "transformers_"):
        return _conform_sparse(table, preparation), []
    wanted = list(preparation.feature_names_in_)
    frame = _frame_of(table, wanted)
    missing = [name for name in wanted if name not in frame.columns]
    if missing:
        raise BadInput(
            f"{table.source!r} lacks {'column' if len(missing) == 1 else 'columns'} "
            f"{listed(missing)}, which the model was made from: add what is missing."
        )
    kinds = {step: list(names) for step, _, names in preparation.transformers_}
    return of_kinds(frame[wanted], kinds.get("numbers", []), kinds.get("texts", []))


def _frame_of(table: Table, wanted: list[str]) -> Any:
    """Return the columns of a table; of sparse rows, where absent ones are zero, the wanted."""
    if table.rows is None or not all(name.isdecimal() for name in wanted):
        return table.dense().frame
    indices = np.array([int(name) for name in wanted])
    return to_frame(at_indices(table.rows, table.indices, indices), None, indices)


def _conform_sparse(table: Table, preparation: Any) -> Any:
    if table.rows is None:
        raise BadInput(
            f"{table.source!r} is a table, but the model was made from sparse rows: give a LIBSVM "
            "file."
        )
    wanted = getattr(preparation, "indices_", None)
    if wanted is None:
        wanted = np.arange(preparation.n_features_in_)
    return at_indices(table.rows, table.indices, wanted)  # what the model never saw is left out
