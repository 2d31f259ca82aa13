/*
 * The line of the user's host code that a call came from, for reports about
 * launches. nvcc-emu compiles host code with line numbers; addr2line of the
 * binutils, which the linker came with, reads them. Without it, or for a
 * program built another way, the program's name has to do.
 */
#define _GNU_SOURCE
#include "runtime/runtime.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_toolkit(const char *file)
{
    return strstr(file, "/include/") != NULL || strstr(file, "cuda_runtime") != NULL || strstr(file, ".stub.c") != NULL ||
           strstr(file, "crt/") != NULL;
}

/* "DIR/FILE:LINE (discriminator 2)": outermost frames come last. */
static void take_frame(char *frame, char *text, size_t size)
{
    char *slash = strrchr(frame, '/'), *colon = strrchr(frame, ':');
    frame[strcspn(frame, " \n")] = 0;
    if (colon && atoi(colon + 1) > 0 && !is_toolkit(frame))
        snprintf(text, size, "%s", slash ? slash + 1 : frame);
}

/* false: the address lies in a header of the toolkit, or nobody knows. */
static bool find_line(const void *address, char *text, size_t size)
{
    char command[4200], frame[1024];
    Dl_info info;
    text[0] = 0;
    if (!dladdr(address, &info) || !info.dli_fname || strchr(info.dli_fname, '\''))
        return false;
    const char *file = strchr(info.dli_fname, '/') ? info.dli_fname : "/proc/self/exe";
    char self[4000];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length > 0 && !strstr(info.dli_fname, ".so")) {
        self[length] = 0;
        file = self;
    }
    snprintf(command, sizeof command, "addr2line -i -e '%s' 0x%zx 2>/dev/null", file,
             (size_t)((const char *)address - 1 - (const char *)info.dli_fbase));
    FILE *lines = popen(command, "r");
    if (!lines)
        return false;
    while (fgets(frame, sizeof frame, lines))
        take_frame(frame, text, size);
    pclose(lines);
    return text[0] != 0;
}

/* While the call lasts, its callers can be asked too: cudaLaunchKernelEx is a template of the toolkit. */
void callsite_describe(const void *address, char *text, size_t size)
{
    enum { FRAMES = 24, CALLERS = 4 };
    void *frames[FRAMES];
    if (address && find_line(address, text, size))
        return;
    int count = address ? backtrace(frames, FRAMES) : 0, at = 0;
    while (at < count && frames[at] != address)
        at++;
    for (int i = at + 1; i < count && i <= at + CALLERS; i++)
        if (find_line(frames[i], text, size))
            return;
    snprintf(text, size, "%s", program_invocation_short_name);
}
