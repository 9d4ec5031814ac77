# Two commands do all: `make demo` and `make test`.
PREFIX ?= /usr/local
JOBS   ?= 2
FUZZ_SECONDS ?= 3600
MUTANTS ?= 40
BUILD  := build
OUT    := out

# The matrices are small: threads of the BLAS only get in the way.
export OPENBLAS_NUM_THREADS := 1

.PHONY: help setup build demo papers bench bench-page python python-memory test rounding full mutants sanitize valgrind kills fuzz install format-check tidy clean

help:
	@echo "make demo            set up, build, run the heavy top; results in $(OUT)/"
	@echo "make papers          rerun the experiments of the papers; $(OUT)/papers.html"
	@echo "make test            set up, build, run all tests"
	@echo "make full            test, fuzz, bench, mutants, valgrind and kills: some hours"
	@echo "make build           build into $(BUILD)/"
	@echo "make python          the Python package, installed into $(BUILD)/venv"
	@echo "make bench           measure against SUNDIALS IDA and ARKODE; results in $(OUT)/bench/"
	@echo "make bench-page      docs/performance.md and its pictures from $(OUT)/bench/"
	@echo "make install         install below PREFIX=$(PREFIX)"
	@echo "make rounding        the tests labelled rounding under every BLAS kernel, and with plain libm"
	@echo "make mutants         do the tests notice MUTANTS=$(MUTANTS) random faults?"
	@echo "make sanitize        the tests with address and undefined behaviour sanitizers"
	@echo "make valgrind        a run of the command under valgrind"
	@echo "make kills           200 runs killed at random moments, resumed and compared"
	@echo "make fuzz            the fuzzer of model files for FUZZ_SECONDS=$(FUZZ_SECONDS)"
	@echo "make format-check    is the code formatted? (clang-format-14)"
	@echo "make tidy            static analysis (clang-tidy-14)"
	@echo "make clean           remove everything that was built"

setup:
	@sh tools/setup.sh

build: setup
	cmake -S . -B $(BUILD) -DCMAKE_BUILD_TYPE=Release -DCMAKE_EXPORT_COMPILE_COMMANDS=ON
	cmake --build $(BUILD) -j$(JOBS)

demo: build
	@mkdir -p $(OUT)
	$(BUILD)/cli/sodae run examples/heavy-top.yaml --output-step 2e-3 --out $(OUT)/heavy-top.h5
	$(BUILD)/cli/sodae plot $(OUT)/heavy-top.h5 x pivot Om -o $(OUT)/heavy-top.png
	@echo "results in $(OUT)/heavy-top.h5, picture in $(OUT)/heavy-top.png"

papers: build
	$(BUILD)/cli/sodae papers --out $(OUT)

# An environment that sees Debian's numpy, scipy, sympy, matplotlib, h5py and xarray.
python: build
	@test -x $(BUILD)/venv/bin/python || /usr/bin/python3 -m venv --system-site-packages $(BUILD)/venv
	SODAE_BUILD=$(CURDIR)/$(BUILD) $(BUILD)/venv/bin/python -m pip install -q --no-index --no-build-isolation --no-deps ./python

# Resident memory over many solves, references under the debug interpreter; then the library and the extension with the address
# sanitizer.
python-memory: python
	OPENBLAS_NUM_THREADS=1 $(BUILD)/venv/bin/python python/tests/memory.py 100000
	PYTHONPATH=$$(echo $(BUILD)/venv/lib/python3*/site-packages) python3-dbg -X dev python/tests/references.py
	cmake -S . -B $(BUILD)-sanitize -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS=-O1 -DSODAE_SANITIZE=ON
	cmake --build $(BUILD)-sanitize -j$(JOBS) --target sodae_inside sodae_results
	@test -x $(BUILD)-sanitize/venv/bin/python || /usr/bin/python3 -m venv --system-site-packages $(BUILD)-sanitize/venv
	SODAE_BUILD=$(CURDIR)/$(BUILD)-sanitize CFLAGS="-O1 -g -fsanitize=address,undefined" \
	  $(BUILD)-sanitize/venv/bin/python -m pip install -q --no-index --no-build-isolation --no-deps ./python
	LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libubsan.so)" ASAN_OPTIONS=detect_leaks=0 \
	  PYTHONMALLOC=malloc $(BUILD)-sanitize/venv/bin/python -m pytest -q python/tests --ignore python/tests/test_notebooks.py \
	  -k 'not numba and not c_functions and not memory_stays'

test: build python
	ctest --test-dir $(BUILD) --output-on-failure -j$(JOBS)
	$(BUILD)/venv/bin/python -X dev -m pytest -q python/tests
	$(MAKE) rounding
	$(MAKE) sanitize

# Claims do not depend on the processor.
rounding: build
	python3 tools/rounding.py $(BUILD) $(JOBS)

full: test
	$(MAKE) fuzz
	$(MAKE) bench
	$(MAKE) mutants
	$(MAKE) valgrind
	$(MAKE) kills
	$(MAKE) python-memory

kills: build
	python3 tools/kills.py $(BUILD)/cli/sodae examples

# Works on a copy of the sources in $(BUILD)-mutants: the tree stays as it is.
mutants: setup
	python3 tools/mutants.py $(BUILD)-mutants $(MUTANTS) $(JOBS)

# Golden and other long runs and the tree say nothing more under sanitizers; they are left out.
sanitize: setup
	cmake -S . -B $(BUILD)-sanitize -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS=-O1 -DSODAE_SANITIZE=ON
	cmake --build $(BUILD)-sanitize -j$(JOBS)
	ctest --test-dir $(BUILD)-sanitize --output-on-failure -j$(JOBS) -LE 'slow|tree'

valgrind: build
	valgrind -q --error-exitcode=1 --leak-check=full \
	  $(BUILD)/cli/sodae run heavy-top --t-end 0.01 --json > /dev/null

fuzz: setup
	sh test/fuzz/run.sh $(BUILD)-fuzz $(FUZZ_SECONDS)

# All timings of one table come from one run.
bench: setup
	cmake -S . -B $(BUILD)-bench -DCMAKE_BUILD_TYPE=Release -DSODAE_TESTS=OFF -DSODAE_BENCH=ON
	cmake --build $(BUILD)-bench -j$(JOBS)
	python3 bench/run.py $(BUILD)-bench $(OUT)/bench

bench-page:
	python3 bench/page.py $(OUT)/bench docs

install: build
	cmake --install $(BUILD) --prefix $(PREFIX)

SOURCES = $(shell git ls-files '*.c' '*.h')
format-check:
	@clang-format-14 --dry-run -Werror $(SOURCES)

tidy: build
	clang-tidy-14 -p $(BUILD) --quiet $(shell git ls-files 'src/*.c' 'cli/*.c' 'problems/*.c')

clean:
	rm -rf python/build python/sodae.egg-info $(BUILD) $(BUILD)-sanitize $(BUILD)-bench $(BUILD)-fuzz $(BUILD)-mutants $(OUT)
