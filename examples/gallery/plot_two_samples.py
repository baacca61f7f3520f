"""
Two samples: which kernel tells them apart?
===========================================

Choose the kernel of a two-sample test by the mean discrepancy on half of the rows.
"""

import matplotlib.pyplot as plt
import numpy as np

import kernelwise as kw

ROWS = 400
SHUFFLES = 300

# %%
# Two samples with the same mean and nearly the same variance: the second is rounded, with a little
# noise added, so that it differs at a small scale only. The test asks
# whether they come from one distribution. MD is the distance of the means of the two samples in the
# space of the kernel; on its own it grows with the scale of the kernel, so all kernels here have
# ones on the diagonal. The kernel is chosen on one half of the rows, the test made on the other.

rng = np.random.default_rng(1)
normal = rng.normal(size=(ROWS, 1))
rounded = np.round(rng.normal(size=(ROWS, 1)) / 0.7) * 0.7 + 0.1 * rng.normal(size=(ROWS, 1))
X = np.vstack([normal, rounded])
which = np.repeat([0, 1], ROWS)
half = rng.permutation(2 * ROWS) < ROWS

kernels = kw.grids.gaussian(-8, 8)
result = kw.score_kernels(X[half], which[half], kernels, ["md"])
chosen = result.best("md")
median = kw.Gaussian(0.5 * np.median((X - X.T)[np.triu_indices(2 * ROWS, 1)] ** 2))
print("MD prefers", chosen, "- the median distance gives", median)

# %%
# The test: how often do shuffled labels give a larger discrepancy?


def discrepancies(kernel):
    """Return MD of the true labels, and of shuffled ones."""
    K, labels = kernel(X[~half]), which[~half]
    found = []
    for shuffle in range(SHUFFLES + 1):
        s = labels if shuffle == 0 else rng.permutation(labels)
        weights = np.where(s == 1, 1 / (s == 1).sum(), -1 / (s == 0).sum())
        found.append(np.sqrt(max(weights @ K @ weights, 0.0)))
    return found[0], np.array(found[1:])


figure, axes = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
for ax, (name, kernel) in zip(
    axes, {"by MD": chosen, "by the median": median}.items(), strict=True
):
    value, shuffled = discrepancies(kernel)
    p = (1 + (shuffled >= value).sum()) / (1 + SHUFFLES)
    print(f"{name}: p = {p:.3f}")
    ax.hist(shuffled, bins=30, color="0.7")
    ax.axvline(value, color="C3")
    ax.set(title=f"width {name}: p = {p:.3f}", xlabel="mean discrepancy")
plt.show()
