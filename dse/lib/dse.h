/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_H
#define DSE_H
/*
 * libdse, the one header for programs of others: what a mapping of a neural network onto a machine costs, and which
 * designs of a space no other one beats.
 *
 *   machine, network ─► dse_open ─► dse_map or dse_map_best ─┬─► dse_evaluate ─► dse_total, dse_layer
 *   mapping.yaml ─────► dse_open_mapping ────────────────────┤
 *                                        ┌─► dse_open_point ─┘
 *   space ─► dse_open_space ─► dse_explore ─► dse_n_point, dse_point, dse_choice
 *
 * Handles are independent: each may be used by one thread at a time, different ones by different threads (dse_cancel
 * alone may be called by any). Nothing here prints, catches signals or heeds the locale. Every function that can fail
 * returns a code; dse_message then
 * says what is wrong, with file:line:column where it stands in a file, and what is allowed. What failed left the
 * handle as it was, unless it says otherwise. Nothing exits, but for one case: where memory runs out inside a search.
 * Link with pkg-config: cc program.c $(pkg-config --cflags --libs dse).
 *
 * Until version 1.0 the interface may change with the second number of the version, and the library's soname with it.
 */
#include <stddef.h>
#include <stdint.h>

#define DSE_VERSION "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define DSE_API __attribute__((visibility("default")))
#else
#define DSE_API
#endif

/* The same numbers as the exit codes of the program dse. */
enum dse_code {
	DSE_OK = 0,
	DSE_INTERNAL = 1,   /* memory is out, or a bug of ours */
	DSE_USAGE = 2,      /* an argument is wrong, or the calls come in the wrong order */
	DSE_INPUT = 3,      /* a file is wrong */
	DSE_INFEASIBLE = 4, /* some layer cannot run, or has no design at all */
	DSE_IO = 5,         /* reading or writing failed */
	DSE_INTERRUPTED = 130 /* dse_cancel, or who was told of the progress, ended it */
};

/* One network on one machine with a design for every layer, and what it costs once it was evaluated. */
struct dse;

/*
 * Figures of a layer, or of all layers together. The library owns them: versions to come may add fields at the end, so
 * never make, copy or count on the size of one. Clocks are of the PEs at the layer's operating point.
 */
struct dse_figures {
	const char *name;    /* of the layer's core operation, "CONV_5"; in totals of the network */
	const char *verdict; /* "feasible", or a word for why it cannot run: numbers from total_clk on are 0 */
	const char *reason;  /* the same in a sentence; "" where it runs */
	uint64_t demanded_byte, available_byte; /* of the memory that is too small; 0 where that is not the reason */

	uint64_t total_clk, core_clk; /* core_clk: without operations of the ARM cores */
	double latency_ms, energy_mj; /* static energy included */
	double peak_power_mw;         /* mean power of the most power-hungry step; totals: of any layer */
	double mac;                   /* multiply-accumulates, a whole number */
	uint64_t dram_read_byte, dram_write_byte;
	uint64_t sram_byte;    /* of the fullest PE (of a systolic array: of its buffers); totals: of any layer */
	double sram_used_frac; /* of what a PE has for operands and results */
	double mac_util_frac;  /* of what all MAC units could do in that time; totals: in layers that multiply */
};

/* Version of the library that is linked, "0.1.0"; DSE_VERSION is that of the header. Never freed. */
DSE_API const char *dse_version(void);

/* A handle with nothing open; NULL when memory is out. The caller gives it to dse_free, which takes NULL, too. */
DSE_API struct dse *dse_new(void);
DSE_API void dse_free(struct dse *dse);

/*
 * What the last call on this handle complained about: one or more lines, each ending in '\n'; "" when it returned
 * DSE_OK. Owned by the handle, until the next call on it. A NULL handle gives "".
 */
DSE_API const char *dse_message(const struct dse *dse);

/* One line of dse_message in its parts. */
struct dse_error {
	const char *file;       /* NULL: it stands in no file */
	unsigned line, column;  /* counted from 1; 0: no file */
	const char *message;    /* without the place */
	const char *suggestion; /* the word that may have been meant; NULL: none is near */
};

/* Lines of dse_message, and line i, counted from 0; NULL when there is none. Owned by the handle, until the next call
 * of dse_error or one that can fail. */
DSE_API size_t dse_n_error(const struct dse *dse);
DSE_API const struct dse_error *dse_error(struct dse *dse, size_t i);

/* How far a search is. Versions to come may add fields at the end. */
struct dse_progress {
	const char *phase;        /* in words: "machines 1 to 2 of 2, layer search 68 of 406" */
	double done_frac;         /* of the search, 0..1; rough, and 0 again when the event tier prices */
	double elapsed_s, left_s; /* left_s: infinite where nobody knows */
	uint64_t n_evaluation;    /* designs evaluated so far */
};

/*
 * Who is told of the progress of dse_explore and dse_map_best: in the thread that called them, ten times a second and
 * once at the end; what is not 0 ends the search, as dse_cancel does. The search runs in threads of its own meanwhile.
 * watch NULL: nobody. It may not call functions of this handle but dse_cancel.
 */
typedef int (*dse_watcher)(void *context, const struct dse_progress *progress);
DSE_API void dse_watch(struct dse *dse, dse_watcher watch, void *context);

/* End the search that the handle is in, soon: it returns DSE_INTERRUPTED. From any thread, and from a signal handler.
 * Nothing where none runs. */
DSE_API void dse_cancel(struct dse *dse);

/*
 * Read a machine and a network, each a path or the name of a shipped file ("dvfs_chip", "vgg16"). Networks may be
 * .yaml, .csv (SCALE-Sim) or .onnx, machines .yaml or .cfg (SCALE-Sim). Layers have no designs yet. DSE_INPUT with all
 * mistakes of both; DSE_IO.
 */
DSE_API enum dse_code dse_open(struct dse *dse, const char *machine, const char *network);

/*
 * Read a mapping, which names its machine and network: FILE.yaml as `dse map` and dse_save write, or FRONT.json:ID, a
 * point of a front as `dse explore` finds it. DSE_INPUT, DSE_IO, DSE_USAGE.
 */
DSE_API enum dse_code dse_open_mapping(struct dse *dse, const char *mapping);

/*
 * Set a parameter of the machine by its key in machine files, value as it stands there: ("mla.array", "16x4"),
 * ("pe.sram_byte", "98304"). Designs stay as they are: evaluate or map again. DSE_USAGE: no such parameter (the message
 * has the nearest), or the machine has none; DSE_INPUT: no value of it, or not with the machine's others.
 */
DSE_API enum dse_code dse_set(struct dse *dse, const char *key, const char *value);

/*
 * Designs by rules: the thesis' splits, one distribution strategy ("no_fusion", "fusion", "fusion_reuse", ...; NULL:
 * fusion_reuse, on a systolic array the fastest dataflow of each layer) and one operating point of the machine (NULL:
 * its first). DSE_USAGE with what is allowed; DSE_INFEASIBLE: no split for some layer.
 */
DSE_API enum dse_code dse_map(struct dse *dse, const char *strategy, const char *level);

/*
 * The designs that are best for a goal, "latency", "energy" or "edp" (their product), of all splits, strategies, forms
 * of 1x1 convolutions and operating points that write the network's result to DRAM: none is better (of "edp", where
 * fronts outgrow 100 000 points, almost none). Takes seconds of every thread; n_thread 0: as many as there are cores.
 * DSE_USAGE; DSE_INFEASIBLE: some layer has no design that runs; DSE_INTERRUPTED.
 */
DSE_API enum dse_code dse_map_best(struct dse *dse, const char *goal, unsigned n_thread);

/* Write the mapping for dse_open_mapping, `dse simulate --mapping` and editors; whole or not at all. DSE_IO. */
DSE_API enum dse_code dse_save(struct dse *dse, const char *path);

/*
 * Evaluate the mapping: "fast" (closed forms; NULL), "event" (event by event, slower) or "greybox" (fitted clocks of
 * tasks). DSE_INFEASIBLE when some layer cannot run, with a line for each: figures are there all the same, that
 * layer's with its verdict, totals of the others. DSE_USAGE; DSE_INPUT: the machine has no such model.
 */
DSE_API enum dse_code dse_evaluate(struct dse *dse, const char *detail);

/* Layers of the network that is open; 0: none is. */
DSE_API size_t dse_n_layer(const struct dse *dse);

/*
 * Figures of layer i, counted from 0, and of all layers together. NULL before dse_evaluate, and when there is no such
 * layer. Owned by the handle, until it is freed, changed or evaluated again.
 */
DSE_API const struct dse_figures *dse_layer(const struct dse *dse, size_t i);
DSE_API const struct dse_figures *dse_total(const struct dse *dse);

/* ---- spaces and their fronts ---- */

/*
 * Read a space, from a file or from YAML text. path beside a text names it in messages and says in which folder its
 * machines and networks are looked for first (then among the shipped ones); nothing need be there. A mapping that is
 * open stays. DSE_INPUT with all mistakes of all files; DSE_IO. A front that the handle had is gone, also after an error.
 */
DSE_API enum dse_code dse_open_space(struct dse *dse, const char *path);
DSE_API enum dse_code dse_open_space_text(struct dse *dse, const char *text, const char *path);

/*
 * Search the space as `dse explore` does: "fast" (closed forms), "event" (designs are run event by event from the
 * start), "both" (the fast tier searches, the event tier prices what may be on the front) or NULL (both, but fast for
 * systolic arrays and genetic engines). n_thread 0: as many as there are cores; the front is the same for any number.
 * Takes seconds to hours. Nothing is written or kept. DSE_INFEASIBLE: nothing keeps the limits, and why; DSE_USAGE;
 * DSE_INTERRUPTED: the front is of what was found by then, and may be empty.
 */
DSE_API enum dse_code dse_explore(struct dse *dse, const char *detail, unsigned n_thread);

/* A metric of designs. Objectives are metrics that the space asks for; the less the better. Never freed. */
struct dse_metric {
	const char *name, *unit; /* "latency_ms", "ms" */
	const char *help;
	int is_objective; /* of the space that was explored */
};

/* Metrics that points have, in a fixed order; which of them are the front's objectives, in the space's order. */
DSE_API size_t dse_n_metric(const struct dse *dse);
DSE_API const struct dse_metric *dse_metric(struct dse *dse, size_t i);
DSE_API size_t dse_n_objective(const struct dse *dse);
DSE_API size_t dse_objective(const struct dse *dse, size_t i); /* a number of dse_metric */

/* Parameters of machines that vary: "mla.array". NULL: there is no axis i. */
DSE_API size_t dse_n_axis(const struct dse *dse);
DSE_API const char *dse_axis(const struct dse *dse, size_t i);

/* A point of the front: a machine and a design of each layer of all networks. */
struct dse_point {
	const char *machine;      /* its name */
	const char *const *value; /* [dse_n_axis] of each axis, as text: "16x4" */
	const double *metric;     /* [dse_n_metric] of all networks together; NaN: the machine does not tell */
	size_t n_like;  /* points of the whole front that it stands for in the event tier; 1 in others */
	size_t n_layer; /* of all networks, one after the other */
};

/* What a point has for a layer. */
struct dse_choice {
	const char *network, *layer; /* their names */
	size_t n_field;
	const char *const *key;   /* [n_field] as mappings have them: "strategy", "level", "width" */
	const char *const *value; /* [n_field] "fusion_reuse", "PL1", "28*2" */
	const char *text;         /* all of it in words */
	uint64_t total_clk;
	double latency_ms, energy_mj;
	uint64_t dram_byte; /* read and written */
};

/*
 * The tier that the front is in, "fast" or "event"; NULL: there is none. Points of the front, in the order of front.csv;
 * point i, and what it has for layer k, counted from 0; NULL when there is no such point or layer, or memory is out.
 * Both are owned by the handle, until the next call of the same function, of dse_explore or of dse_open_space.
 */
DSE_API const char *dse_front_detail(const struct dse *dse);
DSE_API size_t dse_n_point(const struct dse *dse);
DSE_API const struct dse_point *dse_point(struct dse *dse, size_t i);
DSE_API const struct dse_choice *dse_choice(struct dse *dse, size_t i, size_t k);

/*
 * Which machine wins, which lose to whom, by how much and why: the sentences that `dse explore` begins with, each ending
 * in '\n'; and the object "verdict" of run.json, which has the table and each claim as data, too. "" before dse_explore,
 * and where it was not searched layer by layer. Owned by the handle, until the next call of dse_explore, of
 * dse_open_space, or of these two.
 */
DSE_API const char *dse_verdict(struct dse *dse);
DSE_API const char *dse_verdict_json(struct dse *dse);

/*
 * Why not this one? Words [n_word] as `dse why` takes them ("mla.array=24x8", "CONV_3.strategy=fusion", "level=PL1", a
 * mapping's file) fix a choice; what the space leaves open is searched again, exactly, in the fast tier, and *json is what
 * `dse why --json` prints: on the front, or by how much it is beaten at least, which layers lose most, which step of an
 * axis would put it there. Takes several searches. *json is owned by the handle, until the next call of this function.
 * DSE_USAGE, DSE_INPUT: no such choice, with what is allowed; DSE_INFEASIBLE: the space has no design; DSE_INTERRUPTED.
 */
DSE_API enum dse_code dse_why(struct dse *dse, const char *const *word, size_t n_word, unsigned n_thread,
                              const char **json);

/*
 * Open point i as a mapping, of one network (counted from 0, in the space's order), for dse_evaluate and dse_save.
 * Its machine and network are read again. DSE_USAGE: there is no such point or network; DSE_INPUT, DSE_IO.
 */
DSE_API enum dse_code dse_open_point(struct dse *dse, size_t i, size_t network);

#ifdef __cplusplus
}
#endif

#endif
