"""
A Dask cluster
==============

Let the workers of a cluster sweep over the kernel matrices: the same numbers, more hands.
"""

from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np
from distributed import Client, LocalCluster

import kernelwise as kw

ROWS = 20_000
PROCESSES = True  # False: the workers are threads of this process

# %%
# The cluster of this script is two processes on this machine. For a real one, give ``Client`` the
# address of its scheduler; nothing else changes. Each worker gets one thread, since the sweep is
# cut into tasks. On one machine a cluster is no faster than threads; it pays where there are more
# machines, or where the rows do not fit on one. A first call on few rows lets the workers import
# what they need, and is not timed.


def main():
    """Score kernels here and on the cluster, and draw both."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, 6))
    y = (np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=ROWS) > 0).astype(int)
    widths = kw.grids.gaussian(-4, 8)
    found, seconds = {}, {}
    with (
        LocalCluster(
            2,
            threads_per_worker=1,
            processes=PROCESSES,
            dashboard_address=None,
            silence_logs="ERROR",
        ) as cluster,
        Client(cluster) as client,
    ):
        for name, engine in {"here": "tiled", "cluster": kw.gram.Distributed(client)}.items():
            kw.score_kernels(X[:2000], y[:2000], widths, ["sm", "ckta"], engine=engine)
            start = perf_counter()
            found[name] = kw.score_kernels(X, y, widths, ["sm", "ckta"], engine=engine)
            seconds[name] = perf_counter() - start
            print(f"{name:8} {found[name].best('sm')}, {seconds[name]:.1f} s")
    here, there = (found[name].table["sm"] for name in ("here", "cluster"))
    print(f"largest relative difference: {np.max(np.abs(here / there - 1)):.1e}")

    # The curves lie on each other.
    _, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
    exponents = [np.log2(kernel.tau) for kernel in widths]
    ax.plot(exponents, here, "o-", label=f"threads, {seconds['here']:.1f} s")
    ax.plot(exponents, there, "x--", label=f"cluster, {seconds['cluster']:.1f} s")
    ax.set(xlabel="log2 tau", ylabel="spectral measure")
    ax.legend()
    plt.show()


if __name__ == "__main__":
    main()
