/* SPDX-License-Identifier: Apache-2.0 */
/* Set-ups on machines of other latencies than those they were measured on. */
#include "tests/support/unit_test.h"
#include "sim/machine/latency.h"
#include "sim/machine/machine_param.h"
#include "tests/support/default_machine.h"

/* Set-ups as measured: the defaults of transfer.*, a single load, the hand-shake after a write. */
static double measured_clk(const struct machine *machine, enum setup setup)
{
	const double clk[N_SETUP] = {
	    [SETUP_COPY] = machine->copy_setup_clk,
	    [SETUP_MIGRATE] = machine->migrate_setup_clk,
	    [SETUP_RING] = machine->ring_setup_clk,
	    [SETUP_LOAD] = machine->dram_load_setup_clk,
	    [SETUP_SINGLE_LOAD] = 45,
	    [SETUP_WRITE_STORAGE] = machine->write_setup_clk,
	    [SETUP_WRITE_DRAM] = machine->write_setup_clk,
	    [SETUP_HANDSHAKE] = 20,
	    [SETUP_TASK] = machine->mla_init_clk,
	};
	return clk[setup];
}

static double setup_clk(const struct machine *machine, enum setup setup)
{
	return latency_setup_clk(machine, 0, setup, measured_clk(machine, setup));
}

/* Routers of two PE clocks that a chip's jobs pass beyond those where their set-ups were measured, on one QPE. */
static double n_beyond(enum machine_target target, enum setup setup)
{
	if (target != MACHINE_CHIP)
		return 0;
	return setup == SETUP_SINGLE_LOAD ? 7.125 : setup == SETUP_HANDSHAKE ? 4 : 0;
}

static void test_latency_defaults_change_nothing(void **state)
{
	(void)state;
	for (int target = MACHINE_QPE; target <= MACHINE_CHIP; target++) {
		struct machine machine = default_machine((enum machine_target)target, 250);
		for (int i = 0; i < N_SETUP; i++) {
			double clk = measured_clk(&machine, (enum setup)i);
			clk += 2 * n_beyond((enum machine_target)target, (enum setup)i);
			assert_true(setup_clk(&machine, (enum setup)i) == clk);
		}
	}
}

/* What a set-up is said to contain is less than the set-up: without any latency something is left of it. */
static void test_latency_is_within_the_setup(void **state)
{
	(void)state;
	for (int target = MACHINE_QPE; target <= MACHINE_CHIP; target++) {
		struct machine machine = default_machine((enum machine_target)target, 250);
		machine.noc_hop_clk = machine.dram_interface_clk = machine.chip.host_latency_clk = 0;
		for (int i = 0; i < N_SETUP; i++) {
			double clk = setup_clk(&machine, (enum setup)i);
			assert_true(clk > 0 && clk < measured_clk(&machine, (enum setup)i));
			assert_true(latency_setup_clk(&machine, 0, (enum setup)i, 0) == 0);
		}
	}
}

static void test_latency_of_own_clocks(void **state)
{
	(void)state;
	struct machine machine = default_machine(MACHINE_QPE, 250);
	machine.noc_hop_clk = 6; /* a PE clock more in each of 3 routers */
	assert_true(setup_clk(&machine, SETUP_LOAD) == 60 + 3);
	machine.dram_interface_clk = 9; /* two more, there and back */
	assert_true(setup_clk(&machine, SETUP_LOAD) == 60 + 3 + 4);
	machine.chip.host_latency_clk = 13;
	assert_true(setup_clk(&machine, SETUP_LOAD) == 60 + 3 + 4 + 6);
	assert_true(setup_clk(&machine, SETUP_COPY) == 47 + 3 + 6);
	machine.noc_clk_mhz = 750; /* 6 clocks at 750 MHz are 4 at 500 */
	assert_true(setup_clk(&machine, SETUP_COPY) == 47 + 6);

	machine = default_machine(MACHINE_CHIP, 250);
	machine.level[0].clk_mhz = 500; /* of twice as many PE clocks: routers of 4, interfaces of 14 */
	assert_true(setup_clk(&machine, SETUP_LOAD) == 60 + 8.125 * 2 + 2 * 7);
	assert_true(setup_clk(&machine, SETUP_WRITE_STORAGE) == 57 + 10 * 2);
	assert_true(setup_clk(&machine, SETUP_RING) == 127 + 15 * 2);
	machine.dram_clk_mhz = 500;
	assert_true(setup_clk(&machine, SETUP_LOAD) == 60 + 8.125 * 2);
}

/* A message passes a router more than it has hops, and the host's or a DRAM's interface if it starts or ends there. */
enum { PLAIN, HOST, DRAM };
struct message {
	int end;
	double n_hop; /* on the chip; within a QPE none */
};

/* Mean hops to an agent in the corner of its 3x3 QPEs, and to an edge of them. */
static double mean_hop(bool to_edge)
{
	double sum = 0;
	for (int x = 0; x < 3; x++) {
		for (int y = 0; y < 3; y++)
			sum += to_edge ? x : x + y;
	}
	return sum / 9;
}

/* The messages of a set-up, by the placement of thesis figures 4.16 to 4.20; returns how many. */
static unsigned list_messages(enum setup setup, struct message *message)
{
	const double agent = mean_hop(false), edge = mean_hop(true);
	const struct message command = {HOST, agent};
	const struct message list[N_SETUP][5] = {
	    /* chains to the neighbour and at distance 2, as many of one as of the other */
	    [SETUP_COPY] = {command, {PLAIN, (1 + 2) / 2.0}, command},
	    /* the last two are a barrier */
	    [SETUP_MIGRATE] = {command, {PLAIN, 1}, command, command, command},
	    [SETUP_RING] = {command, {PLAIN, 2}, command, command, command},
	    /* host, DRAM, a block's eight QPEs besides the one in the edge's column that stores, host */
	    [SETUP_LOAD] = {{HOST, 2}, {DRAM, 0}, {DRAM, 9 * edge / 8}, command},
	    [SETUP_SINGLE_LOAD] = {{HOST, 2}, {DRAM, 0}, {DRAM, 9 * edge / 8}, command},
	    [SETUP_WRITE_STORAGE] = {command, {PLAIN, 3}, command},
	    [SETUP_WRITE_DRAM] = {command, {DRAM, edge}, {DRAM, edge}, command},
	    [SETUP_HANDSHAKE] = {{DRAM, edge}, command},
	    [SETUP_TASK] = {command},
	};
	static const unsigned n[N_SETUP] = {3, 5, 5, 4, 4, 3, 4, 2, 1};
	for (unsigned i = 0; i < n[setup]; i++)
		message[i] = list[setup][i];
	return n[setup];
}

static void test_latency_counts_the_messages(void **state)
{
	(void)state;
	for (int i = 0; i < 2 * N_SETUP; i++) {
		enum machine_target target = i < N_SETUP ? MACHINE_QPE : MACHINE_CHIP;
		enum setup setup = (enum setup)(i % N_SETUP);
		struct machine machine = default_machine(target, 250), router = machine, interface = machine,
			       host = machine;
		struct message message[5];
		double n_router = 0, n_interface = 0, n_host = 0, clk = setup_clk(&machine, setup);
		for (unsigned k = list_messages(setup, message); k-- > 0;) {
			n_router += 1 + (target == MACHINE_CHIP ? message[k].n_hop : 0);
			n_interface += message[k].end == DRAM;
			n_host += message[k].end == HOST;
		}
		/* where one message ends and the next begins there is one router, not two */
		if (setup == SETUP_LOAD || setup == SETUP_SINGLE_LOAD || setup == SETUP_HANDSHAKE)
			n_router -= 1;
		/* a job's task is commanded in its own time, and its result comes to the DRAM in the DRAM's, but for
		 * hops */
		if (target == MACHINE_CHIP && setup == SETUP_SINGLE_LOAD)
			n_router += mean_hop(false);
		if (target == MACHINE_CHIP && setup == SETUP_HANDSHAKE)
			n_router += mean_hop(true);
		/* routers of a task's command: see latency.c */
		n_router = setup == SETUP_TASK ? 0 : n_router;
		router.noc_hop_clk += 2; /* a PE clock */
		interface.dram_interface_clk++;
		host.chip.host_latency_clk++;
		assert_true(setup_clk(&router, setup) - clk == n_router);
		assert_true(setup_clk(&interface, setup) - clk == n_interface);
		assert_true(setup_clk(&host, setup) - clk == n_host);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_latency_defaults_change_nothing),
	    cmocka_unit_test(test_latency_is_within_the_setup),
	    cmocka_unit_test(test_latency_of_own_clocks),
	    cmocka_unit_test(test_latency_counts_the_messages),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
