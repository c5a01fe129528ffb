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

/* Routers of the queue's QPEs on the way to the furthest QPE of the mesh: those beyond it take no part in reuse. */
static uint32_t count_routers(const struct mesh *mesh)
{
	uint32_t most = 1;
	for (uint32_t to = 0; to < mesh->w * mesh->h; to++) {
		uint32_t n = 1;
		if (mesh_near_dram(mesh, to) != 0)
			continue;
		for (uint32_t at = mesh_dram_port(mesh, 0, to); at != to; at = mesh_next(mesh, at, to))
			n += mesh_near_dram(mesh, at) == 0;
		most = n > most ? n : most;
	}
	return most;
}

/* Meshes are so large that this never binds where QPEs are told apart. */
static uint8_t narrow(uint32_t n_hop)
{
	return n_hop < UINT8_MAX ? (uint8_t)n_hop : UINT8_MAX;
}

/* A load: command to the interface, packets, report, the task's command; a write: packets, and the interface's report.
 */
static void count_hops(const struct mesh *mesh, uint32_t qpe, uint32_t index, struct queue_place *place)
{
	uint32_t port = mesh_dram_port(mesh, 0, qpe), agent = mesh_agent(mesh, qpe);
	uint32_t to_agent = mesh_n_hop(mesh, qpe, agent), to_port = mesh_n_hop(mesh, qpe, port);
	uint32_t command = mesh_n_hop(mesh, mesh_agent(mesh, port), port);
	place->load_hop[index] = narrow(command + to_port + 2 * to_agent);
	uint32_t report_agent = mesh_agent(mesh, port), report_port = mesh_dram_port(mesh, 0, report_agent);
	place->write_hop[index] = narrow(to_port + mesh_n_hop(mesh, report_port, report_agent));
}

void queue_place_derive(const struct machine *machine, struct queue_place *place)
{
	struct mesh mesh;
	uint32_t qpe[QUEUE_MAX_QPE], n_qpe = 0;
	mesh_derive(machine, &mesh);
	*place = (struct queue_place){.n_router = count_routers(&mesh)};
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
		count_hops(&mesh, qpe[i], i, place);
	}
}
