/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_RUN_COMPARE_H
#define DSE_RUN_COMPARE_H
/*
 * dse compare: two runs that were kept. Which designs of the first front are lost, which are new, by how much the front
 * is better or worse, and which changes of the inputs caused this (dse/run/input_change.h). `explore --compare`, which
 * sets mappings beside a front, is dse/check/mapping_compare.h.
 *
 *   run_compare_match ─► fates, figures ─► run_compare_explain ─► reasons, shares ─► run_compare_judge
 */
#include "dse/run/attribute.h"
#include "dse/run/input_change.h"
#include "dse/run/tolerance.h"
#include "dse/out/json.h"

/* Of more changes than these, the others are named and not looked at one by one. */
#define RUN_COMPARE_MAX_CHANGE 64

enum point_status {
	POINT_SAME,  /* the same design with the same figures is on both fronts */
	POINT_MOVED, /* the same design with others */
	POINT_LOST,  /* of the first run only */
	POINT_GAINED /* of the second run only */
};

/* Why a design of one front is not on the other. */
enum absence {
	ABSENCE_UNKNOWN, /* nobody looked */
	ABSENCE_OUTSIDE, /* the other space has no such design */
	ABSENCE_CANNOT_RUN,
	ABSENCE_OVER_LIMIT,
	ABSENCE_DOMINATED, /* a point of the other front is better */
	ABSENCE_EQUAL,     /* another design there has the same figures */
	ABSENCE_GAP,       /* the other search proves its front but for a gap, in which this design is */
	ABSENCE_SEARCH,    /* nothing on the other front is as good: that search missed it */
	ABSENCE_PROGRAM,   /* the same, but that search proves its front: the other program gives other figures */
	N_ABSENCE
};
extern const char *const absence_name[N_ABSENCE]; /* "unknown", "outside", ... */

struct compared_point {
	enum point_status status;
	size_t other; /* POINT_SAME, POINT_MOVED: index on the other front */
	/* POINT_LOST, POINT_GAINED: */
	enum absence absence;
	const char *why; /* of the first three; NULL: none */
	size_t by;       /* ABSENCE_DOMINATED, _EQUAL, _GAP: the nearest such point of the other front */
	bool has_there;  /* it runs in the other space */
	double there[SPACE_MAX_OBJECTIVE]; /* with these objectives */
	uint64_t changes;                  /* bit i: change i alone puts it off the front, or on it */
	/* no change of inputs was needed: the other search did not find it, or the other program prices designs
	 * otherwise */
	bool by_search, by_program;
};

/* What one change does alone, to the designs of the first front. */
struct change_effect {
	bool is_evaluated;
	const char *why_not;                    /* then NULL */
	size_t n_stopped;                       /* designs that are none with it */
	double mean_frac[SPACE_MAX_OBJECTIVE];  /* mean relative movement of the others */
	double share_frac[SPACE_MAX_OBJECTIVE]; /* of all movement; NaN: nothing moved */
	double volume_frac;                     /* change of the hypervolume of all designs of both fronts */
	size_t n_lost, n_gained;                /* points that it explains by itself */
};

struct run_compare {
	const struct kept_run *before, *after;
	size_t n_objective;
	enum metric objective[SPACE_MAX_OBJECTIVE];
	double *value[2]; /* [n_point][n_objective] of either front */
	size_t n_same, n_moved, n_lost, n_gained;
	struct compared_point *point[2];       /* [n_point] of either front */
	double reference[SPACE_MAX_OBJECTIVE]; /* 1.1 times the largest values of both fronts */
	double hypervolume[2];                 /* up to that; 0 of an empty front */
	double lost_volume, gained_volume;     /* what only the first, and only the second, dominates */
	/* By how much of its range over both fronts each objective of the first front would have to be lowered for it
	 * to cover the second one, and the other way round; at most 0: it covers it. NaN: one is empty. */
	double epsilon[2];
	size_t best[2][SPACE_MAX_OBJECTIVE]; /* point with the least value */
	double slack_frac;                   /* a difference up to this is within the proven gaps */
	bool other_space;                    /* the spaces have different names */

	bool has_changes; /* both spaces could be read */
	const char *why_no_changes;
	struct input_changes changes;
	bool is_explained;            /* and both have a front */
	size_t n_moving;              /* designs of the first front that run in both spaces: movement is theirs */
	struct change_effect *effect; /* [changes.n] */
	double mean_frac[SPACE_MAX_OBJECTIVE];     /* their mean relative movement */
	double volume_frac;                        /* as of effects, of all changes together */
	double together_frac[SPACE_MAX_OBJECTIVE]; /* share of what changes do only together; NaN: nothing moved */
	double program_frac[SPACE_MAX_OBJECTIVE];  /* share of what no input does: another program */
	struct arena arena;
};

struct run_compare_options {
	unsigned n_thread;
	bool show_progress;
};

/*
 * Compare fronts. ERR_INPUT where the runs have different objectives. Both runs must outlive it; the caller frees it,
 * also after an error.
 */
enum err_code run_compare_match(const struct kept_run *before, const struct kept_run *after,
                                struct run_compare *compare, struct err *err);

/* Find what explains it; does nothing where a space or a front is missing. ERR_INTERNAL, ERR_IO, ERR_INTERRUPTED. */
enum err_code run_compare_explain(struct run_compare *compare, const struct run_compare_options *options,
                                  struct err *err);

/*
 * ERR_GATE with a message for each way in which the second run is worse by more than is tolerated and the proven gap:
 * a smaller hypervolume, a larger least value of an objective, no design at all.
 */
enum err_code run_compare_judge(const struct run_compare *compare, const struct tolerance *tolerance, struct err *err);
void run_compare_free(struct run_compare *compare);

/* A change of the hypervolume up to this fraction is within the proven gaps: a volume is off by all sides together. */
double run_compare_volume_slack(const struct run_compare *compare);

/* Change of a figure as a fraction of what it was; 0 where both are 0. */
double run_compare_change(double before, double after);

/* As tables for people; as members of the object that is open. */
void run_compare_print(FILE *file, const struct run_compare *compare);
void run_compare_put_json(struct json *json, const struct run_compare *compare);

#endif
