/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_BRANCH_LOG_H
#define DSE_BRANCH_LOG_H
/*
 * What a layer's front rests on, for certificates (dse/certify/README.md): boxes that cover all splits, each with the
 * point that it lies behind. They are cut anew, by the front that the search has found, so that a search which nobody
 * wants a certificate of does nothing for it, and a front from a store or another machine is as good.
 */
#include "dse/layer/layer_problem.h"
#include <stdio.h>

/*
 * Write the boxes of a layer of one place: no design is in any metric below all points of floor, which is sorted
 * (pareto_sort). ERR_GATE without a message: some design is, and then the lines end there; ERR_INTERRUPTED without a
 * message; ERR_INTERNAL. About the time of a search of the layer; memory: the deepest box. Errors stay in the stream.
 */
enum err_code branch_log_boxes(const struct layer_problem *layer, const struct pareto *floor, FILE *file,
                               struct err *err);

#endif
