"""The displays of :mod:`kernelwise.report.figures`, where users look for them."""

from kernelwise.report.figures import *  # noqa: F403
from kernelwise.report.figures import __all__ as __all__
