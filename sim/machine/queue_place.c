/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/machine/queue_place.h"
#include "sim/machine/mesh.h"

static uint64_t pass_of(const struct mesh *mesh, const uint32_t *qpe, uint32_t n_qpe, uint32_t to)
{
	uint64_t pass = 0;
	for (uint32_t at = mesh_dram_port(mesh, 0, to);; at = mesh_next(mesh, at, to)) {
		for (uint32_t i = 0; i < n_qpe; i++)
			if (qpe[i] == at)
				pass |= UINT64_C(1) << i;
		if (at == to)
			return pass;
	}
}

void queue_place_derive(const struct machine *machine, struct queue_place *place)
{
	struct mesh mesh;
	uint32_t qpe[QUEUE_MAX_QPE], n_qpe = 0;
	mesh_derive(machine, &mesh);
	*place = (struct queue_place){.n_router = 1};
	for (uint32_t i = 0; i < mesh.n_qpe; i++) {
		if (mesh_near_dram(&mesh, i) != 0)
			continue;
		if (n_qpe == QUEUE_MAX_QPE)
			return;
		qpe[n_qpe++] = i;
	}
	place->n_qpe = n_qpe;
	for (uint32_t i = 0; i < n_qpe; i++) {
		place->pass[i] = pass_of(&mesh, qpe, n_qpe, qpe[i]);
		uint32_t n = 0;
		for (uint64_t pass = place->pass[i]; pass > 0; pass &= pass - 1)
			n++;
		place->n_router = n > place->n_router ? n : place->n_router;
	}
}
