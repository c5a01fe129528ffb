/* SPDX-License-Identifier: Apache-2.0 */
/* A mapping from a file on each machine of a space: what explore --compare says of it, as a front. */
#include "dse/base/memory.h"
#include "dse/check/mapping_compare.h"
#include "dse/design/mapping.h"
#include "dse/design/simulate.h"
#include "dse/space/space_machine.h"
#include "dse/why/why_parts.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Front of the places that run and keep the limits. */
static void take_places(const struct mapping_compare *compare, struct why_searched *searched, char *reason)
{
	const struct space *space = &searched->space;
	struct pareto *front = &searched->explore.front;
	double own[SPACE_MAX_OBJECTIVE];
	pareto_init(front, (unsigned)space->n_objective, 1);
	searched->machine_index =
	    memory_must(arena_array(&searched->arena, compare->n_place, sizeof(*searched->machine_index)));
	for (size_t i = 0; i < compare->n_place; i++) {
		const struct compared_place *place = &compare->place[i];
		uint32_t gene = (uint32_t)i;
		searched->machine_index[i] = place->machine_index;
		if (place->why[0] != '\0') {
			if (reason[0] == '\0')
				(void)snprintf(reason, WHY_TEXT_SIZE, "%.100s: %.150s", place->machine, place->why);
			continue;
		}
		for (size_t k = 0; k < space->n_objective; k++)
			own[k] = place->metric[space->objective[k]];
		(void)pareto_insert(front, own, &gene, i);
		memory_check(front->n_alloc > 0);
	}
}

enum err_code why_place_mapping(const char *path, const struct explore *explore, unsigned n_thread,
                                struct why_searched *searched, char *reason, struct err *err)
{
	struct mapping_compare compare = {0};
	struct unroller unroller = {0};
	assert(path && explore && explore->front.n > 0 && searched);
	reason[0] = '\0';
	if (searched->space.n_network != 1)
		return err_add(err, ERR_USAGE, "dse why: %s: a mapping is of one network, the run's space has %zu",
		               path, searched->space.n_network);
	if (space_n_machine(&searched->space) > MAPPING_COMPARE_MAX_MACHINE)
		return err_add(err, ERR_USAGE,
		               "dse why: %s: the space has more than %d machines; choose some of them, too", path,
		               MAPPING_COMPARE_MAX_MACHINE);
	enum err_code code = mapping_compare_read(&path, 1, &searched->space, &compare, err);
	if (code == ERR_OK)
		code = unroller_init(&unroller, explore, n_thread, err);
	if (code == ERR_OK)
		code = mapping_compare_run(&compare, &unroller, n_thread, err);
	if (code == ERR_OK)
		take_places(&compare, searched, reason);
	unroller_free(&unroller);
	mapping_compare_free(&compare);
	return code;
}

enum err_code why_mapping_layers(const char *path, const struct why_searched *searched, size_t i, double *ms,
                                 enum bound *bound, struct err *err)
{
	const struct network *network = &searched->space.network[0].network;
	const uint32_t index = searched->machine_index[searched->explore.front.tag[i]];
	struct arena arena = {0};
	struct doc_node *root = NULL;
	struct machine machine;
	char unused[WHY_TEXT_SIZE];
	struct layer_design *design = memory_array(network->n_block, sizeof(*design));
	struct simulated *block = memory_array(network->n_block, sizeof(*block));
	const struct simulate_options options = {.design = design};
	bool is_machine = space_machine(&searched->space, index, &machine, unused, sizeof(unused));
	assert(is_machine); /* it ran there */
	enum err_code code = is_machine ? doc_read_file(path, &arena, &root, err) : ERR_INTERNAL;
	if (code == ERR_OK)
		code = mapping_read_layers(doc_find(root, "layers"), network, &machine, design, NULL, err);
	if (code == ERR_OK)
		code = simulate_network(&machine, network, &options, block, err);
	for (size_t k = 0; k < network->n_block && code == ERR_OK; k++) {
		ms[k] = block[k].metric[METRIC_LATENCY];
		bound[k] = block[k].result.bound;
	}
	free(design);
	free(block);
	arena_free(&arena);
	return code;
}
