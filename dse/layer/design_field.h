/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_DESIGN_FIELD_H
#define DSE_DESIGN_FIELD_H
/*
 * What a layer's design is written as, field by field: one table for front.json,
 * simulate --json and mappings (dse/design/mapping.h). A new field of struct
 * layer_design is one row.
 */
#include "dse/out/json.h"
#include "dse/spread/layer_plan.h"
#include "mapper/split/design.h"
#include "sim/base/doc.h"

enum field_type {
	FIELD_SPLIT,  /* struct dim_split: "28*2" */
	FIELD_NAME,   /* a 32-bit number or enum: its place among the names */
	FIELD_NUMBER, /* uint32_t: the names are its values in decimal */
	FIELD_FLAG,   /* bool: its place among two names */
	FIELD_COUNT   /* uint32_t in decimal, below DESIGN_MAX_COUNT; it has no names, and stands for itself */
};

struct design_field {
	const char *key;
	const char *dimension; /* FIELD_SPLIT: as spaces and mappings call it, inside split: */
	enum field_type type;
	size_t offset;           /* in struct layer_design */
	const char *const *name; /* of the values; NULL: strategies or, n_name 0, the machine's operating points */
	size_t n_name;
	bool (*serves)(const struct block *block); /* blocks that have the field; NULL: all */
	bool is_rare;                              /* left out where it is the first of its names */
	/* Follows from the designs of the blocks before: where what they left lies. Mappings may leave it out. */
	bool follows;
};
extern const struct design_field design_field[];
extern const size_t design_n_field;

#define FIELD_MAX_NAME MACHINE_MAX_LEVEL
_Static_assert(FIELD_MAX_NAME >= N_STRATEGY, "names of a field");

/* Of FIELD_COUNT, a plan's number. */
#define DESIGN_MAX_COUNT LAYER_PLAN_MAX_NUMBER

/* Names of the values on this machine into name [FIELD_MAX_NAME]; returns how many. Of FIELD_NAME, _NUMBER, _FLAG. */
size_t design_field_names(const struct design_field *field, const struct machine *machine, const char **name);

/* Whether a block's design has the field at all. */
bool design_field_serves(const struct design_field *field, const struct block *block);

/* A field's value as its place among the names; not of FIELD_SPLIT. Setting it: index < number of names. */
size_t design_field_get(const struct design_field *field, const struct layer_design *design);
void design_field_set(const struct design_field *field, const struct machine *machine, size_t index,
                      struct layer_design *design);

/* A FIELD_SPLIT's dimension. */
const struct dim_split *design_field_split(const struct design_field *field, const struct layer_design *design);

/* Its text as it stands in files: "28*2", "fusion_reuse". */
#define FIELD_TEXT_SIZE 64
void design_field_print(const struct design_field *field, const struct machine *machine,
                        const struct layer_design *design, char text[FIELD_TEXT_SIZE]);

/*
 * Read a field's value from its node. false and a message (ERR_INPUT) when it is none of the machine's, or no split;
 * whether a split is one of the block's is for split_check to say.
 */
bool design_field_read(const struct design_field *field, const struct doc_node *node, const struct machine *machine,
                       struct layer_design *design, struct err *err);

/* All fields of a block's design as keys of the object that is open; rare ones where they say something. */
void design_put_fields(struct json *json, const struct machine *machine, const struct block *block,
                       const struct layer_design *design);

#endif
