"""The bar moves inside the large factors of exact leave-one-out."""

import numpy as np
import pytest

import kernelwise as kw
from inside import Task, dense, panels, tiled
from inside import selector as selector_module


class Recorder(Task):
    """Keeps the names of the parts that are begun."""

    def __init__(self, seen, name="fit"):
        self.seen, self.name = seen, name

    def part(self, name="", parts=0, share=1):
        self.seen.append((self.name, name, parts))
        return Recorder(self.seen, name)


@pytest.mark.parametrize("engine", ["tiled", "dense"])
def test_values_on_many_rows_are_told_of_in_parts(monkeypatch, engine):
    for name, value in {"STEPWISE": 400, "_SMALL": 64, "_THIN": 16, "_STEP": 1e6}.items():
        monkeypatch.setattr(panels, name, value)
    seen = []
    monkeypatch.setattr(selector_module, "fit_task", lambda *_, **__: Recorder(seen))
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 3))
    y = X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=900) > 0.0
    kw.KernelSelector(engine=engine).fit(X, y)
    values = [parts for _, name, parts in seen if name == "value"]
    steps = [name for of, name, _ in seen if of == "value"]
    assert max(values) == 2 * panels.PARTS
    assert len(steps) == sum(values)
    assert dense.steps_for(399) == tiled.steps_for(399) == 0
