# `make demo` and `make test` do all their set-up themselves; they need Python >= 3.11, a C compiler and make.
PYTHON ?= python3
VENV ?= .venv
DEMO_VENV ?= .venv-demo
DOCS_VENV ?= .venv-docs
GENERATE_VENV ?= .venv-generate
WORKERS ?= 2
SAMPLE_SEED ?= 0
MINUTES ?= 5
BIN := $(abspath $(VENV))/bin
DEMO_BIN := $(abspath $(DEMO_VENV))/bin
BUILD_TOOLS := 'meson-python >= 0.18' 'ninja >= 1.11' 'cython >= 3.1' 'numpy >= 2'

.PHONY: help test test-all test-busy rewritten fuzz sanitize lint generate docs bench demo demo-robot view clean
help:
	@echo 'make demo      build, then simulate a pendulum, an arm, a falling humanoid and, with a network, a robot (own environment $(DEMO_VENV))'
	@echo 'make test      everything CI runs (environment $(VENV), with the reference engines); of large sets of cases'
	@echo '               a fixed random sample; make test SAMPLE_SEED=7 draws another sample'
	@echo 'make test-all  the same with all cases'
	@echo 'make test-busy tests of threads and processes, twenty times, beside two busy processes'
	@echo 'make fuzz      the fuzzer for a minute, at most 10,000 cases'
	@echo 'make sanitize  the fuzzer for MINUTES=5 on modules compiled with sanitizers, in build/sanitize'
	@echo 'make lint      style and types only'
	@echo 'make generate  rewrite generated/ from schemas/ (in $(GENERATE_VENV), with four packages, if there is no $(VENV))'
	@echo 'make docs      the documentation, build/html/index.html (in $(DOCS_VENV) if there is no $(VENV))'
	@echo 'make bench     speed against the reference engines, as one table of ratios'
	@echo 'make clean     remove environments and build outputs'

# --- the environment of developers and CI: an editable install, rebuilt on import ---------------------------------
$(VENV)/installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet $(BUILD_TOOLS)
	CYTHON="$(BIN)/cython" PATH="$(BIN):$$PATH" \
	  $(BIN)/pip install --quiet --no-compile --no-build-isolation --editable '.[test]'
	-@$(BIN)/python -m compileall -qq -j $(WORKERS) $(VENV)/lib  # pip would compile the packages in one process
	touch $@

test: PYTEST_OPTIONS = --sample-seed $(SAMPLE_SEED)
test-all: PYTEST_OPTIONS = --full
# The first import compiles what changed, once, before the workers would all do it. An editable install reads bytecode but never writes
# it: without `compileall`, each of the many processes that tests start would compile the modules again.
test test-all: $(VENV)/installed
	$(BIN)/python -c 'import polybody'
	$(BIN)/python -m compileall -q runtime codegen generated
	$(MAKE) -j $(WORKERS) lint fuzz rewritten
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(PYTEST_OPTIONS)

# Each is one process; `make test` runs them beside each other. What pytest makes of the test modules is stored, and both workers read it.
rewritten: $(VENV)/installed
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -q --collect-only > build/collected.txt || { cat build/collected.txt; exit 1; }

fuzz: $(VENV)/installed
	$(BIN)/python -m tests.fuzz --minutes 1 --cases 10000 --seed $(SAMPLE_SEED)

# Threads and processes, twenty times beside two busy processes: no outcome may depend on who comes first.
test-busy: $(VENV)/installed
	trap 'kill $$busy' EXIT INT TERM; \
	for n in 1 2; do $(BIN)/python -c 'while True: pass' & busy="$$busy $$!"; done; \
	for round in $$(seq 20); do $(BIN)/python -m pytest -q -x -m concurrent || exit 1; done

# The fuzzer on compiled modules that look at every access to memory (tools/sanitize.py).
sanitize: $(VENV)/installed
	$(BIN)/python -c 'import polybody'
	$(BIN)/python tools/sanitize.py tests.fuzz --minutes $(MINUTES) --seed $(SAMPLE_SEED)

lint: $(VENV)/installed view
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/mypy --explicit-package-bases benchmarks tools
	$(BIN)/python tools/snippets.py build/snippets
	$(BIN)/mypy build/snippets

# The generator compiles nothing and runs no engine: without the environment of developers it gets one of four packages.
GENERATE_BIN := $(if $(wildcard $(VENV)/installed),$(BIN),$(abspath $(GENERATE_VENV))/bin)

$(GENERATE_VENV)/installed: pyproject.toml
	$(PYTHON) -m venv $(GENERATE_VENV)
	$(abspath $(GENERATE_VENV))/bin/pip install --quiet 'pip >= 25.1'  # the first with dependency groups
	$(abspath $(GENERATE_VENV))/bin/pip install --quiet --group generate
	touch $@

generate: $(if $(wildcard $(VENV)/installed),,$(GENERATE_VENV)/installed)
	$(GENERATE_BIN)/python -m codegen

# The site needs Sphinx and the package, but none of the reference engines: an environment of its own where no other exists.
DOCS_BIN := $(if $(wildcard $(VENV)/installed),$(BIN),$(abspath $(DOCS_VENV))/bin)

$(DOCS_VENV)/installed: pyproject.toml
	$(PYTHON) -m venv $(DOCS_VENV)
	$(abspath $(DOCS_VENV))/bin/pip install --quiet '.[docs]'
	touch $@

docs: $(if $(wildcard $(VENV)/installed),$(VENV)/installed,$(DOCS_VENV)/installed)
	$(DOCS_BIN)/python tools/docs.py build/site
	$(DOCS_BIN)/python -m sphinx -q -W --keep-going -j $(WORKERS) -c docs build/site build/html

bench: $(VENV)/installed
	$(BIN)/python -m benchmarks

view:
	$(PYTHON) tools/view.py build/view

# --- the demonstration: what a user installs, nothing else --------------------------------------------------------
SOURCES := $(shell find runtime codegen generated schemas -type f -not -name '*.pyc') meson.build

$(DEMO_VENV)/bin/python:
	$(PYTHON) -m venv $(DEMO_VENV)

$(DEMO_VENV)/installed: pyproject.toml $(SOURCES) | $(DEMO_VENV)/bin/python
	$(DEMO_BIN)/pip install --quiet --config-settings=setup-args=-Dregisters=host '.[plot,scenes]'
	touch $@

# RK4, because the energy of the format's own Euler wavers by a few per cent at the file's time step.
demo: $(DEMO_VENV)/installed
	$(DEMO_BIN)/polybody check examples/inv_pendulum.xml examples/arm.xml
	mkdir -p output
	$(DEMO_BIN)/polybody sim examples/inv_pendulum.xml --set pendulum=0.1 --seconds 10 --integrator RK4 --kernels specialized \
	  --out output/inv_pendulum.npz --plot output/inv_pendulum.png
	$(DEMO_BIN)/polybody info examples/arm.xml
	$(DEMO_BIN)/polybody sim examples/arm.xml --key raised --ctrl pan=1.5 --ctrl shoulder=-0.5 --ctrl elbow=1 --ctrl wrist=0.4 \
	  --seconds 3 --integrator RK4 --kernels specialized --record actuator_force --out output/arm.npz --plot output/arm.png
	$(DEMO_BIN)/polybody check examples/humanoid.xml
	$(DEMO_BIN)/polybody sim examples/humanoid.xml --key stumble --seconds 3 --kernels specialized --out output/humanoid.npz \
	  --plot output/humanoid.png
	-@$(DEMO_BIN)/pip install --quiet --no-deps --retries 1 --timeout 10 example-robot-data 2>/dev/null
	-@$(DEMO_BIN)/pip install --quiet --no-deps --retries 1 --timeout 10 mujoco==3.2.7 2>/dev/null
	@MUJOCO_GL=disable $(DEMO_BIN)/python examples/against_mujoco.py examples/humanoid.xml stumble
	@$(MAKE) --no-print-directory demo-robot

# A robot that people know, where its package could be installed. Servos move it from the pose of its SRDF to another, within its limits.
ROBOTS = $(firstword $(wildcard $(DEMO_VENV)/lib/python3*/site-packages/cmeel.prefix/share/example-robot-data))
PANDA = $(ROBOTS)/robots/panda_description/urdf/panda.urdf --srdf $(ROBOTS)/robots/panda_description/srdf/panda.srdf \
  --package-path $(dir $(ROBOTS)) --base fixed --actuators position
demo-robot:
ifeq ($(ROBOTS),)
	@echo 'The robot at the end of the demonstration is left out: the package example-robot-data is not installed and'
	@echo 'could not be downloaded. With a network: $(DEMO_VENV)/bin/pip install --no-deps example-robot-data; make demo-robot'
else
	mkdir -p output
	$(DEMO_BIN)/polybody info $(PANDA)
	$(DEMO_BIN)/polybody sim $(PANDA) --key default --ctrl panda_joint1=1.2 --ctrl panda_joint2=0.3 --ctrl panda_joint4=-1.5 \
	  --ctrl panda_joint6=1.8 --ctrl panda_finger_joint1=0.04 --seconds 3 --integrator RK4 --kernels specialized \
	  --out output/panda.npz --plot output/panda.png
endif

clean:
	rm -rf $(VENV) $(DEMO_VENV) $(DOCS_VENV) $(GENERATE_VENV) build dist output .mesonpy-*
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
