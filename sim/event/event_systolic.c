/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three things happen: the array ends a step, the interface ends a load, the
 * interface ends a store.
 *
 *   array      │ step 0      │ step 1   │ wait │ step 2 ...
 *   interface  │ load 1 │ st │ load 2          │ load 3 │ store ...
 *
 * When a step begins, the halves of the one before are free: the load for the
 * next step is asked for, and, if the step before was the last of its block, the
 * store of that block's results. Loads go first and interrupt a store. Results
 * come into the half that the block before the last one filled, so a block
 * begins when these are stored. Which operands a tile needs is worked out from
 * where it lies, and what is there from what was loaded before.
 */
#include "sim/event/event_systolic.h"
#include "sim/event/event.h"
#include "sim/fast/fast.h"
#include "sim/systolic/systolic_model.h"
#include "sim/systolic/systolic_tile.h"
#include "sim/systolic/systolic_scalesim.h"
#include "sim/event/trace.h"
#include "sim/base/real.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>

/* ---- where a step lies ---- */

struct position {
	uint32_t tile;  /* along its dimension */
	uint64_t begin; /* outputs, filters or channels before it */
};

struct tile_cursor {
	uint32_t group;
	struct position w, h, c, d;
};

static uint32_t size_at(const struct systolic_dim *dim, const struct position *position)
{
	return position->tile < dim->n_a ? dim->size_a : dim->size_b;
}

/* One tile on; false, and back to the start, behind the last one. */
static bool step_on(const struct systolic_dim *dim, struct position *position)
{
	position->begin += size_at(dim, position);
	if (++position->tile < systolic_dim_n(dim))
		return true;
	*position = (struct position){0};
	return false;
}

/* The next step in the order of the loops; false: there is none. */
static bool next_step(const struct systolic_work *work, struct tile_cursor *at)
{
	if (step_on(&work->d, &at->d))
		return true;
	if (work->filter_outside) {
		if (step_on(&work->w, &at->w) || step_on(&work->h, &at->h) || step_on(&work->c, &at->c))
			return true;
	} else if (step_on(&work->c, &at->c) || step_on(&work->w, &at->w) || step_on(&work->h, &at->h)) {
		return true;
	}
	return ++at->group < work->n_group;
}

/* ---- what a step needs ---- */

struct line_range {
	uint64_t begin, end;
};

/* Ifmap lines from the tile's first to its last, those between its filters included. */
static struct line_range lines_at(const struct systolic_dim *dim, const struct position *position, uint32_t kernel,
                                  uint32_t stride, uint32_t in)
{
	uint64_t begin = position->begin * stride;
	uint64_t end = (position->begin + size_at(dim, position) - 1) * stride + kernel;
	return (struct line_range){begin < in ? begin : in, end < in ? end : in};
}

/* Lines to load: without those between filters, and, if unique, those of the tile before. */
static uint64_t lines_to_load(const struct systolic_dim *dim, const struct position *position, uint32_t kernel,
                              uint32_t stride, uint32_t in, bool unique)
{
	struct line_range range = lines_at(dim, position, kernel, stride, in);
	if (stride >= kernel) {
		uint64_t n_full = size_at(dim, position) - 1, last = range.begin + n_full * stride;
		uint64_t left = last < in ? in - last : 0;
		return n_full * kernel + (left < kernel ? left : kernel);
	}
	if (unique && position->tile > 0) {
		uint64_t known = (position->begin - 1) * stride + kernel;
		range.begin = known < range.end ? known : range.end;
	}
	return range.end - range.begin;
}

struct load {
	uint64_t ifmap_word, filter_word;
};

static struct load load_at(const struct systolic_work *work, const struct tile_cursor *at)
{
	struct load load = {0};
	uint64_t channels = size_at(&work->d, &at->d);
	if (!work->ifmap_once || at->c.tile == 0)
		load.ifmap_word = channels *
		                  lines_to_load(&work->w, &at->w, systolic_reach_w(work), work->stride, work->in_w,
		                                work->ifmap_unique) *
		                  lines_to_load(&work->h, &at->h, systolic_reach_h(work), work->stride, work->in_h,
		                                work->ifmap_unique);
	if (!work->filter_once || (at->w.tile == 0 && at->h.tile == 0))
		load.filter_word = channels * size_at(&work->c, &at->c) * work->kernel_w * work->kernel_h;
	return load;
}

static uint64_t pixels_at(const struct systolic_work *work, const struct tile_cursor *at)
{
	return (uint64_t)size_at(&work->w, &at->w) * size_at(&work->h, &at->h);
}

static uint64_t clk_at(const struct machine *machine, const struct systolic_work *work, const struct tile_cursor *at)
{
	uint64_t tap = (uint64_t)size_at(&work->d, &at->d) * work->kernel_w * work->kernel_h;
	return systolic_pixel_factor(machine, work->dataflow, pixels_at(work, at)) *
	       systolic_filter_factor(machine, work->dataflow, size_at(&work->c, &at->c)) *
	       systolic_tap_factor(machine, work->dataflow, tap);
}

/* ---- the run ---- */

struct transfer_state {
	double left_word; /* 0: none under way */
	double begin_clk; /* asked for */
	uint64_t word;
};

struct array_run {
	const struct machine *machine;
	const struct systolic_work *work;
	const struct trace_sink *trace;
	double bandwidth_word, now_clk;
	struct transfer_state load, store;
	uint64_t n_event, compute_clk;
	double mac;
	struct systolic_result result; /* words */
};

static void trace_until_now(const struct array_run *run, enum trace_unit unit, const char *name, double begin_clk,
                            uint64_t n)
{
	if (!run->trace)
		return;
	struct trace_span span = trace_make_span(unit, 0, name, (uint64_t)begin_clk, (uint64_t)ceil(run->now_clk), n);
	trace_put_span(run->trace, &span);
}

static void ask(struct array_run *run, struct transfer_state *transfer, uint64_t word)
{
	assert(transfer->left_word <= 0);
	*transfer = (struct transfer_state){(double)word, run->now_clk, word};
}

/* The interface works on its next transfer until end_clk at most. */
static void serve(struct array_run *run, double end_clk)
{
	bool is_load = run->load.left_word > 0;
	struct transfer_state *transfer = is_load ? &run->load : &run->store;
	double done_clk = run->now_clk + transfer->left_word / run->bandwidth_word;
	if (transfer->left_word <= 0) {
		run->now_clk = end_clk;
		return;
	}
	if (done_clk > end_clk) {
		transfer->left_word -= (end_clk - run->now_clk) * run->bandwidth_word;
		run->now_clk = end_clk;
		return;
	}
	run->n_event++;
	run->now_clk = done_clk;
	transfer->left_word = 0;
	trace_until_now(run, TRACE_DRAM, is_load ? "load" : "store", transfer->begin_clk,
	                transfer->word * run->machine->systolic.word_byte);
}

static void serve_until(struct array_run *run, double end_clk)
{
	while (run->now_clk < end_clk)
		serve(run, end_clk);
}

/* Until loads, or also stores, are through. */
static void wait_for(struct array_run *run, bool stores_too)
{
	while (run->load.left_word > 0 || (stores_too && run->store.left_word > 0))
		serve(run, INFINITY);
}

static void count_step(struct array_run *run, const struct tile_cursor *at)
{
	const struct systolic_work *work = run->work;
	uint64_t pixel = pixels_at(work, at), filter = size_at(&work->c, &at->c);
	uint64_t tap = (uint64_t)size_at(&work->d, &at->d) * work->kernel_w * work->kernel_h;
	uint64_t rows = run->machine->systolic.rows, cols = run->machine->systolic.cols;
	/* folds along both sides of the array */
	uint64_t row_fold = ceil_div(work->dataflow == SYSTOLIC_OS ? pixel : tap, rows);
	uint64_t col_fold = ceil_div(work->dataflow == SYSTOLIC_IS ? pixel : filter, cols);
	struct systolic_result *result = &run->result;
	switch (work->dataflow) {
	case SYSTOLIC_WS:
		result->sram_ifmap_read_word += col_fold * pixel * tap;
		result->sram_filter_read_word += filter * tap;
		break;
	case SYSTOLIC_IS:
		result->sram_ifmap_read_word += pixel * tap;
		result->sram_filter_read_word += col_fold * filter * tap;
		break;
	case SYSTOLIC_OS:
	case SYSTOLIC_ANY:
	default:
		result->sram_ifmap_read_word += col_fold * pixel * tap;
		result->sram_filter_read_word += row_fold * filter * tap;
		break;
	}
	uint64_t n_part = work->dataflow == SYSTOLIC_OS ? 1 : row_fold;
	result->sram_ofmap_write_word += n_part * pixel * filter;
	result->sram_ofmap_read_word += (n_part - (at->d.tile == 0)) * pixel * filter;
	run->mac += (double)pixel * (double)filter * (double)tap;
}

static void ask_load(struct array_run *run, const struct tile_cursor *at)
{
	struct load load = load_at(run->work, at);
	run->result.dram_ifmap_read_word += load.ifmap_word;
	run->result.dram_filter_read_word += load.filter_word;
	ask(run, &run->load, load.ifmap_word + load.filter_word);
}

static void run_steps(struct array_run *run)
{
	struct tile_cursor at = {0};
	uint64_t finished_word = 0; /* results that no store was asked for */
	bool more = true;
	ask_load(run, &at);
	wait_for(run, true);
	while (more) {
		struct tile_cursor next = at;
		more = next_step(run->work, &next);
		bool ends_block = !more || next.d.tile == 0;
		if (more)
			ask_load(run, &next);
		if (finished_word > 0)
			ask(run, &run->store, finished_word);
		finished_word = 0;
		double begin_clk = run->now_clk;
		uint64_t clk = clk_at(run->machine, run->work, &at);
		serve_until(run, begin_clk + (double)clk);
		run->n_event++;
		run->compute_clk += clk;
		trace_until_now(run, TRACE_PE_MLA, "task", begin_clk, clk);
		count_step(run, &at);
		if (ends_block) {
			finished_word =
			    pixels_at(run->work, &at) / systolic_pool_area(run->work) * size_at(&run->work->c, &at.c);
			run->result.dram_ofmap_write_word += finished_word;
		}
		wait_for(run, ends_block);
		at = next;
	}
	ask(run, &run->store, finished_word);
	wait_for(run, true);
}

/* NULL: all holds. */
static const char *audit(const struct array_run *run, double all_word)
{
	const struct systolic_result *words = &run->result;
	double clk = run->now_clk * (1 + 1e-9);
	if (run->mac < systolic_n_mac(run->work) || run->mac > systolic_n_mac(run->work))
		return "multiply-accumulates done are not those wanted";
	if (clk < (double)run->compute_clk || clk < all_word / run->bandwidth_word)
		return "the run took less than the array or the interface needs";
	if (words->sram_ofmap_write_word - words->sram_ofmap_read_word !=
	    words->dram_ofmap_write_word * systolic_pool_area(run->work))
		return "results and partial sums written are not those read and stored";
	return NULL;
}

enum err_code event_systolic_run(const struct machine *machine, const struct systolic_work *work, uint32_t level,
                                 const struct trace_sink *trace, struct systolic_result *result,
                                 struct event_stat *stat, struct err *err)
{
	uint64_t n_step = mul_sat(mul_sat(systolic_dim_n(&work->w), systolic_dim_n(&work->h)),
	                          mul_sat(mul_sat(systolic_dim_n(&work->c), systolic_dim_n(&work->d)), work->n_group));
	if (n_step > EVENT_SYSTOLIC_MAX_STEP)
		return err_add(err, ERR_INFEASIBLE,
		               "%" PRIu64
		               " tiles on a systolic array, at most %d are simulated one by one; take larger "
		               "tiles or closed forms (--detail fast)",
		               n_step, EVENT_SYSTOLIC_MAX_STEP);
	struct array_run run = {.machine = machine,
	                        .work = work,
	                        .trace = trace,
	                        .bandwidth_word = systolic_bandwidth_word(machine, level)};
	run_steps(&run);
	double all_word = (double)run.result.dram_ifmap_read_word + (double)run.result.dram_filter_read_word +
	                  (double)run.result.dram_ofmap_write_word;
	const char *wrong = audit(&run, all_word);
	if (wrong)
		return err_add(err, ERR_INTERNAL, "self-check of the event simulation: %s", wrong);
	const struct systolic_time time = {run.compute_clk, real_max(run.now_clk, (double)run.compute_clk)};
	systolic_finish(machine, work, &time, &run.result);
	*result = run.result;
	if (stat)
		stat->n_event += run.n_event;
	return ERR_OK;
}

/* ---- programs ---- */

static enum err_code run_step(const struct machine *machine, const struct step *step, uint32_t level,
                              const struct event_option *option, struct sim_result *result, struct event_stat *stat,
                              struct err *err)
{
	const struct event_option none = {0}, *how = option ? option : &none;
	struct systolic_result run;
	struct counts counts;
	enum err_code code = machine->systolic.memory == SYSTOLIC_PHYSICAL
	                         ? event_systolic_run(machine, &step->u.systolic, level, how->trace, &run, stat, err)
	                         : systolic_scalesim_run(machine, &step->u.systolic, level, how->stop, &run, err);
	if (code != ERR_OK)
		return code;
	systolic_counts_of(machine, &run, systolic_n_mac(&step->u.systolic), &counts);
	counts.awake_clk = (double)run.total_clk * machine_n_pe(machine);
	result->phase_clk[PHASE_COMPUTATION] += run.total_clk - run.stall_clk;
	result->phase_clk[PHASE_STALL] += run.stall_clk;
	result->phase_bound[PHASE_COMPUTATION] = run.stall_clk > run.total_clk / 2 ? BOUND_DRAM : BOUND_MAC;
	result->phase_bound[PHASE_STALL] = BOUND_DRAM;
	result->peak_power_mw =
	    real_max(result->peak_power_mw, result_power_mw(machine, level, &counts, (double)run.total_clk));
	counts_add(&result->counts, &counts);
	return ERR_OK;
}

enum err_code event_systolic_run_program(const struct machine *machine, const struct program *program, uint32_t level,
                                         const struct event_option *option, struct sim_result *result,
                                         struct event_stat *stat, struct err *err)
{
	struct sim_result run = {.sram_byte = program->sram_byte};
	struct event_stat counted = {0};
	assert(machine->target == MACHINE_SYSTOLIC && level < machine->n_level);
	for (uint32_t i = 0; i < program->n_step; i++) {
		const struct step *step = &program->step[i];
		if (step->kind != STEP_SYSTOLIC) {
			fast_add_step(machine, step, level, &run);
			continue;
		}
		enum err_code code = run_step(machine, step, level, option, &run, &counted, err);
		if (code != ERR_OK)
			return code;
	}
	result_finish(machine, level, &run);
	*result = run;
	if (stat)
		*stat = counted;
	return ERR_OK;
}
