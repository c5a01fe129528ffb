/* SPDX-License-Identifier: Apache-2.0 */
/* Journals: every whole record is read, whatever happened to the last one; questions are compared line by line. */
#include "tests/support/unit_test.h"

#include "dse/keep/journal.h"
#include "dse/run/resume.h"
#include "tests/support/temporary.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N_SEARCH 5

/* The search of task i of machine i / 2: i bytes. */
static void pack_search(struct pack *pack, uint64_t i)
{
	struct pack search = {0};
	uint64_t machine = i / 2;
	pack_u64(&search, &machine);
	pack_u64(&search, &i);
	for (uint32_t k = 0; k < i; k++)
		pack_append(&search, &(const uint8_t){(uint8_t)k}, 1);
	journal_pack(pack, JOURNAL_SEARCH, search.data, search.n);
	pack_free(&search);
}

/* A journal in memory; end[i]: where search i ends. */
static struct pack make_journal(size_t end[N_SEARCH + 1])
{
	struct pack pack = {0};
	journal_pack(&pack, JOURNAL_IDENTITY, "who: me\n", 8);
	end[0] = pack.n;
	for (uint64_t i = 0; i < N_SEARCH; i++) {
		pack_search(&pack, i);
		end[i + 1] = pack.n;
	}
	assert_false(pack.failed);
	return pack;
}

static void read_copy(struct ledger *ledger, const uint8_t *data, size_t n_byte, struct ledger_info *info)
{
	uint8_t *copy = malloc(n_byte + 1);
	assert_non_null(copy);
	memcpy(copy, data, n_byte);
	assert_int_equal(ledger_add(ledger, copy, n_byte, info, NULL), ERR_OK);
	ledger_sort(ledger);
}

static void assert_searches(const struct ledger *ledger, size_t n)
{
	for (uint64_t i = 0; i < N_SEARCH; i++) {
		const struct ledger_entry *entry = ledger_find(ledger, i / 2, i);
		assert_true((entry != NULL) == (i < n));
		if (entry)
			assert_int_equal(entry->n_byte, i);
		assert_null(ledger_find(ledger, i / 2 + 1, i));
	}
}

/* Cut off after every byte: all records before the cut are there, and n_good says where to go on. */
static void test_journal_torn_anywhere_keeps_whole_records(void **state)
{
	size_t end[N_SEARCH + 1];
	struct pack pack = make_journal(end);
	(void)state;
	for (size_t n_byte = 0; n_byte <= pack.n; n_byte++) {
		struct ledger ledger = {0};
		struct ledger_info info;
		size_t n = 0;
		while (n < N_SEARCH && end[n + 1] <= n_byte)
			n++;
		read_copy(&ledger, pack.data, n_byte, &info);
		assert_int_equal(info.identity != NULL, n_byte >= end[0]);
		assert_int_equal(info.n_search, n);
		assert_int_equal(info.n_good, n_byte >= end[0] ? end[n] : 0);
		assert_int_equal(info.n_good + info.n_lost, n_byte);
		assert_searches(&ledger, n);
		free(info.identity);
		ledger_free(&ledger);
	}
	pack_free(&pack);
}

/* Any bit changed: the record it is in and those behind are not believed, those before are. */
static void test_journal_with_a_flipped_bit_ends_there(void **state)
{
	size_t end[N_SEARCH + 1];
	struct pack pack = make_journal(end);
	(void)state;
	for (size_t bit = 0; bit < 8 * pack.n; bit++) {
		struct ledger ledger = {0};
		struct ledger_info info;
		size_t n = 0;
		while (n < N_SEARCH && end[n + 1] <= bit / 8)
			n++;
		pack.data[bit / 8] ^= (uint8_t)(1U << bit % 8);
		read_copy(&ledger, pack.data, pack.n, &info);
		pack.data[bit / 8] ^= (uint8_t)(1U << bit % 8);
		assert_int_equal(info.identity != NULL, bit / 8 >= end[0]);
		assert_int_equal(info.n_search, n);
		assert_searches(&ledger, n);
		free(info.identity);
		ledger_free(&ledger);
	}
	pack_free(&pack);
}

static void make_path(char path[64])
{
	assert_non_null(temporary_folder(path, "test_journal"));
	strcat(path, "/journal");
}

static void remove_path(char path[64])
{
	assert_int_equal(remove(path), 0);
	*strrchr(path, '/') = '\0';
	assert_int_equal(rmdir(path), 0);
}

static void append_search(struct journal *journal, uint64_t machine, uint64_t task)
{
	struct pack pack = {0};
	pack_u64(&pack, &machine);
	pack_u64(&pack, &task);
	journal_append(journal, JOURNAL_SEARCH, pack.data, pack.n);
	pack_free(&pack);
}

/* Written, torn, opened again where it is whole, and written on. */
static void test_journal_goes_on_behind_the_last_whole_record(void **state)
{
	char path[64];
	struct journal journal;
	struct ledger ledger = {0};
	struct ledger_info info;
	(void)state;
	make_path(path);
	assert_int_equal(journal_open(&journal, path, 0, "who: me\n", NULL), ERR_OK);
	append_search(&journal, 1, 1);
	append_search(&journal, 1, 2);
	assert_int_equal(journal_close(&journal, path, NULL), ERR_OK);
	FILE *file = fopen(path, "ab");
	assert_non_null(file);
	assert_int_equal(fwrite("torn", 1, 4, file), 4);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(ledger_read(&ledger, path, &info, NULL), ERR_OK);
	assert_int_equal(info.n_search, 2);
	assert_int_equal(info.n_lost, 4);
	free(info.identity);
	ledger_free(&ledger);
	assert_int_equal(journal_open(&journal, path, info.n_good, "who: me\n", NULL), ERR_OK);
	append_search(&journal, 0, 3);
	journal_append(&journal, JOURNAL_END, NULL, 0);
	assert_int_equal(journal_close(&journal, path, NULL), ERR_OK);
	assert_int_equal(ledger_read(&ledger, path, &info, NULL), ERR_OK);
	ledger_sort(&ledger);
	assert_int_equal(info.n_search, 3);
	assert_int_equal(info.n_lost, 0);
	assert_true(info.has_end);
	assert_string_equal(info.identity, "who: me\n");
	assert_non_null(ledger_find(&ledger, 0, 3));
	assert_null(ledger_find(&ledger, 0, 1));
	free(info.identity);
	ledger_free(&ledger);
	remove_path(path);
}

static void test_journal_questions_are_compared_line_by_line(void **state)
{
	static const char old[] = "version: 1\nspace: a.yaml\nfile a.yaml: 11\nfile b.yaml: 22\nseed: 1\nshard: 1/2\n"
				  "points: no\n";
	static const char new[] = "version: 1\nspace: a.yaml\nfile a.yaml: 12\nfile c.yaml: 33\nseed: 2\nshard: 2/2\n"
				  "points: yes\n";
	struct err err = {0};
	(void)state;
	assert_int_equal(resume_compare("dir", old, old, true, &err), ERR_OK);
	assert_int_equal(err.n_message, 0);
	assert_int_equal(resume_compare("dir", old, new, true, &err), ERR_INPUT);
	assert_string_equal(err_text(&err), "dir: made with file a.yaml 11, now it is 12\n"
	                                    "dir: file b.yaml is no input any more\n"
	                                    "dir: made with seed 1, now it is 2\n"
	                                    "dir: made with shard 1/2, now it is 2/2\n"
	                                    "dir: file c.yaml is a new input since\n");
	err_clear(&err);
	/* a longer value that begins alike is another one */
	assert_int_equal(resume_compare("dir", "seed: 1\n", "seed: 11\n", true, &err), ERR_INPUT);
	err_clear(&err);
	assert_int_equal(resume_compare("dir", "shard: 1/2\n", "shard: 2/2\n", false, &err), ERR_OK);
	err_clear(&err);
}

static void test_journal_shards_are_numbers_within_their_count(void **state)
{
	static const char *const bad[] = {"", "1", "0/3", "4/3", "1/0", "a/3", "1/3x", "1/", "-1/3", "1/99999", "1//3"};
	unsigned part, n_part;
	struct err err = {0};
	(void)state;
	assert_int_equal(resume_parse_shard("3/3", &part, &n_part, &err), ERR_OK);
	assert_true(part == 3 && n_part == 3);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(resume_parse_shard(bad[i], &part, &n_part, &err), ERR_USAGE);
	err_clear(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_journal_torn_anywhere_keeps_whole_records),
	    cmocka_unit_test(test_journal_with_a_flipped_bit_ends_there),
	    cmocka_unit_test(test_journal_goes_on_behind_the_last_whole_record),
	    cmocka_unit_test(test_journal_questions_are_compared_line_by_line),
	    cmocka_unit_test(test_journal_shards_are_numbers_within_their_count),
	};
	return cmocka_run_group_tests_name("journal", tests, NULL, NULL);
}
