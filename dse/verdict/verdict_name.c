/* SPDX-License-Identifier: Apache-2.0 */
/* How machines are called: by what varies among them. */
#include "dse/base/memory.h"
#include "dse/out/key_value.h"
#include "dse/verdict/verdict_parts.h"
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Values of an axis that are listed; more are a range. */
#define MAX_LISTED 3
/* Shares of the time below are not named. */
#define LEAST_SHARE 0.1
/* So many at most. */
#define MAX_BOUND 2

size_t run_verdict_axis_n(const struct space *space, size_t axis)
{
	return axis == 0 ? space->n_machine : space->axis[axis - 1].n;
}

/* The last axis varies fastest. */
size_t run_verdict_axis_at(const struct space *space, uint32_t machine_index, size_t axis)
{
	size_t rest = machine_index;
	assert(axis <= space->n_axis);
	for (size_t i = space->n_axis; i > axis; i--)
		rest /= space->axis[i - 1].n;
	return rest % run_verdict_axis_n(space, axis);
}

static const char *value_text(const struct space *space, size_t axis, size_t at)
{
	return axis == 0 ? space->machine[at].name : space->axis[axis - 1].value[at];
}

/* Whether all values of an axis are no plain numbers, as 16x4 is none. */
static bool tells_itself(const struct space *space, size_t axis)
{
	for (size_t i = 0; i < run_verdict_axis_n(space, axis); i++) {
		const char *text = value_text(space, axis, i);
		if (strspn(text, "0123456789.eE+-") == strlen(text))
			return false;
	}
	return true;
}

static void add_value(const struct space *space, size_t axis, size_t at, struct words_text *text)
{
	const char *value = value_text(space, axis, at);
	char shown[96];
	if (axis > 0 &&
	    key_value_print(space->axis[axis - 1].param->key, value, shown, sizeof(shown)) < (int)sizeof(shown))
		value = shown;
	words_add(text, "%s", value);
}

/* The key behind its dot, but "clk", which many have. */
static const char *short_key(const char *key)
{
	const char *dot = strrchr(key, '.');
	return dot && strncmp(dot + 1, "clk_", 4) != 0 ? dot + 1 : key;
}

static void add_key(const struct space *space, size_t axis, struct words_text *text)
{
	if (axis == 0 || tells_itself(space, axis))
		return;
	const char *key = space->axis[axis - 1].param->key;
	size_t n_unit = key_value_suffix(key);
	key = short_key(key);
	words_add(text, "%.*s ", (int)(strlen(key) - n_unit), key);
}

static size_t count_varying(const struct space *space)
{
	size_t n = 0;
	for (size_t i = 0; i <= space->n_axis; i++)
		n += run_verdict_axis_n(space, i) > 1;
	return n;
}

void run_verdict_name(const struct space *space, uint32_t machine_index, struct words_text *text)
{
	run_verdict_name_group(space, &machine_index, 1, text);
}

/* The values of an axis that some of the machines have; how many. */
static size_t list_values(const struct space *space, const uint32_t *index, size_t n, size_t axis, bool *has)
{
	size_t n_has = 0;
	memset(has, 0, run_verdict_axis_n(space, axis) * sizeof(*has));
	for (size_t i = 0; i < n; i++) {
		size_t at = run_verdict_axis_at(space, index[i], axis);
		n_has += !has[at];
		has[at] = true;
	}
	return n_has;
}

static void add_axis(const struct space *space, size_t axis, const bool *has, size_t n_has, struct words_text *text)
{
	size_t n = run_verdict_axis_n(space, axis), first = 0, last = n - 1, k = 0;
	while (!has[first])
		first++;
	while (!has[last])
		last--;
	if (n_has > MAX_LISTED) {
		add_value(space, axis, first, text);
		words_add(text, "..");
		add_value(space, axis, last, text);
		return;
	}
	for (size_t i = first; i <= last; i++) {
		if (!has[i])
			continue;
		words_add(text, "%s", k++ > 0 ? "|" : "");
		add_value(space, axis, i, text);
	}
}

void run_verdict_name_group(const struct space *space, const uint32_t *index, size_t n, struct words_text *text)
{
	size_t n_varying = count_varying(space), n_named = 0;
	assert(n > 0);
	for (size_t axis = 0; axis <= space->n_axis; axis++) {
		size_t n_value = run_verdict_axis_n(space, axis);
		if (n_value == 1)
			continue;
		bool *has = memory_array(n_value, sizeof(*has));
		size_t n_has = list_values(space, index, n, axis, has);
		/* of many machines an axis with all of its values tells nothing */
		if (n_has == 1 || n_has < n_value || n_varying == 1) {
			words_add(text, "%s", n_named++ > 0 ? ", " : "");
			add_key(space, axis, text);
			add_axis(space, axis, has, n_has, text);
		}
		free(has);
	}
	if (n_named == 0)
		words_add(text, "%s", n_varying > 0 ? "all values" : space->machine[0].name);
}

/* How many machines the name of a group fits. */
static uint64_t count_named(const struct space *space, const uint32_t *index, size_t n)
{
	uint64_t n_named = 1;
	for (size_t axis = 0; axis <= space->n_axis; axis++) {
		size_t n_value = run_verdict_axis_n(space, axis);
		bool *has = memory_array(n_value, sizeof(*has));
		size_t n_has = list_values(space, index, n, axis, has), first = 0, last = n_value - 1;
		while (!has[first])
			first++;
		while (!has[last])
			last--;
		n_named *= n_has > MAX_LISTED ? last - first + 1 : n_has;
		free(has);
	}
	return n_named;
}

void run_verdict_name_all(const struct space *space, const uint32_t *index, size_t n, struct words_text *text)
{
	uint64_t n_named = count_named(space, index, n), n_all = 1;
	for (size_t axis = 0; axis <= space->n_axis; axis++)
		n_all *= run_verdict_axis_n(space, axis);
	if (n <= 2) {
		run_verdict_name(space, index[0], text);
		words_add(text, "%s", n == 2 ? " and " : "");
		if (n == 2)
			run_verdict_name(space, index[1], text);
	} else if (n_named == n_all) {
		words_add(text, n == n_all ? "all %zu machines" : "%zu of %" PRIu64 " machines", n, n_all);
	} else if (n_named == n) {
		run_verdict_name_group(space, index, n, text);
		words_add(text, " (%zu machines)", n);
	} else {
		words_add(text, "%zu of %" PRIu64 " machines with ", n, n_named);
		run_verdict_name_group(space, index, n, text);
	}
}

/* Whether the machine has one of the values on each axis. */
static bool is_among(const struct space *space, uint32_t machine_index, const uint32_t *index, size_t n)
{
	for (size_t axis = 0; axis <= space->n_axis; axis++) {
		bool found = false;
		for (size_t i = 0; i < n && !found; i++)
			found = run_verdict_axis_at(space, index[i], axis) ==
			        run_verdict_axis_at(space, machine_index, axis);
		if (!found)
			return false;
	}
	return true;
}

/* Whether the values of a part on an axis tell it from the rest of a group. */
static bool tells_part(const struct space *space, const uint32_t *part, size_t n_part, const uint32_t *group,
                       size_t n_group, size_t axis)
{
	bool *has = memory_array(run_verdict_axis_n(space, axis), sizeof(*has));
	size_t n_has = list_values(space, part, n_part, axis, has);
	bool tells = n_has <= MAX_LISTED && n_has < list_values(space, group, n_group, axis, has);
	free(has);
	return tells;
}

void run_verdict_name_part(const struct space *space, const uint32_t *part, size_t n_part, const uint32_t *group,
                           size_t n_group, struct words_text *text)
{
	size_t n_among = 0, n_named = 0;
	for (size_t i = 0; i < n_group; i++)
		n_among += is_among(space, group[i], part, n_part);
	for (size_t axis = 0; axis <= space->n_axis && n_among == n_part; axis++) {
		if (!tells_part(space, part, n_part, group, n_group, axis))
			continue;
		bool *has = memory_array(run_verdict_axis_n(space, axis), sizeof(*has));
		size_t n_has = list_values(space, part, n_part, axis, has);
		words_add(text, "%s", n_named++ > 0 ? ", " : " with ");
		add_key(space, axis, text);
		add_axis(space, axis, has, n_has, text);
		free(has);
	}
	if (n_named == 0)
		words_add(text, " in %zu of them", n_part);
}

/* Whether all of the machines have the value on an axis that one has. */
static bool have_same(const struct space *space, uint32_t machine_index, const uint32_t *index, size_t n, size_t axis)
{
	for (size_t i = 0; i < n; i++)
		if (run_verdict_axis_at(space, index[i], axis) != run_verdict_axis_at(space, machine_index, axis))
			return false;
	return true;
}

void run_verdict_name_beside(const struct space *space, uint32_t machine_index, const uint32_t *beside, size_t n,
                             struct words_text *text)
{
	size_t n_named = 0;
	for (size_t axis = 0; axis <= space->n_axis; axis++) {
		if (have_same(space, machine_index, beside, n, axis))
			continue;
		words_add(text, "%s", n_named++ > 0 ? ", " : "");
		add_key(space, axis, text);
		add_value(space, axis, run_verdict_axis_at(space, machine_index, axis), text);
	}
}

void run_verdict_name_bounds(const struct standing_design *design, struct words_text *text)
{
	bool is_named[N_BOUND] = {false};
	double sum = 0.0;
	size_t n_named = 0;
	for (unsigned i = 0; i < N_BOUND; i++)
		sum += design->bound_ms[i];
	while (n_named < MAX_BOUND) {
		unsigned most = N_BOUND;
		for (unsigned i = 0; i < N_BOUND; i++)
			if (!is_named[i] && (most == N_BOUND || design->bound_ms[i] > design->bound_ms[most]))
				most = i;
		if (most == N_BOUND || !(design->bound_ms[most] >= LEAST_SHARE * sum) || !(sum > 0.0))
			return;
		is_named[most] = true;
		words_add(text, "%s%s %.0f %%", n_named++ > 0 ? ", " : "", bound_name[most],
		          100.0 * design->bound_ms[most] / sum);
	}
}
