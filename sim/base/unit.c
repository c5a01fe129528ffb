/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/base/unit.h"
#include "sim/base/text.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum dimension {
	DIMENSION_SIZE,
	DIMENSION_RATE,
	DIMENSION_CLOCK,
	DIMENSION_TIME,
	DIMENSION_VOLTAGE,
	DIMENSION_POWER,
	DIMENSION_ENERGY,
	DIMENSION_ENERGY_A_BYTE,
	DIMENSION_AREA
};

/* One unit: 10^ten * 2^two of its dimension's own. Of two spellings the first is listed. */
struct unit {
	const char *name;
	enum dimension dimension;
	int ten, two;
	bool is_listed;
};
static const struct unit unit_table[] = {
    {"bytes", DIMENSION_SIZE, 0, 0, false},
    {"byte", DIMENSION_SIZE, 0, 0, false},
    {"B", DIMENSION_SIZE, 0, 0, true},
    {"KB", DIMENSION_SIZE, 3, 0, true},
    {"kB", DIMENSION_SIZE, 3, 0, false},
    {"KiB", DIMENSION_SIZE, 0, 10, true},
    {"MB", DIMENSION_SIZE, 6, 0, true},
    {"MiB", DIMENSION_SIZE, 0, 20, true},
    {"GB", DIMENSION_SIZE, 9, 0, true},
    {"GiB", DIMENSION_SIZE, 0, 30, true},
    {"B/s", DIMENSION_RATE, 0, 0, true},
    {"KB/s", DIMENSION_RATE, 3, 0, true},
    {"kB/s", DIMENSION_RATE, 3, 0, false},
    {"KiB/s", DIMENSION_RATE, 0, 10, true},
    {"MB/s", DIMENSION_RATE, 6, 0, true},
    {"MiB/s", DIMENSION_RATE, 0, 20, true},
    {"GB/s", DIMENSION_RATE, 9, 0, true},
    {"GiB/s", DIMENSION_RATE, 0, 30, true},
    {"TB/s", DIMENSION_RATE, 12, 0, true},
    {"Hz", DIMENSION_CLOCK, 0, 0, true},
    {"kHz", DIMENSION_CLOCK, 3, 0, true},
    {"MHz", DIMENSION_CLOCK, 6, 0, true},
    {"GHz", DIMENSION_CLOCK, 9, 0, true},
    {"ps", DIMENSION_TIME, -12, 0, true},
    {"ns", DIMENSION_TIME, -9, 0, true},
    {"us", DIMENSION_TIME, -6, 0, true},
    {"ms", DIMENSION_TIME, -3, 0, true},
    {"s", DIMENSION_TIME, 0, 0, true},
    {"uV", DIMENSION_VOLTAGE, -6, 0, false},
    {"mV", DIMENSION_VOLTAGE, -3, 0, true},
    {"V", DIMENSION_VOLTAGE, 0, 0, true},
    {"nW", DIMENSION_POWER, -9, 0, true},
    {"uW", DIMENSION_POWER, -6, 0, true},
    {"mW", DIMENSION_POWER, -3, 0, true},
    {"W", DIMENSION_POWER, 0, 0, true},
    {"fJ", DIMENSION_ENERGY, -15, 0, true},
    {"pJ", DIMENSION_ENERGY, -12, 0, true},
    {"nJ", DIMENSION_ENERGY, -9, 0, true},
    {"uJ", DIMENSION_ENERGY, -6, 0, true},
    {"mJ", DIMENSION_ENERGY, -3, 0, true},
    {"J", DIMENSION_ENERGY, 0, 0, true},
    {"fJ/byte", DIMENSION_ENERGY_A_BYTE, -15, 0, false},
    {"pJ/byte", DIMENSION_ENERGY_A_BYTE, -12, 0, true},
    {"pJ/B", DIMENSION_ENERGY_A_BYTE, -12, 0, false},
    {"pJ/bit", DIMENSION_ENERGY_A_BYTE, -12, 3, true},
    {"nJ/byte", DIMENSION_ENERGY_A_BYTE, -9, 0, true},
    {"nJ/B", DIMENSION_ENERGY_A_BYTE, -9, 0, false},
    {"um2", DIMENSION_AREA, -12, 0, true},
    {"mm2", DIMENSION_AREA, -6, 0, true},
};
enum { N_UNIT = sizeof(unit_table) / sizeof(unit_table[0]), NUMBER_SIZE = 64 };

static const struct unit *find_unit(const char *name)
{
	for (size_t i = 0; i < N_UNIT; i++)
		if (strcmp(unit_table[i].name, name) == 0)
			return &unit_table[i];
	return NULL;
}

/* Bytes of the number that a text begins with: what stands before the first letter of a unit. */
static size_t number_length(const char *text)
{
	size_t n = strspn(text, "+-.0123456789");
	if (text[n] != 'e' && text[n] != 'E')
		return n;
	size_t n_sign = text[n + 1] == '+' || text[n + 1] == '-', n_digit = strspn(text + n + 1 + n_sign, "0123456789");
	return n_digit > 0 ? n + 1 + n_sign + n_digit : n;
}

/* The decimal exponent is put into the text, so that the result is rounded once. */
static bool read_scaled(const char *text, size_t n_byte, int ten, int two, double *value)
{
	char number[NUMBER_SIZE + 24], plain[NUMBER_SIZE];
	if (n_byte == 0 || n_byte >= NUMBER_SIZE)
		return false;
	(void)snprintf(plain, sizeof(plain), "%.*s", (int)n_byte, text);
	if (!text_is_decimal(plain))
		return false;
	size_t n_mantissa = strcspn(plain, "eE");
	long exponent = plain[n_mantissa] ? strtol(plain + n_mantissa + 1, NULL, 10) : 0;
	exponent = exponent > 10000 ? 10000 : exponent < -10000 ? -10000 : exponent;
	plain[n_mantissa] = '\0';
	(void)snprintf(number, sizeof(number), "%se%ld", plain, exponent + ten);
	double read = ldexp(strtod(number, NULL), two);
	if (!isfinite(read))
		return false;
	*value = read;
	return true;
}

bool unit_read(const char *text, const char *unit, double *value)
{
	assert(text && unit && value);
	size_t n = number_length(text);
	const char *name = text + n;
	name += n > 0 && name[0] == ' ' && name[1] != '\0';
	if (*name == '\0')
		return read_scaled(text, n, 0, 0, value);
	const struct unit *to = find_unit(unit), *from = find_unit(name);
	if (!to || !from || to->dimension != from->dimension)
		return false;
	return read_scaled(text, n, from->ten - to->ten, from->two - to->two, value);
}

void unit_list(const char *unit, char list[UNIT_LIST_SIZE])
{
	const struct unit *own = find_unit(unit);
	size_t n = 0;
	list[0] = '\0';
	for (size_t i = 0; own && i < N_UNIT; i++) {
		const struct unit *other = &unit_table[i];
		if (other->dimension != own->dimension || !other->is_listed || strcmp(other->name, unit) == 0)
			continue;
		n += (size_t)snprintf(list + n, UNIT_LIST_SIZE - n, "%s%s", n ? ", " : "", other->name);
		assert(n < UNIT_LIST_SIZE);
	}
}

void unit_describe(const char *unit, char text[UNIT_TEXT_SIZE])
{
	char list[UNIT_LIST_SIZE];
	unit_list(unit, list);
	(void)snprintf(text, UNIT_TEXT_SIZE, "%s%s%s", unit, list[0] ? "; also " : "", list);
}
