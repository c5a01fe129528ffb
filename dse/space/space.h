/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_SPACE_H
#define DSE_SPACE_H
/*
 * A design space, read from YAML: machines and their axes, networks, what each
 * group of layers may choose from, constraints, objectives and how to search.
 * space.c reads it; dse/layer/layer_problem.c turns it into problems for the engines.
 */
#include "dse/space/arada_options.h"
#include "dse/space/detail.h"
#include "dse/space/expr.h"
#include "dse/space/layer_choice.h"
#include "dse/space/metric.h"
#include "mapper/split/design.h"
#include "mapper/network/network.h"
#include "sim/base/arena.h"
#include "sim/base/hash.h"
#include "sim/machine/machine.h"
#include <stdio.h>
#include "sim/machine/machine_param.h"

#define SPACE_MAX_OBJECTIVE 4
#define SPACE_MAX_NETWORK 16

/* One machine parameter that varies: its values as text, checked against the parameter's range. */
struct space_axis {
	const struct machine_param *param;
	size_t n;
	const char **value; /* [n] */
	struct err_place at;
};

/* Where the results of a network, which no layer of it reads, must lie when it ends. Its input lies in DRAM. */
enum network_result {
	NETWORK_RESULT_DRAM, /* written to DRAM, where whoever wants them finds them; measured systems do */
	NETWORK_RESULT_ANY,  /* or left in storage QPEs */
	N_NETWORK_RESULT
};
extern const char *const network_result_name[N_NETWORK_RESULT]; /* "dram", "any" */

enum space_aggregate { AGGREGATE_SUM, AGGREGATE_WORST, AGGREGATE_WEIGHTED };

struct space_network {
	const char *path; /* of its file */
	struct network network;
	double weight;
	struct layer_choice *choice; /* [network.n_block] */
};

struct space_limit {
	enum metric metric;
	double max;
	struct err_place at;
};

/* An input file, for run.json. */
struct space_file {
	const char *path;
	char hash[HASH_HEX_SIZE];
};

struct machine_sources;
struct machine_set;

/* What searches begin with: the fast tier's exact front of a layer, or what heuristics propose. */
enum space_seeds { SEEDS_BY_TIER, SEEDS_EXACT, SEEDS_HEURISTICS };

struct space {
	char name[MACHINE_NAME_SIZE];
	size_t n_machine;
	struct machine *machine;                 /* [n_machine] base machines; the first axis of the space */
	const char **machine_path;               /* [n_machine] their files */
	struct machine_sources *machine_sources; /* [n_machine] and where their numbers come from */
	size_t n_axis;
	struct space_axis *axis;
	size_t n_network;
	struct space_network *network;
	enum space_aggregate aggregate;
	enum network_result network_result;
	bool level_changes;    /* changes of operating point between layers count */
	uint32_t level_shares; /* into which rounds of a layer are divided between two operating points; 0: not */
	/* Points of a front in the event tier that are closer are shown as one, a fraction; NAN: as close as its model
	 * is sure. */
	double resolution_frac;
	double deadline_ms; /* of an inference of each network, until which energy counts; 0: none */
	size_t n_constraint;
	struct expr **constraint; /* over parameter keys: must be true (not 0) for a machine to be looked at */
	size_t n_limit;
	struct space_limit *limit; /* metric <= max */
	size_t n_objective;
	enum metric objective[SPACE_MAX_OBJECTIVE];
	/*
	 * What is larger where it is better: TOPS/W is a constant over energy, so energy is minimised; TOPS/mm2 one
	 * over latency times area, so both are, whose front has every design that is best in their product.
	 */
	bool wants_tops_w, wants_tops_mm2;
	double least_tops_mm2; /* a limit; 0: none. Latency and area are objectives then */
	struct err_place tops_mm2_at;
	const char *engine; /* name in engine_table; "exact" by default */
	uint64_t seed, max_evaluation;
	enum space_seeds seeds; /* of searches of layers by genetic engines, or in another tier than the fast one */
	uint32_t population, generations, islands, migrate_every;
	size_t max_front;           /* network fronts larger than this are thinned; 0: by a budget of memory and work */
	enum detail detail;         /* the tier that evaluates designs; no file says it, see space_given */
	struct arada_options arada; /* dse arada alone reads it */
	size_t n_file;
	struct space_file *file; /* every file read, the space itself first */
	struct arena arena;      /* owns all of the above but the networks' own arenas */
};

/*
 * Read a space and every machine and network file it names (paths relative to
 * the space file, then to its parent directories' machines/ and networks/).
 * All mistakes of all files in one pass. ERR_INPUT or ERR_IO; empty then.
 */
enum err_code space_read(const char *path, struct space *space, struct err *err);

/* What a command asks for in place of what the file says, or without its saying. A space is not changed once read. */
struct space_given {
	const char *engine; /* name in engine_table; NULL: the file's */
	enum detail detail;
	bool flat; /* whole networks are searched at once: searches of layers have nothing to begin with */
	const struct machine_set *set; /* of every machine (dse/space/machine_set.h); NULL: none */
	const char *text; /* what stands for the file's contents: the path names it in messages, and says where files
	                   * that it names are looked for; NULL: the file is read */
};

/* The same; given NULL: nothing. */
enum err_code space_read_given(const char *path, const struct space_given *given, struct space *space, struct err *err);

/* Files that a space is read from, wherever it says they are: each by the name it is known under, and where it lies. */
struct space_among {
	size_t n;
	const char *const *name, *const *path; /* [n], the space itself first */
};

/*
 * The same with nothing but these files. Names "--set KEY=VALUE" are no files: they set what they say, as given->set
 * does. Of several that a name may mean the first in a folder of its kind is taken.
 * The space knows its files under their names. ERR_INPUT also where it names a file that is not among them.
 */
enum err_code space_read_among(const struct space_among *among, const struct space_given *given, struct space *space,
                               struct err *err);
void space_free(struct space *space);

/* Set what layers' choices leave of fetching ahead to their neighbours'; where nothing is fetched, layers stay as equal
 * as they are. */
void space_set_ahead(struct space_network *network);

/* Whether any layer's weights may be fetched ahead. */
bool space_fetches_ahead(const struct space *space);

/*
 * Let the layers whose results are the network's write them to DRAM, or leave them where they like. After every change
 * of the layers' choices. ERR_INTERNAL.
 */
enum err_code space_end_results(struct space_network *network, enum network_result result, struct err *err);

/* Whether a machine of the space has fewer power lanes than layers may have voltages. Never where an axis, or the
 * machine's file, says what the lanes supply. */
bool space_lacks_lanes(const struct space *space, size_t machine);

#endif
