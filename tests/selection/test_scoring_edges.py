"""Scoring at the edges of the documented range: data, widths and targets of any scale."""

import numpy as np
import pytest
import scipy.sparse as sp

import kernelwise as kw
from inside import UndefinedCriterionWarning
from kernelwise import criteria as c

X = np.random.default_rng(0).normal(size=(20, 3))
LABELS = np.arange(20) % 2
REAL = np.random.default_rng(1).normal(size=20)
BOTH = ["kta", "ckta", "sm", "sm_hinge", "ks", "er", "rks", "sps", "eloo", "kfold", "gcv", "lml"]
engines = pytest.mark.parametrize("engine", ["dense", "tiled"])


def table(X, y, kernel, criteria, **options):
    return {k: v[0] for k, v in kw.score_kernels(X, y, kernel, criteria, **options).table.items()}


@engines
@pytest.mark.parametrize("exponent", [-150, -30, 30, 150])
def test_data_of_any_scale(engine, exponent):
    """Data and widths in another unit, 1e-45 to 1e45, have the same matrix."""
    s = 2.0**exponent
    criteria = [*BOTH, "md", "fsm", "ncut", "bif", "cvks"]
    for plain, scaled in [
        (kw.Laplacian(3.0), kw.Laplacian(3.0 * s)),
        (kw.Matern(2.0), kw.Matern(2.0 * s)),
        (kw.Gaussian(4.0), kw.Gaussian(4.0 * s * s)),
    ]:
        expected = table(X, LABELS, plain, criteria, engine="dense")
        for rows in (s * X, sp.csr_array(s * X)):
            found = table(rows, LABELS, scaled, criteria, engine=engine)
            np.testing.assert_allclose(list(found.values()), list(expected.values()), rtol=1e-8)


@engines
@pytest.mark.parametrize("exponent", [-155, 155])
def test_real_targets_of_any_scale(engine, exponent):
    """1e-47 to 1e47: alignments do not change, spectral measures grow with the square."""
    s = 2.0**exponent
    kernel = kw.Gaussian(4.0)
    measures = ["kta", "ckta", "sm", c.SM(r=1), c.SM(r=1.5), "sm_hinge", "eloo", "gcv"]
    before = table(X, REAL, kernel, measures, engine="dense")
    after = table(X, s * REAL, kernel, measures, engine=engine, task="regression")
    for name, value in before.items():
        factor = 1.0 if "kta" in name else s * s
        assert abs(after[name] - factor * value) <= 1e-9 * factor * abs(value), name


@pytest.mark.parametrize("exponent", range(-100, 101, 40))
@pytest.mark.parametrize("y", [LABELS, REAL], ids=["classes", "real"])
@engines
@pytest.mark.filterwarnings("ignore::kernelwise.selection.UndefinedCriterionWarning")
def test_widths_of_any_size(engine, y, exponent):
    """A value or NaN with a reason, and no warning from below."""
    width = 10.0**exponent
    for kernel in (kw.Gaussian(width), kw.Laplacian(width), kw.Matern(width, 2.5)):
        result = kw.score_kernels(X, y, kernel, BOTH, engine=engine)
        for name, values in result.table.items():
            assert not np.isnan(values[0]) or f"{kernel}: {name}" in result.notes


def test_a_constant_matrix_has_no_centred_alignment():
    """Digits of squares below 1e-300 are lost long before they are zero."""
    with pytest.warns(UndefinedCriterionWarning, match="the kernel matrix is constant"):
        kw.score_kernels(X, LABELS, kw.Gaussian(1e155), "ckta", engine="dense")


def test_values_beyond_float64_are_undefined(monkeypatch):
    huge = np.float64(1e308)
    monkeypatch.setattr(c.KTA, "value", lambda *_: 10.0 * huge - 10.0 * huge)
    with pytest.warns(UndefinedCriterionWarning, match="its value is beyond float64, so rescale"):
        assert np.isnan(kw.score_kernels(X, LABELS, kw.Linear(), "kta").table["kta"][0])


@pytest.mark.parametrize("engine", ["dense", "tiled", "auto"])
def test_odd_rows(engine):
    """Equal rows, zero columns, rows of zeros and few rows: a value, or a reason."""
    rows = X.copy()
    rows[5:] = rows[5]
    rows[:, 1] = 0.0
    rows[0] = 0.0
    for part in (rows, rows[:5], rows[:4], sp.csr_array(rows)):
        y = LABELS[: part.shape[0]]
        for kernel in (kw.Gaussian(1.0), kw.Linear(), kw.Polynomial(2), kw.Laplacian()):
            values = table(part, y, kernel, ["kta", "sm", "md", "eloo", "gcv"], engine=engine)
            assert np.isfinite(list(values.values())).all()
