/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prices the layers of a study for the exact allocation, allocates on all threads, and reports the gains. Energies are
 * those of the machine's first level: multiplications scale with the square of the voltage (PEs without work are
 * gated), leakage with the voltage, words with what the array reads and the interface moves. With fewer columns a
 * layer computes longer by its folds and reads the ifmap more often; what crosses the interface stays, as the buffers
 * do. With the physical memory model a layer keeps its tiles at all settings, and its times are that model's.
 */
#include "dse/arada/arada_exact_study.h"
#include "dse/base/memory.h"
#include "dse/out/words.h"
#include "dse/arada/arada_physical.h"
#include "dse/out/csv_write.h"
#include "dse/base/parallel.h"
#include "dse/out/table.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define N_PART 3
#define MAC_PER_MLA_CLK 64.0
#define BYTE_PER_WORD32 4.0
#define NS_PER_US 1e3

static const double part_frac[N_PART] = {1, 0.5, 0.25};

static struct arada_knobs knobs_of(const struct machine *machine, const struct arada_platform *platform)
{
	double static_mw = energy_static_mw(machine, 0);
	double array_mw = machine->level[0].pe_static_mw * machine_n_pe(machine);
	struct arada_knobs knobs = {
	    .platform = platform,
	    .chooses_bandwidth = true,
	    .n_turbo = ARADA_N_TURBO,
	    .array_mw = array_mw,
	    .rest_mw = fmax(0, static_mw - array_mw),
	    /* pJ a byte times GB/s are mW */
	    .memory_mw = ARADA_MEMORY_IDLE_FRAC * machine->dram_byte_pj * platform->max_bandwidth_gb_s,
	};
	/* a part of the array is at least a column */
	for (uint32_t i = 0; i < N_PART && machine->systolic.cols * part_frac[i] >= 1; i++)
		knobs.part_frac[knobs.n_part++] = part_frac[i];
	return knobs;
}

static uint32_t part_cols(const struct machine *machine, const struct arada_knobs *knobs, uint32_t part)
{
	assert(part < knobs->n_part);
	return (uint32_t)(machine->systolic.cols * knobs->part_frac[part]);
}

/* Times of a layer's tiles at every setting, and the array's own clocks by its parts. */
static enum err_code time_physical(const struct machine *machine, const struct arada_knobs *knobs,
                                   const struct block *block, struct arena *arena, struct arada_work *work,
                                   struct err *err)
{
	const struct arada_platform *platform = knobs->platform;
	const uint32_t n_array = arada_knobs_n_clk(knobs), n_memory = arada_knobs_n_bandwidth(knobs);
	struct systolic_work tiles;
	enum err_code code = arada_physical_work(machine, block, platform->max_word_per_clk, &tiles, err);
	if (code != ERR_OK)
		return code;
	struct arada_times *times = memory_must(arena_alloc(arena, sizeof(*times)));
	double *ns = memory_must(arena_array(arena, (size_t)n_array * n_memory * knobs->n_part, sizeof(*ns)));
	*times = (struct arada_times){n_array, n_memory, ns};
	work->times = times;
	for (uint32_t part = 0; part < knobs->n_part; part++) {
		struct machine smaller = *machine;
		uint64_t compute_clk = 0;
		smaller.systolic.cols = part_cols(machine, knobs, part);
		for (uint32_t m = 0; m < n_memory; m++)
			for (uint32_t a = 0; a < n_array; a++) {
				double clk_mhz = arada_knobs_clk_mhz(knobs, a);
				double word_per_clk = platform->max_word_per_clk * platform->max_clk_mhz / clk_mhz *
				                      arada_knobs_gb_s(knobs, m) / platform->max_bandwidth_gb_s;
				*ns++ = arada_physical_ns(&smaller, &tiles, clk_mhz, word_per_clk, &compute_clk);
			}
		work->compute_clk[part] = (double)compute_clk;
	}
	return ERR_OK;
}

static struct arada_work work_of(const struct arada_options *options, const struct machine *machine,
                                 const struct arada_knobs *knobs, const struct block *block,
                                 const struct arada_layer *layer)
{
	const struct operating_point *point = &machine->level[0];
	uint32_t n_group;
	struct systolic_layer shape = arada_shape(block, options->shape, &n_group);
	struct arada_work work = {.layer = *layer};
	double whole_clk = 0, compute_clk = (double)(layer->total_clk - layer->stall_clk);
	double dram_pj = (double)layer->n_word * machine->systolic.word_byte * machine->dram_byte_pj;
	for (uint32_t part = 0; part < knobs->n_part; part++) {
		const struct systolic_array array = {.rows = machine->systolic.rows,
		                                     .cols = part_cols(machine, knobs, part)};
		struct systolic_folds folds = systolic_fold(&array, &shape);
		struct systolic_result result = {0};
		systolic_run_array(&array, &folds, &result);
		whole_clk = part == 0 ? (double)result.total_clk : whole_clk;
		work.compute_clk[part] = compute_clk * fmax(1, (double)result.total_clk / whole_clk);
		double read = (double)(result.sram_ifmap_read_word + result.sram_filter_read_word) * n_group;
		double written = (double)result.sram_ofmap_write_word * n_group;
		work.word_pj[part] = dram_pj + machine->systolic.word_byte / BYTE_PER_WORD32 *
		                                   (read * point->sram_read32_pj + written * point->sram_write32_pj);
		double n_mac = (double)folds.n_pixel * (double)folds.n_filter * (double)folds.n_tap * n_group;
		work.array_pj = n_mac / MAC_PER_MLA_CLK * point->mla_clk_pj;
	}
	return work;
}

/* What a thread does. */
struct exact_jobs {
	struct arada_exact_run *run;
	struct err *err; /* [n_run] */
	const struct arada_study *study;
};

static void run_job(void *context, size_t i)
{
	struct exact_jobs *job = context;
	struct arada_exact_run *run = &job->run[i];
	const struct arada_run *of = run->run;
	const struct machine *machine = &job->study->machine[of->machine];
	struct arada_work *work = memory_must(arena_array(&run->arena, of->n_layer, sizeof(*work)));
	const struct arada_options *options = &job->study->space->arada;
	enum err_code code = ERR_OK;
	run->knobs = knobs_of(machine, &of->platform);
	for (size_t k = 0; k < of->n_layer && code == ERR_OK; k++) {
		work[k] = work_of(options, machine, &run->knobs, of->block[k], &of->layer[k]);
		if (options->model == ARADA_PHYSICAL)
			code = time_physical(machine, &run->knobs, of->block[k], &run->arena, &work[k], &job->err[i]);
	}
	run->of = (struct arada_case){.machine = job->study->label[of->machine],
	                              .network = job->study->space->network[of->network].network.name,
	                              .knobs = &run->knobs,
	                              .n_layer = of->n_layer,
	                              .work = work};
	for (int e = 0; e < N_ARADA_ENERGY && code == ERR_OK; e++)
		code = arada_gain_find(&run->of, (enum arada_energy)e, &run->arena, &run->gain[e], &job->err[i]);
}

enum err_code arada_exact_run(const struct arada_study *study, unsigned n_thread, struct arada_exact_study *exact,
                              struct err *err)
{
	enum err_code code = ERR_OK;
	*exact = (struct arada_exact_study){study, memory_array(study->n_run, sizeof(*exact->run))};
	struct exact_jobs job = {exact->run, memory_array(study->n_run, sizeof(*job.err)), study};
	for (size_t i = 0; i < study->n_run; i++)
		exact->run[i].run = &study->run[i];
	parallel_for(study->n_run, n_thread, run_job, &job);
	for (size_t i = 0; i < study->n_run; i++) {
		if (code == ERR_OK && job.err[i].code != ERR_OK)
			code = err_add_all(err, (struct err_place){0}, &job.err[i]);
		err_clear(&job.err[i]);
	}
	free(job.err);
	if (code != ERR_OK)
		arada_exact_free(exact);
	return code;
}

void arada_exact_free(struct arada_exact_study *exact)
{
	for (size_t i = 0; exact->run && i < exact->study->n_run; i++)
		arena_free(&exact->run[i].arena);
	free(exact->run);
	*exact = (struct arada_exact_study){0};
}

/* What a row of a table says: of one network, or the mean of a machine's networks. */
struct gain_row {
	double saving_pct[N_ARADA_ALLOCATOR], late_pct, as_late_pct, gain_pct, most_gain_pct;
	bool is_exact;
};

/* Add a network's gain, of which the row is the mean of n. */
static void add_gain(struct gain_row *row, const struct arada_gain *gain, double n)
{
	for (int k = 0; k < N_ARADA_ALLOCATOR; k++)
		row->saving_pct[k] += gain->saving_pct[k] / n;
	row->late_pct += gain->late_pct / n;
	row->as_late_pct += gain->as_late_pct / n;
	row->gain_pct += gain->gain_pct / n;
	row->most_gain_pct = fmax(row->most_gain_pct, gain->gain_pct);
	row->is_exact = row->is_exact && gain->is_exact;
}

static struct gain_row mean_of(const struct arada_exact_study *exact, size_t machine, enum arada_energy energy)
{
	struct gain_row mean = {.is_exact = true};
	double n = (double)exact->study->space->n_network;
	assert(machine < exact->study->n_machine && n > 0);
	for (size_t i = 0; i < exact->study->n_run; i++)
		if (exact->run[i].run->machine == machine)
			add_gain(&mean, &exact->run[i].gain[energy], n);
	return mean;
}

static void add_columns(struct table *table, const char *last)
{
	table_add_column(table, "machine", false);
	table_add_column(table, last, false);
	table_add_column(table, "energy", false);
	for (int i = 0; i < N_ARADA_ALLOCATOR; i++)
		table_add_column(table, arada_allocator_name[i], true);
	table_add_columns(table, ">late_pct|>as_late_pct|>gain_pct");
}

/* The cells behind machine and network. */
static void add_row(struct table *table, enum arada_energy energy, const struct gain_row *row)
{
	table_add(table, "%s", arada_energy_name[energy]);
	for (int k = 0; k < N_ARADA_ALLOCATOR; k++)
		table_add(table, "%.1f", row->saving_pct[k]);
	table_add_row(table, "%.1f|%.2f|%.2f%s", row->late_pct, row->as_late_pct, row->gain_pct,
	              row->is_exact ? "" : " at least");
}

static void print_means(FILE *file, const struct arada_exact_study *exact)
{
	struct table table = {0};
	add_columns(&table, "networks");
	for (size_t m = 0; m < exact->study->n_machine; m++)
		for (int e = 0; e < N_ARADA_ENERGY; e++) {
			struct gain_row mean = mean_of(exact, m, (enum arada_energy)e);
			table_add_row(&table, "%s|%zu", exact->study->label[m], exact->study->space->n_network);
			add_row(&table, (enum arada_energy)e, &mean);
		}
	table_finish(&table, file, 0);
}

static void print_networks(FILE *file, const struct arada_exact_study *exact)
{
	struct table table = {0};
	add_columns(&table, "network");
	for (size_t i = 0; i < exact->study->n_run; i++)
		for (int e = 0; e < N_ARADA_ENERGY; e++) {
			const struct arada_exact_run *run = &exact->run[i];
			struct gain_row row = {.is_exact = true};
			add_gain(&row, &run->gain[e], 1);
			table_add_row(&table, "%s|%s", run->of.machine, run->of.network);
			add_row(&table, (enum arada_energy)e, &row);
		}
	table_finish(&table, file, 0);
}

/* What rows and columns are, a line each. */
static void print_meanings(FILE *file)
{
	struct words_fold fold;
	file = words_fold_begin(&fold, file);
	(void)fprintf(file,
	              "\nenergy: normalised is V^2 for each clock that computes; paper is equation 6 as printed; "
	              "machine is array, words, "
	              "leakage, and %.3g of the memory's full power for the bandwidth allocated (assumed)\n",
	              ARADA_MEMORY_IDLE_FRAC);
	(void)fputs("published: VF-OH-Q, which charges a layer one change of clock and none of bandwidth\n"
	            "by_layer: the same rule, charged all changes that it makes\n"
	            "exact: the least energy with the same knobs, no longer than race to idle\n"
	            "exact_part: with columns of the array off, too\n"
	            "exact_turbo: with clocks above nominal, too, within race to idle's peak power\n",
	            file);
	(void)fprintf(file, "exact_later: with %.3g times race to idle's time, too\n", ARADA_LATER_FRAC);
	(void)fputs(
	    "late_pct: how much longer than race to idle published takes when all of its changes are charged (of "
	    "bandwidth only where they save energy: machine)\n"
	    "as_late_pct: how much less than published exact takes, given that time\n"
	    "gain_pct: how much less than by_layer exact takes\n",
	    file);
	words_fold_end(&fold);
}

void arada_exact_print(FILE *file, const struct arada_exact_study *exact, bool brief)
{
	(void)fputs("exact allocation: percent of race to idle's energy saved, mean over the networks\n\n", file);
	print_means(file, exact);
	if (!brief) {
		(void)fputs("\nby network\n\n", file);
		print_networks(file, exact);
	}
	print_meanings(file);
}

void arada_exact_write(FILE *file, const struct arada_exact_study *exact)
{
	arada_gain_write_head(file);
	for (size_t i = 0; i < exact->study->n_run; i++)
		for (int e = 0; e < N_ARADA_ENERGY; e++)
			arada_gain_write(file, &exact->run[i].of, &exact->run[i].gain[e]);
}

/* One layer of an exact allocation: what to set, and which changes it hosts. */
static void write_step(FILE *file, const struct arada_exact_run *run, const struct arada_gain *gain, size_t i)
{
	const struct exact_step *step = &gain->by[ARADA_EXACT].step[i];
	const struct exact_mode *mode = &gain->mode[i];
	const struct arada_platform *platform = run->knobs.platform;
	double clk_mhz = arada_knobs_clk_mhz(&run->knobs, mode->setting[EXACT_ARRAY]);
	double change_ns = platform->switch_us * NS_PER_US;
	const double each_ns[N_EXACT_DOMAIN] = {change_ns, change_ns};
	unsigned n_change[N_EXACT_DOMAIN];
	for (int d = 0; d < N_EXACT_DOMAIN; d++)
		n_change[d] = (unsigned)step->before[d] + (unsigned)step->after[d];
	csv_put_row(file, "%s,%s,%s,%s,%g,%g,%g,%g,%g,%g", run->of.machine, run->of.network,
	            arada_energy_name[gain->energy], run->run->block[i]->name, clk_mhz,
	            platform->max_vdd_v * clk_mhz / platform->max_clk_mhz,
	            arada_knobs_gb_s(&run->knobs, mode->setting[EXACT_MEMORY]),
	            arada_exact_layer_ns(each_ns, mode, n_change) / NS_PER_US, mode->busy_ns[EXACT_ARRAY] / NS_PER_US,
	            mode->busy_ns[EXACT_MEMORY] / NS_PER_US);
	for (int d = 0; d < N_EXACT_DOMAIN; d++)
		csv_put_row(file, ",%u,%u", step->before[d], step->after[d]);
	(void)fputc('\n', file);
}

void arada_exact_write_schedule(FILE *file, const struct arada_exact_study *exact)
{
	(void)fputs("machine,network,energy_model,layer,clk_mhz,vdd_v,bandwidth_gb_s,time_us,array_us,memory_us,"
	            "clk_change_before,clk_change_after,bandwidth_change_before,bandwidth_change_after\n",
	            file);
	for (size_t i = 0; i < exact->study->n_run; i++) {
		const struct arada_exact_run *run = &exact->run[i];
		for (int e = 0; e < N_ARADA_ENERGY; e++)
			for (size_t k = 0; k < run->of.n_layer; k++)
				write_step(file, run, &run->gain[e], k);
	}
}

void arada_exact_put_json(struct json *json, const char *key, const struct arada_exact_study *exact)
{
	json_begin_list(json, key);
	for (size_t m = 0; m < exact->study->n_machine; m++)
		for (int e = 0; e < N_ARADA_ENERGY; e++) {
			struct gain_row mean = mean_of(exact, m, (enum arada_energy)e);
			json_begin_object(json, NULL);
			json_put_fields(json, "machine %s, energy_model %s", exact->study->label[m],
			                arada_energy_name[e]);
			for (int k = 0; k < N_ARADA_ALLOCATOR; k++) {
				char name[48];
				(void)snprintf(name, sizeof(name), "%s_saving_pct", arada_allocator_name[k]);
				json_put_real(json, name, mean.saving_pct[k]);
			}
			json_put_fields(json, "published_late_pct %g, gain_pct %g, largest_gain_pct %g, proven %d",
			                mean.late_pct, mean.gain_pct, mean.most_gain_pct, mean.is_exact);
			json_end(json);
		}
	json_end(json);
}
