/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SENTENCE_READ_H
#define TESTS_SENTENCE_READ_H
/*
 * Reading a verdict's sentences as a reader does: words, numbers, and names of machines, which are values on the axes
 * of the space, "16x4, sram 64 KiB", with several values "8x4|16x2". A name is a set of machines.
 */
#include "tests/dse/verdict/verdict_truth.h"
#include <ctype.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reading {
	const struct truth *truth;
	const char *sentence, *at;
};

/* Machines by the values that are named on each axis. */
struct named {
	unsigned n_term, mask[MAX_AXIS];
};

/* Where to go on from a sentence that is not so; NULL: the test fails. */
static jmp_buf *misread_to;

static inline void misread(const struct reading *reading, const char *what)
{
	if (misread_to)
		longjmp(*misread_to, 1);
	fail_msg("%s, at '%.40s' of: %s", what, reading->at, reading->sentence);
}

static inline bool take(struct reading *reading, const char *words)
{
	size_t n = strlen(words);
	if (strncmp(reading->at, words, n) != 0)
		return false;
	reading->at += n;
	return true;
}

static inline void expect(struct reading *reading, const char *words)
{
	if (!take(reading, words))
		misread(reading, words);
}

static inline bool take_number(struct reading *reading, double *number)
{
	char *end;
	if (!isdigit((unsigned char)*reading->at))
		return false;
	*number = strtod(reading->at, &end);
	reading->at = end;
	return true;
}

static inline double expect_number(struct reading *reading)
{
	double number = 0.0;
	if (!take_number(reading, &number))
		misread(reading, "a number is missing");
	return number;
}

/* A count in front of these words. */
static inline bool take_count(struct reading *reading, const char *words, unsigned *count)
{
	struct reading tried = *reading;
	double number;
	if (!take_number(&tried, &number) || !take(&tried, words))
		return false;
	*count = (unsigned)number;
	*reading = tried;
	return true;
}

/* How a value is written, and what stands before it. */
static inline void value_words(const struct axis *axis, unsigned i, char words[64])
{
	if (strstr(axis->key, "_byte"))
		(void)snprintf(words, 64, "%lu KiB", strtoul(axis->value[i], NULL, 10) / 1024);
	else
		(void)snprintf(words, 64, "%s%s", axis->value[i],
		               strstr(axis->key, "_mhz")    ? " MHz"
		               : strstr(axis->key, "_gb_s") ? " GB/s"
		                                            : "");
}

static inline const char *axis_words(const struct axis *axis)
{
	static const char *const word[][2] = {{"pe.sram_byte", "sram "},
	                                      {"noc.clk_mhz", "noc.clk "},
	                                      {"systolic.filter_byte", "filter "},
	                                      {"systolic.memory_gb_s", "memory "}};
	for (size_t i = 0; i < sizeof(word) / sizeof(word[0]); i++)
		if (strcmp(axis->key, word[i][0]) == 0)
			return word[i][1];
	return "";
}

static inline bool take_value(struct reading *reading, const struct axis *axis, unsigned *mask)
{
	for (unsigned i = 0; i < axis->n; i++) {
		char words[64];
		value_words(axis, i, words);
		struct reading tried = *reading;
		if (!take(&tried, words) || (*tried.at != '\0' && !strchr(" ,.:;|(", *tried.at)))
			continue;
		*reading = tried;
		*mask |= 1u << i;
		return true;
	}
	return false;
}

static inline bool take_term(struct reading *reading, struct named *named)
{
	for (unsigned i = 0; i < reading->truth->drawn->n_axis; i++) {
		const struct axis *axis = &reading->truth->drawn->axis[i];
		struct reading tried = *reading;
		unsigned mask = 0;
		if (!take(&tried, axis_words(axis)) || !take_value(&tried, axis, &mask))
			continue;
		while (take(&tried, "|"))
			if (!take_value(&tried, axis, &mask))
				misread(&tried, "no value");
		if (named->mask[i] != 0)
			misread(reading, "an axis twice");
		named->mask[i] = mask;
		named->n_term++;
		*reading = tried;
		return true;
	}
	return false;
}

static inline bool take_named(struct reading *reading, struct named *named)
{
	*named = (struct named){0};
	if (!take_term(reading, named))
		return false;
	for (;;) {
		struct reading tried = *reading;
		if (!take(&tried, ", ") || !take_term(&tried, named))
			return true;
		*reading = tried;
	}
}

static inline bool is_named(const struct drawn *drawn, const struct named *named, unsigned machine)
{
	for (unsigned i = 0; i < drawn->n_axis; i++)
		if (named->mask[i] != 0 && (named->mask[i] >> axis_at(drawn, machine, i) & 1) == 0)
			return false;
	return true;
}

/* The machine of a name that is only one's. */
static inline unsigned expect_machine(struct reading *reading)
{
	struct named named;
	unsigned n = 0, found = 0;
	if (!take_named(reading, &named))
		misread(reading, "no machine");
	for (unsigned m = 0; m < reading->truth->n_machine; m++)
		if (is_named(reading->truth->drawn, &named, m)) {
			found = m;
			n++;
		}
	if (n != 1)
		misread(reading, "not the name of one machine");
	return found;
}

/* The machine that has the values that are named, and all others of this one. */
static inline unsigned change_machine(const struct reading *reading, const struct named *named, unsigned machine)
{
	const struct drawn *drawn = reading->truth->drawn;
	unsigned changed = 0;
	for (unsigned i = 0; i < drawn->n_axis; i++) {
		unsigned at = axis_at(drawn, machine, i), mask = named->mask[i];
		if (mask & (mask - 1))
			misread(reading, "several values");
		for (unsigned k = 0; mask != 0 && k < drawn->axis[i].n; k++)
			at = mask >> k & 1 ? k : at;
		changed = changed * drawn->axis[i].n + at;
	}
	return changed;
}

/* The machines that a sentence is on: so many of a set, or the set. */
struct subject {
	unsigned n;
	bool is_whole; /* all that is_in */
	bool is_in[MAX_MACHINE];
};

static inline void add_named(const struct truth *truth, const struct named *named, struct subject *subject)
{
	for (unsigned m = 0; m < truth->n_machine; m++)
		subject->is_in[m] |= is_named(truth->drawn, named, m);
}

static inline unsigned count_in(const struct subject *subject)
{
	unsigned n = 0;
	for (unsigned m = 0; m < MAX_MACHINE; m++)
		n += subject->is_in[m];
	return n;
}

/* "16x4", "16x4 and 8x4", or "sram 64 KiB (3 machines)" */
static inline bool take_names(struct reading *reading, struct subject *subject)
{
	struct named named;
	if (!take_named(reading, &named))
		return false;
	add_named(reading->truth, &named, subject);
	subject->n = 1;
	struct reading tried = *reading;
	if (take(&tried, " (") && take_count(&tried, " machines)", &subject->n)) {
		*reading = tried;
	} else if (tried = *reading, take(&tried, " and ") && take_named(&tried, &named)) {
		add_named(reading->truth, &named, subject);
		subject->n = 2;
		*reading = tried;
	}
	return true;
}

/* Or "all 4 machines", "3 of 4 machines", "3 of 4 machines with sram 64 KiB" */
static inline bool take_subject(struct reading *reading, struct subject *subject)
{
	struct named named = {0};
	unsigned of = 0;
	*subject = (struct subject){.is_whole = true};
	if (take(reading, "all ")) {
		if (!take_count(reading, " machines", &subject->n))
			misread(reading, "how many machines");
		add_named(reading->truth, &named, subject);
	} else if (take_count(reading, " of ", &subject->n)) {
		if (!take_count(reading, " machines", &of) || (take(reading, " with ") && !take_named(reading, &named)))
			misread(reading, "of which machines");
		add_named(reading->truth, &named, subject);
		subject->is_whole = false;
		if (of != count_in(subject) || subject->n > of)
			misread(reading, "of another number of machines");
	} else if (!take_names(reading, subject)) {
		return false;
	}
	if (subject->is_whole && count_in(subject) != subject->n)
		misread(reading, "the name has another number of machines");
	return true;
}

#endif
