/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/keep/journal.h"
#include "sim/base/stop.h"
#include "dse/keep/output_file.h"
#include "sim/base/file.h"
#include "sim/base/hash.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char magic[16] = "dse journal 1\n";

#define HEAD_BYTE 24 /* of a record: length, checksum, kind */
#define SYNC_MS 1000 /* rarely enough to cost nothing, often enough that a power cut costs little */
#define FIRST_ENTRY 64

/* ---- writing ---- */

/* The kind is part of what the checksum covers: it seeds it. */
static uint64_t checksum(uint64_t kind, const void *data, size_t n_byte)
{
	return hash_bytes(data, n_byte, kind + 1);
}

void journal_pack(struct pack *pack, enum journal_kind kind, const void *data, size_t n_byte)
{
	uint64_t number = kind, sum = checksum(kind, data, n_byte);
	assert(!pack->is_reading);
	if (pack->n == 0)
		pack_append(pack, magic, sizeof(magic));
	pack_size(pack, &n_byte);
	pack_u64(pack, &sum);
	pack_u64(pack, &number);
	pack_append(pack, data, n_byte);
}

/* A journal with its identity alone, under its name only when it is whole. */
static enum err_code begin(const char *path, const char *identity, struct err *err)
{
	struct output_file file = {0};
	struct pack pack = {0};
	assert(identity);
	journal_pack(&pack, JOURNAL_IDENTITY, identity, strlen(identity));
	enum err_code code =
	    pack.failed ? err_add(err, ERR_INTERNAL, "out of memory") : output_file_open(&file, path, err);
	if (code == ERR_OK) {
		(void)fwrite(pack.data, 1, pack.n, file.file);
		code = output_file_commit(&file, err);
	}
	pack_free(&pack);
	return code;
}

enum err_code journal_open(struct journal *journal, const char *path, size_t n_keep, const char *identity,
                           struct err *err)
{
	assert(journal && path);
	*journal = (struct journal)JOURNAL_CLOSED;
	enum err_code code = n_keep == 0 ? begin(path, identity, err) : ERR_OK;
	if (code != ERR_OK)
		return code;
	int descriptor = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (descriptor < 0)
		return err_add(err, ERR_IO, "%s: cannot write: %s", path, strerror(errno));
	if (n_keep > 0 && ftruncate(descriptor, (off_t)n_keep) != 0) {
		int why = errno;
		(void)close(descriptor);
		return err_add(err, ERR_IO, "%s: cannot write: %s", path, strerror(why));
	}
	journal->descriptor = descriptor;
	atomic_init(&journal->error, 0);
	atomic_init(&journal->next_sync_ms, stop_now_ms() + SYNC_MS);
	return ERR_OK;
}

/*
 * No lock: O_APPEND puts concurrent writes one behind the other. Where a disk is full and one comes out short, the
 * journal ends there for every reader, and nobody writes to it any more.
 */
void journal_append(struct journal *journal, enum journal_kind kind, const void *data, size_t n_byte)
{
	struct pack pack = {0};
	if (!journal || journal->descriptor < 0 || atomic_load(&journal->error) != 0)
		return;
	journal_pack(&pack, kind, data, n_byte);
	assert(pack.failed || pack.n == sizeof(magic) + HEAD_BYTE + n_byte);
	if (pack.failed)
		atomic_store(&journal->error, ENOMEM);
	else if (!output_file_write_all(journal->descriptor, pack.data + sizeof(magic), pack.n - sizeof(magic)))
		atomic_store(&journal->error, errno);
	pack_free(&pack);
	uint64_t now_ms = stop_now_ms();
	uint_fast64_t next_ms = atomic_load(&journal->next_sync_ms);
	if (now_ms >= next_ms && atomic_compare_exchange_strong(&journal->next_sync_ms, &next_ms, now_ms + SYNC_MS) &&
	    fdatasync(journal->descriptor) != 0 && errno != EINVAL)
		atomic_store(&journal->error, errno);
}

enum err_code journal_close(struct journal *journal, const char *path, struct err *err)
{
	if (journal->descriptor < 0)
		return ERR_OK;
	int why = atomic_load(&journal->error);
	if (fdatasync(journal->descriptor) != 0 && errno != EINVAL && why == 0)
		why = errno;
	if (close(journal->descriptor) != 0 && why == 0)
		why = errno;
	journal->descriptor = -1;
	return why != 0 ? err_add(err, ERR_IO, "%s: cannot write: %s", path, strerror(why)) : ERR_OK;
}

/* ---- reading ---- */

static bool add_entry(struct ledger *ledger, const uint8_t *data, size_t n_byte)
{
	struct pack pack = pack_reader(data, n_byte);
	struct ledger_entry entry = {0};
	pack_u64(&pack, &entry.machine);
	pack_u64(&pack, &entry.task);
	if (pack.failed)
		return true; /* whole, but not a search of ours */
	if (ledger->n_entry == ledger->n_entry_alloc) {
		size_t n_alloc = ledger->n_entry_alloc > 0 ? 2 * ledger->n_entry_alloc : FIRST_ENTRY;
		struct ledger_entry *grown = realloc(ledger->entry, n_alloc * sizeof(*grown));
		if (!grown)
			return false;
		ledger->entry = grown;
		ledger->n_entry_alloc = n_alloc;
	}
	entry.data = data + pack.at;
	entry.n_byte = n_byte - pack.at;
	ledger->entry[ledger->n_entry++] = entry;
	return true;
}

/* One whole record; false when memory is out. */
static bool take_record(struct ledger *ledger, uint64_t kind, const uint8_t *data, size_t n_byte,
                        struct ledger_info *info)
{
	switch (kind) {
	case JOURNAL_IDENTITY:
		if (info->identity)
			return true;
		info->identity = calloc(n_byte + 1, 1);
		if (info->identity)
			memcpy(info->identity, data, n_byte);
		return info->identity != NULL;
	case JOURNAL_SEARCH:
		info->n_search++;
		return add_entry(ledger, data, n_byte);
	case JOURNAL_END:
		info->has_end = true;
		return true;
	case JOURNAL_STATE:
		info->state = data;
		info->n_state = n_byte;
		return true;
	default:
		return true; /* of a later version: whole, so what follows may be read */
	}
}

/* Record by record up to the first that is not whole. */
static bool take_records(struct ledger *ledger, const uint8_t *data, size_t n_byte, struct ledger_info *info)
{
	size_t at = sizeof(magic);
	bool has_memory = true;
	info->n_lost = n_byte;
	if (n_byte < sizeof(magic) || memcmp(data, magic, sizeof(magic)) != 0)
		return true;
	while (has_memory && n_byte - at >= HEAD_BYTE) {
		struct pack head = pack_reader(data + at, HEAD_BYTE);
		uint64_t length = 0, sum = 0, kind = 0;
		pack_u64(&head, &length);
		pack_u64(&head, &sum);
		pack_u64(&head, &kind);
		const uint8_t *contents = data + at + HEAD_BYTE;
		if (length > n_byte - at - HEAD_BYTE || sum != checksum(kind, contents, (size_t)length))
			break;
		/* whose searches these are must stand before them */
		if (!info->identity && kind != JOURNAL_IDENTITY)
			break;
		has_memory = take_record(ledger, kind, contents, (size_t)length, info);
		at += HEAD_BYTE + (size_t)length;
	}
	info->n_good = info->identity ? at : 0;
	info->n_lost = n_byte - info->n_good;
	assert(info->n_good <= n_byte);
	return has_memory;
}

enum err_code ledger_add(struct ledger *ledger, uint8_t *data, size_t n_byte, struct ledger_info *info, struct err *err)
{
	*info = (struct ledger_info){0};
	assert(ledger && data);
	uint8_t **block = realloc(ledger->block, (ledger->n_block + 1) * sizeof(*block));
	if (!block) {
		free(data);
		return err_add(err, ERR_INTERNAL, "out of memory");
	}
	ledger->block = block;
	ledger->block[ledger->n_block++] = data;
	ledger->is_sorted = false;
	bool has_memory = take_records(ledger, data, n_byte, info);
	if (has_memory && info->identity && !ledger->identity) {
		ledger->identity = strdup(info->identity);
		has_memory = ledger->identity != NULL;
	}
	return has_memory ? ERR_OK : err_add(err, ERR_INTERNAL, "out of memory");
}

enum err_code ledger_read(struct ledger *ledger, const char *path, struct ledger_info *info, struct err *err)
{
	char *data;
	size_t n_byte;
	*info = (struct ledger_info){0};
	enum err_code code = file_read(path, SIZE_MAX / 2, &data, &n_byte, err);
	return code == ERR_OK ? ledger_add(ledger, (uint8_t *)data, n_byte, info, err) : code;
}

static int compare_entries(const void *left, const void *right)
{
	const struct ledger_entry *a = left, *b = right;
	if (a->machine != b->machine)
		return a->machine < b->machine ? -1 : 1;
	return a->task < b->task ? -1 : a->task > b->task;
}

void ledger_sort(struct ledger *ledger)
{
	if (ledger->n_entry > 1)
		qsort(ledger->entry, ledger->n_entry, sizeof(*ledger->entry), compare_entries);
	ledger->is_sorted = true;
}

const struct ledger_entry *ledger_find(const struct ledger *ledger, uint64_t machine, uint64_t task)
{
	assert(ledger && ledger->is_sorted);
	const struct ledger_entry key = {.machine = machine, .task = task};
	if (ledger->n_entry == 0)
		return NULL;
	return bsearch(&key, ledger->entry, ledger->n_entry, sizeof(*ledger->entry), compare_entries);
}

void ledger_free(struct ledger *ledger)
{
	for (size_t i = 0; i < ledger->n_block; i++)
		free(ledger->block[i]);
	free(ledger->block);
	free(ledger->entry);
	free(ledger->identity);
	*ledger = (struct ledger){0};
}
