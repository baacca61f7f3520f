"""What the tests of the command line share."""

import io
import os
import pathlib

import numpy as np
import pandas as pd

from inside import main

ROOT = pathlib.Path(__file__).parents[2]
DATA = pathlib.Path(os.environ.get("KERNELWISE_DATA", ROOT.parent / "shared" / "data"))


def run(capsys, *argv):
    """Run a command in this process: its status, standard output and standard error."""
    status = main([str(arg) for arg in argv])
    said = capsys.readouterr()
    return status, said.out, said.err


def flowers(n=60, seed=0):
    """Two classes of numbers, with a text column that helps."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return pd.DataFrame(
        {
            "length": (rng.normal(size=n) + 2 * y).round(4),
            "width": rng.normal(size=n).round(4),
            "colour": np.where(rng.random(n) < 0.2, "white", np.where(y == 1, "red", "blue")),
            "species": np.where(y == 1, "rose", "violet"),
        }
    )


def as_libsvm(X, y):
    buffer = io.StringIO()
    for row, label in zip(np.asarray(X), y, strict=True):
        pairs = " ".join(f"{i + 1}:{v:g}" for i, v in enumerate(row) if v)
        buffer.write(f"{label:g} {pairs}\n")
    return buffer.getvalue()
