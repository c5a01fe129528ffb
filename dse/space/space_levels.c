/* SPDX-License-Identifier: Apache-2.0 */
/* Operating points that layers may mix, and whether a chip's power lanes supply all that rules allow. */
#include "dse/space/space_parts.h"
#include "sim/machine/energy.h"
#include "sim/program/mixed.h"
#include <assert.h>
#include <string.h>

static const struct space_axis *find_axis(const struct space *space, const char *key)
{
	for (size_t i = 0; i < space->n_axis; i++)
		if (strcmp(space->axis[i].param->key, key) == 0)
			return &space->axis[i];
	return NULL;
}

static bool is_axis(const struct space *space, const char *key)
{
	return find_axis(space, key) != NULL;
}

/* Operating points that some layer may run at. */
static uint32_t levels_of(const struct space *space)
{
	uint32_t allowed = 0;
	for (size_t i = 0; i < space->n_network; i++)
		for (size_t k = 0; k < space->network[i].network.n_block; k++)
			allowed |= space->network[i].choice[k].level_mask;
	return allowed;
}

bool space_lacks_lanes(const struct space *space, size_t machine)
{
	const struct machine *own = &space->machine[machine];
	assert(machine < space->n_machine);
	if (own->dvfs_lanes > 0 || is_axis(space, "dvfs.lanes") || is_axis(space, "dvfs.n_lane"))
		return false;
	return !energy_lanes_suffice(own, levels_of(space));
}

/* Layers of one chip run at no more voltages than it has lanes; which ones is the user's choice, or an axis. */
static void check_lanes(struct space_reader *reader)
{
	const struct space *space = reader->space;
	for (size_t i = 0; i < space->n_machine && reader->networks_complete; i++) {
		const struct machine *machine = &space->machine[i];
		if (!space_lacks_lanes(space, i))
			continue;
		(void)doc_refuse(
		    reader->err, reader->root,
		    "layers may run at more voltages than %s has power lanes (dvfs.n_lane = %u): if it has "
		    "more, say so in "
		    "its file (dvfs: {n_lane: %u}); else allow fewer with 'level', or choose between them with "
		    "an axis, "
		    "e.g. dvfs.lanes: [3, 5, 6]",
		    machine->name, machine->dvfs_n_lane, energy_n_lane(machine, levels_of(space)));
	}
}

/*
 * A space's machine has the mixtures of one of its domains, by PE or QPE if any is: who looks at it alone takes it for
 * what all candidates may be. space_machine gives each candidate those of its own domain, for which there is room.
 */
static enum err_code offer_mixtures(struct machine *machine, const struct space_axis *domain, uint32_t n_share,
                                    struct err *err)
{
	struct machine kept = *machine;
	enum err_code code = domain ? ERR_OK : mixed_offer(&kept, n_share, err);
	for (size_t i = 0; domain && i < domain->n && code == ERR_OK; i++) {
		struct machine own = *machine;
		code = machine_set_param(&own, domain->param, domain->value[i], err);
		code = code == ERR_OK ? mixed_offer(&own, n_share, err) : code;
		if (i == 0 || mixed_is_by_pe(&own))
			kept = own;
	}
	if (code == ERR_OK)
		*machine = kept;
	return code;
}

/* Operating points that are added: indices that rules know stay. */
void space_read_level_shares(struct space_reader *reader)
{
	const struct doc_node *node = doc_find(reader->root, "level_shares");
	struct space *space = reader->space;
	uint64_t n_share;
	check_lanes(reader);
	(void)doc_get_bool(doc_find(reader->root, "level_changes"), "level_changes", &space->level_changes,
	                   reader->err);
	if (doc_get_u64(node, "level_shares", 2, MACHINE_MAX_LEVEL - 1, &n_share, reader->err))
		space->level_shares = (uint32_t)n_share;
	for (size_t i = 0; i < space->n_machine && reader->err->n_message == 0; i++) {
		struct err part = {0};
		(void)offer_mixtures(&space->machine[i], find_axis(space, "dvfs.domain"), space->level_shares, &part);
		(void)err_move(reader->err, doc_place(node ? node : reader->root), &part);
	}
}
