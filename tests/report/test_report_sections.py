"""What a practitioner looks for in a report, on a phone too."""

import re
from dataclasses import replace

import numpy as np
import pytest
from test_browser import browser, full_record, until, visit  # noqa: F401 (fixtures)
from test_html import Page

import kernelwise as kw
from inside import Confusion, Level, Mistake, Residuals, SelectionResult, render, summarize
from kernelwise import criteria as c

PHONE = {"width": 390, "height": 844}
CONFUSION = Confusion({"a": 60, "b": 40}, (Mistake("b", "a", 3), Mistake("a", "b", 1)))
RESIDUALS = Residuals((-2.0, 0.0, 2.0), (30, 70), 0.5, 1.75, (Level(1.0, -0.25, 1.5, 100),))


def two_settings():
    """A record in which two names stand for two settings each."""
    record = full_record()
    comparison = record.comparison
    criteria = {**comparison.criteria, "sm": c.SM(r=2)}
    criteria["eloo"] = c.ELOO("squared_hinge")
    table = {**comparison.table, "eloo": np.linspace(0.2, 0.4, 8)}
    return replace(
        record, confusion=CONFUSION, comparison=replace(comparison, criteria=criteria, table=table)
    )


def text_of(record):
    return Page(render(summarize(record))).text


class TestWords:
    def test_columns_carry_what_differs(self):
        first, second = summarize(two_settings())["tables"]
        assert [column["title"] for column in first["columns"]] == ["sm(r=3)", "eloo(loss=press)"]
        titles = [column["title"] for column in second["columns"]]
        assert titles == ["sm(r=2)", "kta", "gcv", "eloo(loss=squared_hinge)"]
        page = render(summarize(two_settings()))
        heads = re.findall(r"<th scope=col[^>]*>([^<]*)</th>", page)
        assert "sm(r=2)" in heads and "sm" not in heads

    def test_names_stay_short_where_nothing_differs(self):
        for table in summarize(full_record())["tables"]:
            assert all(column["title"] == column["name"] for column in table["columns"])

    def test_criteria_of_other_kinds_under_one_name(self):
        record = full_record()
        criteria = {**record.comparison.criteria, "sm": c.KTA()}
        record = replace(record, comparison=replace(record.comparison, criteria=criteria))
        assert summarize(record)["tables"][1]["columns"][0]["title"] == "kta"

    def test_scikit_learns_terms(self):
        terms = summarize(full_record())["headline"]["terms"]
        assert terms == {"gamma": 0.0625, "C": 1.0, "alpha": 0.5}
        assert "In scikit-learn's terms: gamma = 0.0625 , C = 1 , alpha = 0.5" in text_of(
            full_record()
        )

    def test_why_says_what_the_kernel_does(self):
        text = text_of(full_record())
        assert "rows up to a distance of about 2.83" in text
        assert "A quick look at 8 candidates keeps the 5 most promising." in text
        assert "A closer look at 5 candidates decides." in text
        assert "As far as these rows can tell, no other kernel offered does as well." in text

    def test_contents_lead_to_every_section(self):
        page = Page(render(summarize(replace(full_record(), confusion=CONFUSION))))
        links = [v[1:] for tag, name, v in page.attributes if (tag, name) == ("a", "href")]
        sections = [v for tag, name, v in page.attributes if (tag, name) == ("section", "id")]
        assert links[1:] == sections  # the first skips to the reasons
        assert "errors" in sections


class TestMistakes:
    def test_classes_and_who_is_taken_for_whom(self):
        record = replace(full_record(), confusion=CONFUSION)
        text = text_of(record)
        assert "Most often: 3 rows of b taken for a; 1 row of a taken for b." in text
        assert "7.5 %" in text and "1.7 %" in text
        found = summarize(record)["mistakes"]
        assert found["matrix"] == [[59, 1], [3, 37]]
        assert [each["label"] for each in found["classes"]] == ["b", "a"]

    def test_nothing_went_wrong(self):
        assert "No row was misclassified." in text_of(
            replace(full_record(), confusion=Confusion({"a": 2, "b": 2}, ()))
        )

    def test_many_classes_have_no_matrix(self):
        counts = {f"class {i}": 5 for i in range(100)}
        record = replace(
            full_record(), confusion=Confusion(counts, (Mistake("class 7", "class 8", 2),))
        )
        text = text_of(record)
        assert "88 more classes err no more often." in text and "40.0 %" in text
        assert "Which class is taken for which" not in text

    def test_residuals_of_real_targets(self):
        text = text_of(replace(full_record(), task="regression", residuals=RESIDUALS))
        assert "off by at most 0.5 , nine in ten by at most 1.75" in text
        assert "−2 to 0" in text and "−0.25" in text

    def test_neither_is_known(self):
        assert "Where it errs" not in text_of(full_record())


class TestPhone:
    def test_wide_tables_say_that_they_scroll(self, visit):  # noqa: F811
        page = visit(two_settings(), viewport=PHONE)
        for box in page.locator(".scroll").all():
            if box.is_visible():
                wide = box.evaluate("b => b.scrollWidth > b.clientWidth + 1")
                hint = box.evaluate("b => !b.previousElementSibling.hidden")
                assert wide == hint
        assert page.locator(".hint:visible").count() >= 2
        page.set_viewport_size({"width": 1280, "height": 900})
        until(page, "document.querySelectorAll('.hint:not([hidden])').length < 2")

    def test_a_table_in_details_is_measured_once_they_open(self, visit):  # noqa: F811
        page = visit(two_settings(), viewport={"width": 300, "height": 700})
        page.locator("summary").first.click()
        assert page.locator("details .hint").first.is_visible()

    @pytest.mark.parametrize(
        "kernel",
        [
            kw.Gaussian(3.0517578125e-05),
            kw.Gaussian(0.000123456789) * kw.Matern(1234.56789) + kw.Linear(),
        ],
    )
    def test_a_headline_never_breaks_inside_a_number(self, visit, kernel):  # noqa: F811
        record = full_record()
        table = SelectionResult((kernel,), np.array([0.5]), {}, {}, {}, "dense", "", 0.1)
        for width in (320, 390):
            record = replace(record, kernel=kernel, result=table, comparison=None)
            page = visit(record, viewport={"width": width, "height": 800})
            lines = page.locator("h1 .whole").evaluate_all(
                "parts => parts.map(p => p.getClientRects().length)"
            )
            assert set(lines) == {1}
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert page.locator("h1").text_content() == str(kernel)

    def test_nothing_is_cut(self, visit):  # noqa: F811
        for record in (two_settings(), replace(full_record(), residuals=RESIDUALS)):
            page = visit(record, viewport=PHONE)
            assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
            cut = page.evaluate(
                """[...document.querySelectorAll("h1, h2, h3, p, dd, dt, li")].filter((e) =>
                    e.getBoundingClientRect().right > innerWidth + 1 &&
                    !e.closest(".unseen")).map((e) => e.textContent)"""
            )
            assert cut == []

    def test_no_link_leads_to_a_curve_that_is_not_there(self, visit):  # noqa: F811
        record = replace(full_record(), comparison=None)
        empty = replace(record.result, table={}, criteria={}, standard_errors={})
        page = visit(replace(record, result=empty))
        assert page.locator("nav a[href='#curve']").is_hidden()
        assert page.locator("nav a[href='#why']").is_visible()
