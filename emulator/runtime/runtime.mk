# The CUDA runtime of the emulator; emulator.mk includes this file.
#   build/lib/libcudart_emu.a   what nvcc-emu links: runtime and core in one object that shows only cuda* and __cuda*,
#                               so that a program may have functions called like ours
#   build/lib/libcudart.so.13   drop-ins for programs built with `nvcc -cudart shared`: LD_LIBRARY_PATH=build/lib
#   build/lib/libcudart.so.12
# Built against the toolkit's own headers; without them it is left out with a sentence.

CUDA_INCLUDE := $(shell emulator/runtime/headers.sh)
RUNTIME := build/obj/emulator/runtime
RUNTIME_SOURCES := $(filter-out %_test.c,$(wildcard emulator/runtime/*.c))
RUNTIME_HEADERS := $(wildcard emulator/runtime/*.h emulator/runtime/*.def)
RUNTIME_COMMON := $(patsubst %.c,build/obj/%.o,$(filter-out %/version.c,$(RUNTIME_SOURCES))) $(LIBEMU_OBJS)
RUNTIME_LIBS := build/lib/libcudart_emu.a build/lib/libcudart.so.13 build/lib/libcudart.so.12
RUNTIME_CC = $(CC) $(EMU_CFLAGS) -isystem "$(CUDA_INCLUDE)"

$(RUNTIME)/%.o: emulator/runtime/%.c $(RUNTIME_HEADERS) $(EMU_HEADERS)
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(RUNTIME_CC) $(CFLAGS) -c $< -o $@

# The same question, "which CUDA is this?", has an answer for each library.
$(RUNTIME)/version.13.o: RUNTIME_VERSION := 13000
$(RUNTIME)/version.12.o: RUNTIME_VERSION := 12090
$(RUNTIME)/version.13.o $(RUNTIME)/version.12.o: emulator/runtime/version.c $(RUNTIME_HEADERS) $(EMU_HEADERS)
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(RUNTIME_CC) -DLIBRARY_VERSION=$(RUNTIME_VERSION) $(CFLAGS) -c $< -o $@

ifneq ($(CUDA_INCLUDE),)

build/lib/libcudart_emu.a: $(RUNTIME_COMMON) $(RUNTIME)/version.o
	$(call say,AR,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(LD) -r -o $(RUNTIME)/cudart_emu.o $^
	$(Q)objcopy --localize-hidden $(RUNTIME)/cudart_emu.o
	$(Q)rm -f $@.new
	$(Q)$(AR) rcs $@.new $(RUNTIME)/cudart_emu.o
	$(Q)mv $@.new $@

# Symbols carry the version node of the library they stand in for.
build/lib/libcudart.so.%: $(RUNTIME_COMMON) $(RUNTIME)/version.%.o
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)echo '$(@F) { global: cuda*; __cuda*; local: *; };' >$(RUNTIME)/$(@F).map
	$(Q)$(CC) -shared -Wl,-soname,$(@F) -Wl,--version-script=$(RUNTIME)/$(@F).map $(CFLAGS) $^ $(LDFLAGS) \
	    -lm -ldl -lpthread -o $@

else

.PHONY: $(RUNTIME_LIBS)
$(RUNTIME_LIBS):
	@echo '$@ is left out: there are no CUDA headers here (make toolkit fetches them)'

endif

.PHONY: runtime
runtime: $(RUNTIME_LIBS)
