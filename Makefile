# Everything runs in a virtual environment of its own, made on first use.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# Both distributions at once, kernelwise first: pip then takes the one that the papers need from here.
PROJECTS := pyproject.toml papers/pyproject.toml
INSTALL := $(BIN)/python -m pip install --quiet
PAPERS := --editable ./papers

.PHONY: demo test fuzz bench lint types imports doctest check clean

demo: $(VENV)/.core
	$(BIN)/python examples/demo.py demo

test: $(VENV)/.test
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal

fuzz: $(VENV)/.test
	$(BIN)/python tests/fuzz/run.py

bench: $(VENV)/.test
	$(BIN)/python benchmarks/engines.py
	$(BIN)/python benchmarks/searches.py
	$(BIN)/python benchmarks/lowrank.py
	$(BIN)/python benchmarks/cluster.py

lint: $(VENV)/.lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell src tests docs examples papers README.md CHANGELOG.md CONTRIBUTING.md

types: $(VENV)/.lint
	$(BIN)/mypy

imports: $(VENV)/.lint
	$(BIN)/lint-imports

doctest: $(VENV)/.test
	$(BIN)/python -m pytest --doctest-modules --doctest-glob='*.md' src docs README.md papers/src papers/pages papers/README.md

check: test lint types imports doctest

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: $(PROJECTS) | $(VENV)/bin/python
	$(INSTALL) --editable '.[all]' $(PAPERS)
	touch $@

$(VENV)/.test: $(PROJECTS) | $(VENV)/bin/python
	$(INSTALL) --editable '.[test]' $(PAPERS)
	touch $@ $(VENV)/.core

$(VENV)/.lint: $(PROJECTS) | $(VENV)/bin/python
	$(INSTALL) --editable '.[lint]' $(PAPERS)
	touch $@ $(VENV)/.core

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
