/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/price/price_parts.h"
#include "sim/base/checked.h"
#include "sim/base/stop.h"
#include "sim/event/event_memo.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Designs between two looks at the stop; of one memo. */
#define BATCH 16
#define MEMO_BYTE ((size_t)64 << 20)

static void take_price(struct pricing *pricing, const struct price_machine *machine, struct price_design *design,
                       const struct unrolled_design *run)
{
	design->own = *run;
	design->is_priced = true;
	design->breaks_limit = !price_value(machine, design->task, run->metric, design->value);
	pricing->price->n_priced++;
	pricing->price->n_from_store += design->is_known;
	pricing->price->work = add_sat(pricing->price->work, design->work);
}

static void show_progress(struct pricing *pricing)
{
	const struct price *price = pricing->price;
	char what[80];
	(void)snprintf(what, sizeof(what), "pricing in the event tier, %zu designs", price->n_priced);
	progress_update(&pricing->progress,
	                price->max_work > 0 ? fmin((double)price->work / (double)price->max_work, 1.0) : 0.0, what);
}

static enum err_code run_batch(struct pricing *pricing, struct price_machine *machine, const size_t *chosen, size_t n,
                               const struct detail_options *detail, struct err *err)
{
	struct unrolled_design run[BATCH];
	size_t index[BATCH], n_run = 0;
	assert(n > 0 && n <= BATCH);
	for (size_t i = 0; i < n; i++) {
		struct price_design *design = &machine->design[chosen[i]];
		if (design->is_known) {
			take_price(pricing, machine, design, &design->known);
		} else {
			run[n_run] = design->own;
			index[n_run++] = chosen[i];
		}
	}
	enum err_code code = n_run > 0 ? unroll_run(machine->candidate.set, run, n_run, detail, err) : ERR_OK;
	for (size_t i = 0; i < n_run && code == ERR_OK; i++)
		take_price(pricing, machine, &machine->design[index[i]], &run[i]);
	return code;
}

enum err_code price_run(struct pricing *pricing, struct price_machine *machine, const size_t *chosen, size_t n,
                        struct err *err)
{
	const struct price_options *options = pricing->options;
	struct detail_options detail = {
	    .detail = DETAIL_EVENT, .n_thread = options->n_thread, .can_stop = true, .stop = options->stop};
	enum err_code code = ERR_OK;
	uint64_t before = at_work_begin(options->at_work, machine->candidate.set->machine_index);
	detail.memo = event_memo_new(MEMO_BYTE); /* without memory each run does all its work itself */
	for (size_t at = 0; at < n && code == ERR_OK; at += BATCH) {
		code = run_batch(pricing, machine, chosen + at, n - at < BATCH ? n - at : BATCH, &detail, err);
		show_progress(pricing);
		if (code == ERR_OK && stop_requested(options->stop) && at + BATCH < n)
			code = ERR_INTERRUPTED;
	}
	event_memo_free(detail.memo);
	at_work_end(options->at_work, before);
	return code;
}
