/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_PROVENANCE_H
#define DSE_PROVENANCE_H
/*
 * Provenance: where a machine file says that its numbers come from, and how far
 * to trust them (`sources:`), and the coefficients of energy and of the grey-box
 * model that a result rests on, each with value, unit, confidence and source.
 */
#include "dse/out/json.h"
#include "dse/space/detail.h"
#include "sim/base/arena.h"
#include "sim/base/doc.h"
#include "sim/machine/machine.h"

/* From worst to best. CONFIDENCE_UNKNOWN: the file gives a value and says nothing of it. */
enum confidence {
	CONFIDENCE_UNKNOWN,
	CONFIDENCE_ASSUMED,
	CONFIDENCE_DERIVED,
	CONFIDENCE_FITTED,
	CONFIDENCE_PUBLISHED,
	CONFIDENCE_MEASURED,
	N_CONFIDENCE
};
extern const char *const confidence_name[N_CONFIDENCE];

/*
 * How far the true value may be from the one given where an entry has no `+-`, as a fraction of it. Conventions of
 * ours: a file that knows better says so.
 */
extern const double confidence_interval_frac[N_CONFIDENCE];

struct provenance {
	enum confidence confidence;
	const char *source; /* NULL: the file has no entry */
	/* `+-`: a fraction of the value, or in its unit; neither: as confidence_interval_frac says. */
	bool has_interval_frac, has_interval;
	double interval_frac, interval;
	bool is_of_level; /* the entry is one level's: its value is off by itself, not with the other levels' */
};

/* What a machine file says of its parameters and its levels'; in an arena of the caller's. */
struct machine_sources {
	struct provenance *param;                    /* [machine_n_param] */
	struct provenance *level[MACHINE_MAX_LEVEL]; /* [machine_n_level_param] each */
	const char *table;                           /* path of the technology's own table of parts; NULL: none */
	bool *given; /* [machine_n_param] the file gives a value; else it is the default */
};

/* Room for a machine's sources, none of them given. false: out of memory. */
bool machine_sources_init(struct machine_sources *sources, struct arena *arena);

/*
 * Read the value of `sources`: a map from a parameter's key ("energy.dram_byte_pj"), a level's field ("mla_clk_pj": of
 * all levels) or a field of one level ("PL1.mla_clk_pj") to {confidence, source, +-}. Mistakes go into err with their
 * places. Texts are copied into arena.
 */
void machine_sources_read(const struct doc_node *map, const struct machine *machine, struct machine_sources *sources,
                          struct arena *arena, struct err *err);

/* ", +-: 20 %" behind an entry's source in a machine file; nothing where it has none. */
void provenance_print_interval(FILE *file, const struct provenance *provenance);

/* How far the true value may be from this one, by the entry's `+-` or its confidence; in the value's unit. */
double provenance_distance(const struct provenance *provenance, double value);

/* A coefficient of a machine, at one operating point or, level UINT32_MAX, at all. */
struct coefficient {
	const char *key, *unit;
	uint32_t level;
	double value;
	struct provenance provenance; /* source is never NULL */
	double least, most;           /* its interval, not below 0; value where it has none */
	/* Values with one number are off by the same share of their intervals: those of levels that one entry speaks
	 * of. */
	uint32_t deviate;
};
#define COEFFICIENT_MAX_DEVIATE 512

/*
 * Coefficient i of those that enter the energy of results at these levels (bit l: level l), with detail
 * DETAIL_GREYBOX its clock model's, too; false: there are no more. What the file says of it, else of a value that is
 * the default what the parameter's table says, else that nothing is said.
 */
bool coefficient_at(const struct machine *machine, const struct machine_sources *sources, uint32_t levels,
                    enum detail detail, size_t i, struct coefficient *coefficient);

/* All of them, [*n], in the arena; texts are of the sources and of tables. NULL: out of memory. */
struct coefficient *coefficient_list(const struct machine *machine, const struct machine_sources *sources,
                                     uint32_t levels, enum detail detail, struct arena *arena, size_t *n);

/* All of them as items of a list that is open; varied (may be NULL): keys of axes, [n_varied], whose values vary. */
void coefficient_put_json(struct json *json, const struct machine *machine, const struct machine_sources *sources,
                          uint32_t levels, enum detail detail, const char *const *varied, size_t n_varied);

#endif
