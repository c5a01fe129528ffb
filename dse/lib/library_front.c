/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spaces and their fronts. A front keeps what its search found, so that a point is unrolled when it is asked for: fronts
 * of ten thousand points over seventy layers share some thousand designs.
 */
#include "dse/base/parallel.h"
#include "dse/design/unroll.h"
#include "dse/engine/engine.h"
#include "dse/layer/design_field.h"
#include "dse/layer/design_text.h"
#include "dse/lib/library_parts.h"
#include "dse/price/price.h"
#include "dse/space/space_goals.h"
#include "dse/space/space_machine.h"
#include "dse/verdict/verdict.h"
#include "dse/why/why.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define VALUE_SIZE 64
#define CHOICE_TEXT_SIZE 512

struct library_front {
	char *path, *text; /* text NULL: it was read from a file */
	enum detail read_in;
	struct space space;
	bool has_front;
	struct explore explore;
	struct price price;
	struct unroller unroller;

	/* What is shown of it: of point `at`; SIZE_MAX: of none yet. */
	size_t at;
	struct unrolled unrolled;
	struct dse_point point;
	const char *value[MACHINE_SET_MAX + 64];
	char *value_text; /* [n_axis][VALUE_SIZE] */
	double metric[N_METRIC];
	struct dse_metric metric_shown;
	struct dse_choice choice;
	const char **key, **field; /* [design_n_field] of choice */
	char (*field_text)[FIELD_TEXT_SIZE];
	char text_shown[CHOICE_TEXT_SIZE];
	char *verdict, *why; /* NULL: nobody asked */
};

/* ---- reading ---- */

static void forget_front(struct library_front *front)
{
	unrolled_free(&front->unrolled);
	unroller_free(&front->unroller);
	price_free(&front->price);
	explore_free(&front->explore);
	free(front->value_text);
	front->value_text = NULL;
	free(front->verdict);
	front->verdict = NULL;
	front->unrolled = (struct unrolled){0};
	front->unroller = (struct unroller){0};
	front->price = (struct price){0};
	front->has_front = false;
	front->at = SIZE_MAX;
}

void library_front_free(struct library_front *front)
{
	if (!front)
		return;
	forget_front(front);
	space_free(&front->space);
	free(front->path);
	free(front->text);
	free(front->key);
	free(front->field);
	free(front->field_text);
	free(front->why);
	free(front);
}

static enum err_code read_space(struct library_front *front, enum detail detail, struct err *err)
{
	const struct space_given given = {.detail = detail, .text = front->text};
	space_free(&front->space);
	front->read_in = detail;
	return space_read_given(front->path, &given, &front->space, err);
}

static enum dse_code open_space(struct dse *dse, const char *text, const char *path)
{
	locale_t before = library_begin(dse);
	struct library_front *front = calloc(1, sizeof(*front));
	enum err_code code = ERR_INTERNAL;
	library_front_free(dse->front);
	dse->front = NULL;
	if (front) {
		front->at = SIZE_MAX;
		front->path = strdup(path);
		front->text = text ? strdup(text) : NULL;
		front->key = calloc(design_n_field, sizeof(*front->key));
		front->field = calloc(design_n_field, sizeof(*front->field));
		front->field_text = calloc(design_n_field, sizeof(*front->field_text));
	}
	if (!front || !front->path || (text && !front->text) || !front->key || !front->field || !front->field_text)
		(void)err_add(&dse->err, ERR_INTERNAL, "out of memory");
	else
		code = read_space(front, DETAIL_FAST, &dse->err);
	if (code == ERR_OK)
		dse->front = front;
	else
		library_front_free(front);
	return library_end(dse, code, before);
}

enum dse_code dse_open_space(struct dse *dse, const char *path)
{
	if (!library_can_begin(dse, "dse_open_space", path != NULL, NEED_NOTHING))
		return DSE_USAGE;
	return open_space(dse, NULL, path);
}

enum dse_code dse_open_space_text(struct dse *dse, const char *text, const char *path)
{
	if (!library_can_begin(dse, "dse_open_space_text", text && path, NEED_NOTHING))
		return DSE_USAGE;
	return open_space(dse, text, path);
}

/* ---- searching ---- */

struct exploration {
	struct library_front *front;
	struct explore_options options;
};

/* The front in the event tier; without a front, or where it was cut short, it stays as it is. */
static enum err_code price_designs(struct exploration *job, struct library_work *work, struct err *err)
{
	struct library_front *front = job->front;
	const struct explore *explore = &front->explore;
	const struct stop stop = {.wish = work->watch.wish};
	const struct price_options options = {
	    .n_thread = job->options.n_thread, .max_work = PRICE_USUAL_WORK, .stop = &stop};
	bool is_cut = explore->interrupted || explore->truncated || explore->n_failure > 0;
	if (!job->options.prices || explore->front.n == 0 || is_cut)
		return ERR_OK;
	atomic_store(&work->phase, "pricing in the event tier");
	enum err_code code = price_front(&front->explore, &options, &front->price, err);
	if (code == ERR_OK && front->price.is_priced)
		front->space.detail = DETAIL_EVENT;
	return code;
}

static enum err_code explore(struct library_work *work, struct err *err)
{
	struct exploration *job = work->context;
	struct library_front *front = job->front;
	job->options.watch = work->watch;
	enum err_code code = explore_run(&front->space, &job->options, &front->explore, err);
	if (code == ERR_OK)
		code = price_designs(job, work, err);
	if (code == ERR_OK)
		code = unroller_init(&front->unroller, &front->explore, job->options.n_thread, err);
	return code;
}

/* How it ended. */
static enum err_code judge(const struct library_front *front, struct err *err)
{
	const struct explore *explore = &front->explore;
	const char *name = front->space.name;
	if (explore->interrupted || front->price.is_interrupted)
		return err_add(err, ERR_INTERRUPTED, "%s: interrupted; the front is of what was found by then", name);
	for (size_t i = 0; i < explore->n_failure && i < EXPLORE_MAX_FAILURE; i++)
		(void)err_add(err, ERR_INTERNAL, "%s: %s", explore->failure[i].machine, explore->failure[i].why);
	if (explore->n_failure > 0)
		return ERR_INTERNAL;
	if (front->price.none_fits)
		return err_add(err, ERR_INFEASIBLE,
		               "%s: no design that got a price keeps the limits in the event tier; the front is the "
		               "fast tier's",
		               name);
	if (explore->front.n > 0)
		return ERR_OK;
	const char *machine = explore->miss.machine, *why = explore->miss.text;
	if (explore->miss.stage == STAGE_NONE && explore->counts.n_rejection > 0)
		why = explore->counts.rejection[0].why;
	return err_add(err, ERR_INFEASIBLE, "%s: no feasible design%s%s%s%s%s", name, why[0] ? "; nearest: " : "",
	               why[0] ? machine : "", why[0] && machine[0] ? ": " : "", why,
	               explore->truncated ? " (within max_evaluations)" : "");
}

/* The tier that searches, and whether another one prices. */
static enum err_code choose_detail(struct dse *dse, const char *detail, enum detail *searches, bool *prices)
{
	const struct library_front *front = dse->front;
	const struct engine_kind *engine = engine_find(front->space.engine);
	bool can_price = engine->is_layered && !engine->is_random;
	const char *name[N_DETAIL + 1];
	size_t index = DETAIL_FAST;
	memcpy(name, detail_name, N_DETAIL * sizeof(*name));
	name[N_DETAIL] = "both";
	enum err_code code =
	    detail ? err_choose("dse_explore: detail", detail, name, N_DETAIL + 1, &index, &dse->err) : ERR_OK;
	*prices = detail ? index == N_DETAIL : can_price && price_is_usual(&front->space);
	*searches = index < N_DETAIL ? (enum detail)index : DETAIL_FAST;
	if (code == ERR_OK && *prices && !can_price)
		code = err_add(&dse->err, ERR_USAGE,
		               "dse_explore: detail is 'both', which prices what an exact search leaves, layer by layer; "
		               "engine %s does not, allowed are exact and exhaustive",
		               engine->name);
	return code;
}

enum dse_code dse_explore(struct dse *dse, const char *detail, unsigned n_thread)
{
	if (!library_can_begin(dse, "dse_explore", true, NEED_SPACE))
		return DSE_USAGE;
	locale_t before = library_begin(dse);
	struct library_front *front = dse->front;
	struct exploration job = {.front = front, .options = {.n_thread = parallel_n_thread(n_thread)}};
	enum detail searches;
	enum err_code code = choose_detail(dse, detail, &searches, &job.options.prices);
	if (code != ERR_OK)
		return library_end(dse, code, before);
	forget_front(front);
	if (front->read_in != searches)
		code = read_space(front, searches, &dse->err);
	if (code != ERR_OK) { /* its files were right before */
		library_front_free(front);
		dse->front = NULL;
		return library_end(dse, code, before);
	}
	front->space.detail = searches; /* an earlier front was priced */
	job.options.engine = engine_find(front->space.engine);
	job.options.flat = !job.options.engine->is_layered;
	job.options.seed = front->space.seed;
	job.options.max_evaluation = front->space.max_evaluation;
	struct library_work work = {.run = explore, .context = &job};
	code = library_watch_run(dse, &work);
	front->has_front = code == ERR_OK;
	return library_end(dse, code == ERR_OK ? judge(front, &dse->err) : code, before);
}

/* ---- what comes out ---- */

size_t dse_n_metric(const struct dse *dse)
{
	(void)dse;
	return N_METRIC;
}

const struct dse_metric *dse_metric(struct dse *dse, size_t i)
{
	if (!dse || !dse->front || i >= N_METRIC)
		return NULL;
	const struct metric_info *info = &metric_table[i];
	dse->front->metric_shown = (struct dse_metric){
	    info->name, info->unit, info->help, space_has_objective(&dse->front->space, (enum metric)i)};
	return &dse->front->metric_shown;
}

size_t dse_n_objective(const struct dse *dse)
{
	return dse && dse->front ? dse->front->space.n_objective : 0;
}

size_t dse_objective(const struct dse *dse, size_t i)
{
	return i < dse_n_objective(dse) ? (size_t)dse->front->space.objective[i] : N_METRIC;
}

size_t dse_n_axis(const struct dse *dse)
{
	return dse && dse->front ? dse->front->space.n_axis : 0;
}

const char *dse_axis(const struct dse *dse, size_t i)
{
	return i < dse_n_axis(dse) ? dse->front->space.axis[i].param->key : NULL;
}

const char *dse_front_detail(const struct dse *dse)
{
	return dse && dse->front && dse->front->has_front ? detail_name[dse->front->space.detail] : NULL;
}

size_t dse_n_point(const struct dse *dse)
{
	return dse && dse->front && dse->front->has_front ? dse->front->explore.front.n : 0;
}

/* Unroll point i into the front's room. */
static bool show(struct library_front *front, size_t i)
{
	struct err none = {0};
	const struct space *space = &front->space;
	if (front->at == i)
		return true;
	if (!front->unrolled.layer && unrolled_init(&front->explore.map, &front->unrolled, &none) != ERR_OK) {
		err_clear(&none);
		return false;
	}
	if (!front->value_text)
		front->value_text = calloc(space->n_axis + 1, VALUE_SIZE);
	if (!front->value_text || space->n_axis > sizeof(front->value) / sizeof(front->value[0]))
		return false;
	unroll_point(&front->unroller, i, &front->unrolled);
	const struct machine *machine = front->unrolled.machine;
	for (size_t k = 0; k < space->n_axis; k++) {
		char *text = front->value_text + k * VALUE_SIZE;
		(void)machine_print_param(machine, space->axis[k].param, text, VALUE_SIZE);
		front->value[k] = text;
	}
	for (unsigned k = 0; k < N_METRIC; k++)
		front->metric[k] = metric_value(machine, front->unrolled.metric, (enum metric)k);
	front->point = (struct dse_point){.machine = machine->name,
	                                  .value = front->value,
	                                  .metric = front->metric,
	                                  .n_like = front->price.is_priced ? front->price.n_like[i] : 1,
	                                  .n_layer = front->unrolled.n_layer};
	front->at = i;
	return true;
}

const struct dse_point *dse_point(struct dse *dse, size_t i)
{
	return i < dse_n_point(dse) && show(dse->front, i) ? &dse->front->point : NULL;
}

const struct dse_choice *dse_choice(struct dse *dse, size_t i, size_t k)
{
	if (i >= dse_n_point(dse) || !show(dse->front, i) || k >= dse->front->point.n_layer)
		return NULL;
	struct library_front *front = dse->front;
	locale_t before = uselocale(dse->plain);
	const struct layer_map *map = &front->explore.map;
	const struct unrolled_design *of = front->unrolled.layer[k];
	const struct machine *machine = front->unrolled.machine;
	size_t n = 0;
	for (size_t f = 0; f < design_n_field; f++) {
		const struct design_field *field = &design_field[f];
		if (!design_field_serves(field, map->block[k]) ||
		    (field->is_rare && design_field_get(field, &of->design) == 0))
			continue;
		design_field_print(field, machine, &of->design, front->field_text[n]);
		front->key[n] = field->dimension ? field->dimension : field->key;
		front->field[n] = front->field_text[n];
		n++;
	}
	(void)design_print(&of->design, machine, front->text_shown, sizeof(front->text_shown));
	front->choice = (struct dse_choice){.network = front->space.network[layer_map_network(map, k)].network.name,
	                                    .layer = map->block[k]->name,
	                                    .n_field = n,
	                                    .key = front->key,
	                                    .value = front->field,
	                                    .text = front->text_shown,
	                                    .total_clk = of->total_clk,
	                                    .latency_ms = of->metric[METRIC_LATENCY],
	                                    .energy_mj = of->metric[METRIC_ENERGY],
	                                    .dram_byte = (uint64_t)of->metric[METRIC_DRAM]};
	(void)uselocale(before);
	return &front->choice;
}

static const char *verdict_text(struct dse *dse, bool is_json)
{
	if (!dse_front_detail(dse))
		return "";
	struct library_front *front = dse->front;
	const struct run_verdict_of of = {.space = &front->space,
	                                  .explore = &front->explore,
	                                  .unroller = front->explore.front.n > 0 ? &front->unroller : NULL,
	                                  .price = front->price.is_priced ? &front->price : NULL};
	struct run_verdict verdict;
	struct json json;
	size_t n_byte = 0;
	free(front->verdict);
	front->verdict = NULL;
	FILE *file = open_memstream(&front->verdict, &n_byte);
	if (!file)
		return "";
	locale_t before = uselocale(dse->plain);
	run_verdict_make(&of, &verdict);
	for (size_t i = 0; i < verdict.n_sentence && !is_json; i++)
		(void)fprintf(file, "%s\n", verdict.sentence[i]);
	if (is_json) {
		json_start_object(&json, file, 1);
		run_verdict_put_json(&json, &front->space, &verdict);
		json_finish(&json);
	}
	run_verdict_free(&verdict);
	(void)uselocale(before);
	return fclose(file) == 0 && front->verdict ? front->verdict : "";
}

const char *dse_verdict(struct dse *dse)
{
	return verdict_text(dse, false);
}

const char *dse_verdict_json(struct dse *dse)
{
	return verdict_text(dse, true);
}

struct question {
	struct library_front *front;
	const char *const *word;
	size_t n_word;
	unsigned n_thread;
};

/* Of the space anew: the front may have been priced meanwhile, and why is the fast tier's. */
static enum err_code answer(struct library_work *work, struct err *err)
{
	const struct question *question = work->context;
	struct library_front *front = question->front;
	const struct space_given given = {.detail = DETAIL_FAST, .text = front->text};
	struct space space;
	struct why_choice choice = {.text = ""};
	struct why *why = calloc(1, sizeof(*why));
	size_t n_byte = 0;
	FILE *file;
	enum err_code code = space_read_given(front->path, &given, &space, err);
	if (code == ERR_OK && !why)
		code = err_add(err, ERR_INTERNAL, "out of memory");
	if (code == ERR_OK)
		code = why_parse(&space, question->word, question->n_word, &choice, err);
	if (code == ERR_OK)
		code = why_make(&space, &choice, question->n_thread, &work->watch, why, err);
	if (code == ERR_OK) {
		free(front->why);
		front->why = NULL;
		file = open_memstream(&front->why, &n_byte);
		if (file)
			why_put_json(file, why);
		if (!file || fclose(file) != 0)
			code = err_add(err, ERR_INTERNAL, "out of memory");
	}
	why_choice_free(&choice);
	free(why);
	space_free(&space);
	return code;
}

enum dse_code dse_why(struct dse *dse, const char *const *word, size_t n_word, unsigned n_thread, const char **json)
{
	if (!library_can_begin(dse, "dse_why", word && n_word > 0 && json, NEED_SPACE))
		return DSE_USAGE;
	locale_t before = library_begin(dse);
	struct question question = {dse->front, word, n_word, parallel_n_thread(n_thread)};
	struct library_work work = {.run = answer, .context = &question};
	enum err_code code = library_watch_run(dse, &work);
	if (code == ERR_OK)
		*json = dse->front->why;
	return library_end(dse, code, before);
}

/* The point's machine and one network anew from their files, with the point's values and designs. */
static enum err_code take_point(struct dse *dse, size_t network, struct mapping *mapping)
{
	struct library_front *front = dse->front;
	const struct space *space = &front->space;
	const struct unrolled *unrolled = &front->unrolled;
	size_t file = space_machine_file(space, unrolled->machine_index);
	enum err_code code =
	    mapping_open(space->machine_path[file], space->network[network].path, mapping, &dse->err);
	for (size_t k = 0; code == ERR_OK && k < space->n_axis; k++)
		if (machine_param_serves(space->axis[k].param, mapping->machine.target))
			code = mapping_set_axis(mapping, space->axis[k].param, front->value[k], &dse->err);
	if (code != ERR_OK)
		return code;
	/* operating points that the search has made are the machine's now, too */
	mapping->level_shares = space->level_shares;
	mapping->machine = *unrolled->machine;
	const size_t begin = front->explore.map.begin[network];
	assert(mapping->network.n_block == space->network[network].network.n_block);
	for (size_t i = 0; i < mapping->network.n_block; i++)
		mapping->design[i] = unrolled->layer[begin + i]->design;
	return ERR_OK;
}

enum dse_code dse_open_point(struct dse *dse, size_t i, size_t network)
{
	if (!library_can_begin(dse, "dse_open_point", true, NEED_SPACE))
		return DSE_USAGE;
	locale_t before = library_begin(dse);
	struct mapping mapping = {0};
	enum err_code code = ERR_OK;
	if (i >= dse_n_point(dse))
		code = err_add(&dse->err, ERR_USAGE, "dse_open_point: point is %zu, the front has %zu", i,
		               dse_n_point(dse));
	else if (network >= dse->front->space.n_network)
		code = err_add(&dse->err, ERR_USAGE, "dse_open_point: network is %zu, the space has %zu", network,
		               dse->front->space.n_network);
	else if (!show(dse->front, i))
		code = err_add(&dse->err, ERR_INTERNAL, "out of memory");
	else
		code = take_point(dse, network, &mapping);
	return library_end(dse, library_take_mapping(dse, code, &mapping, true), before);
}
