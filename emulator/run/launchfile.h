/*
 * A launch file: how emu-run starts one kernel and what should come out.
 *
 * One item a line; '#' at the start of a word begins a comment; ${NAME} is
 * replaced as text before the line is taken apart.
 *
 *   kernel   NAME                       entry: exact name, or the plain C++ name
 *   grid     X [Y [Z]]                  or: resident  resident*K  resident<=N
 *   block    X [Y [Z]]
 *   cluster  X [Y [Z]]
 *   shared   BYTES                      dynamic shared memory
 *   priority N                          lower is more urgent, as in CUDA
 *   repeat   N                          launches, one after the other
 *   buffer   NAME TYPE COUNT zero       or: fill VALUE
 *   buffer   NAME FILE.npy              to the end of the line
 *   arg      FIELD                      the kernel's parameters, in order
 *   symbol   NAME FIELD                 initial value of a device variable
 *   expect   NAME FILE.npy              what the buffer holds at the end
 *
 *   FIELD: buffer NAME (address) | sizeof NAME (elements) | TYPE VALUE
 *          | bytes HEX... | struct { FIELD; FIELD; ... }  in natural alignment
 *   TYPE:  u8 s8 u16 s16 u32 s32 u64 s64 f16 (bits) f32 f64
 *
 * File names are relative to where emu-run was started.
 * Not modelled: several kernels, arrays within structs.
 */
#ifndef EMU_RUN_LAUNCHFILE_H
#define EMU_RUN_LAUNCHFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "run/complaint.h"
#include "run/npy.h"

struct setting { const char *name, *value; size_t name_length; };  /* --set NAME=VALUE */

/* Where the address of a buffer goes in a value. */
struct patch { size_t offset; int buffer; };

/* The bytes of an argument or variable. */
struct value {
    uint8_t *bytes;
    size_t size, align;
    struct patch *patches;
    int patch_count;
    bool is_count;              /* `sizeof` alone: fits a parameter of 4 or 8 bytes */
    int line;
};

enum fill { FILL_ZERO, FILL_VALUE, FILL_FILE };

struct buffer {
    char *name;
    enum element element;
    size_t count;               /* elements */
    enum fill fill;
    uint8_t fill_value[8];
    struct array array;         /* FILL_FILE */
    int line;
};

struct symbol { char *name; struct value value; };
struct expect { int buffer; char *path; struct array array; int line; };

enum grid_kind { GRID_GIVEN, GRID_RESIDENT };

struct launch_file {
    const char *path;           /* for messages */
    char *kernel;               /* NULL: the only entry of the module */
    int kernel_line, grid_line, block_line, cluster_line;
    enum grid_kind grid_kind;
    uint32_t grid[3], block[3], cluster[3];   /* cluster 0,0,0: none */
    uint32_t grid_factor, grid_most;          /* resident*K (default 1), resident<=N (default none: 0) */
    size_t shared;              /* bytes */
    int priority; bool has_priority;
    int repeat;
    struct buffer *buffers; int buffer_count;
    struct value *args; int arg_count;
    struct symbol *symbols; int symbol_count;
    struct expect *expects; int expect_count;
};

/* Reads the file and the arrays it names. false: *c names file, line and value. */
bool launch_read(const char *path, const struct setting *settings, int setting_count, struct launch_file *out,
                 struct complaint *c);
/* The same from text. */
bool launch_parse(const char *path, const char *text, const struct setting *settings, int setting_count,
                  struct launch_file *out, struct complaint *c);
void launch_free(struct launch_file *launch);
/* The buffer of that name, -1 none. */
int launch_buffer(const struct launch_file *launch, const char *name);

#endif
