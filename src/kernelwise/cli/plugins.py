"""Commands that other distributions bring, found by their entry points.

A distribution names a :class:`Command` in the group ``kernelwise.commands``. Nothing of it is
imported before the command is asked for.
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Any

from kernelwise.cli.screen import BadInput, Screen

GROUP = "kernelwise.commands"
INSTALLED_BY = {"reproduce": "pip install ./papers"}


@dataclass(frozen=True)
class Command:
    """What a command of another distribution says of itself, takes and does.

    ``add_options`` is given ``add_argument`` of its parser, which has --jobs, --quiet and --debug.
    """

    about: str  # what --help says before the options
    examples: str  # what it says after them
    add_options: Callable[[Callable[..., Any]], None]
    run: Callable[[argparse.Namespace, Screen], int]  # returns the exit status


def load(name: str) -> Command:
    """Return a command of another distribution, or say how to install it."""
    for found in entry_points(group=GROUP, name=name):
        command: Command = found.load()
        return command
    raise BadInput(
        f"'kernelwise {name}' comes in a distribution of its own: run "
        f"'{INSTALLED_BY[name]}' in a clone of kernelwise to install it."
    )
