/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/octopus/octopus_schedule_parts.h"
#include "sim/base/checked.h"
#include "sim/base/real.h"
#include <float.h>
#include <string.h>

const struct octopus_strategy_info octopus_strategy_table[N_OCTOPUS_STRATEGY] = {
    [OCTOPUS_DRAM] = {"dram", "layer by layer, everything from and to DRAM"},
    [OCTOPUS_HIDE] = {"hide", "the same, weights fetched while the tile or layer before is computed"},
    [OCTOPUS_SRAM] = {"sram", "weights stay in the workers' SRAM, results pass over the NoC"},
};

enum err_code octopus_no_memory(struct planner *planner)
{
	return err_add(planner->err, ERR_INTERNAL, "out of memory for a schedule of %u layers",
	               planner->graph->n_layer);
}

enum err_code octopus_say_stopped(struct planner *planner)
{
	return err_add(planner->err, ERR_INTERRUPTED, "interrupted; nothing was written");
}

/* No cut of a layer fits a worker's SRAM. */
static enum err_code say_too_large(struct planner *planner, uint32_t layer)
{
	return err_add(planner->err, ERR_INFEASIBLE,
	               "%s: its smallest tile needs %llu bytes of a worker's SRAM, allowed are %u (pe.sram_byte)",
	               planner->graph->layer[layer].name,
	               (unsigned long long)octopus_least_sram_byte(planner->context[layer]),
	               planner->machine->pe_sram_byte);
}

/* ---- contexts ----------------------------------------------------------------------------------------------- */

static bool prepare_contexts(struct planner *planner)
{
	struct octopus_graph *graph = planner->graph;
	planner->context = arena_array(&planner->arena, graph->n_layer, sizeof(*planner->context));
	planner->chosen = arena_array(&planner->arena, graph->n_layer, sizeof(*planner->chosen));
	if (!planner->context || !planner->chosen)
		return false;
	for (uint32_t l = 0; l < graph->n_layer; l++) {
		const struct block *block = &graph->network->block[graph->layer[l].block];
		for (uint32_t i = 0; i < l && !planner->context[l]; i++)
			if (graph->network->block[graph->layer[i].block].same_as == block->same_as)
				planner->context[l] = planner->context[i];
		if (planner->context[l])
			continue;
		planner->context[l] = arena_array(&planner->arena, 1, sizeof(*planner->context[l]));
		if (!planner->context[l])
			return false;
		octopus_prepare(planner->machine, planner->options->level, block, planner->context[l]);
	}
	return true;
}

/* ---- lists of choices --------------------------------------------------------------------------------------- */

/* Of a layer: choices that exist, by number of workers. */
struct cut_list {
	uint32_t n;
	struct octopus_cut_choice *choice;
};

/* The choice of the paper, where it tells one that fits. */
static bool paper_choice(struct planner *planner, uint32_t l, const struct octopus_query *query,
                         struct octopus_cut_choice *choice)
{
	struct octopus_layer layer = planner->graph->layer[l];
	const struct block *block = &planner->graph->network->block[layer.block];
	if (!planner->options->as_paper || !octopus_paper_cut(&layer, block, 0) || layer.n_worker > planner->n_worker)
		return false;
	const struct octopus_plan plan = {layer.ifmap_first, layer.n_worker, layer.tiles_per_worker};
	octopus_evaluate_cut(planner->context[l], query, &layer.split, &plan, choice);
	return choice->exists;
}

/* us that a byte of the first weights takes; where there are none, hiding them is no matter. */
static double first_byte_us(const struct octopus_ahead *ahead)
{
	return ahead->first_byte > 0 ? ahead->first_us / (double)ahead->first_byte : DBL_MAX;
}

/* Whether a is as good as b wherever it stands: whatever hides of either, and whatever comes after. */
static bool is_as_good(const struct octopus_cut_choice *a, const struct octopus_cut_choice *b, double us)
{
	const struct octopus_ahead *of_a = &a->ahead, *of_b = &b->ahead;
	if (a->plan.n_worker > b->plan.n_worker || a->cost > b->cost || of_a->window_us < of_b->window_us ||
	    of_a->free_byte < of_b->free_byte)
		return false;
	return a->cost <= b->cost - us * of_b->first_us ||
	       (a->cost - us * of_a->first_us <= b->cost - us * of_b->first_us &&
	        first_byte_us(of_a) >= first_byte_us(of_b));
}

/* Drop choices that another one makes needless; of equal ones the first stays. */
static uint32_t drop_needless(struct octopus_cut_choice *choice, uint32_t n, double us)
{
	uint32_t n_kept = 0;
	for (uint32_t i = 0; i < n; i++) {
		bool needless = false;
		for (uint32_t j = 0; j < n_kept && !needless; j++)
			needless = is_as_good(&choice[j], &choice[i], us);
		if (needless)
			continue;
		uint32_t at = 0;
		for (uint32_t j = 0; j < n_kept; j++)
			if (!is_as_good(&choice[i], &choice[j], us))
				choice[at++] = choice[j];
		choice[at++] = choice[i];
		n_kept = at;
	}
	return n_kept;
}

/* Cost of a us that is hidden. */
static double us_cost(const struct planner *planner)
{
	return planner->options->goal == OCTOPUS_FASTEST
	           ? 1
	           : 1e3 * energy_static_mw(planner->machine, planner->options->level);
}

/* Choices of a layer, or those of an equal one before it. */
static enum err_code list_choices(struct planner *planner, uint32_t l, const struct octopus_query *query,
                                  struct cut_list *lists)
{
	uint32_t most = planner->n_worker, n_keep = query->ahead ? N_OCTOPUS_KEEP : 1;
	struct octopus_cut_choice *choice;
	for (uint32_t i = 0; i < l; i++)
		if (planner->context[i] == planner->context[l]) {
			lists[l] = lists[i];
			return ERR_OK;
		}
	choice = arena_array(&planner->arena, (size_t)n_keep * most, sizeof(*choice));
	if (!choice)
		return octopus_no_memory(planner);
	if (paper_choice(planner, l, query, &choice[0])) {
		lists[l] = (struct cut_list){1, choice};
		return ERR_OK;
	}
	if (!octopus_search_layer(planner->context[l], query, choice))
		return octopus_say_stopped(planner);
	uint32_t n = 0;
	for (uint32_t i = 0; i < n_keep * most; i++)
		if (choice[i].exists)
			choice[n++] = choice[i];
	n = drop_needless(choice, n, us_cost(planner));
	lists[l] = (struct cut_list){n, choice};
	return n > 0 ? ERR_OK : say_too_large(planner, l);
}

/* ---- the best sequence -------------------------------------------------------------------------------------- */

/* Of the first fetch of a layer what hides behind the layer before it, us. */
static double hidden_us(const struct octopus_cut_choice *before, const struct octopus_cut_choice *now)
{
	const struct octopus_ahead *ahead = &now->ahead;
	if (ahead->first_byte == 0)
		return 0;
	double share = real_min(1, (double)before->ahead.free_byte / (double)ahead->first_byte);
	return real_min(before->ahead.window_us, share * ahead->first_us);
}

/* What setup and cleanup cost with so many workers enabled: us, or pJ. */
static double enabling_cost(const struct planner *planner, uint32_t n_worker)
{
	double us = octopus_setup_us(planner->machine, n_worker) + octopus_cleanup_us(planner->machine, n_worker);
	if (planner->options->goal == OCTOPUS_FASTEST)
		return us;
	return us * 1e3 * energy_static_mw(planner->machine, planner->options->level);
}

/* Least cost of a sequence that ends with a choice, and the choice before it. */
struct state {
	double cost;
	uint32_t before;
};

/* The least cost of all layers with at most n_worker workers each; end: the last layer's choice. DBL_MAX: none. */
static double find_sequence(struct planner *planner, const struct cut_list *lists, uint32_t n_worker,
                            struct state **state, uint32_t *end)
{
	bool ahead = planner->options->strategy == OCTOPUS_HIDE;
	double us = us_cost(planner), least = DBL_MAX;
	for (uint32_t l = 0; l < planner->graph->n_layer; l++) {
		double least_before = l == 0 ? 0 : least;
		uint32_t end_before = l == 0 ? 0 : *end;
		least = DBL_MAX;
		for (uint32_t i = 0; i < lists[l].n; i++) {
			const struct octopus_cut_choice *now = &lists[l].choice[i];
			struct state best = {least_before, end_before};
			state[l][i].cost = DBL_MAX;
			if (stop_after(&planner->watch, 1 + (ahead && l > 0 ? lists[l - 1].n : 0)))
				return DBL_MAX;
			if (now->plan.n_worker > n_worker || least_before == DBL_MAX)
				continue;
			for (uint32_t j = 0; l > 0 && ahead && j < lists[l - 1].n; j++) {
				double cost = state[l - 1][j].cost;
				/* nothing that is hidden makes up for a longer way here */
				if (cost - us * now->ahead.first_us >= best.cost)
					continue;
				cost -= us * hidden_us(&lists[l - 1].choice[j], now);
				if (cost < best.cost)
					best = (struct state){cost, j};
			}
			state[l][i] = (struct state){best.cost + now->cost, best.before};
			if (state[l][i].cost < least) {
				least = state[l][i].cost;
				*end = i;
			}
		}
	}
	return least;
}

/* Take the sequence that ends with this choice. */
static void take_sequence(struct planner *planner, const struct cut_list *lists, struct state *const *state,
                          uint32_t end)
{
	for (uint32_t l = planner->graph->n_layer; l-- > 0;) {
		planner->chosen[l] = lists[l].choice[end];
		end = state[l][end].before;
	}
}

static bool allocate_states(struct planner *planner, const struct cut_list *lists, struct state **state)
{
	for (uint32_t l = 0; l < planner->graph->n_layer; l++) {
		state[l] = arena_array(&planner->arena, lists[l].n, sizeof(*state[l]));
		if (!state[l])
			return false;
	}
	return true;
}

/* Layers one after another: for every number of workers that may be enabled the best sequence, and the best of these.
 */
static enum err_code choose_sequence(struct planner *planner)
{
	uint32_t n_layer = planner->graph->n_layer;
	const struct octopus_query query = {planner->options->goal, planner->options->strategy == OCTOPUS_HIDE,
	                                    planner->n_worker, 0};
	struct cut_list *lists = arena_array(&planner->arena, n_layer, sizeof(*lists));
	struct state **state = arena_array(&planner->arena, n_layer, sizeof(*state));
	double least = DBL_MAX;
	if (!lists || !state)
		return octopus_no_memory(planner);
	for (uint32_t l = 0; l < n_layer; l++) {
		enum err_code code = list_choices(planner, l, &query, lists);
		if (code != ERR_OK)
			return code;
	}
	if (!allocate_states(planner, lists, state))
		return octopus_no_memory(planner);
	uint32_t fewest = planner->options->n_worker > 0 ? planner->n_worker : 1;
	for (uint32_t w = planner->n_worker; w >= fewest; w--) {
		uint32_t end = 0;
		double cost = find_sequence(planner, lists, w, state, &end);
		if (planner->watch.has_come)
			return octopus_say_stopped(planner);
		if (cost == DBL_MAX)
			break;
		cost += enabling_cost(planner, w);
		if (cost < least) {
			least = cost;
			take_sequence(planner, lists, state, end);
		}
	}
	return ERR_OK;
}

/* ---- the whole ---------------------------------------------------------------------------------------------- */

/* Cut the graph's layers as chosen, and what they take. */
static void finish_layers(struct planner *planner)
{
	struct octopus_schedule *schedule = planner->schedule;
	for (uint32_t c = 0; c < schedule->n_chip; c++) {
		const struct octopus_chip_cost *chip = &schedule->chip[c];
		for (uint32_t l = chip->first; l < chip->first + chip->n_layer; l++) {
			const struct octopus_cut_choice *choice = &planner->chosen[l];
			struct octopus_layer_cost *cost = &schedule->layer[l];
			double hidden = l > chip->first ? hidden_us(&planner->chosen[l - 1], choice) : 0;
			octopus_cut(&planner->graph->layer[l], &choice->split, choice->plan.ifmap_first,
			            choice->plan.n_worker);
			octopus_take_seats(planner, l, chip->first + chip->n_layer);
			*cost = (struct octopus_layer_cost){
			    .time = choice->time,
			    .hidden_us = choice->ahead.hidden_us + hidden,
			    .chip = c,
			    .sram_byte = octopus_sram_byte(planner->context[l], &choice->work, &choice->plan)};
			octopus_hide_weights(&cost->time, hidden);
			cost->energy_pj =
			    octopus_energy_pj(planner->context[l], &choice->work, &choice->plan, cost->time.total_us);
		}
	}
}

static void finish_chips(struct planner *planner)
{
	struct octopus_schedule *schedule = planner->schedule;
	double static_pj_us = 1e3 * energy_static_mw(planner->machine, planner->options->level);
	for (uint32_t c = 0; c < schedule->n_chip; c++) {
		struct octopus_chip_cost *chip = &schedule->chip[c];
		chip->layers_us = 0;
		for (uint32_t l = chip->first; l < chip->first + chip->n_layer; l++) {
			uint32_t n = planner->graph->layer[l].n_worker;
			chip->n_worker = n > chip->n_worker ? n : chip->n_worker;
			if (planner->options->n_worker > 0)
				chip->n_worker = planner->n_worker;
			chip->layers_us += schedule->layer[l].time.total_us;
			schedule->energy_pj += schedule->layer[l].energy_pj;
		}
		chip->link_us = c > 0 ? octopus_link_us(planner, chip->first) : 0;
		chip->setup_us = octopus_setup_us(planner->machine, chip->n_worker);
		chip->cleanup_us = octopus_cleanup_us(planner->machine, chip->n_worker);
		schedule->total_us += chip->link_us + chip->layers_us;
		schedule->interval_us = real_max(schedule->interval_us, chip->link_us + chip->layers_us);
		schedule->energy_pj += static_pj_us * (chip->setup_us + chip->cleanup_us + chip->link_us);
	}
	/* chips set themselves up, and shut themselves down, at the same time */
	double setup_us = 0, cleanup_us = 0;
	for (uint32_t c = 0; c < schedule->n_chip; c++) {
		setup_us = real_max(setup_us, schedule->chip[c].setup_us);
		cleanup_us = real_max(cleanup_us, schedule->chip[c].cleanup_us);
	}
	schedule->total_us += setup_us + cleanup_us;
}

enum err_code octopus_plan(const struct machine *machine, struct octopus_graph *graph,
                           const struct octopus_options *options, struct octopus_schedule *schedule, struct err *err)
{
	struct planner planner = {.machine = machine,
	                          .graph = graph,
	                          .options = options,
	                          .schedule = schedule,
	                          .err = err,
	                          .watch = stop_watch_for(NULL)};
	uint32_t most = octopus_max_worker(machine), n_chip = options->n_chip > 0 ? options->n_chip : 1;
	enum err_code code = ERR_OK;
	assert(graph->n_layer > 0 && options->level < machine->n_level && machine->target != MACHINE_SYSTOLIC);
	*schedule = (struct octopus_schedule){0};
	planner.n_worker = options->n_worker > 0 && options->n_worker < most ? options->n_worker : most;
	schedule->layer = arena_array(&schedule->arena, graph->n_layer, sizeof(*schedule->layer));
	schedule->chip = arena_array(&schedule->arena, n_chip, sizeof(*schedule->chip));
	if (!schedule->layer || !schedule->chip || !prepare_contexts(&planner)) {
		code = octopus_no_memory(&planner);
	} else if (options->strategy == OCTOPUS_SRAM) {
		code = octopus_choose_resident(&planner);
	} else {
		code = choose_sequence(&planner);
		if (code == ERR_OK && !octopus_deal_chips(&planner, NULL))
			code = planner.watch.has_come ? octopus_say_stopped(&planner) : octopus_no_memory(&planner);
	}
	if (code == ERR_OK) {
		finish_layers(&planner);
		finish_chips(&planner);
	} else {
		octopus_schedule_free(schedule);
	}
	arena_free(&planner.arena);
	return code;
}

void octopus_schedule_free(struct octopus_schedule *schedule)
{
	arena_free(&schedule->arena);
	memset(schedule, 0, sizeof(*schedule));
}
