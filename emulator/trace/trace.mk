# What is drawn from a trace; the top Makefile includes this file.
#   build/bin/show      transcripts and pictures
#   build/lib/libshow.a its parts, for the tests

SHOW_SOURCES := $(filter-out %_test.c,$(wildcard emulator/show/*.c))
SHOW_OBJS := $(SHOW_SOURCES:%.c=build/obj/%.o)
$(SHOW_OBJS): build/obj/%.o: %.c $(wildcard emulator/show/*.h)
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(EMU_CFLAGS) $(CFLAGS) -c $< -o $@

build/bin/show: $(SHOW_OBJS)
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $^ $(LDFLAGS) -lm -o $@
