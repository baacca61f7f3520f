"""Random problems, tolerances and the shared data."""

import contextlib
import importlib.util
import itertools
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import strategies as st

from inside import (
    CholeskyInverse,
    Dense,
    Spectrum,
    SupportVectors,
    fit_ridge,
    spectral_inverses,
    weighted_matrix,
    without_rounding,
)
from kernelwise import Precomputed, criteria

EPS = np.finfo(float).eps


def tolerance(condition=1.0, rtol=1e-9):
    """Return 1e-9, or 100 eps times the condition number where that is larger.

    Nine digits are what docs/criteria.md promises of a well-conditioned value. A factorisation of
    n rows moves a solution by at most a small multiple of n eps times the condition number (Higham
    2002, theorem 10.4), and far less in practice: 100 covers it for the sizes that tests have.
    """
    return max(rtol, 100 * EPS * condition)


def close(value, expected, condition=1.0, rtol=1e-9, scale=None):
    """Agree to that tolerance, relative to the largest of the expected values."""
    scale = np.max(np.abs(np.asarray(expected, float))) if scale is None else scale
    atol = tolerance(condition, rtol) * scale
    np.testing.assert_allclose(
        np.asarray(value, float), np.asarray(expected, float), rtol=0, atol=atol
    )


def rounding(terms, size=1.0):
    """Bound how far two computed sums of as many products may lie apart.

    Whatever the order, the threads and the instructions, a computed sum of n products is off by at
    most n u / (1 - n u) sum |a_i b_i| with u = eps / 2 (Higham, Accuracy and Stability of Numerical
    Algorithms, 2002, section 3.1); two of them differ by at most twice that. `size` is that sum of
    absolute values; n u is far below one, and its square is left out.
    """
    return terms * EPS * size


def rounding_of_decisions(machine, X):
    """Bound how far two evaluations of a fitted Gaussian machine, of the same bits, may lie apart.

    f(x) = sum_i a_i exp(-g_i / (2 tau)) + b with g_i = |x|^2 + |x_i|^2 - 2 x x_i: three sums over
    the d centred features, each at most the largest square R^2 (four with the factor). Centring,
    the factor and two additions are four more roundings. exp has at most the slope 1 / (2 tau),
    and itself, the division and the bias round once each; the sum over i is one of n products.
    """
    n, d = machine.X_fit_.shape
    rows = np.vstack([machine.X_fit_, X]) - machine.X_fit_.mean(axis=0)
    of_distance = rounding(d + 4, 4.0 * np.max(np.sum(rows**2, axis=1)))
    of_entry = of_distance / (2.0 * machine.kernel.tau) + rounding(2)
    weight = np.abs(machine.dual_coef_).sum()
    return weight * (of_entry + rounding(n)) + rounding(1, np.abs(machine.intercept_))


DECIMAL = re.compile(r"(\d+\.\d+(?:e[-+]\d+)?)")


def assert_same_text(made, written):
    """Agree line by line, but for one unit of the last digit of decimal numbers.

    Values of two machines differ by rounding, far less than half a unit of a printed digit; so the
    printed numbers are the same or, at the border of two, neighbours. Whole numbers are counts.
    """
    for ours, theirs in itertools.zip_longest(made.splitlines(), written.splitlines()):
        assert ours == theirs or _neighbours(ours, theirs)


def _neighbours(ours, theirs):
    if ours is None or theirs is None:
        return False
    parts = DECIMAL.split(ours), DECIMAL.split(theirs)  # every other part is a number
    numbers = zip(parts[0][1::2], parts[1][1::2], strict=False)
    return parts[0][::2] == parts[1][::2] and all(
        abs(float(a) - float(b)) < 1.5 * _unit(b) for a, b in numbers
    )


def _unit(number):
    """Return the value of one unit of the last digit of a number such as 0.25 or 1.2e-03."""
    digits, _, power = number.partition("e")
    return 10.0 ** (int(power or 0) - len(digits.partition(".")[2]))


def shared_data():
    """Return the folder of the shared data sets, or skip the test."""
    root = pathlib.Path(__file__).parents[1]
    for folder in (os.environ.get("KERNELWISE_DATA"), root.parent / "shared" / "data"):
        if folder and (pathlib.Path(folder) / "MANIFEST.csv").exists():
            return pathlib.Path(folder)
    pytest.skip("no shared data: set KERNELWISE_DATA to a folder with MANIFEST.csv")


@st.composite
def points(draw, min_rows=6, max_rows=12):
    """Random rows, some of them duplicates of each other."""
    n = draw(st.integers(min_rows, max_rows))
    d = draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.normal(size=(n, d))
    if draw(st.booleans()):
        X[n // 2] = X[0]
        X[-1] = X[1]
    return X


@st.composite
def labelled(draw, n_classes=2, **sizes):
    """Points with class codes; classes may be as uneven as two rows against all others."""
    X = draw(points(min_rows=max(6, 2 * n_classes), **sizes))
    n = len(X)
    codes = [c for c in range(n_classes) for _ in range(2)]
    codes += draw(st.lists(st.integers(0, n_classes - 1), min_size=n - len(codes), max_size=n))
    codes = np.array(codes[:n])
    return X, np.random.default_rng(n).permutation(codes)


@st.composite
def real_targets(draw, **sizes):
    X = draw(points(**sizes))
    y = np.random.default_rng(draw(st.integers(0, 2**32 - 1))).normal(size=len(X))
    return X, y + draw(st.sampled_from([0.0, 10.0]))


ridges = st.sampled_from([1e-6, 1e-3, 0.1, 1.0, 10.0, 1e3])
biases = st.booleans()


def load_page(page, tmp_path, name=r"\w+"):
    """Return a module that a how-to page shows, imported from a file outside the package."""
    text = (pathlib.Path(__file__).parents[1] / "docs" / page).read_text()
    [source] = re.findall(rf"```python\n(# {name}\.py.*?)```", text, flags=re.DOTALL)
    path = tmp_path / f"outside_{page.removesuffix('.md')}_{len(source)}.py"
    path.write_text(source)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def on_terminal(command, **options):
    """Return the standard output of a process, and what it drew on a terminal as standard error."""
    import pty

    terminal, inside = pty.openpty()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=inside, text=True, **options)
    os.close(inside)
    drawn = b""
    with contextlib.suppress(OSError):  # raised once the other end is closed
        while part := os.read(terminal, 4096):
            drawn += part
    out, _ = process.communicate(timeout=120)
    os.close(terminal)
    assert process.returncode == 0
    return out, drawn.decode()


def own_criteria():
    """Return what is known of the library's own criteria; tests of the papers bring others."""
    return [
        info
        for info in criteria.available()
        if type(criteria.get(info.name)).__module__.startswith("kernelwise.")
    ]


def given_gram(K, targets):
    """Return the gram of a matrix."""
    [gram] = Dense().grams([Precomputed()], K, targets)
    return gram


def support_vectors(K, targets):
    """Return the support vector machines on a matrix."""
    return SupportVectors(given_gram(K, targets), targets)


class SpectralMachine:
    """The least-squares machine at every ridge, from the spectrum of a (weighted) matrix."""

    def __init__(self, K, y, fit_intercept=True, sample_weight=None):
        self.K, self.y = np.asarray(K, float), y
        self._settings = {"fit_intercept": fit_intercept, "sample_weight": sample_weight}
        M = weighted_matrix(self.K, sample_weight)
        s, Q = np.linalg.eigh(M)
        self.spectrum = Spectrum(without_rounding(s), Q)
        self._exact = lambda ridge: CholeskyInverse(np.array(M), ridge)

    def inverse(self, ridge):
        [inverse] = spectral_inverses(self.spectrum, [ridge])
        return inverse

    def at(self, ridge):
        [inverse] = spectral_inverses(self.spectrum, [ridge], self._exact)
        return fit_ridge(inverse, self.y, **self._settings)

    def held_out_values(self, ridge, rows):
        return self.at(ridge).held_out_values(rows)
