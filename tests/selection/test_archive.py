"""Values as plain data."""

from dataclasses import dataclass

import numpy as np

import kernelwise as kw
from inside import to_plain


@dataclass(frozen=True)
class Part:
    """Fields of several kinds."""

    name: str
    count: int
    kernel: kw.Gaussian | None = None


def test_numbers_that_json_does_not_know():
    values = np.array([1.5, np.nan, np.inf, -np.inf])
    assert to_plain(values) == [1.5, None, "inf", "-inf"]
    assert to_plain({"a": (np.float32(0.5), np.bool_(True), np.int64(3))}) == {"a": [0.5, True, 3]}


def test_a_dataclass_is_its_fields():
    plain = {"name": "a", "count": 2, "kernel": {"kernel": "Gaussian", "tau": 1.0}}
    assert to_plain(Part("a", 2, kw.Gaussian(1.0))) == plain
    assert to_plain((Part("a", 2),)) == [plain | {"kernel": None}]
