/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_TIME_FIT_H
#define DSE_TIME_FIT_H
/*
 * Constants of the run-time model from measured times of a run, by chip or emulator.
 *
 *   image (run once, for its counts), time area, machine -> time_fit_run -> layers that the model gets wrong, by part;
 *                                                                           constants that the times determine
 *
 * Least squares over scheduler, workers, setup and cleanup of every layer, errors weighed by what was measured. The
 * model is linear in its constants but for a bandwidth: a few steps of Gauss and Newton.
 */
#include "dse/emulate/emulate_time.h"
#include "dse/space/provenance.h"
#include "sim/machine/machine_param.h"

#define TIME_FIT_MAX_PARAM 24

/* Times of a layer by part: the slowest worker's, and the scheduler's; of the model before and after the fit. */
struct time_fit_layer {
	double measured_us[N_OCTOPUS_PART], model_us[N_OCTOPUS_PART], fitted_us[N_OCTOPUS_PART];
};

struct time_fit_param {
	const struct machine_param *row;
	double before, after;
	double error;       /* 95 %: so much more or less, by what the fit leaves of the times and by their ticks */
	bool is_used;       /* some measured time depends on it */
	bool is_determined; /* and not on others alike; else it keeps its value */
};

struct time_fit {
	uint32_t n_layer;
	struct time_fit_layer *layer; /* [n_layer] */
	size_t n_param;
	struct time_fit_param param[TIME_FIT_MAX_PARAM];
	double setup_us[3], cleanup_us[3]; /* measured, model, fitted */
	double total_us[3];
	struct machine machine; /* with what was determined */
	struct arena arena;
};

/* emulator has run; times were read of its image. Free with time_fit_free. */
void time_fit_run(const struct emulator *emulator, const struct emulate_times *times, const struct machine *machine,
                  uint32_t level, struct time_fit *fit);
void time_fit_free(struct time_fit *fit);

/* Whether a part of a layer is off by more than this share of the layer's measured time. */
#define TIME_FIT_WRONG_FRAC 0.02
bool time_fit_is_wrong(const struct time_fit_layer *layer, enum octopus_part part);

void time_fit_print(const struct time_fit *fit, const struct octopus_dram *dram, FILE *file);
struct json;
void time_fit_put_json(const struct time_fit *fit, const struct octopus_dram *dram, struct json *json);

/* Sections of a machine file with what was determined, each whole, and where it is from: `source` names the times. */
void time_fit_write_fragment(const struct time_fit *fit, const struct machine_sources *sources, const char *source,
                             FILE *file);

#endif
