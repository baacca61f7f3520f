"""Tables in files: CSV, TSV, LIBSVM, ARFF, Parquet, ordinary and damaged, through the commands."""

import io
from pathlib import Path

import numpy as np
import pandas as pd

from fuzz.cases import Trial
from fuzz.commands import folder, run_command
from fuzz.draw import Rng, chance, pick
from fuzz.mutations import encoded, mutated_bytes, mutated_text
from fuzz.saved import chosen, rows

EXTENSIONS = {"csv": ".csv", "tsv": ".tsv", "libsvm": ".libsvm", "arff": ".arff"}
QUICK = ["--criterion", "sm", "--kernels", "gaussian:0:2"]


def readers(trial: Trial) -> None:
    """Run one case."""
    rng = trial.rng
    with folder() as here:
        kind = pick(rng, ["csv", "csv", "csv", "tsv", "libsvm", "libsvm", "arff", "parquet"])
        path = here / ("table" + EXTENSIONS.get(kind, ".parquet"))
        if chance(rng, 0.1):
            path = here / pick(rng, ["table", "table.dat", "table.csv.gz", "table.arff", "t.svm"])
        if chance(rng, 0.2):
            path = here / "table.csv"
            path.write_text(_frame(rng).to_csv(index=False))
            run_command(trial, *_hostile(rng), path)
            return
        if chance(rng, 0.15):
            _predict(trial, here)
            return
        path.write_bytes(_content(rng, kind))
        run_command(trial, *_command(rng), path, *_options(rng))


def _predict(trial: Trial, here: Path) -> None:
    """Predict rows like those that the model was made from, but for a few fields."""
    rng = trial.rng
    kind = pick(rng, ["classes", "real", "svm", "many"])
    path = here / "new.csv"
    path.write_bytes(encoded(rng, mutated_text(rng, rows(kind).to_csv(index=False))))
    run_command(trial, "predict", chosen(kind) / "model.skops", path, *_options(rng))


_OF_BOUNDS = ("--delta", "--t", "--variant")


def _hostile(rng: Rng) -> list[object]:
    """Return a command with options that nobody should give."""
    options = {
        "--target": ["nope", "", "c0", "C0", "\n"],
        "--criterion": ["nope", "ks", "eloo", "sm_hinge", "span", "br", "bif", "cvks"],
        "--kernels": [
            *("nope", "gaussian:a:b", "gaussian:3:1", "gaussian:-1074:1023", "polynomial:0:1"),
            *("gaussian:1.5:2", "linear:1:2", ",", "all", "matern:-600:-599", "polynomial:300:301"),
        ],
        "--ridge": ["0", "-1", "nan", "inf", "1e-320", "1e99", "1e200", "a", "1,,2", "1e-90,1e90"],
        "--rows": ["0", "3", "-1", "a", "1e3", "٣", "9" * 30],
        "--seed": ["-1", "a", "9" * 30, "0"],
        "--memory": ["1KB", "0", "lots", "-1GB", "1e400GB", "nan"],
        "--task": ["classification", "regression", "nope"],
        "--machine": ["svm", "krr", "lssvm", "nope"],
        "--delta": ["0", "1", "-1", "nan", "1e-320", "a"],
        "--t": ["0", "-1", "1000000", "a", "1.5"],
        "--variant": ["printed", "both", "nope"],
    }
    command = pick(rng, ["select", "compare", "bounds"])
    if command != "bounds":
        options = {name: options[name] for name in options if name not in _OF_BOUNDS}
    names = rng.permutation(list(options))[: int(rng.integers(1, 3))]
    return [command, *(part for name in names for part in (name, pick(rng, options[str(name)])))]


def _content(rng: Rng, kind: str) -> bytes:
    frame = _frame(rng)
    if kind == "parquet":
        data = _parquet(rng, frame)
        return mutated_bytes(rng, data) if chance(rng, 0.5) else data
    text = _WRITERS[kind](frame)
    return encoded(rng, mutated_text(rng, text) if chance(rng, 0.7) else text)


def _frame(rng: Rng) -> pd.DataFrame:
    """Return a small table of columns of all kinds, the target last."""
    n = pick(rng, [4, 8, 12, 20, 30])
    columns = {f"c{i}": pick(rng, _COLUMNS)(rng, n) for i in range(int(rng.integers(1, 5)))}
    name = pick(rng, ["target", "y", "last", "c0", "a b", "ß"])
    return pd.DataFrame({**columns, name: pick(rng, _TARGETS)(rng, n)})


_COLUMNS = [
    lambda rng, n: rng.normal(size=n).round(3),
    lambda rng, n: rng.normal(size=n).round(3),
    lambda rng, n: rng.integers(0, 5, n),
    lambda rng, n: rng.normal(size=n) * 10.0 ** rng.integers(-120, 120),
    lambda rng, n: np.where(rng.random(n) < 0.3, np.nan, rng.normal(size=n)),
    lambda rng, n: np.array(["red", "blue", "", "NA"])[rng.integers(0, 4, n)],
    lambda rng, n: pd.date_range("2024-01-01", periods=n).astype(str),
    lambda rng, n: rng.random(n) < 0.5,
    lambda rng, n: np.full(n, 1.0),
    lambda rng, n: np.arange(n),
]
_TARGETS = [
    lambda rng, n: np.array(["u", "v"])[np.arange(n) % 2],
    lambda rng, n: np.arange(n) % 2,
    lambda rng, n: np.arange(n) % 3,
    lambda rng, n: rng.normal(size=n).round(4),
    lambda rng, n: np.array(["=1", "+2", "-3"])[np.arange(n) % 3],
]


def _libsvm(frame: pd.DataFrame) -> str:
    numbers = frame.select_dtypes("number")
    lines = []
    for i, row in enumerate(numbers.to_numpy(dtype=float)):
        pairs = " ".join(f"{j + 1}:{v:g}" for j, v in enumerate(row) if v)
        lines.append(f"{i % 2} {pairs}")
    return "\n".join(lines) + "\n"


def _arff(frame: pd.DataFrame) -> str:
    def kind(column: pd.Series) -> str:
        if column.dtype.kind in "if":
            return "numeric"
        return "{" + ",".join(f"'{v}'" for v in sorted(set(column.astype(str)))) + "}"

    head = [f"@attribute '{name}' {kind(frame[name])}" for name in frame]
    lines = frame.to_csv(index=False, header=False, na_rep="?")
    return "@relation x\n" + "\n".join(head) + "\n@data\n" + lines


_WRITERS = {
    "csv": lambda frame: frame.to_csv(index=False),
    "tsv": lambda frame: frame.to_csv(index=False, sep="\t"),
    "libsvm": _libsvm,
    "arff": _arff,
}


def _parquet(rng: Rng, frame: pd.DataFrame) -> bytes:
    """Return a Parquet file, with a column that no text can hold now and then."""
    n = len(frame)
    odd = [
        lambda: [[1, 2]] * n,
        lambda: [{"a": 1}] * n,
        lambda: [b"\xff"] * n,
        lambda: pd.to_datetime(np.arange(n), unit="D", utc=True),
        lambda: pd.to_timedelta(np.arange(n), unit="s"),
        lambda: pd.Series(["a", "b"] * n, dtype="category")[:n],
        lambda: np.arange(n).astype("uint64") + 2**63,
        lambda: [None] * n,
        lambda: np.full(n, np.inf),
        lambda: pd.array([1, None] * n, dtype="Int64")[:n],
        lambda: rng.normal(size=n).astype(np.float16),
    ]
    if chance(rng, 0.6):
        frame = frame.assign(**{pick(rng, ["c0", "odd", "target"]): pick(rng, odd)()})
    frame = frame.iloc[:0] if chance(rng, 0.05) else frame
    buffer = io.BytesIO()
    frame.to_parquet(buffer)
    return buffer.getvalue()


def _command(rng: Rng) -> list[object]:
    if chance(rng, 0.05):
        return ["bounds", "--kernel", "gaussian:1:1", "--ridge", 1]
    return pick(rng, [["select", *QUICK, "--ridge", 1], ["compare", *QUICK]])


def _options(rng: Rng) -> list[object]:
    options = [
        ["--format", pick(rng, ["csv", "tsv", "libsvm", "arff", "parquet", "nope"])],
        ["--header", pick(rng, ["auto", "yes", "no"])],
        ["--json"],
        ["--quiet"],
    ]
    return [part for option in options if chance(rng, 0.1) for part in option]
