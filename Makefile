# Notewell's commands. `make help` lists them.

PYTHON ?= python3
VAULT ?=
EVAL_DATA ?= ../shared/data
MULTILINGUAL = multilingual-e5-small-q4
EVAL_LANGUAGES = tests/eval/results/$(MULTILINGUAL)
SECONDS_OF_STRESS ?= 300
KILLS_OF_STRESS ?= 1000
INPUTS_OF_FUZZ ?= 100000
BENCH_FLAGS ?=
PYTEST_FLAGS ?=

CONTRACT := plugin/src/contract.ts
PAGES := sidecar/notewell/doors/web/static/index.html

# What tests in the browser and a release need built; BUILT=1 says that it is.
BUILT ?=
BUILDS := $(if $(BUILT),,plugin web)

VENV := .venv
PY := $(VENV)/bin/python
NODE := node_modules
TORCH_VENV := .venv-torch
TORCH_PY := $(TORCH_VENV)/bin/python
RELEASE_VENV := .venv-release
RELEASE_PY := $(RELEASE_VENV)/bin/python
MEASURE_VENV := .venv-measure
MEASURE_PY := $(MEASURE_VENV)/bin/python
DIST := dist
PIP := -m pip --disable-pip-version-check --quiet
PACKAGES := packages/notewell-eval packages/notewell-postgres packages/notewell-zotero
# Most modules of most packages are never imported; those that are compile then.
INSTALL := install --no-compile
TORCH_PIP = $(PY) $(PIP) --python $(TORCH_PY)
MEASURE_PIP = $(PY) $(PIP) --python $(MEASURE_PY)
RELEASE_PIP = $(PY) $(PIP) --python $(RELEASE_PY)

# Tests write much, and on a disk they wait for it: in memory, where 4 GB are free and programs may run.
MEMORY := $(shell [ -w /dev/shm ] && ! grep -q '^[^ ]* /dev/shm [^ ]* [^ ]*noexec' /proc/mounts && \
	df -Pk /dev/shm | awk 'NR == 2 && $$4 > 4000000 { print "/dev/shm" }')
test-python test-quick test-e2e: export TMPDIR := $(or $(TMPDIR),$(MEMORY),/tmp)

# Images often forbid bytecode; every process that a test starts would then compile the package.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help run test test-quick test-python test-plugin test-unit test-e2e check lint lint-python lint-plugin \
	browser python-tools node-tools torch-tools release-tools contract contract-check plugin web pages release release-try \
	release-check helper workflows-check notices audit bench-plugin bench-phone bench-web bench-growth bench-postgres test-torch stress coverage mutation fuzz eval eval-languages eval-engines bench load clean

help: ## This list
	@grep -hE '^[a-z-]+:.*## ' Makefile | sed -E 's/:.*## /\t/' | expand -t 14

run: $(VENV)/.runs pages ## Serve the sample vault, or yours: make run VAULT=~/Notes
ifeq ($(strip $(VAULT)),)
	@$(PY) -m notewell demo
else
	@$(PY) -m notewell serve "$(VAULT)"
endif

test: test-python test-plugin ## All tests; the plugin's use a real browser and a real server

test-python: $(VENV)/.tests ## The tests of the sidecar
	@$(PY) -m pytest -n auto --dist worksteal -q $(PYTEST_FLAGS) || { printf '\nOnce more, one by one: what failed\n\n'; \
		$(PY) -m pytest --last-failed --last-failed-no-failures none -q; }

test-quick: $(VENV)/.quick $(NODE)/.made ## Most tests in a few minutes: no browser, no database, no faults
	@$(PY) -m pytest -n auto --dist worksteal -q --quick $(PYTEST_FLAGS)
	@npm run --silent test

test-plugin: test-unit test-e2e ## The tests of the plugin

test-unit: $(NODE)/.made
	@npm run --silent test

test-e2e: $(VENV)/.runs $(NODE)/.made browser $(BUILDS)
	@$(NODE)/.bin/tsc -p tests/host
	@NOTEWELL_TEST_COMMAND="$(CURDIR)/$(VENV)/bin/notewell" node tests/e2e/run.mjs

plugin: $(NODE)/.made $(if $(strip $(VAULT)),$(VENV)/.runs) ## Build the plugin: main.js and styles.css, beside manifest.json; with VAULT=~/Notes, install it there
	@npm run --silent build
	@$(if $(strip $(VAULT)),$(PY) -m notewell plugin install "$(VAULT)" --enable)

release-check: $(NODE)/.made ## Build twice, compare, and check the release by Obsidian's review rules
	@npm run --silent release-check

release: $(VENV)/.runs $(RELEASE_VENV)/.made $(BUILDS) ## Wheel, sdist, the bundle for assistants, the plugin's files and a bill of components in dist/, with checksums; built twice and compared
	@$(PY) release/components.py --bill $(DIST)
	@$(RELEASE_PY) release/build.py --out $(DIST)
	@$(PY) release/bundle.py $(DIST)

notices: $(VENV)/.runs ## THIRD_PARTY_NOTICES.md, from the packages that are installed
	@$(PY) release/components.py --notices THIRD_PARTY_NOTICES.md

audit: $(VENV)/.tests $(NODE)/.made ## Known weaknesses of dependencies, where the registries answer that
	@$(PY) -m pytest -q tests/test_dependencies.py
	@npm audit --omit=dev || echo "The npm registry did not answer, or see above."
	@$(VENV)/bin/pip-audit --version >/dev/null 2>&1 || $(PY) $(PIP) $(INSTALL) pip-audit
	@$(VENV)/bin/pip-audit --local || echo "The package index did not answer, or see above."

release-try: $(RELEASE_VENV)/.made ## Install the wheel in dist/ with uv and with pipx into empty homes; search, serve, try the example of a feature
	@$(RELEASE_PY) release/try_wheel.py $(DIST)
	@$(RELEASE_PY) release/try_feature.py $(DIST)

helper: $(RELEASE_VENV)/.helper web ## A folder with the program, Python and the model, packed into dist/ and tried
	@$(RELEASE_PIP) $(INSTALL) --force-reinstall --no-deps . $(addprefix ./,$(PACKAGES))
	@$(RELEASE_PY) release/helper.py --out $(DIST)

workflows-check: $(RELEASE_VENV)/.made ## The workflow files, by actionlint; nothing here runs them
	@$(RELEASE_VENV)/bin/actionlint -color .github/workflows/*.yml

release-tools: $(RELEASE_VENV)/.made

web: $(NODE)/.made ## Build the web interface into the Python package
	@npm run --silent build:web

# The pages are optional: without Node.js the server explains at / how to build them.
pages:
	@if ! command -v npm >/dev/null; then echo "No Node.js here, so the server runs without its pages."; \
	elif [ -z "$$(find $(PAGES) -maxdepth 0 -newer package.json 2>/dev/null)" ] || \
		[ -n "$$(find plugin/web plugin/src -newer $(PAGES) -type f | head -1)" ]; then \
		$(MAKE) --no-print-directory web || echo "The pages could not be built; the server runs without."; \
	fi

check: lint test ## Everything a change must pass: lint and tests

lint: lint-python lint-plugin ## Style, types, and which packages may import which

lint-plugin: $(NODE)/.made
	@npm run --silent lint

# Checks that a generated file is up to date go at the end of the target whose tools they need.
lint-python: $(VENV)/.tests
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m mypy
	@$(VENV)/bin/lint-imports
	@$(MAKE) --no-print-directory contract-check

contract: $(VENV)/.runs ## The plugin's types of the contract, from its records in Python
	@$(PY) release/contract_types.py $(CONTRACT)

contract-check: $(VENV)/.runs
	@$(PY) release/contract_types.py --check $(CONTRACT)

python-tools: $(VENV)/.tests

node-tools: $(NODE)/.made

torch-tools: $(TORCH_VENV)/.tests

test-torch: $(TORCH_VENV)/.tests ## The tests that need the extra torch or compare, in a separate environment
	@$(TORCH_PY) -m pytest -q -m torch $$(grep -rl --include='test_*.py' 'mark\.torch' tests packages)

stress: $(VENV)/.tests ## Kill the writer at any moment and while it stores vectors, then long histories, 10,000 renames and a bulk run by a real service
	@$(PY) -m tests.stress.kills --seconds $(SECONDS_OF_STRESS) --result tests/stress/results.json
	@$(PY) -m tests.stress.kills --moments vectors --kills $(KILLS_OF_STRESS) --seconds 3600 --result tests/stress/results.json
	@NOTEWELL_TEST_STRESS=long $(PY) -m pytest -q tests/stress/test_operations.py tests/faults/test_vault_changes.py \
		tests/models/remote/test_real_server.py

coverage: $(MEASURE_VENV)/.made ## Lines and branches of each room that the quick tests reach
	@$(MEASURE_PY) -m pytest -n auto -q --quick --cov=notewell --cov=notewell_eval --cov=notewell_postgres --cov=notewell_zotero --cov-branch --cov-report=json:$(MEASURE_VENV)/coverage.json
	@$(MEASURE_PY) -m tests.coverage $(MEASURE_VENV)/coverage.json

mutation: $(MEASURE_VENV)/.made ## How many small faults in the writer, the batch and the ranking their tests notice
	@$(MEASURE_PY) -m tests.mutation

fuzz: $(VENV)/.tests ## Random inputs for parsers, packs, settings and servers; found ones are in tests/fuzz/out
	@$(PY) -m tests.fuzz.run --inputs $(INPUTS_OF_FUZZ) --result tests/fuzz/results.json

eval: $(VENV)/.tests ## Search quality on judged queries: make eval EVAL_DATA=folder
	@$(PY) tests/eval/run.py --data "$(EVAL_DATA)" --out tests/eval/results
	@$(PY) tests/eval/run.py --data "$(EVAL_DATA)" --out tests/eval/results --development
	@$(MAKE) eval-languages

eval-languages: $(VENV)/.tests ## The multilingual model on German, Russian, Chinese and Japanese, and questions across languages
	@$(PY) tests/eval/run.py --data "$(EVAL_DATA)" --model $(MULTILINGUAL) --out $(EVAL_LANGUAGES) --sets xquad-de,xquad-ru,xquad-zh
	@$(PY) tests/eval/run.py --data "$(EVAL_DATA)" --model $(MULTILINGUAL) --out $(EVAL_LANGUAGES) --development --sets help-de,help-ru,help-zh,help-ja
	@$(PY) tests/eval/cross_language.py --data "$(EVAL_DATA)" --out $(EVAL_LANGUAGES)

eval-engines: $(VENV)/.tests ## PostgreSQL beside the embedded engine on every set: the best ten, recall, nDCG
	@$(PY) tests/eval/engines.py --data "$(EVAL_DATA)" --out tests/eval/results

eval-garden: $(VENV)/.tests ## Precision and recall of the gardener's checks: make eval-garden EVAL_DATA=folder
	@$(PY) tests/eval/gardening/run.py --data "$(EVAL_DATA)" --out tests/eval/results/gardening.md

bench: $(VENV)/.tests $(TORCH_VENV)/.tests ## Speed and memory, compared with other packages in one run
	@$(PY) tests/bench/run.py --torch-python $(TORCH_PY) --out tests/bench/results $(BENCH_FLAGS)

bench-plugin: $(NODE)/.made browser ## What the plugin costs alone in a large vault: make bench-plugin VAULT=folder
	@npm run --silent build && npx tsc -p tests/host
	@for kind in desktop phone; do node tests/e2e/bench/largeVault.mjs "$(VAULT)" --kind $$kind --out tests/e2e/bench/results; done

bench-phone: $(NODE)/.made browser ## What meaning without a server costs and finds: make bench-phone VAULT=folder QUERIES=file
	@npm run --silent build && npx tsc -p tests/host
	@node tests/e2e/bench/phoneIndex.mjs "$(VAULT)" "$(QUERIES)"

bench-web: $(VENV)/.runs $(NODE)/.made browser ## What the web pages cost in a large vault: make bench-web VAULT=folder
	@npm run --silent build:web
	@NOTEWELL_TEST_COMMAND="$(CURDIR)/$(VENV)/bin/notewell" node tests/e2e/bench/webPages.mjs "$(VAULT)" --out tests/e2e/bench/results

bench-postgres: $(VENV)/.tests ## PostgreSQL beside the embedded engine at 100,000 and 300,000 passages (over half an hour)
	@$(PY) tests/bench/run.py --only postgres --out tests/bench/results/postgres $(BENCH_FLAGS)

bench-growth: $(VENV)/.tests ## How speed and memory grow to a million passages (12 GB of disk, over an hour)
	@$(PY) tests/bench/run.py --only growth --out tests/bench/results/growth $(BENCH_FLAGS)

load: $(VENV)/.tests ## Fifty clients search one server for a minute while notes change
	@$(PY) tests/bench/run.py --only load --out tests/bench/results/load $(BENCH_FLAGS)

clean: ## Remove the files that the commands above created
	@rm -rf $(VENV) $(TORCH_VENV) $(RELEASE_VENV) $(DIST) $(NODE) main.js styles.css sidecar/notewell/doors/web/static .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Notewell needs Python 3.11 or newer; name one: make PYTHON=python3.12 ...")'
	@echo "Installing Notewell into $(VENV), which takes about a minute ..."
	@$(PYTHON) -m venv $(VENV)
	@$(PY) $(PIP) $(INSTALL) --upgrade 'pip>=25.1'
	@touch $@

$(VENV)/.runs: $(VENV)/.made pyproject.toml $(addsuffix /pyproject.toml,$(PACKAGES))
	@$(PY) $(PIP) $(INSTALL) --editable . $(addprefix --editable ./,$(PACKAGES))
	@touch $@

$(VENV)/.tests: $(VENV)/.runs pyproject.toml
	@$(PY) $(PIP) $(INSTALL) --group dev
	@touch $@ $(VENV)/.quick

$(VENV)/.quick: $(VENV)/.runs pyproject.toml
	@$(PY) $(PIP) $(INSTALL) --group quick
	@touch $@

# The other environments are filled by the first one's pip.
$(RELEASE_VENV)/.made: pyproject.toml | $(VENV)/.made
	@$(PY) -m venv --without-pip $(RELEASE_VENV)
	@$(RELEASE_PIP) $(INSTALL) --group release
	@touch $@

$(MEASURE_VENV)/.made: $(VENV)/.made pyproject.toml
	@$(PY) -m venv --without-pip $(MEASURE_VENV)
	@$(MEASURE_PIP) $(INSTALL) --group measure -e . $(addprefix -e ./,$(PACKAGES))
	@touch $@

$(RELEASE_VENV)/.helper: $(RELEASE_VENV)/.made
	@$(RELEASE_PIP) $(INSTALL) --group helper . $(addprefix ./,$(PACKAGES))
	@touch $@

$(NODE)/.made: package.json package-lock.json
	@echo "Installing the tools that build the pages and the plugin ..."
	@npm ci --silent --no-audit --no-fund
	@touch $@

# The tests' browser: $$CHROME, Debian's, or the one inside an npm package, which needs no root.
browser: $(NODE)/.made
	@[ -n "$$CHROME" ] || [ -x /usr/bin/chromium-headless-shell ] || [ -x /usr/bin/chromium ] || [ -d $(NODE)/@sparticuz ] || \
		npm install --no-save --silent --no-audit --no-fund @sparticuz/chromium@153.0.0

# It sees the packages of the first environment and gets only what it has beyond them. torch is
# installed first and pinned: otherwise the extra would pull in a GPU build of several GB.
$(TORCH_VENV)/.tests: pyproject.toml | $(VENV)/.tests
	@echo "Creating the environment in $(TORCH_VENV) ..."
	@$(PY) -m venv --without-pip $(TORCH_VENV)
	@$(TORCH_PY) -c 'import sys, sysconfig; open(sysconfig.get_path("purelib") + "/first.pth", "w").write(f"import site; site.addsitedir({sys.argv[1]!r})\n")' \
		"$$($(PY) -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"
	@$(TORCH_PIP) $(INSTALL) torch==2.13.0
	@$(TORCH_PIP) $(INSTALL) --editable './packages/notewell-eval[torch,compare]'
	@touch $@
