/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_PRICE_H
#define DSE_PRICE_H
/*
 * Pricing: from a front in the fast tier to one in the event tier.
 *
 *   layers' fronts, fast ─► list: those designs, and others near them (dse/layer/near.h)
 *                              │
 *        ┌─────────────────────┴───────────────────────────────┐
 *        ▼                                                     │
 *   what no design can beat: prices, and where there are       │
 *   none fast values less their uncertainty ─► compose ─► designs in use without a price ─► event tier
 *        │ none is left, or the budget is spent
 *        ▼
 *   prices alone ─► compose ─► the front in the event tier, and by how much it may be beaten
 *
 * Designs of machines without a point on the fast front get no price. The budget is counted in work of the event tier
 * as the fast tier foretells it, so results do not depend on threads, or on what earlier runs have left.
 */
#include "dse/base/at_work.h"
#include "dse/design/unroll.h"
#include "dse/layer/front_key.h"
#include "dse/out/json.h"

/* Packets through routers of a usual pricing: it takes a core about 40 s. */
#define PRICE_USUAL_WORK UINT64_C(1600000000)

struct front_store;

/* Where prices outlive a run: dse/search/front_store.h's functions, which libdse has not. */
struct price_keeper {
	struct front_store *store; /* NULL: nowhere */
	uint8_t *(*take)(struct front_store *store, const struct front_key *key, size_t *n_byte);
	void (*keep)(struct front_store *store, const struct front_key *key, const void *data, size_t n_byte);
};

struct price_options {
	unsigned n_thread;
	uint64_t max_work;        /* budget */
	bool closes_gap;          /* then goes on until the assumed gap is no more than the resolution */
	struct price_keeper kept; /* prices of earlier runs, which count as work, too: results are the same */
	const struct stop *stop;  /* ends it early; NULL: a signal alone */
	bool show_progress;
	struct at_work_page *at_work; /* is told of each machine whose designs are priced; NULL: nobody is */
};

struct price {
	bool is_priced;      /* the front is in the event tier */
	bool is_interrupted; /* stopped before the budget was spent */
	bool is_out_of_time; /* by the time of options->stop, not by a signal or a wish */
	bool none_fits;      /* no design that got a price keeps the limits in the event tier */
	bool has_limits;     /* of designs that break them in the fast tier nothing is known */
	size_t n_machine, n_listed, n_priced, n_round;
	size_t n_from_store;                    /* prices that earlier runs had found */
	size_t n_other_machine;                 /* without a point on the fast front */
	uint64_t work, max_work;                /* NoC packets through routers */
	double mean_error_frac, max_error_frac; /* of priced designs, event to fast clocks, magnitudes */
	size_t n_known;                         /* prices that the next is from; 0: what the fast tier says of itself */
	double
	    assumed_error_frac; /* designs without a price are taken to be faster than the fast tier says by no more */
	double assumed_slower_frac; /* and slower by no more; infinite: neither is known */
	double
	    assumed_gap_frac; /* then nothing beats the front by more: in all objectives at once; infinite: not known */
	double proven_gap_frac; /* whatever the fast tier's errors are */
	double resolution_frac; /* points of the front are at least so far apart, but for the best of each objective */
	size_t n_point;         /* of the whole front, before those that are closer became one */
	uint32_t *n_like;       /* [front.n] of these how many the point stands for, itself included */
	struct standings
	    *standings; /* of the machines whose designs got a price, beside the front that is shown; NULL: none */
	struct standings *hopes; /* of the machines whose designs were listed, of all designs as good as they may be by
	                          * assumed_error_frac, beside the front that is shown; NULL: none */
	bool *is_shared;         /* [front.n] another point of the front comes as near to being nowhere worse */
	double seconds;
};

/* Whether a space is priced unless the user says otherwise: of systolic arrays both tiers say the same. */
bool price_is_usual(const struct space *space);

/*
 * Price what may be on the front of explore, which kept its layers (explore_options.prices), and put the front of
 * the event tier in its place, with its designs in known_design. Where not even the first designs got a price before it
 * was stopped, explore is as before and is_priced false. ERR_INTERNAL. The caller frees price, also after an error.
 */
enum err_code price_front(struct explore *explore, const struct price_options *options, struct price *price,
                          struct err *err);
void price_free(struct price *price);

/* By how much a front in the event tier may be beaten, in a sentence without a full stop. */
#define PRICE_CLAIM_SIZE 400
void price_claim(const struct price *price, char *text, size_t n_byte);

/* Some lines for people; n_shown: points of the front. */
void price_print(FILE *file, const struct price *price, size_t n_shown);
void price_put_json(struct json *json, const struct price *price);

#endif
