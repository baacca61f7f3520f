"""
Find the relevant features
==========================

The gradient of a machine picks two features out of twelve.
"""

import matplotlib.pyplot as plt
import numpy as np

import kernelwise as kw

# %%
# The target depends on the features 2 and 7. A Gaussian kernel of one width for all features is
# disturbed by the other ten.

rng = np.random.default_rng(0)
X = rng.normal(size=(600, 12))
y = np.sin(2 * X[:, 2]) + 0.5 * X[:, 7] ** 2 + 0.1 * rng.normal(size=600)
X_train, y_train, X_test, y_test = X[:250], y[:250], X[250:], y[250:]
plain = kw.KernelSelector(task="regression").fit(X_train, y_train)

# %%
# :func:`kernelwise.relevance` is the mean squared derivative by every feature. Its root is a weight
# of the feature, with which the kernel is chosen again.

root = np.sqrt(kw.relevance(plain).values)
weights = root / root.mean()
candidates = [kw.Scaled(weights, k) for k in kw.grids.auto(X_train * weights)]
weighted = kw.KernelSelector(kernels=candidates, task="regression").fit(X_train, y_train)
print(f"R² of one width: {plain.score(X_test, y_test):.2f}")
print(f"R² of weights:   {weighted.score(X_test, y_test):.2f}")

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
for axes, machine in ((left, plain), (right, weighted)):
    axes.bar(range(12), kw.relevance(machine).effects)
    axes.set(xlabel="feature")
left.set(title="relevance to the plain machine")
right.set(title="relevance to the weighted machine")
plt.show()
