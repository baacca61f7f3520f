"""Settings of every test run, of tests and of the documentation's examples."""

import os

# Matrices in tests are small and tests run side by side: threads of the linear algebra would wait
# for each other. The libraries read this once, when numpy loads them, so that nothing may import
# numpy before; processes that a test starts inherit it. A setting of the user's is kept.
for _library in ("OPENBLAS", "MKL", "OMP"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

# No test asks the network for data.
os.environ.setdefault("KERNELWISE_DOWNLOAD", "no")


def pytest_configure(config):
    """Ignore the selector's advice; its own tests ask for it.

    In pyproject.toml this line would import the package, and numpy, before the settings above.
    """
    config.addinivalue_line(
        "filterwarnings", "ignore::kernelwise.selection.guards.KernelChoiceWarning"
    )
