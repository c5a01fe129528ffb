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

static void add_way(struct noc_way *sum, const struct noc_way *way, uint32_t n)
{
	sum->dram += way->dram * n;
	sum->tell += way->tell * n;
	sum->agent += way->agent * n;
}

static struct noc_way mean_of(const struct noc_way *sum, uint32_t n)
{
	return (struct noc_way){sum->dram / n, sum->tell / n, sum->agent / n};
}

static void derive(const struct mesh *mesh, uint32_t n_pe, struct noc_ways *ways)
{
	struct noc_way sum[NOC_MAX_WAY + 1] = {{0}}, all = {0};
	uint32_t n[NOC_MAX_WAY + 1] = {0}, n_all = 0;
	uint32_t n_taken[NOC_MAX_QUEUE] = {0}; /* PEs of each queue, in the order in which they take the first jobs */
	bool tells_apart = mesh->n_dram <= NOC_MAX_QUEUE;
	*ways = (struct noc_ways){.n_pe = n_pe};
	for (uint32_t qpe = 0; qpe < mesh->n_qpe; qpe++) {
		/* PEs of one QPE serve one queue, or each its own */
		uint32_t n_alike = mesh->deals_near ? n_pe : 1;
		for (uint32_t z = 0; z < n_pe; z += n_alike) {
			uint32_t queue = mesh_queue(mesh, n_pe, qpe * n_pe + z);
			struct noc_way way = way_of(mesh, queue, qpe);
			uint32_t at = tells_apart ? n_taken[queue] / n_pe : NOC_MAX_WAY;
			at = at < NOC_MAX_WAY ? at : NOC_MAX_WAY;
			if (tells_apart)
				n_taken[queue] += n_alike;
			add_way(&sum[at], &way, n_alike);
			n[at] += n_alike;
		}
	}
	for (uint32_t i = 0; i < NOC_MAX_WAY + 1; i++) {
		add_way(&all, &sum[i], 1);
		n_all += n[i];
		if (i < NOC_MAX_WAY && n[i] > 0)
			ways->first[ways->n++] = mean_of(&all, n_all);
	}
	assert(n_all > 0);
	ways->all = mean_of(&all, n_all);
}

/* What a thread asked for last: every layer of a machine, and every path of a chip too large to be followed, asks. */
static _Thread_local struct {
	struct mesh mesh;
	struct noc_ways ways;
} last;

void noc_ways_derive(const struct machine *machine, struct noc_ways *ways)
{
	struct mesh mesh;
	mesh_derive(machine, &mesh);
	if (last.ways.n_pe != machine->qpe_n_pe || last.mesh.w != mesh.w || last.mesh.h != mesh.h ||
	    last.mesh.n_qpe != mesh.n_qpe || last.mesh.n_dram != mesh.n_dram) {
		derive(&mesh, machine->qpe_n_pe, &last.ways);
		last.mesh = mesh;
	}
	*ways = last.ways;
}
