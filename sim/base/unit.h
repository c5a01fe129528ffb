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
