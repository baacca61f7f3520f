"""Valid files turned into damaged ones: bytes, texts, and what JSON holds."""

import gzip
import json
from typing import Any

from fuzz.draw import Rng, chance, pick

TOKENS = (
    *'nan inf -inf 1e400 1e-400 1e200 1e-200 - + . 😀 ß \\ " \' "" ; | , : # %'.split(),
    *"=1+1 @SUM(1) 1,5 1.5 0x10 1_000 True NA ? { } @data 1:1 0:1 -1:1 1:1:1 qid:3 2:nan".split(),
    *"@attribute 999999999999:1 2024-05-31 2024-13-41 <script>alert(1)</script> ١٢ １ id".split(),
    *("", " ", "\x00", "\r", "\n", "\n\n", "\t", "{0 1}", "@relation x", "\ufeff", "\u2028"),
    "9" * 400,
)


def mutated_text(rng: Rng, text: str) -> str:
    """Return a text with a few things done to it."""
    for _ in range(pick(rng, [1, 1, 1, 2, 3])):
        text = pick(rng, _EDITS)(rng, text)
    return text


def mutated_bytes(rng: Rng, data: bytes) -> bytes:
    """Return bytes with some flipped, cut off, put in or taken out."""
    kind, n = rng.integers(5), len(data)
    at = int(rng.integers(n)) if n else 0
    if kind == 0:
        return data[:at]
    if kind == 1:
        return data[:at] + rng.bytes(int(rng.integers(1, 9))) + data[at:]
    if kind == 2:
        return data[:at] + data[at + int(rng.integers(1, 50)) :]
    changed = bytearray(data)
    for i in rng.integers(0, max(n, 1), int(rng.integers(1, 9))) if n else []:
        changed[i] ^= 1 << int(rng.integers(8))
    return bytes(changed)


def encoded(rng: Rng, text: str) -> bytes:
    """Return a text as bytes: UTF-8 mostly, others, packed, or damaged."""
    data = text.encode(
        pick(rng, ["utf-8"] * 20 + ["utf-16", "latin-1", "utf-8-sig", "utf-16-be", "utf-32"]),
        errors="replace",
    )
    data = gzip.compress(data, mtime=0) if chance(rng, 0.15) else data
    return mutated_bytes(rng, data) if chance(rng, 0.15) else data


def mutated_json(rng: Rng, text: str) -> str:
    """Return JSON with some values replaced, left out or moved; now and then no JSON any more."""
    plain = json.loads(text)
    for _ in range(int(rng.integers(1, 3))):
        plain = _replaced(rng, plain)
    text = json.dumps(plain)
    if chance(rng, 0.1):
        text = mutated_text(rng, text)
    # What no Python value can hold.
    text = text.replace('"@deep@"', "[" * 30_000 + "]" * 30_000)
    return text.replace('"@long@"', "9" * 5_000)


VALUES: list[Any] = [
    *(None, True, False, 0, -1, 1, 1e308, -1e308, 5e-324, 10**400, 2**63, 0.5, float("nan")),
    *(float("inf"), "", "a", "nan", "inf", "1", "<script>alert(1)</script>", "\ud800", "x" * 3000),
    *("\x00", "\n", "../../x", [], {}, [[]], [1, 2], [None], {"a": 1}, {"kernel": "Gaussian"}),
    *({"kernel": "Sum", "parts": []}, {"criterion": "sm"}, {"criterion": "kfold", "cv": 3}),
    *("@deep@", "@long@", ["a"] * 50, {"kernel": "Gaussian", "tau": -1}, {"kernel": ["Gaussian"]}),
]


def _replaced(rng: Rng, value: Any) -> Any:
    """Return a JSON value with one place changed: here, or further in."""
    if isinstance(value, dict | list) and value and not chance(rng, 0.08):
        key = pick(rng, list(value)) if isinstance(value, dict) else int(rng.integers(len(value)))
        copy = value.copy()
        kind = rng.random()
        if kind < 0.08:
            del copy[key]
        elif kind < 0.12 and isinstance(copy, dict):
            copy[pick(rng, ["new", "kernel", ""])] = copy.pop(key)
        elif kind < 0.16 and isinstance(copy, list):
            copy.append(copy[key])
        else:
            copy[key] = _replaced(rng, copy[key])
        return copy
    return pick(rng, VALUES)


def _insert(rng: Rng, text: str) -> str:
    at = int(rng.integers(len(text) + 1))
    return text[:at] + pick(rng, TOKENS) + text[at:]


def _field(rng: Rng, text: str) -> str:
    """Replace one field of one line."""
    lines = text.split("\n")
    i = int(rng.integers(len(lines)))
    for separator in (",", "\t", ";", " "):
        fields = lines[i].split(separator)
        if len(fields) > 1:
            fields[int(rng.integers(len(fields)))] = pick(rng, TOKENS)
            lines[i] = separator.join(fields)
            break
    return "\n".join(lines)


def _column(rng: Rng, text: str) -> str:
    """Replace a field of every line but the first."""
    lines = text.split("\n")
    at, token = int(rng.integers(4)), pick(rng, TOKENS)
    for i in range(1, len(lines)):
        fields = lines[i].split(",")
        if at < len(fields) > 1:
            fields[at] = token
            lines[i] = ",".join(fields)
    return "\n".join(lines)


def _lines(rng: Rng, text: str) -> str:
    """Shuffle, repeat or drop lines."""
    lines = text.split("\n")
    i = int(rng.integers(len(lines)))
    kept = [
        lines[:i] + lines[i + 1 :],
        lines[:i] + [lines[i]] * 3 + lines[i:],
        [lines[j] for j in rng.permutation(len(lines))],
        lines[: i + 1],
        lines[:1] * 3 + lines[1:],
        lines[1:],
    ]
    return "\n".join(pick(rng, kept))


_EDITS = [
    _insert,
    _insert,
    _field,
    _field,
    _field,
    _column,
    _lines,
    _lines,
    lambda rng, text: text.replace("\n", pick(rng, ["\r\n", "\r", "\n\n", "\n \n"])),
    lambda rng, text: text.replace(",", pick(rng, [";", "\t", " ", "|", ",,", ", "])),
    lambda rng, text: text[: int(rng.integers(len(text) + 1))],
]
