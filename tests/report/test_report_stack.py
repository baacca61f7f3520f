"""What a report says of several kernels together, and of the features that matter."""

import re
from dataclasses import replace

import pytest
from test_browser import HOSTILE, KERNELS, browser, full_record, visit  # noqa: F401 (fixtures)
from test_html import Page

import kernelwise as kw
from inside import ErrorEstimate, Member, Stack, render, summarize

WEIGHTS = [1.1, 0.7] + [1.0] * 28
MEMBERS = [
    KERNELS[3],
    kw.Laplacian(28.242385708),
    kw.Scaled(WEIGHTS, kw.Laplacian(8.0)),
    kw.Linear(),
]


def estimate(value):
    return ErrorEstimate("error rate", value, 0.006, "leave-one-out", 0.4)


def stacked(gate=0.8, notes=(), **more):
    """Return a record whose stack is trusted so far."""
    weights = [1.0 - 0.75 * gate, 0.5 * gate, 0.25 * gate, 0.0]
    known = zip(("gaussian", "b", "c", "d"), MEMBERS, weights, strict=True)
    members = tuple(Member(n, k, 0.5, w, estimate(0.031), 9, 0.1) for n, k, w in known)
    return replace(full_record(), stack=Stack(gate, estimate(0.023), members, notes), **more)


def shares(n):
    """Return the shares of n columns with long names."""
    whole = n * (n + 1) / 2
    return {f"a column with a long name {i}": (n - i) / whole for i in range(n)}


def text_of(record):
    return Page(render(summarize(record))).text


def section_of(record, key):
    [body] = re.findall(rf'<section id="{key}".*?</section>', render(summarize(record)), re.DOTALL)
    return Page(body).text


class TestStack:
    def test_members_with_their_kernels_errors_and_weights(self):
        said = section_of(stacked(), "stack")
        assert "Gaussian chosen Gaussian(tau=8.0) , ridge 0.5 3.1 % ± 0.6 40 %" in said
        assert "Laplacian Laplacian(scale=28.24) , ridge 0.5 3.1 % ± 0.6 40 %" in said
        assert "Laplacian on weighted features Scaled(<30 weights from 0.7 to 1.1>" in said
        assert "Linear Linear() , ridge 0.5 3.1 % ± 0.6 0 %" in said

    @pytest.mark.parametrize(
        ("gate", "words"),
        [
            (0.0, "One kernel is as good. On rows left out, the others bring no gain"),
            (0.002, "counts 1 %, the chosen kernel alone the other 99 % (gate 0.002)"),
            (0.8, "counts 80 %, the chosen kernel alone the other 20 % (gate 0.8)"),
            (0.998, "The gain is clear: the model is the stack (gate 1)"),
            (1.0, "The gain is clear: the model is the stack (gate 1)"),
        ],
    )
    def test_the_gate_in_plain_words(self, gate, words):
        assert words in section_of(stacked(gate), "stack")

    @pytest.mark.parametrize("task", ["classification", "regression"])
    def test_a_loss_is_explained_where_it_is_not_the_error(self, task):
        said = section_of(stacked(task=task), "stack")
        assert ("not only how often" in said) == (task == "classification")
        assert "Several kernels predict rows left out better than the chosen one alone" in said

    def test_whose_error_alone_is_too_good(self):
        record, flattered = stacked(), "a kernel on weighted features looks better than it is"
        assert flattered in section_of(record, "stack")
        others = tuple(m for m in record.stack.members if "weighted" not in m.title)
        other = replace(record, stack=replace(record.stack, members=others))
        assert flattered not in section_of(other, "stack")

    def test_both_errors_stand_at_the_top(self):
        text = text_of(stacked())
        assert "The model stacks it with 2 other kernels." in text
        assert "Error 2.0 % ± 1.0 error rate, leave-one-out One kernel alone 2.3 % ± 0.6" in text
        assert "of the chosen kernel alone: 2.3 % ± 0.6 ; of all together: 2.0 % ± 1.0" in text
        assert "Error rate of one kernel alone (leave-one-out): 2.3 % ± 0.6 %" in text

    def test_one_error_where_one_kernel_is_enough(self):
        text = text_of(stacked(0.0))
        assert "One kernel is enough: others beside it do not help." in text
        assert "One kernel alone" not in text

    def test_members_that_were_left_out(self):
        assert "linear is left out: so it is" in text_of(
            stacked(notes=("linear is left out: so it is",))
        )
        alone = stacked(0.0)
        alone = replace(alone, stack=replace(alone.stack, members=alone.stack.members[:1]))
        assert "No other kernel suits the data" in section_of(alone, "stack")

    def test_neither_is_said_of_one_kernel(self):
        text = text_of(full_record())
        assert "Several kernels together" not in text and "stack" not in text
        assert "Which features matter" not in text


class TestFeatures:
    def test_at_most_fifteen_the_rest_in_a_sentence(self):
        record = replace(full_record(), relevance=shares(20))
        found = summarize(record)["features"]
        assert [each["name"][-2:].strip() for each in found["shares"]] == list(map(str, range(15)))
        assert "5 more columns, together 7 %." in section_of(record, "features")
        assert "9.5 %" in section_of(record, "features")

    def test_no_rest(self):
        said = section_of(replace(full_record(), relevance=shares(3)), "features")
        assert "more columns" not in said and "50.0 %" in said

    def test_the_longest_bar_is_that_of_the_first(self):
        page = render(summarize(replace(full_record(), relevance=shares(3))))
        [body] = re.findall(r'<section id="features".*?</section>', page, re.DOTALL)
        assert re.findall(r"--share:([\d.]+)%", body) == ["100.0", "66.7", "33.3"]

    def test_columns_beyond_those_recorded_count(self):
        record = replace(full_record(), relevance=shares(20), data={"features": 500})
        assert summarize(record)["features"]["more"] == 485


@pytest.mark.parametrize("gate", [0.0, 0.8])
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone_and_a_screen(visit, gate, width, scheme):  # noqa: F811
    record = stacked(gate, relevance=shares(20) | {"x" * 120: 0.0})
    page = visit(record, viewport={"width": width, "height": 844}, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for key in ("stack", "features"):
        section = page.locator(f"#{key}")
        assert section.locator(".hint").is_hidden()
        assert section.locator(".scroll").evaluate("b => b.scrollWidth <= b.clientWidth + 1")
        bars = section.locator(".bar").evaluate_all("bars => bars.map(b => b.clientWidth)")
        assert min(bars) > 30


def test_names_of_columns_are_text(visit):  # noqa: F811
    record = stacked(relevance={HOSTILE: 0.6, "b": 0.4}, notes=(HOSTILE,))
    page = visit(record)
    assert page.locator("#features th").first.text_content() == HOSTILE
    assert page.title() != "gone"
