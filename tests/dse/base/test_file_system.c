/* SPDX-License-Identifier: Apache-2.0 */
/* Which file systems several machines share, and which journal a store on them gets. */
#include "tests/support/unit_test.h"

#include "dse/keep/database.h"
#include "dse/base/file_system.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <linux/magic.h>
#include <sys/vfs.h>
#endif

/* Types as the kernel's own header has them, where it has them. */
static void test_file_system_of_several_machines_is_known(void **state)
{
	(void)state;
	assert_string_equal(file_system_shared_name(0x6969), "NFS");
	assert_string_equal(file_system_shared_name(0xff534d42), "CIFS");
	assert_string_equal(file_system_shared_name(0x65735546), "FUSE");
	assert_string_equal(file_system_shared_name(0x0bd00bd0), "Lustre");
	assert_string_equal(file_system_shared_name(0x47504653), "GPFS");
#ifdef __linux__
	assert_string_equal(file_system_shared_name(NFS_SUPER_MAGIC), "NFS");
	assert_string_equal(file_system_shared_name(SMB_SUPER_MAGIC), "SMB");
	assert_string_equal(file_system_shared_name(AFS_SUPER_MAGIC), "AFS");
	assert_string_equal(file_system_shared_name(CODA_SUPER_MAGIC), "Coda");
	assert_string_equal(file_system_shared_name(V9FS_MAGIC), "9p");
	static const uint32_t own[] = {EXT4_SUPER_MAGIC,     BTRFS_SUPER_MAGIC, TMPFS_MAGIC,       RAMFS_MAGIC,
	                               ISOFS_SUPER_MAGIC,    SQUASHFS_MAGIC,    MSDOS_SUPER_MAGIC, 0x58465342 /* XFS */,
	                               0x2fc12fc1 /* ZFS */, 0x794c7630 /* overlay, of containers */};
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		assert_null(file_system_shared_name(own[i]));
#endif
	assert_null(file_system_shared_name(0));
}

/* A file that is not there yet is judged by its folder. */
static void test_file_system_is_that_of_the_path(void **state)
{
	(void)state;
#ifdef __linux__
	static const char *const path[][2] = {
	    {".", "./none.sqlite"}, {"/dev/shm", "/dev/shm/none.sqlite"}, {"/", "/none"}};
	for (size_t i = 0; i < sizeof(path) / sizeof(path[0]); i++) {
		struct statfs status;
		if (statfs(path[i][0], &status) != 0)
			continue;
		const char *name = file_system_shared_name((uint32_t)status.f_type);
		for (size_t k = 0; k < 2; k++)
			assert_ptr_equal(file_system_shared(path[i][k]), name);
	}
#endif
	assert_null(file_system_shared("/nonexistent/folder/none"));
}

static void test_file_system_decides_the_journal(void **state)
{
	const char *journal = NULL;
	struct err err = {0};
	(void)state;
	assert_int_equal(unsetenv("DSE_STORE_JOURNAL"), 0);
	assert_int_equal(database_choose_journal("./none.sqlite", &journal, &err), ERR_OK);
	assert_string_equal(journal, file_system_shared(".") ? "DELETE" : "WAL");
	assert_int_equal(setenv("DSE_STORE_JOURNAL", "rollback", 1), 0);
	assert_int_equal(database_choose_journal("./none.sqlite", &journal, &err), ERR_OK);
	assert_string_equal(journal, "DELETE");
	assert_int_equal(setenv("DSE_STORE_JOURNAL", "wal", 1), 0);
	assert_int_equal(database_choose_journal("./none.sqlite", &journal, &err), ERR_OK);
	assert_string_equal(journal, "WAL");
	assert_int_equal(setenv("DSE_STORE_JOURNAL", "WAL2", 1), 0);
	assert_int_equal(database_choose_journal("./none.sqlite", &journal, &err), ERR_USAGE);
	assert_string_equal(err_text(&err), "DSE_STORE_JOURNAL is 'WAL2', allowed are wal and rollback\n");
	err_clear(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_file_system_of_several_machines_is_known),
	    cmocka_unit_test(test_file_system_is_that_of_the_path),
	    cmocka_unit_test(test_file_system_decides_the_journal),
	};
	return cmocka_run_group_tests_name("file_system", tests, NULL, NULL);
}
