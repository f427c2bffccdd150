# Everything a developer or CI types. Needs only make, and a Python from 3.12 on with its venv module.
SHELL       := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
UV_VERSION  := 0.13.9
VENV        := .venv
BIN         := $(VENV)/bin
UV          := $(BIN)/uv
EMULATOR    := .venv-ministack
SAM         := .venv-sam
PORT        ?= 8787
DATA        ?= .hindwise
ARGS        ?=
# The environment is this folder's, whatever is active in the calling shell.
unexport VIRTUAL_ENV PYTHONPATH PYTHONHOME
export UV_PYTHON_DOWNLOADS := never
export UV_PROJECT_ENVIRONMENT := $(VENV)

# A folder that was moved has broken environments: made anew.
$(shell [ ! -e $(VENV)/.home ] || [ "$$(cat $(VENV)/.home)" = "$(CURDIR)" ] || \
  rm -rf $(VENV) $(EMULATOR) $(SAM))

.PHONY: help install dev test check static format lint types template artifacts build requirements \
        bench-recall bench-speed bench-cost clean

help: ## list the commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

install: $(VENV)/.installed $(EMULATOR)/.installed ## everything that dev, test and check need

dev: install ## serve the API on 127.0.0.1 with an emulated AWS behind it (PORT=8787 DATA=.hindwise)
	@exec $(BIN)/python -m infra.local.dev --port $(PORT) --data $(DATA)

test: install ## all tests but those of the built artifacts (ARGS="-k slots" picks some)
	$(BIN)/pytest -m "not artifacts" $(ARGS)

check: static artifacts test ## what CI runs: format, lint, types, artifacts, tests

static: install
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: install ## write the code as the formatter wants it
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lint: install
	$(BIN)/ruff check .

types: install
	$(BIN)/mypy

template: $(SAM)/.installed
	AWS_DEFAULT_REGION=us-east-1 SAM_CLI_TELEMETRY=0 $(SAM)/bin/sam validate --lint --template template.yaml

artifacts: build template
	$(BIN)/pytest -m artifacts tests/test_artifacts.py

build: install $(SAM)/.installed ## sam build: layers with bytecode, byte for byte the same each time
	@$(BIN)/python -c 'import sys; sys.exit(sys.version_info[:2] != (3, 13) and "the layers hold bytecode of Python 3.13: make .venv with it (make clean install PYTHON=python3.13)")'
	PATH="$(CURDIR)/$(BIN):$$PATH" SAM_CLI_TELEMETRY=0 $(SAM)/bin/sam build --template template.yaml

requirements: install ## write the layers' requirements again, from uv.lock
	$(UV) lock --check
	$(MAKE) --no-print-directory -C layers requirements UV="$(CURDIR)/$(UV)"

bench-recall: install ## how much of what should come back does
	$(BIN)/python -m bench.recall $(ARGS)

bench-speed: install ## how long it takes, over HTTP and in process, and what an import costs
	$(BIN)/python -m bench.speed $(ARGS)

bench-cost: install ## what each operation costs on AWS (ARGS=--page writes the tables of docs/cost.md)
	$(BIN)/python -m bench.cost $(ARGS)

clean: ## remove what was built and installed; memories in .hindwise stay
	rm -rf $(VENV) $(EMULATOR) $(SAM) build dist .aws-sam .mypy_cache .ruff_cache .pytest_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.installed: pyproject.toml uv.lock
	@$(BIN)/python -c '' 2>/dev/null || { rm -rf $(VENV) && \
	  python=$$(bash infra/local/find-python.sh) && "$$python" -m venv $(VENV); }
	@$(UV) --version 2>/dev/null | grep -qF "uv $(UV_VERSION)" || \
	  { $(BIN)/python -m pip --version >/dev/null 2>&1 || $(BIN)/python -m ensurepip >/dev/null; \
	    $(BIN)/python -m pip install --quiet --disable-pip-version-check "uv==$(UV_VERSION)"; }
	$(UV) sync --frozen --quiet
	@echo "$(CURDIR)" > $(VENV)/.home
	@touch $@

$(EMULATOR)/.installed: infra/local/requirements-ministack.txt | $(VENV)/.installed
	@rm -rf $(EMULATOR)
	$(UV) venv --quiet --python $(BIN)/python $(EMULATOR)
	$(UV) pip install --quiet --python $(EMULATOR)/bin/python --require-hashes -r $<
	@touch $@

$(SAM)/.installed: infra/local/requirements-sam.txt | $(VENV)/.installed
	@rm -rf $(SAM)
	$(UV) venv --quiet --python $(BIN)/python $(SAM)
	$(UV) pip install --quiet --python $(SAM)/bin/python --require-hashes -r $<
	@touch $@
