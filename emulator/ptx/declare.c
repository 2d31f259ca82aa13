/*
 * Registers, variables, parameters and initial values (PTX ISA chapter 5).
 *
 *   registers  = ".reg" [ ".v2" | ".v4" ] type name [ "<" n ">" ] { "," ... } ";"
 *   variables  = space { ".align" n | ".v4" | ".attribute" "(" ... ")" } type
 *                name { "[" [ n ] "]" } [ "=" value ] { "," ... } ";"
 *   value      = "{" value { "," value } "}" | string | constant | address
 *   address    = symbol | "generic" "(" symbol ")" | mask "(" address ")", each { ("+"|"-") n }
 * Not modelled: textures, samplers, surfaces, variables in constant banks.
 */
#include "ptx/parse.h"

#include <string.h>

enum { MAX_DIMENSIONS = 16 };
static const size_t max_size = (size_t)1 << 40;        /* bytes of a variable */
static const size_t max_initialised = (size_t)1 << 28; /* bytes of one with a value */

/* What stands before the names: type, alignment, vector width. */
struct shape {
    enum ptx_type type;
    int vector;             /* elements of a vector type, 1 otherwise */
    int align;              /* bytes, 0 not given */
    bool is_managed;
};

/* ---- registers -------------------------------------------------------- */

static int new_register(struct parser *p, const char *text, enum ptx_type type)
{
    if (p->regs.count >= MAX_REGS)
        ptx_fail(&p->lex, p->lex.token.line, "a function declares more than %d registers", MAX_REGS);
    *(struct ptx_reg *)pile_push(p, &p->regs) = (struct ptx_reg){ text, type };
    return (int)p->regs.count - 1;
}

static void declare_register(struct parser *p, struct ptx_name *name, const struct shape *shape)
{
    static const char *const component[] = { ".x", ".y", ".z", ".w" };
    if (shape->vector == 1) {
        declare(p, name, MEANS_REG, new_register(p, name->text, shape->type));
        return;
    }
    declare(p, name, MEANS_REGS, (int)p->regs.count)->count = shape->vector;
    for (int i = 0; i < shape->vector; i++) {
        char *text = parse_alloc(p, name->length + 3);
        memcpy(text, name->text, name->length);
        memcpy(text + name->length, component[i], 3);
        new_register(p, text, shape->type);
    }
}

/* Name "%r" and number 12 make "%r12". */
static struct ptx_name *numbered(struct parser *p, const struct ptx_name *stem, int number)
{
    char text[1024], digits[12];
    int n = 0;
    if (stem->length > sizeof text - sizeof digits)
        ptx_fail(&p->lex, p->lex.token.line, "the name of a register is longer than 1000 characters");
    memcpy(text, stem->text, stem->length);
    do
        digits[n++] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    for (int i = 0; i < n; i++)
        text[stem->length + (size_t)i] = digits[n - 1 - i];
    struct ptx_name *name = ptx_name_of(p->lex.names, text, stem->length + (size_t)n);
    if (!name)
        ptx_out_of_memory(&p->lex);
    return name;
}

static struct shape parse_shape(struct parser *p);

/* After ".reg". */
void parse_reg(struct parser *p)
{
    const struct shape shape = parse_shape(p);
    if (shape.vector > 4)
        ptx_fail(&p->lex, p->lex.token.line, "a vector of registers has 2 or 4 components");
    do {
        struct ptx_name *stem = want_word(p, "the name of a register");
        if (!take_mark(p, '<')) {
            declare_register(p, stem, &shape);
            continue;
        }
        const struct token count = p->lex.token;    /* a number, no expression: '>' follows */
        if (count.kind != TOKEN_INT || count.bits > MAX_REGS)
            fail_here(p, "the number of registers");
        lex_next(&p->lex);
        want_mark(p, '>', "after the number of registers");
        for (int i = 0; i < (int)count.bits; i++)
            declare_register(p, numbered(p, stem, i), &shape);
    } while (take_mark(p, ','));
    want_mark(p, ';', "after the registers");
}

/* ---- type, alignment, size -------------------------------------------- */

static void parse_attribute(struct parser *p, struct shape *shape)
{
    want_mark(p, '(', "after .attribute");
    for (int open = 1; open > 0;) {
        if (p->lex.token.kind == TOKEN_END)
            fail_here(p, "')' after .attribute");
        if (at_key(p, KEY_MANAGED))
            shape->is_managed = true;
        open += at_mark(p, '(') ? 1 : at_mark(p, ')') ? -1 : 0;
        lex_next(&p->lex);
    }
}

static int parse_align(struct parser *p)
{
    const int line = p->lex.token.line;
    const int64_t align = want_int(p, 1, MAX_ALIGN, "the alignment");
    if (align & (align - 1))
        ptx_fail(&p->lex, line, "the alignment %d is not a power of two", (int)align);
    return (int)align;
}

/* ".ptr [space] [.align n]": what a pointer parameter points to; not used. */
static void parse_ptr(struct parser *p)
{
    if (at_key(p, KEY_GLOBAL) || at_key(p, KEY_CONST) || at_key(p, KEY_SHARED) || at_key(p, KEY_LOCAL))
        lex_next(&p->lex);
    if (take_key(p, KEY_ALIGN))
        parse_align(p);
}

static void refuse_type(struct parser *p)
{
    char quoted[QUOTE_BYTES];
    if (at_key(p, KEY_TEXREF) || at_key(p, KEY_SAMPLERREF) || at_key(p, KEY_SURFREF))
        ptx_refuse(&p->lex, p->lex.token.line, "textures and surfaces (%s) are not covered",
                   lex_quote(&p->lex, quoted));
    fail_here(p, "a type");
}

static struct shape parse_shape(struct parser *p)
{
    struct shape shape = { .vector = 1 };
    while (p->lex.token.kind == TOKEN_DIRECTIVE) {
        const struct ptx_name *name = p->lex.token.name;
        if (take_key(p, KEY_ALIGN))
            shape.align = parse_align(p);
        else if (take_key(p, KEY_PTR))
            parse_ptr(p);
        else if (take_key(p, KEY_ATTRIBUTE))
            parse_attribute(p, &shape);
        else if (name->keyword == KEY_V2 || name->keyword == KEY_V4 || name->keyword == KEY_V8) {
            shape.vector = name->text[2] - '0';
            lex_next(&p->lex);
        } else if (name->type && !shape.type) {
            shape.type = (enum ptx_type)name->type;
            lex_next(&p->lex);
        } else
            refuse_type(p);
    }
    if (!shape.type)
        refuse_type(p);
    return shape;
}

/* Reads "[2][3]"; returns how many. A first "[]" is 0. */
static int parse_dimensions(struct parser *p, size_t *dimension)
{
    int n = 0;
    while (take_mark(p, '[')) {
        if (n == MAX_DIMENSIONS)
            ptx_fail(&p->lex, p->lex.token.line, "an array has more than %d dimensions", MAX_DIMENSIONS);
        if (n == 0 && take_mark(p, ']')) {
            dimension[n++] = 0;
            continue;
        }
        dimension[n++] = (size_t)want_int(p, 0, (int64_t)max_size, "the number of elements");
        want_mark(p, ']', "after the number of elements");
    }
    return n;
}

static size_t multiplied(struct parser *p, size_t a, size_t b)
{
    if (b != 0 && a > max_size / b)
        ptx_fail(&p->lex, p->lex.token.line, "a variable is larger than 2^40 bytes");
    return a * b;
}

/* ---- initial values --------------------------------------------------- */

struct init {
    struct ptx_var *var;
    size_t element;                     /* bytes */
    int levels;
    size_t span[MAX_DIMENSIONS + 2];    /* bytes of one item at each level of braces */
    size_t at;                          /* bytes written or left out so far */
    bool is_sized;
    struct ptx_reloc *last;             /* of var->relocs */
};

static void put_bytes(struct parser *p, const struct init *init, uint64_t bits, size_t bytes)
{
    const size_t limit = init->is_sized ? init->var->size : max_initialised;
    if (bytes > limit || init->at > limit - bytes)
        ptx_fail(&p->lex, p->lex.token.line, "'%.100s' is given more values than it holds", init->var->name);
    while (p->bytes.count < init->at + bytes)
        *(uint8_t *)pile_push(p, &p->bytes) = 0;
    for (size_t i = 0; i < bytes; i++)
        ((uint8_t *)p->bytes.data)[init->at + i] = (uint8_t)(i < 8 ? bits >> (8 * i) : 0);
}

/* The bits of a constant as an element of `type`. */
static uint64_t converted(enum ptx_type type, struct constant c)
{
    double value;
    float single;
    uint32_t bits32 = (uint32_t)c.bits;
    if (type != PTX_F32 && type != PTX_F64)
        return c.bits;
    if (!c.is_float)
        value = c.is_unsigned ? (double)c.bits : (double)(int64_t)c.bits;
    else if (c.float_bytes == ptx_type_bytes(type))
        return c.bits;
    else if (c.float_bytes == 8)
        memcpy(&value, &c.bits, sizeof value);
    else {
        memcpy(&single, &bits32, sizeof single);
        value = single;
    }
    if (type == PTX_F64) {
        memcpy(&c.bits, &value, sizeof value);
        return c.bits;
    }
    single = (float)value;
    memcpy(&bits32, &single, sizeof single);
    return bits32;
}

/* symbol | generic(symbol), each { ("+" | "-") n } */
static struct ptx_reloc parse_symbol(struct parser *p)
{
    struct ptx_reloc reloc = { .generic = take_key(p, KEY_GENERIC) };
    if (reloc.generic)
        want_mark(p, '(', "after generic");
    reloc.symbol = want_word(p, "a variable or function")->text;
    reloc.addend = parse_offsets(p);
    if (reloc.generic) {
        want_mark(p, ')', "after generic(name");
        reloc.addend = (int64_t)((uint64_t)reloc.addend + (uint64_t)parse_offsets(p));
    }
    return reloc;
}

static void add_reloc(struct parser *p, struct init *init, struct ptx_reloc reloc)
{
    struct ptx_reloc *kept = parse_alloc(p, sizeof *kept);
    *kept = reloc;
    kept->offset = init->at;
    if (init->last)
        init->last->next = kept;
    else
        init->var->relocs = kept;
    init->last = kept;
}

static void parse_address_value(struct parser *p, struct init *init)
{
    const int line = p->lex.token.line;
    struct ptx_reloc reloc = parse_symbol(p);
    if (init->element != 4 && init->element != 8)
        ptx_fail(&p->lex, line, "the address of '%.100s' does not fit in %d bytes", reloc.symbol, (int)init->element);
    reloc.bytes = (int)init->element;
    put_bytes(p, init, 0, init->element);
    add_reloc(p, init, reloc);
}

/* Is `reloc` byte number `byte` of the address that `last` has begun? */
static bool continues(const struct ptx_reloc *last, size_t at, const struct ptx_reloc *reloc, int byte)
{
    return last->bytes == byte && last->offset + (size_t)byte == at && last->symbol == reloc->symbol
        && last->addend == reloc->addend && last->generic == reloc->generic;
}

/* mask(address): one byte of an address, 0xFF00 the second. nvcc writes a
 * pointer in a packed struct so, all bytes in order; they become one reloc. */
static void parse_masked_value(struct parser *p, struct init *init)
{
    const int line = p->lex.token.line;
    const uint64_t mask = p->lex.token.bits;
    int byte = 0;
    lex_next(&p->lex);
    want_mark(p, '(', "after the mask of an address");
    struct ptx_reloc reloc = parse_symbol(p);
    want_mark(p, ')', "after the masked address");
    while (byte < 7 && mask != (uint64_t)0xff << (8 * byte))
        byte++;
    if (mask != (uint64_t)0xff << (8 * byte) || init->element != 1)
        ptx_refuse(&p->lex, line, "a masked address that is not one byte is not covered");
    put_bytes(p, init, 0, 1);
    if (byte == 0) {
        reloc.bytes = 1;
        add_reloc(p, init, reloc);
    } else if (init->last && continues(init->last, init->at, &reloc, byte)) {
        init->last->bytes++;
    } else {
        ptx_refuse(&p->lex, line, "the bytes of an address in other than rising order are not covered");
    }
}

static bool at_masked(const struct parser *p)
{
    const char *next = p->lex.next;
    while (next < p->lex.end && (*next == ' ' || *next == '\t'))
        next++;
    return p->lex.token.kind == TOKEN_INT && next < p->lex.end && *next == '(';
}

static void parse_string_value(struct parser *p, struct init *init)
{
    size_t length;
    const char *text = lex_string(&p->lex, &length);
    if (init->element != 1)
        ptx_fail(&p->lex, p->lex.token.line, "a string needs elements of one byte");
    for (size_t i = 0; i < length; i++, init->at++)
        put_bytes(p, init, (unsigned char)text[i], 1);
    if (!init->is_sized || init->at < init->var->size)
        put_bytes(p, init, 0, 1), init->at++;
    lex_next(&p->lex);
}

static void parse_element(struct parser *p, struct init *init)
{
    if (p->lex.token.kind == TOKEN_STRING) {
        parse_string_value(p, init);
        return;
    }
    if (p->lex.token.kind == TOKEN_WORD && p->lex.token.name->keyword != KEY_WARP_SZ)
        parse_address_value(p, init);
    else if (at_masked(p))
        parse_masked_value(p, init);
    else
        put_bytes(p, init, converted(init->var->type, parse_constant(p)), init->element);
    init->at += init->element;
}

/* After "{" of level `level`; what the list leaves out stays zero. */
static void parse_values(struct parser *p, struct init *init, int level)
{
    const size_t start = init->at;
    if (level >= init->levels)
        ptx_fail(&p->lex, p->lex.token.line, "the value of '%.100s' has more braces than dimensions", init->var->name);
    while (!at_mark(p, '}')) {
        if (take_mark(p, '{'))
            parse_values(p, init, level + 1);
        else
            parse_element(p, init);
        if (!take_mark(p, ',') && !at_mark(p, '}'))
            fail_here(p, "',' or '}' in a list of values");
    }
    lex_next(&p->lex);
    if (level == 0)
        return;
    if (init->at - start > init->span[level])
        ptx_fail(&p->lex, p->lex.token.line, "'%.100s' is given more values than it holds", init->var->name);
    init->at = start + init->span[level];
}

/* After "=". `dimension` are the array's, `vector` the elements of its type. */
static void parse_initial(struct parser *p, struct declared *d, const size_t *dimension, int dimensions, int vector)
{
    struct init init = { .var = &d->var, .element = (size_t)ptx_type_bytes(d->var.type),
                         .is_sized = dimensions == 0 || dimension[0] != 0 };
    init.levels = dimensions + (vector > 1);
    init.span[init.levels] = init.element;
    for (int i = init.levels - 1; i >= 0; i--)
        init.span[i] = multiplied(p, init.span[i + 1], i == dimensions ? (size_t)vector : dimension[i]);
    if (d->var.size > max_initialised)
        ptx_refuse(&p->lex, p->lex.token.line, "'%.100s' has an initial value and more than %zu bytes", d->var.name,
                   max_initialised);
    p->bytes.count = 0;
    if (take_mark(p, '{'))
        parse_values(p, &init, 0);
    else
        parse_element(p, &init);
    if (!init.is_sized) {
        const size_t row = init.span[1] ? init.span[1] : 1;
        d->var.size = (init.at + row - 1) / row * row;
    }
    uint8_t *bytes = parse_alloc(p, d->var.size);
    if (p->bytes.count)
        memcpy(bytes, p->bytes.data, p->bytes.count);
    d->var.init = bytes;
    d->has_value = true;
}

/* ---- variables -------------------------------------------------------- */

/* A variable of the module may be declared several times (extern, weak,
 * common) and is defined once; the definition wins. */
static struct declared *module_variable(struct parser *p, struct ptx_name *name, const struct ptx_var *var)
{
    char quoted[QUOTE_BYTES];
    if (name->var) {
        struct declared *known = ((struct declared **)p->vars.data)[name->var - 1];
        if (known->var.space != var->space || (!known->var.is_extern && !var->is_extern && !known->var.is_weak))
            ptx_fail(&p->lex, p->lex.token.line, "%s is declared twice", lex_quote_text(name->text, name->length, quoted));
        if (known->var.is_extern && !var->is_extern)
            known->var = *var;
        else if (known->has_value)
            return parse_alloc(p, sizeof *known);       /* a second weak one: read and forgotten */
        return known;
    }
    struct declared *d = parse_alloc(p, sizeof *d);
    declare(p, name, MEANS_VAR, 0)->declared = d;
    *(struct declared **)pile_push(p, &p->vars) = d;
    name->var = (int)p->vars.count;
    d->var = *var;
    return d;
}

static struct declared *local_variable(struct parser *p, struct ptx_name *name, const struct ptx_var *var)
{
    struct declared *d = parse_alloc(p, sizeof *d);
    declare(p, name, MEANS_VAR, 0)->declared = d;
    *(struct declared **)pile_push(p, &p->locals) = d;
    d->var = *var;
    return d;
}

static void parse_variable(struct parser *p, const struct shape *shape, struct ptx_var var)
{
    size_t dimension[MAX_DIMENSIONS] = { 0 };
    const size_t element = (size_t)ptx_type_bytes(shape->type) * (size_t)shape->vector;
    struct ptx_name *name = want_word(p, "the name of a variable");
    const int dimensions = parse_dimensions(p, dimension);
    var.name = name->text;
    var.type = shape->type;
    var.align = shape->align ? shape->align : (int)element;
    var.is_managed = shape->is_managed;
    var.size = element;
    for (int i = 0; i < dimensions; i++)
        var.size = multiplied(p, var.size, dimension[i]);
    struct declared *d = p->depth == 0 ? module_variable(p, name, &var) : local_variable(p, name, &var);
    if (!at_mark(p, '='))
        return;
    if (var.space != PTX_GLOBAL && var.space != PTX_CONST)
        ptx_fail(&p->lex, p->lex.token.line, "'%.100s' has an initial value but is neither .global nor .const", var.name);
    lex_next(&p->lex);
    d->var.name = var.name;
    d->var.type = var.type;
    d->var.size = var.size;
    parse_initial(p, d, dimension, dimensions, shape->vector);
}

/* After the directive of the space; `linkage` holds the linkage. */
void parse_variables(struct parser *p, enum ptx_space space, struct ptx_var linkage)
{
    if (space == PTX_CONST && at_mark(p, '['))
        ptx_refuse(&p->lex, p->lex.token.line, "constant banks are not covered");
    const struct shape shape = parse_shape(p);
    if (shape.type == PTX_PRED)
        ptx_fail(&p->lex, p->lex.token.line, "a variable in memory cannot be .pred");
    linkage.space = space;
    do
        parse_variable(p, &shape, linkage);
    while (take_mark(p, ','));
    want_mark(p, ';', "after the variables");
}

/* ---- parameters ------------------------------------------------------- */

static struct declared *parse_param(struct parser *p)
{
    struct declared *d = parse_alloc(p, sizeof *d);
    size_t dimension[MAX_DIMENSIONS] = { 0 };
    if (!at_key(p, KEY_PARAM) && !at_key(p, KEY_REG))
        fail_here(p, ".param");
    d->var.space = at_key(p, KEY_REG) ? PTX_REG : PTX_PARAM;
    lex_next(&p->lex);
    const struct shape shape = parse_shape(p);
    struct ptx_name *name = want_word(p, "the name of a parameter");
    const int dimensions = parse_dimensions(p, dimension);
    const size_t element = (size_t)ptx_type_bytes(shape.type) * (size_t)shape.vector;
    d->var.name = name->text;
    d->var.type = shape.type;
    d->var.align = shape.align ? shape.align : (int)element;
    d->var.size = element;
    for (int i = 0; i < dimensions; i++)
        d->var.size = multiplied(p, d->var.size, dimension[i]);
    return d;
}

/* Each at the next offset that its alignment allows (PTX ISA 7.1, C rules). */
static size_t place_param(struct parser *p, struct ptx_var *var, size_t end)
{
    const size_t align = (size_t)var->align;
    var->offset = (end + align - 1) / align * align;
    if (var->offset + var->size > max_size)
        ptx_fail(&p->lex, p->lex.token.line, "the parameters are larger than 2^40 bytes");
    return var->offset + var->size;
}

static void bind_param(struct parser *p, struct declared *d)
{
    struct ptx_name *name = ptx_name_find(p->lex.names, d->var.name, strlen(d->var.name));
    if (name->keyword == KEY_SINK)
        return;
    if (d->var.space == PTX_REG)
        declare(p, name, MEANS_REG, new_register(p, name->text, d->var.type));
    else
        declare(p, name, MEANS_VAR, 0)->declared = d;
}

/* "( [ parameter { "," parameter } ] )"; `bind` makes the names known in the
 * current scope. *bytes: size of the parameter block, NULL not wanted. */
const struct ptx_var *parse_params(struct parser *p, int *count, size_t *bytes, bool bind)
{
    size_t end = 0;
    p->params.count = 0;
    want_mark(p, '(', "before the parameters");
    if (!at_mark(p, ')'))
        do {
            struct declared *d = parse_param(p);
            d->var.index = (int)p->params.count;
            end = place_param(p, &d->var, end);
            *(struct declared **)pile_push(p, &p->params) = d;
        } while (take_mark(p, ','));
    want_mark(p, ')', "after the parameters");
    *count = (int)p->params.count;
    if (bytes)
        *bytes = end;
    struct ptx_var *list = parse_alloc(p, p->params.count * sizeof *list);
    for (size_t i = 0; i < p->params.count; i++) {
        struct declared *d = ((struct declared **)p->params.data)[i];
        list[i] = d->var;
        d->at = &list[i];
        if (bind)
            bind_param(p, d);
    }
    return list;
}
