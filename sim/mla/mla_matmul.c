/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MLA timing of matrix multiplications in closed form. A round multiplies a
 * group of A's rows by a block of B's columns, one B read a MAC; its results
 * end it. Unlike a convolution's, operand A comes a packet at a time: asked for
 * when its buffer runs low, one outstanding, without a request if from the own SRAM.
 * Rules: thesis section 2.3.2; clocks: thesis simulator, re-run.
 */
#include "sim/mla/mla.h"
#include "sim/mla/mla_operand.h"
#include "sim/base/checked.h"
#include "sim/base/real.h"
#include <assert.h>
#include <math.h>

/* Operand A of the own SRAM: from running low to the request in the SRAM's FIFO, re-run. Its answer passes the router.
 */
#define A_LOCAL_ASK_CLK 2
/* Packets over whose ways through the router the mean is taken: clocks of PE and router meet alike again within them.
 */
#define N_WAY 32
/* A is asked for when its buffer holds at most this many bytes, re-run; here at least what so many MACs take. */
#define A_LOW_BYTE 8
#define A_LEAST_MAC 2

/*
 * What a foreign A read's wait for the SRAM adds to its way, in clocks beyond
 * the first of an SRAM access, in lock step with this pe_shift: the router takes
 * two packets a PE clock, so the four PEs run in two pairs a clock apart, and
 * the shift decides where in its own B read the neighbour is when the request
 * comes. Thesis simulator, re-run: 2.75, 2.5 and 2.625 clocks a MAC for shifts
 * 1, 2, 3 with an SRAM of two clocks, none between them with one. The HDL
 * prototype differs by 0.1 % between shifts 1 and 3 (thesis table 5.4).
 */
static double foreign_wait_frac(uint32_t pe_shift)
{
	return pe_shift == 1 ? 0 : pe_shift == 2 ? -1 : -0.5;
}

/*
 * Mean PE clocks through the router of packets of which each leaves the SRAM rest_clk after the one before has come. It
 * enters in the next NoC clock and is out in the PE clock in which it is ready (level 0), as in sim/event/event_noc.h.
 */
static double own_way_clk(const struct machine *machine, double rest_clk)
{
	double pe_mhz = machine->n_level > 0 ? machine->level[0].clk_mhz : machine->noc_clk_mhz / 2;
	double noc_khz = floor(machine->noc_clk_mhz * 1000 + 0.5), pe_khz = floor(pe_mhz * 1000 + 0.5);
	double clk = 0, sum_clk = 0, hop_clk = machine->noc_hop_clk;
	if (fmod(noc_khz, pe_khz) == 0)
		return floor(hop_clk * pe_khz / noc_khz);
	for (int i = 0; i < N_WAY; i++) {
		double come_clk = floor((ceil(clk * noc_khz / pe_khz) + hop_clk) * pe_khz / noc_khz);
		sum_clk += come_clk - clk;
		clk = come_clk + ceil(rest_clk);
	}
	return sum_clk / N_WAY;
}

/*
 * From the own SRAM. A round's last MACs may ask for the next round's first packet: it counts if it comes after the
 * round's end, and if it leaves just then it takes the first result's clock.
 */
static void fetch_own(const struct machine *machine, const struct operand_rate *rate, double n_write,
                      struct mla_matmul_fetch *fetch)
{
	double high_clk = real_max(0, fetch->n_packet_mac - fetch->n_low_mac - 1) * fetch->mac_clk;
	double read_clk = A_LOCAL_ASK_CLK + rate->a_access_clk;
	double way_clk = own_way_clk(machine, high_clk + read_clk);
	double leave_clk = read_clk - (fetch->n_low_mac + 1) * fetch->mac_clk; /* after the round's end */
	/* as early as during the last MACs, its read keeps one of B's waiting */
	double b_clk = rate->access_clk + (leave_clk == 0 ? 1 : leave_clk < 0 ? rate->a_access_clk : 0);
	fetch->answer_clk = read_clk + way_clk;
	fetch->lead_clk = fetch->answer_clk + 1;
	fetch->prefetched = leave_clk + way_clk > 0;
	fetch->prefetched_lead_clk = real_max(b_clk, leave_clk + way_clk - n_write * rate->access_clk);
}

static struct mla_matmul_fetch matmul_fetch(const struct machine *machine, const struct operand_rate *rate, bool local,
                                            double n_write, uint32_t operand_bit)
{
	double mac_byte = (double)machine->mla_rows * (operand_bit / 8);
	double b_clk = (double)rate->n_b_first * rate->access_clk;
	struct mla_matmul_fetch fetch = {.mac_clk = real_max(b_clk, rate->tap_clk)};
	fetch.n_packet_mac = machine->noc_packet_byte / mac_byte;
	fetch.n_low_mac = (double)(uint64_t)(real_max(A_LOW_BYTE, A_LEAST_MAC * mac_byte) / mac_byte);
	fetch.prefetched_lead_clk = 1 + rate->access_clk;
	/*
	 * A round's last MACs may ask for the next round's first packet. Data that come before the round ends are
	 * dropped with its rest; a request that is not on its way by then is not sent. Inferred from the re-run's
	 * clocks a round: 4 less (own SRAM, 4 rows) and 7 less (neighbour, 2 rows) than a round's start costs.
	 */
	if (local) {
		fetch_own(machine, rate, n_write, &fetch);
	} else {
		double backlog_clk = n_write * (rate->access_clk - 1); /* results still queueing: the way is hidden */
		double way_clk = real_max(0, rate->a_request_clk - backlog_clk);
		fetch.answer_clk = rate->a_request_clk + rate->a_access_clk + rate->a_return_clk;
		fetch.lead_clk = way_clk + rate->a_access_clk + rate->a_return_clk;
		/* asked for with the least left, the request has not left for the other PE when the round ends */
		fetch.prefetched = fetch.n_low_mac > A_LEAST_MAC && fetch.n_low_mac < fetch.n_packet_mac;
	}
	return fetch;
}

/*
 * Clocks of a round: results of the round before, the first packet, then one
 * packet after the other at the slower of two paces: the SRAM serves the B
 * reads of a packet's MACs and, if shared, one packet; or the MACs down to the
 * low mark and the next packet's way.
 */
static double matmul_round_clk(const struct mla_matmul_fetch *fetch, const struct operand_rate *rate, double n_mac,
                               double n_a, double n_write, bool shared, double wait_clk)
{
	double sram_clk = fetch->n_packet_mac * fetch->mac_clk + (shared ? rate->a_access_clk : 0);
	double high_mac = real_max(0, fetch->n_packet_mac - fetch->n_low_mac - 1);
	double answer_clk = high_mac * fetch->mac_clk + fetch->answer_clk + (shared ? wait_clk : 0);
	double last_mac = n_mac - (n_a - 1) * fetch->n_packet_mac;
	bool prefetched = fetch->prefetched && last_mac >= fetch->n_packet_mac;
	double lead_clk = prefetched ? fetch->prefetched_lead_clk : fetch->lead_clk;
	assert(last_mac > 0 || n_a <= 1);
	return n_write * rate->access_clk + lead_clk + (n_a - 1) * real_max(sram_clk, answer_clk) +
	       last_mac * fetch->mac_clk;
}

void mla_prepare_matmul(const struct machine *machine, uint32_t pe_shift, uint32_t operand_bit,
                        struct mla_matmul *matmul)
{
	uint32_t operand_byte = operand_bit / 8, port_byte = machine->pe_sram_port_byte;
	uint64_t row_byte = (uint64_t)machine->mla_cols * operand_result_byte(machine, operand_bit);
	bool local = machine->qpe_n_pe < 2 || pe_shift % machine->qpe_n_pe == 0;
	*matmul = (struct mla_matmul){
	    .local = local,
	    .mla_rows = machine->mla_rows,
	    .mla_cols = machine->mla_cols,
	    .column_step = port_byte / operand_byte,
	    .row_a_byte = machine->mla_rows * operand_byte,
	    .packet_byte = machine->noc_packet_byte,
	    .port_word = port_byte / SRAM_WORD_BYTE,
	    .n_write = (uint32_t)ceil_div(row_byte, port_byte) * machine->mla_rows,
	    .fixed_clk = (double)machine->mla_init_clk + DRAIN_CLK,
	};
	operand_rate(machine, operand_bit, &matmul->rate);
	matmul->fetch = matmul_fetch(machine, &matmul->rate, local, (double)matmul->n_write, operand_bit);
	if (!local)
		matmul->wait_clk = foreign_wait_frac(pe_shift % machine->qpe_n_pe) * (matmul->rate.access_clk - 1);
}

bool mla_matmul_serves(const struct mla_matmul *one, const struct mla_matmul *other)
{
	const struct mla_matmul_fetch *a = &one->fetch, *b = &other->fetch;
	return a->prefetched == b->prefetched && a->answer_clk <= b->answer_clk && a->lead_clk <= b->lead_clk &&
	       a->prefetched_lead_clk <= b->prefetched_lead_clk && one->wait_clk <= other->wait_clk;
}

void mla_prepared_cost(const struct mla_matmul *matmul, const struct mla_matmul_task *task, struct mla_cost *cost)
{
	assert(task->a_w > 0 && task->a_h > 0 && task->b_w > 0);
	const struct operand_rate *rate = &matmul->rate;
	/* B's rows are stored in whole ports (thesis equation 2.6), and the array runs over the padding. */
	uint64_t b_w = align_up(task->b_w, matmul->column_step);
	uint64_t n_round = ceil_div(task->a_h, matmul->mla_rows) * ceil_div(b_w, matmul->mla_cols);
	uint64_t n_a = ceil_div((uint64_t)task->a_w * matmul->row_a_byte, matmul->packet_byte);
	double n = (double)n_round, n_mac = task->a_w, n_write = matmul->n_write;
	double free_clk = matmul_round_clk(&matmul->fetch, rate, n_mac, (double)n_a, n_write, matmul->local, 0);
	double shared_clk = matmul_round_clk(&matmul->fetch, rate, n_mac, (double)n_a, n_write, true, matmul->wait_clk);

	cost->shared_clk = matmul->fixed_clk + n * shared_clk;
	cost->clk = matmul->fixed_clk + n * (free_clk < shared_clk ? free_clk : shared_clk);
	cost->n_round = n_round;
	cost->mac_clk = n_round * task->a_w * rate->tap_clk;
	cost->a_word = n_round * n_a * ceil_div(matmul->packet_byte, SRAM_WORD_BYTE);
	cost->b_word = n_round * task->a_w * rate->n_b_first * matmul->port_word;
	cost->out_word = n_round * matmul->n_write * matmul->port_word;
	assert(cost->shared_clk >= cost->clk);
}

void mla_matmul_cost(const struct machine *machine, const struct mla_matmul_task *task, uint32_t pe_shift,
                     uint32_t operand_bit, struct mla_cost *cost)
{
	struct mla_matmul matmul;
	mla_prepare_matmul(machine, pe_shift, operand_bit, &matmul);
	mla_prepared_cost(&matmul, task, cost);
}
