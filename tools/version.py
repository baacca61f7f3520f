"""Write the version, which ``kernelwise.__version__`` states, where files repeat it.

``python tools/version.py 0.2.0`` sets it first; without a number the other files follow it.
"""

import re
import sys
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "kernelwise" / "__init__.py"
STATED = r'(?m)^__version__ = "([^"]+)"$'
REPEATED = {  # file: patterns whose first group stays and whose rest is the version
    "papers/pyproject.toml": [r'(?m)^(version = ")[^"]+', r'(kernelwise\[figures\]==)[^"]+'],
    "CITATION.cff": [r"(?m)^(version: ).+"],
    "conda/meta.yaml": [r'(set version = ")[^"]+'],
    "docs/install.md": [r"(kernelwise-)[^-]+(?=-py3-none-any\.whl)"],
    "docs/papers.md": [r"(?m)^(  version = \{)[^}]+"],
}


def main() -> None:
    """Set the version."""
    text = SOURCE.read_text()
    if len(sys.argv) > 1:
        text = re.sub(STATED, f'__version__ = "{sys.argv[1]}"', text)
        SOURCE.write_text(text)
    [version] = re.findall(STATED, text)
    for name, patterns in REPEATED.items():
        path = ROOT / name
        text = path.read_text()
        for pattern in patterns:
            text, found = re.subn(pattern, rf"\g<1>{version}", text)
            assert found == 1, f"{name} does not state the version once"
        path.write_text(text)
    if ".dev" not in version:  # between two releases the date is that of the last one
        citation = ROOT / "CITATION.cff"
        today = f"date-released: {datetime.now(UTC):%Y-%m-%d}"
        citation.write_text(re.sub(r"(?m)^date-released: .*$", today, citation.read_text()))
    print(version)


if __name__ == "__main__":
    main()
