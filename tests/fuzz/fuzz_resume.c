/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searches that are taken up again: bytes as a whole journal or checkpoint of a run's folder, or, with the checksum
 * that random bytes never have, as the contents of one record behind the identity. The first byte says which.
 */
#include "dse/keep/journal.h"
#include "tests/fuzz/fuzz.h"

/* A folder of a shard, and the identity of its journal, made once. */
static char shard[FUZZ_PATH_SIZE], *identity;

static void make_shard(void)
{
	char out[FUZZ_PATH_SIZE], journal[FUZZ_PATH_SIZE];
	struct ledger ledger = {0};
	struct ledger_info info;
	struct err err = {0};
	(void)FUZZ_COMMAND("explore", "spaces/smoke.yaml", "-q", "-j1", "--store", "none", "--detail", "fast", "-o",
	                   fuzz_folder("resume", out), "--shard", "1/2");
	fuzz_run_file(out, "", shard);
	(void)snprintf(journal, sizeof(journal), "%.200s/journal", shard);
	fuzz_require(ledger_read(&ledger, journal, &info, &err) == ERR_OK && info.identity, "no journal", &err);
	identity = info.identity;
	ledger_free(&ledger);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_byte)
{
	static const enum journal_kind kind[] = {JOURNAL_SEARCH, JOURNAL_STATE, JOURNAL_IDENTITY, JOURNAL_END};
	char journal[FUZZ_PATH_SIZE], checkpoint[FUZZ_PATH_SIZE];
	struct pack pack = {0};
	if (!identity)
		make_shard();
	if (n_byte == 0)
		return 0;
	(void)snprintf(journal, sizeof(journal), "%.200s/journal", shard);
	(void)snprintf(checkpoint, sizeof(checkpoint), "%.200s/checkpoint", shard);
	journal_pack(&pack, JOURNAL_IDENTITY, identity, strlen(identity));
	fuzz_write(journal, pack.data, pack.n);
	journal_pack(&pack, kind[data[0] / 4 % 4], data + 1, n_byte - 1);
	if (data[0] % 4 < 2)
		fuzz_write(data[0] % 4 ? journal : checkpoint, data + 1, n_byte - 1);
	else
		fuzz_write(data[0] % 4 == 2 ? journal : checkpoint, pack.data, pack.n);
	pack_free(&pack);
	(void)FUZZ_COMMAND("explore", "--resume", shard, "-q", "-j1", "--store", "none");
	(void)FUZZ_COMMAND("merge", shard, "-q", "-o", fuzz_folder("merged", checkpoint), "--store", "none");
	(void)fuzz_folder("merged", checkpoint);
	return 0;
}
