/*
 * Grading a class: see class.h.
 *
 * OUT/STUDENT/LAB/done is written last, with the digest of all that the grade
 * depends on and its line of grades.csv; whoever has it is not graded again.
 */
#define _GNU_SOURCE
#include "class.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "alike.h"
#include "digest.h"
#include "submission.h"

struct job {
    char *student;              /* the folder's name */
    char *folder;               /* what is graded; NULL: nothing was handed in */
    int lab;                    /* of `labs` */
    char *out;                  /* OUT/STUDENT/LAB */
    pid_t pid;
    int code;                   /* why it was not graded: ENDS_MACHINE and above; 0: it was, or its process was killed */
};

struct class {
    const struct class_options *options;
    struct lab *labs;
    char (*digests)[DIGEST_TEXT];           /* of each lab's files */
    int lab_count;
    struct job *jobs;
    size_t job_count, job_room;
    char *seed;
    size_t graded, kept, lost;
    int code;                   /* of the first that was lost */
    struct text others;         /* names of what lies there and is no submission */
    size_t other_count;
};

static const char csv_header[] = "student,lab,score,of,by_hand,first_failure,seconds,exit,note\n";

/* ---- names --------------------------------------------------------------------------- */

enum {
    MOST_OTHERS = 10,           /* so many are named */
    LONGEST_NAME = 200          /* of a folder; there is room for what marks a changed one */
};

/* A name that is no trouble as a folder or on a terminal. */
static char *safe_name(const char *name)
{
    struct text safe = { 0 };
    bool odd = false;
    for (const char *p = name; *p;) {
        const int length = utf8_length(p);
        const bool trouble = length == 0 || utf8_control(p) || *p == '\\';
        text_bytes(&safe, trouble ? "_" : p, trouble ? 1 : (size_t)length);
        odd = odd || trouble;
        p += length ? length : 1;
    }
    if (odd || safe.length > LONGEST_NAME) {
        char *longer = form("%.*s-%08x", LONGEST_NAME, text_of(&safe), (unsigned)digest_number(name));
        text_free(&safe);
        return longer;
    }
    return safe.at;
}

/* A field of a CSV file in UTF-8; a spreadsheet must not take it for a formula. */
static void csv_field(struct text *out, const char *field)
{
    text_add(out, "\"%s", strchr("=+-@\t", *field) && *field ? "'" : "");
    for (const char *p = field; *p;) {
        const int length = utf8_length(p);
        if (*p == '"')
            text_add(out, "\"");
        text_bytes(out, length ? p : "?", length ? (size_t)length : 1);
        p += length ? length : 1;
    }
    text_add(out, "\"");
}

/* ---- what there is to do -------------------------------------------------------------------- */

static bool own_folder(const char *path)
{
    struct stat about;
    return lstat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static void add_job(struct class *c, const char *student, char *folder, int lab)
{
    c->jobs = room_more(c->jobs, c->job_count, &c->job_room, sizeof *c->jobs);
    char *safe = safe_name(student);
    c->jobs[c->job_count++] = (struct job){ .student = form("%s", student), .folder = folder, .lab = lab,
                                            .out = form("%s/%s/%s", c->options->out, safe, c->labs[lab].name) };
    free(safe);
}

/* STUDENT/L3-steal; or STUDENT itself, if one lab is asked for and its files lie there. */
static void add_student(struct class *c, const char *student)
{
    char *top = form("%s/%s", c->options->folder, student);
    for (int i = 0; i < c->lab_count; i++) {
        char *folder = form("%s/%s", top, c->labs[i].name);
        if (own_folder(folder)) {
            add_job(c, student, folder, i);
            continue;
        }
        free(folder);
        if (c->options->lab < 0)
            continue;
        char *first = c->labs[i].source_count ? form("%s/%s", top, c->labs[i].sources[0]) : form("%s/seed", top);
        add_job(c, student, file_there(first) ? form("%s", top) : NULL, i);
        free(first);
    }
    free(top);
}

/* What was found in the folder; nothing is passed over in silence. */
static void add_entry(struct class *c, const char *entry)
{
    const size_t before = c->job_count;
    char *path = form("%s/%s", c->options->folder, entry);
    if (own_folder(path))
        add_student(c, entry);
    if (c->job_count == before) {
        char *name = safe_name(entry);
        if (c->other_count++ < MOST_OTHERS)
            text_add(&c->others, "%s%s", c->others.length ? ", " : "", name);
        free(name);
    }
    free(path);
}

static void find_jobs(struct class *c)
{
    struct dirent **found;
    const int count = scandir(c->options->folder, &found, NULL, alphasort);
    if (count < 0)
        die(ENDS_USAGE, "%s: %s", c->options->folder, strerror(errno));
    for (int i = 0; i < count; i++) {
        if (*found[i]->d_name != '.')
            add_entry(c, found[i]->d_name);
        free(found[i]);
    }
    free(found);
    if (c->job_count == 0)
        die(ENDS_USAGE, "%s holds no STUDENT/L3-steal folder of a lab", c->options->folder);
}

/* ---- what a grade depends on ------------------------------------------------------------------ */

static void digest_file(struct digest *d, const char *folder, const char *name)
{
    struct text text = { 0 };
    char why[WHY];
    digest_text(d, name);
    if (file_get(folder, name, (size_t)1 << 28, &text, why))
        digest_add(d, text_of(&text), text.length + 1);
    else
        digest_text(d, why);
    text_free(&text);
}

static void digest_folder(struct digest *d, const char *folder)
{
    struct dirent **found;
    const int count = folder ? scandir(folder, &found, NULL, alphasort) : -1;
    for (int i = 0; i < count; i++) {
        if (found[i]->d_type != DT_DIR)
            digest_file(d, folder, found[i]->d_name);
        free(found[i]);
    }
    if (count >= 0)
        free(found);
}

static void digest_labs(struct class *c)
{
    struct digest programs;
    digest_begin(&programs);
    digest_file(&programs, ".", "build/bin/grade");
    digest_file(&programs, ".", "build/bin/emu-run");
    digest_text(&programs, tools.headers_digest);
    digest_text(&programs, tools.version ? tools.version : "");
    digest_text(&programs, c->seed);
    if (places.hidden)
        digest_folder(&programs, places.hidden);
    for (int i = 0; i < c->lab_count; i++) {
        struct digest d = programs;
        digest_folder(&d, c->labs[i].instructor);
        digest_folder(&d, c->labs[i].hidden);
        digest_end(&d, c->digests[i]);
    }
}

static void digest_job(const struct class *c, const struct job *job, char hex[DIGEST_TEXT])
{
    const struct lab *lab = &c->labs[job->lab];
    struct digest d;
    digest_begin(&d);
    digest_text(&d, c->digests[job->lab]);
    digest_text(&d, job->folder ? "" : "nothing");
    for (int i = 0; job->folder && i < lab->source_count; i++)
        digest_file(&d, job->folder, lab->sources[i]);
    for (int i = 0; job->folder && i < lab->test_count; i++)
        if (test_word(&lab->tests[i], "file"))
            digest_file(&d, job->folder, test_word(&lab->tests[i], "file"));
    if (job->folder)
        digest_file(&d, job->folder, "seed");
    digest_end(&d, hex);
}

/* The line of grades.csv in OUT/.../done; malloc'ed; NULL: not graded, or something has changed since. */
static char *done_line(const struct class *c, const struct job *job)
{
    char hex[DIGEST_TEXT], why[WHY], *line = NULL;
    struct text text = { 0 };
    digest_job(c, job, hex);
    if (file_get(job->out, "done", 1 << 16, &text, why) && strncmp(text_of(&text), hex, strlen(hex)) == 0
        && text.at[strlen(hex)] == '\n' && text.at[text.length - 1] == '\n')
        line = form("%s", text.at + strlen(hex) + 1);
    text_free(&text);
    return line;
}

/* ---- one submission, in a process of its own ---------------------------------------------------- */

static void put(const char *folder, const char *name, const struct text *text)
{
    char *path = form("%s/%s", folder, name);
    file_put(path, text_of(text), text->length);
    free(path);
}

static void write_report(const struct grading *g, const char *student, const char *out)
{
    struct text text = { 0 };
    size_t size;
    FILE *file = open_memstream(&text.at, &size);
    if (!file)
        die(ENDS_MACHINE, "memory is out");
    char *name = safe_name(student);
    fprintf(file, "%s: %s, %s\n\n", name, g->lab->name, g->lab->title);
    free(name);
    for (int i = 0; i < g->row_count; i++)
        report_row(file, g, i);
    report_score(file, g);
    fputc('\n', file);
    report_failure(file, g);
    if (*box_missing())
        fprintf(file, "\nnote: %s\n", box_missing());
    fclose(file);
    text.length = size;
    put(out, "report.txt", &text);
    text_free(&text);
    report_gradescope(&text, g);
    put(out, "results.json", &text);
    text_free(&text);
}

static void write_done(const struct class *c, const struct job *job, const struct grading *g)
{
    struct text text = { 0 };
    char hex[DIGEST_TEXT];
    const struct test *test = g->first_failure < 0 ? NULL : row_test(g, g->first_failure);
    digest_job(c, job, hex);
    text_add(&text, "%s\n", hex);
    csv_field(&text, job->student);
    text_add(&text, ",%s,%d,%d,%d,%s,%.1f,%d\n", g->lab->name, g->points, g->of, g->open,
             !job->folder ? "not handed in" : g->first_failure < 0 ? "" : test ? test->id : "compiles", g->seconds, g->code);
    put(job->out, "done", &text);
    text_free(&text);
}

static _Noreturn void do_job(struct class *c, const struct job *job)
{
    struct grading g;
    const struct lab *lab = &c->labs[job->lab];
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    tools.scratch = form("%s/%ld", tools.scratch, (long)getpid());
    folder_make(tools.scratch);
    folder_make(job->out);
    parts_drop(job->out);
    char *folder = job->folder ? form("%s", job->folder) : form("%s/nothing", tools.scratch);
    folder_make(folder);
    submission_grade(&g, lab, folder, job->student, c->seed, 1, false, NULL);
    write_report(&g, job->student, job->out);
    if (g.code <= ENDS_WRONG)           /* what was not the student's doing is tried again next time */
        write_done(c, job, &g);
    folder_drop(tools.scratch);
    fflush(NULL);
    _exit(g.code <= ENDS_WRONG ? 0 : g.code);
}

/* ---- all of them ------------------------------------------------------------------------------------ */

/* Behind the first field of a line of grades.csv, which is quoted; NULL: there is none. */
static const char *behind_student(const char *line)
{
    const char *p = line && *line == '"' ? line + 1 : NULL;
    while (p && *p && !(p[0] == '"' && p[1] == ','))
        p += p[0] == '"' ? 2 : 1;
    return p && *p ? p + 2 : NULL;
}

static int lost_code(const struct job *job)
{
    return job->code ? job->code : ENDS_BROKEN;
}

/* Says how one ended. */
static void tell(struct class *c, const struct job *job)
{
    char *line = done_line(c, job), *name = safe_name(job->student);
    const char *numbers = behind_student(line);
    char *field[4], *copy = form("%s", numbers ? numbers : "");
    const size_t number = c->graded + c->kept + c->lost + 1;
    if (numbers && fields_cut(copy, ',', field, 4) == 4) {
        c->graded++;
        printf("%4zu/%zu  %-24s %-14s %s/%s\n", number, c->job_count, name, field[0], field[1], field[2]);
    } else {
        if (c->lost++ == 0)
            c->code = lost_code(job);
        printf("%4zu/%zu  %-24s %-14s not graded: the sentence is above\n", number, c->job_count, name, c->labs[job->lab].name);
    }
    fflush(stdout);
    free(copy);
    free(name);
    free(line);
}

static void wait_job(struct class *c)
{
    int status;
    const pid_t pid = waitpid(-1, &status, 0);
    for (size_t i = 0; pid > 0 && i < c->job_count; i++)
        if (c->jobs[i].pid == pid) {
            c->jobs[i].pid = 0;
            c->jobs[i].code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
            tell(c, &c->jobs[i]);
            return;
        }
    if (pid < 0 && errno != EINTR)
        die(ENDS_BROKEN, "a process of the grader was lost");
}

static void do_jobs(struct class *c)
{
    int running = 0;
    for (size_t i = 0; i < c->job_count; i++) {
        char *line = done_line(c, &c->jobs[i]);
        if (line) {
            free(line);
            c->kept++;
            continue;
        }
        for (; running >= c->options->jobs; running--)
            wait_job(c);
        fflush(NULL);
        c->jobs[i].pid = fork();
        if (c->jobs[i].pid == 0)
            do_job(c, &c->jobs[i]);
        if (c->jobs[i].pid < 0)
            die(ENDS_MACHINE, "no process can be started: %s", strerror(errno));
        running++;
    }
    for (; running > 0; running--)
        wait_job(c);
}

/* A note for each job: what is the same as somebody else's. */
static char **compare_jobs(const struct class *c, size_t *alike)
{
    struct alike_job *jobs = room_for(c->job_count, sizeof *jobs);
    for (size_t i = 0; i < c->job_count; i++) {
        const struct job *job = &c->jobs[i];
        jobs[i] = (struct alike_job){ .student = job->student, .folder = job->folder, .lab = &c->labs[job->lab],
                                      .seeded = inputs_seeded(&c->labs[job->lab]) && !submission_seed_given(job->student) };
    }
    char **notes = alike_notes(jobs, c->job_count);
    *alike = 0;
    for (size_t i = 0; i < c->job_count; i++)
        *alike += *notes[i] != '\0';
    free(jobs);
    return notes;
}

/* Returns how many have a note. */
static size_t write_grades(const struct class *c)
{
    struct text text = { 0 };
    size_t alike;
    char **notes = compare_jobs(c, &alike);
    text_add(&text, "%s", csv_header);
    for (size_t i = 0; i < c->job_count; i++) {
        char *line = done_line(c, &c->jobs[i]);
        if (line)
            text_add(&text, "%.*s,", (int)strlen(line) - 1, line);
        if (!line) {
            csv_field(&text, c->jobs[i].student);
            text_add(&text, ",%s,,,,not graded,,%d,", c->labs[c->jobs[i].lab].name, lost_code(&c->jobs[i]));
        }
        csv_field(&text, notes[i]);
        text_add(&text, "\n");
        free(line);
        free(notes[i]);
    }
    put(c->options->out, "grades.csv", &text);
    text_free(&text);
    free(notes);
    return alike;
}

/* The seed typed, or that of an earlier run into the same folder, or a new one. */
static void choose_seed(struct class *c)
{
    struct text text = { 0 };
    char why[WHY], *at;
    if (!c->options->seed && file_get(c->options->out, "seed", 100, &text, why)) {
        at = text.at;
        char *line = line_next(&at);
        c->seed = form("%s", line ? line : "");
    } else {
        c->seed = c->options->seed ? form("%s", c->options->seed) : form("%" PRIu64, seed_new());
        text_free(&text);
        text_add(&text, "%s\n", c->seed);
        put(c->options->out, "seed", &text);
    }
    text_free(&text);
}

static void read_labs(struct class *c)
{
    struct lab *known = room_for(MOST_LABS, sizeof *known);
    c->lab_count = labs_read(known);
    c->labs = room_for(MOST_LABS, sizeof *c->labs);
    c->digests = room_for(MOST_LABS, sizeof *c->digests);
    int count = 0;
    for (int i = 0; i < c->lab_count; i++)
        if (c->options->lab < 0 || known[i].number == c->options->lab) {
            lab_read(&c->labs[count], known[i].number);
            if (c->options->lab >= 0 || c->labs[count].points > 0)
                count++;
        }
    if (count == 0)
        lab_read(&c->labs[0], c->options->lab);     /* says which there are */
    c->lab_count = count;
    free(known);
}

static void lock_out(const char *out)
{
    char *path = form("%s/.lock", out);
    const int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (lock < 0)
        die(ENDS_MACHINE, "%s cannot be written: %s", path, strerror(errno));
    for (int tries = 0; flock(lock, LOCK_EX | LOCK_NB) != 0; tries++) {
        if (tries == 50)        /* five seconds: those whom a killed run left behind end by themselves */
            die(ENDS_MACHINE, "another run is grading into %s", out);
        nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
    }
    free(path);                 /* the lock is ours until we end */
}

int class_grade(const struct class_options *options)
{
    struct class c = { .options = options };
    if (!folder_there(options->folder))
        die(ENDS_USAGE, "%s is no folder; it should hold STUDENT/L3-steal/...", options->folder);
    read_labs(&c);
    find_jobs(&c);
    folder_make(options->out);
    lock_out(options->out);
    parts_drop(options->out);
    choose_seed(&c);
    for (int i = 0; i < c.lab_count; i++)
        inputs_prepare(&c.labs[i]);
    digest_labs(&c);
    do_jobs(&c);
    const size_t alike = write_grades(&c);
    printf("%zu graded, %zu had been graded before, %zu could not be\n", c.graded, c.kept, c.lost);
    if (*box_missing())
        printf("note: %s\n", box_missing());
    if (c.other_count)
        printf("note: %zu in %s hold no folder of a lab and were passed over: %s%s\n", c.other_count, options->folder, text_of(&c.others),
               c.other_count > MOST_OTHERS ? ", ..." : "");
    if (alike)
        printf("note: %zu have something in common with others or with our solution: column `note` of grades.csv\n", alike);
    printf("Grades: %s/grades.csv   a report each: %s/STUDENT/LAB/report.txt\n", options->out, options->out);
    return c.lost ? c.code : ENDS_RIGHT;
}
