/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pricing that goes on until the assumed gap closes:
 *
 *   prices ─► front, as shown ─┐
 *   hopes ──► possible front ──┴─► its points that are ahead by more than the resolution
 *                                     │ designs without a price? they get one
 *                                     │ none? more designs of their layers are listed
 *                                     │ all are? machines off the fast front that may come so far are listed
 *                                     ▼
 *                                  none of this is left: the gap is closed, or rests on what is too much to be listed
 */
#include "dse/pareto/gap.h"
#include "dse/price/price_parts.h"
#include "sim/base/stop.h"
#include <assert.h>
#include <stdlib.h>

/* Points of a state's front while there is something to do; the last composition is as exact as the judgement. */
#define CLOSE_MAX_FRONT 256
/* Gaps that differ by less differ by rounding. */
#define LEAST_GAP 1e-9

/* Points [n] of what is possible that are ahead of the front. */
static size_t list_ahead(const struct pricing *pricing, size_t *chosen)
{
	const struct pareto *possible = &pricing->possible;
	size_t n = 0;
	for (size_t i = 0; i < possible->n; i++)
		if (gap_to(&pricing->explore->front, possible->objective + i * possible->n_objective) >
		    pricing->price->resolution_frac + LEAST_GAP)
			chosen[n++] = i;
	return n;
}

/* List more designs of the layers that a machine's designs in use are of. */
static enum err_code widen_machine(struct pricing *pricing, struct price_machine *machine, bool *is_wider,
                                   struct err *err)
{
	bool *is_used = calloc(machine->candidate.n_task + 1, sizeof(*is_used)), any = false;
	if (!is_used)
		return err_add(err, ERR_INTERNAL, "out of memory for the designs of a machine");
	for (size_t k = 0; k < machine->n; k++)
		is_used[machine->design[k].task] |= machine->design[k].n_use > 0;
	enum err_code code = price_widen(machine, is_used, pricing->options, &any, err);
	*is_wider |= any;
	free(is_used);
	return code;
}

static enum err_code widen_used(struct pricing *pricing, bool *is_wider, struct err *err)
{
	enum err_code code = ERR_OK;
	for (size_t i = 0; i < pricing->n_machine && code == ERR_OK; i++)
		if (pricing->machine[i].first)
			code = widen_machine(pricing, &pricing->machine[i], is_wider, err);
	return code;
}

/* Compose the machine's front in the fast tier, once. */
static enum err_code find_outlook(struct pricing *pricing, size_t i, struct err *err)
{
	struct price_machine *machine = &pricing->machine[i];
	enum err_code code = price_open(pricing->explore, &pricing->explore->kept[i], machine, err);
	if (code != ERR_OK)
		return code;
	machine->candidate.max_front = CLOSE_MAX_FRONT;
	machine->candidate.n_thread = pricing->options->n_thread;
	pareto_init(&machine->outlook, pricing->fast.n_objective, pricing->fast.n_gene);
	code = candidate_name_points(&machine->candidate, err);
	if (code == ERR_OK)
		code = candidate_compose(&machine->candidate, err);
	if (code == ERR_OK && !price_add_points(machine, &machine->outlook))
		code = err_add(err, ERR_INTERNAL, "out of memory for the points of a front");
	double left = 1.0 / (1.0 + candidate_epsilon(&machine->candidate));
	for (size_t k = 0; k < machine->outlook.n * machine->outlook.n_objective; k++) {
		bool is_product = pricing->explore->space->objective[k % machine->outlook.n_objective] == METRIC_EDP;
		machine->outlook.objective[k] *= is_product ? left * left : left;
	}
	return code;
}

/* List the machines whose designs may be ahead of the front. */
static enum err_code join_machines(struct pricing *pricing, bool *joins, struct err *err)
{
	enum err_code code = ERR_OK;
	for (size_t i = 0; i < pricing->n_machine && code == ERR_OK; i++) {
		struct price_machine *machine = &pricing->machine[i];
		struct pareto hopes;
		if (machine->first)
			continue;
		if (stop_requested(pricing->options->stop))
			return ERR_INTERRUPTED;
		if (!machine->is_open)
			code = find_outlook(pricing, i, err);
		if (code != ERR_OK)
			break;
		pareto_init(&hopes, pricing->fast.n_objective, pricing->fast.n_gene);
		if (!price_add_hopes(pricing, &machine->outlook, &hopes))
			code = err_add(err, ERR_INTERNAL, "out of memory for the points of a front");
		double gap = gap_between(&pricing->explore->front, &hopes, pricing->options->n_thread);
		pareto_free(&hopes);
		if (code == ERR_OK && gap > pricing->price->resolution_frac + LEAST_GAP) {
			code = price_list(pricing->explore, pricing->options, machine, err);
			*joins = true;
		}
	}
	return code;
}

/* One step: prices, or where none is wanted a longer list, or where there is none other machines. */
static enum err_code step(struct pricing *pricing, size_t max_front, bool *goes_on, struct err *err)
{
	size_t n_before = pricing->price->n_priced;
	enum err_code code = price_take_front(pricing, err);
	if (code == ERR_OK)
		code = price_compose_possible(pricing, PRICE_POSSIBLE, max_front, err);
	size_t *ahead = code == ERR_OK ? calloc(pricing->possible.n + 1, sizeof(*ahead)) : NULL;
	if (code == ERR_OK && !ahead)
		code = err_add(err, ERR_INTERNAL, "out of memory for the points of a front");
	size_t n = code == ERR_OK ? list_ahead(pricing, ahead) : 0;
	if (n > 0) {
		price_count_uses(pricing, &pricing->possible, ahead, n);
		code = price_used(pricing, err);
	}
	free(ahead);
	*goes_on = pricing->price->n_priced > n_before;
	if (code == ERR_OK && n > 0 && !*goes_on)
		code = widen_used(pricing, goes_on, err);
	if (code == ERR_OK && !*goes_on)
		code = join_machines(pricing, goes_on, err);
	/* what is new has hopes, too */
	return code == ERR_OK && *goes_on ? price_learn(pricing, err) : code;
}

enum err_code price_close(struct pricing *pricing, struct err *err)
{
	enum err_code code = ERR_OK;
	bool goes_on = true;
	while (code == ERR_OK && goes_on)
		code = step(pricing, CLOSE_MAX_FRONT, &goes_on, err);
	for (goes_on = true; code == ERR_OK && goes_on; pricing->price->n_round++)
		code = step(pricing, pricing->explore->space->max_front, &goes_on, err);
	return code;
}
