/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_AREA_TRUST_H
#define DSE_AREA_TRUST_H
/* How far an area is to be trusted: its parts, what each rests on, and between what it lies within their intervals. */
#include "dse/space/provenance.h"

/* MAC units, SRAM, PEs without both, all outside the PEs: rows of area.* */
#define AREA_N_PART 4

struct area_part {
	const char *key; /* its coefficient: "area.mac_um2" */
	double mm2;      /* of the whole machine; 0: not counted */
	double least_mm2, most_mm2;
	struct provenance provenance; /* source is never NULL */
};

/*
 * The parts of a machine's area, which add up to it. A coefficient is what the file says of it (`sources`, with its
 * `+-`); one that the technology's tables give is derived.
 */
void area_parts(const struct machine *machine, const struct machine_sources *sources,
                struct area_part part[AREA_N_PART]);

#endif
