/*
 * The table of rules (rules.def) as C sees it.
 *
 * A rule has an id that never changes, a severity, one line that names the
 * cause, a question, a first thing to try, a chapter and its source. Reports,
 * `emu-run --list-rules`, `emu-run --explain RULE` and the book's appendix are
 * made from the rows. To add a rule: a row there, a kernel that breaks it and
 * its nearest legal twin in tests/zoo/, a paragraph in the chapter.
 */
#ifndef EMU_CHECKER_RULE_H
#define EMU_CHECKER_RULE_H

#include <stdbool.h>
#include <stdio.h>

enum severity { SEVERITY_ERROR, SEVERITY_HANG, SEVERITY_LINT };

enum rule_id {
#define RULE(id, severity, cause, question, try_, chapter, source) RULE_##id,
#include "checker/rules.def"
#undef RULE
    RULE_COUNT
};

struct rule {
    const char *id;
    enum severity severity;
    const char *cause, *question, *try_, *chapter, *source;
};
extern const struct rule rules[RULE_COUNT];

/* The row of an id as people type it, upper or lower case; RULE_COUNT: there is none. */
enum rule_id rule_find(const char *id);
const char *severity_name(enum severity severity);   /* "error", "hang", "lint" */

void checker_list_rules(FILE *out);                    /* one row a line: id, severity, cause */
bool checker_explain(FILE *out, const char *id);       /* false: no such rule, nothing printed */

#endif
