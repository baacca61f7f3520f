"""Run fuzz cases: ``python tests/fuzz/run.py [NAME ...]``.

    run.py                          10,000 cases over all areas
    run.py --cases 500 --first 9000 500 cases with seeds from 9000 on
    run.py machines kernels         only these areas
    run.py machines:1234            one case, with its calls and its traceback

Cases run in processes of their own, a few hundred each. A case that hangs is killed with its
process; the next process goes on behind it.
"""

import argparse
import json
import os
import resource
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

from fuzz.areas import AREAS  # noqa: E402
from fuzz.cases import SECONDS, Failure, run_case  # noqa: E402

CHUNK = 250  # cases of one process
MEMORY = 8 * 2**30  # bytes that a process may address


def names(areas: list[str], cases: int, first: int) -> list[str]:
    """Return the names of cases, each area with its share, mixed."""
    total = sum(AREAS[area][1] for area in areas)
    counts = {area: round(cases * AREAS[area][1] / total) for area in areas}
    named = [
        ((seed + 0.5) / count, f"{area}:{first + seed}")
        for area, count in counts.items()
        for seed in range(count)
    ]
    return [name for _, name in sorted(named)]


def run_here(name: str) -> Failure | None:
    """Run a case in this process."""
    return run_case(AREAS[name.split(":")[0]][0], name)


def work(journal: Path, chunk: list[str]) -> None:
    """Run cases and write a line for each; the kernel ends this process if one hangs."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    with journal.open("a") as lines:
        for name in chunk:
            used = int(time.process_time()) + 2 * SECONDS
            resource.setrlimit(resource.RLIMIT_CPU, (used, resource.RLIM_INFINITY))
            failure = run_here(name)
            record = failure and [failure.name, failure.what, failure.where, failure.details]
            lines.write(json.dumps([name, record]) + "\n")
            lines.flush()


def run_chunk(chunk: list[str]) -> Iterator[Failure | None]:
    """Run cases in processes of their own, one after another as long as cases kill them."""
    while chunk:
        with tempfile.TemporaryDirectory() as folder:
            journal = Path(folder) / "journal"
            journal.touch()
            command = [sys.executable, __file__, "--journal", str(journal), *chunk]
            try:
                ended = subprocess.run(command, capture_output=True, text=True, timeout=3600)
                status, said = str(ended.returncode), ended.stderr[-2000:]
            except subprocess.TimeoutExpired:
                status, said = "an hour of waiting", ""
            done = [json.loads(line) for line in journal.read_text().splitlines()]
        yield from (record and Failure(*record) for _, record in done)
        chunk = chunk[len(done) :]
        if chunk:
            yield Failure(chunk[0], f"ends the process (status {status})", "?", said)
            chunk = chunk[1:]


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
    """Return the number of failures, at most 1."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="AREA[:SEED]")
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--details", help="write calls and tracebacks of failures to this file")
    parser.add_argument("--journal", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    single = [name for name in args.names if ":" in name]
    if args.journal is not None:
        work(args.journal, single)
        return 0
    if single:
        failures = [failure for name in single if (failure := run_here(name)) is not None]
        for failure in failures:
            print(f"{failure}\n{failure.details}")
        print(f"{len(single)} cases, {len(failures)} failures")
        return int(bool(failures))
    failures = run_all(names(args.names or list(AREAS), args.cases, args.first), args.jobs)
    if args.details:
        Path(args.details).write_text("\n\n".join(f"{f}\n{f.details}" for f in failures))
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())
