"""
Views: which group of features matters?
=======================================

Weights of kernels on groups of features, one machine on their sum.
"""

import matplotlib.pyplot as plt
import numpy as np

import kernelwise as kw

# %%
# Five sensors with three channels each; two of the sensors have to do with the target.

rng = np.random.default_rng(0)
sensors = {f"sensor {i}": list(range(3 * i, 3 * i + 3)) for i in range(5)}
X = rng.normal(size=(700, 15))
y = np.sin(2 * X[:, 0]) + X[:, 9] * X[:, 10] + 0.3 * rng.normal(size=700)
X_train, y_train, X_test, y_test = X[:250], y[:250], X[250:], y[250:]

model = kw.MultiKernelSelector(views=sensors).fit(X_train, y_train)
single = kw.KernelSelector(task="regression").fit(X_train, y_train)
print(f"R² of one kernel on everything: {single.score(X_test, y_test):.2f}")
print(f"R² of the weighted views:       {model.score(X_test, y_test):.2f}")
print(f"gain over the best view alone: {model.gain_:.2f} ± {model.gain_standard_error_:.2f}")

# %%
# The weights say which sensors are worth their price.

figure, ax = plt.subplots(figsize=(7, 3), layout="constrained")
ax.barh(list(model.view_weights_), list(model.view_weights_.values()))
ax.set_xlabel("weight")
ax.invert_yaxis()
plt.show()
