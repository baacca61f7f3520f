import pickle

import numpy as np
import scipy.sparse as sp
from sklearn.svm import SVC

from inside import Pairs, gradients

CHECKS = []


def dot_products(X, Z):
    """A function as a user may bring it."""
    return np.asarray((X @ Z.T).toarray() if sp.issparse(X) else X @ Z.T)


def check(f):
    CHECKS.append(f)
    return f


def rows():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(9, 3))
    X[4] = X[0]
    return X, rng.normal(size=(5, 3))


def data_for(kernel):
    """Rows, or the kernel matrix itself where the kernel takes one."""
    X, Z = rows()
    if kernel.takes_matrix:
        return X @ X.T, None
    return X, Z


@check
def is_a_frozen_hashable_printable_picklable_value(kernel):
    assert kernel == pickle.loads(pickle.dumps(kernel))
    assert hash(kernel) == hash(pickle.loads(pickle.dumps(kernel)))
    assert repr(kernel)
    try:
        kernel.anything = 1.0
    except AttributeError:
        return
    raise AssertionError("not frozen")


@check
def matrix_is_symmetric_and_agrees_with_the_cross_matrix(kernel):
    X, Z = data_for(kernel)
    K = kernel(X)
    assert K.shape == (len(X), len(X))
    np.testing.assert_array_equal(K, K.T)
    np.testing.assert_allclose(kernel(X, X.copy()), K, rtol=1e-12, atol=1e-14)
    if Z is not None:
        both = kernel(np.vstack([X, Z]))
        np.testing.assert_allclose(kernel(X, Z), both[: len(X), len(X) :], rtol=1e-11, atol=1e-14)


@check
def diag_is_the_diagonal(kernel):
    X, _ = data_for(kernel)
    np.testing.assert_allclose(kernel.diag(X), np.diag(kernel(X)), rtol=1e-12, atol=1e-15)


@check
def deviation_is_the_matrix_less_the_origin(kernel):
    X, _ = data_for(kernel)
    pairs = Pairs(X)
    np.testing.assert_allclose(
        kernel.deviations(pairs) + kernel.origin, kernel.values(pairs), rtol=1e-12, atol=1e-13
    )


@check
def gradients_are_those_of_the_matrix(kernel):
    """Between rows without ties; a kernel from outside need not have them."""
    if kernel.takes_matrix:
        return
    X, Z = rows()
    rng, h = np.random.default_rng(4), 1e-6
    A = rng.normal(size=(2, len(Z)))
    try:
        G = gradients(kernel, Pairs(X, Z), A)
    except ValueError as error:
        assert "has no method" in str(error)
        return
    assert G.shape == (2, *X.shape)
    for j, step in enumerate(h * np.eye(X.shape[1])):
        expected = A @ (kernel(X + step, Z) - kernel(X - step, Z)).T / (2.0 * h)
        np.testing.assert_allclose(G[:, :, j], expected, rtol=1e-6, atol=1e-6 * abs(G).max())


@check
def shared_geometry_is_left_alone(kernel):
    X, _ = data_for(kernel)
    pairs = Pairs(X)
    first = kernel.values(pairs)
    first[:] = 0.0
    kernel.deviations(pairs)[:] = 0.0
    np.testing.assert_array_equal(kernel.values(pairs), kernel(X))


@check
def sparse_input_gives_the_same_matrix(kernel):
    X, Z = data_for(kernel)
    dense = kernel(X) if Z is None else kernel(X, Z)
    sparse = kernel(sp.csr_array(X)) if Z is None else kernel(sp.csr_array(X), sp.csr_array(Z))
    np.testing.assert_allclose(sparse, dense, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(kernel.diag(sp.csr_array(X)), kernel.diag(X), rtol=1e-12)


@check
def is_psd_where_it_says_so(kernel):
    X, _ = data_for(kernel)
    s = np.linalg.eigvalsh(kernel(X))
    if kernel.is_psd:
        assert s[0] >= -1e-12 * s[-1]


@check
def features_have_the_matrix_as_dot_products(kernel):
    X, _ = data_for(kernel)
    phi = None if kernel.takes_matrix else kernel.features(X)
    if phi is not None:
        np.testing.assert_allclose(phi @ phi.T, kernel(X), rtol=1e-9, atol=1e-12)


@check
def svc_takes_it_directly(kernel):
    X, _ = data_for(kernel)
    y = np.arange(len(X)) % 2
    machine = SVC(kernel=kernel).fit(X, y)
    assert machine.predict(X).shape == y.shape
