/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_SCHEDULE_WEIGHTS_H
#define DSE_SCHEDULE_WEIGHTS_H
/*
 * What a schedule's image is filled with: a network's weights as 8-bit numbers (mapper/quantise), generated or of the
 * ONNX model that the network is, with inputs that their scales are measured on.
 */
#include "mapper/quantise/quantise.h"

enum schedule_weights { SCHEDULE_WEIGHTS_NONE, SCHEDULE_WEIGHTS_RANDOM, SCHEDULE_WEIGHTS_MODEL, N_SCHEDULE_WEIGHTS };
extern const char *const schedule_weights_name[N_SCHEDULE_WEIGHTS]; /* "none", ... */

struct schedule_weights_request {
	enum schedule_weights which; /* not NONE */
	const char *model;           /* path of the network's file */
	const char *calibrate;       /* path of inputs, float32, little-endian, one behind the other; NULL: generated */
	uint64_t seed;               /* of what is generated */
};

/*
 * Quantise a network, which outlives the result; free that with quantise_free. ERR_INPUT: no integer arithmetic, no
 * weights in the model, inputs of another size; ERR_IO, ERR_INTERNAL. *quant is empty then.
 */
enum err_code schedule_weights_make(const struct schedule_weights_request *request, const struct network *network,
                                    struct quantise_network *quant, struct err *err);

#endif
