/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_OCTOPUS_TRAFFIC_H
#define MAPPER_OCTOPUS_TRAFFIC_H
/*
 * What the workers of a layer that is cut move between DRAM and their SRAM, tile by tile and exactly; the run-time
 * model (octopus_time.h) takes all tiles as large as the largest and counts the busiest worker. A worker keeps weights
 * and ifmap from a tile to the next where they are the same and the input channels are uncut.
 */
#include "mapper/octopus/octopus.h"

#define OCTOPUS_PACKET_BYTE 16 /* of the DRAM, of which a load or write has whole ones */

struct octopus_traffic {
	uint64_t weight_byte, input_byte, output_byte; /* weights with biases; ifmap and what is added; results */
	uint64_t n_weight_load, n_input_load, n_write; /* one for each part of the input channels */
	uint64_t n_packet;                             /* of all of them */
};

/* Of all workers. Where the graph reads views that are no boxes, as if they were. Linear in tiles. */
void octopus_count_traffic(const struct octopus_graph *graph, const struct octopus_layer *layer,
                           struct octopus_traffic *traffic);

/* Add the one to the other. */
void octopus_add_traffic(const struct octopus_traffic *more, struct octopus_traffic *sum);

static inline uint64_t octopus_n_packet(uint64_t byte)
{
	return byte / OCTOPUS_PACKET_BYTE + (byte % OCTOPUS_PACKET_BYTE > 0);
}

#endif
