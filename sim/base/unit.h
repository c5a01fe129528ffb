/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_BASE_UNIT_H
#define SIM_BASE_UNIT_H
/*
 * Quantities as text: "64KiB", "300 MHz", "6.4GB/s", "500mV". Tables name the unit that a value is kept in ("bytes",
 * "MHz"); a text may have any unit of the same dimension, or none, which is the table's. KB, MB, GB are powers of 1000,
 * KiB, MiB, GiB of 1024. This is the only place where units of texts convert.
 */
#include <stdbool.h>
#include <stddef.h>

/*
 * Factors between the units that values are kept in: ms = ns * MS_PER_NS. What files show is divided by the whole one:
 * 100 ns are 0.0001 ms, and times 1e-6 they would be 9.999999999999999e-5.
 */
#define MS_PER_NS 1e-6
#define NS_PER_MS 1e6
#define MJ_PER_PJ 1e-9
#define MM2_PER_UM2 1e-6
#define PJ_PER_MJ 1e9
#define PJ_PER_NJ 1e3

/* What a text may have behind its number, for messages: "bytes, B, KB, KiB, ...". */
#define UNIT_LIST_SIZE 96

/*
 * Read a decimal number, with at most one blank and a unit behind it, into *value in unit. The result is what the
 * decimal number in that unit would read as (500mV in V is 0.5), powers of two apart, which are exact, too. false: no
 * number, not finite, or a unit that does not convert; *value is untouched then.
 */
bool unit_read(const char *text, const char *unit, double *value);

/* The units that convert to unit, with commas between; "" where only plain numbers are taken. */
void unit_list(const char *unit, char list[UNIT_LIST_SIZE]);

/* "MHz; also Hz, kHz, GHz": unit and what else is taken, as messages have it between brackets. */
#define UNIT_TEXT_SIZE (UNIT_LIST_SIZE + 64)
void unit_describe(const char *unit, char text[UNIT_TEXT_SIZE]);

#endif
