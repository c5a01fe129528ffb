/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_JOURNAL_H
#define DSE_JOURNAL_H
/*
 * Journal: the finished searches of a run, in its folder, while it runs. Each
 * is appended the moment it is known, so that a run that is killed loses only
 * the searches under way. A ledger holds what journals say: of an earlier run
 * that is taken up again, of the shards of a job array, of the other ranks.
 *
 *   magic | record: who made it | record: search | record: search | ...
 *
 *   record: length u64 | XXH3 of kind and contents u64 | kind u64 | contents [length]
 *
 * A reader stops at the first record that is torn or damaged: what stands
 * behind it is searched again.
 */
#include "dse/base/pack.h"
#include "sim/base/err.h"
#include <stdatomic.h>

enum journal_kind {
	JOURNAL_IDENTITY, /* text, one "key: value" a line: everything that decides the results (dse/run/resume.h) */
	JOURNAL_SEARCH,   /* machine u64, task u64, and what dse/search/candidate.h packs */
	JOURNAL_END,      /* all searches of this journal are in it */
	JOURNAL_STATE     /* state of an engine (dse/keep/checkpoint.h) */
};

/* A journal being written. Threads may append at the same time. */
struct journal {
	int descriptor;   /* < 0: not open */
	atomic_int error; /* errno of a write that failed; 0: none */
	atomic_uint_fast64_t next_sync_ms;
};
#define JOURNAL_CLOSED           \
	{                        \
		.descriptor = -1 \
	}

/*
 * Open path to append. Of what it holds n_keep bytes stay (a ledger's n_good);
 * 0: it begins anew with the identity, which is there whole or not at all. The caller has the folder's lock
 * (dse/keep/folder_lock.h), or works for rank 0, which has it. ERR_IO.
 */
enum err_code journal_open(struct journal *journal, const char *path, size_t n_keep, const char *identity,
                           struct err *err);

/*
 * Append a record of n_byte bytes; does nothing on a journal that is closed or
 * has failed. One write, so that a kill leaves all of it or a torn end. Synced
 * to the disk about once a second and at the end, so that a power cut costs little.
 */
void journal_append(struct journal *journal, enum journal_kind kind, const void *data, size_t n_byte);

/* Sync and close. ERR_IO, with the reason, when it, or any append before, failed. */
enum err_code journal_close(struct journal *journal, const char *path, struct err *err);

/* A record to bytes, with the magic before it when the pack is empty. */
void journal_pack(struct pack *pack, enum journal_kind kind, const void *data, size_t n_byte);

/* One search of a ledger. */
struct ledger_entry {
	uint64_t machine, task;
	const uint8_t *data; /* in the ledger's memory */
	size_t n_byte;
};

/* What some journals say. Initialise with `struct ledger ledger = {0};`. */
struct ledger {
	char *identity; /* of the first journal that was added; NULL: none */
	size_t n_block, n_entry, n_entry_alloc;
	uint8_t **block; /* [n_block] the journals' bytes */
	struct ledger_entry *entry;
	bool is_sorted;
};

/* What a journal turned out to be. */
struct ledger_info {
	char *identity; /* the caller frees it; NULL: not a journal, or nothing whole in it */
	size_t n_good;  /* bytes up to the end of the last whole record */
	size_t n_lost;  /* bytes behind */
	size_t n_search;
	bool has_end;
	const uint8_t *state; /* contents of the last JOURNAL_STATE, in the ledger's memory; NULL: none */
	size_t n_state;
};

/* Add n_byte bytes of a journal, which the ledger takes over, also on failure. ERR_INTERNAL. */
enum err_code ledger_add(struct ledger *ledger, uint8_t *data, size_t n_byte, struct ledger_info *info,
                         struct err *err);

/* Add a file. ERR_IO, ERR_INTERNAL. */
enum err_code ledger_read(struct ledger *ledger, const char *path, struct ledger_info *info, struct err *err);

/* Once after the last was added. */
void ledger_sort(struct ledger *ledger);

/* One of the equal searches of this task, which all say the same; NULL: there is none. From any thread. */
const struct ledger_entry *ledger_find(const struct ledger *ledger, uint64_t machine, uint64_t task);

void ledger_free(struct ledger *ledger);

#endif
