/* SPDX-License-Identifier: Apache-2.0 */
/* Chip of the event tier: what bounds DRAM, routers and links; order, barriers, replay, jobs; traces. */
#include "tests/support/unit_test.h"
#include "sim/event/event.h"
#include "sim/machine/mesh.h"
#include "sim/machine/machine_param.h"
#include "sim/event/trace.h"
#include "sim/base/rng.h"
#include "tests/support/default_machine.h"
#include <stdlib.h>
#include <string.h>

#define NONE SCHEDULE_NONE

static struct machine machine_of(enum machine_target target)
{
	struct machine machine = default_machine(target, 250);
	if (target == MACHINE_QPE) {
		machine.dram_n = 1;
		machine.chip.n_qpe = machine.chip.mesh_w = machine.chip.mesh_h = 1;
		machine.chip.n_storage_qpe = 0;
	}
	return machine;
}

static struct op op_of(enum op_kind kind, uint32_t pe, uint32_t peer, uint32_t byte)
{
	return (struct op){.kind = kind, .pe = pe, .peer = peer, .byte = byte, .before = {NONE, NONE}};
}

static struct schedule schedule_of(const struct op *op, uint32_t n)
{
	struct schedule schedule = {0};
	schedule_add_step(&schedule, (struct schedule_step){.phase = PHASE_INPUT});
	for (uint32_t i = 0; i < n; i++)
		(void)schedule_add_op(&schedule, op[i]);
	return schedule;
}

static struct sim_result run(const struct machine *machine, const struct schedule *schedule,
                             const struct event_option *option)
{
	struct sim_result result;
	struct err err = {0};
	if (schedule_check(schedule, machine, &err) != ERR_OK ||
	    event_run_schedule(machine, schedule, 0, option, &result, NULL, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	return result;
}

static uint64_t clk_of(const struct machine *machine, const struct op *op, uint32_t n)
{
	struct schedule schedule = schedule_of(op, n);
	uint64_t clk = run(machine, &schedule, NULL).total_clk;
	schedule_free(&schedule);
	return clk;
}

/* Four PEs share an interface of 8 bytes a clock: loads in turn, so one's latency and the sum of all bytes. */
static void test_event_chip_dram_is_shared(void **state)
{
	(void)state;
	struct machine machine = machine_of(MACHINE_QPE);
	struct op op[4];
	for (uint32_t i = 0; i < 4; i++)
		op[i] = op_of(OP_LOAD, i, 0, 4096);
	uint64_t one_clk = clk_of(&machine, op, 1), all_clk = clk_of(&machine, op, 4);
	assert_in_range(all_clk, one_clk + 3 * 4096 / 8, one_clk + 3 * 4096 / 8 + 4);
	/* Half the rate, twice the time. */
	machine.dram_access_clk *= 2;
	assert_in_range(clk_of(&machine, op, 4), all_clk + 4 * 4096 / 8, all_clk + 4 * 4096 / 8 + 4);
}

/* Loads and stores share the DRAM, too: nobody gets more than its rate. */
static void test_event_chip_dram_reads_and_writes(void **state)
{
	(void)state;
	struct machine machine = machine_of(MACHINE_QPE);
	const struct op op[] = {op_of(OP_LOAD, 0, 0, 8192), op_of(OP_STORE, 1, 0, 8192)};
	uint64_t clk = clk_of(&machine, op, 2);
	assert_in_range(clk, 2 * 8192 / 8, 2 * 8192 / 8 + 60);
}

/* Every PE of a QPE sends to the next: 4 packets a clock want a router that passes 2. */
static void test_event_chip_router_is_shared(void **state)
{
	(void)state;
	struct machine machine = machine_of(MACHINE_QPE);
	struct op op[4];
	for (uint32_t i = 0; i < 4; i++)
		op[i] = op_of(OP_COPY, i, (i + 1) % 4, 16384);
	uint64_t n_packet = 16384 / 16, all_clk = clk_of(&machine, op, 4);
	assert_in_range(all_clk, 4 * n_packet / 2, 4 * n_packet / 2 + 50);
	machine.noc_router_packet = 4;
	/* Now SRAMs bound: each reads a packet and writes another. */
	assert_in_range(clk_of(&machine, op, 4), 2 * n_packet, 2 * n_packet + 50);
}

/* Two streams that cross one QPE take turns there; apart they do not. */
static void test_event_chip_links_meet(void **state)
{
	(void)state;
	struct machine machine = machine_of(MACHINE_CHIP);
	struct mesh mesh;
	mesh_derive(&machine, &mesh);
	uint32_t west = mesh_qpe_at(&mesh, 0, 1) * 4, mid = mesh_qpe_at(&mesh, 1, 1) * 4;
	uint32_t north = mesh_qpe_at(&mesh, 1, 0) * 4, south = mesh_qpe_at(&mesh, 1, 2) * 4;
	const struct op op[] = {
	    op_of(OP_COPY, west, mid, 16384),
	    op_of(OP_COPY, west + 1, mid + 1, 16384),
	    op_of(OP_COPY, north, south, 16384),
	    op_of(OP_COPY, north + 1, south + 1, 16384),
	};
	uint64_t n_packet = 16384 / 16;
	assert_in_range(clk_of(&machine, op, 2), n_packet, n_packet + 60);
	assert_in_range(clk_of(&machine, op + 2, 2), n_packet, n_packet + 60);
	assert_in_range(clk_of(&machine, op, 4), 2 * n_packet, 2 * n_packet + 60);
}

/* An operation starts when those it names are complete, a step when the one before is. */
static void test_event_chip_order(void **state)
{
	(void)state;
	struct machine machine = machine_of(MACHINE_CHIP);
	struct op op[] = {op_of(OP_COPY, 0, 1, 1600), op_of(OP_COPY, 1, 2, 1600), op_of(OP_COPY, 2, 3, 1600)};
	uint64_t one_clk = clk_of(&machine, op, 1);
	op[1].before[0] = 0;
	op[2].before[0] = 0;
	op[2].before[1] = 1;
	assert_in_range(clk_of(&machine, op, 3), 3 * one_clk, 3 * one_clk + 3);

	struct schedule schedule = {0};
	for (uint32_t i = 0; i < 3; i++) {
		schedule_add_step(&schedule, (struct schedule_step){.phase = i == 1 ? PHASE_WEIGHT : PHASE_INPUT});
		(void)schedule_add_op(&schedule, op_of(OP_COPY, i, i + 1, 1600));
	}
	struct sim_result result = run(&machine, &schedule, NULL);
	assert_int_equal(result.phase_clk[PHASE_WEIGHT] * 2, result.phase_clk[PHASE_INPUT]);
	assert_int_equal(result.total_clk, result.phase_clk[PHASE_WEIGHT] + result.phase_clk[PHASE_INPUT]);
	schedule_free(&schedule);
}

/* A barrier over all PEs: each agent serves 36 of them, one message a clock each way. */
static void test_event_chip_sync(void **state)
{
	(void)state;
	struct machine machine = machine_of(MACHINE_CHIP);
	struct op op[144];
	for (uint32_t i = 0; i < 144; i++)
		op[i] = op_of(OP_SYNC, i, i, 0);
	uint64_t one_clk = clk_of(&machine, op, 1), all_clk = clk_of(&machine, op, 144);
	assert_true(one_clk > 2 * machine.chip.host_latency_clk);
	assert_in_range(all_clk, one_clk + 35, one_clk + 2 * 36);
}

static struct mla_shape conv(uint32_t in_w, uint32_t in_h, uint32_t in_c, uint32_t kernel, uint32_t n_filter)
{
	return (struct mla_shape){.kind = MLA_CONV,
	                          .operand_bit = 8,
	                          .kernel_w = kernel,
	                          .kernel_h = kernel,
	                          .conv = {in_w, in_h, in_c, n_filter, 1}};
}

/* Tasks on a chip take what they take on a QPE alone, the way of command and report, and a clock for each start. */
static void test_event_chip_task_as_alone(void **state)
{
	(void)state;
	struct machine machine = machine_of(MACHINE_CHIP);
	struct mla_shape shape = conv(30, 9, 64, 3, 8);
	struct schedule schedule = {0};
	uint32_t n_pe = machine_n_pe(&machine);
	schedule_add_step(&schedule, (struct schedule_step){.phase = PHASE_COMPUTATION});
	uint32_t index = schedule_add_shape(&schedule, &shape);
	for (uint32_t i = 0; i < n_pe; i++) {
		struct op op = op_of(OP_TASK, i, i / 4 * 4 + (i + 1) % 4, 0);
		op.shape = index;
		(void)schedule_add_op(&schedule, op);
	}
	struct sim_result result = run(&machine, &schedule, NULL);
	struct event_result alone;
	struct mla_shape task[4] = {shape, shape, shape, shape};
	for (int i = 0; i < 4; i++)
		task[i].pe_shift = 1;
	assert_int_equal(event_run_qpe(&machine, task, 4, NULL, &alone, NULL), ERR_OK);
	assert_in_range(result.total_clk, alone.clk + n_pe - 4, alone.clk + n_pe + 100);
	assert_true(result.counts.mla_clk == (double)(n_pe * alone.pe[0].count[EVENT_MAC_CLK]));
	schedule_free(&schedule);
}

/* A schedule of random transfers and tasks: tasks of a PE one after the other, everything else as it comes. */
static struct schedule random_schedule(const struct machine *machine, uint32_t seed)
{
	struct rng rng = rng_stream(seed, 0, 0);
	struct schedule schedule = {0};
	uint32_t n_pe = machine_n_pe(machine);
	for (uint32_t s = 0; s < 3; s++) {
		uint32_t last[256], n_op = 0;
		memset(last, 0xff, sizeof(last));
		assert_true(n_pe <= 256);
		schedule_add_step(&schedule, (struct schedule_step){.phase = PHASE_COMPUTATION});
		for (uint32_t i = 0; i < 200; i++) {
			uint32_t pe = rng_below(&rng, n_pe), first = schedule.n_op - n_op;
			struct mla_shape shape =
			    conv(3 + rng_below(&rng, 40), 3 + rng_below(&rng, 6), 1 + rng_below(&rng, 200),
			         1 + rng_below(&rng, 3), 1 + rng_below(&rng, 8));
			struct op op = op_of((enum op_kind)rng_below(&rng, 5), pe, rng_below(&rng, machine->dram_n),
			                     16 + rng_below(&rng, 3000));
			if (op.kind == OP_COPY)
				op.peer = (pe + 1 + rng_below(&rng, n_pe - 1)) % n_pe;
			if (op.kind == OP_TASK) {
				op.peer = pe / 4 * 4 + rng_below(&rng, 4);
				op.shape = schedule_add_shape(&schedule, &shape);
			}
			if (op.kind == OP_SYNC)
				op.peer = pe;
			if (op.kind == OP_TASK || op.kind == OP_SYNC)
				op.byte = 0;
			op.before[0] = op.kind == OP_TASK ? last[pe] : NONE;
			op.before[1] = n_op > 0 && rng_below(&rng, 3) == 0 ? first + rng_below(&rng, n_op) : NONE;
			uint32_t index = schedule_add_op(&schedule, op);
			if (op.kind == OP_TASK)
				last[pe] = index;
			n_op++;
		}
	}
	return schedule;
}

/* Whatever the schedule: the self-checks hold, and replay changes nothing. */
static void test_event_chip_replay_is_exact(void **state)
{
	(void)state;
	for (uint32_t seed = 0; seed < 6; seed++) {
		struct machine machine = machine_of(seed % 3 == 0 ? MACHINE_QPE : MACHINE_CHIP);
		machine.pe_sram_access_clk = 1 + seed % 2;
		if (seed == 4) { /* clocks that are no multiples of each other, two interfaces, QPEs beyond the mesh */
			machine.level[0].clk_mhz = 320;
			machine.noc_clk_mhz = 300;
			machine.noc_router_packet = 4;
			machine.dram_clk_mhz = 400;
			machine.dram_n = 2;
			machine.chip.n_qpe = 38;
		}
		struct schedule schedule = random_schedule(&machine, seed);
		const struct event_option every = {.no_replay = true};
		struct sim_result a = run(&machine, &schedule, NULL), b = run(&machine, &schedule, &every);
		assert_int_equal(a.total_clk, b.total_clk);
		assert_memory_equal(&a.counts, &b.counts, sizeof(a.counts));
		assert_true(a.energy.total_pj == b.energy.total_pj);
		schedule_free(&schedule);
	}
}

/* Long tasks in lock step recur: few events are left of many. */
static void test_event_chip_replay_saves(void **state)
{
	(void)state;
	struct machine machine = machine_of(MACHINE_CHIP);
	struct mla_shape shape = conv(34, 9, 256, 3, 8);
	struct schedule schedule = {0};
	schedule_add_step(&schedule, (struct schedule_step){.phase = PHASE_COMPUTATION});
	uint32_t index = schedule_add_shape(&schedule, &shape);
	for (uint32_t i = 0; i < 144; i++) {
		struct op op = op_of(OP_TASK, i, i, 0);
		op.shape = index;
		(void)schedule_add_op(&schedule, op);
	}
	const struct event_option every = {.no_replay = true};
	struct sim_result result;
	struct event_stat replayed, all;
	assert_int_equal(event_run_schedule(&machine, &schedule, 0, NULL, &result, &replayed, NULL), ERR_OK);
	assert_int_equal(event_run_schedule(&machine, &schedule, 0, &every, &result, &all, NULL), ERR_OK);
	assert_true(replayed.replayed_clk > 0 && all.replayed_clk == 0);
	assert_true(replayed.n_event * 4 < all.n_event);
	schedule_free(&schedule);
}

/* Jobs are bounded by DRAM when they compute little. */
static void test_event_chip_jobs(void **state)
{
	(void)state;
	struct machine machine = machine_of(MACHINE_QPE);
	struct mla_shape shape = conv(10, 3, 1, 1, 4);
	struct schedule schedule = {0};
	schedule_add_step(&schedule, (struct schedule_step){.phase = PHASE_TASKS});
	uint32_t index = schedule_add_shape(&schedule, &shape);
	for (uint32_t i = 0; i < 32; i++)
		schedule_add_job(&schedule, (struct job){.map_byte = 4096,
		                                         .filter_byte = 1024,
		                                         .store_byte = i % 2 ? 2048 : 0,
		                                         .shape = index,
		                                         .same_pe = i % 2 == 1});
	struct sim_result result = run(&machine, &schedule, NULL);
	assert_true(result.counts.dram_read_byte == 32 * 5120);
	assert_true(result.counts.dram_write_byte == 16 * 2048);
	assert_int_equal(result.bound, BOUND_DRAM);
	schedule_free(&schedule);
	uint64_t dram_clk = (32 * 5120 + 16 * 2048) / 8;
	assert_in_range(result.total_clk, dram_clk, dram_clk + dram_clk / 20);
}

/* A PE asks for its next loads only when its result has arrived: alone it never loads and writes at once. */
static void test_event_chip_job_waits_for_its_write(void **state)
{
	(void)state;
	struct machine machine = machine_of(MACHINE_QPE);
	machine.qpe_n_pe = 1;
	struct mla_shape shape = conv(10, 3, 1, 1, 4);
	uint64_t clk[2];
	for (uint32_t n = 1; n <= 2; n++) {
		struct schedule schedule = {0};
		schedule_add_step(&schedule, (struct schedule_step){.phase = PHASE_TASKS});
		uint32_t index = schedule_add_shape(&schedule, &shape);
		for (uint32_t i = 0; i < n; i++)
			schedule_add_job(
			    &schedule,
			    (struct job){.map_byte = 4096, .filter_byte = 1024, .store_byte = 2048, .shape = index});
		clk[n - 1] = run(&machine, &schedule, NULL).total_clk;
		schedule_free(&schedule);
	}
	assert_true(clk[1] >= 2 * clk[0] - clk[0] / 50);
}

/* n jobs, as many from every queue; returns the clocks of all. */
static uint64_t jobs_clk(const struct machine *machine, struct job job, const struct mla_shape *shape, uint32_t n,
                         uint32_t n_queue)
{
	struct schedule schedule = {0};
	schedule_add_step(&schedule, (struct schedule_step){.phase = PHASE_TASKS});
	job.shape = schedule_add_shape(&schedule, shape);
	for (uint32_t i = 0; i < n; i++) {
		job.queue = i / (n / n_queue);
		schedule_add_job(&schedule, job);
	}
	uint64_t clk = run(machine, &schedule, NULL).total_clk;
	schedule_free(&schedule);
	return clk;
}

/*
 * Rows without fusion of small_layers.csv and filter_parts.csv: a PE sends its result by itself; the host starts the
 * jobs of all queues one command a clock, one queue after the other.
 */
static void test_event_chip_measured_jobs(void **state)
{
	(void)state;
	struct machine qpe = machine_of(MACHINE_QPE), chip = machine_of(MACHINE_CHIP);
	struct mla_shape flat = conv(12, 3, 24, 1, 3), square = conv(18, 6, 16, 3, 4);
	struct job job = {.map_byte = 1152, .filter_byte = 96, .store_byte = 432};
	qpe.mla_cols = 8;
	assert_in_range(jobs_clk(&qpe, job, &flat, 128, 1), 27059 - 2, 27059 + 2);
	job = (struct job){.map_byte = 3072, .filter_byte = 576, .store_byte = 1024};
	assert_int_equal(jobs_clk(&chip, job, &square, 48, 4), 7128);
}

/* A PE sends its task's result without a word from the host; what another PE sends then takes its command. */
static void test_event_chip_result_leaves_at_once(void **state)
{
	(void)state;
	struct machine machine = machine_of(MACHINE_QPE);
	struct mla_shape shape = conv(30, 9, 64, 3, 4);
	uint64_t clk[2];
	for (uint32_t i = 0; i < 2; i++) {
		struct schedule schedule = {0};
		schedule_add_step(&schedule, (struct schedule_step){.phase = PHASE_COMPUTATION});
		struct op task = op_of(OP_TASK, 0, 1, 0), store = op_of(OP_STORE, i, 0, 64);
		task.shape = schedule_add_shape(&schedule, &shape);
		store.before[0] = schedule_add_op(&schedule, task);
		(void)schedule_add_op(&schedule, store);
		clk[i] = run(&machine, &schedule, NULL).total_clk;
		schedule_free(&schedule);
	}
	assert_in_range(clk[1], clk[0] + 2 * machine.chip.host_latency_clk + 1,
	                clk[0] + 3 * machine.chip.host_latency_clk);
}

/* Interfaces that no QPE is next to, on a mesh one QPE wide: their jobs are somebody's all the same. */
static void test_event_chip_jobs_of_every_queue(void **state)
{
	(void)state;
	struct machine machine = machine_of(MACHINE_CHIP);
	machine.chip.mesh_w = 1;
	machine.chip.mesh_h = 2;
	machine.chip.n_qpe = 2;
	machine.chip.n_storage_qpe = 0;
	struct mla_shape shape = conv(10, 3, 1, 1, 4);
	for (machine.dram_n = 1; machine.dram_n <= 9; machine.dram_n++) {
		struct schedule schedule = {0};
		schedule_add_step(&schedule, (struct schedule_step){.phase = PHASE_TASKS});
		uint32_t index = schedule_add_shape(&schedule, &shape),
			 n_queue = machine.dram_n < 8 ? machine.dram_n : 8;
		for (uint32_t i = 0; i < 24; i++)
			schedule_add_job(
			    &schedule,
			    (struct job){.queue = i % n_queue, .map_byte = 64, .store_byte = 32, .shape = index});
		assert_true(run(&machine, &schedule, NULL).counts.dram_read_byte == 24 * 64);
		schedule_free(&schedule);
	}
}

/* ---- traces ---- */

struct listener {
	uint64_t n[N_TRACE_UNIT], byte, end_clk[N_TRACE_UNIT][256];
	uint64_t n_cause, n_queued, mla_clk, waited_clk;
};

static void listen(void *context, const struct trace_span *span)
{
	struct listener *listener = context;
	assert_true(span->end_clk > span->begin_clk && span->unit < N_TRACE_UNIT && span->index < 256);
	/* A track's spans do not overlap. */
	assert_true(span->begin_clk >= listener->end_clk[span->unit][span->index]);
	listener->end_clk[span->unit][span->index] = span->end_clk;
	listener->n[span->unit]++;
	listener->n_queued += span->n_queued;
	if (span->unit == TRACE_DRAM)
		listener->byte += span->n;
	if (span->unit != TRACE_PE_MLA)
		return;
	listener->n_cause += span->waits_for != NULL;
	listener->mla_clk += span->end_clk - span->begin_clk;
	listener->waited_clk += span->waited_clk;
}

static void test_event_chip_trace(void **state)
{
	(void)state;
	struct machine machine = machine_of(MACHINE_CHIP);
	struct schedule schedule = random_schedule(&machine, 1);
	static struct listener listener;
	const struct trace_sink sink = {listen, &listener};
	const struct event_option option = {.trace = &sink};
	struct sim_result traced = run(&machine, &schedule, &option), plain = run(&machine, &schedule, NULL);
	uint64_t n_task = 0, n_send = 0;
	for (uint32_t i = 0; i < schedule.n_op; i++) {
		n_task += schedule.op[i].kind == OP_TASK;
		n_send += schedule.op[i].kind == OP_COPY || schedule.op[i].kind == OP_STORE;
	}
	assert_int_equal(traced.total_clk, plain.total_clk);
	assert_memory_equal(&traced.counts, &plain.counts, sizeof(plain.counts));
	assert_memory_equal(traced.phase_clk, plain.phase_clk, sizeof(plain.phase_clk));
	assert_true(traced.energy.total_pj >= plain.energy.total_pj && traced.energy.total_pj <= plain.energy.total_pj);
	/* an MLA computes, waits, or has nothing left to do */
	uint64_t last_clk = 0;
	for (uint32_t pe = 0; pe < 256; pe++)
		last_clk += listener.end_clk[TRACE_PE_MLA][pe];
	assert_int_equal(listener.mla_clk + listener.waited_clk, last_clk);
	assert_int_equal(listener.n_cause, n_task);
	assert_true(listener.n_queued > 0);
	assert_int_equal(listener.n[TRACE_PE_MLA], n_task);
	assert_int_equal(listener.n[TRACE_PE_DMA], n_send);
	assert_int_equal(listener.n[TRACE_PHASE], 3);
	assert_true(listener.n[TRACE_ROUTER] > 0 && listener.n[TRACE_HOST] > 0);
	assert_true((double)listener.byte >= plain.counts.dram_read_byte + plain.counts.dram_write_byte);
	schedule_free(&schedule);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_event_chip_dram_is_shared),
	    cmocka_unit_test(test_event_chip_dram_reads_and_writes),
	    cmocka_unit_test(test_event_chip_router_is_shared),
	    cmocka_unit_test(test_event_chip_links_meet),
	    cmocka_unit_test(test_event_chip_order),
	    cmocka_unit_test(test_event_chip_sync),
	    cmocka_unit_test(test_event_chip_task_as_alone),
	    cmocka_unit_test(test_event_chip_replay_is_exact),
	    cmocka_unit_test(test_event_chip_replay_saves),
	    cmocka_unit_test(test_event_chip_jobs),
	    cmocka_unit_test(test_event_chip_job_waits_for_its_write),
	    cmocka_unit_test(test_event_chip_measured_jobs),
	    cmocka_unit_test(test_event_chip_result_leaves_at_once),
	    cmocka_unit_test(test_event_chip_jobs_of_every_queue),
	    cmocka_unit_test(test_event_chip_trace),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
