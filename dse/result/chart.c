/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/result/chart.h"
#include "dse/space/space_machine.h"
#include "dse/base/memory.h"
#include "dse/design/uncertain.h"
#include "dse/out/front_picture.h"
#include "dse/pareto/indicator.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* A picture being made. */
struct chart {
	const struct front_run *run;
	struct front_picture picture;
	struct arena arena;
	struct unrolled point;
};

static const char *keep(struct chart *chart, const char *text)
{
	return memory_must(arena_text(&chart->arena, text));
}

/* "latency / ms" */
static const char *name_metric(struct chart *chart, enum metric metric)
{
	const struct metric_info *info = &metric_table[metric];
	char text[96];
	bool has_unit = info->unit[0] && strcmp(info->unit, "frac") != 0;
	(void)snprintf(text, sizeof(text), "%s%s%s", info->label, has_unit ? " / " : "", has_unit ? info->unit : "");
	return keep(chart, text);
}

static void set_axis(struct chart *chart, unsigned objective, struct picture_axis *axis)
{
	const struct pareto *front = &chart->run->explore->front;
	const struct space *space = chart->run->space;
	double *value = memory_must(arena_array(&chart->arena, front->n, sizeof(*value)));
	for (size_t i = 0; i < front->n; i++)
		value[i] = front->objective[i * front->n_objective + objective];
	*axis = (struct picture_axis){
	    .name = name_metric(chart, space->objective[objective]), .limit = INFINITY, .value = value};
	for (size_t i = 0; i < space->n_limit; i++)
		if (space->limit[i].metric == space->objective[objective])
			axis->limit = fmin(axis->limit, space->limit[i].max);
}

/* The machine's number in order of first appearance. */
static uint32_t series_of(uint32_t machine_index, uint32_t *known, size_t *n_known)
{
	size_t i = 0;
	while (i < *n_known && known[i] != machine_index)
		i++;
	if (i == *n_known)
		known[(*n_known)++] = machine_index;
	return (uint32_t)i;
}

/* Series are the front's machines, by name and axes. */
static void set_series(struct chart *chart)
{
	const struct pareto *front = &chart->run->explore->front;
	const struct unroller *unroller = chart->run->unroller;
	const struct space *space = chart->run->space;
	uint32_t *known = memory_must(arena_array(&chart->arena, unroller->n_machine, sizeof(*known)));
	uint32_t *series = memory_must(arena_array(&chart->arena, front->n, sizeof(*series)));
	size_t n = 0, n_key = 1 + space->n_axis;
	for (size_t i = 0; i < front->n; i++)
		series[i] = series_of(front->genome[i * front->n_gene], known, &n);
	const char **key = memory_must(arena_array(&chart->arena, n_key, sizeof(*key)));
	const char **value = memory_must(arena_array(&chart->arena, n * n_key, sizeof(*value)));
	key[0] = "machine";
	for (size_t k = 0; k < space->n_axis; k++)
		key[k + 1] = space->axis[k].param->key;
	for (size_t i = 0; i < n; i++) {
		const struct machine *machine = unroller_machine(unroller, known[i]);
		char text[64];
		value[i * n_key] = machine->name;
		for (size_t k = 0; k < space->n_axis; k++) {
			(void)machine_print_param(machine, space->axis[k].param, text, sizeof(text));
			value[i * n_key + k + 1] = keep(chart, text);
		}
	}
	chart->picture.series = series;
	front_picture_name(&chart->picture, &chart->arena, n, n_key, key, value);
}

static void set_title(struct chart *chart)
{
	const struct space *space = chart->run->space;
	const char **network = memory_must(arena_array(&chart->arena, space->n_network, sizeof(*network)));
	const char **machine = memory_must(arena_array(&chart->arena, space->n_machine, sizeof(*machine)));
	for (size_t i = 0; i < space->n_network; i++)
		network[i] = space->network[i].network.name;
	for (size_t i = 0; i < space->n_machine; i++)
		machine[i] = space->machine[i].name;
	chart->picture.title = front_picture_title(&chart->arena, space->name, space->n_network, network,
	                                           space->n_machine, machine, detail_name[space->detail]);
}

static void set_knee(struct chart *chart, unsigned second)
{
	const struct front_run *run = chart->run;
	const struct metric_info *x = &metric_table[run->space->objective[0]],
				 *y = &metric_table[run->space->objective[second]];
	char text[128];
	const struct pareto *front = &run->explore->front;
	size_t knee = front->n > 1 ? indicator_knee(front->objective, front->n, front->n_objective) : SIZE_MAX;
	chart->picture.knee = knee;
	if (knee == SIZE_MAX)
		return;
	(void)snprintf(text, sizeof(text), "knee: %.4g %s, %.4g %s", chart->picture.x.value[knee], x->unit,
	               chart->picture.y.value[knee], y->unit);
	chart->picture.knee_text = keep(chart, text);
}

static double uncertain(void *context, size_t i)
{
	struct chart *chart = context;
	unroll_point(chart->run->unroller, i, &chart->point);
	return uncertain_pct(uncertainty_frac(&chart->point.uncertain)) / 100; /* as files have it */
}

enum err_code chart_write(FILE *file, const struct front_run *run, struct err *err)
{
	const struct pareto *front = &run->explore->front;
	struct chart chart = {.run = run};
	assert(file && run && front->n > 0);
	unsigned second = front->n_objective > 1 ? 1 : 0;
	enum err_code code = unrolled_init(&run->explore->map, &chart.point, err);
	if (code != ERR_OK)
		return code;
	chart.picture.n = front->n;
	chart.picture.context = &chart;
	chart.picture.uncertain = run->space->objective[0] == METRIC_LATENCY ? uncertain : NULL;
	set_axis(&chart, 0, &chart.picture.x);
	set_axis(&chart, second, &chart.picture.y);
	set_title(&chart);
	set_series(&chart);
	set_knee(&chart, second);
	if (run->verdict) {
		chart.picture.n_caption = run->verdict->n_sentence;
		chart.picture.caption = run->verdict->sentence;
	}
	front_picture_draw(file, &chart.picture);
	unrolled_free(&chart.point);
	arena_free(&chart.arena);
	return ERR_OK;
}
