/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_RANDOM_NETWORK_H
#define TESTS_RANDOM_NETWORK_H
/* Random small networks as the text of their files. */
#include "sim/base/rng.h"
#include <stdbool.h>
#include <stdio.h>

/* At least n_least layers, of which some add what another has left, and two more at most. */
static inline void random_network(struct rng *rng, unsigned n_least, char *text, size_t n_byte, unsigned *n_layer)
{
	int n = snprintf(text, n_byte, "name: random\ninput: [%u, %u, %u]\nlayers:\n", 6 + rng_below(rng, 10),
	                 6 + rng_below(rng, 10), 1 + rng_below(rng, 12));
	*n_layer = n_least + rng_below(rng, 3);
	uint32_t n_channel = 0;
	for (unsigned i = 0; i + 1 < *n_layer; i++) {
		bool adds = i > 0 && rng_below(rng, 3) == 0;
		n_channel = adds ? n_channel : 4 + 4 * rng_below(rng, 4);
		n += snprintf(text + n, n_byte - (size_t)n, "  - conv: {kernel: %u, out_channels: %u%s}\n",
		              1 + 2 * rng_below(rng, 2), n_channel, adds ? ", add: {from: -1}" : "");
	}
	(void)snprintf(text + n, n_byte - (size_t)n, "  - fc: {out: %u}\n", 8 + 8 * rng_below(rng, 8));
}

#endif
