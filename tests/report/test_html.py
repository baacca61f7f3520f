import json
import math
import os
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

import kernelwise as kw
from inside import ErrorEstimate, Record, SelectionResult, render, summarize, write_report
from kernelwise import criteria as c

HOSTILE = """</script><script>alert("1")</script><img src=x onerror='alert(2)'>&amp;"""
LONG = sum((kw.Gaussian(2.0**i) * kw.Matern(2.0**i) for i in range(12)), start=kw.Linear())
ONE = (kw.Gaussian(1.0),)
VOID = {"meta", "link", "br", "img", "input"}


class Page(HTMLParser):
    """The elements, attributes and text of a page; refuses elements that are not closed."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.open, self.words, self.data = [], [], [], [], ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1:] == ["script"]:
            self.data = self.data or data
        elif self.open[-1:] != ["style"]:
            self.words.append(data)

    @property
    def text(self):
        return re.sub(r"\s+", " ", " ".join(self.words))

    @property
    def series(self):
        return json.loads(self.data)


def scored(kernels, **table):
    n = len(kernels)
    return SelectionResult(
        kernels=tuple(kernels),
        ridges=np.full(n, 0.5),
        criteria={name: c.get(name) for name in table},
        table={name: np.array(values, dtype=float) for name, values in table.items()},
        notes={},
        engine="dense",
        engine_reason="",
        seconds=0.1,
    )


def small_record(kernels=ONE, task="classification", **table):
    table = table or {"sm": np.linspace(0.1, 0.2, len(kernels))}
    return Record(kernels[0], 0.5, "LSSVC", task, scored(kernels, **table))


@pytest.fixture(scope="module")
def record(wdbc):
    X, y = wdbc
    X, y = X[::4], y[::4]
    selector = kw.KernelSelector().fit(X, y)
    names = ["sm", "kta", "ckta", "eloo", "gcv", "ks"]
    kernels = list(selector.result_.kernels)
    return Record(
        kernel=selector.best_kernel_,
        ridge=selector.best_ridge_,
        machine="LSSVC",
        task="classification",
        result=selector.result_,
        comparison=kw.score_kernels(X, y, kernels, names, ridge=selector.best_ridge_),
        error=ErrorEstimate("error rate", 0.0235, 0.0064, "leave-one-out", 0.3713),
        nested=ErrorEstimate("error rate", 0.0281, 0.0071, "nested 5-fold", 0.3713),
        warnings=("Three rows occur twice.",),
        data={
            "source": "cells.csv",
            "rows": 143,
            "features": 30,
            "target": "diagnosis",
            "classes": {"benign": 90, "malignant": 53},
            "prepared": ["30 columns were standardised."],
        },
        seconds=1.5,
        model="model.skops",
        version="9.8.7",
    )


class TestSummary:
    def test_is_plain_data(self, record):
        summary = summarize(record)
        assert json.loads(json.dumps(summary, allow_nan=False)) == summary

    def test_counts_the_candidates_of_each_stage(self, record):
        first, last = summarize(record)["why"]["stages"]
        assert (first["reached"], first["kept"]) == (len(record.result), 5)
        assert (last["reached"], last["kept"]) == (5, 1)
        assert last["best"] == str(record.kernel)

    def test_a_candidate_set_aside_in_a_stage_has_reached_it(self):
        kernels = kw.grids.gaussian(0, 2)
        record = small_record(kernels, sm=[0.1, 0.2, 0.3], eloo=[0.5, math.nan, math.nan])
        record.result.notes[f"{kernels[1]}: eloo"] = "set aside"
        assert [s["reached"] for s in summarize(record)["why"]["stages"]] == [3, 2]

    def test_tables_hold_values_and_ranks(self, record):
        _, table = summarize(record)["tables"]
        columns = {column["name"]: column for column in table["columns"]}
        assert columns["kta"]["values"] == record.comparison.table["kta"].tolist()
        assert columns["kta"]["ranks"] == record.comparison.ranks("kta").tolist()
        assert set(columns["ks"]["ranks"]) == {None}
        chosen = [k["kernel"] for k in table["candidates"] if k["chosen"]]
        assert chosen == [str(record.kernel)]

    def test_runners_up_are_the_next_by_the_last_stage(self, record):
        close = summarize(record)["close"]
        order = [str(record.result.kernels[i]) for i in record.result.ranking("eloo")]
        assert [other["kernel"] for other in close["others"]] == order[1:]
        assert all(other["difference"] >= 0.0 for other in close["others"])

    def test_agreement_is_that_of_the_comparison(self, record):
        agreement = summarize(record)["sure"]["agreement"]
        names, matrix = record.comparison.agreement()
        assert agreement["names"] == list(names)
        np.testing.assert_array_equal(agreement["matrix"], matrix)
        for pick in agreement["picks"]:
            assert pick["kernel"] == str(record.comparison.best(pick["name"]))

    def test_kernels_have_a_place_on_their_axis(self):
        kernels = [
            kw.Gaussian(8.0),
            2.0 * kw.Laplacian(0.25),
            kw.Matern(4.0, nu=2.5),
            kw.Polynomial(3),
            kw.Linear(),
            kw.Linear() + kw.Gaussian(1.0),
        ]
        places = summarize(small_record(kernels))["tables"][0]["candidates"]
        assert [(p["axis"], p["x"], p["family"]) for p in places] == [
            ("width", 3.0, "Gaussian"),
            ("width", -2.0, "2 × Laplacian"),
            ("width", 2.0, "Matern, nu 2.5"),
            ("degree", 3.0, "Polynomial"),
            ("number", 5.0, "other kernels"),
            ("number", 6.0, "other kernels"),
        ]

    def test_the_choice_among_ridges_is_the_nearest(self):
        record = small_record([kw.Gaussian(1.0)] * 3)
        record.result.ridges[:] = [0.1, 0.5, math.nan]
        candidates = summarize(record)["tables"][0]["candidates"]
        assert [k["chosen"] for k in candidates] == [False, True, False]

    @pytest.mark.parametrize("name", [info.name for info in c.available()])
    def test_every_criterion_is_explained_in_plain_words(self, name):
        (column,) = summarize(small_record(**{name: [1.0]}))["tables"][0]["columns"]
        assert column["formula"] == c.get(name).formula
        assert column["reference"] and column["meaning"] and column["cost"]
        assert ":math:" not in column["meaning"] and "\n" not in column["meaning"]


class TestPage:
    def test_says_all_there_is_to_say(self, record):
        text = Page(render(summarize(record))).text
        facts = [
            str(record.kernel),
            "LSSVC",
            "2.4 % ± 0.6 %",
            "2.8 % ± 0.7 %",
            "37.1 %",
            "Three rows occur twice.",
            "cells.csv",
            "143",
            "diagnosis",
            "benign: 90 (63 %)",
            "30 columns were standardised.",
            'load_model("model.skops")',
            "kernelwise predict model.skops new.csv",
            "9.8.7",
            record.result.engine_reason,
        ]
        facts += [k["kernel"] for k in summarize(record)["close"]["others"]]
        facts += [k.formula for k in record.comparison.criteria.values()]
        facts += [k.reference for k in record.comparison.criteria.values()]
        facts += [str(kernel) for kernel in record.comparison.kernels]
        facts += [f"{value:.4g}" for value in record.comparison.table["ckta"]]
        assert [fact for fact in facts if fact not in text] == []

    def test_needs_nothing_from_elsewhere(self, record):
        text = render(summarize(record))
        page = Page(text)
        references = [v for _, name, v in page.attributes if name in {"src", "href", "srcset"}]
        assert all(v.startswith(("#", "data:")) for v in references)
        assert "@import" not in text and "url(" not in text
        # The name of a namespace is no address that is fetched.
        assert set(re.findall(r"https?://[^\s\"']+", text)) <= {"http://www.w3.org/2000/svg"}
        policy = next(v for _, name, v in page.attributes if name == "content" and "src" in v)
        assert policy.startswith("default-src 'none'")

    def test_is_small(self, record):
        assert len(render(summarize(record)).encode()) < 100_000

    def test_has_headings_in_order_and_a_language(self, record):
        page = Page(render(summarize(record)))
        assert ("html", "lang", "en") in page.attributes
        levels = [int(tag[1]) for tag in page.tags if re.fullmatch(r"h[1-6]", tag)]
        assert levels.count(1) == 1 and levels[0] == 1
        assert max(np.diff(levels)) <= 1
        ids = [value for _, name, value in page.attributes if name == "id"]
        assert len(ids) == len(set(ids))

    def test_the_series_are_those_of_the_summary(self, record):
        summary = summarize(record)
        assert Page(render(summary)).series == summary["tables"]

    def test_hostile_text_stays_text(self):
        hostile = replace(
            small_record(),
            machine=HOSTILE,
            task=HOSTILE,
            warnings=(HOSTILE,),
            error=ErrorEstimate(HOSTILE, 0.1, 0.1, HOSTILE, 0.5),
            data={
                "source": HOSTILE,
                "rows": HOSTILE,
                "target": HOSTILE,
                "classes": {HOSTILE: 3},
                "prepared": [HOSTILE],
            },
            model=HOSTILE,
            version=HOSTILE,
        )
        hostile.result.notes[f"{HOSTILE}: {HOSTILE}"] = HOSTILE
        page = Page(render(summarize(hostile)))
        assert page.tags.count("script") == 2 and "img" not in page.tags
        assert not any(name.startswith("on") for _, name, _ in page.attributes)
        assert page.text.count("onerror") >= 10

    def test_hostile_column_names_stay_in_their_script(self):
        record = small_record()
        record.result.criteria[HOSTILE] = c.KTA()
        record.result.table[HOSTILE] = np.array([0.5])
        page = Page(render(summarize(record)))
        assert page.tags.count("script") == 2 and "img" not in page.tags
        assert page.series[0]["columns"][1]["name"] == HOSTILE

    def test_without_a_model_there_is_no_advice_to_load_it(self):
        assert "load_model" not in render(summarize(small_record()))

    def test_a_strange_model_name_can_be_pasted(self):
        model = summarize(replace(small_record(), model='my "best" model\'s.skops'))["model"]
        assert r'load_model("my \"best\" model' in model["python"]
        assert model["shell"] == "kernelwise predict 'my \"best\" model'\"'\"'s.skops' new.csv"


nan, inf = math.nan, math.inf
DEGENERATE = {
    "one candidate": small_record(),
    "nothing defined": small_record(kw.grids.gaussian(0, 2), sm=[nan, nan, nan]),
    "no column": replace(small_record(), result=scored([kw.Gaussian(1.0)])),
    "no direction": small_record(kw.grids.gaussian(0, 1), ks=[1.0, 2.0]),
    "infinite": small_record(kw.grids.gaussian(0, 3), sm=[inf, -inf, nan, 1.0], er=[inf] * 4),
    "huge": small_record(kw.grids.gaussian(0, 2), sm=[1e308, -1e308, 0.0]),
    "equal": small_record(kw.grids.gaussian(0, 2), sm=[1.0] * 3, eloo=[0.0] * 3),
    "long names": small_record([LONG, LONG + kw.Gaussian(3.0)]),
    "regression": replace(
        small_record(task="regression", eloo=[2.5]),
        error=ErrorEstimate("root mean squared error", 12.5, nan, "leave-one-out", 50.0),
    ),
    "unknown error": replace(
        small_record(), error=ErrorEstimate("error rate", nan, nan, "leave-one-out", nan)
    ),
    "kernel of nowhere": replace(small_record(), kernel=kw.Linear()),
    "one criterion": replace(small_record(), comparison=scored([kw.Gaussian(1.0)], sm=[0.3])),
    "two criteria, one candidate": replace(
        small_record(), comparison=scored([kw.Gaussian(1.0)], sm=[0.3], kta=[0.4])
    ),
    "undefined comparison": replace(
        small_record(), comparison=scored(kw.grids.gaussian(0, 1), sm=[nan, nan], kta=[nan, nan])
    ),
    "many classes": replace(
        small_record(), data={"classes": {i: 1 for i in range(100)}, "rows": np.int64(100)}
    ),
    "empty data": replace(small_record(), data={"classes": {}, "prepared": [], "source": None}),
}


@pytest.mark.parametrize("case", DEGENERATE)
def test_degenerate_records_render(case):
    summary = summarize(DEGENERATE[case])
    page = Page(render(summary))
    assert summary["headline"]["kernel"] in page.text
    assert "nan" not in re.findall(r"\w+", page.text)
    assert "None" not in re.findall(r"\w+", page.text)


def test_infinities_are_written_as_such():
    text = Page(render(summarize(DEGENERATE["infinite"]))).text
    assert "∞" in text and "−∞" in text


def test_two_hundred_candidates_stay_below_two_megabytes():
    kernels = [LONG + kw.Gaussian(1.0 + i) for i in range(200)]
    names = [info.name for info in c.available()]
    rng = np.random.default_rng(0)
    table = scored(kernels, **{name: rng.normal(size=200) for name in names})
    text = render(summarize(Record(kernels[7], 1.0, "LSSVC", "classification", table, table)))
    assert Page(text).tags.count("tr") > 200
    assert len(text.encode()) < 2_000_000


class TestWriting:
    def test_writes_what_render_gives(self, record, tmp_path):
        path = tmp_path / "report.html"
        write_report(record, path)
        assert path.read_text("utf-8") == render(summarize(record))
        assert os.listdir(tmp_path) == ["report.html"]

    def test_takes_a_bare_name(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        write_report(small_record(), "report.html")
        assert os.listdir(tmp_path) == ["report.html"]

    def test_a_failure_leaves_the_old_report_and_nothing_else(self, record, tmp_path, monkeypatch):
        path = tmp_path / "report.html"
        path.write_text("old")

        def fail(*_):
            raise KeyboardInterrupt

        monkeypatch.setattr(os, "replace", fail)
        with pytest.raises(KeyboardInterrupt):
            write_report(record, path)
        assert path.read_text() == "old"
        assert os.listdir(tmp_path) == ["report.html"]

    def test_a_source_that_is_no_utf8_is_written(self, tmp_path):
        source = os.fsdecode(b"z\xfcrich.csv")
        write_report(replace(small_record(), data={"source": source}), tmp_path / "r.html")
        assert "rich.csv" in (tmp_path / "r.html").read_text("utf-8")

    def test_a_missing_folder_is_said(self, tmp_path):
        with pytest.raises(FileNotFoundError):
            write_report(small_record(), tmp_path / "nowhere" / "report.html")
