/*
 * Running a command in a box: see box.h.
 */
#define _GNU_SOURCE
#include "box.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "box_inside.h"

static struct box_view seen;
static enum apart apart = APART_NOTHING;
static char *empty_root;            /* where the box's own file system is mounted */

enum { CANNOT_ENTER = 126, NO_COMMAND = 127 };

/* ---- what this system allows ------------------------------------------------------ */

/* May we, as whoever we are now, start what is to be started? */
static bool can_reach(void)
{
    return access(seen.emu_run, X_OK) == 0 && access(seen.headers, R_OK | X_OK) == 0
        && (!seen.toolkit || access(seen.toolkit, R_OK | X_OK) == 0);
}

static bool try_apart(enum apart how, const char *scratch)
{
    const struct box box = { .folder = scratch };
    const pid_t child = fork();
    int status = 1;
    if (child == 0)
        _exit(box_enter(how, &seen, &box, empty_root) && (how == APART_ALL || can_reach()) ? 0 : 1);
    if (child > 0)
        waitpid(child, &status, 0);
    return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void box_prepare(const struct box_view *view, const char *scratch)
{
    const char *forced = getenv("GRADE_APART");     /* for tests: `none` behaves as on a system without namespaces */
    seen = *view;
    empty_root = form("%s/root", scratch);
    folder_make(empty_root);
    seen.nobody = geteuid() == 0 && chown(empty_root, NOBODY, NOBODY) == 0;   /* not where root is the only user there is */
    apart = APART_NOTHING;
    if (forced && strcmp(forced, "none") == 0)
        return;
    if (try_apart(APART_ALL, scratch))
        apart = APART_ALL;
    else if (seen.nobody && try_apart(APART_USER, scratch))
        apart = APART_USER;
}

const char *box_missing(void)
{
    switch (apart) {
    case APART_ALL: return "";
    case APART_USER: return "no namespaces on this system: the compiler could see the network and what anybody may read";
    case APART_NOTHING: break;
    }
    return "no namespaces on this system: the compiler could see the network and your files; time, memory and sizes were limited";
}

char *box_path(const struct box *box, const char *path)
{
    if (apart == APART_ALL)
        return form("%s", path);
    if (strncmp(path, "/box", 4) == 0)
        return form("%s%s", box->folder, path + 4);
    if (strncmp(path, "/data", 5) == 0)
        return form("%s%s", box->data ? box->data : "", path + 5);
    return form("%s", strcmp(path, "/include") == 0 ? seen.headers : seen.emu_run);
}

void box_give(const char *folder)
{
    if (seen.nobody && chown(folder, NOBODY, NOBODY) != 0)
        die(ENDS_MACHINE, "%s cannot be given to nobody", folder);
}

/* ---- the child ------------------------------------------------------------------------ */

static void limit(int what, size_t value, size_t extra)
{
    const struct rlimit most = { value, value + extra };
    setrlimit(what, &most);
}

static void set_limits(const struct box_limits *limits)
{
    const size_t cpu = (size_t)(limits->cpu + 0.999);
    limit(RLIMIT_CPU, cpu ? cpu : 1, 2);
    limit(RLIMIT_AS, limits->memory, 0);
    limit(RLIMIT_FSIZE, limits->file, 0);
    limit(RLIMIT_CORE, 0, 0);
    limit(RLIMIT_NOFILE, 256, 0);
}

static _Noreturn void child(const struct box *box, char *const argv[], const struct box_limits *limits, const int out[2],
                            const int err[2])
{
    const char *toolkit = seen.toolkit ? seen.toolkit : "/usr";
    char *path = form("PATH=%s/bin:/usr/local/bin:/usr/bin:/bin", toolkit);
    char *tmp = apart == APART_ALL ? form("TMPDIR=/tmp") : form("TMPDIR=%s", box->folder);
    char *environment[] = { path, tmp, (char[]){ "LC_ALL=C" }, (char[]){ "HOME=/nonexistent" }, NULL };
    const int nothing = open("/dev/null", O_RDONLY);
    setpgid(0, 0);
    if (nothing < 0 || dup2(nothing, 0) < 0 || dup2(out[1], 1) < 0 || dup2(err[1], 2) < 0)
        _exit(CANNOT_ENTER);
    for (int fd = 3; fd < 64; fd++)
        close(fd);
    if (!box_enter(apart, &seen, box, empty_root))
        _exit(CANNOT_ENTER);
    set_limits(limits);
    execve(argv[0], argv, environment);
    _exit(NO_COMMAND);
}

/* ---- the parent ------------------------------------------------------------------------- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* What has come on a pipe; false at its end. */
static bool take(int fd, struct text *kept, size_t most, size_t *all)
{
    char piece[16384];
    const ssize_t count = read(fd, piece, sizeof piece);
    if (count < 0)
        return errno == EINTR || errno == EAGAIN;
    const size_t room = kept->length < most ? most - kept->length : 0;
    text_bytes(kept, piece, (size_t)count < room ? (size_t)count : room);
    *all += (size_t)count;
    return count > 0;
}

/* Reads both pipes until they end, or a limit is met. */
static void listen_to(int out, int err, double began, const struct box_limits *limits, struct box_result *r)
{
    struct pollfd ears[2] = { { out, POLLIN, 0 }, { err, POLLIN, 0 } };
    while (ears[0].fd >= 0 || ears[1].fd >= 0) {
        const double left = limits->wall - (now() - began);
        if (left <= 0 || r->out_bytes + r->err_bytes > limits->output) {
            r->end = left <= 0 ? BOX_WALL : BOX_OUTPUT;
            return;
        }
        if (poll(ears, 2, (int)(left * 1000) + 1) < 0 && errno != EINTR)
            return;
        if (ears[0].fd >= 0 && ears[0].revents && !take(out, &r->out, limits->kept, &r->out_bytes))
            ears[0].fd = -1;
        if (ears[1].fd >= 0 && ears[1].revents && !take(err, &r->err, limits->kept, &r->err_bytes))
            ears[1].fd = -1;
    }
}

static void judge_end(struct box_result *r, int status, const struct rusage *usage, const struct box_limits *limits)
{
    r->cpu = (double)usage->ru_utime.tv_sec + (double)usage->ru_stime.tv_sec
           + (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1e-6;
    if (WIFEXITED(status)) {
        r->status = WEXITSTATUS(status);
        if (r->end == BOX_EXIT && r->status != 0 && r->cpu >= 0.95 * limits->cpu)
            r->end = BOX_CPU;           /* one that it had started was stopped */
        return;
    }
    r->status = WTERMSIG(status);
    if (r->end != BOX_EXIT)
        return;
    if (r->status == SIGXCPU || (r->status == SIGKILL && r->cpu >= limits->cpu))
        r->end = BOX_CPU;
    else
        r->end = r->status == SIGXFSZ ? BOX_FILE : BOX_SIGNAL;
}

void box_run(const struct box *box, char *const argv[], const struct box_limits *limits, struct box_result *r)
{
    int out[2], err[2], status = 0;
    struct rusage usage;
    const double began = now();
    *r = (struct box_result){ .end = BOX_EXIT };
    fflush(NULL);
    if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0)
        die(ENDS_MACHINE, "no pipe can be made: %s", strerror(errno));
    const pid_t pid = fork();
    if (pid < 0)
        die(ENDS_MACHINE, "no process can be started: %s", strerror(errno));
    if (pid == 0)
        child(box, argv, limits, out, err);
    setpgid(pid, pid);
    close(out[1]);
    close(err[1]);
    listen_to(out[0], err[0], began, limits, r);
    if (r->end != BOX_EXIT)
        kill(-pid, SIGKILL);
    while (wait4(pid, &status, 0, &usage) < 0 && errno == EINTR) {
    }
    kill(-pid, SIGKILL);                /* whoever it left behind */
    close(out[0]);
    close(err[0]);
    judge_end(r, status, &usage, limits);
    r->wall = now() - began;
    if (r->end == BOX_EXIT && (r->status == CANNOT_ENTER || r->status == NO_COMMAND) && r->err_bytes == 0)
        die(ENDS_MACHINE, "%s cannot be run in a box on this system", argv[0]);
}

void box_result_free(struct box_result *r)
{
    text_free(&r->out);
    text_free(&r->err);
}
