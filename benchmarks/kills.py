"""Kill a random worker, or the client, at a random moment, then go on: is the table the same?

    .venv/bin/python benchmarks/kills.py          # 50 hits of each; started again, it goes on
    .venv/bin/python benchmarks/kills.py worker --times 2 --out /tmp/kills.json

The choice is that of a selector among 31 widths on 2,000 rows, its sweeps by two workers, with a
journal. Where a worker is killed the run must end as if nothing had happened; where the client is,
the same run is started again on its journal. A run that had ended by then is not hit, and another
one is made. Counted: runs whose table is not, bit by bit, that of the run that nobody disturbed,
and pieces that were computed though the journal had them. Every run is written as soon as it is
over.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import json
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
from typing import Any

from distributed import Client, LocalCluster

from kernelwise._files import replacing

HERE = pathlib.Path(__file__).parent
COUNTED = ("hit", "failed", "other_table", "pieces_repeated")
RUN = """
import sys, json, hashlib, numpy as np, kernelwise as kw
from kernelwise.selection.journal import Journal
rng = np.random.default_rng(0)
X = rng.normal(size=(2000, 4))
y = (X[:, 0] ** 2 + X[:, 1] + 0.3 * rng.normal(size=2000) > 1.0).astype(int)
journal = Journal(sys.argv[2])
print("begin", flush=True)
engine = kw.gram.Distributed(sys.argv[1], kw.gram.Tiled(tile=96))
fitted = kw.KernelSelector(kernels=kw.grids.gaussian(), engine=engine, journal=journal).fit(X, y)
table = fitted.result_.table
bits = hashlib.sha256(b"".join(values.tobytes() for values in table.values())).hexdigest()
chosen = str(fitted.best_kernel_), fitted.best_ridge_, str(fitted.error_)
print(json.dumps({"bits": bits, "chosen": chosen, "added": journal.added, "found": journal.found}))
"""


def start(address: str, journal: pathlib.Path) -> subprocess.Popen:
    command = [sys.executable, "-W", "ignore", "-c", RUN, address, str(journal)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdout is not None and process.stdout.readline() == "begin\n"
    return process


def ended(process: subprocess.Popen) -> dict[str, Any]:
    text = process.communicate()[0]
    return json.loads(text) if process.returncode == 0 else {"status": process.returncode}


def pieces(journal: pathlib.Path) -> int:
    from kernelwise.selection.journal import Journal

    return len(Journal(journal)) if journal.exists() else 0


def disturbed(
    who: str, client: Client, journal: pathlib.Path, after: float
) -> tuple[dict[str, Any], int, bool]:
    """Return how a run ended, the pieces that it was to find, and whether it was hit."""
    process = start(client.scheduler.address, journal)
    time.sleep(after)
    if who == "worker":
        workers = list(client.run(os.getpid, on_error="ignore").values())
        is_hit = process.poll() is None
        os.kill(random.choice(workers), signal.SIGKILL)
        return ended(process), 0, is_hit
    is_hit = process.poll() is None
    process.kill()
    process.communicate()
    kept = pieces(journal)
    return ended(start(client.scheduler.address, journal)), kept, is_hit


def judged(found: dict[str, Any], whole: dict[str, Any], kept: int, is_hit: bool) -> dict[str, Any]:
    """Return how a run that was disturbed differs from one that was not."""
    same = [found.get(name) == whole[name] for name in ("bits", "chosen")]
    repeated = abs(found.get("found", 0) - kept) if kept else 0
    repeated += max(0, found.get("added", 0) + kept - whole["added"])
    return {
        "hit": is_hit,
        "failed": "status" in found,
        "other_table": not all(same),
        "pieces_kept": kept,
        "pieces_repeated": repeated,
    }


def summary(who: str, runs: list[dict[str, Any]]) -> str:
    """Return how often what happened."""
    counts = {name: sum(run[name] for run in runs) for name in COUNTED}
    bad = counts["failed"] + counts["other_table"] + counts["pieces_repeated"]
    text = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in counts.items())
    return f"{'holds' if bad == 0 else 'MISSED'}: {who} killed {len(runs)} times: {text}"


def hits(runs: list[dict[str, Any]]) -> int:
    return sum(run["hit"] for run in runs)


def repeat(who: str, times: int, out: pathlib.Path) -> list[dict[str, Any]]:
    """Kill somebody until a run was hit so many times; return what became of all runs."""
    report = json.loads(out.read_text()) if out.exists() else {}
    if not isinstance(report.get(who), list):  # counts, as an earlier version wrote them
        report[who] = []
    runs = report[who]
    if hits(runs) >= times:
        return runs
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        place = pathlib.Path(folder)
        ended(start(client.scheduler.address, place / "first.kwj"))  # workers load the code
        process = start(client.scheduler.address, place / "whole.kwj")
        begun = time.perf_counter()
        whole = ended(process)
        seconds = time.perf_counter() - begun
        while hits(runs) < times:
            i = len(runs)
            random.seed(f"{who} {i}")
            after = random.uniform(0.0, seconds)
            found, kept, is_hit = disturbed(who, client, place / f"{i}.kwj", after)
            run = {"after": round(after, 2)} | judged(found, whole, kept, is_hit)
            runs.append(run)
            with replacing(out) as draft:
                draft.write_text(json.dumps(report, indent=1) + "\n")
            print(who, i, run, flush=True)
    return runs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("who", nargs="?", choices=["worker", "client", "both"], default="both")
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--out", type=pathlib.Path, default=HERE / "kills.json")
    args = parser.parse_args()
    asked = ["worker", "client"] if args.who == "both" else [args.who]
    told = [summary(who, repeat(who, args.times, args.out)) for who in asked]
    print("\n".join(told))


if __name__ == "__main__":
    main()
