/*
 * Finding a kernel or variable by the name a person uses: see entry.h.
 */
#include "run/entry.h"

#include <string.h>

/* ---- Itanium names --------------------------------------------------------- */

/* "<length><name>" at *at: the name, and *at behind it; NULL when there is none. */
static const char *component(const char **at, size_t *length)
{
    const char *p = *at;
    *length = 0;
    while (*p >= '0' && *p <= '9' && *length < 100000)
        *length = *length * 10 + (size_t)(*p++ - '0');
    if (*length == 0 || strlen(p) < *length)
        return NULL;
    *at = p + *length;
    return p;
}

/* The components of `mangled`, joined by "::", must end in `plain`. */
bool entry_matches(const char *mangled, const char *plain)
{
    char joined[1024] = "";
    size_t length, used = 0;
    if (strncmp(mangled, "_Z", 2) != 0)
        return false;
    const char *at = mangled + 2, *name;
    const bool nested = *at == 'N';
    at += nested || *at == 'L';
    at += strspn(at, nested ? "rVK" : "");
    while ((name = component(&at, &length))) {
        if (used + length + 3 >= sizeof joined)
            return false;
        used += (size_t)snprintf(joined + used, sizeof joined - used, "%s%.*s", used ? "::" : "", (int)length, name);
        if (!nested)
            break;
        at += *at == 'L';
    }
    const size_t want = strlen(plain);
    if (used < want || strcmp(joined + used - want, plain) != 0)
        return false;
    return used == want || joined[used - want - 1] == ':';
}

/* _Z6kernelPKji: kernel. Other names as they are. */
static const char *plain_name(const char *mangled, char *plain, size_t size)
{
    size_t length = 0;
    const char *at = mangled + 2, *name = strncmp(mangled, "_Z", 2) == 0 ? component(&at, &length) : NULL;
    if (!name || length >= size || *at == 'I') /* instances of a template need their arguments */
        return mangled;
    snprintf(plain, size, "%.*s", (int)length, name);
    return plain;
}

/* ---- kernels ----------------------------------------------------------------- */

static bool is_kernel(const struct ptx_function *f)
{
    return f->is_entry && f->has_body;
}

/* " a b c": names for a message, as many as fit. */
static void append_name(char *list, size_t size, const char *name)
{
    const size_t used = strlen(list);
    if (used + strlen(name) + 6 < size)
        snprintf(list + used, size - used, " %s", name);
    else if (used + 5 < size && (used < 4 || strcmp(list + used - 4, " ...") != 0))
        snprintf(list + used, size - used, " ...");
}

const struct ptx_function *entry_find(const struct ptx_module *module, const char *name, const char *where,
                                      struct complaint *c)
{
    char all[400] = "", fitting[400] = "", plain[200];
    const struct ptx_function *found = NULL;
    int count = 0;
    for (int i = 0; i < module->function_count; i++) {
        const struct ptx_function *f = &module->functions[i];
        if (!is_kernel(f))
            continue;
        if (name && strcmp(f->name, name) == 0)
            return f;
        append_name(all, sizeof all, plain_name(f->name, plain, sizeof plain));
        if (name && !entry_matches(f->name, name))
            continue;
        append_name(fitting, sizeof fitting, f->name);
        found = f;
        count++;
    }
    if (count == 1)
        return found;
    if (!*all)
        complain(c, ENDS_USAGE, "%s: the module holds no kernel", module->name);
    else if (count == 0)
        complain(c, ENDS_USAGE, "%s: there is no kernel '%.100s' in %s; there are:%s", where, name, module->name, all);
    else if (name)
        complain(c, ENDS_USAGE, "%s: '%.100s' may be any of:%s", where, name, fitting);
    else
        complain(c, ENDS_USAGE, "%s: the line `kernel NAME` is missing; %s holds:%s", where, module->name, all);
    return NULL;
}

const struct ptx_var *variable_find(const struct ptx_module *module, const char *name, const char *where,
                                    struct complaint *c)
{
    const struct ptx_var *found = NULL;
    int count = 0;
    for (int i = 0; i < module->var_count; i++) {
        const struct ptx_var *v = &module->vars[i];
        if (v->space != PTX_GLOBAL && v->space != PTX_CONST)
            continue;
        if (strcmp(v->name, name) == 0)
            return v;
        if (!entry_matches(v->name, name))
            continue;
        found = v;
        count++;
    }
    if (count == 1)
        return found;
    if (count == 0)
        complain(c, ENDS_USAGE, "%s: there is no variable '%.100s' in %s", where, name, module->name);
    else
        complain(c, ENDS_USAGE, "%s: %d variables of %s may be meant by '%.100s'", where, count, module->name, name);
    return NULL;
}

void entry_list(const struct ptx_module *module, FILE *out)
{
    for (int i = 0; i < module->function_count; i++) {
        const struct ptx_function *f = &module->functions[i];
        if (!is_kernel(f))
            continue;
        fprintf(out, "kernel %s\n", f->name);
        for (int k = 0; k < f->param_count; k++) {
            const struct ptx_var *v = &f->params[k];
            if (v->size == (size_t)ptx_type_bytes(v->type))
                fprintf(out, "  arg %d: %s\n", k + 1, ptx_type_name(v->type));
            else
                fprintf(out, "  arg %d: %zu bytes, aligned to %d\n", k + 1, v->size, v->align);
        }
    }
}
