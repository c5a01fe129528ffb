/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/arada/arada_physical.h"
#include "sim/systolic/systolic_model.h"
#include "sim/systolic/systolic_place.h"
#include <assert.h>
#include <math.h>
#include <stddef.h>

#define NS_PER_US 1e3
#define MAX_SIZE 40 /* a power of two each, and the whole */

/* Tile sizes to try along a dimension. */
struct tile_sizes {
	uint32_t extent;
	size_t n;
	uint32_t size[MAX_SIZE];
};

struct tile_search {
	const struct machine *machine;
	double word_per_clk;
	struct systolic_work best;
	double best_clk;
	uint64_t best_word;
	bool is_found;
};

static struct tile_sizes list_sizes(uint32_t extent, uint32_t unit)
{
	struct tile_sizes sizes = {.extent = extent};
	for (uint64_t size = unit; size < extent; size *= 2)
		sizes.size[sizes.n++] = (uint32_t)size;
	sizes.size[sizes.n++] = extent;
	assert(sizes.n <= MAX_SIZE);
	return sizes;
}

/* Tiles of a size, and what remains. */
static struct systolic_dim dim_of(const struct tile_sizes *sizes, size_t i)
{
	uint32_t size = sizes->size[i], rest = sizes->extent % size;
	return (struct systolic_dim){size, sizes->extent / size, rest, rest > 0};
}

static uint64_t words_of(const struct machine *machine, const struct systolic_work *work)
{
	struct systolic_result result = {0};
	systolic_words(machine, work, &result);
	return result.dram_ifmap_read_word + result.dram_filter_read_word + result.dram_ofmap_write_word;
}

static void try_work(struct tile_search *search, struct systolic_work work)
{
	struct systolic_misfit misfit;
	if (!systolic_is_valid(search->machine, &work) || !systolic_place(search->machine, &work, &misfit))
		return;
	uint64_t word = words_of(search->machine, &work);
	if (search->is_found && (double)word / search->word_per_clk > search->best_clk)
		return; /* its words alone take longer */
	double clk = systolic_run_time(search->machine, &work, search->word_per_clk).clk;
	if (search->is_found && clk > search->best_clk)
		return;
	if (search->is_found && !(clk < search->best_clk) && word >= search->best_word)
		return;
	search->best = work;
	search->best_clk = clk;
	search->best_word = word;
	search->is_found = true;
}

/* All tiles of filters and input channels, with these tiles of pixels. */
static void try_channels(struct tile_search *search, struct systolic_work work, const struct tile_sizes *c,
                         const struct tile_sizes *d)
{
	for (size_t i = 0; i < c->n; i++)
		for (size_t k = 0; k < d->n; k++) {
			work.c = dim_of(c, i);
			work.d = dim_of(d, k);
			try_work(search, work);
		}
}

/* All tilings of a dataflow and an order of loops. Several lines of pixels are in one tile as a whole or not at all. */
static void try_tiles(struct tile_search *search, struct systolic_work work, const struct tile_sizes dim[4])
{
	size_t whole = dim[0].n - 1;
	work.w = dim_of(&dim[0], whole);
	for (size_t h = 0; h < dim[1].n; h++) {
		work.h = dim_of(&dim[1], h);
		try_channels(search, work, &dim[2], &dim[3]);
	}
	work.h = dim_of(&dim[1], 0);
	for (size_t w = 0; w < whole; w++) {
		work.w = dim_of(&dim[0], w);
		try_channels(search, work, &dim[2], &dim[3]);
	}
}

/* The layer without its tiles. */
static struct systolic_work whole_work(const struct block *block)
{
	if (block->kind == BLOCK_MATMUL)
		return (struct systolic_work){
		    .n_group = 1, .in_w = 1, .in_h = block->in_h, .kernel_w = 1, .kernel_h = 1, .stride = 1};
	return (struct systolic_work){
	    .n_group = block_n_group(block),
	    .in_w = block_padded_w(block),
	    .in_h = block_padded_h(block),
	    .kernel_w = block->kernel_w,
	    .kernel_h = block->kernel_h,
	    .dilation = block->dilation,
	    .stride = block->stride,
	};
}

enum err_code arada_physical_work(const struct machine *machine, const struct block *block, double word_per_clk,
                                  struct systolic_work *work, struct err *err)
{
	struct tile_search search = {.machine = machine, .word_per_clk = word_per_clk};
	struct systolic_work whole = whole_work(block);
	bool is_matmul = block->kind == BLOCK_MATMUL;
	const struct tile_sizes dim[4] = {
	    list_sizes(is_matmul ? 1 : block->out_w, 1),
	    list_sizes(is_matmul ? block->in_h : block->out_h, 1),
	    list_sizes(is_matmul ? block->out_w : block_group_out_c(block), machine->systolic.cols),
	    list_sizes(is_matmul ? block->in_w : block_group_in_c(block), 1),
	};
	for (int flow = SYSTOLIC_OS; flow < SYSTOLIC_ANY; flow++) {
		if (!systolic_can(machine, (enum systolic_dataflow)flow))
			continue;
		whole.dataflow = (enum systolic_dataflow)flow;
		for (int outside = 0; outside < 2; outside++) {
			whole.filter_outside = outside == 1;
			try_tiles(&search, whole, dim);
		}
	}
	if (!search.is_found)
		return err_add(err, ERR_INFEASIBLE, "%s: no tile of it fits the buffers of machine %s", block->name,
		               machine->name);
	*work = search.best;
	return ERR_OK;
}

enum err_code arada_physical(const struct machine *machine, const struct block *block, double word_per_clk,
                             struct arada_layer *cost, struct err *err)
{
	struct systolic_work work;
	enum err_code code = arada_physical_work(machine, block, word_per_clk, &work, err);
	if (code != ERR_OK)
		return code;
	struct systolic_time time = systolic_run_time(machine, &work, word_per_clk);
	time.clk = fmax(time.clk - systolic_ends_clk(&work, word_per_clk), (double)time.compute_clk);
	cost->stall_clk = systolic_stall_clk(&time);
	cost->total_clk = time.compute_clk + cost->stall_clk;
	cost->n_word = words_of(machine, &work);
	assert(cost->total_clk > cost->stall_clk);
	return ERR_OK;
}

double arada_physical_ns(const struct machine *machine, const struct systolic_work *work, double clk_mhz,
                         double word_per_clk, uint64_t *compute_clk)
{
	assert(clk_mhz > 0 && word_per_clk > 0);
	struct systolic_time time = systolic_run_time(machine, work, word_per_clk);
	*compute_clk = time.compute_clk;
	double clk = fmax(time.clk - systolic_ends_clk(work, word_per_clk), (double)time.compute_clk);
	return clk * NS_PER_US / clk_mhz;
}
