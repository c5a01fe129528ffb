/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transits that were worked out, for all threads and all machines, as patterns recur from layer to layer and from
 * machine to machine. What a row says follows from its key alone, so no result depends on who came first or whether it
 * was there.
 *
 *   table   rows in chains, that stay as they are until the last holder lets go; threads that want the same at the same
 *           time may each add a row with the same paths. A row takes half a KiB, a network some hundred of them for
 *           each mesh and step of its clocks.
 *   own     where the table is full: the rows that a thread used last, enough for most layers' designs, and for a
 *           program that is looked at while another one is made, as the event tier does of a program that it runs
 */
#include "mapper/placement/transit_parts.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define N_CHAIN 32768 /* a network on a machine uses some hundred rows, a sensitivity some ten thousand */

/* Of meetings the kind of the transit is N_TRANSIT, and the rest 0; of transits the meeting is. */
struct transit_key {
	struct transit_mesh mesh;
	struct transit transit;
	struct meeting_spec meeting;
};

struct row {
	struct row *next;
	struct transit_key key;
	struct flow_paths paths;
	struct meeting *meeting; /* of N_TRANSIT, which has no paths */
};

static struct {
	_Atomic(struct row *) chain[N_CHAIN];
	atomic_size_t n_byte, max_byte;
	atomic_bool is_out; /* memory was out for a row */
	pthread_mutex_t mutex;
	size_t n_holder;
} table = {.max_byte = TRANSIT_MAX_BYTE, .mutex = PTHREAD_MUTEX_INITIALIZER};

/* Of a thread that was once refused room in the table: allocated, as threads may have small stacks. */
struct own {
	struct row row[TRANSIT_N_OWN];
	uint64_t hash[TRANSIT_N_OWN];
	uint64_t used[TRANSIT_N_OWN], n_use; /* used: the thread's n-th use; 0: the row is empty */
};
static pthread_key_t own_key;
static pthread_once_t own_once = PTHREAD_ONCE_INIT;
static bool has_own_key;

/* What there is no memory for takes longer than can be counted. */
static const struct flow_paths lost = {.chain = {{[FLOW_COST_COPY] = 0x1p60F}}, .router = 0x1p60F, .n_op = 1};
static const struct meeting lost_meeting = {.n_lockstep = UINT64_C(1) << 48};

static uint64_t hash_key(const struct transit_key *key)
{
	const struct transit *p = &key->transit;
	const struct transit_mesh *m = &key->mesh;
	const struct meeting_spec *q = &key->meeting;
	uint64_t flags = (uint64_t)p->kind << 2 | (uint64_t)p->in_storage << 1 | (uint64_t)p->is_source;
	uint64_t a = (uint64_t)p->n_set << 48 ^ (uint64_t)p->n_slot << 32 ^ (uint64_t)p->n_resident << 16 ^ p->n_block;
	uint64_t b = (uint64_t)p->n_filter << 40 ^ (uint64_t)p->n_half << 32 ^ (uint64_t)p->n_user << 16 ^ flags;
	uint64_t c = (uint64_t)m->mesh_w << 48 ^ (uint64_t)m->mesh_h << 40 ^ (uint64_t)m->n_storage << 24 ^
	             (uint64_t)m->n_dram << 12 ^ (uint64_t)m->n_pe << 4 ^ m->is_chip;
	const struct transit_sizes *s = &p->sizes;
	a ^= (uint64_t)s->n_w << 40 ^ (uint64_t)s->packet << 52 ^ (uint64_t)s->n_large_w << 24 ^
	     (uint64_t)s->small_w << 8 ^ s->n_share;
	b ^= (uint64_t)s->n_h << 56 ^ (uint64_t)s->n_large_h << 44 ^ (uint64_t)s->n_row << 36 ^
	     (uint64_t)s->small_h << 28;
	a ^= (uint64_t)q->n_set << 48 ^ (uint64_t)q->n_slot << 32 ^ (uint64_t)q->n_resident << 16 ^ q->n_group;
	b ^= (uint64_t)q->n_filter << 40 ^ (uint64_t)q->n_share << 16 ^ (uint64_t)q->in_storage << 1;
	c ^= (uint64_t)(uint16_t)m->noc[0] << 32 ^ (uint64_t)(uint16_t)m->dram << 16 ^ (uint64_t)m->router_packet << 56;
	uint64_t hash = (a ^ b * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);
	hash = (hash ^ hash >> 29 ^ c) * UINT64_C(0x94d049bb133111eb);
	return hash ^ hash >> 32;
}

static bool is_equal_meeting(const struct meeting_spec *p, const struct meeting_spec *q)
{
	return p->n_set == q->n_set && p->n_slot == q->n_slot && p->n_resident == q->n_resident &&
	       p->n_share == q->n_share && p->n_group == q->n_group && p->n_filter == q->n_filter &&
	       p->n_dealt == q->n_dealt && p->n_stride == q->n_stride && p->in_storage == q->in_storage &&
	       p->is_apart == q->is_apart;
}

static bool is_equal(const struct transit_key *a, const struct transit_key *b)
{
	const struct transit *p = &a->transit, *q = &b->transit;
	return p->kind == q->kind && p->n_set == q->n_set && p->n_slot == q->n_slot && p->n_resident == q->n_resident &&
	       p->n_block == q->n_block && p->n_filter == q->n_filter && p->n_dealt == q->n_dealt &&
	       p->n_half == q->n_half && p->n_user == q->n_user && p->in_storage == q->in_storage &&
	       p->is_source == q->is_source && memcmp(&p->sizes, &q->sizes, sizeof(p->sizes)) == 0 &&
	       memcmp(&a->mesh, &b->mesh, sizeof(a->mesh)) == 0 &&
	       (p->kind != N_TRANSIT || is_equal_meeting(&a->meeting, &b->meeting));
}

static void free_own(void *memory)
{
	struct own *own = memory;
	for (size_t i = 0; own && i < TRANSIT_N_OWN; i++)
		free(own->row[i].meeting);
	free(own);
}

static void make_own_key(void)
{
	has_own_key = pthread_key_create(&own_key, free_own) == 0;
}

/* What a row keeps of its key; false: no memory, and then the row has nothing to be freed. */
static bool fill_row(const struct machine *machine, const struct transit_key *key, struct row *row)
{
	row->key = *key;
	row->meeting = NULL;
	if (key->transit.kind != N_TRANSIT)
		return transit_find(machine, &key->mesh, &key->transit, &row->paths);
	row->meeting = meeting_build(machine, &key->meeting);
	return row->meeting != NULL;
}

/* The thread's own rows, which end with it; NULL: no memory. */
static struct own *get_own(void)
{
	(void)pthread_once(&own_once, make_own_key);
	struct own *own = has_own_key ? pthread_getspecific(own_key) : NULL;
	if (own || !has_own_key || !(own = calloc(1, sizeof(*own))) || pthread_setspecific(own_key, own) == 0)
		return own;
	free(own);
	return NULL;
}

/* Of the thread's rows the key's, which may take the place of the one that was not used for longest; NULL: no memory.
 */
static const struct row *own_row(const struct machine *machine, const struct transit_key *key, uint64_t hash)
{
	struct own *own = get_own();
	size_t at = 0;
	for (size_t i = 0; own && i < TRANSIT_N_OWN; i++) {
		if (own->hash[i] == hash && own->used[i] > 0 && is_equal(&own->row[i].key, key)) {
			own->used[i] = ++own->n_use;
			return &own->row[i];
		}
		at = own->used[i] < own->used[at] ? i : at;
	}
	if (own) {
		own->used[at] = 0;
		free(own->row[at].meeting);
		own->row[at].meeting = NULL;
	}
	if (!own || !fill_row(machine, key, &own->row[at])) {
		atomic_store(&table.is_out, true);
		return NULL;
	}
	own->hash[at] = hash;
	own->used[at] = ++own->n_use;
	return &own->row[at];
}

/* Take so many bytes of the table's; false: it has not as many. */
static bool take_byte(size_t n_byte)
{
	if (atomic_fetch_add(&table.n_byte, n_byte) + n_byte <= atomic_load(&table.max_byte))
		return true;
	atomic_fetch_sub(&table.n_byte, n_byte);
	return false;
}

/* A new row of the table; NULL: there is no room for it. */
static struct row *make_row(const struct machine *machine, const struct transit_key *key)
{
	struct row *row = NULL;
	if (!take_byte(sizeof(*row)))
		return NULL;
	row = malloc(sizeof(*row));
	bool is_filled = row && fill_row(machine, key, row);
	if (is_filled && (!row->meeting || take_byte(meeting_byte(row->meeting))))
		return row;
	if (is_filled)
		free(row->meeting);
	free(row);
	atomic_fetch_sub(&table.n_byte, sizeof(*row));
	return NULL;
}

/* The key's row; NULL: no memory. */
static const struct row *find_row(const struct machine *machine, const struct transit_key *key)
{
	const uint64_t hash = hash_key(key);
	_Atomic(struct row *) *chain = &table.chain[hash % N_CHAIN];
	struct row *first = atomic_load_explicit(chain, memory_order_acquire);
	for (const struct row *row = first; row; row = row->next)
		if (is_equal(&row->key, key))
			return row;
	struct row *row = make_row(machine, key);
	if (!row)
		return own_row(machine, key, hash);
	do
		row->next = first;
	while (!atomic_compare_exchange_weak_explicit(chain, &first, row, memory_order_release, memory_order_relaxed));
	return row;
}

const struct flow_paths *transit_paths(const struct machine *machine, const struct transit_mesh *mesh,
                                       const struct transit *transit)
{
	const struct transit_key key = {.mesh = *mesh, .transit = *transit};
	assert(transit->kind < N_TRANSIT);
	const struct row *row = find_row(machine, &key);
	return row ? &row->paths : &lost;
}

const struct meeting *transit_meeting(const struct machine *machine, const struct transit_mesh *mesh,
                                      const struct meeting_spec *spec)
{
	struct transit_key key = {.transit = {.kind = N_TRANSIT}, .meeting = *spec};
	assert(meeting_serves(machine));
	/* who is where, and which way results go, does not depend on clocks and routers */
	key.mesh.mesh_w = mesh->mesh_w;
	key.mesh.mesh_h = mesh->mesh_h;
	key.mesh.n_qpe = mesh->n_qpe;
	key.mesh.n_storage = mesh->n_storage;
	key.mesh.n_dram = mesh->n_dram;
	key.mesh.n_pe = mesh->n_pe;
	key.mesh.is_chip = mesh->is_chip;
	const struct row *row = find_row(machine, &key);
	return row ? row->meeting : &lost_meeting;
}

bool transit_is_out(void)
{
	return atomic_load(&table.is_out);
}

void transit_set_bound(size_t max_byte)
{
	atomic_store(&table.max_byte, max_byte);
}

/* ---- holders ---- */

void transit_hold(void)
{
	(void)pthread_mutex_lock(&table.mutex);
	table.n_holder++;
	(void)pthread_mutex_unlock(&table.mutex);
}

static void forget_rows(void)
{
	for (size_t i = 0; i < N_CHAIN; i++) {
		struct row *next;
		for (struct row *row = atomic_exchange(&table.chain[i], NULL); row; row = next) {
			next = row->next;
			free(row->meeting);
			free(row);
		}
	}
	atomic_store(&table.n_byte, 0);
	atomic_store(&table.is_out, false);
	(void)pthread_once(&own_once, make_own_key);
	if (has_own_key) {
		free_own(pthread_getspecific(own_key));
		(void)pthread_setspecific(own_key, NULL);
	}
}

/* Who holds the table next waits here until all rows are gone. */
void transit_release(void)
{
	(void)pthread_mutex_lock(&table.mutex);
	assert(table.n_holder > 0);
	if (--table.n_holder == 0)
		forget_rows();
	(void)pthread_mutex_unlock(&table.mutex);
}
