/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_REPORT_DATA_H
#define DSE_REPORT_DATA_H
/*
 * What a report of a run shows, as plain data. report_make.h fills it; the page's JSON and the figures show it.
 *
 *   run.json ─► header, counts, progress          front.json ─► points, layers, designs as recorded ─► columns
 *   inputs ─► space, machines ─► each design once more in the run's tier: phases, bytes, energies (report_design.h)
 */
#include "dse/layer/layers.h"
#include "dse/report/report_run.h"
#include "dse/why/sensitivity.h"

/* What is known of every point: an objective, another metric, or a choice that was made. */
enum report_kind { REPORT_OBJECTIVE, REPORT_METRIC, REPORT_KNOB };

struct report_column {
	const char *key, *label, *unit; /* key as in front.csv where that has it */
	enum report_kind kind;
	double limit;      /* what the space allows at most; infinite: no limit */
	size_t n_text;     /* 0: of is numbers */
	const char **text; /* [n_text] */
	double *of;        /* [n_point] a number, NAN where there is none; or the place of a text */
};

/* A machine of the front: one of its files with a value for each axis. */
struct report_machine {
	uint32_t kept;            /* index of kept_front.machine */
	const char *const *value; /* [n_axis] */
	struct machine *machine;  /* NULL: the inputs are not at hand */
};

/* A layer's design, run again where the inputs are at hand. */
struct report_design {
	uint32_t layer, machine, point; /* the first that have it */
	bool ran;
	struct layer_design design;
	struct sim_result result;
	double metric[N_METRIC];
};

struct report_data {
	struct report_run run;
	size_t n_machine, n_column;
	struct report_machine *machine; /* [n_machine] in the order of the points */
	uint32_t *machine_of;           /* [n_point] */
	struct report_design *design;   /* [n_design] as in run.front */
	struct report_column *column;           /* [n_column] objectives first */
	size_t knee, best[SPACE_MAX_OBJECTIVE]; /* points */
	size_t chosen;                          /* whose layers figures show */
	struct space space; /* read again; n_network 0: the inputs are not at hand, or not those of the run */
	struct layer_map map;
	bool has_folder;    /* the run's files are still those in its folder */
	/* Of the chosen point's machine, in the fast tier, within a budget; machine NULL: it has none. */
	struct sensitivity sensitivity;
	char *without;      /* why there are no details; NULL: there are */
	struct arena arena; /* owns all of this but run, sensitivity, space and map */
};

/*
 * The columns of the points, when the machines are known as far as they are; knee and best, too. ERR_INPUT: a point has
 * no number for an objective, or a design no split.
 */
enum err_code report_columns_make(struct report_data *data, struct err *err);

#endif
