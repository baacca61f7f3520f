"""
A first choice
==============

Choose a kernel for a table, see how clear the choice is and how good the machine.
"""

# %%
# :class:`kernelwise.KernelSelector` makes candidate kernels from the data, screens them by the
# spectral measure and picks one, with its ridge, by exact leave-one-out.

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

import kernelwise as kw
from kernelwise.figures import CriterionCurveDisplay

X, y = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X)
selector = kw.KernelSelector().fit(X, y)
print(selector.best_kernel_, "with ridge", selector.best_ridge_)
print("error:", selector.error_)

# %%
# The curves are the two stages of the choice: a ring marks the kernel that a stage prefers. Below
# them is the decision value of every row, predicted without that row.

CriterionCurveDisplay.from_selector(selector)

figure, ax = plt.subplots(figsize=(7, 3), layout="constrained")
values = selector.best_estimator_.loo_values_.ravel()
ax.hist([values[y == 0], values[y == 1]], bins=30, label=["malignant", "benign"])
ax.axvline(0.0, color="0.4", linestyle="--")
ax.set(xlabel="decision value of a row left out", ylabel="rows")
ax.legend()
plt.show()
