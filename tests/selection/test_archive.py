"""Values as plain data, and back by their types."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import kernelwise as kw
from inside import Array, from_plain, to_plain


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
    np.testing.assert_array_equal(from_plain(Array, to_plain(values), "values"), values)
    assert math.isnan(from_plain(float, None, "value"))


def test_a_dataclass_comes_back_by_its_fields():
    part = Part("a", 2)
    assert to_plain(part) == {"name": "a", "count": 2, "kernel": None}
    assert from_plain(Part, to_plain(part), "part") == part
    assert from_plain(tuple[Part, ...], [to_plain(part)], "parts") == (part,)
    with pytest.raises(KeyError, match="count"):
        from_plain(Part, {"name": "a"}, "part")


@pytest.mark.parametrize(
    "kind, plain, word",
    [
        (str, 1, "text"),
        (int, -1, "count"),
        (int, True, "count"),
        (float, "1", "number"),
        (float, False, "number"),
        (list[str], "ab", "list"),
        (dict[str, Any], [], "mapping"),
        (dict[str, int], {"a": "b"}, "count"),
        (tuple[float, ...] | None, {}, "list"),
    ],
)
def test_what_is_of_another_kind_is_named(kind, plain, word):
    with pytest.raises(ValueError, match=f"^what is no {word} but "):
        from_plain(kind, plain, "what")
