"""The areas of the public surface, each with its share of the cases."""

from fuzz.agreement import agreement
from fuzz.bounds import bounds
from fuzz.candidates import candidates
from fuzz.cases import Area, Failure, run_case
from fuzz.criteria import criteria
from fuzz.kernels import kernels
from fuzz.machines import machines
from fuzz.models import models
from fuzz.readers import readers
from fuzz.refusals import refusals
from fuzz.relevance import relevance
from fuzz.results import results
from fuzz.scoring import scoring
from fuzz.selector import selector
from fuzz.stacks import stacks
from fuzz.weighing import weighing

# Name: the function that runs a case, and cases in ten thousand.
AREAS: dict[str, tuple[Area, int]] = {
    "agreement": (agreement, 900),
    "machines": (machines, 1100),
    "kernels": (kernels, 900),
    "criteria": (criteria, 1100),
    "scoring": (scoring, 800),
    "candidates": (candidates, 500),
    "selector": (selector, 600),
    "stacks": (stacks, 300),
    "weighing": (weighing, 300),
    "bounds": (bounds, 900),
    "readers": (readers, 1000),
    "results": (results, 600),
    "models": (models, 600),
    "relevance": (relevance, 200),
    "refusals": (refusals, 200),
}


def run(name: str) -> Failure | None:
    """Run the case of a name; return what is wrong with it."""
    return run_case(AREAS[name.split(":")[0]][0], name)


def names(areas: list[str], cases: int, first: int = 0) -> list[list[str]]:
    """Return the names of about so many cases, by area, each area with its share."""
    total = sum(AREAS[area][1] for area in areas)
    counts = [round(cases * AREAS[area][1] / total) for area in areas]
    return [
        [f"{area}:{first + seed}" for seed in range(count)]
        for area, count in zip(areas, counts, strict=True)
    ]
