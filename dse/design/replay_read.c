/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/design/replay_read.h"
#include "dse/design/front_read.h"
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Numbers of the designs a point names; n may be 0. */
struct wanted {
	uint64_t id;
	size_t n_design;
	const uint64_t *design; /* [n_design] ascending */
};

static int compare_numbers(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
	return a < b ? -1 : a > b;
}

/* The number behind a prefix of the line; false when the line has another one. */
static bool line_number(const char *line, const char *prefix, uint64_t *number)
{
	size_t n = strlen(prefix);
	if (strncmp(line, prefix, n) != 0)
		return false;
	*number = strtoull(line + n, NULL, 10);
	return true;
}

/* Whether a line is an item (design or point) and, if so, whether it is wanted. */
static bool is_item(const char *line, const struct wanted *wanted, bool *is_wanted)
{
	uint64_t number;
	if (line_number(line, FRONT_DESIGN_LINE, &number)) {
		*is_wanted = wanted->n_design > 0 && bsearch(&number, wanted->design, wanted->n_design, sizeof(number),
		                                             compare_numbers) != NULL;
		return true;
	}
	if (!line_number(line, FRONT_POINT_LINE, &number))
		return false;
	*is_wanted = number == wanted->id;
	return true;
}

/* All lines but the items that are not wanted. The comma between items goes before each item but the first. */
static void take_lines(FILE *file, const struct wanted *wanted, FILE *text)
{
	char *line = NULL;
	size_t n_alloc = 0;
	ssize_t n;
	bool has_item = false, is_wanted;
	while ((n = getline(&line, &n_alloc, file)) > 0) {
		if (!is_item(line, wanted, &is_wanted)) {
			(void)fwrite(line, 1, (size_t)n, text);
			has_item = false;
		} else if (is_wanted) {
			while (n > 0 && (line[n - 1] == '\n' || line[n - 1] == ','))
				n--;
			(void)fprintf(text, "%s%.*s\n", has_item ? "," : "", (int)n, line);
			has_item = true;
		}
	}
	free(line);
}

/* The item of a list of maps whose key has this number. */
static const struct doc_node *find_item(const struct doc_node *list, const char *key, uint64_t number)
{
	for (size_t i = 0; list && list->kind == DOC_LIST && i < list->n; i++) {
		uint64_t value;
		if (doc_get_u64(doc_find(list->value[i], key), key, 0, UINT64_MAX, &value, NULL) && value == number)
			return list->value[i];
	}
	return NULL;
}

const struct doc_node *replay_find_design(const struct doc_node *root, uint64_t number)
{
	return find_item(doc_find(root, "designs"), "design", number);
}

/* Read what is wanted; NULL when the file is not laid out as explore does it. */
static const struct doc_node *read_lines(const char *path, const struct wanted *wanted, struct arena *arena)
{
	struct doc_node *document = NULL;
	char *byte = NULL;
	size_t n = 0;
	FILE *file = fopen(path, "r"), *text = open_memstream(&byte, &n);
	if (file && text)
		take_lines(file, wanted, text);
	bool done = file && text && ferror(text) == 0;
	done = text && fclose(text) == 0 && done;
	if (file)
		(void)fclose(file);
	if (!done || doc_read_text(path, byte, n, arena, &document, NULL) != ERR_OK)
		document = NULL;
	free(byte);
	return document;
}

/* The designs a point names; false when it names none or memory is out. */
static bool list_designs(const struct doc_node *point, struct arena *arena, struct wanted *wanted)
{
	const struct doc_node *networks = doc_find(point, "networks");
	size_t n = 0;
	uint64_t *design = NULL;
	for (size_t pass = 0; pass < 2 && networks && networks->kind == DOC_LIST; pass++) {
		size_t at = 0;
		for (size_t i = 0; i < networks->n; i++) {
			const struct doc_node *layers = doc_find(networks->value[i], "layers");
			for (size_t k = 0; layers && layers->kind == DOC_LIST && k < layers->n; k++, at++)
				if (pass == 1 &&
				    !doc_get_u64(layers->value[k], "layer", 0, UINT64_MAX, &design[at], NULL))
					design[at] = UINT64_MAX;
		}
		n = at;
		design = pass == 0 ? arena_array(arena, n + 1, sizeof(*design)) : design;
		if (!design)
			return false;
	}
	if (design)
		qsort(design, n, sizeof(*design), compare_numbers);
	wanted->n_design = n;
	wanted->design = design;
	return n > 0;
}

enum err_code replay_read_point(const char *path, uint64_t id, struct arena *arena, const struct doc_node **root,
                                const struct doc_node **point, struct err *err)
{
	struct wanted wanted = {.id = id};
	assert(path && arena && root && point);
	struct stat status;
	if (stat(path, &status) != 0 || access(path, R_OK) != 0)
		return err_add(err, ERR_IO, "%s: cannot read: %s", path, strerror(errno));
	/* First the point, then the file again with the designs it names; what can be read once is read as a whole. */
	const struct doc_node *document = S_ISREG(status.st_mode) ? read_lines(path, &wanted, arena) : NULL;
	*point = document ? find_item(doc_find(document, "points"), "id", id) : NULL;
	if (*point && list_designs(*point, arena, &wanted)) {
		document = read_lines(path, &wanted, arena);
		*point = document ? find_item(doc_find(document, "points"), "id", id) : NULL;
	}
	if (!*point) {
		struct doc_node *whole = NULL;
		enum err_code code = doc_read_file(path, arena, &whole, err);
		if (code != ERR_OK)
			return code;
		document = whole;
		*point = find_item(doc_find(document, "points"), "id", id);
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
