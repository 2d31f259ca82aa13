/* See ledger.h. */
#include "ledger.h"

#include "npy.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- the check ---------------------------------------------------------------------------- */

static int ones(uint32_t bits)
{
    int sum = 0;
    for (; bits; bits &= bits - 1)
        sum++;
    return sum;
}

static bool check_tile(const struct tile_record *tile, int64_t k, int warps, struct sentence *why)
{
    uint64_t all = (UINT64_C(1) << warps) - 1;
    uint64_t by_one = (uint64_t)(uint32_t)((uint32_t)warps * (tile->block + 1)) << 32;
    if (tile->signed_by == 0)
        return say(why, "tile %" PRId64 " was done by nobody", k);
    if (tile->signed_by == by_one + all)
        return true;
    if (tile->signed_by == 2 * (by_one + all) || (uint32_t)tile->signed_by > all)
        return say(why, "tile %" PRId64 " was done more than once, by block %" PRIu32 " among others", k, tile->block);
    if ((uint32_t)tile->signed_by < all)
        return say(why, "tile %" PRId64 " was not done by every warp: %d of %d signed for it", k,
                   ones((uint32_t)tile->signed_by), warps);
    return say(why, "tile %" PRId64 " was done by several blocks, block %" PRIu32 " among them", k, tile->block);
}

bool ledger_check(const struct ledger *ledger, struct sentence *why)
{
    int warps = (ledger->block_threads + 31) / 32;
    for (int64_t k = 0; k < ledger->tile_count; k++)
        if (!check_tile(&ledger->tiles[k], k, warps, why))
            return false;
    if (ledger->tiles[ledger->tile_count].signed_by)
        return say(why, "a tile beyond the last one, %" PRId64 ", was done by block %" PRIu32, ledger->tile_count - 1,
                   ledger->tiles[ledger->tile_count].block);
    return true;
}

int64_t ledger_prologues(const struct ledger *ledger)
{
    int64_t sum = 0;
    for (int64_t k = 0; k < ledger->block_count; k++)
        sum += ledger->blocks[k].prologues;
    return sum;
}

static bool stolen(const struct ledger *ledger, int64_t tile)
{
    return ledger->steals && ledger->tiles[tile].signed_by && ledger->tiles[tile].block != tile;
}

int64_t ledger_stolen(const struct ledger *ledger)
{
    int64_t sum = 0;
    for (int64_t k = 0; k < ledger->tile_count; k++)
        sum += stolen(ledger, k);
    return sum;
}

/* ---- from records to SM slots ------------------------------------------------------------- */

/* A block's stay on its SM. */
struct stay {
    uint32_t block, sm;
    int slot;
    uint64_t start, end;
};

struct picture {
    struct stay *stays; /* by start, then block */
    int64_t count;
    int64_t *of_block; /* the stay of each block, or -1 */
    uint64_t start, end;
};

static int by_start(const void *left, const void *right)
{
    const struct stay *a = left, *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->block < b->block ? -1 : a->block > b->block;
}

/* The lowest slot of its SM that no earlier stay still holds. */
static int free_slot(const struct stay *stays, const struct stay *stay)
{
    for (int slot = 0;; slot++) {
        const struct stay *other = stays;
        while (other < stay && !(other->sm == stay->sm && other->slot == slot && other->end > stay->start))
            other++;
        if (other == stay)
            return slot;
    }
}

static void collect_stays(struct picture *picture, const struct ledger *ledger)
{
    for (int64_t b = 0; b < ledger->block_count; b++) {
        const struct block_record *block = &ledger->blocks[b];
        picture->of_block[b] = -1;
        if (block->prologues == 0)
            continue;
        picture->of_block[b] = picture->count;
        picture->stays[picture->count++] = (struct stay){(uint32_t)b, block->sm, 0, block->start, block->end};
    }
    for (int64_t k = 0; k < ledger->tile_count; k++) {
        const struct tile_record *tile = &ledger->tiles[k];
        if (tile->signed_by == 0 || tile->block >= ledger->block_count || picture->of_block[tile->block] < 0)
            continue;
        struct stay *stay = &picture->stays[picture->of_block[tile->block]];
        if (tile->end > stay->end)
            stay->end = tile->end;
    }
}

static bool picture_init(struct picture *picture, const struct ledger *ledger)
{
    size_t blocks = (size_t)ledger->block_count + 1;
    *picture = (struct picture){malloc(blocks * sizeof(struct stay)), 0, malloc(blocks * sizeof(int64_t)), 0, 0};
    if (picture->stays == NULL || picture->of_block == NULL)
        return false;
    collect_stays(picture, ledger);
    qsort(picture->stays, (size_t)picture->count, sizeof(struct stay), by_start);
    for (int64_t k = 0; k < picture->count; k++) {
        struct stay *stay = &picture->stays[k];
        /* Only pictures of few blocks are drawn by slots; a long run's CSV leaves them at 0. */
        stay->slot = picture->count <= 4096 ? free_slot(picture->stays, stay) : 0;
        picture->of_block[stay->block] = k;
        if (k == 0 || stay->end > picture->end)
            picture->end = stay->end;
    }
    picture->start = picture->count ? picture->stays[0].start : 0;
    return true;
}

static void picture_free(struct picture *picture)
{
    free(picture->stays);
    free(picture->of_block);
}

/* ---- the timeline ------------------------------------------------------------------------- */

enum { COLUMNS = 56 }; /* with the tiles of a row behind it, 80 in most cases */

static void paint(char *row, const struct picture *picture, uint64_t start, uint64_t end, char with)
{
    double scale = (double)COLUMNS / (double)(picture->end > picture->start ? picture->end - picture->start : 1);
    int from = (int)((double)(start - picture->start) * scale);
    int to = (int)((double)(end - picture->start) * scale);
    if (start == end)
        return;
    if (from >= COLUMNS)
        from = COLUMNS - 1;
    if (to <= from)
        to = from + 1; /* what took time is seen, if only as one cell */
    for (int column = from; column < to && column < COLUMNS; column++)
        row[column] = with;
}

static void draw_row(const struct picture *picture, const struct ledger *ledger, uint32_t sm, int slot, FILE *out)
{
    char row[COLUMNS + 1];
    memset(row, '.', COLUMNS);
    row[COLUMNS] = '\0';
    for (int64_t k = 0; k < picture->count; k++) {
        const struct stay *stay = &picture->stays[k];
        const struct block_record *block = &ledger->blocks[stay->block];
        if (stay->sm == sm && stay->slot == slot)
            paint(row, picture, block->start, block->end, 'p');
    }
    for (int64_t k = 0; k < ledger->tile_count; k++) {
        const struct tile_record *tile = &ledger->tiles[k];
        int64_t at = tile->signed_by && tile->block < ledger->block_count ? picture->of_block[tile->block] : -1;
        if (at >= 0 && picture->stays[at].sm == sm && picture->stays[at].slot == slot)
            paint(row, picture, tile->start, tile->end, stolen(ledger, k) ? '+' : '#');
    }
    fprintf(out, "SM%3" PRIu32 ".%d  %s ", sm, slot, row);
    for (int64_t k = 0; k < picture->count; k++) /* the tiles of this row, block by block */
        for (int64_t tile = 0; tile < ledger->tile_count; tile++)
            if (picture->stays[k].sm == sm && picture->stays[k].slot == slot && ledger->tiles[tile].signed_by &&
                ledger->tiles[tile].block == picture->stays[k].block)
                fprintf(out, " %" PRId64, tile);
    fputc('\n', out);
}

/* The next (sm, slot) in ascending order after the given one; false at the end. */
static bool next_row(const struct picture *picture, int64_t *sm, int *slot)
{
    int64_t best_sm = -1;
    int best_slot = 0;
    for (int64_t k = 0; k < picture->count; k++) {
        const struct stay *stay = &picture->stays[k];
        bool after = stay->sm > *sm || (stay->sm == *sm && stay->slot > *slot);
        bool before = best_sm < 0 || stay->sm < best_sm || (stay->sm == best_sm && stay->slot < best_slot);
        if (after && before) {
            best_sm = stay->sm;
            best_slot = stay->slot;
        }
    }
    *sm = best_sm;
    *slot = best_slot;
    return best_sm >= 0;
}

void ledger_timeline(const struct ledger *ledger, FILE *out)
{
    struct picture picture;
    int64_t sm = -1;
    int slot = 0;
    if (!picture_init(&picture, ledger)) {
        fprintf(out, "no memory for the timeline\n");
    } else {
        const char *stealing = ledger->steals ? "  + stolen tile" : "";
        fprintf(out, "SM.slot  p prologue  # own tile%s%-*s  tiles\n", stealing, COLUMNS - 22 - (int)strlen(stealing),
                "  . idle");
        while (next_row(&picture, &sm, &slot))
            draw_row(&picture, ledger, (uint32_t)sm, slot, out);
    }
    picture_free(&picture);
}

/* ---- CSV ---------------------------------------------------------------------------------- */

static bool csv_line(struct out_file *out, const struct ledger *ledger, const struct picture *picture, int64_t k,
                     struct sentence *why)
{
    char line[200];
    const struct tile_record *tile = &ledger->tiles[k];
    int64_t at = tile->signed_by && tile->block < ledger->block_count ? picture->of_block[tile->block] : -1;
    if (at < 0)
        return true;
    const struct stay *stay = &picture->stays[at];
    int length = snprintf(line, sizeof line, "%" PRId64 ",%" PRIu32 ",%" PRIu32 ",%d,%" PRIu64 ",%" PRIu64 ",%s\n", k,
                          tile->block, stay->sm, stay->slot, tile->start - picture->start, tile->end - picture->start,
                          stolen(ledger, k) ? "stolen" : "own");
    return out_bytes(out, line, (size_t)length, why);
}

/* A block's prologue; `-` for the tile. */
static bool csv_prologue(struct out_file *out, const struct ledger *ledger, const struct picture *picture, int64_t k,
                         struct sentence *why)
{
    char line[200];
    const struct stay *stay = &picture->stays[k];
    const struct block_record *block = &ledger->blocks[stay->block];
    int length = snprintf(line, sizeof line, "-,%" PRIu32 ",%" PRIu32 ",%d,%" PRIu64 ",%" PRIu64 ",prologue\n", stay->block,
                          stay->sm, stay->slot, block->start - picture->start, block->end - picture->start);
    return out_bytes(out, line, (size_t)length, why);
}

bool ledger_csv(const struct ledger *ledger, const char *path, struct sentence *why)
{
    static const char head[] = "tile,block,sm,slot,start,end,kind\n";
    struct picture picture;
    struct out_file out;
    if (!picture_init(&picture, ledger)) {
        picture_free(&picture);
        return say(why, "%s: no memory for the trace", path);
    }
    bool right = out_open(&out, path, why) && out_bytes(&out, head, sizeof head - 1, why);
    for (int64_t k = 0; right && k < ledger->tile_count; k++)
        right = csv_line(&out, ledger, &picture, k, why);
    for (int64_t k = 0; right && k < picture.count; k++)
        right = csv_prologue(&out, ledger, &picture, k, why);
    right = right && out_close(&out, why);
    picture_free(&picture);
    return right;
}
