"""kernelwise criteria: what there is to choose by."""

import argparse
import json
from operator import attrgetter

from kernelwise.cli.screen import Screen, aligned, tell
from kernelwise.criteria import available


def criteria(args: argparse.Namespace, screen: Screen) -> int:
    """List the criteria; return the exit status."""
    found = available()
    if args.json:
        tell(json.dumps([info._asdict() for info in found]))
        return 0
    titles = ("name", "best", "cost", "what it measures", "formula", "reference")
    facts = attrgetter("name", "direction", "cost", "meaning", "formula", "reference")
    tell(aligned([titles, *map(facts, found)]))
    return 0
