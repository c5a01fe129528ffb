/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/fuse/fuse_search.h"
#include "sim/base/checked.h"
#include "sim/machine/hierarchy.h"
#include <string.h>

/* Results in storage QPEs at once: residency has the latest and one that is held. */
#define MAX_KEPT 4
#define N_MASK (1u << FUSE_MAX_BORDER)

/* What lies in storage QPEs before a block, in ascending order, and the best way there. */
struct state {
	uint32_t n_kept, kept[MAX_KEPT];
	uint64_t dram_byte, n_mac;
	size_t n_step;
	struct fuse_step step;      /* the last one */
	const struct state *before; /* NULL: the first */
	struct state *next;         /* of the same position */
};

/* The groups that begin at one block. */
struct chain {
	enum fuse_reason reason;
	struct fuse_group group;
	uint32_t known; /* bit mask: best and result are */
	enum fuse_reason result[N_MASK];
	struct fuse_cost best[N_MASK];
};

struct search {
	const struct network *network;
	const struct fuse_wish *wish;
	struct arena *arena;
	struct fuse_plan *plan;
	struct hierarchy hierarchy;
	struct stop_watch watch;
	struct state **at;   /* [n_block + 1] lists */
	size_t *last_near;   /* [n_block + 1] by producer: 1 + last block that finds it as latest or held; 0: none */
	bool *needs_dram;    /* [n_block + 1] by producer */
	struct chain *chain; /* [FUSE_MAX_BLOCK + 1] of the position that is looked at, by length */
	bool has_memory;
};

/* ---- blocks alone ---- */

struct alone {
	uint32_t n, producer[2];
	uint64_t byte[2];
	struct fuse_cost cost; /* with all of them in DRAM */
};

static void alone_reads(struct alone *alone, const struct block_sources *sources, uint64_t byte)
{
	bool is_one = sources->n == 1 && !sources->is_view;
	alone->producer[alone->n] = is_one ? sources->producer[0] : FUSE_NONE;
	alone->byte[alone->n++] = byte;
}

/* A tensor that is read whole; of a convolution what its windows touch. */
static struct alone alone_of(const struct network *network, size_t b, uint32_t operand_bit)
{
	const struct block *block = &network->block[b];
	struct alone alone = {0};
	struct fuse_group group;
	uint64_t number = mul_sat(block_batch(block), operand_bit / 8);
	uint64_t out = mul_sat(mul_sat(block->out_w / block->pool, block->out_h / block->pool), block->out_c);
	if (fuse_group_make(network, b, 1, &group) == FUSE_OK) {
		struct fuse_span w[FUSE_MAX_TENSOR], h[FUSE_MAX_TENSOR];
		fuse_spans(&group, false, 0, block->out_w / block->pool, w);
		fuse_spans(&group, true, 0, block->out_h / block->pool, h);
		for (; alone.n < group.n_border; alone.n++) {
			const struct fuse_tensor *tensor = &group.tensor[alone.n];
			uint64_t n_pixel =
			    mul_sat(w[alone.n].end - w[alone.n].first, h[alone.n].end - h[alone.n].first);
			alone.producer[alone.n] = tensor->producer;
			alone.byte[alone.n] = mul_sat(mul_sat(n_pixel, tensor->c), number);
		}
	} else {
		uint64_t core = mul_sat(mul_sat(block->out_w, block->out_h), block->out_c);
		bool is_channel = block->kind == BLOCK_POOL && block->operand == OPERAND_CHANNEL;
		alone_reads(&alone, &block->reads,
		            mul_sat(mul_sat(mul_sat(block->in_w, block->in_h), block->in_c), number));
		if (block->has_mat_ele || is_channel || (block->kind == BLOCK_POOL && block->operand != OPERAND_NONE))
			alone_reads(&alone, &block->adds, mul_sat(is_channel ? block->in_c : core, number));
	}
	alone.cost.in_byte = add_sat(alone.byte[0], alone.n > 1 ? alone.byte[1] : 0);
	alone.cost.weight_byte = mul_sat(block_n_weight(block), operand_bit / 8);
	alone.cost.out_byte = mul_sat(out, number);
	alone.cost.dram_byte = add_sat(add_sat(alone.cost.in_byte, alone.cost.weight_byte), alone.cost.out_byte);
	alone.cost.n_mac = block_n_mac(block);
	return alone;
}

struct fuse_cost fuse_alone(const struct network *network, size_t b, uint32_t operand_bit)
{
	return alone_of(network, b, operand_bit).cost;
}

static uint64_t result_byte(const struct search *search, uint32_t producer)
{
	return alone_of(search->network, producer - 1, search->wish->operand_bit).cost.out_byte;
}

/* ---- who reads what from where ---- */

static void note_readers(struct search *search, const struct block_sources *sources, size_t b, bool is_near)
{
	for (uint32_t i = 0; i < sources->n; i++) {
		uint32_t producer = sources->producer[i];
		if (producer == 0 || producer >= NETWORK_DATA)
			continue;
		if (is_near && sources->n == 1 && !sources->is_view)
			search->last_near[producer] = b + 1;
		else
			search->needs_dram[producer] = true;
	}
}

static void find_readers(struct search *search)
{
	const struct network *network = search->network;
	for (size_t p = 1; p <= network->n_block; p++)
		search->needs_dram[p] = true; /* unless somebody reads it */
	for (size_t b = 0; b < network->n_block; b++) {
		const struct block_sources *sources[3] = {&network->block[b].reads, &network->block[b].adds,
		                                          &network->block[b].filters};
		for (unsigned k = 0; k < 3; k++)
			for (uint32_t i = 0; i < sources[k]->n; i++)
				if (sources[k]->producer[i] > 0 && sources[k]->producer[i] < NETWORK_DATA)
					search->needs_dram[sources[k]->producer[i]] = false;
	}
	for (size_t b = 0; b < network->n_block; b++) {
		const struct block *block = &network->block[b];
		note_readers(search, &block->reads, b, block->input != INPUT_DRAM);
		note_readers(search, &block->adds, b, block->added != INPUT_DRAM);
		note_readers(search, &block->filters, b, false);
	}
}

static bool is_kept(const struct state *state, uint32_t producer)
{
	for (uint32_t i = 0; i < state->n_kept; i++)
		if (state->kept[i] == producer)
			return true;
	return false;
}

/* ---- states ---- */

static bool is_better_state(const struct state *state, const struct state *than)
{
	if (state->dram_byte != than->dram_byte)
		return state->dram_byte < than->dram_byte;
	if (state->n_mac != than->n_mac)
		return state->n_mac < than->n_mac;
	return state->n_step > than->n_step; /* nothing is fused for nothing */
}

static void add_state(struct search *search, size_t position, const struct state *state)
{
	struct state *other = search->at[position];
	while (other && (other->n_kept != state->n_kept ||
	                 memcmp(other->kept, state->kept, state->n_kept * sizeof(*state->kept)) != 0))
		other = other->next;
	if (other && !is_better_state(state, other))
		return;
	if (!other) {
		other = arena_alloc(search->arena, sizeof(*other));
		if (!other) {
			search->has_memory = false;
			return;
		}
		other->next = search->at[position];
		search->at[position] = other;
	}
	struct state *next = other->next;
	*other = *state;
	other->next = next;
}

/* Go on from a state by a step, whose result goes to DRAM or, where it has readers near and room, stays. */
static void take_step(struct search *search, const struct state *from, const struct fuse_step *step)
{
	size_t end = step->first + step->n;
	uint32_t producer = (uint32_t)end;
	uint64_t kept_byte = 0, out_byte = result_byte(search, producer);
	struct state to = {.before = from, .step = *step, .n_step = from->n_step + 1};
	for (uint32_t i = 0; i < from->n_kept; i++) {
		kept_byte = add_sat(kept_byte, result_byte(search, from->kept[i]));
		if (search->last_near[from->kept[i]] > end)
			to.kept[to.n_kept++] = from->kept[i];
	}
	to.dram_byte = add_sat(from->dram_byte, step->cost.dram_byte);
	to.n_mac = add_sat(from->n_mac, step->cost.n_mac);
	add_state(search, end, &to);
	if (search->last_near[producer] <= end || to.n_kept == MAX_KEPT ||
	    add_sat(kept_byte, out_byte) > search->hierarchy.storage_byte)
		return;
	to.kept[to.n_kept++] = producer;
	to.step.out_storage = true;
	if (!search->needs_dram[producer]) {
		to.step.cost.out_byte = 0;
		to.step.cost.dram_byte -= out_byte;
		to.dram_byte -= out_byte;
	}
	add_state(search, end, &to);
}

/* ---- steps ---- */

static void go_alone(struct search *search, size_t b, const struct state *from)
{
	struct alone alone = alone_of(search->network, b, search->wish->operand_bit);
	struct fuse_step step = {.first = b, .n = 1, .cost = alone.cost};
	for (uint32_t k = 0; k < alone.n; k++)
		if (is_kept(from, alone.producer[k])) {
			step.cost.in_byte -= alone.byte[k];
			step.cost.dram_byte -= alone.byte[k];
		}
	take_step(search, from, &step);
}

static enum fuse_reason best_of(struct search *search, struct chain *chain, uint32_t mask)
{
	if (chain->reason != FUSE_OK)
		return chain->reason;
	if (chain->known >> mask & 1)
		return chain->result[mask];
	const struct fuse_question question = {.machine = search->wish->machine,
	                                       .n_pe = search->hierarchy.n_pe,
	                                       .operand_bit = search->wish->operand_bit,
	                                       .in_storage = mask,
	                                       .more_mac_frac = search->wish->more_mac_frac,
	                                       .least_busy_frac = search->wish->least_busy_frac,
	                                       .watch = &search->watch};
	chain->known |= 1u << mask;
	chain->result[mask] = fuse_best(&chain->group, &question, &chain->best[mask]);
	search->has_memory = search->has_memory && chain->result[mask] != FUSE_MEMORY;
	return chain->result[mask];
}

static void go_fused(struct search *search, struct chain *chain, const struct state *from)
{
	uint32_t mask = 0;
	if (chain->reason != FUSE_OK)
		return;
	for (uint32_t k = 0; k < chain->group.n_border; k++)
		if (is_kept(from, chain->group.tensor[k].producer))
			mask |= 1u << k;
	if (best_of(search, chain, mask) != FUSE_OK)
		return;
	const struct fuse_step step = {.first = chain->group.first, .n = chain->group.n, .cost = chain->best[mask]};
	take_step(search, from, &step);
}

static void look_at(struct search *search, size_t b)
{
	size_t n_left = search->network->n_block - b;
	uint32_t max = (uint32_t)min_u64(search->wish->max_block, n_left);
	for (uint32_t n = 2; n <= max; n++) {
		struct chain *chain = &search->chain[n];
		chain->known = 0;
		chain->reason = fuse_group_make(search->network, b, n, &chain->group);
		search->plan->n_chain[best_of(search, chain, 0)]++;
	}
	for (const struct state *state = search->at[b]; state; state = state->next) {
		go_alone(search, b, state);
		for (uint32_t n = 2; n <= max && !stop_after(&search->watch, 1); n++)
			go_fused(search, &search->chain[n], state);
	}
}

static bool unwind(struct search *search)
{
	const struct state *best = NULL;
	struct fuse_plan *plan = search->plan;
	for (const struct state *state = search->at[search->network->n_block]; state; state = state->next)
		if (!best || is_better_state(state, best))
			best = state;
	if (!best)
		return false;
	plan->n_step = best->n_step;
	plan->dram_byte = best->dram_byte;
	plan->n_mac = best->n_mac;
	plan->step = arena_array(search->arena, plan->n_step + 1, sizeof(*plan->step));
	if (!plan->step)
		return false;
	for (size_t i = plan->n_step; i > 0; best = best->before)
		plan->step[--i] = best->step;
	return true;
}

enum err_code fuse_search(const struct network *network, const struct fuse_wish *wish, struct arena *arena,
                          struct fuse_plan *plan, struct err *err)
{
	size_t n = network->n_block;
	struct search search = {.network = network, .wish = wish, .arena = arena, .plan = plan, .has_memory = true};
	const struct state first = {.n_step = 0};
	assert(wish->max_block >= 1 && wish->max_block <= FUSE_MAX_BLOCK);
	*plan = (struct fuse_plan){0};
	if (wish->machine->target == MACHINE_SYSTOLIC)
		return err_add(err, ERR_INFEASIBLE, "%s is a systolic array; groups are fused in PEs",
		               wish->machine->name);
	hierarchy_derive(wish->machine, &search.hierarchy);
	plan->n_pe = search.hierarchy.n_pe;
	plan->storage_byte = search.hierarchy.storage_byte;
	search.watch = stop_watch_for(wish->stop);
	search.at = arena_array(arena, n + 1, sizeof(*search.at));
	search.last_near = arena_array(arena, n + 1, sizeof(*search.last_near));
	search.needs_dram = arena_array(arena, n + 1, sizeof(*search.needs_dram));
	search.chain = arena_array(arena, FUSE_MAX_BLOCK + 1, sizeof(*search.chain));
	search.has_memory = search.at && search.last_near && search.needs_dram && search.chain;
	if (search.has_memory) {
		find_readers(&search);
		add_state(&search, 0, &first);
	}
	for (size_t b = 0; b < n && search.has_memory && !search.watch.has_come; b++)
		look_at(&search, b);
	if (search.watch.has_come)
		return err_add(err, ERR_INTERRUPTED, "interrupted; nothing was written");
	if (!search.has_memory || !unwind(&search))
		return err_add(err, ERR_INTERNAL, "out of memory");
	return ERR_OK;
}
