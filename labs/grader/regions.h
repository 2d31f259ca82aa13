/*
 * One source, two files: a solution with marked regions, and the skeleton cut
 * from it.
 *
 *   // [solution]        what follows is in the solution alone
 *   // [skeleton]        what follows is in the skeleton alone; each line begins with //|
 *   // [end]             both again
 *
 * Marker lines are in neither.
 */
#ifndef LABS_REGIONS_H
#define LABS_REGIONS_H

#include "text.h"

/* PART_HANDOUT: the source itself, with empty solutions. */
enum part { PART_SOLUTION, PART_SKELETON, PART_HANDOUT };

/* Does the text hold a marker? */
bool regions_there(const char *source);
/* false: `why` names FILE:LINE and what is wrong there. */
bool regions_cut(const char *path, const char *source, enum part part, struct text *out, char why[WHY]);

#endif
