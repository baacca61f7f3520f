"""The first compilation on a machine says so, where a person looks, once."""

import os
import subprocess
import sys

import pytest

from helpers import on_terminal

CODE = """
import numpy as np
from numba import njit
from kernelwise.gram import _loops
njit(lambda x: x + 1)(1)  # a function of somebody else
print("before", file=__import__("sys").stderr)
for rows in (np.ones((4, 2)), np.ones((4, 2), dtype=np.float32)):  # two compilations
    _loops._copy(rows, np.zeros((4, 2)))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_says_that_it_compiles_once_on_a_terminal(tmp_path):
    assert lines_on_terminal(tmp_path) == [
        "before",
        "kernelwise compiles its inner loops: only the first run on this machine waits for it.",
    ]
    assert lines_on_terminal(tmp_path) == ["before"]  # the cache knows the functions


def lines_on_terminal(cache):
    known = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    _, drawn = on_terminal([sys.executable, "-c", CODE], env=known)
    return drawn.split("\r\n")[:-1]


def test_is_silent_where_nobody_looks(tmp_path):
    known = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", CODE]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=known)
    assert done.stderr == "before\n"
