/*
 * job: a step without nvcc. The kernel is the PTX stored with the step, the launch its .launch file,
 * the machine emu-run; options, data, checking and printing are the same C code as in the program.
 *   job prepare PROGRAM DIR [OPTION]...   writes DIR/data.npy, units.npy, records.npy and emu-run.args (a word a line)
 *   job report  PROGRAM DIR [OPTION]...   reads DIR/{result,tiles,blocks}.npy and timed.json, judges
 * common/run-stored.sh calls it before and after emu-run. Exit codes as everywhere.
 * Not modelled: warm-ups; --repeat beyond one (every run of the emulator takes the same cycles).
 */
#include "job.h"

#include "npy.h"
#include "record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The programs that store PTX. `resident`: the grid is what fits on the device, unless --blocks. */
static const struct program {
    const char *name;
    unsigned takes;
    bool resident;
    const char *clc;
} programs[] = {
    {"fixed_work", 0, false, "not used"},
    {"fixed_blocks", JOB_BLOCKS, true, "not used"},
    {"clc_blocks", JOB_STEALS, false, "instruction"},
    {"clc_clusters", JOB_STEALS | JOB_CLUSTER, false, "instruction"},
    {"tile-counter", JOB_BLOCKS | JOB_URGENT, true, "not used"},
    {"arrivals", 0, false, "not used"},
    {"phases", JOB_BLOCKS, true, "not used"},
    {"bytes", JOB_BLOCKS, true, "not used"},
    {"proxy-fence", JOB_FOURS, false, "not used"},
    {"reuse", JOB_BLOCKS, true, "not used"},
    {"guides-kernel", JOB_STEALS | JOB_URGENT, false, "instruction"},
    {"cluster-barrier", JOB_CLUSTER, true, "not used"},
    {"record-multicast", JOB_CLUSTER, true, "not used"},
};

static const struct program *find_program(const char *name)
{
    for (size_t k = 0; k < sizeof programs / sizeof programs[0]; k++)
        if (strcmp(programs[k].name, name) == 0)
            return &programs[k];
    return NULL;
}

/* DIR/name; the longest wins a sentence in out_open() or npy_read(). */
static const char *in_dir(const char *dir, const char *name)
{
    static char path[4][1200];
    static int next;
    char *text = path[next++ % 4];
    snprintf(text, sizeof path[0], "%s/%s", dir, name);
    return text;
}

/* ---- prepare ------------------------------------------------------------------------------ */

static bool write_data(const struct job *job, const char *path, struct sentence *why)
{
    static float piece[JOB_PIECE];
    struct out_file out;
    bool right = out_open(&out, path, why) && npy_header(&out, "<f4", job->n, why);
    for (int64_t first = 0; right && first < job->n; first += JOB_PIECE) {
        int64_t count = job_piece(job, first);
        job_input(job, piece, first, count);
        right = out_bytes(&out, piece, (size_t)count * sizeof *piece, why);
    }
    return right && out_close(&out, why);
}

static bool write_units(const struct job *job, const char *path, struct sentence *why)
{
    struct out_file out;
    bool right = out_open(&out, path, why) && npy_header(&out, "<u4", (int64_t)job->tiles + 1, why);
    for (int k = 0; right && k <= job->tiles; k++) {
        uint32_t units = job->sizes ? job->sizes[k] : job->uniform;
        right = out_bytes(&out, &units, sizeof units, why);
    }
    return right && out_close(&out, why);
}

static bool write_records(const struct job *job, const char *path, struct sentence *why)
{
    struct out_file out;
    int count = job->tiles / job->cluster + 1;
    bool right = out_open(&out, path, why) && npy_header(&out, "<u4", (int64_t)count * RECORD_WORDS, why);
    for (int k = 0; right && k < count; k++) {
        uint32_t record[RECORD_WORDS];
        tile_record_at(job->tiles, job->cluster, k, record);
        right = out_bytes(&out, record, sizeof record, why);
    }
    return right && out_close(&out, why);
}

static bool words(struct out_file *out, struct sentence *why, const char *name, const char *value)
{
    char text[1400];
    int length = snprintf(text, sizeof text, "--set\n%s=%s\n", name, value);
    return out_bytes(out, text, (size_t)length, why);
}

static bool number(struct out_file *out, struct sentence *why, const char *name, int64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, value);
    return words(out, why, name, text);
}

static bool write_args(const struct job *job, const struct program *program, const char *dir, struct sentence *why)
{
    struct out_file out;
    char grid[32], alpha[32];
    bool free_grid = program->resident && job->options.blocks == OPTION_AUTO;
    /* The ledger needs room for a record a block; with a free grid that is a block a tile at most. */
    int blocks = program->resident && !free_grid ? (int)job->options.blocks : job->tiles;
    bool busy = job->sizes || job->uniform || job->options.prologue;
    snprintf(grid, sizeof grid, free_grid ? "resident<=%d" : "%d", blocks);
    snprintf(alpha, sizeof alpha, "%.9g", (double)job->alpha);
    if (!out_open(&out, in_dir(dir, "emu-run.args"), why))
        return false;
    return words(&out, why, "DATA", in_dir(dir, "data.npy")) && words(&out, why, "UNITS", in_dir(dir, "units.npy")) &&
           words(&out, why, "RECORDS", in_dir(dir, "records.npy")) &&
           number(&out, why, "LAST", job->tiles / job->cluster) &&
           words(&out, why, "GRID", grid) && number(&out, why, "BLOCK", job->block) &&
           number(&out, why, "CLUSTER", job->cluster) && number(&out, why, "N", job->n) &&
           number(&out, why, "COUNT", job->tiles) &&
           number(&out, why, "TILE_WORDS", ((int64_t)job->tiles + 1) * (int64_t)(sizeof(struct tile_record) / 4)) &&
           number(&out, why, "BLOCK_WORDS", (int64_t)blocks * (int64_t)(sizeof(struct block_record) / 4)) &&
           number(&out, why, "PROLOGUE", job->options.prologue) && words(&out, why, "ALPHA", alpha) &&
           number(&out, why, "BUSY", busy) && out_close(&out, why);
}

static int prepare(const struct job *job, const struct program *program, const char *dir)
{
    struct sentence why = {""};
    if (job->options.urgent)
        say(&why, "--urgent: two kernels at once need the program itself, so nvcc; make toolkit fetches it");
    else if (job->tiles > JOB_RECORDED_MOST)
        say(&why, "--n %" PRId64 ": %d tiles; without nvcc %d is the most", job->n, job->tiles, JOB_RECORDED_MOST);
    else if (write_data(job, in_dir(dir, "data.npy"), &why) && write_units(job, in_dir(dir, "units.npy"), &why) &&
             write_records(job, in_dir(dir, "records.npy"), &why) &&
             write_args(job, program, dir, &why))
        return EXIT_RIGHT;
    job_die(job->program, &why, EXIT_USAGE);
    return EXIT_USAGE;
}

/* ---- report ------------------------------------------------------------------------------- */

/* The text after "key": in emu-run's one object. */
static bool json_value(const char *text, const char *key, char *value, size_t size)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *at = strstr(text, quoted);
    if (at == NULL)
        return false;
    at += strlen(quoted);
    at += strspn(at, " \"");
    size_t length = strcspn(at, ",\"}");
    if (length >= size)
        return false;
    memcpy(value, at, length);
    value[length] = '\0';
    return true;
}

/* Device, blocks and cycles as emu-run told them. */
static bool read_run(struct job *job, const char *path, struct sentence *why)
{
    char text[65536], value[128];
    int64_t blocks = 0, cycles = 0;
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return say(why, "%s: cannot be opened: %s", path, strerror(errno));
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    bool right = json_value(text, "blocks", value, sizeof value) && read_count(value, 0, INT32_MAX, &blocks);
    right = right && json_value(text, "cycles", value, sizeof value) && read_count(value, 0, INT64_MAX, &cycles);
    right = right && json_value(text, "device", value, sizeof value);
    if (!right)
        return say(why, "%s: not the report of a run: %.80s", path, text);
    job->grid = (int)blocks;
    bool prefixed = strncmp(value, "emulated ", 9) == 0;
    snprintf(job->device, sizeof job->device, "%s%s", prefixed ? "" : "emulated ", value);
    job->times = malloc(sizeof *job->times);
    if (job->times)
        job->times[job->timed++] = (double)cycles;
    return true;
}

/* Records are saved as u32 words, in the layout of the structs. */
static bool read_ledger(struct job *job, const char *dir, struct sentence *why)
{
    struct ledger *l = &job->ledger;
    void *tiles = NULL, *blocks = NULL;
    int64_t tile_words, block_words;
    if (!npy_read(in_dir(dir, "tiles.npy"), "<u4", &tiles, &tile_words, why))
        return false;
    l->tiles = tiles;
    if (!npy_read(in_dir(dir, "blocks.npy"), "<u4", &blocks, &block_words, why))
        return false;
    l->blocks = blocks;
    l->tile_count = job->tiles;
    l->block_count = job->grid;
    l->block_threads = job->block;
    l->steals = (job->takes & JOB_STEALS) != 0;
    if (tile_words != (l->tile_count + 1) * (int64_t)(sizeof *l->tiles / 4) ||
        block_words < l->block_count * (int64_t)(sizeof *l->blocks / 4))
        return say(why, "%s: records of another run", dir);
    return true;
}

static bool check_result(struct job *job, const char *dir, struct sentence *why)
{
    void *data = NULL;
    int64_t count;
    const char *path = in_dir(dir, "result.npy");
    if (!npy_read(path, "<f4", &data, &count, why))
        return false;
    float *want = malloc(((size_t)job->n + 1) * sizeof *want);
    bool right = count == job->n && want;
    if (right)
        job_compare(job, data, want, 0, job->n);
    else
        say(why, "%s: %" PRId64 " elements, want %" PRId64, path, count, job->n);
    if (right && *job->options.output)
        right = npy_write(job->options.output, "<f4", data, count, (size_t)count * sizeof(float), why);
    free(want);
    free(data);
    return right;
}

static int report(struct job *job, const char *dir)
{
    struct sentence why = {""};
    bool right = true;
    job->emulated = true;
    if (job->tiles == 0) {
        const char *device = getenv("EMU_DEVICE");
        snprintf(job->device, sizeof job->device, "emulated %.100s", device && *device ? device : "b200");
        right = !*job->options.output || npy_write(job->options.output, "<f4", "", 0, 0, &why);
    } else {
        job->launches = 1;
        right = read_run(job, in_dir(dir, "timed.json"), &why) && read_ledger(job, dir, &why) &&
                check_result(job, dir, &why) &&
                (!*job->options.trace || ledger_csv(&job->ledger, job->options.trace, &why));
    }
    if (!right)
        job_die(job->program, &why, EXIT_USAGE);
    return job_report(job);
}

int main(int argc, char **argv)
{
    struct job job;
    struct sentence why = {""};
    const struct program *program = argc > 3 ? find_program(argv[2]) : NULL;
    bool first = argc > 3 && strcmp(argv[1], "prepare") == 0;
    if (program == NULL || !(first || strcmp(argv[1], "report") == 0)) {
        fprintf(stderr, "usage: job prepare|report PROGRAM DIR [OPTION]...; PROGRAM: a step's .cu file without .cu\n");
        return EXIT_USAGE;
    }
    if (!job_prepare(&job, program->name, program->takes, argc - 3, argv + 3, &why))
        job_die(program->name, &why, EXIT_USAGE);
    if (job.options.help)
        return EXIT_RIGHT;
    job.clc = program->clc;
    int code = first ? prepare(&job, program, argv[3]) : report(&job, argv[3]);
    job_free(&job);
    return code;
}
