/* SPDX-License-Identifier: Apache-2.0 */
/* Which reader a network's file is for: by the ending of its name. */
#include "mapper/network/network_read.h"
#include "mapper/network/file_kind.h"
#include <assert.h>
#include <string.h>
#include <strings.h>

/* A new format is a row here and a file of its own. */
static const struct {
	const char *ending;
	enum err_code (*read)(const char *path, struct network *network, struct err *err);
} format_table[] = {{".csv", network_read_topology}, {".onnx", network_read_onnx}};

enum err_code network_read(const char *path, struct network *network, struct err *err)
{
	assert(path && network);
	memset(network, 0, sizeof(*network));
	if (!file_kind_check(path, NULL, FILE_NETWORK, err))
		return ERR_INPUT;
	size_t n = strlen(path);
	for (size_t i = 0; i < sizeof(format_table) / sizeof(format_table[0]); i++) {
		size_t n_ending = strlen(format_table[i].ending);
		if (n > n_ending && strcasecmp(path + n - n_ending, format_table[i].ending) == 0)
			return format_table[i].read(path, network, err);
	}
	return network_read_yaml(path, network, err);
}
