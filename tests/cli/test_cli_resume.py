"""kernelwise select --resume and --scheduler."""

from cli_helpers import *  # noqa: F403
