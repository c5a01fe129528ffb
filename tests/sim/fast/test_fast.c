/* SPDX-License-Identifier: Apache-2.0 */
/* The fast tier: every kind of step against its closed form on hand-made programs, and what holds of every program. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "sim/fast/fast.h"
#include "sim/machine/machine_param.h"
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* thesis simulator, re-run: a single load, and the hand-shake after a write */
#define LOAD_CLK 45
#define WRITE_CLK 20

/* A QPE at one DRAM of 8 bytes and a router of 2 packets a PE clock: the defaults. */
static struct machine qpe_machine(void)
{
	struct machine machine;
	machine_init(&machine, MACHINE_QPE);
	machine.n_level = 1;
	machine.level[0] = (struct operating_point){.vdd_v = 0.5, .clk_mhz = 250, .mla_clk_pj = 8.5, .pe_static_mw = 1};
	return machine;
}

static struct step *add(struct program *program, enum step_kind kind, enum phase phase)
{
	struct step *step = &program->step[program->n_step++];
	assert_true(program->n_step <= PROGRAM_MAX_STEP);
	*step = (struct step){.kind = kind, .phase = phase};
	return step;
}

static uint64_t run_clk(const struct machine *machine, const struct program *program)
{
	struct sim_result result;
	fast_run(machine, program, 0, &result);
	return result.total_clk;
}

static uint64_t transfer_clk(const struct machine *machine, const struct transfer *transfer)
{
	struct program program = {0};
	add(&program, STEP_TRANSFER, PHASE_WEIGHT)->u.transfer = *transfer;
	return run_clk(machine, &program);
}

static uint64_t compute_clk(const struct machine *machine, const struct compute *compute)
{
	struct program program = {0};
	add(&program, STEP_COMPUTE, PHASE_COMPUTATION)->u.compute = *compute;
	return run_clk(machine, &program);
}

static uint64_t jobs_clk(const struct machine *machine, const struct jobs *jobs)
{
	struct program program = {0};
	add(&program, STEP_JOBS, PHASE_TASKS)->u.jobs = *jobs;
	return run_clk(machine, &program);
}

static void test_fast_dram_load(void **state)
{
	(void)state;
	struct machine machine = qpe_machine();
	struct transfer load = {.dram_byte = 8000, .setup_clk = 60, .n_repeat = 1};
	assert_int_equal(transfer_clk(&machine, &load), 1060);
	load.n_repeat = 5;
	assert_int_equal(transfer_clk(&machine, &load), 5300);
	load.dram_byte = 8001; /* a clock begun counts */
	load.n_repeat = 1;
	assert_int_equal(transfer_clk(&machine, &load), 1061);
}

/* A stage takes as long as its slower of port (one packet a clock) and router (two a clock). */
static void test_fast_copy_chain(void **state)
{
	(void)state;
	struct machine machine = qpe_machine();
	struct transfer chain = {
	    .item_packet = 100,
	    .n_stage = 3,
	    .stage = {{1, 1, 1, 1}, {1, 2, 1, 1}, {1, 8, 1, 1}},
	    .stage_setup_clk = 47,
	    .n_repeat = 1,
	};
	assert_int_equal(transfer_clk(&machine, &chain), 100 + 100 + 400 + 3 * 47);
	chain.dram_byte = 1600;
	chain.setup_clk = 60;
	chain.n_repeat = 2;
	assert_int_equal(transfer_clk(&machine, &chain), 2 * (200 + 60 + 600 + 3 * 47));
}

/* A barrier after every task: all writes show. Without, those of the last ones do, and a share of the others. */
static void test_fast_lock_step_to_storage(void **state)
{
	(void)state;
	struct machine machine = qpe_machine();
	uint64_t setup_clk = machine.write_setup_clk;
	struct compute compute = {
	    .task_clk = 4000, .n_task = 4, .n_barrier = 4, .write_packet = 30, .write_router = 56};
	/* 28 clocks a packet, and the hand-shake of every write */
	assert_int_equal(compute_clk(&machine, &compute), 4000 + 4 * (30 * 28 + setup_clk));
	compute.n_barrier = 1;
	assert_in_range(compute_clk(&machine, &compute), 4000 + 30 * 28 + 4 * setup_clk,
	                4000 + 4 * (30 * 28 + setup_clk));
	compute.n_barrier = 4;
	compute.write_router = 1; /* the PE's own port is slower then */
	assert_int_equal(compute_clk(&machine, &compute), 4000 + 4 * (30 + setup_clk));
	compute.write_port = 8; /* eight PEs write into one PE of the storage QPE */
	assert_int_equal(compute_clk(&machine, &compute), 4000 + 4 * (8 * 30 + setup_clk));
	compute.write_port = 0;
	compute.fetch =
	    (struct mla_fetch){0, 1250, 4}; /* request and answer for 4 PEs, 2 a clock: longer than the tasks */
	assert_int_equal(compute_clk(&machine, &compute), 5000 + 4 * (30 + setup_clk + machine.mla_init_clk));
}

static void test_fast_lock_step_to_dram(void **state)
{
	(void)state;
	struct machine machine = qpe_machine();
	uint64_t setup_clk = machine.write_setup_clk;
	struct compute compute = {.task_clk = 4000, .n_task = 4, .n_barrier = 1, .write_dram_byte = 8000};
	assert_in_range(compute_clk(&machine, &compute), 4000 + 250 + 4 * setup_clk, 4000 + 1000 + 4 * setup_clk);
	compute.write_dram_byte = 80000; /* DRAM-bound: it starts after the first task */
	assert_int_equal(compute_clk(&machine, &compute), 1000 + 10000 + setup_clk);
	compute.n_barrier = 4;
	assert_int_equal(compute_clk(&machine, &compute), 4000 + 10000 + 4 * setup_clk);
}

/*
 * What a step is mostly spent on: writes and their set-ups together, when they take as long as the tasks or longer. At
 * 8 bytes a clock 800 bytes are 100 clocks, and 2 set-ups of writes stand beside them.
 */
static void test_fast_lock_step_bound(void **state)
{
	(void)state;
	struct machine machine = qpe_machine();
	struct sim_result result;
	double writes_clk = 100 + 2.0 * machine.write_setup_clk;
	assert_true(machine.write_setup_clk > 1);
	for (int i = -1; i <= 1; i++) {
		struct program program = {0};
		add(&program, STEP_COMPUTE, PHASE_COMPUTATION)->u.compute = (struct compute){
		    .task_clk = writes_clk + i,
		    .mac_clk = writes_clk - 1,
		    .n_task = 2,
		    .write_dram_byte = 800,
		    .n_barrier = 1,
		};
		fast_run(&machine, &program, 0, &result);
		assert_int_equal(result.phase_bound[PHASE_COMPUTATION], i > 0 ? BOUND_MAC : BOUND_DRAM);
		assert_int_equal(result.bound, i > 0 ? BOUND_MAC : BOUND_DRAM);
	}
}

/*
 * A fetch beside tasks: the interface idles but for the writes and, at each of 3 barriers, the set-up of a phase of
 * loads. Beside writes the fetch takes half of that time, beside tasks that write to storage QPEs all of it; what is
 * left over takes a phase of its own. 64 000 bytes are 8000 clocks of the interface.
 */
static void test_fast_fetch_beside_writes(void **state)
{
	(void)state;
	struct machine machine = qpe_machine();
	const double fetch_clk = 8000 + 100;
	for (int to_dram = 0; to_dram < 2; to_dram++) {
		struct program program = {0};
		add(&program, STEP_COMPUTE, PHASE_COMPUTATION)->u.compute = (struct compute){
		    .task_clk = 6000,
		    .mac_clk = 5000,
		    .n_task = 6,
		    .write_packet = 4,
		    .write_router = 1,
		    .write_dram_byte = to_dram ? 1600 : 0,
		    .n_barrier = 3,
		};
		double clk = (double)run_clk(&machine, &program);
		double idle_clk = clk - 3 * 100 - (to_dram ? 200 : 0);
		double hidden_clk = to_dram ? idle_clk / 2 : idle_clk;
		program.fetch = (struct fetch){.dram_byte = 64000, .setup_clk = 100};
		struct fetch_plan plan;
		fast_plan_fetch(&machine, &program, 0, &plan);
		assert_int_equal(plan.rest_clk, (uint64_t)ceil(fetch_clk - hidden_clk));
		assert_true(fabs(plan.step_frac[0] - (hidden_clk / fetch_clk)) < 1e-12);
		assert_true(fabs(plan.rest_frac - (1 - hidden_clk / fetch_clk)) < 1e-12);
		assert_int_equal(run_clk(&machine, &program), (uint64_t)clk + plan.rest_clk);
	}
}

static void test_fast_single_job(void **state)
{
	(void)state;
	struct machine machine = qpe_machine();
	struct jobs jobs = {.n_job = 1, .n_pe = 4, .load_byte = 800, .write_byte = 1600};
	jobs.task_clk = 700;
	jobs.task_shared_clk = 900; /* nobody shares the SRAM */
	assert_int_equal(jobs_clk(&machine, &jobs), 100 + LOAD_CLK + 700 + 200 + WRITE_CLK);
	jobs.n_job = 0;
	assert_int_equal(jobs_clk(&machine, &jobs), 0);
}

/* The DRAM never rests but before the first write; the last job's write, in order behind all others, ends it. */
static void test_fast_jobs_bound_by_dram(void **state)
{
	(void)state;
	struct machine machine = qpe_machine();
	struct jobs jobs = {.n_job = 400, .n_pe = 4, .load_byte = 8.0 * 100 * 400, .write_byte = 8.0 * 50 * 400};
	jobs.task_clk = jobs.task_shared_clk = 10 * 400;
	assert_in_range(jobs_clk(&machine, &jobs), 400 * 150, 400 * 150 * 101 / 100);
}

/* No PE ever waits for another but for the first load. */
static void test_fast_jobs_bound_by_pe(void **state)
{
	(void)state;
	struct machine machine = qpe_machine();
	struct jobs jobs = {.n_job = 400, .n_pe = 4, .load_byte = 8.0 * 20 * 400, .write_byte = 8.0 * 10 * 400};
	jobs.task_clk = jobs.task_shared_clk = 5000.0 * 400;
	uint64_t cycle_clk = 20 + LOAD_CLK + 5000 + 10 + WRITE_CLK;
	/* from the second round on the PEs are a load and a write apart */
	assert_in_range(jobs_clk(&machine, &jobs), 100 * cycle_clk, 100 * cycle_clk * 1002 / 1000);
	jobs.n_job = 401;
	jobs.load_byte = 8.0 * 20 * 401;
	jobs.write_byte = 8.0 * 10 * 401;
	jobs.task_clk = jobs.task_shared_clk = 5000.0 * 401;
	assert_in_range(jobs_clk(&machine, &jobs), 101 * cycle_clk, 101 * cycle_clk * 1002 / 1000);
}

/* Task times lie between those of a free and of a shared SRAM: free where PEs compute in turn, shared where together.
 */
static void test_fast_jobs_share_sram(void **state)
{
	(void)state;
	struct machine machine = qpe_machine();
	struct jobs jobs = {
	    .n_job = 4, .n_pe = 4, .load_byte = 8.0 * 2000 * 4, .task_clk = 400, .task_shared_clk = 4000};
	assert_int_equal(jobs_clk(&machine, &jobs), 4 * 2000 + LOAD_CLK + 100 + WRITE_CLK);
	jobs.load_byte = 0;
	assert_int_equal(jobs_clk(&machine, &jobs), LOAD_CLK + 1000 + WRITE_CLK);
	jobs.n_pe = 1;
	jobs.n_job = 1;
	jobs.task_clk = 100;
	jobs.task_shared_clk = 1000;
	assert_int_equal(jobs_clk(&machine, &jobs), LOAD_CLK + 100 + WRITE_CLK);
}

static void test_fast_arm(void **state)
{
	(void)state;
	struct machine machine = qpe_machine();
	struct program program = {0};
	struct sim_result result;
	add(&program, STEP_ARM, PHASE_ACTI)->u.arm = (struct arm_work){.clk = 800, .dram_byte = 6400};
	add(&program, STEP_ARM, PHASE_POOL)->u.arm = (struct arm_work){.clk = 800, .dram_byte = 6408};
	fast_run(&machine, &program, 0, &result);
	assert_int_equal(result.phase_clk[PHASE_ACTI], 800);
	assert_int_equal(result.phase_bound[PHASE_ACTI], BOUND_ARM);
	assert_int_equal(result.phase_clk[PHASE_POOL], 801);
	assert_int_equal(result.phase_bound[PHASE_POOL], BOUND_DRAM);
	assert_int_equal(result.core_clk, 0);
}

/* Rates alone: latencies that pass in no time leave nothing of a set-up of 0. */
static struct machine machine_without_latency(void)
{
	struct machine machine = qpe_machine();
	machine.noc_hop_clk = machine.dram_interface_clk = machine.chip.host_latency_clk = 0;
	return machine;
}

/* Everything is in PE clocks: a DRAM or NoC of other clocks serves more or less in one. */
static void test_fast_clock_domains(void **state)
{
	(void)state;
	struct machine machine = machine_without_latency();
	struct transfer load = {.dram_byte = 8000, .n_repeat = 1};
	struct transfer copy = {.item_packet = 1000, .n_stage = 1, .stage = {{1, 1, 0, 1}}, .n_repeat = 1};
	struct transfer cross = {.item_packet = 1000, .n_stage = 1, .stage = {{1, 4, 0, 1}}, .n_repeat = 1};
	assert_int_equal(transfer_clk(&machine, &load), 1000);
	machine.dram_clk_mhz = 400; /* at 400 MHz PEs as before, at 250 MHz faster */
	assert_int_equal(transfer_clk(&machine, &load), 625);
	machine.level[0].clk_mhz = 400;
	assert_int_equal(transfer_clk(&machine, &load), 1000);
	machine.noc_clk_mhz = 300;
	assert_int_equal(transfer_clk(&machine, &copy),
	                 1334); /* the PE's port takes what the NoC gives: 0.75 a clock */
	assert_int_equal(transfer_clk(&machine, &cross), 5334);
	machine.noc_clk_mhz = 800; /* a port never takes more than one a PE clock */
	assert_int_equal(transfer_clk(&machine, &copy), 1000);
	assert_int_equal(transfer_clk(&machine, &cross), 2000);
	struct program program = {0};
	struct sim_result result;
	add(&program, STEP_ARM, PHASE_ACTI)->u.arm.clk = 4000;
	fast_run(&machine, &program, 0, &result);
	assert_true(fabs(result.latency_ns - 10000) < 1e-6);
}

/* All levels of one machine see the same nanoseconds of a DRAM-bound program. */
static void test_fast_levels(void **state)
{
	(void)state;
	struct machine machine = machine_without_latency();
	struct sim_result slow, fast;
	struct program program = {0};
	machine.n_level = 2;
	machine.level[1] = machine.level[0];
	machine.level[1].clk_mhz = 500;
	add(&program, STEP_TRANSFER, PHASE_INPUT)->u.transfer = (struct transfer){.dram_byte = 1 << 20, .n_repeat = 1};
	fast_run(&machine, &program, 0, &slow);
	fast_run(&machine, &program, 1, &fast);
	assert_int_equal(fast.total_clk, 2 * slow.total_clk);
	assert_true(fabs(fast.latency_ns - slow.latency_ns) < 1e-6 * slow.latency_ns);
}

static void mixed_program(struct program *program)
{
	*program = (struct program){.sram_byte = 4711};
	struct step *step = add(program, STEP_TRANSFER, PHASE_WEIGHT);
	step->u.transfer = (struct transfer){.dram_byte = 4096, .setup_clk = 60, .n_repeat = 1};
	step->counts.dram_read_byte = 4096;
	step = add(program, STEP_TRANSFER, PHASE_INPUT);
	step->u.transfer = (struct transfer){.dram_byte = 80000, .n_repeat = 1};
	step->counts.dram_read_byte = 80000;
	/* copies, shorter than the load, of the same phase */
	add(program, STEP_TRANSFER, PHASE_INPUT)->u.transfer =
	    (struct transfer){.item_packet = 10, .n_stage = 1, .stage = {{1, 1, 0, 1}}, .n_repeat = 2};
	step = add(program, STEP_COMPUTE, PHASE_COMPUTATION);
	step->u.compute = (struct compute){.task_clk = 2000, .n_task = 2, .n_barrier = 1, .write_dram_byte = 800};
	step->counts = (struct counts){.mac = 4 * 2000 * 64, .mla_clk = 8000, .dram_write_byte = 800};
	add(program, STEP_ARM, PHASE_PADD)->u.arm.clk = 100.5;
	add(program, STEP_ARM, PHASE_QUAN)->u.arm.clk = 50;
}

static void test_fast_phases_sum_to_total(void **state)
{
	(void)state;
	struct machine machine = qpe_machine();
	struct program program;
	struct sim_result result;
	mixed_program(&program);
	fast_run(&machine, &program, 0, &result);
	uint64_t sum_clk = 0, arm_clk = 0;
	for (int i = 0; i < N_PHASE; i++) {
		sum_clk += result.phase_clk[i];
		arm_clk += i >= PHASE_PADD ? result.phase_clk[i] : 0;
	}
	assert_int_equal(arm_clk, 101 + 50);
	assert_int_equal(result.total_clk, sum_clk);
	assert_int_equal(result.core_clk, sum_clk - arm_clk);
	assert_int_equal(result.sram_byte, 4711);
	assert_int_equal(result.phase_bound[PHASE_INPUT], BOUND_DRAM); /* of its longest step, not of its last one */
	assert_int_equal(result.bound, BOUND_DRAM);
	assert_true(result.counts.dram_read_byte == 84096 && result.counts.dram_write_byte == 800);
	assert_true(fabs(result.mac_util_frac - 2000.0 / (double)result.total_clk) < 1e-12);
	assert_true((double)result.total_clk >= fast_roofline_clk(&machine, &program, 0));
}

static void test_fast_roofline(void **state)
{
	(void)state;
	struct machine machine = qpe_machine();
	struct program program = {0};
	struct step *step = add(&program, STEP_ARM, PHASE_ACTI);
	step->counts.mac = 256e3; /* 4 PEs of 64 MAC units */
	step->counts.dram_read_byte = 4000;
	step->counts.dram_write_byte = 3992;
	assert_true(fabs(fast_roofline_clk(&machine, &program, 0) - 1000) < 1e-9);
	step->counts.dram_write_byte = 4800;
	assert_true(fabs(fast_roofline_clk(&machine, &program, 0) - 1100) < 1e-9);
	machine.dram_n = 2;
	assert_true(fabs(fast_roofline_clk(&machine, &program, 0) - 1000) < 1e-9);
}

/* Whether pricing the program dies on an assertion. */
static bool aborts(const struct machine *machine, const struct program *program)
{
	struct sim_result result;
	int status = 0;
	fflush(NULL);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		/* cmocka's own handler would report the abort as this program's failure; the message is not wanted
		 * either */
		signal(SIGABRT, SIG_DFL);
		if (!freopen("/dev/null", "w", stderr))
			_exit(2);
		fast_run(machine, program, 0, &result);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

/* A planted bug of a model: a step that claims more work than its time allows. */
static void test_fast_roofline_assertion_fires(void **state)
{
	(void)state;
	struct machine machine = qpe_machine();
	struct program program;
	mixed_program(&program);
	assert_false(aborts(&machine, &program));
	program.step[3].counts.mac = 1e9;
	assert_true(aborts(&machine, &program));
	mixed_program(&program);
	program.step[0].counts.dram_read_byte = 1e9;
	assert_true(aborts(&machine, &program));
	mixed_program(&program);
	program.step[0].u.transfer.n_repeat = -1;
	assert_true(aborts(&machine, &program));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_fast_dram_load),
	    cmocka_unit_test(test_fast_copy_chain),
	    cmocka_unit_test(test_fast_lock_step_to_storage),
	    cmocka_unit_test(test_fast_lock_step_to_dram),
	    cmocka_unit_test(test_fast_lock_step_bound),
	    cmocka_unit_test(test_fast_fetch_beside_writes),
	    cmocka_unit_test(test_fast_single_job),
	    cmocka_unit_test(test_fast_jobs_bound_by_dram),
	    cmocka_unit_test(test_fast_jobs_bound_by_pe),
	    cmocka_unit_test(test_fast_jobs_share_sram),
	    cmocka_unit_test(test_fast_arm),
	    cmocka_unit_test(test_fast_clock_domains),
	    cmocka_unit_test(test_fast_levels),
	    cmocka_unit_test(test_fast_phases_sum_to_total),
	    cmocka_unit_test(test_fast_roofline),
	    cmocka_unit_test(test_fast_roofline_assertion_fires),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
