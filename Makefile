# One target per chore. `make demo` and `make test` need nothing but Python 3.11+ on a fresh machine.

PYTHON ?= python3
BIN := .venv/bin
PACKAGE := .venv/.installed
DEVELOPMENT := .venv/.installed-dev
PIP := $(BIN)/pip install -qq --disable-pip-version-check -c constraints.txt

.PHONY: help setup demo training test check docs package format clean

help:
	@echo "make demo      translate with the bundled models, with terms and alignments"
	@echo "make test      every check and every test"
	@echo "make docs      build the documentation into site/"
	@echo "make package   build the wheel, and run the README's session with it"
	@echo "make training  train a small model, translate with it and score it (about a minute)"
	@echo "make format    put the code into its house format"

$(PACKAGE): pyproject.toml constraints.txt
	@echo "Setting up .venv with the package and what it needs (about a minute, once)"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(PIP) -e ".[train,files]"
	@touch $@

$(DEVELOPMENT): $(PACKAGE)
	@echo "Adding what development needs to .venv (about a minute, once)"
	@$(PIP) -e ".[dev]"
	@touch $@

setup: $(DEVELOPMENT)

demo: $(PACKAGE)
	@$(BIN)/python examples/demo.py

training: $(PACKAGE)
	@$(BIN)/python examples/training.py

check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: check
	$(BIN)/pytest -n 2

docs: setup
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

package: setup
	$(BIN)/python scripts/check_package.py

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf .venv demo build dist site
