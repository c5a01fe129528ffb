/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of an area add up to the machine's, and each lies in the interval that its file gives it. */
#include "dse/space/area_trust.h"
#include "dse/space/machine_read.h"
#include "sim/base/rng.h"
#include "sim/base/unit.h"
#include "sim/machine/machine_param.h"
#include "sim/machine/machine_technology.h"
#include "tests/support/unit_test.h"
#include <math.h>
#include <string.h>

static void read_machine(const char *path, struct machine *machine, struct machine_sources *sources,
                         struct arena *arena)
{
	struct err err = {0};
	assert_int_equal(machine_read_sources(path, machine, sources, arena, &err), ERR_OK);
}

static void test_area_trust_parts_add_up(void **state)
{
	static const char *const path[] = {"spaces/machines/dvfs_chip_22nm.yaml", "spaces/machines/dvfs_chip.yaml",
	                                   "spaces/machines/edge_tpu.yaml", "spaces/machines/hdl_qpe.yaml"};
	(void)state;
	for (uint32_t seed = 0; seed < 400; seed++) {
		struct rng rng = rng_stream(1, 0, seed);
		struct machine machine;
		struct machine_sources sources;
		struct arena arena = {0};
		struct area_part part[AREA_N_PART];
		double sum = 0;
		read_machine(path[seed % 4], &machine, &sources, &arena);
		if (machine.target != MACHINE_SYSTOLIC && rng_below(&rng, 2)) {
			machine.pe_sram_byte = 32768u << rng_below(&rng, 4);
			machine_technology_apply(&machine);
		}
		if (rng_below(&rng, 2))
			machine.area_pe_um2 = 1000 * rng_unit(&rng);
		if (rng_below(&rng, 2))
			machine.area_chip_um2 = 1e6 * rng_unit(&rng);
		area_parts(&machine, &sources, part);
		for (size_t i = 0; i < AREA_N_PART; i++) {
			assert_true(part[i].least_mm2 <= part[i].mm2 && part[i].mm2 <= part[i].most_mm2);
			assert_true((part[i].most_mm2 > part[i].least_mm2) == (part[i].mm2 > 0));
			assert_non_null(part[i].provenance.source);
			sum += part[i].mm2;
		}
		assert_true(fabs(sum - machine_area_um2(&machine) * MM2_PER_UM2) <= 1e-12 * sum);
		arena_free(&arena);
	}
}

/* By hand: 9728 MAC units of 100 um2 +- 30 %, SRAM of 2 um2 a byte +- 0.5 um2, PEs that the file says nothing of. */
static void test_area_trust_by_hand(void **state)
{
	struct machine machine;
	struct machine_sources sources;
	struct arena arena = {0};
	struct area_part part[AREA_N_PART];
	(void)state;
	read_machine("spaces/machines/dvfs_chip.yaml", &machine, &sources, &arena);
	machine.area_mac_um2 = 100;
	machine.area_sram_byte_um2 = 2;
	machine.area_pe_um2 = 10;
	machine.area_chip_um2 = 0;
	size_t mac = (size_t)(machine_find_param("area.mac_um2") - machine_param);
	sources.param[mac] = (struct provenance){
	    .confidence = CONFIDENCE_DERIVED, .source = "a", .has_interval_frac = true, .interval_frac = 0.3};
	sources.param[mac + 1] = (struct provenance){
	    .confidence = CONFIDENCE_MEASURED, .source = "b", .has_interval = true, .interval = 0.5};
	sources.given[mac + 2] = true;
	area_parts(&machine, &sources, part);
	const double mac_mm2 = 9728 * 100e-6, sram_mm2 = 152 * 98304 * 2e-6;
	assert_true(fabs(part[0].mm2 / mac_mm2 - 1) < 1e-12 && fabs(part[0].least_mm2 / mac_mm2 - 0.7) < 1e-12);
	assert_true(fabs(part[0].most_mm2 / mac_mm2 - 1.3) < 1e-12);
	assert_true(fabs(part[1].mm2 / sram_mm2 - 1) < 1e-12 && fabs(part[1].least_mm2 / sram_mm2 - 0.75) < 1e-12);
	assert_int_equal(part[2].provenance.confidence, CONFIDENCE_UNKNOWN);
	assert_true(part[3].mm2 <= 0 && part[3].most_mm2 <= 0);
	assert_string_equal(part[3].key, "area.chip_um2");
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_area_trust_parts_add_up),
	    cmocka_unit_test(test_area_trust_by_hand),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
