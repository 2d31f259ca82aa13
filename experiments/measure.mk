# What measures: `make compare bench report claims`. The scripts are in this directory; what they write is in build/.
# The rules that compile experiments/NAME/NAME.cu are those of the steps (top Makefile).

EXPERIMENT_DEPS := $(wildcard experiments/*.cuh experiments/*/*.cuh) $(wildcard step0*/*.cu tutorial/rungs/01-*/*.cu)
build/experiments/compare/compare.emu build/experiments/compare/compare.gpu: $(EXPERIMENT_DEPS)
build/experiments/bandwidth/bandwidth.emu build/experiments/bandwidth/bandwidth.gpu: $(EXPERIMENT_DEPS)

build/experiments/compare/compare.gpu: CUFLAGS += -DTILE_COST_ALIKE # ways.cuh says why

.PHONY: compare bench report claims
compare:
	$(GO)experiments/compare.sh

bench:
	$(GO)experiments/bench.sh

report:
	$(GO)experiments/report.sh

claims:
	$(GO)experiments/claims.sh
