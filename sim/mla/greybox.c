/* SPDX-License-Identifier: Apache-2.0 */
/* The grey-box formula. */
#include "sim/mla/greybox.h"
#include "sim/base/checked.h"
#include <assert.h>

double greybox_n_round(const struct greybox_shape *shape)
{
	assert(shape->kernel_w > 0 && shape->kernel_w <= shape->in_w);
	assert(shape->kernel_h > 0 && shape->kernel_h <= shape->in_h);
	assert(shape->cols > 0 && shape->rows > 0 && shape->out_c > 0);
	double n_block = (double)ceil_div(shape->in_w - shape->kernel_w + 1, shape->cols);
	double n_row = (double)(shape->in_h - shape->kernel_h + 1);
	return n_block * n_row * (double)ceil_div(shape->out_c, shape->rows);
}

double greybox_n_tap(const struct greybox_shape *shape)
{
	assert(shape->in_c > 0);
	return (double)shape->kernel_w * shape->kernel_h * shape->in_c;
}

double greybox_clk(const struct greybox_shape *shape, const struct greybox_theta *theta)
{
	assert(theta->init_clk >= 0 && theta->wb_clk >= 0 && theta->a >= 0 && theta->b >= 0);
	double round_clk = theta->a * greybox_n_tap(shape) + theta->wb_clk;
	return theta->init_clk + greybox_n_round(shape) * round_clk * theta->b;
}
