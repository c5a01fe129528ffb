/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/report/report_make.h"
#include "dse/base/memory.h"
#include "dse/base/parallel.h"
#include "dse/report/report_design.h"
#include <assert.h>
#include <string.h>

/* The machine of a point among those known, else a new one; fronts have few, and neighbours often the same one. */
static uint32_t find_machine(struct report_data *data, const struct kept_point *point)
{
	size_t n_axis = data->run.front.n_axis;
	for (size_t k = data->n_machine; k-- > 0;) {
		const struct report_machine *known = &data->machine[k];
		bool same = known->kept == point->machine;
		for (size_t i = 0; i < n_axis && same; i++)
			same = strcmp(known->value[i], point->value[i]) == 0;
		if (same)
			return (uint32_t)k;
	}
	data->machine[data->n_machine] = (struct report_machine){.kept = point->machine, .value = point->value};
	return (uint32_t)data->n_machine++;
}

/* Machines of the points, and for each design where it is met first. */
static void list_machines(struct report_data *data)
{
	const struct kept_front *front = &data->run.front;
	assert(front->n_point > 0 && data->n_machine == 0);
	data->machine = memory_must(arena_array(&data->arena, front->n_point, sizeof(*data->machine)));
	data->machine_of = memory_must(arena_array(&data->arena, front->n_point, sizeof(*data->machine_of)));
	data->design = memory_must(arena_array(&data->arena, front->n_design, sizeof(*data->design)));
	for (size_t i = 0; i < front->n_design; i++)
		data->design[i].point = UINT32_MAX;
	for (size_t i = 0; i < front->n_point; i++) {
		data->machine_of[i] = find_machine(data, &front->point[i]);
		for (size_t k = 0; k < front->n_layer; k++) {
			struct report_design *design = &data->design[front->point[i].design[k]];
			if (design->point != UINT32_MAX)
				continue;
			design->point = (uint32_t)i;
			design->layer = (uint32_t)k;
			design->machine = data->machine_of[i];
		}
	}
}

/* Whether the folder of a kept run has the files of that run, and not those of a later one. */
static bool has_folder(const struct report_run *run)
{
	const struct run_file *kept = run_record_file(&run->record, run->front.n_point > 0 ? "front.json" : "run.json");
	char hex[HASH_HEX_SIZE];
	struct err ignored = {0};
	if (run->record.id == 0)
		return true;
	bool same = kept &&
	            hash_file(run->front.n_point > 0 ? run->front_path : run->run_path, hex, &ignored) == ERR_OK &&
	            strcmp(hex, kept->hash) == 0;
	err_clear(&ignored);
	return same;
}

/* Boxes that the searches of what to change next may look at: a few seconds of a core, whatever the network. */
#define NEXT_MAX_BOX 4000000

/* A machine that runs nothing in the fast tier within the limits has no sensitivity. */
static enum err_code ask_next(struct report_data *data, unsigned n_thread, struct err *err)
{
	struct err found = {0};
	enum err_code code = sensitivity_of_point(&data->run.front, data->chosen, &data->space,
	                                          parallel_n_thread(n_thread), NEXT_MAX_BOX, &data->sensitivity, &found);
	if (code == ERR_INFEASIBLE)
		code = ERR_OK;
	else if (code != ERR_OK)
		(void)err_add_all(err, (struct err_place){0}, &found);
	err_clear(&found);
	return code;
}

enum err_code report_make(struct report_source *source, struct report_data *data, size_t chosen, unsigned n_thread,
                          struct err *err)
{
	assert(data && data->run.run);
	data->has_folder = has_folder(&data->run);
	if (data->run.front.n_point == 0)
		return ERR_OK;
	if (chosen != SIZE_MAX && chosen >= data->run.front.n_point)
		return err_add(err, ERR_USAGE, "dse report: --point is %zu, %s has points 0 to %zu", chosen,
		               data->run.name, data->run.front.n_point - 1);
	list_machines(data);
	enum err_code code = report_inputs_read(source, data, err);
	if (code == ERR_OK)
		code = report_columns_make(data, err);
	data->chosen = chosen == SIZE_MAX ? data->knee : chosen;
	if (code == ERR_OK)
		code = report_designs_run(data, n_thread, err);
	return code == ERR_OK && !data->without ? ask_next(data, n_thread, err) : code;
}

void report_free(struct report_data *data)
{
	if (data->space.n_network > 0)
		layer_map_free(&data->map);
	space_free(&data->space);
	report_run_free(&data->run);
	sensitivity_free(&data->sensitivity);
	arena_free(&data->arena);
	*data = (struct report_data){0};
}
