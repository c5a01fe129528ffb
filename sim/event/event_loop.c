/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/event/event_loop.h"
#include "sim/event/event_gap.h"
#include "sim/base/checked.h"
#include "sim/base/stop.h"

/* Stretches of a QPE alone that are shorter than this are not worth the trouble, PE clocks. */
#define MIN_ALONE_CLK 256
#define MIN_REST_CLK 64 /* while other QPEs talk */
#define TRY_REST_CLK 16 /* from one look in vain to the next */

static void end_traces(struct event_chip *chip)
{
	for (uint32_t i = 0; i < chip->mesh.n_qpe; i++) {
		trace_end_span(chip->trace, &chip->router_span[i]);
		trace_end_span(chip->trace, &chip->agent[i].span);
	}
	for (uint32_t i = 0; i < chip->mesh.n_dram; i++)
		trace_end_span(chip->trace, &chip->dram[i].span);
}

/* ---- QPEs alone ---- */

/* The first clock in which any task of a QPE that has come to a clock can end. */
static uint64_t qpe_end_clk(const struct event_qpe *qpe, uint64_t clk)
{
	uint64_t end_clk = UINT64_MAX;
	for (uint32_t k = 0; k < qpe->n_pe && qpe->n_running > 0; k++) {
		if (qpe->mla[k].phase == EVENT_DONE)
			continue;
		uint64_t least_clk = event_mla_least_clk(&qpe->mla[k], clk);
		end_clk = least_clk < end_clk ? least_clk : end_clk;
	}
	return end_clk;
}

/* The same of all QPEs. */
static uint64_t least_end_clk(const struct event_chip *chip, uint64_t clk)
{
	uint64_t end_clk = UINT64_MAX;
	for (uint32_t i = 0; i < chip->mesh.n_qpe; i++) {
		uint64_t least_clk = qpe_end_clk(&chip->qpe[i], clk);
		end_clk = least_clk < end_clk ? least_clk : end_clk;
	}
	return end_clk;
}

/* Run a QPE that nothing comes to before a clock. */
static void run_qpe_alone(struct event_chip *chip, uint32_t index, uint64_t end_clk)
{
	struct event_replay *replay = chip->replay[index];
	if (replay && chip->rest[index].disturbed)
		event_replay_reset(replay);
	chip->rest[index].disturbed = false;
	event_qpe_run(&chip->qpe[index], end_clk, replay);
}

/*
 * Nothing is under way but tasks, and those of a QPE touch no other QPE: until
 * the first of them can end, QPEs run one after the other, and each may replay
 * what recurs. The bound on the end is reached in a few such stretches. false: no task can end by max_clk.
 */
static bool run_alone(struct event_chip *chip)
{
	uint64_t clk = chip->queue.clk, end_clk;
	chip->try_alone = false;
	for (uint32_t i = 0; i < chip->mesh.n_qpe; i++)
		event_chip_rouse(chip, i);
	while ((end_clk = least_end_clk(chip, clk)) != UINT64_MAX && end_clk >= clk + MIN_ALONE_CLK) {
		if (end_clk > chip->max_clk)
			return false;
		for (uint32_t i = 0; i < chip->mesh.n_qpe; i++) {
			struct event_qpe *qpe = &chip->qpe[i];
			if (event_qpe_next_clk(qpe) == UINT64_MAX)
				continue;
			run_qpe_alone(chip, i, end_clk);
			if (chip->watch.has_come)
				return true;
			chip->wake_clk[i] = UINT64_MAX;
			if (event_qpe_next_clk(qpe) != UINT64_MAX)
				event_chip_wake(chip, event_qpe_next_clk(qpe), i);
		}
		clk = end_clk;
		event_gap_reset(chip, end_clk);
	}
	return true;
}

static enum err_code refuse_clk(const struct event_chip *chip, struct err *err)
{
	return err_add(err, ERR_INFEASIBLE,
	               "more than %llu PE clocks, which is as far as events can be timed on this machine; take closed "
	               "forms (--detail fast)",
	               (unsigned long long)chip->max_clk);
}

/* ---- the loop ---- */

/* Of STOP_STEPS what a unit's turn takes. */
#define UNIT_STEPS 32

/*
 * As long as a QPE's tasks touch nothing else and none of them can end, nobody sees what it does: its events run when
 * a task can end, or when something comes to it (event_chip_rouse), all at once and with what recurs skipped.
 */
static bool goes_to_rest(struct event_chip *chip, uint32_t index, uint64_t clk)
{
	struct event_rest *rest = &chip->rest[index];
	const struct event_qpe *qpe = &chip->qpe[index];
	if (!chip->replay[index] || clk < rest->try_clk || qpe->n_running == 0)
		return false;
	rest->try_clk = clk + TRY_REST_CLK;
	if (!event_qpe_is_alone(qpe))
		return false;
	uint64_t end_clk = qpe_end_clk(qpe, clk);
	if (end_clk < clk + MIN_REST_CLK || end_clk > chip->max_clk)
		return false;
	rest->rests = true;
	if (rest->disturbed)
		event_replay_reset(chip->replay[index]);
	rest->disturbed = false;
	chip->wake_clk[index] = UINT64_MAX;
	event_chip_wake(chip, end_clk, index);
	return true;
}

static void step_qpe(struct event_chip *chip, uint32_t index, uint64_t clk)
{
	struct event_qpe *qpe = &chip->qpe[index];
	if (chip->rest[index].rests) {
		chip->rest[index].rests = false;
		chip->rest[index].try_clk = clk;
		event_qpe_run(qpe, clk, chip->replay[index]);
	} else {
		event_qpe_run(qpe, clk + 1, NULL);
		chip->rest[index].disturbed = true;
	}
	if (chip->watch.has_come) /* in the middle of it */
		return;
	uint64_t next_clk = event_qpe_next_clk(qpe);
	if (next_clk != UINT64_MAX && !goes_to_rest(chip, index, clk))
		event_chip_wake(chip, next_clk, index);
}

static void step_unit(struct event_chip *chip, uint32_t unit, uint64_t clk)
{
	uint32_t n_qpe = chip->mesh.n_qpe, n_dram = chip->mesh.n_dram;
	chip->n_run[unit]++;
	chip->turn = unit;
	if (unit >= n_qpe + n_dram) {
		event_agent_step(chip, unit - n_qpe - n_dram, clk);
		return;
	}
	if (unit >= n_qpe) {
		event_dram_step(chip, unit - n_qpe, clk);
		return;
	}
	step_qpe(chip, unit, clk);
}

enum err_code event_loop_run(struct event_chip *chip, const struct schedule_step *step, struct err *err)
{
	uint32_t unit;
	/* Nothing is skipped because of what steps before were like: events simulated are the same for any memo. */
	event_gap_reset(chip, chip->queue.clk);
	if (chip->rounds)
		event_rounds_forget(chip->rounds);
	if (chip->taps)
		event_taps_forget(chip->taps);
	for (uint32_t i = 0; i < chip->mesh.n_qpe; i++)
		chip->rest[i] = (struct event_rest){.disturbed = true};
	event_host_begin(chip, step);
	while (!event_host_is_done(chip)) {
		if (chip->try_alone && chip->n_busy == 0 && !run_alone(chip))
			return refuse_clk(chip, err);
		if (stop_after(&chip->watch, UNIT_STEPS))
			return err_add(err, ERR_INTERRUPTED, "interrupted");
		if (!event_queue_next(&chip->queue, &unit))
			return err_add(err, ERR_INTERNAL, "the simulation stops with operations that never end");
		uint64_t clk = chip->queue.clk;
		/* It was woken for an earlier clock since. */
		if (chip->wake_clk[unit] != clk)
			continue;
		if (clk > chip->max_clk)
			return refuse_clk(chip, err);
		if (chip->gap && clk >= chip->gap->look_clk && event_gap_look(chip, clk))
			continue;
		chip->wake_clk[unit] = UINT64_MAX;
		step_unit(chip, unit, clk);
	}
	if (chip->trace)
		end_traces(chip);
	return ERR_OK;
}
