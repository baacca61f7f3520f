"""Results that somebody else wrote, or that were damaged: one sentence, or a page that is inert."""

import copy
import json
import random
import re
from html.parser import HTMLParser

import numpy as np
import pytest

import kernelwise as kw
from inside import (
    ErrorEstimate,
    Member,
    Record,
    SelectionResult,
    Stack,
    archive,
    main,
    render,
    summarize,
)

HOSTILE = "</script><script>alert(1)</script><img src=x onerror='alert(2)'>\"&amp;"
DEEP = "[" * 100_000


@pytest.fixture(scope="module")
def good():
    """A record with everything in it, as plain data."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), np.arange(40) % 2
    kernels = [*kw.grids.gaussian(0, 2), kw.Linear() + 2.0 * kw.Polynomial(2)]
    selector = kw.KernelSelector(kernels=kernels).fit(X, y)
    estimate = ErrorEstimate("error rate", 0.1, 0.02, "leave-one-out", 0.5)
    record = Record(
        kernel=selector.best_kernel_,
        ridge=selector.best_ridge_,
        machine="LSSVC",
        task="classification",
        result=selector.result_,
        comparison=kw.score_kernels(X, y, kernels, ["sm", "ckta", "eloo"]),
        error=estimate,
        nested=estimate,
        stack=Stack(
            0.5,
            estimate,
            (
                Member("gaussian", selector.best_kernel_, 0.1, 0.75, estimate, 4, 0.1),
                Member("b", kw.Scaled([1, 2, 3], kw.Laplacian(2.0)), 0.1, 0.25, None, 4, 0.1),
            ),
            ("linear is left out",),
        ),
        relevance={"a": 0.7, "b": 0.3},
        warnings=("look twice",),
        data={
            "source": "f.csv",
            "rows": 40,
            "features": 3,
            "target": "y",
            "classes": {"0": 20, "1": 20},
            "prepared": ["numbers are standardised."],
        },
        seconds=0.5,
        model="model.skops",
        model_sha256="0" * 64,
        version="1.0",
    )
    return json.loads(record.to_json())


@pytest.fixture
def report(tmp_path, capsys):
    """Return what makes the report of a content: the status, the page, what was said."""

    def make(content):
        path, out = tmp_path / "result.json", tmp_path / "report.html"
        out.unlink(missing_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        status = main(["report", str(path)])
        said = capsys.readouterr()
        assert status == (0 if out.exists() else 2)
        assert len(said.err) < 1500
        if status:
            [line] = said.err.splitlines()
            assert line.startswith("kernelwise: ") and "result.json" in line
        else:
            assert said.err == ""
        return status, out.read_text() if out.exists() else "", said.err

    return make


def shown(plain):
    """Return the page of plain data, nothing where it is refused; without a file it is quick."""
    try:
        record = Record.from_json(json.dumps(plain))
    except ValueError as error:
        assert str(error).startswith("this is no record of a selection (")
        return ""
    try:
        return render(summarize(record))
    except archive.WRONG:  # its parts do not fit together
        return ""


def test_the_good_one_is_good(good, report):
    assert report(json.dumps(good))[0] == 0
    assert report(b"\xef\xbb\xbf" + json.dumps(good).encode())[0] == 0, "some editors begin so"


CONTENTS = {
    "nothing": b"",
    "nested": DEEP.encode(),
    "nested more": ('{"a":' * 50_000).encode(),
    "zeros": bytes(100),
    "another encoding": json.dumps({"format": "ü"}, ensure_ascii=False).encode("latin-1"),
    "UTF-16": json.dumps({}).encode("utf-16"),
    "digits": b"1" * 5000,
    "a text": b'"' + b"x" * 10**6 + b'"',
}


@pytest.mark.parametrize("name", CONTENTS)
def test_what_is_no_result(name, report):
    assert report(CONTENTS[name])[0] == 2


def test_a_result_that_is_far_too_large(report, monkeypatch):
    monkeypatch.setattr("kernelwise.cli.listing.LARGEST_RESULT", 1000)
    assert "holds more than 1,000 bytes, which no result.json does" in report(b"x" * 1001)[2]


NUMBERS = ["9" * 400, "1" + "0" * 20, "1e400", "-1e400", "NaN", "Infinity", "-Infinity"]


@pytest.mark.parametrize("number", NUMBERS, ids=lambda text: text[:12])
@pytest.mark.parametrize("field", ["ridge", "seconds", "rows", "value"])
def test_numbers_that_are_too_large_or_none(number, field, good, report):
    text = re.sub(rf'"{field}": [-\d.e]+', f'"{field}": {number}', json.dumps(good))
    assert number in text
    assert report(text)[0] == 2


def test_a_name_that_occurs_twice(good, report):
    text = json.dumps(good).replace('"task":', '"task": "regression", "task":', 1)
    assert "it has a name twice" in report(text)[2]


@pytest.mark.parametrize("text", ['{"a": 1, "a": 2}', DEEP, "9" * 400, "NaN", "1e999"])
def test_json_that_is_ambiguous_or_extreme(text):
    with pytest.raises(ValueError):
        archive.parse(text)
    with pytest.raises(ValueError, match="this is no result of kernelwise"):
        SelectionResult.from_json(text)


def places(plain, path=()):
    """Yield the path of every part of plain data."""
    items = plain.items() if isinstance(plain, dict) else enumerate(plain)
    for key, value in items:
        yield (*path, key)
        if isinstance(value, dict | list):
            yield from places(value, (*path, key))


def at(plain, path):
    for key in path:
        plain = plain[key]
    return plain


def replaced(plain, path, value):
    plain = copy.deepcopy(plain)
    at(plain, path[:-1])[path[-1]] = value
    return plain


WRONG = [None, True, -1, 0.5, "text", [], {}, [[1]], {"a": [1]}, "inf", 1e308]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("stack", "gate"), 1.5),
        (("stack", "gate"), None),
        (("stack", "members"), []),
        (("stack", "members", 0, "weight"), -0.75),
        (("stack", "members", 0, "weight"), 0.8),
        (("relevance", "a"), 1.5),
    ],
)
def test_a_stack_or_shares_that_cannot_be(path, value, good, report):
    status, _, err = report(json.dumps(replaced(good, path, value)))
    assert status == 2
    assert ("its stack has weights that are none" in err) or ("relevance is no share" in err)


def test_every_field_of_another_kind(good):
    """A sentence, or a page: never an error of ours, nor a warning from the depths."""
    seen = set()
    for path in places(good):
        shape = tuple("*" if isinstance(key, int) else key for key in path)
        if shape in seen:  # one of a list stands for all
            continue
        seen.add(shape)
        old = at(good, path)
        for value in [value for value in WRONG if type(value) is not type(old)][
            :: 1 + len(path) // 3
        ]:
            shown(replaced(good, path, value))
        without = copy.deepcopy(good)
        del at(without, path[:-1])[path[-1]]
        shown(without)


TEXTS = [
    ("machine",),
    ("task",),
    ("version",),
    ("stack", "notes", 0),
    ("stack", "members", 0, "name"),
    ("error", "measure"),
    ("error", "method"),
    ("warnings", 0),
    ("data", "source"),
    ("data", "target"),
    ("data", "prepared", 0),
    ("model",),
    ("model_sha256",),
    ("result", "engine"),
    ("result", "engine_reason"),
]


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path[-1])
def test_a_text_must_be_one(path, good, report):
    for value in (1, ["a"], {"a": 1}, True):
        assert report(json.dumps(replaced(good, path, value)))[0] == 2


class Tags(HTMLParser):
    """The elements of a page, and the names of their attributes."""

    def __init__(self, page):
        super().__init__()
        self.found, self.attributes = [], set()
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.found.append(tag)
        self.attributes |= {name for name, _ in attrs}


def test_hostile_texts_in_every_place(good):
    """The pages have the same elements as that of the good record."""
    usual = Tags(shown(good))
    pages = 0
    for path in places(good):
        old, changed = at(good, path), copy.deepcopy(good)
        if isinstance(old, str):
            at(changed, path[:-1])[path[-1]] = HOSTILE
        elif isinstance(path[-1], str):
            at(changed, path[:-1])[HOSTILE] = at(changed, path[:-1]).pop(path[-1])
        else:
            continue
        page = shown(changed)
        if page:
            tags = Tags(page)
            assert tags.found.count("script") == 2 and "img" not in tags.found
            assert tags.attributes <= usual.attributes
            pages += 1
    assert pages >= 20


def test_many_columns_are_refused(good, report):
    changed = copy.deepcopy(good)
    for i in range(400):
        changed["comparison"]["table"][f"sm{i}"] = changed["comparison"]["table"]["sm"]
        changed["comparison"]["criteria"][f"sm{i}"] = changed["comparison"]["criteria"]["sm"]
    assert "more than 300 columns" in report(json.dumps(changed))[2]


@pytest.mark.parametrize(
    "kernel",
    [
        {"kernel": "Sum", "parts": []},
        {"kernel": "Sum", "parts": [1, 2]},
        {"kernel": "Product", "parts": {"kernel": "Linear"}},
        {"kernel": "Gaussian", "tau": "wide"},
        {"kernel": "Gaussian", "tau": -1},
        {"kernel": "Gaussian", "width": 1},
        {"kernel": "Scaled", "factor": 1.0, "part": "Linear"},
        {"kernel": ["Gaussian"]},
        {},
        "Gaussian",
        None,
    ],
    ids=str,
)
def test_kernels_that_are_none(kernel, good, report):
    assert report(json.dumps(replaced(good, ("kernel",), kernel)))[0] == 2
    assert report(json.dumps(replaced(good, ("result", "kernels", 0), kernel)))[0] == 2


def test_kernels_in_kernels(good, report):
    kernel = {"kernel": "Linear"}
    for _ in range(400):
        kernel = {"kernel": "Scaled", "factor": 2.0, "part": kernel}
    report(json.dumps(replaced(good, ("kernel",), kernel)))


def test_random_damage(good, report):
    """Bytes changed, cut off, doubled; parts exchanged."""
    rng, text = random.Random(0), json.dumps(good)
    paths = list(places(good))
    for _ in range(60):
        content = bytearray(text.encode())
        start = rng.randrange(len(content))
        change = rng.randrange(4)
        if change == 0:
            content = content[:start]
        elif change == 1:
            content[start] ^= 1 << rng.randrange(8)
        elif change == 2:
            content[start:start] = content[start : start + 50]
        else:
            exchanged = replaced(good, rng.choice(paths), at(good, rng.choice(paths)))
            content = json.dumps(exchanged).encode()
        report(bytes(content))


def test_a_model_elsewhere_is_not_looked_at(good, report, tmp_path):
    """The name of a model is that of a file beside the result, whatever it says."""
    (tmp_path / "model.skops").write_bytes(b"")
    for name in ("/etc/hostname", "../x", "", ".", "a\0b", "model.skops/"):
        report(json.dumps(replaced(good, ("model",), name)).replace("model.skops/", "none/"))
