/*
 * The ledger: each way in which a tile can be done wrongly is named; the timeline is drawn exactly.
 * link: common/ledger.c common/npy.c common/sentence.c
 */
#define _POSIX_C_SOURCE 200809L
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "common/ledger.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TILES = 4, BLOCKS = 4, WARPS = 3 };

static struct tile_record tiles[TILES + 1];
static struct block_record blocks[BLOCKS];
static struct ledger ledger = {tiles, blocks, TILES, BLOCKS, 70, true};
static struct sentence why;

/* One warp of a block signs for a tile, as spend() does. */
static void sign(int tile, int block, int warp)
{
    tiles[tile].signed_by += tile_signature((uint32_t)block, warp);
    if (warp == 0)
        tiles[tile].block = (uint32_t)block;
}

static void do_tile(int tile, int block, uint64_t start, uint64_t end)
{
    for (int warp = 0; warp < WARPS; warp++)
        sign(tile, block, warp);
    tiles[tile].start = start;
    tiles[tile].end = end;
}

static int clear(void **state)
{
    (void)state;
    memset(tiles, 0, sizeof tiles);
    memset(blocks, 0, sizeof blocks);
    return 0;
}

static void broken(const char *text)
{
    assert_false(ledger_check(&ledger, &why));
    assert_string_equal(why.text, text);
}

static void every_tile_once_is_right(void **state)
{
    (void)state;
    for (int tile = 0; tile < TILES; tile++)
        do_tile(tile, tile % 2, 0, 1);
    assert_true(ledger_check(&ledger, &why));
    assert_int_equal(ledger_stolen(&ledger), 2);
    ledger.steals = false;
    assert_int_equal(ledger_stolen(&ledger), 0);
    ledger.steals = true;
}

static void wrong_tiles_are_named(void **state)
{
    (void)state;
    for (int tile = 0; tile < TILES - 1; tile++)
        do_tile(tile, tile, 0, 1);
    broken("tile 3 was done by nobody");
    sign(3, 3, 0);
    sign(3, 3, 2);
    broken("tile 3 was not done by every warp: 2 of 3 signed for it");
    sign(3, 2, 1);
    broken("tile 3 was done by several blocks, block 3 among them");
    do_tile(3, 3, 0, 1);
    broken("tile 3 was done more than once, by block 3 among others");
    memset(&tiles[3], 0, sizeof tiles[3]);
    sign(3, 3, 0);
    sign(3, 3, 0);
    sign(3, 3, 2);
    broken("tile 3 was not done by every warp: 2 of 3 signed for it");
    memset(&tiles[3], 0, sizeof tiles[3]);
    do_tile(3, 3, 0, 1);
    do_tile(4, 3, 0, 1);
    broken("a tile beyond the last one, 3, was done by block 3");
}

static void thirty_two_warps_fit(void **state)
{
    (void)state;
    struct ledger wide = {tiles, blocks, 1, 1, 1024, true};
    for (int warp = 0; warp < 32; warp++)
        sign(0, 0, warp);
    assert_true(ledger_check(&wide, &why));
    tiles[0].signed_by += 1;
    assert_false(ledger_check(&wide, &why));
}

/* Two blocks share SM 0; the third follows the first in its slot; block 1 steals tile 3. */
static void fill(void)
{
    const struct block_record here[BLOCKS] = {{1, 0, 1000, 1160}, {1, 0, 1000, 1160}, {1, 0, 1320, 1320}, {0}};
    memcpy(blocks, here, sizeof here);
    do_tile(0, 0, 1160, 1320);
    do_tile(1, 1, 1160, 1480);
    do_tile(2, 2, 1320, 1640);
    do_tile(3, 1, 1480, 1640);
}

static void the_timeline_is_exact(void **state)
{
    (void)state;
    char text[1024] = "";
    fill();
    FILE *file = tmpfile();
    assert_non_null(file);
    ledger_timeline(&ledger, file);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(
        text, "SM.slot  p prologue  # own tile  + stolen tile  . idle             tiles\n"
              "SM  0.0  pppppppppppppp##########################################  0 2\n"
              "SM  0.1  pppppppppppppp############################++++++++++++++  1 3\n");
    assert_int_equal(ledger_prologues(&ledger), 3);
}

static void the_trace_is_csv(void **state)
{
    (void)state;
    char path[] = "/tmp/ledger-test-XXXXXX", text[1024];
    fill();
    int made = mkstemp(path);
    assert_true(made >= 0);
    close(made);
    assert_true(ledger_csv(&ledger, path, &why));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    remove(path);
    assert_string_equal(text, "tile,block,sm,slot,start,end,kind\n"
                              "0,0,0,0,160,320,own\n1,1,0,1,160,480,own\n"
                              "2,2,0,0,320,640,own\n3,1,0,1,480,640,stolen\n"
                              "-,0,0,0,0,160,prologue\n-,1,0,1,0,160,prologue\n-,2,0,0,320,320,prologue\n");
}

/* A run without time, without blocks, or with nonsense in its records is drawn without a crash. */
static void strange_records_are_drawn(void **state)
{
    (void)state;
    FILE *file = fopen("/dev/null", "w");
    assert_non_null(file);
    ledger_timeline(&ledger, file);
    do_tile(0, 77, 5, 5);
    do_tile(1, 0, 9, 3);
    blocks[0] = (struct block_record){1, 0, 7, 7};
    ledger_timeline(&ledger, file);
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(every_tile_once_is_right, clear), cmocka_unit_test_setup(wrong_tiles_are_named, clear),
        cmocka_unit_test_setup(thirty_two_warps_fit, clear),     cmocka_unit_test_setup(the_timeline_is_exact, clear),
        cmocka_unit_test_setup(the_trace_is_csv, clear),         cmocka_unit_test_setup(strange_records_are_drawn, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
