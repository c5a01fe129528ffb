/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_WHY_H
#define DSE_WHY_H
/*
 * Why not this one? A choice in a space (a value, a machine, what a layer has, a whole mapping) is fixed, all else that
 * the space leaves open is searched again, and its front stands beside the front of the whole space. Both searches are
 * exact and in the fast tier.
 *
 *   words ─► why_parse ─► struct why_choice ─► why_make ─┬─► front of the space ────┐
 *                                                        ├─► front with the choice ─┴─► on the front, or margins;
 *                                                        │                              layers that lose most
 *                                                        └─► one step of an axis further: would it be on the front?
 */
#include "dse/search/explore.h"
#include "dse/space/machine_set.h"
#include "dse/space/provenance.h"
#include "dse/space/space.h"
#include "dse/out/json.h"
#include "mapper/split/strategy.h"
#include "sim/program/result.h"

#define WHY_MAX_LAYER 8 /* choices of layers */
#define WHY_N_LOSS 5
#define WHY_MAX_STEP 32
#define WHY_TEXT_SIZE 256

/* What is fixed of layers. */
struct why_layer {
	const char *name;       /* of the layers that it is of; NULL: of all */
	enum strategy strategy; /* N_STRATEGY: as the space says */
	uint32_t level;         /* UINT32_MAX: as the space says */
	/* Splits: the thesis' own; or of dimensions i with bit i of dims, each a choice or, n_fixed 1, exactly
	 * fixed[i]. */
	bool thesis_split;
	unsigned dims;
	struct dim_choice dim[N_SPLIT_DIM];
	struct dim_split fixed[N_SPLIT_DIM];
};

/* The machine that is chosen. One of the space has the space's axes; one from a file is as its file says. */
struct why_machine {
	const char *path;
	struct machine machine;
	struct machine_sources sources;
	bool is_file;
};

struct why_choice {
	char text[WHY_TEXT_SIZE]; /* the words, with ", " between */
	struct machine_set set;
	struct why_machine *machine; /* NULL: those of the space */
	const char *mapping;         /* FILE.yaml: all of the layers is as it says; NULL: nothing is */
	size_t n_layer;
	struct why_layer layer[WHY_MAX_LAYER];
	struct arena arena;
};

/* A layer of the fastest designs: of the choice, and of the front. */
struct why_loss {
	const char *network, *layer; /* the space's */
	double own_ms, front_ms;
	enum bound bound; /* of the choice's */
};

/* One axis a step further. */
struct why_step {
	const struct machine_param *param;
	char from[48], to[48];
	bool is_declared;  /* the space has the value */
	bool has_design;   /* that keeps the limits */
	bool is_on_front;  /* of the space */
	double margin;     /* as of struct why; 0 on the front */
	double change_log; /* how far the step goes: |log(to / from)|; infinite where that is no number */
};

struct why {
	const struct space *space;
	const struct why_choice *choice;
	size_t n_front, n_own; /* points of both fronts; of a mapping: machines on which it is worth having */
	bool is_on_front;      /* the front beats not all points of the choice's, or equals one */
	size_t n_on_front;     /* of the choice's points */
	size_t n_front_beaten; /* of the front's points: by the choice's, which the space does not have then */
	/*
	 * Not on the front: each design of the choice is beaten by one on the front that is better by this fraction at
	 * least in all objectives that are not the machine's alone, at once, and no worse in the others.
	 */
	double margin;
	/* The same of one objective: by one that is better in it by so much, and no worse in any. */
	double own_margin[SPACE_MAX_OBJECTIVE];
	double least[SPACE_MAX_OBJECTIVE], front_least[SPACE_MAX_OBJECTIVE]; /* of each objective */
	char reason[WHY_TEXT_SIZE]; /* why nothing of the choice runs; of a mapping, on the first machine; "" */
	double epsilon;             /* all of this within so much, where fronts were thinned; 0: exact */
	size_t n_loss;
	struct why_loss loss[WHY_N_LOSS]; /* layers that lose most, the worst first */
	double lost_ms;                   /* of the fastest designs, together */
	size_t n_step;
	struct why_step step[WHY_MAX_STEP];
	size_t best; /* the smallest step that is on the front; n_step: none is */
};

/*
 * What words [n] fix: KEY=VALUE of a machine parameter; machine=NAME, a machine of the space or a file;
 * strategy=NAME, level=NAME, split=SPLIT of all layers, or LAYER.strategy=NAME and the like of one; FILE.yaml, a
 * mapping. SPLIT is all, even, whole, thesis, or "height:28*2,width:14*4", dimensions not named as the space says.
 * ERR_USAGE with what was found, what is allowed, and the nearest. The caller frees choice, also after an error.
 */
enum err_code why_parse(const struct space *space, const char *const *word, size_t n, struct why_choice *choice,
                        struct err *err);
void why_choice_free(struct why_choice *choice);

/*
 * Answer. ERR_INFEASIBLE: the space has no design; ERR_INPUT, ERR_USAGE: the choice is none on its machines; ERR_IO;
 * ERR_INTERRUPTED; ERR_INTERNAL. watch: who looks on from outside; NULL: nobody. space and choice must outlive why. As long
 * as two searches of the space, and two for each axis.
 */
enum err_code why_make(const struct space *space, const struct why_choice *choice, unsigned n_thread,
                       const struct explore_watch *watch, struct why *why, struct err *err);

/* Sentences and tables. */
void why_print(FILE *file, const struct why *why);

/* As an object, whole. */
void why_put_json(FILE *file, const struct why *why);

#endif
