/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A double is m 2^e, m of 53 bits. With k such that 10^16 <= m 2^e 10^k < 10^17,
 *
 *   m 2^e 10^k = whole / 2^shift,   whole = m 5^k,   shift = -(e + k),
 *
 * and for 0 <= k <= 27 (values from 10^-11 to 10^16, nearly all that metrics are) `whole` fits into 128 bits: its upper
 * part is the first 17 digits, its lower one tells exactly how to round. Whether fewer digits read back as the same
 * double is as exact: doubles lie 5^k apart in units of `whole`, below a power of two half as far. Everything else is
 * printf's, tried with 15, 16 and 17 digits. (Ryu and Grisu are in no C library that Debian has, and this gives
 * printf's bytes, which are those of fronts that were written before.)
 */
#include "dse/base/number.h"
#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 u128;

enum { LEAST_DIGIT = 15, MOST_DIGIT = 17, MAX_K = 27, MANTISSA_BIT = 52 };

#define TEN_16 UINT64_C(10000000000000000)

/* See above; the value is about 17 digits times 10^(exponent - 16). */
struct exact {
	u128 whole;
	uint64_t mantissa, gap; /* 5^k */
	unsigned shift;
	int exponent;
};

/* digits times 10^(exponent + 1 - n_digit) */
struct decimal {
	uint64_t digits;
	unsigned n_digit;
	int exponent;
};

static uint64_t power_of_5(unsigned k)
{
	uint64_t power = 1, base = 5;
	assert(k <= MAX_K);
	for (; k > 0; k >>= 1, base *= base)
		power *= k & 1 ? base : 1;
	return power;
}

/* false: the value is outside of what this does. */
static bool take_apart(double value, struct exact *exact)
{
	int binary;
	if (!(value >= 1e-11 && value < 1e15))
		return false;
	exact->mantissa = (uint64_t)ldexp(frexp(value, &binary), MANTISSA_BIT + 1);
	binary -= MANTISSA_BIT + 1;
	/* log10(2) from below: the exponent, or one less */
	exact->exponent = (int)floor((binary + MANTISSA_BIT) * 0.30102999566398114);
	for (;; exact->exponent++) {
		int k = MOST_DIGIT - 1 - exact->exponent;
		if (k > MAX_K || binary + k >= 0)
			return false;
		exact->shift = (unsigned)-(binary + k);
		exact->gap = power_of_5((unsigned)k);
		exact->whole = (u128)exact->mantissa * exact->gap;
		if (exact->whole >> exact->shift < 10 * TEN_16)
			return true;
	}
}

/* To the nearest number of so many digits, of two to the even one. */
static void round_to(const struct exact *exact, unsigned n_digit, struct decimal *decimal)
{
	uint64_t unit = n_digit == MOST_DIGIT ? 1 : n_digit == MOST_DIGIT - 1 ? 10 : 100;
	uint64_t first = (uint64_t)(exact->whole >> exact->shift);
	u128 rest = exact->whole - (((u128)(first - first % unit)) << exact->shift),
	     half = ((u128)unit << exact->shift) / 2;
	assert(first >= TEN_16 && n_digit >= LEAST_DIGIT && n_digit <= MOST_DIGIT);
	decimal->digits = first / unit;
	decimal->digits += rest > half || (rest == half && decimal->digits % 2 == 1);
	decimal->n_digit = n_digit;
	decimal->exponent = exact->exponent;
}

/* Whether strtod makes the same double of it: it rounds to the nearest one, of two to the even one. */
static bool reads_back(const struct exact *exact, const struct decimal *decimal)
{
	u128 unit = decimal->n_digit == MOST_DIGIT - 1 ? 10 : 100, read = unit * decimal->digits << exact->shift;
	bool is_above = read > exact->whole, is_narrow = exact->mantissa == UINT64_C(1) << MANTISSA_BIT;
	u128 off = is_above ? read - exact->whole : exact->whole - read;
	u128 limit = exact->gap;
	off *= !is_above && is_narrow ? 4 : 2;
	return off < limit || (off == limit && exact->mantissa % 2 == 0);
}

/* As %g lays it out: no zeros behind the last digit, an exponent below -4 and from n_digit on. */
static void lay_out(struct decimal decimal, bool is_negative, char *text)
{
	char digit[MOST_DIGIT + 1];
	uint64_t power = TEN_16;
	unsigned n = decimal.n_digit;
	for (unsigned i = n; i < MOST_DIGIT; i++)
		power /= 10;
	if (decimal.digits == 10 * power) { /* rounded up to one digit more */
		decimal.digits = power;
		decimal.exponent++;
	}
	bool is_scientific = decimal.exponent < -4 || decimal.exponent >= (int)n;
	for (unsigned i = n; i-- > 0; decimal.digits /= 10)
		digit[i] = (char)('0' + decimal.digits % 10);
	while (n > 1 && digit[n - 1] == '0')
		n--;
	if (is_negative)
		*text++ = '-';
	int point = is_scientific ? 1 : decimal.exponent + 1; /* digits before the point */
	if (point <= 0) {
		*text++ = '0';
		*text++ = '.';
		for (int i = point; i < 0; i++)
			*text++ = '0';
	}
	for (int i = 0; i < (int)n || i < point; i++) {
		if (i == point && i > 0)
			*text++ = '.';
		*text++ = i < (int)n ? digit[i] : '0';
	}
	if (is_scientific) {
		int size = abs(decimal.exponent);
		assert(size < 100);
		*text++ = 'e';
		*text++ = decimal.exponent < 0 ? '-' : '+';
		*text++ = (char)('0' + size / 10);
		*text++ = (char)('0' + size % 10);
	}
	*text = '\0';
}

/* printf's and strtod's way: for every double, and eight times as slow. */
static void print_slowly(double value, unsigned n_digit, char text[NUMBER_SIZE])
{
	char wide[2 * NUMBER_SIZE] = "";
	bool differs = true;
	for (; n_digit <= MOST_DIGIT && differs; n_digit++) {
		(void)snprintf(wide, sizeof(wide), "%.*g", (int)n_digit, value);
		double read = strtod(wide, NULL);
		differs = read < value || read > value;
	}
	assert(strlen(wide) < NUMBER_SIZE);
	memcpy(text, wide, strlen(wide) + 1);
}

static void print(double value, unsigned n_digit, char text[NUMBER_SIZE])
{
	struct exact exact;
	struct decimal decimal;
	assert(text);
	if (!(fabs(value) > 0.0) && !isnan(value)) {
		memcpy(text, signbit(value) ? "-0" : "0", signbit(value) ? 3 : 2);
		return;
	}
	if (!take_apart(fabs(value), &exact)) {
		print_slowly(value, n_digit, text);
		return;
	}
	do
		round_to(&exact, n_digit, &decimal);
	while (n_digit++ < MOST_DIGIT && !reads_back(&exact, &decimal));
	lay_out(decimal, signbit(value), text);
}

void number_print(double value, char text[NUMBER_SIZE])
{
	print(value, LEAST_DIGIT, text);
}

void number_print_17(double value, char text[NUMBER_SIZE])
{
	print(value, MOST_DIGIT, text);
}

void number_print_up(double value, int n_digit, char text[NUMBER_SIZE])
{
	assert(isfinite(value) && n_digit > 0 && n_digit <= 15);
	if (fabs(value) < 1e15 && !(floor(value) < value)) {
		(void)snprintf(text, NUMBER_SIZE, "%.0f", value);
		return;
	}
	(void)snprintf(text, NUMBER_SIZE, "%.*g", n_digit, value);
	if (!(strtod(text, NULL) < value))
		return;
	double last_digit = pow(10, floor(log10(fabs(value))) + 1 - n_digit);
	(void)snprintf(text, NUMBER_SIZE, "%.*g", n_digit, value + last_digit / 2);
}

void number_print_plain(double value, int n_digit, char text[NUMBER_SIZE])
{
	bool is_long = fabs(value) >= pow(10, n_digit) - 0.5 && fabs(value) < 1e15;
	(void)snprintf(text, NUMBER_SIZE, is_long ? "%.*f" : "%.*g", is_long ? 0 : n_digit, value);
}

void number_fill_digits(double value, size_t n_digit, char text[NUMBER_SIZE])
{
	size_t n = strlen(text), n_shown = 0;
	if (!isfinite(value) || !(floor(value) < value) || strchr(text, 'e'))
		return;
	for (const char *at = text + strcspn(text, "123456789"); *at; at++)
		n_shown += *at != '.';
	if (n_shown < n_digit && !strchr(text, '.'))
		text[n++] = '.';
	while (n_shown++ < n_digit && n + 1 < NUMBER_SIZE)
		text[n++] = '0';
	text[n] = '\0';
}

void number_print_apart(double left, double right, unsigned n_digit, char text[2][NUMBER_SIZE])
{
	do {
		(void)snprintf(text[0], NUMBER_SIZE, "%.*g", (int)n_digit, left);
		(void)snprintf(text[1], NUMBER_SIZE, "%.*g", (int)n_digit, right);
	} while (n_digit++ < MOST_DIGIT && (left < right || left > right) && strcmp(text[0], text[1]) == 0);
}
