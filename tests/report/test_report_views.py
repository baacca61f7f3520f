"""What a report says of views."""

import re
from dataclasses import replace

import numpy as np
import pytest
from test_browser import HOSTILE, browser, full_record, visit  # noqa: F401 (fixtures)
from test_html import Page

import kernelwise as kw
from inside import ErrorEstimate, Record, Views, render, summarize, views_of

pytestmark = pytest.mark.filterwarnings("ignore::kernelwise.selection.KernelChoiceWarning")


def estimate(value):
    return ErrorEstimate("error rate", value, 0.006, "leave-one-out", 0.4)


def weighed(weights, gain=0.2, **more):
    views = Views(weights, 4, gain, 0.05, estimate(0.2), estimate(0.15))
    return replace(full_record(), views=views, **more)


def section_of(record):
    found = re.findall(r'<section id="views".*?</section>', render(summarize(record)), re.DOTALL)
    return Page(found[0]).text if found else None


def test_weights_come_largest_first():
    text = section_of(weighed({"small": 0.2, "large": 0.8, "none": 0.0}))
    assert text.index("large 80") < text.index("small 20") < text.index("none 0")
    assert "better than any of its kernels alone" in text and "0.2 ± 0.05" in text
    assert "the best kernel alone 20.0 % ± 0.6" in text and "equal weights 15.0 % ± 0.6" in text
    page = Page(render(summarize(weighed({"size": 0.2, "shape": 0.8})))).text
    assert "A sum of 4 kernels on 2 of 2 views" in page
    assert "What else was close" not in page


def test_no_gain_is_said_plainly():
    text = section_of(weighed({"a": 1.0}, gain=0.01))
    assert "One kernel is as good" in text and "better than any" not in text
    assert "the loss is higher by 0.1 ± 0.05" in section_of(weighed({"a": 1.0}, gain=-0.1))


def test_of_many_views_the_largest_are_shown():
    text = section_of(weighed({f"v{i}": 1 / 50 for i in range(50)}))
    assert "20 more, with less weight" in text


def test_names_are_text():
    page = render(summarize(weighed({HOSTILE: 1.0})))
    assert HOSTILE not in page


def test_without_views_there_is_none():
    assert section_of(full_record()) is None and summarize(full_record())["views"] is None


def test_records_of_fitted_models_know_their_views():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    y = (X[:, 0] * X[:, 1] > 0.0).astype(int)
    model = kw.MultiKernelSelector(views={"a": [0, 1], "b": [2, 3]}).fit(X, y)
    record = Record.of(model, y, "made up")
    assert record.views == views_of(model) and record.views.weights == model.view_weights_
    assert "Which views matter" in render(summarize(record))
    assert views_of(kw.KernelSelector().fit(X, y)) is None


def test_it_fits_a_narrow_screen(visit):  # noqa: F811
    record = weighed({f"a view with a rather long name {i}": 0.1 for i in range(10)})
    page = visit(record, viewport={"width": 360, "height": 800})
    assert page.locator("#views").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
