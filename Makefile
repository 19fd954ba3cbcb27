PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# modules are compiled when first imported, once: half of the time of an install
unexport PYTHONDONTWRITEBYTECODE
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile

.PHONY: demo test coverage mutation lint docs notebooks dist wheel-check check clean
.NOTPARALLEL:

demo: $(VENV)/.core
	$(BIN)/python -m sklearn_reclink.demo

test: $(VENV)/.test
	$(BIN)/python -m pytest --numprocesses=2 --dist=worksteal

coverage: $(VENV)/.test
	$(PIP) 'pytest-cov>=6'
	$(BIN)/python -m pytest --numprocesses=2 --dist=worksteal --cov

mutation: $(VENV)/.test
	$(PIP) 'cosmic-ray>=8.4'
	$(BIN)/python benchmarks/mutation.py

lint: $(VENV)/.lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy sklearn_reclink

docs: $(VENV)/.docs
	$(BIN)/python -m sphinx -W --keep-going -q docs build/docs

notebooks: $(VENV)/.notebooks
	$(BIN)/python notebooks/execute.py

dist: | $(BIN)/python
	$(PIP) 'build>=1.2'
	rm -rf dist
	$(BIN)/python -m build --outdir dist

# the interpreters that the wheel must run on, in an empty environment each
PYTHONS ?= python3.11 python3.12 python3.13

wheel-check: dist
	bash .ci/wheel $(PYTHONS)

check:
	bash .ci/run

clean:
	rm -rf build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	rm -f $(VENV)/.core $(VENV)/.test $(VENV)/.lint $(VENV)/.docs $(VENV)/.notebooks
	rm -rf docs/gallery docs/api/generated
	find sklearn_reclink tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: pyproject.toml | $(BIN)/python
	$(PIP) --editable .
	touch $@

# an extra of pyproject.toml each
$(VENV)/.%: pyproject.toml | $(BIN)/python
	$(PIP) --editable '.[$*]'
	touch $@ $(VENV)/.core
