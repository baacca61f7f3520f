"""Kill a random worker, or the client, at a random moment, then go on: is the table the same?

    .venv/bin/python benchmarks/kills.py worker --times 25 --seed 0
    .venv/bin/python benchmarks/kills.py worker --times 25 --seed 1  # added to the counts
    .venv/bin/python benchmarks/kills.py client --times 25 --seed 0

The choice is that of a selector among 31 widths on 2,000 rows, its sweeps by two workers, with a
journal. Where a worker is killed the run must end as if nothing had happened; where the client is,
the same run is started again on its journal. Counted: runs whose table is not, bit by bit, that of
the run that nobody disturbed, and pieces that were computed though the journal had them.
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

from distributed import Client, LocalCluster

HERE = pathlib.Path(__file__).parent
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


def ended(process: subprocess.Popen) -> dict:
    text = process.communicate()[0]
    return json.loads(text) if process.returncode == 0 else {"status": process.returncode}


def pieces(journal: pathlib.Path) -> int:
    from kernelwise.selection.journal import Journal

    return len(Journal(journal)) if journal.exists() else 0


def disturbed(
    who: str, client: Client, journal: pathlib.Path, after: float
) -> tuple[dict, int, bool]:
    """Return how a run ended, the pieces that it was to find, and whether it was hit."""
    process = start(client.scheduler.address, journal)
    time.sleep(after)
    if who == "worker":
        workers = list(client.run(os.getpid).values())
        is_hit = process.poll() is None
        os.kill(random.choice(workers), signal.SIGKILL)
        return ended(process), 0, is_hit
    is_hit = process.poll() is None
    process.kill()
    process.communicate()
    kept = pieces(journal)
    return ended(start(client.scheduler.address, journal)), kept, is_hit


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("who", choices=["worker", "client"])
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=pathlib.Path, default=HERE / "kills.json")
    args = parser.parse_args()
    random.seed(args.seed)
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        place = pathlib.Path(folder)
        ended(start(client.scheduler.address, place / "first.kwj"))
        begun = time.perf_counter()
        whole = ended(start(client.scheduler.address, place / "whole.kwj"))
        seconds = 0.5 * (time.perf_counter() - begun)  # half of it is loading Python
        counts = dict.fromkeys(("runs", "hit", "failed", "other_table", "pieces_repeated"), 0)
        for i in range(args.times):
            after = random.uniform(0.0, 1.2 * seconds)
            found, kept, is_hit = disturbed(args.who, client, place / f"{i}.kwj", after)
            counts["runs"] += 1
            counts["hit"] += is_hit
            counts["failed"] += "status" in found
            same = [found.get(name) == whole[name] for name in ("bits", "chosen")]
            counts["other_table"] += not all(same)
            counts["pieces_repeated"] += abs(found.get("found", 0) - kept) if kept else 0
            counts["pieces_repeated"] += max(0, found.get("added", 0) + kept - whole["added"])
            print(i, round(after, 2), is_hit, found, kept, flush=True)
    report = json.loads(args.out.read_text()) if args.out.exists() else {}
    before = report.get(args.who, {})  # with another seed: more of the same
    counts = {name: count + before.get(name, 0) for name, count in counts.items()}
    report[args.who] = counts | {"pieces": whole["added"]}
    args.out.write_text(json.dumps(report, indent=1) + "\n")
    print(report[args.who])


if __name__ == "__main__":
    main()
