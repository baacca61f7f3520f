# Everything runs in a virtual environment of its own, made on first use.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# Both distributions at once, kernelwise first: pip then takes the one that the papers need from here.
PROJECTS := pyproject.toml papers/pyproject.toml
INSTALL := $(BIN)/python -m pip install --quiet
PAPERS := --editable ./papers

SAMPLE ?= 100
LOOPS := tests/gram/test_pairs.py tests/machines/test_relevance.py
SPHINX := OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/sphinx-build -W --keep-going -q -c docs -b html

.PHONY: help demo test fuzz bench mutants coverage lint types imports doctest check docs docs-quick pictures \
	matrix fresh dist dry-run clean

help: ## this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /	/' | expand -t 14

demo: $(VENV)/.core ## choose a kernel for an example table
	$(BIN)/python examples/demo.py demo

test: $(VENV)/.test ## all tests, on all processors
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal

fuzz: $(VENV)/.test ## random calls of the public API, 2,000 of each kind
	$(BIN)/python -m pytest --numprocesses auto --hypothesis-profile fuzz tests/fuzz

bench: $(VENV)/.test ## the benchmarks of speed
	$(BIN)/python benchmarks/engines.py
	$(BIN)/python benchmarks/searches.py
	$(BIN)/python benchmarks/lowrank.py

mutants: $(VENV)/.test ## mutation testing of criteria/ and machines/ (SAMPLE=0 for all)
	$(BIN)/python tools/mutate.py criteria --sample $(SAMPLE) --out build/mutants.json
	$(BIN)/python tools/mutate.py machines --sample $(SAMPLE) --out build/mutants.json

# Compiled loops are counted where they run as Python; that takes the tests of the loops alone.
coverage: $(VENV)/.test ## lines that the tests run: at least 95 %
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal --quiet --cov --cov-report=
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest --numprocesses auto --dist worksteal --quiet --cov --cov-append --cov-report= $(LOOPS)
	$(BIN)/coverage report --skip-covered --fail-under=95

lint: $(VENV)/.lint ## ruff and codespell
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell src tests docs examples papers tools *.md

types: $(VENV)/.lint ## mypy
	$(BIN)/mypy

imports: $(VENV)/.lint ## the import rule
	$(BIN)/lint-imports

# The site, with every script of the gallery run: minutes of one core.
docs: $(VENV)/.docs ## the documentation site, gallery included
	rm -rf api
	$(SPHINX) -d build/docs/doctrees . build/docs/html
	@echo "open build/docs/html/index.html"

# The same without running the scripts, for a look at a page and for CI.
docs-quick: $(VENV)/.docs ## the site without running the gallery
	rm -rf api
	$(SPHINX) -D plot_gallery=0 -d build/docs-quick/doctrees . build/docs-quick/html

pictures: $(VENV)/.core ## the pictures of the pages on concepts and figures
	$(BIN)/python docs/pictures.py

doctest: $(VENV)/.test ## the examples in docstrings and pages
	$(BIN)/python -m pytest --doctest-modules --doctest-glob='*.md' --ignore-glob='docs/*.py' src docs README.md papers/src papers/pages papers/README.md

check: test lint types imports doctest docs-quick fresh ## what CI runs

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
matrix: $(VENV)/.release ## all supported Pythons, oldest dependencies, wheel (SESSIONS=... for some)
	PATH="$(abspath $(BIN)):$(MATRIX_PATH):$$PATH" $(BIN)/nox $(if $(SESSIONS),--sessions $(SESSIONS))

$(VENV)/.release: $(PROJECTS) | $(VENV)/bin/python
	$(INSTALL) --editable '.[release]'
	touch $@

$(VENV)/.docs: $(PROJECTS) | $(VENV)/bin/python
	$(INSTALL) --editable '.[docs]' $(PAPERS)
	touch $@ $(VENV)/.core

fresh: ## the library alone in a new environment: it imports and chooses
	rm -rf build/fresh
	$(PYTHON) -m venv build/fresh
	build/fresh/bin/python -m pip install --quiet .
	build/fresh/bin/python tools/core.py

dist: $(VENV)/.release ## build and check wheels and source archives
	rm -rf dist
	$(BIN)/python -m build --outdir dist .
	$(BIN)/python -m build --outdir dist papers
	$(BIN)/twine check --strict dist/*

dry-run: $(VENV)/.release ## install dist/ from an index on this machine
	$(BIN)/python tools/dry_run.py

clean: ## remove what make made
	rm -rf gallery api $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
