/* SPDX-License-Identifier: Apache-2.0 */
/* A schedule from its first step to its last: clocks by phase, counts, and what must hold of them. */
#include "sim/event/event.h"
#include "sim/event/event_gap.h"
#include "sim/event/event_step.h"
#include "sim/fast/fast.h"
#include "sim/base/checked.h"
#include "sim/base/real.h"
#include <assert.h>
#include <string.h>

/* What the units have done so far, and how long each kind was busy at most. */
struct tally {
	struct counts counts;
	uint64_t in_byte, out_byte; /* in packets: into SRAMs from elsewhere, out of them */
	uint64_t dram_read_packet, dram_write_packet;
	double busy_clk[N_BOUND]; /* of the busiest unit of a kind */
};

static void tally_pe(const struct event_qpe *qpe, uint32_t pe, struct tally *tally)
{
	const uint64_t *count = qpe->count[pe];
	struct counts *counts = &tally->counts;
	counts->mla_clk += (double)count[EVENT_MAC_CLK];
	counts->awake_clk +=
	    (double)(count[EVENT_MAC_CLK] + count[EVENT_A_STALL_CLK] + count[EVENT_B_STALL_CLK] + count[EVENT_OUT_CLK]);
	counts->sram_read_word += (double)(count[EVENT_A_WORD] + count[EVENT_B_WORD] + count[EVENT_DMA_WORD]);
	counts->sram_write_word += (double)(count[EVENT_OUT_WORD] + count[EVENT_IN_WORD]);
	tally->in_byte += count[EVENT_IN_WORD] * SRAM_WORD_BYTE;
	tally->out_byte += count[EVENT_DMA_WORD] * SRAM_WORD_BYTE;
	tally->busy_clk[BOUND_MAC] = real_max(tally->busy_clk[BOUND_MAC], (double)count[EVENT_MAC_CLK]);
	tally->busy_clk[BOUND_SRAM] = real_max(tally->busy_clk[BOUND_SRAM], (double)count[EVENT_SRAM_CLK]);
}

static void tally_chip(const struct event_chip *chip, struct tally *tally)
{
	*tally = (struct tally){0};
	for (uint32_t i = 0; i < chip->mesh.n_qpe; i++) {
		const struct event_qpe *qpe = &chip->qpe[i];
		for (uint32_t k = 0; k < qpe->n_pe; k++)
			tally_pe(qpe, k, tally);
		tally->counts.noc_packet += (double)qpe->noc.n_packet;
		double noc_clk = (double)qpe->noc.n_packet / qpe->noc.n_per_clk;
		double busy_clk = noc_clk * (double)chip->pe_khz / (double)chip->noc_khz;
		tally->busy_clk[BOUND_NOC] = real_max(tally->busy_clk[BOUND_NOC], busy_clk);
	}
	for (uint32_t i = 0; i < chip->mesh.n_dram; i++) {
		const struct event_dram *dram = &chip->dram[i];
		double busy_clk = (double)dram->busy_tick * (double)chip->pe_khz / (double)dram->tick_khz;
		tally->dram_read_packet += dram->read_packet;
		tally->dram_write_packet += dram->write_packet;
		tally->busy_clk[BOUND_DRAM] = real_max(tally->busy_clk[BOUND_DRAM], busy_clk);
	}
	tally->counts.dram_read_byte = (double)chip->load_byte;
	tally->counts.dram_write_byte = (double)chip->store_byte;
}

/* What has come between two tallies. */
static struct counts counts_since(const struct tally *now, const struct tally *then)
{
	return (struct counts){
	    .mla_clk = now->counts.mla_clk - then->counts.mla_clk,
	    .awake_clk = now->counts.awake_clk - then->counts.awake_clk,
	    .sram_read_word = now->counts.sram_read_word - then->counts.sram_read_word,
	    .sram_write_word = now->counts.sram_write_word - then->counts.sram_write_word,
	    .noc_packet = now->counts.noc_packet - then->counts.noc_packet,
	    .dram_read_byte = now->counts.dram_read_byte - then->counts.dram_read_byte,
	    .dram_write_byte = now->counts.dram_write_byte - then->counts.dram_write_byte,
	};
}

/* The kind of unit that was busy most; the MLA's SRAM only if it has less to wait for elsewhere. */
static enum bound busiest(const struct tally *now, const struct tally *then)
{
	static const enum bound order[] = {BOUND_MAC, BOUND_DRAM, BOUND_NOC, BOUND_SRAM};
	enum bound bound = BOUND_MAC;
	double most_clk = 0;
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		double clk = now->busy_clk[order[i]] - then->busy_clk[order[i]];
		if (clk > most_clk) {
			most_clk = clk;
			bound = order[i];
		}
	}
	return bound;
}

/* ---- self-checks ---- */

/* MAC clocks that the schedule's tasks want. */
static double wanted_mac_clk(const struct event_chip *chip)
{
	const struct schedule *schedule = chip->schedule;
	double clk = 0;
	for (uint32_t i = 0; i < schedule->n_op + schedule->n_job; i++) {
		bool is_op = i < schedule->n_op;
		if (is_op && schedule->op[i].kind != OP_TASK)
			continue;
		uint32_t shape = is_op ? schedule->op[i].shape : schedule->job[i - schedule->n_op].shape;
		const struct event_plan *plan = &chip->plan[shape];
		clk += (double)(plan->n_row * plan->n_block) * (double)(plan->n_round_tap * plan->rate.tap_clk);
	}
	return clk;
}

/* NULL: all holds. */
static const char *audit(const struct event_chip *chip, const struct tally *tally, const struct sim_result *result,
                         uint64_t clk)
{
	uint64_t packet_byte = chip->machine->noc_packet_byte;
	uint64_t dram_in = tally->dram_write_packet * packet_byte, dram_out = tally->dram_read_packet * packet_byte;
	if (tally->counts.mla_clk != wanted_mac_clk(chip))
		return "MAC clocks done are not those wanted";
	if (tally->in_byte + dram_in != tally->out_byte + dram_out)
		return "bytes that left memories are not those that came to others";
	if (tally->counts.dram_read_byte > (double)dram_out || tally->counts.dram_write_byte > (double)dram_in)
		return "DRAM packets hold fewer bytes than were loaded and stored";
	for (int i = 0; i < N_BOUND; i++)
		if (tally->busy_clk[i] > (double)clk + 2)
			return "a unit was busy longer than the run took";
	const struct energy *energy = &result->energy;
	double sum_pj = energy->mla_pj + energy->sram_pj + energy->noc_pj + energy->dram_pj + energy->arm_pj +
	                energy->awake_pj + energy->static_pj;
	if (sum_pj > energy->total_pj * (1 + 1e-9) || sum_pj < energy->total_pj * (1 - 1e-9))
		return "energies of the parts do not add up to the total";
	if ((double)result->total_clk + 1 < result_roofline_clk(chip->machine, &result->counts, chip->level))
		return "the run took less than its roofline bound";
	return NULL;
}

/* ---- the run ---- */

/* ARM cores have no events. */
static void add_arm(const struct event_chip *chip, const struct schedule_step *step, struct sim_result *result)
{
	const struct step arm = {.kind = STEP_ARM, .phase = step->phase, .counts = step->counts, .u.arm = step->arm};
	fast_add_step(chip->machine, &arm, chip->level, result);
}

static void end_step(const struct event_chip *chip, const struct schedule_step *step, uint64_t begin_clk,
                     const struct tally *now, const struct tally *then, uint64_t longest_clk[N_PHASE],
                     struct sim_result *result)
{
	uint64_t end_clk = chip->queue.clk, clk = end_clk - begin_clk;
	struct counts counts = counts_since(now, then);
	result->phase_clk[step->phase] += clk;
	if (clk >= longest_clk[step->phase]) {
		longest_clk[step->phase] = clk;
		result->phase_bound[step->phase] = busiest(now, then);
	}
	counts_add(&result->counts, &counts);
	if (clk == 0)
		return;
	double power_mw = result_power_mw(chip->machine, chip->level, &counts, (double)clk);
	result->peak_power_mw = real_max(result->peak_power_mw, power_mw);
	if (!phase_is_loop(step->phase))
		result->apart_power_mw = real_max(result->apart_power_mw, power_mw);
	struct trace_span span = trace_make_span(TRACE_PHASE, 0, phase_name[step->phase], begin_clk, end_clk, 0);
	trace_put_span(chip->trace, &span);
}

static enum err_code run_steps(struct event_chip *chip, struct tally *now, struct sim_result *result, struct err *err)
{
	uint64_t longest_clk[N_PHASE] = {0};
	struct tally then;
	tally_chip(chip, &then);
	*now = then;
	for (uint32_t i = 0; i < chip->schedule->n_step; i++) {
		const struct schedule_step *step = &chip->schedule->step[i];
		uint64_t begin_clk = chip->queue.clk;
		if (step->arm.clk > 0 || step->arm.dram_byte > 0)
			add_arm(chip, step, result);
		if (step->n_op == 0 && step->n_job == 0)
			continue;
		enum err_code code = event_step_run(chip, step, err);
		if (chip->memory.is_out)
			return event_chip_refuse_memory(chip, err);
		if (code != ERR_OK)
			return code;
		tally_chip(chip, now);
		end_step(chip, step, begin_clk, now, &then, longest_clk, result);
		then = *now;
	}
	return ERR_OK;
}

static void fill_record(const struct event_chip *chip)
{
	for (uint32_t i = 0; i < chip->mesh.n_qpe; i++) {
		const struct event_qpe *qpe = &chip->qpe[i];
		chip->record->noc_packet[i] = qpe->noc.n_packet;
		for (uint32_t k = 0; k < qpe->n_pe; k++)
			memcpy(&chip->record->count[(size_t)(qpe->first_pe + k) * EVENT_N_COUNT], qpe->count[k],
			       sizeof(qpe->count[k]));
	}
}

enum err_code event_run_schedule(const struct machine *machine, const struct schedule *schedule, uint32_t level,
                                 const struct event_option *option, struct sim_result *result, struct event_stat *stat,
                                 struct err *err)
{
	struct sim_result run = {.counts.mac = schedule->mac};
	struct event_chip chip;
	struct tally tally;
	const struct trace_sink *trace = option ? option->trace : NULL;
	bool replays = !trace && !(option && option->no_replay);
	enum err_code code = event_chip_init(&chip, machine, schedule, level, trace, replays, err);
	chip.record = option ? option->record : NULL;
	event_chip_watch(&chip, option ? option->stop : NULL);
	if (code == ERR_OK && replays)
		event_gap_init(&chip);
	if (code == ERR_OK)
		event_step_share(&chip, replays && option ? option->memo : NULL);
	if (code == ERR_OK)
		code = run_steps(&chip, &tally, &run, err);
	if (code != ERR_OK)
		goto cleanup;
	result_finish(machine, level, &run);
	const char *wrong = audit(&chip, &tally, &run, chip.queue.clk);
	if (wrong) {
		code = err_add(err, ERR_INTERNAL, "self-check of the event simulation: %s", wrong);
		goto cleanup;
	}
	*result = run;
	if (chip.record)
		fill_record(&chip);
	if (stat) {
		*stat = (struct event_stat){.n_event = chip.queue.n_event, .replayed_clk = chip.replayed_clk};
		for (uint32_t i = 0; i < chip.mesh.n_qpe; i++) {
			stat->n_event += chip.qpe[i].queue.n_event;
			stat->replayed_clk += chip.qpe[i].base_clk + chip.qpe[i].shared_clk;
		}
	}
cleanup:
	event_chip_free(&chip);
	return code;
}
