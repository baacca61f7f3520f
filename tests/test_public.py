"""The public surface, the registry, and additions from outside the package."""

import pathlib
import subprocess
import sys

import numpy as np
import pytest

import kernelwise as kw
from contracts import criterion, kernel
from helpers import load_page

# architecture: the names that exist so far
PUBLIC = (
    "Gaussian Polynomial Linear Sigmoid Laplacian Matern Precomputed Scaled Columns grids criteria "
    "score_matrix score_matrices score_kernels LSSVC KRR KernelSelector Cascade gram load_model "
    "save_model bounds relevance KernelStack MultiKernelSelector"
).split()
CRITERIA = "SM SMHinge KS KTA CKTA FSM FSMError MD Ncut ER RKS SPS ELOO GCV BR LML".split()


def test_star_import_exposes_exactly_the_public_names():
    namespace = {}
    exec("from kernelwise import *", namespace)
    assert set(namespace) - {"__builtins__"} == set(PUBLIC)


def test_criteria_are_reached_by_class_and_by_name():
    for name in CRITERIA:
        cls = getattr(kw.criteria, name)
        assert kw.criteria.get(cls.name) == cls()


def test_importing_is_light():
    """Neither plotting nor numba is loaded before it is needed, not by the report either."""
    loaded = "print([m for m in ('matplotlib', 'numba', 'dask') if m in sys.modules])"
    code = f"import kernelwise, sys; {loaded}; import kernelwise.report; {loaded}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["[]", "[]"]


def test_a_kernel_from_outside(tmp_path, two_blobs):
    module = load_page("add_a_kernel.md", tmp_path)
    member = module.RationalQuadratic(scale=2.0, alpha=1.5)
    for check in kernel.CHECKS:
        check(member)
    assert kw.kernels.available()["RationalQuadratic"] is module.RationalQuadratic
    X, y = two_blobs
    selector = kw.KernelSelector(kernels=[member, kw.Gaussian(1.0) * member]).fit(X, y)
    assert selector.score(X, y) > 0.8


def test_a_criterion_from_outside(tmp_path, two_blobs):
    module = load_page("add_a_criterion.md", tmp_path)
    member = module.Polarization()
    for check in criterion.CHECKS:
        check(member)
    X, y = two_blobs
    K = kw.Gaussian(1.0)(X)
    signs = 2.0 * y - 1.0
    value = kw.score_matrix(K, y, "polarization")["polarization"]
    np.testing.assert_allclose(value, signs @ K @ signs)
    assert kw.KernelSelector(criterion="polarization").fit(X, y).score(X, y) > 0.8


def test_a_half_written_criterion_says_what_is_missing():
    with pytest.raises(TypeError, match="Mine must say its name, greater_is_better, formula"):
        type("Mine", (kw.criteria.Criterion,), {})
    assert kw.criteria.get("sm")


@pytest.mark.parametrize("package", [kw.kernels, kw.criteria])
def test_a_new_file_is_found_without_being_listed(package):
    files = pathlib.Path(package.__file__).parent.glob("[!_]*.py")
    assert {f"{package.__name__}.{file.stem}" for file in files} <= set(sys.modules)


def test_names_of_the_package_cannot_be_taken():
    with pytest.raises(ValueError, match="the name 'sm' is taken by SM: choose another"):
        type("Mine", (kw.criteria.Criterion,), {"name": "sm"})
