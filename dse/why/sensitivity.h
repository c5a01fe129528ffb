/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_SENSITIVITY_H
#define DSE_SENSITIVITY_H
/*
 * What to change next: of one machine each parameter at its next value up and down, with all networks mapped anew.
 *
 *   space, its machine ─► next values of each parameter ─► least latency, least energy of all mappings there ─► bars
 *                    └──► parameters of which that says nothing new: left out, with the reason
 *
 * A quantity under several names (a bandwidth: clock, bytes an access) has bars by one of them. Within a budget of
 * search, values of declared axes come first, then those that gain most with the mapping as it is.
 *
 * Both leasts are exact, in the fast tier, each of its own mapping, within the limits and the deadline of the space.
 */
#include "dse/space/space.h"
#include <stdio.h>

#define SENSITIVITY_N_METRIC 2 /* latency, energy */
#define SENSITIVITY_TEXT_SIZE 48
extern const enum metric sensitivity_metric[SENSITIVITY_N_METRIC];

/* One parameter at another value. */
struct sensitivity_bar {
	const struct machine_param *param;
	char from[SENSITIVITY_TEXT_SIZE], to[SENSITIVITY_TEXT_SIZE];
	const struct machine_param *with; /* changes along, as a mesh's QPEs do with its width; NULL: none does */
	char with_to[SENSITIVITY_TEXT_SIZE];
	bool is_declared;   /* an axis of the space has the value */
	const char *reason; /* why there is no such machine, or no design on it; NULL: there is */
	double least[SENSITIVITY_N_METRIC];
	double change_frac[SENSITIVITY_N_METRIC]; /* of the least */
	double elasticity[SENSITIVITY_N_METRIC];  /* d ln(least) / d ln(value); NaN: the values are no sizes */
	double mac_frac, sram_frac;               /* change of the machine's MAC units and SRAM */
	double gain;                              /* ln of how much latency times energy falls */
};

/* A parameter that has no bar. */
struct sensitivity_left {
	const char *key, *reason;
};

struct sensitivity {
	const char *machine;                /* its name */
	const char *networks;               /* "vgg16", "vgg16, resnet18" */
	double least[SENSITIVITY_N_METRIC]; /* of the machine as it is */
	bool has_limits;                    /* the space's limits or deadline hold everywhere */
	bool is_unsearched;                 /* the budget was too little for the machine as it is: there are no bars */
	bool is_partial;                    /* it was for some bars, whose parameters are left out */
	double epsilon;                     /* all of this within so much, where fronts were thinned; 0: exact */
	/* Bars with a design: those of a parameter are neighbours; the parameter whose best bar gains most is first.
	 * Then those without. */
	size_t n_bar, n_design;
	struct sensitivity_bar *bar; /* [n_bar] */
	/* Of the bars that the budget did not cover the one with most gain, with the mappings of the machine as it is:
	 * the least values are no more; NULL: none has any. */
	const struct sensitivity_bar *best_left;
	size_t n_left;
	struct sensitivity_left *left; /* [n_left] */
	struct arena arena;            /* of all */
};

struct sensitivity_request {
	const struct space *space;
	size_t machine;           /* of the space's */
	const char *const *value; /* [n_axis] of each axis of the space as text; NULL: all stay free */
	unsigned n_thread;
	/* Of all bars' searches, boxes to be looked at (dse/layer/branch.h), roughly; the machine as it is may take
	 * four times as many, and bars as many as it took. 0: no limit. */
	uint64_t max_box;
};

/*
 * Two searches of the machine for each bar, few where only some layers read a parameter: seconds to tens of seconds a
 * network. ERR_INFEASIBLE: the machine has no design; ERR_INTERRUPTED; ERR_INTERNAL, ERR_INPUT. The caller frees the
 * result with sensitivity_free, also after an error.
 */
enum err_code sensitivity_make(const struct sensitivity_request *request, struct sensitivity *sensitivity,
                               struct err *err);
void sensitivity_free(struct sensitivity *sensitivity);

/*
 * The same of a point of a front that was kept, in the space it was found in: of its machine and its values of the
 * axes. ERR_INPUT besides: the space has no such machine.
 */
struct kept_front;
enum err_code sensitivity_of_point(const struct kept_front *front, size_t point, const struct space *space,
                                   unsigned n_thread, uint64_t max_box, struct sensitivity *sensitivity,
                                   struct err *err);

/* The point that stands out; the front has one at least. */
size_t sensitivity_knee(const struct kept_front *front);

/* Other names of what a parameter changes, "dram.access_byte or dram.access_clk"; NULL: it has none. */
const char *sensitivity_other_names(const struct machine_param *param);

/* Whether a bar changes something: more than sums of the same values in another order differ by. */
bool sensitivity_matters(const struct sensitivity_bar *bar);

/* The first bar as a sentence, or that none lowers anything; text [512]. */
#define SENSITIVITY_SENTENCE_SIZE 512
void sensitivity_sentence(const struct sensitivity *sensitivity, char text[SENSITIVITY_SENTENCE_SIZE]);

/* A sentence, a table with bars, and what has none; as an object; as a picture. Errors stay in the stream. */
void sensitivity_print(FILE *file, const struct sensitivity *sensitivity);
/* Its members, in an object that is begun. */
struct json;
void sensitivity_put(struct json *json, const struct sensitivity *sensitivity);
void sensitivity_put_json(FILE *file, const struct sensitivity *sensitivity);
void sensitivity_draw(FILE *file, const struct sensitivity *sensitivity);

#endif
