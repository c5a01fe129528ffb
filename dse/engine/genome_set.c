/* SPDX-License-Identifier: Apache-2.0 */
/* Open addressing with linear probing, at most 2/3 full. */
#include "dse/engine/genome_set.h"
#include "sim/base/hash.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define EMPTY UINT64_MAX /* no key: numbers are smaller, hashes are made to be */

enum { FIRST_SLOT = 1024 };

struct key {
	uint64_t low, high;
};

void genome_set_init(struct genome_set *set, const struct problem *problem)
{
	*set = (struct genome_set){.problem = problem, .numbered = problem_size(problem) < UINT64_MAX};
}

void genome_set_free(struct genome_set *set)
{
	free(set->low);
	free(set->high);
	genome_set_init(set, set->problem);
}

static struct key make_key(const struct genome_set *set, const uint32_t *genome)
{
	const struct problem *problem = set->problem;
	struct key key = {0, 0};
	if (!set->numbered) {
		size_t n_byte = problem->n_gene * sizeof(*genome);
		key = (struct key){hash_bytes(genome, n_byte, 1), hash_bytes(genome, n_byte, 2)};
		key.low -= key.low == EMPTY;
		return key;
	}
	for (size_t i = 0; i < problem->n_gene; i++) {
		assert(genome[i] < problem->n_value[i]);
		key.low = key.low * problem->n_value[i] + genome[i];
	}
	assert(key.low != EMPTY);
	return key;
}

/* The slot that holds the key, or the empty one where it belongs. */
static uint64_t find_slot(const struct genome_set *set, struct key key)
{
	/* Numbers of neighbours differ in few bits; the finaliser of SplitMix64 spreads them. */
	uint64_t spread = (key.low ^ key.low >> 30) * 0xbf58476d1ce4e5b9u;
	uint64_t slot = (spread ^ spread >> 27) * 0x94d049bb133111ebu >> 20 & (set->n_slot - 1);
	while (set->low[slot] != EMPTY && (set->low[slot] != key.low || (set->high && set->high[slot] != key.high)))
		slot = (slot + 1) & (set->n_slot - 1);
	return slot;
}

static bool grow_set(struct genome_set *set)
{
	struct genome_set larger = *set;
	larger.n_slot = set->n_slot ? 2 * set->n_slot : FIRST_SLOT;
	if (larger.n_slot > SIZE_MAX / (2 * sizeof(*set->low)))
		return false;
	larger.low = malloc(larger.n_slot * sizeof(*larger.low));
	larger.high = set->numbered ? NULL : malloc(larger.n_slot * sizeof(*larger.high));
	if (!larger.low || (!set->numbered && !larger.high)) {
		free(larger.low);
		free(larger.high);
		return false;
	}
	memset(larger.low, 0xff, larger.n_slot * sizeof(*larger.low));
	for (uint64_t i = 0; i < set->n_slot; i++) {
		if (set->low[i] == EMPTY)
			continue;
		struct key key = {set->low[i], set->high ? set->high[i] : 0};
		uint64_t slot = find_slot(&larger, key);
		assert(larger.low[slot] == EMPTY);
		larger.low[slot] = key.low;
		if (larger.high)
			larger.high[slot] = key.high;
	}
	free(set->low);
	free(set->high);
	*set = larger;
	return true;
}

static bool add_key(struct genome_set *set, struct key key)
{
	set->is_out = set->is_out || (set->n >= set->n_slot / 3 * 2 && !grow_set(set));
	uint64_t slot = set->is_out ? 0 : find_slot(set, key);
	if (set->is_out || set->low[slot] != EMPTY)
		return false;
	set->low[slot] = key.low;
	if (set->high)
		set->high[slot] = key.high;
	set->n++;
	assert(set->n < set->n_slot);
	return true;
}

bool genome_set_add(struct genome_set *set, const uint32_t *genome)
{
	return add_key(set, make_key(set, genome));
}

bool genome_set_walk(struct genome_set *set, uint32_t *next, bool *is_through, uint32_t *genome)
{
	const struct problem *problem = set->problem;
	bool is_new = false;
	while (!is_new && !set->is_out && !*is_through) {
		memcpy(genome, next, problem->n_gene * sizeof(*genome));
		is_new = genome_set_add(set, genome);
		size_t i = problem->n_gene;
		while (i > 0 && ++next[i - 1] == problem->n_value[i - 1])
			next[--i] = 0;
		*is_through = i == 0;
	}
	return is_new;
}

/* Keys only, in the order of their slots: where each lies in the set that reads them is its own business. */
void genome_set_pack(struct genome_set *set, struct pack *pack)
{
	uint64_t n = set->n;
	struct key key = {0, 0};
	pack_u64(pack, &n);
	if (!pack->is_reading) {
		for (uint64_t i = 0; i < set->n_slot; i++) {
			if (set->low[i] == EMPTY)
				continue;
			pack_u64(pack, &set->low[i]);
			if (set->high)
				pack_u64(pack, &set->high[i]);
		}
		return;
	}
	assert(set->n == 0);
	for (uint64_t i = 0; i < n && !pack->failed; i++) {
		pack_u64(pack, &key.low);
		if (!set->numbered)
			pack_u64(pack, &key.high);
		(void)pack_refuse(pack, key.low == EMPTY || !add_key(set, key));
	}
}
