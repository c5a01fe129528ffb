/* SPDX-License-Identifier: Apache-2.0 */
/* Places and routes in the mesh of QPEs. */
#include "sim/machine/mesh.h"
#include "sim/base/checked.h"
#include <assert.h>

/* Whether each interface is next to some QPE: its rows are of the mesh, and there is a right half, where it is needed. */
static bool deals_near(const struct mesh *mesh)
{
	return ceil_div(mesh->n_dram, 2) <= mesh->h && (mesh->n_dram == 1 || mesh->w > 1);
}

void mesh_derive(const struct machine *machine, struct mesh *mesh)
{
	bool is_qpe = machine->target != MACHINE_CHIP;
	mesh->w = is_qpe ? 1 : machine->chip.mesh_w;
	mesh->h = is_qpe ? 1 : machine->chip.mesh_h;
	mesh->n_qpe = is_qpe ? 1 : machine->chip.n_qpe;
	mesh->n_dram = machine->dram_n;
	assert(mesh->w > 0 && mesh->h > 0 && mesh->n_dram > 0 && mesh->n_qpe >= mesh->w * mesh->h);
	uint32_t n_pair = (uint32_t)ceil_div(mesh->n_dram, 2);
	mesh->n_row_group = n_pair < mesh->h ? n_pair : mesh->h;
	mesh->deals_near = deals_near(mesh);
}

/* The k-th QPE beyond the mesh: columns from the left and from the right in turn, then the next row. */
static uint32_t beyond_x(const struct mesh *mesh, uint32_t k)
{
	uint32_t in_row = k % mesh->w;
	return in_row % 2 ? mesh->w - 1 - in_row / 2 : in_row / 2;
}

uint32_t mesh_x(const struct mesh *mesh, uint32_t qpe)
{
	uint32_t n_full = mesh->w * mesh->h;
	assert(qpe < mesh->n_qpe);
	return qpe < n_full ? qpe % mesh->w : beyond_x(mesh, qpe - n_full);
}

uint32_t mesh_y(const struct mesh *mesh, uint32_t qpe)
{
	assert(qpe < mesh->n_qpe);
	return qpe / mesh->w;
}

uint32_t mesh_qpe_at(const struct mesh *mesh, uint32_t x, uint32_t y)
{
	assert(x < mesh->w && y < mesh->h);
	return y * mesh->w + x;
}

/* Beyond the mesh QPEs know only the column they hang on. */
static uint32_t above(const struct mesh *mesh, uint32_t qpe)
{
	uint32_t y = mesh_y(mesh, qpe);
	assert(y >= mesh->h);
	return y == mesh->h ? mesh_qpe_at(mesh, mesh_x(mesh, qpe), mesh->h - 1) : qpe - mesh->w;
}

uint32_t mesh_next(const struct mesh *mesh, uint32_t from, uint32_t to)
{
	assert(from != to);
	uint32_t x = mesh_x(mesh, from), y = mesh_y(mesh, from);
	uint32_t to_x = mesh_x(mesh, to), to_y = mesh_y(mesh, to);
	if (y >= mesh->h && (x != to_x || to_y < y))
		return above(mesh, from);
	if (x != to_x)
		return mesh_qpe_at(mesh, x < to_x ? x + 1 : x - 1, y);
	if (to_y < y)
		return mesh_qpe_at(mesh, x, y - 1);
	if (y + 1 < mesh->h)
		return mesh_qpe_at(mesh, x, y + 1);
	/* Down a column beyond the mesh: the QPE of the next row that hangs on the same column. */
	uint32_t next = to;
	while (mesh_y(mesh, next) > y + 1)
		next = above(mesh, next);
	return next;
}

static uint32_t n_apart(uint32_t a, uint32_t b)
{
	return a > b ? a - b : b - a;
}

/* As many as mesh_next makes: X, then Y; from beyond the mesh to another column first up to its last row. */
uint32_t mesh_n_hop(const struct mesh *mesh, uint32_t from, uint32_t to)
{
	uint32_t x = mesh_x(mesh, from), y = mesh_y(mesh, from), to_x = mesh_x(mesh, to), n_up = 0;
	if (y >= mesh->h && x != to_x) {
		n_up = y - (mesh->h - 1);
		y = mesh->h - 1;
	}
	return n_up + n_apart(x, to_x) + n_apart(y, mesh_y(mesh, to));
}

/* Rows of a group of interfaces: first .. last. */
static void group_rows(const struct mesh *mesh, uint32_t group, uint32_t *first, uint32_t *last)
{
	*first = mesh->h * group / mesh->n_row_group;
	*last = mesh->h * (group + 1) / mesh->n_row_group - 1;
}

uint32_t mesh_dram_port(const struct mesh *mesh, uint32_t dram, uint32_t qpe)
{
	uint32_t first, last, y = mesh_y(mesh, qpe);
	assert(dram < mesh->n_dram);
	group_rows(mesh, dram / 2 % mesh->n_row_group, &first, &last);
	y = y < first ? first : y > last ? last : y;
	return mesh_qpe_at(mesh, dram % 2 ? mesh->w - 1 : 0, y);
}

uint32_t mesh_near_dram(const struct mesh *mesh, uint32_t qpe)
{
	/* the first group whose last row is not above the QPE's; QPEs beyond the mesh are the last one's */
	uint64_t n_group = ceil_div((mesh_y(mesh, qpe) + UINT64_C(1)) * mesh->n_row_group, mesh->h);
	uint32_t group = (uint32_t)(n_group < mesh->n_row_group ? n_group : mesh->n_row_group) - 1;
	uint32_t side = mesh->n_dram > 1 && 2 * mesh_x(mesh, qpe) >= mesh->w;
	uint32_t dram = 2 * group + side;
	return dram < mesh->n_dram ? dram : mesh->n_dram - 1;
}

uint32_t mesh_queue(const struct mesh *mesh, uint32_t n_pe, uint32_t pe)
{
	uint64_t n_all = (uint64_t)mesh->n_qpe * n_pe, n_queue = mesh->n_dram < n_all ? mesh->n_dram : n_all;
	assert(pe < n_all);
	return mesh->deals_near ? mesh_near_dram(mesh, pe / n_pe) : (uint32_t)(pe * n_queue / n_all);
}

uint32_t mesh_agent(const struct mesh *mesh, uint32_t qpe)
{
	uint32_t x = mesh_x(mesh, qpe), y = mesh_y(mesh, qpe);
	uint32_t mid_x = mesh->w / 2, mid_y = mesh->h / 2;
	uint32_t agent_x = x < mid_x ? mid_x - 1 : mid_x, agent_y = y < mid_y ? mid_y - 1 : mid_y;
	return mesh_qpe_at(mesh, agent_x, agent_y);
}
