/*
 * Launch control: which request gets which cluster, and the 16 bytes that say
 * so (PTX ISA 9.7.13.17, 9.7.13.18).
 *
 * A request cancels one cluster of its own grid that has not started; the
 * lowest by default, another when the choice source says so. It fails when none
 * is pending, when a grid of higher priority waits for room, or when the run
 * asks for a refusal. The response is opaque: its layout is ours, its words are
 * scrambled with the number of the request and end in a check word, so a torn,
 * hand-made or never delivered response is recognised.
 */
#ifndef EMU_SYNC_LAUNCH_CONTROL_H
#define EMU_SYNC_LAUNCH_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

struct machine;
struct grid;

/* Coordinates decoded from a failed response, and the fourth element of .v4 (QC2, QC3): as an index it is out of
 * every grid, as a signed number negative, also after a product with a block size. */
#define CLC_POISON 0xffffffc1u

struct clc_response {
    bool granted;
    uint32_t ctaid[3];           /* of the first block of the cancelled cluster; CLC_POISON when refused */
    uint32_t request;            /* number of the request */
};

void clc_encode(const struct clc_response *r, uint32_t words[4]);
bool clc_decode(const uint32_t words[4], struct clc_response *r);   /* false: no response of ours, or a torn one */

/* Takes a pending cluster out of the grid for a request, or says why not. */
enum clc_verdict { CLC_GRANTED, CLC_NONE_PENDING, CLC_PRIORITY, CLC_REFUSED };
enum clc_verdict launch_control_request(struct machine *m, struct grid *g, uint64_t *cluster);

#endif
