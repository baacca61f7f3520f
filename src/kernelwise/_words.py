"""Texts that hardly repeat, by the words that do.

The command line prepares columns of such texts with :func:`words`, and a saved model refers to it:
so it stands below whatever reads models.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kernelwise._types import Array

_WORD = re.compile(r"[^\W\d_]{3,}")
_MOST = 50
_SHARE = 0.05  # of the texts: a word that fewer have, or fewer lack, says little
_FEWEST = 5  # texts, likewise


def frequent_words(texts: Any) -> list[str]:
    """Return the words that tell texts apart: many have them and many do not."""
    present = texts.dropna()
    counts = Counter(word for text in present for word in sorted(_words_of(text)))
    fewest = max(_FEWEST, _SHARE * len(present))
    telling = [word for word, n in counts.items() if fewest <= n <= len(present) - fewest]
    return sorted(telling, key=lambda word: (-counts[word], word))[:_MOST]


def words(frame: Any, rules: Mapping[str, Sequence[str]]) -> Array:
    """Return 0/1 columns for the words of every column, as its rule lists them.

    The rows of a column have length 1: texts without a word in common are at squared distance 2, as
    different values of a column with few texts are.
    """
    blocks = []
    for name in frame.columns:
        found = [_words_of(text) for text in frame[name]]
        block = np.array([[word in known for word in rules[name]] for known in found], dtype=float)
        lengths = np.sqrt(block.sum(axis=1, keepdims=True))
        blocks.append(block / np.maximum(lengths, 1.0))
    return np.hstack(blocks)


def _words_of(text: Any) -> set[str]:
    return set(_WORD.findall(text.casefold())) if isinstance(text, str) else set()
