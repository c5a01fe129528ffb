/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/design/replay.h"
#include "dse/space/machine_read.h"
#include "dse/space/machine_set.h"
#include "dse/design/design_read.h"
#include "dse/design/front_read.h"
#include "dse/out/paths.h"
#include "dse/design/replay_read.h"
#include "dse/design/unroll.h"
#include "sim/program/mixed.h"
#include "sim/machine/machine_check.h"
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What the functions below share. */
struct replay_reader {
	struct replay *replay;
	const char *path; /* of the front */
	const struct doc_node *root, *point;
	struct simulate_how how;
	bool as_recorded;
	struct err *err;
};

/* "FRONT.json:ID" into path and number. */
static enum err_code split_spec(const char *spec, struct replay *replay, const char **path, struct err *err)
{
	const char *colon = strrchr(spec, ':');
	char *end = NULL;
	/* The last colon: paths may have some of their own. */
	errno = 0;
	unsigned long long id = colon && colon[1] >= '0' && colon[1] <= '9' ? strtoull(colon + 1, &end, 10) : 0;
	if (!end || *end || errno)
		return err_add(err, ERR_USAGE,
		               "dse simulate: --point is '%.200s', allowed is FRONT.json:ID, e.g. front.json:3", spec);
	char *copy = arena_text(&replay->arena, spec);
	if (!copy)
		return err_add(err, ERR_INTERNAL, "out of memory");
	copy[colon - spec] = '\0';
	*path = copy;
	replay->id = id;
	return ERR_OK;
}

/* A file the front names: as it stood then, or by its own name where files of its kind are kept. */
static const char *find_file(struct replay_reader *reader, const struct doc_node *entry, const char *kind)
{
	const char *file = front_need_text(entry, "file", reader->err),
		   *hash = front_need_text(entry, "hash", reader->err), *found = NULL;
	struct stat status;
	char hex[HASH_HEX_SIZE];
	if (!file || !hash)
		return NULL;
	const char *slash = strrchr(file, '/');
	/* The front may have been copied from elsewhere; the hash tells whether a file of that name is the same file.
	 */
	bool is_there = stat(file, &status) == 0;
	if (path_find(is_there || !slash ? file : slash + 1, kind, &reader->replay->arena, &found, reader->err) !=
	        ERR_OK ||
	    hash_file(found, hex, reader->err) != ERR_OK)
		return NULL;
	if (strcmp(hex, hash) != 0)
		(void)err_add(&reader->replay->warning, ERR_INPUT, "%s: not the file this front was made from", found);
	return found;
}

/* The entry of a list of maps whose key has this text. */
static const struct doc_node *find_entry(struct replay_reader *reader, const char *list, const char *key,
                                         const char *text)
{
	const struct doc_node *node = front_need(reader->root, list, reader->err);
	for (size_t i = 0; node && node->kind == DOC_LIST && i < node->n; i++) {
		const struct doc_node *own = doc_find(node->value[i], key);
		if (own && own->kind == DOC_SCALAR && strcmp(own->text, text) == 0)
			return node->value[i];
	}
	if (node)
		(void)doc_refuse(reader->err, node, "%s: no entry with %s '%s'", list, key, text);
	return NULL;
}

void replay_set_axes(const struct doc_node *axes, struct machine *machine, struct err *err)
{
	assert(axes && machine && err);
	unsigned n_before = err->n_message;
	if (axes->kind != DOC_MAP)
		(void)doc_refuse(err, axes,
		                 "axes: allowed is a map from machine parameters to values, e.g. {mla.array: 16x4}");
	for (size_t i = 0; axes->kind == DOC_MAP && i < axes->n; i++) {
		const struct machine_param *param = machine_find_param(axes->key[i]->text);
		struct err part = {0};
		const char *text;
		if (machine_set_is_level(axes->key[i]->text)) {
			if (doc_get_text(axes->value[i], axes->key[i]->text, &text, err))
				(void)machine_set_level(machine, axes->key[i]->text, text, &part);
		} else if (!param)
			(void)doc_refuse(err, axes->key[i], "'%s' is not a machine parameter",
			                 doc_quote(axes->key[i]->text).text);
		else if (doc_get_text(axes->value[i], param->key, &text, err))
			(void)machine_set_param(machine, param, text, &part);
		(void)err_move(err, doc_place(axes->value[i]), &part);
	}
	struct err part = {0};
	if (err->n_message == n_before && machine_check(machine, &part) != ERR_OK)
		(void)err_move(err, doc_place(axes), &part);
}

/* What --set gave of operating points, as far as this machine has them: other ones of the space may have the rest. */
static void set_levels(const struct doc_node *levels, struct machine *machine, struct err *err)
{
	for (size_t i = 0; levels->kind == DOC_MAP && i < levels->n; i++) {
		const char *key = levels->key[i]->text, *text;
		struct err part = {0};
		if (machine_set_is_level(key) && machine_set_has_level(machine, key) &&
		    doc_get_text(levels->value[i], key, &text, err))
			(void)machine_set_level(machine, key, text, &part);
		(void)err_move(err, doc_place(levels->value[i]), &part);
	}
	if (levels->kind != DOC_MAP)
		(void)doc_refuse(err, levels, "set_levels: allowed is a map");
}

/* The machine file, then the point's value on each axis of its space. */
static void read_machine(struct replay_reader *reader)
{
	struct replay *replay = reader->replay;
	const char *name = front_need_text(reader->point, "machine", reader->err);
	const struct doc_node *entry = name ? find_entry(reader, "machines", "machine", name) : NULL;
	replay->axes = front_need(reader->point, "axes", reader->err);
	replay->machine_path = entry ? find_file(reader, entry, "machines") : NULL;
	if (!replay->machine_path || !replay->axes ||
	    machine_read(replay->machine_path, &replay->machine, reader->err) != ERR_OK)
		return;
	replay_set_axes(replay->axes, &replay->machine, reader->err);
	replay->set_levels = doc_find(reader->root, "set_levels");
	if (replay->set_levels)
		set_levels(replay->set_levels, &replay->machine, reader->err);
	(void)doc_get_bool(doc_find(reader->root, "level_changes"), "level_changes", &replay->space.level_changes,
	                   reader->err);
	if (reader->err->n_message > 0)
		return;
	(void)doc_get_u64(doc_find(reader->root, "level_shares"), "level_shares", 2, MACHINE_MAX_LEVEL - 1,
	                  &replay->level_shares, reader->err);
	if (reader->err->n_message == 0)
		(void)mixed_offer(&replay->machine, (uint32_t)replay->level_shares, reader->err);
}

/* Exactly the same number; what is not there or not a number differs, too. */
static void compare(struct replay_reader *reader, const struct doc_node *map, const char *what, const char *key,
                    double value)
{
	double recorded = NAN;
	bool is_number = doc_get_real(doc_find(map, key), key, -INFINITY, INFINITY, &recorded, NULL);
	if (is_number && !(recorded < value) && !(recorded > value))
		return;
	/* Shortest digits that read back equal, so two numbers that differ never look alike. */
	char now[NUMBER_SIZE], then[NUMBER_SIZE];
	number_print(value, now);
	number_print(recorded, then);
	(void)err_add(&reader->replay->difference, ERR_INTERNAL, "%s: %s is %s now, recorded %s", what, key, now, then);
}

/* Layer k of a network: the design its number stands for; NULL when it cannot be read. */
static const struct doc_node *read_layer(struct replay_reader *reader, const struct doc_node *number,
                                         const struct block *block, struct simulated *simulated)
{
	uint64_t which;
	assert(block && simulated);
	simulated->block = block;
	simulated->in_scheme = true;
	if (!doc_get_u64(number, "layers", 0, UINT64_MAX, &which, reader->err))
		return NULL;
	const struct doc_node *layer = replay_find_design(reader->root, which);
	if (!layer) {
		(void)doc_refuse(reader->err, number, "no design with number %" PRIu64, which);
		return NULL;
	}
	return design_read(layer, block, &reader->replay->machine, &simulated->design, reader->err) ? layer : NULL;
}

/* How far a layer's clocks are from the other tier's. */
static void add_gap(struct replay *replay, const struct doc_node *layer, const struct simulated *simulated)
{
	double recorded = 0.0;
	(void)doc_get_real(doc_find(layer, "total_clk"), "total_clk", 0.0, 1e300, &recorded, NULL);
	if (!(recorded > 0.0))
		return;
	double frac = fabs((double)simulated->result.total_clk / recorded - 1.0);
	replay->gap.n++;
	replay->gap.sum_frac += frac;
	if (!replay->gap.layer || frac > replay->gap.max_frac) {
		replay->gap.max_frac = frac;
		replay->gap.layer = simulated->block->name;
	}
}

static void compare_layer(struct replay_reader *reader, const struct doc_node *layer, const struct simulated *simulated)
{
	const char *name = simulated->block->name;
	if (!simulated->ran) {
		(void)err_add(&reader->replay->difference, ERR_INTERNAL, "%s cannot run now: %s", name,
		              verdict_table[simulated->verdict.reason].help);
		return;
	}
	if (reader->replay->recorded != reader->replay->detail) {
		add_gap(reader->replay, layer, simulated);
		return;
	}
	compare(reader, layer, name, "total_clk", (double)simulated->result.total_clk);
	for (unsigned k = 0; k < N_METRIC; k++)
		if (metric_table[k].scope == METRIC_OF_LAYER &&
		    !isnan(metric_value(&reader->replay->machine, simulated->metric, (enum metric)k)))
			compare(reader, layer, name, metric_table[k].name, simulated->metric[k]);
}

/* All layers of a network: read, run, compared. layers is a list of n numbers. */
static void run_layers(struct replay_reader *reader, const struct doc_node *layers, const struct network *network,
                       struct simulated *block)
{
	size_t n = network->n_block;
	struct layer_context *context = arena_array(&reader->replay->arena, n, sizeof(*context));
	const struct doc_node **layer = arena_array(&reader->replay->arena, n, sizeof(*layer));
	if (!context || !layer) {
		(void)err_add(reader->err, ERR_INTERNAL, "out of memory");
		return;
	}
	bool is_read = true;
	for (size_t k = 0; k < n; k++) {
		layer[k] = read_layer(reader, layers->value[k], &network->block[k], &block[k]);
		is_read = is_read && layer[k];
	}
	if (!is_read || simulate_prepare(&reader->replay->machine, network, block, context, reader->err) != ERR_OK ||
	    simulate_blocks(context, block, n, NULL, &reader->how, reader->err) != ERR_OK)
		return;
	for (size_t k = 0; k < n; k++)
		compare_layer(reader, layer[k], &block[k]);
}

/* The network still has the layers the front was made for. */
static bool check_operations(struct replay_reader *reader, const struct doc_node *entry, const struct network *network)
{
	const struct doc_node *operations = front_need(entry, "operations", reader->err);
	bool same = operations && operations->kind == DOC_LIST && operations->n == network->n_block;
	for (size_t i = 0; same && i < network->n_block; i++)
		same = operations->value[i]->kind == DOC_SCALAR &&
		       strcmp(operations->value[i]->text, network->block[i].name) == 0;
	if (operations && !same)
		(void)doc_refuse(reader->err, operations, "network %s has other layers now", network->name);
	return same;
}

/* Network i of the point: its file, its layers, each run again. */
static void run_network(struct replay_reader *reader, const struct doc_node *recorded, size_t i)
{
	struct replay *replay = reader->replay;
	struct space_network *network = &replay->space.network[i];
	const char *name = front_need_text(recorded, "network", reader->err);
	const struct doc_node *layers = front_need(recorded, "layers", reader->err);
	const struct doc_node *entry = name ? find_entry(reader, "networks", "network", name) : NULL;
	const struct doc_node *weight = entry ? front_need(entry, "weight", reader->err) : NULL;
	const char *path = entry ? find_file(reader, entry, "networks") : NULL;
	if (!path || !layers || !weight || !doc_get_real(weight, "weight", 0.0, 1e30, &network->weight, reader->err) ||
	    network_read(path, &network->network, reader->err) != ERR_OK)
		return;
	size_t n = network->network.n_block;
	network->path = path;
	assert(i < SPACE_MAX_NETWORK);
	replay->space.n_network = i + 1; /* from here on replay_free frees it */
	if (!check_operations(reader, entry, &network->network))
		return;
	if (layers->kind != DOC_LIST || layers->n != n) {
		(void)doc_refuse(reader->err, layers, "%zu layers, network %s has %zu", layers->n, name, n);
		return;
	}
	struct simulated *block = arena_array(&replay->arena, n, sizeof(*block));
	network->choice = arena_array(&replay->arena, n, sizeof(*network->choice));
	if (!block || !network->choice) {
		(void)err_add(reader->err, ERR_INTERNAL, "out of memory");
		return;
	}
	replay->network[i] = (struct replay_network){name, n, block};
	run_layers(reader, layers, &network->network, block);
}

/* Sums are compared after the layers: where a layer differs its sums differ, too, and say nothing new. */
static void compare_metrics(struct replay_reader *reader, const struct doc_node *map, const char *what,
                            const double *metric, bool with_machine)
{
	const struct doc_node *metrics = front_need(map, "metrics", reader->err);
	for (unsigned k = 0; metrics && k < N_METRIC; k++)
		/* A metric that the machine does not know is recorded as null. */
		if ((with_machine || metric_table[k].scope != METRIC_OF_MACHINE) &&
		    !isnan(metric_value(&reader->replay->machine, metric, (enum metric)k)))
			compare(reader, metrics, what, metric_table[k].name, metric[k]);
}

/* Sums of layers, in the same order as explore adds them. */
static void compare_sums(struct replay_reader *reader, const struct doc_node *networks)
{
	struct replay *replay = reader->replay;
	struct layer_map map;
	struct unrolled point;
	assert(networks->n == replay->n_network && replay->space.n_network == replay->n_network);
	if (layer_map_build(&replay->space, &map, reader->err) != ERR_OK)
		return;
	struct unrolled_design *design = arena_array(&replay->arena, map.n_block, sizeof(*design));
	if (!design) {
		(void)err_add(reader->err, ERR_INTERNAL, "out of memory");
	} else if (unrolled_init(&map, &point, reader->err) == ERR_OK) {
		point.machine = &replay->machine;
		for (size_t i = 0; i < replay->n_network; i++) {
			for (size_t k = 0; k < replay->network[i].n_block; k++) {
				struct unrolled_design *own = &design[map.begin[i] + k];
				own->design = replay->network[i].block[k].design;
				memcpy(own->metric, replay->network[i].block[k].metric, sizeof(own->metric));
				point.layer[map.begin[i] + k] = own;
			}
		}
		unroll_sum(&replay->space, &map, &point);
		for (size_t i = 0; i < replay->n_network; i++)
			compare_metrics(reader, networks->value[i], replay->network[i].name, point.network[i], false);
		compare_metrics(reader, reader->point, "total", point.metric, true);
		unrolled_free(&point);
	}
	layer_map_free(&map);
}

/* The tier the front was made in, and the one of this replay. Fronts that name none are of the fast tier. */
static bool read_detail(struct replay_reader *reader)
{
	struct replay *replay = reader->replay;
	size_t index = DETAIL_FAST;
	const struct doc_node *node = doc_find(reader->root, "detail");
	if (node && !doc_get_choice(node, "detail", detail_name, N_DETAIL, &index, reader->err))
		return false;
	replay->recorded = (enum detail)index;
	if (reader->as_recorded)
		reader->how.detail.detail = replay->recorded;
	replay->detail = reader->how.detail.detail;
	return true;
}

/* Machine first: without it no layer can be read. */
static void run_point(struct replay_reader *reader)
{
	static const char *const aggregate[] = {"sum", "worst", "weighted"};
	struct replay *replay = reader->replay;
	const struct doc_node *networks = front_need(reader->point, "networks", reader->err);
	size_t index = 0;
	if (!front_need_choice(reader->root, "aggregate", aggregate, 3, &index, reader->err))
		return;
	replay->space.aggregate = (enum space_aggregate)index;
	const struct doc_node *deadline = doc_find(reader->root, "deadline_ms");
	if (deadline && !doc_get_real(deadline, "deadline_ms", 1e-9, 1e12, &replay->space.deadline_ms, reader->err))
		return;
	if (!read_detail(reader))
		return;
	read_machine(reader);
	if (!networks || reader->err->n_message > 0)
		return;
	size_t n = networks->kind == DOC_LIST ? networks->n : 0;
	if (n == 0 || n > SPACE_MAX_NETWORK) {
		(void)doc_refuse(reader->err, networks, "networks: allowed is a list of 1 to %d", SPACE_MAX_NETWORK);
		return;
	}
	replay->network = arena_array(&replay->arena, n, sizeof(*replay->network));
	replay->space.network = arena_array(&replay->arena, n, sizeof(*replay->space.network));
	if (!replay->network || !replay->space.network) {
		(void)err_add(reader->err, ERR_INTERNAL, "out of memory");
		return;
	}
	for (size_t i = 0; i < n; i++)
		run_network(reader, networks->value[i], i);
	replay->n_network = n;
	if (reader->err->n_message == 0 && replay->difference.n_message == 0 && replay->recorded == replay->detail)
		compare_sums(reader, networks);
}

enum err_code replay_run(const char *spec, const struct simulate_how *how, bool as_recorded, struct replay *replay,
                         struct err *err)
{
	assert(spec && how && replay && err);
	*replay = (struct replay){0};
	struct replay_reader reader = {.replay = replay, .how = *how, .as_recorded = as_recorded, .err = err};
	enum err_code code = split_spec(spec, replay, &reader.path, err);
	if (code == ERR_OK)
		code = replay_read_point(reader.path, replay->id, &replay->arena, &reader.root, &reader.point, err);
	if (code != ERR_OK)
		return code;
	run_point(&reader);
	replay->is_equal =
	    err->n_message == 0 && replay->difference.n_message == 0 && replay->recorded == replay->detail;
	return err->code;
}

void replay_free(struct replay *replay)
{
	for (size_t i = 0; i < replay->space.n_network; i++)
		network_free(&replay->space.network[i].network);
	err_clear(&replay->difference);
	err_clear(&replay->warning);
	arena_free(&replay->arena);
	*replay = (struct replay){0};
}
