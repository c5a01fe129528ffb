/* SPDX-License-Identifier: Apache-2.0 */
/* The table of engines, and the counts that all of them keep. */
#include "dse/engine/engine.h"
#include "sim/base/checked.h"
#include "sim/base/stop.h"
#include <assert.h>
#include <string.h>

const struct engine_kind *const engine_table[] = {&engine_exact, &engine_exhaustive, &engine_nsga2, &engine_pls};
const char *const engine_stop_name[ENGINE_N_STOP] = {[ENGINE_STOP_EXHAUSTED] = "exhausted",
                                                     [ENGINE_STOP_STAGNATION] = "stagnation",
                                                     [ENGINE_STOP_GENERATIONS] = "generations",
                                                     [ENGINE_STOP_EVALUATIONS] = "evaluations",
                                                     [ENGINE_STOP_WATCH] = "interrupted or out of time"};

const size_t engine_n = sizeof(engine_table) / sizeof(*engine_table);

const struct engine_kind *engine_find(const char *name)
{
	for (size_t i = 0; i < engine_n; i++) {
		if (strcmp(engine_table[i]->name, name) == 0)
			return engine_table[i];
	}
	return NULL;
}

void engine_counts_add(struct engine_counts *sum, const struct engine_counts *more)
{
	assert(more->n_told == more->n_feasible + more->n_infeasible);
	sum->n_asked = add_sat(sum->n_asked, more->n_asked);
	sum->n_told = add_sat(sum->n_told, more->n_told);
	sum->n_feasible = add_sat(sum->n_feasible, more->n_feasible);
	sum->n_infeasible = add_sat(sum->n_infeasible, more->n_infeasible);
	sum->n_skipped = add_sat(sum->n_skipped, more->n_skipped);
	sum->n_duplicate = add_sat(sum->n_duplicate, more->n_duplicate);
	for (unsigned i = 0; i < ENGINE_N_STOP; i++)
		sum->n_stop[i] += more->n_stop[i];
	for (unsigned i = 0; i < HISTORY_N_SHARE; i++)
		sum->n_reach[i] = add_sat(sum->n_reach[i], more->n_reach[i]);
}

/* All counters are 64 bits wide, so a new one is kept without a line here. */
_Static_assert(sizeof(struct engine_counts) % sizeof(uint64_t) == 0, "counters are 64 bits wide");

void engine_counts_pack(struct engine_counts *counts, struct pack *pack)
{
	uint64_t value[sizeof(*counts) / sizeof(uint64_t)];
	memcpy(value, counts, sizeof(value));
	pack_u64s(pack, value, sizeof(value) / sizeof(*value));
	if (pack->is_reading)
		memcpy(counts, value, sizeof(value));
	(void)pack_refuse(pack, pack->is_reading && (counts->n_asked < counts->n_told ||
	                                             counts->n_told != counts->n_feasible + counts->n_infeasible));
}

bool engine_watch_stop(void *context, double progress, const struct engine_counts *counts)
{
	(void)progress;
	(void)counts;
	return !stop_requested(context);
}

void engine_nearest_take(struct engine_nearest *near, double violation, uint32_t reason, const uint32_t *genome,
                         size_t n_gene)
{
	if (!(violation < near->violation))
		return;
	near->violation = violation;
	near->reason = reason;
	memcpy(near->genome, genome, n_gene * sizeof(*genome));
}

void engine_nearest_pack(struct engine_nearest *near, const uint32_t *n_value, size_t n_gene, struct pack *pack)
{
	pack_real(pack, &near->violation);
	pack_u32(pack, &near->reason);
	pack_u32s(pack, near->genome, n_gene);
	(void)pack_refuse(pack, !(near->violation >= 0.0));
	for (size_t i = 0; i < n_gene; i++)
		(void)pack_refuse(pack, near->genome[i] >= n_value[i]);
}
