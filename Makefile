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
RUNTIME     := .venv-runtime
MEM0        := .venv-mem0
PORT        ?= 8787
DATA        ?= .hindwise
NODE        := .opensearch
OPENSEARCH_PORT ?= 9200
# OPENSEARCH=1 starts a node beside the dev server, where OPENSEARCH_ENDPOINT names none.
WANTED_NODE := $(filter-out 0,$(OPENSEARCH))
OWN_NODE    := $(if $(OPENSEARCH_ENDPOINT),,$(WANTED_NODE))
ARGS        ?=
STAGE       ?= dev
PARAMETERS  ?=
FUNCTION    ?= write
# The environment is this folder's, whatever is active in the calling shell.
unexport VIRTUAL_ENV PYTHONPATH PYTHONHOME
export UV_PYTHON_DOWNLOADS := never
export UV_PROJECT_ENVIRONMENT := $(VENV)

# A folder that was moved has broken environments: made anew.
$(shell [ ! -e $(VENV)/.home ] || [ "$$(cat $(VENV)/.home)" = "$(CURDIR)" ] || \
  rm -rf $(VENV) $(EMULATOR) $(SAM) $(RUNTIME) $(MEM0))

.PHONY: help install dev opensearch opensearch-install test test-localstack soak check static format lint types template artifacts build invoke requirements \
        deploy deploy-search bench-recall bench-speed bench-cost bench-learn bench-node bench-mem0 clean

help: ## list the commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 20

install: $(VENV)/.installed $(EMULATOR)/.installed ## everything that dev, test and check need

dev: install $(if $(OWN_NODE),opensearch-install) ## serve the API on 127.0.0.1 with an emulated AWS behind it (PORT=8787 DATA=.hindwise OPENSEARCH=1)
	@exec $(BIN)/python -m infra.local.dev --port $(PORT) --data $(DATA) $(if $(WANTED_NODE),--opensearch)

opensearch: install opensearch-install ## run an OpenSearch node with k-NN until Ctrl-C (OPENSEARCH_PORT=9200 DATA=.hindwise)
	@exec $(BIN)/python -m infra.local.search_node --port $(OPENSEARCH_PORT) --home $(DATA)/opensearch

opensearch-install: $(NODE)/.installed ## fetch OpenSearch, once; needs Java 11 or later and Maven

test: install opensearch-install ## all tests but those of the built artifacts (ARGS="-k slots" picks some)
	$(if $(strip $(ARGS)),$(BIN)/pytest -m "not artifacts" $(ARGS),@$(call SIDE_BY_SIDE,-m "not artifacts" \
	  $(ONE_HALF),-m "not artifacts" tests/integration tests/e2e))

# Two runs of pytest beside each other, of about the same length. The first one's report comes last.
ONE_HALF     := tests/unit tests/property tests/machine tests/contract $(wildcard tests/test_*.py)
SIDE_BY_SIDE  = mkdir -p build; status=0; \
  $(BIN)/pytest $(1) >build/$@-beside.log 2>&1 & beside=$$!; \
  $(BIN)/pytest $(2) || status=$$?; \
  wait $$beside || status=$$?; cat build/$@-beside.log; exit $$status

test-localstack: install ## the contract tests on an emulated AWS that runs already (AWS_ENDPOINT_URL=http://...)
	@test -n "$(AWS_ENDPOINT_URL)" || \
	  { echo "say where it is: make test-localstack AWS_ENDPOINT_URL=http://127.0.0.1:4566" >&2; exit 2; }
	env -u AWS_PROFILE $(BIN)/pytest -m ministack --endpoint "$(AWS_ENDPOINT_URL)" tests/contract $(ARGS)

soak: install opensearch-install ## the promises in 2,000 histories of 50 steps, for hours if wanted (ARGS="--histories 20000")
	$(BIN)/pytest tests/machine --histories 2000 --steps 50 $(ARGS)

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
	$(SAM)/bin/cfn-lint infra/alarms.yaml infra/search-domain.yaml

artifacts: build template $(RUNTIME)/.installed
	@$(call SIDE_BY_SIDE,-m artifacts --ignore=tests/e2e,-m artifacts tests/e2e)

build: install $(SAM)/.installed ## sam build: layers with bytecode, byte for byte the same each time
	@$(BIN)/python -c 'import sys; sys.exit(sys.version_info[:2] != (3, 13) and "the layers hold bytecode of Python 3.13: make .venv with it (make clean install PYTHON=python3.13)")'
	PATH="$(CURDIR)/$(BIN):$$PATH" SAM_CLI_TELEMETRY=0 $(SAM)/bin/sam build --template template.yaml

deploy: install ## sam deploy of a stage of samconfig.toml (STAGE=dev PARAMETERS="Name=value ...")
	@$(BIN)/python -m infra.local.stages $(STAGE) >/dev/null
	$(MAKE) --no-print-directory build
	SAM_CLI_TELEMETRY=0 $(SAM)/bin/sam deploy --config-env $(STAGE) \
	  --parameter-overrides $$($(BIN)/python -m infra.local.stages $(STAGE)) $(PARAMETERS) $(ARGS)

deploy-search: $(SAM)/.installed ## the OpenSearch domain of a stage, a stack of its own (STAGE=dev PARAMETERS=)
	SAM_CLI_TELEMETRY=0 $(SAM)/bin/sam deploy --template-file infra/search-domain.yaml \
	  --stack-name hindwise-$(STAGE)-search --no-fail-on-empty-changeset \
	  --parameter-overrides Stage=$(STAGE) $(PARAMETERS) $(ARGS)
	@SAM_CLI_TELEMETRY=0 $(SAM)/bin/sam list stack-outputs --stack-name hindwise-$(STAGE)-search --output json

invoke: $(SAM)/.installed $(RUNTIME)/.installed install ## run a built function by AWS's runtime emulator (FUNCTION=write ARGS="--event FILE")
	@$(BIN)/python -m infra.local.invoke $(FUNCTION) $(ARGS)

requirements: install ## write the layers' requirements again, from uv.lock
	$(UV) lock --check
	$(MAKE) --no-print-directory -C layers requirements UV="$(CURDIR)/$(UV)"

bench-recall: install bench-node ## how much of what should come back does
	$(BIN)/python -m bench.recall $(ARGS)

bench-speed: install bench-node $(SAM)/.installed $(RUNTIME)/.installed ## how long it takes: over HTTP, in process, imports, cold starts
	$(BIN)/python -m bench.speed $(ARGS)

bench-cost: install ## what each operation costs on AWS (ARGS=--page writes the tables of docs/cost.md)
	$(BIN)/python -m bench.cost $(ARGS)

bench-learn: install bench-mem0 ## what learning keeps, loses and costs, beside mem0 (ARGS="--share 0.1 --parts queue")
	$(BIN)/python -m bench.learn $(ARGS)

bench-trust: install ## what hostile text can do, what honest text loses (ARGS="--share 0.1 --parts tricks")
	$(BIN)/python -m bench.trust $(ARGS)

bench-mem0: # where it cannot be installed, it says why, and the benchmark does without
	-@$(MAKE) --no-print-directory $(MEM0)/.installed

bench-node: # where it cannot be installed, it says why, and the benchmarks do without
	-@$(MAKE) --no-print-directory opensearch-install

clean: ## remove what was built and installed; memories in .hindwise stay
	rm -rf $(VENV) $(EMULATOR) $(SAM) $(RUNTIME) $(MEM0) $(NODE) build dist .aws-sam .mypy_cache .ruff_cache .pytest_cache
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

$(NODE)/.installed: $(addprefix infra/local/opensearch/,pom.xml sha256sums.txt install.sh)
	@bash infra/local/opensearch/install.sh $(NODE)
	@touch $@

$(RUNTIME)/.installed: infra/local/requirements-runtime.txt | $(VENV)/.installed
	@rm -rf $(RUNTIME)
	$(UV) venv --quiet --python $(BIN)/python $(RUNTIME)
	$(UV) pip install --quiet --compile-bytecode --python $(RUNTIME)/bin/python --require-hashes -r $<
	@touch $@

$(MEM0)/.installed: bench/requirements-mem0.txt | $(VENV)/.installed
	@rm -rf $(MEM0)
	$(UV) venv --quiet --python $(BIN)/python $(MEM0)
	$(UV) pip install --quiet --python $(MEM0)/bin/python --require-hashes -r $<
	@touch $@
