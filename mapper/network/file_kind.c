/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/network/file_kind.h"
#include <assert.h>
#include <string.h>
#include <strings.h>

const char *const file_kind_name[N_FILE_KIND] = {"space", "machine", "network"};

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

enum file_kind file_kind_of_path(const char *path)
{
	static const struct {
		const char *ending;
		enum file_kind kind;
	} table[] = {{".csv", FILE_NETWORK}, {".onnx", FILE_NETWORK}, {".cfg", FILE_MACHINE}};
	size_t n = strlen(path);
	for (size_t i = 0; i < N_OF(table); i++)
		if (n >= strlen(table[i].ending) &&
		    strcasecmp(path + n - strlen(table[i].ending), table[i].ending) == 0)
			return table[i].kind;
	return N_FILE_KIND;
}

/* A new key is a row; those that two kinds have stand last. */
static const struct {
	const char *key;
	enum file_kind kind;
} sign[] = {{"objectives", FILE_SPACE}, {"machines", FILE_SPACE}, {"networks", FILE_SPACE}, {"levels", FILE_MACHINE},
            {"target", FILE_MACHINE},   {"mla", FILE_MACHINE},    {"input", FILE_NETWORK},  {"machine", FILE_SPACE},
            {"network", FILE_SPACE},    {"layers", FILE_NETWORK}, {"problem", FILE_NETWORK}};

enum file_kind file_kind_of_keys(const struct doc_node *root)
{
	if (root && root->kind == DOC_LIST && root->n > 0 && doc_find(root->value[0], "equation"))
		return FILE_NETWORK; /* a workload of ZigZag */
	for (size_t i = 0; i < N_OF(sign); i++)
		if (doc_find(root, sign[i].key))
			return sign[i].kind;
	return N_FILE_KIND;
}

/* Whether it has a key of that kind, if only beside others. */
static bool has_sign(const struct doc_node *root, enum file_kind kind)
{
	bool has = false;
	for (size_t i = 0; i < N_OF(sign); i++)
		has =
		    has || (sign[i].kind == kind && strcmp(sign[i].key, "layers") != 0 && doc_find(root, sign[i].key));
	return has;
}

bool file_kind_check(const char *path, const struct doc_node *root, enum file_kind wanted, struct err *err)
{
	assert(path && wanted < N_FILE_KIND);
	enum file_kind kind = root ? file_kind_of_keys(root) : file_kind_of_path(path);
	if (kind == N_FILE_KIND || kind == wanted || (root && has_sign(root, wanted)))
		return true;
	bool is_pair = kind != FILE_SPACE && wanted != FILE_SPACE;
	(void)err_add_at(err, ERR_INPUT, root ? doc_place(root) : (struct err_place){path, 1, 1},
	                 "this is a %s, where a %s is wanted%s", file_kind_name[kind], file_kind_name[wanted],
	                 is_pair ? "; are machine and network swapped?" : "");
	return false;
}
