/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The flat search: one problem whose genome holds everything,
 *
 *   base machine | axis 1 .. axis n | layer 1: keep, strategy, reuse, operand, d, w, h, c, level | layer 2: ...
 *
 * for engines that cannot compose, and to check composition against. "keep" asks
 * for storage QPEs for the result (dse/search/whole.h).
 *
 * Machines differ in how many values a layer's gene has. A genome has room for
 * the most; what a machine does not have is folded back (genetic engines, which
 * should not waste candidates) or cut off (exhaustive search, which should not
 * see a design twice).
 */
#include "dse/search/explore_parts.h"
#include "dse/layer/design_text.h"
#include "dse/search/flat_part.h"
#include "dse/engine/engine_run.h"
#include "dse/engine/islands.h"
#include "dse/base/parallel.h"
#include "dse/keep/ranks.h"
#include "dse/search/whole.h"
#include "dse/search/whole_seed.h"
#include "sim/base/checked.h"
#include "sim/base/stop.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* All candidates' contexts are kept at once; more machines than this would take too much memory. */
#define MAX_MACHINE 4096

/* Reasons beyond those of a layer. */
#define REASON_REFUSED LAYER_N_REASON
#define REASON_NO_VALUE (LAYER_N_REASON + 1)
#define FLAT_N_REASON (LAYER_N_REASON + 2)

/* Violation of designs that cannot even be built: farther off than any limit. */
#define VIOLATION_REFUSED 1e9

struct flat {
	const struct space *space;
	const struct layer_map *map;
	struct layer_set **set; /* [n_machine]; NULL: refused */
	size_t n_machine, n_machine_gene;
	bool folds;
	struct whole whole;
	uint32_t *n_value; /* [n_gene] */
	struct problem problem;
	bool *seeds_stopped; /* the caller's: proposals are not those of a search that nobody stops */
};

static const struct evaluation stopped = {.violation = VIOLATION_REFUSED, .reason = PROBLEM_STOPPED};

/* The candidate's machine; NULL when it was refused. */
static const struct layer_set *machine_of(const struct flat *flat, const uint32_t *genome, uint32_t *index)
{
	uint64_t at = genome[0];
	assert(genome[0] < flat->space->n_machine);
	for (size_t i = 0; i < flat->space->n_axis; i++)
		at = at * flat->space->axis[i].n + genome[1 + i];
	assert(at < flat->n_machine);
	*index = (uint32_t)at;
	return flat->set[at];
}

/* Copy a layer's genes, folded; returns the number of genes up to the first one the machine lacks, or 0. */
static size_t take_genes(const struct flat *flat, const struct layer_set *set, const uint32_t *genome,
                         uint32_t *canonical)
{
	assert(set->n_problem == flat->map->n_distinct);
	canonical[0] = set->machine_index;
	for (size_t i = 0; i < flat->map->n_block; i++) {
		const struct layer_problem *layer = &set->problem[flat->map->distinct[i]];
		const uint32_t *from = genome + flat->n_machine_gene + i * N_LAYER_GENE;
		uint32_t *to = canonical + 1 + i * N_LAYER_GENE;
		to[GENE_PLACE] = from[GENE_PLACE];
		for (unsigned k = GENE_PLACE + 1; k < N_LAYER_GENE; k++) {
			if (from[k] >= layer->n_value[k] && !flat->folds)
				return flat->n_machine_gene + i * N_LAYER_GENE + k + 1;
			to[k] = from[k] % layer->n_value[k];
		}
	}
	return 0;
}

static void evaluate_one(const struct flat *flat, const uint32_t *genome, struct whole_scratch *scratch,
                         struct evaluation *out)
{
	uint32_t index;
	const struct layer_set *set = machine_of(flat, genome, &index);
	*out = (struct evaluation){0};
	if (!set) {
		*out = (struct evaluation){
		    .violation = VIOLATION_REFUSED, .reason = REASON_REFUSED, .n_cut = (uint32_t)flat->n_machine_gene};
		return;
	}
	size_t n_cut = take_genes(flat, set, genome, scratch->canonical);
	if (n_cut > 0) {
		*out = (struct evaluation){
		    .violation = VIOLATION_REFUSED, .reason = REASON_NO_VALUE, .n_cut = (uint32_t)n_cut};
		return;
	}
	double metric[N_METRIC];
	whole_evaluate(&flat->whole, set, scratch, metric, out);
}

static void evaluate(const void *context, const uint32_t *genome, size_t n, struct evaluation *out)
{
	const struct flat *flat = context;
	struct whole_scratch scratch = {0};
	bool has_memory = whole_scratch_alloc(&scratch, flat->map);
	for (size_t i = 0; i < n; i++) {
		/* of a stopped search there is something */
		bool is_urgent = i > 0 && stop_age_ms(flat->map->stop) >= STOP_GRACE_MS;
		if (is_urgent || *flat->seeds_stopped || (i > 0 && problem_is_stopped(&out[i - 1])))
			out[i] = stopped; /* nor does anybody want the others */
		else if (has_memory)
			evaluate_one(flat, genome + i * flat->problem.n_gene, &scratch, &out[i]);
		else
			out[i] = (struct evaluation){.violation = VIOLATION_REFUSED, .reason = REASON_REFUSED};
	}
	whole_scratch_free(&scratch);
}

/* This rank's part of a batch, on its threads. */
struct flat_batch {
	const struct flat *flat;
	unsigned n_thread;
	const uint32_t *genome;
	size_t n;
	struct evaluation *out;
};

#define PART_CHUNK 64

static void evaluate_chunk(void *context, size_t i)
{
	const struct flat_batch *part = context;
	size_t begin = i * PART_CHUNK, n = part->n - begin < PART_CHUNK ? part->n - begin : PART_CHUNK;
	assert(begin < part->n);
	evaluate(part->flat, part->genome + begin * part->flat->problem.n_gene, n, part->out + begin);
}

static void evaluate_part(void *context, const void *in, size_t n, void *out)
{
	struct flat_batch *part = context;
	part->genome = in;
	part->n = n;
	part->out = out;
	parallel_for((size_t)ceil_div(n, PART_CHUNK), part->n_thread, evaluate_chunk, part);
}

static struct ranks_work work_of(const struct flat *flat, struct flat_batch *part)
{
	return (struct ranks_work){.in_byte = flat->problem.n_gene * sizeof(uint32_t),
	                           .out_byte = sizeof(struct evaluation),
	                           .work = evaluate_part,
	                           .context = part};
}

static void evaluate_shared(const void *context, const uint32_t *genome, size_t n, unsigned n_thread,
                            struct evaluation *out)
{
	const struct flat *flat = context;
	struct flat_batch part = {.flat = flat, .n_thread = n_thread};
	const struct ranks_work work = work_of(flat, &part);
	ranks_map(&work, genome, n, out);
	if (*flat->seeds_stopped)
		out[0] = stopped;
}

/* Other ranks than the first one evaluate for it, and have no front. */
static void serve(const struct flat *flat, unsigned n_thread)
{
	struct flat_batch part = {.flat = flat, .n_thread = n_thread};
	const struct ranks_work work = work_of(flat, &part);
	ranks_serve(&work);
}

static enum err_code build_sets(struct flat *flat, struct explore *explore, struct err *err)
{
	char why[EXPLORE_TEXT_SIZE];
	for (size_t i = 0; i < flat->n_machine; i++) {
		enum err_code code =
		    layer_set_build(flat->space, flat->map, (uint32_t)i, &flat->set[i], why, sizeof(why), err);
		if (code != ERR_OK)
			return code;
		if (!flat->set[i])
			explore_note_rejection(explore, why);
		else
			explore->counts.n_legal = add_sat(explore->counts.n_legal, flat->set[i]->n_legal);
	}
	return ERR_OK;
}

/* The most values a gene has on any machine. */
static void size_genes(struct flat *flat)
{
	assert(flat->space->n_machine <= UINT32_MAX && flat->n_machine_gene == 1 + flat->space->n_axis);
	flat->n_value[0] = (uint32_t)flat->space->n_machine;
	for (size_t i = 0; i < flat->space->n_axis; i++)
		flat->n_value[1 + i] = (uint32_t)flat->space->axis[i].n;
	for (size_t i = 0; i < flat->map->n_block; i++) {
		uint32_t *n_value = flat->n_value + flat->n_machine_gene + i * N_LAYER_GENE;
		for (unsigned k = 0; k < N_LAYER_GENE; k++)
			n_value[k] = 1;
		for (size_t machine = 0; machine < flat->n_machine; machine++) {
			if (!flat->set[machine])
				continue;
			const struct layer_problem *layer = &flat->set[machine]->problem[flat->map->distinct[i]];
			for (unsigned k = 0; k < N_LAYER_GENE; k++)
				if (k != GENE_PLACE && layer->n_value[k] > n_value[k])
					n_value[k] = layer->n_value[k];
			uint32_t n_ask = whole_n_ask(layer);
			n_value[GENE_PLACE] = n_ask > n_value[GENE_PLACE] ? n_ask : n_value[GENE_PLACE];
		}
	}
}

/* Greedy designs, machine after machine, in turn. */
static size_t propose(const void *context, uint32_t *genome, size_t max)
{
	const struct flat *flat = context;
	size_t n = 0, n_gene = flat->problem.n_gene;
	uint32_t index;
	bool has_memory = true;
	assert(flat->folds && !*flat->seeds_stopped);
	for (size_t i = 0; i < max; i++) {
		uint64_t machine = i % flat->n_machine;
		for (size_t k = flat->n_machine_gene; k-- > 0; machine /= flat->n_value[k])
			genome[i * n_gene + k] = (uint32_t)(machine % flat->n_value[k]);
	}
	for (size_t i = 0; i < flat->n_machine && i < max && has_memory && !*flat->seeds_stopped; i++)
		if (flat->set[i])
			has_memory = whole_seed(flat->set[i], (max - i - 1) / flat->n_machine + 1,
			                        genome + i * n_gene + flat->n_machine_gene, flat->n_machine * n_gene,
			                        flat->seeds_stopped) > 0;
	/* Refused machines have no design to propose. */
	for (size_t i = 0; i < max && has_memory; i++)
		if (machine_of(flat, genome + i * n_gene, &index))
			memmove(genome + n++ * n_gene, genome + i * n_gene, n_gene * sizeof(*genome));
	return n;
}

static enum err_code flat_init(struct flat *flat, struct explore *explore, bool folds, struct err *err)
{
	const struct space *space = explore->space;
	uint64_t n_machine = explore->counts.n_machine;
	if (n_machine > MAX_MACHINE)
		return err_add(err, ERR_INPUT,
		               "%s: a flat search (--flat, nsga2) serves at most %d machines, the axes have %" PRIu64
		               "; take fewer values, or the exhaustive engine, which has no such limit",
		               space->file[0].path, MAX_MACHINE, n_machine);
	*flat = (struct flat){.space = space, .map = &explore->map, .n_machine = (size_t)n_machine, .folds = folds};
	flat->n_machine_gene = 1 + space->n_axis;
	flat->problem.n_gene = flat->n_machine_gene + flat->map->n_block * N_LAYER_GENE;
	flat->set = calloc(flat->n_machine, sizeof(*flat->set));
	flat->n_value = calloc(flat->problem.n_gene, sizeof(*flat->n_value));
	if (!flat->set || !flat->n_value)
		return err_add(err, ERR_INTERNAL, "out of memory");
	enum err_code code = whole_init(space, flat->map, &flat->whole, err);
	if (code == ERR_OK)
		code = build_sets(flat, explore, err);
	if (code != ERR_OK)
		return code;
	size_genes(flat);
	flat->problem.n_value = flat->n_value;
	flat->problem.n_objective = (unsigned)space->n_objective;
	flat->problem.evaluate = evaluate;
	flat->problem.context = flat;
	flat->problem.propose = folds ? propose : NULL;
	return ERR_OK;
}

static void flat_free(struct flat *flat)
{
	for (size_t i = 0; flat->set && i < flat->n_machine; i++)
		layer_set_free(flat->set[i]);
	free(flat->set);
	whole_free(&flat->whole);
	free(flat->n_value);
}

/* The engine's archive, its genomes turned into canonical ones. */
static enum err_code take_front(const struct flat *flat, const struct pareto *archive, struct explore *explore,
                                struct err *err)
{
	struct whole_scratch scratch = {0};
	enum err_code code = ERR_OK;
	if (!whole_scratch_alloc(&scratch, flat->map))
		code = err_add(err, ERR_INTERNAL, "out of memory");
	for (size_t i = 0; i < archive->n && code == ERR_OK; i++) {
		const uint32_t *genome = archive->genome + i * archive->n_gene;
		uint32_t index;
		const struct layer_set *set = machine_of(flat, genome, &index);
		size_t n_cut = take_genes(flat, set, genome, scratch.canonical);
		unsigned n_homeless = whole_decide_places(&flat->whole, set, &scratch);
		assert(n_cut == 0 && n_homeless == 0);
		(void)n_cut;
		(void)n_homeless;
		(void)pareto_insert(&explore->front, archive->objective + i * archive->n_objective, scratch.canonical,
		                    0);
		if (explore->front.n_alloc == 0)
			code = err_add(err, ERR_INTERNAL, "out of memory");
	}
	whole_scratch_free(&scratch);
	return code;
}

/* Which layer of the nearest candidate is to blame, or which limit it breaks as a whole. */
static void note_nearest(const struct flat *flat, const struct engine_nearest *nearest, struct explore *explore)
{
	struct whole_scratch scratch = {0};
	uint32_t index;
	assert(nearest->violation > 0.0 && nearest->genome);
	const struct layer_set *set = machine_of(flat, nearest->genome, &index);
	struct explore_miss miss = {.stage = STAGE_TOTAL, .violation = nearest->violation, .machine_index = index};
	if (set && whole_scratch_alloc(&scratch, flat->map) &&
	    take_genes(flat, set, nearest->genome, scratch.canonical) == 0) {
		(void)whole_decide_places(&flat->whole, set, &scratch);
		explore_machine_text(flat->space, index, &set->machine, miss.machine, sizeof(miss.machine));
		(void)snprintf(miss.text, sizeof(miss.text), "%s by %.3g of the limit",
		               nearest->reason < LAYER_N_REASON ? design_reason_name(nearest->reason) : "refused",
		               nearest->violation);
		for (size_t i = 0; i < flat->map->n_block; i++) {
			const struct layer_problem *layer = &set->problem[flat->map->distinct[i]];
			const uint32_t *gene = scratch.canonical + 1 + i * N_LAYER_GENE;
			struct evaluation result = {0};
			layer->problem.evaluate(layer->problem.context, gene, 1, &result);
			if (result.violation > 0.0) {
				int n = snprintf(miss.text, sizeof(miss.text), "layer %s: ", flat->map->block[i]->name);
				(void)design_print_reason(layer, gene, miss.text + n, sizeof(miss.text) - (size_t)n);
				break;
			}
		}
		explore_note_miss(explore, &miss);
	}
	whole_scratch_free(&scratch);
}

static void count_search(const struct flat *flat, const struct flat_part *part, struct explore *explore)
{
	struct explore_counts *counts = &explore->counts;
	assert(part->archive.n_gene == flat->problem.n_gene);
	counts->engine = part->counts;
	memcpy(counts->by_reason, part->by_reason, sizeof(counts->by_reason));
	if (part->by_reason[LAYER_REASON_FAILED] > 0)
		explore_note_failure(explore, 0, NULL,
		                     "the event tier could not run %" PRIu64
		                     " designs: no memory, or a self-check failed",
		                     part->by_reason[LAYER_REASON_FAILED]);
	counts->n_candidate = problem_size(&flat->problem);
	counts->log10_design = 0.0;
	for (size_t i = 0; i < flat->problem.n_gene; i++)
		counts->log10_design += log10((double)flat->n_value[i]);
	explore->truncated = !explore->interrupted && counts->engine.n_stop[ENGINE_STOP_EVALUATIONS] > 0;
}

enum err_code explore_flat(struct explore *explore, const struct explore_options *options, engine_watch watch,
                           void *watch_context, struct err *err)
{
	struct flat flat = {0};
	uint64_t by_reason[FLAT_N_REASON] = {0};
	struct flat_part part = {.n_reason = FLAT_N_REASON, .by_reason = by_reason, .nearest = {.violation = INFINITY}};
	struct share *share = options->share;
	bool folds = options->engine->is_random, seeds_stopped = false;
	enum err_code code = ranks_agree(flat_init(&flat, explore, folds, err), err);
	flat.seeds_stopped = &seeds_stopped;
	if (code != ERR_OK)
		goto cleanup;
	struct engine_options engine_options = {.seed = options->seed,
	                                        .max_evaluation = options->max_evaluation,
	                                        .population = explore->space->population,
	                                        .generations = explore->space->generations,
	                                        .n_island = explore->space->islands,
	                                        .migrate_every = explore->space->migrate_every,
	                                        .over_ranks = ranks_n() > 1,
	                                        .checkpoint = options->checkpoint,
	                                        .history = &explore->history};
	bool is_first = ranks_index() == 0,
	     has_islands = islands_apply(options->engine, &flat.problem, &engine_options);
	code = flat_part_deal(share, &flat.problem, &engine_options, err);
	if (code != ERR_OK)
		goto cleanup;
	pareto_init(&part.archive, flat.problem.n_objective, flat.problem.n_gene);
	if (!is_first && !has_islands) {
		serve(&flat, options->n_thread);
		goto cleanup;
	}
	flat.problem.evaluate_shared = ranks_n() > 1 && !has_islands ? evaluate_shared : NULL;
	part.nearest.genome = calloc(flat.problem.n_gene, sizeof(*part.nearest.genome));
	code = part.nearest.genome ? ERR_OK : err_add(err, ERR_INTERNAL, "out of memory");
	code = has_islands ? ranks_agree(code, err) : code;
	if (code == ERR_OK && share && share->only_known)
		code = flat_part_join(share, &flat.problem, &part, err);
	else if (code == ERR_OK)
		code = engine_run(&(struct engine_search){.kind = options->engine,
		                                          .problem = &flat.problem,
		                                          .options = &engine_options,
		                                          .n_thread = options->n_thread,
		                                          .archive = &part.archive,
		                                          .counts = &part.counts,
		                                          .n_by_reason = by_reason,
		                                          .n_reason = FLAT_N_REASON,
		                                          .near = &part.nearest,
		                                          .watch = is_first ? watch : NULL,
		                                          .watch_context = watch_context},
		                  err);
	if (!has_islands)
		ranks_dismiss();
	else if (!is_first)
		goto cleanup;
	if (code == ERR_INTERRUPTED) {
		explore->interrupted = true;
		code = ERR_OK;
	}
	if (code != ERR_OK)
		goto cleanup;
	count_search(&flat, &part, explore);
	/* a shard has its journal and no front */
	bool is_shard = share && share->n > 1;
	if (is_shard && !explore->interrupted && by_reason[LAYER_REASON_FAILED] == 0)
		flat_part_keep(share, &flat.problem, &part);
	if (!is_shard)
		code = take_front(&flat, &part.archive, explore, err);
	if (!is_shard && code == ERR_OK && part.archive.n == 0 && !isinf(part.nearest.violation))
		note_nearest(&flat, &part.nearest, explore);
cleanup:
	pareto_free(&part.archive);
	free(part.nearest.genome);
	flat_free(&flat);
	return code;
}
