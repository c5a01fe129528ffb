/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/space/area_trust.h"
#include "sim/base/real.h"
#include "sim/base/unit.h"
#include "sim/machine/machine_param.h"
#include <assert.h>

static const char *const area_key[AREA_N_PART] = {"area.mac_um2", "area.sram_byte_um2", "area.pe_um2", "area.chip_um2"};

/* Times the coefficient, um2. */
static double amount_of(const struct machine *machine, size_t i)
{
	const double amount[AREA_N_PART] = {(double)machine_n_mac(machine), (double)machine_sram_byte(machine),
	                                    (double)machine_n_pe(machine), 1};
	return amount[i];
}

static struct provenance judge(const struct machine *machine, const struct machine_sources *sources,
                               const struct machine_param *param, double value)
{
	size_t row = (size_t)(param - machine_param);
	if (sources->param[row].source)
		return sources->param[row];
	if (machine->technology.of.node_nm > 0 && !sources->given[row] && value > 0)
		return (struct provenance){.confidence = CONFIDENCE_DERIVED, .source = "the technology's tables"};
	if (!(value > 0))
		return (struct provenance){.confidence = CONFIDENCE_ASSUMED, .source = param->source};
	return (struct provenance){.confidence = CONFIDENCE_UNKNOWN, .source = "the machine file does not say"};
}

void area_parts(const struct machine *machine, const struct machine_sources *sources,
                struct area_part part[AREA_N_PART])
{
	assert(machine && sources && sources->param && part);
	for (size_t i = 0; i < AREA_N_PART; i++) {
		const struct machine_param *param = machine_find_param(area_key[i]);
		assert(param);
		double value = machine_get_param(machine, param), amount = amount_of(machine, i) * MM2_PER_UM2;
		part[i] = (struct area_part){
		    .key = param->key, .mm2 = amount * value, .provenance = judge(machine, sources, param, value)};
		double distance = provenance_distance(&part[i].provenance, value);
		part[i].least_mm2 = amount * real_max(0, value - distance);
		part[i].most_mm2 = amount * (value + distance);
	}
}
