/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What quantisation costs in accuracy: the paper's perceptron on a labelled set of digits by chance, in floating point,
 * in whole numbers up to each layer, and from the bytes of its image. Its hidden layers are as they were generated, its
 * last one is trained here (softmax regression on what they give).
 */
#include "tests/dse/emulate/filled_image.h"
#include "dse/emulate/emulate.h"
#include "mapper/octopus/octopus_time.h"
#include "tests/support/digits.h"
#include "tests/support/shipped_machine.h"
#include "tests/support/slow_build.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SEED 2505
#define N_TRAIN (SLOW_BUILD ? 200 : 2500)
#define N_TEST (SLOW_BUILD ? 100 : 1000)
#define N_CALIBRATE 32
#define N_HIDDEN 256
#define N_CLASS 16 /* ten, padded as in the paper */
#define N_EPOCH 60
#define MOST_LOST_PCT 0.5

/* Images, and what they show. */
struct labelled {
	uint32_t n;
	float *pixel; /* [n][DIGITS_PIXEL] */
	unsigned *label;
};

static struct labelled draw(uint64_t seed, uint32_t n)
{
	struct labelled set = {n, malloc((size_t)n * DIGITS_PIXEL * sizeof(float)), malloc(n * sizeof(unsigned))};
	assert_true(set.pixel && set.label);
	for (uint32_t i = 0; i < n; i++)
		set.label[i] = digits_draw(seed, i, set.pixel + (size_t)i * DIGITS_PIXEL);
	return set;
}

static void drop(struct labelled *set)
{
	free(set->pixel);
	free(set->label);
}

/* One image's step of gradient descent on weights [N_CLASS][N_HIDDEN] and biases. */
static void learn(const float *hidden, unsigned label, float rate, float *weight, float *bias)
{
	float score[N_CLASS], most = -1e30f, sum = 0;
	for (int c = 0; c < N_CLASS; c++) {
		score[c] = bias[c];
		for (int k = 0; k < N_HIDDEN; k++)
			score[c] += weight[c * N_HIDDEN + k] * hidden[k];
		most = fmaxf(most, score[c]);
	}
	for (int c = 0; c < N_CLASS; c++)
		sum += score[c] = expf(score[c] - most);
	for (int c = 0; c < N_CLASS; c++) {
		float step = rate * ((c == (int)label) - score[c] / sum);
		bias[c] += step;
		for (int k = 0; k < N_HIDDEN; k++)
			weight[c * N_HIDDEN + k] += step * hidden[k];
	}
}

static void train(struct quantise_float *model, float *const *result)
{
	struct labelled set = draw(SEED, N_TRAIN);
	float *hidden = malloc((size_t)set.n * N_HIDDEN * sizeof(*hidden));
	float *weight = arena_array(&model->arena, N_CLASS * N_HIDDEN, sizeof(*weight));
	float *bias = arena_array(&model->arena, N_CLASS, sizeof(*bias));
	assert_true(hidden && weight && bias);
	for (uint32_t i = 0; i < set.n; i++) {
		assert_true(quantise_run_float(model, set.pixel + (size_t)i * DIGITS_PIXEL, result, NULL));
		memcpy(hidden + (size_t)i * N_HIDDEN, result[1], N_HIDDEN * sizeof(*hidden));
	}
	for (int epoch = 0; epoch < N_EPOCH; epoch++)
		for (uint32_t i = 0; i < set.n; i++)
			learn(hidden + (size_t)i * N_HIDDEN, set.label[i], 0.02f / (1 + 0.1f * (float)epoch), weight,
			      bias);
	model->block[2].weight = weight;
	model->block[2].bias = bias;
	free(hidden);
	drop(&set);
}

static bool is_right(const float *score, unsigned label)
{
	int best = 0;
	for (int c = 1; c < N_CLASS; c++)
		best = score[c] > score[best] ? c : best;
	return best == (int)label;
}

/* Right answers in floating point (0), with so many layers in whole numbers, and from the image (last). */
static void count_right(struct filled_image *filled, struct emulator *emulator, float *const *result,
                        uint32_t n_right[6])
{
	struct labelled set = draw(SEED + 1, N_TEST);
	struct arena arena = {0};
	int8_t **quantised = (int8_t **)quantise_make_results(&filled->network, 1, &arena);
	assert_non_null(quantised);
	for (uint32_t i = 0; i < set.n; i++) {
		const float *pixel = set.pixel + (size_t)i * DIGITS_PIXEL;
		int8_t input[DIGITS_PIXEL], output[N_CLASS];
		float score[N_CLASS];
		quantise_input(&filled->quant, pixel, input);
		assert_true(quantise_run(&filled->quant, input, quantised));
		for (size_t n = 0; n <= 4; n++) {
			assert_true(quantise_run_mixed(&filled->model, &filled->quant, n, quantised, pixel, result));
			n_right[n] += is_right(result[3], set.label[i]);
		}
		emulate_write_input(emulator, input);
		assert_true(emulate_run(emulator));
		emulate_read_output(emulator, output);
		assert_memory_equal(output, quantised[3], N_CLASS);
		for (int c = 0; c < N_CLASS; c++)
			score[c] = output[c];
		n_right[5] += is_right(score, set.label[i]);
	}
	arena_free(&arena);
	drop(&set);
}

static void calibrate(struct filled_image *filled)
{
	struct labelled set = draw(SEED + 2, N_CALIBRATE);
	struct err err = {0};
	if (quantise_calibrate(&filled->model, set.pixel, set.n, &filled->quant, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	drop(&set);
}

static void test_accuracy_of_the_perceptron(void **state)
{
	(void)state;
	static const char *const name[6] = {"float",        "int8 to FC_1",      "int8 to FC_2",
	                                    "int8 to FC_3", "int8 to SOFTMAX_4", "from the image's bytes"};
	const struct machine machine = shipped_machine("spaces/machines/final_chip.yaml");
	struct filled_image filled = {0};
	struct emulator emulator;
	struct arena arena = {0};
	struct err err = {0};
	uint32_t n_right[6] = {0};
	assert_int_equal(network_read("spaces/networks/mlp_784_512_256_16.yaml", &filled.network, &err), ERR_OK);
	assert_int_equal(octopus_build(&filled.network, &filled.graph, &err), ERR_OK);
	for (uint32_t l = 0; l < filled.graph.n_layer; l++)
		assert_true(octopus_paper_cut(&filled.graph.layer[l], &filled.network.block[l], 0));
	float **result = (float **)quantise_make_results(&filled.network, sizeof(float), &arena);
	assert_non_null(result);
	assert_int_equal(quantise_generate(&filled.network, SEED, &filled.model, &err), ERR_OK);
	train(&filled.model, result);
	calibrate(&filled);
	filled_write(&filled, &machine);
	if (emulate_open("dram.bin", filled.image.data, filled.image.n, &emulator, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	count_right(&filled, &emulator, result, n_right);
	for (int i = 0; i < 6; i++)
		print_message("%-24s %.1f %%\n", name[i], 100.0 * n_right[i] / N_TEST);
	for (int i = 0; i < 6 && !SLOW_BUILD; i++)
		assert_true(n_right[i] + MOST_LOST_PCT / 100 * N_TEST >= n_right[0]);
	assert_true(SLOW_BUILD || (n_right[0] > 0.9 * N_TEST && n_right[0] < N_TEST));
	emulate_close(&emulator);
	arena_free(&arena);
	filled_drop(&filled);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_accuracy_of_the_perceptron),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
