# The labs: build/bin/grade, and what a student or an instructor types.
#   build/bin/grade             hands out, grades, gives hints (labs/grader/)
#   build/bin/gpu-run           the tests' launches on a real GPU, outside the verdict (labs/gpu/)
#   build/lib/libreference.a    the frame of a lab's reference.c, which makes inputs
# All paths are relative to the top of the repository; the top Makefile includes this file.

GRADE_CFLAGS := -std=c17 -O2 -g -Wall -Wextra -Wpedantic -Werror
GRADE_OBJS := $(patsubst %.c,build/obj/%.o,$(filter-out labs/grader/reference.c,$(wildcard labs/grader/*.c)))
REFERENCE_OBJS := build/obj/labs/grader/reference.o $(patsubst %,build/obj/emulator/run/%.o,npy element file complaint)

build/obj/labs/grader/%.o: labs/grader/%.c $(wildcard labs/grader/*.h)
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(GRADE_CFLAGS) $(if $(findstring reference,$<),-I. -Iemulator) $(CFLAGS) -c $< -o $@

build/lib/libreference.a: $(REFERENCE_OBJS)
	$(call say,AR,$@)
	$(Q)mkdir -p $(@D)
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $^

build/bin/grade: $(GRADE_OBJS) build/lib/libreference.a build/bin/emu-run
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(GRADE_OBJS) $(LDFLAGS) -o $@

GPU_RUN_OBJS := build/obj/labs/gpu/gpu_run.o $(filter-out build/obj/emulator/run/emu_run.o build/obj/emulator/run/run.o,$(EMU_RUN_OBJS))

build/obj/labs/gpu/%.o: labs/gpu/%.c $(wildcard emulator/run/*.h emulator/ptx/*.h)
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(GRADE_CFLAGS) -D_DEFAULT_SOURCE -I. -Iemulator $(CFLAGS) -c $< -o $@

build/bin/gpu-run: $(GPU_RUN_OBJS) build/lib/libemu.a
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $^ $(LDFLAGS) -lm -ldl -o $@

GRADE := tools/build.sh build/bin/grade && build/bin/grade $(if $(HIDDEN),--hidden '$(HIDDEN)') $(if $(SEED),--seed '$(SEED)')

.PHONY: labs-check
lab:
	$(GO)$(GRADE) lab $(N) $(SAY_EXIT)

grade:
	$(GO){ $(if $(filter gpu,$(BACKEND)),tools/build.sh build/bin/gpu-run && )$(GRADE) run $(N)$(if $(filter gpu,$(BACKEND)),; status=$$?; labs/gpu/run.sh $(N); (exit $$status)); } $(SAY_EXIT)

look:
	$(GO)tools/build.sh build/bin/grade build/bin/emu-run && labs/look.sh '$(N)' '$(TEST)' $(ARGS) $(SAY_EXIT)

hint:
	$(GO)$(GRADE) hint $(N) $(SAY_EXIT)

solution:
	$(GO)$(GRADE) solution $(N) $(if $(filter 1,$(FORCE)),--force) $(SAY_EXIT)

grade-all:
	$(GO)$(GRADE) all '$(DIR)' $(if $(N),--lab '$(N)') $(if $(OUT),--out '$(OUT)') $(SAY_EXIT)

labs-check:
	$(GO)$(GRADE) check $(N) $(SAY_EXIT)

handout:
	$(GO)tools/build.sh build/bin/grade && labs/grader/handout.sh $(SAY_EXIT)
