/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_FRONT_PICTURE_H
#define DSE_FRONT_PICTURE_H
/*
 * The picture (SVG) of a Pareto front over two objectives: front.svg of a run and the report's figure are this one.
 * A colour and mark for each series of points, its legend beside the plot; the knee; limits; how far values on the x
 * axis may be off, as a band.
 */
#include "sim/base/arena.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct picture_axis {
	const char *name;    /* "latency / ms" */
	double limit;        /* what is allowed at most; infinite: no limit */
	const double *value; /* [n] finite */
};

struct front_picture {
	const char *title;
	size_t n; /* points, at least 1, in the order of the front */
	struct picture_axis x, y;
	size_t n_series;
	const char *series_title;       /* of the legend: "mla.array"; "": no legend */
	const char *const *series_name; /* [n_series] */
	const uint32_t *series;         /* [n] below n_series */
	size_t knee;                    /* a point; SIZE_MAX: none */
	const char *knee_text;          /* "knee: 47.1 ms, 34.8 mJ" */
	size_t n_caption;
	const char *const *caption; /* [n_caption] sentences below the plot */
	/* How far x of a point may be off, as a share of it; NAN: not known. NULL: of none. Asked once for each mark.
	 */
	double (*uncertain)(void *context, size_t point);
	void *context;
};

/*
 * Name n_series series by what tells them apart: of n_key keys ("machine", "mla.array") those whose values
 * value [n_series][n_key] differ. Sets series_title, series_name and n_series; texts live in arena.
 */
void front_picture_name(struct front_picture *picture, struct arena *arena, size_t n_series, size_t n_key,
                        const char *const *key, const char *const *value);

/* "smoke: Pareto front of tiny on dvfs_chip, event tier"; of many networks or machines how many there are. In arena. */
const char *front_picture_title(struct arena *arena, const char *space, size_t n_network, const char *const *network,
                                size_t n_machine, const char *const *machine, const char *tier);

/*
 * Draw the front. Points whose marks would lie on one of their series are left out, so that the size of the picture
 * does not grow with n. Errors stay in the stream.
 */
void front_picture_draw(FILE *file, const struct front_picture *picture);

#endif
