"""The areas of the public surface, each with its share of the cases."""

from fuzz.bounds import bounds
from fuzz.cases import Area
from fuzz.criteria import criteria
from fuzz.kernels import kernels
from fuzz.machines import machines
from fuzz.models import models
from fuzz.readers import readers
from fuzz.results import results
from fuzz.scoring import scoring
from fuzz.selector import selector

# Name: the function that runs a case, and cases in ten thousand.
AREAS: dict[str, tuple[Area, int]] = {
    "machines": (machines, 1500),
    "kernels": (kernels, 1500),
    "criteria": (criteria, 1500),
    "scoring": (scoring, 1200),
    "selector": (selector, 700),
    "bounds": (bounds, 1000),
    "readers": (readers, 1200),
    "results": (results, 700),
    "models": (models, 700),
}
