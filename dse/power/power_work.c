/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes segments from runs of designs. Whole layers take what the simulator says; parts of layers divide it
 * (power_work_loops.c), so that a layer costs the same however finely its level is chosen. A change of level costs the
 * machine file's time and energy, and static power at the new level meanwhile.
 */
#include "dse/power/power_work.h"
#include "dse/base/memory.h"
#include "sim/base/checked.h"
#include "sim/base/stop.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const power_part_name[N_POWER_PART] = {"layer", "load", "loop", "last loop", "loops", "ARM"};

/* Levels, lanes and changes: from the machine. Static power is drawn while the level changes. */
static void take_hardware(const struct machine *machine, uint32_t levels, struct power_problem *problem)
{
	uint32_t all = (UINT32_C(1) << machine->n_level) - 1;
	assert(machine->n_level >= 1 && machine->n_level <= POWER_MAX_LEVEL);
	problem->n_level = machine->n_level;
	problem->levels = levels ? levels & all : all;
	problem->n_lane = machine->dvfs_n_lane;
	problem->n_divider = machine->dvfs_n_divider;
	for (uint32_t i = 0; i < machine->n_level; i++) {
		problem->vdd_v[i] = machine->level[i].vdd_v;
		problem->clk_mhz[i] = machine->level[i].clk_mhz;
		problem->sleep_mw[i] = energy_static_mw(machine, i);
	}
	for (uint32_t i = 0; i < machine->n_level; i++)
		for (uint32_t k = 0; k < machine->n_level; k++) {
			problem->switch_ns[i][k] = energy_switch_ns(machine, i, k);
			problem->switch_pj[i][k] =
			    energy_switch_pj(machine, i, k) + problem->sleep_mw[k] * problem->switch_ns[i][k];
		}
}

/* Pieces and segments are written side by side; close_writer gives them to the work. */
struct power_writer {
	struct power_work *work;
	struct power_piece *piece;
	struct power_segment *segment;
	size_t n, n_room;
};

static void close_writer(struct power_writer *writer)
{
	struct power_work *work = writer->work;
	struct power_segment *segment = memory_must(arena_array(&work->arena, writer->n + 1, sizeof(*segment)));
	work->piece = memory_must(arena_array(&work->arena, writer->n + 1, sizeof(*work->piece)));
	if (writer->n > 0) {
		memcpy(segment, writer->segment, writer->n * sizeof(*segment));
		memcpy(work->piece, writer->piece, writer->n * sizeof(*work->piece));
	}
	free(writer->segment);
	free(writer->piece);
	writer->piece = work->piece;
	writer->segment = segment;
	work->problem.segment = segment;
	work->problem.n_segment = writer->n;
}

static void put_segment(struct power_writer *writer, const struct power_piece *piece, const struct power_mode *mode,
                        size_t n_mode, uint32_t n_repeat)
{
	assert(n_mode > 0 && n_repeat > 0);
	if (writer->n == writer->n_room) {
		writer->n_room = writer->n_room ? 2 * writer->n_room : 64;
		writer->piece = memory_resize(writer->piece, writer->n_room, sizeof(*writer->piece));
		writer->segment = memory_resize(writer->segment, writer->n_room, sizeof(*writer->segment));
	}
	writer->piece[writer->n] = *piece;
	writer->segment[writer->n++] = (struct power_segment){n_mode, mode, n_repeat};
}

/* A mode of a part of a layer: some of a group's time and dynamic energy, static energy for that time. */
static struct power_mode mode_of(const struct loop_groups *groups, const struct loop_group *group, double time_frac,
                                 double energy_frac, uint32_t level, uint32_t choice)
{
	assert(time_frac >= 0 && time_frac <= 1 && energy_frac >= 0 && energy_frac <= 1 + 1e-9);
	double ns = group->ns * time_frac, pj = group->dynamic_pj * energy_frac + groups->static_mw * ns;
	/* pJ per ns is mW */
	return (struct power_mode){level, choice, ns, pj, ns > 0 ? pj / ns : groups->static_mw, NULL};
}

/* Power of the first loop, in which most PEs have a task. */
static double full_loop_mw(const struct loop_groups *groups, const struct pe_deal *deal)
{
	assert(groups->n_task > 0 && groups->loop.ns > 0);
	double loop_ns = groups->loop.ns / (double)deal->n_loop;
	/* pJ per ns is mW */
	return groups->static_mw +
	       groups->loop.dynamic_pj * (deal->stretch[0].n_busy[0] / (double)deal->n_task) / loop_ns;
}

/* So many loops of as many tasks, all PEs at one level; groups [n_level of the modes]. */
static void put_loop(struct power_writer *writer, const struct loop_groups *groups, const uint32_t *level,
                     size_t n_mode, double time_frac, double energy_frac, uint32_t n_loop,
                     const struct power_piece *piece)
{
	struct power_mode *mode = memory_must(arena_array(&writer->work->arena, n_mode, sizeof(*mode)));
	assert(n_mode > 0 && n_mode <= POWER_MAX_LEVEL);
	for (size_t i = 0; i < n_mode; i++)
		mode[i] = mode_of(&groups[i], &groups[i].loop, time_frac, energy_frac, level[i], 0);
	put_segment(writer, piece, mode, n_mode, n_loop);
}

/* The loops of a stretch, full ones first, those with as many tasks as one segment. */
static void put_stretch(struct power_writer *writer, const struct loop_groups *groups, const uint32_t *level,
                        size_t n_mode, const struct pe_deal *deal, const struct pe_stretch *stretch,
                        struct power_piece piece)
{
	bool is_one_kind = stretch->n_busy[stretch->n_loop - 1] == stretch->n_busy[0];
	uint32_t n_time = is_one_kind ? 1 : stretch->n_repeat;
	for (uint32_t time = 0; time < n_time; time++)
		for (uint32_t i = 0, n; i < stretch->n_loop; i += n) {
			uint32_t n_task = stretch->n_busy[i];
			for (n = 1; i + n < stretch->n_loop && stretch->n_busy[i + n] == n_task;)
				n++;
			piece.part = n_task < stretch->n_busy[0] ? POWER_LAST_LOOP : POWER_LOOP;
			piece.n_task = piece.n_pe = n_task;
			put_loop(writer, groups, level, n_mode, 1.0 / (double)deal->n_loop,
			         n_task / (double)deal->n_task, is_one_kind ? n * stretch->n_repeat : n, &piece);
		}
}

/* By PE where its tasks are dealt to PEs so that each can go its own way, else all PEs at one level. */
static void put_loops(struct power_writer *writer, const struct loop_groups *groups, const uint32_t *level,
                      size_t n_mode, const struct pe_deal *deal, const struct power_work_options *options,
                      const struct power_piece *piece)
{
	for (size_t i = 0; i < deal->n_stretch; i++) {
		struct power_piece loops = *piece;
		struct power_segment segment;
		const struct pe_loops spread = {writer->work->machine, groups, level, n_mode, deal};
		if (options->domain != DVFS_CHIP &&
		    power_spread_loops(&spread, &deal->stretch[i], options, &writer->work->arena, &loops, &segment))
			put_segment(writer, &loops, segment.mode, segment.n_mode, segment.n_repeat);
		else
			put_stretch(writer, groups, level, n_mode, deal, &deal->stretch[i], *piece);
	}
}

/* Whose tasks are where is not known: every loop has its share. */
static void put_even_loops(struct power_writer *writer, const struct loop_groups *groups, const uint32_t *level,
                           size_t n_mode, struct power_piece piece)
{
	double frac = 1.0 / (double)groups[0].n_loop;
	piece.part = POWER_LOOP;
	piece.n_task = groups[0].n_task / groups[0].n_loop;
	piece.n_pe = 0;
	put_loop(writer, groups, level, n_mode, frac, frac, (uint32_t)groups[0].n_loop, &piece);
}

/* Loads or ARM operations, when there are any. */
static void put_group(struct power_writer *writer, const struct loop_groups *groups, enum power_part part,
                      const uint32_t *level, size_t n_mode, struct power_piece piece)
{
	struct power_mode *mode = memory_must(arena_array(&writer->work->arena, n_mode, sizeof(*mode)));
	double most_ns = 0;
	for (size_t i = 0; i < n_mode; i++) {
		const struct loop_group *group = part == POWER_LOAD ? &groups[i].load : &groups[i].arm;
		mode[i] = mode_of(&groups[i], group, 1, 1, level[i], 0);
		most_ns = fmax(most_ns, mode[i].time_ns);
	}
	piece.part = part;
	piece.n_task = piece.n_pe = 0;
	if (most_ns > 0)
		put_segment(writer, &piece, mode, n_mode, 1);
}

/* A layer by its parts, or as one piece of these modes; deal NULL: not known. ERR_USAGE: too many loops. */
static enum err_code put_layer(struct power_writer *writer, const struct loop_groups *groups, const uint32_t *level,
                               const struct power_mode *mode, size_t n_mode, const struct pe_deal *deal,
                               const struct power_piece *piece, const struct power_work_options *options,
                               struct err *err)
{
	if (!options->per_loop) {
		put_segment(writer, piece, mode, n_mode, 1);
		return ERR_OK;
	}
	if (groups[0].n_loop > POWER_MAX_STAGE)
		return err_add(err, ERR_USAGE,
		               "dse power: %s has %" PRIu64 " loops, allowed are %d; leave --per-loop away",
		               piece->block->name, groups[0].n_loop, POWER_MAX_STAGE);
	put_group(writer, groups, POWER_LOAD, level, n_mode, *piece);
	if (groups[0].n_loop > 0 && deal)
		put_loops(writer, groups, level, n_mode, deal, options, piece);
	else if (groups[0].n_loop > 0)
		put_even_loops(writer, groups, level, n_mode, *piece);
	put_group(writer, groups, POWER_ARM, level, n_mode, *piece);
	return ERR_OK;
}

/* Every piece at the lower of two levels takes ratio times what it takes at the higher. */
static enum err_code apply_ratio(double ratio, struct power_writer *writer, struct err *err)
{
	const struct power_problem *problem = &writer->work->problem;
	uint32_t level[2], n = 0;
	for (uint32_t i = 0; i < problem->n_level; i++)
		if (problem->levels >> i & 1) {
			if (n < 2)
				level[n] = i;
			n++;
		}
	if (n != 2)
		return err_add(err, ERR_USAGE,
		               "dse power: --ratio is of the energies at two levels, found %u; choose two with "
		               "--levels",
		               (unsigned)n);
	bool first_is_low = problem->vdd_v[level[0]] < problem->vdd_v[level[1]] ||
	                    (problem->vdd_v[level[0]] <= problem->vdd_v[level[1]] &&
	                     problem->clk_mhz[level[0]] < problem->clk_mhz[level[1]]);
	uint32_t low = level[first_is_low ? 0 : 1], high = level[first_is_low ? 1 : 0];
	for (size_t i = 0; i < problem->n_segment; i++) {
		size_t n_mode = problem->segment[i].n_mode;
		struct power_mode *mode = memory_must(arena_array(&writer->work->arena, n_mode, sizeof(*mode)));
		for (size_t k = 0; k < n_mode; k++)
			mode[k] = problem->segment[i].mode[k];
		for (size_t k = 0; k < n_mode; k++)
			for (size_t m = 0; m < n_mode && mode[k].level == low; m++)
				if (mode[m].level == high && mode[m].choice == mode[k].choice) {
					double before_pj = mode[k].energy_pj;
					mode[k].energy_pj = ratio * mode[m].energy_pj;
					if (before_pj > 0)
						mode[k].peak_mw *= mode[k].energy_pj / before_pj;
				}
		writer->segment[i].mode = mode;
	}
	return ERR_OK;
}

/* code: of what was written. */
static enum err_code finish(const struct power_work_options *options, enum err_code code, struct power_writer *writer,
                            struct err *err)
{
	close_writer(writer);
	size_t n_stage = power_n_stage(&writer->work->problem);
	if (code != ERR_OK)
		return code;
	if (writer->n == 0)
		return err_add(err, ERR_USAGE,
		               "dse power: none of the layers has MLA tasks; choose others with --layers");
	if (n_stage > POWER_MAX_STAGE)
		return err_add(
		    err, ERR_USAGE,
		    "dse power: %zu loops, allowed are %d; leave --per-loop away or choose layers with --layers",
		    n_stage, POWER_MAX_STAGE);
	return options->ratio > 0 ? apply_ratio(options->ratio, writer, err) : ERR_OK;
}

/* An item's context for designs of a form: its own, or one that is made when it is asked for first. */
static const struct layer_context *context_of(const struct power_item *item, enum conv_form form, struct arena *arena,
                                              struct layer_context *made[N_CONV_FORM])
{
	const struct layer_context *own = item->context;
	if (form == own->form)
		return own;
	if (!made[form]) {
		made[form] = memory_must(arena_alloc(arena, sizeof(*made[form])));
		mapper_prepare_form(own->block, own->machine, own->operand_bit, form, made[form]);
	}
	return made[form];
}

/* All designs of all items at their levels, in that order. */
static enum err_code run_designs(const struct machine *machine, const struct power_item *item, size_t n_item,
                                 const struct power_work_options *options, uint32_t levels, struct arena *arena,
                                 struct detail_run **run, struct err *err)
{
	size_t n = 0, at = 0;
	for (size_t i = 0; i < n_item; i++)
		n += item[i].n_design * (item[i].is_at_level ? 1 : machine->n_level);
	*run = memory_must(arena_array(arena, n + 1, sizeof(**run)));
	struct layer_design *design = memory_must(arena_array(arena, n + 1, sizeof(*design)));
	for (size_t i = 0; i < n_item; i++) {
		struct layer_context *made[N_CONV_FORM] = {NULL};
		for (size_t k = 0; k < item[i].n_design; k++)
			for (uint32_t l = 0; l < machine->n_level; l++) {
				design[at] = item[i].design[k];
				bool is_wanted = !item[i].is_at_level || design[at].level == l;
				if (!is_wanted || !(levels >> l & 1))
					continue;
				design[at].level = l;
				(*run)[at].context = context_of(&item[i], design[at].form, arena, made);
				(*run)[at].design = &design[at];
				at++;
			}
	}
	return detail_run_all(*run, at, &options->detail, err);
}

static enum err_code put_runs(struct power_writer *writer, const struct power_item *item, const struct detail_run *run,
                              size_t n_run, const struct power_work_options *options, struct err *err)
{
	assert(item->context && item->n_design > 0);
	struct arena *arena = &writer->work->arena;
	struct power_mode *mode = memory_must(arena_array(arena, n_run + 1, sizeof(*mode)));
	struct loop_groups *groups = memory_must(arena_array(arena, n_run + 1, sizeof(*groups)));
	uint32_t *level = memory_must(arena_array(arena, n_run + 1, sizeof(*level)));
	struct layer_design *choice = memory_must(arena_array(arena, n_run + 1, sizeof(*choice)));
	struct power_piece piece = {.block = item->context->block, .choice = choice};
	size_t n = 0;
	const struct verdict *why = NULL;
	const struct layer_context *context = NULL;
	assert(item->is_at_level || item->n_design == 1);
	for (size_t i = 0; i < n_run; i++) {
		if (!run[i].ran) {
			why = &run[i].verdict;
			continue;
		}
		const struct sim_result *result = &run[i].result;
		context = run[i].context;
		level[n] = run[i].design->level;
		choice[n] = *run[i].design;
		if (options->per_loop)
			groups[n] = loop_groups_of(run[i].context, run[i].design, result);
		mode[n] = (struct power_mode){level[n],
		                              item->is_at_level ? (uint32_t)n : 0,
		                              result->latency_ns,
		                              result->energy.total_pj,
		                              result->peak_power_mw,
		                              NULL};
		n++;
	}
	if (n == 0)
		return err_add(err, ERR_INFEASIBLE, "%s: %s", piece.block->name,
		               why ? verdict_table[why->reason].help : "no design at the levels chosen");
	struct pe_deal deal;
	bool is_dealt = options->per_loop && pe_deal_of(context, &choice[0], arena, &deal);
	piece.n_choice = item->is_at_level ? (uint32_t)n : 1;
	piece.n_task = split_n_task(&choice[0].split) * block_batch(piece.block);
	return put_layer(writer, groups, level, mode, n, is_dealt ? &deal : NULL, &piece, options, err);
}

enum err_code power_work_build(const struct machine *machine, const struct power_item *item, size_t n_item,
                               const struct power_work_options *options, struct power_work *work, struct err *err)
{
	struct detail_run *run = NULL;
	struct power_writer writer = {.work = work};
	*work = (struct power_work){.machine = machine};
	take_hardware(machine, options->levels, &work->problem);
	enum err_code code = run_designs(machine, item, n_item, options, work->problem.levels, &work->arena, &run, err);
	if (code != ERR_OK)
		return code;
	for (size_t i = 0, at = 0; i < n_item && code != ERR_INTERRUPTED; i++) {
		size_t n_run = 0;
		while (run[at + n_run].context && run[at + n_run].context->block == item[i].context->block)
			n_run++;
		enum err_code put = stop_requested(NULL)
		                        ? err_add(err, ERR_INTERRUPTED, "interrupted; nothing was written")
		                        : put_runs(&writer, &item[i], &run[at], n_run, options, err);
		code = code == ERR_OK ? put : code;
		at += n_run;
	}
	return finish(options, code, &writer, err);
}

enum err_code power_work_build_tasks(const struct machine *machine, const struct power_item *item, size_t n_item,
                                     const struct power_work_options *options, struct power_work *work, struct err *err)
{
	struct power_writer writer = {.work = work};
	*work = (struct power_work){.machine = machine};
	take_hardware(machine, options->levels, &work->problem);
	enum err_code code = ERR_OK;
	for (size_t i = 0; i < n_item; i++) {
		struct loop_groups groups[POWER_MAX_LEVEL];
		uint32_t level[POWER_MAX_LEVEL];
		size_t n = 0;
		struct pe_deal deal;
		struct power_piece piece = {
		    .block = item[i].context->block, .part = POWER_LAYER, .n_choice = 1, .choice = item[i].design};
		if (piece.block->kind == BLOCK_POOL)
			continue;
		struct power_mode *mode = memory_must(arena_array(&work->arena, POWER_MAX_LEVEL, sizeof(*mode)));
		for (uint32_t l = 0; l < machine->n_level; l++) {
			if (!(work->problem.levels >> l & 1))
				continue;
			groups[n] =
			    power_groups_of_tasks(item[i].context, &item[i].design->split, l, options->detail.detail);
			level[n] = l;
			mode[n] = mode_of(&groups[n], &groups[n].loop, 1, 1, l, 0);
			pe_deal_evenly(groups[n].n_task, machine_n_pe(machine), &work->arena, &deal);
			mode[n].peak_mw = full_loop_mw(&groups[n], &deal);
			n++;
		}
		piece.n_task = groups[0].n_task;
		piece.n_pe = deal.stretch[0].n_busy[0];
		enum err_code put = put_layer(&writer, groups, level, mode, n, &deal, &piece, options, err);
		code = code == ERR_OK ? put : code;
	}
	return finish(options, code, &writer, err);
}

void power_work_free(struct power_work *work)
{
	arena_free(&work->arena);
	*work = (struct power_work){0};
}
