/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_LEFT_OUT_H
#define DSE_LEFT_OUT_H
/*
 * What a search leaves out: choices that machines and layers of a space have and its rules do not allow, so that a
 * best design is only the best of the others. Named by the keys that would allow them (spaces/README.md).
 */
#include "dse/out/json.h"
#include "dse/space/space.h"

#define LEFT_OUT_MAX 8        /* kinds of choices */
#define LEFT_OUT_ITEM_SIZE 96 /* "conv_1x1 packed, matmul, tight" */
#define LEFT_OUT_TEXT_SIZE (LEFT_OUT_MAX * LEFT_OUT_ITEM_SIZE)

struct left_out {
	size_t n;
	char item[LEFT_OUT_MAX][LEFT_OUT_ITEM_SIZE];
};

/* Of more than some hundred machine candidates some, evenly spread, are looked at. */
void left_out_find(const struct space *space, struct left_out *left);

/* "fetch_ahead half, all; level_shares", or "" where nothing is. */
void left_out_print(const struct left_out *left, char text[LEFT_OUT_TEXT_SIZE]);

/* Two lines for people, indented by two: what the space leaves out, and where networks' inputs and results lie. */
void left_out_tell(FILE *file, const struct space *space);

/* A list "left_out" of the object that is open. */
void left_out_put_json(struct json *json, const struct left_out *left);

/* Where networks' inputs and results lie, as a part of a sentence. */
const char *left_out_ends(const struct space *space);

#endif
