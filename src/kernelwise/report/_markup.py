"""Small pieces of HTML, and how numbers are written in it."""

import re
from collections.abc import Iterable
from html import escape
from typing import Any

DIRECTIONS = {True: "larger is better", False: "smaller is better", None: "to be read only"}
_LONG, _LONG_PIECE = 40, 16  # characters of a heading, or of a part of it, that are set smaller


def number(value: Any, digits: int = 4) -> str:
    """Return a number of a summary as text: None is a dash."""
    if value is None:
        return "–"
    rounded = float(f"{float(value):.{digits}g}")
    return f"{rounded:.12g}".replace("inf", "∞").replace("-", "−")


def signed(value: Any) -> str:
    """Return a difference as text."""
    text = number(value, 3)
    return text if text[0] in "−–" else f"+{text}"


def code(text: str) -> str:
    """Return text as code."""
    return f"<code>{escape(text)}</code>"


def bullets(items: Iterable[str]) -> str:
    """Return markup as a list; nothing for no items."""
    inner = "".join(f"<li>{item}</li>" for item in items)
    return f"<ul>{inner}</ul>" if inner else ""


def section(key: str, title: str, body: str) -> str:
    """Return a section under a heading."""
    return (
        f'<section id="{key}" aria-labelledby="{key}-h"><h2 id="{key}-h">{title}</h2>'
        f"{body}</section>"
    )


def bar(share: float) -> str:
    """Return a bar that fills a share, in per cent, of its place."""
    return f'<div class="bar" aria-hidden="true" style="--share:{share:.1f}%"></div>'


def plural(n: int, word: str) -> str:
    """Return a number of things."""
    return f"{n} {word}" + ("" if n == 1 else "s")


def mark(chosen: bool) -> str:
    """Return the word that marks the choice."""
    return ' <span class="chosen">chosen</span>' if chosen else ""


def heading(text: str) -> str:
    """Return a heading that may break between words and parts of a kernel, never in a number.

    Long ones, and those with a long number, are set smaller.
    """
    pieces = re.split(r"(?<=[(,+*])" if "(" in text else r"(?<= )", text)
    is_long = len(text) > _LONG or max(map(len, pieces)) > _LONG_PIECE
    inner = "".join(f'<span class="whole">{escape(piece)}</span>' for piece in pieces if piece)
    return f"<h1{' class=long' if is_long else ''}>{inner}</h1>"


def contents(sections: dict[str, str]) -> str:
    """Return links to the sections that are there."""
    links = "".join(
        f'<li><a href="#{key}">{title}</a></li>'
        for key, body in sections.items()
        for title in re.findall(r"<h2[^>]*>(.*?)</h2>", body)
    )
    return f'<nav aria-label="Contents"><ul>{links}</ul></nav>'
