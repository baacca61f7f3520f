"""CSV that spreadsheets only show.

A spreadsheet computes a cell that begins with ``=``, ``+``, ``-`` or ``@``, and the computation can
start a program. A text that begins so gets an apostrophe in front. So does a text that begins with
apostrophes and then so: taking one apostrophe away always gives back what there was.
"""

import re
from typing import Any

import pandas as pd

# The signs, their wide forms, and the white space that spreadsheets skip before them.
_COMPUTED = re.compile(r"'*[=+\-@＝＋－＠\t\r\n]")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def to_csv(table: Any, *, raw: bool = False) -> str:
    """Return a table as CSV; unless it is to be raw, with nothing that a spreadsheet computes."""
    frame = pd.DataFrame(table)
    if not raw:
        texts = [name for name in frame if frame[name].dtype.kind not in "biuf"]
        frame = frame.assign(**{name: frame[name].map(inert) for name in texts})
        frame = frame.rename(columns=inert)
    return str(frame.to_csv(index=False))


def inert(value: Any) -> Any:
    """Return a value, with an apostrophe before a text that a spreadsheet would compute."""
    is_text = isinstance(value, str) and _COMPUTED.match(value) and not _NUMBER.fullmatch(value)
    return f"'{value}" if is_text else value
