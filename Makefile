# Everything starts from python3 and make alone; each target makes the environment that it needs.
#
#   make demo              train a network on handwritten digits with a generated gradient
#   make test [PEERS=1]    everything that is checked; PEERS=1 compares with JAX and autograd too
#   make test-all          all of what `make test` draws from: an hour more
#   make test PART=1       another quarter of what has many cases (0, which `make test` runs, to 3)
#   make extremes          integers of every width and floats of any magnitude: the walk, and 10,000 programs
#   make bench [ARGS=...]  generated gradients beside hand-written ones, autograd and JAX
#   make fuzz [N=300]      N random programs against independent derivatives
#   make libraries         the calls in packages' documentation, differentiated; of each package 400
#   make golden            write emitted source kept in tests/golden, and what the documentation shows, anew
#   make format            lay out and tidy the source
#   make clean             remove environments and caches

PYTHON ?= python3
N ?= 300
ARGS ?=

# What GNU make's parallel jobs would interleave, pytest already runs in parallel.
.NOTPARALLEL:
.DEFAULT_GOAL := test

BIN := .venv/bin
READY := .venv/.ready
READY_PEERS := .venv/.ready-peers
READY_LIBRARIES := .venv/.ready-libraries

# The other Pythons that run the emitter's tests: what `python3.X` or pyenv finds, and actually starts.
# That of `.venv` has run them among all others.
OWN_VERSION := $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)
EMITTER_VERSIONS := $(filter-out $(OWN_VERSION),3.11 3.12 3.13)
find_python = $(firstword $(foreach candidate, \
    python$(1) $(sort $(wildcard $(or $(PYENV_ROOT),$(HOME)/.pyenv)/versions/$(1).*/bin/python)), \
    $(shell $(candidate) -c 'import sys, venv, ensurepip; print(sys.executable)' 2>/dev/null)))
EMITTER_TESTS = $(wildcard tests/emit tests/test_pythons)

.PHONY: demo test test-all extremes lint unit emitter bench fuzz libraries golden format clean

demo: $(READY)
	$(BIN)/python examples/digits.py $(ARGS)

test: lint unit emitter

lint: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

unit: $(if $(PEERS),$(READY_PEERS),$(READY))
	$(BIN)/python -m pytest -n 2 $(ARGS)

# Of a test with many cases `make test` runs a fixed quarter or less, of every callable a fixed part of
# its cells: each operand in one shape, one order and one dtype (tests/shares.py).
test-all: export ALL_CELLS = 1
test-all: test

extremes: $(READY)
	$(BIN)/python -m tests.registry --extremes $(ARGS)
	$(BIN)/python -m tests.fuzz 10000 --kind dtypes

emitter: $(if $(EMITTER_TESTS),$(foreach version,$(EMITTER_VERSIONS),emitter-$(version)))

# A Python that is not there is said to be missing and is no failure.
emitter-%:
	@$(if $(call find_python,$*), \
	    $(MAKE) --no-print-directory .venv-$*/.ready INTERPRETER='$(call find_python,$*)' && \
	    echo 'the emitter on Python $*' && .venv-$*/bin/python -m pytest -n 2 $(EMITTER_TESTS), \
	    echo 'no Python $* on this machine: the emitter is not tested on it')

bench: $(READY_PEERS)
	$(BIN)/python -m tests.benchmarks $(ARGS)

fuzz: $(READY)
	$(BIN)/python -m tests.fuzz $(N) $(ARGS)

libraries: $(READY_LIBRARIES)
	$(BIN)/python -m tests.libraries $(ARGS)

# Read the difference afterwards: what is kept is what a person has found good.
golden: $(READY)
	UPDATE_GOLDEN=1 UPDATE_README=1 $(BIN)/python -m pytest --quiet \
	    tests/test_golden.py tests/emit/test_golden.py tests/test_readme.py \
	    tests/inspection/test_rules.py

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf .venv .venv-3.* .mypy_cache .pytest_cache .ruff_cache build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[examples,test]'
	@touch $@

$(READY_PEERS): $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[peers]'
	@touch $@

$(READY_LIBRARIES): $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[libraries]'
	@touch $@

.venv-%/.ready: pyproject.toml Makefile
	$(INTERPRETER) -m venv .venv-$*
	.venv-$*/bin/python -m pip install --quiet --disable-pip-version-check --editable . pytest pytest-xdist
	@touch $@
