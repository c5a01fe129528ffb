/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/certify/certify_walk_parts.h"
#include "dse/base/memory.h"
#include "dse/space/space_goals.h"
#include "dse/space/space_machine.h"
#include "sim/base/model_version.h"
#include "sim/program/mixed.h"
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WORD_SIZE 128
#define LINE_SIZE 8192

/* ---- which spaces ---- */

/* Whether any layer has a choice that is listed by other rules than all, even, whole or given splits. */
static const char *odd_choice(const struct space *space)
{
	for (size_t i = 0; i < space->n_network; i++)
		for (size_t k = 0; k < space->network[i].network.n_block; k++) {
			const struct layer_choice *choice = &space->network[i].choice[k];
			if (choice->thesis_split)
				return "has splits of the thesis' rules; list them, or choose all or even";
			for (int d = 0; d < N_SPLIT_DIM; d++)
				if (choice->dim[d].n_fixed == 0 && choice->dim[d].choice == SPLIT_REDUCED)
					return "has reduced lists of splits; choose all or even";
		}
	return NULL;
}

/* A replay of SCALE-Sim says nothing of a range of tilings. */
static bool has_replay(const struct space *space)
{
	for (size_t i = 0; i < space->n_machine; i++)
		if (space->machine[i].systolic.memory != SYSTOLIC_PHYSICAL)
			return true;
	for (size_t i = 0; i < space->n_axis; i++)
		if (strcmp(space->axis[i].param->key, "systolic.memory_model") == 0)
			return true;
	return false;
}

enum err_code certify_allows(const struct space *space, struct err *err)
{
	const char *why = odd_choice(space);
	if (has_replay(space))
		why = "has systolic arrays with SCALE-Sim's memory, of which there are no bounds; choose memory_model "
		      "physical";
	else if (space->level_changes)
		why = "counts changes of operating points between layers; leave out level_changes";
	else if (space_fetches_ahead(space))
		why = "fetches weights ahead; leave out fetch_ahead";
	else if (space->detail != DETAIL_FAST)
		why = "is searched in another tier; with --detail fast";
	for (size_t i = 0; i < space->n_machine && !why; i++)
		if (mixed_has_pairs(&space->machine[i]))
			why = "has levels by PE (dvfs.domain), whose plans the checker does not know; with dvfs.domain "
			      "chip";
	if (!why)
		return ERR_OK;
	return err_add(err, ERR_USAGE, "no certificate of space %s: it %s, or search without --certificate",
	               space->name, why);
}

/* ---- head ---- */

static bool read_files(struct certify_reader *reader, const struct space *space)
{
	for (size_t i = 0; i < space->n_file; i++) {
		char hash[HASH_HEX_SIZE];
		if (!certify_next_line(reader) || !certify_keyword(reader, "file") ||
		    !certify_word(reader, hash, sizeof(hash)))
			return false;
		if (strcmp(hash, space->file[i].hash) != 0)
			return certify_refuse(reader, ERR_INPUT, "the certificate is of another %s than %s is now",
			                      certify_rest(reader), space->file[i].path);
	}
	return true;
}

/* Whether a metric follows from these of layers. Limits on the largest of all layers are looked at layer by layer. */
static bool is_known(const bool *has, enum metric metric, bool is_limit)
{
	const struct metric_info *info = &metric_table[metric];
	if (info->scope == METRIC_OF_LAYER)
		return has[metric] || (is_limit && info->op == COMPOSE_MAX);
	return info->scope == METRIC_OF_MACHINE || (has[METRIC_LATENCY] && has[METRIC_ENERGY]);
}

/* Metrics that are composed: of each layer, one or more; with those that the objectives are made of. */
static bool read_metrics(struct certify_walk *walk)
{
	struct certify_reader *reader = walk->reader;
	bool has[N_METRIC] = {false};
	if (!certify_next_line(reader) || !certify_keyword(reader, "metrics"))
		return false;
	while (*certify_rest(reader) != '\0') {
		char word[WORD_SIZE];
		if (!certify_word(reader, word, sizeof(word)))
			return false;
		enum metric metric = metric_find(word);
		if (metric == N_METRIC || metric_table[metric].scope != METRIC_OF_LAYER || has[metric])
			return certify_refuse(reader, ERR_INPUT, "found '%s', expected metrics of layers, each once",
			                      word);
		has[metric] = true;
		walk->metric[walk->n_metric++] = metric;
	}
	const struct space *space = &walk->space;
	if (space->deadline_ms > 0 && !has[METRIC_LATENCY])
		return certify_refuse(reader, ERR_GATE, "the deadline needs latency_ms among these metrics");
	for (size_t i = 0; i < space->n_objective + space->n_limit; i++) {
		bool is_limit = i >= space->n_objective;
		enum metric metric = is_limit ? space->limit[i - space->n_objective].metric : space->objective[i];
		if (!is_known(has, metric, is_limit))
			return certify_refuse(reader, ERR_GATE, "the %s %s does not follow from these metrics",
			                      is_limit ? "limit on" : "objective", metric_table[metric].name);
	}
	return walk->n_metric > 0 || certify_refuse(reader, ERR_INPUT, "no metric");
}

/* The title, and the space that the certificate is of, read anew. */
static bool read_head(struct certify_walk *walk, const char *space_path)
{
	struct certify_reader *reader = walk->reader;
	uint64_t version;
	if (!certify_next_line(reader) || !certify_keyword(reader, CERTIFY_TITLE) ||
	    !certify_number(reader, UINT32_MAX, &version) || !certify_end(reader))
		return false;
	if (version != CERTIFY_VERSION)
		return certify_refuse(reader, ERR_INPUT, "found version %llu, this program knows version %d",
		                      (unsigned long long)version, CERTIFY_VERSION);
	if (!certify_next_line(reader) || !certify_keyword(reader, "model") ||
	    !certify_word(reader, walk->report->model, sizeof(walk->report->model)) || !certify_end(reader))
		return false;
	if (!certify_next_line(reader) || !certify_keyword(reader, "space"))
		return false;
	struct err part = {0};
	enum err_code code = space_read(space_path ? space_path : certify_rest(reader), &walk->space, &part);
	if (code == ERR_OK)
		code = certify_allows(&walk->space, &part);
	if (code != ERR_OK) {
		reader->code = code == ERR_USAGE ? ERR_INPUT : code;
		(void)err_move(reader->err, (struct err_place){reader->path, reader->line, 1}, &part);
		return false;
	}
	walk->has_space = true;
	return read_files(reader, &walk->space) && read_metrics(walk);
}

/* ---- layers ---- */

/* `p DESIGN VALUES`, a design; or `f VALUES`, a bound alone. */
static bool read_point(struct certify_walk *walk, const struct certify_layer *layer, double *value)
{
	struct certify_reader *reader = walk->reader;
	struct certify_design design;
	double own[N_METRIC];
	if (!certify_next_line(reader) || !certify_keyword(reader, walk->is_searched ? "p" : "f") ||
	    (walk->is_searched && !certify_read_design(reader, layer, &design)))
		return false;
	for (unsigned i = 0; i < walk->n_metric; i++)
		if (!certify_real(reader, &value[i]))
			return false;
	if (!certify_end(reader) || !walk->is_searched)
		return reader->code == ERR_OK;
	if (!certify_price(layer, &design, own))
		return certify_refuse(reader, ERR_GATE, "the design does not run");
	for (unsigned i = 0; i < walk->n_metric; i++)
		if (!certify_is_equal(own[walk->metric[i]], value[i]))
			return certify_refuse(reader, ERR_GATE, "%s of the design is %.17g",
			                      metric_table[walk->metric[i]].name, own[walk->metric[i]]);
	return true;
}

static bool read_points(struct certify_walk *walk, const struct certify_layer *layer, uint64_t n,
                        struct certify_points *points)
{
	size_t n_alloc = 0;
	for (; points->n < n; points->n++) {
		if (points->n == n_alloc) {
			n_alloc = n_alloc > 0 ? 2 * n_alloc : 64;
			points->value = memory_resize(points->value, n_alloc * walk->n_metric, sizeof(double));
		}
		if (!read_point(walk, layer, points->value + points->n * walk->n_metric))
			return false;
	}
	return true;
}

/* `layer NETWORK BLOCK PLACE POINTS`, the points, the boxes. */
static bool read_layer(struct certify_walk *walk)
{
	struct certify_reader *reader = walk->reader;
	const struct space *space = &walk->space;
	uint64_t network, block, place, n;
	if (!certify_number(reader, space->n_network - 1, &network) ||
	    !certify_number(reader, space->network[network].network.n_block - 1, &block) ||
	    !certify_number(reader, CERTIFY_N_PLACE - 1, &place) || !certify_number(reader, UINT32_MAX, &n) ||
	    !certify_end(reader))
		return false;
	struct certify_layer *layer = &walk->layer;
	if (!certify_layer_build(space, network, block, &walk->machine, &walk->splits, layer))
		return certify_refuse(reader, ERR_INPUT, "the layer has too many splits to be listed");
	layer->place = (unsigned)place;
	if (walk->n_section == walk->n_section_alloc) {
		walk->n_section_alloc = walk->n_section_alloc > 0 ? 2 * walk->n_section_alloc : 64;
		walk->section = memory_resize(walk->section, walk->n_section_alloc, sizeof(*walk->section));
	}
	struct certify_section *section = &walk->section[walk->n_section++];
	*section = (struct certify_section){network, block, (unsigned)place, {0}};
	bool good = read_points(walk, layer, n, &section->points) &&
	            certify_boxes(reader, layer, walk->n_metric, walk->metric, &section->points, walk->report);
	if (!good)
		return false;
	walk->report->n_layer++;
	walk->report->n_point += section->points.n;
	const struct certify_sums sums = {.n_metric = walk->n_metric};
	certify_points_clean(&sums, &section->points);
	return true;
}

/* ---- machines ---- */

static void free_sections(struct certify_walk *walk)
{
	for (size_t i = 0; i < walk->n_section; i++)
		free(walk->section[i].points.value);
	walk->n_section = 0;
}

/* Neither a rule nor a limit on machines refuses it. */
static bool get_machine(const struct space *space, uint64_t index, struct machine *machine)
{
	char why[256];
	double metric[N_METRIC] = {0};
	if (!space_machine(space, index, machine, why, sizeof(why)))
		return false;
	metric_of_machine(machine, metric);
	for (int i = 0; i < N_METRIC; i++)
		if (metric_table[i].scope == METRIC_OF_MACHINE && metric[i] > space_metric_limit(space, (enum metric)i))
			return false;
	return true;
}

/* `machine INDEX designs` or `machine INDEX bounds`; its layers follow. */
static bool begin_machine(struct certify_walk *walk)
{
	struct certify_reader *reader = walk->reader;
	char kind[WORD_SIZE];
	uint64_t index;
	if (!certify_number(reader, walk->report->n_machine - 1, &index) || !certify_word(reader, kind, sizeof(kind)) ||
	    !certify_end(reader))
		return false;
	walk->is_searched = strcmp(kind, "designs") == 0;
	if (!walk->is_searched && strcmp(kind, "bounds") != 0)
		return certify_refuse(reader, ERR_INPUT, "found '%s', expected designs or bounds", kind);
	if (walk->is_seen[index])
		return certify_refuse(reader, ERR_GATE, "machine %llu again", (unsigned long long)index);
	if (!get_machine(&walk->space, index, &walk->machine))
		return certify_refuse(reader, ERR_GATE, "the space's rules or limits refuse machine %llu",
		                      (unsigned long long)index);
	walk->is_seen[index] = true;
	walk->machine_index = (uint32_t)index;
	walk->report->n_searched += walk->is_searched;
	walk->report->n_behind += !walk->is_searched;
	return true;
}

/* Each machine that the space allows was there. */
static bool check_machines(struct certify_walk *walk)
{
	for (uint64_t i = 0; i < walk->report->n_machine; i++) {
		struct machine machine;
		if (walk->is_seen[i])
			continue;
		if (get_machine(&walk->space, i, &machine))
			return certify_refuse(walk->reader, ERR_GATE, "nothing is said of machine %" PRIu64, i);
		walk->report->n_refused++;
	}
	return true;
}

static bool read_body(struct certify_walk *walk)
{
	struct certify_reader *reader = walk->reader;
	bool is_begun = false;
	for (;;) {
		char word[WORD_SIZE];
		if (!certify_next_line(reader) || !certify_word(reader, word, sizeof(word)))
			return false;
		if (is_begun && strcmp(word, "layer") == 0) {
			if (!read_layer(walk))
				return false;
			continue;
		}
		if (is_begun && !certify_compose(walk))
			return false;
		free_sections(walk);
		if (strcmp(word, "front") == 0)
			return check_machines(walk) && certify_front(walk);
		if (strcmp(word, "machine") != 0)
			return certify_refuse(reader, ERR_INPUT, "found '%s', expected machine, layer or front", word);
		if (!begin_machine(walk))
			return false;
		is_begun = true;
	}
}

enum err_code certify_check(const char *path, const char *space_path, struct certify_report *report, struct err *err)
{
	struct certify_reader reader = {.path = path, .err = err, .watch = stop_watch_for(NULL)};
	*report = (struct certify_report){0};
	reader.file = fopen(path, "r");
	if (!reader.file)
		return err_add(err, ERR_IO, "%s: cannot open: %s", path, strerror(errno));
	struct certify_walk *walk = memory_array(1, sizeof(*walk));
	reader.text = memory_array(LINE_SIZE, 1);
	*walk = (struct certify_walk){.reader = &reader, .report = report};
	bool good = read_head(walk, space_path);
	if (good) {
		report->n_machine = space_n_machine(&walk->space);
		(void)snprintf(report->space, sizeof(report->space), "%s", walk->space.name);
		walk->is_seen = memory_array(report->n_machine, sizeof(*walk->is_seen));
		good = read_body(walk);
	}
	assert(good == (reader.code == ERR_OK));
	if (reader.code == ERR_GATE && strcmp(report->model, model_version) != 0)
		(void)err_add(err, ERR_GATE, "%s: another model made it: %s, and this program has %s", path,
		              report->model, model_version);
	report->n_sum = walk->n_sum;
	free_sections(walk);
	free(walk->section);
	free(walk->floor);
	free(walk->front);
	free(walk->is_seen);
	certify_free_splits(walk->splits);
	if (walk->has_space)
		space_free(&walk->space);
	free(walk);
	free(reader.text);
	(void)fclose(reader.file);
	return reader.code;
}
