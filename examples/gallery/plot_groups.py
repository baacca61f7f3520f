"""
Rows in groups
==============

Several rows a patient: leave-one-out is too optimistic, folds by patient are not.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import GroupKFold

import kernelwise as kw

PATIENTS = 80

# %%
# Eighty patients with eight visits each. Visits of a patient are alike, in the measurements and in
# what they do not explain.

rng = np.random.default_rng(0)


def visits(patients):
    """Return measurements, target and patient of every visit."""
    group = np.repeat(np.arange(patients), 8)
    X = rng.normal(size=(patients, 4))[group] + 0.15 * rng.normal(size=(8 * patients, 4))
    y = np.sin(X[:, 0]) + 0.7 * rng.normal(size=patients)[group] + 0.1 * rng.normal(size=len(X))
    return X, y, group


X, y, group = visits(PATIENTS)
X_new, y_new, _ = visits(300)
folds = list(GroupKFold(10).split(X, y, group))

selectors = {
    "leave-one-out": kw.KernelSelector(task="regression"),
    "patients left out": kw.KernelSelector(
        task="regression", criterion=kw.criteria.KFold(cv=folds)
    ),
}
estimated, true = [], []
for name, selector in selectors.items():
    selector.fit(X, y)
    by_patient = name == "patients left out"
    estimate = selector.error_estimate(X, y, cv=folds) if by_patient else selector.error_
    estimated.append(estimate.value)
    true.append(np.sqrt(np.mean((selector.predict(X_new) - y_new) ** 2)))
    print(f"{name:18} {selector.best_kernel_}: says {estimated[-1]:.2f}, is {true[-1]:.2f}")

figure, ax = plt.subplots(figsize=(7, 3), layout="constrained")
places = np.arange(2)
ax.bar(places - 0.2, estimated, 0.4, label="estimated error")
ax.bar(places + 0.2, true, 0.4, label="error on new patients")
ax.set(xticks=places, xticklabels=list(selectors), ylabel="root mean squared error")
ax.margins(y=0.35)  # room for the legend
ax.legend(loc="upper left", ncols=2)
plt.show()
