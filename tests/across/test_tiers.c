/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fast tier against the event tier on the layers of VGG-16 and ResNet-50:
 * one QPE and the chip, all strategies and MAC arrays, the thesis' splits where
 * there are any, its splitter's elsewhere. The tiers share no code for clocks.
 * All layers take seven minutes of a core: without TIERS=all in the environment
 * (`make tiers`) only a part of them is run, under the same limits.
 */
#include "tests/support/shipped_network.h"
#include "tests/support/unit_test.h"

#include "dse/base/parallel.h"
#include "dse/space/machine_read.h"
#include "dse/design/simulate.h"
#include "dse/space/space.h"
#include "tests/support/all_runs.h"
#include "tests/support/slow_build.h"
#include "sim/machine/machine_check.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* How far the fast tier may be from the event tier, of which the errors are fractions. */
#define MAX_LAYER_FRAC 0.08
#define MAX_MEAN_FRAC 0.02

enum { QPE, CHIP, N_MACHINE };
static const char *const machine_name[N_MACHINE] = {[QPE] = "thesis_qpe_dram", [CHIP] = "thesis_chip"};
enum { VGG16, RESNET50, N_NETWORK };
static const char *const network_name[N_NETWORK] = {[VGG16] = "vgg16", [RESNET50] = "resnet50"};
#define N_ARRAY 3
static const char *const array_name[N_ARRAY] = {"16x4", "16x2", "8x4"};
#define MAX_BLOCK 64
#define MAX_LAYER (N_MACHINE * N_NETWORK * N_ARRAY * N_PE_STRATEGY * MAX_BLOCK)

/* Which layers are run. */
enum extent {
	EXTENT_FEW,  /* short ones, on one array: seconds in a slow build */
	EXTENT_PART, /* the chip's with reuse, and in all other groups those that stand for many or stand out */
	EXTENT_ALL
};

/* One machine, strategy and array: what the mean is over. */
struct group {
	size_t machine, array;
	enum strategy strategy;
};

/* A layer as it is to be run in both tiers, and for how many of its network it stands. */
struct layer {
	struct group group;
	size_t network;
	struct layer_context context;
	struct layer_design design;
	unsigned n_same;
	struct sim_result fast, event;
};

struct fixture {
	struct machine machine[N_MACHINE][N_ARRAY];
	struct network network[N_NETWORK];
	struct split_scheme scheme;
	size_t n;
	struct layer layer[MAX_LAYER];
};

static void set_up(struct fixture *fixture)
{
	struct err err = {0};
	char path[80];
	assert_int_equal(split_scheme_read("spaces/splits/thesis.csv", &fixture->scheme, &err), ERR_OK);
	for (size_t i = 0; i < N_NETWORK; i++) {
		fixture->network[i] = shipped_network(network_name[i]);
		assert_true(fixture->network[i].n_block <= MAX_BLOCK);
	}
	for (size_t i = 0; i < N_MACHINE; i++)
		for (size_t k = 0; k < N_ARRAY; k++) {
			struct machine *machine = &fixture->machine[i][k];
			(void)snprintf(path, sizeof(path), "spaces/machines/%s.yaml", machine_name[i]);
			assert_int_equal(machine_read(path, machine, &err), ERR_OK);
			assert_int_equal(
			    machine_set_param(machine, machine_find_param("mla.array"), array_name[k], &err), ERR_OK);
			assert_int_equal(machine_check(machine, &err), ERR_OK);
		}
}

static bool is_one_of(const char *name, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(name, list[i]) == 0)
			return true;
	return false;
}

/*
 * Short layers, of which every kind is there: pooling and products; convolutions
 * of 1x1 and 3x3, with stride and without, of wide and of deep ifmaps; and those
 * of which the tiers were furthest apart when all were run.
 */
static bool is_chosen(struct group group, size_t network, const char *name, enum extent extent)
{
	static const char *const few[] = {"CONV_3", "CONV_26", "POOL_2", "FC_52"};
	static const char *const part[N_NETWORK][5] = {
	    [VGG16] = {"CONV_1", "", "", "", ""}, [RESNET50] = {"CONV_14", "CONV_44", "CONV_3", "POOL_2", "FC_52"}};
	if (extent == EXTENT_ALL)
		return true;
	if (extent == EXTENT_FEW)
		return group.array == 0 && network == RESNET50 && is_one_of(name, few, sizeof(few) / sizeof(few[0]));
	if (network == VGG16 && group.array > 0)
		return false;
	return (network == RESNET50 && group.machine == CHIP && group.array == 0 &&
	        group.strategy == STRATEGY_FUSION_REUSE) ||
	       is_one_of(name, part[network], sizeof(part[0]) / sizeof(part[0][0]));
}

static bool same_dim(struct dim_split a, struct dim_split b)
{
	return a.size_a == b.size_a && a.n_a == b.n_a && a.size_b == b.size_b && a.n_b == b.n_b;
}

/* One split and the same places; all else is the group's. */
static bool same_design(const struct layer_design *a, const struct layer_design *b)
{
	assert(a->level == b->level && a->operand_bit == b->operand_bit && a->reuse == b->reuse);
	return same_dim(a->split.w, b->split.w) && same_dim(a->split.h, b->split.h) &&
	       same_dim(a->split.c, b->split.c) && same_dim(a->split.d, b->split.d) && a->strategy == b->strategy &&
	       a->in_storage == b->in_storage && a->out_storage == b->out_storage && a->add_storage == b->add_storage;
}

/* The layer that is this block in the same design, or NULL, among those from begin on. */
static struct layer *find_layer(struct fixture *fixture, size_t begin, const struct simulated *block)
{
	for (size_t i = begin; i < fixture->n; i++)
		if (block_same(fixture->layer[i].context.block, block->block) &&
		    same_design(&fixture->layer[i].design, &block->design))
			return &fixture->layer[i];
	return NULL;
}

/* The designs of a network as `dse simulate` makes them, those that recur only once; all run in the fast tier. */
static void add_network(struct fixture *fixture, struct group group, size_t network, enum extent extent)
{
	const struct machine *machine = &fixture->machine[group.machine][group.array];
	const struct network *from = &fixture->network[network];
	const struct simulate_options options = {.scheme = &fixture->scheme, .strategy = group.strategy};
	struct simulated block[MAX_BLOCK];
	struct err err = {0};
	size_t begin = fixture->n;
	if (simulate_network(machine, from, &options, block, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	for (size_t i = 0; i < from->n_block; i++) {
		if (!is_chosen(group, network, block[i].block->name, extent))
			continue;
		assert_true(block[i].ran);
		struct layer *layer = find_layer(fixture, begin, &block[i]);
		if (!layer) {
			assert_true(fixture->n < MAX_LAYER);
			layer = &fixture->layer[fixture->n++];
			*layer = (struct layer){.group = group, .network = network, .design = block[i].design};
			layer->fast = block[i].result;
			mapper_prepare(block[i].block, machine, block[i].design.operand_bit, &layer->context);
		}
		layer->n_same++;
	}
}

static void add_all(struct fixture *fixture, enum extent extent)
{
	fixture->n = 0;
	for (size_t i = 0; i < N_MACHINE; i++)
		for (size_t s = 0; s < N_PE_STRATEGY; s++)
			for (size_t k = 0; k < N_ARRAY; k++)
				for (size_t network = 0; network < N_NETWORK; network++)
					add_network(fixture, (struct group){i, k, (enum strategy)s}, network, extent);
	assert_true(fixture->n > 0);
}

/* Layers in the event tier. */
static void run_events(struct layer *layer, size_t n, struct detail_options options)
{
	struct detail_run *run = test_calloc(n, sizeof(*run));
	options.detail = DETAIL_EVENT;
	for (size_t i = 0; i < n; i++)
		run[i] = (struct detail_run){.context = &layer[i].context, .design = &layer[i].design};
	run_all(run, n, options);
	for (size_t i = 0; i < n; i++)
		layer[i].event = run[i].result;
	test_free(run);
}

/* Errors of the fast tier, core clocks and total clocks; the worst of both has its sign. */
struct tally {
	unsigned n_layer, n_distinct;
	double core_sum_frac, total_sum_frac, worst_frac;
	const struct layer *worst;
};

static double error_frac(uint64_t fast_clk, uint64_t event_clk)
{
	assert_true(event_clk > 0);
	return (double)fast_clk / (double)event_clk - 1.0;
}

/* A layer counts as often as it is in its network. */
static void add_layer(struct tally *tally, const struct layer *layer)
{
	double core = error_frac(layer->fast.core_clk, layer->event.core_clk);
	double total = error_frac(layer->fast.total_clk, layer->event.total_clk);
	double worst = fabs(core) < fabs(total) ? total : core;
	tally->n_distinct++;
	tally->n_layer += layer->n_same;
	tally->core_sum_frac += layer->n_same * fabs(core);
	tally->total_sum_frac += layer->n_same * fabs(total);
	if (!tally->worst || fabs(worst) > fabs(tally->worst_frac)) {
		tally->worst = layer;
		tally->worst_frac = worst;
	}
}

static bool same_group(struct group a, struct group b)
{
	return a.machine == b.machine && a.array == b.array && a.strategy == b.strategy;
}

/* One line; whether the group is within the limits. */
static bool report_group(const struct tally *tally)
{
	const struct layer *worst = tally->worst;
	assert_true(worst && tally->n_layer > 0);
	double core = tally->core_sum_frac / tally->n_layer, total = tally->total_sum_frac / tally->n_layer;
	bool good = fmax(core, total) <= MAX_MEAN_FRAC && fabs(tally->worst_frac) <= MAX_LAYER_FRAC;
	printf("%-15s %-12s %s: %2u layers, %2u distinct: mean %.2f %% of core clocks, %.2f %% of all; "
	       "worst %+.2f %%, %s %s%s\n",
	       machine_name[worst->group.machine], strategy_table[worst->group.strategy].name,
	       array_name[worst->group.array], tally->n_layer, tally->n_distinct, 100 * core, 100 * total,
	       100 * tally->worst_frac, network_name[worst->network], worst->context.block->name,
	       good ? "" : ": OVER THE LIMIT");
	return good;
}

/* Layers of a group stand side by side. Each group is printed when it is done, also after one over the limits. */
static void test_tiers_agree_on_layers(void **state)
{
	struct fixture *fixture = *state;
	const struct detail_options options = {.n_thread = parallel_n_thread(0)};
	enum extent extent = SLOW_BUILD ? EXTENT_FEW : EXTENT_PART;
	unsigned n_bad = 0;
	if (tries_all())
		extent = EXTENT_ALL;
	add_all(fixture, extent);
	printf("fast tier against event tier; limits: mean %.0f %%, every layer %.0f %%\n", 100 * MAX_MEAN_FRAC,
	       100 * MAX_LAYER_FRAC);
	for (size_t begin = 0, end = 0; begin < fixture->n; begin = end) {
		struct tally tally = {0};
		struct group group = fixture->layer[begin].group;
		while (end < fixture->n && same_group(group, fixture->layer[end].group))
			end++;
		run_events(&fixture->layer[begin], end - begin, options);
		for (size_t i = begin; i < end; i++)
			add_layer(&tally, &fixture->layer[i]);
		n_bad += !report_group(&tally);
		(void)fflush(stdout);
	}
	if (n_bad > 0)
		fail_msg("%u groups are over the limits", n_bad);
}

static void assert_same_result(const struct sim_result *a, const struct sim_result *b)
{
	assert_memory_equal(a->phase_clk, b->phase_clk, sizeof(a->phase_clk));
	assert_memory_equal(&a->counts, &b->counts, sizeof(a->counts)); /* nothing but doubles, thus no padding */
	assert_memory_equal(&a->energy, &b->energy, sizeof(a->energy));
	assert_int_equal(a->core_clk, b->core_clk);
	assert_int_equal(a->total_clk, b->total_clk);
	assert_int_equal(a->bound, b->bound);
	assert_int_equal(a->sram_byte, b->sram_byte);
	assert_true(a->peak_power_mw == b->peak_power_mw && a->latency_ns == b->latency_ns);
}

/* Bit by bit: 1 and 4 threads; with replay and, which the audit does, without. */
static void test_tiers_event_result_is_one(void **state)
{
	struct fixture *fixture = *state;
	add_all(fixture, EXTENT_FEW);
	run_events(fixture->layer, fixture->n, (struct detail_options){.n_thread = 1});
	struct sim_result *one = test_calloc(fixture->n, sizeof(*one));
	for (size_t i = 0; i < fixture->n; i++)
		one[i] = fixture->layer[i].event;
	run_events(fixture->layer, fixture->n, (struct detail_options){.n_thread = 4, .audit = true});
	for (size_t i = 0; i < fixture->n; i++)
		assert_same_result(&one[i], &fixture->layer[i].event);
	test_free(one);
}

static int set_up_group(void **state)
{
	*state = test_calloc(1, sizeof(struct fixture));
	set_up(*state);
	return 0;
}

static int tear_down_group(void **state)
{
	struct fixture *fixture = *state;
	for (size_t i = 0; i < N_NETWORK; i++)
		network_free(&fixture->network[i]);
	split_scheme_free(&fixture->scheme);
	test_free(fixture);
	return 0;
}

int main(void)
{
	const struct CMUnitTest test[] = {
	    cmocka_unit_test(test_tiers_agree_on_layers),
	    cmocka_unit_test(test_tiers_event_result_is_one),
	};
	return cmocka_run_group_tests(test, set_up_group, tear_down_group);
}
