"""Every link inside the repository leads to a file."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted(
    [
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("papers/*.md"),
        *ROOT.glob("papers/pages/*.md"),
        *ROOT.glob("papers/src/**/*.md"),
    ]
)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path):
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", path.read_text())
    inside = [link for link in links if not re.match(r"\w+:", link)]
    assert not [link for link in inside if not (path.parent / link).exists()]
