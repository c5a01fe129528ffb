/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DRAM plans of random graphs, and their images: every byte a tile writes or reads is the right one, nothing alive is
 * shared; images come back as they were, and no change of theirs is believed or breaks the reader.
 */
#include "tests/support/unit_test.h"
#include "dse/schedule/dram_image.h"
#include "tests/support/random_schedule.h"
#include "sim/machine/machine_param.h"

#define SEED 71
#define MAX_WORKER 11

/* A network, its graph, plan and image. */
struct scene {
	struct network network;
	struct octopus_graph graph;
	struct octopus_dram dram;
	struct octopus_memory memory;
	struct pack image;
};

static struct machine chip(void)
{
	struct machine machine;
	machine_init(&machine, MACHINE_CHIP);
	return machine;
}

static void plan(struct scene *scene)
{
	struct machine machine = chip();
	struct err err = {0};
	enum err_code code =
	    octopus_dram_plan(&scene->graph, &machine, OCTOPUS_DRAM_BYTE, &scene->dram, &scene->memory, &err);
	if (code != ERR_OK)
		fail_msg("%s", err_text(&err));
	dram_image_write(&scene->dram, &scene->image);
}

static void make_random(struct scene *scene, uint32_t index)
{
	struct rng rng = rng_stream(SEED, 1, index);
	struct err err = {0};
	*scene = (struct scene){0};
	random_network(SEED, index, &scene->network);
	assert_int_equal(octopus_build(&scene->network, &scene->graph, &err), ERR_OK);
	random_cuts(&rng, &scene->graph, MAX_WORKER);
	plan(scene);
}

static void make_text(struct scene *scene, const char *text)
{
	struct err err = {0};
	*scene = (struct scene){0};
	if (network_read_text(text, &scene->network, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	assert_int_equal(octopus_build(&scene->network, &scene->graph, &err), ERR_OK);
}

static void drop(struct scene *scene)
{
	pack_free(&scene->image);
	octopus_dram_free(&scene->dram);
	octopus_free(&scene->graph);
	network_free(&scene->network);
}

/* ---- plans ---- */

/* Add `by` to every byte of a patch; counts holds a byte of memory each, from `start`. */
static void paint(uint8_t *counts, uint64_t start, const struct dram_patch *patch)
{
	for (uint32_t c = 0; c < patch->c; c++)
		for (uint32_t y = 0; y < patch->h; y++)
			for (uint32_t x = 0; x < patch->w; x++)
				counts[patch->address - start + c * patch->plane_byte + y * patch->row_byte + x]++;
}

/* Tiles write each byte of their layer's tensor once, and none of another. */
static void check_written(const struct scene *scene, uint32_t l, uint8_t *counts)
{
	const struct octopus_dram *dram = &scene->dram;
	const struct dram_tensor *tensor = &dram->tensor[scene->graph.layer[l].output];
	memset(counts, 0, dram->data.byte);
	for (uint32_t i = 0; i < dram->layer[l].n_tile; i++)
		paint(counts, dram->data.address, &dram->layer[l].tile[i].result);
	for (uint64_t i = 0; i < dram->data.byte; i++) {
		uint64_t address = dram->data.address + i;
		bool is_inside = address >= tensor->address && address < tensor->address + tensor->byte;
		assert_int_equal(counts[i], is_inside);
	}
}

/* The byte of a map's pixel, by the tensors whose planes make it. */
static uint64_t pixel_address(const struct scene *scene, const struct octopus_layer *layer, uint32_t x, uint32_t y,
                              uint32_t c)
{
	for (uint32_t i = 0; i < layer->n_input; i++) {
		const struct dram_tensor *tensor = &scene->dram.tensor[layer->input[i].tensor];
		if (layer->input[i].role != OCTOPUS_IFMAP)
			continue;
		if (c < tensor->c)
			return tensor->address + ((uint64_t)c * tensor->h + y) * tensor->w + x;
		c -= tensor->c;
	}
	fail();
	return 0;
}

/* Of a convolution or pooling: exactly the pixels that its windows reach, those outside the map being its padding. */
static void check_reads(const struct scene *scene, uint32_t l, uint32_t i, uint8_t *counts)
{
	const struct octopus_layer *layer = &scene->graph.layer[l];
	const struct block *block = &scene->network.block[layer->block];
	const struct dram_tile *tile = &scene->dram.layer[l].tile[i];
	struct octopus_tile part;
	uint64_t n = 0;
	octopus_get_tile(&scene->graph, layer, i, &part);
	memset(counts, 0, scene->dram.data.byte);
	for (uint32_t r = 0; r < tile->n_read; r++)
		if (tile->read[r].role == OCTOPUS_IFMAP)
			paint(counts, scene->dram.data.address, &tile->read[r]);
	uint32_t from_x = part.x * block->pool * block->stride, from_y = part.y * block->pool * block->stride;
	uint32_t w = (part.w * block->pool - 1) * block->stride + block_reach_w(block);
	uint32_t h = (part.h * block->pool - 1) * block->stride + block_reach_h(block);
	for (uint32_t c = part.in_c; c < part.in_c + part.n_in_c; c++)
		for (uint32_t y = from_y; y < from_y + h; y++)
			for (uint32_t x = from_x; x < from_x + w; x++) {
				if (x < block->pad_left || x - block->pad_left >= block->in_w || y < block->pad_top ||
				    y - block->pad_top >= block->in_h)
					continue;
				uint64_t at = pixel_address(scene, layer, x - block->pad_left, y - block->pad_top, c);
				assert_int_equal(counts[at - scene->dram.data.address], 1);
				n++;
			}
	for (uint64_t at = 0; at < scene->dram.data.byte; at++)
		n -= counts[at];
	assert_int_equal(n, 0);
}

/* What is added or multiplied with: as many bytes as the tile needs, each once. */
static void check_added(const struct scene *scene, uint32_t l, uint32_t i, uint8_t *counts)
{
	const struct dram_tile *tile = &scene->dram.layer[l].tile[i];
	struct octopus_tile part;
	uint64_t n = 0;
	octopus_get_tile(&scene->graph, &scene->graph.layer[l], i, &part);
	memset(counts, 0, scene->dram.data.byte);
	for (uint32_t r = 0; r < tile->n_read; r++) {
		if (tile->read[r].role == OCTOPUS_ADDED && tile->read[r].is_whole)
			return;
		if (tile->read[r].role == OCTOPUS_ADDED)
			paint(counts, scene->dram.data.address, &tile->read[r]);
	}
	for (uint64_t at = 0; at < scene->dram.data.byte; at++) {
		assert_true(counts[at] <= 1);
		n += counts[at];
	}
	assert_int_equal(n, part.added_byte);
}

/* Weights and biases of each part of the filters once, inside the layer's constants, none over another. */
static void check_weights(const struct scene *scene, uint32_t l)
{
	const struct dram_layer *layer = &scene->dram.layer[l];
	const struct octopus_layer *from = &scene->graph.layer[l];
	uint64_t byte = 0, end = layer->constants.address;
	for (uint32_t i = 0; i < layer->n_tile; i++) {
		const struct dram_tile *tile = &layer->tile[i];
		bool is_new = true;
		for (uint32_t j = 0; j < i; j++)
			is_new = is_new && layer->tile[j].weights.address != tile->weights.address;
		if (!is_new || tile->weights.byte + tile->biases.byte == 0)
			continue;
		byte += tile->weights.byte + tile->biases.byte;
		assert_true(tile->weights.address >= end || !from->ifmap_first);
		assert_true(tile->weights.address + tile->weights.byte <= tile->biases.address);
		end = tile->biases.address + tile->biases.byte;
		assert_true(end <= layer->constants.address + layer->constants.byte);
	}
	assert_int_equal(byte, from->weight_byte + from->bias_byte);
}

static void test_plans_of_random_graphs(void **state)
{
	(void)state;
	size_t n_read = 0, n_whole = 0, n_channel = 0, n_map = 0;
	for (uint32_t index = 0; index < 60; index++) {
		struct scene scene;
		make_random(&scene, index);
		const struct octopus_dram *dram = &scene.dram;
		uint8_t *counts = malloc(dram->data.byte);
		assert_non_null(counts);
		for (uint32_t l = 0; l < dram->n_layer; l++) {
			const struct block *block = &scene.network.block[scene.graph.layer[l].block];
			n_channel += block->operand == OPERAND_CHANNEL;
			n_map += block->operand == OPERAND_MAP;
			check_written(&scene, l, counts);
			check_weights(&scene, l);
			for (uint32_t i = 0; i < dram->layer[l].n_tile; i++) {
				const struct dram_tile *tile = &dram->layer[l].tile[i];
				n_read++;
				check_added(&scene, l, i, counts);
				if (tile->n_read > 0 && tile->read[0].is_whole)
					n_whole++;
				else if (block->kind != BLOCK_MATMUL)
					check_reads(&scene, l, i, counts);
			}
		}
		assert_true(dram->data.byte >= scene.memory.bound_byte);
		assert_true(scene.memory.is_least);
		free(counts);
		drop(&scene);
	}
	assert_true(n_channel > 0 && n_map > 0);
	assert_true(n_whole > 0 && n_whole * 4 < n_read); /* slices, which graphs do not tell apart */
}

/* Every pair of tensors alive at once; all of them aligned and in the data memory; areas one behind the other. */
static void test_nothing_alive_is_shared(void **state)
{
	(void)state;
	for (uint32_t index = 0; index < 60; index++) {
		struct scene scene;
		make_random(&scene, index);
		const struct octopus_dram *dram = &scene.dram;
		for (uint32_t t = 0; t < dram->n_tensor; t++) {
			const struct dram_tensor *a = &dram->tensor[t];
			assert_int_equal(a->address % OCTOPUS_ALIGN_BYTE, 0);
			assert_true(a->address >= dram->data.address);
			assert_true(a->address + a->byte <= dram->data.address + dram->data.byte);
			for (uint32_t u = 0; u < t; u++) {
				const struct dram_tensor *b = &dram->tensor[u];
				if (a->first <= b->last && b->first <= a->last)
					assert_true(a->address >= b->address + b->byte ||
					            b->address >= a->address + a->byte);
			}
		}
		assert_int_equal(dram->times.address, dram->global.byte);
		assert_int_equal(dram->layers.address, dram->times.address + dram->times.byte);
		assert_int_equal(dram->constants.address, dram->layers.address + dram->layers.byte);
		assert_int_equal(dram->data.address, dram->constants.address + dram->constants.byte);
		assert_true(dram->data.address + dram->data.byte <= dram->capacity_byte);
		drop(&scene);
	}
}

#define MLP "name: mlp\ninput: [32, 1, 1]\nlayers:\n  - fc: {out: 48}\n  - fc: {out: 16}\n"

/* Every address of a small network by hand: two linear layers on 3 and 1 workers, vectors of 32, 48 and 16 bytes. */
static void test_addresses_of_a_small_network(void **state)
{
	(void)state;
	struct scene scene;
	make_text(&scene, MLP);
	struct split split = split_whole(&scene.network.block[0]);
	split.w = dim_even(48, 3, 16);
	octopus_cut(&scene.graph.layer[0], &split, false, 3);
	plan(&scene);
	const struct octopus_dram *dram = &scene.dram;
	const struct dram_layer *layer = dram->layer;
	assert_int_equal(dram->times.address, 192 + 3 * 16 + 3 * 48); /* head, PEs, tensors */
	assert_int_equal(dram->layers.address, 384 + 3 * 4 * 64);     /* 2 layers and the model; scheduler, 3 workers */
	assert_int_equal(layer[0].tile_address, 1152 + 96 + 128 + 16 + 3 * 32);
	assert_int_equal(layer[1].address, 1488 + 3 * (64 + 2 * 48)); /* a result and an input a tile */
	assert_int_equal(layer[0].next, 1968);
	assert_int_equal(dram->finish_address, 1968 + 96 + 128 + 16 + 32 + 160);
	assert_int_equal(dram->constants.address, 2400 + 96);
	assert_int_equal(layer[0].tile[1].weights.address,
	                 2496 + 16 * 32 + 64); /* behind 16 filters and their biases */
	assert_int_equal(layer[0].tile[1].weights.byte, 512);
	assert_int_equal(layer[0].tile[1].biases.address, 2496 + 576 + 512);
	assert_int_equal(dram->data.address, 2496 + 48 * 36 + 16 * 52);
	assert_int_equal(dram->data.byte, 80); /* 32 and 48 at once; the 16 take the place of the 32 */
	assert_int_equal(layer[0].tile[2].result.address, dram->tensor[1].address + 32);
	assert_int_equal(layer[1].tile[0].read[0].w * layer[1].tile[0].read[0].h * layer[1].tile[0].read[0].c, 48);
	assert_int_equal(layer[1].time_address, 384 + 4 * 64);
	assert_int_equal(dram->worker[2].pe, 3); /* the scheduler is PE 0, of the same QPE */
	drop(&scene);
}

static void test_capacity_is_a_verdict(void **state)
{
	(void)state;
	struct scene scene;
	struct machine machine = chip();
	struct err err = {0};
	make_text(&scene, MLP);
	plan(&scene);
	uint64_t end = scene.dram.data.address + scene.dram.data.byte;
	octopus_dram_free(&scene.dram);
	assert_int_equal(octopus_dram_plan(&scene.graph, &machine, end, &scene.dram, &scene.memory, &err), ERR_OK);
	octopus_dram_free(&scene.dram);
	assert_int_equal(octopus_dram_plan(&scene.graph, &machine, end - 1, &scene.dram, &scene.memory, &err),
	                 ERR_INFEASIBLE);
	assert_int_equal(scene.memory.verdict.reason, VERDICT_DRAM);
	assert_int_equal(scene.memory.verdict.demanded, end);
	assert_int_equal(scene.memory.verdict.available, end - 1);
	assert_non_null(strstr(err_text(&err), "exceed the DRAM"));
	assert_null(scene.dram.layer);
	err_clear(&err);
	drop(&scene);
}

/* ---- images ---- */

/* Read and check; where both are content, writing gives the same bytes. */
static enum err_code read_back(const uint8_t *data, size_t n_byte, struct err *err)
{
	struct octopus_dram dram;
	enum err_code code = dram_image_read("dram.bin", data, n_byte, &dram, err);
	if (code == ERR_OK)
		code = dram_check("dram.bin", &dram, err);
	if (code == ERR_OK) {
		struct pack again = {0};
		dram_image_write(&dram, &again);
		assert_int_equal(again.n, n_byte);
		assert_memory_equal(again.data, data, n_byte);
		pack_free(&again);
	}
	octopus_dram_free(&dram);
	return code;
}

static void test_round_trip(void **state)
{
	(void)state;
	for (uint32_t index = 0; index < 100; index++) {
		struct scene scene;
		struct err err = {0};
		make_random(&scene, index);
		if (read_back(scene.image.data, scene.image.n, &err) != ERR_OK)
			fail_msg("network %u: %s", index, err_text(&err));
		assert_int_equal(err.n_message, 0);
		drop(&scene);
	}
}

/* No changed bit, no missing or further byte goes unnoticed. */
static void test_every_bit_counts(void **state)
{
	(void)state;
	struct scene scene;
	make_text(&scene, MLP);
	plan(&scene);
	for (size_t i = 0; i < 8 * scene.image.n; i++) {
		struct err err = {0};
		scene.image.data[i / 8] ^= (uint8_t)(1u << i % 8);
		assert_int_equal(read_back(scene.image.data, scene.image.n, &err), ERR_INPUT);
		scene.image.data[i / 8] ^= (uint8_t)(1u << i % 8);
		assert_non_null(strstr(err_text(&err), "dram.bin:"));
		err_clear(&err);
	}
	for (size_t n = 0; n < scene.image.n; n++) {
		struct err err = {0};
		assert_int_equal(read_back(scene.image.data, n, &err), ERR_INPUT);
		err_clear(&err);
	}
	drop(&scene);
}

/* The same with the checksum set right afterwards: then it is a mistake with its place, or a plan that comes back. */
static void test_sealed_changes_are_found_or_harmless(void **state)
{
	(void)state;
	struct scene scene;
	uint32_t n_found = 0, n_change = 6000;
	make_random(&scene, 3);
	uint8_t *data = malloc(scene.image.n);
	assert_non_null(data);
	for (uint32_t i = 0; i < n_change; i++) {
		struct rng rng = rng_stream(SEED, 2, i);
		struct err err = {0};
		memcpy(data, scene.image.data, scene.image.n);
		for (uint32_t n = 1 + rng_below(&rng, 3); n > 0; n--) {
			uint32_t at = rng_below(&rng, (uint32_t)scene.image.n);
			uint32_t changed = rng_below(&rng, 2) ? data[at] ^ 1u << rng_below(&rng, 8) : rng_u32(&rng);
			data[at] = (uint8_t)changed;
		}
		dram_image_seal(data, scene.image.n);
		enum err_code code = read_back(data, scene.image.n, &err);
		assert_true(code == ERR_OK ? err.n_message == 0 : code == ERR_INPUT && err.n_message > 0);
		n_found += code != ERR_OK;
		err_clear(&err);
	}
	assert_true(n_found > n_change * 3 / 4); /* what a kernel's size or a padding is nothing else tells */
	free(data);
	drop(&scene);
}

struct planted {
	uint64_t at;
	uint32_t n_byte;
	uint64_t value;
	const char *message;
};

/* Each mistake is named with its offset and field. Offsets as in test_addresses_of_a_small_network, uncut. */
static void test_mistakes_are_named(void **state)
{
	(void)state;
	struct scene scene;
	make_text(&scene, MLP);
	plan(&scene);
	const struct octopus_dram *dram = &scene.dram;
	uint64_t header = dram->layers.address, second = dram->layer[1].address, tile = dram->layer[0].tile_address;
	uint64_t tensors = dram->tensor_address, finish = dram->finish_address;
	const struct planted planted[] = {
	    {0, 1, 'x', "dram.bin:0: head, magic"},
	    {8, 4, 1, "dram.bin:8: head, version is 1, expected 3"},
	    {24, 8, 1, "dram.bin:24: head, image bytes is 1, expected"},
	    {32, 8, 100, "data bytes is"},
	    {40, 8, 16, "dram.bin:40: head, global address is 16, expected 0"},
	    {48, 8, 1024, "dram.bin:56: head, times address is 352, expected 1024"},
	    {104 + 8, 8, 7, "data bytes is 7"},
	    {144, 4, 0, "dram.bin:144: head, layers is 0"},
	    {148, 4, 1000000, "by the numbers of"},
	    {dram->pe_address, 4, 6, "PE of worker 0, x is 6, allowed 0 to 5"},
	    {dram->pe_address + 8, 4, 0, "two of scheduler and workers are the same PE"},
	    {tensors, 8, dram->tensor[1].address, "tensor 1: overlaps tensor 0, and both are alive in layer 0"},
	    {tensors, 8, dram->tensor[0].address + 1, "tensor 0: address is"},
	    {tensors, 8, dram->capacity_byte, "tensor 0: 32 bytes from 2147483648, allowed from"},
	    {tensors + 48 + 16, 4, 47, "tensor 1: bytes is 48, expected 47 x 1 x 1"},
	    {tensors + 48 + 28, 4, 2, "first layer is 2, allowed 0 to 1"},
	    {dram->times.address + 8, 8, 1, "time measurements, time is 1, expected 0"},
	    {header, 4, 9, "header of layer 0, type is 9, allowed 1 to 8"},
	    {header + 8, 8, header, "header of layer 0, next layer is"},
	    {header + 8, 8, finish, "layer 0, end, where the next layer begins, is"},
	    {second + 8, 8, second, "header of layer 1, next layer is"},
	    {finish, 4, 1, "finish header, type is 1, expected 0"},
	    {tile + 4, 4, 2, "layer 0, tile 0"},
	    {tile + 32, 8, dram->layer[1].constants.address, "layer 0, tile 0: weights at"},
	    {tile + 64, 8, dram->tensor[1].address + 16, "a patch goes from"},
	    {tile + 64 + 32, 4, 32, "layer 0: its tiles do not cover tensor 1 exactly"},
	    {tile + 112 + 24, 4, 2, "tensor 2 is alive in layers 1 to 1 only"},
	    {header + 56, 8, 0, "layer 0: constants address is 0, expected"},
	};
	uint8_t *data = malloc(scene.image.n);
	assert_non_null(data);
	for (size_t i = 0; i < sizeof(planted) / sizeof(planted[0]); i++) {
		struct err err = {0};
		memcpy(data, scene.image.data, scene.image.n);
		for (uint32_t k = 0; k < planted[i].n_byte; k++)
			data[planted[i].at + k] = (uint8_t)(planted[i].value >> 8 * k);
		dram_image_seal(data, scene.image.n);
		assert_int_equal(read_back(data, scene.image.n, &err), ERR_INPUT);
		if (!strstr(err_text(&err), planted[i].message))
			fail_msg("planted %zu, '%s': %s", i, planted[i].message, err_text(&err));
		err_clear(&err);
	}
	free(data);
	drop(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_addresses_of_a_small_network),
	    cmocka_unit_test(test_plans_of_random_graphs),
	    cmocka_unit_test(test_nothing_alive_is_shared),
	    cmocka_unit_test(test_capacity_is_a_verdict),
	    cmocka_unit_test(test_round_trip),
	    cmocka_unit_test(test_every_bit_counts),
	    cmocka_unit_test(test_mistakes_are_named),
	    cmocka_unit_test(test_sealed_changes_are_found_or_harmless),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
