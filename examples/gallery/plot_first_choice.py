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
from kernelwise.figures import CriterionCurveDisplay, LooResidualsDisplay

X, y = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X)
selector = kw.KernelSelector().fit(X, y)
print(selector.best_kernel_, "with ridge", selector.best_ridge_)
print("error:", selector.error_)

# %%
# The curves are the two stages of the choice: a ring marks the kernel that a stage prefers. Below
# them is the decision value of every row, predicted without that row.

CriterionCurveDisplay.from_selector(selector)
LooResidualsDisplay.from_estimator(selector.best_estimator_, y)
plt.show()
