/*
 * The trace: writes what the machine tells (machine/event.h) to a file, a line
 * an event, in the order in which things happened. It changes nothing in the
 * machine and keeps nothing but a buffer, however long the run.
 *
 * The file is text. Lines that begin with # are comments; the first one is
 * `# trace 1, device NAME`. Every other line has eleven columns, separated by one
 * tab; a column that says nothing holds `-`:
 *
 *   time     model cycles. Lines stand in the order of their effects; a warp may
 *            run a little ahead, so times go back a few cycles now and then
 *   event    grid-start grid-end block-start block-end exit
 *            read write atomic   of global and shared memory
 *            fence bar-arrive bar-pass warp-sync cluster-arrive cluster-pass
 *            mbarrier copy deliver request response query group-pass
 *   grid     number of the launch, from 1
 *   block    blockIdx as one number
 *   sm       SM.SLOT
 *   warp     in its block
 *   lanes    mask of 32 bits, hexadecimal
 *   line     FILE:LINE of the user's source
 *   object   what it happened to: NAME+BYTES, in shared memory or of an allocation;
 *            NAME+BYTES@BLOCK when it lies in another block's shared memory
 *   what     kind of a fence, an mbarrier operation, an access, ...
 *   details  words KEY=VALUE separated by one blank. After an mbarrier operation
 *            expected=, phase= (modulo 8), pending=, tx= hold what the barrier
 *            then is, ended=1 that this operation ended its phase
 */
#ifndef EMU_TRACE_TRACE_H
#define EMU_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>

struct machine;
struct trace;

/* Opens (and empties) the file. NULL: `why` holds a sentence. */
struct trace *trace_open(const char *path, const char *device, char *why, size_t why_size);
/* Listens to a machine made with options.observe; to another one once that is deleted. */
void trace_attach(struct trace *t, struct machine *m);
/* The file is complete. false: it could not be written, `why` says so, and what there is of it is removed. */
bool trace_close(struct trace *t, char *why, size_t why_size);

#endif
