/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_MAPPING_H
#define DSE_MAPPING_H
/*
 * Mappings: one network on one machine with a design for every layer. Made by
 * the splitter, a split scheme, a point of a front or a search; written as YAML
 * that people edit and every command with --mapping reads:
 *
 *   rules, scheme, FRONT.json:ID, search ─► struct mapping ─► FILE.yaml ─► edited ─► struct mapping ─► simulate,
 *                                                                                     prove, schedule, compare
 */
#include "dse/search/explore.h"
#include "dse/space/left_out.h"
#include "dse/space/machine_set.h"
#include "dse/space/provenance.h"
#include "mapper/split/design.h"
#include "sim/base/doc.h"

/* A machine parameter, or a field of an operating point, that is not the file's: an axis of the space whose front a
 * mapping is from, or --set. */
struct mapping_axis {
	char key[MACHINE_LEVEL_KEY_SIZE];  /* "mla.array", "levels.PL1.clk_mhz" */
	const struct machine_param *param; /* NULL: a field of an operating point */
	char text[MACHINE_NAME_SIZE];
};

#define MAPPING_NAME_SIZE 128 /* letters, digits, '_', '-', '.' */

/* Initialise with {0}; owns what it points to: mapping_free. */
struct mapping {
	char name[MAPPING_NAME_SIZE];            /* made of network and machine: "vgg16_on_thesis_chip" */
	const char *machine_file, *network_file; /* as named: a path or the name of a shipped file */
	const char *machine_path, *network_path; /* where they were found */
	size_t n_axis;
	struct mapping_axis *axis;      /* [n_axis] */
	uint64_t level_shares;          /* 0: no mixed operating points (sim/program/mixed.h) */
	struct machine machine;         /* axes and mixtures in force */
	struct machine_sources sources; /* of the machine's file */
	struct network network;
	struct layer_design *design; /* [network.n_block] */
	struct err_place *place; /* [network.n_block] of each layer in its file; file NULL: it was not read from one */
	struct arena arena;
};

/*
 * Read machine and network, each a file or the name of a shipped one; designs are zeroed: set them all. ERR_INPUT,
 * ERR_IO; the caller frees mapping, also after an error. So it is with every function below that takes a new mapping.
 */
enum err_code mapping_open(const char *machine_file, const char *network_file, struct mapping *mapping,
                           struct err *err);
void mapping_free(struct mapping *mapping);

/* What an axis of this key is, and its value, of the mapping's machine. */
void mapping_take_axis(const struct mapping *mapping, const char *key, struct mapping_axis *axis);

/*
 * Designs of an opened mapping as dse simulate makes them: the scheme's splits (NULL: none), else those of the thesis'
 * rules; one strategy, one operating point; results in storage QPEs where they fit. ERR_INPUT, ERR_INFEASIBLE.
 */
struct split_scheme;
enum err_code mapping_by_rules(struct mapping *mapping, const struct split_scheme *scheme, enum strategy strategy,
                               uint32_t level, struct err *err);

/*
 * Another value of a machine parameter, as it stands in a machine file, which is an axis of the mapping from now on;
 * designs stay as they are. ERR_INPUT where it is no value or does not go with the machine's others, ERR_USAGE where
 * machines of its kind have no such parameter; the mapping is untouched then.
 */
enum err_code mapping_set_axis(struct mapping *mapping, const struct machine_param *param, const char *text,
                               struct err *err);

/* Where the machine's PEs have levels of their own (dvfs.domain), let layers have pairs of them; once. ERR_INPUT: the
 * machine has too many. */
enum err_code mapping_offer_levels(struct mapping *mapping, struct err *err);

/* The same of all that --set gives, which go together or not: ERR_USAGE with what beginning the messages. */
enum err_code mapping_set_machine(struct mapping *mapping, const char *what, const struct machine_set *set,
                                  struct err *err);

/* What a search makes least. */
enum mapping_goal { MAPPING_LATENCY, MAPPING_ENERGY, MAPPING_EDP, N_MAPPING_GOAL };
extern const char *const mapping_goal_name[N_MAPPING_GOAL]; /* "latency", "energy", "edp" */

struct mapping_search_options {
	enum mapping_goal goal;
	bool counts_run_time;    /* its latency is METRIC_RUN_TIME; the machine has an octopus section */
	enum strategy strategy;  /* N_STRATEGY: any; else this one, where it serves */
	enum split_choice split; /* SPLIT_ALL, SPLIT_REDUCED or SPLIT_EVEN of every dimension */
	uint32_t levels;         /* bit l: operating point l may be used; not 0 */
	uint32_t forms;          /* bit f: 1x1 convolutions may have enum conv_form f; not 0 */
	enum network_result network_result;
	bool fetches_ahead;  /* weights may be fetched ahead (mapper/split/ahead.h) where they can be; several times as
	                        long */
	uint64_t max_box;    /* of branch and bound, roughly: then the best of what was seen; 0: no limit */
	uint64_t price_work; /* of the event tier, as dse/price/price.h counts it; 0: the fast tier alone */
	unsigned n_thread;
	bool shows_progress; /* in a line, where there is a terminal */
	struct explore_watch watch;
};

/* How a search ended: exact, unless max_box ended it, or epsilon says how far (relative) a goal of two metrics may be above the least. */
struct mapping_searched {
	double value; /* latency_ms (run_time_ms), energy_mj or edp_mj_ms of the network */
	double epsilon;
	uint64_t n_design; /* legal designs of its distinct layers, saturating */
	enum network_result network_result;
	struct left_out left_out;                    /* what the best is not best of */
	bool is_priced;                              /* the value is the event tier's ... */
	double assumed_error_frac, assumed_gap_frac; /* ... and may be beaten by so much, as dse/price/price.h says */
};

/*
 * One network of a front's point; spec is "FRONT.json:ID", network NULL: the only one. ERR_USAGE, ERR_IO, ERR_INPUT as
 * replay_run (dse/design/replay.h). The layers are run, in the tier the front is of; a point that is not what the front
 * recorded is an ERR_INPUT with what differs.
 */
enum err_code mapping_from_point(const char *spec, const char *network, struct mapping *mapping, struct err *err);

/* Read FILE.yaml. All mistakes in one pass with file:line:column: ERR_INPUT; ERR_IO. */
enum err_code mapping_read(const char *path, struct mapping *mapping, struct err *err);

/* FILE.yaml or FRONT.json:ID, as after --mapping. */
enum err_code mapping_load(const char *spec, struct mapping *mapping, struct err *err);

/*
 * Write what mapping_read reads back to the same designs, bit for bit. comment: lines for the file's head, each without
 * '#'; NULL: none. Errors of the stream stay in the stream.
 */
void mapping_write(FILE *file, const struct mapping *mapping, const char *comment);

/*
 * The designs that a file's list `layers` has for a network's blocks on some machine, and where each stands (place
 * [n_block]; NULL: nobody asks). What follows from other layers may be left out and must agree where it is not.
 * ERR_INPUT: as mapping_read.
 */
enum err_code mapping_read_layers(const struct doc_node *layers, const struct network *network,
                                  const struct machine *machine, struct layer_design *design, struct err_place *place,
                                  struct err *err);

/*
 * Set what follows: where ifmap, added and held results and weights lie when each block's result and what it fetches
 * are where design [n_block] says.
 */
void mapping_follow(const struct network *network, struct layer_design *design);

/* Contexts [n_block] of the designs, with what may be fetched ahead. They point into machine and network. */
void mapping_contexts(const struct mapping *mapping, struct layer_context *context);

/* Whether every layer runs: ERR_INFEASIBLE with a message for each that does not, at its place. */
enum err_code mapping_check(const struct mapping *mapping, struct err *err);

#endif
