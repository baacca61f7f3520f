"""
100,000 rows on a laptop
========================

Choose among kernels on as many rows as there are; nothing of the size of the matrix is stored.
"""

from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np

import kernelwise as kw

ROWS = 100_000

# %%
# The kernel matrix of these rows would take 80 GB. Beyond 8,000 rows the selector screens on
# samples, compares machines on thousands of landmarks by rows held out, and says so. Up to 16,384
# rows it may go on to a machine on all rows, which takes longer than landmarks of 100,000.

rng = np.random.default_rng(0)
X = rng.normal(size=(ROWS + 20_000, 8))  # the last 20,000 to test
score = np.sin(3 * X[:, 0]) * X[:, 1] + np.cos(2 * X[:, 2]) + 0.3 * rng.normal(size=len(X))
y = (score > 0.3).astype(int)
X_test, y_test = X[ROWS:], y[ROWS:]

sizes = [ROWS // 50, ROWS // 10, ROWS]
seconds, wrong = [], []
for size in sizes:
    start = perf_counter()
    selector = kw.KernelSelector(time=20, random_state=0).fit(X[:size], y[:size])
    seconds.append(perf_counter() - start)
    wrong.append(100 * (1 - selector.score(X_test, y_test)))
    print(f"{size:7,} rows: {selector.best_kernel_}, {wrong[-1]:.1f} % wrong, {seconds[-1]:.0f} s")
    print("         said of itself:", selector.error_)

# %%
# Criteria of cost n² are exact for any number of rows, in one sweep over all widths.

start = perf_counter()
few = X[: ROWS // 5], y[: ROWS // 5]
result = kw.score_kernels(*few, kw.grids.gaussian(-4, 8), ["sm", "ckta"])
print(f"{len(few[0]):,} rows, {len(result)} kernels, exactly: {perf_counter() - start:.0f} s")

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
left.loglog(sizes, seconds, "o-")
left.set(xlabel="rows", ylabel="seconds")
right.semilogx(sizes, wrong, "o-")
right.set(xlabel="rows", ylabel="error on new rows in %")
plt.show()
