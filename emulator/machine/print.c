/*
 * Functions every kernel may call without having them: vprintf, __assertfail,
 * malloc and free.
 *
 * printf reads its arguments as nvcc lays them out: each at its natural
 * alignment, int and shorter as 4 bytes, long and pointers as 8, float as
 * double. Lanes print one after the other.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "machine/grid.h"

/* A string in device memory; stops at the end of what is readable. NULL after a fault. */
static bool read_string(struct machine *m, struct warp *w, uint32_t lane, uint64_t address, char *to, size_t size)
{
    for (size_t n = 0; n + 1 < size; n++) {
        struct place p = resolve(m, w, lane, MEM_GENERIC, address + n, 1, FOR_READ);
        if (p.bytes == NULL)
            return false;
        to[n] = (char)*p.bytes;
        to[n + 1] = '\0';
        if (to[n] == '\0')
            return true;
    }
    return true;
}

struct printer {
    struct machine *m;
    struct warp *w;
    uint32_t lane;
    uint64_t args;           /* generic address of the buffer, 0: none */
    uint64_t offset;
    uint32_t taken;          /* arguments */
    char out[4096];
    size_t used;
};

static bool next_argument(struct printer *p, uint32_t bytes, void *value)
{
    p->offset = (p->offset + bytes - 1) / bytes * bytes;
    struct place at = resolve(p->m, p->w, p->lane, MEM_GENERIC, p->args + p->offset, bytes, FOR_READ);
    if (at.bytes == NULL)
        return false;
    memcpy(value, at.bytes, bytes);
    p->offset += bytes;
    p->taken++;
    return true;
}

static void flush(struct printer *p)
{
    if (p->m->output != NULL)
        p->m->output(p->m->output_self, p->out, p->used);
    else
        fwrite(p->out, 1, p->used, stdout);
    p->used = 0;
}

static void put(struct printer *p, const char *text, size_t length)
{
    while (length > 0) {
        size_t room = sizeof p->out - p->used, n = length < room ? length : room;
        memcpy(p->out + p->used, text, n);
        p->used += n;
        text += n;
        length -= n;
        if (p->used == sizeof p->out)
            flush(p);
    }
}

static bool put_integer(struct printer *p, const char *spec, char conversion, bool wide)
{
    char format[48], text[512];
    size_t keep = strlen(spec);
    uint64_t v = 0;
    if (!next_argument(p, wide ? 8 : 4, &v))
        return false;
    if (!wide && (conversion == 'd' || conversion == 'i'))
        v = (uint64_t)(int64_t)(int32_t)v;
    if (keep > sizeof format - 8)
        keep = sizeof format - 8;
    snprintf(format, sizeof format, "%.*sll%c", (int)keep, spec, conversion);
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#endif
    int n = snprintf(text, sizeof text, format, (long long)v);
    put(p, text, (size_t)(n < (int)sizeof text ? n : (int)sizeof text - 1));
    return true;
}

static bool put_double(struct printer *p, const char *spec, char conversion)
{
    char format[48], text[512];
    double v;
    if (!next_argument(p, 8, &v))
        return false;
    snprintf(format, sizeof format, "%.40s%c", spec, conversion);
    int n = snprintf(text, sizeof text, format, v);
    put(p, text, (size_t)(n < (int)sizeof text ? n : (int)sizeof text - 1));
    return true;
}

static bool put_text(struct printer *p, const char *spec, char conversion)
{
    char format[48], text[2048], string[1024] = "";
    uint64_t v = 0;
    snprintf(format, sizeof format, "%.40s%c", spec, conversion == 'p' ? 's' : conversion);
    if (conversion == 'c') {
        if (!next_argument(p, 4, &v))
            return false;
        int n = snprintf(text, sizeof text, format, (int)v);
        put(p, text, (size_t)n);
        return true;
    }
    if (!next_argument(p, 8, &v))
        return false;
    if (conversion == 'p')
        snprintf(string, sizeof string, "0x%" PRIx64, v);
    else if (!read_string(p->m, p->w, p->lane, v, string, sizeof string))
        return false;
    int n = snprintf(text, sizeof text, format, string);
    put(p, text, (size_t)(n < (int)sizeof text ? n : (int)sizeof text - 1));
    return true;
}
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

/* One conversion; *f stands behind the '%'. */
static bool put_conversion(struct printer *p, const char **f)
{
    char spec[41] = "%";
    size_t n = 1;
    bool wide = false;
    while (**f != '\0' && strchr("-+ #0123456789.*", **f) != NULL && n < sizeof spec - 14) {
        if (**f == '*') {
            int32_t width;
            if (!next_argument(p, 4, &width))
                return false;
            n += (size_t)snprintf(spec + n, 12, "%d", width);
        } else {
            spec[n++] = **f;
        }
        (*f)++;
    }
    spec[n] = '\0';
    while (**f == 'l' || **f == 'h' || **f == 'z' || **f == 'j' || **f == 't' || **f == 'L')
        wide |= *(*f)++ != 'h';
    char conversion = **f;
    if (conversion != '\0')
        (*f)++;
    switch (conversion) {
    case 'd': case 'i': case 'u': case 'x': case 'X': case 'o': return put_integer(p, spec, conversion, wide);
    case 'f': case 'F': case 'e': case 'E': case 'g': case 'G': case 'a': case 'A': return put_double(p, spec, conversion);
    case 'c': case 's': case 'p': return put_text(p, spec, conversion);
    case '%': put(p, "%", 1); return true;
    default:
        put(p, spec, n);
        put(p, &conversion, conversion != '\0');
        return true;
    }
}

/* *taken: what printf returns in a kernel, how many arguments it took. */
static bool print_lane(struct machine *m, struct warp *w, uint32_t lane, uint64_t format, uint64_t args, uint32_t *taken)
{
    char text[4096];
    struct printer p = {.m = m, .w = w, .lane = lane, .args = args};
    if (!read_string(m, w, lane, format, text, sizeof text))
        return false;
    for (const char *f = text; *f != '\0';) {
        const char *percent = strchr(f, '%');
        put(&p, f, percent != NULL ? (size_t)(percent - f) : strlen(f));
        if (percent == NULL)
            break;
        f = percent + 1;
        if (!put_conversion(&p, &f))
            return false;
    }
    flush(&p);
    *taken = p.taken;
    return true;
}

static uint64_t argument(const struct warp *w, const struct code_call *call, uint32_t lane, int k)
{
    uint64_t v = 0;
    if (k < call->arg_count)
        memcpy(&v, w->local + (size_t)lane * w->local_stride + w->frame->base + call->arg_offset[k],
               call->arg_bytes[k] < 8 ? call->arg_bytes[k] : 8);
    return v;
}

static void result(const struct warp *w, const struct code_call *call, uint32_t lane, uint64_t v)
{
    if (call->ret_count > 0)
        memcpy(w->local + (size_t)lane * w->local_stride + w->frame->base + call->ret_offset[0], &v,
               call->ret_bytes[0] < 8 ? call->ret_bytes[0] : 8);
}

static bool assert_lane(struct machine *m, struct warp *w, const struct code_call *call, uint32_t lane)
{
    char message[512] = "", file[256] = "", function[256] = "";
    if (!read_string(m, w, lane, argument(w, call, lane, 0), message, sizeof message) ||
        !read_string(m, w, lane, argument(w, call, lane, 1), file, sizeof file) ||
        !read_string(m, w, lane, argument(w, call, lane, 3), function, sizeof function))
        return false;
    fault_at(m, w, 1u << lane, FAULT_ASSERT, "assertion `%s` failed in %s (%s:%u)", message, function, file,
             (unsigned)argument(w, call, lane, 2));
    return false;
}

static bool free_lane(struct machine *m, struct warp *w, const struct code_call *call, uint32_t lane)
{
    uint64_t address = argument(w, call, lane, 0);
    if (address == 0 || machine_free(m, address))
        return true;
    fault_at(m, w, 1u << lane, FAULT_ADDRESS, "free of 0x%" PRIx64 ", which is not the start of a live allocation", address);
    return false;
}

bool call_builtin(struct machine *m, struct warp *w, const struct code_call *call, uint32_t mask)
{
    for (uint32_t l = 0; l < LANES; l++) {
        uint32_t taken;
        if (!(mask >> l & 1))
            continue;
        switch (call->kind) {
        case CALL_VPRINTF:
            if (!print_lane(m, w, l, argument(w, call, l, 0), argument(w, call, l, 1), &taken))
                return false;
            result(w, call, l, taken);
            break;
        case CALL_ASSERTFAIL:
            return assert_lane(m, w, call, l);
        case CALL_MALLOC:
            result(w, call, l, machine_alloc(m, (size_t)argument(w, call, l, 0), MEMORY_DEVICE, "malloc in a kernel"));
            break;
        case CALL_FREE:
            if (!free_lane(m, w, call, l))
                return false;
            break;
        default:
            return false;
        }
    }
    m->steps_since_progress = 0;
    return true;
}
