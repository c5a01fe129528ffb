/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the event tier does not simulate again changes nothing: random machines and schedules, once with every event and
 * once with all that is skipped, replayed and taken over, compared operation by operation and counter by counter.
 */
#include "tests/support/unit_test.h"
#include "sim/event/event.h"
#include "sim/event/event_memo.h"
#include "sim/base/rng.h"
#include "sim/machine/machine_param.h"
#include "tests/support/default_machine.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NONE SCHEDULE_NONE
#define N_SEED 24

/* ---- what is simulated ---- */

static uint32_t one_of(struct rng *rng, const uint32_t *value, uint32_t n)
{
	return value[rng_below(rng, n)];
}
#define ONE_OF(rng, ...) \
	one_of(rng, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* From w x h QPEs on. */
static void draw_mesh(struct rng *rng, struct machine *machine, uint32_t w, uint32_t n_w, uint32_t h)
{
	machine->chip.mesh_w = w + rng_below(rng, n_w);
	machine->chip.mesh_h = h + rng_below(rng, 2);
	machine->chip.n_qpe = machine->chip.mesh_w * machine->chip.mesh_h;
}

static struct machine random_machine(struct rng *rng)
{
	struct machine machine = default_machine(MACHINE_CHIP, ONE_OF(rng, 150, 250, 320, 400));
	machine.noc_clk_mhz = ONE_OF(rng, 300, 500);
	machine.noc_router_packet = ONE_OF(rng, 1, 2, 4);
	machine.noc_hop_clk = 1 + rng_below(rng, 4);
	machine.noc_sync_clk = rng_below(rng, 3);
	machine.dram_clk_mhz = ONE_OF(rng, 250, 400);
	machine.dram_access_clk = 1 + rng_below(rng, 3);
	machine.dram_n = ONE_OF(rng, 1, 2, 4);
	machine.mla_cols = ONE_OF(rng, 8, 16);
	machine.mla_rows = ONE_OF(rng, 2, 4);
	machine.pe_sram_access_clk = 1 + rng_below(rng, 2);
	machine.mla_matmul_stream = rng_below(rng, 4) == 0;
	machine.mla_round_waits = rng_below(rng, 4) == 0;
	machine.mla_a_buffer_packet = rng_below(rng, 4) == 0 ? 2 : 0;
	draw_mesh(rng, &machine, 2, 3, 2);
	return machine;
}

static struct mla_shape random_shape(struct rng *rng)
{
	struct mla_shape shape = {.operand_bit = ONE_OF(rng, 8, 8, 16)};
	if (rng_below(rng, 2) == 0) {
		shape.kind = MLA_MATMUL;
		shape.matmul.a_w = 16 + rng_below(rng, 300);
		shape.matmul.a_h = 1 + rng_below(rng, 9);
		shape.matmul.b_w = 1 + rng_below(rng, 80);
		return shape;
	}
	shape.kind = MLA_CONV;
	shape.kernel_w = shape.kernel_h = 1 + rng_below(rng, 3);
	shape.conv.in_w = 3 + rng_below(rng, 40);
	shape.conv.in_h = 3 + rng_below(rng, 12);
	shape.conv.in_c = 1 + rng_below(rng, 120);
	shape.conv.n_filter = 1 + rng_below(rng, 16);
	shape.conv.n_group = 1;
	return shape;
}

struct chain {
	uint32_t pe, dram, load_byte, copy_byte, store_byte, shape, n;
};

static uint32_t add(struct schedule *schedule, struct op op, uint32_t before)
{
	op.before[0] = before;
	op.before[1] = NONE;
	return schedule_add_op(schedule, op);
}

/* Loads, tasks, copies and stores of a PE, one after the other and again. */
static void add_chain(struct schedule *schedule, const struct chain *chain, uint32_t n_pe)
{
	uint32_t before = NONE, pe = chain->pe;
	for (uint32_t i = 0; i < chain->n; i++) {
		const struct op load = {.kind = OP_LOAD, .pe = pe, .peer = chain->dram, .byte = chain->load_byte};
		const struct op task = {
		    .kind = OP_TASK, .pe = pe, .peer = pe / 4 * 4 + (pe + i) % 4, .shape = chain->shape};
		const struct op copy = {.kind = OP_COPY, .pe = pe, .peer = (pe + 5) % n_pe, .byte = chain->copy_byte};
		const struct op store = {.kind = OP_STORE, .pe = pe, .peer = chain->dram, .byte = chain->store_byte};
		if (chain->load_byte > 0)
			before = add(schedule, load, before);
		if (chain->shape != NONE)
			before = add(schedule, task, before);
		if (chain->copy_byte > 0)
			before = add(schedule, copy, before);
		if (chain->store_byte > 0)
			before = add(schedule, store, before);
	}
}

/* A few kinds of steps, each more than once. */
static struct schedule random_schedule(const struct machine *machine, struct rng *rng)
{
	struct schedule schedule = {0};
	uint32_t n_pe = machine_n_pe(machine), n_kind = 1 + rng_below(rng, 3);
	uint32_t seed = rng_u32(rng);
	for (uint32_t s = 0; s < 2 * n_kind + 1; s++) {
		struct rng kind = rng_stream(seed, s % n_kind, 0);
		struct mla_shape shape = random_shape(&kind);
		uint32_t n_chain = 1 + rng_below(&kind, 12), has_task = rng_below(&kind, 3);
		uint32_t first_pe = rng_below(&kind, n_pe);
		schedule_add_step(&schedule, (struct schedule_step){.phase = PHASE_COMPUTATION});
		for (uint32_t i = 0; i < n_chain && i < n_pe; i++) {
			struct chain chain = {.pe = (first_pe + 3 * i) % n_pe,
			                      .dram = rng_below(&kind, machine->dram_n),
			                      .n = 1 + rng_below(&kind, 5),
			                      .shape = NONE};
			if (has_task > 0)
				chain.shape = schedule_add_shape(&schedule, &shape);
			chain.load_byte = rng_below(&kind, 3) == 0 ? 0 : 16 + rng_below(&kind, 20000);
			chain.copy_byte = rng_below(&kind, 3) > 0 ? 0 : 16 + rng_below(&kind, 5000);
			chain.store_byte = rng_below(&kind, 3) > 0 ? 0 : 16 + rng_below(&kind, 5000);
			if (chain.load_byte + chain.copy_byte + chain.store_byte == 0)
				chain.load_byte = 64;
			/* PEs may meet again once all have had a chain: tasks of one PE must follow each other */
			if (n_chain > n_pe / 3)
				chain.shape = NONE;
			add_chain(&schedule, &chain, n_pe);
		}
	}
	return schedule;
}

/* ---- runs ---- */

struct recorded {
	struct event_record record;
	size_t n_op, n_count, n_qpe;
	struct sim_result result;
	struct event_stat stat;
};

static struct recorded run(const struct machine *machine, const struct schedule *schedule, bool no_replay,
                           struct event_memo *memo)
{
	struct recorded recorded = {.n_op = schedule->n_op,
	                            .n_count = (size_t)machine_n_pe(machine) * EVENT_N_COUNT,
	                            .n_qpe = machine->chip.n_qpe};
	struct err err = {0};
	recorded.record.op_clk = calloc(recorded.n_op, sizeof(uint64_t));
	recorded.record.count = calloc(recorded.n_count, sizeof(uint64_t));
	recorded.record.noc_packet = calloc(recorded.n_qpe, sizeof(uint64_t));
	assert_true(recorded.record.op_clk && recorded.record.count && recorded.record.noc_packet);
	const struct event_option option = {.no_replay = no_replay, .memo = memo, .record = &recorded.record};
	if (schedule_check(schedule, machine, &err) != ERR_OK ||
	    event_run_schedule(machine, schedule, 0, &option, &recorded.result, &recorded.stat, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	return recorded;
}

static void recorded_free(struct recorded *recorded)
{
	free(recorded->record.op_clk);
	free(recorded->record.count);
	free(recorded->record.noc_packet);
}

static void assert_same(const struct recorded *a, const struct recorded *b)
{
	for (size_t i = 0; i < a->n_op; i++)
		assert_int_equal(a->record.op_clk[i], b->record.op_clk[i]);
	for (size_t i = 0; i < a->n_count; i++)
		assert_int_equal(a->record.count[i], b->record.count[i]);
	for (size_t i = 0; i < a->n_qpe; i++)
		assert_int_equal(a->record.noc_packet[i], b->record.noc_packet[i]);
	assert_memory_equal(a->result.phase_clk, b->result.phase_clk, sizeof(a->result.phase_clk));
	assert_memory_equal(&a->result.counts, &b->result.counts, sizeof(a->result.counts));
	assert_memory_equal(&a->result.energy, &b->result.energy, sizeof(a->result.energy));
	assert_int_equal(a->result.total_clk, b->result.total_clk);
	assert_true(a->result.peak_power_mw == b->result.peak_power_mw);
}

/* Every event of a schedule, which is freed, and as fast as can be: the same comes of it, with less than 1/n_times. */
static struct event_stat run_both(const struct machine *machine, struct schedule *schedule, uint64_t n_times)
{
	struct recorded every = run(machine, schedule, true, NULL), fast = run(machine, schedule, false, NULL);
	assert_same(&every, &fast);
	assert_true(n_times * fast.stat.n_event < every.stat.n_event);
	recorded_free(&every);
	recorded_free(&fast);
	schedule_free(schedule);
	return fast.stat;
}

/* EVENT_SPEED_SEEDS asks for more of them than a test has time for. */
static uint32_t n_seed(uint32_t n)
{
	const char *text = getenv("EVENT_SPEED_SEEDS");
	return text ? (uint32_t)strtoul(text, NULL, 10) : n;
}

static void test_event_speed_is_exact(void **state)
{
	(void)state;
	for (uint32_t seed = 0; seed < n_seed(N_SEED); seed++) {
		struct rng rng = rng_stream(seed, 7, 0);
		struct machine machine = random_machine(&rng);
		struct schedule schedule = random_schedule(&machine, &rng);
		struct event_memo *memo = event_memo_new(EVENT_MEMO_BYTE), *small = event_memo_new(40000);
		assert_true(memo && small);
		struct recorded every = run(&machine, &schedule, true, NULL);
		struct recorded fast[] = {run(&machine, &schedule, false, NULL), run(&machine, &schedule, false, memo),
		                          run(&machine, &schedule, false, memo),
		                          run(&machine, &schedule, false, small)};
		for (size_t i = 0; i < sizeof(fast) / sizeof(fast[0]); i++) {
			assert_same(&every, &fast[i]);
			/* Who simulated first is not to be seen, not even in the events. */
			assert_int_equal(fast[i].stat.n_event, fast[0].stat.n_event);
			assert_int_equal(fast[i].stat.replayed_clk, fast[0].stat.replayed_clk);
			recorded_free(&fast[i]);
		}
		recorded_free(&every);
		event_memo_free(memo);
		event_memo_free(small);
		schedule_free(&schedule);
	}
}

/* ---- crowds: QPEs whose PEs all work, on few kinds of tasks ---- */

#define N_CROWD 120
#define MAX_CROWD_S 300

/*
 * Routers and SRAMs that are too slow for some of what PEs ask at a time: operand A piles up while a PE waits for B,
 * and runs out when others have begun.
 */
static struct machine crowded_machine(struct rng *rng)
{
	struct machine machine = random_machine(rng);
	machine.level[0].clk_mhz = ONE_OF(rng, 150, 250, 400, 400);
	machine.noc_clk_mhz = ONE_OF(rng, 200, 300, 400, 500);
	if (rng_below(rng, 2) == 0) /* no phase between them that would have to recur, too */
		machine.noc_clk_mhz = 2 * machine.level[0].clk_mhz;
	machine.noc_router_packet = ONE_OF(rng, 1, 1, 2);
	machine.mla_rows = ONE_OF(rng, 2, 3, 4, 8);
	machine.mla_cols = ONE_OF(rng, 4, 8, 16);
	machine.mla_trim_b = rng_below(rng, 2) == 0;
	machine.pe_sram_access_clk = 1 + rng_below(rng, 3);
	machine.pe_sram_port_byte = ONE_OF(rng, 8, 16, 16);
	draw_mesh(rng, &machine, 2, 2, 1);
	return machine;
}

/* Few long rounds, or many short ones. */
static struct mla_shape crowded_shape(struct rng *rng)
{
	struct mla_shape shape = {.operand_bit = ONE_OF(rng, 8, 8, 16)};
	bool is_short = rng_below(rng, 2) == 0;
	if (rng_below(rng, 2) == 0) {
		shape.kind = MLA_MATMUL;
		shape.matmul.a_w = is_short ? 2 + rng_below(rng, 24) : 8 + rng_below(rng, 400);
		shape.matmul.a_h = 1 + rng_below(rng, is_short ? 200 : 24);
		shape.matmul.b_w = 1 + rng_below(rng, 120);
		return shape;
	}
	shape.kind = MLA_CONV;
	shape.kernel_w = ONE_OF(rng, 1, 2, 3, 3, 5, 7);
	shape.kernel_h = is_short ? 1 : ONE_OF(rng, 1, 3);
	shape.conv.in_w = shape.kernel_w + rng_below(rng, 40);
	shape.conv.in_h = shape.kernel_h + rng_below(rng, is_short ? 30 : 4);
	shape.conv.in_c = 1 + rng_below(rng, is_short ? 8 : 64);
	shape.conv.n_filter = 1 + rng_below(rng, 16);
	shape.conv.n_group = 1;
	return shape;
}

/* One that does the same for a while, or another one. */
static struct mla_shape similar_shape(const struct mla_shape *shape, struct rng *rng)
{
	struct mla_shape similar = *shape;
	if (rng_below(rng, 3) == 0)
		return crowded_shape(rng);
	if (shape->kind == MLA_MATMUL)
		similar.matmul.a_w = similar.matmul.a_w * (1 + rng_below(rng, 4)) + rng_below(rng, 8);
	else
		similar.conv.in_c += 1 + rng_below(rng, 4);
	return similar;
}

/* From whom a PE takes operand A: itself, one PE for all, the next PE, or anyone. */
static uint32_t source_of(struct rng *rng, uint32_t kind, uint32_t pe)
{
	const uint32_t source[] = {pe % 4, 0, (pe + 1) % 4, rng_below(rng, 4)};
	return pe / 4 * 4 + source[kind];
}

struct crowd {
	uint32_t shape[2], n_shape, n_task, source;
	uint32_t loads, idles; /* of 4 PEs, on average */
};

/* A PE's tasks, maybe after a load; or packets that disturb its neighbours. */
static void add_worker(struct schedule *schedule, const struct machine *machine, const struct crowd *crowd,
                       struct rng *rng, uint32_t pe)
{
	uint32_t before = NONE, n_pe = machine_n_pe(machine);
	const struct op load = {
	    .kind = OP_LOAD, .pe = pe, .peer = pe % machine->dram_n, .byte = 16 + rng_below(rng, 3000)};
	struct op task = {.kind = OP_TASK, .pe = pe, .shape = crowd->shape[rng_below(rng, crowd->n_shape)]};
	if (rng_below(rng, 4) < crowd->idles) {
		const struct chain chain = {.pe = pe,
		                            .dram = pe % machine->dram_n,
		                            .load_byte = 16 + rng_below(rng, 200),
		                            .copy_byte = rng_below(rng, 2) * 64,
		                            .shape = NONE,
		                            .n = rng_below(rng, 8)};
		add_chain(schedule, &chain, n_pe);
		return;
	}
	if (rng_below(rng, 4) < crowd->loads)
		before = add(schedule, load, before);
	for (uint32_t i = 0; i < crowd->n_task; i++) {
		task.peer = source_of(rng, crowd->source, pe);
		before = add(schedule, task, before);
	}
}

/* Most QPEs do what others do, but begin at another clock. */
static struct schedule crowded_schedule(const struct machine *machine, struct rng *rng)
{
	struct schedule schedule = {0};
	uint32_t n_step = 1 + rng_below(rng, 2), seed = rng_u32(rng), n_kind = 1 + rng_below(rng, 3);
	for (uint32_t s = 0; s < n_step; s++) {
		struct crowd crowd = {.n_shape = 1 + rng_below(rng, 2),
		                      .n_task = 1 + rng_below(rng, 2),
		                      .source = rng_below(rng, 4),
		                      .loads = rng_below(rng, 4),
		                      .idles = rng_below(rng, 3)};
		schedule_add_step(&schedule, (struct schedule_step){.phase = PHASE_COMPUTATION});
		const struct mla_shape shape = crowded_shape(rng), similar = similar_shape(&shape, rng);
		crowd.shape[0] = schedule_add_shape(&schedule, &shape);
		crowd.shape[1] = schedule_add_shape(&schedule, &similar);
		(void)add(&schedule, (struct op){.kind = OP_LOAD, .byte = 64}, NONE);
		for (uint32_t qpe = 0; qpe < machine->chip.n_qpe; qpe++) {
			struct rng kind = rng_stream(seed, s, qpe % n_kind);
			for (uint32_t k = 0; k < machine->qpe_n_pe; k++)
				add_worker(&schedule, machine, &crowd, &kind, qpe * machine->qpe_n_pe + k);
		}
	}
	return schedule;
}

static void test_event_speed_crowds(void **state)
{
	(void)state;
	/* Where a packet is lost the simulation may not end: then the test fails by this signal. */
	if (!getenv("EVENT_SPEED_SEEDS"))
		(void)alarm(MAX_CROWD_S);
	for (uint32_t seed = 0; seed < n_seed(N_CROWD); seed++) {
		struct rng rng = rng_stream(seed, 9, 0);
		struct machine machine = crowded_machine(&rng);
		struct schedule schedule = crowded_schedule(&machine, &rng);
		(void)run_both(&machine, &schedule, 0);
	}
	(void)alarm(0);
}

/* One machine's answers are no other one's. */
static void test_event_speed_machines_differ(void **state)
{
	(void)state;
	struct rng rng = rng_stream(1, 8, 0);
	struct machine machine = random_machine(&rng), other;
	struct schedule schedule = random_schedule(&machine, &rng);
	struct event_memo *memo = event_memo_new(EVENT_MEMO_BYTE);
	other = machine;
	other.noc_hop_clk += 3;
	struct recorded one = run(&machine, &schedule, false, memo), two = run(&other, &schedule, false, memo);
	struct recorded every = run(&other, &schedule, true, NULL);
	assert_same(&two, &every);
	assert_true(one.result.total_clk < two.result.total_clk);
	recorded_free(&one);
	recorded_free(&two);
	recorded_free(&every);
	event_memo_free(memo);
	schedule_free(&schedule);
}

/* Loads of many packets are streams, of which few events are simulated. */
static void test_event_speed_gaps(void **state)
{
	(void)state;
	struct machine machine = default_machine(MACHINE_CHIP, 250);
	struct schedule schedule = {0};
	schedule_add_step(&schedule, (struct schedule_step){.phase = PHASE_INPUT});
	const struct chain chain = {.pe = 1, .load_byte = 1U << 19, .shape = NONE, .n = 3};
	add_chain(&schedule, &chain, machine_n_pe(&machine));
	assert_true(run_both(&machine, &schedule, 8).replayed_clk > 0);
}

/* Tasks of many QPEs are alike: rounds are simulated once, also while packets stream elsewhere. */
static void test_event_speed_rounds(void **state)
{
	(void)state;
	struct machine machine = default_machine(MACHINE_CHIP, 250);
	struct schedule schedule = {0};
	uint32_t n_pe = machine_n_pe(&machine);
	struct mla_shape shape = {.kind = MLA_CONV, .operand_bit = 8, .kernel_w = 3, .kernel_h = 3};
	shape.conv.in_w = 34;
	shape.conv.in_h = 10;
	shape.conv.in_c = 32;
	shape.conv.n_filter = 8;
	shape.conv.n_group = 1;
	schedule_add_step(&schedule, (struct schedule_step){.phase = PHASE_COMPUTATION});
	uint32_t number = schedule_add_shape(&schedule, &shape);
	const struct chain stream = {.pe = n_pe - 1, .load_byte = 1U << 18, .shape = NONE, .n = 1};
	add_chain(&schedule, &stream, n_pe);
	for (uint32_t pe = 0; pe + machine.qpe_n_pe < n_pe; pe++) {
		const struct chain chain = {.pe = pe, .shape = number, .n = 1};
		add_chain(&schedule, &chain, n_pe);
	}
	(void)run_both(&machine, &schedule, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_event_speed_is_exact),        cmocka_unit_test(test_event_speed_crowds),
	    cmocka_unit_test(test_event_speed_machines_differ), cmocka_unit_test(test_event_speed_gaps),
	    cmocka_unit_test(test_event_speed_rounds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
