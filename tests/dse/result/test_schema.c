/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.json, front.json and nightly.json keep the schemas that are shipped (spaces/schemas), as the program writes them; and
 * what is changed in them does not. tests/cli/schema.sh asks a validator of somebody else's, where there is one.
 */
#include "tests/support/unit_test.h"

#include "tests/support/schema_walk.h"
#include "tests/support/temporary.h"
#include <glob.h>
#include <unistd.h>

static char folder[TEMPORARY_SIZE];

static json_t *load(const char *path)
{
	json_error_t error;
	json_t *value = json_load_file(path, 0, &error);
	if (!value)
		fail_msg("%s: %s", path, error.text);
	return value;
}

static json_t *load_schema(const char *name)
{
	char path[128];
	(void)snprintf(path, sizeof(path), "spaces/schemas/%s.schema.json", name);
	return load(path);
}

/* The program with these words, files to the test's folder. */
static void run(const char *words, int code)
{
	char command[1024];
	const char *program = getenv("DSE");
	(void)snprintf(command, sizeof(command), "%s %s -q -o %s --store %s/store >/dev/null 2>&1", program ? program : "build/dse", words,
	               folder, folder);
	int status = system(command);
	if (status != code << 8)
		fail_msg("%s: %d", command, status);
}

static int make_runs(void **state)
{
	(void)state;
	if (!temporary_folder(folder, "dse_schema"))
		return -1;
	run("explore spaces/smoke.yaml --detail fast --audit --verify --compare thesis", 0);
	run("explore spaces/smoke.yaml", 0);
	run("explore spaces/smoke.yaml --engine nsga2 --flat", 0);
	run("nightly spaces/smoke.yaml --date 2026-01-01 --tables none", 0);
	return 0;
}

static int remove_runs(void **state)
{
	char command[128];
	(void)state;
	(void)snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

static void check_all(const char *name, size_t n_least)
{
	static const char *const depth[] = {"*", "*/*", "*/*/*"};
	json_t *schema = load_schema(name);
	size_t n = 0;
	for (size_t d = 0; d < 3; d++) {
		char pattern[128], why[512];
		glob_t found;
		(void)snprintf(pattern, sizeof(pattern), "%s/%s/%s.json", folder, depth[d], name);
		bool any = glob(pattern, 0, NULL, &found) == 0;
		for (size_t i = 0; any && i < found.gl_pathc; i++, n++) {
			json_t *value = load(found.gl_pathv[i]);
			if (!schema_holds(schema, value, name, why))
				fail_msg("%s: %s", found.gl_pathv[i], why);
			/* an unknown key, a lost one and another version do not */
			assert_int_equal(json_object_set_new(value, "unknown", json_true()), 0);
			assert_false(schema_holds(schema, value, name, why));
			assert_int_equal(json_object_del(value, "unknown"), 0);
			assert_true(schema_holds(schema, value, name, why));
			assert_int_equal(json_object_set_new(value, "format", json_string("dse run 2")), 0);
			assert_false(schema_holds(schema, value, name, why));
			assert_int_equal(json_object_del(value, "format"), 0);
			assert_false(schema_holds(schema, value, name, why));
			json_decref(value);
		}
		if (any)
			globfree(&found);
	}
	json_decref(schema);
	assert_true(n >= n_least);
}

static void test_schema_of_runs_fronts_and_nights(void **state)
{
	(void)state;
	check_all("run", 4);
	check_all("front", 4);
	check_all("nightly", 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_schema_of_runs_fronts_and_nights)};
	return cmocka_run_group_tests(tests, make_runs, remove_runs);
}
