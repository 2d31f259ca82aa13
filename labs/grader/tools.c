/*
 * What this machine has for grading, and the scratch folder: see grading.h.
 */
#define _GNU_SOURCE
#include "grading.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "digest.h"

struct tools tools;

static const char scratches[] = "build/labs/scratch";

/* ---- programs of ours ------------------------------------------------------------ */

int tools_run(char *const argv[], struct text *err)
{
    int ends[2], status = 0;
    char piece[4096];
    ssize_t count;
    fflush(NULL);
    if (pipe(ends) != 0)
        die(ENDS_MACHINE, "no pipe can be made: %s", strerror(errno));
    const pid_t pid = fork();
    if (pid == 0) {
        const struct rlimit cpu = { 60, 62 };
        const int nothing = open("/dev/null", O_RDWR);
        setrlimit(RLIMIT_CPU, &cpu);
        dup2(nothing, 0);
        dup2(nothing, 1);
        dup2(ends[1], 2);
        close(ends[0]);
        execvp(argv[0], argv);
        fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
        _exit(127);
    }
    close(ends[1]);
    while ((count = read(ends[0], piece, sizeof piece)) > 0)
        if (err->length < 65536)
            text_bytes(err, piece, (size_t)count);
    close(ends[0]);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* ---- nvcc --------------------------------------------------------------------------- */

/* The value of NAME in lines NAME='value'; NULL: empty or not there. */
static char *shell_value(const char *lines, const char *name)
{
    char *head = form("%s='", name);
    const char *at = strncmp(lines, head, strlen(head)) == 0 ? lines : NULL;
    char *inner = form("\n%s", head);
    if (!at && (at = strstr(lines, inner)))
        at++;
    const char *value = at ? at + strlen(head) : "";
    const size_t length = strcspn(value, "'");
    free(head);
    free(inner);
    return length ? form("%.*s", (int)length, value) : NULL;
}

static void find_nvcc(void)
{
    struct text answer = { 0 };
    char piece[4096];
    size_t count;
    FILE *in = popen("BACKEND=emulator ARCH= GPU= tools/detect.sh", "r");
    if (!in)
        die(ENDS_MACHINE, "tools/detect.sh cannot be run");
    while ((count = fread(piece, 1, sizeof piece, in)) > 0)
        text_bytes(&answer, piece, count);
    const int status = pclose(in);
    if (status != 0)
        exit(WIFEXITED(status) ? WEXITSTATUS(status) : ENDS_MACHINE);     /* it has said why */
    tools.nvcc = shell_value(text_of(&answer), "NVCC");
    tools.version = shell_value(text_of(&answer), "NVCC_VERSION");
    tools.ccbin = shell_value(text_of(&answer), "CCBIN");
    tools.why = shell_value(text_of(&answer), "NVCC_NOTE");
    text_free(&answer);
}

/* /usr/local/cuda-13.0 of /usr/local/cuda/bin/nvcc; malloc'ed. */
static char *toolkit_of(const char *nvcc)
{
    char *real = realpath(nvcc, NULL);
    if (!real)
        die(ENDS_MACHINE, "%s is not there", nvcc);
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(real, '/');
        if (slash && slash != real)
            *slash = '\0';
    }
    return real;
}

/* ---- our own headers ------------------------------------------------------------------- */

static int is_header(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);
    return (length > 2 && strcmp(entry->d_name + length - 2, ".h") == 0)
        || (length > 4 && strcmp(entry->d_name + length - 4, ".cuh") == 0);
}

/* A copy, so that what is compiled is what was digested. */
static void copy_headers(void)
{
    struct dirent **found;
    struct digest d;
    char *folder = form("%s/include/common", tools.scratch);
    const int count = scandir("common", &found, is_header, alphasort);
    if (count <= 0)
        die(ENDS_USAGE, "common/ is not there; run this at the top of the repository");
    folder_make(folder);
    digest_begin(&d);
    for (int i = 0; i < count; i++) {
        struct text text = { 0 };
        char why[WHY], *to = form("%s/%s", folder, found[i]->d_name);
        if (!file_get("common", found[i]->d_name, 1 << 22, &text, why))
            die(ENDS_USAGE, "common/%s %s", found[i]->d_name, why);
        file_put(to, text_of(&text), text.length);
        digest_text(&d, found[i]->d_name);
        digest_add(&d, text_of(&text), text.length + 1);
        text_free(&text);
        free(to);
        free(found[i]);
    }
    free(found);
    digest_end(&d, tools.headers_digest);
    tools.headers = form("%s/include", tools.scratch);
    free(folder);
}

/* ---- the scratch folder -------------------------------------------------------------------- */

/* What a killed run left behind: folders named after processes that are no more. */
static void sweep(void)
{
    DIR *folder = opendir(scratches);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (!process_gone(entry->d_name))
            continue;
        char *left = form("%s/%s", scratches, entry->d_name);
        folder_drop(left);
        free(left);
    }
    if (folder)
        closedir(folder);
    parts_drop("build/labs/ptx");
    parts_drop("build/labs/reference");
}

void tools_find(void)
{
    char *here = getcwd(NULL, 0);
    find_nvcc();
    sweep();
    tools.scratch = form("%s/%s/%ld", here, scratches, (long)getpid());
    folder_make(tools.scratch);
    copy_headers();
    struct box_view view = { .toolkit = tools.nvcc ? toolkit_of(tools.nvcc) : NULL, .headers = tools.headers,
                             .emu_run = form("%s/build/bin/emu-run", here) };
    box_prepare(&view, tools.scratch);
    free(here);
}

void tools_end(void)
{
    if (tools.scratch)
        folder_drop(tools.scratch);
}
