"""Scoring at the edges of the documented range: data, widths and targets of any scale."""

import numpy as np
import pytest
import scipy.sparse as sp

import kernelwise as kw
from inside import Tiled, UndefinedCriterionWarning
from kernelwise import criteria as c

X = np.random.default_rng(0).normal(size=(20, 3))
LABELS = np.arange(20) % 2
REAL = np.random.default_rng(1).normal(size=20)
BOTH = ["kta", "ckta", "sm", "sm_hinge", "ks", "er", "rks", "sps", "eloo", "kfold", "gcv", "lml"]
engines = pytest.mark.parametrize("engine", ["dense", "tiled"])


def table(X, y, kernel, criteria, **options):
    return {k: v[0] for k, v in kw.score_kernels(X, y, kernel, criteria, **options).table.items()}


@engines
@pytest.mark.parametrize("exponent", [-332, -266, -30, 30, 266, 496])
def test_data_of_any_scale(engine, exponent):
    """Data and widths in another unit, 1e-100 to 1e150, have the same matrix."""
    s = 2.0**exponent
    criteria = [*BOTH, "md", "fsm", "ncut", "bif", "cvks"]
    kernels = [(kw.Laplacian(3.0), kw.Laplacian(3.0 * s)), (kw.Matern(2.0), kw.Matern(2.0 * s))]
    if 2 * abs(exponent) < 990:
        kernels.append((kw.Gaussian(4.0), kw.Gaussian(4.0 * s * s)))
    for plain, scaled in kernels:
        expected = table(X, LABELS, plain, criteria, engine="dense")
        for rows in (s * X, sp.csr_array(s * X)):
            found = table(rows, LABELS, scaled, criteria, engine=engine)
            np.testing.assert_allclose(list(found.values()), list(expected.values()), rtol=1e-8)


@engines
@pytest.mark.parametrize("exponent", [-325, -100, 100, 325])
def test_real_targets_of_any_scale(engine, exponent):
    """1e-98 to 1e98: alignments do not change, spectral measures grow with the square."""
    s = 2.0**exponent
    kernel = kw.Gaussian(4.0)
    measures = ["kta", "ckta", "sm", c.SM(r=1), c.SM(r=1.5), "sm_hinge", "eloo", "gcv"]
    before = table(X, REAL, kernel, measures, engine="dense")
    after = table(X, s * REAL, kernel, measures, engine=engine, task="regression")
    for name, value in before.items():
        factor = 1.0 if "kta" in name else s * s
        assert abs(after[name] - factor * value) <= 1e-9 * factor * abs(value), name


@engines
def test_large_targets_of_large_kernels_do_not_overflow(engine):
    """A target of 1e98 by a linear kernel of 1e150."""
    rows = 1e75 * X
    plain = table(X, REAL, kw.Linear(), ["kta", "ckta"], engine="dense")
    found = table(rows, 1e98 * REAL, kw.Linear(), ["kta", "ckta"], engine=engine, task="regression")
    np.testing.assert_allclose(list(found.values()), list(plain.values()), rtol=1e-9)


@pytest.mark.parametrize("exponent", range(-300, 301, 60))
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


@pytest.mark.parametrize("scale", [1e-60, 1e-40, 1e40, 1e140])
def test_single_precision_takes_double_where_distances_need_it(scale):
    rows, kernel = scale * X, kw.Gaussian(4.0 * scale * scale)
    measures = ["sm", c.SM(r=9), "ckta"]
    single = table(rows, LABELS, kernel, measures, engine=Tiled(dtype="float32"))
    double = table(rows, LABELS, kernel, measures, engine="dense")
    np.testing.assert_allclose(list(single.values()), list(double.values()), rtol=1e-4)


def test_narrow_kernels_in_single_precision():
    value = table(1e140 * X, LABELS, kw.Gaussian(1e-160), c.SM(r=9), engine=Tiled(dtype="float32"))
    np.testing.assert_allclose(value["sm"], 4.0 / 20.0**9, rtol=1e-6)


def test_deviations_whose_squares_vanish():
    """Digits of squares below 1e-300 are lost long before they are zero."""
    with pytest.warns(UndefinedCriterionWarning, match="deviations from a constant vanish"):
        kw.score_kernels(X, LABELS, kw.Gaussian(1e155), "ckta", engine="dense")


def test_values_beyond_float64_are_undefined(monkeypatch):
    huge = np.float64(1e308)
    monkeypatch.setattr(c.KTA, "value", lambda *_: 10.0 * huge - 10.0 * huge)
    with pytest.warns(UndefinedCriterionWarning, match="its value is beyond float64, so rescale"):
        assert np.isnan(kw.score_kernels(X, LABELS, kw.Linear(), "kta").table["kta"][0])


def test_errors_of_huge_losses():
    """Squared losses of 1e196 have a standard error, though not a variance."""
    result = kw.score_kernels(X, 1e98 * REAL, kw.Gaussian(4.0), "eloo", task="regression")
    plain = kw.score_kernels(X, REAL, kw.Gaussian(4.0), "eloo")
    ratio = result.standard_errors["eloo"][0] / plain.standard_errors["eloo"][0]
    np.testing.assert_allclose(ratio, 1e196, rtol=1e-9)
    selector = kw.KernelSelector(kernels=kw.Gaussian(4.0), ridge=1.0, task="regression")
    assert np.isfinite(selector.fit(X, 1e98 * REAL).error_.value)


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
