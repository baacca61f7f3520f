"""What a release states agrees: versions, requirements, the citation, the schema of results."""

import json
import re
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

import kernelwise as kw
from inside import Record, SelectionResult, main

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_the_version_is_stated_once_and_repeated_alike():
    assert "version" in PROJECT["dynamic"]
    papers = tomllib.loads((ROOT / "papers" / "pyproject.toml").read_text())["project"]
    cited = re.findall(r"(?m)^version: (.+)$", (ROOT / "CITATION.cff").read_text())
    recipe = re.findall(r'set version = "([^"]+)"', (ROOT / "conda" / "meta.yaml").read_text())
    wheel = re.findall(r"kernelwise-([^-]+)-py3", (ROOT / "docs" / "install.md").read_text())
    entry = re.findall(r"(?m)^  version = \{(.+)\},$", (ROOT / "docs" / "papers.md").read_text())
    assert [papers["version"], *cited, *recipe, *wheel, *entry] == [kw.__version__] * 5


def test_a_version_has_its_changes():
    """A release has its own section; until then changes stand in the first one."""
    release = rf"(?m)^## {re.escape(kw.__version__)} \("
    is_told = re.search(release, (ROOT / "CHANGELOG.md").read_text()) is not None
    assert is_told == (".dev" not in kw.__version__)


def test_the_recipe_requires_what_the_project_requires():
    recipe = (ROOT / "conda" / "meta.yaml").read_text()
    run = recipe.split("  run:\n")[1].split("\ntest:")[0]
    required = {line.strip("- ").replace(" ", "") for line in run.split("\n") if line.strip()}
    assert required == {*PROJECT["dependencies"], f"python{PROJECT['requires-python']}"}


def test_every_supported_python_is_classified_and_tested():
    named = [c.rsplit(" ", 1)[1] for c in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", c)]
    tried = re.search(r"PYTHONS = (\[.*\])", (ROOT / "noxfile.py").read_text())
    assert named == json.loads(tried[1]) and PROJECT["requires-python"] == f">={named[0]}"


def test_hooks_use_the_pinned_tools():
    """No version stands in the hooks: they call the environment that make creates."""
    hooks = (ROOT / ".pre-commit-config.yaml").read_text()
    assert "rev:" not in hooks
    pinned = {pin.split("==")[0] for pin in PROJECT["optional-dependencies"]["lint"]}
    called = set(re.findall(r"entry: \.venv/bin/(\S+)", hooks))
    assert called == (pinned - {"import-linter"}) | {"lint-imports"}


def test_the_citation_is_valid():
    """By the rules of the Citation File Format 1.2.0 for what the file has."""
    text = (ROOT / "CITATION.cff").read_text()
    stated = dict(re.findall(r"(?m)^([a-z-]+): *(.*)$", text))
    assert {"cff-version", "message", "title", "authors"} <= stated.keys()
    assert stated["cff-version"] == "1.2.0" and stated["type"] == "software"
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", stated["date-released"])
    assert stated["license"] == PROJECT["license"]
    kinds = set(re.findall(r"(?m)^  - type: (\S+)$", text))
    assert kinds <= {"article", "conference-paper"}


def test_the_page_cites_what_the_citation_file_cites():
    """Titles, years and DOIs in BibTeX are those of CITATION.cff."""
    text = (ROOT / "CITATION.cff").read_text()
    page = (ROOT / "docs" / "papers.md").read_text()
    assert page.count("@in") + page.count("@art") == text.count("  - type: ") == 5
    for title in re.findall(r"(?m)^    title: (.+)$", text):
        assert f"= {{{title}}}," in page
    for doi in re.findall(r"(?m)^    doi: (.+)$", text):
        assert f"= {{{doi}}}," in page
    assert stated_year(text) == re.findall(r"(?m)^  year\s+= \{(\d+)\},$", page)[0]


def stated_year(text):
    return re.search(r"(?m)^date-released: (\d{4})", text)[1]


@pytest.fixture(scope="module")
def validator():
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((ROOT / "docs" / "result.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize("target", ["kind", "size"])
def test_results_of_the_command_line_follow_the_schema(target, validator, tmp_path):
    rows = [f"{i % 7},{(3 * i) % 11},{'ab'[i % 7 > 2]},{0.5 * (i % 7) + 0.1}" for i in range(60)]
    (tmp_path / "table.csv").write_text("\n".join(["one,two,kind,size", *rows]) + "\n")
    given = ["select", str(tmp_path / "table.csv"), "--target", target, "--quiet"]
    assert main([*given, "--out", str(tmp_path / "answer")]) == 0
    found = json.loads((tmp_path / "answer" / "result.json").read_text())
    validator.validate(found)
    assert found["stack"] and found["comparison"] and found["relevance"]


def test_the_schema_knows_every_field(validator):
    known = validator.schema["properties"].keys()
    assert known == {f.name for f in fields(Record)} | {"format", "warning_codes"}
    known = validator.schema["$defs"]["result"]["properties"].keys()
    assert known == {f.name for f in fields(SelectionResult) if f.init} | {"note_codes"}


@pytest.mark.parametrize("wrong", [{"task": "clustering"}, {"ridge": "large"}, {"format": "x/9"}])
def test_the_schema_refuses_what_is_no_result(wrong, validator):
    X = [[0.1 * i, i % 3] for i in range(30)]
    y = [i % 2 for i in range(30)]
    plain = json.loads(Record.of(kw.KernelSelector().fit(X, y), y).to_json())
    assert validator.is_valid(plain) and not validator.is_valid(plain | wrong)
