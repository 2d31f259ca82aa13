# The C side of the steps, as one library, and the program that readers without nvcc use.
#   build/lib/libcommon.a   linked into every step program
#   build/bin/job           prepares and judges a run of a step's stored PTX
#   COMMON_DEPS             headers that a .cu file depends on
# All paths are relative to the top of the repository; the top Makefile includes this file.

COMMON_SOURCES := $(filter-out common/job_tool.c common/%_test.c,$(wildcard common/*.c))
COMMON_OBJECTS := $(COMMON_SOURCES:%.c=build/obj/%.o)
COMMON_DEPS := $(wildcard common/*.h common/*.cuh common/*.def tutorial/rungs/*.cuh)
COMMON_CFLAGS := -std=c17 -O2 -g -Wall -Wextra -Wpedantic -Werror -ffp-contract=off

$(COMMON_OBJECTS) build/obj/common/job_tool.o: build/obj/common/%.o: common/%.c $(COMMON_DEPS)
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(COMMON_CFLAGS) $(CFLAGS) -c $< -o $@

build/lib/libcommon.a: $(COMMON_OBJECTS)
	$(call say,AR,$@)
	$(Q)mkdir -p $(@D)
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $^

build/bin/job: build/obj/common/job_tool.o build/lib/libcommon.a
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $^ $(LDFLAGS) -lm -o $@
