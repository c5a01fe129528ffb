/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_VERDICT_H
#define DSE_VERDICT_H
/*
 * The verdict on an exploration: which machine, which not, by how much, and why.
 *
 *   standings of machines (dse/search/standing.h) ─┐
 *   front, its designs ────────────────────────────┼─► facts ─► claims ─► sentences
 *   prices of the event tier (dse/price) ──────────┘       └──► rows of a table
 *
 * A claim is a figure of the run with its machines; a sentence says nothing else. tests/dse/verdict checks claims of
 * random spaces against all of their designs.
 */
#include "dse/design/unroll.h"
#include "dse/out/json.h"
#include "dse/price/price.h"
#include "sim/base/doc.h"

#define RUN_VERDICT_NOBODY STANDING_NOBODY
/* Rows of the table for machines on the front and beaten ones: more machines are grouped. */
#define RUN_VERDICT_MAX_ROW 9
#define RUN_VERDICT_MAX_CLAIM 128
#define RUN_VERDICT_MAX_COLUMN (SPACE_MAX_OBJECTIVE + 3)
#define RUN_VERDICT_MAX_SENTENCE 16

/* What became of a machine. */
enum run_verdict_place {
	RUN_VERDICT_ON_FRONT,
	RUN_VERDICT_BEATEN,  /* the front beats or equals each of its designs */
	RUN_VERDICT_ALIKE,   /* no better than the front by more than the model's resolution */
	RUN_VERDICT_BEHIND,  /* not on the front, and no more is known */
	RUN_VERDICT_EMPTY,   /* no design keeps the limits */
	RUN_VERDICT_REFUSED, /* by a constraint, a check or a limit on machines */
	RUN_VERDICT_FAILED,
	RUN_VERDICT_OPEN, /* not searched, or not to the end */
	RUN_VERDICT_N_PLACE
};

/* What is beaten of a machine that is. */
enum run_verdict_basis {
	RUN_VERDICT_ALL_DESIGNS,   /* all of its designs, in the tier of the front */
	RUN_VERDICT_FAST_TIER,     /* all of them in the fast tier, where the front is the event tier's */
	RUN_VERDICT_PRICED_DESIGNS /* those that got a price */
};

/* Facts about one machine. */
struct run_verdict_machine {
	uint32_t index;
	enum run_verdict_place place;
	bool is_bound;                     /* least are proven bounds: it was cut, and not searched */
	bool is_proven;                    /* place, least and margin hold for all of its designs */
	bool is_event;                     /* least and margin are of the event tier, of designs that got a price */
	double least[SPACE_MAX_OBJECTIVE]; /* of its designs; infinite: not known */
	double margin;                     /* see struct standing; NAN: not known */
	uint32_t by;                       /* who beats it alone; RUN_VERDICT_NOBODY: several together */
	enum run_verdict_basis basis;
	double doubt_frac; /* of a machine that is beaten: by less than the model can tell, which is off by so much;
	                    * 0: by more; infinite: how far it is off is not known */
	size_t n_point;    /* on the front */
	double metric[N_METRIC]; /* of METRIC_OF_MACHINE */
	struct standing_design fastest, thriftiest;
};

enum run_verdict_claim_kind {
	RUN_VERDICT_BEST,   /* no design of the space has less of the objective than value, which machine has */
	RUN_VERDICT_MORE,   /* the machine's least of the objective is (1 + value) times the other's */
	RUN_VERDICT_SIZE,   /* the machine's metric is value times the other's */
	RUN_VERDICT_BEATS,  /* some design of other (NOBODY: of the front) is better than each of machine's, in all
	                   objectives that differ among its designs at once, by the fraction value at least */
	RUN_VERDICT_TIME,   /* of the time that machine's fastest design takes longer than other's, bound takes the part
	                     * value
	                     */
	RUN_VERDICT_STATIC, /* of the energy that machine's thriftiest design takes more than other's, static energy is
	                   the part value; bound: BOUND_MAC where it is drawn longer, else more of it is drawn */
	RUN_VERDICT_SHARE,  /* of the time of machine's fastest design, bound takes the part value */
	RUN_VERDICT_MOST,   /* the same of the bound that takes most */
	RUN_VERDICT_GROUP, /* each of the members is beaten by other (NOBODY: by whoever beats it), by value at least */
	RUN_VERDICT_KNEE,  /* point number value, on machine, is the front's knee */
	RUN_VERDICT_KEEPS, /* all value machines have a design that keeps the limits */
	RUN_VERDICT_NONE,  /* no design keeps all limits; value: machines */
	RUN_VERDICT_MISS,  /* no design of machine has less of a metric than value, which is over the limit */
	RUN_VERDICT_CLOSE, /* the machine may be better than other (NOBODY: than whoever beats it), as the model is off
	                    * by the fraction value */
	RUN_VERDICT_CHANGE, /* a limit would have to be value for a first design */
	RUN_VERDICT_N_CLAIM
};
extern const char *const run_verdict_claim_name[RUN_VERDICT_N_CLAIM],
    *const run_verdict_place_name[RUN_VERDICT_N_PLACE];

struct run_verdict_claim {
	enum run_verdict_claim_kind kind;
	uint32_t machine, other; /* numbers of machine candidates; RUN_VERDICT_NOBODY: none */
	unsigned objective;      /* of the space's objectives; of RUN_VERDICT_SIZE and _MISS enum metric */
	enum bound bound;
	double value;
	bool is_event;
	unsigned sentence; /* the number of the one that says it */
	size_t n_member;   /* of RUN_VERDICT_GROUP */
	const uint32_t *member;
};

/* A machine, or machines of which much is alike. */
struct run_verdict_row {
	const char *machines, *place, *bound; /* for people */
	uint32_t first;                       /* of its machines */
	uint64_t n_machine;
	enum run_verdict_place kind;
	uint32_t by;   /* who beats all of its machines; RUN_VERDICT_NOBODY: not one machine, or not known */
	double margin; /* the least of its machines; NAN: none */
	double value[RUN_VERDICT_MAX_COLUMN];
	bool is_bound;
};

struct run_verdict {
	size_t n_column; /* of rows' values: objectives that differ among designs of a machine, then sizes */
	const char *column[RUN_VERDICT_MAX_COLUMN];
	size_t n_sentence;
	const char *sentence[RUN_VERDICT_MAX_SENTENCE];
	size_t n_row;
	struct run_verdict_row row[RUN_VERDICT_MAX_ROW + RUN_VERDICT_N_PLACE];
	size_t n_note;
	const char *note[4]; /* what the figures are of */
	size_t n_claim;
	struct run_verdict_claim claim[RUN_VERDICT_MAX_CLAIM];
	size_t n_machine;
	struct run_verdict_machine *machine; /* [n_machine] by index; none where nothing was noted */
	struct arena arena;                  /* owns all texts and the machines */
};

/* What a verdict is on. */
struct run_verdict_of {
	const struct space *space;
	const struct explore *explore;   /* with its front, in whichever tier */
	const struct unroller *unroller; /* of the front; NULL: it is empty */
	const struct price *price;       /* NULL: the front is the searching tier's */
};

/* Judge. Without memory the program ends. The caller frees it. */
void run_verdict_make(const struct run_verdict_of *of, struct run_verdict *verdict);
void run_verdict_free(struct run_verdict *verdict);

/* A sentence more: the smallest change of one limit that lets a design through, to needed, once it is known. */
void run_verdict_add_change(struct run_verdict *verdict, const char *sentence, double needed);

/* Sentences, each on lines of its own, and a table, as wide as the terminal; only_text: the sentences alone. */
void run_verdict_print(FILE *file, const struct run_verdict *verdict, bool only_text);

/* The last sentence alone, which was added since. */
void run_verdict_print_last(FILE *file, const struct run_verdict *verdict);

/* As an object "verdict" of the object that is open. */
void run_verdict_put_json(struct json *json, const struct space *space, const struct run_verdict *verdict);

/* What run_verdict_print shows, from such an object; without claims and machines. false: it is none. */
bool run_verdict_read_json(const struct doc_node *node, struct run_verdict *verdict);

#endif
