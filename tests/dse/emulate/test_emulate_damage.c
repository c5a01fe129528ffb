/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Damaged images: whatever was changed is refused, with offset and record; and what has been sealed again (a forger has
 * made the checksums right) is refused or run, and breaks nothing.
 */
#include "tests/dse/emulate/filled_image.h"
#include "dse/emulate/emulate_time.h"
#include "mapper/octopus/octopus_schedule.h"
#include "sim/base/rng.h"
#include "sim/machine/machine_param.h"
#include "tests/support/draws.h"
#include "tests/support/network_text.h"
#include "tests/support/random_schedule.h"
#include "tests/support/shipped_machine.h"
#include <inttypes.h>
#include <stdio.h>

#define SEED 2502
#define MAX_MAC (UINT64_C(1) << 24) /* of a forged image that is run */

static const char *const text[] = {
    "name: perceptron\ninput: 40\nlayers:\n  - fc: {out: 48}\n  - fc: {out: 16, activation: none}\n"
    "  - arm: {op: softmax}\n",
    "name: residual\ninput: [9, 9, 3]\nlayers:\n  - conv: {kernel: 3, out_channels: 8}\n"
    "  - conv: {kernel: 3, out_channels: 8, groups: depthwise}\n  - conv: {kernel: 1, out_channels: 8, add: {from: "
    "-2}}\n"
    "  - pool: {window: 3, stride: 2, padding: same}\n  - conv: {kernel: 3, stride: 2, out_channels: 12}\n"
    "  - pool: {window: 3, type: average}\n  - fc: {out: 10, activation: none}\n",
};
#define N_TEXT (sizeof(text) / sizeof(text[0]))

static void make_image(uint32_t which, struct filled_image *filled)
{
	struct err err = {0};
	struct machine machine;
	struct rng rng = rng_stream(SEED, 1, which);
	*filled = (struct filled_image){0};
	machine_init(&machine, MACHINE_CHIP);
	if (network_read_text(text[which], &filled->network, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	assert_int_equal(octopus_build(&filled->network, &filled->graph, &err), ERR_OK);
	random_cuts(&rng, &filled->graph, 5);
	assert_true(filled_quantise(filled, SEED, 2));
	filled_write(filled, &machine);
}

/* A copy of an image while it is damaged: [n] of room for some more. */
struct damage {
	uint8_t *data;
	size_t n;
	size_t at; /* the first byte that differs from the image */
};

static void put(struct damage *damage, size_t at, size_t n_byte, uint64_t value)
{
	for (size_t i = 0; i < n_byte && at + i < damage->n; i++)
		damage->data[at + i] = (uint8_t)(value >> 8 * (i % 8));
}

static uint64_t extreme(struct rng *rng)
{
	static const uint64_t value[] = {0, 1, 2, 16, UINT32_MAX, UINT32_MAX - 1, UINT64_MAX, UINT64_C(1) << 31};
	uint32_t i = rng_below(rng, 2 * sizeof(value) / sizeof(value[0]));
	return i < sizeof(value) / sizeof(value[0]) ? value[i] : rng_u32(rng) >> rng_below(rng, 32);
}

/* Bits, bytes, runs, fields, ends, and pieces of the image in places of others. */
static void damage_image(struct rng *rng, const struct pack *image, struct damage *damage)
{
	size_t at = rng_below(rng, (uint32_t)image->n), from = rng_below(rng, (uint32_t)image->n);
	size_t n_run = 1 + rng_below(rng, 64);
	memcpy(damage->data, image->data, image->n);
	damage->n = image->n;
	if (rng_below(rng, 2)) /* most of the bytes are weights */
		at %= 6000 < image->n ? 6000 : image->n;
	switch (rng_below(rng, 8)) {
	case 0:
		damage->data[at] ^= (uint8_t)(1 << rng_below(rng, 8));
		break;
	case 1:
		put(damage, at, n_run, rng_u32(rng));
		break;
	case 2:
		damage->n = at;
		break;
	case 3:
		memset(damage->data + image->n, (int)rng_below(rng, 256), n_run);
		damage->n += n_run;
		break;
	case 4:
		for (size_t i = 0; i < n_run && at + i < image->n && from + i < image->n; i++)
			damage->data[at + i] = image->data[from + i];
		break;
	case 5:
		put(damage, at / 8 * 8, 8, extreme(rng));
		break;
	default:
		put(damage, at / 4 * 4, 4, extreme(rng));
		break;
	}
	for (damage->at = 0; damage->at < damage->n && damage->at < image->n; damage->at++)
		if (damage->data[damage->at] != image->data[damage->at])
			break;
}

/* The record that a byte is of, as messages call it; of the head and its tables any. */
static void name_record(const struct octopus_dram *dram, size_t at, char name[40])
{
	name[0] = '\0';
	if (at >= dram->times.address && at < dram->layers.address)
		(void)snprintf(name, 40, "time measurements");
	for (uint32_t l = 0; l < dram->n_layer; l++) {
		const struct dram_layer *layer = &dram->layer[l];
		bool is_here = at >= layer->address && at < layer->next;
		bool is_constant =
		    at >= layer->constants.address && at < layer->constants.address + layer->constants.byte;
		if (is_here || is_constant)
			(void)snprintf(name, 40, "layer %" PRIu32 "%s", l, is_constant ? ", constants checksum" : "");
	}
}

/* "dram.bin:17: record, field is ..." */
static void check_message(const struct err *err, const struct octopus_dram *dram, const struct damage *damage,
                          size_t n_byte)
{
	const char *message = err_text(err), *rest = message + strlen("dram.bin:");
	char name[40], *end = NULL;
	assert_true(strncmp(message, "dram.bin:", strlen("dram.bin:")) == 0);
	uint64_t at = strtoull(rest, &end, 10);
	assert_true(end > rest && strncmp(end, ": ", 2) == 0);
	bool is_right = !strstr(message, "constants checksum");
	for (uint32_t l = 0; l < dram->n_layer && !is_right; l++)
		is_right = at == dram->layer[l].address + 72; /* mapper/DRAM.md, the header of a layer */
	if (!is_right)
		fail_msg("not the place of a checksum: %s", message);
	name_record(dram, damage->at, name);
	if (damage->n == n_byte && !strstr(message, name))
		fail_msg("damage at %zu, of %s: %s", damage->at, name, message);
}

static void test_every_damage_is_refused(void **state)
{
	(void)state;
	uint32_t n_all = draws(100000, 1500), n_damage = 0;
	for (uint32_t which = 0; which < N_TEXT; which++) {
		struct filled_image filled;
		make_image(which, &filled);
		struct damage damage = {.data = malloc(filled.image.n + 64)};
		assert_non_null(damage.data);
		for (uint32_t i = 0; i < n_all / N_TEXT; i++) {
			struct rng rng = rng_stream(SEED, 10 + which, i);
			struct emulator emulator;
			struct err err = {0};
			damage_image(&rng, &filled.image, &damage);
			if (damage.n == filled.image.n && damage.at == damage.n)
				continue;
			assert_int_equal(emulate_open("dram.bin", damage.data, damage.n, &emulator, &err), ERR_INPUT);
			check_message(&err, &filled.dram, &damage, filled.image.n);
			assert_null(emulator.data);
			err_clear(&err);
			n_damage++;
		}
		free(damage.data);
		filled_drop(&filled);
	}
	assert_true(n_damage > n_all * 2 / 3);
	print_message("%u damages, each refused\n", n_damage);
}

static void test_forged_images_break_nothing(void **state)
{
	(void)state;
	const struct machine machine = shipped_machine("spaces/machines/final_chip.yaml");
	uint32_t n_all = draws(100000, 1500), n_run = 0;
	for (uint32_t which = 0; which < N_TEXT; which++) {
		struct filled_image filled;
		make_image(which, &filled);
		struct damage damage = {.data = malloc(filled.image.n + 64)};
		assert_non_null(damage.data);
		for (uint32_t i = 0; i < n_all / N_TEXT; i++) {
			struct rng rng = rng_stream(SEED, 20 + which, i);
			struct emulator emulator;
			struct err err = {0};
			damage_image(&rng, &filled.image, &damage);
			if (damage.n < DRAM_HEAD_BYTE)
				continue;
			dram_image_seal(damage.data, damage.n);
			enum err_code code = emulate_open("dram.bin", damage.data, damage.n, &emulator, &err);
			if (code == ERR_OK && emulate_n_mac(&emulator) < MAX_MAC) {
				struct emulate_times times;
				(void)emulate_run(&emulator);
				emulate_time_make(&emulator, &machine, 0, &times);
				emulate_time_free(&times);
				n_run++;
			}
			assert_true(code == ERR_OK || code == ERR_INPUT);
			emulate_close(&emulator);
			err_clear(&err);
		}
		free(damage.data);
		filled_drop(&filled);
	}
	assert_true(n_run > n_all / 10);
	print_message("%u of %u forged images were run\n", n_run, n_all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_every_damage_is_refused),
	    cmocka_unit_test(test_forged_images_break_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
