"""Settings of every test run, of tests and of the documentation's examples."""

import os

import pytest

# Matrices in tests are small and tests run side by side: threads of the linear algebra would wait
# for each other. The libraries read this once, when numpy loads them, so that nothing may import
# numpy before; processes that a test starts inherit it. A setting of the user's is kept.
for _name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[_name] = os.environ.get(_name) or "1"

# No test asks the network for data.
os.environ.setdefault("KERNELWISE_DOWNLOAD", "no")


def pytest_configure(config):
    """Ignore the selector's advice; its own tests ask for it.

    In pyproject.toml this line would import the package, and numpy, before the settings above.
    """
    config.addinivalue_line(
        "filterwarnings", "ignore::kernelwise.selection.guards.KernelChoiceWarning"
    )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config):
    """Return a worker for as many processors as each has threads of linear algebra.

    Threads that find no processor wait for each other, busily; beyond eight workers, collecting
    the tests takes longer than running them.
    """
    from kernelwise._threads import processors

    threads = int(os.environ["OPENBLAS_NUM_THREADS"])
    return min(max(processors() // threads, 1), 8)
