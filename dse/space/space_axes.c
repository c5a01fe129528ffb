/* SPDX-License-Identifier: Apache-2.0 */
/* Axes of a space: machine parameters that vary, as lists of values or as ranges. */
#include "dse/space/space_parts.h"
#include "dse/out/csv_write.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_VALUE 10000u /* of one axis */
#define MAX_KEY 128
#define TEXT_SIZE 40

/* An axis while it is read: values are checked and printed by a machine, so that 016x4 and 16x4 are one value. */
struct axis_reader {
	struct space_reader *reader;
	struct space_axis *axis;
	struct machine scratch;
};

static void add_value(struct axis_reader *self, const struct doc_node *node, const char *text)
{
	struct space_axis *axis = self->axis;
	struct err part = {0};
	char canonical[TEXT_SIZE];
	if (machine_set_param(&self->scratch, axis->param, text, &part) != ERR_OK) {
		(void)err_move(self->reader->err, doc_place(node), &part);
		return;
	}
	(void)machine_print_param(&self->scratch, axis->param, canonical, sizeof(canonical));
	for (size_t i = 0; i < axis->n; i++) {
		if (strcmp(axis->value[i], canonical) == 0) {
			(void)doc_refuse(self->reader->err, node, "%s: found %s again, allowed once", axis->param->key,
			                 canonical);
			return;
		}
	}
	const char *copy = arena_text(&self->reader->space->arena, canonical);
	if (copy)
		axis->value[axis->n++] = copy;
	else
		err_add(self->reader->err, ERR_INTERNAL, "out of memory");
}

/* A list, or one value; every wrong item is reported. */
static void read_list(struct axis_reader *self, const struct doc_node *node)
{
	size_t n = item_n(node);
	struct err *err = self->reader->err;
	const char *key = self->axis->param->key;
	if (!space_has_items(node, key, err))
		return;
	if (n > MAX_VALUE) {
		(void)doc_refuse(err, node, "%s: found %zu values, at most %u are allowed", key, n, MAX_VALUE);
		return;
	}
	self->axis->value = space_array(self->reader, n, sizeof(*self->axis->value));
	for (size_t i = 0; i < n && self->axis->value; i++) {
		const struct doc_node *item = item_at(node, i);
		if (item->kind == DOC_SCALAR)
			add_value(self, item, item->text);
		else
			(void)doc_refuse(err, item, "%s: found a %s, allowed a value (%s)", key,
			                 item->kind == DOC_LIST ? "list" : "map", self->axis->param->unit);
	}
}

/* Either step or times is set; the other is 0. */
struct range {
	double from, to, step, times;
};

/* Values of a range; rounding may leave the last one a little beyond `to`, which still belongs to it. */
static size_t range_n(const struct range *range)
{
	const double slack = 1e-9;
	assert(range->from <= range->to);
	assert((range->step > 0) != (range->times > 1));
	double n = range->step > 0 ? (range->to - range->from) / range->step
	                           : log(range->to / range->from) / log(range->times);
	return n >= MAX_VALUE ? MAX_VALUE + 1 : (size_t)(n + slack) + 1;
}

/* Ends within the parameter's range, so that all values between are; false after a message. */
static bool read_range(struct axis_reader *self, const struct doc_node *node, struct range *range)
{
	static const char *const allowed[] = {"from", "to", "step", "times"};
	const struct machine_param *param = self->axis->param;
	struct err *err = self->reader->err;
	unsigned n_before = err->n_message;
	const struct doc_node *from = doc_find(node, "from"), *to = doc_find(node, "to");
	const struct doc_node *step = doc_find(node, "step"), *times = doc_find(node, "times");
	doc_check_keys(node, allowed, 4, err);
	if (param->type != PARAM_U32 && param->type != PARAM_REAL)
		return doc_refuse(err, node, "%s: found a range, allowed a list of values (%s)", param->key,
		                  param->unit);
	if (!from || !to || !step == !times)
		return doc_refuse(
		    err, node,
		    "%s: a range needs 'from', 'to' and either 'step' or 'times', e.g. {from: 1, to: 8, times: 2}",
		    param->key);
	bool ok = doc_get_real(from, "from", param->min, param->max, &range->from, err) &&
	          doc_get_real(to, "to", range->from, param->max, &range->to, err);
	ok = (!step || doc_get_real(step, "step", 1e-9, 1e12, &range->step, err)) && ok;
	ok = (!times || doc_get_real(times, "times", 1.0001, 1e9, &range->times, err)) && ok;
	if (ok && times && range->from <= 0) {
		(void)doc_refuse(err, from, "from: found 0, allowed more than 0 with 'times'");
		ok = false;
	}
	return ok && err->n_message == n_before;
}

/* Values are multiplied out from `from`, not summed up, so that rounding does not add up. */
static void add_range(struct axis_reader *self, const struct doc_node *node)
{
	struct range range = {0};
	struct err *err = self->reader->err;
	const struct machine_param *param = self->axis->param;
	if (!read_range(self, node, &range))
		return;
	size_t n = range_n(&range);
	assert(n > 0);
	if (n > MAX_VALUE) {
		(void)doc_refuse(err, node, "%s: the range has more than %u values, at most %u are allowed", param->key,
		                 MAX_VALUE, MAX_VALUE);
		return;
	}
	self->axis->value = space_array(self->reader, n, sizeof(*self->axis->value));
	for (size_t i = 0; i < n && self->axis->value; i++) {
		double value =
		    range.step > 0 ? range.from + (double)i * range.step : range.from * pow(range.times, (double)i);
		char text[TEXT_SIZE];
		/* 12 digits: what the user can write, without the rounding of the steps */
		(void)snprintf(text, sizeof(text), "%.12g", value < range.to ? value : range.to);
		if (param->type == PARAM_U32 && strspn(text, "0123456789") != strlen(text)) {
			(void)doc_refuse(err, node, "%s: the range contains %s, allowed whole numbers (%s)", param->key,
			                 text, param->unit);
			return;
		}
		add_value(self, node, text);
	}
}

/* An axis that no machine of the space has would only repeat its machines. */
static void check_served(struct space_reader *reader, const struct doc_node *key, const struct machine_param *param)
{
	const struct space *space = reader->space;
	bool is_served = !reader->machines_complete || space->n_machine == 0;
	for (size_t i = 0; i < space->n_machine && !is_served; i++)
		is_served = machine_param_serves(param, space->machine[i].target);
	if (!is_served)
		(void)doc_refuse(
		    reader->err, key,
		    "axes: found '%s', which machines with target: %s do not have, allowed a parameter of theirs",
		    param->key, machine_target_name[space->machine[0].target]);
}

/* One pair of `axes:`. An axis whose values are all wrong is left out: reading goes on without it. */
static void read_axis(struct space_reader *reader, const struct doc_node *key, const struct doc_node *node)
{
	struct space *space = reader->space;
	const struct machine_param *param = machine_find_param(key->text);
	if (!param) {
		const char *nearest = machine_nearest_param(key->text);
		(void)doc_refuse(
		    reader->err, key,
		    "axes: found '%s', allowed the key of a machine parameter (spaces/machines/README.md lists "
		    "them)%s%s%s",
		    doc_quote(key->text).text, nearest ? ", did you mean '" : "", nearest ? nearest : "",
		    nearest ? "'?" : "");
		return;
	}
	check_served(reader, key, param);
	struct axis_reader self = {.reader = reader, .axis = &space->axis[space->n_axis]};
	machine_init(&self.scratch, MACHINE_CHIP);
	self.axis->param = param;
	assert(self.axis->n == 0 && space->n_axis < MAX_KEY);
	self.axis->at = doc_place(key);
	if (node->kind == DOC_MAP)
		add_range(&self, node);
	else
		read_list(&self, node);
	if (self.axis->n > 0)
		space->n_axis++;
}

void space_read_axes(struct space_reader *reader)
{
	const struct doc_node *map = doc_find(reader->root, "axes");
	if (!map)
		return;
	if (map->kind != DOC_MAP) {
		(void)doc_refuse(reader->err, map,
		                 "axes: found a %s, allowed a map of machine parameters, e.g. {mla.array: [16x4, 8x4]}",
		                 map->kind == DOC_LIST ? "list" : "value");
		return;
	}
	reader->space->axis = space_array(reader, map->n, sizeof(*reader->space->axis));
	for (size_t i = 0; i < map->n && reader->space->axis; i++)
		read_axis(reader, map->key[i], map->value[i]);
}
