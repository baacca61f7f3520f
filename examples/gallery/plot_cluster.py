"""
A Dask array
============

Choose a kernel for rows that stay on the workers of a cluster, and fit the machine to all of them.
"""

import dask.array as da
import matplotlib.pyplot as plt
import numpy as np
from distributed import Client, LocalCluster

import kernelwise as kw

ROWS = 200_000
PROCESSES = True  # False: the workers are threads of this process

# %%
# The cluster of this script is two processes on this machine. For a real one, give ``Client`` the
# address of its scheduler; nothing else changes. The kernel is chosen on a sample of the rows. Sums
# over all rows, to which every worker adds its own, are what the machine on landmarks is made from.


def main():
    """Fit a Dask array, and compare predictions with the truth."""
    rng = da.random.default_rng(0)
    X = rng.normal(size=(ROWS, 3), chunks=(max(1, ROWS // 4), 3))
    truth = da.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2]
    y = truth + 0.5 * rng.normal(size=ROWS, chunks=X.chunks[0])
    with (
        LocalCluster(
            2,
            threads_per_worker=1,
            processes=PROCESSES,
            dashboard_address=None,
            silence_logs="ERROR",
        ) as cluster,
        Client(cluster),
    ):
        selector = kw.KernelSelector(kernels=kw.grids.gaussian(-2, 4)).fit(X, y)
        print(selector.result_.notes["rows"])
        print(f"{selector.best_kernel_}: {selector.error_}")
        predicted = selector.predict(X)  # a Dask array: nothing is computed yet
        shown, values = (part[:500].compute() for part in (truth, predicted))

    _, ax = plt.subplots(figsize=(4, 3.6), layout="constrained")
    ax.plot(shown, values, ".", alpha=0.5)
    ax.plot(*[[np.min(shown), np.max(shown)]] * 2, "k-", linewidth=1)
    ax.set(xlabel="function without noise", ylabel="prediction")
    plt.show()


if __name__ == "__main__":
    main()
