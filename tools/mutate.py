"""Mutation testing: change one operator or constant at a time, and see whether a test notices.

``make mutants`` draws a sample of all changes, the same for the same seed; ``--sample 0`` tries
every one. A mutant is killed when a test fails or takes far too long. Survivors are printed with
their place, to be explained or tested::

    python tools/mutate.py criteria --sample 100 --out build/mutants-criteria.json
"""

import argparse
import ast
import copy
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "kernelwise"
TESTS = {  # the quickest and sharpest first: a mutant is dead at the first failure
    "criteria": ["tests/criteria", "tests/contracts", "tests/selection/test_scoring.py"],
    "machines": ["tests/machines", "tests/contracts", "tests/criteria"],
}
COMPILED = ("_smo.py", "_gradients.py")  # caches of the compiler would hide a change
LONGEST = 600.0  # seconds of a run of the tests
SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Pow: ast.Mult,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.USub: ast.UAdd,
}


def main() -> None:
    """Try mutants of one package and write which survive."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("package", choices=TESTS)
    parser.add_argument("--sample", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    everything = [
        (path, place)
        for path in sorted((SOURCE / options.package).glob("*.py"))
        if path.name not in COMPILED
        for place in range(len(sites(ast.parse(path.read_text()))))
    ]
    chosen = everything
    if options.sample:
        size = min(options.sample, len(everything))
        chosen = random.Random(options.seed).sample(everything, size)
    warm_up()
    found = []
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copied = Path(folder) / "src"
        shutil.copytree(ROOT / "src", copied)
        assert is_killed(copied, options.package) is False, "the tests fail without a mutant"
        for path, place in chosen:
            found.append(try_one(copied, path, place, options.package))
            print(json.dumps(found[-1]), flush=True)
            options.out.parent.mkdir(parents=True, exist_ok=True)
            options.out.write_text(json.dumps(summary(found, len(everything)), indent=1) + "\n")
    print(f"{options.package}: {sum(each['killed'] for each in found)} of {len(found)} killed")


def summary(found: list[dict[str, object]], possible: int) -> dict[str, object]:
    """Return what is kept of a run."""
    survivors = [each for each in found if not each["killed"]]
    killed = len(found) - len(survivors)
    return {
        "possible": possible,
        "tried": len(found),
        "killed": killed,
        "share": round(killed / len(found), 3),
        "survivors": survivors,
    }


def sites(tree: ast.Module) -> list[tuple[ast.AST, str]]:
    """Return every node that can be changed, with the field that is: outside texts and types."""
    found: list[tuple[ast.AST, str]] = []
    for node in _executed(tree):
        if isinstance(node, ast.BinOp) and type(node.op) in SWAPS:
            found.append((node, "op"))
        elif isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in SWAPS:
            found.append((node, "ops"))
        elif isinstance(node, ast.BoolOp | ast.UnaryOp) and type(node.op) in SWAPS:
            found.append((node, "op"))
        elif isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float):
            found.append((node, "value"))
    return found


def _executed(node: ast.AST) -> list[ast.AST]:
    """Return a node and those below it, without annotations and messages of errors."""
    found = [node]
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list") or isinstance(node, ast.Raise):
            continue
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, ast.AST):
                found += _executed(part)
    return found


def mutated(text: str, place: int) -> tuple[str, int, str]:
    """Return the text with one change, the line, and the change in words."""
    tree = ast.parse(text)
    node, field = sites(tree)[place]
    before = ast.unparse(copy.deepcopy(node))
    if field == "value":
        value = node.value  # type: ignore[attr-defined]
        node.value = (not value) if isinstance(value, bool) else value + 1  # type: ignore[attr-defined]
    elif field == "ops":
        node.ops = [SWAPS[type(node.ops[0])]()]  # type: ignore[attr-defined]
    else:
        node.op = SWAPS[type(node.op)]()  # type: ignore[attr-defined]
    return ast.unparse(tree), node.lineno, f"{before}  ->  {ast.unparse(node)}"  # type: ignore[attr-defined]


def try_one(copied: Path, path: Path, place: int, package: str) -> dict[str, object]:
    """Return whether one mutant is killed."""
    text, line, words = mutated(path.read_text(), place)
    target = copied / "kernelwise" / package / path.name
    start = time.perf_counter()
    target.write_text(text)
    killed = is_killed(copied, package)
    shutil.copy2(path, target)
    name = f"{package}/{path.name}:{line}"
    return {
        "place": name,
        "change": words,
        "killed": killed,
        "seconds": round(time.perf_counter() - start),
    }


def is_killed(copied: Path, package: str) -> bool:
    """Return whether the tests fail, run in a child that has the slow imports already."""
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        os.chdir(ROOT)
        sys.path.insert(0, str(copied))
        sys.dont_write_bytecode = True
        import pytest

        status = pytest.main(
            ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *TESTS[package]]
        )
        os._exit(int(status))
    return _waited(child) != 0


def _waited(child: int) -> int:
    """Return the status of a process; one that takes too long is ended, and counts as failed."""
    deadline = time.monotonic() + LONGEST
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status
        time.sleep(0.1)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return 1


def warm_up() -> None:
    """Import what the tests need and no mutant changes."""
    for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ[name] = "1"
    import numba
    import pandas
    import pytest
    import scipy.linalg
    import scipy.sparse
    import sklearn.ensemble
    import sklearn.gaussian_process
    import sklearn.svm
    import sklearn.utils.estimator_checks

    assert all((numba, pandas, pytest, scipy, sklearn))
    assert "kernelwise" not in sys.modules


if __name__ == "__main__":
    main()
