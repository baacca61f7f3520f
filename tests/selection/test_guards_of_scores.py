"""score_kernels says what deserves a second look in its table."""

import warnings

import kernelwise as kw
from inside import Code, KernelChoiceWarning, code_of


def said(*args, **settings):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", KernelChoiceWarning)
        kw.score_kernels(*args, **settings)
    return [w.message.args[0] for w in caught if w.category is KernelChoiceWarning]


def test_picks_on_the_edge_are_told_together(wdbc):
    X, y = wdbc[0][::4], wdbc[1][::4]
    told, alone = said(X, y, kw.grids.gaussian(-9, -5), ["sm", "eloo", "ks"])
    assert told == "sm, eloo would pick the widest kernel offered: add wider kernels, or Linear()"
    assert code_of(told) == Code.GRID_EDGE
    assert code_of(alone) == Code.IDENTITY_MATRIX
    [told] = said(X, y, kw.grids.gaussian(10, 14), ["eloo"])
    assert told == "eloo would pick the narrowest kernel offered: add narrower kernels"


def test_nothing_to_say_of_good_picks_and_of_single_kernels(wdbc):
    X, y = wdbc[0][::4], wdbc[1][::4]
    assert said(X, y, kw.grids.gaussian(0, 9), ["eloo"]) == []
    assert said(X, y, kw.Gaussian(8.0), ["sm"]) == []


def test_features_of_other_scales(wdbc):
    X, y = wdbc[0][::4] * 1000.0, wdbc[1][::4]
    told = said(X, y, kw.grids.gaussian(-3, 3), ["sm", "eloo"])
    assert code_of(told[-1]) == Code.IDENTITY_MATRIX and "standardise the features" in told[-1]
    told = said(X / 1e7, y, kw.grids.gaussian(20, 24), ["ckta"])
    assert code_of(told[-1]) == Code.CONSTANT_MATRIX
    # One pick that sees something is enough, and other kernels are not looked at.
    codes = map(code_of, said(X, y, [*kw.grids.gaussian(-3, 3), kw.Gaussian(2.0**24)], ["eloo"]))
    assert Code.IDENTITY_MATRIX not in codes
    assert said(X, y, [kw.Linear(), kw.Polynomial(2)], ["eloo"]) == []
    assert said(X @ X.T, y, [kw.Precomputed()], ["eloo"]) == []
