/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/space/detail.h"
#include "sim/base/stop.h"
#include "dse/base/parallel.h"
#include "dse/spread/layer_plan.h"
#include "mapper/unfold/unfold.h"
#include "sim/event/event_memo.h"
#include "sim/event/event_systolic.h"
#include "sim/program/mixed.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>

const char *const detail_name[N_DETAIL] = {
    [DETAIL_FAST] = "fast", [DETAIL_EVENT] = "event", [DETAIL_GREYBOX] = "greybox"};

/* What differs between two results first; NULL: nothing. Field by field, because padding holds anything. */
static const char *find_difference(const struct sim_result *left, const struct sim_result *right)
{
	const struct counts *a = &left->counts, *b = &right->counts;
	for (unsigned i = 0; i < N_PHASE; i++)
		if (left->phase_clk[i] != right->phase_clk[i])
			return phase_name[i];
	const struct {
		const char *name;
		double left, right;
	} count[] = {
	    {"multiply-accumulates", a->mac, b->mac},
	    {"MAC clocks", a->mla_clk, b->mla_clk},
	    {"SRAM words read", a->sram_read_word, b->sram_read_word},
	    {"SRAM words written", a->sram_write_word, b->sram_write_word},
	    {"NoC packets", a->noc_packet, b->noc_packet},
	    {"DRAM bytes read", a->dram_read_byte, b->dram_read_byte},
	    {"DRAM bytes written", a->dram_write_byte, b->dram_write_byte},
	    {"ARM clocks", a->arm_clk, b->arm_clk},
	    {"clocks of working PEs", a->awake_clk, b->awake_clk},
	    {"energy", left->energy.total_pj, right->energy.total_pj},
	    {"peak power", left->peak_power_mw, right->peak_power_mw},
	};
	for (size_t i = 0; i < sizeof(count) / sizeof(count[0]); i++)
		if (count[i].left < count[i].right || count[i].left > count[i].right)
			return count[i].name;
	return left->total_clk != right->total_clk || left->core_clk != right->core_clk ? "total clocks" : NULL;
}

/* Replay must be no approximation: every event simulated gives the same. */
static enum err_code audit(const struct layer_context *context, const struct schedule *schedule, uint32_t level,
                           const struct sim_result *replayed, struct err *err)
{
	struct sim_result every = {0};
	const struct event_option option = {.no_replay = true};
	enum err_code code = event_run_schedule(context->machine, schedule, level, &option, &every, NULL, err);
	const char *what = code == ERR_OK ? find_difference(replayed, &every) : NULL;
	if (what)
		code = err_add(err, ERR_INTERNAL,
		               "audit: with replay %s differ from those with every event simulated (%" PRIu64
		               " and %" PRIu64 " clocks)",
		               what, replayed->total_clk, every.total_clk);
	return code;
}

static enum err_code simulate_schedule(const struct layer_context *context, const struct layer_design *design,
                                       const struct detail_options *options, struct sim_result *result,
                                       struct event_stat *stat, struct err *err)
{
	struct schedule schedule = {0};
	const struct event_option option = {.trace = options->trace, .memo = options->memo, .stop = options->stop};
	enum err_code code = mapper_unfold(context, design, &schedule, err);
	if (code == ERR_OK)
		code = schedule_check(&schedule, context->machine, err);
	if (code == ERR_OK)
		code = event_run_schedule(context->machine, &schedule, design->level, &option, result, stat, err);
	if (code == ERR_OK && options->audit)
		code = audit(context, &schedule, design->level, result, err);
	schedule_free(&schedule);
	return code;
}

/* A systolic array's program has all that its event tier needs; nothing of it is replayed, so there is no audit. */
static enum err_code simulate_event(const struct layer_context *context, const struct layer_design *design,
                                    const struct program *program, const struct detail_options *options,
                                    struct sim_result *result, struct event_stat *stat, struct err *err)
{
	struct err inner = {0};
	const struct event_option option = {.trace = options->trace, .stop = options->stop};
	enum err_code code;
	if (context->machine->target == MACHINE_SYSTOLIC)
		code =
		    event_systolic_run_program(context->machine, program, design->level, &option, result, stat, &inner);
	else
		code = simulate_schedule(context, design, options, result, stat, &inner);
	/* The tier knows operations and shapes; whose they are is said here. */
	if (code == ERR_INTERRUPTED)
		(void)err_add(err, code, "interrupted");
	else if (code != ERR_OK)
		(void)err_add(err, code, "%s: %.*s", context->block->name,
		              (int)(inner.n_byte > 0 ? inner.n_byte - 1 : 0), err_text(&inner));
	err_clear(&inner);
	return code;
}

/*
 * Clocks of a slow PE's loops among PEs at the faster point: these ask the NoC for as much more as their clock is
 * faster. As if all PEs did at the slower point is the most that can come of it.
 */
static enum err_code crowd(const struct layer_context *context, const struct layer_design *low, double high_mhz,
                           const struct program *program, const struct detail_options *options,
                           struct sim_result *result, struct err *err)
{
	struct machine crowded = *context->machine;
	struct layer_context within = *context;
	struct sim_result most;
	crowded.noc_clk_mhz *= crowded.level[low->level].clk_mhz / high_mhz;
	within.machine = &crowded;
	enum err_code code = simulate_event(&within, low, program, options, &most, NULL, err);
	for (int i = 0; i < N_PHASE && code == ERR_OK; i++)
		if (phase_is_loop((enum phase)i) && most.phase_clk[i] > result->phase_clk[i])
			result->phase_clk[i] = most.phase_clk[i];
	return code;
}

/* Of a mixed operating point both of its points, the slower one untraced. */
static enum err_code simulate_event_pair(const struct layer_context *context, const struct layer_design *design,
                                         const struct program *program, const struct detail_options *options,
                                         struct sim_result part[2], struct event_stat *stat, struct err *err)
{
	const struct operating_point *point = &context->machine->level[design->level];
	struct layer_design low = *design, high = *design;
	struct detail_options untraced = *options;
	low.level = point->low;
	high.level = point->high;
	untraced.trace = NULL;
	enum err_code code = simulate_event(context, &low, program, &untraced, &part[0], NULL, err);
	if (code == ERR_OK && mixed_is_by_pe(context->machine))
		code = crowd(context, &low, context->machine->level[high.level].clk_mhz, program, &untraced, &part[0],
		             err);
	if (code == ERR_OK)
		code = simulate_event(context, &high, program, options, &part[1], stat, err);
	return code;
}

static enum err_code simulate_events(const struct layer_context *context, const struct layer_design *design,
                                     const struct program *program, const struct detail_options *options,
                                     struct sim_result *result, struct event_stat *stat, struct err *err)
{
	struct sim_result part[2];
	if (!mixed_is(&context->machine->level[design->level]))
		return simulate_event(context, design, program, options, result, stat, err);
	enum err_code code = simulate_event_pair(context, design, program, options, part, stat, err);
	if (code == ERR_OK)
		mixed_combine(context->machine, design->level, mixed_n_round(program), &part[0], &part[1], result);
	return code;
}

/* A round multiplies for the kernel and the channels of a part, or for a part of A's columns. Pooling has no rounds. */
static struct greybox_work greybox_work(const struct layer_context *context, const struct layer_design *design)
{
	const struct block *block = context->block;
	struct operand_rate rate;
	operand_rate(context->machine, design->operand_bit, &rate);
	bool is_conv = block->kind == BLOCK_CONV;
	double n_tap = is_conv ? (double)block->kernel_w * block->kernel_h : 1;
	const struct dim_split *d = &design->split.d;
	n_tap *= ((double)d->size_a * d->n_a + (double)d->size_b * d->n_b) / dim_n_part(d);
	return (struct greybox_work){block->kind == BLOCK_MATMUL || context->form == FORM_MATMUL, n_tap * rate.tap_clk};
}

enum err_code detail_simulate_pair(const struct layer_context *context, const struct layer_design *design,
                                   const struct program *program, const struct detail_options *options,
                                   struct sim_result part[2], struct event_stat *stat, struct err *err)
{
	const struct operating_point *point = &context->machine->level[design->level];
	assert(mixed_is(point));
	if (options->detail == DETAIL_EVENT)
		return simulate_event_pair(context, design, program, options, part, stat, err);
	const struct greybox_work work = greybox_work(context, design);
	const uint32_t level[2] = {point->low, point->high};
	for (int i = 0; i < 2; i++)
		if (options->detail == DETAIL_FAST)
			fast_run(context->machine, program, level[i], &part[i]);
		else
			fast_run_greybox(context->machine, program, level[i], &work, &part[i]);
	if (stat)
		*stat = (struct event_stat){0};
	return ERR_OK;
}

/* At a pair of levels by PE: the plan that the design names, found in the fast tier and priced in the one asked for. */
static enum err_code simulate_plan(const struct layer_context *context, const struct layer_design *design,
                                   const struct program *program, const struct detail_options *options,
                                   struct sim_result *result, struct event_stat *stat, struct err *err)
{
	const struct detail_options fast = {.detail = DETAIL_FAST};
	struct sim_result part[2];
	struct layer_plans plans;
	uint32_t place = layer_plan_place(design->plan);
	enum err_code code = detail_simulate_pair(context, design, program, &fast, part, NULL, err);
	if (code != ERR_OK)
		return code;
	layer_plans_make(context, design, program, layer_plan_weighs_peak(design->plan), &part[0], &part[1],
	                 &plans);
	if (place >= plans.n)
		code = err_add(err, ERR_INFEASIBLE, "%s: no plan %u of levels by PE, it has %zu", context->block->name,
		               place, plans.n);
	if (code == ERR_OK)
		code = detail_simulate_pair(context, design, program, options, part, stat, err);
	if (code == ERR_OK) {
		struct plan_loops loops;
		layer_plan_loops(&plans, &part[0], &part[1], &loops);
		layer_plan_price(&plans, place, &loops, result);
	}
	layer_plans_free(&plans);
	return code;
}

void detail_plan_text(const struct layer_context *context, const struct layer_design *design, char *text)
{
	const struct machine *machine = context->machine;
	const struct detail_options fast = {.detail = DETAIL_FAST};
	struct sim_result part[2];
	struct layer_plans plans;
	struct program program;
	struct verdict verdict;
	uint32_t place = layer_plan_place(design->plan);
	text[0] = '\0';
	if (!mixed_is(&machine->level[design->level]) || !mixed_is_by_pe(machine) ||
	    !mapper_distribute(context, design, &program, &verdict))
		return;
	(void)detail_simulate_pair(context, design, &program, &fast, part, NULL, NULL);
	layer_plans_make(context, design, &program, layer_plan_weighs_peak(design->plan), &part[0], &part[1],
	                 &plans);
	if (place < plans.n)
		layer_plan_print(&plans, place, text);
	layer_plans_free(&plans);
}

/* At one level of all PEs. */
static enum err_code simulate_level(const struct layer_context *context, const struct layer_design *design,
                                    const struct program *program, const struct detail_options *options,
                                    struct sim_result *result, struct event_stat *stat, struct err *err)
{
	if (options->detail == DETAIL_GREYBOX && context->machine->target == MACHINE_SYSTOLIC)
		return err_add(err, ERR_INPUT, "%s: the grey-box model is of tasks on an MLA, which %s has none of",
		               context->block->name, context->machine->name);
	const struct machine *machine = context->machine;
	/* SCALE-Sim's replay is the same in both tiers, and may find no memory */
	bool replays = machine->target == MACHINE_SYSTOLIC && machine->systolic.memory != SYSTOLIC_PHYSICAL;
	if (options->detail != DETAIL_EVENT && !replays) {
		const struct greybox_work work = greybox_work(context, design);
		if (options->detail == DETAIL_FAST)
			fast_run(context->machine, program, design->level, result);
		else
			fast_run_greybox(context->machine, program, design->level, &work, result);
		if (stat)
			*stat = (struct event_stat){0};
		return ERR_OK;
	}
	enum err_code code = simulate_events(context, design, program, options, result, stat, err);
	result->sram_byte = program->sram_byte;
	return code;
}

enum err_code detail_simulate(const struct layer_context *context, const struct layer_design *design,
                              const struct program *program, const struct detail_options *options,
                              struct sim_result *result, struct event_stat *stat, struct err *err)
{
	assert(context && design && program && options && options->detail < N_DETAIL && result);
	assert(design->level < context->machine->n_level && design->operand_bit == context->operand_bit);
	bool by_pe = mixed_is_by_pe(context->machine);
	enum err_code code = by_pe && mixed_is(&context->machine->level[design->level])
	                         ? simulate_plan(context, design, program, options, result, stat, err)
	                         : simulate_level(context, design, program, options, result, stat, err);
	/* beside plans, whose peak is that of any time */
	if (code == ERR_OK && by_pe && !mixed_is(&context->machine->level[design->level]))
		result->peak_power_mw = layer_plan_peak_mw(context, design, result);
	return code;
}

/* The grey-box model was fitted to a chip's tasks and compared with no tier. */
static struct uncertainty find_uncertainty(const struct detail_run *run, enum detail detail)
{
	if (detail == DETAIL_GREYBOX)
		return (struct uncertainty){NAN, NAN};
	return uncertainty_of(run->context->machine, &run->result, split_n_uneven(&run->design->split),
	                      detail == DETAIL_EVENT ? UNCERTAINTY_EVENT : UNCERTAINTY_FAST);
}

void detail_run(struct detail_run *run, const struct detail_options *options)
{
	struct program program;
	assert(run && run->context && run->design && options);
	run->code = ERR_OK;
	run->stat = (struct event_stat){0};
	run->verdict = (struct verdict){0};
	run->ran = false;
	if (options->can_stop && stop_requested(options->stop)) {
		run->code = err_add(&run->err, ERR_INTERRUPTED, "interrupted");
		return;
	}
	run->ran = mapper_distribute(run->context, run->design, &program, &run->verdict);
	if (!run->ran)
		return;
	run->code = detail_simulate(run->context, run->design, &program, options, &run->result, &run->stat, &run->err);
	/* a limit of the tier is a verdict, its message says which */
	if (run->code == ERR_INFEASIBLE) {
		run->code = ERR_OK;
		run->verdict.reason = VERDICT_TIER;
		run->ran = false;
		return;
	}
	run->ran = run->code == ERR_OK && mapper_judge_run(&run->result, &run->verdict);
	if (run->ran)
		run->uncertain = find_uncertainty(run, options->detail);
}

/* What the threads share. */
struct batch {
	struct detail_run *run;
	const struct detail_options *options;
};

static void run_one(void *context, size_t i)
{
	const struct batch *batch = context;
	detail_run(&batch->run[i], batch->options);
}

enum err_code detail_run_all(struct detail_run *run, size_t n, const struct detail_options *options, struct err *err)
{
	assert((run || n == 0) && options);
	struct detail_options shared = *options;
	struct batch batch = {run, &shared};
	bool makes_memo = n > 0 && options->detail == DETAIL_EVENT && !options->memo && !options->trace;
	/* without memory for it every run simulates its steps itself */
	if (makes_memo)
		shared.memo = event_memo_new(EVENT_MEMO_BYTE);
	unsigned n_thread = options->n_thread == 0 || options->trace ? 1 : options->n_thread;
	parallel_for(n, n_thread, run_one, &batch);
	if (makes_memo)
		event_memo_free(shared.memo);
	enum err_code code = ERR_OK;
	for (size_t i = 0; i < n; i++) {
		if (code == ERR_OK)
			(void)err_add_all(err, (struct err_place){0}, &run[i].err);
		code = code == ERR_OK ? run[i].code : code;
		err_clear(&run[i].err);
	}
	return code;
}
