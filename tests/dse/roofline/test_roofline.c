/* SPDX-License-Identifier: Apache-2.0 */
/* Rooflines against closed forms, and no simulated layer above its roof. */
#include "tests/support/shipped_network.h"
#include "tests/support/unit_test.h"

#include "dse/roofline/roofline_report.h"
#include "dse/space/machine_read.h"
#include "dse/space/space.h"
#include "tests/support/network_text.h"
#include "tests/support/random_block.h"
#include "tests/support/random_chip.h"
#include "tests/support/shipped_machine.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct machine read_machine(const char *name)
{
	char path[96];
	(void)snprintf(path, sizeof(path), "spaces/machines/%s.yaml", name);
	return shipped_machine(path);
}

static struct roofline make(const struct network *network, const struct machine *machine, uint32_t level,
                            struct arena *arena)
{
	struct roofline roofline;
	struct err err = {0};
	const struct roofline_options options = {.level = level, .strategy = N_STRATEGY, .intensity = ROOFLINE_TRAFFIC};
	if (roofline_make(network, machine, &options, arena, &roofline, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	return roofline;
}

/* Operations, bytes and roofs of four kinds of layers, by hand; pooling has no place under the roofs. */
static void test_roofline_is_what_its_definition_says(void **state)
{
	struct machine machine = read_machine("edge_tpu");
	struct network network;
	struct arena arena = {0};
	struct err err = {0};
	(void)state;
	assert_int_equal(network_read_text("name: t\ninput: [56, 56, 32]\nlayers:\n"
	                                   "  - conv: {kernel: 3, out_channels: 64}\n"
	                                   "  - conv: {kernel: 3, groups: depthwise, stride: 2}\n"
	                                   "  - pool: {window: 3, stride: 1, padding: same}\n"
	                                   "  - conv: {kernel: 1, out_channels: 16, stride: 2}\n"
	                                   "  - fc: {out: 10}\n",
	                                   &network, &err),
	                 ERR_OK);
	roofline_set_memory(&machine, 100);
	struct roofline roofline = make(&network, &machine, 0, &arena);
	assert_int_equal(roofline.n, 4);
	assert_true(fabs(roofline.compute_gops - 2 * 64 * 64 * 0.5) < 1e-9);
	assert_true(roofline.memory_gb_s == 100);
	static const struct {
		enum roofline_kind kind;
		double mac, ifmap, weight, ofmap;
	} want[] = {
	    {ROOFLINE_CONV, 56. * 56 * 64 * 9 * 32, 56. * 56 * 32, 9. * 32 * 64, 56. * 56 * 64},
	    {ROOFLINE_DEPTHWISE, 28. * 28 * 64 * 9, 56. * 56 * 64, 9. * 64, 28. * 28 * 64},
	    /* a 1x1 window that moves by two sees a quarter of the pixels */
	    {ROOFLINE_POINTWISE, 14. * 14 * 16 * 64, 14. * 14 * 64, 64. * 16, 14. * 14 * 16},
	    {ROOFLINE_FC, 14. * 14 * 16 * 10, 14. * 14 * 16, 14. * 14 * 16 * 10, 10},
	};
	double n_op = 0, byte = 0;
	for (size_t i = 0; i < 4; i++) {
		const struct roofline_layer *layer = &roofline.layer[i];
		double moved = want[i].ifmap + want[i].weight + want[i].ofmap;
		assert_int_equal(layer->kind, want[i].kind);
		assert_true(layer->n_op == 2 * want[i].mac);
		assert_true(layer->ifmap_byte == want[i].ifmap);
		assert_true(layer->weight_byte == want[i].weight);
		assert_true(layer->ofmap_byte == want[i].ofmap);
		assert_true(fabs(layer->intensity - 2 * want[i].mac / moved) < 1e-9);
		bool is_memory = 2 * want[i].mac / moved < 4096. / 100;
		assert_int_equal(layer->is_memory_bound, is_memory);
		assert_true(fabs(layer->attainable_gops - (is_memory ? 200 * want[i].mac / moved : 4096)) < 1e-6);
		n_op += 2 * want[i].mac;
		byte += moved;
	}
	const struct roofline_sum sum = roofline_sum(&roofline);
	assert_true(fabs(sum.intensity - n_op / byte) < 1e-9);
	assert_int_equal(sum.n_reached, 4);
	arena_free(&arena);
	network_free(&network);
}

/* Pixels that windows touch, by marking each. */
static void test_roofline_counts_touched_pixels(void **state)
{
	struct rng rng = rng_stream(7, 1, 1);
	(void)state;
	for (int i = 0; i < 300; i++) {
		static bool seen[64][64];
		struct block block = random_conv(&rng, 9, 5);
		block.stride = random_from(&rng, 1, 5);
		uint32_t n_image = block_batch(&block);
		block.out_w = (block_padded_w(&block) - block_reach_w(&block)) / block.stride + 1;
		block.out_h = (block_padded_h(&block) - block_reach_h(&block)) / block.stride + 1;
		uint64_t n = 0;
		memset(seen, 0, sizeof(seen));
		for (uint32_t y = 0; y < block.out_h * block.kernel_h; y++)
			for (uint32_t x = 0; x < block.out_w * block.kernel_w; x++) {
				uint32_t gap = block_dilation(&block);
				int64_t at_y = (int64_t)(y / block.kernel_h) * block.stride + y % block.kernel_h * gap -
				               block.pad_top;
				int64_t at_x = (int64_t)(x / block.kernel_w) * block.stride + x % block.kernel_w * gap -
				               block.pad_left;
				if (at_y < 0 || at_x < 0 || at_y >= block.in_h || at_x >= block.in_w)
					continue;
				n += !seen[at_y][at_x];
				seen[at_y][at_x] = true;
			}
		assert_true(roofline_ifmap_byte(&block, 3) == (double)(3 * n * block.in_c * n_image));
	}
}

/* What the simulator says of any layer is under both roofs; and some layers come near them. */
static void test_roofline_is_above_all_layers(void **state)
{
	static const char *const machine_name[] = {"edge_tpu", "hpc_tpu", "thesis_chip", "thesis_qpe_dram"};
	static const char *const network_name[] = {"mobilenet_v1", "resnet18", "googlenet", "mlp_784_512_256_16"};
	static const double memory[] = {0, 1, 500};
	double nearest = 0;
	(void)state;
	for (size_t m = 0; m < 4; m++)
		for (size_t k = 0; k < 4; k++)
			for (size_t i = 0; i < (m < 2 ? 3 : 1); i++) {
				struct machine machine = read_machine(machine_name[m]);
				struct arena arena = {0};
				struct network network = shipped_network(network_name[k]);
				if (memory[i] > 0)
					roofline_set_memory(&machine, memory[i]);
				struct roofline roofline = make(&network, &machine, machine.n_level - 1, &arena);
				for (size_t b = 0; b < roofline.n; b++) {
					const struct roofline_layer *layer = &roofline.layer[b];
					assert_true(layer->is_reached);
					assert_true(layer->reached_gops > 0);
					assert_true(layer->reached_gops <= layer->attainable_gops * (1 + 1e-9));
					nearest = fmax(nearest, layer->reached_gops / layer->attainable_gops);
				}
				arena_free(&arena);
				network_free(&network);
			}
	assert_true(nearest > 0.95);
}

static void test_roofline_sets_memories(void **state)
{
	static const char *const name[] = {"edge_tpu", "thesis_chip", "dvfs_chip", "thesis_qpe_dram"};
	static const double own[] = {25.6, 8, 6.4, 2};
	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct machine machine = read_machine(name[i]);
		assert_true(fabs(roofline_memory_gb_s(&machine) - own[i]) < 1e-9);
		roofline_set_memory(&machine, 71);
		assert_true(fabs(roofline_memory_gb_s(&machine) - 71) < 1e-9);
	}
}

static void make_vgg16(enum strategy strategy, struct network *network, struct arena *arena, struct roofline *roofline)
{
	const struct machine machine = read_machine("thesis_chip");
	const struct roofline_options options = {.strategy = strategy, .intensity = ROOFLINE_THESIS};
	struct err err = {0};
	if (network_read("spaces/networks/vgg16.yaml", network, &err) != ERR_OK ||
	    roofline_make(network, &machine, &options, arena, roofline, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
}

/* Table 5.13's operations a byte, printed with two places; the NoC's and the memory's roof of thesis table 5.1. */
static void test_thesis_intensity_is_the_published_one(void **state)
{
	static const struct {
		const char *name;
		double intensity;
	} want[] = {{"CONV_1", 51.51}, {"CONV_7", 1210.28}, {"CONV_9", 1641.38}, {"FC_21", 2.00}};
	struct network network;
	struct arena arena = {0};
	struct roofline roofline;
	size_t n_found = 0;
	(void)state;
	make_vgg16(STRATEGY_FUSION_REUSE, &network, &arena, &roofline);
	for (size_t i = 0; i < roofline.n; i++)
		for (size_t k = 0; k < sizeof(want) / sizeof(want[0]); k++) {
			if (strcmp(roofline.layer[i].block->name, want[k].name) != 0)
				continue;
			assert_true(fabs(roofline.layer[i].intensity - want[k].intensity) < 0.0051);
			n_found++;
		}
	assert_int_equal(n_found, 4);
	assert_true(fabs(roofline.memory_gb_s - 8) < 1e-9 && fabs(roofline.noc_gb_s - 36 * 8) < 1e-9);
	arena_free(&arena);
	network_free(&network);
}

/* The fastest is one of the strategies, layer by layer, and they differ. */
static void test_strategies_have_rooflines_of_their_own(void **state)
{
	static const enum strategy strategy[] = {STRATEGY_NO_FUSION, STRATEGY_FUSION, STRATEGY_FUSION_REUSE};
	struct network network[4];
	struct arena arena = {0};
	struct roofline roofline[4];
	size_t n_differs = 0;
	(void)state;
	for (size_t s = 0; s < 3; s++)
		make_vgg16(strategy[s], &network[s], &arena, &roofline[s]);
	make_vgg16(N_STRATEGY, &network[3], &arena, &roofline[3]);
	for (size_t i = 0; i < roofline[3].n; i++) {
		double most = 0;
		for (size_t s = 0; s < 3; s++)
			most = fmax(most, roofline[s].layer[i].reached_gops);
		assert_true(roofline[3].layer[i].reached_gops >= most && roofline[3].layer[i].reached_gops <= most);
		n_differs += roofline[0].layer[i].reached_gops < roofline[2].layer[i].reached_gops;
	}
	assert_true(n_differs > 5);
	arena_free(&arena);
	for (size_t s = 0; s < 4; s++)
		network_free(&network[s]);
}

/* A slow NoC is the lower roof. */
static void test_the_noc_is_a_roof(void **state)
{
	struct machine machine = read_machine("thesis_qpe_dram");
	struct network network;
	struct arena arena = {0};
	struct err err = {0};
	(void)state;
	assert_int_equal(
	    network_read_text("name: t\ninput: [16, 16, 4]\nlayers:\n  - conv: {kernel: 1, out_channels: 4}\n",
	                      &network, &err),
	    ERR_OK);
	struct roofline usual = make(&network, &machine, 0, &arena);
	machine.noc_clk_mhz = 1;
	struct roofline slow = make(&network, &machine, 0, &arena);
	assert_true(fabs(slow.noc_gb_s - 0.016) < 1e-12 && usual.noc_gb_s > usual.memory_gb_s);
	assert_true(fabs(usual.layer[0].attainable_gops - usual.layer[0].intensity * usual.memory_gb_s) < 1e-9);
	assert_true(fabs(slow.layer[0].attainable_gops - slow.layer[0].intensity * 0.016) < 1e-12);
	arena_free(&arena);
	network_free(&network);
}

/* The first text of the kind behind *at, which moves on; NULL: none. */
static const char *next_line(const char **at, const char *style)
{
	const char *line = *at;
	while (line && (line = strstr(line, "<line ")) != NULL) {
		const char *end = strstr(line, "/>"), *own = strstr(line, style);
		assert_non_null(end);
		if (own && own < end) {
			*at = end;
			return line;
		}
		line = end;
	}
	return NULL;
}

static double attribute(const char *line, const char *name)
{
	char key[16];
	(void)snprintf(key, sizeof(key), " %s=\"", name);
	const char *at = strstr(line, key);
	assert_non_null(at);
	return strtod(at + strlen(key), NULL);
}

/*
 * On any machine the ridge, where memory's roof meets the array's, is in view, with flat roof behind it, and so is
 * where the NoC's roof does; a roof of each stands in the picture.
 */
static void test_ridges_are_in_view_on_any_machine(void **state)
{
	enum { LEFT = 70, TOP = 84, PANEL_W = 400, PANEL_H = 300 };
	const struct machine like = read_machine("dvfs_chip");
	struct rng rng = rng_stream(13, 5, 0);
	struct network network;
	(void)state;
	assert_int_equal(network_read("spaces/networks/tiny.yaml", &network, NULL), ERR_OK);
	for (int draw = 0; draw < 60; draw++) {
		struct machine machine = random_chip(&rng, &like);
		struct arena arena = {0};
		char *text = NULL;
		size_t n_byte;
		machine.noc_clk_mhz = pow(10, rng_below(&rng, 40) / 10.0);
		roofline_set_memory(&machine, pow(10, rng_below(&rng, 60) / 10.0 - 2));
		struct roofline roofline = make(&network, &machine, 0, &arena);
		FILE *file = open_memstream(&text, &n_byte);
		assert_non_null(file);
		roofline_draw(file, &roofline, 1);
		assert_int_equal(fclose(file), 0);
		const char *at = text, *slope = next_line(&at, "stroke=\"#d55e00\" stroke-width");
		assert_non_null(slope);
		double x = attribute(slope, "x2"), y = attribute(slope, "y2");
		assert_true(x > LEFT && x < LEFT + 0.99 * PANEL_W);
		assert_true(y >= TOP && y <= TOP + PANEL_H);
		assert_true(attribute(slope, "x1") < x && attribute(slope, "x1") >= LEFT - 0.01);
		at = text;
		const char *flat = next_line(&at, "stroke=\"#444444\" stroke-width");
		assert_non_null(flat);
		assert_true(attribute(flat, "x2") > x && fabs(attribute(flat, "y1") - y) < 0.02);
		at = text;
		const char *noc = next_line(&at, "stroke=\"#9467bd\" stroke-width");
		assert_non_null(noc);
		assert_true(attribute(noc, "x2") >= LEFT && attribute(noc, "x2") <= LEFT + PANEL_W);
		assert_true(fabs(attribute(noc, "y2") - y) < 0.02);
		free(text);
		arena_free(&arena);
	}
	network_free(&network);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_thesis_intensity_is_the_published_one),
	    cmocka_unit_test(test_strategies_have_rooflines_of_their_own),
	    cmocka_unit_test(test_the_noc_is_a_roof),
	    cmocka_unit_test(test_ridges_are_in_view_on_any_machine),
	    cmocka_unit_test(test_roofline_is_what_its_definition_says),
	    cmocka_unit_test(test_roofline_counts_touched_pixels),
	    cmocka_unit_test(test_roofline_is_above_all_layers),
	    cmocka_unit_test(test_roofline_sets_memories),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
