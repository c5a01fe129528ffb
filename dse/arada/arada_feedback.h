/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_ARADA_FEEDBACK_H
#define DSE_ARADA_FEEDBACK_H
/*
 * ARADA's run-time feedback (section 3.2, figure 4): the resource manager knows nothing of a network at first and runs
 * it at full speed; what it measures decides the next inference, layer by layer, and so on.
 *
 *   inference 0: race to idle ─► measured times of the memory, by layer ─► mean so far ─► VF-OH-Q ─► inference 1 ─► ...
 *
 * The memory's time of a layer varies from inference to inference, by a normal deviate, because others use the memory,
 * too; the array's does not. The platform counts the clocks in which the interface is busy, so that the memory's time
 * is seen whatever clock the array has (assumed: the paper does not say what is fed back).
 */
#include "dse/arada/arada_exact_study.h"
#include <stdio.h>

#define ARADA_MAX_INFERENCE 1000u

struct arada_feedback_options {
	uint32_t n_inference; /* after the first one; 1..ARADA_MAX_INFERENCE */
	uint32_t n_sample;    /* sequences of inferences, each with its own noise */
	double noise_frac;    /* standard deviation of the memory's time, of its mean; 0 or more */
	uint64_t seed;
	unsigned n_thread;
};

/* An inference of a network, mean over samples; energies by the array's (V / Vmax)^2, gated while it waits. */
struct arada_feedback_step {
	double saving_frac;  /* of race to idle's energy */
	double late_frac;    /* time beyond race to idle's under the same noise; 0: none */
	double knowing_frac; /* saving of VF-OH-Q if the inference's times were known before it */
};

/*
 * Inferences 0 to n_inference of a run into step [n_inference + 1]. Results depend on the seed and `number` (of the
 * stream) alone.
 */
void arada_feedback_run(const struct arada_run *run, const struct arada_feedback_options *options, uint32_t number,
                        struct arada_feedback_step *step);

struct arada_feedback {
	const struct arada_study *study;
	const struct arada_exact_study *exact; /* whose savings stand beside; NULL: none */
	struct arada_feedback_options options;
	struct arada_feedback_step *step; /* [study->n_machine][n_inference + 1], mean over networks */
	struct arena arena;
};

/* All machines; results do not depend on n_thread. The study outlives it; caller frees. ERR_INTERRUPTED. */
enum err_code arada_feedback_study(const struct arada_study *study, const struct arada_exact_study *exact,
                                   const struct arada_feedback_options *options, struct arada_feedback *feedback,
                                   struct err *err);
void arada_feedback_free(struct arada_feedback *feedback);

/* A row a machine and inference (of many: 0, 1, 2, 4, 8, ... and the last); a row each; a curve a machine. */
void arada_feedback_print(FILE *file, const struct arada_feedback *feedback);
void arada_feedback_write(FILE *file, const struct arada_feedback *feedback);
void arada_feedback_draw(FILE *file, const struct arada_feedback *feedback);

#endif
