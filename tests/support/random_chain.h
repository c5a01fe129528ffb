/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_RANDOM_CHAIN_H
#define TESTS_RANDOM_CHAIN_H
/* Small networks of layers one after the other: convolutions of all kinds, pooling, shortcuts. */
#include "sim/base/rng.h"
#include "tests/support/network_text.h"
#include <stdio.h>
#include <string.h>

struct chain_text {
	char text[2048];
	uint32_t c[8]; /* channels by layer, 0: the input */
	bool same[8];  /* whether the layer keeps width and height */
};

static inline void chain_add_conv(struct rng *rng, struct chain_text *chain, uint32_t i)
{
	uint32_t in_c = chain->c[i - 1], kernel = 1 + rng_below(rng, 4), stride = 1 + (rng_below(rng, 4) == 0);
	bool is_depthwise = rng_below(rng, 4) == 0, adds = i >= 2 && chain->same[i - 1] && rng_below(rng, 2) == 0;
	uint32_t out_c = is_depthwise ? in_c : adds ? chain->c[i - 2] : 1 + rng_below(rng, 9);
	uint32_t dilation = 1 + (rng_below(rng, 5) == 0);
	adds = adds && out_c == chain->c[i - 2];
	if (adds)
		stride = 1;
	size_t at = strlen(chain->text);
	(void)snprintf(chain->text + at, sizeof(chain->text) - at,
	               "  - conv: {kernel: %u, out_channels: %u, groups: %u, stride: %u, dilation: %u%s}\n", kernel,
	               out_c, is_depthwise ? in_c : 1, stride, dilation, adds ? ", add: {from: -2}" : "");
	chain->c[i] = out_c;
	chain->same[i] = stride == 1;
}

/* n layers on a map of up to max_side pixels a side. Half of the pooling layers are fused with the layer before. */
static inline void random_chain(struct rng *rng, uint32_t n, uint32_t max_side, struct network *network)
{
	struct err err = {0};
	struct chain_text chain = {.c = {1 + rng_below(rng, 8)}};
	assert_true(n < 8);
	/* Multiples of 4, so that pooling divides them, and so large that strides leave a window's width. */
	uint32_t least = n < 4 ? 4 : 12, n_side = max_side / 4 - least + 1;
	assert_true(max_side / 4 >= least);
	uint32_t w = 4 * (least + rng_below(rng, n_side)), h = 4 * (least + rng_below(rng, n_side));
	(void)snprintf(chain.text, sizeof(chain.text), "name: chain\nbatch: %u\ninput: [%u, %u, %u]\nlayers:\n",
	               1 + rng_below(rng, 2), w, h, chain.c[0]);
	for (uint32_t i = 1; i <= n; i++) {
		size_t at = strlen(chain.text);
		if (i == 1 || rng_below(rng, 4) > 0) {
			chain_add_conv(rng, &chain, i);
			continue;
		}
		(void)snprintf(chain.text + at, sizeof(chain.text) - at,
		               "  - pool: {window: %u, stride: %u, type: %s}\n", 2 + rng_below(rng, 2),
		               1 + rng_below(rng, 2), rng_below(rng, 2) ? "max" : "average");
		chain.c[i] = chain.c[i - 1];
	}
	if (network_read_text(chain.text, network, &err) != ERR_OK)
		fail_msg("%s\n%s", err_text(&err), chain.text);
}

#endif
