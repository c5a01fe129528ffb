/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The exact engine on the spaces of spaces/bench/ that are too large for any
 * other: seconds, what became of all legal designs, certificate and signature of
 * the front. Run it from the repository root; arguments: names of spaces.
 */
#include "dse/result/certificate.h"
#include "dse/result/front_file.h"
#include "dse/base/parallel.h"
#include "dse/design/unroll.h"
#include <inttypes.h>
#include <stdlib.h>

static const char *const bench_space[] = {"exact_vgg16", "exact_vgg16_dram", "exact_hardware_vgg16", "exact_resnet18",
                                          "exact_tiny_sram"};

static void give_up(const char *what, const struct err *err)
{
	fprintf(stderr, "bench_exact: %s: %s\n", what, err_text(err));
	exit(1);
}

static void run_space(const char *name)
{
	char path[128], text[CERTIFICATE_TEXT_SIZE];
	struct space space;
	struct explore explore;
	struct unroller unroller;
	struct err err = {0};
	(void)snprintf(path, sizeof(path), "spaces/bench/%s.yaml", name);
	if (space_read(path, &space, &err) != ERR_OK)
		give_up(name, &err);
	const struct explore_options options = {
	    .engine = engine_find(space.engine), .n_thread = parallel_n_thread(0), .seed = space.seed};
	if (explore_run(&space, &options, &explore, &err) != ERR_OK ||
	    unroller_init(&unroller, &explore, options.n_thread, &err) != ERR_OK)
		give_up(name, &err);
	struct front_run run = {.space = &space, .explore = &explore, .options = &options, .unroller = &unroller};
	front_file_sign(&run);
	const struct explore_counts *counts = &explore.counts;
	certificate_text(&run, text, sizeof(text));
	printf("%-20s %6.1f s on %u threads, %zu points, signature %s\n", name, explore.seconds, options.n_thread,
	       explore.front.n, run.signature);
	printf("  %" PRIu64 " machines: %" PRIu64 " refused, %" PRIu64
	       " cut by bounds; 10^%.1f designs of the network\n",
	       counts->n_machine, counts->n_machine_rejected, counts->n_machine_cut, counts->log10_design);
	printf("  %" PRIu64 " legal layer designs: %" PRIu64 " cut with machines, %" PRIu64 " cut by bounds, %" PRIu64
	       " cut as infeasible, %" PRIu64 " not reached, %" PRIu64 " evaluated; %" PRIu64 " points composed\n",
	       counts->n_candidate, counts->n_cut_with_machine, counts->cut_by_reason[LAYER_REASON_BOUND],
	       explore_count_cut_infeasible(counts), counts->n_unreached, counts->engine.n_told, counts->n_composed);
	printf("  %s\n", text);
	unroller_free(&unroller);
	explore_free(&explore);
	space_free(&space);
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		for (int i = 1; i < argc; i++)
			run_space(argv[i]);
		return 0;
	}
	for (size_t i = 0; i < sizeof(bench_space) / sizeof(*bench_space); i++)
		run_space(bench_space[i]);
	return 0;
}
