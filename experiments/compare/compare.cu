/*
 * The guide's table with figures in place of ticks: one work, all ways to hand out its tiles (ways.cuh), on this GPU.
 *
 *   run    make compare                     every work, text; JSON in build/compare
 *   read   measure_way(): what is measured, and in which launch
 *
 *   compare --help                          its options
 *
 * The lower bound: no schedule of whole tiles ends before the work is done with every slot busy all the time, nor
 * before its largest tile is done alone. Both are measured here, by step 1 with a tile for each slot, and with one.
 * The kernel of high priority arrives when half of the first bound is over (urgent.cuh says how).
 * Exit: 0; 1 a wrong result, or a tile not done once; 2 nonsense; 3 the GPU cannot do it.
 * Not modelled: tiles that share data.
 */
#include "experiments/args.cuh"
#include "experiments/compare/loads.cuh"
#include "experiments/compare/ways.cuh"

#include <algorithm>
#include <vector>

/* ---- options ------------------------------------------------------------------------------ */

struct wish {
    const char *work, *ways, *json;
    int64_t block, slots, units, copies, prologue, repeat, waits;
};

static struct wish read_wish(int argc, char **argv)
{
    struct wish w = {"prompts", "", "", 32, 2, 1000, 1, -1, -1, -1};
    read_args("compare",
              {{"--work", "NAME", "a work of the table in loads.cuh, or a file with a number a line (prompts)", &w.work},
               {"--ways", "NAMES", "which ways to hand out tiles: of step01,step02,counter,step03,step04 (all)", &w.ways},
               {"--block", "THREADS", "threads in a block (32)", &w.block, 32, 1024},
               {"--slots", "BLOCKS", "blocks on an SM (2)", &w.slots, 1, 32},
               {"--units", "N", "units in an average tile (1000)", &w.units, 1, 1000000},
               {"--copies", "N", "the work so many times over (1)", &w.copies, 1, 256},
               {"--prologue", "UNITS", "units of a prologue (half of --units)", &w.prologue, 0, 100000000},
               {"--repeat", "N", "timed launches (11; on the emulator 1)", &w.repeat, 1, 1000},
               {"--waits", "N", "kernels of high priority that arrive (5; on the emulator 1)", &w.waits, 0, 1000},
               {"--json", "FILE", "write all figures there", &w.json}},
              argc, argv);
    if (w.prologue < 0)
        w.prologue = w.units / 2;
    return w;
}

/* ---- one run ------------------------------------------------------------------------------ */

struct bench {
    struct wish wish;
    struct job job; /* what the kernels work on; grid, takes and cluster change from way to way */
    struct stage stage;
    struct load load;
    struct load_sizes sizes;
    struct tile_plan plan; /* with units and records */
    cudaStream_t urgent;
    cudaEvent_t start, end;
    int repeat, waits;
    double unit;  /* of time: how many are a millisecond */
    double full;  /* time that a unit takes while every slot has a tile */
    double alone; /* the same of one tile alone on the GPU */
    double begin; /* what a launch takes beside its work */
    double idle;  /* what the kernel of high priority waits for on a GPU that has nothing else to do */
};

/* Lets the host queue what follows: what is timed must not wait for it. */
__global__ void kernel_pause(uint64_t ns)
{
    const uint64_t start = now();
    while (now() - start < ns) {
    }
}

static void set(const struct tile_plan &plan, bool record)
{
    CUDA(cudaDeviceSynchronize());
    set_plan(plan, record);
    CUDA(cudaDeviceSynchronize()); /* the copy is done before a stream of ours looks at it */
}

static void pause(const struct bench *b, cudaStream_t stream)
{
    if (b->job.emulated)
        return;
    kernel_pause<<<1, 1, 0, stream>>>(100000);
    CUDA(cudaGetLastError());
}

static double time_once(struct bench *b, const struct way *way)
{
    float ms = 0;
    pause(b, b->stage.stream);
    CUDA(cudaEventRecord(b->start, b->stage.stream));
    way_launch(way, &b->stage, &b->job);
    CUDA(cudaEventRecord(b->end, b->stage.stream));
    CUDA(cudaEventSynchronize(b->end));
    CUDA(cudaEventElapsedTime(&ms, b->start, b->end));
    b->job.launches ^= 1; /* alpha is -1: two launches give the input again */
    return ms * b->unit;
}

static struct spread time_way(struct bench *b, const struct way *way, int repeat)
{
    std::vector<double> times(repeat);
    if (!b->job.emulated)
        for (int k = 0; k < 2; k++)
            time_once(b, way);
    for (double &time : times)
        time = time_once(b, way);
    return spread_of(times.data(), repeat);
}

/* Time of a unit: twice the units in `tiles` tiles, less once. *rest: what does not come from units. */
static double time_unit(struct bench *b, int tiles, double *rest)
{
    struct tile_plan plan = b->plan;
    const int all = b->job.tiles;
    const uint32_t units = b->job.emulated ? 1000 : 20000;
    double time[2];
    plan.units = nullptr;
    plan.prologue = 0;
    b->job.tiles = b->job.grid = tiles;
    for (uint32_t k = 0; k < 2; k++) {
        plan.uniform = units << k;
        set(plan, false);
        time[k] = time_way(b, &ways[0], b->job.emulated ? 1 : 5).median;
    }
    b->job.tiles = all;
    *rest = std::max(0.0, 2 * time[0] - time[1]);
    return (time[1] - time[0]) / units;
}

static double share_bound(const struct bench *b) { return b->sizes.total * b->full / (b->stage.sms * b->stage.slots); }

static double bound(const struct bench *b) { return std::max(share_bound(b), b->sizes.largest * b->alone); }

/* ---- what a recorded launch tells ---------------------------------------------------------- */

struct figures {
    int64_t grid, prologues, stolen, refused, refused_while_waiting;
    double prologue_share; /* of the time of all slots */
    double busiest;        /* units of the busiest SM over the mean */
    struct spread time, wait;
};

static void clear_records(struct bench *b)
{
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemset(b->plan.tiles, 0, ((size_t)b->job.tiles + 1) * sizeof *b->plan.tiles));
    CUDA(cudaMemset(b->plan.blocks, 0, (size_t)b->job.grid * sizeof *b->plan.blocks));
}

/* Fetches the records and checks them; ends the program if a tile was not done once. */
static void fetch(struct bench *b, const struct way *way)
{
    struct sentence why;
    CUDA(cudaDeviceSynchronize());
    free(b->job.ledger.tiles);
    free(b->job.ledger.blocks);
    b->job.takes = way->steals ? JOB_STEALS : 0;
    fetch_ledger(&b->job, &b->plan);
    if (ledger_check(&b->job.ledger, &why))
        return;
    fprintf(stderr, "compare: %s, work %s: %s\n", way->title, b->load.name, why.text);
    exit(EXIT_WRONG);
}

static double busiest(const struct bench *b)
{
    const struct ledger *l = &b->job.ledger;
    std::vector<double> units(b->stage.sms);
    double sum = 0;
    for (int64_t k = 0; k < l->block_count; k++)
        units[l->blocks[k].sm % b->stage.sms] += (double)l->blocks[k].prologues * (double)b->wish.prologue;
    for (int64_t k = 0; k < l->tile_count; k++)
        units[l->blocks[l->tiles[k].block].sm % b->stage.sms] += b->sizes.units[k];
    for (double u : units)
        sum += u;
    return sum > 0 ? *std::max_element(units.begin(), units.end()) * b->stage.sms / sum : 1;
}

/* Of the time that all slots have until the last tile ends. */
static double prologue_share(const struct bench *b)
{
    const struct ledger *l = &b->job.ledger;
    uint64_t first = UINT64_MAX, last = 0;
    double sum = 0;
    for (int64_t k = 0; k < l->block_count; k++)
        if (l->blocks[k].prologues) {
            first = std::min(first, l->blocks[k].start);
            sum += (double)(l->blocks[k].end - l->blocks[k].start);
        }
    for (int64_t k = 0; k < l->tile_count; k++)
        last = std::max(last, l->tiles[k].end);
    return last > first ? sum / ((double)(last - first) * b->stage.sms * b->stage.slots) : 0;
}

/* Each block, or cluster, that runs leaves after one refusal. */
static int64_t refusals(const struct bench *b, const struct way *way)
{
    return way->steals ? ledger_prologues(&b->job.ledger) / way->cluster : 0;
}

/* ---- a kernel of high priority ------------------------------------------------------------- */

/* Nothing before the alarm runs. */
__global__ void kernel_gate(const volatile unsigned *open)
{
    while (!*open) {
    }
}

/* As kernel_alarm() of urgent.cuh; and it opens the gate, and sets the flag that the software's requests obey. */
__global__ void kernel_alarm_with_flag(uint64_t ns, struct urgent_times *times, volatile unsigned *open,
                                       volatile unsigned *yield)
{
    const uint64_t start = now();
    *open = 1;
    while (now() - start < ns) {
    }
    if (threadIdx.x == 0) {
        if (yield)
            *yield = 1;
        times->arrived = now();
    }
}

/* Without a way: on an idle GPU. */
static double wait_once(struct bench *b, const struct way *way, unsigned *open, struct urgent_times *times)
{
    struct urgent_times seen;
    unsigned *yield = nullptr;
    const uint64_t ns = (uint64_t)((b->begin + share_bound(b) / 2) / b->unit * 1e6);
    if (way && way->steals && strcmp(b->job.clc, "software") == 0)
        CUDA(clc::yield_word(&yield));
    clear_records(b);
    CUDA(cudaMemset(times, 0, sizeof *times));
    CUDA(cudaMemset(open, 0, sizeof *open));
    CUDA(cudaDeviceSynchronize());
    pause(b, b->urgent);
    kernel_alarm_with_flag<<<1, 32, 0, b->urgent>>>(ns, times, open, yield);
    kernel_urgent<<<b->stage.sms, b->job.block, b->stage.shared, b->urgent>>>(times);
    CUDA(cudaGetLastError());
    if (yield)
        CUDA(clc::yield(false, b->urgent));
    kernel_gate<<<1, 1, 0, b->stage.stream>>>(open);
    if (way) {
        way_launch(way, &b->stage, &b->job);
        b->job.launches ^= 1;
    }
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(&seen, times, sizeof seen, cudaMemcpyDeviceToHost));
    return seen.begun > seen.arrived ? (double)(seen.begun - seen.arrived) / 1e6 * b->unit : 0;
}

static struct spread wait_way(struct bench *b, const struct way *way)
{
    std::vector<double> waits(b->waits);
    unsigned *open = device_array<unsigned>(1);
    struct urgent_times *times = device_array<struct urgent_times>(1);
    for (double &wait : waits)
        wait = wait_once(b, way, open, times);
    CUDA(cudaFree(open));
    CUDA(cudaFree(times));
    return spread_of(waits.data(), b->waits);
}

/* ---- one way ------------------------------------------------------------------------------- */

static void check_values(struct bench *b, const struct way *way)
{
    char text[128];
    CUDA(cudaDeviceSynchronize());
    check_data(&b->job, nullptr);
    if (!b->job.wrong.count)
        return;
    wrong_text(&b->job.wrong, 0, text, sizeof text);
    fprintf(stderr, "compare: %s, work %s: %s\n", way->title, b->load.name, text);
    exit(EXIT_WRONG);
}

/* Launches: one recorded, which tells who did what; some timed; some with the urgent kernel, recorded too. */
static struct figures measure_way(struct bench *b, const struct way *way)
{
    struct figures f = {};
    b->job.cluster = way->cluster;
    f.grid = b->job.grid = way_blocks(way, &b->stage, &b->job);
    clear_records(b);
    set(b->plan, true);
    time_once(b, way);
    fetch(b, way);
    f.prologues = ledger_prologues(&b->job.ledger);
    f.stolen = ledger_stolen(&b->job.ledger);
    f.refused = refusals(b, way);
    f.busiest = busiest(b);
    f.prologue_share = prologue_share(b);
    set(b->plan, false);
    f.time = time_way(b, way, b->repeat);
    if (b->waits) {
        set(b->plan, true);
        f.wait = wait_way(b, way);
        fetch(b, way);
        f.refused_while_waiting = refusals(b, way);
    }
    check_values(b, way);
    return f;
}

/* ---- the table ----------------------------------------------------------------------------- */

static void print_head(const struct bench *b)
{
    const char *of = b->job.emulated ? "model cycles" : "us";
    const int digits = b->job.emulated ? 0 : 1;
    printf("%s: %s\n", b->load.name, b->load.title);
    printf("%d tiles of %d threads, %d slots; %.0f units in a tile on average, %u in the largest; prologue %lld\n",
           b->job.tiles, b->job.block, b->stage.sms * b->stage.slots, b->sizes.total / b->job.tiles, b->sizes.largest,
           (long long)b->wish.prologue);
    if (b->waits)
        printf("a kernel of high priority begins after %.*f %s on a GPU that has nothing else to do\n", digits, b->idle,
               of);
    if (b->waits && strcmp(b->job.clc, "software") == 0)
        printf("launch control is software here: preemption is cooperative, by a flag that refuses requests\n");
    printf("no schedule ends before %.*f %s (%s)\n", digits, bound(b), of,
           bound(b) > share_bound(b) ? "the largest tile alone" : "all slots busy to the end");
    printf("%-20s %9s %9s %8s %8s %9s %8s %8s\n", "", "prologues", "time in", "busiest", "time", "urgent", "tiles",
           "requests");
    printf("%-20s %9s %9s %8s %8s %9s %8s %8s\n", "", "executed", "them", "SM/mean", "/bound", "waits", "stolen",
           "refused");
}

/* A work without any units has the bound 0, and nothing can be said in its multiples. */
static const char *over_bound(const struct bench *b, const struct figures *f, const char *form, const char *none,
                              char text[24])
{
    if (bound(b) > 0)
        snprintf(text, 24, form, f->time.median / bound(b));
    else
        snprintf(text, 24, "%s", none);
    return text;
}

static void print_way(const struct bench *b, const struct way *way, const struct figures *f)
{
    char stolen[24] = "-", refused[24] = "-", wait[24] = "-", over[24];
    if (way->steals) {
        snprintf(stolen, sizeof stolen, "%lld", (long long)f->stolen);
        snprintf(refused, sizeof refused, "%lld", (long long)f->refused);
    }
    if (f->wait.count)
        snprintf(wait, sizeof wait, "%.*f", b->job.emulated ? 0 : 1, f->wait.median);
    printf("%-20s %9lld %7.1f %% %8.2f %8s %9s %8s %8s\n", way->title, (long long)f->prologues,
           100 * f->prologue_share, f->busiest, over_bound(b, f, "%.2f", "-", over), wait, stolen, refused);
    fflush(stdout);
}

static void json_spread(FILE *out, const char *name, const struct spread *s)
{
    fprintf(out, ", \"%s\": {\"median\": %.9g, \"least\": %.9g, \"most\": %.9g, \"count\": %d}", name, s->median,
            s->least, s->most, s->count);
}

static void json_head(FILE *out, const struct bench *b)
{
    fprintf(out,
            "{\"work\": \"%s\", \"title\": \"%s\", \"device\": \"%s\", \"emulated\": %s, \"clc\": \"%s\", "
            "\"unit\": \"%s\",\n \"tiles\": %d, \"block\": %d, \"slots\": %d, \"sms\": %d, \"units\": %.0f, "
            "\"largest\": %u, \"prologue\": %lld,\n \"unit_full\": %.9g, \"unit_alone\": %.9g, \"bound\": %.9g, "
            "\"bound_by\": \"%s\", \"wait_idle\": %.9g,\n \"ways\": [",
            b->load.file ? "file" : b->load.name, b->load.title, b->job.device,
            b->job.emulated ? "true" : "false", b->job.clc, b->job.emulated ? "model cycles" : "us", b->job.tiles,
            b->job.block, b->stage.slots, b->stage.sms, b->sizes.total, b->sizes.largest,
            (long long)b->wish.prologue, b->full, b->alone, bound(b),
            bound(b) > share_bound(b) ? "largest tile" : "all slots", b->idle);
}

static void json_way(FILE *out, const struct bench *b, const struct way *way, const struct figures *f, bool first)
{
    char over[24];
    fprintf(out,
            "%s\n  {\"way\": \"%s\", \"blocks\": %lld, \"prologues\": %lld, \"prologue_share\": %.4f, "
            "\"busiest\": %.4f, \"over_bound\": %s, \"stolen\": %lld, \"refused\": %lld, "
            "\"refused_while_waiting\": %lld",
            first ? "" : ",", way->name, (long long)f->grid, (long long)f->prologues, f->prologue_share, f->busiest,
            over_bound(b, f, "%.4f", "null", over), (long long)f->stolen, (long long)f->refused,
            (long long)f->refused_while_waiting);
    json_spread(out, "time", &f->time);
    json_spread(out, "wait", &f->wait);
    fprintf(out, "}");
}

/* ---- main ---------------------------------------------------------------------------------- */

static void die(const struct sentence *why)
{
    job_die("compare", why, EXIT_USAGE);
}

static void open_stage(struct bench *b)
{
    int device = 0, khz = 0, lowest = 0, highest = 0;
    find_device(&b->job);
    CUDA(cudaGetDevice(&device));
    CUDA(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, device));
    b->unit = b->job.emulated ? khz : 1000;
    b->repeat = b->wish.repeat > 0 ? (int)b->wish.repeat : b->job.emulated ? 1 : 11;
    b->waits = b->wish.waits >= 0 ? (int)b->wish.waits : b->job.emulated ? 1 : 5;
    b->stage.slots = (int)b->wish.slots;
    if (!prepare_ways(&b->stage, (int)b->wish.block)) {
        struct sentence why;
        say(&why, "--slots %lld: %s does not hold so many blocks of %lld threads on an SM", (long long)b->wish.slots,
            b->job.device, (long long)b->wish.block);
        die(&why);
    }
    CUDA(cudaFuncSetAttribute(kernel_urgent, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)b->stage.shared));
    if (!b->job.emulated) /* an SM that runs one of these must have room for shared memory: it cannot change in between */
        for (const void *kernel : {(const void *)kernel_pause, (const void *)kernel_gate,
                                   (const void *)kernel_alarm_with_flag, (const void *)kernel_urgent})
            CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                      cudaSharedmemCarveoutMaxShared));
    CUDA(cudaDeviceGetStreamPriorityRange(&lowest, &highest));
    CUDA(cudaStreamCreateWithPriority(&b->stage.stream, cudaStreamNonBlocking, lowest));
    CUDA(cudaStreamCreateWithPriority(&b->urgent, cudaStreamNonBlocking, highest));
    CUDA(cudaEventCreate(&b->start));
    CUDA(cudaEventCreate(&b->end));
}

/* The job is made by hand: its options are ours. Each way starts from the input, and no value is lost by alpha = -1. */
static void open_job(struct bench *b)
{
    const int slots = b->stage.sms * b->stage.slots;
    struct job *job = &b->job;
    job->program = "compare";
    job->alpha = -1;
    job->block = (int)b->wish.block;
    job->tiles = b->sizes.tiles;
    job->sizes = b->sizes.units;
    job->options.prologue = b->wish.prologue;
    job->clc = clc::name(step03::kernel_clc_blocks);
    job->grid = std::max(slots, job->tiles);
    job->n = (int64_t)job->grid * job->block;
    job->data = device_array<float>(job->n);
    std::vector<float> data((size_t)job->n);
    job_input(job, data.data(), 0, job->n);
    CUDA(cudaMemcpy(job->data, data.data(), data.size() * sizeof data[0], cudaMemcpyHostToDevice));
    fill_plan(job, &b->plan);
}

/* Which elements a launch scales: those of the tiles of this work, not of a calibration. */
static void calibrate(struct bench *b)
{
    const int64_t n = b->job.n;
    const int slots = b->stage.sms * b->stage.slots;
    b->alone = time_unit(b, 1, &b->begin);
    b->full = time_unit(b, slots, &b->begin);
    std::vector<float> data((size_t)n);
    job_input(&b->job, data.data(), 0, n);
    CUDA(cudaMemcpy(b->job.data, data.data(), data.size() * sizeof data[0], cudaMemcpyHostToDevice));
    b->job.launches = 0;
    b->job.grid = slots;
    b->idle = b->waits ? wait_way(b, nullptr).median : 0;
    b->job.n = (int64_t)b->job.tiles * b->job.block;
}

/* The sentence about a name in --ways that is none, or about a file; both end the program. */
static void nonsense(const char *option, const char *value, const char *what)
{
    fprintf(stderr, "compare: %s %s: %s\n", option, value, what);
    exit(EXIT_USAGE);
}

static bool names(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : nullptr)
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    return false;
}

static void check_ways(const char *list)
{
    size_t known = 0, words = *list != '\0';
    for (const struct way &way : ways)
        known += names(list, way.name);
    for (const char *at = list; *at; at++)
        words += *at == ',';
    if (known != words)
        nonsense("--ways", list, "not a list of step01,step02,counter,step03,step04, each once");
}

static bool wanted(const struct bench *b, const struct way *way)
{
    return (!*b->wish.ways || names(b->wish.ways, way->name)) && way_runs_here(way);
}

int main(int argc, char **argv)
{
    struct bench b = {};
    struct sentence why;
    bool first = true;
    b.wish = read_wish(argc, argv);
    check_ways(b.wish.ways);
    b.load = load_find(b.wish.work);
    if (!load_read(&b.sizes, &b.load, b.wish.units, b.wish.copies, &why))
        die(&why);
    open_stage(&b);
    open_job(&b);
    calibrate(&b);
    FILE *json = *b.wish.json ? fopen(b.wish.json, "w") : nullptr;
    if (*b.wish.json && !json)
        nonsense("--json", b.wish.json, "cannot be written");
    print_head(&b);
    if (json)
        json_head(json, &b);
    for (const struct way &way : ways) {
        if (!wanted(&b, &way))
            continue;
        const struct figures f = measure_way(&b, &way);
        print_way(&b, &way, &f);
        if (json)
            json_way(json, &b, &way, &f, first);
        first = false;
    }
    if (json && (fprintf(json, "]}\n") < 0 || fclose(json) != 0))
        nonsense("--json", b.wish.json, "cannot be written");
    return EXIT_RIGHT;
}
