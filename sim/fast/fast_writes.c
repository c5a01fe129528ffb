/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results between two barriers. Each PE runs task after task, and each result passes what all results share: a DRAM
 * interface, or the busiest router or link on the way to the storage QPEs. Results are served in the order in which
 * they come. Of PEs that end together those near to the shared part are served first, as the routers on the way pass on
 * their own QPE's packets before the ones that come from further away; so the near ones go on with their next task
 * while the far ones still write. Here half of the PEs are near: with more groups a queue of equal tasks is too fast,
 * with one too slow.
 *
 *   near   |- task -|= write =|- task ---------|= write =|
 *   far    |- task -|.........|= write =|- task ---------|= write =|      . waits
 */
#include "sim/fast/fast_parts.h"
#include <math.h>

#define N_GROUP 2
/* Tasks that are followed one by one; of those beyond, which go on as the last ones did, the mean of the latter half.
 */
#define MAX_FOLLOWED_TASK 256U

/* PEs of a kind that do the same at the same time. */
struct group {
	double next_clk;  /* its results begin to leave; INFINITY: all are written */
	double think_clk; /* from a result's end to the next one's begin */
	double send_clk;  /* a result takes at least, to leave its PE */
	double share_clk; /* the group's results of a task take of what all share */
	uint32_t n_left;  /* tasks */
};

/* Clocks to the last result's end. */
static double serve(struct group *group, uint32_t n)
{
	double clk = 0, end_clk = 0;
	for (;;) {
		struct group *next = &group[0];
		for (uint32_t i = 1; i < n; i++)
			if (group[i].next_clk < next->next_clk)
				next = &group[i];
		if (isinf(next->next_clk))
			return end_clk;
		clk = real_max(clk, next->next_clk) + next->share_clk;
		double done_clk = real_max(clk, next->next_clk + next->send_clk);
		end_clk = real_max(end_clk, done_clk);
		next->next_clk = --next->n_left > 0 ? done_clk + next->think_clk : INFINITY;
	}
}

/* Between two barriers, with n_task tasks a PE, whose results take share_clk each: what is left beside the tasks. */
static double follow_clk(const struct writers *writers, uint32_t n_task, double stretch, double setup_clk,
                         double share_clk, const struct rates *rates)
{
	struct group group[WRITER_MAX_KIND * N_GROUP];
	double sum_packet = 0, longest_clk = 0;
	uint32_t n = 0;
	assert(n_task > 0 && writers->n_kind <= WRITER_MAX_KIND);
	for (uint32_t k = 0; k < writers->n_kind; k++)
		sum_packet += writers->kind[k].n_frac * writers->kind[k].packet;
	for (uint32_t i = 0; i < N_GROUP; i++)
		for (uint32_t k = 0; k < writers->n_kind; k++) {
			const struct writer_kind *kind = &writers->kind[k];
			double think_clk = stretch * kind->task_clk + setup_clk;
			double frac = kind->n_frac * kind->packet / sum_packet;
			longest_clk = real_max(longest_clk, think_clk);
			group[n++] = (struct group){
			    /* the host starts a PE a clock */
			    .next_clk = think_clk + writers->n_pe * (i + 1) / N_GROUP,
			    .think_clk = think_clk,
			    .send_clk = kind->packet / rates->port_packet,
			    .share_clk = share_clk * frac / N_GROUP,
			    .n_left = n_task,
			};
		}
	return serve(group, n) - writers->n_pe - n_task * longest_clk;
}

/* Likewise, of any number of tasks, in bounded time; share_clk: of all of them. */
static double run_clk(const struct writers *writers, double n_task, double stretch, double setup_clk, double share_clk,
                      const struct rates *rates)
{
	const uint32_t most = MAX_FOLLOWED_TASK;
	double one_clk = share_clk / n_task;
	uint32_t n = n_task < most ? (uint32_t)n_task : most;
	double clk = follow_clk(writers, n, stretch, setup_clk, one_clk, rates);
	if (n_task > most) {
		double half_clk = follow_clk(writers, most / 2, stretch, setup_clk, one_clk, rates);
		clk += (n_task - most) * (clk - half_clk) / (most - most / 2);
	}
	return real_max(0, clk);
}

double fast_writes_clk(const struct compute *compute, double stretch, double setup_clk, double share_clk,
                       const struct rates *rates)
{
	double n_run = compute->n_barrier, n_task = (double)compute->n_task;
	double n_least = floor(n_task / n_run), n_more = n_task - n_least * n_run;
	double clk = run_clk(&compute->writers, n_least, stretch, setup_clk, share_clk * n_least / n_task, rates) *
	             (n_run - n_more);
	if (n_more > 0)
		clk += n_more * run_clk(&compute->writers, n_least + 1, stretch, setup_clk,
		                        share_clk * (n_least + 1) / n_task, rates);
	return clk;
}
