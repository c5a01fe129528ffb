/* SPDX-License-Identifier: Apache-2.0 */
/* dse explain: what a space asks for, or what a machine is, in words; for who has not written it. */
#include "dse/cmd/choice.h"
#include "dse/cmd/command_table.h"
#include "dse/layer/design_text.h"
#include "dse/search/estimate.h"
#include "dse/design/explain_layers.h"
#include "dse/price/price.h"
#include "dse/search/explore.h"
#include "dse/space/machine_explain.h"
#include "dse/space/machine_read.h"
#include "dse/space/left_out.h"
#include "dse/base/parallel.h"
#include "dse/keep/output_file.h"
#include "dse/out/paths.h"
#include "dse/out/table.h"
#include "dse/out/words.h"
#include "mapper/network/file_kind.h"
#include "sim/program/mixed.h"
#include <assert.h>
#include <inttypes.h>

#define MAX_VALUE 12 /* of an axis that are told; of more, the first ones and the last */

static void explain_machine(struct words *words, const struct machine *machine, const char *path)
{
	char array[DESIGN_ARRAY_SIZE];
	struct words_text level = {0};
	design_print_array(machine, array);
	for (uint32_t i = 0; i < machine->n_level; i++)
		words_add(&level, "%s%s", words_between(i, machine->n_level, " and "), machine->level[i].name);
	if (machine->target == MACHINE_SYSTOLIC)
		words_line(words, "machine %s (%s): %s, %" PRIu64 " byte of buffers, %.6g GB/s; operating points: %s",
		           machine->name, path, array, machine_sram_byte(machine), machine->systolic.memory_gb_s,
		           level.text);
	else
		words_line(words,
		           "machine %s (%s): %" PRIu32 " PEs with %s, %" PRIu64 " MAC units and %" PRIu64
		           " byte SRAM in all; DRAM interfaces: %" PRIu32 "; operating points: %s",
		           machine->name, path, machine_n_pe(machine), array, machine_n_mac(machine),
		           machine_sram_byte(machine), machine->dram_n, level.text);
}

static void explain_axis(struct words *words, const struct space_axis *axis)
{
	struct words_text value = {0};
	for (size_t i = 0; i < axis->n; i++) {
		if (axis->n <= MAX_VALUE || i + 2 < MAX_VALUE || i + 1 == axis->n)
			words_add(&value, "%s%s", words_between(i, axis->n, " or "), axis->value[i]);
		else if (i + 2 == MAX_VALUE)
			words_add(&value, ", ...");
	}
	/* the unit of a name is what names there are */
	bool has_unit = axis->param->unit[0] && axis->param->type != PARAM_ENUM;
	words_line(words, "%s is %s%s%s (%s)", axis->param->key, value.text, has_unit ? " " : "",
	           has_unit ? axis->param->unit : "", axis->param->help);
}

static void explain_machines(struct words *words, const struct space *space, const struct estimate *estimate)
{
	words_section(words, "Machines");
	for (size_t i = 0; i < space->n_machine; i++)
		explain_machine(words, &space->machine[i], space->machine_path[i]);
	for (size_t i = 0; i < space->n_axis; i++)
		explain_axis(words, &space->axis[i]);
	if (estimate->n_machine > 1)
		words_line(words, "every combination of these is looked at: %" PRIu64 " candidates",
		           estimate->n_machine);
	for (size_t i = 0; i < space->n_constraint; i++)
		words_line(words, "only machines with %s", expr_text(space->constraint[i]));
	if (estimate->n_refused > 0)
		words_line(words, "refused are %" PRIu64 " of the %" PRIu64 " that were looked at now, e.g. %s",
		           estimate->n_refused, estimate->n_sampled, estimate->why);
}

static void explain_networks(struct words *words, const struct space *space)
{
	char count[TABLE_COUNT_SIZE];
	words_section(words, "Networks");
	for (size_t i = 0; i < space->n_network; i++) {
		const struct network *network = &space->network[i].network;
		uint64_t n_mac = 0;
		for (size_t k = 0; k < network->n_block; k++)
			n_mac += block_n_mac(&network->block[k]);
		table_print_count(n_mac, count);
		words_line(words, "%s (%s): %zu layers, %s multiply-accumulates", network->name, space->network[i].path,
		           network->n_block, count);
		if (space->aggregate == AGGREGATE_WEIGHTED)
			words_line(words, "  weight %g", space->network[i].weight);
	}
	if (space->n_network > 1)
		words_line(words, "%s",
		           space->aggregate == AGGREGATE_SUM     ? "one inference of each: metrics are added up"
		           : space->aggregate == AGGREGATE_WORST ? "the worst network counts, metric by metric"
		                                                 : "metrics are added up with the weights");
}

/* What layers may choose from, and what comes of running them one after the other. */
static void explain_choices(struct words *words, const struct space *space, const struct estimate *estimate)
{
	char machine[EXPLORE_TEXT_SIZE];
	words_section(words, "Layers, and what each may choose from");
	if (estimate->has_candidate) {
		const struct layer_set *set = estimate->candidate.set;
		explain_layers(words, space, set);
		explore_machine_text(space, set->machine_index, &set->machine, machine, sizeof(machine));
		words_line(words, "that is on machine %s; all networks together have 10^%.1f designs there", machine,
		           estimate->log10_design);
	} else {
		words_line(words, "all machines that were looked at are refused, so there is nothing to choose");
	}
	struct left_out left;
	char text[LEFT_OUT_TEXT_SIZE];
	left_out_find(space, &left);
	left_out_print(&left, text);
	if (left.n > 0)
		words_line(words, "machines and layers could do more, and the space leaves it out: %s", text);
	words_line(words, "%s", left_out_ends(space));
	if (space->level_changes)
		words_line(words, "changes of operating point between layers cost what the machine says");
	if (space->level_shares > 0)
		words_line(words,
		           "a layer may run a part of its rounds at one operating point and the rest at another, in "
		           "steps of 1/%" PRIu32,
		           space->level_shares);
	for (size_t i = 0; i < space->n_machine; i++)
		if (mixed_has_pairs(&space->machine[i]))
			words_line(words,
			           "each layer on %s may run at two operating points at once, so many tasks of so many %s "
			           "at each (dvfs.domain)",
			           space->machine[i].name, space->machine[i].dvfs_domain == DVFS_QPE ? "QPEs" : "PEs");
	if (space->deadline_ms > 0.0)
		words_line(words, "energy counts until the deadline, %g ms after the inference began",
		           space->deadline_ms);
}

static void explain_goals(struct words *words, const struct space *space)
{
	words_section(words, "What is better");
	for (size_t i = 0; i < space->n_objective; i++)
		words_line(words, "the less %s the better: %s", metric_table[space->objective[i]].name,
		           metric_table[space->objective[i]].help);
	for (size_t i = 0; i < space->n_limit; i++)
		words_line(words, "only results with %s <= %g (%s)", metric_table[space->limit[i].metric].name,
		           space->limit[i].max, metric_table[space->limit[i].metric].help);
	if (space->least_tops_mm2 > 0)
		words_line(words, "only results with tops_mm2 >= %g (10^12 operations a second and mm2 of area)",
		           space->least_tops_mm2);
	else if (space->n_limit == 0)
		words_line(words, "no limit on results");
	words_line(words, space->n_objective > 1
	                      ? "the answer is a Pareto front: every design that no other one beats in one objective "
	                        "without being worse in another"
	                      : "the answer is the design that has least of it");
}

static void explain_engine(struct words *words, const struct space *space)
{
	const struct engine_kind *engine = engine_find(space->engine);
	assert(engine);
	words_section(words, "How it is searched");
	words_line(words, "engine %s: %s", engine->name, engine->help);
	if (engine->is_random) {
		words_line(words, "seed %" PRIu64 "; the same seed finds the same front", space->seed);
		if (space->population > 0)
			words_line(words, "populations of %" PRIu32, space->population);
		if (space->generations > 0)
			words_line(words, "at most %" PRIu32 " generations", space->generations);
		if (space->islands > 1)
			words_line(words, "%" PRIu32 " islands that send each other their best", space->islands);
	}
	if (space->max_evaluation > 0)
		words_line(words, "after about %" PRIu64 " evaluations it stops", space->max_evaluation);
	if (space->max_front > 0)
		words_line(words,
		           "fronts of networks of over %zu points are thinned, and the certificate says by how much",
		           space->max_front);
	else
		words_line(words, "fronts of networks that would take too much memory or time are thinned, and the "
		                  "certificate says by how much");
	if (engine->is_layered && !engine->is_random && price_is_usual(space))
		words_line(
		    words,
		    "what may be on the front is then priced in the event tier, which may take a minute or two of "
		    "a core (--detail fast: not)");
	if (space->arada.is_given)
		words_line(words, "its section 'arada' is for dse arada alone");
}

/* Rounded: these are expectations. */
static void explain_cost(struct words *words, const struct space *space, const struct estimate *estimate)
{
	bool is_random = engine_find(space->engine)->is_random;
	words_section(words, "What to expect");
	if (!estimate->has_candidate) {
		words_line(words, "no design, unless a machine that was not looked at is not refused");
		return;
	}
	char n[64], seconds[64], count[TABLE_COUNT_SIZE];
	estimate_print(estimate->least_evaluation, estimate->most_evaluation, n);
	estimate_print(estimate->is_least ? estimate->seconds : estimate->least_seconds,
	               estimate->is_least ? estimate->seconds : estimate->most_seconds, seconds);
	table_print_about(estimate->n_legal, count);
	words_line(words, "%s legal designs of distinct layers on all machines; %s about %s of them", count,
	           is_random ? "an exhaustive search would evaluate" : "evaluated are", n);
	words_line(words, "%sabout %s s%s on %u threads and %.0f MB of memory", is_random ? "it would take " : "",
	           seconds, estimate->is_least ? " or more" : "", estimate->n_thread, estimate->memory_mb);
}

static enum err_code explain(const struct cli_options *options, const struct space *space, struct err *err)
{
	struct layer_map map = {0};
	struct estimate estimate = {0};
	struct output_file file = {0};
	struct words words;
	enum err_code code = layer_map_build(space, &map, err);
	if (code == ERR_OK)
		code = estimate_space(space, &map, parallel_n_thread((size_t)options->jobs), &estimate, err);
	if (code == ERR_OK)
		code = output_file_open(&file, options->out, err);
	if (code == ERR_OK) {
		words_start(&words, file.file, options->json);
		words_section(&words, "Space");
		words_line(&words, "%s (%s)", space->name, options->file[0]);
		explain_machines(&words, space, &estimate);
		explain_networks(&words, space);
		explain_choices(&words, space, &estimate);
		explain_goals(&words, space);
		explain_engine(&words, space);
		explain_cost(&words, space, &estimate);
		words_finish(&words);
		code = output_file_commit(&file, err);
	}
	if (estimate.has_candidate)
		candidate_free(&estimate.candidate);
	layer_map_free(&map);
	return code;
}

/* Whether a name is that of a machine, and its file; of a space and a machine of one name it is the space. */
static bool is_machine(const char *name, struct arena *arena, const char **path)
{
	struct err ignored = {0};
	struct doc_node *root = NULL;
	bool is_one = path_find_any(name, arena, path, &ignored) == ERR_OK;
	if (is_one && file_kind_of_path(*path) == N_FILE_KIND)
		is_one =
		    doc_read_file(*path, arena, &root, &ignored) == ERR_OK && file_kind_of_keys(root) == FILE_MACHINE;
	else if (is_one)
		is_one = file_kind_of_path(*path) == FILE_MACHINE;
	err_clear(&ignored);
	return is_one;
}

static enum err_code explain_machine_file(const struct cli_options *options, const char *path, struct arena *arena,
                                          struct err *err)
{
	struct machine machine;
	struct machine_sources sources;
	struct output_file file = {0};
	struct words words;
	enum err_code code = machine_read_sources(path, &machine, &sources, arena, err);
	if (code == ERR_OK)
		code = choice_set_machine(options, &machine, &sources, err);
	if (code == ERR_OK)
		code = output_file_open(&file, options->out, err);
	if (code != ERR_OK)
		return code;
	words_start(&words, file.file, options->json);
	machine_explain(&words, &machine, &sources, path);
	words_finish(&words);
	return output_file_commit(&file, err);
}

enum err_code cmd_explain(const struct cli_options *options, struct err *err)
{
	struct space space;
	struct machine_set set;
	struct arena arena = {0};
	const char *machine;
	assert(options->n_file == 1);
	bool of_machine = is_machine(options->file[0], &arena, &machine);
	enum err_code machine_code = of_machine ? explain_machine_file(options, machine, &arena, err) : ERR_OK;
	arena_free(&arena);
	if (of_machine)
		return machine_code;
	enum err_code code = choice_set(options, &set, err);
	if (code == ERR_OK)
		code = space_read_given(options->file[0], &(struct space_given){.set = &set}, &space, err);
	if (code != ERR_OK)
		return code;
	code = explain(options, &space, err);
	space_free(&space);
	return code;
}
