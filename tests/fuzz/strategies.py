"""Arguments of the public entry points: ordinary ones, which nobody may refuse, and hostile ones.

What a constructor may refuse is drawn as a `functools.partial`; a test calls it with `built`, where
a refusal is in order.
"""

from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np
import pandas as pd
import scipy.sparse as sp
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.svm import SVC, SVR, NuSVC

import kernelwise as kw


def built(value):
    """Return a value with the partials inside it called."""
    if isinstance(value, partial):
        return value.func(*map(built, value.args), **built(value.keywords))
    if type(value) in (list, tuple):
        return type(value)(map(built, value))
    return {name: built(v) for name, v in value.items()} if type(value) is dict else value


# --- numbers --------------------------------------------------------------------------------------

moderate = st.sampled_from([0.1, 1.0, 10.0]) | st.floats(1e-3, 1e3)
powers_of_ten = st.floats(-45.0, 45.0).map(lambda power: 10.0**power)
odd_values = st.one_of(
    st.sampled_from([None, "a", "", "auto", [1.0], (), {}, [], 1j, b"1", np.array([1.0, 2.0])]),
    st.sampled_from([0, -1, 0.0, -1e-9, np.nan, np.inf, -np.inf, True, False, 10**30]),
    st.sampled_from([np.float32(0.1), np.int64(3), Fraction(1, 3), Decimal(2), 2.5, np.True_]),
    st.floats(),
    powers_of_ten,
)

# --- rows and targets -----------------------------------------------------------------------------


@st.composite
def rows(draw, most=16):
    """Ordinary rows, with ties, duplicates, a constant column or uneven scales now and then."""
    n, d = draw(st.integers(6, most)), draw(st.integers(1, 4))
    if draw(st.booleans()):
        numbers = st.integers(-3, 3) | st.floats(-1e3, 1e3).map(lambda v: round(v, 3))
        return draw(arrays(float, (n, d), elements=numbers))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.normal(size=(n, d))
    return draw(
        st.sampled_from(
            [
                X,
                np.round(X),
                X[rng.integers(0, n, n)],
                X * 10.0 ** rng.integers(-3, 4, d),
                np.where(np.arange(d) == 0, 1.0, X),
            ]
        )
    )


@st.composite
def classes(draw, n):
    """Two to four classes of at least two rows each, as integers or texts."""
    c = draw(st.integers(2, min(4, n // 2)))
    rest = draw(st.lists(st.integers(0, c - 1), min_size=n - 2 * c, max_size=n - 2 * c))
    codes = np.array(draw(st.permutations([*range(c), *range(c), *rest])))
    return draw(st.sampled_from([codes, codes - 1, np.array(list("bacd"))[codes]]))


@st.composite
def reals(draw, n):
    """A real target."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return rng.normal(size=n) * draw(moderate) + draw(st.sampled_from([0.0, 10.0]))


def _entry(value, dtype=float):
    def put(X):
        X = X.astype(dtype)
        X[-1, 0] = value
        return X

    return put


def _frame(X):
    return pd.DataFrame(X, columns=[f"f{i}" for i in range(X.shape[1])])


ODD_ROWS = [
    # What is valid, or nearly.
    lambda X: X * 0.0,
    lambda X: X[:1].repeat(len(X), axis=0),
    lambda X: X + 1e12,
    np.asfortranarray,
    lambda X: X.astype(">f8"),
    lambda X: X.astype(np.float16),
    lambda X: X.astype(np.longdouble),
    lambda X: (10 * X).astype(np.int8),
    lambda X: X > 0,
    lambda X: X.tolist(),
    _entry(1e49),
    _entry(1e-49),
    _entry(Fraction(1, 3), object),
    sp.csr_matrix,
    lambda X: sp.coo_array(np.where(np.abs(X) > 0.7, X, 0.0)),
    _frame,
    lambda X: _frame(X).assign(flag=True),
    lambda X: _frame(X).set_axis(range(X.shape[1]), axis=1),
    lambda X: _frame(X).astype("Float64").mask(X > 2.0),
    # What is not.
    lambda X: X[:1],
    lambda X: X[:0],
    lambda X: X[:, :0],
    lambda X: X[:, 0],
    lambda X: X.T,
    lambda X: X.astype(str),
    lambda X: np.clip(X, -99, 99).astype(np.int64).astype("datetime64[D]"),
    lambda X: np.ma.masked_array(X, X > 0.0),
    lambda X: [*X.tolist(), [1.0] * 99],
    _entry(np.nan),
    _entry(-np.inf),
    _entry("text", object),
    lambda X: sp.csr_matrix(_entry(np.nan)(X)),
    lambda X: _frame(X).assign(text="a"),
    lambda X: _frame(X).assign(when=pd.Timestamp("2024-01-01")),
    lambda X: _frame(X).set_axis(["same"] * X.shape[1], axis=1),
    lambda X: None,
    lambda X: {"a": X},
]


def _objects(values):
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


# Of codes 0 and 1.
ODD_TARGETS = [
    lambda y: np.arange(len(y)),
    lambda y: np.array(["x\n", "=1"])[y],
    lambda y: np.array([b"a", b"b"])[y],
    lambda y: pd.Series(y, dtype="category"),
    lambda y: pd.DataFrame({"y": y}),
    lambda y: y.astype(float) + 1e12,
    lambda y: np.column_stack([y, np.arange(len(y))]).astype(float),
    lambda y: np.arange(len(y)) * 1e40 + 0.5,
    lambda y: _objects([[1, "1"][v] for v in y]),
    lambda y: _objects([[1, "a"][v] for v in y]),
    lambda y: _objects([Fraction(int(v), 3) for v in y]),
    lambda y: _objects([Decimal(int(v)) for v in y]),
    lambda y: y.astype("datetime64[D]"),
    lambda y: np.zeros(len(y)),
    lambda y: ["only"] * len(y),
    lambda y: np.where(y == 1, np.nan, 0.5),
    lambda y: y[:-1],
    lambda y: np.ones((len(y), 0)),
    lambda y: np.ma.masked_array(y, y == 1),
    lambda y: sp.csr_matrix(y[:, None]),
    lambda y: None,
    lambda y: {"a": 1},
]

ODD_WEIGHTS = [
    lambda w: np.where(w > 0.6, w, 0.0),
    lambda w: w * 1e40,
    lambda w: w * 1e-40,
    lambda w: np.where(w > 0.6, 1e30, 1e-30),
    lambda w: 0.0 * w,
    lambda w: -w,
    lambda w: w[1:],
    lambda w: np.where(w > 0.6, np.nan, w),
    lambda w: "w",
]


@st.composite
def hostile_rows(draw):
    """Anything that somebody may take for rows, and how many rows that was."""
    X = draw(rows())
    if draw(st.booleans()):
        return X * draw(powers_of_ten), len(X)
    return draw(st.sampled_from(ODD_ROWS))(X), len(X)


def hostile_targets(n):
    """Return anything that somebody may take for a target of n rows."""
    return st.sampled_from(ODD_TARGETS).map(lambda odd: odd(np.arange(n) % 2))


def sample_weights(n):
    """Return weights of n rows, from none to absurd."""
    rng = np.random.default_rng(n)
    w = rng.random(n) + 0.1
    return st.sampled_from([None, w, *(odd(w) for odd in ODD_WEIGHTS)])


# --- kernels --------------------------------------------------------------------------------------

_simple_kernels = st.one_of(
    moderate.map(kw.Gaussian),
    moderate.map(kw.Laplacian),
    st.builds(kw.Matern, moderate, st.sampled_from([0.5, 1.5, 2.5])),
    st.builds(kw.Polynomial, st.integers(1, 3), st.sampled_from([0.0, 1.0])),
    st.just(kw.Linear()),
)
kernels = st.recursive(
    _simple_kernels,
    lambda some: st.one_of(
        st.builds(lambda a, b: a + b, some, some),
        st.builds(lambda a, b: a * b, some, some),
        st.builds(lambda a: 0.5 * a, some),
    ),
    max_leaves=3,
)


def _matrix_of(entries):
    return lambda X, Z: entries * np.ones((X.shape[0], Z.shape[0]))


ODD_KERNELS = [
    *[None, "rbf", "cubic", "", 3, {}, kw.Precomputed(), kw.Sigmoid(0.1)],
    *[lambda X, Z: None, lambda X, Z: "matrix", lambda X, Z: np.zeros((2, 2))],
    *[_matrix_of(np.nan), _matrix_of(1), _matrix_of(1j), _matrix_of(-1.0), _matrix_of(1e300)],
    lambda X, Z: [[1.0] * Z.shape[0]] * X.shape[0],
    lambda X, Z: sp.csr_matrix((X.shape[0], Z.shape[0])),
]
_odd = odd_values | moderate
hostile_kernels = st.one_of(
    st.sampled_from(ODD_KERNELS),
    st.builds(partial, st.sampled_from([kw.Gaussian, kw.Laplacian]), _odd),
    st.builds(partial, st.sampled_from([kw.Matern, kw.Polynomial, kw.Sigmoid]), _odd, _odd),
    st.builds(partial, st.just(kw.Scaled), odd_values | st.lists(odd_values), kernels),
    st.builds(partial, st.just(kw.Columns), odd_values | st.lists(st.integers(-1, 5)), kernels),
)

# --- criteria and estimators ----------------------------------------------------------------------

CRITERIA = [info.name for info in kw.criteria.available()]


def criteria(task):
    """Return names and criteria that have a value for a task."""
    names = [name for name in CRITERIA if task in kw.criteria.get(name).tasks]
    more = [kw.criteria.SM(r=2.5), kw.criteria.KFold(k=3)]
    if task != "regression":
        more += [kw.criteria.ELOO(loss) for loss in ("error", "squared_hinge", "log_loss", "auc")]
    return st.sampled_from([*names, *more])


_odd_parameters = st.dictionaries(
    st.sampled_from(["r", "k", "eta", "loss", "cv", "t", "normalizer", "random_state", "order"]),
    # A large power or number of folds takes as long as it says.
    odd_values.filter(lambda v: not isinstance(v, int) or abs(v) < 17 or v >= 10**30),
    max_size=2,
)
hostile_criteria = st.one_of(
    odd_values,
    st.builds(
        lambda name, given: partial(kw.criteria.get, name, **given),
        st.sampled_from(CRITERIA),
        _odd_parameters,
    ),
)

_few_kernels = st.just("auto") | st.lists(kernels, min_size=1, max_size=3)
_machine = {"kernel": kernels, "ridge": moderate, "fit_intercept": st.booleans()}
_ridges = st.one_of(st.just("auto"), moderate, st.just([0.1, 1.0]))
ORDINARY = {
    kw.KRR: _machine,
    kw.LSSVC: {**_machine, "class_weight": st.sampled_from([None, "balanced"])},
    kw.KernelSelector: {
        "kernels": _few_kernels,
        "criterion": st.sampled_from(["auto", "sm", "ckta", "eloo", "kfold"]),
        "ridge": _ridges,
        "random_state": st.sampled_from([None, 0]),
    },
    kw.KernelStack: {
        "recipe": st.sampled_from(["GLBl", "GL", "Gl", ["gaussian", "linear"]]),
        "gate": st.sampled_from(["auto", "cautious", 0.0, 0.5, 1.0]),
    },
    kw.MultiKernelSelector: {
        "kernels": _few_kernels,
        "method": st.sampled_from(["auto", "l1", "align", "alignf", "uniform"]),
        "ridge": _ridges,
    },
}
_estimators = [
    *[kw.KRR(), kw.LSSVC(fit_intercept=False), KernelRidge(), SVC(), NuSVC(), SVR()],
    *[SVC(class_weight="balanced"), kw.LSSVC, LogisticRegression(), "SVC", kw.KernelSelector()],
]
HOSTILE = {
    "kernel": hostile_kernels,
    "kernels": hostile_kernels | st.lists(kernels | hostile_kernels, max_size=2),
    "recipe": odd_values | st.sampled_from(["GG", "x", [3], [[]], ["G", "?"], ["G", kw.Linear()]]),
    "criterion": hostile_criteria,
    "class_weight": odd_values | st.sampled_from([{0: 2.0}, {"a": 3}, {0: 0}, {1: -1}, {0: 1e300}]),
    "estimator": st.sampled_from(_estimators),
    "views": odd_values
    | st.sampled_from([{"a": [0], "b": 0}, {"a": []}, {"a": [99]}, {"a": ["x"]}, {1: [0]}]),
    "ridge": odd_values | st.lists(odd_values | moderate, max_size=2),
    "threshold": odd_values | st.just("midpoint"),
}
_ODD_NAMES = {
    kw.LSSVC: ["threshold"],
    kw.KernelSelector: ["estimator", "class_weight", "task", "refit", "n_jobs", "scoring"],
    kw.KernelStack: ["class_weight", "task", "n_jobs", "random_state"],
    kw.MultiKernelSelector: ["class_weight", "task", "n_jobs", "criterion", "p", "views"],
}


def estimators(make):
    """Return ordinary estimators of a class."""
    return st.builds(
        lambda given: partial(make, **given), st.fixed_dictionaries({}, optional=ORDINARY[make])
    )


@st.composite
def hostile_estimators(draw, make):
    """Estimators of a class with one odd argument, or two."""
    given = draw(st.fixed_dictionaries({}, optional=ORDINARY[make]))
    names = [*ORDINARY[make], *_ODD_NAMES.get(make, [])]
    for name in draw(st.lists(st.sampled_from(names), min_size=1, max_size=2)):
        given[name] = draw(HOSTILE.get(name, odd_values))
    return partial(make, **given)


# --- files and commands ---------------------------------------------------------------------------

TOKENS = (
    *'nan inf -inf 1e400 1e-400 1e45 - + . 😀 ß \\ " \' "" ; | , : # % NA ? { }'.split(),
    *"=1+1 1,5 0x10 1_000 True 1:1 0:1 -1:1 qid:3 2:nan 2024-05-31 2024-13-41 ١٢ id".split(),
    *("", " ", "\x00", "\r", "\n", "\n\n", "\t", "\ufeff", "\u2028", "9" * 400),
)
_columns = st.sampled_from(
    [
        lambda rng, n: rng.normal(size=n).round(3),
        lambda rng, n: rng.integers(0, 5, n),
        lambda rng, n: rng.normal(size=n) * 1e40,
        lambda rng, n: np.where(rng.random(n) < 0.3, np.nan, rng.normal(size=n)),
        lambda rng, n: np.array(["red", "blue", "", "NA"])[rng.integers(0, 4, n)],
        lambda rng, n: pd.date_range("2024-01-01", periods=n).astype(str),
        lambda rng, n: rng.random(n) < 0.5,
        lambda rng, n: np.full(n, 1.0),
        lambda rng, n: np.arange(n),
    ]
)
_targets = st.sampled_from(
    [
        lambda rng, n: np.array(["u", "v"])[np.arange(n) % 2],
        lambda rng, n: np.arange(n) % 3,
        lambda rng, n: rng.normal(size=n).round(4),
        lambda rng, n: np.array(["=1", "+2", "-3"])[np.arange(n) % 3],
    ]
)


@st.composite
def frames(draw):
    """A small table of columns of all kinds, the target last."""
    n, rng = draw(st.integers(4, 30)), np.random.default_rng(draw(st.integers(0, 99)))
    made = [draw(_columns)(rng, n) for _ in range(draw(st.integers(1, 4)))]
    name = draw(st.sampled_from(["target", "y", "c0", "a b", "ß"]))
    columns = {f"c{i}": column for i, column in enumerate(made)}
    return pd.DataFrame({**columns, name: draw(_targets)(rng, n)})


def _libsvm(frame):
    lines = [
        f"{i % 2} " + " ".join(f"{j + 1}:{v:g}" for j, v in enumerate(row) if v)
        for i, row in enumerate(frame.select_dtypes("number").to_numpy(dtype=float))
    ]
    return "\n".join(lines) + "\n"


WRITERS = {"table.csv": lambda frame: frame.to_csv(index=False), "table.libsvm": _libsvm}


@st.composite
def damaged(draw, text):
    """Bytes of a table: a few fields replaced, lines repeated or left out, in any encoding."""
    for _ in range(draw(st.integers(0, 3))):
        lines = text.split("\n")
        i, token = draw(st.integers(0, len(lines) - 1)), draw(st.sampled_from(TOKENS))
        fields = lines[i].split(",")
        fields[draw(st.integers(0, len(fields) - 1))] = token
        one = [*lines[:i], ",".join(fields), *lines[i + 1 :]]
        changed = [one, one, one, lines[:i] + lines[i + 1 :], lines[: i + 1], lines[:1] * 2 + lines]
        text = "\n".join(draw(st.sampled_from(changed)))
    encoding = draw(st.sampled_from(["utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16", "latin-1"]))
    return text.encode(encoding, errors="replace")


@st.composite
def files(draw):
    """The name of a table and what is in it."""
    name = draw(st.sampled_from(sorted(WRITERS)))
    return name, draw(damaged(WRITERS[name](draw(frames()))))


OPTIONS = {
    "--target": ["nope", "", "c0", "C0", "\n"],
    "--criterion": ["nope", "ks", "eloo", "kfold", "span"],
    "--kernels": ["nope", "gaussian:a:b", "gaussian:3:1", "linear:1:2", ",", "matern:-1:1"],
    "--ridge": ["0", "-1", "nan", "1e99", "1e200", "a", "1,,2", "0.1,1"],
    "--rows": ["0", "3", "-1", "a", "1e3", "٣", "9" * 30],
    "--seed": ["-1", "a", "9" * 30, "0"],
    "--task": ["classification", "regression", "nope"],
    "--machine": ["svm", "krr", "lssvm", "nope"],
    "--format": ["csv", "tsv", "libsvm", "nope"],
}
options = st.dictionaries(st.sampled_from(sorted(OPTIONS)), st.integers(0, 7), max_size=2).map(
    lambda drawn: [x for o, i in drawn.items() for x in (o, OPTIONS[o][i % len(OPTIONS[o])])]
)


# --- given matrices -------------------------------------------------------------------------------

ODD_MATRICES = [
    lambda K: 0.0 * K,
    lambda K: -K,
    lambda K: K * 1e45,
    lambda K: K * 1e-45,
    np.ones_like,
    lambda K: np.eye(len(K)),
    lambda K: K - K.mean(),
    lambda K: K[::-1],
    lambda K: K[:-1],
    lambda K: K[:0, :0],
    lambda K: np.where(np.eye(len(K)), np.nan, K),
    sp.csr_matrix,
    lambda K: None,
]
FOLDS = [2, KFold(2), 0, 10**6, None, "a", [([0, 1, 2, 3], [4, 5])], [([0], [1])], []]
