# The front door: each target installs what it needs (Debian packages), configures, builds and runs.
# setup-% and build-tests are steps of the others.
.PHONY: help build build-tests test test-slow demo bench validation check format fuzz asan tsan coverage clean
.NOTPARALLEL:

FUZZ_SECONDS ?= 60
JOBS ?= $(shell nproc)
export CMAKE_BUILD_PARALLEL_LEVEL ?= $(JOBS)
export CTEST_PARALLEL_LEVEL ?= $(JOBS)
# Property tests repeat: the same cases in every run. Another seed: make test RC_PARAMS=seed=7
export RC_PARAMS ?= seed=1

# PHAZE_WERROR=ON (or OFF) is remembered by a build folder until it is given again.
configure = cmake --preset $(1) $(if $(PHAZE_WERROR),-DPHAZE_WERROR=$(PHAZE_WERROR)) $(2) >/dev/null

help:
	@echo 'make build      the program, at build/phaze'
	@echo 'make demo       build, search a chip for GPT-3 175B, make its report, and a short tour'
	@echo 'make test       build, then all tests but the slow ones (make test-slow: those)'
	@echo 'make bench      the benchmarks'
	@echo 'make validation docs/validation.md and its plots, from data/measured and data/h200'
	@echo 'make check      format, clang-tidy, self-contained headers, layers (make format: mends the format)'
	@echo 'make asan tsan  the tests under sanitizers'
	@echo 'make coverage   the lines that the tests run'
	@echo 'make fuzz       every fuzzer for FUZZ_SECONDS ($(FUZZ_SECONDS))'
	@echo 'make clean      removes build/'

setup-%:
	@tools/setup.sh $*

build: setup-build
	@$(call configure,release)
	cmake --build --preset release --target phaze

build-tests: setup-test
	@$(call configure,release,-DPHAZE_TESTS=ON)
	cmake --build --preset release

test: build-tests
	ctest --preset release

test-slow: build-tests
	ctest --preset release-slow

demo: build
	tools/demo.sh build/phaze

bench: setup-bench
	@$(call configure,release,-DPHAZE_BENCH=ON)
	cmake --build --preset release --target run_bench

validation: build
	build/phaze validate --write docs

check: setup-check
	tools/check_format.sh
	python3 tools/check_layers.py src
	cmake --workflow --preset tidy

format: setup-check
	tools/check_format.sh --fix

asan tsan: setup-test
	cmake --workflow --preset $@

coverage: setup-coverage
	cmake --workflow --preset coverage
	gcovr --root . --filter src/ --exclude-throw-branches build/coverage

fuzz: setup-fuzz
	@$(call configure,fuzz,-DPHAZE_FUZZ_SECONDS=$(FUZZ_SECONDS))
	cmake --build --preset fuzz
	ctest --preset fuzz --verbose

clean:
	rm -rf build
