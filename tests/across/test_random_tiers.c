/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fast tier against the event tier on random layers of every kind on random machines: on designs that were drawn,
 * and on designs that a search found, which goes where the fast tier is too fast. And how much slower the fast tier's
 * optimum is than the event tier's, both found by trying all designs of small spaces.
 *
 * TIERS=all in the environment (`make tiers`) makes 2000 draws and 100 spaces; else a sample of them, seconds.
 * TIERS_DRAWS and TIERS_SEED draw so many, and others. TIERS=table draws 24000 others and prints the fast tier's rows
 * of sim/fast/uncertainty_table.c (`make tiers-table`), which the draws of the other two then check.
 */
#include "tests/support/unit_test.h"

#include "dse/base/parallel.h"
#include "dse/space/machine_read.h"
#include "sim/fast/fast.h"
#include "sim/fast/uncertainty.h"
#include "sim/machine/machine_check.h"
#include "tests/support/all_runs.h"
#include "tests/support/random_design.h"
#include "tests/support/slow_build.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N_DRAW 2000
#define N_DRAW_TABLE 24000
#define N_DRAW_SAMPLE (SLOW_BUILD ? 12 : 120)
#define N_SPACE 100
#define N_SPACE_SAMPLE 1
/* What is run event by event: layers of so many clocks in the fast tier, designs of so many tasks. */
#define MOST_CLK 150000
#define MOST_TASK 2000
/* Designs among which a search finds the fastest; a draw that is feasible. */
#define N_TRY 300
/* Draws of the table are others than those that check it. */
#define SEED_CHECK 18
#define SEED_TABLE 20
/* Of a small space. */
#define MOST_DESIGN 160

enum kind { CONV, STRIDED, CONV_1X1, PACKED, AS_MATMUL, DEPTHWISE, GROUPED, FC, MATMUL, BATCH, WIDE, N_KIND };
static const char *const kind_name[N_KIND] = {
    [CONV] = "convolution",        [STRIDED] = "strided",     [CONV_1X1] = "1x1",    [PACKED] = "1x1 packed",
    [AS_MATMUL] = "1x1 as matmul", [DEPTHWISE] = "depthwise", [GROUPED] = "grouped", [FC] = "FC",
    [MATMUL] = "matmul",           [BATCH] = "batch",         [WIDE] = "16 bit"};

/* A machine and a layer with a design, in both tiers. */
struct draw {
	struct machine machine;
	struct block block;
	enum kind kind;
	bool is_found; /* by a search */
	struct layer_context context;
	struct layer_design design;
	struct sim_result fast, event;
};

/* As assert_true, for threads other than cmocka's. */
static void must(bool is_true, const char *what)
{
	if (is_true)
		return;
	(void)fprintf(stderr, "%s\n", what);
	exit(EXIT_FAILURE);
}

/* A number in the environment. */
static uint32_t wanted(const char *name, uint32_t otherwise)
{
	const char *text = getenv(name);
	return text ? (uint32_t)strtoul(text, NULL, 10) : otherwise;
}

/* ---- machines ---- */

static uint32_t pick(struct rng *rng, const uint32_t *list, size_t n)
{
	return list[rng_below(rng, (uint32_t)n)];
}

#define PICK(rng, list) pick(rng, list, sizeof(list) / sizeof((list)[0]))

/* NoC, routers, DRAM interfaces, PEs' clock, SRAM, mesh and array of a shipped machine are changed. */
static void draw_machine(struct rng *rng, struct machine *machine)
{
	static const char *const path[] = {"spaces/machines/thesis_chip.yaml", "spaces/machines/dvfs_chip.yaml",
	                                   "spaces/machines/final_chip.yaml", "spaces/machines/thesis_qpe_dram.yaml"};
	static const uint32_t noc_mhz[] = {125, 200, 250, 300, 400, 500, 500, 800, 1000},
			      pe_mhz[] = {150, 200, 250, 250, 300, 400};
	static const uint32_t side[] = {2, 3, 4, 6, 6, 8},
			      array[][2] = {{8, 4}, {16, 2}, {16, 4}, {16, 4}, {16, 8}, {32, 4}};
	static const uint32_t n_storage[] = {1, 2, 4}, sram_kib[] = {64, 96, 128, 256}, n_dram[] = {1, 2, 4};
	struct err err = {0};
	do {
		err_clear(&err);
		must(machine_read(path[rng_below(rng, 4)], machine, &err) == ERR_OK, "a shipped machine is no machine");
		machine->n_level = 1;
		machine->level[0].clk_mhz = PICK(rng, pe_mhz);
		machine->noc_clk_mhz = PICK(rng, noc_mhz);
		machine->noc_router_packet = 1 + rng_below(rng, 4);
		uint32_t i = rng_below(rng, 6);
		machine->mla_cols = array[i][0];
		machine->mla_rows = array[i][1];
		machine->pe_sram_byte = PICK(rng, sram_kib) * 1024;
		if (machine->target == MACHINE_CHIP && rng_below(rng, 2)) {
			machine->chip.mesh_w = PICK(rng, side);
			machine->chip.mesh_h = PICK(rng, side);
			machine->chip.n_qpe = machine->chip.mesh_w * machine->chip.mesh_h;
			machine->chip.n_storage_qpe = PICK(rng, n_storage);
		}
		if (machine->target == MACHINE_CHIP)
			machine->dram_n = PICK(rng, n_dram);
	} while (machine_check(machine, &err) != ERR_OK);
}

/* ---- layers ---- */

static struct block draw_conv(struct rng *rng, uint32_t kernel)
{
	struct block block = {
	    .kind = BLOCK_CONV, .pool = 1, .stride = 1, .batch = 1, .has_acti = true, .has_quan = true};
	(void)snprintf(block.name, sizeof(block.name), "CONV_1");
	block.kernel_w = block.kernel_h = kernel;
	block.out_w = random_from(rng, 4, 56);
	block.out_h = random_from(rng, 4, 56);
	block.in_c = random_from(rng, 1, rng_below(rng, 2) ? 16 : 128);
	block.out_c = random_from(rng, 4, rng_below(rng, 2) ? 64 : 256);
	return block;
}

static void draw_block(struct rng *rng, struct draw *draw)
{
	static const uint32_t kernel[] = {2, 3, 3, 3, 5, 7};
	struct block *block = &draw->block;
	bool is_1x1 = draw->kind == CONV_1X1 || draw->kind == PACKED || draw->kind == AS_MATMUL;
	*block = draw_conv(rng, is_1x1 ? 1 : PICK(rng, kernel));
	draw->design = (struct layer_design){.operand_bit = draw->kind == WIDE ? 16 : 8};
	if (draw->kind == PACKED || draw->kind == AS_MATMUL)
		draw->design.form = draw->kind == PACKED ? FORM_PACKED : FORM_MATMUL;
	if (draw->kind == STRIDED)
		block->stride = 2;
	if (draw->kind == BATCH)
		block->batch = random_from(rng, 2, 4);
	if (draw->kind == DEPTHWISE) {
		block->groups = block->in_c = block->out_c = random_from(rng, 8, 256);
	} else if (draw->kind == GROUPED) {
		block->groups = random_from(rng, 2, 8);
		block->in_c = block->groups * random_from(rng, 1, 16);
		block->out_c = block->groups * random_from(rng, 4, 32);
	}
	block->in_w = (block->out_w - 1) * block->stride + block->kernel_w;
	block->in_h = (block->out_h - 1) * block->stride + block->kernel_h;
	if (draw->kind != FC && draw->kind != MATMUL)
		return;
	*block = random_matmul(rng, draw->kind == FC ? 1024 : 256);
	block->in_h = block->out_h = draw->kind == FC ? 1 : random_from(rng, 2, 64);
	block->in_w = random_from(rng, 16, draw->kind == FC ? 1024 : 256);
	block->out_w = random_from(rng, 16, draw->kind == FC ? 1024 : 256);
}

/* ---- designs ---- */

/* Of all splits of an extent most have a large part and many small ones, which nobody would try; half of those drawn
 * are as even as can be. */
static struct dim_split draw_dim(struct rng *rng, uint32_t extent, uint32_t step, uint32_t most_part)
{
	struct arena arena = {0};
	struct dim_axis axis;
	struct err err = {0};
	enum split_choice kind = rng_below(rng, 2) ? SPLIT_EVEN : SPLIT_ALL;
	must(dim_axis_build(extent, step, 1, most_part, kind, &arena, &axis, &err) == ERR_OK, "no splits of an extent");
	struct dim_split dim = axis.choice[rng_below(rng, (uint32_t)axis.n)];
	arena_free(&arena);
	return dim;
}

static struct split draw_split(struct rng *rng, const struct block *block, uint32_t most_part)
{
	struct split split = split_whole(block);
	split.w = draw_dim(rng, block->out_w, block->pool, most_part);
	split.h = draw_dim(rng, block->out_h, block->pool, most_part);
	if (block->kind == BLOCK_CONV)
		split.c = block_n_group(block) > 1 ? random_filters(rng, block, most_part)
		                                   : draw_dim(rng, block->out_c, 1, most_part);
	if (rng_below(rng, 4) == 0)
		split.d = draw_dim(rng, split.d.size_a, 1, most_part);
	return split;
}

/* A design of the drawn layer, feasible and short enough; false: none was met in so many tries. */
static bool draw_design(struct rng *rng, const struct draw *draw, uint32_t most_part, struct layer_design *design,
                        struct sim_result *result)
{
	static const enum strategy strategy[] = {STRATEGY_NO_FUSION, STRATEGY_FUSION, STRATEGY_FUSION_REUSE};
	struct program program;
	struct verdict verdict;
	*design = draw->design;
	design->split = draw_split(rng, &draw->block, most_part);
	design->strategy = strategy[rng_below(rng, 3)];
	design->in_storage = rng_below(rng, 2);
	design->out_storage = rng_below(rng, 2);
	if (split_n_task(&design->split) > MOST_TASK || !mapper_distribute(&draw->context, design, &program, &verdict))
		return false;
	fast_run(&draw->machine, &program, 0, result);
	return result->core_clk <= MOST_CLK;
}

/* The fastest of some: a search that knows nothing of how either tier works. */
static bool find_design(struct rng *rng, struct draw *draw)
{
	bool is_found = false;
	for (int i = 0; i < N_TRY; i++) {
		struct layer_design design;
		struct sim_result result;
		if (!draw_design(rng, draw, 40, &design, &result))
			continue;
		if (!is_found || result.core_clk < draw->fast.core_clk) {
			draw->design = design;
			draw->fast = result;
		}
		is_found = true;
		if (!draw->is_found)
			break;
	}
	return is_found;
}

static void make_draw(uint32_t seed, uint32_t index, struct draw *draw)
{
	for (uint32_t attempt = 0;; attempt++) {
		struct rng rng = rng_stream(seed, attempt, index);
		draw->kind = (enum kind)(index / 2 % N_KIND);
		draw->is_found = index % 2;
		draw_machine(&rng, &draw->machine);
		draw_block(&rng, draw);
		mapper_prepare_form(&draw->block, &draw->machine, draw->design.operand_bit, draw->design.form,
		                    &draw->context);
		if (find_design(&rng, draw))
			return;
		must(attempt < 1000, "no feasible design in 1000 draws");
	}
}

/* What threads share that draw. */
struct drawing {
	uint32_t seed, begin;
	struct draw *draw;
};

static void make_one(void *context, size_t i)
{
	const struct drawing *drawing = context;
	make_draw(drawing->seed, drawing->begin + (uint32_t)i, &drawing->draw[i]);
}

static void run_events(struct draw *draw, size_t n)
{
	struct detail_run *run = test_calloc(n, sizeof(*run));
	for (size_t i = 0; i < n; i++)
		run[i] = (struct detail_run){.context = &draw[i].context, .design = &draw[i].design};
	run_all(run, n, (struct detail_options){.detail = DETAIL_EVENT, .n_thread = parallel_n_thread(0)});
	for (size_t i = 0; i < n; i++)
		draw[i].event = run[i].result;
	test_free(run);
}

/* Draws [begin, begin + n) in both tiers; the caller frees them with test_free. */
static struct draw *make_draws(uint32_t seed, uint32_t begin, size_t n)
{
	struct drawing drawing = {seed, begin, test_calloc(n, sizeof(*drawing.draw))};
	parallel_for(n, parallel_n_thread(0), make_one, &drawing);
	run_events(drawing.draw, n);
	return drawing.draw;
}

/* ---- errors ---- */

/* Allowed of all draws: absolute errors' mean, 90th percentile and largest; bias, their mean with sign. */
struct limits {
	double mean_frac, p90_frac, largest_frac, bias_frac;
};

static double error_of(const struct draw *draw)
{
	assert_true(draw->event.core_clk > 0);
	return (double)draw->fast.core_clk / (double)draw->event.core_clk - 1;
}

static int by_size(const void *a, const void *b)
{
	double x = fabs(*(const double *)a), y = fabs(*(const double *)b);
	return (x > y) - (x < y);
}

static const char *found_name(int is_found)
{
	return is_found < 0 ? "both" : is_found ? "found" : "drawn";
}

/* One line of these draws; kind N_KIND: all; whether they are within the limits. */
static bool report(const struct draw *draw, size_t n, enum kind kind, int is_found, const struct limits *limits)
{
	double *error = test_calloc(n, sizeof(*error)), sum = 0, bias = 0;
	size_t n_error = 0;
	for (size_t i = 0; i < n; i++)
		if ((kind == N_KIND || draw[i].kind == kind) && (is_found < 0 || draw[i].is_found == (is_found > 0)))
			error[n_error++] = error_of(&draw[i]);
	for (size_t i = 0; i < n_error; i++) {
		sum += fabs(error[i]) / (double)n_error;
		bias += error[i] / (double)n_error;
	}
	bool good = true;
	if (n_error > 0) {
		qsort(error, n_error, sizeof(*error), by_size);
		double p90 = fabs(error[(n_error - 1) * 9 / 10]), largest = fabs(error[n_error - 1]);
		print_message("%-14s %-6s %5zu  mean %5.2f %%  p90 %5.2f %%  largest %6.2f %%  bias %+6.2f %%\n",
		              kind == N_KIND ? "all" : kind_name[kind], found_name(is_found), n_error, 100 * sum,
		              100 * p90, 100 * largest, 100 * bias);
		good = sum <= limits->mean_frac && p90 <= limits->p90_frac && largest <= limits->largest_frac &&
		       fabs(bias) <= limits->bias_frac;
	}
	test_free(error);
	return good;
}

/* The n draws that are furthest apart, by phase. */
static void print_worst(const struct draw *draw, size_t n, size_t n_worst)
{
	double below_frac = INFINITY;
	for (size_t k = 0; k < n_worst; k++) {
		const struct draw *worst = NULL;
		for (size_t i = 0; i < n; i++)
			if (fabs(error_of(&draw[i])) < below_frac &&
			    (!worst || fabs(error_of(&draw[i])) > fabs(error_of(worst))))
				worst = &draw[i];
		if (!worst)
			return;
		below_frac = fabs(error_of(worst));
		const struct machine *machine = &worst->machine;
		print_message("%s %s %+.1f %%: mesh %ux%u of %u, %u storage QPEs, %u DRAM, NoC %g MHz, %u packets a "
		              "router, PE %g MHz, array %ux%u\n",
		              kind_name[worst->kind], worst->is_found ? "found" : "drawn", 100 * error_of(worst),
		              machine->chip.mesh_w, machine->chip.mesh_h, machine->chip.n_qpe,
		              machine->chip.n_storage_qpe, machine->dram_n, machine->noc_clk_mhz,
		              machine->noc_router_packet, machine->level[0].clk_mhz, machine->mla_cols,
		              machine->mla_rows);
		print_design(&worst->context, &worst->design);
		for (int i = 0; i < N_PHASE; i++)
			if (worst->fast.phase_clk[i] != worst->event.phase_clk[i])
				print_message("  %s: fast %llu, event %llu clk\n", phase_name[i],
				              (unsigned long long)worst->fast.phase_clk[i],
				              (unsigned long long)worst->event.phase_clk[i]);
	}
}

/* ---- uncertainties ---- */

/* What is said of nine of ten must hold for about as many of other draws, drawn or found, and not for nearly all. */
#define LEAST_WITHIN_FRAC 0.85
#define MOST_WITHIN_FRAC 0.98

/* Whether the stated uncertainties are true of these draws; is_found < 0: of all. */
static bool is_certain(const struct draw *draw, size_t n, int is_found)
{
	size_t n_within = 0, n_asked = 0;
	double sum_frac = 0;
	for (size_t i = 0; i < n; i++) {
		if (is_found >= 0 && draw[i].is_found != (is_found > 0))
			continue;
		struct uncertainty stated = uncertainty_of(&draw[i].machine, &draw[i].fast,
		                                           split_n_uneven(&draw[i].design.split), UNCERTAINTY_FAST);
		assert_null(uncertainty_find_far(&draw[i].machine, 0));
		n_within += fabs((double)draw[i].event.total_clk - (double)draw[i].fast.total_clk) <=
		            stated.event_frac * (double)draw[i].fast.total_clk;
		sum_frac += stated.event_frac;
		n_asked++;
	}
	double within_frac = (double)n_within / (double)n_asked;
	print_message("%-14s %-6s %5zu  %.1f %% within their uncertainty, %.2f %% in the mean\n", "",
	              found_name(is_found), n_asked, 100 * within_frac, 100 * sum_frac / (double)n_asked);
	return within_frac >= LEAST_WITHIN_FRAC && within_frac <= MOST_WITHIN_FRAC;
}

/* A phase of a draw: how far it is from the event tier, in percent of the fast tier's clocks. */
struct phase_error {
	unsigned class;
	bool is_found;
	double pct;
};

/* Appends those of the draws; returns how many there are then. */
static size_t take_phases(const struct draw *draw, size_t n_draw, struct phase_error *error, size_t n)
{
	for (size_t i = 0; i < n_draw; i++)
		for (int k = 0; k < N_PHASE; k++) {
			uint64_t fast_clk = draw[i].fast.phase_clk[k], event_clk = draw[i].event.phase_clk[k];
			unsigned class = uncertainty_class(&draw[i].machine, (enum phase)k, fast_clk,
			                                   split_n_uneven(&draw[i].design.split));
			if (fast_clk > 0 && class < UNCERTAINTY_N_CLASS)
				error[n++] = (struct phase_error){class, draw[i].is_found,
				                                  100 * ((double)event_clk / (double)fast_clk - 1)};
		}
	return n;
}

/* Fewer phases tell no percentile. */
#define N_FEW 20

/* 90th percentile of the classes [first, first + n_class), of found designs alone if wanted; -1: they are too few. */
static double p90_pct(const struct phase_error *error, size_t n, unsigned first, unsigned n_class, bool found_only)
{
	double *pct = test_calloc(n, sizeof(*pct)), p90 = -1;
	size_t n_pct = 0;
	for (size_t i = 0; i < n; i++)
		if (error[i].class >= first && error[i].class < first + n_class && (error[i].is_found || !found_only))
			pct[n_pct++] = error[i].pct;
	if (n_pct >= N_FEW) {
		qsort(pct, n_pct, sizeof(*pct), by_size);
		p90 = fabs(pct[(n_pct - 1) * 9 / 10]);
	}
	test_free(pct);
	return p90;
}

/* ---- packets ---- */

/*
 * Packets through routers, of which energies of the NoC are made: of each draw and in the mean, and bytes of the DRAM,
 * which are the same ones. On a QPE little is left but rounding to packets; on a chip the fast tier takes all jobs of a
 * queue and all parts of a phase for as large as the mean one, though the larger ones may go to the nearer PEs. Of a few
 * draws one may weigh much.
 */
static void check_packets(const struct draw *draw, size_t n)
{
	double sum = 0, bias = 0, largest = 0;
	for (size_t i = 0; i < n; i++) {
		const struct counts *fast = &draw[i].fast.counts, *event = &draw[i].event.counts;
		double error = fast->noc_packet / event->noc_packet - 1;
		assert_true(fabs(error) < (draw[i].machine.target == MACHINE_CHIP ? 0.5 : 0.02));
		assert_true(fabs(fast->dram_read_byte - event->dram_read_byte) <= 1e-9 * event->dram_read_byte);
		assert_true(fabs(fast->dram_write_byte - event->dram_write_byte) <= 1e-9 * event->dram_write_byte);
		sum += fabs(error) / (double)n;
		bias += error / (double)n;
		largest = fmax(largest, fabs(error));
	}
	print_message("packets through routers: mean %.2f %%, largest %.1f %%, bias %+.2f %%\n", 100 * sum,
	              100 * largest, 100 * bias);
	assert_true(n < N_DRAW_SAMPLE || SLOW_BUILD || (sum < 0.022 && fabs(bias) < 0.006));
}

/* Of a class; where it has too few phases, of all lengths, then of all machines, then of all splits; 100: there are
 * none. */
static double class_pct(const struct phase_error *error, size_t n, unsigned class)
{
	static const unsigned n_class[] = {1, UNCERTAINTY_N_SIZE, UNCERTAINTY_N_SIZE * UNCERTAINTY_N_POINT,
	                                   UNCERTAINTY_N_SIZE * UNCERTAINTY_N_POINT * UNCERTAINTY_N_SPLIT};
	for (size_t i = 0; i < sizeof(n_class) / sizeof(n_class[0]); i++) {
		unsigned first = class / n_class[i] * n_class[i];
		double pct = p90_pct(error, n, first, n_class[i], false);
		if (pct >= 0)
			return fmax(pct, p90_pct(error, n, first, n_class[i], true));
	}
	return 100;
}

/* Rows of C; behind each the phases that its classes have. */
static void print_table(const struct phase_error *error, size_t n)
{
	static const char *const name[N_UNCERTAINTY_KIND] = {
	    "QPE_JOBS", "QPE_WEIGHT", "QPE_INPUT", "QPE_COMPUTE", "JOBS", "WEIGHT", "INPUT", "MIGRATION", "COMPUTE"};
	const unsigned n_row = UNCERTAINTY_N_POINT * UNCERTAINTY_N_SIZE;
	size_t n_phase[UNCERTAINTY_N_CLASS] = {0};
	for (size_t i = 0; i < n; i++)
		n_phase[error[i].class]++;
	for (unsigned class = 0; class < UNCERTAINTY_N_CLASS; class ++) {
		unsigned at = class % n_row, split = class / n_row % UNCERTAINTY_N_SPLIT;
		if (at == 0)
			(void)printf("    [UNCERTAINTY_%s][%u] = {", name[class / n_row / UNCERTAINTY_N_SPLIT], split);
		bool begins = class % UNCERTAINTY_N_SIZE == 0;
		(void)printf("%s%s%.1fF%s", at > 0 ? ", " : "", begins ? "{" : "", class_pct(error, n, class),
		             begins ? "" : "}");
		if (at < n_row - 1)
			continue;
		(void)printf("}, /*");
		for (unsigned i = class - at; i <= class; i++)
			(void)printf(" %zu", n_phase[i]);
		(void)printf(" */\n");
	}
}

static void test_random_tiers_agree(void **state)
{
	/* What is reached, which must not grow; of the few draws of a slow build one may weigh much. */
	static const struct limits sample = {0.036, 0.1, 0.2, 0.012}, all = {0.042, 0.105, 0.63, 0.01},
				   few = {0.15, 0.4, 0.9, 0.08}, none = {1, 1, 10, 1};
	const struct limits limits = tries_all() ? all : SLOW_BUILD ? few : sample;
	size_t n = wanted("TIERS_DRAWS", tries_all() ? N_DRAW : N_DRAW_SAMPLE);
	(void)state;
	struct draw *draw = make_draws(wanted("TIERS_SEED", SEED_CHECK), 0, n);
	check_packets(draw, n);
	for (int kind = 0; kind < N_KIND; kind++)
		for (int found = 0; found < 2; found++)
			(void)report(draw, n, (enum kind)kind, found, &none);
	for (int found = 0; found < 2; found++)
		(void)report(draw, n, N_KIND, found, &none);
	bool good = report(draw, n, N_KIND, -1, &limits);
	print_worst(draw, n, tries_all() ? 20 : 3);
	for (int found = -1; found < 2; found++)
		good &= is_certain(draw, n, found) || n < N_DRAW_SAMPLE || SLOW_BUILD;
	test_free(draw);
	assert_true(good);
}

/* ---- optima of small spaces ---- */

/* What is reached, which must not grow. */
#define MAX_LOSS_FRAC 0.3

/* A small space: a layer on a machine, and designs of it. */
struct small_space {
	struct draw draw;
	size_t n;
	struct layer_design design[MOST_DESIGN];
	struct sim_result fast[MOST_DESIGN];
};

static void make_space(void *context, size_t index)
{
	struct small_space *space = &((struct small_space *)context)[index];
	struct rng rng = rng_stream(19, 1, (uint32_t)index);
	make_draw(SEED_CHECK, (uint32_t)(2 * (index % N_KIND) + 4 * N_KIND * index), &space->draw);
	for (uint32_t i = 0; i < 40 * MOST_DESIGN && space->n < MOST_DESIGN; i++)
		space->n += draw_design(&rng, &space->draw, 6, &space->design[space->n], &space->fast[space->n]);
}

/* Event clocks of the fast tier's optimum over the event tier's, less one. */
static double loss_of(const struct small_space *space)
{
	struct detail_run run[MOST_DESIGN] = {{0}};
	size_t fastest = 0, best = 0;
	if (space->n == 0)
		return 0;
	for (size_t i = 0; i < space->n; i++)
		run[i] = (struct detail_run){.context = &space->draw.context, .design = &space->design[i]};
	run_all(run, space->n, (struct detail_options){.detail = DETAIL_EVENT, .n_thread = parallel_n_thread(0)});
	for (size_t i = 1; i < space->n; i++) {
		fastest = space->fast[i].core_clk < space->fast[fastest].core_clk ? i : fastest;
		best = run[i].result.core_clk < run[best].result.core_clk ? i : best;
	}
	return (double)run[fastest].result.core_clk / (double)run[best].result.core_clk - 1;
}

static void test_random_tiers_find_the_same_optimum(void **state)
{
	uint32_t n = tries_all() ? N_SPACE : N_SPACE_SAMPLE;
	double sum = 0, largest = 0;
	(void)state;
	struct small_space *space = test_calloc(n, sizeof(*space));
	parallel_for(n, parallel_n_thread(0), make_space, space);
	for (uint32_t i = 0; i < n; i++) {
		double loss = loss_of(&space[i]);
		sum += loss / n;
		largest = fmax(largest, loss);
	}
	test_free(space);
	print_message("the fast tier's optimum in %u small spaces: mean %.2f %%, at most %.2f %% slower than the event "
	              "tier's\n",
	              n, 100 * sum, 100 * largest);
	assert_true(largest <= MAX_LOSS_FRAC);
}

/* So many at a time are in memory. */
#define N_DRAW_BATCH 2000

static void test_random_tiers_table(void **state)
{
	uint32_t n_draw = wanted("TIERS_DRAWS", N_DRAW_TABLE), seed = wanted("TIERS_SEED", SEED_TABLE);
	struct phase_error *error = test_calloc((size_t)n_draw * N_PHASE, sizeof(*error));
	size_t n = 0;
	(void)state;
	for (uint32_t begin = 0; begin < n_draw; begin += N_DRAW_BATCH) {
		size_t n_batch = n_draw - begin < N_DRAW_BATCH ? n_draw - begin : N_DRAW_BATCH;
		struct draw *draw = make_draws(seed, begin, n_batch);
		n = take_phases(draw, n_batch, error, n);
		test_free(draw);
	}
	print_table(error, n);
	test_free(error);
}

int main(void)
{
	const char *what = getenv("TIERS");
	const struct CMUnitTest test[] = {
	    cmocka_unit_test(test_random_tiers_agree),
	    cmocka_unit_test(test_random_tiers_find_the_same_optimum),
	};
	const struct CMUnitTest table[] = {cmocka_unit_test(test_random_tiers_table)};
	return what && strcmp(what, "table") == 0 ? cmocka_run_group_tests(table, NULL, NULL)
	                                          : cmocka_run_group_tests(test, NULL, NULL);
}
