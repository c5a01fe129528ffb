/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/design/simulate.h"
#include "dse/design/uncertain.h"
#include "dse/layer/design_field.h"
#include "dse/layer/design_text.h"
#include "dse/out/energy_json.h"
#include "dse/layer/layers.h"
#include "dse/design/simulate_parts.h"
#include "dse/design/plan_print.h"
#include "dse/out/legend.h"
#include "dse/out/renamed.h"
#include "dse/out/table.h"
#include "mapper/split/splitter.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Memory of one simulation: contexts, sources, and whether a block's result may stay as far as its readers go. */
struct work {
	struct layer_context *context;
	struct layer_input *source;
	bool *keeps;
};

/* From the scheme; operations it does not list get the thesis splitter's, and the user is told so. */
static enum err_code find_split(const struct machine *machine, const struct network *network,
                                const struct split_scheme *scheme, struct simulated *block, struct err *err)
{
	const struct split_scheme_row *row =
	    scheme ? renamed_find_split(scheme, network->name, machine_target_name[machine->target], block->block->name)
		   : NULL;
	block->in_scheme = row != NULL;
	if (row && strcmp(row->operation, block->block->name) != 0)
		renamed_warn(row->operation, block->block->name);
	if (!row && machine->target == MACHINE_SYSTOLIC)
		return ERR_OK; /* find_tiles has */
	if (!row)
		return splitter_thesis(block->block, machine, &block->design.split, err);
	block->design.split = row->split;
	struct err part = {0};
	enum err_code code = split_check(block->block, &row->split, &part);
	if (code != ERR_OK)
		code = err_add(err, code, "split scheme, line %u: %s", row->line, err_text(&part));
	err_clear(&part);
	return code;
}

/* A systolic array's strategy, and its splitter's tiles: of several the fastest. Where nothing fits, its verdict will
 * say so. */
static void find_tiles(const struct layer_context *context, enum strategy wanted, struct layer_design *design)
{
	double least_ns = INFINITY;
	bool is_first = true;
	for (unsigned i = 0; i < N_STRATEGY; i++) {
		struct split split;
		double latency_ns;
		bool is_wanted = strategy_table[wanted].is_systolic
		                     ? i == wanted
		                     : strategy_serves((enum strategy)i, context->machine);
		if (!is_wanted)
			continue;
		(void)splitter_systolic(context, (enum strategy)i, design->level, &split, &latency_ns);
		if (!is_first && !(latency_ns < least_ns))
			continue;
		is_first = false;
		least_ns = latency_ns;
		design->strategy = (enum strategy)i;
		design->split = split;
	}
	assert(!is_first);
}

/* Reuse is for convolutions; other blocks are fused, which keeps results in the PE all the same. */
static enum strategy strategy_for(const struct block *block, enum strategy wanted)
{
	return strategy_table[wanted].reuses && block->kind != BLOCK_CONV ? STRATEGY_FUSION : wanted;
}

static enum conv_form form_for(const struct machine *machine, const struct block *block, enum conv_form wanted)
{
	bool allowed[N_CONV_FORM] = {false};
	allowed[wanted] = machine->target != MACHINE_SYSTOLIC;
	return block_allows_form(block, allowed, wanted) ? wanted : FORM_CONV;
}

/* Of what has run. */
static enum err_code take_run(const struct detail_run *run, struct simulated *block, struct err *err)
{
	block->ran = run->ran;
	block->verdict = run->verdict;
	block->result = run->result;
	block->stat = run->stat;
	block->uncertain = run->uncertain;
	if (block->ran)
		metric_of_layer(run->context, run->design, &block->result, block->metric);
	return simulate_take_array(run->context, block, err);
}

/* One after the other, each announced to the trace. */
static enum err_code trace_blocks(struct detail_run *run, size_t n, const struct simulate_how *how, struct err *err)
{
	struct detail_options options = how->detail;
	enum err_code code = ERR_OK;
	options.trace = trace_json_sink(how->trace);
	for (size_t i = 0; i < n && code == ERR_OK; i++) {
		const struct machine *machine = run[i].context->machine;
		trace_json_begin(how->trace, run[i].context->block->name, machine->level[run[i].design->level].clk_mhz);
		code = detail_run_all(&run[i], 1, &options, err);
		if (code == ERR_OK && run[i].ran && machine->target != MACHINE_SYSTOLIC)
			trace_json_arm(how->trace, &run[i].result);
		trace_json_end(how->trace, run[i].ran ? run[i].result.total_clk : 0);
	}
	return code;
}

/* All blocks together are counted exactly, too: the one with which they no longer are is refused. */
static void refuse_uncounted(struct simulated *block, size_t n)
{
	struct sim_result sum = {0};
	for (size_t i = 0; i < n; i++) {
		const struct sim_result before = sum, *own = &block[i].result;
		if (!block[i].ran)
			continue;
		sum.total_clk += own->total_clk;
		sum.counts.dram_read_byte += own->counts.dram_read_byte;
		sum.counts.dram_write_byte += own->counts.dram_write_byte;
		block[i].ran = mapper_judge_run(&sum, &block[i].verdict);
		if (!block[i].ran)
			sum = before;
	}
}

enum err_code simulate_blocks(const struct layer_context *context, struct simulated *block, size_t n, const bool *shown,
                              const struct simulate_how *how, struct err *err)
{
	size_t n_run = 0;
	assert(context && block && how && !how->detail.trace);
	struct detail_run *run = calloc(n + 1, sizeof(*run));
	if (!run)
		return err_add(err, ERR_INTERNAL, "out of memory");
	for (size_t i = 0; i < n; i++) {
		block[i].ran = false;
		if (block[i].is_unsplit)
			block[i].verdict = (struct verdict){VERDICT_SRAM, 0, 0};
		if (block[i].is_unsplit || (shown && !shown[i]))
			continue;
		run[n_run++] = (struct detail_run){.context = &context[i], .design = &block[i].design};
	}
	enum err_code code =
	    how->trace ? trace_blocks(run, n_run, how, err) : detail_run_all(run, n_run, &how->detail, err);
	for (size_t i = 0, at = 0; i < n && code == ERR_OK; i++)
		if (!block[i].is_unsplit && (!shown || shown[i]))
			code = take_run(&run[at++], &block[i], err);
	if (code == ERR_OK)
		refuse_uncounted(block, n);
	free(run);
	return code;
}

/* Storage QPEs in force, decided from readers to writers; each design is complete then. */
static void place_results(const struct network *network, const struct simulate_options *options, struct work *work,
                          struct simulated *block)
{
	assert(options->strategy < N_STRATEGY);
	layer_input_find(network, work->source);
	bool wanted = strategy_table[options->strategy].reuses;
	for (size_t i = 0; i < network->n_block; i++)
		work->keeps[i] = wanted && !network->block[i].result_to_dram;
	for (size_t i = 0; i < network->n_block; i++)
		if (!mapper_serves_storage(&work->context[i], &block[i].design)) {
			if (work->source[i].ifmap != LAYER_INPUT_NONE)
				work->keeps[work->source[i].ifmap] = false;
			if (work->source[i].added != LAYER_INPUT_NONE)
				work->keeps[work->source[i].added] = false;
		}
	unsigned state = 0;
	for (size_t i = 0; i < network->n_block; i++) {
		struct layer_design *design = &block[i].design;
		design->in_storage = layer_in_storage(&network->block[i], state);
		design->add_storage = layer_added_in_storage(&network->block[i], state);
		design->out_storage = work->keeps[i] && mapper_serves_storage(&work->context[i], design) &&
		                      mapper_result_fits_storage(&work->context[i], &design->split);
		state = layer_next_state(&network->block[i], state, design->out_storage);
	}
}

enum err_code simulate_prepare(const struct machine *machine, const struct network *network,
                               const struct simulated *block, struct layer_context *context, struct err *err)
{
	enum err_code code = ERR_OK;
	assert(machine && network && block && context);
	for (size_t i = 0; i < network->n_block; i++) {
		uint32_t own_bit = block[i].design.operand_bit;
		uint32_t next_bit = i + 1 < network->n_block ? block[i + 1].design.operand_bit : own_bit;
		struct ahead ahead = ahead_around(network, i, own_bit, next_bit);
		mapper_prepare_form(&network->block[i], machine, own_bit, block[i].design.form, &context[i]);
		mapper_set_ahead(&context[i], &ahead);
		enum ahead_portion fetched = i > 0 ? block[i - 1].design.fetch_next : AHEAD_NONE;
		if (block[i].design.weight_ahead != fetched)
			code = err_add(err, ERR_INPUT,
			               "layer %s: of its weights '%s' are to lie in storage QPEs, but the layer before "
			               "fetches '%s' of them",
			               network->block[i].name, ahead_name[block[i].design.weight_ahead],
			               ahead_name[fetched]);
	}
	return code;
}

/* Splits, strategies and places from what the options say. */
static enum err_code make_designs(const struct machine *machine, const struct network *network,
                                  const struct simulate_options *options, struct work *work, struct simulated *block,
                                  struct err *err)
{
	enum err_code code = ERR_OK;
	for (size_t i = 0; i < network->n_block; i++) {
		block[i].design = (struct layer_design){.strategy = strategy_for(block[i].block, options->strategy),
		                                        .reuse = REUSE_AUTO,
		                                        .level = options->level,
		                                        .operand_bit = 8,
		                                        .form = form_for(machine, block[i].block, options->form)};
		mapper_prepare_form(&network->block[i], machine, 8, block[i].design.form, &work->context[i]);
		if (machine->target == MACHINE_SYSTOLIC)
			find_tiles(&work->context[i], options->strategy, &block[i].design);
		struct err part = {0};
		enum err_code found = find_split(machine, network, options->scheme, &block[i], &part);
		block[i].is_unsplit = found == ERR_INFEASIBLE && options->takes_unsplit;
		if (block[i].is_unsplit) {
			block[i].design.split = mapper_split_whole(&network->block[i], machine);
			found = ERR_OK;
		} else {
			(void)err_add_all(err, (struct err_place){0}, &part);
		}
		err_clear(&part);
		code = code == ERR_OK ? found : code;
		/* nor can it cut input channels, where the splitter found nothing else */
		if (block[i].design.strategy == STRATEGY_FUSION_REUSE && !block[i].in_scheme &&
		    dim_n_part(&block[i].design.split.d) > 1)
			block[i].design.strategy = STRATEGY_FUSION;
	}
	if (code == ERR_OK)
		place_results(network, options, work, block);
	return code;
}

static enum err_code take_designs(const struct machine *machine, const struct network *network,
                                  const struct layer_design *design, struct layer_context *context,
                                  struct simulated *block, struct err *err)
{
	for (size_t i = 0; i < network->n_block; i++) {
		block[i].design = design[i];
		block[i].in_scheme = true;
	}
	return simulate_prepare(machine, network, block, context, err);
}

enum err_code simulate_network(const struct machine *machine, const struct network *network,
                               const struct simulate_options *options, struct simulated *block, struct err *err)
{
	assert(machine && network && options && block);
	size_t n = network->n_block;
	struct arena arena = {0};
	struct work work = {arena_array(&arena, n, sizeof(*work.context)), arena_array(&arena, n, sizeof(*work.source)),
	                    arena_array(&arena, n, sizeof(*work.keeps))};
	if (arena.is_out) {
		arena_free(&arena);
		return err_add(err, ERR_INTERNAL, "out of memory");
	}
	for (size_t i = 0; i < n; i++)
		block[i] = (struct simulated){.block = &network->block[i]};
	enum err_code code = options->design ? take_designs(machine, network, options->design, work.context, block, err)
	                                     : make_designs(machine, network, options, &work, block, err);
	if (code == ERR_OK)
		code = simulate_blocks(work.context, block, n, options->shown, &options->how, err);
	arena_free(&arena);
	return code;
}

static bool is_shown(const struct simulated *block, const bool *shown, size_t i)
{
	return (!shown || shown[i]) && block[i].ran;
}

/* Clocks by phase; phases that no block has get no column. */
static void print_clocks(FILE *file, const struct simulated *block, size_t n, const bool *shown)
{
	struct table table = {0};
	bool used[N_PHASE] = {false};
	uint64_t sum[N_PHASE] = {0}, total = 0;
	for (size_t i = 0; i < n; i++) {
		if (!is_shown(block, shown, i))
			continue;
		total += block[i].result.total_clk;
		for (unsigned k = 0; k < N_PHASE; k++) {
			sum[k] += block[i].result.phase_clk[k];
			used[k] = used[k] || block[i].result.phase_clk[k] > 0;
		}
	}
	table_add_column(&table, "clocks", false);
	for (unsigned k = 0; k < N_PHASE; k++)
		if (used[k])
			table_add_column(&table, phase_name[k], true);
	table_add_column(&table, "total_clk", true);
	for (size_t i = 0; i <= n; i++) {
		if (i < n && !is_shown(block, shown, i))
			continue;
		table_add(&table, "%s", i < n ? block[i].block->name : "total");
		for (unsigned k = 0; k < N_PHASE; k++)
			if (used[k])
				table_add(&table, "%" PRIu64, i < n ? block[i].result.phase_clk[k] : sum[k]);
		table_add(&table, "%" PRIu64, i < n ? block[i].result.total_clk : total);
	}
	table_print(&table, file, 0);
	table_free(&table);
}

/* One row: design first, then what it moves and costs, at last what bounds it. */
static void add_figures(struct table *table, const struct machine *machine, const struct simulated *block,
                        bool with_ahead, bool with_node)
{
	const struct sim_result *result = &block->result;
	struct split_text split;
	assert(block->ran && result->bound < N_BOUND);
	design_print_split(&block->design.split, &split);
	table_add(table, "%s", block->block->name);
	if (with_node)
		design_add_node(table, block->block);
	bool has_form = block->design.form != FORM_CONV;
	table_add(table, "%s%s%s", strategy_table[block->design.strategy].name, has_form ? " " : "",
	          has_form ? conv_form_name[block->design.form] : "");
	table_add(table, "%s", machine->level[block->design.level].name);
	table_add(table, "%s", split.w);
	table_add(table, "%s", split.h);
	table_add(table, "%s", split.c);
	table_add(table, "%s", split.d);
	table_add(table, "%s", design_place_name(block->design.in_storage));
	table_add(table, "%s", design_place_name(block->design.out_storage));
	if (with_ahead)
		table_add(table, "%s", design_ahead_name(&block->design));
	table_add(table, "%" PRIu64, (uint64_t)result->counts.dram_read_byte);
	table_add(table, "%" PRIu64, (uint64_t)result->counts.dram_write_byte);
	table_add(table, "%" PRIu64, result->sram_byte);
	table_add(table, "%.1f", 100.0 * result->mac_util_frac);
	table_add_real(table, block->metric[METRIC_LATENCY]);
	uncertain_add_cell(table, &block->uncertain);
	table_add_real(table, block->metric[METRIC_ENERGY]);
	table_add_real(table, block->metric[METRIC_PEAK_POWER]);
	table_add(table, "%s", bound_name[result->bound]);
}

/* Everything but clocks; the columns stand in one place, names and alignment together. */
static void print_figures(FILE *file, const struct machine *machine, const struct simulated *block, size_t n,
                          const bool *shown)
{
	static const struct {
		const char *name;
		bool right;
	} column[] = {{"layer", false},        {"strategy", false},      {"level", false},          {"width", false},
	              {"height", false},       {"out_channels", false},  {"in_channels", false},    {"ifmap", false},
	              {"result", false},       {"dram_read_byte", true}, {"dram_write_byte", true}, {"sram_byte", true},
	              {"mac_util_pct", true},  {"latency_ms", true},     {UNCERTAIN_COLUMN, true},  {"energy_mj", true},
	              {"peak_power_mw", true}, {"bound", false}};
	struct table table = {0};
	bool with_ahead = false, with_node = false;
	for (size_t i = 0; i < n; i++) {
		with_ahead |= is_shown(block, shown, i) && design_ahead_name(&block[i].design)[0] != '\0';
		with_node |= is_shown(block, shown, i) && block[i].block->origin.node;
	}
	for (size_t i = 0; i < sizeof(column) / sizeof(column[0]); i++) {
		if (with_node && i == 1)
			table_add_column(&table, "node", false);
		if (with_ahead && strcmp(column[i].name, "dram_read_byte") == 0)
			table_add_column(&table, "fetched_ahead", false);
		table_add_column(&table, column[i].name, column[i].right);
	}
	for (size_t i = 0; i < n; i++)
		if (is_shown(block, shown, i))
			add_figures(&table, machine, &block[i], with_ahead, with_node);
	table_leave_empty(&table);
	table_print(&table, file, 0);
	legend_print(file, 0, &table);
	bool is_first = true;
	for (size_t i = 0; i < n; i++)
		if (is_shown(block, shown, i) && block[i].ran)
			plan_print(file, machine, block[i].block, &block[i].design, &is_first);
	table_free(&table);
}

static void add_totals(struct simulate_totals *totals, const struct machine *machine, const struct simulated *block)
{
	const struct sim_result *result = &block->result;
	assert(block->ran);
	totals->total_clk += result->total_clk;
	totals->core_clk += result->core_clk;
	/* by time, as clocks differ in length */
	uncertainty_add(&totals->uncertain, block->metric[METRIC_LATENCY], &block->uncertain);
	totals->mac += (double)result->counts.mac;
	/* Utilisation of the sum is not the sum of utilisations: weigh each by what its time had room for. */
	if (result->mac_util_frac > 0.0)
		totals->possible_mac += (double)result->counts.mac / result->mac_util_frac;
	struct supply_energy supply[N_SUPPLY];
	energy_by_supply(machine, block->design.level, &result->energy, result->latency_ns, supply);
	for (unsigned k = 0; k < N_SUPPLY; k++) {
		totals->supply[k].dynamic_pj += supply[k].dynamic_pj;
		totals->supply[k].static_pj += supply[k].static_pj;
	}
	energy_add(&totals->energy, &result->energy);
	struct energy_use use;
	energy_use_of(machine, block->design.level, result, &use);
	energy_use_add(&totals->use, &use, 1);
	for (unsigned k = 0; k < N_METRIC; k++) {
		if (metric_table[k].op == COMPOSE_SUM)
			totals->metric[k] += block->metric[k];
		else if (block->metric[k] > totals->metric[k])
			totals->metric[k] = block->metric[k];
	}
}

void simulate_sum(const struct machine *machine, const struct simulated *block, size_t n, const bool *shown,
                  struct simulate_totals *totals)
{
	assert(machine && (block || n == 0) && totals);
	*totals = (struct simulate_totals){0};
	for (size_t i = 0; i < n; i++)
		if (is_shown(block, shown, i))
			add_totals(totals, machine, &block[i]);
	uncertainty_divide(&totals->uncertain, totals->metric[METRIC_LATENCY]);
	totals->metric[METRIC_RUN_TIME] += metric_network_overhead_ms(machine);
	metric_of_machine(machine, totals->metric);
	metric_derive(totals->metric);
	totals->mac_util_frac = totals->possible_mac > 0.0 ? totals->mac / totals->possible_mac : 0.0;
}

/* Energy by part shows where the next design should save. */
static void print_totals(FILE *file, const struct machine *machine, const struct simulate_totals *totals)
{
	(void)fprintf(file, "totals\n  total_clk %" PRIu64, totals->total_clk);
	if (totals->core_clk < totals->total_clk)
		(void)fprintf(file, " (without ARM operations %" PRIu64 ")", totals->core_clk);
	(void)fputc('\n', file);
	for (unsigned k = 0; k < N_METRIC; k++)
		if (metric_table[k].scope != METRIC_OF_MACHINE &&
		    !isnan(metric_value(machine, totals->metric, (enum metric)k)))
			(void)fprintf(file, "  %s %.6g\n", metric_table[k].name, totals->metric[k]);
	uncertain_print(file, 2, &totals->uncertain);
	if (totals->possible_mac > 0.0)
		(void)fprintf(file, "  mac_util_pct %.1f of the time of blocks that multiply\n",
		              100.0 * totals->mac_util_frac);
	energy_print(file, &totals->energy, totals->supply);
}

/* Blocks that cannot run are named after the totals, which leave them out. */
void simulate_print(FILE *file, const struct machine *machine, const struct simulated *block, size_t n,
                    const bool *shown)
{
	struct simulate_totals totals;
	assert(file && machine && block);
	simulate_sum(machine, block, n, shown, &totals);
	print_clocks(file, block, n, shown);
	(void)fputc('\n', file);
	print_figures(file, machine, block, n, shown);
	simulate_print_array(file, block, n, shown);
	(void)fputc('\n', file);
	print_totals(file, machine, &totals);
	for (size_t i = 0; i < n; i++) {
		const struct verdict *verdict = &block[i].verdict;
		if (block[i].ran || (shown && !shown[i]))
			continue;
		(void)fprintf(file, "  %s cannot run: %s", block[i].block->name, verdict_table[verdict->reason].help);
		if (verdict->available > 0)
			(void)fprintf(file, " (%" PRIu64 " demanded, %" PRIu64 " available)", verdict->demanded,
			              verdict->available);
		(void)fputc('\n', file);
	}
}

static void put_result(struct json *json, const struct machine *machine, const struct simulated *block)
{
	const struct sim_result *result = &block->result;
	assert(block->ran);
	/* Phases that do not occur are left out, as in the table. */
	json_begin_object(json, "phases");
	for (unsigned k = 0; k < N_PHASE; k++) {
		if (result->phase_clk[k] == 0)
			continue;
		json_begin_object(json, phase_name[k]);
		json_put_u64(json, "clk", result->phase_clk[k]);
		json_put_text(json, "bound", bound_name[result->phase_bound[k]]);
		json_end(json);
	}
	json_end(json);
	json_put_u64(json, "core_clk", result->core_clk);
	json_put_u64(json, "total_clk", result->total_clk);
	uncertain_put_json(json, &block->uncertain);
	json_put_text(json, "bound", bound_name[result->bound]);
	json_put_real(json, "mac_util_frac", result->mac_util_frac);
	json_put_u64(json, "dram_read_byte", (uint64_t)result->counts.dram_read_byte);
	json_put_u64(json, "dram_write_byte", (uint64_t)result->counts.dram_write_byte);
	json_put_u64(json, "sram_byte", result->sram_byte);
	for (unsigned k = 0; k < N_METRIC; k++)
		if (metric_table[k].scope == METRIC_OF_LAYER)
			json_put_real(json, metric_table[k].name, metric_value(machine, block->metric, (enum metric)k));
	energy_put_parts(json, &result->energy);
}

/* A block that cannot run has a design and a verdict, and no figures. */
static void put_block(struct json *json, const struct machine *machine, const struct simulated *block)
{
	json_begin_object(json, NULL);
	json_put_text(json, "layer", block->block->name);
	json_put_text(json, "operation", block->block->name); /* the key's name before 0.2 */
	design_put_origin(json, block->block);
	design_put_fields(json, machine, block->block, &block->design);
	json_put_bool(json, "split_from_scheme", block->in_scheme);
	json_put_text(json, "verdict", verdict_table[block->verdict.reason].name);
	if (block->ran)
		put_result(json, machine, block);
	if (block->ran)
		simulate_put_array(json, block);
	json_end(json);
}

void simulate_put_json(struct json *json, const struct machine *machine, const struct simulated *block, size_t n,
                       const bool *shown)
{
	struct simulate_totals totals;
	simulate_sum(machine, block, n, shown, &totals);
	json_begin_list(json, "layers");
	for (size_t i = 0; i < n; i++)
		if (!shown || shown[i])
			put_block(json, machine, &block[i]);
	json_end(json);
	json_begin_object(json, "totals");
	json_put_u64(json, "total_clk", totals.total_clk);
	json_put_u64(json, "core_clk", totals.core_clk);
	uncertain_put_json(json, &totals.uncertain);
	uint32_t levels = 0;
	for (size_t i = 0; i < n; i++)
		if (is_shown(block, shown, i))
			levels |= 1u << block[i].design.level;
	uncertain_put_far(json, machine, levels);
	json_put_real(json, "mac_util_frac", totals.mac_util_frac);
	for (unsigned k = 0; k < N_METRIC; k++)
		json_put_real(json, metric_table[k].name, metric_value(machine, totals.metric, (enum metric)k));
	energy_put_parts(json, &totals.energy);
	energy_put_supplies(json, totals.supply);
	json_end(json);
}
