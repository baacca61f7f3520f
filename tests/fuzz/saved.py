"""Folders that ``kernelwise select --out`` wrote, one of each kind per process."""

import contextlib
import functools
import io
import re
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd

from kernelwise.cli.main import main

_OPTIONS = {
    "classes": [],
    "real": ["--criterion", "kfold", "--ridge", "0.1,1"],
    "svm": ["--machine", "svm", "--kernels", "gaussian:0:2"],
    "many": ["--criterion", "sm", "--kernels", "linear,matern:0:1"],
}
_HERE = tempfile.TemporaryDirectory(prefix="kernelwise-fuzz-")


@functools.cache
def chosen(kind: str) -> Path:
    """Return the folder of a choice: of two classes, a real target, by an SVM, of three classes."""
    table, out = Path(_HERE.name) / f"{kind}.csv", Path(_HERE.name) / kind
    rows(kind).to_csv(table, index=False)
    with contextlib.redirect_stdout(io.StringIO()):
        status = main(["select", str(table), "--out", str(out), "--quiet", *_OPTIONS[kind]])
    assert status == 0
    return out


def rows(kind: str) -> pd.DataFrame:
    """Return the table that a choice was made from."""
    rng = np.random.default_rng(0)
    y = np.arange(24) % (3 if kind == "many" else 2)
    frame = pd.DataFrame({"a": rng.normal(size=24) + y, "b": rng.normal(size=24)})
    if kind == "real":
        return frame.assign(target=frame["a"] ** 2)
    return frame.assign(colour=np.where(frame["b"] > 0, "red", "blue"), target=y)


@functools.cache
def parts(kind: str) -> dict[str, bytes]:
    """Return the members of a model file, the same in every process.

    skops numbers objects by their addresses; here they are numbered in their order.
    """
    with zipfile.ZipFile(chosen(kind) / "model.skops") as archive:
        found = {info.filename: archive.read(info) for info in archive.infolist()}
    schema = found["schema.json"].decode()
    numbers: dict[str, str] = {}
    for address in re.findall(r"\d{10,}", schema):
        numbers.setdefault(address, str(len(numbers) + 1))

    def numbered(text: str) -> str:
        return re.sub(r"\d{10,}", lambda m: numbers.get(m[0], m[0]), text)

    members = {numbered(name): data for name, data in found.items() if name != "schema.json"}
    return {**dict(sorted(members.items())), "schema.json": numbered(schema).encode()}


def packed(members: dict[str, bytes]) -> bytes:
    """Return the model file of some members."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()
