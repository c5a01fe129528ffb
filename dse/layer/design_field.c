/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/layer/design_field.h"
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static size_t strategy_names(const struct machine *machine, const char **name)
{
	(void)machine;
	for (size_t i = 0; i < N_STRATEGY; i++)
		name[i] = strategy_table[i].name;
	return N_STRATEGY;
}

static size_t reuse_names(const struct machine *machine, const char **name)
{
	(void)machine;
	memcpy(name, reuse_operand_name, sizeof(reuse_operand_name));
	return N_REUSE_OPERAND;
}

static size_t level_names(const struct machine *machine, const char **name)
{
	for (size_t i = 0; i < machine->n_level; i++)
		name[i] = machine->level[i].name;
	return machine->n_level;
}

static size_t bit_names(const struct machine *machine, const char **name)
{
	(void)machine;
	name[0] = "8";
	name[1] = "16";
	return 2;
}

static size_t place_names(const struct machine *machine, const char **name)
{
	(void)machine;
	name[0] = "dram";
	name[1] = "storage";
	return 2;
}

static size_t ahead_names(const struct machine *machine, const char **name)
{
	(void)machine;
	memcpy(name, ahead_name, sizeof(ahead_name));
	return AHEAD_N;
}

static size_t form_names(const struct machine *machine, const char **name)
{
	(void)machine;
	memcpy(name, conv_form_name, sizeof(conv_form_name));
	return N_CONV_FORM;
}

static bool adds(const struct block *block)
{
	return block->has_mat_ele;
}

#define IN(field) offsetof(struct layer_design, field)

/* In the order in which files have them. */
const struct design_field design_field[] = {
    {"strategy", NULL, FIELD_NAME, IN(strategy), strategy_names, NULL, false, false},
    {"reuse", NULL, FIELD_NAME, IN(reuse), reuse_names, NULL, false, false},
    {"level", NULL, FIELD_NAME, IN(level), level_names, NULL, false, false},
    {"operand_bit", NULL, FIELD_NUMBER, IN(operand_bit), bit_names, NULL, false, false},
    {"w", "width", FIELD_SPLIT, IN(split.w), NULL, NULL, false, false},
    {"h", "height", FIELD_SPLIT, IN(split.h), NULL, NULL, false, false},
    {"c", "out_channels", FIELD_SPLIT, IN(split.c), NULL, NULL, false, false},
    {"d", "in_channels", FIELD_SPLIT, IN(split.d), NULL, NULL, false, false},
    {"ifmap", NULL, FIELD_FLAG, IN(in_storage), place_names, NULL, false, true},
    {"result", NULL, FIELD_FLAG, IN(out_storage), place_names, NULL, false, false},
    {"added", NULL, FIELD_FLAG, IN(add_storage), place_names, adds, false, true},
    {"conv_1x1", NULL, FIELD_NAME, IN(form), form_names, block_has_forms, true, false},
    {"fetched_weights", NULL, FIELD_NAME, IN(weight_ahead), ahead_names, NULL, true, true},
    {"fetches_next", NULL, FIELD_NAME, IN(fetch_next), ahead_names, NULL, true, false},
    {"held", NULL, FIELD_FLAG, IN(held_storage), place_names, NULL, true, true},
};
const size_t design_n_field = sizeof(design_field) / sizeof(design_field[0]);

_Static_assert(sizeof(enum strategy) == sizeof(uint32_t) && sizeof(enum reuse_operand) == sizeof(uint32_t) &&
                   sizeof(enum ahead_portion) == sizeof(uint32_t) && sizeof(enum conv_form) == sizeof(uint32_t),
               "FIELD_NAME is of 32 bits");

bool design_field_serves(const struct design_field *field, const struct block *block)
{
	return !field->serves || field->serves(block);
}

static uint32_t value_of(const char *name)
{
	return (uint32_t)strtoul(name, NULL, 10);
}

size_t design_field_get(const struct design_field *field, const struct machine *machine,
                        const struct layer_design *design)
{
	const void *at = (const char *)design + field->offset;
	const char *name[FIELD_MAX_NAME];
	uint32_t value;
	assert(field->type != FIELD_SPLIT);
	if (field->type == FIELD_FLAG)
		return *(const bool *)at;
	memcpy(&value, at, sizeof(value));
	if (field->type == FIELD_NAME)
		return value;
	size_t n = field->names(machine, name), index = 0;
	while (index + 1 < n && value_of(name[index]) != value)
		index++;
	assert(value_of(name[index]) == value);
	return index;
}

void design_field_set(const struct design_field *field, const struct machine *machine, size_t index,
                      struct layer_design *design)
{
	void *at = (char *)design + field->offset;
	const char *name[FIELD_MAX_NAME];
	assert(field->type != FIELD_SPLIT && index < field->names(machine, name));
	if (field->type == FIELD_FLAG) {
		*(bool *)at = index != 0;
		return;
	}
	uint32_t value = (uint32_t)index;
	if (field->type == FIELD_NUMBER) {
		(void)field->names(machine, name);
		value = value_of(name[index]);
	}
	memcpy(at, &value, sizeof(value));
}

const struct dim_split *design_field_split(const struct design_field *field, const struct layer_design *design)
{
	assert(field->type == FIELD_SPLIT);
	return (const struct dim_split *)(const void *)((const char *)design + field->offset);
}

void design_field_print(const struct design_field *field, const struct machine *machine,
                        const struct layer_design *design, char text[FIELD_TEXT_SIZE])
{
	const char *name[FIELD_MAX_NAME];
	if (field->type == FIELD_SPLIT) {
		(void)dim_print(design_field_split(field, design), text, FIELD_TEXT_SIZE);
		return;
	}
	size_t index = design_field_get(field, machine, design), n = field->names(machine, name);
	assert(index < n);
	(void)snprintf(text, FIELD_TEXT_SIZE, "%s", index < n ? name[index] : "");
}

/* One dimension of a split, in the notation that tables and CSV files use. */
static bool read_split(const struct design_field *field, const struct doc_node *node, struct layer_design *design,
                       struct err *err)
{
	const char *text, *what = field->dimension;
	struct dim_split dim;
	struct err part = {0};
	if (!doc_get_text(node, what, &text, err))
		return false;
	bool good = dim_parse(text, &dim, &part) == ERR_OK;
	if (good)
		memcpy((char *)design + field->offset, &dim, sizeof(dim));
	else
		(void)err_move(err, doc_place(node), &part);
	return good;
}

bool design_field_read(const struct design_field *field, const struct doc_node *node, const struct machine *machine,
                       struct layer_design *design, struct err *err)
{
	const char *name[FIELD_MAX_NAME];
	size_t index;
	assert(field && node && machine && design);
	if (field->type == FIELD_SPLIT)
		return read_split(field, node, design, err);
	if (!doc_get_choice(node, field->key, name, field->names(machine, name), &index, err))
		return false;
	design_field_set(field, machine, index, design);
	return true;
}

void design_put_fields(struct json *json, const struct machine *machine, const struct block *block,
                       const struct layer_design *design)
{
	char text[FIELD_TEXT_SIZE];
	assert(json && machine && block && design);
	for (size_t i = 0; i < design_n_field; i++) {
		const struct design_field *field = &design_field[i];
		if (!design_field_serves(field, block) ||
		    (field->is_rare && design_field_get(field, machine, design) == 0))
			continue;
		design_field_print(field, machine, design, text);
		if (field->type == FIELD_NUMBER)
			json_put_u64(json, field->key, value_of(text));
		else
			json_put_text(json, field->key, text);
	}
}
