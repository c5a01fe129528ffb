/* SPDX-License-Identifier: Apache-2.0 */
/* The first run's space with one difference of the second one's. */
#include "dse/base/memory.h"
#include "dse/space/machine_set.h"
#include "dse/space/space_variant.h"
#include "dse/out/doc_write.h"
#include "dse/run/input_change.h"
#include "dse/run/run_space.h"
#include "sim/program/mixed.h"
#include "sim/machine/machine_check.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Mixtures of operating points follow from the points. */
static enum err_code mix_again(const struct space *space, struct machine *machine, struct err *err)
{
	machine->n_level = mixed_n_pure(machine);
	enum err_code code = machine_check(machine, err);
	return code == ERR_OK ? mixed_offer(machine, space->level_shares, err) : code;
}

static enum err_code apply_machine(const struct space *before, const struct input_change *change,
                                   struct changed_space *changed, struct err *err)
{
	memory_check(space_variant(before, &changed->arena, &changed->space));
	struct machine *machine = space_variant_machine(&changed->space, change->machine);
	const struct machine *after = change->machine_after;
	enum err_code code = ERR_OK;
	if (change->param) {
		code = machine_set_param(machine, change->param, change->after, err);
	} else if (change->level_param) {
		double *value =
		    (double *)(void *)((char *)&machine->level[change->level] + change->level_param->offset);
		*value = change->level_value;
	} else if (machine->target == after->target) {
		memcpy(machine->level, after->level, sizeof(machine->level));
		machine->n_level = after->n_level;
	} else {
		*machine = *after;
	}
	return code == ERR_OK ? mix_again(before, machine, err) : code;
}

/* A's files with one edited, then what B has besides: a change may name a file of B's. */
static enum err_code apply_document(const struct input_changes *changes, const struct input_change *change,
                                    struct changed_space *changed, struct err *err)
{
	const struct run_record *before = &changes->before->record, *after = &changes->after->record;
	size_t n = before->n_input, n_byte = 0;
	char *text = NULL;
	struct run_file *file = memory_array(n + after->n_input, sizeof(*file));
	memcpy(file, before->input, n * sizeof(*file));
	if (change->input_after != SIZE_MAX) {
		file[change->input] = after->input[change->input_after];
	} else {
		const struct doc_edit edit = {change->old_node, change->parent, change->new_key, change->new_node};
		FILE *stream = memory_must(open_memstream(&text, &n_byte));
		doc_write(stream, change->root, &edit);
		memory_check(fclose(stream) == 0);
		file[change->input].data = text;
		file[change->input].n_byte = n_byte;
	}
	for (size_t i = 1; i < after->n_input; i++)
		if (!machine_set_in_name(after->input[i].name) &&
		    strcmp(after->input[i].name, file[change->input].name) != 0)
			file[n++] = after->input[i];
	enum err_code code = run_space_read(file, n, NULL, &changed->space, err);
	changed->is_read = code == ERR_OK;
	free(text);
	free(file);
	return code;
}

enum err_code input_change_apply(const struct input_changes *changes, const struct input_change *change,
                                 struct changed_space *changed, struct err *err)
{
	assert(changes && change && input_change_is_applicable(change) && changed);
	*changed = (struct changed_space){.is_read = false};
	enum err_code code = change->kind == CHANGE_MACHINE
	                         ? apply_machine(&changes->before->space, change, changed, err)
	                         : apply_document(changes, change, changed, err);
	if (code != ERR_OK)
		changed_space_free(changed);
	return code;
}

void changed_space_free(struct changed_space *changed)
{
	if (changed->is_read)
		space_free(&changed->space);
	arena_free(&changed->arena);
	*changed = (struct changed_space){.is_read = false};
}
