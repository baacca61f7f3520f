"""The matrix: every supported Python, oldest and newest dependencies, and what is distributed.

``make matrix`` runs all sessions, ``make matrix SESSIONS="tests-3.12 wheel"`` some of them. uv
makes the environments; the interpreters are those it finds (pyenv's included) or can fetch.
"""

import os
import shutil
from pathlib import Path

import nox

nox.needs_version = ">=2024.10"
nox.options.default_venv_backend = "uv"
nox.options.error_on_missing_interpreters = True
nox.options.sessions = ["tests", "oldest", "core", "wheel"]
nox.options.reuse_existing_virtualenvs = True

PYTHONS = ["3.11", "3.12", "3.13"]
PYTEST = ["python", "-m", "pytest", "--numprocesses", "auto", "--dist", "worksteal", "--quiet"]
ROOT = Path(__file__).parent


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """Run the whole suite with the newest dependencies."""
    session.install("--upgrade", "-e", ".[test]", "-e", "./papers")
    session.run(*PYTEST, *session.posargs)


@nox.session(python=PYTHONS[0])
def oldest(session: nox.Session) -> None:
    """Run the whole suite with the oldest dependencies that pyproject.toml allows."""
    session.install("--resolution", "lowest-direct", "-e", ".[test]", "-e", "./papers")
    session.run(*PYTEST, *session.posargs)


@nox.session(python=PYTHONS)
def core(session: nox.Session) -> None:
    """Use the library alone, without any extra."""
    session.install(".")
    session.run("python", "tools/core.py")


@nox.session(python=PYTHONS[-1])
def wheel(session: nox.Session) -> None:
    """Build, check, install the wheel into a fresh environment and run the README from it."""
    out = Path(session.create_tmp()).resolve() / "dist"
    shutil.rmtree(out, ignore_errors=True)
    session.install("build", "twine")
    for folder in (".", "papers"):
        session.run("python", "-m", "build", "--installer", "uv", "--outdir", str(out), folder)
    files = [str(path) for path in sorted(out.iterdir())]
    session.run("twine", "check", "--strict", *files)
    [library] = out.glob("kernelwise-*.whl")
    [papers] = out.glob("kernelwise_papers-*.whl")
    session.install(f"kernelwise[all] @ {library.as_uri()}", str(papers), "pytest")
    session.chdir(session.create_tmp())
    shutil.copy(ROOT / "README.md", "README.md")
    readme = ["--quiet", "-c", os.devnull, "--doctest-glob=*.md", "README.md"]
    session.run("python", "-m", "pytest", *readme)
    session.run("python", ROOT / "examples" / "demo.py", "demo")
    session.run("kernelwise", "reproduce", "--list")


@nox.session(python=PYTHONS[-1])
def nightly(session: nox.Session) -> None:
    """Run the suite with scikit-learn's nightly build, from the index that NIGHTLY_INDEX names."""
    index = os.environ.get("NIGHTLY_INDEX")
    if not index:
        session.skip("set NIGHTLY_INDEX to the address of an index with nightly builds")
    session.install("-e", ".[test]", "-e", "./papers")
    session.install("--upgrade", "--pre", "--index", index, "scikit-learn")
    session.run(*PYTEST, *session.posargs)
