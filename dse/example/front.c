/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The front of a space, as CSV: how a program of yours searches with libdse, tells how far it is and stops it. C and C++
 * alike.
 *
 *   cc front.c $(pkg-config --cflags --libs dse) -o front
 *   ./front space.yaml                                   in the event tier, where that is usual
 *   ./front space.yaml fast                              without prices
 */
#include <dse.h>
#include <signal.h>
#include <stdio.h>

static volatile sig_atomic_t is_stopped;

static void stop(int signal_number)
{
	is_stopped = signal_number;
}

/* Ten times a second; not 0 ends the search, and what was found stays. */
static int tell(void *context, const struct dse_progress *progress)
{
	fprintf((FILE *)context, "\r%5.1f %%  %-60.60s", 100.0 * progress->done_frac, progress->phase);
	return is_stopped != 0;
}

static void print_header(struct dse *dse)
{
	printf("id");
	for (size_t i = 0; i < dse_n_objective(dse); i++)
		printf(",%s", dse_metric(dse, dse_objective(dse, i))->name);
	printf(",machine");
	for (size_t i = 0; i < dse_n_axis(dse); i++)
		printf(",%s", dse_axis(dse, i));
	printf(",first_layer\n");
}

static void print_point(struct dse *dse, size_t id)
{
	const struct dse_point *point = dse_point(dse, id);
	printf("%zu", id);
	for (size_t i = 0; i < dse_n_objective(dse); i++)
		printf(",%.17g", point->metric[dse_objective(dse, i)]);
	printf(",%s", point->machine);
	for (size_t i = 0; i < dse_n_axis(dse); i++)
		printf(",%s", point->value[i]);
	printf(",\"%s\"\n", dse_choice(dse, id, 0)->text);
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: %s SPACE.yaml [fast | event | both]\n", argv[0]);
		return DSE_USAGE;
	}
	struct dse *dse = dse_new();
	if (!dse)
		return DSE_INTERNAL;
	signal(SIGINT, stop);
	dse_watch(dse, tell, stderr);
	enum dse_code code = dse_open_space(dse, argv[1]);
	if (code == DSE_OK)
		code = dse_explore(dse, argc > 2 ? argv[2] : NULL, 0);
	fputs("\r", stderr);
	/* Mistakes with their places, for an editor. */
	for (size_t i = 0; i < dse_n_error(dse); i++) {
		const struct dse_error *error = dse_error(dse, i);
		fprintf(stderr, "%s:%u: %s\n", error->file ? error->file : "front", error->line, error->message);
	}
	if (dse_n_point(dse) > 0)
		print_header(dse);
	for (size_t i = 0; i < dse_n_point(dse); i++)
		print_point(dse, i);
	dse_free(dse);
	return (int)code;
}
