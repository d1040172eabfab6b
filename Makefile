# Three commands do everything on a machine with Python 3.11 or later and make:
#   make demo   runs the main job on a small built-in example
#   make serve  shows pages with a study to try everything with
#   make test   runs formatter, linter, type checker, tests and doctests
# All set up .venv by themselves the first time and reuse it afterwards.

.DEFAULT_GOAL := help
SHELL := /bin/sh
# Somebody's PIP_USER=1 would send packages past the environments made here, which pip refuses.
export PIP_USER := 0

# The first interpreter on the path that is new enough; override with `make PYTHON=…`.
NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for name in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	if $$name -c '$(NEW_ENOUGH)' >/dev/null 2>&1; then echo $$name; break; fi; done)

VENV := .venv
PLAIN := .venv-plain
LOWEST := .venv-lowest
BIN := $(VENV)/bin
PIP_QUIET := --quiet --disable-pip-version-check

.PHONY: help demo serve test test-lowest format lint types tests plain docs fuzz bench bench-quick replicate replicate-quick clean

help:
	@echo "make demo             a simulated charity, from its decisions to a report"
	@echo "make serve            pages with a study to try, on this machine (Ctrl+C stops it)"
	@echo "make test             formatter, linter, type checker, tests and doctests"
	@echo "make test-lowest      the tests with the lowest admitted version of every dependency"
	@echo "make format           let the formatter rewrite the sources"
	@echo "make docs             build the documentation into build/docs (open index.html)"
	@echo "make fuzz             a minute of random input; goes on where the last run stopped"
	@echo "make bench            measure speed against the alternatives (minutes)"
	@echo "make bench-quick      the same in under two minutes"
	@echo "make replicate        run the paper's experiments again (about 20 minutes; can be interrupted)"
	@echo "make replicate-quick  fewer settings, in about three minutes"
	@echo "make clean            remove everything the other commands made"

# A new pyproject.toml means new requirements; otherwise the environment is ready as it is.
# $(1): the environment, $(2): what to install, $(3): what it is for.
define environment
	@test -n "$(PYTHON)" || { echo "welfarist needs Python 3.11 or later on the PATH; found none. Install one, or run: make PYTHON=/path/to/python $(MAKECMDGOALS)"; exit 1; }
	@echo "==> Setting up $(1): $(3) (first run only, about a minute)"
	@$(PYTHON) -m venv --clear $(1) || { echo "Python cannot create a virtual environment. On Debian and Ubuntu: apt-get install python3-venv"; exit 1; }
	@$(1)/bin/python -m pip install $(PIP_QUIET) $(2)
	@touch $@
endef

$(VENV)/.ready: pyproject.toml
	$(call environment,$(VENV),--editable ".[all]",the package with everything)

$(PLAIN)/.ready: pyproject.toml
	$(call environment,$(PLAIN),.,the package without extras)

demo: $(VENV)/.ready
	@$(BIN)/welfarist demo

serve: $(VENV)/.ready
	@$(BIN)/welfarist serve --demo

test: lint types tests plain
	@echo "==> All checks passed"

lint: $(VENV)/.ready
	@echo "==> Formatter and linter"
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .

types: $(VENV)/.ready
	@echo "==> Type checker"
	@$(BIN)/mypy

# One thread a worker: workers that share cores wait for each other's threads otherwise.
tests: $(VENV)/.ready
	@echo "==> Tests and doctests"
	@OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -q -n auto

# What is published is built, looked into, and installed without any extra.
plain: $(VENV)/.ready $(PLAIN)/.ready
	@echo "==> The package as it is published, and a plain install of it"
	@$(BIN)/python tests/built_package.py
	@$(PLAIN)/bin/python -m pip install $(PIP_QUIET) --no-deps --force-reinstall build/dist/*.whl
	@$(PLAIN)/bin/python tests/plain_install.py $(BIN)/python

# Old releases of others beside new ones of theirs deprecate each other; ours are errors as ever.
# PYTHON=python3.11 chooses the interpreter, for which there must be wheels that old.
$(LOWEST)/.ready: pyproject.toml tests/lowest_versions.py
	@mkdir -p build
	@$(PYTHON) tests/lowest_versions.py > build/lowest.txt
	$(call environment,$(LOWEST),--constraint build/lowest.txt --editable ".[all]",the lowest admitted versions)

test-lowest: $(LOWEST)/.ready
	@echo "==> Tests and doctests with the lowest admitted versions"
	@OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(LOWEST)/bin/python -m pytest -q -n auto -W ignore::DeprecationWarning

format: $(VENV)/.ready
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

# Nothing is loaded from outside when the pages are read: a test looks at every one of them.
docs: $(VENV)/.ready
	@$(BIN)/python -m sphinx -q -W --keep-going -n -b html -d build/doctrees docs build/docs
	@echo "==> build/docs/index.html"

# FUZZ="--seconds 600 --seed 7" makes it a longer run, or another one.
fuzz: $(VENV)/.ready
	@OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m fuzz $(FUZZ)

bench: $(VENV)/.ready
	@$(BIN)/python -m benchmarks

bench-quick: $(VENV)/.ready
	@$(BIN)/python -m benchmarks --quick

replicate: $(VENV)/.ready
	@$(BIN)/python -m replication

replicate-quick: $(VENV)/.ready
	@$(BIN)/python -m replication --quick

clean:
	rm -rf $(VENV) $(PLAIN) $(LOWEST) build .pytest_cache .mypy_cache .ruff_cache .hypothesis
