/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Multi-objective tools on one core, with the best CPU figure of
 * tests/reference/moo_reference.csv beside each: hypervolume, nondominated filter,
 * ranking, and NSGA-II on the field's test problems with MOO_N_SEED fixed seeds.
 * Fails where a median hypervolume of NSGA-II leaves its window. Run it from the
 * repository root.
 */
#define _GNU_SOURCE
#include "dse/pareto/nondominated.h"
#include "tests/support/moo_problems.h"
#include "tests/bench/cpu_time.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define REFERENCE "tests/reference/moo_reference.csv"

enum { N_REPEAT = 5, MAX_LINE = 512, MAX_FIELD = 8 };

/* ---- the table ---------------------------------------------------------------------------------- */

/* Cut a line at its commas, but not those in quotes; returns the number of fields. */
static unsigned cut_line(char *line, char *field[MAX_FIELD])
{
	unsigned n = 0;
	bool quoted = false;
	field[n++] = line;
	for (char *c = line; *c && *c != '\n' && n < MAX_FIELD; c++) {
		quoted ^= *c == '"';
		if (*c == ',' && !quoted) {
			*c = '\0';
			field[n++] = c + 1;
		}
	}
	return n;
}

/* The least CPU time of all tools in rows that begin so. */
static double best_of_table(const char *what)
{
	char line[MAX_LINE], *field[MAX_FIELD];
	double best = INFINITY;
	FILE *file = fopen(REFERENCE, "r");
	if (!file) {
		perror(REFERENCE);
		exit(1);
	}
	while (fgets(line, sizeof(line), file)) {
		if (cut_line(line, field) >= 4 && strcmp(field[0], what) == 0)
			best = fmin(best, strtod(field[3], NULL));
	}
	fclose(file);
	if (isinf(best)) {
		fprintf(stderr, "%s: no row '%s'\n", REFERENCE, what);
		exit(1);
	}
	return best;
}

/* ---- points ------------------------------------------------------------------------------------- */

static uint64_t splitmix64(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static double unit(uint64_t *state)
{
	return (double)(splitmix64(state) >> 11) * 0x1p-53;
}

/* Points of the unit sphere's positive part, |Gaussian| / norm: none dominates another; or of the unit cube. */
static double *draw_points(size_t n, unsigned n_objective, bool sphere)
{
	uint64_t state = 42;
	double *point = malloc(n * n_objective * sizeof(*point));
	if (!point)
		exit(1);
	for (size_t i = 0; i < n; i++) {
		double *row = point + i * n_objective, square = 0.0;
		for (unsigned k = 0; k < n_objective; k++) {
			row[k] = unit(&state);
			if (sphere)
				row[k] = fabs(sqrt(-2.0 * log(1.0 - row[k])) * cos(2.0 * moo_pi * unit(&state)));
			square += row[k] * row[k];
		}
		for (unsigned k = 0; k < n_objective && sphere; k++)
			row[k] /= sqrt(square);
	}
	return point;
}

/* ---- figures ------------------------------------------------------------------------------------ */

enum task { HYPERVOLUME, FILTER, RANKING };

static const double reference_point[4] = {1.1, 1.1, 1.1, 1.1};

/* One run; returns something that depends on all of its result. */
static double run_task(enum task task, const double *point, size_t n, unsigned n_objective)
{
	double volume = NAN;
	size_t n_kept = 0;
	if (task == HYPERVOLUME) {
		hypervolume(point, n, n_objective, reference_point, &volume);
		return volume;
	}
	if (task == FILTER) {
		bool *keep = malloc(n);
		if (keep)
			nondominated_filter(point, n, n_objective, keep, &n_kept);
		free(keep);
		return (double)n_kept;
	}
	struct nondominated memory;
	uint32_t *rank = malloc(n * sizeof(*rank)), n_front = 0;
	if (rank && nondominated_init(&memory, n)) {
		n_front = nondominated_rank(&memory, point, n_objective, n_objective, NULL, n, EQUAL_SHARE, rank);
		nondominated_free(&memory);
	}
	free(rank);
	return n_front;
}

static void measure(enum task task, unsigned n_objective, size_t n, bool in_table)
{
	static const char *const name[] = {"hypervolume", "nondominated filter", "full ranking"};
	static const char *const unit_of[] = {"volume", "kept", "fronts"};
	char what[64];
	double best_s = INFINITY, outcome = 0.0, *point = draw_points(n, n_objective, task == HYPERVOLUME);
	for (unsigned i = 0; i < N_REPEAT; i++) {
		double start_s = now_s();
		outcome = run_task(task, point, n, n_objective);
		best_s = fmin(best_s, now_s() - start_s);
	}
	free(point);
	snprintf(what, sizeof(what), "%s %uD %zu points", name[task], n_objective, n);
	printf("%-38s %10.3f ms  ", what, 1e3 * best_s);
	if (in_table) {
		double table_s = best_of_table(what);
		printf("table %8.3f ms  %5.1fx  ", 1e3 * table_s, table_s / best_s);
	} else {
		printf("%6.2f ns a point and doubling  ", 1e9 * best_s / ((double)n * log2((double)n)));
	}
	printf("%s %.9g\n", unit_of[task], outcome);
}

/* All seeds of one problem; returns whether the median is in the window. */
static bool measure_problem(const struct moo_problem *row)
{
	double volume[MOO_N_SEED], start_s = now_s();
	for (uint64_t seed = 1; seed <= MOO_N_SEED; seed++) {
		if (!moo_run(row, seed, &volume[seed - 1]))
			exit(1);
	}
	double per_s = (double)MOO_N_SEED * MOO_POPULATION * MOO_GENERATIONS / (now_s() - start_s);
	qsort(volume, MOO_N_SEED, sizeof(*volume), moo_compare);
	double median = volume[MOO_N_SEED / 2];
	bool inside = median >= row->least_median && median <= row->largest_median;
	printf("NSGA-II %-5s %d seeds: hypervolume median %.5f (%.5f to %.5f), window %.5f to %.5f: %s;"
	       " %.0f evaluations per CPU second, table %.0f, %.1fx\n",
	       row->name, MOO_N_SEED, median, volume[0], volume[MOO_N_SEED - 1], row->least_median, row->largest_median,
	       inside ? "inside" : "OUTSIDE", per_s, row->pagmo_evaluations_per_s,
	       per_s / row->pagmo_evaluations_per_s);
	return inside;
}

int main(void)
{
	static const struct {
		enum task task;
		unsigned n_objective;
		size_t n;
		bool in_table; /* else how the time grows with n is what it shows */
	} row[] = {
	    {HYPERVOLUME, 2, 1000000, true}, {HYPERVOLUME, 3, 10000, true}, {HYPERVOLUME, 3, 1000000, true},
	    {HYPERVOLUME, 4, 1000, true},    {HYPERVOLUME, 4, 10000, true}, {FILTER, 2, 1000000, true},
	    {FILTER, 3, 1000000, true},      {FILTER, 4, 1000000, true},    {RANKING, 2, 10000, true},
	    {RANKING, 2, 1000000, false},    {RANKING, 3, 1000, false},     {RANKING, 3, 10000, true},
	    {RANKING, 3, 100000, false},     {RANKING, 3, 1000000, false},
	};
	bool inside = true;

	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++)
		measure(row[i].task, row[i].n_objective, row[i].n, row[i].in_table);
	for (size_t i = 0; i < MOO_N_PROBLEM; i++)
		inside &= measure_problem(&moo_problem_table[i]);
	return inside ? 0 : 1;
}
