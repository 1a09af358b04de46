# Each check of this package is one target. `make` lists them.

SHELL := /bin/bash
.DEFAULT_GOAL := help

# SwiftPM locks .build, so targets that ran side by side would only wait for each other.
.NOTPARALLEL:

# What `make test-tsan` runs: a regular expression over MODULE.SUITE/TEST.
FILTER ?= JournalStoreTests.*(Law|Group|Reading|Snapshots|Many tasks|Listening|life of a store|misbehave|leaks|Actomaton|An opening after|Connected|crash the process|old steps|Initial effects|Remembered steps|Timers|told of|failure action of a run that|Failure actions|Orphan actions|Described effects in|on a full disk|A replayer|A cursor|A fold|Many entries|The settlement watermark|the worker pool)|JournalReplayTests.*(A machine that is asked|A library of machines)
# How often `make torture` kills a process and cuts the power.
KILLS ?= 1000
CUTS ?= 200

swift_sources := $(wildcard Sources Tests Benchmarks Examples Package.swift)

.PHONY: help
help: ## Lists the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo "Variables: FILTER (test-tsan), KILLS and CUTS (torture)"

.PHONY: setup
setup: ## Installs what is missing beside Swift and make
	@scripts/setup

.PHONY: build
build: setup ## Builds for debugging
	swift build

.PHONY: demo
demo: setup build ## Shows a crash and the way back
	scripts/demo

.PHONY: test
test: setup ## Runs all tests
	swift test --disable-xctest

# Stops at the first race. A run that matches no test proves nothing, so it fails.
.PHONY: test-tsan
test-tsan: setup ## Runs the tests that FILTER matches under the thread sanitizer
	@mkdir -p .build
	@set -o pipefail; TSAN_OPTIONS="halt_on_error=1 suppressions=$(CURDIR)/Tests/tsan-suppressions $$TSAN_OPTIONS" swift test --disable-xctest --sanitize=thread \
	    --scratch-path .build/tsan --filter '$(FILTER)' 2>&1 | tee .build/tsan.log
	@grep -q 'Test run with [1-9]' .build/tsan.log || { echo 'No test matches FILTER=$(FILTER)' >&2; exit 1; }

# A second build would not repeat the warnings of the first, so after a warning the products go.
.PHONY: release
release: setup ## Builds for release; a warning is a failure
	@mkdir -p .build
	@set -o pipefail; swift build -c release 2>&1 | tee .build/release.log
	@if grep -q 'warning:' .build/release.log; then \
	    rm -rf "$$(swift build -c release --show-bin-path)"; \
	    echo 'The release build warns:' >&2; grep 'warning:' .build/release.log >&2; exit 1; \
	fi

.PHONY: format
format: ## Rewrites the sources in the project's format
	swift format format --in-place --recursive --parallel $(swift_sources)

.PHONY: lint
lint: ## Checks format and style of the sources
	swift format lint --strict --recursive --parallel $(swift_sources)

.PHONY: docs
docs: setup ## Builds the documentation into .build/docs; a warning is a failure
	scripts/docs

.PHONY: bench
bench: setup ## Runs the benchmarks
	swift run -c release --package-path Benchmarks journal-bench

.PHONY: bench-long
bench-long: setup ## Runs the benchmarks at a million steps
	swift run -c release --package-path Benchmarks journal-bench --long --rounds 3

.PHONY: bench-build
bench-build: setup ## Builds the benchmarks only
	swift build -c release --package-path Benchmarks

.PHONY: instructions
instructions: bench-build ## Counts the instructions of the hot paths, and compares them with their bounds
	@scripts/setup valgrind
	scripts/instructions

.PHONY: examples
examples: setup build ## Builds every package in Examples, and runs its check
	@set -e; for manifest in $(wildcard Examples/*/Package.swift); do \
	    echo "swift build --package-path $${manifest%/*}"; \
	    swift build --package-path "$${manifest%/*}"; \
	    "$${manifest%/*}/check"; \
	done

.PHONY: fixture
fixture: build ## Writes the journal of the schema that is not released yet anew: Tests/Fixtures
	rm -f Tests/Fixtures/schema-1.db
	swift run replay-app fixture Tests/Fixtures/schema-1.db

.PHONY: torture
torture: release ## Kills processes KILLS times and cuts the power CUTS times
	swift run -c release journal-torture all --kills $(KILLS) --cuts $(CUTS)

.PHONY: clean
clean: ## Removes everything that was built
	rm -rf .build Benchmarks/.build Examples/*/.build

.PHONY: ci
ci: ## Runs every check, one after the other
	@.ci/run
