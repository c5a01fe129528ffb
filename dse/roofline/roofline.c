/* SPDX-License-Identifier: Apache-2.0 */
/* Operations, bytes and roofs of each layer, and what the simulator reaches with the layer alone. */
#include "dse/roofline/roofline.h"
#include "dse/base/memory.h"
#include "dse/design/simulate.h"
#include "sim/base/stop.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

const char *const roofline_kind_name[N_ROOFLINE_KIND] = {[ROOFLINE_CONV] = "conv",
                                                         [ROOFLINE_POINTWISE] = "pointwise",
                                                         [ROOFLINE_DEPTHWISE] = "depthwise",
                                                         [ROOFLINE_FC] = "fc"};

const char *const roofline_intensity_name[N_ROOFLINE_INTENSITY] = {
    [ROOFLINE_THESIS] = "thesis", [ROOFLINE_TRAFFIC] = "traffic"};

double roofline_noc_gb_s(const struct machine *machine)
{
	if (machine->target == MACHINE_SYSTOLIC)
		return 0;
	double n_router = machine->target == MACHINE_CHIP ? machine->chip.n_qpe : 1;
	return n_router * machine->noc_router_packet * machine->noc_packet_byte * machine->noc_clk_mhz * 1e-3;
}

double roofline_memory_gb_s(const struct machine *machine)
{
	if (machine->target == MACHINE_SYSTOLIC)
		return machine->systolic.memory_gb_s;
	assert(machine->dram_access_clk > 0);
	return machine->dram_n * (double)machine->dram_access_byte * machine->dram_clk_mhz * 1e-3 /
	       machine->dram_access_clk;
}

void roofline_set_memory(struct machine *machine, double gb_s)
{
	assert(gb_s > 0);
	if (machine->target == MACHINE_SYSTOLIC)
		machine->systolic.memory_gb_s = gb_s;
	else
		machine->dram_clk_mhz *= gb_s / roofline_memory_gb_s(machine);
}

double roofline_compute_gops(const struct machine *machine, uint32_t level)
{
	assert(level < machine->n_level);
	return 2 * (double)machine_n_mac(machine) * machine->level[level].clk_mhz * 1e-3;
}

/* Pixels of a side that windows touch: the union of n_out windows of kernel pixels, the first pad pixels outside. */
static uint64_t touched(uint32_t in, uint32_t pad, uint32_t kernel, uint32_t stride, uint32_t n_out)
{
	uint64_t sum = 0, end = 0; /* of what is counted */
	for (uint32_t i = 0; i < n_out; i++) {
		uint64_t from = (uint64_t)i * stride, to = from + kernel;
		from = from > pad ? from - pad : 0;
		to = to > pad ? to - pad : 0;
		from = from > end ? from : end;
		to = to < in ? to : in;
		if (to > from) {
			sum += to - from;
			end = to;
		}
	}
	assert(sum <= in);
	return sum;
}

/* The same of a kernel with gaps: pixels that some tap of some window reads. */
static uint64_t touched_by_taps(uint32_t in, uint32_t pad, uint32_t kernel, uint32_t dilation, uint32_t stride,
                                uint32_t n_out)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < in; i++) {
		bool is_touched = false;
		for (uint32_t k = 0; k < kernel && !is_touched; k++) {
			uint64_t at = (uint64_t)i + pad, before = (uint64_t)k * dilation;
			is_touched = at >= before && (at - before) % stride == 0 && (at - before) / stride < n_out;
		}
		sum += is_touched;
	}
	return sum;
}

double roofline_ifmap_byte(const struct block *block, uint32_t word_byte)
{
	if (block->kind == BLOCK_MATMUL)
		return (double)block->in_w * block->in_h * word_byte;
	uint32_t gap = block_dilation(block), stride = block->stride;
	uint64_t w = touched(block->in_w, block->pad_left, block->kernel_w, stride, block->out_w);
	uint64_t h = touched(block->in_h, block->pad_top, block->kernel_h, stride, block->out_h);
	if (gap > 1) {
		w = touched_by_taps(block->in_w, block->pad_left, block->kernel_w, gap, stride, block->out_w);
		h = touched_by_taps(block->in_h, block->pad_top, block->kernel_h, gap, stride, block->out_h);
	}
	return (double)w * (double)h * block->in_c * block_batch(block) * word_byte;
}

/* A convolution of one pixel is a fully-connected layer, as in squeeze and excite. */
static enum roofline_kind kind_of(const struct block *block)
{
	if (block->kind == BLOCK_MATMUL || (block->in_w == 1 && block->in_h == 1 && block_n_group(block) == 1))
		return ROOFLINE_FC;
	if (block_n_group(block) > 1)
		return block_group_in_c(block) == 1 ? ROOFLINE_DEPTHWISE : ROOFLINE_CONV;
	return block->kernel_w == 1 && block->kernel_h == 1 ? ROOFLINE_POINTWISE : ROOFLINE_CONV;
}

/* Fused pooling comes before the result is written. */
static double ofmap_byte(const struct block *block, uint32_t word_byte, bool is_pooled)
{
	double n_out = (double)block->out_w * block->out_h * block->out_c * block_batch(block);
	return n_out * word_byte / (is_pooled ? (double)block->pool * block->pool : 1);
}

static double padded_ifmap_byte(const struct block *block, uint32_t word_byte)
{
	if (block->kind == BLOCK_MATMUL)
		return roofline_ifmap_byte(block, word_byte);
	return (double)block_padded_w(block) * block_padded_h(block) * block->in_c * block_batch(block) * word_byte;
}

/* One strategy, with the splitter's split. The layer stands for itself: nothing is kept for it or for others. */
static enum err_code try_strategy(const struct roofline *roofline, enum strategy strategy, struct roofline_layer *layer,
                                  struct err *err)
{
	struct block alone = *layer->block;
	alone.input = alone.added = INPUT_DRAM;
	alone.hold = alone.release_held = false;
	alone.result_to_dram = true;
	alone.same_as = 0;
	struct network network = {.n_block = 1, .block = &alone};
	const struct simulate_options options = {.strategy = strategy, .level = roofline->level};
	struct simulated simulated = {0};
	struct err found = {0};
	enum err_code code = simulate_network(&roofline->machine, &network, &options, &simulated, &found);
	bool runs = code == ERR_OK && simulated.ran;
	if (runs)
		layer->reached_gops = fmax(layer->reached_gops, layer->n_op / simulated.result.latency_ns);
	else if (code == ERR_OK)
		layer->verdict = simulated.verdict;
	else if (code == ERR_INFEASIBLE) /* the splitter finds none: not even one pixel fits */
		layer->verdict.reason = VERDICT_SRAM;
	else
		(void)err_add_all(err, (struct err_place){0}, &found);
	layer->is_reached = layer->is_reached || runs;
	err_clear(&found);
	return code == ERR_INFEASIBLE ? ERR_OK : code;
}

/* The strategy, or the fastest of those that searches have. */
static enum err_code reach(const struct roofline *roofline, struct roofline_layer *layer, struct err *err)
{
	enum err_code code = ERR_OK;
	if (stop_requested(NULL))
		return err_add(err, ERR_INTERRUPTED, "interrupted");
	if (roofline->strategy != N_STRATEGY)
		return try_strategy(roofline, roofline->strategy, layer, err);
	for (int i = 0; i < N_STRATEGY && code == ERR_OK; i++)
		if (strategy_table[i].for_search && strategy_serves((enum strategy)i, &roofline->machine))
			code = try_strategy(roofline, (enum strategy)i, layer, err);
	return code;
}

/* Of a block that multiplies. */
static void place_under_roofs(const struct roofline *roofline, struct roofline_layer *layer)
{
	const struct block *block = layer->block;
	uint32_t word_byte = roofline->machine.target == MACHINE_SYSTOLIC ? roofline->machine.systolic.word_byte : 1;
	layer->kind = kind_of(block);
	layer->n_op = 2 * (double)block_n_mac(block);
	bool is_thesis = roofline->intensity == ROOFLINE_THESIS;
	layer->ifmap_byte = is_thesis ? padded_ifmap_byte(block, word_byte) : roofline_ifmap_byte(block, word_byte);
	layer->weight_byte = (double)block_n_weight(block) * word_byte;
	layer->ofmap_byte = ofmap_byte(block, word_byte, !is_thesis);
	double byte = layer->ifmap_byte + layer->weight_byte + layer->ofmap_byte;
	assert(layer->n_op > 0 && byte > 0);
	layer->intensity = layer->n_op / byte;
	bool has_slow_noc = roofline->noc_gb_s > 0 && roofline->noc_gb_s < roofline->memory_gb_s;
	double memory_gops = layer->intensity * (has_slow_noc ? roofline->noc_gb_s : roofline->memory_gb_s);
	layer->is_memory_bound = memory_gops < roofline->compute_gops;
	layer->attainable_gops = fmin(memory_gops, roofline->compute_gops);
}

enum err_code roofline_make(const struct network *network, const struct machine *machine,
                            const struct roofline_options *options, struct arena *arena, struct roofline *roofline,
                            struct err *err)
{
	enum err_code code = ERR_OK;
	assert(network && machine && options && options->level < machine->n_level && arena && roofline);
	const bool *shown = options->shown;
	*roofline = (struct roofline){.network = network,
	                              .machine = *machine,
	                              .level = options->level,
	                              .strategy = options->strategy,
	                              .intensity = options->intensity,
	                              .compute_gops = roofline_compute_gops(machine, options->level),
	                              .memory_gb_s = roofline_memory_gb_s(machine),
	                              .noc_gb_s = roofline_noc_gb_s(machine)};
	roofline->layer = memory_must(arena_array(arena, network->n_block, sizeof(*roofline->layer)));
	/* 1 + where a block stands; 0: nowhere */
	size_t *place = memory_must(arena_array(arena, network->n_block, sizeof(*place)));
	for (size_t i = 0; i < network->n_block && code == ERR_OK; i++) {
		const struct block *block = &network->block[i];
		struct roofline_layer *layer = &roofline->layer[roofline->n];
		if (block->kind == BLOCK_POOL || (shown && !shown[i]))
			continue;
		place[i] = ++roofline->n;
		if (place[block->same_as] > 0 && block->same_as != i) {
			*layer = roofline->layer[place[block->same_as] - 1];
			layer->block = block;
			continue;
		}
		layer->block = block;
		place_under_roofs(roofline, layer);
		code = reach(roofline, layer, err);
	}
	return code;
}
