/* SPDX-License-Identifier: Apache-2.0 */
/* Axes of a space: machine parameters that vary, as lists of values or as ranges. */
#include "dse/space/space_parts.h"
#include "dse/out/csv_write.h"
#include "sim/base/unit.h"
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
	bool ok = doc_get_quantity(from, "from", param->unit, param->min, param->max, &range->from, err) &&
	          doc_get_quantity(to, "to", param->unit, range->from, param->max, &range->to, err);
	ok = (!step || doc_get_quantity(step, "step", param->unit, 1e-9, 1e12, &range->step, err)) && ok;
	ok = (!times || doc_get_real(times, "times", 1.0001, 1e9, &range->times, err)) && ok;
	if (ok && times && range->from <= 0) {
		(void)doc_refuse(err, from, "from: found 0, allowed more than 0 with 'times'");
		ok = false;
	}
	return ok && err->n_message == n_before;
}

/* A piece of a range's text in the parameter's unit. */
static bool read_piece(const char *text, size_t n_byte, const char *unit, double *value)
{
	char piece[TEXT_SIZE];
	if (n_byte >= sizeof(piece))
		return false;
	(void)snprintf(piece, sizeof(piece), "%.*s", (int)n_byte, text);
	return unit_read(piece, unit, value);
}

/* `64KiB..256KiB:x2` or `64KiB..256KiB:+32KiB`: the range as one text, as on the command line. */
static bool read_range_text(struct axis_reader *self, const struct doc_node *node, struct range *range)
{
	const struct machine_param *param = self->axis->param;
	const char *dots = strstr(node->text, ".."), *colon = strchr(dots, ':'), *end = node->text + strlen(node->text);
	bool is_ok = colon && (colon[1] == 'x' || colon[1] == '+') &&
	             read_piece(node->text, (size_t)(dots - node->text), param->unit, &range->from) &&
	             read_piece(dots + 2, (size_t)(colon - dots - 2), param->unit, &range->to);
	if (is_ok && colon[1] == 'x')
		is_ok = read_piece(colon + 2, (size_t)(end - colon - 2), "1", &range->times) &&
		        range->times >= 1.0001 && range->from > 0;
	else if (is_ok)
		is_ok = read_piece(colon + 2, (size_t)(end - colon - 2), param->unit, &range->step) && range->step > 0;
	is_ok = is_ok && range->from >= param->min && range->from <= range->to && range->to <= param->max;
	if ((param->type != PARAM_U32 && param->type != PARAM_REAL) || !is_ok) {
		bool takes = param->type == PARAM_U32 || param->type == PARAM_REAL;
		char unit[UNIT_TEXT_SIZE];
		unit_describe(param->unit, unit);
		return doc_refuse(self->reader->err, node, "%s: found '%s', allowed %s%.10g..%.10g (%s)", param->key,
		                  doc_quote(node->text).text,
		                  takes ? "FROM..TO:xTIMES or FROM..TO:+STEP within " : "a list of values of each ",
		                  param->min, param->max, unit);
	}
	return true;
}

/* Values are multiplied out from `from`, not summed up, so that rounding does not add up. */
static void add_range(struct axis_reader *self, const struct doc_node *node)
{
	struct range range = {0};
	struct err *err = self->reader->err;
	const struct machine_param *param = self->axis->param;
	if (!(node->kind == DOC_MAP ? read_range(self, node, &range) : read_range_text(self, node, &range)))
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
	if (node->kind == DOC_MAP || (node->kind == DOC_SCALAR && strstr(node->text, "..")))
		add_range(&self, node);
	else
		read_list(&self, node);
	if (self.axis->n > 0)
		space->n_axis++;
}

/* One value in place of what the file says, if it says anything. */
static void fix_axis(struct space_reader *reader, const struct machine_setting *setting)
{
	struct space *space = reader->space;
	bool is_served = !reader->machines_complete;
	for (size_t i = 0; i < space->n_machine && !is_served; i++)
		is_served = machine_param_serves(setting->param, space->machine[i].target);
	if (!is_served) {
		err_add(reader->err, ERR_INPUT, "--set: found '%s', which no machine of the space has",
		        setting->param->key);
		return;
	}
	struct space_axis *axis = space->axis;
	while (axis < space->axis + space->n_axis && axis->param != setting->param)
		axis++;
	*axis = (struct space_axis){.param = setting->param, .n = 1, .at = {"--set", 1, 1}};
	axis->value = space_array(reader, 1, sizeof(*axis->value));
	const char *text = arena_text(&space->arena, setting->text);
	if (axis->value && text)
		axis->value[0] = text;
	else
		err_add(reader->err, ERR_INTERNAL, "out of memory");
	space->n_axis += axis == space->axis + space->n_axis;
}

/* Fields of operating points are the machines' own, no axes; some machine must have the point. */
static void check_levels(struct space_reader *reader)
{
	const struct space *space = reader->space;
	for (size_t i = 0; i < reader->set.n_level; i++) {
		bool has = !reader->machines_complete;
		for (size_t k = 0; k < space->n_machine && !has; k++)
			has = machine_set_has_level(&space->machine[k], reader->set.level[i].key);
		if (!has)
			err_add(reader->err, ERR_INPUT,
			        "--set: found '%s', an operating point that no machine of the space has",
			        reader->set.level[i].key);
	}
}

void space_read_axes(struct space_reader *reader)
{
	const struct doc_node *map = doc_find(reader->root, "axes");
	struct space *space = reader->space;
	size_t n = map && map->kind == DOC_MAP ? map->n : 0;
	check_levels(reader);
	if (map && map->kind != DOC_MAP)
		(void)doc_refuse(reader->err, map,
		                 "axes: found a %s, allowed a map of machine parameters, e.g. {mla.array: [16x4, 8x4]}",
		                 map->kind == DOC_LIST ? "list" : "value");
	if (n + reader->set.n == 0)
		return;
	space->axis = space_array(reader, n + reader->set.n, sizeof(*space->axis));
	for (size_t i = 0; i < n && space->axis; i++)
		read_axis(reader, map->key[i], map->value[i]);
	for (size_t i = 0; i < reader->set.n && space->axis; i++)
		fix_axis(reader, &reader->set.setting[i]);
}
