/* SPDX-License-Identifier: Apache-2.0 */
/* Prices that outlive a run: all that a layer in one place has, under a key of everything that they depend on. */
#include "dse/price/price_parts.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Genes mean the same only where the same splits are offered, so the key is that of a search in the event tier. */
static bool make_key(const struct price_machine *machine, size_t task, struct front_key *key)
{
	struct layer_problem layer = machine->candidate.task[task].layer;
	char text[HASH_HEX_SIZE + 16];
	layer.detail = DETAIL_EVENT;
	if (!front_key_make(&layer, key))
		return false;
	int n = snprintf(text, sizeof(text), "prices %s", key->hex);
	hash_hex(text, (size_t)n, key->hex);
	return true;
}

static void pack_price(struct unrolled_design *own, uint32_t *gene, struct pack *pack)
{
	pack_u32s(pack, gene, N_LAYER_GENE);
	pack_u64(pack, &own->total_clk);
	pack_real(pack, &own->energy.mla_pj);
	pack_real(pack, &own->energy.sram_pj);
	pack_real(pack, &own->energy.noc_pj);
	pack_real(pack, &own->energy.dram_pj);
	pack_real(pack, &own->energy.arm_pj);
	pack_real(pack, &own->energy.awake_pj);
	pack_real(pack, &own->energy.switch_pj);
	pack_real(pack, &own->energy.static_pj);
	pack_real(pack, &own->energy.total_pj);
	pack_real(pack, &own->mac);
	pack_reals(pack, (double *)&own->use, sizeof(own->use) / sizeof(double));
	pack_real(pack, &own->uncertain.event_frac);
	pack_real(pack, &own->uncertain.reference_frac);
	pack_reals(pack, own->metric, N_METRIC);
}

static struct price_design *find_design(const struct price_machine *machine, size_t task, const uint32_t *gene)
{
	for (size_t i = machine->first[task]; i < machine->first[task + 1]; i++)
		if (memcmp(machine->design[i].gene, gene, sizeof(machine->design[i].gene)) == 0)
			return &machine->design[i];
	return NULL;
}

/* Bytes that one price takes. */
#define PRICE_BYTE                                                                             \
	(sizeof(uint32_t) * N_LAYER_GENE + sizeof(struct energy) + sizeof(struct energy_use) + \
	 sizeof(double) * (4 + N_METRIC))

/* What the store has of a task: prices of designs that are listed are noted, the others' bytes go to rest. */
static void read_task(struct price_machine *machine, size_t task, struct pack *pack, struct pack *rest)
{
	size_t n = 0;
	pack_count(pack, &n, PRICE_BYTE);
	for (size_t i = 0; i < n && !pack->failed; i++) {
		struct unrolled_design found = {0};
		uint32_t gene[N_LAYER_GENE] = {0};
		pack_price(&found, gene, pack);
		struct price_design *design = pack->failed ? NULL : find_design(machine, task, gene);
		if (design) {
			found.machine_index = design->own.machine_index;
			found.distinct = design->own.distinct;
			memcpy(found.gene, design->own.gene, sizeof(found.gene));
			found.design = design->own.design;
			design->known = found;
			design->is_known = true;
		} else if (!pack->failed) {
			pack_price(&found, gene, rest);
		}
	}
}

void price_take_known(struct price_machine *machine, const struct price_keeper *keeper)
{
	for (size_t task = 0; keeper->store && task < machine->candidate.n_task; task++) {
		struct front_key key;
		size_t n_byte;
		if (machine->first[task] == machine->first[task + 1] || !make_key(machine, task, &key))
			continue;
		uint8_t *data = keeper->take(keeper->store, &key, &n_byte);
		if (!data)
			continue;
		struct pack pack = pack_reader(data, n_byte), rest = {0};
		read_task(machine, task, &pack, &rest);
		pack_free(&rest);
		free(data);
	}
}

/* All prices of the task, of this run and of earlier ones; nothing where no price is new. */
static void keep_task(struct price_machine *machine, size_t task, const struct price_keeper *keeper)
{
	size_t n = 0, n_new = 0, n_byte = 0;
	struct front_key key;
	struct pack pack = {0}, rest = {0};
	for (size_t i = machine->first[task]; i < machine->first[task + 1]; i++) {
		n += machine->design[i].is_priced || machine->design[i].is_known;
		n_new += machine->design[i].is_priced && !machine->design[i].is_known;
	}
	if (n_new == 0 || !make_key(machine, task, &key))
		return;
	uint8_t *data = keeper->take(keeper->store, &key, &n_byte);
	if (data) {
		struct pack old = pack_reader(data, n_byte);
		read_task(machine, task, &old, &rest);
	}
	free(data);
	n += rest.n / PRICE_BYTE;
	pack_count(&pack, &n, PRICE_BYTE);
	for (size_t i = machine->first[task]; i < machine->first[task + 1]; i++) {
		struct price_design *design = &machine->design[i];
		if (design->is_priced || design->is_known)
			pack_price(design->is_priced ? &design->own : &design->known, design->gene, &pack);
	}
	pack_append(&pack, rest.data, rest.n);
	if (!pack.failed && !rest.failed)
		keeper->keep(keeper->store, &key, pack.data, pack.n);
	pack_free(&pack);
	pack_free(&rest);
}

void price_keep(struct price_machine *machine, const struct price_keeper *keeper)
{
	for (size_t task = 0; keeper->store && machine->first && task < machine->candidate.n_task; task++)
		keep_task(machine, task, keeper);
}
