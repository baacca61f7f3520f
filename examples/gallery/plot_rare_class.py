"""
A rare class
============

One row in twenty is positive: what class weights and a threshold midway do.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_classification
from sklearn.metrics import balanced_accuracy_score, recall_score
from sklearn.model_selection import train_test_split

import kernelwise as kw

X, y = make_classification(
    4000, n_informative=5, weights=[0.95], class_sep=0.9, flip_y=0.01, random_state=0
)
X_train, X_test, y_train, y_test = train_test_split(
    X, y, train_size=600, stratify=y, random_state=0
)

# %%
# Without weights, predicting the large class is hard to beat. ``class_weight="balanced"`` enters
# the choice and the machine; a threshold midway between the classes is another
# way, and the two can be combined.

midpoint = kw.LSSVC(threshold="midpoint")
models = {
    "plain": kw.KernelSelector(),
    "balanced": kw.KernelSelector(class_weight="balanced"),
    "balanced, midpoint": kw.KernelSelector(midpoint, class_weight="balanced"),
}
found = {}
for name, model in models.items():
    predicted = model.fit(X_train, y_train).predict(X_test)
    found[name] = (
        balanced_accuracy_score(y_test, predicted),
        recall_score(y_test, predicted),
        recall_score(y_test, predicted, pos_label=0),
    )
    print(f"{name:19} balanced accuracy {found[name][0]:.2f}")

figure, ax = plt.subplots(figsize=(7, 3), layout="constrained")
for shift, (words, part) in zip(
    (-0.25, 0.0, 0.25),
    (("balanced accuracy", 0), ("rare class found", 1), ("large class found", 2)),
    strict=True,
):
    heights = [values[part] for values in found.values()]
    ax.bar([place + shift for place in range(3)], heights, 0.22, label=words)
ax.set(xticks=range(3), xticklabels=list(found), ylim=(0, 1.35))
ax.legend(ncols=3)
plt.show()
