/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_BASE_REACH_H
#define SIM_BASE_REACH_H
/* Kernels with gaps: their taps lie `dilation` pixels apart; 0 and 1 both mean that there are no gaps. */
#include <assert.h>
#include <stdint.h>

/* Pixels along a side from the first to the last tap of a kernel of that many; the kernel itself without gaps. */
static inline uint32_t kernel_reach(uint32_t kernel, uint32_t dilation)
{
	assert(kernel > 0);
	return dilation > 1 ? (kernel - 1) * dilation + 1 : kernel;
}

#endif
