/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/design/simulate_parts.h"
#include "dse/out/legend.h"
#include "dse/out/table.h"
#include "sim/systolic/systolic_model.h"
#include "sim/systolic/systolic_scalesim.h"
#include <assert.h>
#include <inttypes.h>

/* Words by operand, in the order of tables and objects. */
static const struct {
	const char *name;
	size_t offset;
} word_figure[] = {
    {"sram_ifmap_read_word", offsetof(struct systolic_result, sram_ifmap_read_word)},
    {"sram_filter_read_word", offsetof(struct systolic_result, sram_filter_read_word)},
    {"sram_ofmap_write_word", offsetof(struct systolic_result, sram_ofmap_write_word)},
    {"sram_ofmap_read_word", offsetof(struct systolic_result, sram_ofmap_read_word)},
    {"dram_ifmap_read_word", offsetof(struct systolic_result, dram_ifmap_read_word)},
    {"dram_filter_read_word", offsetof(struct systolic_result, dram_filter_read_word)},
    {"dram_ofmap_write_word", offsetof(struct systolic_result, dram_ofmap_write_word)},
};
#define N_WORD (sizeof(word_figure) / sizeof(word_figure[0]))

static uint64_t word_of(const struct systolic_result *result, size_t i)
{
	assert(i < N_WORD);
	return *(const uint64_t *)(const void *)((const char *)result + word_figure[i].offset);
}

static const struct systolic_work *find_work(const struct program *program)
{
	for (uint32_t i = 0; i < program->n_step; i++)
		if (program->step[i].kind == STEP_SYSTOLIC)
			return &program->step[i].u.systolic;
	return NULL;
}

/* Words that SCALE-Sim's replay counts; of a mixture of operating points the faster one's. */
static enum err_code replay_words(const struct machine *machine, const struct systolic_work *work, uint32_t level,
                                  struct systolic_result *result)
{
	const struct operating_point *point = &machine->level[level];
	assert(level < machine->n_level);
	return systolic_scalesim_run(machine, work, point->n_share > 0 ? point->high : level, NULL, result, NULL);
}

enum err_code simulate_take_array(const struct layer_context *context, struct simulated *block, struct err *err)
{
	const struct machine *machine = context->machine;
	const struct sim_result *result = &block->result;
	struct program program;
	struct verdict verdict;
	block->has_array = false;
	if (!block->ran || machine->target != MACHINE_SYSTOLIC)
		return ERR_OK;
	bool runs = mapper_distribute(context, &block->design, &program, &verdict);
	const struct systolic_work *work = runs ? find_work(&program) : NULL;
	assert(runs);
	if (!work)
		return ERR_OK;
	struct systolic_result *array = &block->array;
	uint64_t compute_clk = result->phase_clk[PHASE_COMPUTATION];
	double n_mac = systolic_n_mac(work), n_pe = (double)machine_n_mac(machine);
	*array = (struct systolic_result){0};
	enum err_code code = ERR_OK;
	if (machine->systolic.memory == SYSTOLIC_PHYSICAL)
		systolic_words(machine, work, array);
	else
		code = replay_words(machine, work, block->design.level, array);
	if (code == ERR_INTERRUPTED)
		return err_add(err, code, "interrupted");
	if (code != ERR_OK) /* no memory: the table goes without */
		return ERR_OK;
	array->stall_clk = result->phase_clk[PHASE_STALL];
	array->total_clk = compute_clk + array->stall_clk;
	array->mapping_eff = systolic_mapping_eff(machine, work);
	array->compute_util = compute_clk > 0 ? n_mac / ((double)compute_clk * n_pe) : 0;
	array->overall_util = array->total_clk > 0 ? n_mac / ((double)array->total_clk * n_pe) : 0;
	block->filter_stays = work->filter_outside;
	block->has_array = true;
	return ERR_OK;
}

static bool is_shown(const struct simulated *block, const bool *shown, size_t i)
{
	return (!shown || shown[i]) && block[i].ran && block[i].has_array;
}

void simulate_print_array(FILE *file, const struct simulated *block, size_t n, const bool *shown)
{
	static const char *const column[] = {"compute_clk", "stall_clk", "util_pct", "mapping_pct", "compute_util_pct"};
	struct table table = {0};
	size_t n_row = 0;
	table_add_column(&table, "array", false);
	table_add_column(&table, "tile_stays", false);
	for (size_t k = 0; k < sizeof(column) / sizeof(column[0]); k++)
		table_add_column(&table, column[k], true);
	for (size_t k = 0; k < N_WORD; k++)
		table_add_column(&table, word_figure[k].name, true);
	for (size_t i = 0; i < n; i++) {
		const struct systolic_result *array = &block[i].array;
		if (!is_shown(block, shown, i))
			continue;
		n_row++;
		table_add(&table, "%s", block[i].block->name);
		table_add(&table, "%s", block[i].filter_stays ? "filter" : "ifmap");
		table_add(&table, "%" PRIu64, array->total_clk - array->stall_clk);
		table_add(&table, "%" PRIu64, array->stall_clk);
		table_add(&table, "%.2f", 100.0 * array->overall_util);
		table_add(&table, "%.2f", 100.0 * array->mapping_eff);
		table_add(&table, "%.2f", 100.0 * array->compute_util);
		for (size_t k = 0; k < N_WORD; k++)
			table_add(&table, "%" PRIu64, word_of(array, k));
	}
	if (n_row > 0) {
		(void)fputc('\n', file);
		table_print(&table, file, 0);
		legend_print(file, 0, &table);
	}
	table_free(&table);
}

void simulate_put_array(struct json *json, const struct simulated *block)
{
	const struct systolic_result *array = &block->array;
	if (!block->has_array)
		return;
	json_begin_object(json, "array");
	json_put_text(json, "tile_stays", block->filter_stays ? "filter" : "ifmap");
	json_put_u64(json, "compute_clk", array->total_clk - array->stall_clk);
	json_put_u64(json, "stall_clk", array->stall_clk);
	json_put_real(json, "util_frac", array->overall_util);
	json_put_real(json, "mapping_frac", array->mapping_eff);
	json_put_real(json, "compute_util_frac", array->compute_util);
	for (size_t k = 0; k < N_WORD; k++)
		json_put_u64(json, word_figure[k].name, word_of(array, k));
	json_end(json);
}
