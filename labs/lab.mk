# What `make` does inside labs/work/L3-steal: the same as at the top with N=3.
N := $(firstword $(subst -, ,$(patsubst L%,%,$(notdir $(CURDIR)))))
TOP := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))/..

.PHONY: grade look hint solution lab
grade look hint solution lab:
	@$(MAKE) --no-print-directory -C '$(TOP)' $@ N=$(N)
