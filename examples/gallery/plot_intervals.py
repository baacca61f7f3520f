"""
How sure is a prediction?
=========================

Intervals that contain nine of ten new values, from leave-one-out and nothing else.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.preprocessing import StandardScaler

import kernelwise as kw

X, y = load_diabetes(return_X_y=True)
X = StandardScaler().fit_transform(X)
order = np.random.default_rng(0).permutation(len(y))
train, test = order[:300], order[300:]
selector = kw.KernelSelector(task="regression").fit(X[train], y[train])
lower, upper = selector.predict_interval(X[test], level=0.9)
inside = (lower <= y[test]) & (y[test] <= upper)
print(f"{100 * inside.mean():.0f} % of {len(test)} new values lie in their interval")

# %%
# New patients by their prediction; crosses lie outside.

predicted = selector.predict(X[test])
by_size = np.argsort(predicted)
places = np.arange(len(test))
figure, ax = plt.subplots(figsize=(9, 3.6), layout="constrained")
ax.fill_between(places, lower[by_size], upper[by_size], alpha=0.2)
ax.plot(places, predicted[by_size])
hit = inside[by_size]
ax.plot(places[hit], y[test][by_size][hit], ".", color="0.3")
ax.plot(places[~hit], y[test][by_size][~hit], "x", color="C3")
ax.set(xlabel="patient", ylabel="progression")
plt.show()
