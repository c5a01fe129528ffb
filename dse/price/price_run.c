/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/price/price_parts.h"
#include "sim/base/stop.h"
#include "sim/event/event_memo.h"
#include <assert.h>
#include <stdlib.h>

/* Designs between two looks at the stop; of one memo. */
#define BATCH 16
#define MEMO_BYTE ((size_t)64 << 20)

static void take_price(struct price_machine *machine, struct price_design *design, const struct unrolled_design *run)
{
	design->own = *run;
	design->is_priced = true;
	design->breaks_limit = !price_value(machine, design->task, run->metric, design->value);
}

static enum err_code run_batch(struct price_machine *machine, const size_t *chosen, size_t n,
                               const struct detail_options *detail, struct err *err)
{
	struct unrolled_design run[BATCH];
	size_t index[BATCH], n_run = 0;
	assert(n > 0 && n <= BATCH);
	for (size_t i = 0; i < n; i++) {
		struct price_design *design = &machine->design[chosen[i]];
		if (design->is_known) {
			take_price(machine, design, &design->known);
		} else {
			run[n_run] = design->own;
			index[n_run++] = chosen[i];
		}
	}
	enum err_code code = n_run > 0 ? unroll_run(machine->candidate.set, run, n_run, detail, err) : ERR_OK;
	for (size_t i = 0; i < n_run && code == ERR_OK; i++)
		take_price(machine, &machine->design[index[i]], &run[i]);
	return code;
}

enum err_code price_run(struct price_machine *machine, const size_t *chosen, size_t n,
                        const struct price_options *options, struct err *err)
{
	struct detail_options detail = {
	    .detail = DETAIL_EVENT, .n_thread = options->n_thread, .can_stop = true, .stop = options->stop};
	enum err_code code = ERR_OK;
	detail.memo = event_memo_new(MEMO_BYTE); /* without memory each run does all its work itself */
	for (size_t at = 0; at < n && code == ERR_OK; at += BATCH) {
		code = run_batch(machine, chosen + at, n - at < BATCH ? n - at : BATCH, &detail, err);
		if (code == ERR_OK && stop_requested(options->stop) && at + BATCH < n)
			code = ERR_INTERRUPTED;
	}
	event_memo_free(detail.memo);
	return code;
}
