"""
A start for a Gaussian process
==============================

Give the optimiser of a Gaussian process the chosen width and ridge in place of random restarts.
"""

from time import process_time

import matplotlib.pyplot as plt
import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor, kernels

import kernelwise as kw

ROWS = 150
RESTARTS = 10

rng = np.random.default_rng(3)
X = np.sort(rng.uniform(0, 10, size=(ROWS, 1)), axis=0)
y = np.sin(3 * X[:, 0]) + 0.5 * X[:, 0] + 0.3 * rng.normal(size=ROWS)
y -= y.mean()

# %%
# tau of kernelwise is the square of the length scale, and the ridge is the variance of the noise
# over that of the function.

chosen = kw.KernelSelector(task="regression").fit(X, y)
amplitude = kernels.ConstantKernel(np.var(y))
given = (
    kernels.RBF(np.sqrt(chosen.best_kernel_.tau)),
    kernels.WhiteKernel(chosen.best_ridge_ * np.var(y)),
)
plain = kernels.RBF(1.0), kernels.WhiteKernel(1.0)
processes = {
    "from the default": GaussianProcessRegressor(amplitude * plain[0] + plain[1]),
    f"{RESTARTS} restarts": GaussianProcessRegressor(
        amplitude * plain[0] + plain[1], n_restarts_optimizer=RESTARTS, random_state=0
    ),
    "from kernelwise": GaussianProcessRegressor(amplitude * given[0] + given[1]),
}
for name, process in processes.items():
    start = process_time()
    process.fit(X, y)
    likelihood = process.log_marginal_likelihood_value_
    print(f"{name:17} log likelihood {likelihood:.1f}, {process_time() - start:.2f} s")

# %%
# The process that began at the choice:

grid = np.linspace(0, 10, 400)[:, None]
mean, deviation = processes["from kernelwise"].predict(grid, return_std=True)
figure, ax = plt.subplots(figsize=(8, 3.4), layout="constrained")
ax.plot(X[:, 0], y, ".", color="0.5")
ax.plot(grid[:, 0], mean)
ax.fill_between(grid[:, 0], mean - 2 * deviation, mean + 2 * deviation, alpha=0.2)
ax.set(xlabel="x", ylabel="y", title=str(processes["from kernelwise"].kernel_))
plt.show()
