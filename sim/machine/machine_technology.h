/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_MACHINE_TECHNOLOGY_H
#define SIM_MACHINE_TECHNOLOGY_H
/*
 * A machine's coefficients of energy, leakage and area as its technology says. The machine of the file is the anchor:
 * there the coefficients that it gives stay to the last bit. Away from it they change as the tables do:
 *
 *   SRAM access   times the table's energy a byte at the machine's size and word over that at the anchor's
 *   MLA clock     times the energy of a MAC unit with the machine's accumulator over that with the anchor's
 *   static power  plus the growth of the SRAM's leakage and of the MAC array's share
 *   area          SRAM by the table, MAC units by published figures, unless the file gives area.*
 *
 * Static power that was measured bounds what leaks: the SRAM's part of it is the table's leakage at most. The array's
 * share is its share of the area of a PE by the tables (assumed: no source divides it).
 */
#include "sim/machine/machine.h"

/* Coefficients of an operating point that the technology decides; bits of machine_technology_anchor's given. */
enum technology_field { TECHNOLOGY_MLA, TECHNOLOGY_READ, TECHNOLOGY_WRITE, TECHNOLOGY_STATIC, N_TECHNOLOGY_FIELD };
extern const char *const technology_field_key[N_TECHNOLOGY_FIELD]; /* in level_param[]: "mla_clk_pj", ... */

/*
 * Make the machine as it stands, technology.of set, the anchor, and apply the technology. given [n_level]: bits of the
 * coefficients that its file gives; the others are the technology's own. ERR_INPUT where the technology's tables do not
 * reach the anchor; the machine's technology is off then.
 */
enum err_code machine_technology_anchor(struct machine *machine, const uint32_t *given, struct err *err);

/*
 * Set the coefficients from the machine's sizes; nothing without a technology. Outside the tables they stay what they
 * are, and machine_technology_check says so. machine_set_param calls it; so must whoever sets sizes by hand.
 */
void machine_technology_apply(struct machine *machine);

/* Whether a machine with a technology has the sizes of its anchor. */
bool machine_technology_is_anchor(const struct machine *machine);

/* Whether the tables reach the machine; messages begin with the key of the parameter. */
void machine_technology_check(const struct machine *machine, struct err *err);

/* Area of a PE by part, um2; without a technology from area.* alone. They add up with area.chip_um2 to the machine's.
 */
struct machine_area {
	double mac_um2, sram_um2, pe_um2;
};
struct machine_area machine_area_of_pe(const struct machine *machine);

#endif
