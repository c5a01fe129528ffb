/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over the tiles of a work: factors of clocks, lines of ifmap. */
#include "sim/systolic/systolic_tile.h"

/* Pixel tiles are of up to four sizes. Saturates. */
static uint64_t sum_pixel_factors(const struct machine *machine, const struct systolic_work *work)
{
	const struct systolic_dim *w = &work->w, *h = &work->h;
	const uint64_t size_w[] = {w->size_a, w->size_b}, n_w[] = {w->n_a, w->n_b};
	const uint64_t size_h[] = {h->size_a, h->size_b}, n_h[] = {h->n_a, h->n_b};
	uint64_t sum = 0;
	for (int i = 0; i < 2; i++)
		for (int k = 0; k < 2; k++)
			if (n_w[i] > 0 && n_h[k] > 0)
				sum = add_sat(sum, mul_sat(mul_sat(n_w[i], n_h[k]),
				                           systolic_pixel_factor(machine, work->dataflow,
				                                                 size_w[i] * size_h[k])));
	return sum;
}

struct systolic_factor_sums systolic_sum_factors(const struct machine *machine, const struct systolic_work *work)
{
	const struct systolic_dim *c = &work->c, *d = &work->d;
	uint64_t kernel = (uint64_t)work->kernel_w * work->kernel_h;
	enum systolic_dataflow flow = work->dataflow;
	struct systolic_factor_sums sums = {
	    .pixel = sum_pixel_factors(machine, work),
	    .filter = mul_sat(c->n_a, systolic_filter_factor(machine, flow, c->size_a)),
	    .tap = mul_sat(d->n_a, systolic_tap_factor(machine, flow, kernel * d->size_a)),
	};
	if (c->n_b > 0)
		sums.filter = add_sat(sums.filter, mul_sat(c->n_b, systolic_filter_factor(machine, flow, c->size_b)));
	if (d->n_b > 0)
		sums.tap = add_sat(sums.tap, mul_sat(d->n_b, systolic_tap_factor(machine, flow, kernel * d->size_b)));
	return sums;
}

uint64_t systolic_compute_clk(const struct machine *machine, const struct systolic_work *work)
{
	const struct systolic_factor_sums sums = systolic_sum_factors(machine, work);
	return mul_sat(mul_sat(sums.pixel, sums.filter), mul_sat(sums.tap, work->n_group));
}

uint64_t systolic_sum_lines(const struct systolic_dim *dim, uint32_t kernel, uint32_t stride, uint32_t in)
{
	uint64_t lines = dim->n_a * systolic_lines(dim->size_a, kernel, stride);
	if (dim->n_b > 0)
		lines += dim->n_b * systolic_lines(dim->size_b, kernel, stride);
	return lines - systolic_lines_past(systolic_dim_extent(dim), kernel, stride, in);
}

uint64_t systolic_unique_lines(const struct systolic_dim *dim, uint32_t kernel, uint32_t stride, uint32_t in)
{
	uint64_t n = systolic_dim_extent(dim);
	return systolic_lines(n, kernel, stride) - systolic_lines_past(n, kernel, stride, in);
}
