/* SPDX-License-Identifier: Apache-2.0 */
/* Interpolation of tables of memories, and scaling of published figures of logic. */
#include "sim/technology/technology.h"
#include "sim/technology/technology_parts.h"
#include <assert.h>
#include <math.h>
#include <string.h>

#define UM2_PER_MM2 1e6

const char *const technology_cell[] = {"itrs-hp", "itrs-lop", "itrs-lstp", NULL};

/* ---- memories ---- */

/* How far x lies between a and b, by logarithms; 0 where they are one. */
static double part_between(double a, double b, double x)
{
	assert(a > 0 && b > 0 && x > 0);
	return b > a ? log(x / a) / log(b / a) : 0;
}

/* The ends themselves, to the last bit, at 0 and 1. */
static double between(double a, double b, double part)
{
	if (!(part > 0))
		return a;
	if (!(part < 1))
		return b;
	return a > 0 && b > 0 ? a * pow(b / a, part) : a + (b - a) * part;
}

static struct sram_figures between_figures(const struct sram_figures *a, const struct sram_figures *b, double part)
{
	return (struct sram_figures){between(a->read_pj, b->read_pj, part), between(a->write_pj, b->write_pj, part),
	                             between(a->leakage_mw, b->leakage_mw, part),
	                             between(a->area_um2, b->area_um2, part)};
}

/* The last of ascending values that is not above x. */
static uint32_t place_of(const uint32_t *value, uint32_t n, double x)
{
	uint32_t i = 0;
	while (i + 1 < n && value[i + 1] <= x)
		i++;
	return i;
}

static enum err_code check_range(const char *what, const uint32_t *value, uint32_t n, double x, struct err *err)
{
	if (x >= value[0] && x <= value[n - 1])
		return ERR_OK;
	if (n == 1)
		return err_add(err, ERR_INPUT, "a memory with %s of %.10g bytes; the technology's table has %u alone",
		               what, x, value[0]);
	return err_add(err, ERR_INPUT, "a memory with %s of %.10g bytes; the technology's table reaches from %u to %u",
	               what, x, value[0], value[n - 1]);
}

enum err_code technology_sram(const struct sram_grid *grid, double size_byte, double word_byte, double vdd_v,
                              struct sram_figures *figures, struct err *err)
{
	assert(grid->n_size > 0 && grid->n_word > 0 && grid->vdd_v > 0);
	enum err_code code = check_range("a size", grid->size_byte, grid->n_size, size_byte, err);
	if (code == ERR_OK)
		code = check_range("words", grid->word_byte, grid->n_word, word_byte, err);
	if (code != ERR_OK)
		return code;
	uint32_t i = place_of(grid->size_byte, grid->n_size, size_byte), i_next = i + 1 < grid->n_size ? i + 1 : i;
	uint32_t k = place_of(grid->word_byte, grid->n_word, word_byte), k_next = k + 1 < grid->n_word ? k + 1 : k;
	double size_part = part_between(grid->size_byte[i], grid->size_byte[i_next], size_byte);
	double word_part = part_between(grid->word_byte[k], grid->word_byte[k_next], word_byte);
	struct sram_figures low = between_figures(&grid->at[i][k], &grid->at[i_next][k], size_part);
	struct sram_figures high = between_figures(&grid->at[i][k_next], &grid->at[i_next][k_next], size_part);
	*figures = between_figures(&low, &high, word_part);
	double by = vdd_v > 0 ? vdd_v / grid->vdd_v : 1;
	figures->read_pj *= by * by;
	figures->write_pj *= by * by;
	figures->leakage_mw *= by;
	return ERR_OK;
}

static bool is_of(const struct sram_row *row, uint32_t node_nm, const char *cell)
{
	return row->node_nm == node_nm && strcmp(row->cell, cell) == 0;
}

/* Place of a value in an ascending list, where it is inserted; the list has room. */
static uint32_t insert(uint32_t *value, uint32_t *n, uint32_t max, uint32_t x)
{
	uint32_t i = 0;
	while (i < *n && value[i] < x)
		i++;
	if (i < *n && value[i] == x)
		return i;
	assert(*n < max);
	(void)max;
	memmove(value + i + 1, value + i, (*n - i) * sizeof(*value));
	value[i] = x;
	(*n)++;
	return i;
}

/* All rows of a node of the table; false: it has none of the cell. */
static bool fill_grid(uint32_t node_nm, const char *cell, struct sram_grid *grid)
{
	*grid = (struct sram_grid){0};
	for (size_t r = 0; r < sram_n_row; r++)
		if (is_of(&sram_row[r], node_nm, cell)) {
			(void)insert(grid->size_byte, &grid->n_size, TECHNOLOGY_MAX_SIZE, sram_row[r].size_byte);
			(void)insert(grid->word_byte, &grid->n_word, TECHNOLOGY_MAX_WORD, sram_row[r].word_byte);
			grid->vdd_v = sram_row[r].vdd_v;
		}
	for (size_t r = 0; r < sram_n_row; r++) {
		const struct sram_row *row = &sram_row[r];
		if (!is_of(row, node_nm, cell))
			continue;
		uint32_t i = place_of(grid->size_byte, grid->n_size, row->size_byte);
		uint32_t k = place_of(grid->word_byte, grid->n_word, row->word_byte);
		grid->at[i][k] =
		    (struct sram_figures){row->read_pj, row->write_pj, row->leakage_mw, row->area_mm2 * UM2_PER_MM2};
	}
	return grid->n_size > 0;
}

/* The nodes of the table on either side. */
static void nodes_around(double node_nm, uint32_t *below, uint32_t *above)
{
	*below = 0;
	*above = UINT32_MAX;
	for (size_t r = 0; r < sram_n_row; r++) {
		uint32_t node = sram_row[r].node_nm;
		if (node <= node_nm && node > *below)
			*below = node;
		if (node >= node_nm && node < *above)
			*above = node;
	}
}

/* From the grid of the node below to that of the one above; words that one of them lacks are dropped. */
static void merge_grids(struct sram_grid *grid, const struct sram_grid *other, double part)
{
	uint32_t n_word = 0;
	for (uint32_t k = 0; k < grid->n_word; k++) {
		uint32_t o = place_of(other->word_byte, other->n_word, grid->word_byte[k]);
		if (other->word_byte[o] != grid->word_byte[k])
			continue;
		for (uint32_t i = 0; i < grid->n_size; i++) {
			assert(other->size_byte[i] ==
			       grid->size_byte[i]); /* the shipped table has all sizes at all nodes */
			grid->at[i][n_word] = between_figures(&grid->at[i][k], &other->at[i][o], part);
		}
		grid->word_byte[n_word++] = grid->word_byte[k];
	}
	grid->n_word = n_word;
	grid->vdd_v += (other->vdd_v - grid->vdd_v) * part;
	assert(n_word > 0);
}

enum err_code technology_sram_grid(double node_nm, const char *cell, struct sram_grid *grid, struct err *err)
{
	uint32_t below, above;
	struct sram_grid made, other;
	nodes_around(node_nm, &below, &above);
	if (below == 0 || above == UINT32_MAX)
		return err_add(err, ERR_INPUT, "found %.10g nm, the tables of memories reach from %d to %d nm", node_nm,
		               TECHNOLOGY_MIN_NM, TECHNOLOGY_MAX_NM);
	if (!fill_grid(below, cell, &made) || !fill_grid(above, cell, &other))
		return err_add(err, ERR_INPUT, "found cell '%s', the table has itrs-hp, itrs-lop, itrs-lstp", cell);
	if (above > below)
		merge_grids(&made, &other, part_between(below, above, node_nm));
	*grid = made;
	return ERR_OK;
}

/* ---- logic ---- */

/* Stillmaker and Baas, Integration 58, 2017: energy at V is a2 V^2 + a1 V + a0; area over that at 45 nm. */
static const struct {
	double node_nm, a2, a1, a0, area;
} scaling[] = {
    {7, 0.1776, -0.09097, 0.02447, 0.059}, {10, 0.2068, -0.09311, 0.02375, 0.1}, {14, 0.2363, -0.09675, 0.02239, 0.17},
    {16, 0.2958, -0.1241, 0.03024, 0.19},  {20, 0.373, -0.1582, 0.04104, 0.21},  {32, 0.9559, -0.7823, 0.471, 0.46},
    {45, 1.103, -0.362, 0.2767, 1},        {65, 3.755, -4.398, 1.975, 1.5},      {90, 4.762, -4.781, 2.092, 2.8},
    {130, 7.171, -6.709, 2.904, 6.4},
};
#define N_SCALING (sizeof(scaling) / sizeof(scaling[0]))

static double energy_at(size_t i, double vdd_v)
{
	return (scaling[i].a2 * vdd_v + scaling[i].a1) * vdd_v + scaling[i].a0;
}

/* Rows on either side of a node, and how far it lies between them. */
static size_t scaling_place(double node_nm, double *part)
{
	size_t i = 0;
	assert(node_nm >= scaling[0].node_nm && node_nm <= scaling[N_SCALING - 1].node_nm);
	while (i + 2 < N_SCALING && scaling[i + 1].node_nm <= node_nm)
		i++;
	*part = part_between(scaling[i].node_nm, scaling[i + 1].node_nm, node_nm);
	return i;
}

/* Where Horowitz' figures were measured. */
#define BASE_NM 45
#define BASE_V 0.9

double technology_energy_ratio(double node_nm, double vdd_v)
{
	double part, base_part;
	size_t i = scaling_place(node_nm, &part), base = scaling_place(BASE_NM, &base_part);
	double energy = between(energy_at(i, vdd_v), energy_at(i + 1, vdd_v), part);
	assert(!(base_part > 0));
	return energy / energy_at(base, BASE_V);
}

double technology_area_ratio(double node_nm)
{
	double part;
	size_t i = scaling_place(node_nm, &part);
	return between(scaling[i].area, scaling[i + 1].area, part);
}

/* Horowitz, ISSCC 2014, 45 nm at 0.9 V; the 32-bit adder in proportion to its width. */
#define MULTIPLY8_PJ 0.2
#define MULTIPLY8_UM2 282.0
#define ADD32_PJ 0.1
#define ADD32_UM2 137.0
/* A register's bit, written each clock: Shao et al., ISCA 2014 (Aladdin), 40 nm; its voltage is not printed: 0.9 V. */
#define REGISTER_NM 40
#define REGISTER_BIT_PJ 0.009
#define REGISTER_BIT_UM2 5.98
#define OPERAND_BIT 16 /* of both operands */

struct part_figures technology_mac(const struct technology *technology, double accumulator_bit, double vdd_v)
{
	assert(accumulator_bit > 0 && vdd_v > 0);
	if (technology->has_mac) {
		struct part_figures own = technology->mac;
		double by = technology->mac_vdd_v > 0 ? vdd_v / technology->mac_vdd_v : 1;
		own.action_pj *= by * by;
		return own;
	}
	double node_nm = technology->node_nm, n_bit = accumulator_bit + OPERAND_BIT;
	double energy = technology_energy_ratio(node_nm, vdd_v), area = technology_area_ratio(node_nm);
	double register_pj = REGISTER_BIT_PJ * energy / technology_energy_ratio(REGISTER_NM, BASE_V);
	double register_um2 = REGISTER_BIT_UM2 * area / technology_area_ratio(REGISTER_NM);
	return (struct part_figures){
	    .action_pj = (MULTIPLY8_PJ + ADD32_PJ * accumulator_bit / 32) * energy + n_bit * register_pj,
	    .area_um2 = (MULTIPLY8_UM2 + ADD32_UM2 * accumulator_bit / 32) * area + n_bit * register_um2,
	};
}
