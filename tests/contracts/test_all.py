"""Every registered kernel and criterion against its contract."""

import pytest

import kernelwise as kw
from contracts import criterion, kernel
from helpers import own_criteria
from inside import kernels

COMPOSED = [
    kw.Gaussian(2.0) + kw.Linear(),
    kw.Gaussian(2.0) * kw.Polynomial(2),
    0.5 * kw.Matern(1.0, 2.5),
    (kw.Gaussian(1.0) + kw.Linear()) * kw.Laplacian(2.0) * kw.Matern(1.0, 0.5),
    3 * (kw.Gaussian(1.0) * kw.Sigmoid(0.1, 0.2)),
]
TRANSFORMED = [
    kw.Scaled([0.5, 2.0, 0.0], kw.Gaussian(2.0)),
    kw.Scaled([0.5, 2.0, 1.0], kw.Laplacian(2.0)),
    kw.Columns([2, 0], kw.Polynomial(2)),
    kw.Columns([2, 0], kw.Scaled([3.0, 0.1], kw.Matern(1.0, 2.5))),
    kw.Scaled([1.0, 2.0, 3.0], kw.Columns([1], kw.Linear())),
    kw.Columns([0], kw.Gaussian(1.0)) + 2.0 * kw.Columns([1, 2], kw.Laplacian(3.0)),
    kw.Scaled([1.0, 2.0, 3.0], kw.Gaussian(1.0) * kw.Linear() + kw.Laplacian(0.5)),
]
COMPOSERS = ("Sum", "Product", "Multiple", "Scaled", "Columns", "Function")
SIMPLE = [
    cls()
    for name, cls in sorted(kernels.available().items())
    if name not in COMPOSERS and cls.__module__.startswith("kernelwise.")
]
GIVEN = [
    kw.kernels.Function(kernel.dot_products, psd=True),
    kw.kernels.Function(kernel.dot_products) + kw.Scaled([1.0, 2.0, 0.5], kw.Gaussian(1.0)),
    kw.kernels.Matrix(0, "one") + 2.0 * kw.kernels.Matrix(0),
]
VARIANTS = [
    kw.criteria.SM(r=1, normalizer="sum", weighted=False),
    kw.criteria.SM(r=2.5),
    kw.criteria.ER(scale="printed"),
    kw.criteria.ELOO("error"),
    kw.criteria.ELOO("squared_hinge"),
    kw.criteria.LML("constant"),
]


@pytest.mark.parametrize("check", kernel.CHECKS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("member", SIMPLE + COMPOSED + TRANSFORMED + GIVEN, ids=str)
def test_kernel(member, check):
    check(member)


@pytest.mark.parametrize("check", criterion.CHECKS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("name", [info.name for info in own_criteria()])
def test_criterion(name, check):
    check(kw.criteria.get(name))


@pytest.mark.parametrize(
    "check", [f for f in criterion.CHECKS if f is not criterion.says_what_it_is]
)
@pytest.mark.parametrize("variant", VARIANTS, ids=lambda c: c.label)
def test_criterion_variant(variant, check):
    check(variant)
