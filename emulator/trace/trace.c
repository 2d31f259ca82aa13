/* See trace.h. */
#include "trace/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/event.h"
#include "machine/grid.h"
#include "machine/sync_ops.h"
#include "memory/memory.h"
#include "sync/launch_control.h"
#include "sync/mbarrier.h"
#include "sync/sync_state.h"

struct trace {
    struct observer observer;    /* first: listen() gets its address */
    struct machine *machine;
    FILE *out;
    int error;                   /* errno of the first write that failed */
    char *path;
};

/* ---- words ------------------------------------------------------------------------------- */

static const char *const mbarrier_words[] = {
    [MBARRIER_INIT] = "init", [MBARRIER_INVAL] = "inval", [MBARRIER_EXPECT_TX] = "expect-tx",
    [MBARRIER_COMPLETE_TX] = "complete-tx", [MBARRIER_ARRIVE] = "arrive", [MBARRIER_ARRIVE_EXPECT_TX] = "arrive-expect-tx",
    [MBARRIER_ARRIVE_NOCOMPLETE] = "arrive-no-complete", [MBARRIER_DROP] = "drop", [MBARRIER_DROP_EXPECT_TX] = "drop-expect-tx",
    [MBARRIER_DROP_NOCOMPLETE] = "drop-no-complete", [MBARRIER_TEST_WAIT] = "test-wait",
    [MBARRIER_TEST_WAIT_PARITY] = "test-wait-parity", [MBARRIER_TRY_WAIT] = "try-wait",
    [MBARRIER_TRY_WAIT_PARITY] = "try-wait-parity", [MBARRIER_PENDING_COUNT] = "pending-count",
    [MBARRIER_ASYNC_ARRIVE] = "async-arrive", [MBARRIER_ASYNC_ADD] = "async-add",
    [MBARRIER_ASYNC_COMPLETE_TX] = "async-complete-tx"
};
static const char *const fence_words[] = {
    [FENCE_THREAD] = "thread", [FENCE_SYNC_RESTRICT] = "sync-restrict", [FENCE_MBARRIER_INIT] = "mbarrier-init",
    [FENCE_PROXY_ASYNC] = "proxy-async", [FENCE_PROXY_HALF] = "proxy-half", [FENCE_PROXY_ALIAS] = "proxy-alias",
    [FENCE_PROXY_TENSORMAP] = "proxy-tensormap"
};
static const char *const sem_words[] = {
    [SEM_WEAK] = "weak", [SEM_RELAXED] = "relaxed", [SEM_ACQUIRE] = "acquire", [SEM_RELEASE] = "release",
    [SEM_ACQ_REL] = "acq_rel", [SEM_SC] = "sc", [SEM_VOLATILE] = "volatile", [SEM_MMIO] = "mmio"
};
static const char *const scope_words[] = {
    [SCOPE_NONE] = "none", [SCOPE_CTA] = "cta", [SCOPE_CLUSTER] = "cluster", [SCOPE_GPU] = "gpu", [SCOPE_SYS] = "sys"
};
static const char *const space_words[] = {
    [MEM_GENERIC] = "generic", [MEM_GLOBAL] = "global", [MEM_SHARED] = "shared::cta", [MEM_CLUSTER] = "shared::cluster",
    [MEM_LOCAL] = "local", [MEM_CONST] = "const", [MEM_KPARAM] = "param", [MEM_FRAME] = "frame"
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static uint32_t first_lane(uint32_t mask)
{
    uint32_t lane = 0;
    while (lane < LANES - 1 && !(mask >> lane & 1))
        lane++;
    return lane;
}

/* ---- where ------------------------------------------------------------------------------- */

/* The user's line; where that is a call with a lambda, the line inside the lambda. */
static struct ptx_line line_of(const struct event *e)
{
    enum { MOST = 32 };
    struct ptx_line frames[MOST], line;
    const struct ptx_module *module = e->grid->code->module;
    line = ptx_user_line(module, e->function->source, (int)e->pc);
    int count = ptx_frames(module, e->function->source, (int)e->pc, frames, MOST);
    for (int k = 0; k < count; k++)
        if (line.file != NULL && frames[k].file != NULL && frames[k].line > 0 && strcmp(frames[k].file, line.file) == 0)
            return frames[k];
    return line;
}

static void put_line(const struct trace *t, const struct event *e)
{
    struct ptx_line line = {NULL, 0};
    if (e->function != NULL && e->grid != NULL)
        line = line_of(e);
    if (line.file != NULL && line.line > 0)
        fprintf(t->out, "\t%s:%d", base_name(line.file), line.line);
    else
        fputs("\t-", t->out);
}

/* The columns up to the source line. */
static void begin(const struct trace *t, const struct event *e, const char *name)
{
    const struct block *b = e->block;
    fprintf(t->out, "%" PRIu64 "\t%s\t", e->time, name);
    if (e->grid != NULL)
        fprintf(t->out, "%" PRIu32, e->grid->id);
    else
        fputs("-", t->out);
    if (b != NULL)
        fprintf(t->out, "\t%" PRIu64 "\t%" PRIu32 ".%" PRIu32, b->linear, b->sm, b->slot);
    else
        fputs("\t-\t-", t->out);
    if (e->warp != NULL)
        fprintf(t->out, "\t%" PRIu32 "\t%" PRIx32, e->warp->index, e->mask);
    else
        fputs("\t-\t-", t->out);
    put_line(t, e);
}

/* NAME+BYTES of a byte in b's shared memory. */
static void put_shared(const struct trace *t, const struct event *e, const struct block *b, uint32_t offset)
{
    const struct code *code = b->grid->code;
    char name[64];
    const char *text = "shared";
    uint32_t base = 0;
    for (int k = 0; k < code->shared_var_count; k++) {
        const struct code_shared *v = &code->shared_vars[k];
        if (offset < v->offset || offset >= v->offset + v->var->size)
            continue;
        text = last_name(v->var->name, name, sizeof name);
        base = v->offset;
    }
    fprintf(t->out, "%s+%" PRIu32, text, offset - base);
    if (b != e->block)
        fprintf(t->out, "@%" PRIu64, b->linear);
}

static void put_global(const struct trace *t, uint64_t address)
{
    const struct allocation *a = memory_find(t->machine->memory, address);
    char name[64], serial[16] = "";
    if (a == NULL) {
        fprintf(t->out, "0x%" PRIx64, address);
        return;
    }
    if (a->serial > 1)
        snprintf(serial, sizeof serial, "#%" PRIu32, a->serial);
    const char *text = last_name(a->label, name, sizeof name);
    for (const char *p = text; *p != '\0'; p++)      /* a label is anybody's text */
        fputc((unsigned char)*p > ' ' ? *p : '_', t->out);
    fprintf(t->out, "%s+%" PRIu64, serial, address - a->address);
}

/* The block whose shared memory an address means; NULL: it is none. */
static struct block *shared_owner(const struct event *e, uint64_t address, uint32_t *offset)
{
    bool generic = e->space == MEM_GENERIC, window = address >= WINDOW_SHARED && address < WINDOW_SHARED + WINDOW_BYTES;
    if (e->block == NULL || (generic ? !window : e->space != MEM_SHARED && e->space != MEM_CLUSTER))
        return NULL;
    struct block *b = cluster_owner(e->block, (uint32_t)address, offset);
    return b != NULL && *offset < b->grid->shared_bytes ? b : NULL;
}

static void put_address(const struct trace *t, const struct event *e, uint64_t address)
{
    uint32_t offset;
    const struct block *b = shared_owner(e, address, &offset);
    if (b != NULL)
        put_shared(t, e, b, offset);
    else if (e->space == MEM_GLOBAL || e->space == MEM_GENERIC)
        put_global(t, address);
    else
        fprintf(t->out, "0x%" PRIx64, address);
}

/* ---- events, one kind each ------------------------------------------------------------------ */

static void lives(const struct trace *t, const struct event *e)
{
    static const char *const names[] = {
        [EVENT_GRID_START] = "grid-start", [EVENT_GRID_END] = "grid-end", [EVENT_BLOCK_START] = "block-start",
        [EVENT_BLOCK_END] = "block-end", [EVENT_EXIT] = "exit"
    };
    const struct grid *g = e->grid;
    const struct block *b = e->block;
    char name[256];
    begin(t, e, names[e->kind]);
    if (e->kind == EVENT_GRID_START) {
        uint32_t none[3] = {1, 1, 1};
        const uint32_t *c = g->has_cluster ? g->cluster_dim : none;
        fprintf(t->out, "\t%s\t-\tgrid=%ux%ux%u block=%ux%ux%u cluster=%ux%ux%u priority=%d stream=%d\n",
                plain_name(g->code->entry->name, name, sizeof name), g->dim[0], g->dim[1], g->dim[2], g->block_dim[0],
                g->block_dim[1], g->block_dim[2], c[0], c[1], c[2], g->priority, g->stream);
    } else if (e->kind == EVENT_BLOCK_START) {
        fprintf(t->out, "\t-\t-\tid=%u,%u,%u rank=%u first=%" PRIu64 "\n", b->id[0], b->id[1], b->id[2], b->cluster_rank,
                b->cluster != NULL && b->cluster->blocks[0] != NULL ? b->cluster->blocks[0]->linear : b->linear);
    } else {
        fputs("\t-\t-\t-\n", t->out);
    }
}

static void access(const struct trace *t, const struct event *e)
{
    uint64_t low = UINT64_MAX, high = 0;
    for (uint32_t l = 0; l < LANES; l++) {
        if (!(e->mask >> l & 1))
            continue;
        low = e->addr[l] < low ? e->addr[l] : low;
        high = e->addr[l] > high ? e->addr[l] : high;
    }
    if (e->mask == 0 || (e->space != MEM_GENERIC && e->space != MEM_GLOBAL && e->space != MEM_SHARED && e->space != MEM_CLUSTER))
        return;
    begin(t, e, e->flags & ACCESS_ATOMIC ? "atomic" : e->flags & ACCESS_WRITE ? "write" : "read");
    fputc('\t', t->out);
    put_address(t, e, low);
    fprintf(t->out, "\t%s\tbytes=%" PRIu32 " span=%" PRIu64 "\n", sem_words[e->sem], e->bytes, high - low + e->bytes);
}

static void fence(const struct trace *t, const struct event *e)
{
    begin(t, e, "fence");
    fprintf(t->out, "\t-\t%s\tsem=%s scope=%s space=%s\n", fence_words[e->sub], sem_words[e->sem], scope_words[e->scope],
            space_words[e->space]);
}

static void barrier(const struct trace *t, const struct event *e)
{
    static const char *const names[] = {
        [EVENT_BAR_ARRIVE] = "bar-arrive", [EVENT_BAR_WAIT] = "bar-pass", [EVENT_WARP_SYNC] = "warp-sync",
        [EVENT_CLUSTER_ARRIVE] = "cluster-arrive", [EVENT_CLUSTER_WAIT] = "cluster-pass", [EVENT_GROUP_WAIT] = "group-pass"
    };
    begin(t, e, names[e->kind]);
    if (e->kind == EVENT_BAR_ARRIVE)
        fprintf(t->out, "\tbarrier%" PRIu64 "\t-\texpected=%" PRIu64 " arrived=%" PRIu32 "\n", e->a, e->b, e->block->bar[e->a & 15].arrived);
    else if (e->kind == EVENT_BAR_WAIT)
        fprintf(t->out, "\tbarrier%" PRIu64 "\t-\t-\n", e->a);
    else if (e->kind == EVENT_CLUSTER_ARRIVE || e->kind == EVENT_CLUSTER_WAIT)
        fprintf(t->out, "\tcluster\t-\tsem=%s\n", sem_words[e->sem]);
    else
        fputs("\t-\t-\t-\n", t->out);
}

static bool is_wait(uint8_t sub) { return sub >= MBARRIER_TEST_WAIT && sub <= MBARRIER_TRY_WAIT_PARITY; }

/* The lanes of mask that named one mbarrier. */
static void mbarrier_one(const struct trace *t, const struct event *e, uint64_t address)
{
    struct event one = *e;
    uint32_t offset;
    one.space = MEM_SHARED;
    address = e->space == MEM_GENERIC || address >= WINDOW_SHARED ? address - WINDOW_SHARED : address;
    const struct block *b = shared_owner(&one, address, &offset);
    if (b == NULL)
        return;
    begin(t, &one, "mbarrier");
    fputc('\t', t->out);
    put_shared(t, e, b, offset);
    fprintf(t->out, "\t%s\t", mbarrier_words[e->sub]);
    if (is_wait(e->sub))
        fprintf(t->out, "parity=%" PRIu64 " passed=%" PRIx32, e->a, (uint32_t)e->b & one.mask);
    else
        fprintf(t->out, "value=%" PRIu64, e->a);
    if (e->sub == MBARRIER_ASYNC_COMPLETE_TX)
        fprintf(t->out, " ticket=%" PRIu64, e->b);
    if (e->sub != MBARRIER_INVAL && e->flags <= MBAR_COMPLETED) {
        uint64_t word;
        memcpy(&word, b->shared + offset, sizeof word);
        struct mbarrier s = mbarrier_decode(word);
        fprintf(t->out, " expected=%" PRIu32 " phase=%" PRIu32 " pending=%" PRIu32 " tx=%" PRId32 " ended=%d", s.expected, s.phase,
                s.pending, s.tx, e->flags == MBAR_COMPLETED);
    } else if (e->flags > MBAR_COMPLETED) {
        fputs(" refused=1", t->out);
    }
    fputc('\n', t->out);
}

static void mbarrier(const struct trace *t, const struct event *e)
{
    uint32_t left = e->mask;
    while (left != 0) {
        struct event some = *e;
        uint64_t address = e->addr[first_lane(left)];
        some.mask = 0;
        for (uint32_t l = 0; l < LANES; l++)
            if ((left >> l & 1) && e->addr[l] == address)
                some.mask |= 1u << l;
        left &= ~some.mask;
        mbarrier_one(t, &some, address);
    }
}

static void issue(const struct trace *t, const struct event *e)
{
    const uint32_t mbarrier = e->mbarriers[first_lane(e->mask)];
    begin(t, e, "copy");
    fputc('\t', t->out);
    put_address(t, e, e->addr[first_lane(e->mask)]);
    fprintf(t->out, "\t-\tbytes=%" PRIu64 " ticket=%" PRIu64, e->a, e->b);
    if (mbarrier != UINT32_MAX)
        fprintf(t->out, " mbarrier=0x%" PRIx32, mbarrier);
    fputc('\n', t->out);
}

static void request(const struct trace *t, const struct event *e)
{
    uint32_t offset = (uint32_t)(e->address2 - WINDOW_SHARED);
    begin(t, e, "request");
    fputc('\t', t->out);
    put_shared(t, e, e->block, (uint32_t)(e->addr[first_lane(e->mask)] - WINDOW_SHARED));
    fprintf(t->out, "\t%s\trequest=%" PRIu64 " bar=", e->flags & CLC_MULTICAST ? "multicast" : "-", e->b);
    put_shared(t, e, e->block, offset);
    fputc('\n', t->out);
}

/* Bytes that landed: a copy's, or the answer of launch control, which stands in the slot now. */
static void landed(const struct trace *t, const struct event *e)
{
    uint64_t address = e->addr[0];
    begin(t, e, e->kind == EVENT_RESPONSE ? "response" : "deliver");
    fputc('\t', t->out);
    if (e->block == NULL) {
        put_global(t, address);
        fprintf(t->out, "\t-\tbytes=%" PRIu32 " ticket=%" PRIu64 "\n", e->bytes, e->b);
        return;
    }
    uint32_t offset = (uint32_t)(address - WINDOW_SHARED), words[4];
    put_shared(t, e, e->block, offset);
    if (e->kind != EVENT_RESPONSE) {
        fprintf(t->out, "\t-\tbytes=%" PRIu32 " ticket=%" PRIu64 "\n", e->bytes, e->b);
        return;
    }
    struct clc_response r = {.granted = false};
    memcpy(words, e->block->shared + offset, sizeof words);
    fprintf(t->out, "\t%s\tbytes=%" PRIu32 " request=%" PRIu64, e->a ? "granted" : "refused", e->bytes, e->b);
    if (clc_decode(words, &r) && r.granted)
        fprintf(t->out, " first=%" PRIu64, r.ctaid[0] + (uint64_t)e->grid->dim[0] * (r.ctaid[1] + (uint64_t)e->grid->dim[1] * r.ctaid[2]));
    fputc('\n', t->out);
}

static void query(const struct trace *t, const struct event *e)
{
    static const char *const names[] = {
        [CLC_TRY_CANCEL] = "-", [CLC_IS_CANCELED] = "is-canceled", [CLC_FIRST_X] = "first-x", [CLC_FIRST_Y] = "first-y",
        [CLC_FIRST_Z] = "first-z", [CLC_FIRST_V4] = "first"
    };
    begin(t, e, "query");
    fprintf(t->out, "\t-\t%s\trequest=%" PRIu64 " granted=%" PRIu64 "\n", names[e->sub], e->b, e->a);
}

/* ---- the listener ------------------------------------------------------------------------- */

static void listen(struct observer *self, const struct event *e)
{
    struct trace *t = (struct trace *)(void *)self;
    if (t->error != 0)
        return;
    switch (e->kind) {
    case EVENT_GRID_START: case EVENT_GRID_END: case EVENT_BLOCK_START: case EVENT_BLOCK_END: case EVENT_EXIT: lives(t, e); break;
    case EVENT_ACCESS: access(t, e); break;
    case EVENT_FENCE: fence(t, e); break;
    case EVENT_BAR_ARRIVE: case EVENT_BAR_WAIT: case EVENT_WARP_SYNC: case EVENT_CLUSTER_ARRIVE: case EVENT_CLUSTER_WAIT:
    case EVENT_GROUP_WAIT: barrier(t, e); break;
    case EVENT_MBARRIER: mbarrier(t, e); break;
    case EVENT_ASYNC_ISSUE: issue(t, e); break;
    case EVENT_REQUEST: request(t, e); break;
    case EVENT_ASYNC_DELIVER: case EVENT_RESPONSE: landed(t, e); break;
    case EVENT_QUERY: query(t, e); break;
    case EVENT_BAR_COMPLETE: case EVENT_HOST: break;
    }
    if (ferror(t->out))
        t->error = errno != 0 ? errno : EIO;
}

/* ---- opened, closed ------------------------------------------------------------------------ */

struct trace *trace_open(const char *path, const char *device, char *why, size_t why_size)
{
    struct trace *t = calloc(1, sizeof *t);
    char *name = malloc(strlen(path) + 1);
    if (t == NULL || name == NULL) {
        snprintf(why, why_size, "memory is out for the trace");
        free(t);
        free(name);
        return NULL;
    }
    t->path = strcpy(name, path);
    t->observer.event = listen;
    t->out = fopen(path, "w");
    if (t->out == NULL) {
        snprintf(why, why_size, "%.300s: the trace cannot be written: %s", path, strerror(errno));
        free(name);
        free(t);
        return NULL;
    }
    fprintf(t->out, "# trace 1, device %s\n"
            "# time\tevent\tgrid\tblock\tsm\twarp\tlanes\tline\tobject\twhat\tdetails\n", device);
    return t;
}

void trace_attach(struct trace *t, struct machine *m)
{
    t->machine = m;
    t->observer.next = NULL;
    machine_observe(m, &t->observer);
}

bool trace_close(struct trace *t, char *why, size_t why_size)
{
    int error = t->error;
    errno = 0;
    if (fflush(t->out) != 0 && error == 0)
        error = errno;
    if (fclose(t->out) != 0 && error == 0)
        error = errno;
    if (error != 0) {
        snprintf(why, why_size, "%.300s: the trace cannot be written: %s", t->path, strerror(error));
        if (strncmp(t->path, "/dev/", 5) != 0)
            remove(t->path);
    }
    free(t->path);
    free(t);
    return error == 0;
}
