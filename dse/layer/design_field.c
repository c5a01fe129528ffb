/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/layer/design_field.h"
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const bit_name[] = {"8", "16"}, *const place_name[] = {"dram", "storage"};

static bool has_form(const struct block *block)
{
	return block_has_forms(block) || block_skips_pixels(block);
}

static bool adds(const struct block *block)
{
	return block->has_mat_ele;
}

#define IN(field) offsetof(struct layer_design, field)

#define LIST(names) (names), sizeof(names) / sizeof((names)[0])

/* In the order in which files have them. */
const struct design_field design_field[] = {
    {"strategy", NULL, FIELD_NAME, IN(strategy), NULL, N_STRATEGY, NULL, false, false},
    {"reuse", NULL, FIELD_NAME, IN(reuse), LIST(reuse_operand_name), NULL, false, false},
    {"level", NULL, FIELD_NAME, IN(level), NULL, 0, NULL, false, false},
    {"plan", NULL, FIELD_COUNT, IN(plan), NULL, 0, NULL, true, false},
    {"operand_bit", NULL, FIELD_NUMBER, IN(operand_bit), LIST(bit_name), NULL, false, false},
    {"w", "width", FIELD_SPLIT, IN(split.w), NULL, 0, NULL, false, false},
    {"h", "height", FIELD_SPLIT, IN(split.h), NULL, 0, NULL, false, false},
    {"c", "out_channels", FIELD_SPLIT, IN(split.c), NULL, 0, NULL, false, false},
    {"d", "in_channels", FIELD_SPLIT, IN(split.d), NULL, 0, NULL, false, false},
    {"ifmap", NULL, FIELD_FLAG, IN(in_storage), LIST(place_name), NULL, false, true},
    {"result", NULL, FIELD_FLAG, IN(out_storage), LIST(place_name), NULL, false, false},
    {"added", NULL, FIELD_FLAG, IN(add_storage), LIST(place_name), adds, false, true},
    {"conv_1x1", NULL, FIELD_NAME, IN(form), LIST(conv_form_name), has_form, true, false},
    {"fetched_weights", NULL, FIELD_NAME, IN(weight_ahead), LIST(ahead_name), NULL, true, true},
    {"fetches_next", NULL, FIELD_NAME, IN(fetch_next), LIST(ahead_name), NULL, true, false},
    {"held", NULL, FIELD_FLAG, IN(held_storage), LIST(place_name), NULL, true, true},
};
const size_t design_n_field = sizeof(design_field) / sizeof(design_field[0]);

_Static_assert(sizeof(enum strategy) == sizeof(uint32_t) && sizeof(enum reuse_operand) == sizeof(uint32_t) &&
                   sizeof(enum ahead_portion) == sizeof(uint32_t) && sizeof(enum conv_form) == sizeof(uint32_t),
               "FIELD_NAME is of 32 bits");

size_t design_field_names(const struct design_field *field, const struct machine *machine, const char **name)
{
	assert(field->type != FIELD_SPLIT && field->type != FIELD_COUNT);
	size_t n = field->n_name > 0 ? field->n_name : machine->n_level;
	for (size_t i = 0; i < n; i++)
		name[i] = field->name         ? field->name[i]
		          : field->n_name > 0 ? strategy_table[i].name
		                              : machine->level[i].name;
	return n;
}

bool design_field_serves(const struct design_field *field, const struct block *block)
{
	return !field->serves || field->serves(block);
}

static uint32_t value_of(const char *name)
{
	return (uint32_t)strtoul(name, NULL, 10);
}

size_t design_field_get(const struct design_field *field, const struct layer_design *design)
{
	const void *at = (const char *)design + field->offset;
	size_t index = 0;
	uint32_t value;
	assert(field->type != FIELD_SPLIT);
	if (field->type == FIELD_FLAG)
		return *(const bool *)at;
	memcpy(&value, at, sizeof(value));
	if (field->type == FIELD_NAME || field->type == FIELD_COUNT)
		return value;
	while (index + 1 < field->n_name && value_of(field->name[index]) != value)
		index++;
	assert(value_of(field->name[index]) == value);
	return index;
}

void design_field_set(const struct design_field *field, const struct machine *machine, size_t index,
                      struct layer_design *design)
{
	void *at = (char *)design + field->offset;
	assert(field->type != FIELD_SPLIT);
	assert(index < (field->type == FIELD_COUNT ? DESIGN_MAX_COUNT
	                : field->n_name > 0        ? field->n_name
	                                           : machine->n_level));
	if (field->type == FIELD_FLAG) {
		*(bool *)at = index != 0;
		return;
	}
	uint32_t value = field->type == FIELD_NUMBER ? value_of(field->name[index]) : (uint32_t)index;
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
	size_t index = design_field_get(field, design);
	if (field->type == FIELD_COUNT) {
		(void)snprintf(text, FIELD_TEXT_SIZE, "%zu", index);
		return;
	}
	size_t n = design_field_names(field, machine, name);
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
	if (field->type == FIELD_COUNT) {
		uint64_t count;
		if (!doc_get_u64(node, field->key, 0, DESIGN_MAX_COUNT - 1, &count, err))
			return false;
		design_field_set(field, machine, (size_t)count, design);
		return true;
	}
	if (!doc_get_choice(node, field->key, name, design_field_names(field, machine, name), &index, err))
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
		if (!design_field_serves(field, block) || (field->is_rare && design_field_get(field, design) == 0))
			continue;
		design_field_print(field, machine, design, text);
		if (field->type == FIELD_NUMBER || field->type == FIELD_COUNT)
			json_put_u64(json, field->key, value_of(text));
		else
			json_put_text(json, field->key, text);
	}
}
