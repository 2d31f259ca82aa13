/*
 * Host memory that kernels can reach, and device memory that the host cannot.
 *
 * Pinned and managed memory lies at addresses counted up from a fixed start,
 * so that a run gives the same addresses every time. Device addresses are
 * reserved without access: host code that follows one ends with a sentence
 * that names the allocation, exit 1. Any other bad access goes on to whoever
 * handled it before.
 */
#define _GNU_SOURCE
#include "runtime/runtime.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define DEVICE_BASE UINT64_C(0x200000000000)   /* as memory/memory.h hands them out, upwards */
#define DEVICE_SPAN UINT64_C(0x100000000000)
#define HOST_BASE   (DEVICE_BASE + DEVICE_SPAN)
#define PAGE        UINT64_C(4096)

static uint64_t host_next = HOST_BASE;
static struct sigaction earlier;

/* ---- memory at fixed addresses ----------------------------------------------- */

static size_t in_pages(size_t bytes)
{
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

static void *map_at(uint64_t address, size_t bytes, int protection)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *start = mmap((void *)address, bytes, protection, flags | MAP_FIXED_NOREPLACE, -1, 0);
    return start == MAP_FAILED ? mmap(NULL, bytes, protection, flags, -1, 0) : start;
}

void *host_take(size_t bytes)
{
    rt.mapped = true;
    if (bytes > SIZE_MAX / 2)
        return NULL;
    void *start = map_at(host_next, in_pages(bytes), PROT_READ | PROT_WRITE);
    if (start == MAP_FAILED)
        return NULL;
    host_next += in_pages(bytes) + PAGE;   /* one page stays empty between two of them */
    return start;
}

void host_give(void *start, size_t bytes)
{
    (void)munmap(start, in_pages(bytes));
}

/* ---- device memory under the hands of the host ---------------------------------- */

/* Text put together without stdio: this runs in a signal handler. */
struct line { char text[512]; size_t length; };

static void add(struct line *l, const char *words)
{
    for (; *words && l->length < sizeof l->text; words++)
        l->text[l->length++] = *words;
}

static void add_number(struct line *l, uint64_t value, unsigned base)
{
    char digits[24];
    int at = sizeof digits - 1;
    digits[at] = 0;
    do
        digits[--at] = "0123456789abcdef"[value % base];
    while (value /= base);
    add(l, digits + at);
}

static void add_allocation(struct line *l, uint64_t address)
{
    uint64_t start;
    size_t size;
    enum memory_kind kind;
    bool freed;
    if (!rt.machine || !machine_find(rt.machine, address, &start, &size, &kind, &freed)) {
        add(l, ", which belongs to no allocation");
        return;
    }
    add(l, ", byte ");
    add_number(l, address - start, 10);
    add(l, kind == MEMORY_VARIABLE ? " of a device variable of " : " of device memory of ");
    add_number(l, size, 10);
    add(l, freed ? " bytes that was freed" : " bytes");
}

static void name_device_memory(uint64_t address)
{
    struct line l = { .length = 0 };
    add(&l, program_invocation_short_name);
    add(&l, ": host code followed the device address 0x");
    add_number(&l, address, 16);
    add_allocation(&l, address);
    add(&l, "; copy it with cudaMemcpy, or allocate it with cudaMallocManaged\n");
    ssize_t written = write(STDERR_FILENO, l.text, l.length);
    (void)written;
}

static void on_bad_access(int number, siginfo_t *info, void *context)
{
    (void)context;
    uint64_t address = (uint64_t)(uintptr_t)info->si_addr;
    if (number == SIGSEGV && address - DEVICE_BASE < DEVICE_SPAN) {
        name_device_memory(address);
        _exit(1);
    }
    sigaction(SIGSEGV, &earlier, NULL);   /* the access is tried again and ends as it would have */
}

void host_protect_device(void)
{
    static char stack[16384];
    (void)mmap((void *)DEVICE_BASE, DEVICE_SPAN, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    stack_t own = { .ss_sp = stack, .ss_size = sizeof stack };
    sigaltstack(&own, NULL);
    struct sigaction action = { .sa_sigaction = on_bad_access, .sa_flags = SA_SIGINFO | SA_ONSTACK };
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &earlier);
}
