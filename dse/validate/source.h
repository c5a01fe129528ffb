/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_SOURCE_H
#define DSE_SOURCE_H
/*
 * How the runs behind the published tables were set up: which machine a table is about, which split an operation had,
 * where its ifmap and its result lay. Machines, networks and prepared layers are kept between rows.
 */
#include "sim/base/csv.h"
#include "dse/space/detail.h"
#include "dse/space/machine_set.h"
#include "mapper/split/design.h"
#include "mapper/network/network.h"
#include "mapper/split/split.h"
#include "sim/machine/machine.h"
#include "sim/systolic/scalesim.h"
#include "sim/fast/fast.h"
#include <stdbool.h>

struct source;

/* One network on one machine; owned by the source. */
struct source_subject {
	const char *network_name; /* of its file, as split schemes call it */
	const char *target;       /* "qpe" or "chip" */
	const struct machine *machine;
	const struct network *network;
	struct layer_context *context; /* [network->n_block], prepared when first used */
	bool *prepared;
	struct source_subject *next;
};

/* The cells of a row that say what was run; NULL: the table has no such column. */
struct source_key {
	const struct csv_table *table;
	size_t row; /* its columns of machine parameters (dse/out/machine_column.h) set its machine */
	const struct csv_cell *network;   /* NULL: of a row that names only a machine */
	const struct csv_cell *target;    /* NULL: chip */
	const struct csv_cell *array;     /* NULL: as in the machine file */
	const struct csv_cell *operation; /* NULL: the whole network */
};

/* Which of the two splits of an operation a source used where it contradicts itself. */
enum source_split {
	SPLIT_AS_LISTED, /* in appendices G to J of the thesis */
	SPLIT_AS_RUN     /* in the published runs of phases and arrays */
};

/* Why a value does not count when its split is not listed. */
extern const char source_unlisted_note[];

/* A split and whether the source lists it; if not, our splitter made it by the thesis' rules. */
struct source_split_choice {
	struct split split;
	bool listed;
};

/*
 * machine: file or name that replaces the tables' own machine of the same target, NULL: none. split_scheme: file, NULL:
 * the thesis' splits. Both must outlive the source. ERR_INPUT, ERR_IO; *source is NULL then.
 */
/* Let machines have what --set gives, as far as theirs have the parameters; a table's own columns come after. */
void source_set_machines(struct source *source, const struct machine_set *set);

enum err_code source_open(const char *machine, const char *split_scheme, struct source **source, struct err *err);
void source_close(struct source *source);

/*
 * The tier that predicts from now on; the fast one before. With the event tier a table is gone through between
 * source_collect and source_run_collected to note its runs, and then again (dse/validate/run_cache.h).
 */
void source_set_detail(struct source *source, const struct detail_options *options);
enum detail source_detail(const struct source *source);
void source_collect(struct source *source);
enum err_code source_run_collected(struct source *source, struct err *err);

/* Forget the runs of rows of this table. */
void source_forget(struct source *source, const struct csv_table *table);

/* "qpe" or "chip" when the user's own machine has replaced none so far, its target; NULL: it has, or there is none. */
const char *source_unused_target(const struct source *source);

/*
 * The machine of a row: the file of this name under spaces/machines, or the user's own when it has the same target,
 * with the MAC array and the machine parameters that key has of the row; its other cells do not matter. ERR_INPUT at
 * the cell of the parameter that is wrong, else at the one that is to blame.
 */
enum err_code source_machine(struct source *source, const char *name, const struct source_key *key,
                             const struct csv_cell *blamed, const struct machine **machine, struct err *err);

/* The same without regard to a row, as the file has it. ERR_INPUT at the place given. */
enum err_code source_file_machine(struct source *source, const char *name, struct err_place at,
                                  const struct machine **machine, struct err *err);

/*
 * The machine that a row's target and array name, key->network aside; target
 * (may be NULL) gets the word for it. ERR_INPUT at the cell that is wrong.
 */
enum err_code source_find_machine(struct source *source, const struct source_key *key, const struct machine **machine,
                                  const char **target, struct err *err);

/*
 * Network, machine and block (index of it; untouched without key->operation)
 * that a row names. A network is looked for beside the table, in networks/
 * there, then as path_find does. ERR_INPUT at the cell that is wrong; a network
 * that cannot be read is reported at its first row only.
 */
enum err_code source_find(struct source *source, const struct source_key *key, struct source_subject **subject,
                          size_t *block, struct err *err);

/* The split a block had. ERR_INPUT when the listed one does not fit the block. */
enum err_code source_find_split(struct source *source, const struct source_subject *subject, size_t block,
                                enum source_split which, struct source_split_choice *choice, struct err *err);

/* A block as it was run. */
struct source_run {
	bool listed; /* its split is the source's own */
	bool ran;    /* false: verdict says why not, result is undefined */
	struct verdict verdict;
	struct sim_result result;
};

/*
 * Run the design of a row that brings its own layer; its split passed
 * split_check. run->listed is untouched. ERR_INTERNAL.
 */
enum err_code source_run_design(struct source *source, const struct csv_table *table, size_t row,
                                const struct layer_context *context, const struct layer_design *design,
                                struct source_run *run, struct err *err);

/* Event tier: PE clocks of a row's task, as a column's machine runs it on all PEs of a QPE. ERR_INTERNAL. */
enum err_code source_run_task(struct source *source, const struct csv_table *table, size_t row, size_t column,
                              const struct machine *machine, const struct mla_shape *task, uint64_t *clk,
                              struct err *err);

/*
 * SCALE-Sim's memory rules on a row's layer; the last row's result is kept, because each of its values is predicted by
 * itself. layer is valid. ERR_INTERNAL.
 */
enum err_code source_run_scalesim(struct source *source, const struct csv_table *table, size_t row,
                                  const struct systolic_array *array, const struct systolic_layer *layer,
                                  struct systolic_result *result, struct err *err);

/*
 * Run a block as the source did: its split, operating point 0, 8-bit operands; strategies that reuse with storage QPEs
 * where they held ifmap and result, and STRATEGY_FUSION for what is no convolution, which reuse does not serve.
 */
enum err_code source_run_block(struct source *source, struct source_subject *subject, size_t block,
                               enum strategy strategy, enum source_split which, struct source_run *run,
                               struct err *err);

#endif
