/* SPDX-License-Identifier: Apache-2.0 */
/* The proof of mappings: random designs are bit-exact, and each planted mistake is found and told where it is. */
#include "tests/support/unit_test.h"
#include "dse/check/prove.h"
#include "dse/space/machine_read.h"
#include "dse/space/space.h"
#include "mapper/prove/prove.h"
#include "mapper/unfold/unfold.h"
#include "tests/support/draws.h"
#include "tests/support/plain_block.h"
#include "tests/support/random_chip.h"
#include "tests/support/random_design.h"
#include "tests/support/random_systolic_block.h"
#include "tests/support/shipped_machine.h"
#include <stdlib.h>
#include <string.h>

/* A pool of one thread: a loop. */
static void run_serially(const struct prove_pool *pool, size_t n, void (*work)(void *context, size_t i), void *context)
{
	(void)pool;
	for (size_t i = 0; i < n; i++)
		work(context, i);
}

static const struct prove_pool prove_serial = {run_serially, 1};

#define MAX_MAC 3000000u /* of a block that is tried */

static const char *const machine_path[] = {"spaces/machines/thesis_chip.yaml", "spaces/machines/thesis_qpe_dram.yaml",
                                           "spaces/machines/dvfs_chip.yaml", "spaces/machines/hdl_qpe.yaml"};
#define N_MACHINE 4

/* A design with what it is run on, and what comes out. */
struct proof {
	struct layer_context context;
	struct layer_design design;
	struct schedule schedule;
	bool is_systolic;
	struct prove_data data;
	struct prove_map expected;
	struct prove_result result;
};

/* Random numbers for all that a block reads, and its reference. */
static void make_data(const struct block *block, uint64_t seed, struct proof *proof)
{
	struct prove_data *data = &proof->data;
	struct prove_map weight = {1, 1, (uint32_t)block_n_weight(block), NULL};
	bool is_matmul = block->kind == BLOCK_MATMUL;
	*data = (struct prove_data){.ifmap = {is_matmul ? 1 : block->in_w, block->in_h * block_batch(block),
	                                      is_matmul ? block->in_w : block->in_c, NULL},
	                            .added = prove_added_shape(block)};
	assert_int_equal(prove_random(seed, 0, &prove_serial, &data->ifmap), ERR_OK);
	if (prove_adds(block))
		assert_int_equal(prove_random(seed, 1, &prove_serial, &data->added), ERR_OK);
	if (block->kind != BLOCK_POOL)
		assert_int_equal(prove_random(seed, 2, &prove_serial, &weight), ERR_OK);
	data->weight = weight.value;
	assert_int_equal(prove_reference(block, seed, data, &prove_serial, &proof->expected), ERR_OK);
}

/* false: the design does not run. */
static bool open_proof(const struct block *block, const struct machine *machine, const struct layer_design *design,
                       uint64_t seed, struct proof *proof)
{
	struct program program;
	struct verdict verdict;
	struct err err = {0};
	*proof = (struct proof){.design = *design, .is_systolic = machine->target == MACHINE_SYSTOLIC};
	mapper_prepare_form(block, machine, design->operand_bit, design->form, &proof->context);
	if (!mapper_distribute(&proof->context, design, &program, &verdict))
		return false;
	if (!proof->is_systolic)
		assert_int_equal(mapper_unfold(&proof->context, design, &proof->schedule, &err), ERR_OK);
	make_data(block, seed, proof);
	return true;
}

static void close_proof(struct proof *proof)
{
	schedule_free(&proof->schedule);
	free(proof->data.ifmap.value);
	free(proof->data.added.value);
	free((void *)(uintptr_t)proof->data.weight);
	free(proof->expected.value);
}

static const struct prove_result *prove(struct proof *proof, enum prove_mistake mistake)
{
	assert_int_equal(prove_schedule(&proof->context, &proof->design, proof->is_systolic ? NULL : &proof->schedule,
	                                &proof->data, &proof->expected, mistake, &prove_serial, &proof->result),
	                 ERR_OK);
	return &proof->result;
}

static void assert_proved(struct proof *proof)
{
	const struct prove_result *result = prove(proof, PROVE_NO_MISTAKE);
	if (result->is_proved)
		return;
	print_design(&proof->context, &proof->design);
	for (unsigned i = 0; i < result->n_fault && i < PROVE_MAX_FAULT; i++)
		print_error("%s\n", result->fault[i]);
	fail_msg("%u faults, %llu values differ", result->n_fault, (unsigned long long)result->n_different);
}

static void test_random_designs_are_exact(void **state)
{
	struct machine machine[N_MACHINE];
	struct rng rng = rng_stream(7, 0, 0);
	unsigned n = 0, n_strategy[N_STRATEGY] = {0}, n_storage = 0, n_deep = 0, n_grouped = 0, n_batch = 0;
	(void)state;
	for (int i = 0; i < N_MACHINE; i++)
		machine[i] = shipped_machine(machine_path[i]);
	const unsigned n_case = draws(2000, 500);
	for (unsigned i = 0; n < n_case; i++) {
		struct block block = random_block(&rng);
		struct machine chip = random_chip(&rng, &machine[0]);
		const struct machine *on = i % 5 == 4 ? &chip : &machine[i % 5];
		struct layer_design design = random_design(&rng, &block, on);
		struct proof proof;
		if (design.strategy == STRATEGY_THESIS_REUSE)
			design.strategy = STRATEGY_FUSION_REUSE;
		if (rng_below(&rng, 2))
			design.in_storage = design.out_storage = false;
		if (block_n_mac(&block) > MAX_MAC || !open_proof(&block, on, &design, i, &proof))
			continue;
		assert_proved(&proof);
		close_proof(&proof);
		n++;
		n_strategy[design.strategy]++;
		n_storage += design.in_storage || design.out_storage;
		n_deep += dim_n_part(&design.split.d) > 1;
		n_grouped += block.kind == BLOCK_CONV && block_n_group(&block) > 1;
		n_batch += block_batch(&block) > 1;
	}
	print_message("%u: no_fusion %u, fusion %u, reuse %u; %u by way of storage, %u with input channels cut, %u in "
	              "groups, %u of several images\n",
	              n, n_strategy[0], n_strategy[1], n_strategy[2], n_storage, n_deep, n_grouped, n_batch);
	assert_true(n_strategy[STRATEGY_NO_FUSION] > n / 8 && n_strategy[STRATEGY_FUSION] > n / 8 &&
	            n_strategy[STRATEGY_FUSION_REUSE] > n / 16 && n_storage > n / 32 && n_deep > n / 16 &&
	            n_grouped > n / 64 && n_batch > n / 16);
}

/* Tiles of systolic arrays in any dataflow; grouped convolutions, too. */
static void test_random_tiles_are_exact(void **state)
{
	struct rng rng = rng_stream(8, 0, 0);
	unsigned n = 0, n_grouped = 0, n_outside = 0;
	(void)state;
	for (unsigned i = 0; n < 200; i++) {
		struct machine machine;
		random_systolic(&rng, &machine);
		struct block block = random_systolic_block(&rng, 12, 12);
		struct split split = random_split(&rng, &block, 6);
		if (block.kind == BLOCK_CONV && block.groups > 1)
			split.c = random_dim(&rng, block_group_out_c(&block), 1, 6);
		if (block.kind == BLOCK_POOL)
			split.d = dim_whole(1);
		struct layer_design design = {.split = split, .operand_bit = 8};
		struct proof proof;
		design.strategy = (enum strategy)(N_PE_STRATEGY + rng_below(&rng, N_STRATEGY - N_PE_STRATEGY));
		design.reuse = (enum reuse_operand)rng_below(&rng, N_REUSE_OPERAND);
		if (!open_proof(&block, &machine, &design, i, &proof))
			continue;
		assert_proved(&proof);
		close_proof(&proof);
		n++;
		n_grouped += block.kind == BLOCK_CONV && block.groups > 1;
		n_outside += design.reuse == REUSE_FILTER;
	}
	assert_true(n_grouped > 5 && n_outside > 20);
}

/* A layer that reads in DRAM what the one before left in the storage QPEs: nothing it computes is wrong. */
static void test_misplaced_results_are_found(void **state)
{
	struct mapping mapping = {0};
	struct err err = {0};
	(void)state;
	assert_int_equal(mapping_open("thesis_chip", "tiny", &mapping, &err), ERR_OK);
	assert_int_equal(mapping_by_rules(&mapping, NULL, STRATEGY_FUSION_REUSE, 0, &err), ERR_OK);
	size_t n = mapping.network.n_block;
	struct layer_context *context = calloc(n, sizeof(*context));
	struct prove_candidate *candidate = calloc(n, sizeof(*candidate));
	const struct prove_options options = {.seed = 1, .pool = &prove_serial, .is_mapping = true};
	assert_true(context && candidate && mapping.design[0].out_storage && mapping.design[1].in_storage);
	mapping_contexts(&mapping, context);
	for (int wrong = 0; wrong < 2; wrong++) {
		mapping.design[1].in_storage = !wrong;
		assert_int_equal(prove_list(&mapping, NULL, context, candidate), n);
		assert_int_equal(prove_network(&mapping.network, candidate, n, &options, &err), ERR_OK);
		for (size_t i = 0; i < n; i++) {
			assert_int_equal(candidate[i].result.is_proved, !wrong || i != 1);
			assert_int_equal(candidate[i].result.n_different, 0);
		}
	}
	assert_string_equal(candidate[1].result.fault[0],
	                    "the ifmap is read from DRAM, CONV_1 left it in storage QPEs");
	free(context);
	free(candidate);
	mapping_free(&mapping);
}

/* ---- planted mistakes ---- */

/* 16x16 pixels, 8 channels, 3x3, 128 filters; pooled, rectified, added to. */
static struct block sample_block(void)
{
	struct block block = plain_conv(16, 8, 128, 3);
	block.pool = 2;
	block.pool_average = block.has_mat_ele = block.has_acti = block.has_quan = true;
	return block;
}

static struct layer_design sample_design(bool is_chip, enum strategy strategy, uint32_t n_deep)
{
	struct layer_design design = {.split = {{8, 2, 0, 0}, {8, 2, 0, 0}, {16, 8, 0, 0}, {8 / n_deep, n_deep, 0, 0}},
	                              .strategy = strategy,
	                              .operand_bit = 8};
	if (is_chip) {
		design.split.h = (struct dim_split){2, 8, 0, 0};
		design.split.c = (struct dim_split){1, 128, 0, 0};
	}
	return design;
}

/* The k-th operation of a kind that moves this; of tasks whatever. */
static struct op *find_op(struct schedule *schedule, enum op_kind kind, enum op_content content, unsigned k)
{
	for (uint32_t i = 0; i < schedule->n_op; i++) {
		struct op *op = &schedule->op[i];
		if (op->kind == kind && (kind == OP_TASK || op->content == content) && k-- == 0)
			return op;
	}
	fail_msg("the schedule has no such operation");
	return NULL;
}

static void remove_op(struct op *op)
{
	*op = (struct op){.kind = OP_SYNC, .pe = op->pe, .peer = op->pe, .before = {op->before[0], op->before[1]}};
}

static void swap_filters(struct schedule *schedule)
{
	struct op *a = find_op(schedule, OP_LOAD, OP_OF_FILTER, 0), *b = find_op(schedule, OP_LOAD, OP_OF_FILTER, 1);
	uint32_t part = a->part;
	a->part = b->part;
	b->part = part;
}

/* The last of a chain: whoever has it from there would miss it, too. */
static void lose_copy(struct schedule *schedule)
{
	for (uint32_t i = schedule->n_op; i-- > 0;) {
		struct op *op = &schedule->op[i];
		if (op->kind == OP_COPY && op->content == OP_OF_IFMAP) {
			remove_op(op);
			return;
		}
	}
	fail_msg("all PEs have their ifmap parts from DRAM");
}

/* The first copy that passes a filter part on after some have been used. */
static struct op *find_migration(struct schedule *schedule)
{
	for (uint32_t i = 0; i < schedule->n_step; i++)
		for (uint32_t k = 0; k < schedule->step[i].n_op; k++) {
			struct op *op = &schedule->op[schedule->step[i].first_op + k];
			if (schedule->step[i].phase == PHASE_MIGRATION && op->kind == OP_COPY)
				return op;
		}
	fail_msg("no filters migrate");
	return NULL;
}

static void lose_migration(struct schedule *schedule)
{
	remove_op(find_migration(schedule));
}

static void turn_ring(struct schedule *schedule)
{
	struct op *copy = find_migration(schedule);
	copy->peer = copy->peer / 4 * 4 + (copy->peer + 1) % 4;
}

static void store_twice(struct schedule *schedule)
{
	find_op(schedule, OP_STORE, OP_OF_RESULT, 3)->part = find_op(schedule, OP_STORE, OP_OF_RESULT, 1)->part;
}

static void store_never(struct schedule *schedule)
{
	remove_op(find_op(schedule, OP_STORE, OP_OF_RESULT, 5));
}

static void fetch_elsewhere(struct schedule *schedule)
{
	struct op *task = find_op(schedule, OP_TASK, OP_OF_IFMAP, 6);
	task->peer = task->peer / 4 * 4 + (task->peer + 1) % 4;
}

static void wait_for_nobody(struct schedule *schedule)
{
	struct op *store = find_op(schedule, OP_STORE, OP_OF_RESULT, 4);
	store->before[0] = store->before[1] = SCHEDULE_NONE;
}

/* A task that leaves the last column of its ifmap part out; of jobs all tasks of that shape. */
static void compute_less(struct schedule *schedule)
{
	schedule->shape[0].conv.in_w--;
}

static void compute_shallow(struct schedule *schedule)
{
	schedule->shape[0].conv.in_c--;
}

static void take_apart(struct schedule *schedule)
{
	for (uint32_t i = schedule->n_job / 2; i < schedule->n_job; i++)
		if (schedule->job[i].same_pe) {
			schedule->job[i].same_pe = false;
			return;
		}
}

static void lose_job(struct schedule *schedule)
{
	schedule->job[7].part = schedule->job[8].part;
}

/* One mistake: of the arithmetic, or of the schedule; where it is made, and what has to be said of it. */
struct plant {
	const char *name;
	enum prove_mistake mistake;
	void (*edit)(struct schedule *schedule);
	int machine; /* of machine_path */
	enum strategy strategy;
	uint32_t n_deep;
	bool values_stay; /* nothing is computed wrong by it here, where operations run in a good order */
	const char *told;
};

static const struct plant plants[] = {
    {"halo", PROVE_HALO, NULL, 1, STRATEGY_FUSION_REUSE, 1, false, "reference"},
    {"padding side", PROVE_PADDING_SIDE, NULL, 1, STRATEGY_FUSION_REUSE, 1, false, "reference"},
    {"lost sum", PROVE_LOST_SUM, NULL, 1, STRATEGY_FUSION, 2, false, "reference"},
    {"pooling over the border", PROVE_POOL_BORDER, NULL, 1, STRATEGY_FUSION_REUSE, 1, false, "reference"},
    {"ReLU first", PROVE_RELU_FIRST, NULL, 1, STRATEGY_NO_FUSION, 2, false, "reference"},
    {"shift", PROVE_SHIFT, NULL, 0, STRATEGY_FUSION_REUSE, 1, false, "reference"},
    {"added twice", PROVE_RESIDUAL_TWICE, NULL, 0, STRATEGY_FUSION_REUSE, 1, false, "reference"},
    {"swapped filters", PROVE_NO_MISTAKE, swap_filters, 1, STRATEGY_FUSION_REUSE, 1, false, "for operand A"},
    {"missing copy", PROVE_NO_MISTAKE, lose_copy, 0, STRATEGY_FUSION_REUSE, 1, false, "no ifmap part"},
    {"missing migration", PROVE_NO_MISTAKE, lose_migration, 0, STRATEGY_FUSION_REUSE, 1, false, "for operand A"},
    {"wrong ring", PROVE_NO_MISTAKE, turn_ring, 0, STRATEGY_FUSION_REUSE, 1, false, "for operand A"},
    {"stored twice", PROVE_NO_MISTAKE, store_twice, 1, STRATEGY_FUSION_REUSE, 1, false, "stored again"},
    {"never stored", PROVE_NO_MISTAKE, store_never, 0, STRATEGY_FUSION_REUSE, 1, false, "never stored"},
    {"wrong PE", PROVE_NO_MISTAKE, fetch_elsewhere, 1, STRATEGY_FUSION_REUSE, 1, false, "for operand A"},
    {"no wait", PROVE_NO_MISTAKE, wait_for_nobody, 0, STRATEGY_FUSION_REUSE, 1, true, "no task"},
    {"column left out", PROVE_NO_MISTAKE, compute_less, 0, STRATEGY_FUSION_REUSE, 1, true, "computes less"},
    {"channel left out", PROVE_NO_MISTAKE, compute_shallow, 1, STRATEGY_FUSION, 2, true, "computes less"},
    {"sums in another PE", PROVE_NO_MISTAKE, take_apart, 1, STRATEGY_FUSION, 2, false, "partial sums"},
    {"lost job", PROVE_NO_MISTAKE, lose_job, 0, STRATEGY_NO_FUSION, 2, false, "again"},
};

static void assert_found(const struct plant *plant, const struct prove_result *result)
{
	bool is_told = strstr(result->difference, plant->told) != NULL;
	bool has_place = strstr(result->difference, "on PE ") || strstr(result->difference, "never stored");
	for (unsigned i = 0; i < result->n_fault && i < PROVE_MAX_FAULT; i++)
		is_told = is_told || strstr(result->fault[i], plant->told);
	if (!result->is_proved && is_told &&
	    (plant->values_stay ? result->n_fault > 0 : has_place && result->n_different > 0))
		return;
	for (unsigned i = 0; i < result->n_fault && i < PROVE_MAX_FAULT; i++)
		print_error("%s\n", result->fault[i]);
	fail_msg("%s: %u faults, %llu values differ, '%s' expected", plant->name, result->n_fault,
	         (unsigned long long)result->n_different, plant->told);
}

static void test_planted_mistakes_are_found(void **state)
{
	const struct block block = sample_block();
	(void)state;
	for (size_t i = 0; i < sizeof(plants) / sizeof(plants[0]); i++) {
		const struct plant *plant = &plants[i];
		const struct layer_design design = sample_design(plant->machine == 0, plant->strategy, plant->n_deep);
		struct machine machine;
		struct proof proof;
		machine = shipped_machine(machine_path[plant->machine]);
		assert_true(open_proof(&block, &machine, &design, i, &proof));
		assert_proved(&proof);
		if (plant->edit)
			plant->edit(&proof.schedule);
		assert_found(plant, prove(&proof, plant->mistake));
		print_message("%s: %s\n", plant->name,
		              proof.result.n_fault > 0 ? proof.result.fault[0] : proof.result.difference);
		close_proof(&proof);
	}
}

/* ---- what is replaced too early ---- */

/* Nothing waits for the sums to have been sent before the PE computes others. */
static void send_late(struct schedule *schedule)
{
	uint32_t sent = (uint32_t)(find_op(schedule, OP_COPY, OP_OF_SUM, 0) - schedule->op);
	for (uint32_t i = sent + 1; i < schedule->n_op; i++)
		for (int k = 0; k < 2; k++)
			if (schedule->op[i].before[k] == sent && schedule->op[i].content != OP_OF_RESULT)
				schedule->op[i].before[k] = schedule->op[sent].before[0];
}

static void load_early(struct schedule *schedule)
{
	for (uint32_t i = 0; i < schedule->n_op; i++)
		if (schedule->op[i].kind == OP_LOAD)
			schedule->op[i].before[0] = schedule->op[i].before[1] = SCHEDULE_NONE;
}

/* Values stay, as operations are followed in a good order; but the machine would be free to take another one. */
static void assert_early(const struct block *block, const char *path, const struct layer_design *design,
                         void (*edit)(struct schedule *schedule), const char *told)
{
	struct machine machine;
	struct proof proof;
	bool is_told = false;
	machine = shipped_machine(path);
	assert_true(open_proof(block, &machine, design, 1, &proof));
	assert_proved(&proof);
	edit(&proof.schedule);
	const struct prove_result *result = prove(&proof, PROVE_NO_MISTAKE);
	assert_false(result->is_proved);
	for (unsigned i = 0; i < result->n_fault && i < PROVE_MAX_FAULT; i++)
		is_told = is_told || strstr(result->fault[i], told);
	assert_true(is_told);
	close_proof(&proof);
}

static void test_replacing_too_early_is_found(void **state)
{
	struct block matmul = {
	    .name = "FC_1", .kind = BLOCK_MATMUL, .in_w = 64, .in_h = 1, .in_c = 1, .has_quan = true};
	struct block pool = sample_block();
	const struct layer_design deep = {.split = {{32, 2, 0, 0}, {1, 1, 0, 0}, {1, 1, 0, 0}, {32, 2, 0, 0}},
	                                  .strategy = STRATEGY_FUSION,
	                                  .operand_bit = 8};
	const struct layer_design parts = {.split = {{8, 2, 0, 0}, {4, 4, 0, 0}, {4, 2, 0, 0}, {1, 1, 0, 0}},
	                                   .operand_bit = 8};
	(void)state;
	matmul.kernel_w = matmul.kernel_h = matmul.stride = matmul.pool = 1;
	matmul.out_w = 64;
	matmul.out_h = matmul.out_c = 1;
	assert_early(&matmul, machine_path[0], &deep, send_late, "replaces sums that operation");
	assert_early(&matmul, machine_path[0], &deep, load_early, "replaces a filter part that operation");
	pool.kind = BLOCK_POOL;
	pool.out_c = pool.in_c;
	pool.pool = 1;
	pool.has_mat_ele = pool.has_acti = pool.has_quan = false;
	assert_early(&pool, machine_path[1], &parts, load_early, "replaces an ifmap part that operation");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_planted_mistakes_are_found),  cmocka_unit_test(test_replacing_too_early_is_found),
	    cmocka_unit_test(test_random_designs_are_exact),    cmocka_unit_test(test_random_tiles_are_exact),
	    cmocka_unit_test(test_misplaced_results_are_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
