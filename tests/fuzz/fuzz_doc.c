/* SPDX-License-Identifier: Apache-2.0 */
/* YAML documents, from memory; every node is asked for every type. */
#include "sim/base/doc.h"
#include "tests/fuzz/fuzz.h"
#include <math.h>

static void walk(const struct doc_node *node, unsigned depth)
{
	static const char *const name[] = {"name", "layers", "levels"};
	uint64_t whole;
	double real;
	bool truth;
	const char *text;
	size_t choice;
	if (depth > 6)
		return;
	doc_check_keys(node, name, 3, NULL);
	(void)doc_get_u64(node, "a", 0, UINT64_MAX, &whole, NULL);
	(void)doc_get_real(node, "a", -INFINITY, INFINITY, &real, NULL);
	(void)doc_get_bool(node, "a", &truth, NULL);
	(void)doc_get_text(node, "a", &text, NULL);
	struct err err = {0};
	if (!doc_get_choice(node, "a", name, 3, &choice, &err))
		fuzz_answer(ERR_INPUT, &err);
	for (size_t i = 0; i < node->n && i < 100; i++) {
		if (node->kind == DOC_MAP)
			walk(node->key[i], depth + 1);
		walk(node->value[i], depth + 1);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_byte)
{
	struct arena arena = {0};
	struct doc_node *root = NULL;
	struct err err = {0};
	enum err_code code = doc_read_text("input", (const char *)data, n_byte, &arena, &root, &err);
	fuzz_require(code != ERR_OK || root, "no document", NULL);
	if (root)
		walk(root, 0);
	fuzz_answer(code, &err);
	arena_free(&arena);
	return 0;
}
