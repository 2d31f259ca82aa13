/*
 * Faults: the sentences with which a kernel's run ends.
 *
 *   scale.cu:31: out-of-bounds write of 4 bytes at 0x2000000003e8: ...
 *       kernel scale, block (3,0,0), thread (17,0,0)
 *
 * The first fault stays; later ones are consequences.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "machine/grid.h"
#include "machine/state.h"

int fault_exit_code(enum fault_kind kind)
{
    switch (kind) {
    case FAULT_NONE: return 0;
    case FAULT_UNSUPPORTED: return 4;
    case FAULT_INTERNAL: return 5;
    default: return 1;
    }
}

/* The identifier inside an Itanium name: _Z17kernel_fixed_workPfi -> kernel_fixed_work; others unchanged. */
const char *plain_name(const char *mangled, char *buffer, size_t size)
{
    const char *p = mangled, *name = NULL;
    size_t length = 0;
    if (p[0] != '_' || p[1] != 'Z')
        return mangled;
    p += 2;
    if (*p == 'N')
        p++;
    if (*p == 'L')
        p++;
    while (*p >= '0' && *p <= '9') {
        size_t n = 0;
        while (*p >= '0' && *p <= '9' && n < 100000)
            n = n * 10 + (size_t)(*p++ - '0');
        if (n == 0 || n > strlen(p))
            break;
        name = p;
        length = n;
        p += n;
    }
    if (name == NULL)
        return mangled;
    snprintf(buffer, size, "%.*s", (int)length, name);
    return buffer;
}

/* The last name in an Itanium name: _ZZ6kernelPfE6result -> result. */
const char *last_name(const char *mangled, char *out, size_t size)
{
    size_t length = strlen(mangled);
    while (length > 2 && mangled[length - 2] == '_' && mangled[length - 1] >= '0' && mangled[length - 1] <= '9')
        length -= 2;
    if (strncmp(mangled, "_Z", 2) != 0)
        return mangled;
    for (size_t n = 1; n < length && n < size; n++) {
        char digits[16];
        int d = snprintf(digits, sizeof digits, "%zu", n);
        if (length < n + (size_t)d + 2 || memcmp(mangled + length - n - (size_t)d, digits, (size_t)d) != 0)
            continue;
        snprintf(out, size, "%.*s", (int)n, mangled + length - n);
        return out;
    }
    return mangled;
}

static void append(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + used, size - used, format, args);
    va_end(args);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

void describe_place(struct machine *m, const struct warp *w, char *text, size_t size)
{
    const struct code *code = w->block->grid->code;
    struct ptx_line line = ptx_user_line(code->module, w->frame->function->source, (int)w->pc);
    (void)m;
    if (line.file != NULL && line.line > 0)
        append(text, size, "%s:%d", base_name(line.file), line.line);
    else if ((int)w->pc < w->frame->function->source->statement_count)
        append(text, size, "%s:%d", base_name(code->module->name),
               w->frame->function->source->statements[w->pc].line);
    else
        append(text, size, "%s", base_name(code->module->name));
}

void describe_thread(const struct warp *w, uint32_t lane, char *text, size_t size)
{
    const struct block *b = w->block;
    const struct grid *g = b->grid;
    uint32_t t = w->index * LANES + lane;
    char name[256];
    append(text, size, "kernel %s, block (%u,%u,%u), thread (%u,%u,%u)",
           plain_name(g->code->entry->name, name, sizeof name), b->id[0], b->id[1], b->id[2],
           t % g->block_dim[0], t / g->block_dim[0] % g->block_dim[1], t / g->block_dim[0] / g->block_dim[1]);
}

static uint32_t first_lane(uint32_t mask)
{
    uint32_t lane = 0;
    while (lane < LANES - 1 && !(mask >> lane & 1))
        lane++;
    return lane;
}

void fault_at(struct machine *m, struct warp *w, uint32_t mask, enum fault_kind kind, const char *format, ...)
{
    if (m->fault.kind != FAULT_NONE)
        return;
    char *text = m->fault.text;
    size_t size = sizeof m->fault.text;
    m->fault.kind = kind;
    text[0] = '\0';
    describe_place(m, w, text, size);
    append(text, size, ": ");
    size_t used = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + used, size - used, format, args);
    va_end(args);
    append(text, size, "\n    ");
    describe_thread(w, first_lane(mask), text, size);
    append(text, size, "\n");
}

void fault_plain(struct machine *m, enum fault_kind kind, const char *format, ...)
{
    if (m->fault.kind != FAULT_NONE)
        return;
    m->fault.kind = kind;
    va_list args;
    va_start(args, format);
    vsnprintf(m->fault.text, sizeof m->fault.text, format, args);
    va_end(args);
}

void fault_rule(struct machine *m, const char *rule)
{
    if (m->fault.kind != FAULT_NONE && m->fault.rule == NULL)
        m->fault.rule = rule;
}

bool fault_later(struct machine *m)
{
    if (!m->observe)
        return false;
    if (m->later.kind == FAULT_NONE)
        m->later = m->fault;
    m->fault.kind = FAULT_NONE;
    return true;
}
