# `make help` lists the targets. Every target that needs the environment makes it first.
.DEFAULT_GOAL := help
SHELL := /bin/sh
BIN := .venv/bin
STAMP := $(if $(TFX_LINE),.venv/ready-$(TFX_LINE),$(or $(wildcard .venv/ready-*),.venv/ready))

.PHONY: help
help: ## Show this help
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(STAMP): setup.py constraints/tfx-1.16.txt constraints/tfx-1.21.txt scripts/setup.sh
	@sh scripts/setup.sh

.PHONY: setup
setup: $(STAMP) ## Make .venv with everything pinned (TFX_LINE=1.16|1.21 and PYTHON= override the choice)

.PHONY: demo
demo: $(STAMP) ## The main job: TFX's taxi pipeline retrained on 50-anonymous trips, and what privacy cost
	@$(BIN)/python -m pipelines.taxi.local

.PHONY: demo-adult
demo-adult: $(STAMP) ## The paper's benchmark: UCI Adult (DATA=DIR with adult.data and adult.test, or it is fetched)
	@$(BIN)/python -m pipelines.adult.local $(if $(DATA),--data $(DATA))

.PHONY: test
test: $(STAMP) ## Run every test
	@$(BIN)/python -m pytest

.PHONY: test-fast
test-fast: $(STAMP) ## Run the tests that take seconds
	@$(BIN)/python -m pytest -m "not slow"

.PHONY: test-current
test-current: ## Run every test on TFX 1.21, in a Debian 13 root where this system is too old for it (needs root)
	@sh scripts/current_line.sh make test

.PHONY: demo-current
demo-current: ## The main job on TFX 1.21, likewise
	@sh scripts/current_line.sh make demo

.PHONY: kubeflow-compile
kubeflow-compile: $(STAMP) ## Compile the examples for Kubeflow into build/kubeflow/ (IMAGE=registry/name:tag)
	@$(BIN)/python -m pipelines.taxi.kubeflow $(if $(IMAGE),--image $(IMAGE))
	@$(if $(IMAGE),TFX_ANONYMIZER_IMAGE=$(IMAGE)) $(BIN)/python -m pipelines.table.kubeflow

.PHONY: image
image: ## Build the container image (IMAGE=name, BASE=base image, ENGINE=buildah|podman|docker)
	@IMAGE=$(IMAGE) sh scripts/image.sh build

.PHONY: image-test
image-test: $(STAMP) image ## Build the image and run every step of a compiled pipeline in it
	@IMAGE=$(IMAGE) IMAGE_TEST=yes $(BIN)/python -m pytest -s tests/e2e/test_image.py

.PHONY: airflow-test
airflow-test: $(STAMP) ## The taxi pipeline under real Airflow schedulers, 3 and 2.11 (an hour; FLAVOUR=3 or 2-tfx for one)
	@$(BIN)/python -m pytest -x tests/airflow/scheduled_runs.py $(if $(FLAVOUR),-k "$(FLAVOUR)")

.PHONY: runners-test
runners-test: $(STAMP) ## Releases by worker processes: Beam's direct runner with two, and its portable job server (minutes)
	@$(BIN)/python -m pytest tests/runners/runner_runs.py -k "not flink and not prism"

.PHONY: prism-test
prism-test: $(STAMP) ## The transforms on Prism, Beam's portable runner in Go (needs Go)
	@$(BIN)/python -m pytest tests/runners/runner_runs.py -k "prism and transforms"

.PHONY: flink-test
flink-test: $(STAMP) ## The same on a Flink cluster of three processes (needs Java 11 or 17, and Maven)
	@$(BIN)/python -m pytest tests/runners/runner_runs.py -k "flink"

.PHONY: docs
docs: $(STAMP) ## Build the documentation site into build/site, strictly; open build/site/index.html
	@NO_MKDOCS_2_WARNING=yes $(BIN)/mkdocs build --quiet --strict

.PHONY: lint
lint: $(STAMP) ## Check style and layers
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports

.PHONY: types
types: $(STAMP) ## Check types
	@$(BIN)/mypy

.PHONY: format
format: $(STAMP) ## Bring the code into form
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

.PHONY: lock
lock: ## Resolve all constraints files anew (keeps what is pinned where it can; UPGRADE=1 takes the newest)
	@sh scripts/lock.sh

.PHONY: clean
clean: ## Remove what was built and run, but not .venv
	rm -rf build dist runs .pytest_cache .mypy_cache .ruff_cache .hypothesis components/*.egg-info
	find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +
