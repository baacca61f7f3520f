"""Files as tables: a module for every format.

Each module has a subclass of :class:`~kernelwise.cli.formats.base.Format`, which says how to tell
its files from others and makes a :class:`~kernelwise.cli.formats.base.Table` of one::

    FILE ──> Source (unpacked) ──> Format.read ──> Table
"""

from importlib.metadata import entry_points

from kernelwise._registry import load_modules, members
from kernelwise.cli.formats.base import Format


def available() -> dict[str, Format]:
    """Return the formats by name: ours, and those of other packages' entry points."""
    load_modules(__name__, __path__)
    for point in entry_points(group="kernelwise.formats"):
        point.load()
    known = {cls.name: cls() for cls in members(Format)}
    return dict(sorted(known.items()))
