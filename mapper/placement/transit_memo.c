/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transits that were worked out, for all threads and all machines: a table of the process, as patterns recur from layer
 * to layer and from machine to machine. What is in it follows from the key alone, so no result depends on who came
 * first or whether it was there. Rows are chained, and stay as they are until transit_forget; threads that want the
 * same at the same time may each add a row with the same paths. A row takes half a KiB, a network some hundred of them
 * for each mesh and step of its clocks.
 */
#include "mapper/placement/transit_parts.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define N_CHAIN 4096 /* a network on a machine uses some hundred rows of half a KiB */

struct transit_key {
	struct transit_mesh mesh;
	struct transit transit;
};

struct row {
	struct row *next;
	struct transit_key key;
	struct flow_paths paths;
};

static _Atomic(struct row *) memo[N_CHAIN];
static atomic_bool is_out; /* memory was out for a row */

/* What there is no memory for takes longer than can be counted. */
static const struct flow_paths lost = {.chain = {{[FLOW_COST_COPY] = 0x1p60F}}, .router = 0x1p60F};

static uint64_t hash_key(const struct transit_key *key)
{
	const struct transit *p = &key->transit;
	const struct transit_mesh *m = &key->mesh;
	uint64_t flags = (uint64_t)p->kind << 2 | (uint64_t)p->in_storage << 1 | (uint64_t)p->is_source;
	uint64_t a = (uint64_t)p->n_set << 48 ^ (uint64_t)p->n_slot << 32 ^ (uint64_t)p->n_resident << 16 ^ p->n_block;
	uint64_t b = (uint64_t)p->n_filter << 40 ^ (uint64_t)p->n_half << 32 ^ (uint64_t)p->n_user << 16 ^ flags;
	uint64_t c = (uint64_t)m->mesh_w << 48 ^ (uint64_t)m->mesh_h << 40 ^ (uint64_t)m->n_storage << 24 ^
	             (uint64_t)m->n_dram << 12 ^ (uint64_t)m->n_pe << 4 ^ m->is_chip;
	c ^= (uint64_t)(uint16_t)m->noc[0] << 32 ^ (uint64_t)(uint16_t)m->dram << 16 ^ (uint64_t)m->router_packet << 56;
	uint64_t hash = (a ^ b * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);
	hash = (hash ^ hash >> 29 ^ c) * UINT64_C(0x94d049bb133111eb);
	return hash ^ hash >> 32;
}

static bool is_equal(const struct transit_key *a, const struct transit_key *b)
{
	const struct transit *p = &a->transit, *q = &b->transit;
	return p->kind == q->kind && p->n_set == q->n_set && p->n_slot == q->n_slot && p->n_resident == q->n_resident &&
	       p->n_block == q->n_block && p->n_filter == q->n_filter && p->n_dealt == q->n_dealt &&
	       p->n_half == q->n_half && p->n_user == q->n_user && p->in_storage == q->in_storage &&
	       p->is_source == q->is_source && memcmp(&a->mesh, &b->mesh, sizeof(a->mesh)) == 0;
}

/* NULL: no memory. */
static struct row *make_row(const struct machine *machine, const struct transit_key *key)
{
	struct row *row = malloc(sizeof(*row));
	if (!row || !transit_find(machine, &key->mesh, &key->transit, &row->paths)) {
		free(row);
		atomic_store(&is_out, true);
		return NULL;
	}
	row->key = *key;
	return row;
}

const struct flow_paths *transit_paths(const struct machine *machine, const struct transit_mesh *mesh,
                                       const struct transit *transit)
{
	const struct transit_key key = {*mesh, *transit};
	_Atomic(struct row *) *chain = &memo[hash_key(&key) % N_CHAIN];
	struct row *first = atomic_load_explicit(chain, memory_order_acquire);
	for (const struct row *row = first; row; row = row->next)
		if (is_equal(&row->key, &key))
			return &row->paths;
	struct row *row = make_row(machine, &key);
	if (!row)
		return &lost;
	do
		row->next = first;
	while (!atomic_compare_exchange_weak_explicit(chain, &first, row, memory_order_release, memory_order_relaxed));
	return &row->paths;
}

bool transit_is_out(void)
{
	return atomic_load(&is_out);
}

void transit_forget(void)
{
	for (size_t i = 0; i < N_CHAIN; i++) {
		struct row *next;
		for (struct row *row = atomic_exchange(&memo[i], NULL); row; row = next) {
			next = row->next;
			free(row);
		}
	}
	atomic_store(&is_out, false);
}
