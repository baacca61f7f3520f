"""``python -m kernelwise`` is the command line."""

import sys

from kernelwise.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
