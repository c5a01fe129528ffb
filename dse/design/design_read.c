/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/design/design_read.h"
#include "dse/layer/design_field.h"
#include <assert.h>

const struct doc_node *front_need(const struct doc_node *map, const char *key, struct err *err)
{
	assert(map && key);
	const struct doc_node *node = doc_find(map, key);
	if (!node)
		(void)doc_refuse(err, map, "key '%s' is missing", key);
	return node;
}

const char *front_need_text(const struct doc_node *map, const char *key, struct err *err)
{
	const char *text = NULL;
	return doc_get_text(front_need(map, key, err), key, &text, err) ? text : NULL;
}

bool front_need_choice(const struct doc_node *map, const char *key, const char *const *names, size_t n, size_t *out,
                       struct err *err)
{
	return doc_get_choice(front_need(map, key, err), key, names, n, out, err);
}

bool design_read(const struct doc_node *layer, const struct block *block, const struct machine *machine,
                 struct layer_design *design, struct err *err)
{
	assert(layer && block && machine && design);
	bool good = true;
	*design = (struct layer_design){0};
	for (size_t i = 0; i < design_n_field; i++) {
		const struct design_field *field = &design_field[i];
		if (!design_field_serves(field, block) || (field->is_rare && !doc_find(layer, field->key)))
			continue;
		const struct doc_node *node = front_need(layer, field->key, err);
		good = node && design_field_read(field, node, machine, design, err) && good;
	}
	if (!good)
		return false;
	struct err part = {0};
	good = split_check(block, &design->split, &part) == ERR_OK;
	(void)err_move(err, doc_place(layer), &part);
	return good;
}
