/* SPDX-License-Identifier: Apache-2.0 */
/* A work as layers of SCALE-Sim, and its results as those of a work. */
#include "sim/systolic/systolic_scalesim.h"
#include "sim/systolic/scalesim.h"
#include "sim/systolic/systolic_model.h"
#include <assert.h>

static struct systolic_array array_of(const struct machine *machine)
{
	assert(machine->systolic.word_byte == 1);
	return (struct systolic_array){
	    .rows = machine->systolic.rows,
	    .cols = machine->systolic.cols,
	    .ifmap_byte = machine->systolic.ifmap_byte,
	    .filter_byte = machine->systolic.filter_byte,
	    .ofmap_byte = machine->systolic.ofmap_byte,
	};
}

/*
 * Ifmap lines that the tool is to be given, so that it finds as many outputs: it rounds up where others round down, so
 * lines that no output sees are left out.
 */
static uint32_t lines_for(const struct systolic_dim *dim, uint32_t kernel, uint32_t stride, uint32_t in)
{
	uint64_t seen = (systolic_dim_extent(dim) - 1) * stride + kernel;
	return seen < in ? (uint32_t)seen : in;
}

/* A group. */
static struct systolic_layer layer_of(const struct systolic_work *work)
{
	return (struct systolic_layer){
	    .ifmap_h = lines_for(&work->h, systolic_reach_h(work), work->stride, work->in_h),
	    .ifmap_w = lines_for(&work->w, systolic_reach_w(work), work->stride, work->in_w),
	    .filter_h = work->kernel_h,
	    .filter_w = work->kernel_w,
	    .channels = work->d.size_a,
	    .n_filter = work->c.size_a,
	    .stride = work->stride,
	};
}

bool systolic_scalesim_is_small(const struct systolic_array *array, const struct systolic_layer *layer)
{
	struct systolic_folds folds = systolic_fold(array, layer);
	struct systolic_result result;
	systolic_run_array(array, &folds, &result);
	return add_sat(result.sram_ifmap_read_word, result.sram_filter_read_word) <= SCALESIM_MAX_WORD &&
	       (uint64_t)layer->ifmap_h * layer->ifmap_w * layer->channels <= SCALESIM_MAX_OPERAND_WORD &&
	       folds.n_pixel <= SCALESIM_MAX_OPERAND_WORD && folds.n_tap * folds.n_filter <= SCALESIM_MAX_OPERAND_WORD;
}

bool systolic_scalesim_serves(const struct machine *machine, const struct systolic_work *work)
{
	const struct systolic_dim *const dim[] = {&work->w, &work->h, &work->c, &work->d};
	const struct systolic_array array = array_of(machine);
	for (int i = 0; i < 4; i++)
		if (systolic_dim_n(dim[i]) != 1)
			return false;
	if (work->dataflow != SYSTOLIC_OS || work->dilation > 1)
		return false;
	struct systolic_layer layer = layer_of(work);
	return systolic_layer_is_valid(&layer) && systolic_scalesim_is_small(&array, &layer);
}

/* n layers that are alike, one after the other. */
static void repeat(const struct machine *machine, const struct systolic_work *work, uint64_t n,
                   struct systolic_result *result)
{
	uint64_t *const count[] = {
	    &result->total_clk,
	    &result->stall_clk,
	    &result->sram_ifmap_read_word,
	    &result->sram_filter_read_word,
	    &result->sram_ofmap_write_word,
	    &result->dram_ifmap_read_word,
	    &result->dram_filter_read_word,
	    &result->dram_ofmap_write_word,
	};
	for (size_t i = 0; i < sizeof(count) / sizeof(count[0]); i++)
		*count[i] = mul_sat(*count[i], n);
	result->overall_util = systolic_n_mac(work) / ((double)result->total_clk * (double)machine_n_mac(machine));
}

enum err_code systolic_scalesim_run(const struct machine *machine, const struct systolic_work *work, uint32_t level,
                                    const struct stop *stop, struct systolic_result *result, struct err *err)
{
	struct systolic_array array = array_of(machine);
	const struct systolic_layer layer = layer_of(work);
	struct systolic_result run;
	assert(machine->systolic.memory != SYSTOLIC_PHYSICAL && systolic_scalesim_serves(machine, work));
	if (machine->systolic.memory == SYSTOLIC_SCALESIM) {
		double word = systolic_bandwidth_word(machine, level);
		array.bandwidth_word = word < UINT32_MAX ? (uint32_t)word : UINT32_MAX;
		if (array.bandwidth_word == 0)
			return err_add(err, ERR_INFEASIBLE, "SCALE-Sim needs a word a clock from memory, found %.3g",
			               word);
	}
	enum err_code code = scalesim_run(&array, &layer, stop, &run, err);
	if (code != ERR_OK)
		return code;
	/* an array of one PE with one product has no clock left, by the tool's count */
	run.total_clk = run.total_clk > 0 ? run.total_clk : 1;
	if (work->n_group > 1)
		repeat(machine, work, work->n_group, &run);
	*result = run;
	return ERR_OK;
}
