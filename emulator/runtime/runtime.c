/*
 * Start and end of the runtime, and the frame around every call: see
 * runtime.h.
 *
 * A fault of the machine is printed once, when a call meets it. It then
 * stands as the sticky error of every call, as on a GPU; cudaDeviceReset does
 * not bring the device back to this process.
 * Outside the coverage (4) and a fault of the emulator itself (5) end the
 * program at once: no answer of ours would mean anything. Any other fault
 * makes a program that would end with 0 end with 1.
 */
#define _GNU_SOURCE
#include "runtime/runtime.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct runtime rt;
_Thread_local struct thread thread;

static pthread_mutex_t lock;
static bool ending;

static void say(const char *site, const char *format, va_list arguments)
{
    fflush(stdout);
    fprintf(stderr, "%s: ", site);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

void runtime_note(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(program_invocation_short_name, format, arguments);
    va_end(arguments);
}

_Noreturn void runtime_exit(int code)
{
    rt.exit_code = code;
    ending = true;
    exit(code);
}

_Noreturn void runtime_refuse(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(program_invocation_short_name, format, arguments);
    va_end(arguments);
    runtime_exit(4);
}

_Noreturn void runtime_refuse_at(const char *site, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(site, format, arguments);
    va_end(arguments);
    runtime_exit(4);
}

/* ---- the end --------------------------------------------------------------- */

static void end_trace(void)
{
    char why[400];
    struct trace *trace = rt.trace;
    rt.trace = NULL;
    if (!trace || trace_close(trace, why, sizeof why))
        return;
    runtime_note("EMU_TRACE: %s", why);
    rt.exit_code = rt.exit_code ? rt.exit_code : 3;
}

/* Runs last of all exit handlers, because it is set up first. */
static void at_end(int status, void *unused)
{
    (void)unused;
    launch_nobody_asked();
    runtime_report_findings();
    end_trace();
    int code = status == 0 || rt.exit_code > 1 ? rt.exit_code : status;
    if (status == 0 && code == 0 && rt.machine && !rt.sticky && machine_work_left(rt.machine))
        runtime_note("the program ended before all its work on the device did; what was left did not run "
                     "(cudaDeviceSynchronize waits for it)");
    if (code == status)
        return;
    fflush(NULL);
    _exit(code);
}

/* Before the constructors that register kernels, so that at_end comes after everything they set up. */
__attribute__((constructor(101))) static void set_up_end(void)
{
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &recursive);
    on_exit(at_end, NULL);
}

/* ---- the start ------------------------------------------------------------- */

void runtime_start(void)
{
    static bool started;
    char why[512];
    if (started)
        return;
    started = true;
    if (!settings_read(&rt.settings, getenv, why, sizeof why)) {
        fprintf(stderr, "%s\n", why);
        runtime_exit(2);
    }
    rt.stack_limit = 1024;
    rt.printf_limit = 1 << 20;
    rt.heap_limit = 8 << 20;
    host_protect_device();
}

static void *managed_memory(void *self, size_t bytes, const char *label)
{
    (void)self, (void)label;
    return host_take(bytes);
}

/* How to run this again: the variables that matter, and the program's own words. */
const char *runtime_again(const char *also)
{
    static const char *const names[] = { "EMU_DEVICE", "EMU_SEED", "EMU_REFUSE", "EMU_STEPS", "EMU_STRICT" };
    static char text[8192];
    char words[4096];
    FILE *f = fopen("/proc/self/cmdline", "r");
    size_t length = f ? fread(words, 1, sizeof words - 1, f) : 0, used;
    if (f)
        fclose(f);
    words[length] = 0;
    snprintf(text, sizeof text, "EMU_CHECK=1");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = getenv(names[i]);
        used = strlen(text);
        if (value && *value && strncmp(also, names[i], strlen(names[i])) != 0)
            snprintf(text + used, sizeof text - used, " %s=%s", names[i], value);
    }
    used = strlen(text);
    if (*also)
        snprintf(text + used, sizeof text - used, " %s", also);
    for (const char *word = words; word < words + length; word += strlen(word) + 1) {
        bool plain = *word && !word[strcspn(word, " '\"\\$`*?[](){}<>|&;#~\t\n")];
        used = strlen(text);
        snprintf(text + used, sizeof text - used, plain ? " %s" : " '%s'", word);
    }
    return text;
}

static bool make_checker(void)
{
    const struct checker_options options = {
        .level = rt.settings.strict_hw ? STRICT_HW : STRICT_SPEC, .verbose = rt.settings.verbose, .colour = isatty(2), .again = runtime_again(""),
        .host_launches = true,
    };
    rt.checker = checker_new(rt.machine, &options);
    return rt.checker != NULL;
}

void runtime_report_findings(void)
{
    if (!rt.checker || checker_unreported(rt.checker) == 0)
        return;
    fflush(stdout);
    checker_report(rt.checker, stderr);
    if (checker_broken(rt.checker) && rt.exit_code == 0)
        rt.exit_code = 1;
}

/* One file for the whole program, whatever machines it sees. */
static void listen_for_trace(void)
{
    char why[400];
    if (!rt.settings.trace)
        return;
    if (!rt.trace && !(rt.trace = trace_open(rt.settings.trace, rt.settings.device->name, why, sizeof why))) {
        runtime_note("EMU_TRACE: %s", why);
        runtime_exit(2);
    }
    trace_attach(rt.trace, rt.machine);
}

static bool make_machine(void)
{
    if (rt.machine)
        return true;
    struct machine_options options = {
        .device = rt.settings.device,
        .choice = rt.settings.choice,
        .step_budget = rt.settings.step_budget,
        .observe = rt.settings.check || rt.settings.trace,
        .host_memory = managed_memory,
    };
    rt.machine = machine_new(&options);
    rt.generation++;
    if (rt.machine != NULL)
        listen_for_trace();
    return rt.machine != NULL && (!rt.settings.check || make_checker());
}

/* ---- the frame around every call --------------------------------------------- */

static cudaError_t standing;   /* under the lock: why the call may not work */

cudaError_t api_enter_quiet(void)
{
    pthread_mutex_lock(&lock);
    runtime_start();
    standing = ending ? cudaErrorCudartUnloading : thread.in_callback ? cudaErrorNotPermitted : cudaSuccess;
    return standing;
}

cudaError_t api_enter(void)
{
    if (api_enter_quiet() != cudaSuccess)
        return standing;
    standing = rt.sticky ? rt.sticky : make_machine() ? cudaSuccess : cudaErrorMemoryAllocation;
    return standing;
}

cudaError_t api_standing(void)
{
    return standing;
}

static cudaError_t error_of_fault(enum fault_kind kind)
{
    switch (kind) {
    case FAULT_NONE:        return cudaSuccess;
    case FAULT_ADDRESS:     return cudaErrorIllegalAddress;
    case FAULT_MISALIGNED:  return cudaErrorMisalignedAddress;
    case FAULT_ASSERT:      return cudaErrorAssert;
    case FAULT_ILLEGAL:     return cudaErrorIllegalInstruction;
    case FAULT_DEADLOCK:
    case FAULT_BUDGET:      return cudaErrorLaunchTimeout;
    case FAULT_TRAP:
    case FAULT_RULE:
    case FAULT_UNSUPPORTED:
    case FAULT_INTERNAL:    return cudaErrorLaunchFailure;
    }
    return cudaErrorUnknown;
}

/* Prints a fault that is new; true when there was one. */
bool runtime_report_fault(void)
{
    const struct fault *fault = rt.machine && !rt.sticky ? machine_fault(rt.machine) : NULL;
    if (!fault || fault->kind == FAULT_NONE)
        return false;
    fflush(stdout);
    size_t length = strlen(fault->text);
    if (!rt.checker || !checker_fault(rt.checker, fault))   /* a broken rule has a report of its own */
        fprintf(stderr, "%s%s", fault->text, length && fault->text[length - 1] == '\n' ? "" : "\n");
    rt.sticky = error_of_fault(fault->kind);
    int code = fault_exit_code(fault->kind);
    if (code > 1)
        runtime_exit(code);
    rt.exit_code = 1;
    return true;
}

cudaError_t runtime_waited(bool fine)
{
    return fine ? cudaSuccess : error_of_fault(machine_fault(rt.machine)->kind);
}

cudaError_t api_leave(cudaError_t result)
{
    if (runtime_report_fault())
        result = rt.sticky;
    runtime_report_findings();
    if (result != cudaSuccess)
        thread.last = result;
    pthread_mutex_unlock(&lock);
    return result;
}
