/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/replay_read.h"
#include "dse/front_file.h"
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Text that grows. */
struct text {
	char *byte;
	size_t n, n_alloc;
	bool failed;
};

/* Doubles its room, so that a long file costs few copies; remembers a failure until somebody asks. */
static void append(struct text *text, const char *byte, size_t n)
{
	assert(byte || n == 0);
	if (text->n + n > text->n_alloc) {
		size_t n_alloc = 2 * (text->n + n);
		char *grown = realloc(text->byte, n_alloc);
		if (!grown) {
			text->failed = true;
			return;
		}
		text->byte = grown;
		text->n_alloc = n_alloc;
	}
	memcpy(text->byte + text->n, byte, n);
	text->n += n;
}

/* The lines before the points, the wanted point, and the brackets that close the document. */
static void take_lines(FILE *file, uint64_t id, struct text *text)
{
	char *line = NULL, wanted[48];
	size_t n_alloc = 0;
	ssize_t n;
	bool in_points = false;
	(void)snprintf(wanted, sizeof(wanted), "\t\t{\"id\": %" PRIu64 ",", id);
	while ((n = getline(&line, &n_alloc, file)) > 0) {
		if (!in_points) {
			append(text, line, (size_t)n);
			in_points = strncmp(line, "\t\"points\": [", 12) == 0;
		} else if (strncmp(line, wanted, strlen(wanted)) == 0) {
			while (n > 0 && (line[n - 1] == '\n' || line[n - 1] == ','))
				n--;
			append(text, line, (size_t)n);
			break;
		}
	}
	append(text, "\n]}\n", 4);
	free(line);
}

static const struct doc_node *find_point(const struct doc_node *root, uint64_t id)
{
	const struct doc_node *points = doc_find(root, "points");
	for (size_t i = 0; points && points->kind == DOC_LIST && i < points->n; i++) {
		const struct doc_node *own = doc_find(points->value[i], "id");
		uint64_t value;
		struct err ignored = {0};
		bool found = own && doc_get_u64(own, "id", 0, UINT64_MAX, &value, &ignored) && value == id;
		err_clear(&ignored);
		if (found)
			return points->value[i];
	}
	return NULL;
}

enum err_code replay_read_point(const char *path, uint64_t id, struct arena *arena, const struct doc_node **root,
                                const struct doc_node **point, struct err *err)
{
	struct doc_node *document = NULL;
	struct text text = {0};
	struct err ignored = {0};
	assert(path && arena && root && point);
	*point = NULL;
	FILE *file = fopen(path, "r");
	if (!file)
		return err_add(err, ERR_IO, "%s: cannot read: %s", path, strerror(errno));
	take_lines(file, id, &text);
	(void)fclose(file);
	if (!text.failed && doc_read_text(path, text.byte, text.n, arena, &document, &ignored) == ERR_OK)
		*point = find_point(document, id);
	err_clear(&ignored);
	free(text.byte);
	if (!*point) {
		enum err_code code = doc_read_file(path, arena, &document, err);
		if (code != ERR_OK)
			return code;
		*point = find_point(document, id);
	}
	const struct doc_node *format = doc_find(document, "format");
	if (!format || format->kind != DOC_SCALAR || strcmp(format->text, FRONT_FORMAT) != 0)
		return err_add(err, ERR_INPUT, "%s: not a front.json of dse explore ('format' is not '%s')", path,
		               FRONT_FORMAT);
	if (!*point)
		return err_add(err, ERR_INPUT, "%s: no point with id %" PRIu64, path, id);
	*root = document;
	return ERR_OK;
}
