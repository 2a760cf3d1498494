# The one door: every task of the project starts here. Nothing but python3 and make need be there before.

SHELL := /bin/bash
VENV := .venv
BIN := $(VENV)/bin
PY := $(BIN)/python
PIP := $(PY) -m pip install --quiet --disable-pip-version-check -c constraints.txt
CORE := $(VENV)/.core
FULL := $(VENV)/.full
PYTEST ?= $(PY) -m pytest -n 2 --dist worksteal

.DEFAULT_GOAL := help
.PHONY: help demo test test-all lint examples golden ledger corpus attacks docs bench wheel clean

help: ## what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

$(PY):
	python3 -m venv $(VENV)

# Enough to grade numpy homework: no torch, so that a first look is quick.
$(CORE): pyproject.toml constraints.txt | $(PY)
	$(PIP) -e .
	@$(PY) -m compileall -q grader reference
	@touch $@

# Everything that the tests need.
$(FULL): pyproject.toml constraints.txt | $(PY)
	$(PIP) -e '.[dev,docs,torch,written,cluster,web]'
	@$(PY) -m compileall -q grader reference
	@touch $@ $(CORE)

demo: $(CORE) ## grade the sample class and print its reports
	@$(BIN)/grader --version
	@for work in examples/class/[!_]*; do \
	    echo; echo "\$$ grader check $$work -a attention-numpy"; \
	    $(BIN)/grader check "$$work" -a attention-numpy; status=$$?; \
	    if [ $$status -gt 1 ]; then echo "grader check ended with $$status" >&2; exit $$status; fi; \
	done

test: $(FULL) ## the tests that take seconds each at most
	$(PYTEST) $(ARGS)

test-all: $(FULL) ## every test, the slow ones too
	$(PYTEST) -m '' $(ARGS)

lint: $(FULL) ## style, types and import directions
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

examples: $(FULL) ## write docs/examples: sample reports, a class page, the picture in the README
	$(PY) examples/render.py

golden: $(FULL) ## renew the rendered reports in tests/golden; read the difference before you commit it
	RENEW_GOLDEN=1 $(PY) -m pytest -q tests/report
	git --no-pager diff --stat -- tests/golden

ledger: $(FULL) ## renew the outcomes in tests/ledger; read the difference before you commit it
	$(PY) -m tests.ledger.entries $(ARGS)
	git --no-pager diff --stat -- tests/ledger

corpus: $(FULL) ## judge a folder of known right and wrong submissions: make corpus DIR=…
	$(PY) tests/corpus.py $(DIR)

attacks: $(FULL) ## run hostile submissions at every level the machine offers: make attacks DIR=…
	$(PY) tests/attacks.py $(DIR)

bench: $(FULL) ## measure; nothing is asserted
	@$(PY) -m compileall -q grader reference
	@for script in benchmarks/*.py; do echo "== $$script"; PYTHONPATH=. $(PY) "$$script" || exit 1; done

docs: $(FULL) ## build the documentation into build/site, warnings as errors
	NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --strict

wheel: $(FULL) ## build the distribution
	$(PY) -m hatchling build -t wheel

clean: ## remove what was made
	rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
