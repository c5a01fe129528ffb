/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates of spaces most of whose machines are cut, of fronts and of bounds that are thinned to a few points. */
#include "tests/support/unit_test.h"

#include "dse/certify/certify.h"
#include "dse/search/certificate_log.h"
#include "sim/base/rng.h"
#include "tests/support/random_network.h"
#include "tests/support/draws.h"
#include "tests/support/space_folder.h"

enum { TEXT = 4096 };

static uint32_t n_thinned(void)
{
	return draws(500, 12);
}

/* Search a space to its certificate, in certificate.txt; max_front > 0: of compositions of bounds. */
static enum err_code try_certificate(const struct space *space, size_t max_front, struct explore *explore,
                                     struct err *err)
{
	struct certificate_log log;
	FILE *file = folder_open("certificate.txt");
	assert_int_equal(certificate_log_begin(&log, space, file, err), ERR_OK);
	log.max_front = max_front > 0 ? max_front : log.max_front;
	const struct explore_options options = {
	    .engine = &engine_exact, .n_thread = 1, .seed = 1, .log = {certificate_log_machine, &log}};
	if (explore_run(space, &options, explore, err) != ERR_OK)
		fail_msg("%s", err_text(err));
	enum err_code code = certificate_log_end(&log, explore, 1, err);
	assert_int_equal(fclose(file), 0);
	certificate_log_free(&log);
	return code;
}

static enum err_code certify_file(struct err *err)
{
	struct certify_report report;
	char path[FOLDER_PATH];
	return certify_check(folder_path("certificate.txt", path), NULL, &report, err);
}

/*
 * Twelve machines, most of which are cut: a certificate is accepted however few designs a machine's front is thinned
 * to. Bounds that are thinned so prove less, and what they do not prove is not written.
 */
static void test_certify_knows_what_thinned_bounds_prove(void **state)
{
	uint32_t n_written = 0, n_cut = 0;
	(void)state;
	for (uint32_t i = 0; i < 2 * n_thinned(); i++) {
		struct rng rng = rng_stream(22, 7, i / 2);
		bool thins_designs = i % 2 > 0;
		char network[TEXT];
		unsigned n_layer;
		struct space space;
		struct explore found;
		struct err err = {0};
		random_network(&rng, 3, network, TEXT, &n_layer);
		folder_write("random.yaml", network, "");
		folder_write("space.yaml",
		             "name: random\nmachine: dvfs_chip\nnetwork: random.yaml\n"
		             "axes: {noc.clk_mhz: [500, 450, 400], mla.array: [16x4, 14x4, 12x4, 10x4]}\n"
		             "layers:\n  - {match: '.*', split: whole, level: [PL1, PL2]}\n"
		             "  - {match: '_1$', split: {height: {max_parts: 3, choose: even}}}\n"
		             "objectives: [latency_ms, energy_mj]\n",
		             thins_designs ? "search: {max_front: 2}\n" : "");
		folder_read_space(&space);
		enum err_code code = try_certificate(&space, thins_designs ? 0 : 2, &found, &err);
		if (code == ERR_OK)
			code = certify_file(&err);
		else if (!thins_designs)
			err_clear(&err);
		n_written += code == ERR_OK;
		n_cut += found.counts.n_machine_cut > 0;
		if (err_text(&err)[0] != '\0')
			fail_msg("space %u: %s", i, err_text(&err));
		explore_free(&found);
		space_free(&space);
	}
	print_message("%u certificates of %u spaces, %u with machines cut\n", n_written, 2 * n_thinned(), n_cut);
	assert_true(n_written >= n_thinned() && n_cut > n_thinned());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_certify_knows_what_thinned_bounds_prove),
	};
	return cmocka_run_group_tests(tests, folder_make_small, folder_remove);
}
