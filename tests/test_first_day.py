"""What a new user meets: completion, imports, names where one looks for them."""

import subprocess
import sys

import kernelwise as kw


def fresh(code):
    """Return what a new process prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_completion_of_grids():
    assert set(dir(kw.grids)) == {
        "auto",
        "gaussian",
        "gaussian_gamma",
        "laplacian",
        "laplacian_for",
        "libsvm",
        "matern",
        "polynomial",
    }


def test_parts_that_few_need_are_imported_later():
    code = (
        "import sys, kernelwise as kw; print('kernelwise.bounds' in sys.modules, "
        "'bounds' in dir(kw), 'figures' in dir(kw), kw.bounds.__name__, kw.figures.__name__)"
    )
    assert fresh(code) == "False True True kernelwise.bounds kernelwise.figures"


def test_a_name_that_is_not_there():
    assert not hasattr(kw, "Bounds")


def test_displays_where_users_look_for_them():
    from inside import figures
    from inside import report_figures as home

    for name in home.__all__:
        assert getattr(figures, name) is getattr(home, name)
