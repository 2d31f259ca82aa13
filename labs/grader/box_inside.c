/*
 * Into the box, with Linux namespaces: see box_inside.h.
 */
#define _GNU_SOURCE
#include "box_inside.h"

#include <grp.h>
#include <unistd.h>

static bool become_nobody(const struct box_view *view)
{
    return !view->nobody || (setgroups(0, NULL) == 0 && setgid(NOBODY) == 0 && setuid(NOBODY) == 0);
}

#ifdef __linux__

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>

/* ---- namespaces --------------------------------------------------------------- */

static bool write_map(const char *path, const char *text)
{
    const int file = open(path, O_WRONLY | O_CLOEXEC);
    const bool written = file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text);
    if (file >= 0)
        close(file);
    return written;
}

/* A user of ours keeps his number; it gives him the right to mount, in there alone. */
static bool own_user(uid_t uid, gid_t gid)
{
    char *uids = form("%u %u 1", (unsigned)uid, (unsigned)uid), *gids = form("%u %u 1", (unsigned)gid, (unsigned)gid);
    const bool done = write_map("/proc/self/setgroups", "deny") && write_map("/proc/self/uid_map", uids)
                   && write_map("/proc/self/gid_map", gids);
    free(uids);
    free(gids);
    return done;
}

static bool leave_namespaces(void)
{
    const uid_t uid = geteuid();
    const gid_t gid = getegid();
    if (unshare(CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | (uid ? CLONE_NEWUSER : 0)) != 0)
        return false;
    return (uid == 0 || own_user(uid, gid)) && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

/* ---- the file system ------------------------------------------------------------- */

static bool make_place(const char *path, bool folder)
{
    char *copy = form("%s", path);
    bool made = true;
    for (char *p = copy + 1; made && *p; p++)
        if (*p == '/') {
            *p = '\0';
            made = mkdir(copy, 0755) == 0 || errno == EEXIST;
            *p = '/';
        }
    const int file = made && !folder ? open(copy, O_WRONLY | O_CREAT | O_CLOEXEC, 0644) : -1;
    made = made && (folder ? mkdir(copy, 0755) == 0 || errno == EEXIST : file >= 0);
    if (file >= 0)
        close(file);
    free(copy);
    return made;
}

/* In a user namespace the flags that a mount came with must stay. */
static unsigned long kept_flags(const char *path)
{
    struct statvfs about;
    unsigned long flags = 0;
    if (statvfs(path, &about) != 0)
        return 0;
    flags |= about.f_flag & ST_NOSUID ? MS_NOSUID : 0;
    flags |= about.f_flag & ST_NODEV ? MS_NODEV : 0;
    flags |= about.f_flag & ST_NOEXEC ? MS_NOEXEC : 0;
    flags |= about.f_flag & ST_NOATIME ? MS_NOATIME : 0;
    flags |= about.f_flag & ST_RELATIME ? MS_RELATIME : 0;
    return flags;
}

/* What is at `from` appears at root/to. */
static bool show(const char *root, const char *from, const char *to, bool writable)
{
    struct stat about;
    char *place = form("%s%s", root, to);
    bool done = stat(from, &about) == 0 && make_place(place, S_ISDIR(about.st_mode))
             && mount(from, place, NULL, MS_BIND, NULL) == 0;
    if (done && !writable && !S_ISCHR(about.st_mode))
        done = mount(NULL, place, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | kept_flags(place), NULL) == 0;
    free(place);
    return done;
}

/* The same path, if there is one; a symbolic link (/lib on Debian) stays one. */
static bool show_system(const char *root, const char *path)
{
    struct stat about;
    char target[512];
    if (lstat(path, &about) != 0)
        return true;
    if (!S_ISLNK(about.st_mode))
        return show(root, path, path, false);
    const ssize_t length = readlink(path, target, sizeof target - 1);
    char *place = form("%s%s", root, path);
    target[length > 0 ? length : 0] = '\0';
    const bool done = length > 0 && symlink(target, place) == 0;
    free(place);
    return done;
}

static bool fill_root(const char *root, const struct box_view *view, const struct box *box)
{
    static const char *const systems[] = { "/usr", "/bin", "/sbin", "/lib", "/lib64", "/lib32", "/etc/alternatives",
                                           "/etc/ld.so.cache", "/dev/null", "/dev/zero", "/dev/urandom" };
    bool done = true;
    for (size_t i = 0; done && i < sizeof systems / sizeof *systems; i++)
        done = show_system(root, systems[i]);
    if (done && view->toolkit && strncmp(view->toolkit, "/usr/", 5) != 0)
        done = show(root, view->toolkit, view->toolkit, false);
    char *tmp = form("%s/tmp", root);
    done = done && show(root, view->headers, "/include", false) && show(root, view->emu_run, "/emu-run", false)
        && show(root, box->folder, "/box", true) && (!box->data || show(root, box->data, "/data", false))
        && make_place(tmp, true) && chmod(tmp, 0777) == 0;
    free(tmp);
    return done;
}

static bool change_root(const char *root)
{
    return chdir(root) == 0 && syscall(SYS_pivot_root, ".", ".") == 0 && umount2(".", MNT_DETACH) == 0 && chdir("/") == 0;
}

bool box_enter(enum apart apart, const struct box_view *view, const struct box *box, const char *root)
{
    bool inside = true;
    if (apart == APART_ALL)
        inside = leave_namespaces() && mount("tmpfs", root, "tmpfs", MS_NOSUID, "size=256m,mode=755") == 0
              && fill_root(root, view, box) && change_root(root) && chdir("/box") == 0;
    else
        inside = chdir(box->folder) == 0;
    return inside && (apart == APART_NOTHING || become_nobody(view)) && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
        && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0;         /* not to outlive the grader */
}

#else

bool box_enter(enum apart apart, const struct box_view *view, const struct box *box, const char *root)
{
    (void)root;
    return apart != APART_ALL && chdir(box->folder) == 0 && (apart == APART_NOTHING || become_nobody(view));
}

#endif
