/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/run/attribute.h"
#include "dse/space/space_goals.h"
#include "dse/space/space_machine.h"
#include "dse/base/key_table.h"
#include "dse/base/memory.h"
#include "dse/design/design_read.h"
#include "dse/design/unroll.h"
#include "mapper/split/verdict.h"
#include "sim/program/mixed.h"
#include "sim/machine/machine_check.h"
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KNOB_SIZE = 64, WHY_SIZE = 256, BATCH = 256 };

/* A machine with its axes set, as the points on it have it. */
struct variant {
	struct machine machine;
	enum attribute_fate fate;
	const char *why;
};

/* A design of a layer to be run. */
struct task {
	uint32_t variant, design, next_bit;
	size_t block; /* one of those that have it, as the map numbers them */
	enum attribute_fate fate;
	const char *why;
	struct unrolled_design result;
};

/* What the functions below share. */
struct attribute_work {
	const struct kept_front *front;
	const struct space *own, *in;
	const struct attribute_how *how;
	struct layer_map map; /* of in */
	size_t *layer;        /* [map.n_block] the front's layer; SIZE_MAX: it has none of this name */
	const char *missing;  /* the first block that the front has no design of; NULL: none */
	uint32_t *bit;        /* [front->n_design] width of operands */
	struct key_table variants, tasks;
	struct variant *variant;
	struct task *task;
	size_t n_task_alloc;
	uint32_t *variant_of; /* [front->n_point] */
	uint32_t *task_of;    /* [front->n_point][map.n_block] */
	struct arena *arena;  /* of texts */
	struct err *err;
};

static const char *keep_text(struct attribute_work *work, const char *text)
{
	return memory_must(arena_text(work->arena, text));
}

/* The first message of a record, without the place that it names in a kept file. */
static const char *say_message(struct attribute_work *work, const char *file, const struct err *found)
{
	char text[WHY_SIZE];
	const char *at = err_text(found);
	size_t n_file = strlen(file);
	if (strncmp(at, file, n_file) == 0) {
		at += n_file;
		at += strspn(at, ":0123456789");
		at += strspn(at, " ");
	}
	(void)snprintf(text, sizeof(text), "%.*s", (int)strcspn(at, "\n"), at);
	return keep_text(work, text);
}

/* ---- which layer is which ---- */

/* A network of the space is that of the same name, or the only one. */
static size_t find_network(const struct attribute_work *work, size_t i)
{
	const struct kept_front *front = work->front;
	for (size_t k = 0; k < front->n_network; k++)
		if (strcmp(front->network[k].name, work->in->network[i].network.name) == 0)
			return k;
	return front->n_network == 1 && work->in->n_network == 1 ? 0 : front->n_network;
}

static size_t find_layer(const struct kept_front *front, size_t network, const char *name)
{
	const struct kept_network *own = &front->network[network];
	for (size_t k = own->begin; network < front->n_network && k < own->begin + own->n_layer; k++)
		if (strcmp(front->operation[k], name) == 0)
			return k;
	return SIZE_MAX;
}

static void match_layers(struct attribute_work *work)
{
	for (size_t i = 0; i < work->map.n_network; i++) {
		size_t network = find_network(work, i);
		for (size_t b = work->map.begin[i]; b < work->map.begin[i + 1]; b++) {
			bool is_known = network < work->front->n_network;
			const char *name = work->map.block[b]->name;
			work->layer[b] = is_known ? find_layer(work->front, network, name) : SIZE_MAX;
			if (work->layer[b] == SIZE_MAX && !work->missing)
				work->missing = name;
		}
	}
}

static bool read_bits(struct attribute_work *work)
{
	for (size_t i = 0; i < work->front->n_design; i++) {
		const struct doc_node *node = front_need(work->front->design[i].node, "operand_bit", work->err);
		uint64_t bit = 8;
		if (!node || !doc_get_u64(node, "operand_bit", 8, 16, &bit, work->err))
			return false;
		work->bit[i] = (uint32_t)bit;
	}
	return true;
}

/* ---- machines ---- */

const struct machine *attribute_find_machine(const struct space *space, const char *name, bool is_only, size_t *index)
{
	for (*index = 0; *index < space->n_machine; ++*index)
		if (strcmp(space->machine[*index].name, name) == 0)
			return &space->machine[*index];
	*index = 0;
	return is_only && space->n_machine == 1 ? &space->machine[0] : NULL;
}

/* The machine that a point had; NULL: there is none. */
static const struct machine *find_machine(const struct space *space, const struct kept_front *front, uint32_t machine,
                                          size_t *index)
{
	return attribute_find_machine(space, front->machine[machine].name, front->n_machine == 1, index);
}

void attribute_knob(const struct kept_front *front, const struct space *own, const struct kept_point *point,
                    const struct machine_param *param, char *text)
{
	size_t index;
	const struct machine *machine = own ? find_machine(own, front, point->machine, &index) : NULL;
	for (size_t i = 0; i < front->n_axis; i++) {
		if (strcmp(front->axis[i], param->key) == 0) {
			(void)snprintf(text, KNOB_SIZE, "%s", point->value[i]);
			return;
		}
	}
	text[0] = '\0';
	if (machine)
		(void)machine_print_param(machine, param, text, KNOB_SIZE);
}

static enum attribute_fate refuse(struct attribute_work *work, struct variant *variant, const char *text)
{
	variant->why = keep_text(work, text);
	variant->fate = FATE_OUTSIDE;
	return FATE_OUTSIDE;
}

/* The place of a value among an axis' values, as text that means the same; axis->n: it is none. */
static size_t find_value(const struct space_axis *axis, const struct machine *machine, const char *value)
{
	struct machine one = *machine, other = *machine;
	char left[KNOB_SIZE], right[KNOB_SIZE];
	if (machine_set_param(&one, axis->param, value, NULL) != ERR_OK)
		return axis->n;
	(void)machine_print_param(&one, axis->param, left, sizeof(left));
	for (size_t i = 0; i < axis->n; i++) {
		(void)machine_set_param(&other, axis->param, axis->value[i], NULL);
		(void)machine_print_param(&other, axis->param, right, sizeof(right));
		if (strcmp(left, right) == 0)
			return i;
	}
	return axis->n;
}

/* Set what varied where the point comes from and does not vary here: it must be what the machine has. */
static bool set_other_axes(struct attribute_work *work, const struct kept_point *point, struct variant *variant)
{
	const struct kept_front *front = work->front;
	char text[WHY_SIZE], now[KNOB_SIZE];
	for (size_t i = 0; i < front->n_axis; i++) {
		const struct machine_param *param = machine_find_param(front->axis[i]);
		bool is_axis = false;
		for (size_t k = 0; k < work->in->n_axis; k++)
			is_axis = is_axis || work->in->axis[k].param == param;
		if (is_axis && !work->how->is_anywhere)
			continue;
		(void)machine_print_param(&variant->machine, param, now, sizeof(now));
		if (!work->how->is_anywhere && strcmp(now, point->value[i]) != 0) {
			(void)snprintf(text, sizeof(text), "%s is %s there, not %s", param->key, now, point->value[i]);
			return refuse(work, variant, text) == FATE_RUNS;
		}
		if (machine_set_param(&variant->machine, param, point->value[i], NULL) != ERR_OK) {
			(void)snprintf(text, sizeof(text), "%s cannot be %s", param->key, point->value[i]);
			return refuse(work, variant, text) == FATE_RUNS;
		}
	}
	return true;
}

/* The candidate of the space that has the point's machine and values. */
static void build_inside(struct attribute_work *work, const struct kept_point *point, size_t machine,
                         struct variant *variant)
{
	char text[WHY_SIZE], value[KNOB_SIZE];
	uint64_t index = machine;
	if (!set_other_axes(work, point, variant))
		return;
	for (size_t k = 0; k < work->in->n_axis; k++) {
		const struct space_axis *axis = &work->in->axis[k];
		attribute_knob(work->front, work->own, point, axis->param, value);
		size_t place = find_value(axis, &variant->machine, value);
		if (place == axis->n) {
			(void)snprintf(text, sizeof(text), "%s is not %s there", axis->param->key, value);
			(void)refuse(work, variant, text);
			return;
		}
		index = index * axis->n + place;
	}
	if (!space_machine(work->in, index, &variant->machine, text, sizeof(text)))
		(void)refuse(work, variant, text);
}

/* The same whatever the space allows. */
static void build_anywhere(struct attribute_work *work, const struct kept_point *point, struct variant *variant)
{
	struct err found = {0};
	if (!set_other_axes(work, point, variant))
		return;
	if (machine_check(&variant->machine, &found) != ERR_OK) {
		variant->why = say_message(work, "", &found);
		variant->fate = FATE_OUTSIDE;
	}
	err_clear(&found);
}

static void build_variant(struct attribute_work *work, const struct kept_point *point, struct variant *variant)
{
	size_t index;
	char text[WHY_SIZE];
	const struct machine *machine = find_machine(work->in, work->front, point->machine, &index);
	*variant = (struct variant){.fate = FATE_RUNS};
	if (!machine) {
		(void)snprintf(text, sizeof(text), "there is no machine %s", work->front->machine[point->machine].name);
		(void)refuse(work, variant, text);
		return;
	}
	variant->machine = *machine;
	if (work->how->is_anywhere)
		build_anywhere(work, point, variant);
	else
		build_inside(work, point, index, variant);
}

/* Number the values of each axis as they come; they are few. */
static uint32_t number_value(const char **known, uint32_t *n, const char *value)
{
	for (uint32_t i = 0; i < *n; i++)
		if (strcmp(known[i], value) == 0)
			return i;
	known[*n] = value;
	return (*n)++;
}

static bool number_key(struct key_table *table, const uint32_t *key, uint32_t *number)
{
	bool is_new;
	memory_check(key_table_add(table, key, number, &is_new));
	return is_new;
}

static void find_variants(struct attribute_work *work)
{
	const struct kept_front *front = work->front;
	size_t n_axis = front->n_axis, n = front->n_point;
	const char **known = memory_array((n + 1) * n_axis, sizeof(*known));
	uint32_t *n_known = memory_array(n_axis, sizeof(*n_known)), *key = memory_array(n_axis + 1, sizeof(*key));
	work->variant = memory_array(n, sizeof(*work->variant));
	for (size_t i = 0; i < n; i++) {
		key[0] = front->point[i].machine;
		for (size_t k = 0; k < n_axis; k++)
			key[1 + k] = number_value(known + k * (n + 1), &n_known[k], front->point[i].value[k]);
		if (number_key(&work->variants, key, &work->variant_of[i]))
			build_variant(work, &front->point[i], &work->variant[work->variant_of[i]]);
	}
	free(known);
	free(n_known);
	free(key);
}

/* ---- layers ---- */

static void add_task(struct attribute_work *work, size_t i, size_t block)
{
	const struct layer_map *map = &work->map;
	const uint32_t *design = work->front->point[i].design;
	size_t network = layer_map_network(map, block), next = block + 1 < map->begin[network + 1] ? block + 1 : block;
	uint32_t own = design[work->layer[block]], next_bit = work->bit[design[work->layer[next]]], number;
	const uint32_t key[] = {work->variant_of[i], own, map->distinct[block], next_bit};
	bool is_new = number_key(&work->tasks, key, &number);
	if (number >= work->n_task_alloc) {
		work->n_task_alloc = work->n_task_alloc ? 2 * work->n_task_alloc : 256;
		work->task = memory_resize(work->task, work->n_task_alloc, sizeof(*work->task));
	}
	if (is_new)
		work->task[number] =
		    (struct task){.variant = work->variant_of[i], .design = own, .next_bit = next_bit, .block = block};
	work->task_of[i * map->n_block + block] = number;
}

static void find_tasks(struct attribute_work *work)
{
	for (size_t i = 0; i < work->front->n_point; i++)
		for (size_t b = 0; b < work->map.n_block && !work->missing; b++)
			if (work->variant[work->variant_of[i]].fate == FATE_RUNS)
				add_task(work, i, b);
}

static bool is_fixed(size_t n, const struct dim_split *fixed, const struct dim_split *own)
{
	bool found = n == 0;
	for (size_t i = 0; i < n && !found; i++)
		found = memcmp(&fixed[i], own, sizeof(*own)) == 0;
	return found;
}

static bool allows_level(const struct layer_choice *choice, const struct machine *machine, size_t level)
{
	const struct operating_point *point = &machine->level[level];
	uint32_t needed =
	    mixed_is(point) ? UINT32_C(1) << point->low | UINT32_C(1) << point->high : UINT32_C(1) << level;
	return (choice->level_mask & needed) == needed;
}

static const char *refuse_split(const struct layer_choice *choice, const struct split *split)
{
	if (dim_n_part(&split->w) > choice->w.max_part || dim_n_part(&split->h) > choice->h.max_part ||
	    dim_n_part(&split->c) > choice->c.max_part || dim_n_part(&split->d) > choice->d.max_part)
		return "its split has too many parts";
	if (!is_fixed(choice->w.n_fixed, choice->w.fixed, &split->w) ||
	    !is_fixed(choice->h.n_fixed, choice->h.fixed, &split->h) ||
	    !is_fixed(choice->c.n_fixed, choice->c.fixed, &split->c) ||
	    !is_fixed(choice->d.n_fixed, choice->d.fixed, &split->d))
		return "its split is not listed";
	return NULL;
}

/*
 * What the rules of a space leave a layer; NULL: it may have this design. Reduced and even lists of splits are not made
 * for this: a design counts as one of theirs.
 */
static const char *outside_rules(const struct layer_choice *choice, const struct machine *machine,
                                 const struct block *block, const struct layer_design *design)
{
	if (!choice->strategy[design->strategy] && !choice->thesis_split)
		return "its strategy is not allowed";
	if (!choice->reuse[design->reuse])
		return "the operand it keeps is not allowed";
	if (!allows_level(choice, machine, design->level))
		return "its operating point is not allowed";
	if (!(design->operand_bit == 8 ? choice->operand_8bit : choice->operand_16bit))
		return "its width of operands is not allowed";
	if (!block_allows_form(block, choice->form, design->form))
		return "its form is not allowed";
	if (choice->to_dram && design->out_storage)
		return "its result is the network's and may not stay in storage QPEs";
	return refuse_split(choice, &design->split);
}

/* Read a task's design and prepare its layer. false: it has its fate. */
static bool prepare_task(struct attribute_work *work, struct task *task, struct layer_context *context)
{
	const struct layer_map *map = &work->map;
	const struct machine *machine = &work->variant[task->variant].machine;
	size_t network = layer_map_network(map, task->block), at = task->block - map->begin[network];
	const struct space_network *own = &work->in->network[network];
	const struct block *block = &own->network.block[at];
	struct layer_design *design = &task->result.design;
	const struct doc_node *node = work->front->design[task->design].node;
	struct err found = {0};
	char text[WHY_SIZE];
	bool is_read = design_read(node, block, machine, design, &found);
	const char *why = is_read ? NULL : say_message(work, node->file, &found);
	err_clear(&found);
	if (is_read && !work->how->is_anywhere && work->in != work->own)
		why = outside_rules(&own->choice[at], machine, block, design);
	if (why) {
		/* some messages begin with the layer themselves */
		bool has_name = strncmp(why, block->name, strlen(block->name)) == 0;
		(void)snprintf(text, sizeof(text), "%s%s%s", has_name ? "" : block->name, has_name ? "" : ": ", why);
		task->why = keep_text(work, text);
		task->fate = FATE_OUTSIDE;
		return false;
	}
	struct ahead ahead = ahead_around(&own->network, at, design->operand_bit, task->next_bit);
	mapper_prepare_form(block, machine, design->operand_bit, design->form, context);
	mapper_set_ahead(context, &ahead);
	return true;
}

static void take_run(struct attribute_work *work, const struct detail_run *run, struct task *task)
{
	const struct verdict *verdict = &run->verdict;
	char text[WHY_SIZE];
	if (run->ran) {
		task->result.total_clk = run->result.total_clk;
		metric_of_layer(run->context, run->design, &run->result, task->result.metric);
		return;
	}
	task->fate = FATE_CANNOT_RUN;
	if (verdict->demanded > 0)
		(void)snprintf(text, sizeof(text), "%s: %s: %" PRIu64 " byte demanded, %" PRIu64 " available",
		               run->context->block->name, verdict_table[verdict->reason].help, verdict->demanded,
		               verdict->available);
	else
		(void)snprintf(text, sizeof(text), "%s: %s", run->context->block->name,
		               verdict_table[verdict->reason].help);
	task->why = keep_text(work, text);
}

static enum err_code run_batch(struct attribute_work *work, size_t first, size_t end, struct layer_context *context,
                               struct detail_run *run)
{
	const struct detail_options options = {.detail = work->how->detail ? *work->how->detail : work->front->detail,
	                                       .n_thread = work->how->n_thread,
	                                       .can_stop = true};
	struct task *prepared[BATCH];
	size_t n = 0;
	assert(end - first <= BATCH);
	for (size_t i = first; i < end; i++) {
		struct task *task = &work->task[i];
		if (!prepare_task(work, task, &context[n]))
			continue;
		run[n] = (struct detail_run){.context = &context[n], .design = &task->result.design};
		prepared[n++] = task;
	}
	enum err_code code = detail_run_all(run, n, &options, work->err);
	for (size_t i = 0; i < n && code == ERR_OK; i++)
		take_run(work, &run[i], prepared[i]);
	return code;
}

static enum err_code run_tasks(struct attribute_work *work)
{
	struct layer_context *context = memory_array(BATCH, sizeof(*context));
	struct detail_run *run = memory_array(BATCH, sizeof(*run));
	enum err_code code = ERR_OK;
	for (size_t at = 0; at < work->tasks.n && code == ERR_OK; at += BATCH)
		code = run_batch(work, at, at + BATCH < work->tasks.n ? at + BATCH : work->tasks.n, context, run);
	free(context);
	free(run);
	return code;
}

/* ---- points ---- */

/* A result can be read from storage QPEs only where the network, which may be another one, leaves it there. */
static const char *misplaced(const struct attribute_work *work, const struct unrolled *point)
{
	const struct layer_map *map = &work->map;
	for (size_t i = 0; i < map->n_network; i++) {
		unsigned state = 0;
		for (size_t b = map->begin[i]; b < map->begin[i + 1]; b++) {
			const struct layer_design *design = &point->layer[b]->design;
			if (design->in_storage && !layer_in_storage(map->block[b], state & 3U))
				return map->block[b]->name;
			state = layer_next_state(map->block[b], state & 3U, design->out_storage);
		}
	}
	return NULL;
}

static void judge_limits(struct attribute_work *work, struct attributed *point)
{
	char text[WHY_SIZE];
	for (size_t i = 0; i < work->in->n_limit && !work->how->is_anywhere; i++) {
		const struct space_limit *limit = &work->in->limit[i];
		if (point->metric[limit->metric] <= space_limit_most(limit))
			continue;
		(void)snprintf(text, sizeof(text), "%s is %.6g, allowed is %.6g", metric_table[limit->metric].name,
		               point->metric[limit->metric], limit->max);
		point->fate = FATE_OVER_LIMIT;
		point->why = keep_text(work, text);
		return;
	}
}

static void sum_point(struct attribute_work *work, size_t i, struct unrolled *unrolled, struct attributed *point)
{
	const struct variant *variant = &work->variant[work->variant_of[i]];
	char text[WHY_SIZE];
	*point = (struct attributed){.fate = variant->fate, .why = variant->why};
	if (variant->fate == FATE_RUNS && work->missing) {
		(void)snprintf(text, sizeof(text), "it has no design for layer %s", work->missing);
		*point = (struct attributed){.fate = FATE_OUTSIDE, .why = keep_text(work, text)};
	}
	for (size_t b = 0; b < work->map.n_block && point->fate == FATE_RUNS; b++) {
		const struct task *task = &work->task[work->task_of[i * work->map.n_block + b]];
		unrolled->layer[b] = &task->result;
		point->fate = task->fate;
		point->why = task->why;
	}
	if (point->fate != FATE_RUNS)
		return;
	const char *layer = misplaced(work, unrolled);
	if (layer) {
		(void)snprintf(text, sizeof(text), "%s: its ifmap cannot lie in storage QPEs", layer);
		*point = (struct attributed){.fate = FATE_CANNOT_RUN, .why = keep_text(work, text)};
		return;
	}
	unrolled->machine = &variant->machine;
	unroll_sum(work->in, &work->map, unrolled);
	memcpy(point->metric, unrolled->metric, sizeof(point->metric));
	judge_limits(work, point);
}

static void sum_points(struct attribute_work *work, struct attributed *point)
{
	struct unrolled unrolled;
	memory_check(unrolled_init(&work->map, &unrolled, NULL) == ERR_OK);
	for (size_t i = 0; i < work->front->n_point; i++)
		sum_point(work, i, &unrolled, &point[i]);
	unrolled_free(&unrolled);
}

static enum err_code evaluate(struct attribute_work *work, struct attributed *point)
{
	size_t n_block = work->map.n_block;
	const struct kept_front *front = work->front;
	work->layer = memory_array(n_block, sizeof(*work->layer));
	work->bit = memory_array(front->n_design, sizeof(*work->bit));
	work->variant_of = memory_array(front->n_point, sizeof(*work->variant_of));
	work->task_of = memory_array(front->n_point * n_block, sizeof(*work->task_of));
	match_layers(work);
	if (!read_bits(work))
		return ERR_INPUT;
	find_variants(work);
	find_tasks(work);
	enum err_code code = run_tasks(work);
	if (code == ERR_OK)
		sum_points(work, point);
	return code;
}

enum err_code attribute_evaluate(const struct kept_front *front, const struct space *own, const struct space *in,
                                 const struct attribute_how *how, struct attributed *point, struct arena *arena,
                                 struct err *err)
{
	assert(front && own && in && how && point && arena && err);
	struct attribute_work work = {.front = front,
	                              .own = own,
	                              .in = in,
	                              .how = how,
	                              .variants = {.n_word = 1 + front->n_axis},
	                              .tasks = {.n_word = 4},
	                              .arena = arena,
	                              .err = err};
	enum err_code code = layer_map_build(in, &work.map, err);
	if (code == ERR_OK)
		code = evaluate(&work, point);
	key_table_free(&work.variants);
	key_table_free(&work.tasks);
	free(work.layer);
	free(work.bit);
	free(work.variant);
	free(work.task);
	free(work.variant_of);
	free(work.task_of);
	layer_map_free(&work.map);
	return code;
}
