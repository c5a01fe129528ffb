/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/out/doc_write.h"
#include "dse/out/yaml_write.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool doc_equal(const struct doc_node *left, const struct doc_node *right)
{
	if (!left || !right || left->kind != right->kind)
		return left == right;
	if (left->kind == DOC_SCALAR)
		return strcmp(left->text, right->text) == 0;
	bool same = left->n == right->n;
	for (size_t i = 0; i < left->n && same; i++)
		same = left->kind == DOC_LIST ? doc_equal(left->value[i], right->value[i])
		                              : doc_equal(left->value[i], doc_find(right, left->key[i]->text));
	return same;
}

/* Plain where that can be nothing but this text: a number must stay one, and what is in quotes is none. */
static void write_scalar(FILE *file, const struct doc_node *node)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-/";
	if (!node->quoted && node->text[0] != '\0' && node->text[strspn(node->text, plain)] == '\0')
		(void)fputs(node->text, file);
	else
		yaml_write_quoted(file, node->text);
}

static void write_pair(FILE *file, const struct doc_node *key, const char *text, const struct doc_node *value,
                       const struct doc_edit *edit, bool *is_first)
{
	(void)fputs(*is_first ? "" : ", ", file);
	*is_first = false;
	if (key)
		write_scalar(file, key);
	else if (text)
		yaml_write_quoted(file, text);
	(void)fputs(key || text ? ": " : "", file);
	doc_write(file, value, edit);
}

void doc_write(FILE *file, const struct doc_node *root, const struct doc_edit *edit)
{
	bool is_first = true;
	assert(file && root);
	if (root->kind == DOC_SCALAR) {
		write_scalar(file, root);
		return;
	}
	(void)fputc(root->kind == DOC_MAP ? '{' : '[', file);
	for (size_t i = 0; i < root->n; i++) {
		bool is_place = edit && edit->old_node == root->value[i];
		const struct doc_node *value = is_place ? edit->new_node : root->value[i];
		if (value)
			write_pair(file, root->kind == DOC_MAP ? root->key[i] : NULL, NULL, value,
			           is_place ? NULL : edit, &is_first);
	}
	if (edit && !edit->old_node && edit->parent == root)
		write_pair(file, NULL, edit->key, edit->new_node, NULL, &is_first);
	(void)fputc(root->kind == DOC_MAP ? '}' : ']', file);
}

void doc_print(const struct doc_node *node, char *text, size_t n_byte)
{
	char *all = NULL;
	size_t n = 0;
	assert(text && n_byte > 4);
	if (node && node->kind == DOC_SCALAR) {
		n = (size_t)snprintf(text, n_byte, "%s", node->text);
	} else {
		FILE *file = node ? open_memstream(&all, &n) : NULL;
		if (file)
			doc_write(file, node, NULL);
		bool is_written = file && fclose(file) == 0;
		(void)snprintf(text, n_byte, "%s", is_written && all ? all : "-");
		n = is_written ? n : 1;
	}
	free(all);
	if (n >= n_byte)
		(void)strcpy(text + n_byte - 4, "...");
}
