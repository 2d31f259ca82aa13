# Work stealing with Cluster Launch Control: a tutorial, and the emulator that runs it anywhere.
#
# `make` alone prints the first screen; the text after ## is what `make help` says about a target.
# How a step runs is decided in tools/run.sh, which comes back here for the files it needs
# (build/STEP/NAME.emu or .gpu). Everything is written under build/.

# Lines that begin with $(GO) write to the terminal as they go; --output-sync would hold their text back. With
# make -n or -q they do not run.
GO := $(if $(findstring n,$(firstword -$(MAKEFLAGS)))$(findstring q,$(firstword -$(MAKEFLAGS))),@,+@)

ifndef WITHIN_MAKE              # the makes that tools/run.sh starts share the jobs of this one
export WITHIN_MAKE := yes
MAKEFLAGS += -j$(shell nproc 2>/dev/null || getconf _NPROCESSORS_ONLN || echo 2) --output-sync=target
ifneq ($(words $(MAKECMDGOALS)),1)
.NOTPARALLEL:                   # `make clean run`: in that order
endif
endif
MAKEFLAGS += --no-builtin-rules --no-print-directory
.DELETE_ON_ERROR:
.DEFAULT_GOAL := first

Q := $(if $(filter 1,$(V)),,@)
say = $(if $(filter 1,$(V)),,@printf '  %-5s %s\n' $1 $2)

# make turns every exit status into its own 2; so the last line of the command says which it was.
SAY_EXIT = || { status=$$?; echo "exit $$status" 2>/dev/null; exit $$status; }

CFLAGS ?=                       # yours, after those of each part

STEPS := $(patsubst %/,%,$(sort $(dir $(wildcard step[0-9][0-9]_*/*.cu))))
OTHERS := $(patsubst %/Makefile,%,$(wildcard step*/variants/*/Makefile tutorial/rungs/*/Makefile tutorial/rungs/*/*/Makefile))
STORED := $(STEPS) $(filter tutorial/rungs/%,$(OTHERS)) # their PTX is kept beside them
SHORT := $(foreach step,$(STEPS),$(firstword $(subst _, ,$(step))))

-include emulator/emulator.mk
-include common/common.mk
-include common/fatbin.mk
-include tutorial/book.mk
-include emulator/trace/trace.mk
-include experiments/measure.mk
-include labs/labs.mk

# --- what a reader types ------------------------------------------------------

.PHONY: first help tour run break transcript timeline figures explain lab grade look hint solution handout grade-all check-long build emulator test lint doctor toolkit bench-emulator fatbin coverage ptx ptx-check compile-test-long clean

first:
	@sed -n 's/^# \(Work stealing.*\)/\1/p' Makefile
	@printf '\n  %-10s %s\n' 'make tour' 'the first ten minutes: every step on a toy GPU, drawn as a timeline' \
	    && printf '  %-10s %s\n' 'make run' 'every step on this machine: on its GPU, else on the emulator' \
	    'make test' 'all tests' 'make help' 'every target and variable'
	@printf '\nStart with: make tour\n'

help: ## this list
	@echo 'Targets'
	@sed -n 's/^\([a-z$$][^:]*\):.*## /\1\t/p' Makefile | sed 's/^$$(SHORT)/$(firstword $(SHORT)) .../' \
	    | awk -F '\t' '{ printf "  %-18s %s\n", $$1, $$2 }'
	@echo 'Variables, as in make run DEVICE=h200'
	@tools/variables.sh help

tour: ## every step on a toy GPU of 4 SMs, with its timeline
	$(GO)tools/run.sh --tour $(STEPS)

run: ## every step, on the GPU if there is one that fits, else on the emulator
	$(GO)tools/run.sh $(STEPS)

$(SHORT): step%: ## one step, like make -C step01_fixed_work run
	$(GO)tools/run.sh $(filter step$*_%,$(STEPS))

break: ## what a line of a step is for: STEP=3 lists, STEP=3 WITHOUT=flip shows
	$(GO)tools/build.sh build/bin/emu-run && tools/break.sh

transcript: ## the protocol as it happened: STEP=3 or RUNG=04; BLOCK=, TILE=, BARRIER=
	$(GO)tools/build.sh build/bin/show build/bin/emu-run build/bin/job && tools/transcript.sh

timeline: ## the SMs over time, as SVG, PNG and for Perfetto: STEP=, WORK=, DEVICE=
	$(GO)tools/build.sh build/bin/emu-run build/bin/job && tools/timeline.sh

figures: ## the book's pictures, drawn from runs: build/figures/
	$(GO)tools/build.sh build/bin/show build/bin/emu-run build/bin/job && tools/figures.sh

explain: ## a rule of the checker: RULE=PX4; all of them without RULE
	$(GO)tools/build.sh build/bin/emu-run && tools/explain.sh

build: ## every step, without running it
	$(GO)tools/run.sh --build $(STEPS)

emulator: ## the emulator alone; its CUDA runtime where nvcc is
	$(GO)tools/build.sh emulator-parts

test: ## all tests; T=word picks, DEPS=0 installs nothing
	$(GO)tools/deps.sh && tests/run.sh

check-long: ## the checker's zoo and mutants, and what must be silent under 1000 orders of events
	$(GO)tools/build.sh build/bin/emu-run && SEEDS=1000 SILENT=200 tests/zoo/run.sh
	$(GO)SEEDS=1000 SILENT=200 tests/mutants/run.sh

lint: ## warnings, static analysis, sanitizers
	$(GO)tools/deps.sh && tools/lint.sh

doctor: ## what is here, what is missing, and what to type
	$(GO)tools/doctor.sh

toolkit: ## NVIDIA's compiler from PyPI, into build/toolkit
	$(GO)tools/toolkit.sh

bench-emulator: ## the emulator's speed beside a bare loop
	$(GO)tools/build.sh build/bin/emu-run && tests/bench/bench.sh --check

lab: ## hands out a lab in labs/work/: N=3

grade: ## grades your lab, a line a test, and says what to do next: N=3

look: ## runs your kernel once as one of the lab's tests does, and draws it over time: N=3 TEST=steals

hint: ## the next of three hints: N=3

solution: ## our solution of a lab, after a pass or with FORCE=1: N=3

handout: ## for instructors: an archive of all this without the labs' solutions

grade-all: ## for instructors: grades DIR/STUDENT/L3-steal/... of a whole class

fatbin: ## every step for every target from 7.5 on: what compiles, and what has run

compile-test-long: ## steps 3 and 4 with older and newer toolkits, fetched from PyPI

book: ## the book as HTML, EPUB and PDF: build/book/

book-html: ## the pages alone; CHAPTER=barriers one of them, quickly

compare: ## the guide's table with figures: every way to hand out tiles; WORK=rings picks, JSON=1

bench: ## bandwidth, work sizes and waiting times on this GPU

report: ## steps, checks, comparison and bench on this GPU, in one file to send

claims: ## what the book says, held against the experiments behind it

coverage: ## what the emulator executes, opcode by opcode
	$(GO)tools/build.sh build/bin/emu-run && build/bin/emu-run --coverage

ptx: $(foreach step,$(STORED),$(step)-ptx) broken-ptx ## the PTX stored beside each step and rung, made again

.PHONY: emulator-parts broken-ptx
emulator-parts: build/lib/libemu.a build/bin/emu-run runtime

broken-ptx: # of the broken steps and of the zoo
	$(GO)tools/broken.sh --store

ptx-check: ## is the stored PTX what this nvcc makes?
	$(GO)tools/ptx.sh --check $(STORED)
	$(GO)tools/broken.sh --check

clean: ## everything that was built
	rm -rf build

# --- from inside a step, a variant or a rung: common/step.mk calls these ----------

PROGRAMS := $(STEPS) $(OTHERS)
.PHONY: programs $(SHORT) $(foreach program,$(PROGRAMS),$(program)-run $(program)-build) $(STORED:%=%-ptx)

programs: # all that tests run, so that no two of them build the same
	$(GO)tools/run.sh --build $(PROGRAMS) experiments/compare experiments/micro

$(PROGRAMS:%=%-run): %-run:
	$(GO)tools/run.sh $*

$(PROGRAMS:%=%-build): %-build:
	$(GO)tools/run.sh --build $*

$(STORED:%=%-ptx): %-ptx:
	$(GO)tools/ptx.sh --store $*

# --- programs -------------------------------------------------------------------

CUFLAGS := -O3 -std=c++17 -I.
build/emu.target build/gpu.target: # written by tools/run.sh; compiled code depends on them
	@mkdir -p build && touch $@

build/%.emu: %.cu $(COMMON_DEPS) build/lib/libcommon.a build/lib/libcudart_emu.a build/emu.target
	$(call say,NVCC,$@)
	@mkdir -p $(@D)
	$(Q)emulator/bin/nvcc-emu $(CUFLAGS) $< build/lib/libcommon.a -o $@

build/%.gpu: %.cu $(COMMON_DEPS) build/lib/libcommon.a build/gpu.target
	$(call say,NVCC,$@)
	@mkdir -p $(@D)
	$(Q)$${NVCC:-nvcc} $$GENCODE -lineinfo $(CUFLAGS) $< build/lib/libcommon.a -o $@

# --- unit tests -----------------------------------------------------------------

# One program each. A line ` * link: FILE...` near the top of a test adds files to its link.
UNIT := $(wildcard tests/unit/*_test.c emulator/*_test.c emulator/*/*_test.c common/*_test.c)
SOURCES := $(wildcard emulator/*.[ch] emulator/*/*.[ch] common/*.[ch] emulator/*/*.def common/*.def)
LIBRARIES := $(if $(wildcard common/common.mk),build/lib/libcommon.a) $(if $(wildcard emulator/emulator.mk),build/lib/libemu.a)
TEST_CFLAGS := -std=c17 -O1 -g -Wall -Wextra -Wpedantic -Werror -ffp-contract=off -I. -Iemulator
.PHONY: test-programs
test-programs: $(UNIT:%.c=build/%) $(LIBRARIES) $(if $(wildcard common/common.mk),build/bin/job) $(if $(wildcard labs/labs.mk),build/bin/grade) emulator-parts

build/%_test: %_test.c $(SOURCES) $(LIBRARIES)
	$(call say,TEST,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(TEST_CFLAGS) $(CFLAGS) $< $$(sed -n '1,30s/^.*[*] link: //p' $<) $(LIBRARIES) -lm -lcmocka -o $@
