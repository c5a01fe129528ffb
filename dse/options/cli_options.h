/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_CLI_OPTIONS_H
#define DSE_CLI_OPTIONS_H
/*
 * A parsed command line and what a command is. Only the commands themselves (dse/cmd) know it; what they ask of other
 * rooms they say in those rooms' own requests.
 */
#include "dse/options/cli_option_list.h"
#include "sim/base/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How often an option that may be repeated may be given. */
#define CLI_MAX_LIST 8

struct cli_list {
	size_t n;
	const char *text[CLI_MAX_LIST]; /* [n] in the order given */
};

struct cli_command;

/* A parsed command line. Text points into argv. Options that were not given hold their default. */
struct cli_options {
	const struct cli_command *command; /* NULL: --help or --version of the program */
	bool given[N_OPTION];              /* [option] */
	bool version;
	size_t n_file;
	char *const *file; /* [n_file] arguments that are not options, in order */

	/* Every command. */
	bool help, json, quiet, no_progress;
	const char *color; /* a colour_choice_name; NULL: auto */
	uint64_t jobs;     /* threads; 0: all cores */
	uint64_t seed;
	const char *out;    /* directory or file to write to; NULL: the command's default */
	const char *detail; /* explore, simulate, validate; NULL: fast */
	bool audit;         /* explore, merge, simulate */

	/* explore */
	const char *engine;
	bool flat, points, verify, prove;
	const char *live;         /* "X,Y" or "line"; NULL: the first two objectives */
	uint64_t max_evaluations; /* 0: no limit */
	uint64_t max_seconds;     /* 0: no limit */
	uint64_t audit_samples;   /* explore, merge; 0: the audit's default */
	const char *effort;       /* NULL: none; see dse/run/effort.h */
	const char *resume;       /* folder of a run to take up; NULL: a new run */
	const char *shard;        /* "I/N"; NULL: the whole */
	struct cli_list compare;  /* mappings to be set beside the front */
	bool no_cache;            /* explore */
	const char *store;        /* explore, merge, runs, show, export; NULL: the default */

	/* simulate; mapping: power, too */
	const char *layers, *split_scheme, *strategy, *level, *point, *trace, *mapping;

	/* power; budgets that are not given are 0 */
	const char *scenario, *levels, *analyse;
	double budget_ms, budget_frac, budget_mj, budget_mw, average_mw;
	double ratio;   /* 0: none */
	uint64_t parts; /* 0: as the splitter says */
	bool no_sleep, tasks, per_loop, front, search;

	/* map */
	const char *goal, *split;
	bool fetch_ahead;
	const char *conv_1x1, *network_result; /* power, too; NULL: all, dram */

	/* roofline */
	const char *memory_gb_s; /* "122,71,29"; NULL: the machine's */

	/* validate; machine: fit, too */
	const char *machine, *svg;
	double max_error_pct;

	/* fit */
	const char *clocks, *where, *parameters, *fix;
	bool robust;

	/* runs, export */
	const char *space; /* NULL: all */
	uint64_t last;     /* 0: all */
	uint64_t keep;
	double older_than_day;
	bool yes, csv;
	double tolerance_pct; /* compare, nightly */

	/* nightly */
	const char *date, *note;        /* date NULL: today, UTC */
	uint64_t seeds;                 /* not given: the command's default */
	struct cli_list accept, tables; /* names of spaces; files and folders of reference tables */

	/* report */
	const char *figures; /* folder; NULL: none */

	/* import */
	struct cli_list dim; /* "NAME=N" */

	/* schedule; machine, strategy, level, goal, too */
	const char *workers;
	uint64_t chips;     /* 0: 1 */
	const char *read;   /* folder of an earlier schedule; NULL: make one */
	uint64_t dram_byte; /* 0: OCTOPUS_DRAM_BYTE */
};

/* A command. run returns its exit code, with messages in err for codes other than ERR_OK. */
struct cli_command {
	const char *name;
	const char *arguments; /* as in the usage line: "SPACE.yaml" */
	const char *help;      /* one line */
	const char *details;   /* a paragraph or more */
	size_t min_file, max_file;
	const enum cli_option *options; /* those it takes, then N_OPTION */
	enum err_code (*run)(const struct cli_options *options, struct err *err);
};

/* All commands of a program, by which its command line is parsed. */
struct cli_program {
	const struct cli_command *command; /* [n] */
	size_t n;                          /* at most CLI_MAX_COMMAND */
};
#define CLI_MAX_COMMAND 32

#endif
