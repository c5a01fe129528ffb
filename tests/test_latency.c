/* SPDX-License-Identifier: Apache-2.0 */
/* Set-ups on machines of other latencies than those they were measured on. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "sim/latency.h"

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
	};
	return clk[setup];
}

static struct machine machine_of(enum machine_target target)
{
	struct machine machine;
	machine_init(&machine, target);
	machine.n_level = 1;
	machine.level[0].clk_mhz = 250;
	return machine;
}

static double setup_clk(const struct machine *machine, enum setup setup)
{
	return latency_setup_clk(machine, 0, setup, measured_clk(machine, setup));
}

static void test_latency_defaults_change_nothing(void **state)
{
	(void)state;
	for (int target = MACHINE_QPE; target <= MACHINE_CHIP; target++) {
		struct machine machine = machine_of((enum machine_target)target);
		for (int i = 0; i < N_SETUP; i++)
			assert_true(setup_clk(&machine, (enum setup)i) == measured_clk(&machine, (enum setup)i));
	}
}

/* What a set-up is said to contain is less than the set-up: without any latency something is left of it. */
static void test_latency_is_within_the_setup(void **state)
{
	(void)state;
	for (int target = MACHINE_QPE; target <= MACHINE_CHIP; target++) {
		struct machine machine = machine_of((enum machine_target)target);
		machine.noc_hop_clk = machine.dram_interface_clk = machine.host_latency_clk = 0;
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
	struct machine machine = machine_of(MACHINE_QPE);
	machine.noc_hop_clk = 6; /* a PE clock more in each of 3 routers */
	assert_true(setup_clk(&machine, SETUP_LOAD) == 60 + 3);
	machine.dram_interface_clk = 9; /* two more, there and back */
	assert_true(setup_clk(&machine, SETUP_LOAD) == 60 + 3 + 4);
	machine.host_latency_clk = 13;
	assert_true(setup_clk(&machine, SETUP_LOAD) == 60 + 3 + 4 + 6);
	assert_true(setup_clk(&machine, SETUP_COPY) == 47 + 3 + 6);
	machine.noc_clk_mhz = 750; /* 6 clocks at 750 MHz are 4 at 500 */
	assert_true(setup_clk(&machine, SETUP_COPY) == 47 + 6);

	machine = machine_of(MACHINE_CHIP);
	machine.level[0].clk_mhz = 500; /* of twice as many PE clocks: routers of 4, interfaces of 14 */
	assert_true(setup_clk(&machine, SETUP_LOAD) == 60 + 8.125 * 2 + 2 * 7);
	assert_true(setup_clk(&machine, SETUP_WRITE_STORAGE) == 57 + 10 * 2);
	assert_true(setup_clk(&machine, SETUP_RING) == 127 + 15 * 2);
	machine.dram_clk_mhz = 500;
	assert_true(setup_clk(&machine, SETUP_LOAD) == 60 + 8.125 * 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_latency_defaults_change_nothing),
	    cmocka_unit_test(test_latency_is_within_the_setup),
	    cmocka_unit_test(test_latency_of_own_clocks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
