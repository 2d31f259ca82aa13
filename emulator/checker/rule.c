/* The table of rules; see rule.h. */
#include "checker/rule.h"

#include <ctype.h>

const struct rule rules[RULE_COUNT] = {
#define RULE(id, severity, cause, question, try_, chapter, source) \
    {#id, SEVERITY_##severity, cause, question, try_, chapter, source},
#include "checker/rules.def"
#undef RULE
};

static bool same(const char *a, const char *b)
{
    while (*a != '\0' && toupper((unsigned char)*a) == toupper((unsigned char)*b)) {
        a++;
        b++;
    }
    return *a == '\0' && *b == '\0';
}

enum rule_id rule_find(const char *id)
{
    int k = 0;
    while (k < RULE_COUNT && !same(id, rules[k].id))
        k++;
    return (enum rule_id)k;
}

const char *severity_name(enum severity severity)
{
    return severity == SEVERITY_ERROR ? "error" : severity == SEVERITY_HANG ? "hang" : "lint";
}

void checker_list_rules(FILE *out)
{
    for (int k = 0; k < RULE_COUNT; k++)
        fprintf(out, "%-6s %-5s  %s\n", rules[k].id, severity_name(rules[k].severity), rules[k].cause);
}

static const char *meaning(enum severity severity)
{
    switch (severity) {
    case SEVERITY_ERROR: return "undefined, or a race, by the letter of the PTX ISA";
    case SEVERITY_HANG: return "the run cannot end";
    default: return "allowed, and rarely meant";
    }
}

bool checker_explain(FILE *out, const char *id)
{
    enum rule_id k = rule_find(id);
    if (k == RULE_COUNT)
        return false;
    const struct rule *r = &rules[k];
    fprintf(out, "%s: %s\n", r->id, r->cause);
    fprintf(out, "    %-8s %s\n", severity_name(r->severity), meaning(r->severity));
    fprintf(out, "    ask      %s\n", r->question);
    fprintf(out, "    try      %s\n", r->try_);
    fprintf(out, "    chapter  %s\n", r->chapter);
    fprintf(out, "    source   %s (P: PTX ISA 9.1, G: CUDA Programming Guide)\n", r->source);
    return true;
}
