"""Which tests could notice a change of a line, and whether one of them does.

Tests run in children of a process that has the slow imports, on a copy of the sources in
``build/mutants``. There every statement is one line (:func:`ast.unparse`), so that the lines which
a test runs, recorded once, are the statements that it runs.
"""

import ast
import compileall
import fcntl
import hashlib
import importlib
import json
import os
import resource
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "kernelwise"
TESTS = {
    "criteria": [
        "tests/criteria",
        "tests/contracts",
        "tests/selection/test_scoring.py",
        "tests/selection/test_weights.py",
    ],
    "machines": ["tests/machines", "tests/contracts", "tests/criteria"],
}
# No tracer sees compiled lines: who runs these functions may notice a change of them.
CALLERS = {"_smo.py": "svm.py", "_gradients.py": "relevance.py"}
OTHERS = (
    "_hypothesis_pytestplugin hypothesis.extra.numpy mpmath numba pandas scipy.linalg scipy.sparse "
    "sklearn.ensemble sklearn.gaussian_process sklearn.svm sklearn.utils.estimator_checks"
).split()
LONGEST = 1800.0  # seconds, on the clock: whoever sleeps that long never wakes
PATIENCE = 5.0  # times the processor time that a test takes without a change, and 10 seconds
UNCHANGED = 1_000_000_000  # the time of files without a change: caches tell others by it


class Verdict(NamedTuple):
    """Whether a change is noticed, by what, and how many tests could."""

    killed: bool
    by: str
    tests: int


class Noticing:
    """The tests of a package of ours, and which lines of it each of them runs."""

    def __init__(self, package: str) -> None:
        self.package, self._folder = package, ROOT / "build" / "mutants" / package
        self._sources = self._folder / "src"
        self._folder.mkdir(parents=True, exist_ok=True)
        self._alone = open(self._folder / "lock", "w")  # until the process ends
        fcntl.flock(self._alone, fcntl.LOCK_EX | fcntl.LOCK_NB)  # two would mix their changes
        files = test_files(package)
        self.fingerprint = _digest([*shared_files(package), *files])
        known = self._folder / "lines.json"
        record = json.loads(known.read_text()) if known.exists() else {}
        if record.get("of") != _digest(shared_files(package)):
            self._lay_out()
            record = {"of": _digest(shared_files(package)), "files": {}, "seconds": {}, "lines": {}}
        self._restore()  # of a run that was killed
        warm_up(self._sources, package)
        self._update(record, {_name(path): _digest([path]) for path in files}, known)
        self._seconds: dict[str, float] = record["seconds"]
        self._lines: dict[str, dict[str, list[str]]] = record["lines"]

    def _update(self, record: dict[str, Any], files: dict[str, str], known: Path) -> None:
        """Run the tests of files that have changed; keep which lines each runs, for how long."""
        changed = [name for name, digest in files.items() if record["files"].get(name) != digest]
        kept = files.keys() - changed
        record["seconds"] = {t: s for t, s in record["seconds"].items() if _file(t) in kept}
        for lines in record["lines"].values():
            for line, tests in lines.items():
                lines[line] = [test for test in tests if _file(test) in kept]
        record["files"] = files
        if changed:
            found = self._run_all(changed)
            record["seconds"] |= found["seconds"]
            for name, lines in found["lines"].items():
                before = record["lines"].setdefault(name, {})
                for line, tests in lines.items():
                    before[line] = before.get(line, []) + tests
            known.write_text(json.dumps(record))

    def _lay_out(self) -> None:
        """Copy the sources; of the package, without comments and one statement a line."""
        if self._sources.exists():
            shutil.rmtree(self._sources)
        shutil.copytree(ROOT / "src", self._sources)
        self._restore()
        compileall.compile_dir(self._sources, quiet=2)

    def _restore(self) -> None:
        """Let no module of the package have a change."""
        for path in (SOURCE / self.package).glob("*.py"):
            copied, text = self._sources / "kernelwise" / self.package / path.name, unparsed(path)
            if copied.read_text() != text:
                copied.write_text(text)
                os.utime(copied, (UNCHANGED, UNCHANGED))

    def _run_all(self, files: list[str]) -> Any:
        """Return what is recorded of the tests of some files."""
        told = self._folder / "told"

        def work() -> int:
            recorder = Recorder(self._sources / "kernelwise" / self.package)
            status = recorder.run(files)
            told.write_text(json.dumps(recorder.found()))
            return status

        assert _forked(self._sources, work) == 0, "the tests fail without a change"
        return json.loads(told.read_text())

    def try_change(self, name: str, text: str, line: int | None) -> Verdict:
        """Return whether a test notices another text of a module.

        Those that run the line are asked, the quickest first; of a line of the module or of a
        class, all that run anything of the package.
        """
        chosen = self._that_run(name, line)
        if not chosen:
            return Verdict(False, "no test runs the line", 0)
        path = self._sources / "kernelwise" / self.package / name
        told = self._folder / "told"
        told.write_text("")
        path.write_text(text)
        try:
            seconds = {test: self._seconds[test] for test in chosen}
            status = _forked(self._sources, lambda: Chosen(seconds, told).run())
        finally:
            self._restore()
        return Verdict(*_meaning(status, told.read_text()), len(chosen))

    def _that_run(self, name: str, line: int | None) -> list[str]:
        """Return the tests that run a line, or anything of the package for a line of no function.

        Of a compiled line, those that run anything of the module that calls it.
        """
        if line is None:
            return _distinct(
                t for lines in self._lines.values() for ts in lines.values() for t in ts
            )
        if name in CALLERS:
            return _distinct(test for ts in self._lines[CALLERS[name]].values() for test in ts)
        return self._lines.get(name, {}).get(str(line), [])


class Quick:
    """Lets hypothesis be content with a failure: it need not find the simplest."""

    def pytest_sessionstart(self) -> None:
        """Change the settings of ``tests/conftest.py`` before tests take them."""
        from hypothesis import Phase, settings

        phases = (Phase.explicit, Phase.generate)
        settings.register_profile("quick", settings.get_profile("default"), phases=phases)
        settings.load_profile("quick")


class Recorder(Quick):
    """Notes which lines of a package every test runs, and how long the test takes."""

    def __init__(self, package: Path) -> None:
        import coverage

        self._package, self._seconds = package, {}
        self._coverage = coverage.Coverage(
            data_file=None, source=[str(package)], config_file=False, messages=False
        )

    def run(self, tests: list[str]) -> int:
        """Run tests under the tracer."""
        self._coverage.start()
        status = _pytest(tests, self)
        self._coverage.stop()
        return status

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Leave out a cluster, whose processes import the sources without the change."""
        items[:] = [item for item in items if "cluster" not in getattr(item, "fixturenames", ())]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Any:
        """Give the lines that run from here on to a test."""
        start = time.process_time()
        self._coverage.switch_context(item.nodeid)
        done = yield
        self._coverage.switch_context("")
        self._seconds[item.nodeid] = round(time.process_time() - start, 3)
        return done

    def found(self) -> dict[str, Any]:
        """Return the time of every test, and the tests of every line; imports are nobody's."""
        data, lines = self._coverage.get_data(), {}
        for path in data.measured_files():
            of_file = data.contexts_by_lineno(path).items()
            lines[Path(path).name] = {n: [t for t in tests if t] for n, tests in of_file}
        return {"seconds": self._seconds, "lines": lines}


class Chosen(Quick):
    """Runs some tests, the quickest first, until one fails or takes far too long."""

    def __init__(self, seconds: dict[str, float], told: Path) -> None:
        self._seconds, self._told = seconds, told

    def run(self) -> int:
        """Run them, from their files alone."""
        _limit(120.0)  # imports
        return _pytest(_distinct(map(_file, self._seconds)), self)

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Keep those chosen."""
        kept = [item for item in items if item.nodeid in self._seconds]
        items[:] = sorted(kept, key=lambda item: self._seconds[item.nodeid])

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: Any) -> None:
        """Limit the processor time: a busy machine is slow, and no reason to give up."""
        self._told.write_text(f"the time of {item.nodeid}")
        _limit(10.0 + PATIENCE * self._seconds[item.nodeid])

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Tell who failed."""
        if report.failed:
            self._told.write_text(report.nodeid)


def unparsed(path: Path) -> str:
    """Return a module without comments, one statement a line."""
    return ast.unparse(ast.parse(path.read_text())) + "\n"


def test_files(package: str) -> list[Path]:
    """Return the files of the tests of a package."""
    found: list[Path] = []
    for tests in map(ROOT.joinpath, TESTS[package]):
        found += [tests] if tests.is_file() else sorted(tests.rglob("test_*.py"))
    return found


def shared_files(package: str) -> list[Path]:
    """Return the sources, and what tests share."""
    folders = (ROOT, ROOT / "tests", *map(ROOT.joinpath, TESTS[package]))
    shared = [path for folder in folders for path in sorted(folder.glob("*.py"))]
    return sorted(SOURCE.rglob("*.py")) + [p for p in shared if not p.name.startswith("test_")]


def _digest(paths: list[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        digest.update(_name(path).encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def _file(test: str) -> str:
    return test.partition("::")[0]


def _distinct(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _limit(seconds: float) -> None:
    """Let the process end itself after so much more processor time."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time() + seconds) + 1, hard))


def _pytest(tests: list[str], plugin: Any) -> int:
    options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    early = ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # of what warm_up imports
    return int(pytest.main([*options, *early, *tests], plugins=[plugin]))


def _meaning(status: int, told: str) -> tuple[bool, str]:
    """Return whether tests failed, and which, from the status of their process."""
    if os.WIFSIGNALED(status):
        return True, told if os.WTERMSIG(status) == signal.SIGXCPU else f"a crash in {told}"
    code = os.WEXITSTATUS(status)
    assert code in (0, 1, 2, 4), f"pytest ended with {code}"
    return code != 0, told if code == 1 else "" if code == 0 else "the import"


def _forked(sources: Path, work: Callable[[], int]) -> int:
    """Return the status of a child that does some work with these sources; it talks to a file."""
    child = os.fork()
    if child:
        return _waited(child)
    status = 3
    try:
        os.setpgid(0, 0)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        said = os.open(sources.parent / "said", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(said, 1)
        os.dup2(said, 2)
        os.chdir(ROOT)
        sys.path.insert(0, str(sources))
        sys.dont_write_bytecode = True
        status = work()
    finally:
        os._exit(status)


def _waited(child: int) -> int:
    """Return the status of a process; one that never ends is ended."""
    deadline = time.monotonic() + LONGEST
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status
        time.sleep(0.05)
    os.killpg(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1]


def warm_up(sources: Path, package: str) -> None:
    """Import what the tests need and no mutant changes: others' packages, and ours below its own.

    That takes longer than most tests.
    """
    for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ[name] = "1"
    sys.path.insert(0, str(sources))
    below = {"criteria": ("gram", "machines"), "machines": ("gram",)}[package]
    for name in (*OTHERS, *(f"kernelwise.{each}" for each in below)):
        importlib.import_module(name)
    loaded = sys.modules["kernelwise"].__file__ or ""
    assert Path(loaded).is_relative_to(sources)
    assert f"kernelwise.{package}" not in sys.modules
