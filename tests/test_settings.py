"""The settings that conftest.py makes for all tests have taken effect."""

import os

from threadpoolctl import threadpool_info


def test_linear_algebra_has_the_threads_that_were_asked_for():
    """Nothing loaded numpy before they were set, and no test left other limits behind."""
    asked = int(os.environ["OPENBLAS_NUM_THREADS"])
    found = [library for library in threadpool_info() if library["internal_api"] == "openblas"]
    assert all(library["num_threads"] <= asked for library in found), found
