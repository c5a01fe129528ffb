/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/price/price.h"
#include "dse/out/progress.h"
#include "dse/pareto/shortlist.h"
#include "dse/price/price_parts.h"
#include "sim/base/checked.h"
#include "sim/base/stop.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Points of the fast front whose designs get a price first: the best of each objective, the knee and some between. */
#define FIRST_POINTS 60
/* Points of a state's front where a composition only says which designs to look at; the last one is exact. */
#define ROUND_MAX_FRONT 256
/* Rounds within a budget, which each spend a part of what is left. */
#define MAX_ROUND 8
#define ROUND_PARTS 3
/* Of the work so far, what a round without a budget adds to what it needs. */
#define CLOSE_PARTS 8
/* Prices that tell how far the fast tier is off, and which of their errors is taken: of 100 the second largest. */
#define LEAST_KNOWN 100
#define KNOWN_FRAC 0.99
/* Of a design that what may be best makes use of. */
#define LEAST_GAIN 1e-9
/* Machines off the fast front that the event tier may put on it: at most so many, where no more than this part of the
 * budget is spent. */
#define MAX_NEAR 8
#define NEAR_PARTS 2
/* Where nothing is known at all. */
#define MOST_ERROR_FRAC 0.9

/* ---- how far designs without a price may be off ---------------------------------------------------------- */

static int compare_reals(const void *left, const void *right)
{
	const double *a = left, *b = right;
	return *a < *b ? -1 : *a > *b;
}

/* What the fast tier says of itself. */
static void state_error(struct pricing *pricing)
{
	struct price_error *error = &pricing->error;
	for (size_t i = 0; i < pricing->n_machine; i++)
		for (size_t k = 0; k < pricing->machine[i].n; k++) {
			double frac = uncertainty_frac(&pricing->machine[i].design[k].own.uncertain);
			error->is_unstated |= isnan(frac);
			error->faster_frac = fmax(error->faster_frac, isnan(frac) ? 0.0 : fmin(frac, MOST_ERROR_FRAC));
		}
	error->slower_frac = error->faster_frac;
}

/* By how much designs with a price are faster than the fast tier says, or slower; returns how many there are. */
static size_t list_errors(const struct pricing *pricing, bool is_slower, double *error)
{
	size_t n = 0;
	for (size_t i = 0; i < pricing->n_machine; i++)
		for (size_t k = 0; k < pricing->machine[i].n; k++) {
			const struct price_design *design = &pricing->machine[i].design[k];
			double ratio = (double)design->own.total_clk / (double)design->fast_clk;
			if (design->is_priced)
				error[n++] = fmax(0.0, is_slower ? ratio - 1.0 : 1.0 - ratio);
		}
	return n;
}

/* What all but one of 100 stay below; sorts them. */
static double usual_error(double *error, size_t n)
{
	qsort(error, n, sizeof(*error), compare_reals);
	return error[(size_t)(KNOWN_FRAC * (double)(n - 1) + 0.5)];
}

/* Prices tell, where they are enough. */
enum err_code price_learn(struct pricing *pricing, struct err *err)
{
	double *error = calloc(pricing->price->n_priced + 1, sizeof(*error));
	if (!error)
		return err_add(err, ERR_INTERNAL, "out of memory for pricing");
	size_t n = list_errors(pricing, false, error);
	if (n >= LEAST_KNOWN) {
		pricing->price->n_known = n;
		pricing->error.is_unstated = false;
		pricing->error.faster_frac = usual_error(error, n);
		(void)list_errors(pricing, true, error);
		pricing->error.slower_frac = usual_error(error, n);
	}
	for (size_t i = 0; i < pricing->n_machine; i++)
		price_hope(&pricing->machine[i], &pricing->error);
	free(error);
	return ERR_OK;
}

/* ---- which designs are wanted --------------------------------------------------------------------------- */

static void count_uses(struct pricing *pricing, struct price_machine *machine, const uint32_t *genome)
{
	const struct layer_map *map = &pricing->explore->map;
	for (size_t k = 0; k < map->n_block; k++)
		machine->design[price_find(machine, map->distinct[k], genome + 1 + k * N_LAYER_GENE)].n_use++;
}

static struct price_machine *find_machine(struct pricing *pricing, uint32_t machine_index)
{
	size_t i = 0;
	while (i < pricing->n_machine && pricing->explore->kept[i].machine_index != machine_index)
		i++;
	assert(i < pricing->n_machine);
	return &pricing->machine[i];
}

void price_count_uses(struct pricing *pricing, const struct pareto *front, const size_t *chosen, size_t n)
{
	for (size_t i = 0; i < pricing->n_machine; i++)
		for (size_t k = 0; k < pricing->machine[i].n; k++)
			pricing->machine[i].design[k].n_use = 0;
	for (size_t i = 0; i < n; i++) {
		const uint32_t *genome = front->genome + (chosen ? chosen[i] : i) * front->n_gene;
		count_uses(pricing, find_machine(pricing, genome[0]), genome);
	}
}

/* A design without a price that may be worth one. */
struct wanted {
	size_t machine, design;
	double gain;
	uint64_t work;
};

/* The best hopes first, of these the cheaper ones. */
static int compare_wanted(const void *left, const void *right)
{
	const struct wanted *a = left, *b = right;
	if (a->gain < b->gain || b->gain < a->gain)
		return a->gain > b->gain ? -1 : 1;
	if (a->work != b->work)
		return a->work < b->work ? -1 : 1;
	if (a->machine != b->machine)
		return a->machine < b->machine ? -1 : 1;
	return a->design < b->design ? -1 : a->design > b->design;
}

/* By how much of the network's least a design may be better than every one of its task that has a price; 0: by nothing.
 * Infinite: none has one. */
static double gain_of(const struct pricing *pricing, const struct price_machine *machine, size_t design)
{
	size_t task = machine->design[design].task;
	const double *own = machine->design[design].value;
	double gain = INFINITY;
	for (size_t i = machine->first[task]; i < machine->first[task + 1] && gain > 0.0; i++) {
		const struct price_design *known = &machine->design[i];
		double most = 0.0;
		if (!known->is_priced || known->breaks_limit)
			continue;
		for (unsigned k = 0; k < machine->candidate.task[task].layer.n_metric; k++)
			if (pricing->least[k] > 0.0)
				most = fmax(most, (known->value[k] - own[k]) / pricing->least[k]);
		gain = fmin(gain, most);
	}
	return gain;
}

/* Layers are repeated: what is gained once is gained each time. */
static double repeats_of(const struct pricing *pricing, size_t distinct)
{
	const struct layer_map *map = &pricing->explore->map;
	size_t n = 0;
	for (size_t i = 0; i < map->n_block; i++)
		n += map->distinct[i] == distinct;
	return (double)n;
}

static bool is_task_used(const struct price_machine *machine, size_t task)
{
	for (size_t i = machine->first[task]; i < machine->first[task + 1]; i++)
		if (machine->design[i].n_use > 0)
			return true;
	return false;
}

/* Designs in use without a price; with is_round, others of the same tasks that may be better than what has one, too. */
static size_t list_wanted(const struct pricing *pricing, bool is_round, struct wanted **wanted)
{
	size_t n = 0, n_all = 0;
	for (size_t i = 0; i < pricing->n_machine; i++)
		n_all += pricing->machine[i].n;
	*wanted = calloc(n_all + 1, sizeof(**wanted));
	for (size_t i = 0; i < pricing->n_machine && *wanted; i++) {
		const struct price_machine *machine = &pricing->machine[i];
		for (size_t k = 0; k < machine->n; k++) {
			const struct price_design *design = &machine->design[k];
			bool is_asked = design->n_use > 0 || (is_round && is_task_used(machine, design->task));
			bool is_dear = is_round && design->work > pricing->budget - pricing->price->work;
			if (design->is_priced || design->breaks_limit || !is_asked || is_dear)
				continue;
			double gain = is_round ? gain_of(pricing, machine, k) : (double)design->n_use;
			gain *= is_round ? repeats_of(pricing, design->own.distinct) : 1.0;
			/* of limits nothing is gained but that they are kept */
			gain = design->n_use > 0 ? fmax(gain, LEAST_GAIN) : gain;
			if (gain > 0.0)
				(*wanted)[n++] = (struct wanted){i, k, gain, design->work};
		}
	}
	if (n > 0)
		qsort(*wanted, n, sizeof(**wanted), compare_wanted);
	return n;
}

/* ---- prices --------------------------------------------------------------------------------------------- */

/* The first of wanted that the budget has room for; machine by machine, whose runs share what they find. */
static enum err_code run_wanted(struct pricing *pricing, const struct wanted *wanted, size_t n, struct err *err)
{
	enum err_code code = ERR_OK;
	size_t *chosen = calloc(n + 1, sizeof(*chosen));
	if (!chosen)
		return err_add(err, ERR_INTERNAL, "out of memory for designs to be priced");
	for (size_t i = 0; i < pricing->n_machine && code == ERR_OK; i++) {
		size_t n_chosen = 0;
		for (size_t k = 0; k < n; k++)
			if (wanted[k].machine == i)
				chosen[n_chosen++] = wanted[k].design;
		if (n_chosen > 0)
			code = price_run(pricing, &pricing->machine[i], chosen, n_chosen, err);
	}
	free(chosen);
	return code;
}

/* Price what is wanted until the work done is max_work. */
static enum err_code price_wanted(struct pricing *pricing, bool is_round, uint64_t max_work, struct err *err)
{
	struct wanted *wanted;
	size_t n = list_wanted(pricing, is_round, &wanted), n_run = 0;
	uint64_t work = pricing->price->work;
	if (!wanted)
		return err_add(err, ERR_INTERNAL, "out of memory for designs to be priced");
	for (; n_run < n; n_run++) {
		work = add_sat(work, wanted[n_run].work);
		/* a round prices one design at least */
		bool fits = n_run == 0 && is_round ? work <= pricing->budget : work <= max_work;
		if (!fits)
			break;
	}
	enum err_code code = n_run > 0 ? run_wanted(pricing, wanted, n_run, err) : ERR_OK;
	free(wanted);
	return code == ERR_OK ? price_learn(pricing, err) : code;
}

enum err_code price_used(struct pricing *pricing, struct err *err)
{
	size_t n_before = pricing->price->n_priced;
	enum err_code code = price_wanted(pricing, false, UINT64_MAX, err);
	if (code != ERR_OK || pricing->price->n_priced == n_before || !pricing->is_closing)
		return code;
	/* and some of those that come next, of which a layer may have thousands: else each takes a composition */
	return price_wanted(pricing, true, add_sat(pricing->price->work, pricing->price->work / CLOSE_PARTS), err);
}

/* Round after round: what may be best gets a price, until nothing without one may be, or the budget is spent. */
static enum err_code price_rounds(struct pricing *pricing, size_t max_round, struct err *err)
{
	struct price *price = pricing->price;
	enum err_code code = ERR_OK;
	size_t n_before = SIZE_MAX;
	while (code == ERR_OK && n_before != price->n_priced) {
		bool is_last = price->n_round + 1 >= max_round;
		uint64_t part = (price->max_work - price->work) / (is_last ? 1 : ROUND_PARTS);
		if (price->work >= price->max_work || price->n_round == max_round)
			break;
		n_before = price->n_priced;
		code = price_compose_possible(pricing, PRICE_LISTED, ROUND_MAX_FRONT, err);
		if (code != ERR_OK)
			break;
		price_count_uses(pricing, &pricing->possible, NULL, pricing->possible.n);
		code = price_wanted(pricing, true, price->work + part, err);
		price->n_round++;
	}
	return code;
}

/* A machine that was searched, and is behind the fast front by no more than the tiers may differ; by how much. */
struct near_machine {
	size_t i;
	double margin;
};

static int compare_near(const void *left, const void *right)
{
	const struct near_machine *a = left, *b = right;
	if (a->margin < b->margin || b->margin < a->margin)
		return a->margin < b->margin ? -1 : 1;
	return a->i < b->i ? -1 : a->i > b->i;
}

static size_t list_near(const struct pricing *pricing, struct near_machine *near)
{
	const struct standings *standings = pricing->explore->standings;
	const struct price_error *error = &pricing->error;
	double least = (1.0 + error->slower_frac) / (1.0 - error->faster_frac) - 1.0;
	size_t n = 0;
	for (size_t i = 0; standings && i < pricing->n_machine; i++) {
		double margin = standings->machine[pricing->explore->kept[i].machine_index].margin;
		if (!pricing->machine[i].first && margin < least)
			near[n++] = (struct near_machine){i, margin};
	}
	if (n > 0)
		qsort(near, n, sizeof(*near), compare_near);
	return n < MAX_NEAR ? n : MAX_NEAR;
}

/* Where the budget has much left, machines just behind the fast front get prices, too: who beats whom is known then. */
static enum err_code price_near(struct pricing *pricing, struct err *err)
{
	struct near_machine *near = calloc(pricing->n_machine + 1, sizeof(*near));
	enum err_code code = near ? ERR_OK : err_add(err, ERR_INTERNAL, "out of memory for machines to be priced");
	bool has_time = pricing->price->work < pricing->budget / NEAR_PARTS && !pricing->error.is_unstated;
	size_t n = code == ERR_OK && has_time ? list_near(pricing, near) : 0;
	for (size_t k = 0; k < n && code == ERR_OK; k++) {
		struct price_machine *machine = &pricing->machine[near[k].i];
		code = price_open(pricing->explore, &pricing->explore->kept[near[k].i], machine, err);
		if (code == ERR_OK)
			code = price_list(pricing->explore, pricing->options, machine, err);
	}
	free(near);
	if (n == 0 || code != ERR_OK)
		return code;
	code = price_learn(pricing, err); /* what is new has hopes, too */
	return code == ERR_OK ? price_rounds(pricing, 2 * MAX_ROUND, err) : code;
}

/* Each metric that composition knows, of the first point of the fast front: of the order of any other's. */
static void take_least(struct pricing *pricing)
{
	const struct layer_map *map = &pricing->explore->map;
	const uint32_t *genome = pricing->explore->front.genome;
	const struct price_machine *machine = find_machine(pricing, genome[0]);
	for (size_t i = 0; i < map->n_block; i++) {
		size_t at = price_find(machine, map->distinct[i], genome + 1 + i * N_LAYER_GENE);
		const struct price_design *design = &machine->design[at];
		const struct layer_problem *layer = &machine->candidate.task[design->task].layer;
		double value[PARETO_MAX_OBJECTIVE];
		(void)price_value(machine, design->task, design->metric, value);
		for (unsigned k = 0; k < layer->n_metric; k++)
			pricing->least[k] = metric_table[layer->metric[k]].op == COMPOSE_SUM
			                        ? pricing->least[k] + value[k]
			                        : fmax(pricing->least[k], value[k]);
	}
}

static enum err_code price_all(struct pricing *pricing, struct err *err)
{
	const struct explore *explore = pricing->explore;
	const struct price_options *options = pricing->options;
	size_t chosen[FIRST_POINTS], knee;
	enum err_code code = ERR_OK;
	for (size_t i = 0; i < pricing->n_machine && code == ERR_OK; i++) {
		if (!explore->kept[i].is_on_front)
			continue;
		code = price_open(explore, &explore->kept[i], &pricing->machine[i], err);
		if (code == ERR_OK)
			code = price_list(explore, pricing->options, &pricing->machine[i], err);
	}
	if (code != ERR_OK)
		return code;
	state_error(pricing);
	take_least(pricing);
	/* the extremes first, whatever that costs: without them there is nothing to compose */
	size_t n = shortlist_choose(&explore->front, explore->front.n_objective + 1, chosen, &knee);
	price_count_uses(pricing, &explore->front, chosen, n);
	code = price_used(pricing, err);
	if (code != ERR_OK)
		return code;
	n = shortlist_choose(&explore->front, FIRST_POINTS, chosen, &knee);
	price_count_uses(pricing, &explore->front, chosen, n);
	code = price_wanted(pricing, false, options->max_work, err);
	if (code == ERR_OK)
		code = price_rounds(pricing, MAX_ROUND, err);
	if (code == ERR_OK && !options->closes_gap)
		code = price_near(pricing, err);
	pricing->is_closing = options->closes_gap;
	pricing->budget = UINT64_MAX;
	return code == ERR_OK && pricing->is_closing ? price_close(pricing, err) : code;
}

/* What there is to say of the machines, however far it came. */
static void count_machines(struct pricing *pricing)
{
	struct price *price = pricing->price;
	const struct explore *explore = pricing->explore;
	for (size_t i = 0; i < pricing->n_machine; i++) {
		price->n_machine += pricing->machine[i].first != NULL;
		price->n_listed += pricing->machine[i].n;
	}
	price->n_other_machine = explore->counts.n_machine - explore->n_kept;
}

bool price_is_usual(const struct space *space)
{
	for (size_t i = 0; i < space->n_machine; i++)
		if (space->machine[i].target == MACHINE_SYSTOLIC)
			return false;
	return true;
}

enum err_code price_front(struct explore *explore, const struct price_options *options, struct price *price,
                          struct err *err)
{
	assert(explore && explore->front.n > 0 && options && options->n_thread > 0 && price);
	uint64_t start_ms = stop_now_ms();
	struct pricing pricing = {.explore = explore,
	                          .options = options,
	                          .price = price,
	                          .n_machine = explore->n_kept,
	                          .budget = options->max_work};
	*price = (struct price){.has_limits = explore->space->n_limit > 0 || explore->space->deadline_ms > 0 ||
	                                      explore->space->least_tops_mm2 > 0,
	                        .max_work = options->max_work};
	if (explore->n_kept == 0)
		return ERR_OK;
	pricing.machine = calloc(explore->n_kept + 1, sizeof(*pricing.machine));
	if (!pricing.machine)
		return err_add(err, ERR_INTERNAL, "out of memory for pricing");
	progress_start(&pricing.progress, options->show_progress);
	enum err_code code = price_all(&pricing, err);
	if (code == ERR_INTERRUPTED) { /* what has a price by then is composed */
		err_clear(err);
		price->is_interrupted = true;
		price->is_out_of_time = !stop_is_wished(options->stop);
		code = price_learn(&pricing, err);
	}
	count_machines(&pricing);
	for (size_t i = 0; i < pricing.n_machine && code == ERR_OK; i++)
		price_keep(&pricing.machine[i], &options->kept);
	if (code == ERR_OK)
		code = price_finish(&pricing, err);
	progress_end(&pricing.progress);
	for (size_t i = 0; i < pricing.n_machine; i++)
		price_machine_free(&pricing.machine[i]);
	free(pricing.machine);
	pareto_free(&pricing.possible);
	if (pricing.has_fast)
		pareto_free(&pricing.fast);
	price->seconds = (double)(stop_now_ms() - start_ms) / 1000.0;
	return code;
}
