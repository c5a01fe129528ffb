/* SPDX-License-Identifier: Apache-2.0 */
/* What a journal keeps of a search: everything that composition, points.csv, counts and the nearest miss ask for. */
#include "dse/search/candidate.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Genomes are those of the set's problem, before bounds narrowed the task's; the place's gene is 0. */
static void pack_fields(const struct candidate *candidate, size_t i, struct candidate_task *task, struct pack *pack)
{
	size_t distinct = 0;
	uint64_t size = task->size;
	uint32_t n_value[N_LAYER_GENE];
	while (i >= candidate->first_task[distinct + 1])
		distinct++;
	assert(distinct < candidate->set->n_problem);
	memcpy(n_value, candidate->set->problem[distinct].n_value, sizeof(n_value));
	n_value[GENE_PLACE] = 1;
	n_value[GENE_LEVEL] = layer_gene_end(&candidate->set->problem[distinct], GENE_LEVEL);
	pack_u64(pack, &size);
	(void)pack_refuse(pack, size != task->size);
	engine_counts_pack(&task->counts, pack);
	pack_u64s(pack, task->by_reason, LAYER_N_REASON);
	pack_u64s(pack, task->cut_by_reason, LAYER_N_REASON);
	pack_u64(pack, &task->n_box);
	pack_u32(pack, &task->over_limit);
	pack_real(pack, &task->epsilon);
	(void)pack_refuse(pack, !(task->epsilon >= 0));
	pack_reals(pack, task->loss, PARETO_MAX_OBJECTIVE);
	pack_u64(pack, &task->n_unreached);
	pack_u64(pack, &task->n_shared);
	engine_nearest_pack(&task->nearest, n_value, N_LAYER_GENE, pack);
	(void)pack_refuse(pack, task->nearest.reason >= LAYER_N_REASON);
	pareto_pack(&task->front, n_value, pack);
	pareto_pack(&task->open, n_value, pack);
}

void candidate_pack_task(struct candidate *candidate, size_t i, struct pack *pack)
{
	assert(i < candidate->n_task);
	struct candidate_task *task = &candidate->task[i];
	if (!pack->is_reading) {
		assert(task->code == ERR_OK);
		pack_fields(candidate, i, task, pack);
		return;
	}
	struct candidate_task *found = malloc(sizeof(*found));
	assert(task->front.n == 0 && task->code == ERR_OK);
	if (pack_refuse(pack, !found))
		return;
	*found = *task;
	found->nearest.genome = found->nearest_genome;
	pack_fields(candidate, i, found, pack);
	if (pack_refuse(pack, !pack_done(pack))) {
		pareto_free(&found->front);
		pareto_free(&found->open);
		free(found);
		return;
	}
	found->nearest.genome = task->nearest_genome;
	*task = *found;
	free(found);
	/* layer_problem points into itself; a copy of it would point here */
	task->layer.problem.n_value = task->layer.n_value;
	task->layer.problem.context = &task->layer;
}
