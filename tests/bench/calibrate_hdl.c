/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fits the constants of spaces/machines/hdl_qpe_calibrated.yaml to the HDL
 * prototype's clocks, and says how far to trust them: `make calibrate`, or
 * `calibrate_hdl TABLE` for a table of one's own with the same header.
 *
 *   fitted     mla.turn_clk, mla.a_buffer_packet, noc.clk_mhz
 *   chosen     mla.trim_b, noc.router_packet (1, or one a port)
 *   criterion  the largest of the shapes' mean errors, also at the next slower and
 *              faster NoC clocks of the grid: what hangs on how two clocks meet is
 *              a coincidence, not a mechanism
 *   trust      leave one shape out: fit by the others, predict it; with what was
 *              chosen kept, and with that chosen by the others, too
 *
 * All combinations of a grid are run, about half a minute; ties go to the earlier.
 */
#include "dse/base/parallel.h"
#include "dse/space/machine_read.h"
#include "dse/space/space.h"
#include "sim/event/event.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ROW 64
#define MAX_FIELD 16

static const uint32_t turn_clk[] = {6, 8, 10, 12, 14};
static const uint32_t buffer_packet[] = {2, 3, 4};
static const uint32_t router_packet[] = {1, 4};
#define N(array) (sizeof(array) / sizeof((array)[0]))
#define FIRST_NOC_MHZ 310
#define NOC_STEP_MHZ 10
#define N_NOC 20
#define N_FIT (N(turn_clk) * N(buffer_packet) * N(router_packet) * 2 * N_NOC) /* the NoC's clock changes fastest */

struct row {
	struct mla_shape task;
	size_t shape; /* rows that differ in where operand A lies are of one shape */
	double hdl_clk;
};

struct fit {
	struct machine machine;
	double error_frac[MAX_ROW]; /* signed */
};

struct study {
	size_t n_row, n_shape;
	struct row row[MAX_ROW];
	struct machine base; /* what is neither fitted nor chosen */
	struct fit fit[N_FIT];
};

/* ---- table ---- */

/* task, operand_a, pe_shift, a_w, a_h, a_c, b_w, b_h, b_c, b_n, hdl_clk */
static void add_row(struct study *study, const uint32_t *number, bool is_matmul)
{
	struct row *row = &study->row[study->n_row];
	*row = (struct row){.hdl_clk = number[10], .shape = study->n_shape};
	row->task = (struct mla_shape){.kind = is_matmul ? MLA_MATMUL : MLA_CONV,
	                               .operand_bit = 8,
	                               .kernel_w = number[6],
	                               .kernel_h = number[7],
	                               .conv = {number[3], number[4], number[5], number[9], 1}};
	if (is_matmul) {
		row->task.matmul = (struct mla_matmul_task){number[3], number[4], number[6]};
		row->task.kernel_w = row->task.kernel_h = 0;
		row->task.conv = (struct mla_conv_task){0};
	}
	for (size_t i = 0; i < study->n_row; i++) {
		struct mla_shape other = study->row[i].task;
		other.pe_shift = 0;
		if (memcmp(&other, &row->task, sizeof(other)) == 0)
			row->shape = study->row[i].shape;
	}
	row->task.pe_shift = number[2];
	study->n_shape += row->shape == study->n_shape;
	study->n_row++;
}

static bool read_table(const char *path, struct study *study)
{
	char line[512];
	FILE *file = fopen(path, "r");
	if (!file || !fgets(line, sizeof(line), file))
		return false;
	while (fgets(line, sizeof(line), file) && study->n_row < MAX_ROW) {
		uint32_t number[MAX_FIELD] = {0};
		bool is_matmul = strncmp(line, "matmul", 6) == 0;
		const char *at = line;
		for (size_t i = 0; i < MAX_FIELD && at; i++) {
			number[i] = (uint32_t)strtoul(at, NULL, 10);
			at = strchr(at, ',');
			at += at != NULL;
		}
		add_row(study, number, is_matmul);
	}
	(void)fclose(file);
	return study->n_row > 0;
}

/* ---- runs ---- */

static void run_rows(const struct study *study, struct fit *fit)
{
	for (size_t i = 0; i < study->n_row; i++) {
		const struct row *row = &study->row[i];
		const struct mla_shape all[] = {row->task, row->task, row->task, row->task};
		struct event_result result;
		struct err err = {0};
		if (event_run_qpe(&fit->machine, all, N(all), NULL, &result, &err) != ERR_OK) {
			fprintf(stderr, "calibrate_hdl: row %zu: %s\n", i + 1, err_text(&err));
			exit(3);
		}
		fit->error_frac[i] = ((double)result.clk - row->hdl_clk) / row->hdl_clk;
	}
}

static void run_fit(void *context, size_t index)
{
	struct study *study = context;
	struct fit *fit = &study->fit[index];
	fit->machine = study->base;
	fit->machine.noc_clk_mhz = (double)(FIRST_NOC_MHZ + NOC_STEP_MHZ * (index % N_NOC));
	index /= N_NOC;
	fit->machine.mla_turn_clk = turn_clk[index % N(turn_clk)];
	index /= N(turn_clk);
	fit->machine.mla_a_buffer_packet = buffer_packet[index % N(buffer_packet)];
	index /= N(buffer_packet);
	fit->machine.noc_router_packet = router_packet[index % N(router_packet)];
	fit->machine.mla_trim_b = index / N(router_packet) > 0;
	run_rows(study, fit);
}

/* ---- errors ---- */

static double shape_error(const struct study *study, const struct fit *fit, size_t shape)
{
	double sum = 0;
	size_t n = 0;
	for (size_t i = 0; i < study->n_row; i++) {
		if (study->row[i].shape != shape)
			continue;
		sum += fabs(fit->error_frac[i]);
		n++;
	}
	return sum / (double)n;
}

/* Largest error of any shape but one; sum_of_squares takes the squares of all. */
static double largest_error(const struct study *study, size_t fit, size_t left_out, double *sum_of_squares)
{
	double largest = 0;
	*sum_of_squares = 0;
	for (size_t shape = 0; shape < study->n_shape; shape++) {
		double error = 0;
		for (size_t i = fit - 1; i <= fit + 1; i++)
			error = fmax(error, shape_error(study, &study->fit[i], shape));
		if (shape == left_out)
			continue;
		largest = fmax(largest, error);
		*sum_of_squares += error * error;
	}
	return largest;
}

/* The best by all shapes but one; of those with what `like` has chosen, unless that is NULL. */
static const struct fit *best_without(const struct study *study, size_t left_out, const struct machine *like)
{
	const struct fit *best = NULL;
	double least = INFINITY, least_sum = INFINITY;
	for (size_t i = 0; i < N_FIT; i++) {
		const struct fit *fit = &study->fit[i];
		bool chosen = !like || (fit->machine.mla_trim_b == like->mla_trim_b &&
		                        fit->machine.noc_router_packet == like->noc_router_packet);
		if (!chosen || i % N_NOC == 0 || i % N_NOC == N_NOC - 1)
			continue;
		double sum, largest = largest_error(study, i, left_out, &sum);
		if (largest < least || (largest <= least && sum < least_sum)) {
			least = largest;
			least_sum = sum;
			best = fit;
		}
	}
	return best;
}

static void print_fit(const struct study *study, const char *name, const struct fit *fit)
{
	double sum = 0, largest = 0;
	printf("%-22s", name);
	for (size_t i = 0; i < study->n_row; i++) {
		printf(" %+6.2f", 100 * fit->error_frac[i]);
		sum += fabs(fit->error_frac[i]);
		largest = fmax(largest, fabs(fit->error_frac[i]));
	}
	printf("  mean %.2f %%, max %.2f %%\n", 100 * sum / (double)study->n_row, 100 * largest);
}

static void print_constants(const struct machine *machine)
{
	printf("turn %2u clk, A buffer %u packets, NoC %.0f MHz, trim_b %s, router %u\n", machine->mla_turn_clk,
	       machine->mla_a_buffer_packet, machine->noc_clk_mhz, machine->mla_trim_b ? "true" : "false",
	       machine->noc_router_packet);
}

static void print_left_out(const struct study *study, const struct machine *like)
{
	double sum = 0, largest = 0;
	printf("\nleave one shape out, %s: its error in %%, and what the other shapes give\n",
	       like ? "constants fitted by the others" : "constants and mechanisms by the others");
	for (size_t shape = 0; shape < study->n_shape; shape++) {
		const struct fit *fit = best_without(study, shape, like);
		const struct row *row = study->row;
		double error = shape_error(study, fit, shape);
		while (row->shape != shape)
			row++;
		if (row->task.kind == MLA_MATMUL)
			printf("matmul [%u,%u] x %-10u", row->task.matmul.a_w, row->task.matmul.a_h,
			       row->task.matmul.b_w);
		else
			printf("conv [%3u,%2u,%3u] %ux%u    ", row->task.conv.in_w, row->task.conv.in_h,
			       row->task.conv.in_c, row->task.kernel_w, row->task.kernel_h);
		printf(" %5.2f  ", 100 * error);
		print_constants(&fit->machine);
		sum += error;
		largest = fmax(largest, error);
	}
	printf("mean %.2f %%, max %.2f %%\n", 100 * sum / (double)study->n_shape, 100 * largest);
}

static bool same_constants(const struct machine *a, const struct machine *b)
{
	return a->mla_turn_clk == b->mla_turn_clk && a->mla_a_buffer_packet == b->mla_a_buffer_packet &&
	       a->noc_clk_mhz == b->noc_clk_mhz && a->mla_trim_b == b->mla_trim_b &&
	       a->noc_router_packet == b->noc_router_packet;
}

/* A shipped machine on all rows. */
static struct fit run_file(const struct study *study, const char *path)
{
	struct fit fit;
	struct err err = {0};
	if (machine_read(path, &fit.machine, &err) != ERR_OK) {
		fprintf(stderr, "calibrate_hdl: %s\n", err_text(&err));
		exit(3);
	}
	run_rows(study, &fit);
	return fit;
}

int main(int n_arg, char **arg)
{
	const char *path = n_arg > 1 ? arg[1] : "tests/reference/hdl_clocks.csv";
	struct study *study = calloc(1, sizeof(*study));
	if (!study || !read_table(path, study)) {
		fprintf(stderr, "calibrate_hdl: %s cannot be read\n", path);
		free(study);
		return 3;
	}
	struct fit shipped = run_file(study, "spaces/machines/hdl_qpe_calibrated.yaml");
	struct fit free_of_fit = run_file(study, "spaces/machines/hdl_qpe.yaml");
	struct fit thesis = run_file(study, "spaces/machines/thesis_qpe_dram.yaml");
	thesis.machine.pe_sram_access_clk = 2;
	run_rows(study, &thesis);
	study->base = shipped.machine;
	parallel_for(N_FIT, parallel_n_thread(0), run_fit, study);
	const struct fit *best = best_without(study, study->n_shape, NULL);

	printf("errors in %% of the rows of %s, in their order\n", path);
	print_fit(study, "thesis simulator", &thesis);
	print_fit(study, "hdl_qpe, nothing fitted", &free_of_fit);
	print_fit(study, "hdl_qpe_calibrated", &shipped);
	printf("\nbest of %zu: ", (size_t)N_FIT);
	print_constants(&best->machine);
	print_left_out(study, &best->machine);
	print_left_out(study, NULL);
	bool same = same_constants(&best->machine, &shipped.machine);
	printf("hdl_qpe_calibrated.yaml %s these constants\n", same ? "has" : "has not");
	free(study);
	return same || n_arg > 1 ? 0 : 6;
}
