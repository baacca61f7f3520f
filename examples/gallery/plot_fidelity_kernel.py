"""
Quantum states: the fidelity kernel
===================================

A simulated quantum kernel, its bandwidth, and an ordinary Gaussian kernel beside it.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons
from sklearn.preprocessing import MinMaxScaler

import kernelwise as kw

ROWS = 200

# %%
# Two features become the phases of two qubits, twice, with Hadamard gates in between (the ZZ
# feature map). The kernel is the fidelity of two states. A factor on the angles is its bandwidth:
# what a width is to a Gaussian.

X, y = make_moons(ROWS, noise=0.2, random_state=0)
X = MinMaxScaler((0, np.pi)).fit_transform(X)
signs = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
hadamard = np.kron(*[np.array([[1, 1], [1, -1]]) / np.sqrt(2)] * 2)


def states(X, bandwidth):
    """Return the four amplitudes of every row."""
    angles = bandwidth * X
    both = np.outer((np.pi - angles).prod(axis=1), signs.prod(axis=1))
    phases = np.exp(1j * (angles @ signs.T + both))
    return phases * (0.5 * phases @ hadamard.T)


def fidelity(X, bandwidth):
    """Return the kernel matrix."""
    found = states(X, bandwidth)
    return np.abs(found @ found.conj().T) ** 2


bandwidths = 2.0 ** np.arange(-5, 3)
widths = kw.grids.gaussian(-5, 4)
matrices = {f"fidelity {b}": fidelity(X, b) for b in bandwidths}
matrices |= {str(kernel): kernel(X) for kernel in widths}
result = kw.score_matrices(matrices, y, ["sm", kw.criteria.ELOO("error")], ridge=0.1)
wrong = 100 * np.asarray(result.table["eloo"])
print("leave-one-out prefers", result.best("eloo").name)

# %%
# Quantum or not, the bandwidth decides, and the criteria find it without a quantum computer: one
# matrix per bandwidth is enough.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained", sharey=True)
left.plot(np.log2(bandwidths), wrong[: len(bandwidths)], "o-")
left.set(title="fidelity", xlabel="log2 bandwidth", ylabel="leave-one-out error in %")
right.plot([np.log2(kernel.tau) for kernel in widths], wrong[len(bandwidths) :], "o-", color="C1")
right.set(title="Gaussian", xlabel="log2 tau")
plt.show()
