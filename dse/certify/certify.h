/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_CERTIFY_H
#define DSE_CERTIFY_H
/*
 * The checker of certificates (README.md beside this file has the format): whether a front is what it is said to be. It
 * believes the model, which prices a design, and the bounds of boxes (dse/bound/layer_bound.h), and nothing of what
 * searched, composed or kept the front.
 */
#include "dse/space/space.h"

/* The first line of a certificate, and what is written behind it. */
#define CERTIFY_TITLE "dse certificate"
#define CERTIFY_VERSION 2

/* What a certificate that was accepted rests on. */
struct certify_report {
	char space[MACHINE_NAME_SIZE];
	char model[32]; /* that made it (sim/base/model_version.h); what checks it is this program's */
	uint64_t n_machine, n_searched, n_behind,
	    n_refused;             /* candidates; with layers' fronts; with bounds alone; by rules */
	uint64_t n_layer, n_point; /* layers, of all machines and places; points of their fronts */
	uint64_t n_box, n_infeasible, n_cut,
	    n_priced;   /* boxes; of these without a design that runs, behind a point, priced */
	uint64_t n_sum; /* of a chain and a layer's point */
	size_t n_front;
	double epsilon;
};

/*
 * Whether certificates of such a space, searched by the exact engine in the fast tier, can be checked. ERR_USAGE with
 * the reason and what to do about it.
 */
enum err_code certify_allows(const struct space *space, struct err *err);

/*
 * Check the certificate in a file. space_path: the space's file where it lies elsewhere than the certificate says;
 * NULL: there. ERR_GATE: a step of it is false; ERR_INPUT: it is damaged, or of other files; both name the line.
 * ERR_IO; ERR_INTERRUPTED without a message. Memory: fronts of layers and sums of chains, not the boxes.
 */
enum err_code certify_check(const char *path, const char *space_path, struct certify_report *report, struct err *err);

#endif
