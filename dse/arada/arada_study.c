/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the machines of a space, simulates each distinct layer once, and sums the schemes' savings over networks. */
#include "dse/arada/arada_study.h"
#include "dse/space/space_machine.h"
#include "dse/base/memory.h"
#include "dse/space/arada_options.h"
#include "dse/arada/arada_knobs.h"
#include "dse/base/interrupt.h"
#include "dse/base/parallel.h"
#include "sim/base/checked.h"
#include "sim/machine/machine_check.h"
#include <assert.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define WHY_SIZE 256
#define MATCH_RANGE 64.0
#define MATCH_RATIO 1.01
#define MAX_MACHINE 100000
#define BYTE_PER_KIB 1024u

/* ---- layers of a machine ---- */

/* A distinct layer on a machine, and what came of it. */
struct arada_job {
	const struct machine *machine;
	const struct arada_options *options;
	const struct block *block;
	double word_per_clk;
	struct arada_layer cost;
	struct err err;
};

/* All jobs of a bandwidth, and how many are done. */
struct arada_jobs {
	struct arada_job *job; /* [n] */
	size_t n;
	atomic_size_t n_done;
	struct progress progress;
};

static void run_job(void *context, size_t i)
{
	struct arada_jobs *jobs = context;
	struct arada_job *job = &jobs->job[i];
	assert(i < jobs->n);
	if (interrupt_requested()) {
		(void)err_add(&job->err, ERR_INTERRUPTED, "interrupted");
		return;
	}
	/* a replay that is stopped says so by its code alone */
	if (arada_cost(job->machine, job->options, job->block, job->word_per_clk, &job->cost, &job->err) != ERR_OK &&
	    job->err.code == ERR_OK)
		(void)err_add(&job->err, ERR_INTERRUPTED, "interrupted");
	size_t n_done = atomic_fetch_add_explicit(&jobs->n_done, 1, memory_order_relaxed) + 1;
	char what[48];
	(void)snprintf(what, sizeof(what), "layers, %g words a clock", job->word_per_clk);
	progress_update(&jobs->progress, (double)n_done / (double)jobs->n, what);
}

/* What a cost depends on: of other fields blocks may differ. */
static bool same_shape(const struct block *a, const struct block *b)
{
	return a->kind == b->kind && a->in_w == b->in_w && a->in_h == b->in_h && a->in_c == b->in_c &&
	       block_padded_w(a) == block_padded_w(b) && block_padded_h(a) == block_padded_h(b) &&
	       a->kernel_w == b->kernel_w && a->kernel_h == b->kernel_h && a->stride == b->stride &&
	       block_dilation(a) == block_dilation(b) && block_n_group(a) == block_n_group(b) && a->out_w == b->out_w &&
	       a->out_h == b->out_h && a->out_c == b->out_c;
}

/* The job of a layer among job[from..n-1], all of one machine; n where it has none yet. */
static size_t find_job(const struct arada_job *job, size_t from, size_t n, const struct block *block)
{
	size_t i = from;
	while (i < n && !same_shape(job[i].block, block))
		i++;
	return i;
}

/* Run jobs; the first message in their order is the study's. */
static enum err_code run_jobs(struct arada_job *job, size_t n, const struct arada_how *how, struct err *err)
{
	enum err_code code = ERR_OK;
	struct arada_jobs jobs = {.job = job, .n = n};
	progress_start(&jobs.progress, how->show_progress);
	parallel_for(n, how->n_thread, run_job, &jobs);
	progress_end(&jobs.progress);
	for (size_t i = 0; i < n; i++) {
		if (code == ERR_OK && job[i].err.code != ERR_OK)
			code = err_add_all(err, (struct err_place){0}, &job[i].err);
		err_clear(&job[i].err);
	}
	return code;
}

/* ---- sums ---- */

static struct arada_sum sum_run(const struct arada_run *of, enum arada_scheme scheme)
{
	struct arada_sum sum = {0};
	double work = 0, time = 0;
	for (size_t i = 0; i < of->n_layer; i++) {
		const struct arada_layer *layer = &of->layer[i];
		struct arada_mode mode = arada_allocate(scheme, &of->platform, layer);
		double own = (double)(layer->total_clk - layer->stall_clk);
		double left = 1 - mode.bandwidth_gb_s / of->platform.max_bandwidth_gb_s;
		work += own;
		time += (double)layer->total_clk;
		sum.saving_frac += own * (1 - mode.gated_frac);
		sum.printed_saving_frac += own * (1 - mode.energy_frac);
		sum.bandwidth_frac += (double)layer->total_clk * left;
		sum.layer_bandwidth_frac += left;
		sum.n_slower += mode.clk_mhz < of->platform.max_clk_mhz;
		sum.n_narrower += left > 0;
	}
	assert(work > 0 && time >= work);
	sum.saving_frac /= work;
	sum.printed_saving_frac /= work;
	sum.bandwidth_frac /= time;
	sum.layer_bandwidth_frac /= (double)of->n_layer;
	return sum;
}

struct arada_sum arada_study_mean(const struct arada_study *study, size_t machine, enum arada_scheme scheme)
{
	struct arada_sum mean = {0};
	double n = (double)study->space->n_network;
	assert(machine < study->n_machine && n > 0);
	for (size_t i = 0; i < study->space->n_network; i++) {
		const struct arada_sum *sum = &study->run[machine * study->space->n_network + i].sum[scheme];
		mean.saving_frac += sum->saving_frac / n;
		mean.printed_saving_frac += sum->printed_saving_frac / n;
		mean.bandwidth_frac += sum->bandwidth_frac / n;
		mean.layer_bandwidth_frac += sum->layer_bandwidth_frac / n;
		mean.n_slower += sum->n_slower;
		mean.n_narrower += sum->n_narrower;
	}
	return mean;
}

/* ---- runs ---- */

static struct arada_platform platform_of(const struct arada_options *options, const struct machine *machine,
                                         double gb_s)
{
	return (struct arada_platform){
	    .max_clk_mhz = machine->level[0].clk_mhz,
	    .max_vdd_v = machine->level[0].vdd_v,
	    .max_bandwidth_gb_s = gb_s,
	    .max_word_per_clk = arada_word_per_clk(machine, options, gb_s),
	    .switch_us = options->switch_us,
	    .clk_step_mhz = options->clk_step_mhz,
	    .n_bandwidth = options->n_bandwidth,
	};
}

/* The layers of a network on a machine with a bandwidth, not yet simulated. */
static enum err_code open_run(const struct arada_study *study, size_t machine, size_t network, double gb_s,
                              struct arena *arena, struct arada_run *of, struct err *err)
{
	const struct network *from = &study->space->network[network].network;
	*of = (struct arada_run){.machine = machine, .network = network};
	of->platform = platform_of(&study->space->arada, &study->machine[machine], gb_s);
	of->block = memory_must(arena_array(arena, from->n_block, sizeof(struct block *)));
	of->layer = memory_must(arena_array(arena, from->n_block, sizeof(*of->layer)));
	for (size_t i = 0; i < from->n_block; i++)
		if (arada_is_layer(&from->block[i]))
			of->block[of->n_layer++] = &from->block[i];
	if (of->n_layer == 0)
		return err_add(err, ERR_INPUT, "network %s: no convolution and no fully connected layer", from->name);
	return ERR_OK;
}

/* Whether a layer of a run was measured; its cost is then. */
static bool is_measured(const struct arada_study *study, const struct arada_how *how, const struct arada_run *of,
                        size_t layer)
{
	const struct arada_coupled *coupled = &study->coupled[of->machine];
	const struct arada_measured_layer key = {
	    .machine = coupled->machine, .memory = coupled->memory, .network = of->network, .layer = layer};
	return arada_measured_find(how->measured, &key, &study->machine[of->machine], &of->layer[layer]);
}

/* Simulate the layers of runs, equal ones of a machine once. */
static enum err_code cost_runs(const struct arada_study *study, struct arada_run *of, size_t n_run,
                               const struct arada_how *how, size_t *n_distinct, struct err *err)
{
	size_t n_all = 0, n = 0, from = 0, at = 0;
	for (size_t i = 0; i < n_run; i++)
		n_all += of[i].n_layer;
	struct arada_job *job = memory_array(n_all, sizeof(*job));
	size_t *which = memory_array(n_all, sizeof(*which));
	for (size_t i = 0; i < n_run; i++) {
		if (i > 0 && of[i].machine != of[i - 1].machine)
			from = n;
		for (size_t k = 0; k < of[i].n_layer; k++) {
			if (is_measured(study, how, &of[i], k))
				continue;
			size_t found = find_job(job, from, n, of[i].block[k]);
			if (found == n)
				job[n++] = (struct arada_job){.machine = &study->machine[of[i].machine],
				                              .options = &study->space->arada,
				                              .block = of[i].block[k],
				                              .word_per_clk = of[i].platform.max_word_per_clk};
			which[at++] = found;
		}
	}
	enum err_code code = run_jobs(job, n, how, err);
	at = 0;
	for (size_t i = 0; i < n_run && code == ERR_OK; i++)
		for (size_t k = 0; k < of[i].n_layer; k++)
			if (!is_measured(study, how, &of[i], k))
				of[i].layer[k] = job[which[at++]].cost;
	*n_distinct = n;
	free(which);
	free(job);
	return code;
}

static void allocate_run(struct arada_run *of, struct arena *arena)
{
	for (int scheme = 0; scheme < N_ARADA_SCHEME; scheme++) {
		of->mode[scheme] = memory_must(arena_array(arena, of->n_layer, sizeof(struct arada_mode)));
		for (size_t i = 0; i < of->n_layer; i++)
			of->mode[scheme][i] = arada_allocate((enum arada_scheme)scheme, &of->platform, &of->layer[i]);
		of->sum[scheme] = sum_run(of, (enum arada_scheme)scheme);
	}
	for (size_t i = 0; i < of->n_layer; i++)
		of->time_us += of->mode[ARADA_RTI][i].time_us;
}

/* ---- what is refused ---- */

/* What a search keeps and ARADA knows nothing of: to go on would promise what nobody looks at. */
static enum err_code refuse_goals(const struct space *space, struct err *err)
{
	static const char fix[] = "dse arada does not look at it: leave it out, or search with dse explore";
	const struct arada_options *options = &space->arada;
	enum err_code code = ERR_OK;
	for (size_t i = 0; i < space->n_limit; i++) {
		struct err_place at = space->limit[i].at;
		/* a deadline may stand for a limit, too */
		if (at.line != options->deadline_at.line || at.column != options->deadline_at.column)
			code = err_add_at(err, ERR_INPUT, at,
			                  "constraints: found a limit on %s, allowed are "
			                  "conditions on machines; %s",
			                  metric_table[space->limit[i].metric].name, fix);
	}
	if (space->deadline_ms > 0)
		code = err_add_at(err, ERR_INPUT, options->deadline_at, "found deadline_ms; %s", fix);
	if (space->level_changes)
		code = err_add_at(err, ERR_INPUT, options->level_changes_at,
		                  "found level_changes; %s (switch_us of 'arada' is what a change takes)", fix);
	if (space->level_shares > 0)
		code = err_add_at(err, ERR_INPUT, options->level_shares_at, "found level_shares; %s", fix);
	return code;
}

/* Steps so small that the exact allocation would have more clocks than it can choose from. */
static enum err_code check_clk_step(const struct arada_study *study, const struct machine *machine,
                                    struct err_place place, struct err *err)
{
	const struct arada_options *options = &study->space->arada;
	const struct arada_platform platform = platform_of(options, machine, machine->systolic.memory_gb_s);
	const struct arada_knobs knobs = {.platform = &platform, .n_turbo = ARADA_N_TURBO};
	if (arada_knobs_n_clk(&knobs) <= ARADA_MAX_SETTING)
		return ERR_OK;
	/* rounded up, so that what the message asks for is enough */
	double least_mhz = ceil(1e3 * platform.max_clk_mhz / (ARADA_MAX_SETTING - ARADA_N_TURBO)) / 1e3;
	return err_add_at(
	    err, ERR_INPUT, options->clk_step_at.file ? options->clk_step_at : place,
	    "clk_step_mhz: found %.10g%s, allowed for machine %s of %.10g MHz are %.10g or more, so that no "
	    "more than %d clocks can be chosen from",
	    options->clk_step_mhz, options->clk_step_at.file ? "" : " (as none is given)", machine->name,
	    platform.max_clk_mhz, least_mhz, ARADA_MAX_SETTING);
}

/* ---- machines ---- */

/* Whether two machines differ in name and memory alone, as far as ARADA looks at them. */
static bool same_array(const struct machine *a, const struct machine *b)
{
	return a->systolic.rows == b->systolic.rows && a->systolic.cols == b->systolic.cols &&
	       a->systolic.ifmap_byte == b->systolic.ifmap_byte && a->systolic.filter_byte == b->systolic.filter_byte &&
	       a->systolic.ofmap_byte == b->systolic.ofmap_byte && a->systolic.word_byte == b->systolic.word_byte &&
	       a->systolic.dataflow == b->systolic.dataflow && !(a->level[0].clk_mhz < b->level[0].clk_mhz) &&
	       !(a->level[0].clk_mhz > b->level[0].clk_mhz);
}

static void find_groups(struct arada_study *study)
{
	for (size_t i = 0; i < study->n_machine; i++) {
		size_t k = 0;
		while (k < i && !same_array(&study->machine[k], &study->machine[i]))
			k++;
		study->group[i] = k < i ? study->group[k] : study->n_group++;
	}
}

/* The buffers that the space gives a machine; its own where it says nothing. */
static void set_buffers(const struct arada_options *options, size_t base, struct machine *machine)
{
	for (size_t i = 0; i < options->n_buffers; i++) {
		const struct arada_buffers *buffers = &options->buffers[i];
		if (buffers->machine != base)
			continue;
		machine->systolic.ifmap_byte = buffers->ifmap_kib * BYTE_PER_KIB;
		machine->systolic.filter_byte = buffers->filter_kib * BYTE_PER_KIB;
		machine->systolic.ofmap_byte = buffers->ofmap_kib * BYTE_PER_KIB;
	}
}

/* Add a candidate with one of its memories (SIZE_MAX: its own). */
static enum err_code add_machine(struct arada_study *study, const struct machine *machine, struct arada_coupled coupled,
                                 struct err *err)
{
	const struct arada_options *options = &study->space->arada;
	char label[2 * MACHINE_NAME_SIZE + 2];
	size_t at = study->n_machine;
	bool is_own = coupled.memory == SIZE_MAX;
	study->machine[at] = *machine;
	study->coupled[at] = coupled;
	set_buffers(options, coupled.machine, &study->machine[at]);
	if (!is_own)
		study->machine[at].systolic.memory_gb_s = options->memory[coupled.memory].gb_s;
	(void)snprintf(label, sizeof(label), "%s%s%s", machine->name, is_own ? "" : " ",
	               is_own ? "" : options->memory[coupled.memory].name);
	study->label[at] = memory_must(arena_text(&study->arena, label));
	study->n_machine++;
	return machine_check(&study->machine[at], err);
}

static enum err_code add_memories(struct arada_study *study, const struct machine *machine, size_t base,
                                  struct err *err)
{
	const struct arada_options *options = &study->space->arada;
	enum err_code code = ERR_OK;
	size_t n = 0;
	for (size_t i = 0; i < options->n_memory && code == ERR_OK; i++) {
		if (options->memory[i].machine != base)
			continue;
		code = add_machine(study, machine, (struct arada_coupled){base, i, 0}, err);
		n++;
	}
	return n > 0 ? code : add_machine(study, machine, (struct arada_coupled){base, SIZE_MAX, 0}, err);
}

static enum err_code reserve_machines(struct arada_study *study, uint64_t n, struct err *err)
{
	n = mul_sat(n, study->space->arada.n_memory + 1);
	if (n > MAX_MACHINE)
		return err_add(err, ERR_INPUT, "too many machines: %d are allowed, memories counted", MAX_MACHINE);
	study->machine = memory_must(arena_array(&study->arena, (size_t)n, sizeof(*study->machine)));
	study->coupled = memory_must(arena_array(&study->arena, (size_t)n, sizeof(*study->coupled)));
	study->label = memory_must(arena_array(&study->arena, (size_t)n, sizeof(*study->label)));
	study->group = memory_must(arena_array(&study->arena, (size_t)n, sizeof(*study->group)));
	return ERR_OK;
}

static enum err_code build_machines(struct arada_study *study, const char *path, struct err *err)
{
	const struct space *space = study->space;
	uint64_t n = space_n_machine(space), n_each = n / space->n_machine;
	const struct err_place place = {path, 1, 1};
	char why[WHY_SIZE] = "";
	enum err_code code = reserve_machines(study, n, err);
	for (uint64_t i = 0; i < n && code == ERR_OK; i++) {
		struct machine machine;
		if (!space_machine(space, i, &machine, why, sizeof(why)))
			continue;
		if (machine.target != MACHINE_SYSTOLIC)
			return err_add_at(err, ERR_INPUT, place, "machine %s: found target %s, allowed is systolic",
			                  machine.name, machine_target_name[machine.target]);
		code = check_clk_step(study, &machine, place, err);
		if (code == ERR_OK)
			code = add_memories(study, &machine, (size_t)(i / n_each), err);
	}
	if (code == ERR_OK && study->n_machine == 0)
		return err_add_at(err, ERR_INFEASIBLE, place, "no machine keeps the constraints: %s", why);
	find_groups(study);
	return code;
}

size_t arada_study_find(const struct arada_study *study, const struct arada_coupled *coupled, size_t from)
{
	size_t i = from;
	while (i < study->n_machine &&
	       (study->coupled[i].machine != coupled->machine || study->coupled[i].memory != coupled->memory))
		i++;
	return i;
}

static enum err_code run_study(struct arada_study *study, const struct arada_how *how, struct err *err)
{
	size_t n_network = study->space->n_network;
	enum err_code code = ERR_OK;
	study->run = memory_must(arena_array(&study->arena, study->n_machine * n_network, sizeof(*study->run)));
	for (size_t i = 0; i < study->n_machine * n_network && code == ERR_OK; i++) {
		struct arada_run *of = &study->run[study->n_run++];
		code = open_run(study, i / n_network, i % n_network, study->machine[i / n_network].systolic.memory_gb_s,
		                &study->arena, of, err);
		study->n_all += of->n_layer;
		for (size_t k = 0; k < of->n_layer && code == ERR_OK; k++)
			study->n_measured += is_measured(study, how, of, k);
	}
	if (code == ERR_OK)
		code = cost_runs(study, study->run, study->n_run, how, &study->n_distinct, err);
	for (size_t i = 0; i < study->n_run && code == ERR_OK; i++)
		allocate_run(&study->run[i], &study->arena);
	return code;
}

enum err_code arada_study_run(const struct space *space, const char *path, const struct arada_how *how,
                              struct arada_study *study, struct err *err)
{
	*study = (struct arada_study){.space = space};
	if (!space->arada.is_given)
		return err_add_at(err, ERR_INPUT, (struct err_place){path, 1, 1},
		                  "a space without 'arada'; add e.g. arada: {memory_model: scalesim}");
	enum err_code code = refuse_goals(space, err);
	if (code == ERR_OK)
		code = build_machines(study, path, err);
	if (code == ERR_OK)
		code = run_study(study, how, err);
	if (code != ERR_OK)
		arada_study_free(study);
	return code;
}

void arada_study_free(struct arada_study *study)
{
	arena_free(&study->arena);
	*study = (struct arada_study){0};
}

/* ---- other bandwidths ---- */

enum err_code arada_study_saving(const struct arada_study *study, size_t machine, double gb_s,
                                 const struct arada_how *how, double *saving_frac, struct err *err)
{
	size_t n_network = study->space->n_network, n_distinct;
	/* what was measured is of the memory's own bandwidth */
	const struct arada_how simulated = {.n_thread = how->n_thread, .show_progress = how->show_progress};
	struct arena arena = {0};
	struct arada_run *of = memory_must(arena_array(&arena, n_network, sizeof(*of)));
	enum err_code code = ERR_OK;
	double sum = 0;
	assert(machine < study->n_machine && gb_s > 0);
	for (size_t i = 0; i < n_network && code == ERR_OK; i++)
		code = open_run(study, machine, i, gb_s, &arena, &of[i], err);
	if (code == ERR_OK)
		code = cost_runs(study, of, n_network, &simulated, &n_distinct, err);
	for (size_t i = 0; i < n_network && code == ERR_OK; i++)
		sum += sum_run(&of[i], ARADA_VF_OH_Q).saving_frac;
	if (code == ERR_OK)
		*saving_frac = sum / (double)n_network;
	arena_free(&arena);
	return code;
}

/* Savings at two bandwidths between which what is sought lies. */
struct saving_bracket {
	double low_gb_s, high_gb_s; /* more is saved at low, no more at high */
	double high_frac;
	bool has_low, has_high;
};

static void note_saving(struct saving_bracket *bracket, double gb_s, double frac, double sought_frac)
{
	if (frac > sought_frac) {
		bracket->low_gb_s = gb_s;
		bracket->has_low = true;
	} else {
		bracket->high_gb_s = gb_s;
		bracket->high_frac = frac;
		bracket->has_high = true;
	}
}

/* Bandwidths are a hundredth apart, or SCALE-Sim's whole words a clock are neighbours. */
static bool is_narrow(const struct arada_study *study, size_t machine, const struct saving_bracket *bracket)
{
	const struct arada_options *options = &study->space->arada;
	double low = arada_word_per_clk(&study->machine[machine], options, bracket->low_gb_s);
	double high = arada_word_per_clk(&study->machine[machine], options, bracket->high_gb_s);
	return bracket->high_gb_s / bracket->low_gb_s <= MATCH_RATIO ||
	       (options->model == ARADA_SCALESIM && high - low <= 1);
}

enum err_code arada_study_match(const struct arada_study *study, size_t machine, double saving_frac,
                                const struct arada_how *how, double *gb_s, double *reached_frac, struct err *err)
{
	struct saving_bracket bracket = {0};
	double own = study->machine[machine].systolic.memory_gb_s, at = own;
	*gb_s = *reached_frac = NAN;
	while (!(bracket.has_low && bracket.has_high && is_narrow(study, machine, &bracket))) {
		double frac;
		if (at > own * MATCH_RANGE || at < own / MATCH_RANGE)
			return ERR_OK;
		enum err_code code = arada_study_saving(study, machine, at, how, &frac, err);
		if (code != ERR_OK)
			return code;
		note_saving(&bracket, at, frac, saving_frac);
		at = !bracket.has_high  ? at * 2
		     : !bracket.has_low ? at / 2
		                        : sqrt(bracket.low_gb_s * bracket.high_gb_s);
	}
	*gb_s = bracket.high_gb_s;
	*reached_frac = bracket.high_frac;
	return ERR_OK;
}
