# Each check of this package is one target. `make` lists them.

SHELL := /bin/bash
.DEFAULT_GOAL := help

# SwiftPM locks .build, so parallel targets would only wait for each other.
.NOTPARALLEL:

# What `make test-tsan` runs: a regular expression over MODULE.SUITE/TEST.
FILTER ?= JournalStoreTests.*(Law|Group|Reading|Snapshots|Many tasks|Listening|life of a store|misbehave|leaks|Actomaton|An opening after|Connected|crash the process|old steps|Initial effects|Remembered steps|Timers|failure action of a run that|Failure actions|Orphan actions|Described effects in|on a full disk|A replayer|A cursor|A fold|Many entries|The settlement watermark|the worker pool|Outputs of effects|smallest store|socket for operators|Metrics and spans|Joining a store|Middleware|Bodies that start|manual clock that|does not end with its closure|Whether a dispatch)|JournalReplayTests.*(A machine that is asked|A library of machines|Operators of a running)
# How many kills, power cuts and damaged files `make torture` makes.
KILLS ?= 1000
CUTS ?= 200
MUTANTS ?= 10000
# The size of the host that `make torture` kills: 100,000 streams by default.
HOSTED ?= --streams 100000 --live 10000 --kills 50
# How many random lives `make simulate` runs, how many random operations it compares with the model, and the first seed.
SEEDS ?= 10000
OPERATIONS ?= 1000000
FIRST ?= 1
# 1 makes each system call of a scripted life fail, 10 every tenth.
SWEEP ?= 1

# Many shells allow 256 or 1,024 open files; the tests open more.
more_files := [ "$$(ulimit -S -n)" = unlimited ] || [ "$$(ulimit -S -n)" -ge 20000 ] || ulimit -S -n 20000 2>/dev/null || ulimit -S -n "$$(ulimit -H -n)";
# A program that hangs ends itself, and prints where each thread stands.
backtraces := SWIFT_BACKTRACE=enable=yes,threads=all,interactive=no,color=no

swift_sources := $(wildcard Sources Tests Benchmarks Examples Package.swift)

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo "Variables: FILTER (test-tsan), KILLS, CUTS, MUTANTS and HOSTED (torture), SEEDS, FIRST, OPERATIONS and SWEEP (simulate)"

.PHONY: setup
setup: ## Install missing tools besides Swift and make
	@scripts/setup

.PHONY: build
build: setup ## Build for debugging
	swift build

.PHONY: demo
demo: setup ## Show a crash and the recovery
	swift build --product Demo
	scripts/demo

.PHONY: test
test: setup ## Run all tests
	@scripts/setup python3
	$(more_files) swift test --disable-xctest

# The same tests build these programs with the library of the tests, without SwiftPM.
.PHONY: test-documents
test-documents: build ## Run the commands of README.md and the tutorial with SwiftPM, in packages of their own
	$(more_files) JOURNAL_BUILDS_DOCUMENTS=1 swift test --disable-xctest --no-parallel --filter 'JournalReplayTests.*(of the tutorial|README run)'

# With PAGE_SHOTS=FOLDER it also takes screenshots, with PAGE_SPEED=1 it also compares times and rates with limits.
.PHONY: test-page
test-page: setup ## Look at pages of journals in a headless Chromium
	scripts/test-page

tsan := --sanitize=thread --scratch-path .build/tsan

.PHONY: build-tsan
build-tsan: setup ## Build the tests under the thread sanitizer
	swift build --build-tests $(tsan)

# Stops at the first race. Fails if FILTER matches no test.
.PHONY: test-tsan
test-tsan: setup ## Run the tests that FILTER matches under the thread sanitizer
	@mkdir -p .build
	@set -o pipefail; $(more_files) TSAN_OPTIONS="halt_on_error=1 suppressions=$(CURDIR)/Tests/tsan-suppressions $$TSAN_OPTIONS" swift test --disable-xctest $(tsan) \
	    --filter '$(FILTER)' 2>&1 | tee .build/tsan.log
	@grep -q 'Test run with [1-9]' .build/tsan.log || { echo 'No test matches FILTER=$(FILTER)' >&2; exit 1; }

# Not that of the linker of macOS: a library of Homebrew is built for a newer macOS than the package.
warnings := grep -v 'which was built for newer version' .build/release.log | grep 'warning:'

# After a warning the products are removed, because a second build would not repeat the warning.
.PHONY: release
release: setup ## Build for release; fails on a warning
	@mkdir -p .build
	@scripts/setup microhttpd
	@set -o pipefail; scripts/optimized build 2>&1 | tee .build/release.log
	@if $(warnings) >/dev/null; then \
	    rm -rf "$$(scripts/optimized build --show-bin-path)"; \
	    echo 'The release build has warnings:' >&2; $(warnings) >&2; exit 1; \
	fi

.PHONY: format
format: ## Reformat the sources
	swift format format --in-place --recursive --parallel $(swift_sources)

.PHONY: lint
lint: ## Check the format, style and layers of the sources, the tests in docs/parity.md, and the list of planted bugs
	@scripts/setup python3
	scripts/layers
	scripts/parity
	scripts/planted-bugs --check
	swift format lint --strict --recursive --parallel $(swift_sources)

.PHONY: api
api: setup ## Compare the public API of the libraries with its record in Tests/API
	@scripts/setup python3
	scripts/api

.PHONY: api-baseline
api-baseline: setup ## Rewrite the record of the public API
	@scripts/setup python3
	scripts/api --write

.PHONY: mistakes
mistakes: setup ## Check what the compiler says about the programs in Tests/Mistakes
	@scripts/setup python3
	scripts/mistakes

.PHONY: docs
docs: setup ## Build the documentation into .build/docs; fails on a warning and on an undocumented public symbol
	@scripts/setup python3
	scripts/docs

.PHONY: bench
bench: setup ## Run the benchmarks
	@scripts/setup microhttpd
	scripts/optimized run --package-path Benchmarks journal-bench

.PHONY: bench-long
bench-long: setup ## Run the benchmarks at a million steps
	@scripts/setup microhttpd
	scripts/optimized run --package-path Benchmarks journal-bench --long --rounds 3

.PHONY: bench-build
bench-build: setup ## Build the benchmarks only
	@scripts/setup microhttpd
	scripts/optimized build --package-path Benchmarks

.PHONY: instructions
instructions: bench-build ## Count the instructions of the hot paths and compare them with their bounds
	@scripts/setup valgrind
	scripts/instructions

# One folder for all, and for the programs of documents: the library is built once. SwiftPM keeps its last plan of a folder, which is
# that of another package.
.PHONY: examples
examples: setup build ## Build every package in Examples and run its check
	@set -e; for manifest in $(wildcard Examples/*/Package.swift); do \
	    echo "swift build --package-path $${manifest%/*}"; \
	    swift build --package-path "$${manifest%/*}" --scratch-path .build/dependents \
	        --disable-build-manifest-caching; \
	    EXAMPLES_ARE_BUILT=1 "$${manifest%/*}/check"; \
	done

# The tool, its manual page and its completions. DESTDIR is for packagers.
PREFIX ?= /usr/local
.PHONY: install
install: ## Install journal-replay with its manual page and completions below PREFIX
	@scripts/setup
	@scripts/setup microhttpd
	SCRATCH=.build/install scripts/optimized build --product journal-replay --static-swift-stdlib
	scripts/install "$(DESTDIR)$(PREFIX)"

# The newest schema that a release has: its journals are never rewritten.
released := 1
schema := $(words $(wildcard migrations/*.sql))

.PHONY: fixture
fixture: build ## Rewrite the journals of the unreleased schema in Tests/Fixtures
	@[ $(schema) -gt $(released) ] || { echo 'Schema $(schema) is released: its journals in Tests/Fixtures stay as they are.' >&2; exit 1; }
	rm -f Tests/Fixtures/schema-$(schema).db Tests/Fixtures/schema-$(schema)-rich.db
	swift run replay-app fixture Tests/Fixtures/schema-$(schema).db
	swift run replay-app rich Tests/Fixtures/schema-$(schema)-rich.db

.PHONY: torture
torture: release ## Kill processes KILLS times, simulate CUTS power losses, damage MUTANTS files
	$(backtraces) scripts/optimized run journal-torture all --kills $(KILLS) --cuts $(CUTS) --mutants $(MUTANTS)
	$(backtraces) scripts/optimized run journal-torture hosts $(HOSTED)

.PHONY: simulate
simulate: release ## Run SEEDS simulated lives, OPERATIONS operations, and a life in which each call fails
	scripts/optimized run journal-simulator --seeds $(SEEDS) --first $(FIRST) --keep .build/simulator
	scripts/optimized run journal-simulator --operations $(OPERATIONS) --first $(FIRST)
	scripts/optimized run journal-simulator --sweep $(SWEEP)

# Swift's runtime keeps some memory until the process ends, so leaks are not searched for. The library's tests look for those.
.PHONY: simulate-asan
simulate-asan: setup ## Run 200 simulated lives, operations and failing calls under the address sanitizer
	swift build --sanitize=address --product journal-simulator --scratch-path .build/asan
	@set -e; simulator=$$(swift build --sanitize=address --scratch-path .build/asan --show-bin-path)/journal-simulator; \
	export ASAN_OPTIONS="detect_leaks=0 $$ASAN_OPTIONS"; set -x; \
	$$simulator --seeds 200 --first $(FIRST); $$simulator --operations 200000 --first $(FIRST); $$simulator --sweep 40

.PHONY: planted-bugs
planted-bugs: setup ## Break the library in many places, one at a time; the simulator must notice each
	scripts/planted-bugs

.PHONY: clean
clean: ## Remove all build products
	rm -rf .build Benchmarks/.build

.PHONY: ci
ci: ## Run every check in turn
	@.ci/run
