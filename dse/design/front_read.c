/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/design/front_read.h"
#include "dse/base/memory.h"
#include "dse/design/design_read.h"
#include "sim/base/file.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the functions below share. */
struct front_reader {
	struct kept_front *front;
	const struct doc_node *root; /* without designs and points where the file is read by lines */
	struct err *err;
};

static void *make(struct front_reader *reader, size_t n, size_t n_byte)
{
	return memory_must(arena_array(&reader->front->arena, n + 1, n_byte));
}

static const char *copy(struct front_reader *reader, const char *text)
{
	return text ? memory_must(arena_text(&reader->front->arena, text)) : NULL;
}

static const char *need_text(struct front_reader *reader, const struct doc_node *map, const char *key)
{
	return copy(reader, front_need_text(map, key, reader->err));
}

/* The list under a key; NULL and a message when there is none. */
static const struct doc_node *need_list(struct front_reader *reader, const struct doc_node *map, const char *key)
{
	const struct doc_node *node = front_need(map, key, reader->err);
	if (node && node->kind != DOC_LIST) {
		(void)doc_refuse(reader->err, node, "%s: allowed is a list", key);
		return NULL;
	}
	return node;
}

/* ---- what comes before designs and points ---- */

static void read_objectives(struct front_reader *reader)
{
	struct kept_front *front = reader->front;
	const struct doc_node *list = need_list(reader, reader->root, "objectives");
	const char *name[N_METRIC];
	for (unsigned k = 0; k < N_METRIC; k++)
		name[k] = metric_table[k].name;
	if (list && (list->n == 0 || list->n > SPACE_MAX_OBJECTIVE))
		(void)doc_refuse(reader->err, list, "objectives: allowed are 1 to %d", SPACE_MAX_OBJECTIVE);
	for (size_t i = 0; list && i < list->n && i < SPACE_MAX_OBJECTIVE; i++) {
		size_t index;
		if (doc_get_choice(list->value[i], "objectives", name, N_METRIC, &index, reader->err))
			front->objective[front->n_objective++] = (enum metric)index;
	}
}

static void read_machines(struct front_reader *reader)
{
	struct kept_front *front = reader->front;
	const struct doc_node *list = need_list(reader, reader->root, "machines");
	struct kept_machine *machine = list ? make(reader, list->n, sizeof(*machine)) : NULL;
	for (size_t i = 0; machine && i < list->n; i++)
		machine[i] = (struct kept_machine){.name = need_text(reader, list->value[i], "machine"),
		                                   .file = need_text(reader, list->value[i], "file"),
		                                   .hash = need_text(reader, list->value[i], "hash")};
	front->machine = machine;
	front->n_machine = machine ? list->n : 0;
}

/* Names of all networks' layers, one network after the other. */
static void read_operations(struct front_reader *reader, const struct doc_node *networks, struct kept_network *network)
{
	struct kept_front *front = reader->front;
	for (size_t i = 0; i < networks->n; i++) {
		const struct doc_node *list = need_list(reader, networks->value[i], "operations");
		network[i].begin = front->n_layer;
		network[i].n_layer = list ? list->n : 0;
		front->n_layer += network[i].n_layer;
	}
	const char **operation = make(reader, front->n_layer, sizeof(*operation));
	for (size_t i = 0; i < networks->n; i++) {
		const struct doc_node *list = doc_find(networks->value[i], "operations");
		for (size_t k = 0; k < network[i].n_layer; k++) {
			const char *text = NULL;
			if (doc_get_text(list->value[k], "operations", &text, reader->err))
				operation[network[i].begin + k] = copy(reader, text);
		}
	}
	front->operation = operation;
}

static void read_networks(struct front_reader *reader)
{
	struct kept_front *front = reader->front;
	const struct doc_node *list = need_list(reader, reader->root, "networks");
	if (list && (list->n == 0 || list->n > SPACE_MAX_NETWORK))
		(void)doc_refuse(reader->err, list, "networks: allowed are 1 to %d", SPACE_MAX_NETWORK);
	struct kept_network *network = list ? make(reader, list->n, sizeof(*network)) : NULL;
	if (!network)
		return;
	for (size_t i = 0; i < list->n; i++) {
		network[i] = (struct kept_network){.name = need_text(reader, list->value[i], "network"),
		                                   .file = need_text(reader, list->value[i], "file"),
		                                   .hash = need_text(reader, list->value[i], "hash")};
		(void)doc_get_real(front_need(list->value[i], "weight", reader->err), "weight", 0.0, 1e30,
		                   &network[i].weight, reader->err);
	}
	read_operations(reader, list, network);
	front->network = network;
	front->n_network = list->n;
}

/* Keys that say nothing where they are left out. */
static void read_rare(struct front_reader *reader)
{
	struct kept_front *front = reader->front;
	const struct doc_node *root = reader->root;
	size_t detail = DETAIL_FAST;
	(void)doc_get_bool(doc_find(root, "level_changes"), "level_changes", &front->level_changes, reader->err);
	(void)doc_get_u64(doc_find(root, "level_shares"), "level_shares", 2, MACHINE_MAX_LEVEL - 1,
	                  &front->level_shares, reader->err);
	(void)doc_get_real(doc_find(root, "deadline_ms"), "deadline_ms", 1e-9, 1e12, &front->deadline_ms, reader->err);
	(void)doc_get_choice(doc_find(root, "detail"), "detail", detail_name, N_DETAIL, &detail, reader->err);
	front->detail = (enum detail)detail;
}

/* The message about another kind of file stands alone: all others would follow from it. */
static bool read_head(struct front_reader *reader, const char *name)
{
	static const char *const aggregate[] = {"sum", "worst", "weighted"};
	struct kept_front *front = reader->front;
	const struct doc_node *format = doc_find(reader->root, "format");
	size_t index = 0;
	if (!format || format->kind != DOC_SCALAR || strcmp(format->text, FRONT_FORMAT) != 0)
		return err_add(reader->err, ERR_INPUT, "%s: not a front.json of dse explore ('format' is not '%s')",
		               name, FRONT_FORMAT) == ERR_OK;
	front->space = need_text(reader, reader->root, "space");
	front->signature = need_text(reader, reader->root, "signature");
	if (front_need_choice(reader->root, "aggregate", aggregate, 3, &index, reader->err))
		front->aggregate = (enum space_aggregate)index;
	read_objectives(reader);
	read_machines(reader);
	read_networks(reader);
	read_rare(reader);
	return reader->err->n_message == 0;
}

/* ---- designs and points ---- */

static const double *read_metrics(struct front_reader *reader, const struct doc_node *map, double *metric)
{
	for (unsigned k = 0; k < N_METRIC; k++) {
		const struct doc_node *node = doc_find(map, metric_table[k].name);
		metric[k] = (double)NAN;
		if (node && !(node->kind == DOC_SCALAR && !node->quoted && strcmp(node->text, "null") == 0))
			(void)doc_get_real(node, metric_table[k].name, -INFINITY, INFINITY, &metric[k], reader->err);
	}
	return metric;
}

/* node lives in the front's arena. */
static void take_design(struct front_reader *reader, const struct doc_node *node)
{
	struct kept_front *front = reader->front;
	struct kept_design *design = &front->design[front->n_design];
	const struct doc_node *number = front_need(node, "design", reader->err),
			      *clk = front_need(node, "total_clk", reader->err);
	double *metric = make(reader, N_METRIC, sizeof(*metric));
	*design = (struct kept_design){.node = node, .operation = front_need_text(node, "operation", reader->err)};
	if (!doc_get_u64(number, "design", 0, UINT64_MAX, &design->number, reader->err) ||
	    !doc_get_u64(clk, "total_clk", 0, UINT64_MAX, &design->total_clk, reader->err))
		return;
	design->metric = read_metrics(reader, node, metric);
	if (front->n_design > 0 && design->number <= design[-1].number)
		(void)doc_refuse(reader->err, number,
		                 "design: found %" PRIu64 " behind %" PRIu64 ", allowed are ascending numbers",
		                 design->number, design[-1].number);
	front->n_design++;
}

static int compare_number(const void *key, const void *item)
{
	uint64_t number = *(const uint64_t *)key, other = ((const struct kept_design *)item)->number;
	return number < other ? -1 : number > other;
}

/* The first point says which parameters are axes; all others have the same. */
static void read_axes(struct front_reader *reader, const struct doc_node *axes, struct kept_point *point)
{
	struct kept_front *front = reader->front;
	if (axes->kind != DOC_MAP) {
		(void)doc_refuse(reader->err, axes, "axes: allowed is a map");
		return;
	}
	if (!front->axis) {
		const char **name = make(reader, axes->n, sizeof(*name));
		for (size_t i = 0; i < axes->n; i++) {
			name[i] = copy(reader, axes->key[i]->text);
			if (!machine_find_param(axes->key[i]->text))
				(void)doc_refuse(reader->err, axes->key[i], "'%s' is not a machine parameter",
				                 doc_quote(axes->key[i]->text).text);
		}
		front->axis = name;
		front->n_axis = axes->n;
	}
	const char **value = make(reader, front->n_axis, sizeof(*value));
	bool same = axes->n == front->n_axis;
	for (size_t i = 0; i < axes->n && same; i++) {
		const char *text = NULL;
		same = strcmp(axes->key[i]->text, front->axis[i]) == 0;
		if (doc_get_text(axes->value[i], "axes", &text, reader->err))
			value[i] = copy(reader, text);
	}
	if (!same)
		(void)doc_refuse(reader->err, axes, "axes: not those of the first point");
	point->value = value;
}

static void read_layers(struct front_reader *reader, const struct doc_node *list, const struct kept_network *network,
                        uint32_t *design)
{
	const struct kept_front *front = reader->front;
	if (list->n != network->n_layer) {
		(void)doc_refuse(reader->err, list, "layers: found %zu, network %s has %zu", list->n, network->name,
		                 network->n_layer);
		return;
	}
	for (size_t k = 0; k < list->n; k++) {
		uint64_t number;
		if (!doc_get_u64(list->value[k], "layers", 0, UINT64_MAX, &number, reader->err))
			continue;
		const struct kept_design *found =
		    bsearch(&number, front->design, front->n_design, sizeof(*found), compare_number);
		if (found)
			design[network->begin + k] = (uint32_t)(found - front->design);
		else
			(void)doc_refuse(reader->err, list->value[k], "no design with number %" PRIu64, number);
	}
}

static void read_point_networks(struct front_reader *reader, const struct doc_node *list, struct kept_point *point)
{
	const struct kept_front *front = reader->front;
	double *metric = make(reader, front->n_network * N_METRIC, sizeof(*metric));
	uint32_t *design = make(reader, front->n_layer, sizeof(*design));
	if (list->n != front->n_network) {
		(void)doc_refuse(reader->err, list, "networks: found %zu, the front has %zu", list->n,
		                 front->n_network);
		return;
	}
	for (size_t i = 0; i < list->n; i++) {
		const struct doc_node *map = list->value[i], *metrics = front_need(map, "metrics", reader->err),
				      *layers = need_list(reader, map, "layers");
		const char *name = front_need_text(map, "network", reader->err);
		if (!metrics || !layers || !name)
			continue;
		if (strcmp(name, front->network[i].name) != 0)
			(void)doc_refuse(reader->err, map, "network: found '%s', allowed '%s'", doc_quote(name).text,
			                 front->network[i].name);
		(void)read_metrics(reader, metrics, metric + i * N_METRIC);
		read_layers(reader, layers, &front->network[i], design);
	}
	point->of_network = metric;
	point->design = design;
}

/* A number, or NaN where there is none: of a front's only point the margin is null. */
static double read_number(const struct doc_node *map, const char *key)
{
	double value = (double)NAN;
	(void)doc_get_real(doc_find(map, key), key, -1e300, 1e300, &value, NULL);
	return value;
}

/* Of a key that older fronts do not have. */
static double read_known(const struct doc_node *map, const char *key)
{
	return doc_find(map, key) ? read_number(map, key) : (double)NAN;
}

static void read_verified(struct front_reader *reader, const struct doc_node *node, struct kept_point *point)
{
	const struct kept_front *front = reader->front;
	const struct doc_node *map = doc_find(node, "verified");
	const char *verdict = map ? front_need_text(map, "front", reader->err) : NULL;
	if (!verdict)
		return;
	struct kept_verified *verified = make(reader, 1, sizeof(*verified));
	for (size_t k = 0; k < front->n_objective; k++)
		verified->objective[k] = read_number(map, metric_table[front->objective[k]].name);
	verified->error_pct = read_number(map, "error_pct");
	verified->margin_pct = read_number(map, "margin_pct");
	verified->front = copy(reader, verdict);
	point->verified = verified;
}

/* What the energy rests on. */
static void read_trust(const struct doc_node *node, struct kept_point *point)
{
	const struct doc_node *part = doc_find(node, "energy_by_confidence_pct"),
			      *interval = doc_find(node, "energy_interval_mj");
	bool is_known = interval && interval->kind == DOC_LIST && interval->n == 2;
	point->energy_least_mj = point->energy_most_mj = (double)NAN;
	if (is_known) {
		(void)doc_get_real(interval->value[0], "energy_interval_mj", 0, 1e300, &point->energy_least_mj, NULL);
		(void)doc_get_real(interval->value[1], "energy_interval_mj", 0, 1e300, &point->energy_most_mj, NULL);
	}
	for (int i = 0; i < N_CONFIDENCE; i++)
		point->energy_pct[i] = part ? read_known(part, confidence_name[i]) : (double)NAN;
}

static void take_point(struct front_reader *reader, const struct doc_node *node)
{
	struct kept_front *front = reader->front;
	struct kept_point *point = &front->point[front->n_point];
	const struct doc_node *id = front_need(node, "id", reader->err), *axes = front_need(node, "axes", reader->err),
			      *metrics = front_need(node, "metrics", reader->err),
			      *networks = need_list(reader, node, "networks");
	const char *name = front_need_text(node, "machine", reader->err);
	double *metric = make(reader, N_METRIC, sizeof(*metric));
	if (!axes || !metrics || !networks || !name || !doc_get_u64(id, "id", 0, UINT64_MAX, &point->id, reader->err))
		return;
	while (point->machine < front->n_machine && strcmp(front->machine[point->machine].name, name) != 0)
		point->machine++;
	if (point->machine == front->n_machine)
		(void)doc_refuse(reader->err, node, "machine: '%s' is none of the front's", doc_quote(name).text);
	point->metric = read_metrics(reader, metrics, metric);
	point->uncertainty_pct = read_known(node, "uncertainty_pct");
	point->reference_uncertainty_pct = read_known(node, "reference_uncertainty_pct");
	read_trust(node, point);
	point->like_it = read_known(node, "like_it");
	if (!isnan(point->like_it)) {
		const char *place = front_need_text(node, "place", reader->err);
		point->place = copy(reader, place ? place : "");
	}
	read_axes(reader, axes, point);
	read_point_networks(reader, networks, point);
	read_verified(reader, node, point);
	for (size_t k = 0; k < front->n_objective; k++)
		if (isnan(metric[front->objective[k]]))
			(void)doc_refuse(reader->err, metrics, "metrics: no number for %s",
			                 metric_table[front->objective[k]].name);
	front->n_point++;
}

static void make_room(struct front_reader *reader, size_t n_design, size_t n_point)
{
	reader->front->design = make(reader, n_design, sizeof(*reader->front->design));
	reader->front->point = make(reader, n_point, sizeof(*reader->front->point));
	if (n_design > UINT32_MAX)
		(void)err_add(reader->err, ERR_INTERNAL, "a front of over 2^32 designs");
}

/* ---- the file ---- */

/* The text as a whole. */
static enum err_code read_whole(const char *name, const char *text, size_t n_byte, struct front_reader *reader)
{
	struct kept_front *front = reader->front;
	struct doc_node *root = NULL;
	enum err_code code = doc_read_text(name, text, n_byte, &front->arena, &root, reader->err);
	reader->root = root;
	if (code != ERR_OK || !read_head(reader, name))
		return reader->err->code;
	const struct doc_node *designs = need_list(reader, root, "designs"),
			      *points = need_list(reader, root, "points");
	if (!designs || !points)
		return reader->err->code;
	make_room(reader, designs->n, points->n);
	for (size_t i = 0; i < designs->n && reader->err->code != ERR_INTERNAL; i++)
		take_design(reader, designs->value[i]);
	for (size_t i = 0; i < points->n && reader->err->n_message == 0; i++)
		take_point(reader, points->value[i]);
	return reader->err->code;
}

static bool begins(const char *line, size_t n, const char *prefix)
{
	size_t n_prefix = strlen(prefix);
	return n >= n_prefix && memcmp(line, prefix, n_prefix) == 0;
}

/* The line that begins at *at, without its end; *at goes on to the next one. */
static const char *next_line(const char *text, size_t n_byte, size_t *at, size_t *n)
{
	const char *line = text + *at, *end = memchr(line, '\n', n_byte - *at);
	*n = end ? (size_t)(end - line) : n_byte - *at;
	*at += *n + (end != NULL);
	return line;
}

/* All lines that hold neither a design nor a point, and how many do. */
static char *take_head(const char *text, size_t n_byte, size_t *n_head, size_t *n_design, size_t *n_point)
{
	char *head = memory_must(malloc(n_byte + 1));
	size_t n;
	*n_head = *n_design = *n_point = 0;
	for (size_t at = 0; at < n_byte;) {
		const char *line = next_line(text, n_byte, &at, &n);
		if (begins(line, n, FRONT_DESIGN_LINE)) {
			++*n_design;
		} else if (begins(line, n, FRONT_POINT_LINE)) {
			++*n_point;
		} else {
			memcpy(head + *n_head, line, n);
			*n_head += n;
			head[(*n_head)++] = '\n';
		}
	}
	return head;
}

/* One design or point; its own document, so that points need not stay. */
static bool take_line(struct front_reader *reader, const char *name, const char *line, size_t n)
{
	struct arena own = {0};
	struct doc_node *node = NULL;
	bool is_design = begins(line, n, FRONT_DESIGN_LINE);
	while (n > 0 && (line[n - 1] == ',' || line[n - 1] == '\r'))
		n--;
	if (doc_read_text(name, line + 2, n - 2, is_design ? &reader->front->arena : &own, &node, reader->err) ==
	    ERR_OK) {
		if (is_design)
			take_design(reader, node);
		else
			take_point(reader, node);
	}
	arena_free(&own);
	return reader->err->n_message == 0;
}

/* As explore lays it out: false when it is not laid out so, or something is wrong, which read_whole tells with its
 * place. */
static bool read_lines(const char *name, const char *text, size_t n_byte, struct front_reader *reader)
{
	size_t n_head, n_design, n_point, n;
	struct doc_node *root = NULL;
	char *head = take_head(text, n_byte, &n_head, &n_design, &n_point);
	bool good =
	    n_point > 0 && doc_read_text(name, head, n_head, &reader->front->arena, &root, reader->err) == ERR_OK;
	free(head);
	reader->root = root;
	good = good && read_head(reader, name);
	if (good)
		make_room(reader, n_design, n_point);
	good = good && reader->err->n_message == 0;
	for (size_t at = 0; good && at < n_byte;) {
		const char *line = next_line(text, n_byte, &at, &n);
		if (begins(line, n, FRONT_DESIGN_LINE) || begins(line, n, FRONT_POINT_LINE))
			good = take_line(reader, name, line, n);
	}
	return good;
}

enum err_code front_read_text(const char *name, const char *text, size_t n_byte, struct kept_front *front,
                              struct err *err)
{
	struct err ignored = {0}, found = {0};
	assert(name && (text || n_byte == 0) && front && err);
	*front = (struct kept_front){0};
	struct front_reader reader = {.front = front, .err = &ignored};
	bool done = read_lines(name, text, n_byte, &reader);
	err_clear(&ignored);
	if (done)
		return ERR_OK;
	kept_front_free(front);
	reader.err = &found;
	enum err_code code = read_whole(name, text, n_byte, &reader);
	(void)err_move(err, (struct err_place){0}, &found);
	if (code != ERR_OK)
		kept_front_free(front);
	return code;
}

enum err_code front_read_file(const char *path, struct kept_front *front, struct err *err)
{
	char *text = NULL;
	size_t n_byte = 0;
	assert(path && front);
	*front = (struct kept_front){0};
	enum err_code code = file_read(path, SIZE_MAX / 2, &text, &n_byte, err);
	if (code == ERR_OK)
		code = front_read_text(path, text, n_byte, front, err);
	free(text);
	return code;
}

enum err_code front_read_run(struct database *store, const struct run_record *run, struct kept_front *front,
                             struct err *err)
{
	char *text = NULL, name[64];
	size_t n_byte = 0;
	assert(store && run && front);
	*front = (struct kept_front){0};
	const struct run_file *file = run_record_file(run, "front.json");
	if (!file)
		return ERR_OK;
	(void)snprintf(name, sizeof(name), "front.json of run %" PRIu64, run->id);
	enum err_code code = run_store_content(store, file->hash, &text, &n_byte, err);
	if (code == ERR_OK)
		code = front_read_text(name, text, n_byte, front, err);
	free(text);
	return code;
}

void kept_front_free(struct kept_front *front)
{
	assert(front);
	arena_free(&front->arena);
	*front = (struct kept_front){0};
}

double *kept_front_objectives(const struct kept_front *front)
{
	double *value = memory_array(front->n_point * front->n_objective, sizeof(*value));
	for (size_t i = 0; i < front->n_point; i++)
		for (size_t k = 0; k < front->n_objective; k++)
			value[i * front->n_objective + k] = front->point[i].metric[front->objective[k]];
	return value;
}
