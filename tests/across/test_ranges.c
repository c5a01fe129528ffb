/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every machine parameter and every field of an operating point at its least and most, one at a time and two at a time,
 * with extreme layers, in the fast and grey-box tiers and, within a time, the event tier. What must hold of each result
 * whatever the machine is:
 *
 *   phases add up in 128 bits to the total          parts of the energy add up to it, and so do the supplies'
 *   a layer twice takes twice the clocks and bytes   no layer beats its MACs over the peak, nor its bytes over the rate
 *   all clocks twice as fast leave clocks as they are, and halve the time
 *
 * A child process goes through the cases; when it ends otherwise than it may, the case it was at is broken and another
 * child goes on behind it. `make draws ONLY=test_ranges` takes all pairs, each with seven of the 120 ways in which
 * layers run, and single ends with all of them; RANGES=CASE one case and all ways.
 */
#include "tests/support/unit_test.h"

#include "dse/design/simulate.h"
#include "dse/space/machine_read.h"
#include "sim/base/stop.h"
#include "sim/machine/machine_check.h"
#include "tests/support/draws.h"
#include "tests/support/network_text.h"
#include "tests/support/range_ends.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

__extension__ typedef unsigned __int128 wide;

/* Event by event what takes so many clocks at most in the fast tier, and for so long. */
enum { EVENT_CLK = 400000, EVENT_MS = 100, N_HOW = 6, HOW_EVENT = 5 };

/* What a child tells its parent. */
struct tally {
	uint64_t at; /* the case under way */
	char text[RANGE_CASE_TEXT];
	uint64_t n_refused, n_machine, n_run, n_wide, n_event, n_late, n_twice, n_faster, n_none, n_broken;
};
static struct tally *tally;
static const char *layer_at = "", *how_at = "";

#define BROKEN(...)                                                                                      \
	do {                                                                                             \
		tally->n_broken++;                                                                       \
		print_error("case %" PRIu64 ": %s, %s, %s: ", tally->at, tally->text, layer_at, how_at); \
		print_error(__VA_ARGS__);                                                                \
		print_error("\n");                                                                       \
	} while (0)

/* ---- layers ---- */

struct range_network {
	const char *text;
	struct network once, twice;
};

/* Least, most, strided, depthwise, grouped, dilated, in batches, products, work of the ARM cores. */
static struct range_network network[] = {
    {.text = "conv: {input: [1, 1, 1], kernel: 1, out_channels: 1, padding: valid}"},
    {.text = "conv: {input: [65536, 65536, 64], kernel: 1, out_channels: 64}"},
    {.text = "conv: {input: [8, 8, 65536], kernel: 3, out_channels: 65536}"},
    {.text = "conv: {input: [224, 224, 3], kernel: 7, out_channels: 64, stride: 2}"},
    {.text = "conv: {input: [56, 56, 64], kernel: 3, out_channels: 64}"},
    {.text = "conv: {input: [65536, 1, 4], kernel: [3, 1], out_channels: 8, stride: 65536}"},
    {.text = "conv: {input: [112, 112, 96], kernel: 3, groups: depthwise, stride: 2}"},
    {.text = "conv: {input: [16, 16, 65536], kernel: 3, groups: depthwise}"},
    {.text = "conv: {input: [14, 14, 512], kernel: 3, out_channels: 512, groups: 32}"},
    {.text = "conv: {input: [64, 64, 16], kernel: 3, out_channels: 24, dilation: 20}"},
    {.text = "conv: {input: [14, 14, 256], kernel: 1, out_channels: 512, stride: 2}"},
    {.text = "conv: {input: [64, 64, 8], kernel: 64, out_channels: 8, padding: valid}"},
    {.text = "fc: {input: 1, out: 1}"},
    {.text = "fc: {input: 25088, out: 4096}"},
    {.text = "fc: {input: 16777216, out: 64}"},
    {.text = "conv: {input: [128, 1, 768], kernel: 1, out_channels: 768, operator: MatMul}"},
    {.text = "pool: {from: 0, window: 2}"},
    {.text = "pool: {from: 0, window: 3, stride: 2, type: average}"},
    {.text = "arm: {from: 0, op: softmax}"},
    {.text = "arm: {from: 0, op: function}"},
};
enum { N_NETWORK = sizeof(network) / sizeof(network[0]), N_BATCHED = 2 };

static void read_times(const char *layer, unsigned times, unsigned batch, struct network *made)
{
	char text[400];
	struct err err = {0};
	(void)snprintf(
	    text, sizeof(text),
	    "name: range\ninput: [64, 64, 24]\nbatch: %u\nlayers:\n  - repeat:\n      times: %u\n      layers:\n"
	    "        - %s\n",
	    batch, times, layer);
	if (network_read_text(text, made, &err) != ERR_OK)
		fail_msg("%s%s", err_text(&err), text);
}

static int read_networks(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_NETWORK; i++) {
		unsigned batch = i % 5 == 4 && strncmp(network[i].text, "arm", 3) != 0 ? 3 : 1;
		read_times(network[i].text, 1, batch, &network[i].once);
		read_times(network[i].text, 2, batch, &network[i].twice);
	}
	return 0;
}

static int free_networks(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_NETWORK; i++) {
		network_free(&network[i].once);
		network_free(&network[i].twice);
	}
	return 0;
}

/* ---- what must hold ---- */

static bool is_near(long double a, long double b, long double within)
{
	return fabsl(a - b) <= within * fmaxl(fabsl(a), fabsl(b));
}

static void check_energy(const struct machine *machine, const struct sim_result *result)
{
	const struct energy *energy = &result->energy;
	long double sum = (long double)energy->mla_pj + energy->sram_pj + energy->noc_pj + energy->dram_pj +
	                  energy->arm_pj + energy->awake_pj + energy->switch_pj + energy->static_pj;
	if (!isfinite(energy->total_pj) || !(energy->total_pj >= 0) || !is_near(sum, energy->total_pj, 1e-12L))
		BROKEN("parts of the energy are %.17Lg pJ, all of it %.17g", sum, energy->total_pj);
	struct supply_energy supply[N_SUPPLY];
	long double supplied = 0;
	energy_by_supply(machine, 0, energy, result->latency_ns, supply);
	for (int i = 0; i < N_SUPPLY; i++)
		supplied += (long double)supply[i].dynamic_pj + supply[i].static_pj;
	if (!is_near(supplied, energy->total_pj, 1e-9L))
		BROKEN("supplies give %.17Lg pJ of %.17g", supplied, energy->total_pj);
}

/* A block that ran. */
static void check_block(const struct machine *machine, const struct simulated *block)
{
	const struct sim_result *result = &block->result;
	wide sum = 0, n_mac = block_n_mac(block->block);
	for (int i = 0; i < N_PHASE; i++)
		sum += result->phase_clk[i];
	if (sum != result->total_clk || result->total_clk > COUNTS_MAX || result->core_clk > result->total_clk)
		BROKEN("phases are %.17Lg clocks, all of it %" PRIu64, (long double)sum, result->total_clk);
	/* SCALE-Sim counts clocks from 0, and its words and stalls do not go by one rate */
	bool is_scalesim = machine->target == MACHINE_SYSTOLIC && machine->systolic.memory != SYSTOLIC_PHYSICAL;
	if ((wide)result->counts.mac > ((wide)result->total_clk + is_scalesim) * machine_n_mac(machine))
		BROKEN("%" PRIu64 " clocks for %.17Lg MACs on %" PRIu64 " units", result->total_clk, (long double)n_mac,
		       machine_n_mac(machine));
	/* the thesis' simulator left work out, and so does its strategy (mapper/split/strategy.h) */
	bool is_short = block->design.strategy == STRATEGY_THESIS_REUSE && result->counts.mac < (double)n_mac;
	if (!is_short && (long double)n_mac != result->counts.mac)
		BROKEN("%.17g MACs counted, %.17Lg wanted", result->counts.mac, (long double)n_mac);
	if (!(result->mac_util_frac >= 0 && result->mac_util_frac <= (is_scalesim ? 1 + 1e-6 : 1)))
		BROKEN("utilisation %.17g", result->mac_util_frac);
	if (!is_scalesim &&
	    (double)result->total_clk < result_roofline_clk(machine, &result->counts, 0) * (1 - 1e-9) - 1)
		BROKEN("%" PRIu64 " clocks are under the roof's %.17g", result->total_clk,
		       result_roofline_clk(machine, &result->counts, 0));
	if (!is_near(result->latency_ns, (long double)result->total_clk * 1000 / machine->level[0].clk_mhz, 1e-12L))
		BROKEN("%.17g ns for %" PRIu64 " clocks", result->latency_ns, result->total_clk);
	check_energy(machine, result);
}

/* false: refused, late, or it does not run on this machine. */
static bool run(const struct machine *machine, const struct network *wanted, const struct simulate_options *options,
                struct simulated *block)
{
	struct err err = {0};
	enum err_code code = simulate_network(machine, wanted, options, block, &err);
	bool is_reason = code == ERR_INPUT || code == ERR_INFEASIBLE;
	if (code == ERR_INTERRUPTED)
		tally->n_late++;
	else if (code != ERR_OK && (!is_reason || err.n_message == 0))
		BROKEN("code %d: %s", (int)code, err_text(&err));
	err_clear(&err);
	for (size_t i = 0; i < wanted->n_block && code == ERR_OK; i++)
		if (!block[i].ran)
			code = ERR_INFEASIBLE;
	return code == ERR_OK;
}

static void check_twice(const struct machine *machine, const struct range_network *layer,
                        const struct simulate_options *options, const struct simulated *once)
{
	struct simulated twice[2];
	struct simulate_totals totals, single;
	wide clk = 0, core = 0;
	if (!run(machine, &layer->twice, options, twice))
		return;
	tally->n_twice++;
	for (int i = 0; i < 2; i++) {
		clk += twice[i].result.total_clk;
		core += twice[i].result.core_clk;
	}
	simulate_sum(machine, twice, 2, NULL, &totals);
	simulate_sum(machine, once, 1, NULL, &single);
	if (clk != totals.total_clk || core != totals.core_clk)
		BROKEN("totals are %" PRIu64 " clocks, layers %.17Lg", totals.total_clk, (long double)clk);
	if (clk != (wide)once->result.total_clk * 2)
		BROKEN("twice: %" PRIu64 " clocks, once %" PRIu64, totals.total_clk, once->result.total_clk);
	if (!is_near(totals.energy.total_pj, 2 * (long double)single.energy.total_pj, 1e-12L))
		BROKEN("twice: %.17g pJ, once %.17g", totals.energy.total_pj, single.energy.total_pj);
	if (totals.metric[METRIC_DRAM] != 2 * single.metric[METRIC_DRAM])
		BROKEN("twice: %.17g DRAM bytes, once %.17g", totals.metric[METRIC_DRAM], single.metric[METRIC_DRAM]);
}

/* All clocks times a power of two, where the ranges allow it; false: they do not. */
static bool scale_clocks(struct machine *machine)
{
	double *clock[] = {&machine->level[0].clk_mhz, &machine->noc_clk_mhz, &machine->dram_clk_mhz,
	                   &machine->systolic.memory_gb_s};
	bool is_array = machine->target == MACHINE_SYSTOLIC, doubles = true;
	for (int i = 0; i < 4; i++)
		doubles = doubles && *clock[i] <= 5000;
	for (int i = 0; i < 4; i++)
		if (i == 0 || is_array == (i == 3))
			*clock[i] *= doubles ? 2 : 0.5;
	struct err err = {0};
	bool is_good = machine_check(machine, &err) == ERR_OK;
	err_clear(&err);
	return is_good;
}

static void check_faster(const struct machine *machine, const struct range_network *layer,
                         const struct simulate_options *options, const struct simulated *once)
{
	struct machine scaled = *machine;
	struct simulated other;
	if (!scale_clocks(&scaled) || !run(&scaled, &layer->once, options, &other))
		return;
	tally->n_faster++;
	double factor = scaled.level[0].clk_mhz / machine->level[0].clk_mhz;
	if (other.result.total_clk != once->result.total_clk)
		BROKEN("clocks times %g: %" PRIu64 " clocks instead of %" PRIu64, factor, other.result.total_clk,
		       once->result.total_clk);
	else if (!is_near(other.result.latency_ns * (long double)factor, once->result.latency_ns, 1e-12L))
		BROKEN("clocks times %g: %.17g ns, before %.17g", factor, other.result.latency_ns,
		       once->result.latency_ns);
}

/* ---- a case ---- */

/* The ways of a layer through the simulator: strategies in the fast tier, one of them grey-box, one event by event. */
static struct simulate_options way(const struct machine *machine, unsigned number, const struct stop *stop)
{
	static const char *const name[N_HOW] = {"no_fusion",    "fusion",  "fusion_reuse",
	                                        "thesis_reuse", "greybox", "event"};
	struct simulate_options options = {.strategy = (enum strategy)(number % N_PE_STRATEGY)};
	how_at = name[number];
	if (machine->target == MACHINE_SYSTOLIC && number < 3)
		options.strategy = (enum strategy)(STRATEGY_OUTPUT_STATIONARY + number);
	if (number == 4)
		options.how.detail.detail = DETAIL_GREYBOX;
	if (number == HOW_EVENT) {
		options.strategy =
		    machine->target == MACHINE_SYSTOLIC ? STRATEGY_WEIGHT_STATIONARY : STRATEGY_FUSION_REUSE;
		options.how.detail.detail = DETAIL_EVENT;
	}
	options.how.detail.can_stop = number == HOW_EVENT;
	options.how.detail.stop = stop;
	return options;
}

static void run_layer(const struct machine *machine, const struct range_network *layer, unsigned number)
{
	struct stop stop = {.end_ms = number == HOW_EVENT ? stop_now_ms() + EVENT_MS : 0};
	struct simulate_options options = way(machine, number, &stop);
	struct simulated once;
	layer_at = layer->text;
	if (number == HOW_EVENT) {
		struct simulate_options fast = options;
		fast.how = (struct simulate_how){0};
		if (!run(machine, &layer->once, &fast, &once) || once.result.total_clk > EVENT_CLK)
			return;
	}
	if (!run(machine, &layer->once, &options, &once)) {
		tally->n_none++;
		return;
	}
	tally->n_run++;
	tally->n_event += number == HOW_EVENT;
	check_block(machine, &once);
	check_twice(machine, layer, &options, &once);
	check_faster(machine, layer, &options, &once);
	if (machine->target == MACHINE_SYSTOLIC)
		return;
	/* the same design with wide operands, where it has room for them */
	struct layer_design wide_design[2] = {once.design, once.design};
	wide_design[0].operand_bit = wide_design[1].operand_bit = 16;
	options.design = wide_design;
	if (number == HOW_EVENT || !run(machine, &layer->once, &options, &once))
		return;
	tally->n_wide++;
	check_block(machine, &once);
	check_twice(machine, layer, &options, &once);
	check_faster(machine, layer, &options, &once);
}

/* All layers every way, or those that its number says. */
static void run_case(const struct range_case *which, bool is_whole)
{
	struct machine machine;
	uint64_t n_way = draws_all() ? 17 : 50;
	range_case_print(which, tally->text);
	if (!range_case_machine(which, &machine)) {
		tally->n_refused++;
		return;
	}
	tally->n_machine++;
	for (unsigned i = 0; i < N_NETWORK; i++)
		for (unsigned k = 0; k < N_HOW; k++)
			if (is_whole || (i * N_HOW + k) % n_way == which->number % n_way)
				run_layer(&machine, &network[i], k);
}

/* Whether it is drawn: one of `share` pairs, all single ends. */
static bool is_drawn(const struct range_case *which, uint64_t share)
{
	bool is_single = which->first == which->second && (draws_all() || !SLOW_BUILD);
	return is_single || which->number % share == 0;
}

static void run_child(struct range_cases *cases, uint64_t share, bool is_whole)
{
	const char *one = getenv("RANGES");
	struct range_case which = {0};
	while (range_cases_next(cases, &which)) {
		bool is_one = one && which.number == strtoull(one, NULL, 10);
		if (which.number < tally->at || !(one ? is_one : is_drawn(&which, share)))
			continue;
		tally->at = which.number;
		run_case(&which, is_one || (is_whole && which.first == which.second));
	}
}

/* Child after child, until one is through. */
static void run_all(uint64_t share, bool is_whole)
{
	for (int status = -1; status != 0;) {
		(void)fflush(stdout);
		pid_t child = fork();
		assert_true(child >= 0);
		if (child == 0) {
			struct range_cases cases = range_cases_all();
			run_child(&cases, share, is_whole);
			(void)fflush(NULL);
			_exit(0);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		if (status != 0) {
			print_error("case %" PRIu64 ": %s: status %d\n", tally->at, tally->text, status);
			tally->n_broken++;
			tally->at++;
		}
	}
}

static void test_ranges_break_nothing(void **state)
{
	(void)state;
	uint64_t n_case = range_cases_count(), n_drawn = draws((uint32_t)n_case, 200);
	FILE *shared = tmpfile();
	assert_true(shared && ftruncate(fileno(shared), sizeof(*tally)) == 0);
	tally = mmap(NULL, sizeof(*tally), PROT_READ | PROT_WRITE, MAP_SHARED, fileno(shared), 0);
	assert_true(tally != MAP_FAILED);
	run_all(n_drawn >= n_case ? 1 : n_case / n_drawn, draws_all());
	print_message("%" PRIu64 " machines, %" PRIu64 " refused, of %" PRIu64 " cases; layers: %" PRIu64
	              " ran (%" PRIu64 " with 16 bit, too), %" PRIu64 " of them event by event (%" PRIu64
	              " not within %d ms), %" PRIu64 " did not; %" PRIu64 " twice, %" PRIu64
	              " with other clocks; %" PRIu64 " broken\n",
	              tally->n_machine, tally->n_refused, n_case, tally->n_run, tally->n_wide, tally->n_event,
	              tally->n_late, EVENT_MS, tally->n_none, tally->n_twice, tally->n_faster, tally->n_broken);
	assert_int_equal(tally->n_broken, 0);
	assert_true(getenv("RANGES") ||
	            (tally->n_run > 50 && tally->n_wide > 20 && tally->n_event + tally->n_late > 10 &&
	             tally->n_twice > 50 && tally->n_faster > 50));
	assert_int_equal(munmap(tally, sizeof(*tally)), 0);
	(void)fclose(shared);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_ranges_break_nothing),
	};
	return cmocka_run_group_tests(tests, read_networks, free_networks);
}
