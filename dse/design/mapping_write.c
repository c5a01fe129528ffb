/* SPDX-License-Identifier: Apache-2.0 */
/* Mappings as YAML: a line or two for each layer, what it is and what it follows from. */
#include "dse/layer/design_field.h"
#include "dse/design/mapping.h"
#include "dse/out/yaml_write.h"
#include <assert.h>
#include <inttypes.h>
#include <string.h>

static void put_comment(FILE *file, const char *comment)
{
	for (const char *line = comment; line && *line;) {
		size_t n = strcspn(line, "\n");
		(void)fprintf(file, "#%s%.*s\n", n ? " " : "", (int)n, line);
		line += n + (line[n] == '\n');
	}
}

/* Two lines: how the layer is distributed and where things lie; and its split. */
static void put_layer(FILE *file, const struct mapping *mapping, size_t i)
{
	const struct block *block = &mapping->network.block[i];
	const struct layer_design *design = &mapping->design[i];
	char text[FIELD_TEXT_SIZE];
	(void)fputs("  - {layer: ", file);
	yaml_write_text(file, block->name);
	for (size_t k = 0; k < design_n_field; k++) {
		const struct design_field *field = &design_field[k];
		if (field->type == FIELD_SPLIT || !design_field_serves(field, block) ||
		    (field->is_rare && design_field_get(field, design) == 0))
			continue;
		design_field_print(field, &mapping->machine, design, text);
		(void)fprintf(file, ", %s: ", field->key);
		yaml_write_text(file, text);
	}
	(void)fputs(",\n     split: {", file);
	const char *between = "";
	for (size_t k = 0; k < design_n_field; k++) {
		const struct design_field *field = &design_field[k];
		if (field->type != FIELD_SPLIT)
			continue;
		design_field_print(field, &mapping->machine, design, text);
		(void)fprintf(file, "%s%s: %s", between, field->dimension, text);
		between = ", ";
	}
	(void)fputs("}}\n", file);
}

void mapping_write(FILE *file, const struct mapping *mapping, const char *comment)
{
	assert(file && mapping && mapping->design && mapping->name[0]);
	put_comment(file, comment);
	(void)fprintf(file, "mapping: %s\nmachine: ", mapping->name);
	yaml_write_text(file, mapping->machine_file);
	if (mapping->n_axis > 0)
		(void)fputs("\naxes:", file);
	for (size_t i = 0; i < mapping->n_axis; i++) {
		(void)fprintf(file, "\n  %s: ", mapping->axis[i].key);
		yaml_write_text(file, mapping->axis[i].text);
	}
	if (mapping->level_shares > 0)
		(void)fprintf(file, "\nlevel_shares: %" PRIu64, mapping->level_shares);
	(void)fputs("\nnetwork: ", file);
	yaml_write_text(file, mapping->network_file);
	(void)fputs("\nlayers:\n", file);
	for (size_t i = 0; i < mapping->network.n_block; i++)
		put_layer(file, mapping, i);
}
