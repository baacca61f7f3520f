"""Run fuzz cases: ``python tests/fuzz/run.py [NAME ...]``.

    run.py                            10,000 cases over all areas
    run.py --cases 500 --first 9000   500 cases, with seeds from 9000 on
    run.py machines kernels           only these areas
    run.py machines:1234              one case, with its calls and its traceback

Cases run in processes of their own, a few hundred each. A case that crashes or hangs ends its
process; the next process goes on behind it.
"""

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("KERNELWISE_DOWNLOAD", "no")
sys.path[0] = str(Path(__file__).resolve().parents[1])  # the folder of the tests

from fuzz.areas import AREAS, names, run  # noqa: E402
from fuzz.cases import SECONDS, Failure  # noqa: E402

CHUNK = 200  # cases of one process
MEMORY = 8 * 2**30  # bytes that a process may address
PATIENCE = 600  # seconds by the clock, for a case that waits without working


def work(journal: Path, chunk: list[str]) -> None:
    """Run cases and write a line for each; the system ends this process if one hangs."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    with journal.open("a") as lines:
        for name in chunk:
            # A case is interrupted after SECONDS; where that does not help this does.
            limit = int(time.process_time()) + 2 * SECONDS
            resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
            signal.alarm(PATIENCE)
            failure = run(name)
            lines.write(json.dumps([name, failure]) + "\n")
            lines.flush()


def run_chunk(chunk: list[str]) -> Iterator[Failure | None]:
    """Run cases in processes of their own, one after another as long as cases end them."""
    while chunk:
        with tempfile.TemporaryDirectory() as folder:
            journal = Path(folder) / "journal"
            journal.touch()
            command = [sys.executable, __file__, "--journal", str(journal), *chunk]
            ended = subprocess.run(command, capture_output=True, text=True, check=False)
            done = [json.loads(line)[1] for line in journal.read_text().splitlines()]
        yield from (None if failure is None else Failure(*failure) for failure in done)
        rest = chunk[len(done) :]
        if rest:
            what = f"ends the process with status {ended.returncode}"
            yield Failure(rest[0], what, "?", ended.stderr[-2000:])
        chunk = rest[1:]


def run_all(cases: list[str], jobs: int) -> list[Failure]:
    """Run cases in several processes and return the failures, reported as they come."""
    chunks = [cases[i : i + CHUNK] for i in range(0, len(cases), CHUNK)]
    failures, done = [], 0
    with ThreadPoolExecutor(jobs) as pool:
        for outcome in pool.map(lambda chunk: list(run_chunk(chunk)), chunks):
            found = [failure for failure in outcome if failure is not None]
            failures += found
            done += len(outcome)
            for failure in found:
                print(failure, flush=True)
            print(f"{done} of {len(cases)} cases, {len(failures)} failures", flush=True)
    return failures


def main() -> int:
    """Return 1 where a case fails, else 0."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="AREA[:SEED]")
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--jobs", type=int, default=2, help="processes at once")
    parser.add_argument("--details", type=Path, help="write calls and tracebacks to this file")
    parser.add_argument("--journal", type=Path, help=argparse.SUPPRESS)  # of a process for cases
    args = parser.parse_args()
    if args.journal is not None:
        work(args.journal, args.names)
        return 0
    single = [name for name in args.names if ":" in name]
    if single:
        failures = [failure for name in single if (failure := run(name)) is not None]
        print("\n".join(f"{failure}\n{failure.details}" for failure in failures))
        print(f"{len(single)} cases, {len(failures)} failures")
        return int(bool(failures))
    by_area = names(args.names or list(AREAS), args.cases, args.first)
    failures = run_all([name for area in by_area for name in area], args.jobs)
    if args.details is not None:
        args.details.write_text("\n\n".join(f"{f}\n{f.details}" for f in failures))
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())
