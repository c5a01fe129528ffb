/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/machine/noc_way.h"
#include "sim/machine/mesh.h"
#include <assert.h>

static double n_router(const struct mesh *mesh, uint32_t from, uint32_t to)
{
	return 1.0 + mesh_n_hop(mesh, from, to);
}

static struct noc_way way_of(const struct mesh *mesh, uint32_t dram, uint32_t qpe)
{
	uint32_t port = mesh_dram_port(mesh, dram, qpe);
	return (struct noc_way){.dram = n_router(mesh, port, qpe),
	                        .tell = n_router(mesh, mesh_agent(mesh, port), port),
	                        .agent = n_router(mesh, mesh_agent(mesh, qpe), qpe)};
}

static void add_way(struct noc_way *sum, const struct noc_way *way)
{
	sum->dram += way->dram;
	sum->tell += way->tell;
	sum->agent += way->agent;
}

static struct noc_way mean_of(const struct noc_way *sum, uint32_t n)
{
	return (struct noc_way){sum->dram / n, sum->tell / n, sum->agent / n};
}

/* The PEs of a queue, in the order in which they take the first jobs; sum and n: of its i-th QPE full of PEs. */
static void add_queue(const struct mesh *mesh, uint32_t n_pe, uint32_t queue, struct noc_way *sum, uint32_t *n)
{
	uint32_t i = 0;
	for (uint32_t qpe = 0; qpe < mesh->n_qpe; qpe++) {
		struct noc_way way = {0};
		for (uint32_t z = 0; z < n_pe; z++) {
			if (mesh_queue(mesh, n_pe, qpe * n_pe + z) != queue)
				continue;
			if (way.dram == 0)
				way = way_of(mesh, queue, qpe);
			uint32_t at = i++ / n_pe < NOC_MAX_WAY ? (i - 1) / n_pe : NOC_MAX_WAY;
			add_way(&sum[at], &way);
			n[at]++;
		}
	}
}

void noc_ways_derive(const struct machine *machine, struct noc_ways *ways)
{
	struct mesh mesh;
	struct noc_way sum[NOC_MAX_WAY + 1] = {{0}}, all = {0};
	uint32_t n[NOC_MAX_WAY + 1] = {0}, n_all = 0;
	mesh_derive(machine, &mesh);
	*ways = (struct noc_ways){.n_pe = machine->qpe_n_pe};
	for (uint32_t queue = 0; queue < mesh.n_dram; queue++)
		add_queue(&mesh, machine->qpe_n_pe, queue, sum, n);
	for (uint32_t i = 0; i < NOC_MAX_WAY + 1 && n[i] > 0; i++) {
		add_way(&all, &sum[i]);
		n_all += n[i];
		if (i < NOC_MAX_WAY)
			ways->first[ways->n++] = mean_of(&all, n_all);
	}
	assert(n_all > 0);
	ways->all = mean_of(&all, n_all);
}
