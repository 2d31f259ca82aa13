# The emulator: its core as a library, and emu-run.
#   build/lib/libemu.a    rooms ptx, memory, sync, machine, checker, trace: libc and libm only
#   build/bin/emu-run     runs a kernel of a PTX module
#   LIBEMU_OBJS           the objects, position independent, for runtime/ to link again
# All paths are relative to the top of the repository; the top Makefile includes this file.

# -g1: lines, for backtraces and profiles. A full -g takes a fifth of the build; make CFLAGS=-g has it.
EMU_CFLAGS := -std=c17 -O3 -g1 -Wall -Wextra -Wpedantic -Werror -ffp-contract=off -fno-math-errno \
              -fPIC -fvisibility=hidden -Iemulator
EMU_ROOMS := ptx memory sync machine checker trace
EMU_SOURCES := $(foreach room,$(EMU_ROOMS),$(filter-out %_test.c,$(wildcard emulator/$(room)/*.c)))
EMU_HEADERS := $(foreach room,$(EMU_ROOMS) run,$(wildcard emulator/$(room)/*.h emulator/$(room)/*.def))

# warp_run.c is compiled with and without events, for the portable baseline and for AVX2.
EMU_X86 := $(filter x86_64,$(shell uname -m))
EMU_VARIANTS := base $(if $(EMU_X86),avx2)
EMU_AVX2 := -mavx2 -mfma
WARP_RUN_OBJS := $(foreach v,$(EMU_VARIANTS),$(foreach o,0 1,build/obj/emulator/machine/warp_run_$(v)_$(o).o))
EMU_PLAIN := $(filter-out emulator/machine/warp_run.c $(if $(EMU_X86),,%_avx2.c),$(EMU_SOURCES))
LIBEMU_OBJS := $(EMU_PLAIN:%.c=build/obj/%.o) $(WARP_RUN_OBJS)

$(EMU_PLAIN:%.c=build/obj/%.o): build/obj/%.o: %.c $(EMU_HEADERS)
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(EMU_CFLAGS) $(if $(findstring _avx2.c,$<),$(EMU_AVX2)) $(CFLAGS) -c $< -o $@

# warp_run_VARIANT_OBSERVED.o
build/obj/emulator/machine/warp_run_%.o: emulator/machine/warp_run.c $(EMU_HEADERS)
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(EMU_CFLAGS) $(if $(findstring avx2,$*),$(EMU_AVX2)) -DVARIANT=$(firstword $(subst _, ,$*)) \
	    -DOBSERVED=$(lastword $(subst _, ,$*)) $(CFLAGS) -c $< -o $@

# exec_alu_round.c and its like change the rounding mode while they run.
build/obj/emulator/machine/exec_alu_round.o: EMU_CFLAGS += -frounding-math

build/lib/libemu.a: $(LIBEMU_OBJS)
	$(call say,AR,$@)
	$(Q)mkdir -p $(@D)
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $^

EMU_RUN_OBJS := $(patsubst %.c,build/obj/%.o,$(filter-out %_test.c,$(wildcard emulator/run/*.c)))
$(EMU_RUN_OBJS): build/obj/%.o: %.c $(EMU_HEADERS)
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(EMU_CFLAGS) $(CFLAGS) -c $< -o $@

build/bin/emu-run: $(EMU_RUN_OBJS) build/lib/libemu.a
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $^ $(LDFLAGS) -lm -o $@

-include emulator/runtime/runtime.mk
