# Everything runs in a virtual environment of its own, made on first use.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

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

lint: $(VENV)/.lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell src tests docs examples README.md CHANGELOG.md CONTRIBUTING.md

types: $(VENV)/.lint
	$(BIN)/mypy

imports: $(VENV)/.lint
	$(BIN)/lint-imports

doctest: $(VENV)/.test
	$(BIN)/python -m pytest --doctest-modules --doctest-glob='*.md' src docs README.md

check: test lint types imports doctest

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable '.[all]'
	touch $@

$(VENV)/.test: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	touch $@ $(VENV)/.core

$(VENV)/.lint: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable '.[lint]'
	touch $@ $(VENV)/.core

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
