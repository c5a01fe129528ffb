/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_DESIGN_TEXT_H
#define DSE_DESIGN_TEXT_H
/* Designs and verdicts in words, for tables, CSV files and messages. */
#include "dse/out/json.h"
#include "dse/layer/layer_problem.h"
#include "dse/out/table.h"

#define SPLIT_TEXT_SIZE 64

/* The four dimensions of a split as the thesis writes them: "21*4+20*7". */
struct split_text {
	char w[SPLIT_TEXT_SIZE], h[SPLIT_TEXT_SIZE], c[SPLIT_TEXT_SIZE], d[SPLIT_TEXT_SIZE];
};
void design_print_split(const struct split *split, struct split_text *text);

/* The same under the keys that its dimensions had before (dse/out/renamed.h), each behind prefix: "split_" "w". */
void design_put_renamed(struct json *json, const char *prefix, const struct split_text *text);

/* As cells at a CSV line's end, or, text NULL, as their header: ",split_w,split_h,split_c,split_d". */
void design_put_csv_renamed(FILE *file, const struct split_text *text);

/* "MAC array 16x4", "systolic array 64x64". */
#define DESIGN_ARRAY_SIZE 64
void design_print_array(const struct machine *machine, char text[DESIGN_ARRAY_SIZE]);

/* A cell of what a block's model calls it, "/encoder/attn/MatMul (MatMul)"; and the same as keys of the object that is
 * open: node and operator, none where the model does not say. */
void design_add_node(struct table *table, const struct block *block);
void design_put_origin(struct json *json, const struct block *block);

/* "dram" or "storage". */
const char *design_place_name(bool in_storage);

/* What came ahead of a design's weights and what it fetches of the next one's, as columns and tables have it:
 * "all+half";
 * "": nothing. */
const char *design_ahead_name(const struct layer_design *design);

/* "fusion_reuse, width 28*2 height 28*2 out_channels 64*2 in_channels 64*1, PL1, 8 bit"; returns what snprintf returns.
 */
int design_print(const struct layer_design *design, const struct machine *machine, char *text, size_t n_byte);

/* The same with w, h, c and d, which signatures of fronts are made of. */
int design_print_signed(const struct layer_design *design, const struct machine *machine, char *text, size_t n_byte);

/*
 * Why a layer's candidate is infeasible: which limit, what it demands, what is
 * available. layer is the problem it was a candidate of; returns what snprintf
 * returns.
 */
int design_print_reason(const struct layer_problem *layer, const uint32_t *genome, char *text, size_t n_byte);

/* Name of a layer problem's reason: a verdict's, or the metric's that has the limit. */
const char *design_reason_name(uint32_t reason);

/* What the reason means, in a sentence. */
const char *design_reason_help(uint32_t reason);

#endif
