# What `make` does inside a step: hands the wish to the top of the repository, where all rules are.
#   make run    build for the machine that is here, run, judge        make ptx   refresh the stored PTX
#   make build  build without running                                 make help  the options
# Used as: a Makefile in the step that includes this file, and nothing else in it.

# The path back is as short as the Makefile wrote it (../..): make takes a name with a space apart, so none is computed here.
ROOT := $(patsubst %/,%,$(dir $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))))
STEP_OF_ROOT = here=$$(pwd -P) && cd '$(ROOT)' && step=$${here\#"$$(pwd -P)/"}
export CALLED_FROM := $(PWD)

.PHONY: run build ptx help
run build ptx:
	@$(STEP_OF_ROOT) && $(MAKE) --no-print-directory "$$step-$@"
help:
	@$(STEP_OF_ROOT) && $(MAKE) --no-print-directory "$$step-run" ARGS=--help
