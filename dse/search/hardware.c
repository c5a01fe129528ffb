/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which machines are cut. Claim: a machine that is cut has no design on the
 * space's front. For each of its designs x there is a point p of an outlook with
 * p / slack <= x in every metric, and a design u of the archive that dominates
 * p / slack, made smaller by what roundings could add: u dominates x.
 *
 * An outlook serves for all machines of its family (hardware_family.c) that have
 * no more of what only helps.
 *
 * Every family's first machine is looked at coarsely. How small an epsilon its proof
 * needs is guessed from the designs that were seen: the largest with which the proof
 * would succeed if their front were the true one. Machines whose designs are not that
 * far behind are looked at closely, the most promising ones first: what they show
 * puts others behind. Those that stay ahead are left to the search.
 */
#include "dse/search/hardware_parts.h"
#include "dse/space/space_goals.h"
#include "dse/space/space_machine.h"
#include "dse/search/candidate.h"
#include "dse/search/front_cache.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of layers' searches, coarse ones first: they take less time. */
static const double epsilon_step[] = {0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001};
#define N_STEP (sizeof(epsilon_step) / sizeof(epsilon_step[0]))
/* Searches of a machine that lies behind before it is left to the exact one, which takes some times as long. */
#define MAX_TRY 3
/* Better designs are looked for where so many machines, for each that is searched for them, may be cut by them. */
#define REFINE_WORTH 4
/* So many families at a time: what they show may make it needless for others. */
#define REFINE_AT_ONCE 1
/* Outlooks that are made side by side: what their layers have in common is searched once. */
#define LOOK_AT_ONCE 16
/* Floors of layers that are kept, of some hundred bytes each. */
#define MAX_LAYER_FLOOR 200000
/* Step of the search of a machine that does not lie behind, for better designs than were seen. */
#define REFINE_STEP 6
/* The front that was seen lies above the true one: by so much of its search's epsilon, it is assumed. */
#define SEEN_FRAC 0.3
/* In a journal outlooks stand behind all searches of their machine, by epsilon, those of its own clocks last. */
#define OUTLOOK_TASK (UINT64_MAX - 2 * N_STEP)

/* A machine that is left to the search. */
struct left_machine {
	uint32_t index;
	struct outlook outlook;
};

struct judge {
	const struct hardware_options *options;
	struct hardware *hardware;
	struct outlook_options outlook_options;
	bool with_slower;           /* outlooks serve for slower NoC and DRAM clocks, too */
	struct front_cache *layers; /* floors that they have in common; NULL: none */
	size_t n_layer_floor;
	unsigned n_metric;
	enum metric metric[N_METRIC];
	size_t n_family;
	struct hardware_family *family;
	struct hardware_family **active; /* [n_active] those that want an outlook */
	size_t n_active, n_made;         /* outlooks so far */
	size_t n_left;
	struct left_machine *left; /* [n_machine] */
	struct pareto archive;     /* of objectives; no genomes */
	struct arena arena;
	atomic_uint_fast64_t n_done;
	uint64_t n_total; /* of progress: a rough guess */
};

/* ---- outlooks --------------------------------------------------------------------------------------- */

static bool watch_outlook(void *context, double progress, const struct engine_counts *counts)
{
	struct judge *judge = context;
	double done = (double)atomic_load(&judge->n_done) / (double)judge->n_total;
	(void)progress;
	(void)counts;
	return judge->options->watch(judge->options->watch_context, done < 1 ? done : 1);
}

static uint64_t outlook_task(const struct hardware_family *family)
{
	return OUTLOOK_TASK + 1 + family->step + (family->is_own ? N_STEP : 0);
}

static bool take_outlook(struct judge *judge, struct hardware_family *family)
{
	const struct ledger_entry *entry =
	    share_find(judge->options->share, family->member[family->at].index, outlook_task(family));
	if (!entry)
		return false;
	struct pack pack = pack_reader(entry->data, entry->n_byte);
	outlook_pack(&family->outlook, judge->n_metric, judge->layers, &pack);
	return pack_done(&pack);
}

static struct pack pack_record(const struct judge *judge, struct hardware_family *family)
{
	uint64_t machine = family->member[family->at].index, task = outlook_task(family);
	struct pack pack = {0};
	pack_u64(&pack, &machine);
	pack_u64(&pack, &task);
	outlook_pack(&family->outlook, judge->n_metric, judge->layers, &pack);
	return pack;
}

/* Its own of a round before, or those of the family nearest in the order of the machines; NULL: there are none yet. */
static const struct outlook_seeds *nearest_seeds(const struct judge *judge, const struct hardware_family *family)
{
	const struct outlook_seeds *found = family->seeds.n > 0 ? &family->seeds : NULL;
	uint64_t index = family->member[family->at].index, nearest = UINT64_MAX;
	for (size_t i = 0; i < judge->n_family && family->seeds.n == 0; i++) {
		const struct hardware_family *other = &judge->family[i];
		uint64_t distance = other->seeds_of > index ? other->seeds_of - index : index - other->seeds_of;
		if (other->seeds.n == 0 || distance >= nearest)
			continue;
		nearest = distance;
		found = &other->seeds;
	}
	return found;
}

/* After a round, since others may begin with what was there. */
static void keep_seeds(struct hardware_family *family)
{
	outlook_free_seeds(&family->seeds);
	family->seeds = family->outlook.seeds;
	family->seeds_of = family->member[family->at].index;
	family->outlook.seeds = (struct outlook_seeds){0};
}

static struct outlook_order order_of(struct judge *judge, struct hardware_family *family)
{
	return (struct outlook_order){
	    .machine_index = family->member[family->at].index,
	    .seeds = nearest_seeds(judge, family),
	    .epsilon = epsilon_step[family->step],
	    .with_slower = judge->with_slower && !family->is_own,
	    .outlook = &family->outlook,
	};
}

static void begin_look(struct hardware_family *family)
{
	assert(family->at < family->n && family->code == ERR_OK && family->next < N_STEP);
	outlook_free(&family->outlook);
	family->step = family->next;
	family->looking = family->member[family->at];
}

/* Some of the active families', but for what a journal has; into the journal at once, for rank 0 later. */
static void make_some(struct judge *judge, size_t first, size_t end)
{
	struct outlook_order order[LOOK_AT_ONCE];
	struct hardware_family *ordered[LOOK_AT_ONCE];
	size_t n = 0;
	assert(end - first <= LOOK_AT_ONCE);
	for (size_t i = first; i < end; i++) {
		struct hardware_family *family = judge->active[i];
		begin_look(family);
		if (take_outlook(judge, family))
			continue;
		order[n] = order_of(judge, family);
		ordered[n++] = family;
	}
	outlook_make(&judge->outlook_options, judge->n_layer_floor < MAX_LAYER_FLOOR ? judge->layers : NULL, order, n);
	for (size_t i = 0; i < n; i++) {
		ordered[i]->code = order[i].code;
		ordered[i]->err = order[i].err;
		if (order[i].code == ERR_OK && judge->options->share && judge->options->share->journal) {
			struct pack pack = pack_record(judge, ordered[i]);
			share_to_journal(judge->options->share, &pack);
		}
	}
	for (size_t i = first; i < end; i++)
		judge->n_layer_floor += judge->active[i]->outlook.n_layer;
	atomic_fetch_add(&judge->n_done, end - first);
}

static enum err_code archive_outlook(struct judge *judge, const struct hardware_family *family, struct err *err)
{
	const struct space *space = judge->options->space;
	uint32_t index = family->member[family->at].index;
	struct pareto batch;
	struct machine machine;
	bool is_machine = hardware_get_machine(space, index, &machine);
	assert(is_machine);
	(void)is_machine;
	pareto_init(&batch, judge->archive.n_objective, judge->archive.n_gene);
	if (!outlook_list_designs(space, &family->outlook, &machine, &batch))
		return err_add(err, ERR_INTERNAL, "out of memory");
	if (batch.n > 0 && judge->archive.n == 0)
		judge->hardware->shown = index;
	if (batch.n > 0 && !pareto_insert_all(&judge->archive, &batch, judge->options->n_thread))
		return err_add(err, ERR_INTERNAL, "out of memory");
	pareto_free(&batch);
	pareto_init(&batch, judge->archive.n_objective, judge->archive.n_gene);
	if (!outlook_list_floor(space, &family->outlook, &machine, &batch))
		return err_add(err, ERR_INTERNAL, "out of memory");
	if (family->outlook.slack >= 1 && isfinite(family->outlook.slack))
		floors_add(judge->options->floors, index, &batch);
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
	for (size_t i = 0; i < judge->n_active; i += LOOK_AT_ONCE)
		make_some(judge, i, i + LOOK_AT_ONCE < judge->n_active ? i + LOOK_AT_ONCE : judge->n_active);
	for (size_t i = 0; i < judge->n_active && code == ERR_OK; i++) {
		struct hardware_family *family = judge->active[i];
		if (family->code == ERR_INTERRUPTED)
			judge->hardware->interrupted = true;
		else
			code = archive_outlook(judge, family, err);
		bool is_made = family->code == ERR_OK;
		/* no memory, or no layer set: the search will say so */
		err_clear(&family->err);
		family->code = ERR_OK;
		/* one of several ranks tells rank 0, who makes none itself then */
		if (is_made && share && share->record && share->index == 0) {
			struct pack pack = pack_record(judge, family);
			share_to_rank(share, &pack);
		}
		if (is_made) {
			keep_seeds(family);
			judge->n_made++;
		}
	}
	return code;
}

/* ---- judgement -------------------------------------------------------------------------------------- */

/* The designs lie above the true front, the coarser the search, the more; samples as far as pays for a step. */
static double seen_above(const struct judge *judge, const struct hardware_family *family, size_t step)
{
	return 1 + SEEN_FRAC * epsilon_step[judge->outlook_options.samples ? step : family->step];
}

/* The coarsest step, from one on, with which the proof would succeed if the designs seen were the true front. */
static size_t guess_step(const struct judge *judge, const struct hardware_family *family, size_t first)
{
	const struct space *space = judge->options->space;
	struct machine machine;
	size_t step = N_STEP;
	(void)hardware_get_machine(space, family->member[family->at].index, &machine);
	if (first == N_STEP || !outlook_is_behind(space, &family->outlook.designs, 1 + epsilon_step[N_STEP - 1],
	                                          &machine, &judge->archive))
		return N_STEP;
	/* what is not behind by a little is not by much */
	while (step > first && outlook_is_behind(space, &family->outlook.designs,
	                                         seen_above(judge, family, step - 1) * (1 + epsilon_step[step - 1]),
	                                         &machine, &judge->archive))
		step--;
	/* behind, but it is not known by how much */
	return step < N_STEP ? step : first + 1 < N_STEP ? first + 1 : first;
}

/* The least product of a design's objectives but for those of the machine alone, of which each may have little. */
static enum err_code note_promise(const struct judge *judge, struct hardware_family *family, struct err *err)
{
	struct machine machine;
	struct pareto list;
	(void)hardware_get_machine(judge->options->space, family->member[family->at].index, &machine);
	pareto_init(&list, judge->archive.n_objective, judge->archive.n_gene);
	if (!outlook_list_designs(judge->options->space, &family->outlook, &machine, &list))
		return err_add(err, ERR_INTERNAL, "out of memory");
	family->promise = INFINITY;
	for (size_t i = 0; i < list.n; i++) {
		double product = 1;
		for (unsigned k = 0; k < list.n_objective; k++)
			if (metric_table[judge->options->space->objective[k]].scope != METRIC_OF_MACHINE)
				product *= list.objective[i * list.n_objective + k];
		family->promise = fmin(family->promise, product);
	}
	pareto_free(&list);
	return ERR_OK;
}

/* The bounds by which it is cut, for whoever asks by how much it lost; is_seen: outlook's designs have its clocks. */
static void note_cut(struct judge *judge, const struct outlook *outlook, uint32_t index, const struct machine *machine,
                     bool is_seen)
{
	const struct standing_design unknown = {.is_known = false};
	struct pareto floor;
	pareto_init(&floor, judge->archive.n_objective, judge->archive.n_gene);
	if (!outlook_list_floor(judge->options->space, outlook, machine, &floor))
		pareto_free(&floor); /* without memory nothing is said of it */
	standings_note_cut(judge->options->standings, index, &floor, is_seen ? &outlook->fastest : &unknown,
	                   is_seen ? &outlook->thriftiest : &unknown);
}

static void cut_machine(struct judge *judge, const struct outlook *outlook, uint32_t index,
                        const struct machine *machine, bool is_seen)
{
	struct hardware *hardware = judge->hardware;
	assert(!hardware->is_cut[index]);
	note_cut(judge, outlook, index, machine, is_seen);
	hardware->is_cut[index] = true;
	hardware->n_cut++;
	hardware->n_candidate = add_sat(hardware->n_candidate, outlook->n_candidate);
	hardware->n_legal = add_sat(hardware->n_legal, outlook->n_legal);
	hardware->log10_design = candidate_add_log10(hardware->log10_design, outlook->log10_design);
}

/* The next member is to be looked at. */
static void go_on(struct hardware_family *family)
{
	outlook_free(&family->outlook);
	family->has_outlook = family->is_refined = family->is_own = false;
	family->is_begun = true;
	family->n_try = 0;
}

/* Its floor is kept: what is seen later may put it behind. */
static void leave_to_search(struct judge *judge, struct hardware_family *family)
{
	assert(family->at < family->n && judge->n_left < judge->hardware->n_machine);
	judge->left[judge->n_left++] = (struct left_machine){family->member[family->at].index, family->outlook};
	family->outlook = (struct outlook){0};
	family->at++;
	go_on(family);
}

/* All designs that bounding shows are seen now. */
static void judge_left(struct judge *judge)
{
	const struct space *space = judge->options->space;
	for (size_t i = 0; i < judge->n_left; i++) {
		const struct left_machine *left = &judge->left[i];
		struct machine machine;
		(void)hardware_get_machine(space, left->index, &machine);
		if (outlook_proves_behind(space, &left->outlook, &machine, &judge->archive))
			cut_machine(judge, &left->outlook, left->index, &machine, true);
	}
}

/* Cut the machines of a family whose designs all lie behind the archive, as the outlook of one of its kin proves. */
static void apply_to(struct judge *judge, const struct hardware_family *family, struct hardware_family *other)
{
	const struct space *space = judge->options->space;
	size_t n_kept = other->at;
	for (size_t i = other->at; i < other->n; i++) {
		const struct hardware_member member = other->member[i];
		struct machine machine;
		if (hardware_serves(family, &family->looking, &member) &&
		    hardware_get_machine(space, member.index, &machine) &&
		    outlook_proves_behind(space, &family->outlook, &machine, &judge->archive))
			cut_machine(judge, &family->outlook, member.index, &machine,
			            hardware_same_clocks(&family->looking, &member));
		else
			other->member[n_kept++] = member;
	}
	other->n = n_kept;
}

static void apply_outlook(struct judge *judge, struct hardware_family *family)
{
	if (!isfinite(family->outlook.slack))
		return; /* some design could not be run */
	for (size_t i = 0; i < judge->n_family; i++)
		if (judge->family[i].kin == family->kin)
			apply_to(judge, family, &judge->family[i]);
	for (size_t i = 0; i < judge->n_family; i++) {
		struct hardware_family *other = &judge->family[i];
		if (other->kin == family->kin && other->has_outlook && judge->hardware->is_cut[other->looking.index])
			go_on(other);
	}
}

/* The machine at hand is settled when no further step would cut it. */
static enum hardware_wish next_wish(struct judge *judge, struct hardware_family *family)
{
	if (family->has_outlook) {
		/* one try more where the first serves slower clocks, which bounds of the machine's own may repeat */
		unsigned n_shared = judge->with_slower;
		bool may_try = !family->is_refined && family->n_try < MAX_TRY + n_shared;
		size_t first = family->step + !(n_shared > 0 && family->n_try == 1);
		size_t step = may_try ? guess_step(judge, family, first) : N_STEP;
		family->next = step < N_STEP ? step : REFINE_STEP;
		family->is_own = step == N_STEP || family->n_try > 0 || family->at + 1 == family->n;
		if (step < N_STEP)
			return WISH_PROOF;
		if (!family->is_refined && family->step < REFINE_STEP)
			return WISH_REFINE;
		leave_to_search(judge, family);
	}
	family->next = 0;
	const struct hardware_family *larger = family->larger;
	if (larger && !larger->is_begun && larger->at < larger->n)
		return N_WISH;                        /* that one's proofs may serve */
	family->is_own = family->at + 1 == family->n; /* there is nobody to serve */
	return family->at < family->n ? WISH_LOOK : N_WISH;
}

/* Ask every family for its wish; those with the first of all wishes become active. Returns that wish. */
static enum hardware_wish list_first_wish(struct judge *judge)
{
	enum hardware_wish first = N_WISH;
	for (size_t i = 0; i < judge->n_family; i++) {
		struct hardware_family *family = &judge->family[i];
		family->wish = next_wish(judge, family);
		first = family->wish < first ? family->wish : first;
	}
	judge->n_active = 0;
	for (size_t i = 0; i < judge->n_family && first < N_WISH; i++)
		if (judge->family[i].wish == first)
			judge->active[judge->n_active++] = &judge->family[i];
	return first;
}

static size_t count_open(const struct judge *judge)
{
	size_t n = 0;
	for (size_t i = 0; i < judge->n_family; i++)
		n += judge->family[i].n - judge->family[i].at;
	return n;
}

static int compare_promises(const void *left, const void *right)
{
	const struct hardware_family *a = *(struct hardware_family *const *)left,
				     *b = *(struct hardware_family *const *)right;
	if (a->promise < b->promise || a->promise > b->promise)
		return a->promise < b->promise ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* So many of the active families, evenly spread. */
static void thin_active(struct judge *judge, size_t n)
{
	for (size_t i = 0; i < n && n < judge->n_active; i++)
		judge->active[i] = judge->active[i * judge->n_active / n];
	judge->n_active = n < judge->n_active ? n : judge->n_active;
}

/*
 * Each round looks at no more families than were looked at before, as these show the designs that others begin with.
 * Coarse looks first: they show what there is. Refined designs cut more and with a larger epsilon, so proofs, which
 * take longest, come last. Where refining would take as long as it may save, the machines are left to the search.
 */
static enum hardware_wish list_active(struct judge *judge)
{
	for (;;) {
		enum hardware_wish wish = list_first_wish(judge);
		if (wish == WISH_LOOK)
			thin_active(judge, judge->n_made + 1);
		if (wish != WISH_REFINE)
			return wish;
		qsort(judge->active, judge->n_active, sizeof(struct hardware_family *), compare_promises);
		size_t n = judge->n_active < REFINE_AT_ONCE ? judge->n_active : REFINE_AT_ONCE;
		if (count_open(judge) > (1 + REFINE_WORTH) * n) {
			judge->n_active = n;
			return wish;
		}
		for (size_t i = 0; i < judge->n_active; i++)
			leave_to_search(judge, judge->active[i]);
	}
}

/* Round by round, so that nothing depends on who is done first. */
static enum err_code judge_all(struct judge *judge, struct err *err)
{
	enum err_code code = ERR_OK;
	while (code == ERR_OK && !judge->hardware->interrupted) {
		enum hardware_wish wish = list_active(judge);
		if (wish == N_WISH)
			break;
		code = make_outlooks(judge, err);
		for (size_t i = 0; i < judge->n_active && code == ERR_OK && !judge->hardware->interrupted; i++) {
			struct hardware_family *family = judge->active[i];
			if (judge->hardware->is_cut[family->looking.index]) {
				go_on(family); /* by one of this round */
				continue;
			}
			family->has_outlook = true;
			family->n_try += wish == WISH_PROOF;
			family->is_refined |= wish == WISH_REFINE;
			family->is_begun |= family->is_refined;
			code = note_promise(judge, family, err);
			apply_outlook(judge, family);
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
	judge->outlook_options = (struct outlook_options){
	    .space = space,
	    .map = options->map,
	    .n_thread = options->n_thread,
	    .watch = watch_outlook,
	    .watch_context = judge,
	    .samples = space_n_machine(space) <= 1 + REFINE_WORTH,
	    .at_work = options->at_work,
	};
	judge->with_slower = hardware_shares_clocks(space);
	judge->layers = front_cache_new(); /* without memory nothing is shared */
	judge->n_metric = layer_metrics(space, judge->metric);
	atomic_init(&judge->n_done, 0);
	pareto_init(&judge->archive, (unsigned)space->n_objective, 1);
	enum err_code code = hardware_build_families(options, &judge->arena, &judge->family, &judge->n_family, err);
	judge->active = arena_array(&judge->arena, judge->n_family + 1, sizeof(struct hardware_family *));
	judge->left = arena_array(&judge->arena, hardware->n_machine, sizeof(*judge->left));
	judge->n_total = 2 * judge->n_family + 1;
	if (code == ERR_OK && judge->arena.is_out)
		code = err_add(err, ERR_INTERNAL, "out of memory");
	if (code == ERR_OK)
		code = judge_all(judge, err);
	if (code == ERR_OK)
		judge_left(judge);
	if (hardware->interrupted) {
		memset(hardware->is_cut, 0, hardware->n_machine * sizeof(*hardware->is_cut));
		hardware->n_cut = hardware->n_candidate = hardware->n_legal = 0;
		hardware->log10_design = -INFINITY;
		standings_forget_cuts(options->standings);
	}
	for (size_t i = 0; i < judge->n_family; i++) {
		outlook_free(&judge->family[i].outlook);
		outlook_free_seeds(&judge->family[i].seeds);
		err_clear(&judge->family[i].err);
	}
	for (size_t i = 0; i < judge->n_left; i++)
		outlook_free(&judge->left[i].outlook);
	front_cache_free(judge->layers);
	hardware->seen = judge->archive;
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
	size_t n = i > 0 && !space_sram_costs(space) ? space->axis[i - 1].n : 1;
	uint64_t first = index - index / stride % n * stride;
	for (uint64_t k = 0; k < n; k++) {
		struct machine machine;
		uint64_t at = first + k * stride;
		if ((!hardware->is_cut || !hardware->is_cut[at]) && hardware_get_machine(space, at, &machine) &&
		    machine.pe_sram_byte > most_byte)
			most_byte = machine.pe_sram_byte;
	}
	return most_byte;
}

void hardware_free(struct hardware *hardware)
{
	assert(hardware);
	free(hardware->is_cut);
	pareto_free(&hardware->seen);
	*hardware = (struct hardware){0};
}
