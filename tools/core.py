"""Check an environment with the library alone: it imports, chooses, says what extras are for."""

import importlib.util
import sys

import numpy as np

import kernelwise as kw

EXTRAS = ("pandas", "matplotlib", "skops", "pyarrow", "polars")
present = [name for name in EXTRAS if importlib.util.find_spec(name)]
if present:
    sys.exit(f"this is no environment of the library alone: it has {', '.join(present)}")

rng = np.random.default_rng(0)
X = rng.normal(size=(800, 3))  # enough rows for the compiled loops
y = (np.sin(2 * X[:, 0]) + 0.2 * rng.normal(size=800) > 0).astype(int)
for name in kw.__all__:
    getattr(kw, name)
for model in (kw.KernelSelector(), kw.KernelStack()):
    assert model.fit(X[:700], y[:700]).score(X[700:], y[700:]) > 0.8
assert len(kw.score_kernels(X, y, kw.grids.gaussian(-2, 4), ["sm", "eloo"], engine="tiled")) == 7

for call in (
    lambda: kw.figures.SpectrumDisplay.from_kernel(kw.Gaussian(), X),
    lambda: kw.save_model(model, "model.skops"),
    lambda: kw.score_kernels(X, y, kw.grids.gaussian(0, 1)).frame(),
):
    try:
        call()
    except ImportError as error:
        print(error)
    else:
        sys.exit("an extra is missing, and nothing says so")
print("core: ok")
