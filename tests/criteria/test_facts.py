"""What criteria say of themselves is true: directions, ridges, folds, defaults and trade-offs."""

import inspect

import numpy as np
import pytest

import kernelwise as kw
from helpers import own_criteria
from inside import Dense, Targets, cost_of
from kernelwise import criteria as c

NAMES = [info.name for info in own_criteria()]


def evidence(seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(30) % 2
    X = rng.normal(size=(30, 3)) + 0.7 * y[:, None]
    targets = Targets.of(y)
    [gram] = Dense().grams([kw.Gaussian(3.0)], X, targets)
    return c.Evidence(gram, targets, kw.Gaussian(3.0))


def value(criterion, ridge=0.3):
    return float(np.mean(criterion.value(evidence(), ridge)))


@pytest.mark.parametrize("name", NAMES)
def test_the_value_depends_on_the_ridge_where_the_criterion_says_so(name):
    criterion = c.get(name)
    if name in ("kfold", "bif"):  # a rate of errors need not change
        criterion = c.get(name, **{"loss" if name == "kfold" else "measure": "square"})
    values = [value(criterion, ridge) for ridge in (0.003, 0.03, 0.3)]
    assert (len(set(values)) > 1) == criterion.uses_ridge


@pytest.mark.parametrize("name", NAMES)
def test_the_value_depends_on_chance_where_the_criterion_says_so(name):
    criterion = c.get(name)
    assert criterion.draws_folds == (
        "random_state" in inspect.signature(type(criterion)).parameters
    )
    if criterion.draws_folds:
        parameter = {"kfold": {"loss": "square"}, "bif": {"measure": "square"}}.get(name, {})
        drawn = {value(c.get(name, random_state=seed, **parameter)) for seed in range(3)}
        assert len(drawn) == 3


def test_criteria_that_may_choose_the_ridge_leave_rows_out_or_are_a_likelihood():
    """A training error is smallest where the ridge is."""
    chosen = {"eloo", "gcv", "br", "lml", "kfold", "cvks", "bif", "span"}
    assert {name for name in NAMES if c.get(name).chooses_ridge} == chosen


def test_directions():
    """As docs/criteria.md lists them; the area under a curve is to be large, whatever the loss."""
    largest = {"sm", "sm_hinge", "kta", "ckta", "md", "lml"}
    for name in NAMES:
        wanted = None if name == "ks" else name in largest
        assert c.get(name).greater_is_better is wanted
    assert c.KFold(loss="auc").greater_is_better and c.ELOO("auc").greater_is_better


def test_defaults():
    folds = {"k": 5, "cv": None, "repeats": 1, "random_state": 0}
    exact = {**folds, "fold_ridge": "fixed"}
    spectral = {"normalizer": "trace", "weighted": True}
    expected = {
        "sm": {"r": 3, **spectral},
        "sm_hinge": {"h": 0.01, **spectral},
        "ks": {"norm": "spectral"},
        "rks": {"eta": 0.25},
        "cvks": {**exact, "eta": 1.0, "order": None},
        "kfold": {**exact, "loss": "error"},
        "bif": {**folds, "order": 2, "loss": "square", "measure": "error"},
        "er": {"t": 4, "eta": 0.6, "scale": "plain"},
        "sps": {"delta": 1.0},
        "eloo": {"loss": "press"},
        "lml": {"mean": "zero"},
    }
    found = {info.name: info.parameters for info in c.available() if info.name in NAMES}
    assert {name: parameters for name, parameters in found.items() if parameters} == expected


def test_trade_offs_are_chosen_from_the_numbers_of_the_papers():
    of_stability = (1 / 32, 1.0, 32.0, 1024.0)
    of_ratio = (0.2, 0.6, 1.0)
    expected = {
        "er": {"t": (1, 4, 16), "eta": of_ratio},
        "rks": {"eta": of_stability},
        "cvks": {"eta": of_stability},
        "sps": {"delta": of_stability},
    }
    assert {name: c.get(name).tradeoffs for name in NAMES if c.get(name).tradeoffs} == expected
    for name, parameters in expected.items():
        for parameter in parameters:
            assert c.get(name, **{parameter: "cv"}).has_open_tradeoffs
        assert not c.get(name).has_open_tradeoffs
    assert not c.get("sm").has_open_tradeoffs


@pytest.mark.parametrize(
    ("name", "parameter", "least", "most"),
    [
        ("kfold", "repeats", 1, 10_000),
        ("kfold", "random_state", 0, 2**32 - 10_001),  # the last of 10,000 seeds is below 2^32
        ("bif", "order", 0, 10_000),
        ("cvks", "order", 0, 10_000),
    ],
)
def test_integers_have_limits(name, parameter, least, most):
    for number in (least, most):
        assert getattr(c.get(name, **{parameter: number}), parameter) == number
    for number in (least - 1, most + 1):
        with pytest.raises(ValueError, match=f"'{parameter}' parameter of"):
            c.get(name, **{parameter: number})
    with pytest.raises(ValueError, match="'t' parameter of ER"):
        c.ER(t=0)


def test_a_kernel_that_sees_nothing_of_the_classes_has_no_spectral_measure_of_any_power():
    """Pairs of equal rows, one of each class; eigenvectors of positive eigenvalues are so too."""
    K = np.kron(np.diag([2.0, 3.0]), np.ones((2, 2)))
    for criterion in (c.SM(r=1), c.SM(r=2), c.SM(r=1.5), c.SMHinge()):
        [found] = kw.score_matrix(K, [0, 1, 0, 1], criterion).values()
        assert abs(found) < 1e-15


def test_costs():
    """As the documentation has them; powers that are not integers take an eigendecomposition."""
    assert c.SM(r=16).cost == "n^2" and c.SM(r=2.5).cost == "n^3"
    assert cost_of(frozenset({c.Need.STATISTICS, c.Need.PRODUCTS})) == "n^2"
    assert cost_of(frozenset({c.Need.ENTRIES})) == "training"


@pytest.mark.parametrize(("r", "highest"), [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (16, 8)])
def test_the_spectral_measure_asks_for_half_of_its_powers(r, highest):
    """Its value is a product of two powers, each of at most half of r."""
    assert c.SM(r=r).needs == {c.Need.STATISTICS, c.Powers(highest, True)}


@pytest.mark.parametrize("name", NAMES)
def test_meanings_are_a_line_in_words(name):
    meaning = c.get(name).meaning
    assert len(meaning.split()) >= 3 and meaning.endswith(".") and "`" not in meaning
