/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of a report's points: objectives, other metrics, and the choices made, summed up over the layers. */
#include "dse/base/memory.h"
#include "dse/design/design_read.h"
#include "dse/layer/design_field.h"
#include "dse/pareto/indicator.h"
#include "dse/report/report_data.h"
#include "sim/base/hash.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAME 64 /* different values of a field of designs: strategies, operating points of several machines */

/* Texts, each once, numbered as they come. */
struct texts {
	struct arena *arena;
	size_t n, n_alloc;
	const char **text; /* [n] */
	uint32_t *slot;    /* [2 n_alloc] hash table: 1 + index; 0: empty */
};

static void grow_texts(struct texts *texts)
{
	size_t n_alloc = texts->n_alloc ? 2 * texts->n_alloc : 16;
	const char **text = memory_must(arena_array(texts->arena, n_alloc, sizeof(*text)));
	uint32_t *slot = memory_must(arena_array(texts->arena, 2 * n_alloc, sizeof(*slot)));
	for (size_t i = 0; i < texts->n; i++) {
		size_t at = (size_t)hash_bytes(texts->text[i], strlen(texts->text[i]), 0) & (2 * n_alloc - 1);
		text[i] = texts->text[i];
		while (slot[at] != 0)
			at = (at + 1) & (2 * n_alloc - 1);
		slot[at] = (uint32_t)i + 1;
	}
	texts->text = text;
	texts->slot = slot;
	texts->n_alloc = n_alloc;
}

/* The number of a text, which is copied when it is new. */
static size_t find_text(struct texts *texts, const char *text)
{
	if (texts->n == texts->n_alloc)
		grow_texts(texts);
	size_t at = (size_t)hash_bytes(text, strlen(text), 0) & (2 * texts->n_alloc - 1);
	while (texts->slot[at] != 0 && strcmp(texts->text[texts->slot[at] - 1], text) != 0)
		at = (at + 1) & (2 * texts->n_alloc - 1);
	if (texts->slot[at] == 0) {
		texts->text[texts->n] = memory_must(arena_text(texts->arena, text));
		texts->slot[at] = (uint32_t)++texts->n;
	}
	return texts->slot[at] - 1;
}

/* A point's text in a column, all of whose texts are these. */
static void put_text(struct report_column *column, struct texts *texts, size_t point, const char *text)
{
	column->of[point] = (double)find_text(texts, text);
	column->text = texts->text;
	column->n_text = texts->n;
}

/* The next column, its numbers not set. */
static struct report_column *add_column(struct report_data *data, const char *key, const char *label, const char *unit,
                                        enum report_kind kind)
{
	struct report_column *column = &data->column[data->n_column++];
	*column = (struct report_column){
	    .key = memory_must(arena_text(&data->arena, key)),
	    .label = memory_must(arena_text(&data->arena, label)),
	    .unit = memory_must(arena_text(&data->arena, unit)),
	    .kind = kind,
	    .limit = INFINITY,
	    .of = memory_must(arena_array(&data->arena, data->run.front.n_point, sizeof(*column->of)))};
	return column;
}

/* ---- numbers ---- */

/* A column of a metric of all networks (NULL) or of one; none where no point has the metric. */
static enum err_code add_metric(struct report_data *data, enum metric metric, const struct kept_network *network,
                                enum report_kind kind, struct err *err)
{
	const struct kept_front *front = &data->run.front;
	const struct metric_info *info = &metric_table[metric];
	const char *name = network ? network->name : "";
	char key[NETWORK_NAME_SIZE + 32], label[NETWORK_NAME_SIZE + 48];
	size_t n = 0, at = network ? (size_t)(network - front->network) * N_METRIC + metric : metric;
	(void)snprintf(key, sizeof(key), "%s%s%s", name, *name ? "." : "", info->name);
	(void)snprintf(label, sizeof(label), "%s%s%s", name, *name ? " " : "", info->label);
	struct report_column *column = add_column(data, key, label, info->unit, kind);
	for (size_t i = 0; i < front->n_point; i++) {
		column->of[i] = network ? front->point[i].of_network[at] : front->point[i].metric[at];
		n += isnan(column->of[i]) ? 0 : 1;
		if (!isfinite(column->of[i]) && kind == REPORT_OBJECTIVE)
			return err_add(err, ERR_INPUT, "%s: point %" PRIu64 " has no %s, which is an objective",
			               data->run.front_path, front->point[i].id, info->name);
	}
	for (size_t i = 0; i < data->space.n_limit && !network; i++)
		if (data->space.limit[i].metric == metric)
			column->limit = fmin(column->limit, data->space.limit[i].max);
	data->n_column -= n == 0;
	return ERR_OK;
}

static enum err_code add_metrics(struct report_data *data, struct err *err)
{
	const struct kept_front *front = &data->run.front;
	bool is_objective[N_METRIC] = {false};
	enum err_code code = ERR_OK;
	for (size_t k = 0; k < front->n_objective && code == ERR_OK; k++) {
		is_objective[front->objective[k]] = true;
		code = add_metric(data, front->objective[k], NULL, REPORT_OBJECTIVE, err);
	}
	for (int k = 0; k < N_METRIC && code == ERR_OK; k++)
		if (!is_objective[k])
			code = add_metric(data, (enum metric)k, NULL, REPORT_METRIC, err);
	for (size_t i = 0; front->n_network > 1 && i < front->n_network && code == ERR_OK; i++)
		for (int k = 0; k < N_METRIC && code == ERR_OK; k++)
			if (metric_table[k].scope != METRIC_OF_MACHINE)
				code = add_metric(data, (enum metric)k, &front->network[i], REPORT_METRIC, err);
	return code;
}

/* A number of each point; the column is left out where none has it. */
static void add_number(struct report_data *data, const char *key, const char *label, const char *unit, size_t offset)
{
	const struct kept_front *front = &data->run.front;
	struct report_column *column = add_column(data, key, label, unit, REPORT_METRIC);
	size_t n = 0;
	for (size_t i = 0; i < front->n_point; i++) {
		column->of[i] = *(const double *)(const void *)((const char *)&front->point[i] + offset);
		n += isnan(column->of[i]) ? 0 : 1;
	}
	data->n_column -= n == 0;
}

/* How far the latency may be off, and what the energy rests on, where the front says so. */
static void add_trust(struct report_data *data)
{
	add_number(data, "uncertainty_pct", "latency, up or down", "%", offsetof(struct kept_point, uncertainty_pct));
	add_number(data, "reference_uncertainty_pct", "event tier, up or down", "%",
	           offsetof(struct kept_point, reference_uncertainty_pct));
	add_number(data, "energy_least_mj", "energy, at least", "mJ", offsetof(struct kept_point, energy_least_mj));
	add_number(data, "energy_most_mj", "energy, at most", "mJ", offsetof(struct kept_point, energy_most_mj));
	for (int i = N_CONFIDENCE - 1; i >= 0; i--) {
		char key[64], label[64];
		(void)snprintf(key, sizeof(key), "energy_%s_pct", confidence_name[i]);
		(void)snprintf(label, sizeof(label), "energy, %s", confidence_name[i]);
		add_number(data, key, label, "%", offsetof(struct kept_point, energy_pct) + (size_t)i * sizeof(double));
	}
}

/* For how many points each stands that was priced, and whether it alone does, as in front.csv. */
static void add_place(struct report_data *data)
{
	const struct kept_front *front = &data->run.front;
	struct texts texts = {.arena = &data->arena};
	if (!front->point[0].place)
		return;
	struct report_column *like = add_column(data, "like_it", "points like it", "", REPORT_METRIC);
	struct report_column *place = add_column(data, "place", "place", "", REPORT_KNOB);
	for (size_t i = 0; i < front->n_point; i++) {
		like->of[i] = front->point[i].like_it;
		put_text(place, &texts, i, front->point[i].place ? front->point[i].place : "");
	}
}

/* What --verify found of each point, as in front.csv. */
static void add_verified(struct report_data *data)
{
	const struct kept_front *front = &data->run.front;
	struct texts texts = {.arena = &data->arena};
	struct report_column *objective[SPACE_MAX_OBJECTIVE];
	char key[64], label[64];
	if (!front->point[0].verified)
		return;
	for (size_t k = 0; k < front->n_objective; k++) {
		const struct metric_info *info = &metric_table[front->objective[k]];
		(void)snprintf(key, sizeof(key), "verified_%s", info->name);
		(void)snprintf(label, sizeof(label), "%s, event tier", info->label);
		objective[k] = add_column(data, key, label, info->unit, REPORT_METRIC);
	}
	struct report_column *error =
	    add_column(data, "verified_error_pct", "error to the event tier", "%", REPORT_METRIC);
	struct report_column *margin =
	    add_column(data, "verified_margin_pct", "margin on the front", "%", REPORT_METRIC);
	struct report_column *verdict = add_column(data, "verified_front", "verified", "", REPORT_KNOB);
	for (size_t i = 0; i < front->n_point; i++) {
		const struct kept_verified *own = front->point[i].verified;
		for (size_t k = 0; k < front->n_objective; k++)
			objective[k]->of[i] = own ? own->objective[k] : (double)NAN;
		error->of[i] = own ? own->error_pct : (double)NAN;
		margin->of[i] = own ? own->margin_pct : (double)NAN;
		put_text(verdict, &texts, i, own ? own->front : "");
	}
}

/* ---- machines ---- */

/* What a value of an axis counts as: an array its MAC units; NAN: unknown. */
static double axis_size(const struct machine_param *param, const char *text)
{
	struct machine machine;
	struct err ignored = {0};
	double size = (double)NAN;
	machine_init(&machine, MACHINE_CHIP);
	if (param && machine_set_param(&machine, param, text, &ignored) == ERR_OK)
		size = machine_get_param(&machine, param);
	err_clear(&ignored);
	return size;
}

/* Sorts texts by what they count as; of is renumbered. Few values: by insertion. */
static void sort_texts(const struct machine_param *param, const char **text, size_t n, double *of, size_t n_of)
{
	size_t place[MAX_NAME], before[MAX_NAME];
	if (n < 2 || n > MAX_NAME)
		return;
	for (size_t i = 0; i < n; i++) {
		size_t at = i;
		const char *own = text[i];
		for (; at > 0 && axis_size(param, text[at - 1]) > axis_size(param, own); at--) {
			text[at] = text[at - 1];
			before[at] = before[at - 1];
		}
		text[at] = own;
		before[at] = i;
	}
	for (size_t i = 0; i < n; i++)
		place[before[i]] = i;
	for (size_t i = 0; i < n_of; i++)
		of[i] = (double)place[(size_t)of[i]];
}

static bool is_number(const char *text)
{
	char *end;
	return *text && isfinite(strtod(text, &end)) && *end == '\0';
}

/* Values of an axis as numbers where all are, else as texts. */
static void add_axis(struct report_data *data, size_t axis)
{
	const char *key = data->run.front.axis[axis];
	const struct machine_param *param = machine_find_param(key);
	bool is_real = true;
	for (size_t i = 0; i < data->n_machine; i++)
		is_real = is_real && is_number(data->machine[i].value[axis]);
	bool has_unit = is_real && param && param->type != PARAM_ENUM && param->unit;
	struct report_column *column = add_column(data, key, key, has_unit ? param->unit : "", REPORT_KNOB);
	struct texts texts = {.arena = &data->arena};
	for (size_t i = 0; i < data->run.front.n_point; i++) {
		const char *text = data->machine[data->machine_of[i]].value[axis];
		if (is_real)
			column->of[i] = strtod(text, NULL);
		else
			put_text(column, &texts, i, text);
	}
	sort_texts(param, column->text, column->n_text, column->of, data->run.front.n_point);
}

static void add_machines(struct report_data *data)
{
	struct texts texts = {.arena = &data->arena};
	const struct kept_front *front = &data->run.front;
	struct report_column *column = add_column(data, "machine", "machine", "", REPORT_KNOB);
	for (size_t i = 0; i < front->n_point; i++)
		put_text(column, &texts, i, front->machine[data->machine[data->machine_of[i]].kept].name);
	for (size_t i = 0; i < front->n_axis; i++)
		add_axis(data, i);
}

/* ---- designs of layers ---- */

/* A field of designs: its values over the whole front, and which each design has. */
struct field {
	const struct design_field *info;
	size_t n;
	const char *name[MAX_NAME]; /* [n] in the machine's order where it is known */
	uint32_t *of;               /* [n_design]; UINT32_MAX: it has no such field */
};

static size_t rank_of(const char *name, const char *const *order, size_t n)
{
	size_t i = 0;
	while (i < n && strcmp(order[i], name) != 0)
		i++;
	return i;
}

/* Values in the order of the machine's names: that of front.csv. Without a machine as they come. */
static void order_names(const struct report_data *data, struct field *field)
{
	const char *order[FIELD_MAX_NAME];
	if (data->space.n_network == 0)
		return;
	size_t n = design_field_names(field->info, data->machine[0].machine, order);
	for (size_t i = 1; i < field->n; i++)
		for (size_t k = i; k > 0 && rank_of(field->name[k], order, n) < rank_of(field->name[k - 1], order, n);
		     k--) {
			const char *other = field->name[k];
			field->name[k] = field->name[k - 1];
			field->name[k - 1] = other;
		}
}

static void take_field(struct report_data *data, const struct design_field *info, struct field *field)
{
	*field = (struct field){
	    .info = info, .of = memory_must(arena_array(&data->arena, data->run.front.n_design, sizeof(*field->of)))};
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < data->run.front.n_design; i++) {
			const struct doc_node *node = doc_find(data->run.front.design[i].node, info->key);
			size_t at =
			    node && node->kind == DOC_SCALAR ? rank_of(node->text, field->name, field->n) : MAX_NAME;
			if (at == field->n && field->n < MAX_NAME)
				field->name[field->n++] = node->text;
			field->of[i] = at < field->n ? (uint32_t)at : UINT32_MAX;
		}
		if (pass == 0)
			order_names(data, field);
	}
}

static void count_values(const struct report_data *data, const struct field *field, size_t point, size_t *n_use)
{
	memset(n_use, 0, MAX_NAME * sizeof(*n_use));
	for (size_t k = 0; k < data->run.front.n_layer; k++) {
		uint32_t value = field->of[data->run.front.point[point].design[k]];
		if (value < field->n)
			n_use[value]++;
	}
}

/* "fusion 3, fusion_reuse 10", as in front.csv. */
static void add_words(struct report_data *data, const struct field *field, const char *key)
{
	struct texts texts = {.arena = &data->arena};
	struct report_column *column = add_column(data, key, key, "layers", REPORT_KNOB);
	size_t n_use[MAX_NAME];
	for (size_t i = 0; i < data->run.front.n_point; i++) {
		char text[1024] = "";
		int n = 0;
		count_values(data, field, i, n_use);
		for (size_t k = 0; k < field->n; k++)
			if (n_use[k] > 0 && n >= 0 && (size_t)n < sizeof(text))
				n += snprintf(text + n, sizeof(text) - (size_t)n, "%s%s %zu", n ? ", " : "",
				              field->name[k], n_use[k]);
		put_text(column, &texts, i, text);
	}
}

static void add_dominant(struct report_data *data, const struct field *field, const char *label)
{
	struct report_column *column = add_column(data, field->info->key, label, "", REPORT_KNOB);
	size_t n_use[MAX_NAME];
	column->n_text = field->n;
	column->text = memory_must(arena_array(&data->arena, field->n, sizeof(*column->text)));
	memcpy(column->text, field->name, field->n * sizeof(*column->text));
	for (size_t i = 0; i < data->run.front.n_point; i++) {
		size_t most = 0;
		count_values(data, field, i, n_use);
		for (size_t k = 1; k < field->n; k++)
			most = n_use[k] > n_use[most] ? k : most;
		column->of[i] = (double)most;
	}
}

/* For each value how many layers have it: a number, which colours and filters. */
static void add_counts(struct report_data *data, const struct field *field)
{
	size_t n_use[MAX_NAME];
	for (size_t k = 0; k < field->n; k++) {
		char key[128], label[128];
		(void)snprintf(key, sizeof(key), "%s.%.64s", field->info->key, field->name[k]);
		(void)snprintf(label, sizeof(label), "layers at %.64s", field->name[k]);
		struct report_column *column = add_column(data, key, label, "layers", REPORT_KNOB);
		for (size_t i = 0; i < data->run.front.n_point; i++) {
			count_values(data, field, i, n_use);
			column->of[i] = (double)n_use[k];
		}
	}
}

/* Tasks of all layers together: the product of the parts of the four dimensions. */
static enum err_code add_tasks(struct report_data *data, struct err *err)
{
	struct report_column *column = add_column(data, "tasks", "tasks of all layers", "", REPORT_KNOB);
	double *n_task = memory_must(arena_array(&data->arena, data->run.front.n_design, sizeof(*n_task)));
	for (size_t i = 0; i < data->run.front.n_design; i++) {
		n_task[i] = 1;
		for (size_t k = 0; k < design_n_field; k++) {
			struct dim_split dim;
			const char *text =
			    design_field[k].type == FIELD_SPLIT
				? front_need_text(data->run.front.design[i].node, design_field[k].key, err)
				: NULL;
			if (text && dim_parse(text, &dim, err) == ERR_OK)
				n_task[i] *= dim_n_part(&dim);
		}
	}
	for (size_t i = 0; i < data->run.front.n_point; i++)
		for (size_t k = 0; k < data->run.front.n_layer; k++)
			column->of[i] += n_task[data->run.front.point[i].design[k]];
	return err->n_message == 0 ? ERR_OK : ERR_INPUT;
}

/* Strategies and operating points always, as front.csv; other fields where the front has several values of them. */
static void add_fields(struct report_data *data)
{
	for (size_t i = 0; i < design_n_field; i++) {
		const struct design_field *info = &design_field[i];
		struct field field;
		if (info->type == FIELD_SPLIT || info->type == FIELD_COUNT)
			continue;
		take_field(data, info, &field);
		bool is_strategy = strcmp(info->key, "strategy") == 0, is_level = strcmp(info->key, "level") == 0;
		if (is_strategy || is_level || field.n > 1)
			add_words(data, &field, is_strategy ? "strategies" : is_level ? "levels" : info->key);
		if (is_strategy && field.n > 1)
			add_dominant(data, &field, "strategy of most layers");
		if (is_level && field.n > 1)
			add_counts(data, &field);
	}
}

/* The point with the least of each objective, and the knee. */
static void find_extremes(struct report_data *data)
{
	size_t n = data->run.front.n_objective;
	double *front = memory_array(data->run.front.n_point, n * sizeof(*front));
	for (size_t i = 0; i < data->run.front.n_point; i++)
		for (size_t k = 0; k < n; k++) {
			front[i * n + k] = data->column[k].of[i];
			if (data->column[k].of[i] < data->column[k].of[data->best[k]])
				data->best[k] = i;
		}
	data->knee = indicator_knee(front, data->run.front.n_point, (unsigned)n);
	free(front);
}

/* As many columns as there can be; all that add one are counted. */
static size_t most_columns(const struct kept_front *front)
{
	size_t n_metric = (1 + front->n_network) * N_METRIC, n_verified = front->n_objective + 3;
	return n_metric + 7 + N_CONFIDENCE + front->n_axis + n_verified + design_n_field + 1 + MAX_NAME + 1;
}

enum err_code report_columns_make(struct report_data *data, struct err *err)
{
	assert(data->run.front.n_point > 0 && data->n_column == 0);
	size_t n_most = most_columns(&data->run.front);
	data->column = memory_must(arena_array(&data->arena, n_most, sizeof(*data->column)));
	enum err_code code = add_metrics(data, err);
	if (code != ERR_OK)
		return code;
	find_extremes(data);
	add_machines(data);
	add_trust(data);
	add_place(data);
	add_verified(data);
	add_fields(data);
	code = add_tasks(data, err);
	assert(data->n_column <= n_most);
	return code;
}
