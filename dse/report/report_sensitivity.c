/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/report/report_sensitivity.h"
#include "dse/space/space_goals.h"
#include "dse/base/memory.h"
#include "dse/base/parallel.h"
#include "dse/design/unroll.h"
#include "dse/layer/design_field.h"
#include "dse/report/report_design.h"
#include "dse/run/attribute.h"
#include "mapper/split/verdict.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 256, MAX_POINT = 2 + SPACE_MAX_OBJECTIVE, TEXT_SIZE = 192 };

/* A layer of a point with another design, to be run. */
struct trial {
	size_t change; /* which one it belongs to */
	uint32_t layer;
	struct layer_design design;
};

/* What the functions below share. */
struct study {
	struct report_data *data;
	const struct detail_options *how;
	size_t n_alloc, n_trial, n_trial_alloc;
	struct trial *trial;             /* [n_trial] of consecutive changes */
	struct unrolled_design *base;    /* [n_layer] of the point */
	struct unrolled_design *changed; /* [n_layer] */
	uint32_t point;
	size_t n_left; /* runs of layers that may still be made */
	struct err *err;
};

/* Whether so many runs more may be made; then they are. */
static bool may_run(struct study *study, size_t n)
{
	bool may = n <= study->n_left;
	study->n_left -= may ? n : 0;
	return may;
}

/* ---- changes ---- */

static struct report_change *add_change(struct study *study, uint32_t layer, const char *knob, const char *from,
                                        const char *value)
{
	struct report_data *data = study->data;
	if (data->n_change == study->n_alloc) {
		size_t n_alloc = study->n_alloc ? 2 * study->n_alloc : 64;
		struct report_change *grown = memory_must(arena_array(&data->arena, n_alloc, sizeof(*grown)));
		if (data->n_change > 0)
			memcpy(grown, data->change, data->n_change * sizeof(*grown));
		data->change = grown;
		study->n_alloc = n_alloc;
	}
	struct report_change *change = &data->change[data->n_change++];
	*change = (struct report_change){.knob = memory_must(arena_text(&data->arena, knob)),
	                                 .from = memory_must(arena_text(&data->arena, from)),
	                                 .value = memory_must(arena_text(&data->arena, value)),
	                                 .point = study->point,
	                                 .layer = layer};
	return change;
}

static void refuse(struct study *study, struct report_change *change, const char *text)
{
	change->verdict = memory_must(arena_text(&study->data->arena, text));
}

static void take_metrics(struct study *study, struct report_change *change, const double *metric)
{
	const struct kept_front *front = &study->data->run.front;
	for (size_t k = 0; k < front->n_objective; k++) {
		double before = front->point[study->point].metric[front->objective[k]],
		       now = metric[front->objective[k]];
		bool is_same = !(before < now) && !(before > now);
		change->pct[k] = is_same ? 0.0 : fabs(before) > 0 ? 100.0 * (now - before) / fabs(before) : (double)NAN;
	}
}

/* ---- the machine ---- */

/* The value that an axis has of a point, as its space writes it. */
static bool is_own(const struct report_data *data, const struct kept_point *point, const struct space_axis *axis,
                   const char *value, char own[64])
{
	struct machine machine = *data->machine[data->machine_of[point - data->run.front.point]].machine;
	char text[64];
	(void)machine_print_param(&machine, axis->param, own, 64);
	if (machine_set_param(&machine, axis->param, value, NULL) != ERR_OK)
		return false;
	(void)machine_print_param(&machine, axis->param, text, sizeof(text));
	return strcmp(text, own) == 0;
}

/* One value of an axis, for the points chosen. */
static enum err_code try_value(struct study *study, const struct kept_front *few, const uint32_t *chosen,
                               const struct space_axis *axis, const char *value)
{
	struct report_data *data = study->data;
	const struct attribute_how how = {.n_thread = study->how->n_thread, .param = axis->param, .value = value};
	struct attributed result[MAX_POINT];
	char own[64];
	if (!may_run(study, few->n_point * few->n_layer))
		return ERR_OK;
	enum err_code code =
	    attribute_evaluate(few, &data->space, &data->space, &how, result, &data->arena, study->err);
	for (size_t i = 0; i < few->n_point && code == ERR_OK; i++) {
		study->point = chosen[i];
		if (is_own(data, &data->run.front.point[chosen[i]], axis, value, own))
			continue;
		struct report_change *change = add_change(study, UINT32_MAX, axis->param->key, own, value);
		if (result[i].why)
			refuse(study, change, result[i].why);
		else
			take_metrics(study, change, result[i].metric);
	}
	return code;
}

static enum err_code try_axes(struct study *study, const uint32_t *chosen, size_t n_chosen)
{
	const struct report_data *data = study->data;
	struct kept_point point[MAX_POINT];
	struct kept_front few = data->run.front;
	few.point = point;
	few.n_point = n_chosen;
	for (size_t i = 0; i < n_chosen; i++)
		point[i] = data->run.front.point[chosen[i]];
	enum err_code code = ERR_OK;
	for (size_t i = 0; i < data->space.n_axis; i++)
		for (size_t k = 0; k < data->space.axis[i].n && code == ERR_OK; k++)
			code = try_value(study, &few, chosen, &data->space.axis[i], data->space.axis[i].value[k]);
	return code;
}

/* ---- layers ---- */

/* What the rules of the space let a layer choose from. */
static const struct layer_choice *choice_of(const struct report_data *data, size_t layer)
{
	size_t network = layer_map_network(&data->map, layer);
	return &data->space.network[network].choice[layer - data->map.begin[network]];
}

/* Whether a layer may have the value of a field, and the field means something there; fields that two layers share
 * (where results lie, what is fetched ahead) are no knobs of one. */
static bool is_choice(const struct report_data *data, size_t layer, const struct machine *machine,
                      const struct layer_design *design, const struct design_field *field, size_t value)
{
	const struct layer_choice *choice = choice_of(data, layer);
	const struct strategy_info *strategy = &strategy_table[design->strategy];
	if (strcmp(field->key, "strategy") == 0) /* operands are passed on in convolutions only */
		return choice->strategy[value] && strategy_serves((enum strategy)value, machine) &&
		       (!strategy_table[value].reuses || data->map.block[layer]->kind == BLOCK_CONV);
	if (strcmp(field->key, "reuse") == 0)
		return choice->reuse[value] && (strategy->reuses || strategy->is_systolic);
	if (strcmp(field->key, "level") == 0)
		return attribute_allows_level(choice, machine, value);
	if (strcmp(field->key, "operand_bit") == 0)
		return !space_fetches_ahead(&data->space) &&
		       (value == 0 ? choice->operand_8bit : choice->operand_16bit);
	if (strcmp(field->key, "conv_1x1") == 0)
		return block_allows_form(data->map.block[layer], choice->form, (enum conv_form)value);
	return false;
}

static void add_trial(struct study *study, size_t change, uint32_t layer, const struct layer_design *design)
{
	if (study->n_trial == study->n_trial_alloc) {
		size_t n_alloc = study->n_trial_alloc ? 2 * study->n_trial_alloc : BATCH;
		study->trial = memory_resize(study->trial, n_alloc, sizeof(*study->trial));
		study->n_trial_alloc = n_alloc;
	}
	study->trial[study->n_trial++] = (struct trial){change, layer, *design};
}

/* "CONV_3 strategy", with the network where there are several. */
static void name_knob(const struct report_data *data, size_t layer, const char *what, char text[TEXT_SIZE])
{
	const struct kept_front *front = &data->run.front;
	(void)snprintf(text, TEXT_SIZE, "%s%s%s %s",
	               front->n_network > 1 ? front->network[layer_map_network(&data->map, layer)].name : "",
	               front->n_network > 1 ? " " : "", front->operation[layer], what);
}

/* All other values of a field of one layer. */
static void try_field(struct study *study, uint32_t layer, const struct machine *machine,
                      const struct design_field *field)
{
	const struct layer_design *own = &study->base[layer].design;
	const char *name[FIELD_MAX_NAME];
	char knob[TEXT_SIZE], from[FIELD_TEXT_SIZE];
	size_t n = design_field_names(field, machine, name), before = design_field_get(field, own);
	name_knob(study->data, layer, field->key, knob);
	design_field_print(field, machine, own, from);
	for (size_t value = 0; value < n; value++) {
		struct layer_design design = *own;
		if (value == before || !is_choice(study->data, layer, machine, own, field, value))
			continue;
		design_field_set(field, machine, value, &design);
		if (!may_run(study, 1))
			return;
		(void)add_change(study, layer, knob, from, name[value]);
		add_trial(study, study->data->n_change - 1, layer, &design);
	}
}

static bool allows_split(const struct layer_choice *choice, const struct split *split)
{
	return !choice->thesis_split && !attribute_refuse_split(choice, split) &&
	       (choice->w.choice != SPLIT_WHOLE || dim_n_part(&split->w) == 1) &&
	       (choice->h.choice != SPLIT_WHOLE || dim_n_part(&split->h) == 1) &&
	       (choice->c.choice != SPLIT_WHOLE || dim_n_part(&split->c) == 1) &&
	       (choice->d.choice != SPLIT_WHOLE || dim_n_part(&split->d) == 1);
}

/* One dimension of one layer in one part more, and one less, as even as it goes. */
static void try_split(struct study *study, uint32_t layer, const struct machine *machine,
                      const struct design_field *field)
{
	const struct report_data *data = study->data;
	const struct layer_design *own = &study->base[layer].design;
	const struct dim_split *dim = design_field_split(field, own);
	const struct block *block = data->map.block[layer];
	char knob[TEXT_SIZE], from[FIELD_TEXT_SIZE], to[FIELD_TEXT_SIZE];
	bool is_pixel = strcmp(field->key, "w") == 0 || strcmp(field->key, "h") == 0;
	uint32_t n_part = dim_n_part(dim), step = is_pixel && block->kind == BLOCK_CONV ? block->pool : 1;
	uint64_t extent = dim_extent(dim);
	(void)snprintf(to, sizeof(to), "split %s", field->dimension);
	name_knob(data, layer, to, knob);
	design_field_print(field, machine, own, from);
	for (uint32_t n = n_part - 1; n <= n_part + 1; n++) {
		struct layer_design design = *own;
		if (n == 0 || n == n_part || extent > UINT32_MAX || extent % step != 0 || n > extent / step)
			continue;
		struct dim_split changed = dim_even((uint32_t)extent, n, step);
		memcpy((char *)&design + field->offset, &changed, sizeof(changed));
		if (!allows_split(choice_of(data, layer), &design.split) ||
		    split_check(block, &design.split, NULL) != ERR_OK)
			continue;
		design_field_print(field, machine, &design, to);
		if (!may_run(study, 1))
			return;
		(void)add_change(study, layer, knob, from, to);
		add_trial(study, data->n_change - 1, layer, &design);
	}
}

static int compare_time(const void *left, const void *right)
{
	const struct unrolled_design *a = *(const struct unrolled_design *const *)left;
	const struct unrolled_design *b = *(const struct unrolled_design *const *)right;
	double x = a->metric[METRIC_LATENCY], y = b->metric[METRIC_LATENCY];
	return x > y ? -1 : x < y ? 1 : a < b ? -1 : a > b;
}

/* The layers of the point one by one, those that take longest first. */
static void try_layers(struct study *study, const struct machine *machine)
{
	size_t n = study->data->run.front.n_layer;
	const struct unrolled_design **order = memory_array(n, sizeof(*order));
	for (size_t k = 0; k < n; k++)
		order[k] = &study->base[k];
	qsort(order, n, sizeof(*order), compare_time);
	for (size_t i = 0; i < n && i < SENSITIVITY_MAX_LAYER; i++) {
		uint32_t layer = (uint32_t)(order[i] - study->base);
		for (size_t k = 0; k < design_n_field; k++) {
			const struct design_field *field = &design_field[k];
			if (!design_field_serves(field, study->data->map.block[layer]))
				continue;
			if (field->type == FIELD_SPLIT)
				try_split(study, layer, machine, field);
			else
				try_field(study, layer, machine, field);
		}
	}
	free(order);
}

/* One value of a field for all layers that may have it. */
static void try_together(struct study *study, const struct machine *machine, const struct design_field *field,
                         size_t value, const char *name)
{
	const struct report_data *data = study->data;
	size_t n_change = data->n_change, n_own = 0;
	char knob[TEXT_SIZE], from[FIELD_TEXT_SIZE];
	for (uint32_t k = 0; k < data->run.front.n_layer; k++) {
		const struct layer_design *own = &study->base[k].design;
		struct layer_design design = *own;
		if (n_own == 0 && study->n_left < data->run.front.n_layer)
			return;
		if (!design_field_serves(field, data->map.block[k]) || design_field_get(field, own) == value ||
		    !is_choice(data, k, machine, own, field, value))
			continue;
		design_field_set(field, machine, value, &design);
		(void)may_run(study, 1);
		(void)snprintf(knob, sizeof(knob), "all layers: %s", field->key);
		if (n_own++ == 0)
			(void)add_change(study, UINT32_MAX, knob, "", name);
		add_trial(study, n_change, k, &design);
	}
	if (n_own > 0) {
		(void)snprintf(from, sizeof(from), "other in %zu of %zu", n_own, data->run.front.n_layer);
		data->change[n_change].from = memory_must(arena_text(&study->data->arena, from));
	}
}

static void try_all_together(struct study *study, const struct machine *machine)
{
	const char *name[FIELD_MAX_NAME];
	for (size_t i = 0; i < design_n_field && study->data->run.front.n_layer > 1; i++) {
		const struct design_field *field = &design_field[i];
		size_t n = field->type == FIELD_SPLIT ? 0 : design_field_names(field, machine, name);
		for (size_t value = 0; value < n; value++)
			try_together(study, machine, field, value, name[value]);
	}
}

/* ---- running ---- */

static void refuse_layer(struct study *study, const struct trial *trial, const struct verdict *verdict)
{
	struct report_change *change = &study->data->change[trial->change];
	const char *name = study->data->run.front.operation[trial->layer];
	char text[TEXT_SIZE];
	if (verdict->demanded > 0)
		(void)snprintf(text, sizeof(text), "%s: %s: %" PRIu64 " demanded, %" PRIu64 " available", name,
		               verdict_table[verdict->reason].help, verdict->demanded, verdict->available);
	else
		(void)snprintf(text, sizeof(text), "%s: %s", name, verdict_table[verdict->reason].help);
	if (!change->verdict)
		refuse(study, change, text);
}

/* The point with its changed layers, summed as explore sums it; limits of the space that it breaks are its verdict. */
static void sum_change(struct study *study, struct report_change *change, struct unrolled *point)
{
	const struct report_data *data = study->data;
	char text[TEXT_SIZE];
	for (size_t k = 0; k < point->n_layer; k++)
		point->layer[k] = &study->changed[k];
	unroll_sum(&data->space, &data->map, point);
	for (size_t i = 0; i < data->space.n_limit && !change->verdict; i++) {
		const struct space_limit *limit = &data->space.limit[i];
		if (point->metric[limit->metric] <= space_limit_most(limit))
			continue;
		(void)snprintf(text, sizeof(text), "%s is %.6g, allowed is %.6g", metric_table[limit->metric].name,
		               point->metric[limit->metric], limit->max);
		refuse(study, change, text);
	}
	if (!change->verdict)
		take_metrics(study, change, point->metric);
}

/* Run trials first to end - 1 of the point's machine into their designs. */
static enum err_code run_batch(struct study *study, size_t first, size_t end, const struct machine *machine,
                               struct layer_context *context, struct detail_run *run, double (*metric)[N_METRIC])
{
	const struct report_data *data = study->data;
	for (size_t i = first; i < end; i++) {
		const struct trial *trial = &study->trial[i];
		bool is_last = trial->layer + 1 == data->map.begin[layer_map_network(&data->map, trial->layer) + 1];
		report_context(data, trial->layer, machine, &trial->design,
		               is_last ? NULL : &study->base[trial->layer + 1].design, &context[i - first]);
		run[i - first] = (struct detail_run){.context = &context[i - first], .design = &trial->design};
	}
	enum err_code code = detail_run_all(run, end - first, study->how, study->err);
	for (size_t i = first; i < end && code == ERR_OK; i++) {
		if (run[i - first].ran)
			metric_of_layer(run[i - first].context, run[i - first].design, &run[i - first].result,
			                metric[i]);
		else
			refuse_layer(study, &study->trial[i], &run[i - first].verdict);
	}
	return code;
}

/* All trials, then all changes that they belong to. */
static enum err_code run_trials(struct study *study, const struct machine *machine)
{
	struct report_data *data = study->data;
	struct layer_context *context = memory_array(BATCH, sizeof(*context));
	struct detail_run *run = memory_array(BATCH, sizeof(*run));
	double(*metric)[N_METRIC] = memory_array(study->n_trial, sizeof(*metric));
	struct unrolled point;
	enum err_code code = ERR_OK;
	memory_check(unrolled_init(&data->map, &point, NULL) == ERR_OK);
	for (size_t i = 0; i < study->n_trial && code == ERR_OK; i += BATCH)
		code = run_batch(study, i, i + BATCH < study->n_trial ? i + BATCH : study->n_trial, machine, context,
		                 run, metric);
	point.machine = machine;
	for (size_t i = 0, end; i < study->n_trial && code == ERR_OK; i = end) {
		struct report_change *change = &data->change[study->trial[i].change];
		memcpy(study->changed, study->base, data->run.front.n_layer * sizeof(*study->base));
		for (end = i; end < study->n_trial && study->trial[end].change == study->trial[i].change; end++) {
			struct unrolled_design *design = &study->changed[study->trial[end].layer];
			design->design = study->trial[end].design;
			memcpy(design->metric, metric[end], sizeof(design->metric));
		}
		if (!change->verdict)
			sum_change(study, change, &point);
	}
	unrolled_free(&point);
	free(context);
	free(run);
	free(metric);
	return code;
}

static enum err_code study_point(struct study *study, uint32_t point, bool one_by_one)
{
	const struct report_data *data = study->data;
	const struct machine *machine = data->machine[data->machine_of[point]].machine;
	study->point = point;
	study->n_trial = 0;
	for (size_t k = 0; k < data->run.front.n_layer; k++) {
		const struct report_design *design = &data->design[data->run.front.point[point].design[k]];
		study->base[k] = (struct unrolled_design){.design = design->design};
		memcpy(study->base[k].metric, design->metric, sizeof(design->metric));
	}
	try_all_together(study, machine);
	if (one_by_one)
		try_layers(study, machine);
	return run_trials(study, machine);
}

enum err_code report_sensitivity_make(struct report_data *data, unsigned n_thread, struct err *err)
{
	const struct kept_front *front = &data->run.front;
	const struct detail_options how = {
	    .detail = front->detail, .n_thread = parallel_n_thread(n_thread), .can_stop = true};
	struct study study = {.data = data, .how = &how, .n_left = SIZE_MAX, .err = err};
	uint32_t chosen[MAX_POINT] = {(uint32_t)data->chosen};
	size_t n_chosen = 1, other[MAX_POINT - 1] = {data->knee};
	if (data->without || front->n_point == 0)
		return ERR_OK;
	if (front->detail == DETAIL_EVENT)
		study.n_left = front->n_design + SENSITIVITY_EVENT_RUN;
	memcpy(other + 1, data->best, front->n_objective * sizeof(*other));
	for (size_t k = 0; k < 1 + front->n_objective; k++) {
		bool is_new = true;
		for (size_t i = 0; i < n_chosen; i++)
			is_new = is_new && chosen[i] != other[k];
		if (is_new)
			chosen[n_chosen++] = (uint32_t)other[k];
	}
	study.base = memory_array(front->n_layer, sizeof(*study.base));
	study.changed = memory_array(front->n_layer, sizeof(*study.changed));
	enum err_code code = try_axes(&study, chosen, n_chosen);
	for (size_t i = 0; i < n_chosen && code == ERR_OK; i++)
		code = study_point(&study, chosen[i], i == 0);
	free(study.trial);
	free(study.base);
	free(study.changed);
	return code;
}
