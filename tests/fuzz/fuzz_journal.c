/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Journals: bytes as a whole journal; and, since a random change never has the right checksum, as the contents of a
 * search's record and as the states of the engines.
 */
#include "dse/search/candidate.h"
#include "dse/keep/journal.h"
#include "tests/fuzz/fuzz.h"

/* A candidate of a shipped space, built once. */
static struct candidate *make_candidate(void)
{
	static struct space space;
	static struct layer_map map;
	static struct candidate candidate;
	struct layer_set *set;
	struct err err = {0};
	char why[256];
	if (candidate.task)
		return &candidate;
	bool good = space_read("spaces/smoke.yaml", &space, &err) == ERR_OK &&
	            layer_map_build(&space, &map, &err) == ERR_OK &&
	            layer_set_build(&space, &map, 0, &set, why, sizeof(why), &err) == ERR_OK && set &&
	            candidate_init(&space, set, &candidate, &err) == ERR_OK;
	fuzz_require(good, "no candidate", &err);
	return &candidate;
}

/* What is whole is counted and found, what is lost adds up. */
static void read_journal(const uint8_t *data, size_t n_byte)
{
	struct ledger ledger = {0};
	struct ledger_info info;
	uint8_t *copy = malloc(n_byte + 1);
	fuzz_require(copy != NULL, "no memory", NULL);
	memcpy(copy, data, n_byte);
	fuzz_require(ledger_add(&ledger, copy, n_byte, &info, NULL) == ERR_OK, "ledger_add", NULL);
	ledger_sort(&ledger);
	fuzz_require(info.n_good + info.n_lost == n_byte, "bytes do not add up", NULL);
	fuzz_require(ledger.n_entry <= info.n_search && (info.identity || info.n_good == 0), "counts", NULL);
	for (size_t i = 0; i < ledger.n_entry; i++)
		fuzz_require(ledger_find(&ledger, ledger.entry[i].machine, ledger.entry[i].task) != NULL, "not found",
		             NULL);
	free(info.identity);
	ledger_free(&ledger);
}

/* A search that is taken is written as it was read; one that is refused leaves nothing. */
static void read_search(const uint8_t *data, size_t n_byte)
{
	struct candidate *candidate = make_candidate();
	struct candidate_task kept = candidate->task[0];
	struct pack reader = pack_reader(data, n_byte), writer = {0};
	candidate_pack_task(candidate, 0, &reader);
	if (pack_done(&reader)) {
		candidate_pack_task(candidate, 0, &writer);
		fuzz_require(writer.n == n_byte && memcmp(writer.data, data, n_byte) == 0, "not what was read", NULL);
		pack_free(&writer);
		pareto_free(&candidate->task[0].front);
		candidate->task[0] = kept;
	}
	fuzz_require(candidate->task[0].front.n == 0, "a refused search leaves a front", NULL);
}

static void read_states(const uint8_t *data, size_t n_byte)
{
	const struct problem *problem = &make_candidate()->set->problem[0].problem;
	const struct engine_options options = {.seed = 1, .population = 8};
	for (size_t i = 0; i < engine_n; i++) {
		struct engine *engine = engine_table[i]->create(problem, &options, NULL);
		fuzz_require(engine != NULL, "no engine", NULL);
		struct pack reader = pack_reader(data, n_byte);
		engine_table[i]->pack(engine, &reader);
		engine_table[i]->destroy(engine);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_byte)
{
	read_journal(data, n_byte);
	read_search(data, n_byte);
	read_states(data, n_byte);
	return 0;
}
