/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which machines are cut. Claim: a machine that is cut has no design on the
 * space's front. For each of its designs x there is a point p of an outlook with
 * p / slack <= x in every metric, and a design u of the archive that dominates
 * p / slack, made smaller by what roundings could add: u dominates x.
 *
 * An outlook serves for all machines of its family that have no more of what
 * only helps: SRAM or buffers, NoC clock, DRAM clock, memory bandwidth. These decide neither splits nor
 * counts. What runs on less SRAM runs on more, and the share that is used is less;
 * slower clocks make no step of a bound shorter (the closed form itself has
 * queues that a slower clock may happen to serve better, so the outlook is made
 * of bounds). Larger buffers of a systolic array keep no less, and what they keep
 * is not loaded again; but of two orders of tiles the one with fewer words may take
 * longer, so its bounds are of both. Not where the thesis' rules choose splits: they look at the SRAM.
 *
 * How small an epsilon an outlook needs is guessed from a sample of designs: the
 * largest with which the proof would succeed if the sample's front were the true
 * one. Machines whose sample is not that far behind are searched at once.
 */
#include "dse/search/hardware.h"
#include "dse/search/candidate.h"
#include "dse/base/parallel.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The more of it the better: parameters whose bounds the family of a machine shares, those of timing last. */
static const char *const helpful_key[] = {"pe.sram_byte",         "noc.clk_mhz",         "dram.clk_mhz",
                                          "systolic.memory_gb_s", "systolic.ifmap_byte", "systolic.filter_byte",
                                          "systolic.ofmap_byte"};
#define N_HELPFUL (sizeof(helpful_key) / sizeof(helpful_key[0]))
#define N_UNTIMED 1

/* Of layers' searches, coarse ones first: they take less time. */
static const double epsilon_step[] = {0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001};
#define N_STEP (sizeof(epsilon_step) / sizeof(epsilon_step[0]))
/* Searches of a machine that lies behind before it is left to the exact one; one where they serve for no other. */
#define MAX_TRY 2
/* Better designs are looked for where so many machines, for each that is searched for them, may be cut by them. */
#define REFINE_WORTH 4
/* Step of the search of a machine that does not, for better designs than its sample's. */
#define REFINE_STEP 7
/* The sample's front lies above the true one: by so much of the epsilon, it is assumed. */
#define SAMPLE_FRAC 0.3
/* As of the bounds of boxes: what rounding can add is far less. */
#define BOUND_SLACK (1 - 1e-9)
/* In a journal outlooks stand behind all searches of their machine: the sample, then by epsilon. */
#define OUTLOOK_TASK (UINT64_MAX - N_STEP)

struct member {
	uint32_t index;          /* of the machine */
	double value[N_HELPFUL]; /* of the helpful parameters */
};

/* Machines that differ in nothing but helpful parameters, in descending order of these, the first one first. */
struct family {
	size_t n, at; /* members up to at are settled */
	struct member *member;
	struct outlook outlook; /* of member[at] */
	bool has_outlook;
	size_t step, next; /* of the outlook, and of the one that is wished for; N_STEP: a sample */
	unsigned n_try;
	enum err_code code;
	struct err err;
};

struct judge {
	const struct hardware_options *options;
	struct hardware *hardware;
	struct outlook_options outlook_options;
	unsigned n_metric;
	enum metric metric[N_METRIC];
	size_t n_family;
	struct family *family;
	struct family **active; /* [n_active] those that want an outlook */
	size_t n_active;
	struct pareto archive; /* of objectives; no genomes */
	struct arena arena;
	atomic_uint_fast64_t n_done;
	uint64_t n_total; /* of progress: a rough guess */
};

/* ---- families --------------------------------------------------------------------------------------- */

static bool uses_thesis_split(const struct space *space)
{
	for (size_t i = 0; i < space->n_network; i++)
		for (size_t k = 0; k < space->network[i].network.n_block; k++)
			if (space->network[i].choice[k].thesis_split)
				return true;
	return false;
}

/* More of anything may be worse by SCALE-Sim's rules: they round to lines, half buffers and whole words a clock. */
static bool uses_scalesim(const struct space *space)
{
	for (size_t i = 0; i < space->n_machine; i++)
		if (space->machine[i].systolic.memory != SYSTOLIC_PHYSICAL)
			return true;
	for (size_t i = 0; i < space->n_axis; i++)
		if (strcmp(space->axis[i].param->key, "systolic.memory_model") == 0)
			return true;
	return false;
}

/*
 * How many of the helpful parameters make families in a space. Where fetches fill the time that steps leave, where
 * sleep is taken off energies, or where a layer's rounds are divided between two operating points, rounding may make a
 * bound at a slower clock less by a trace.
 */
static size_t count_helpful(const struct space *space)
{
	bool is_timed = space->deadline_ms > 0 || space->level_shares > 0 || space_fetches_ahead(space);
	return uses_thesis_split(space) || uses_scalesim(space) ? 0 : is_timed ? N_UNTIMED : N_HELPFUL;
}

/* The machine of the family with the first values of its helpful axes. */
static uint64_t first_of_family(const struct space *space, size_t n_helpful, uint64_t index)
{
	uint64_t stride = 1, first = index;
	for (size_t i = space->n_axis; i-- > 0; stride *= space->axis[i].n) {
		bool is_helpful = false;
		for (size_t k = 0; k < n_helpful; k++)
			is_helpful |= strcmp(space->axis[i].param->key, helpful_key[k]) == 0;
		if (is_helpful)
			first -= index / stride % space->axis[i].n * stride;
	}
	return first;
}

/* A candidate that neither a rule nor a limit on machines refuses. */
static bool get_machine(const struct space *space, uint64_t index, struct machine *machine)
{
	char why[256];
	double metric[N_METRIC] = {0};
	if (!space_machine(space, index, machine, why, sizeof(why)))
		return false;
	metric_of_machine(machine, metric);
	for (unsigned i = 0; i < N_METRIC; i++)
		if (metric_table[i].scope == METRIC_OF_MACHINE && metric[i] > space_metric_limit(space, (enum metric)i))
			return false;
	return true;
}

static int compare_members(const void *left, const void *right)
{
	const struct member *a = left, *b = right;
	for (size_t i = 0; i < N_HELPFUL; i++)
		if (a->value[i] < b->value[i] || a->value[i] > b->value[i])
			return a->value[i] > b->value[i] ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

/* Whether what the bounds of one machine say holds for the other one of its family. */
static bool serves(const struct member *one, const struct member *other)
{
	for (size_t i = 0; i < N_HELPFUL; i++)
		if (other->value[i] > one->value[i])
			return false;
	return true;
}

static void add_machine(const struct space *space, uint32_t index, struct member *member, struct family *family)
{
	struct machine machine;
	if (!get_machine(space, index, &machine))
		return;
	member->index = index;
	for (size_t i = 0; i < N_HELPFUL; i++) {
		const struct machine_param *param = machine_find_param(helpful_key[i]);
		assert(param);
		member->value[i] = machine_get_param(&machine, param);
	}
	family->member = family->member ? family->member : member;
	family->n++;
}

/* Members of a family stand side by side: families in the order of their first machines, machines by their index. */
static enum err_code build_families(struct judge *judge, struct err *err)
{
	const struct space *space = judge->options->space;
	size_t n_machine = judge->hardware->n_machine;
	size_t n_helpful = count_helpful(space);
	uint32_t *at = arena_array(&judge->arena, n_machine + 1, sizeof(*at));
	struct member *member = arena_array(&judge->arena, n_machine, sizeof(*member));
	judge->family = arena_array(&judge->arena, n_machine, sizeof(*judge->family));
	judge->active = arena_array(&judge->arena, n_machine, sizeof(struct family *));
	if (!at || !member || !judge->family || !judge->active)
		return err_add(err, ERR_INTERNAL, "out of memory");
	for (uint64_t i = 0; i < n_machine; i++)
		at[first_of_family(space, n_helpful, i)]++;
	for (size_t i = 0, n = 0; i < n_machine; i++) {
		size_t n_own = at[i];
		at[i] = (uint32_t)n;
		n += n_own;
	}
	for (uint64_t i = 0; i < n_machine; i++) {
		uint64_t first = first_of_family(space, n_helpful, i);
		struct family *family = &judge->family[first];
		add_machine(space, (uint32_t)i, &member[at[first] + family->n], family);
	}
	for (size_t i = 0; i < n_machine; i++) {
		struct family family = judge->family[i];
		if (family.n == 0)
			continue;
		qsort(family.member, family.n, sizeof(*family.member), compare_members);
		judge->family[judge->n_family++] = family;
	}
	return ERR_OK;
}

/* ---- outlooks --------------------------------------------------------------------------------------- */

static bool watch_outlook(void *context, double progress, const struct engine_counts *counts)
{
	struct judge *judge = context;
	double done = (double)atomic_load(&judge->n_done) / (double)judge->n_total;
	(void)progress;
	(void)counts;
	return judge->options->watch(judge->options->watch_context, done < 1 ? done : 1);
}

static uint64_t outlook_task(const struct family *family)
{
	return OUTLOOK_TASK + (family->step == N_STEP ? 0 : 1 + family->step);
}

static bool take_outlook(struct judge *judge, struct family *family)
{
	const struct share *share = judge->options->share;
	const struct ledger_entry *entry =
	    share && share->known ? ledger_find(share->known, family->member[family->at].index, outlook_task(family))
				  : NULL;
	if (!entry)
		return false;
	struct pack pack = pack_reader(entry->data, entry->n_byte);
	outlook_pack(&family->outlook, judge->n_metric, &pack);
	return pack_done(&pack);
}

/* Into the journal at once, into the records of a rank's searches later: records have an order. */
static void pack_record(struct judge *judge, struct family *family, struct pack *pack)
{
	uint64_t machine = family->member[family->at].index, task = outlook_task(family);
	pack_u64(pack, &machine);
	pack_u64(pack, &task);
	outlook_pack(&family->outlook, judge->n_metric, pack);
}

static void make_outlook(void *context, size_t i)
{
	struct judge *judge = context;
	struct family *family = judge->active[i];
	struct share *share = judge->options->share;
	double epsilon = family->next == N_STEP ? INFINITY : epsilon_step[family->next];
	assert(family->at < family->n && family->code == ERR_OK);
	outlook_free(&family->outlook);
	family->step = family->next;
	if (!take_outlook(judge, family)) {
		family->code = outlook_make(&judge->outlook_options, family->member[family->at].index, epsilon,
		                            &family->outlook, &family->err);
		if (family->code == ERR_OK && share && share->journal) {
			struct pack pack = {0};
			pack_record(judge, family, &pack);
			if (!pack.failed)
				journal_append(share->journal, JOURNAL_SEARCH, pack.data, pack.n);
			pack_free(&pack);
		}
	}
	atomic_fetch_add(&judge->n_done, 1);
}

/* Objectives of a point of an outlook, made smaller, on a machine; false: it breaks a limit. */
static bool point_objectives(const struct judge *judge, const struct outlook_points *points, size_t point,
                             double divisor, const struct machine *machine, double *objective)
{
	double metric[N_METRIC] = {0};
	enum metric broken;
	for (unsigned k = 0; k < judge->n_metric; k++)
		metric[judge->metric[k]] = points->metric[point * judge->n_metric + k] / divisor;
	metric_of_machine(machine, metric);
	metric_derive(metric);
	return candidate_objectives(judge->options->space, metric, objective, &broken);
}

static enum err_code archive_outlook(struct judge *judge, const struct family *family, struct err *err)
{
	struct pareto batch;
	struct machine machine;
	bool is_machine = get_machine(judge->options->space, family->member[family->at].index, &machine);
	assert(is_machine);
	(void)is_machine;
	pareto_init(&batch, judge->archive.n_objective, judge->archive.n_gene);
	for (size_t i = 0; i < family->outlook.designs.n; i++) {
		double objective[SPACE_MAX_OBJECTIVE];
		const uint32_t no_genome = 0;
		if (point_objectives(judge, &family->outlook.designs, i, 1, &machine, objective) &&
		    !pareto_append(&batch, objective, &no_genome, 0))
			return err_add(err, ERR_INTERNAL, "out of memory");
	}
	if (batch.n > 0 && judge->archive.n == 0)
		judge->hardware->shown = family->member[family->at].index;
	if (batch.n > 0 && !pareto_insert_all(&judge->archive, &batch, judge->options->n_thread))
		return err_add(err, ERR_INTERNAL, "out of memory");
	pareto_free(&batch);
	if (judge->options->show)
		judge->options->show(judge->options->watch_context, &judge->archive);
	return ERR_OK;
}

/* Make the outlooks of the active families; the designs they show go into the archive in the families' order. */
static enum err_code make_outlooks(struct judge *judge, struct err *err)
{
	struct share *share = judge->options->share;
	enum err_code code = ERR_OK;
	assert(judge->n_active <= judge->n_family);
	parallel_for(judge->n_active, judge->options->n_thread, make_outlook, judge);
	for (size_t i = 0; i < judge->n_active && code == ERR_OK; i++) {
		struct family *family = judge->active[i];
		if (family->step == N_STEP)
			judge->hardware->n_sampled++;
		else
			judge->hardware->n_relaxed++;
		if (family->code == ERR_INTERRUPTED)
			judge->hardware->interrupted = true;
		else
			code = archive_outlook(judge, family, err);
		bool is_made = family->code == ERR_OK;
		/* no memory, or no layer set: the search will say so */
		err_clear(&family->err);
		family->code = ERR_OK;
		/* one of several ranks tells rank 0, who makes none itself then */
		if (!is_made || !share || !share->record || share->index != 0)
			continue;
		struct pack pack = {0};
		pack_record(judge, family, &pack);
		if (!pack.failed)
			journal_pack(share->record, JOURNAL_SEARCH, pack.data, pack.n);
		pack_free(&pack);
	}
	return code;
}

/* ---- judgement -------------------------------------------------------------------------------------- */

/* Whether all points, made smaller, are dominated on this machine; false where there is none. */
static bool is_dominated(const struct judge *judge, const struct outlook_points *points, double divisor,
                         const struct machine *machine)
{
	const struct pareto *archive = &judge->archive;
	const unsigned n = archive->n_objective;
	size_t hint = 0, n_seen = 0;
	if (!isfinite(divisor))
		return false;
	for (size_t i = 0; i < points->n; i++) {
		double objective[SPACE_MAX_OBJECTIVE];
		if (!point_objectives(judge, points, i, divisor, machine, objective))
			continue;
		size_t k = 0;
		n_seen++;
		/* neighbours on a front are dominated by neighbours */
		while (k < archive->n &&
		       !pareto_dominates(archive->objective + (hint + k) % archive->n * n, objective, n))
			k++;
		if (k == archive->n)
			return false;
		hint = (hint + k) % archive->n;
	}
	return n_seen > 0;
}

/* The coarsest step, from one on, with which the proof would succeed if the designs seen were the true front. */
static size_t guess_step(const struct judge *judge, const struct family *family, size_t first)
{
	struct machine machine;
	(void)get_machine(judge->options->space, family->member[family->at].index, &machine);
	for (size_t step = first; step < N_STEP; step++)
		if (is_dominated(judge, &family->outlook.designs, 1 + (1 + SAMPLE_FRAC) * epsilon_step[step], &machine))
			return step;
	return N_STEP;
}

static void cut_machine(struct judge *judge, const struct outlook *outlook, uint32_t index)
{
	struct hardware *hardware = judge->hardware;
	assert(!hardware->is_cut[index]);
	hardware->is_cut[index] = true;
	hardware->n_cut++;
	hardware->n_candidate = add_sat(hardware->n_candidate, outlook->n_candidate);
	hardware->n_legal = add_sat(hardware->n_legal, outlook->n_legal);
	hardware->log10_design = candidate_add_log10(hardware->log10_design, outlook->log10_design);
}

/* The next member is to be sampled. */
static void go_on(struct family *family)
{
	outlook_free(&family->outlook);
	family->has_outlook = false;
	family->n_try = 0;
}

static void leave_to_search(struct family *family)
{
	assert(family->at < family->n);
	family->at++;
	go_on(family);
}

/* Cut what the family's floor proves. */
static void apply_floor(struct judge *judge, struct family *family)
{
	const struct outlook *outlook = &family->outlook;
	const struct member own = family->member[family->at];
	size_t n_left = family->at;
	bool is_cut = false;
	for (size_t i = family->at; i < family->n && isfinite(outlook->slack); i++) {
		const struct member *member = &family->member[i];
		struct machine machine;
		(void)get_machine(judge->options->space, member->index, &machine);
		if (serves(&own, member) &&
		    is_dominated(judge, &outlook->floor, outlook->slack / BOUND_SLACK, &machine)) {
			cut_machine(judge, outlook, member->index);
			is_cut |= i == family->at;
		} else {
			family->member[n_left++] = *member;
		}
	}
	if (isfinite(outlook->slack))
		family->n = n_left;
	if (is_cut)
		go_on(family);
}

/* What a family that has an outlook wants next. */
enum wish {
	WISH_SAMPLE, /* nothing is known of the next machine */
	WISH_REFINE, /* the machine may be on the front: its designs help to cut others */
	WISH_PROOF,  /* it lies behind: a search at this step might prove that */
	N_WISH       /* nothing: all members are settled */
};

/* The machine at hand is settled when no further step would cut it. */
static enum wish next_wish(struct judge *judge, struct family *family)
{
	if (family->has_outlook) {
		bool is_sample = isinf(family->outlook.slack);
		unsigned max_try = family->at + 1 < family->n ? MAX_TRY : 1;
		size_t step = N_STEP;
		if (family->n_try < max_try)
			step = guess_step(judge, family, is_sample ? 0 : family->step + 1);
		family->next = step < N_STEP ? step : REFINE_STEP;
		if (step < N_STEP)
			return WISH_PROOF;
		if (is_sample)
			return WISH_REFINE;
		leave_to_search(family);
	}
	family->next = N_STEP;
	return family->at < family->n ? WISH_SAMPLE : N_WISH;
}

/*
 * Families whose wish comes first: samples show what there is, refined designs cut more and with a larger epsilon. So
 * proofs, which take longest, come last.
 */
static enum wish list_active(struct judge *judge)
{
	enum wish first = N_WISH;
	size_t n_open = 0;
	for (size_t i = 0; i < judge->n_family; i++) {
		struct family *family = &judge->family[i];
		enum wish wish = next_wish(judge, family);
		n_open += family->n - family->at;
		if (wish < first)
			judge->n_active = 0;
		first = wish < first ? wish : first;
		if (wish == first && wish < N_WISH)
			judge->active[judge->n_active++] = family;
	}
	if (first != WISH_REFINE || n_open > (1 + REFINE_WORTH) * judge->n_active)
		return first;
	for (size_t i = 0; i < judge->n_active; i++)
		leave_to_search(judge->active[i]);
	return list_active(judge);
}

/* Round by round, so that nothing depends on who is done first. */
static enum err_code judge_all(struct judge *judge, struct err *err)
{
	enum err_code code = ERR_OK;
	while (code == ERR_OK && !judge->hardware->interrupted) {
		enum wish wish = list_active(judge);
		if (wish == N_WISH)
			break;
		code = make_outlooks(judge, err);
		for (size_t i = 0; i < judge->n_active && code == ERR_OK && !judge->hardware->interrupted; i++) {
			struct family *family = judge->active[i];
			family->has_outlook = true;
			family->n_try += wish == WISH_PROOF;
			apply_floor(judge, family);
		}
	}
	return code;
}

enum err_code hardware_bound(const struct hardware_options *options, struct hardware *hardware, struct err *err)
{
	const struct space *space = options->space;
	struct judge *judge = calloc(1, sizeof(*judge));
	*hardware = (struct hardware){.n_machine = space_n_machine(space), .log10_design = -INFINITY};
	assert(hardware->n_machine <= HARDWARE_MAX_MACHINE && options->n_thread > 0 && options->watch);
	hardware->is_cut = calloc(hardware->n_machine, sizeof(*hardware->is_cut));
	if (!judge || !hardware->is_cut) {
		free(judge);
		return err_add(err, ERR_INTERNAL, "out of memory");
	}
	judge->options = options;
	judge->hardware = hardware;
	judge->outlook_options = (struct outlook_options){space, options->map, options->n_thread, watch_outlook, judge};
	judge->n_metric = layer_metrics(space, judge->metric);
	atomic_init(&judge->n_done, 0);
	pareto_init(&judge->archive, (unsigned)space->n_objective, 1);
	enum err_code code = build_families(judge, err);
	judge->n_total = 2 * judge->n_family + 1;
	if (code == ERR_OK)
		code = judge_all(judge, err);
	if (hardware->interrupted) {
		memset(hardware->is_cut, 0, hardware->n_machine * sizeof(*hardware->is_cut));
		hardware->n_cut = hardware->n_candidate = hardware->n_legal = 0;
		hardware->log10_design = -INFINITY;
	}
	for (size_t i = 0; i < judge->n_family; i++) {
		outlook_free(&judge->family[i].outlook);
		err_clear(&judge->family[i].err);
	}
	pareto_free(&judge->archive);
	arena_free(&judge->arena);
	free(judge);
	return code;
}

uint64_t hardware_most_sram(const struct space *space, const struct hardware *hardware, uint64_t index)
{
	uint64_t stride = 1, most_byte = 0;
	size_t i = space->n_axis;
	while (i > 0 && strcmp(space->axis[i - 1].param->key, "pe.sram_byte") != 0)
		stride *= space->axis[--i].n;
	size_t n = i > 0 ? space->axis[i - 1].n : 1;
	uint64_t first = index - index / stride % n * stride;
	for (uint64_t k = 0; k < n; k++) {
		struct machine machine;
		uint64_t at = first + k * stride;
		if ((!hardware->is_cut || !hardware->is_cut[at]) && get_machine(space, at, &machine) &&
		    machine.pe_sram_byte > most_byte)
			most_byte = machine.pe_sram_byte;
	}
	return most_byte;
}

void hardware_free(struct hardware *hardware)
{
	assert(hardware);
	free(hardware->is_cut);
	*hardware = (struct hardware){0};
}
