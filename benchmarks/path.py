"""How long the path through the code is: what one fit of a selector calls.

    .venv/bin/python benchmarks/path.py [--rows 500] [--list]

Counts the functions of the package that are called while ``KernelSelector().fit`` runs, the files
they are in, and the classes of the package of which an instance is at work. Functions that Python
makes on the way (lambdas, comprehensions, the constructors of dataclasses) are not counted.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

import kernelwise as kw

PACKAGE = str(Path(kw.__file__).parent)


def watch(rows: int) -> tuple[set[tuple[str, str]], set[str]]:
    """Return the functions that are called, by file, and the classes whose methods they are."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 10))
    y = (X[:, 0] + X[:, 1] ** 2 > 1.0).astype(int)
    functions: set[tuple[str, str]] = set()
    types: set[str] = set()

    def called(frame, event, argument):
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(PACKAGE) and "<" not in code.co_name:
            functions.add((code.co_filename[len(PACKAGE) + 1 :], code.co_qualname))
            owner = frame.f_locals.get("self")
            if type(owner).__module__.startswith("kernelwise"):
                types.add(type(owner).__name__)

    selector = kw.KernelSelector()
    sys.setprofile(called)
    try:
        selector.fit(X, y)
    finally:
        sys.setprofile(None)
    return functions, types


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--list", action="store_true", help="list the functions, by file")
    arguments = parser.parse_args()
    functions, types = watch(arguments.rows)
    files = {file for file, _ in functions}
    print(f"{len(functions)} functions in {len(files)} files; {len(types)} types")
    if arguments.list:
        for file in sorted(files):
            print(file, *sorted(name for f, name in functions if f == file), sep="\n  ")
        print("types", *sorted(types), sep="\n  ")


if __name__ == "__main__":
    main()
