/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_CHART_H
#define DSE_CHART_H
/* A front as a picture (SVG): its first two objectives, by dse/out/front_picture.h. */
#include "dse/result/front_file.h"

/* Draw the front. ERR_INTERNAL; errors of the stream stay in the stream. */
enum err_code chart_write(FILE *file, const struct front_run *run, struct err *err);

#endif
