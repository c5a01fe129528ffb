/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_MACHINE_FIGURES_H
#define TESTS_MACHINE_FIGURES_H
/*
 * What a user sees of a machine, as rows of three tables: its totals, designs of
 * small layers in the fast tier, and tasks of one QPE in the event tier.
 * tests/golden/ has them as recorded.
 */
#include "sim/event/event.h"
#include "sim/mla/greybox.h"
#include "tests/support/sample_design.h"
#include "tests/support/sample_schedule.h"
#include <stdio.h>
#include <string.h>

#define MAX_FIGURE 40
#define MAX_SAMPLE 24

enum figure_table { FIGURE_TOTAL, FIGURE_LAYER, FIGURE_TASK, N_FIGURE_TABLE };

struct figure_row {
	enum figure_table table;
	char label[96]; /* machine,level,case */
	double value[MAX_FIGURE];
};

struct figure_info {
	const char *path;
	const char *column[MAX_FIGURE]; /* of the values; up to a NULL */
};
static const struct figure_info figure_info[N_FIGURE_TABLE] = {
    [FIGURE_TOTAL] = {"tests/golden/machine_totals.csv",
                      {"n_pe", "n_mac", "sram_byte", "area_um2", "static_mw", "roofline_clk", "switch_ns", "switch_pj",
                       "n_lane", "sleep_mw", "n_divider", "schedule_us"}},
    [FIGURE_LAYER] = {"tests/golden/machine_layers.csv",
                      {"verdict",       "demanded_byte",   "available_byte", "weight_clk",   "input_clk",
                       "migration_clk", "computation_clk", "tasks_clk",      "stall_clk",    "fetch_clk",
                       "padd_clk",      "mat_ele_clk",     "acti_clk",       "quan_clk",     "pool_clk",
                       "fce_clk",       "mul_clk",         "func_clk",       "softmax_clk",  "norm_clk",
                       "core_clk",      "total_clk",       "latency_ns",     "pe_sram_byte", "mac_util_frac",
                       "dram_byte",     "mla_pj",          "sram_pj",        "noc_pj",       "dram_pj",
                       "arm_pj",        "awake_pj",        "static_pj",      "total_pj",     "peak_mw",
                       "packet"}},
    [FIGURE_TASK] = {"tests/golden/machine_tasks.csv",
                     {"clk", "packet", "mac_clk", "a_stall_clk", "b_stall_clk", "out_clk", "a_word", "b_word",
                      "out_word", "sram_clk", "greybox_clk"}},
};

/* Takes a row; false: no more are wanted. */
typedef bool (*figure_sink)(void *user, const struct figure_row *row);

/* ---- designs ---- */

/* A shortcut's result is rectified by the ARM core even where the MLA has an output stage: here every machine has. */
static const char staged_name[] = "shortcut with output stage";

/* Reuse with copies, with filters that rotate in a block and go round the ring; storage QPEs read, written, full. */
static inline uint32_t figure_chip_samples(struct sample *sample)
{
	uint32_t n = 0;
	sample[n] = sample_conv(2, 14, 32, STRATEGY_FUSION_REUSE);
	sample[n++].name = "reuse copy";
	sample[n] = sample_conv(2, 14, 64, STRATEGY_FUSION_REUSE);
	sample[n++].name = "reuse rotate";
	sample[n] = sample_conv(4, 14, 32, STRATEGY_FUSION_REUSE);
	sample[n++].name = "reuse ring";
	sample[n] = sample_conv(2, 14, 32, STRATEGY_THESIS_REUSE);
	sample[n++].name = "reuse thesis";
	sample[n++] = sample_kept(512);
	sample[n] = sample_kept(1024);
	sample[n++].name = "storage full";
	return n;
}

static inline uint32_t figure_qpe_samples(struct sample *sample)
{
	uint32_t n = 0;
	sample[n] = sample_conv(2, 14, 32, STRATEGY_FUSION_REUSE);
	sample[n].name = "reuse ifmap";
	sample[n++].design.reuse = REUSE_IFMAP;
	sample[n] = sample_conv(2, 7, 32, STRATEGY_FUSION_REUSE);
	sample[n].name = "reuse filter and copy";
	sample[n++].design.reuse = REUSE_FILTER;
	return n;
}

/* Designs that both targets know. */
static inline uint32_t figure_samples(const struct machine *machine, struct sample *sample)
{
	uint32_t n = machine->target == MACHINE_CHIP ? figure_chip_samples(sample) : figure_qpe_samples(sample);
	sample[n] = sample_conv(1, 1, 128, STRATEGY_FUSION);
	sample[n++].name = "too large";
	sample[n] = sample_conv(2, 14, 32, STRATEGY_FUSION);
	sample[n++].name = "fusion";
	sample[n] = sample_conv(4, 14, 32, STRATEGY_NO_FUSION);
	sample[n].name = "shortcut";
	sample[n++].block.has_mat_ele = true;
	sample[n] = sample_conv(2, 14, 32, STRATEGY_FUSION);
	sample[n].name = staged_name;
	sample[n++].block.has_mat_ele = true;
	sample[n] = sample_conv(2, 14, 16, STRATEGY_FUSION);
	sample[n].name = "partial sums";
	sample[n++].design.split.d = equal_parts(128, 4);
	sample[n] = sample_conv(2, 28, 64, STRATEGY_FUSION);
	sample[n].name = "16 bit";
	sample[n++].design.operand_bit = 16;
	sample[n++] = sample_matmul();
	sample[n++] = sample_pool();
	for (int kind = 0; kind < N_ARM_KIND; kind++)
		sample[n++] = sample_arm((enum arm_kind)kind);
	sample[n++] = sample_packed(STRATEGY_FUSION_REUSE);
	sample[n] = sample_packed(STRATEGY_FUSION);
	sample[n].name = "as matmul";
	sample[n++].design.form = FORM_MATMUL;
	assert_true(n <= MAX_SAMPLE);
	return n;
}

static inline void figure_result(const struct sim_result *result, double *value)
{
	const struct energy *energy = &result->energy;
	for (int i = 0; i < N_PHASE; i++)
		*value++ = (double)result->phase_clk[i];
	const double rest[] = {
	    (double)result->core_clk, (double)result->total_clk,
	    result->latency_ns,       (double)result->sram_byte,
	    result->mac_util_frac,    result->counts.dram_read_byte + result->counts.dram_write_byte,
	    energy->mla_pj,           energy->sram_pj,
	    energy->noc_pj,           energy->dram_pj,
	    energy->arm_pj,           energy->awake_pj,
	    energy->static_pj,        energy->total_pj,
	    result->peak_power_mw,    result->counts.noc_packet,
	};
	memcpy(value, rest, sizeof(rest));
}

static inline struct figure_row figure_layer(const struct machine *as_it_is, uint32_t level,
                                             const struct sample *sample)
{
	struct figure_row row = {.table = FIGURE_LAYER};
	struct machine machine = *as_it_is;
	struct layer_context context;
	struct layer_design design = sample->design;
	struct program program;
	struct verdict verdict;
	struct sim_result result;
	if (sample->name == staged_name)
		machine.mla_postprocess = true;
	design.level = level;
	mapper_prepare_form(&sample->block, &machine, design.operand_bit, design.form, &context);
	if (mapper_distribute(&context, &design, &program, &verdict)) {
		fast_run(&machine, &program, level, &result);
		figure_result(&result, row.value + 3);
	} else {
		row.value[0] = verdict.reason;
		row.value[1] = (double)verdict.demanded;
		row.value[2] = (double)verdict.available;
	}
	return row;
}

/* ---- tasks ---- */

struct figure_task {
	const char *name;
	struct mla_shape task;
};

static const struct figure_task figure_task[] = {
    {"conv of a neighbour",
     {.kind = MLA_CONV, .operand_bit = 8, .pe_shift = 1, .kernel_w = 3, .kernel_h = 3, .conv = {34, 6, 12, 8, 1}}},
    {"conv of a narrow block",
     {.kind = MLA_CONV, .operand_bit = 8, .pe_shift = 1, .kernel_w = 3, .kernel_h = 3, .conv = {30, 5, 12, 4, 1}}},
    {"conv of its own",
     {.kind = MLA_CONV, .operand_bit = 16, .pe_shift = 0, .kernel_w = 1, .kernel_h = 1, .conv = {30, 2, 40, 6, 1}}},
    {"matmul of its own", {.kind = MLA_MATMUL, .operand_bit = 8, .pe_shift = 0, .matmul = {64, 4, 64}}},
    {"matmul of a neighbour", {.kind = MLA_MATMUL, .operand_bit = 8, .pe_shift = 2, .matmul = {64, 4, 64}}},
};

/* By the grey-box model, wherever operand A comes from. */
static inline double figure_greybox_clk(const struct machine *machine, uint32_t level, const struct mla_shape *task)
{
	const struct operating_point *point = &machine->level[level];
	struct greybox_shape shape = {task->conv.in_w, task->conv.in_h, task->conv.in_c,   task->conv.n_filter,
	                              task->kernel_w,  task->kernel_h,  machine->mla_cols, machine->mla_rows};
	if (task->kind == MLA_CONV)
		return greybox_clk(&shape, &point->conv);
	shape = (struct greybox_shape){task->matmul.b_w, 1, task->matmul.a_w, task->matmul.a_h, 1, 1, machine->mla_cols,
	                               machine->mla_rows};
	return greybox_clk(&shape, &point->matmul);
}

/* The same task on all PEs. A task that the event tier refuses (a port of 18 bytes) has no clocks. */
static inline struct figure_row figure_run_task(const struct machine *machine, uint32_t level,
                                                const struct mla_shape *task)
{
	struct figure_row row = {.table = FIGURE_TASK};
	struct machine at_level = *machine;
	struct mla_shape all[EVENT_MAX_PE];
	struct event_result result;
	uint32_t n_pe = machine->qpe_n_pe < EVENT_MAX_PE ? machine->qpe_n_pe : EVENT_MAX_PE;
	static const enum event_count count[] = {EVENT_MAC_CLK, EVENT_A_STALL_CLK, EVENT_B_STALL_CLK, EVENT_OUT_CLK,
	                                         EVENT_A_WORD,  EVENT_B_WORD,      EVENT_OUT_WORD,    EVENT_SRAM_CLK};
	at_level.level[0] = machine->level[level];
	for (uint32_t i = 0; i < n_pe; i++)
		all[i] = *task;
	if (event_run_qpe(&at_level, all, n_pe, NULL, &result, NULL) != ERR_OK)
		return row;
	row.value[0] = (double)result.clk;
	row.value[1] = (double)result.n_noc_packet;
	for (uint32_t k = 0; k < sizeof(count) / sizeof(count[0]); k++) {
		for (uint32_t i = 0; i < n_pe; i++)
			row.value[2 + k] += (double)result.pe[i].count[count[k]];
	}
	row.value[2 + sizeof(count) / sizeof(count[0])] = figure_greybox_clk(machine, level, task);
	return row;
}

/* ---- all of a machine ---- */

static inline struct figure_row figure_total(const struct machine *machine, uint32_t level)
{
	struct program program = {.n_step = 1};
	program.step[0].counts = (struct counts){.mac = 1e3, .dram_read_byte = 1e6};
	double switch_ns, switch_pj, sleep_mw;
	uint32_t n_lane;
	sample_dvfs(machine, &switch_ns, &switch_pj, &n_lane, &sleep_mw);
	return (struct figure_row){
	    .table = FIGURE_TOTAL,
	    .value = {machine_n_pe(machine), (double)machine_n_mac(machine), (double)machine_sram_byte(machine),
	              machine_area_um2(machine), energy_static_mw(machine, level),
	              fast_roofline_clk(machine, &program, level), switch_ns, switch_pj, n_lane, sleep_mw,
	              machine->dvfs_n_divider, sample_schedule_us(machine, level)},
	};
}

static inline bool figure_give(const struct machine *machine, uint32_t level, const char *name, struct figure_row row,
                               figure_sink sink, void *user)
{
	snprintf(row.label, sizeof(row.label), "%s,%s,%s", machine->name, machine->level[level].name, name);
	return sink(user, &row);
}

/* Give all rows of a machine to the sink, those that cost least first, until it wants no more. */
static inline void figures_of(const struct machine *machine, figure_sink sink, void *user)
{
	struct sample sample[MAX_SAMPLE];
	uint32_t n_sample = figure_samples(machine, sample);
	for (uint32_t level = 0; level < machine->n_level; level++) {
		if (!figure_give(machine, level, "machine", figure_total(machine, level), sink, user))
			return;
		for (uint32_t i = 0; i < n_sample; i++) {
			struct figure_row row = figure_layer(machine, level, &sample[i]);
			if (!figure_give(machine, level, sample[i].name, row, sink, user))
				return;
		}
		for (size_t i = 0; i < sizeof(figure_task) / sizeof(figure_task[0]); i++) {
			struct figure_row row = figure_run_task(machine, level, &figure_task[i].task);
			if (!figure_give(machine, level, figure_task[i].name, row, sink, user))
				return;
		}
	}
}

#endif
