/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_COUNTS_H
#define SIM_COUNTS_H
/*
 * What a run does, counted: the actions that energies are made of. Clocks and counts are exact up to COUNTS_MAX.
 */
#include <assert.h>
#include <stdint.h>

/* Clocks, bytes and words of a run are counted up to so many: exactly, as double, too. */
#define COUNTS_MAX (UINT64_C(1) << 52)

/* Actions; energies are counts times energy per action. */
struct counts {
	double mac;                             /* multiply-accumulates wanted */
	double mla_clk;                         /* clocks in which an array multiplies, all PEs */
	double sram_read_word, sram_write_word; /* 32 bit */
	double noc_packet;                      /* one packet through one router */
	double dram_read_byte, dram_write_byte;
	double arm_clk;   /* all PEs */
	double awake_clk; /* PE clocks in which a PE's MLA or ARM core works, all PEs; filled in by the simulator */
};

static inline void counts_add(struct counts *sum, const struct counts *part)
{
	sum->mac += part->mac;
	sum->mla_clk += part->mla_clk;
	sum->sram_read_word += part->sram_read_word;
	sum->sram_write_word += part->sram_write_word;
	sum->noc_packet += part->noc_packet;
	sum->dram_read_byte += part->dram_read_byte;
	sum->dram_write_byte += part->dram_write_byte;
	sum->arm_clk += part->arm_clk;
	sum->awake_clk += part->awake_clk;
}

/* Clocks of a step, clk > -1, rounded up; one more than COUNTS_MAX stands for all that cannot be counted. */
static inline uint64_t counts_whole_clk(double clk)
{
	assert(!(clk <= -1));
	if (!(clk <= (double)COUNTS_MAX))
		return COUNTS_MAX + 1;
	/* ceil() without a call into the mathematics library */
	int64_t below = (int64_t)clk;
	return (uint64_t)below + ((double)below < clk);
}

#endif
