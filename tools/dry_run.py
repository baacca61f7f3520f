"""Serve ``dist/`` as a package index on this machine, install from it, and run the README.

The index is the one of PEP 503: a page a project with links to its files. Other packages come from
wherever pip is set up to find them.
"""

import functools
import http.server
import re
import subprocess
import sys
import tempfile
import threading
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROJECTS = ("kernelwise", "kernelwise-papers")


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """Serves files without a line for each: pip asks for every package here first."""

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def main() -> None:
    """Install both distributions by name into a fresh environment and use them."""
    [version] = re.findall(
        r'(?m)^__version__ = "([^"]+)"$', (ROOT / "src/kernelwise/__init__.py").read_text()
    )
    with tempfile.TemporaryDirectory() as folder:
        index = write_index(Path(folder) / "index")
        handler = functools.partial(QuietHandler, directory=str(index))
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            address = f"http://127.0.0.1:{server.server_port}/simple/"
            use(Path(folder) / "fresh", address, version)
            server.shutdown()
    print(f"dry run of {version}: ok")


def write_index(folder: Path) -> Path:
    """Return a folder with a page for every project and its files beside it."""
    for project in PROJECTS:
        page = folder / "simple" / project
        page.mkdir(parents=True)
        files = sorted((ROOT / "dist").glob(f"{project.replace('-', '_')}-[0-9]*"))
        assert len(files) == 2, f"dist/ must have one wheel and one source archive of {project}"
        for path in files:
            (page / path.name).write_bytes(path.read_bytes())
        links = "".join(f'<a href="{path.name}">{path.name}</a><br>' for path in files)
        (page / "index.html").write_text(f"<!doctype html><title>{project}</title>{links}")
    return folder


def use(folder: Path, address: str, version: str) -> None:
    """Install from the index, say where the files came from, and run what a user would."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    wanted = [f"kernelwise[all]=={version}", f"kernelwise-papers=={version}", "pytest"]
    done = subprocess.run(
        [python, "-m", "pip", "install", "--extra-index-url", address, *wanted],
        check=True,
        capture_output=True,
        text=True,
    )
    taken = re.findall(rf"{re.escape(address)}\S*?([^/\s]+\.whl)", done.stdout)
    assert len(set(taken)) == 2, f"not from the local index: {done.stdout[-2000:]}"
    print("from the local index:", *sorted(set(taken)))
    (folder / "README.md").write_bytes((ROOT / "README.md").read_bytes())
    run = functools.partial(subprocess.run, check=True, cwd=folder)
    run([python, "-m", "pytest", "-q", "--doctest-glob=*.md", "README.md"])
    run([folder / "bin" / "kernelwise", "reproduce", "--list"], stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    sys.exit(main())
