"""Mutation testing: change one operator or constant at a time, and see whether a test notices.

``make mutants`` draws a sample of all changes, each as likely as any other, the same for the same
seed; ``--sample 0`` tries every one. A mutant is killed when a test fails or takes far too long.
Every mutant that survives counts as a survivor; `EXPLAINED` has the reasons of those that no test
can, or should, kill. A run that was interrupted goes on where it was::

    python tools/mutate.py criteria --sample 100 --seed 1 --out build/mutants.json
    python tools/mutate.py criteria --again --out build/mutants.json  # the survivors, once more
"""

import argparse
import ast
import copy
import json
import math
import random
import resource
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from noticing import ROOT, SOURCE, TESTS, Noticing, unparsed

EXPLAINED = ROOT / "tools" / "survivors.json"
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

# What is no part of what a function computes: messages of errors; what the checker of types is
# told; decorators; strict=True of zip, which guards against mistakes that no input makes; what
# linear algebra may overwrite or need not check; and how many threads it has, which `limited` says.
NEVER = (ast.Raise, ast.Assert)
UNTRIED = ("annotation", "returns", "decorator_list")
FLAGS = ("strict", "overwrite_a", "overwrite_b", "check_finite")


class Site(NamedTuple):
    """What can be changed: a field of a node, or an entry of it; inside a function or not."""

    node: Any
    field: str
    entry: int | None
    is_inside: bool


def main() -> None:
    """Try mutants of one package and write which survive."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("package", choices=TESTS)
    parser.add_argument("--sample", type=int, default=100, help="how many; 0 for all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--again", action="store_true", help="try the survivors of --out again")
    parser.add_argument("--minutes", type=float, default=math.inf, help="stop after so many")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    end = time.monotonic() + 60.0 * options.minutes
    noticing = Noticing(options.package)
    written = json.loads(options.out.read_text()) if options.out.exists() else {}
    try_some = try_again if options.again else try_sample
    for found in try_some(noticing, written, options):
        print(json.dumps(found[-1]), flush=True)
        if time.monotonic() > end:
            break
    print(f"{options.package}: {sum(each['killed'] for each in found)} of {len(found)} killed")


def try_sample(noticing: Noticing, written: dict[str, Any], options: Any) -> Iterator[list[Any]]:
    """Go on with a sample, and write what is found; yield all of it after every mutant."""
    everything = all_changes(noticing.package)
    chosen = drawn(everything, options.sample, options.seed)
    facts = {"tests": noticing.fingerprint, "sample": len(chosen), "seed": options.seed}
    before = written.get(noticing.package, {})
    found = before["mutants"] if facts.items() <= before.items() else []
    for name, place in chosen[len(found) :]:
        found.append(try_one(noticing, name, place))
        written[noticing.package] = {**facts, **summary(found, len(everything))}
        write(options.out, written)
        yield found


def try_again(noticing: Noticing, written: dict[str, Any], options: Any) -> Iterator[list[Any]]:
    """Try what survived once more; yield all that is found after every mutant, write nothing."""
    found: list[Any] = []
    for each in written[noticing.package]["mutants"]:
        if not each["killed"]:
            found.append(try_one(noticing, each["file"], each["site"]))
            yield found


def all_changes(package: str) -> list[tuple[str, int]]:
    """Return every change that there is: a module, and a place in it."""
    modules = sorted((SOURCE / package).glob("*.py"))
    return [(p.name, site) for p in modules for site in range(len(sites(ast.parse(p.read_text()))))]


def drawn(everything: list[tuple[str, int]], sample: int, seed: int) -> list[tuple[str, int]]:
    """Return a random sample, or everything."""
    if not sample:
        return everything
    return random.Random(seed).sample(everything, min(sample, len(everything)))


def summary(found: list[dict[str, Any]], possible: int) -> dict[str, Any]:
    """Return what is kept of a run."""
    n, killed = len(found), sum(each["killed"] for each in found)
    share = killed / n
    return {
        "possible": possible,
        "tried": n,
        "killed": killed,
        "share": round(share, 3),
        "standard_error": round(math.sqrt(share * (1.0 - share) / n), 3),
        "explained": sum("reason" in each for each in found),
        "seconds": sum(each["seconds"] for each in found),
        "mutants": found,
    }


def write(path: Path, written: dict[str, Any]) -> None:
    """Write packages with a line for every mutant."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({k: {**v, "mutants": []} for k, v in written.items()}, indent=1)
    for of_package in written.values():
        lines = ",\n".join("   " + json.dumps(each) for each in of_package["mutants"])
        text = text.replace('"mutants": []', f'"mutants":  [\n{lines}\n  ]', 1)
    path.write_text(text + "\n")


def sites(tree: ast.Module) -> list[Site]:
    """Return every node that can be changed, with the field that is: outside texts and types."""
    found: list[Site] = []
    for node, is_inside in _executed(tree, False):
        op = getattr(node, "op", None)  # of an operation, an assignment such as +=, and, not
        if isinstance(op, ast.Not):
            found.append(Site(node, "operand", None, is_inside))
        elif type(op) in SWAPS:
            found.append(Site(node, "op", None, is_inside))
        elif isinstance(node, ast.Compare):
            found += [
                Site(node, "ops", entry, is_inside)
                for entry, op in enumerate(node.ops)
                if type(op) in SWAPS
            ]
        elif isinstance(node, ast.Constant) and _has_another(node.value):
            found.append(Site(node, "value", None, is_inside))
    return found


def _has_another(value: Any) -> bool:
    """Say whether a constant can be changed; one more than 1e300 is 1e300."""
    return isinstance(value, bool | int | float) and value + 1 != value


def _executed(node: ast.AST, is_inside: bool) -> list[tuple[ast.AST, bool]]:
    """Return a node and those below it, without what `NEVER` and `UNTRIED` name."""
    found = [(node, is_inside)]
    if isinstance(node, NEVER) or (isinstance(node, ast.keyword) and node.arg in FLAGS):
        return []
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "limited":
        return []
    for name, value in ast.iter_fields(node):
        if name in UNTRIED:
            continue
        is_body = name == "body" and isinstance(node, ast.FunctionDef | ast.Lambda)
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, ast.AST):
                found += _executed(part, is_inside or is_body)
    return found


def change(site: Site) -> str:
    """Change a node in place; return the change in words."""
    node, field, entry, _ = site
    before = ast.unparse(copy.deepcopy(node))
    if field == "value":
        node.value = (not node.value) if isinstance(node.value, bool) else node.value + 1
    elif field == "operand":
        node.operand = ast.UnaryOp(ast.Not(), node.operand)
    elif field == "ops":
        node.ops[entry] = SWAPS[type(node.ops[entry])]()
    else:
        node.op = SWAPS[type(node.op)]()
    return f"{before}  ->  {ast.unparse(node)}"


def try_one(noticing: Noticing, name: str, place: int) -> dict[str, Any]:
    """Return what becomes of one mutant."""
    path = SOURCE / noticing.package / name
    line = sites(ast.parse(path.read_text()))[place].node.lineno
    tree = ast.parse(unparsed(path))
    site = sites(tree)[place]
    statement = unparsed(path).splitlines()[site.node.lineno - 1].strip()
    words, start = change(site), _seconds()
    text = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    verdict = noticing.try_change(name, text, site.node.lineno if site.is_inside else None)
    facts = {"file": name, "line": line, "site": place, "change": words, **verdict._asdict()}
    facts["seconds"] = round(_seconds() - start, 1)
    if not verdict.killed:
        facts["statement"] = statement
        facts |= explanation(f"{noticing.package}/{name}", words, statement)
    return facts


def _seconds() -> float:
    """Return the processor time of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def explanation(name: str, words: str, statement: str) -> dict[str, str]:
    """Return why a mutant survives, where that is known."""
    for known in json.loads(EXPLAINED.read_text()) if EXPLAINED.exists() else []:
        if known["file"] == name and known["change"] == words and known["statement"] == statement:
            return {"reason": known["reason"]}
    return {}


if __name__ == "__main__":
    main()
