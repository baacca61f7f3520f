"""kernelwise reproduce: a command that the distribution in papers/ brings.

Nothing of that distribution is imported before the command is asked for.
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Any

from kernelwise.cli.screen import BadInput, Screen


@dataclass(frozen=True)
class Command:
    """What the command says of itself, takes and does.

    ``add_options`` is given ``add_argument`` of its parser, which has --jobs, --quiet and --debug.
    """

    about: str  # what --help says before the options
    examples: str  # what it says after them
    add_options: Callable[[Callable[..., Any]], None]
    run: Callable[[argparse.Namespace, Screen], int]  # returns the exit status


def installed() -> Command:
    """Return the command, or say how to install it."""
    for found in entry_points(group="kernelwise.commands", name="reproduce"):
        command: Command = found.load()
        return command
    raise BadInput(
        "'kernelwise reproduce' comes in a distribution of its own: run 'pip install ./papers' in "
        "a clone of kernelwise to install it."
    )


def reproduce(args: argparse.Namespace, screen: Screen) -> int:
    """Run the papers; return the exit status."""
    return installed().run(args, screen)
