/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_SAMPLE_H
#define DSE_SAMPLE_H
/*
 * Samples of all coefficients of energy and area inside their intervals (dse/space/provenance.h): in what share of them each machine, and
 * each point, is on the front. Energy is linear in the coefficients, so designs are priced at a sample from what they
 * use of each, without being simulated again.
 *
 *   layers' designs, with what they use ─► compose at a sample ─► whole designs ─► price ─► which machines are on the
 *                                                                                           front of the sample
 *
 * Machines are sampled in the fast tier. A sample's front may have designs that are not on the file's: layers' designs
 * are all there are where these are few, else those on the fronts of layers at the file's coefficients; each sample is
 * composed by itself where that takes little, else some are, and what these made is priced at all.
 */
#include "dse/design/unroll.h"
#include "dse/out/json.h"

struct sample_options {
	uint32_t n_sample; /* 1.. */
	uint64_t seed;
	unsigned n_thread;
};

/* Shares of the samples; values that 5 % of the samples stay below and above. */
struct sample_point {
	double share, low[SPACE_MAX_OBJECTIVE], high[SPACE_MAX_OBJECTIVE];
};

struct sampled {
	struct sample_options options;
	bool has_all_layers;  /* every design of every layer was looked at */
	bool is_all_composed; /* every sample by itself, none thinned */
	uint32_t n_composed;  /* else so many samples, */
	double epsilon;       /* by which what thinning dropped may have been better */
	size_t n_layer_design,
	    n_whole; /* designs that were priced: of layers; of the whole, over all samples composed */
	size_t n_machine;
	uint32_t *machine_index; /* [n_machine] */
	bool *is_on_front;       /* [n_sample][n_machine] */
	size_t n_point;
	struct sample_point *point; /* [n_point] of the front; NULL: not sampled */
	bool is_interrupted;        /* by a signal: the shares mean nothing, or there are none of the points */
	double seconds;
};

/* Whether a space can be sampled: ERR_INPUT says why not. */
enum err_code sample_check(const struct space *space, struct err *err);

/* Give a machine of the space's file the coefficients of a sample. Values of axes are no doubts: they stay. */
void sample_draw(const struct space *space, size_t file, uint64_t seed, uint32_t sample, struct machine *machine);

/*
 * Sample the machines of a space as explore_run searched it in the fast tier, with options->prices and all_machines.
 * ERR_INTERNAL. A wish to stop is no error: is_interrupted. The caller frees sampled, also after an error.
 */
enum err_code sample_machines(const struct explore *explore, const struct sample_options *options,
                              struct sampled *sampled, struct err *err);

/* Then the points of a front, in whatever tier it is, against each other alone. ERR_INTERNAL. */
enum err_code sample_points(const struct unroller *unroller, struct sampled *sampled, struct err *err);
void sample_free(struct sampled *sampled);

/* Share of the samples in which machine i, by its place in machine_index, is on the front. */
double sample_machine_share(const struct sampled *sampled, size_t i);

/* For people, and as "coefficient_samples" of the object that is open. */
void sample_print(FILE *file, const struct explore *explore, const struct sampled *sampled);
void sample_put_json(struct json *json, const struct explore *explore, const struct sampled *sampled);

#endif
