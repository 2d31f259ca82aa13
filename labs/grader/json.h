/*
 * Reading one value out of the JSON object that emu-run prints.
 * `path` names keys from the outside in: "counts.granted".
 * Not modelled: escapes other than \" \\ and \u00XX, numbers beyond double,
 * elements of arrays.
 */
#ifndef LABS_JSON_H
#define LABS_JSON_H

#include "text.h"

bool json_number(const char *json, const char *path, double *number);
bool json_text(const char *json, const char *path, struct text *out);
/* Adds `text` as a JSON string with its quotes; bytes that are no UTF-8 become '?'. */
void json_add(struct text *out, const char *text);

#endif
