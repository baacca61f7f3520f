"""
Strings: how long should the substrings be?
===========================================

Choose the length of the substrings that a string kernel counts.
"""

import matplotlib.pyplot as plt
import numpy as np

import kernelwise as kw

# %%
# Half of the sequences have a motif of seven letters at a random place, with one letter in ten
# changed.

rng = np.random.default_rng(0)
letters = np.array(list("acgt"))


def sequence(has_motif):
    """Return forty random letters, with the motif or without."""
    text = rng.choice(letters, 40)
    if has_motif:
        start = rng.integers(0, 33)
        motif = np.where(rng.random(7) < 0.1, rng.choice(letters, 7), list("gattaca"))
        text[start : start + 7] = motif
    return "".join(text)


labels = np.arange(160) % 2
texts = [sequence(label == 1) for label in labels]

# %%
# The spectrum kernel of length p counts the substrings of p letters that two sequences share,
# divided by the norms of the counts.


def spectrum_kernel(texts, p):
    """Return the matrix of all pairs."""
    parts = [[t[i : i + p] for i in range(len(t) - p + 1)] for t in texts]
    known = {part: i for i, part in enumerate(sorted({s for t in parts for s in t}))}
    counts = np.zeros((len(texts), len(known)))
    for row, found in enumerate(parts):
        np.add.at(counts[row], [known[s] for s in found], 1.0)
    counts /= np.linalg.norm(counts, axis=1, keepdims=True)
    return counts @ counts.T


lengths = range(1, 8)
matrices = {f"p = {p}": spectrum_kernel(texts, p) for p in lengths}
result = kw.score_matrices(matrices, labels, ["ckta", kw.criteria.ELOO("error")], ridge=1.0)
best = result.best("eloo")
print("leave-one-out prefers", best.name)

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
left.plot(lengths, 100 * np.asarray(result.table["eloo"]), "o-")
left.set(xlabel="length of the substrings", ylabel="leave-one-out error in %")
by_class = np.argsort(labels, kind="stable")
image = right.imshow(matrices[best.name][np.ix_(by_class, by_class)] - np.eye(160))
right.set(xlabel="sequences by class", ylabel="sequences by class")
figure.colorbar(image, label="kernel value")
plt.show()
