"""
Graphs: a kernel given as a matrix
==================================

Tell random graphs from clustered ones by Weisfeiler-Lehman kernels of several depths.
"""

import matplotlib.pyplot as plt
import numpy as np

import kernelwise as kw

GRAPHS = 120

# %%
# Both kinds of graphs have 20 nodes and about 40 edges. Those of the second kind fall into two
# parts with most edges within.

rng = np.random.default_rng(0)


def graph(is_clustered):
    """Return the adjacency matrix of a random graph."""
    part = np.arange(20) % 2
    within, across = (0.36, 0.06) if is_clustered else (0.21, 0.21)
    chance = np.where(part[:, None] == part, within, across)
    A = np.triu(rng.random((20, 20)) < chance, 1).astype(int)
    return A + A.T


kinds = np.arange(GRAPHS) % 2
graphs = [graph(kind == 1) for kind in kinds]

# %%
# Every round of the refinement names a node after itself and its neighbours. The kernel of a depth
# counts the names that two graphs share. A second kernel knows closed walks of every length, the
# sums of powers of the eigenvalues, which say more about clusters.


def refined(A, rounds):
    """Return the names of the nodes."""
    names = [str(min(degree, 4)) for degree in A.sum(axis=1)]
    for _ in range(rounds):
        names = [
            f"{own}({' '.join(sorted(names[j] for j in np.flatnonzero(row)))})"
            for own, row in zip(names, A, strict=True)
        ]
    return names


def shared_names(rounds):
    """Return the Weisfeiler-Lehman kernel matrix."""
    every = [refined(A, rounds) for A in graphs]
    known = {name: i for i, name in enumerate(sorted({n for names in every for n in names}))}
    counts = np.zeros((len(graphs), len(known)))
    for row, names in enumerate(every):
        np.add.at(counts[row], [known[n] for n in names], 1.0)
    counts /= np.linalg.norm(counts, axis=1, keepdims=True)
    return counts @ counts.T


spectra = np.array([np.sort(np.linalg.eigvalsh(A)) for A in graphs])
matrices = {f"names, {rounds} rounds": shared_names(rounds) for rounds in range(4)}
matrices["eigenvalues"] = kw.Gaussian(8.0)(spectra)
result = kw.score_matrices(matrices, kinds, ["sm", kw.criteria.ELOO("error")], ridge=0.3)
print("leave-one-out prefers", result.best("eloo").name)

# %%
# A selector chooses the ridge of the best matrix and fits the machine. It predicts new graphs from
# a matrix with a row for every new graph and a column for every old one.

best = matrices[result.best("eloo").name]
selector = kw.KernelSelector(kernels=kw.Precomputed()).fit(best, kinds)
print("error of the fitted machine:", selector.error_)

figure, ax = plt.subplots(figsize=(7, 3), layout="constrained")
ax.barh(list(matrices), 100 * np.asarray(result.table["eloo"]))
ax.set_xlabel("leave-one-out error in %")
plt.show()
