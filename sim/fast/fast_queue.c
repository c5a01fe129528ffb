/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A queue of jobs that differ, served one by one in the order in which PEs take them: each load, compute, write, at one
 * DRAM interface that serves packets in the order in which they come: a load's at once, a write's one by one, so that
 * writes under way share the DRAM. What comes next is the first of two lists: PEs that are idle, in the order in which
 * they became so, and tasks and writes that end; tasks that wait for routers run in their QPEs (fast_qpe.c) instead,
 * and the first of these to end is a third.
 *
 *   idle PEs -> load -> tasks that end, sorted -> write -> idle PEs
 *                 ^-----'  (a chain's next part)
 */
#include "sim/fast/fast_parts.h"
#include "sim/base/checked.h"
#include <math.h>
#include <string.h>

/* A copy inside a QPE; thesis simulator, re-run. */
#define COPY_SETUP_CLK 33.0

/* Storage QPEs of a queue: as many as its interface has blocks. */
#define QUEUE_MAX_STORAGE 4

/* think: from a load's last packet at the DRAM to the task's end, or its start in a QPE; stream: in which a write's
 * packets come to the DRAM */
struct kind_clk {
	double load, storage, think, write, stream;
	double load_packet, write_packet;
};

/* What a PE is at a clock: its load is asked for, its operands have come, the host knows it, its task starts or ends,
 * its write's first or last packet comes. */
enum turn {
	TURN_ASKED,
	TURN_LOADED,
	TURN_REPORTED,
	TURN_TASK_STARTS,
	TURN_TASK_ENDS,
	TURN_WRITE_STARTS,
	TURN_WRITE_ENDS,
	TURN_WRITTEN
};
struct ending {
	double clk;
	struct job_place job;
	enum turn turn;
};

struct idle_pe {
	double clk;
	uint32_t pe;
};

struct queue {
	struct kind_clk kind[JOB_MAX_KIND];
	/* At a clock the DRAM has work for so many clocks; for each write under way more comes, write_rate a clock. */
	double clk, backlog_clk, write_rate;
	uint32_t n_write;
	/* When each PE of a storage QPE has sent what was asked for; they take turns. */
	uint32_t n_storage, next_storage;
	double storage_clk[QUEUE_MAX_STORAGE];
	/* Ends of tasks, sorted: first to last - 1; twice the PEs so that they seldom have to be moved. */
	uint32_t first, last;
	struct ending ending[2 * JOB_MAX_PE];
	/* From when PEs are idle: a ring. */
	uint32_t first_idle, n_idle;
	struct idle_pe idle[JOB_MAX_PE];
	struct shared_qpes *qpes; /* NULL: tasks do not wait for routers */
	double dram_packet;       /* a clock, of a load */
	/* A message of this queue and those of the others meanwhile, PE clocks of the host; 0: it has time for all. */
	double message_clk;
	double host_free_clk;
	double setup_clk; /* of a load, before the host knows that it has come */
	/* What the ways of a QPE's loads and writes take longer than those of the mean one. */
	uint32_t qpe_n_pe, n_qpe;
	double load_way_clk[QUEUE_MAX_QPE], write_way_clk[QUEUE_MAX_QPE];
};

/* What a load's packets take longer into a PE than out of the DRAM. */
static double late_clk(const struct job_kind *kind, const struct rates *rates)
{
	double packet_clk = 1 / rates->port_packet - rates->machine->noc_packet_byte / rates->dram_byte;
	return kind->load_byte / rates->machine->noc_packet_byte * real_max(0, packet_clk);
}

static double copy_clk(const struct job_kind *kind, const struct rates *rates)
{
	if (!(kind->copy_packet > 0))
		return 0;
	return rates_setup_clk(rates, SETUP_COPY, COPY_SETUP_CLK) + kind->copy_packet / rates->port_packet;
}

/* Clocks of the DRAM in which one clock's packets of a write come. */
static double write_rate(const struct rates *rates)
{
	return rates->port_packet * rates->machine->noc_packet_byte / rates->dram_byte;
}

double fast_alone_clk(const struct job_kind *kind, double n_load, double setup_clk, double answer_clk,
                      const struct rates *rates)
{
	double write_clk = kind->write_byte / rates->dram_byte;
	double load_clk = kind->load_byte / rates->dram_byte + late_clk(kind, rates);
	return real_max(load_clk, kind->storage_packet / rates->port_packet) + kind->task_clk +
	       n_load * (setup_clk + copy_clk(kind, rates)) + write_clk * real_max(1, 1 / write_rate(rates)) +
	       answer_clk;
}

/* Parts of a chain that are served as one, by size: as many loads, set-ups and tasks at once. */
struct merged {
	double n[2];
};

static struct job_kind merge_kind(const struct job_kind *kind, double n)
{
	struct job_kind all = *kind;
	all.load_byte *= n;
	all.storage_packet *= n;
	all.task_clk *= n;
	all.task_shared_clk *= n;
	all.fetch.n_round *= n;
	all.fetch.n_packet *= n;
	return all;
}

static void time_kinds(const struct jobs *jobs, const struct rates *rates, const struct queue_rule *rule,
                       const struct merged *merged, struct queue *queue)
{
	queue->write_rate = write_rate(rates);
	queue->dram_packet = rates->dram_byte / rates->machine->noc_packet_byte;
	queue->n_storage = jobs->n_storage < QUEUE_MAX_STORAGE ? jobs->n_storage : QUEUE_MAX_STORAGE;
	for (uint32_t k = 0; k < JOB_MAX_KIND; k++) {
		if (!(jobs->kinds >> k & 1))
			continue;
		double n = merged->n[k & 1];
		const struct job_kind all = merge_kind(&jobs->kind[k], n), *kind = &all;
		double write_clk = kind->write_byte / rates->dram_byte;
		double task_clk = kind->task_clk + (kind->task_shared_clk - kind->task_clk) * rule->duty;
		double think_clk = n * (rule->setup_clk + copy_clk(kind, rates)) + late_clk(kind, rates);
		if (queue->qpes)
			shared_qpes_time_kind(queue->qpes, k, kind, task_clk, rates);
		else
			think_clk += task_clk * rule->stretch;
		queue->kind[k] = (struct kind_clk){
		    .load = kind->load_byte / rates->dram_byte,
		    .storage = kind->storage_packet / rates->port_packet,
		    .think = think_clk,
		    .write = write_clk,
		    .stream = write_clk / queue->write_rate,
		    .load_packet = kind->load_byte / rates->machine->noc_packet_byte,
		    .write_packet = kind->write_byte / rates->machine->noc_packet_byte,
		};
	}
}

static void advance(struct queue *queue, double clk)
{
	double come_clk = (queue->n_write * queue->write_rate - 1) * (clk - queue->clk);
	queue->backlog_clk = real_max(0, queue->backlog_clk + come_clk);
	queue->clk = clk;
}

static void add_ending(struct queue *queue, struct ending ending)
{
	if (queue->last == 2 * JOB_MAX_PE) {
		memmove(queue->ending, queue->ending + queue->first,
		        (queue->last - queue->first) * sizeof(*queue->ending));
		queue->last -= queue->first;
		queue->first = 0;
	}
	uint32_t i = queue->last++;
	for (; i > queue->first && queue->ending[i - 1].clk > ending.clk; i--)
		queue->ending[i] = queue->ending[i - 1];
	queue->ending[i] = ending;
}

static void time_ways(const struct queue_place *place, const struct rates *rates, uint32_t n_pe, struct queue *queue)
{
	uint32_t qpe_n_pe = (uint32_t)rates->machine->qpe_n_pe, n_qpe = (n_pe + qpe_n_pe - 1) / qpe_n_pe;
	queue->qpe_n_pe = qpe_n_pe;
	queue->n_qpe = place && n_qpe <= place->n_qpe ? n_qpe : 0;
	double hop_clk = latency_hop_clk(rates->machine, rates->level);
	double load_hop = latency_mean_hop(rates->machine, SETUP_SINGLE_LOAD);
	double write_hop = latency_mean_hop(rates->machine, SETUP_HANDSHAKE);
	for (uint32_t i = 0; i < queue->n_qpe; i++) {
		queue->load_way_clk[i] = hop_clk * (place->load_hop[i] - load_hop);
		queue->write_way_clk[i] = hop_clk * (place->write_hop[i] - write_hop);
	}
}

static double way_clk(const struct queue *queue, const double *clk, uint32_t pe)
{
	return queue->n_qpe > 0 ? clk[pe / queue->qpe_n_pe] : 0;
}

/* When the host has passed n messages that come at a clock. */
static double pass_host(struct queue *queue, double n, double clk)
{
	if (queue->message_clk <= 0)
		return clk;
	double wait_clk = real_max(0, queue->host_free_clk - clk);
	queue->host_free_clk = clk + wait_clk + n * queue->message_clk;
	return clk + wait_clk;
}

/* A load that is asked for at a clock, and the task after it. */
static void serve_load(struct queue *queue, const struct job_place *place, double clk)
{
	const struct kind_clk *job = &queue->kind[place->kind];
	advance(queue, clk);
	queue->backlog_clk += job->load;
	double ready_clk = clk + queue->backlog_clk;
	if (job->storage > 0) {
		double *storage_clk = &queue->storage_clk[queue->next_storage];
		*storage_clk = real_max(*storage_clk, clk) + job->storage;
		ready_clk = real_max(ready_clk, *storage_clk);
		queue->next_storage = queue->next_storage + 1 < queue->n_storage ? queue->next_storage + 1 : 0;
	}
	struct ending next = {ready_clk + way_clk(queue, queue->load_way_clk, place->pe), *place, TURN_LOADED};
	if (queue->message_clk <= 0) {
		next.clk += job->think;
		next.turn = queue->qpes ? TURN_REPORTED : TURN_TASK_ENDS;
	} else {
		next.clk += queue->setup_clk;
	}
	add_ending(queue, next);
}

/* Sorted, as ways differ. */
static void add_idle(struct queue *queue, uint32_t n_pe, struct idle_pe idle)
{
	uint32_t slot = queue->first_idle + queue->n_idle;
	slot = slot < n_pe ? slot : slot - n_pe;
	for (uint32_t n = queue->n_idle++; n > 0; n--) {
		uint32_t before = slot > 0 ? slot - 1 : n_pe - 1;
		if (queue->idle[before].clk <= idle.clk)
			break;
		queue->idle[slot] = queue->idle[before];
		slot = before;
	}
	queue->idle[slot] = idle;
}

static void start_write(struct queue *queue, struct ending *ending)
{
	advance(queue, ending->clk);
	queue->n_write++;
	ending->clk += queue->kind[ending->job.kind].stream;
	ending->turn = TURN_WRITE_ENDS;
	add_ending(queue, *ending);
}

/* Packets of a load or write pass the routers on their way, and wait there; what comes after it. */
static void pass_routers(struct queue *queue, struct ending *ending, double n_packet, double packet_clk, enum turn next)
{
	ending->clk += shared_qpes_pass(queue->qpes, ending->job.pe, n_packet, packet_clk);
	ending->turn = next;
	add_ending(queue, *ending);
}

/* When what comes first does; INFINITY: nothing is under way. */
static double next_clk(const struct queue *queue)
{
	double clk = queue->first < queue->last ? queue->ending[queue->first].clk : INFINITY;
	return queue->qpes ? real_min(clk, queue->qpes->end_clk) : clk;
}

static struct ending take_next(struct queue *queue)
{
	const struct shared_qpes *qpes = queue->qpes;
	if (!qpes || qpes->n_task == 0 ||
	    (queue->first < queue->last && queue->ending[queue->first].clk <= qpes->end_clk))
		return queue->ending[queue->first++];
	double clk = qpes->end_clk;
	return (struct ending){clk, shared_qpes_end(queue->qpes), TURN_TASK_ENDS};
}

/*
 * A task starts; or it has ended, and a chain goes on or the result is written; or a write has ended, behind what has
 * come to the DRAM before its last packet. Returns when the PE is idle, -1 if it is not.
 */
static double serve_turn(struct queue *queue, const struct job_order *order, uint32_t n_d, double n_message,
                         double answer_clk, struct ending ending)
{
	const struct kind_clk *job = &queue->kind[ending.job.kind];
	switch (ending.turn) {
	case TURN_ASKED:
		serve_load(queue, &ending.job, ending.clk);
		return -1;
	case TURN_LOADED:
		ending.clk = pass_host(queue, order->n_load + 1, ending.clk) + job->think - queue->setup_clk;
		ending.turn = queue->qpes ? TURN_REPORTED : TURN_TASK_ENDS;
		add_ending(queue, ending);
		return -1;
	case TURN_REPORTED:
		pass_routers(queue, &ending, job->load_packet, 1 / queue->dram_packet, TURN_TASK_STARTS);
		return -1;
	case TURN_TASK_STARTS:
		shared_qpes_add(queue->qpes, &ending.job, ending.clk);
		return -1;
	case TURN_WRITE_STARTS:
		start_write(queue, &ending);
		return -1;
	case TURN_WRITE_ENDS:
		advance(queue, ending.clk);
		queue->n_write--;
		ending.clk += queue->backlog_clk + way_clk(queue, queue->write_way_clk, ending.job.pe);
		ending.clk += answer_clk;
		ending.turn = TURN_WRITTEN;
		if (queue->message_clk <= 0)
			return ending.clk;
		add_ending(queue, ending);
		return -1;
	case TURN_WRITTEN:
		return pass_host(queue, n_message, ending.clk);
	case TURN_TASK_ENDS:
	default:
		break;
	}
	if (ending.job.d + 1 < n_d) {
		uint32_t d = ++ending.job.d;
		ending.job.kind = (ending.job.kind & ~1u) | (d >= order->n_d[0]);
		ending.clk = pass_host(queue, 1 + order->n_load, ending.clk);
		ending.turn = TURN_ASKED;
		if (queue->message_clk > 0)
			add_ending(queue, ending);
		else
			serve_load(queue, &ending.job, ending.clk);
		return -1;
	}
	if (job->write <= 0)
		return pass_host(queue, n_message, ending.clk) + answer_clk;
	(void)pass_host(queue, 1, ending.clk);
	if (queue->qpes)
		pass_routers(queue, &ending, job->write_packet, job->stream / job->write_packet, TURN_WRITE_STARTS);
	else
		start_write(queue, &ending);
	return -1;
}

/* What jobs take of the DRAM and of PEs. */
struct load_clk {
	double dram, pe;
};

static double fluid_clk(const struct load_clk *load, double n_pe)
{
	return real_max(load->dram, load->pe / n_pe);
}

static void add_job(const struct kind_clk *kind, double n, double idle_clk, struct load_clk *load)
{
	double dram_clk = kind->load + kind->write;
	load->dram += n * dram_clk;
	load->pe += n * (real_max(kind->load, kind->storage) + kind->write + kind->think + idle_clk);
}

/* All jobs of a result that ends with one of this kind. */
static void add_result(const struct queue *queue, const struct job_order *order, uint32_t kind, double idle_clk,
                       struct load_clk *load)
{
	if (!order->is_chain) {
		add_job(&queue->kind[kind], 1, idle_clk, load);
		return;
	}
	for (uint32_t d = 0; d < 2; d++)
		if (order->n_d[d] > 0)
			add_job(&queue->kind[(kind & ~1u) | d], order->n_d[d], idle_clk, load);
}

/* A long queue's middle is left out: served is what is left, and all of it is measured between these results. */
struct excerpt {
	struct job_order served;
	struct load_clk all, first, last; /* of all jobs; of those that have ended when the measure begins, ends */
	uint64_t n_first, n_last;
	double first_clk, last_clk;
};

/* Serve the jobs of an order; excerpt: NULL or to be measured. */
static double serve(struct queue *queue, const struct job_order *order, const struct queue_rule *rule,
                    struct excerpt *excerpt)
{
	struct job_cursor cursor = job_cursor_at_start(order);
	uint32_t n_pe = order->n_pe, n_d = order->is_chain ? order->n_d[0] + order->n_d[1] : 1, kind = 0;
	uint32_t n_run = job_cursor_next_run(&cursor, &kind);
	double end_clk = 0;
	uint64_t n_done = 0;
	struct load_clk done = {0, 0};
	queue->clk = queue->backlog_clk = 0;
	queue->n_write = queue->next_storage = 0;
	queue->message_clk = rule->has_host ? order->host_share : 0;
	queue->host_free_clk = (double)order->n_command;
	queue->setup_clk = rule->setup_clk;
	for (uint32_t i = 0; i < QUEUE_MAX_STORAGE; i++)
		queue->storage_clk[i] = 0;
	queue->first = queue->last = queue->first_idle = 0;
	queue->n_idle = n_pe;
	for (uint32_t i = 0; i < n_pe; i++)
		queue->idle[i] = (struct idle_pe){(double)(order->n_before + (uint64_t)i * order->n_load), i};
	for (;;) {
		double turn_clk = next_clk(queue);
		const struct idle_pe *idle = &queue->idle[queue->first_idle];
		if (n_run == 0 && isinf(turn_clk))
			return end_clk;
		if (n_run > 0 && queue->n_idle > 0 && idle->clk <= turn_clk) {
			serve_load(queue, &(struct job_place){kind, 0, idle->pe}, idle->clk);
			queue->first_idle = queue->first_idle + 1 == n_pe ? 0 : queue->first_idle + 1;
			queue->n_idle--;
			if (--n_run == 0)
				n_run = job_cursor_next_run(&cursor, &kind);
			continue;
		}
		struct ending next = take_next(queue);
		/* of its last job the PE is told no more */
		double n_message = n_run > 0 ? 1 + order->n_load : 1;
		double idle_clk = serve_turn(queue, order, n_d, n_message, rule->answer_clk, next);
		/* results that wait for the host come in bursts, which their tasks do not */
		if (excerpt && next.turn == TURN_TASK_ENDS && !rule->has_host)
			add_job(&queue->kind[next.job.kind], 1, rule->answer_clk, &done);
		if (idle_clk < 0)
			continue;
		add_idle(queue, n_pe, (struct idle_pe){idle_clk, next.job.pe});
		end_clk = real_max(end_clk, idle_clk);
		if (!excerpt)
			continue;
		if (rule->has_host)
			add_result(queue, order, next.job.kind, rule->answer_clk, &done);
		n_done++;
		if (n_done == excerpt->n_first) {
			excerpt->first = done;
			excerpt->first_clk = idle_clk;
		} else if (n_done == excerpt->n_last) {
			excerpt->last = done;
			excerpt->last_clk = idle_clk;
		}
	}
}

static uint64_t n_row(const struct job_order *order)
{
	return (uint64_t)(order->n_h[0] + order->n_h[1]) * (order->n_w[0] + order->n_w[1]);
}

/* Jobs of an order's image, by kind. */
static double n_of_kind(const struct job_order *order, uint32_t kind)
{
	return (double)order->n_h[kind >> 3] * order->n_w[kind >> 2 & 1] * order->n_c[kind >> 1 & 1] *
	       order->n_d[kind & 1];
}

static uint64_t n_order_job(const struct job_order *order)
{
	return order->n_result * (order->n_d[0] + order->n_d[1]);
}

/* Results a PE from which on an excerpt has the pace of all; of fewer what counts is which PE has one more. */
#define MIN_EXCERPT_ROUND 8
/* A DRAM that works for this much longer than PEs do is all that a queue waits for. */
#define MAX_DRAM_FRAC 1.3

/* Several parts of a long chain are served at once, of each size the same number of times. */
static struct merged merge_chain(uint64_t n_most, struct job_order *order)
{
	struct merged merged = {{1, 1}};
	uint64_t n_job = n_order_job(order);
	for (int i = 0; i < 2; i++) {
		uint32_t n_part = order->n_d[i];
		if (n_part == 0)
			continue;
		order->n_d[i] = (uint32_t)((uint64_t)n_part * n_most / n_job);
		order->n_d[i] = order->n_d[i] > 0 ? order->n_d[i] : 1;
		merged.n[i] = (double)n_part / order->n_d[i];
	}
	return merged;
}

/* As many jobs as are to be served: whole rounds are left out where parts are many, else every other part. */
static void cut_order(uint64_t n_most, struct job_order *order)
{
	uint32_t *const part[] = {&order->n_c[0], &order->n_c[1], &order->n_d[0], &order->n_d[1],
	                          &order->n_h[0], &order->n_h[1], &order->n_w[0], &order->n_w[1]};
	order->n_skip = 0;
	for (;;) {
		uint32_t *most = part[0];
		for (int i = 1; i < 8; i++)
			most = *part[i] > *most ? part[i] : most;
		uint64_t n_result = n_row(order) * (order->n_c[0] + order->n_c[1]);
		order->n_result = n_result < order->n_result ? n_result : order->n_result;
		if (n_order_job(order) <= n_most || *most == 1)
			return;
		uint32_t n_left = *most % order->n_pe + order->n_pe;
		*most = *most > n_left ? n_left : (*most + 1) / 2;
	}
}

/* The sum over all jobs of an order; of rows of several images, or of a part of one, as many as there are. */
static struct load_clk sum_order(const struct jobs *jobs, const struct job_order *order, const struct queue *queue,
                                 double answer_clk)
{
	struct load_clk sum = {0, 0};
	double n_image = (double)order->n_result / ((double)n_row(order) * (order->n_c[0] + order->n_c[1]));
	for (uint32_t k = 0; k < JOB_MAX_KIND; k++)
		if (jobs->kinds >> k & 1)
			add_job(&queue->kind[k], n_image * n_of_kind(order, k), answer_clk, &sum);
	return sum;
}

/* What the excerpt takes, and for what is left out as long as the measured part took for its share. */
static double serve_excerpt(const struct jobs *jobs, const struct job_order *order, const struct queue_rule *rule,
                            struct queue *queue)
{
	struct excerpt excerpt = {.served = *order};
	cut_order(rule->n_most, &excerpt.served);
	uint64_t n = excerpt.served.n_result;
	/* whole rounds, as results may come in bursts */
	excerpt.n_first = n / 3 > 0 ? n / 3 : 1;
	excerpt.n_last = excerpt.n_first + (n - n / 4 - excerpt.n_first) / order->n_pe * order->n_pe;
	double clk = serve(queue, &excerpt.served, rule, &excerpt);
	struct load_clk all = sum_order(jobs, order, queue, rule->answer_clk);
	struct load_clk part = sum_order(jobs, &excerpt.served, queue, rule->answer_clk);
	struct load_clk measured = {excerpt.last.dram - excerpt.first.dram, excerpt.last.pe - excerpt.first.pe};
	struct load_clk left = {all.dram - part.dram, all.pe - part.pe};
	double n_pe = order->n_pe, frac = 1, fluid = fluid_clk(&measured, n_pe);
	if (excerpt.n_last > excerpt.n_first && fluid > 0)
		frac = (excerpt.last_clk - excerpt.first_clk) / fluid;
	return clk + fluid_clk(&left, n_pe) * real_max(1, frac);
}

/* Long chains, a few a PE, which do not wait for the DRAM alone: when each part is loaded hardly matters. */
static bool is_few_chains(const struct jobs *jobs, const struct job_order *order, const struct queue_rule *rule,
                          const struct queue *queue)
{
	if (!order->is_chain || n_order_job(order) <= rule->n_most ||
	    order->n_result >= (uint64_t)MIN_EXCERPT_ROUND * order->n_pe)
		return false;
	struct load_clk all = sum_order(jobs, order, queue, rule->answer_clk);
	return all.dram < MAX_DRAM_FRAC * all.pe / order->n_pe;
}

double fast_serve_queue(const struct jobs *jobs, const struct job_order *order, const struct rates *rates,
                        struct queue_rule *rule)
{
	struct queue queue; /* most of it is written when jobs are served */
	struct shared_qpes qpes;
	queue.qpes = NULL;
	assert(order->n_pe > 0 && order->n_pe <= JOB_MAX_PE);
	if (rule->is_shared) {
		shared_qpes_begin(jobs->place, order->n_pe, rates, &qpes);
		queue.qpes = &qpes;
	}
	time_ways(jobs->place, rates, order->n_pe, &queue);
	struct job_order served = *order;
	struct merged merged = {{1, 1}};
	time_kinds(jobs, rates, rule, &merged, &queue);
	if (is_few_chains(jobs, order, rule, &queue)) {
		merged = merge_chain(rule->n_most, &served);
		time_kinds(jobs, rates, rule, &merged, &queue);
	}
	double clk = n_order_job(&served) > rule->n_most ? serve_excerpt(jobs, &served, rule, &queue)
	                                                 : serve(&queue, &served, rule, NULL);
	if (rule->is_shared && qpes.alone_clk > 0)
		rule->stretch = qpes.task_clk / qpes.alone_clk;
	return clk;
}
