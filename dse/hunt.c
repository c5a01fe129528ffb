/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/hunt.h"
#include "dse/interrupt.h"
#include "dse/parallel.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* One strategy where it serves; elsewhere fusion for PEs, and what a systolic array does anyway. */
static void choose_strategy(const struct hunt_options *options, const struct block *block, struct layer_choice *choice)
{
	const struct strategy_info *wanted = &strategy_table[options->strategy];
	if (wanted->is_systolic && block->kind == BLOCK_POOL)
		return;
	memset(choice->strategy, 0, sizeof(choice->strategy));
	choice->strategy[wanted->reuses && block->kind != BLOCK_CONV ? STRATEGY_FUSION : options->strategy] = true;
}

static enum err_code make_choices(const struct hunt_options *options, struct arena *arena, struct hunt *hunt,
                                  struct err *err)
{
	const struct network *network = options->network;
	hunt->network = (struct space_network){.path = network->name, .network = *network, .weight = 1};
	hunt->network.choice = arena_array(arena, network->n_block, sizeof(*hunt->network.choice));
	if (!hunt->network.choice)
		return err_add(err, ERR_INTERNAL, "out of memory");
	for (size_t i = 0; i < network->n_block; i++) {
		struct layer_choice *choice = &hunt->network.choice[i];
		*choice = space_any_choice();
		choice->level_mask = options->levels;
		choice->w = choice->h = choice->c = choice->d = options->split;
		if (options->strategy != N_STRATEGY)
			choose_strategy(options, &network->block[i], choice);
		for (size_t k = 0; k < AHEAD_N && options->fetches_ahead; k++)
			choice->fetch[k] = true;
	}
	if (options->fetches_ahead)
		space_set_ahead(&hunt->network);
	return ERR_OK;
}

enum err_code hunt_open(const struct hunt_options *options, struct arena *arena, struct hunt *hunt, struct err *err)
{
	struct layer_set *set = NULL;
	char why[256] = "";
	assert(options && arena && hunt && options->levels != 0 && options->max_peak_mw > 0);
	hunt->options = *options;
	hunt->machine = *options->machine;
	const char *name = hunt->path = hunt->file.path = hunt->machine.name;
	hunt->limit = (struct space_limit){METRIC_PEAK_POWER, options->max_peak_mw, {name, 1, 1}};
	enum err_code code = make_choices(options, arena, hunt, err);
	if (code != ERR_OK)
		return code;
	hunt->space = (struct space){.n_machine = 1,
	                             .machine = &hunt->machine,
	                             .machine_path = &hunt->path,
	                             .n_network = 1,
	                             .network = &hunt->network,
	                             .n_objective = options->n_objective,
	                             .n_limit = isfinite(options->max_peak_mw) ? 1 : 0,
	                             .limit = &hunt->limit,
	                             .engine = "exact",
	                             .max_front = options->max_front,
	                             .deadline_ms = options->deadline_ms,
	                             .n_file = 1,
	                             .file = &hunt->file};
	memcpy(hunt->space.objective, options->objective, options->n_objective * sizeof(options->objective[0]));
	code = layer_map_build(&hunt->space, &hunt->map, err);
	if (code == ERR_OK)
		code = layer_map_list_splits(&hunt->space, &hunt->map, options->n_thread, err);
	if (code == ERR_OK)
		code = layer_set_build(&hunt->space, &hunt->map, 0, &set, why, sizeof(why), err);
	if (code == ERR_OK && !set)
		code = err_add(err, ERR_INFEASIBLE, "%s: %s", name, why);
	if (code == ERR_OK)
		code = candidate_init(&hunt->space, set, &hunt->candidate, err);
	hunt->is_open = code == ERR_OK;
	hunt->candidate.is_exact = true;
	hunt->candidate.n_thread = options->n_thread;
	return code;
}

void hunt_close(struct hunt *hunt)
{
	if (hunt->is_open)
		candidate_free(&hunt->candidate);
	layer_map_free(&hunt->map);
	hunt->is_open = false;
}

static bool watch(void *context, double progress, const struct engine_counts *counts)
{
	struct hunt *hunt = context;
	(void)progress;
	(void)counts;
	if (hunt->options.progress)
		progress_update(hunt->options.progress,
		                (double)atomic_load(&hunt->n_done) / (double)(hunt->candidate.n_task + 1),
		                "searching layers");
	return !interrupt_requested();
}

struct searcher {
	struct hunt *hunt;
	const bool *wanted;
};

static void search_task(void *context, size_t i)
{
	static const struct engine_options options = {.seed = 1};
	const struct searcher *searcher = context;
	struct hunt *hunt = searcher->hunt;
	assert(i < hunt->candidate.n_task);
	if (!searcher->wanted || searcher->wanted[i])
		candidate_search(&hunt->candidate, i, hunt->options.n_thread, &options, watch, hunt);
	(void)atomic_fetch_add(&hunt->n_done, 1);
}

enum err_code hunt_search(struct hunt *hunt, const bool *wanted, struct err *err)
{
	struct searcher searcher = {hunt, wanted};
	assert(hunt->is_open);
	parallel_for(hunt->candidate.n_task, hunt->options.n_thread, search_task, &searcher);
	if (interrupt_requested())
		return err_add(err, ERR_INTERRUPTED, "interrupted; nothing was written");
	for (size_t i = 0; i < hunt->candidate.n_task; i++) {
		const struct candidate_task *task = &hunt->candidate.task[i];
		if (task->code != ERR_OK)
			return err_add(err, task->code, "%s", err_text(&task->err));
	}
	return ERR_OK;
}

/* Layers without any design, by the name of the first block that is one; or only that nothing goes together. */
static enum err_code report_nothing(const struct hunt *hunt, struct err *err)
{
	const struct candidate *candidate = &hunt->candidate;
	const char *limited = hunt->space.n_limit > 0 ? " without a higher peak of power than allowed" : "";
	unsigned n_before = err->n_message;
	for (size_t i = 0; i < hunt->map.n_distinct; i++) {
		bool has_any = false;
		for (size_t k = candidate->first_task[i]; k < candidate->first_task[i + 1]; k++)
			has_any = has_any || candidate->task[k].front.n > 0;
		if (!has_any)
			(void)err_add(err, ERR_INFEASIBLE, "no design of layer %s of %s runs on %s%s",
			              hunt->map.block[hunt->map.first[i]]->name, hunt->network.network.name,
			              hunt->machine.name, limited);
	}
	return err->n_message > n_before ? ERR_INFEASIBLE
	                                 : err_add(err, ERR_INFEASIBLE, "no design of %s runs on %s%s",
	                                           hunt->network.network.name, hunt->machine.name, limited);
}

enum err_code hunt_compose(struct hunt *hunt, struct err *err)
{
	assert(hunt->is_open);
	enum err_code code = candidate_name_points(&hunt->candidate, err);
	if (code != ERR_OK)
		return code;
	code = candidate_compose(&hunt->candidate, err);
	return code == ERR_OK && hunt->candidate.total.n == 0 ? report_nothing(hunt, err) : code;
}

size_t hunt_best(const struct hunt *hunt, enum metric metric, double *value)
{
	size_t best = 0;
	assert(hunt->candidate.total.n > 0 && value);
	*value = INFINITY;
	for (size_t i = 0; i < hunt->candidate.total.n; i++) {
		double found[N_METRIC];
		candidate_metrics(&hunt->candidate, i, found);
		if (found[metric] < *value) {
			*value = found[metric];
			best = i;
		}
	}
	return best;
}

/* Point i in full; NULL: no memory. */
static const uint32_t *genome_of(const struct hunt *hunt, size_t i, struct arena *arena)
{
	uint32_t *genome = arena_array(arena, genome_size(&hunt->map), sizeof(*genome));
	assert(i < hunt->candidate.total.n);
	if (genome)
		candidate_genome(&hunt->candidate, i, genome);
	return genome;
}

enum err_code hunt_tasks(const struct hunt *hunt, size_t i, size_t *task, struct arena *arena, struct err *err)
{
	const uint32_t *genome = genome_of(hunt, i, arena);
	for (size_t k = 0; genome && k < hunt->map.n_block; k++)
		task[k] = hunt->candidate.first_task[hunt->map.distinct[k]] + genome[1 + k * N_LAYER_GENE + GENE_PLACE];
	return genome ? ERR_OK : err_add(err, ERR_INTERNAL, "out of memory");
}

enum err_code hunt_designs(const struct hunt *hunt, size_t i, struct layer_design *design, struct arena *arena,
                           struct err *err)
{
	const uint32_t *genome = genome_of(hunt, i, arena);
	for (size_t k = 0; genome && k < hunt->map.n_block; k++)
		layer_problem_design(&hunt->candidate.set->problem[hunt->map.distinct[k]],
		                     genome + 1 + k * N_LAYER_GENE, &design[k]);
	return genome ? ERR_OK : err_add(err, ERR_INTERNAL, "out of memory");
}
