/* SPDX-License-Identifier: Apache-2.0 */
/* Walking a document: keys and typed values, each mistake reported where it stands. */
#include "sim/base/doc.h"
#include "sim/base/text.h"
#include "sim/base/unit.h"
#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_QUOTE 60u
#define MAX_ALLOWED 512u /* of a list of names in a message */

struct doc_quote doc_quote(const char *text)
{
	struct doc_quote quote = {{0}};
	size_t n = 0;
	assert(text);
	_Static_assert(sizeof(quote.text) >= MAX_QUOTE + 4, "the text, dots and a terminator");

	for (; text[n] && n < MAX_QUOTE; n++)
		quote.text[n] = text[n] == '\n' ? '?' : text[n];
	if (text[n]) {
		/* never half of a UTF-8 character: continuation bytes are 10xxxxxx */
		while (n > 0 && ((unsigned char)text[n] & 0xC0) == 0x80)
			n--;
		(void)strcpy(quote.text + n, "...");
	}
	text_make_printable(quote.text);
	return quote;
}

struct err_place doc_place(const struct doc_node *node)
{
	assert(node);
	return (struct err_place){node->file, node->line, node->column};
}

bool doc_refuse(struct err *err, const struct doc_node *node, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	(void)err_add_list(err, ERR_INPUT, doc_place(node), format, list);
	va_end(list);
	return false;
}

/* What a node is, for "found ...". */
struct doc_found {
	char text[96];
};

static struct doc_found describe(const struct doc_node *node)
{
	struct doc_found found;
	const char *text = "";
	if (node->kind == DOC_LIST)
		text = "a list";
	else if (node->kind == DOC_MAP)
		text = "a map";
	else if (node->text[0] == '\0' && !node->quoted)
		text = "nothing";
	if (text[0])
		(void)snprintf(found.text, sizeof(found.text), "%s", text);
	else
		(void)snprintf(found.text, sizeof(found.text), "%s'%s'", node->quoted ? "the quoted text " : "",
		               doc_quote(node->text).text);
	return found;
}

/* Report the one kind of mistake all values share; false for the caller to return. NULL has made none. */
static bool refuse(const struct doc_node *node, const char *what, const char *allowed, const char *nearest,
                   struct err *err)
{
	if (!node)
		return false;
	struct doc_found found = describe(node);
	return nearest ? doc_refuse(err, node, "%s: found %s, allowed %s, did you mean '%s'?", what, found.text,
	                            allowed, nearest)
	               : doc_refuse(err, node, "%s: found %s, allowed %s", what, found.text, allowed);
}

/* "a, b, c", or as many as fit and how many more there are. */
static void list_names(const char *const *names, size_t n, char text[MAX_ALLOWED])
{
	const size_t n_reserved = 32; /* for the number of those left out */
	size_t n_byte = 0, i = 0;
	text[0] = '\0';
	if (n == 0)
		(void)snprintf(text, MAX_ALLOWED, "none");
	for (; i < n && n_byte + strlen(names[i]) + 2 + n_reserved < MAX_ALLOWED; i++)
		n_byte += (size_t)snprintf(text + n_byte, MAX_ALLOWED - n_byte, "%s%s", i ? ", " : "", names[i]);
	assert(n_byte < MAX_ALLOWED);
	if (i < n)
		(void)snprintf(text + n_byte, MAX_ALLOWED - n_byte, "%sand %zu more", i ? " " : "", n - i);
}

/* A plain scalar is a number, a boolean or a text; a quoted one is only a text. */
static const char *plain_text(const struct doc_node *node)
{
	return node && node->kind == DOC_SCALAR && !node->quoted ? node->text : NULL;
}

const struct doc_node *doc_find(const struct doc_node *map, const char *key)
{
	assert(key);
	if (!map || map->kind != DOC_MAP)
		return NULL;
	for (size_t i = 0; i < map->n; i++)
		if (strcmp(map->key[i]->text, key) == 0)
			return map->value[i];
	return NULL;
}

static bool is_listed(const char *word, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(word, names[i]) == 0)
			return true;
	return false;
}

void doc_check_keys(const struct doc_node *map, const char *const *allowed, size_t n, struct err *err)
{
	char list[MAX_ALLOWED];
	assert(map);
	assert(allowed || n == 0);
	list_names(allowed, n, list);

	if (map->kind != DOC_MAP) {
		(void)doc_refuse(err, map, "found %s, allowed a map with the keys %s", describe(map).text, list);
		return;
	}
	for (size_t i = 0; i < map->n; i++)
		if (!is_listed(map->key[i]->text, allowed, n))
			(void)refuse(map->key[i], "key", list, err_nearest(map->key[i]->text, allowed, n), err);
}

enum parsed { PARSED_NO, PARSED_TOO_LARGE, PARSED_YES };

/* Digits only. No leading zeros: older YAML reads 010 as eight. */
static enum parsed parse_u64(const char *text, uint64_t *value)
{
	if (text[0] == '\0' || (text[0] == '0' && text[1] != '\0'))
		return PARSED_NO;
	uint64_t number = 0;
	bool too_large = false;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return PARSED_NO;
		too_large |= __builtin_mul_overflow(number, 10u, &number);
		too_large |= __builtin_add_overflow(number, (uint64_t)(*text - '0'), &number);
	}
	if (too_large)
		return PARSED_TOO_LARGE;
	*value = number;
	return PARSED_YES;
}

bool doc_get_u64(const struct doc_node *node, const char *what, uint64_t min, uint64_t max, uint64_t *out,
                 struct err *err)
{
	char allowed[96];
	uint64_t value = 0;
	assert(what && out);
	assert(min <= max);
	const char *text = plain_text(node);
	if (text && parse_u64(text, &value) == PARSED_YES && value >= min && value <= max) {
		*out = value;
		return true;
	}
	if (max == UINT64_MAX)
		(void)snprintf(allowed, sizeof(allowed), "a whole number from %llu", (unsigned long long)min);
	else
		(void)snprintf(allowed, sizeof(allowed), "a whole number from %llu to %llu", (unsigned long long)min,
		               (unsigned long long)max);
	return refuse(node, what, allowed, NULL, err);
}

static void describe_range(double min, double max, char *text, size_t n_byte)
{
	if (isfinite(min) && isfinite(max))
		(void)snprintf(text, n_byte, "a number from %.15g to %.15g", min, max);
	else if (isfinite(min))
		(void)snprintf(text, n_byte, "a number from %.15g", min);
	else if (isfinite(max))
		(void)snprintf(text, n_byte, "a number up to %.15g", max);
	else
		(void)snprintf(text, n_byte, "a number");
}

bool doc_get_real(const struct doc_node *node, const char *what, double min, double max, double *out, struct err *err)
{
	char allowed[96];
	assert(what && out);
	assert(min <= max);
	const char *text = plain_text(node);
	if (text && text_is_decimal(text)) {
		double value = strtod(text, NULL);
		if (isfinite(value) && value >= min && value <= max) {
			*out = value;
			return true;
		}
	}
	describe_range(min, max, allowed, sizeof(allowed));
	return refuse(node, what, allowed, NULL, err);
}

bool doc_get_quantity(const struct doc_node *node, const char *what, const char *unit, double min, double max,
                      double *out, struct err *err)
{
	char range[96], described[UNIT_TEXT_SIZE], allowed[sizeof(range) + sizeof(described) + 4];
	double value;
	assert(what && unit && out);
	assert(min <= max);
	const char *text = plain_text(node);
	if (text && unit_read(text, unit, &value) && value >= min && value <= max) {
		*out = value;
		return true;
	}
	describe_range(min, max, range, sizeof(range));
	unit_describe(unit, described);
	(void)snprintf(allowed, sizeof(allowed), "%s (%s)", range, described);
	return refuse(node, what, allowed, NULL, err);
}

/* What other YAML readers take for a boolean; we only suggest it. */
static const char *likely_bool(const char *text)
{
	static const char *const word[][2] = {
	    {"yes", "true"}, {"on", "true"},   {"y", "true"},  {"1", "true"},
	    {"no", "false"}, {"off", "false"}, {"n", "false"}, {"0", "false"},
	};
	static const char *const name[] = {"true", "false"};
	for (size_t i = 0; i < sizeof(word) / sizeof(word[0]); i++) {
		size_t j = 0;
		while (text[j] && tolower((unsigned char)text[j]) == word[i][0][j])
			j++;
		if (!text[j] && !word[i][0][j])
			return word[i][1];
	}
	return err_nearest(text, name, 2);
}

bool doc_get_bool(const struct doc_node *node, const char *what, bool *out, struct err *err)
{
	assert(what && out);
	const char *text = plain_text(node);
	bool is_true = text && strcmp(text, "true") == 0;
	if (!is_true && !(text && strcmp(text, "false") == 0))
		return refuse(node, what, "true or false", text ? likely_bool(text) : NULL, err);
	*out = is_true;
	return true;
}

bool doc_get_text(const struct doc_node *node, const char *what, const char **out, struct err *err)
{
	assert(what && out);
	if (!node || node->kind != DOC_SCALAR || (node->text[0] == '\0' && !node->quoted))
		return refuse(node, what, "a text", NULL, err);
	*out = node->text;
	return true;
}

bool doc_get_name(const struct doc_node *node, const char *what, size_t n_max, const char **out, struct err *err)
{
	const char *text = NULL;
	if (!doc_get_text(node, what, &text, err))
		return false;
	const char *fault = text_name_fault(text, n_max);
	if (fault)
		return doc_refuse(err, node, "%s: found '%s', %s; allowed 1 to %zu bytes of " TEXT_NAME_RULE, what,
		                  doc_quote(text).text, fault, n_max);
	*out = text;
	return true;
}

bool doc_get_choice(const struct doc_node *node, const char *what, const char *const *names, size_t n, size_t *out,
                    struct err *err)
{
	char list[MAX_ALLOWED];
	assert(what && out);
	assert(names && n > 0);
	const char *text = node && node->kind == DOC_SCALAR ? node->text : NULL;
	for (size_t i = 0; text && i < n; i++) {
		if (strcmp(text, names[i]) == 0) {
			*out = i;
			return true;
		}
	}
	list_names(names, n, list);
	return refuse(node, what, list, text ? err_nearest(text, names, n) : NULL, err);
}
