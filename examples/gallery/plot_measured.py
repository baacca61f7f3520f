"""
What was measured
=================

The benchmarks of the documentation, drawn from the files that they wrote.
"""

import json
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

# %%
# The files are in ``benchmarks/`` of the repository; the page on measurements says how each was
# made. Here the models of the comparison with the stack, on 20 two-class data sets.

here = Path.cwd()
folder = next(
    path / "benchmarks" for path in (here, *here.parents) if (path / "benchmarks").is_dir()
)
compared = json.loads((folder / "default_choice_stack.json").read_text())
whole = {name: found for name, found in compared["summary"].items() if found["mean rank"]}
for name, found in whole.items():
    print(f"{name:25} {found['error']:.2f} %, rank {found['mean rank']:.2f}")

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.2), layout="constrained", sharey=True)
left.barh(list(whole), [found["error"] for found in whole.values()])
left.set_xlabel("mean error in %")
right.barh(list(whole), [found["ratio of times"] for found in whole.values()], color="C1")
right.set(xlabel="time to fit, over that of one kernel", xscale="log")
left.invert_yaxis()

# %%
# The error of every set, with a stack and with one kernel. Below the line the stack is better.

figure, ax = plt.subplots(figsize=(5, 5), layout="constrained")
sets = compared["sets"].values()
single = [np.mean(models["KernelSelector()"]["error"]) for models in sets]
stack = [np.mean(models["KernelStack()"]["error"]) for models in sets]
ax.plot(single, stack, "o")
ax.axline((0, 0), slope=1, color="0.6")
ax.set(xlabel="one kernel, error in %", ylabel="stack, error in %")
plt.show()
