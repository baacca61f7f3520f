# Everything runs in a virtual environment of its own, made on first use.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# Both distributions at once, kernelwise first: pip then takes the one that the papers need from here.
PROJECTS := pyproject.toml papers/pyproject.toml
INSTALL := $(BIN)/python -m pip install --quiet
PAPERS := --editable ./papers

SPHINX := OPENBLAS_NUM_THREADS=1 $(BIN)/sphinx-build -W --keep-going -q -c docs -b html

.PHONY: help demo test fuzz bench lint types imports doctest check docs docs-quick pictures clean

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

lint: $(VENV)/.lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell src tests docs examples papers README.md CHANGELOG.md CONTRIBUTING.md

types: $(VENV)/.lint
	$(BIN)/mypy

imports: $(VENV)/.lint
	$(BIN)/lint-imports

# The site, with every script of the gallery run: about five minutes on one core.
docs: $(VENV)/.docs
	rm -rf api
	$(SPHINX) -d build/docs/doctrees . build/docs/html
	@echo "open build/docs/html/index.html"

# The same without running the scripts, for a look at a page and for CI.
docs-quick: $(VENV)/.docs
	rm -rf api
	$(SPHINX) -D plot_gallery=0 -d build/docs-quick/doctrees . build/docs-quick/html

pictures: $(VENV)/.core
	$(BIN)/python docs/pictures.py

doctest: $(VENV)/.test
	$(BIN)/python -m pytest --doctest-modules --doctest-glob='*.md' --ignore-glob='docs/*.py' src docs README.md papers/src papers/pages papers/README.md

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

# Every supported Python, oldest and newest dependencies, the wheel; one after the other.
SESSIONS ?=
MATRIX_PATH := $(subst $() ,:,$(wildcard $(HOME)/.pyenv/versions/3.1[1-3].*/bin))
matrix: $(VENV)/.release
	PATH="$(abspath $(BIN)):$(MATRIX_PATH):$$PATH" $(BIN)/nox $(if $(SESSIONS),--sessions $(SESSIONS))

$(VENV)/.release: $(PROJECTS) | $(VENV)/bin/python
	$(INSTALL) --editable '.[release]'
	touch $@

$(VENV)/.docs: $(PROJECTS) | $(VENV)/bin/python
	$(INSTALL) --editable '.[docs]' $(PAPERS)
	touch $@ $(VENV)/.core

changelog: $(VENV)/.release
	$(BIN)/towncrier build --draft --version next

dist: $(VENV)/.release
	rm -rf dist
	$(BIN)/python -m build --outdir dist .
	$(BIN)/python -m build --outdir dist papers
	$(BIN)/twine check --strict dist/*

dry-run: $(VENV)/.release
	$(BIN)/python tools/dry_run.py

clean:
	rm -rf gallery api $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
