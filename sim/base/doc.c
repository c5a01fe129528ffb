/* SPDX-License-Identifier: Apache-2.0 */
/* Documents: libyaml's events become a tree, anchors and aliases resolved, limits kept. */
#include "sim/base/doc.h"
#include "sim/base/file.h"
#include "sim/base/hash.h"
#include "sim/base/text.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#define MAX_BYTE ((size_t)64 << 20)
#define MAX_DEPTH 64u
#define MAX_NODE ((uint64_t)4000000) /* each as often as a walk of the tree meets it, so aliases cannot multiply */
#define MAX_ANCHOR 1024u

struct anchor {
	char *name;
	struct doc_node *node; /* NULL while its value is still being read */
	uint64_t n_node;
	unsigned height;
};

/*
 * Children wait on one stack until their list or map ends and their number is
 * known; then they move into the arena:
 *
 *   stack   [ a b c | d e | f ... ]      lists and maps still open, outermost left
 */
struct doc_reader {
	yaml_parser_t parser;
	const char *file;
	const char *input;
	struct arena *arena;
	struct err *err;
	enum err_code code; /* of the first mistake */
	struct doc_node **stack;
	size_t n_stack, n_stack_alloc;
	uint64_t n_node;
	struct anchor *anchor; /* [MAX_ANCHOR], made with the first */
	size_t n_anchor;
};

/* A node and how many levels of lists and maps it holds (0: a scalar). */
struct built {
	struct doc_node *node;
	unsigned height;
};

static bool read_value(struct doc_reader *reader, const yaml_event_t *event, unsigned depth, struct built *built);

static struct err_place place_of(const struct doc_reader *reader, yaml_mark_t mark)
{
	return (struct err_place){reader->file, (unsigned)mark.line + 1, (unsigned)mark.column + 1};
}

/* Keep the first code; false, so that a caller can give up with it. */
static bool note(struct doc_reader *reader, enum err_code code)
{
	assert(code != ERR_OK);
	if (reader->code == ERR_OK)
		reader->code = code;
	return false;
}

static bool out_of_memory(struct doc_reader *reader)
{
	return note(reader, err_add(reader->err, ERR_INTERNAL, "%s: out of memory", reader->file));
}

/* Report a mistake of the file; false. The texts of others that it repeats are quotes, which are short. */
__attribute__((format(printf, 3, 4))) static bool mistake(struct doc_reader *reader, struct err_place at,
                                                          const char *format, ...)
{
	char text[512];
	TEXT_FILL(text, format);
	return note(reader, err_add_at(reader->err, ERR_INPUT, at, "%s", text));
}

/* Bytes that are no text at all: libyaml knows only their offset. */
static bool report_bytes(struct doc_reader *reader)
{
	struct err_place at = {reader->file, 1, 1};
	for (size_t i = 0; i < reader->parser.problem_offset; i++) {
		at.column++;
		if (reader->input[i] == '\n') {
			at.line++;
			at.column = 1;
		}
	}
	return mistake(reader, at, "found %s, allowed UTF-8 text",
	               reader->parser.problem ? reader->parser.problem : "unreadable bytes");
}

static bool report_syntax(struct doc_reader *reader)
{
	const yaml_parser_t *parser = &reader->parser;
	if (parser->error == YAML_MEMORY_ERROR)
		return out_of_memory(reader);
	if (parser->error == YAML_READER_ERROR)
		return report_bytes(reader);

	const char *problem = parser->problem ? parser->problem : "cannot be understood";
	const char *hint = strstr(problem, "cannot start any token")
	                       ? "; indent with spaces, and quote a value that begins with @, % or `"
	                       : "";
	struct err_place at = place_of(reader, parser->problem_mark);
	if (parser->context)
		return mistake(reader, at, "YAML syntax: %s, %s that begins in line %zu%s", problem, parser->context,
		               parser->context_mark.line + 1, hint);
	return mistake(reader, at, "YAML syntax: %s%s", problem, hint);
}

static bool next_event(struct doc_reader *reader, yaml_event_t *event)
{
	return yaml_parser_parse(&reader->parser, event) ? true : report_syntax(reader);
}

static bool push(struct doc_reader *reader, struct doc_node *node)
{
	assert(node);
	if (reader->n_stack == reader->n_stack_alloc) {
		size_t n_alloc = reader->n_stack_alloc ? 2 * reader->n_stack_alloc : 256;
		struct doc_node **stack = realloc(reader->stack, n_alloc * sizeof(struct doc_node *));
		if (!stack)
			return out_of_memory(reader);
		reader->stack = stack;
		reader->n_stack_alloc = n_alloc;
	}
	reader->stack[reader->n_stack++] = node;
	return true;
}

static bool count_nodes(struct doc_reader *reader, yaml_mark_t mark, uint64_t n)
{
	reader->n_node += n;
	if (reader->n_node <= MAX_NODE)
		return true;
	return mistake(reader, place_of(reader, mark), "found over %llu values (aliases written out), allowed %llu",
	               (unsigned long long)MAX_NODE, (unsigned long long)MAX_NODE);
}

static struct doc_node *make_node(struct doc_reader *reader, yaml_mark_t mark, enum doc_kind kind)
{
	if (!count_nodes(reader, mark, 1))
		return NULL;
	struct doc_node *node = arena_alloc(reader->arena, sizeof(*node));
	if (!node) {
		(void)out_of_memory(reader);
		return NULL;
	}
	node->kind = kind;
	node->file = reader->file;
	node->line = (unsigned)mark.line + 1;
	node->column = (unsigned)mark.column + 1;
	return node;
}

/* Tags change the type of a value behind its text; we read none, but can go on without. */
static void refuse_tag(struct doc_reader *reader, const yaml_event_t *event, const yaml_char_t *tag)
{
	if (!tag)
		return;
	(void)mistake(reader, place_of(reader, event->start_mark), "found the tag '%s', allowed values without tags",
	              doc_quote((const char *)tag).text);
}

/* Names and texts are shown, and written to files; what no reader refuses is refused here, and the others are looked
 * for. */
static void refuse_unprintable(struct doc_reader *reader, const yaml_event_t *event, const char *text)
{
	const char *at = text + text_printable_span(text, "\t\n");
	if (*at)
		(void)mistake(reader, place_of(reader, event->start_mark),
		              "found '%s' with byte 0x%02x, allowed printable text without control and invisible "
		              "characters",
		              doc_quote(text).text, (unsigned char)*at);
}

/* ---- anchors and aliases ------------------------------------------------------------------------ */

/* Remember an anchor whose value begins here; *index is where, MAX_ANCHOR when there is no anchor. */
static bool open_anchor(struct doc_reader *reader, yaml_mark_t mark, const yaml_char_t *name, size_t *index)
{
	*index = MAX_ANCHOR;
	if (!name)
		return true;
	if (reader->n_anchor == MAX_ANCHOR)
		return mistake(reader, place_of(reader, mark), "found over %u anchors, allowed %u", MAX_ANCHOR,
		               MAX_ANCHOR);
	if (!reader->anchor)
		reader->anchor = arena_array(reader->arena, MAX_ANCHOR, sizeof(*reader->anchor));
	char *copy = arena_text(reader->arena, (const char *)name);
	if (!reader->anchor || !copy)
		return out_of_memory(reader);
	*index = reader->n_anchor++;
	reader->anchor[*index] = (struct anchor){.name = copy};
	return true;
}

static void close_anchor(struct doc_reader *reader, size_t index, const struct built *built, uint64_t n_node)
{
	if (index == MAX_ANCHOR)
		return;
	assert(index < reader->n_anchor);
	assert(!reader->anchor[index].node);
	reader->anchor[index].node = built->node;
	reader->anchor[index].height = built->height;
	reader->anchor[index].n_node = n_node;
}

/* The latest anchor of a name counts, as YAML has it. */
static const struct anchor *find_anchor(const struct doc_reader *reader, const char *name)
{
	for (size_t i = reader->n_anchor; i-- > 0;)
		if (strcmp(reader->anchor[i].name, name) == 0)
			return &reader->anchor[i];
	return NULL;
}

static bool read_alias(struct doc_reader *reader, const yaml_event_t *event, unsigned depth, struct built *built)
{
	const char *name = (const char *)event->data.alias.anchor;
	const struct anchor *anchor = find_anchor(reader, name);
	if (!anchor || !anchor->node)
		return mistake(
		    reader, place_of(reader, event->start_mark), "found the alias '*%s', %s", doc_quote(name).text,
		    anchor ? "which lies inside the value it names" : "allowed anchors ('&name') that stand before it");
	if (depth + anchor->height > MAX_DEPTH)
		return mistake(reader, place_of(reader, event->start_mark),
		               "found lists and maps nested over 64 levels, allowed 64");
	built->node = anchor->node;
	built->height = anchor->height;
	return count_nodes(reader, event->start_mark, anchor->n_node);
}

/* ---- scalars, lists and maps -------------------------------------------------------------------- */

static bool read_scalar(struct doc_reader *reader, const yaml_event_t *event, struct built *built)
{
	const char *text = (const char *)event->data.scalar.value;
	size_t n_byte = event->data.scalar.length, anchor;
	if (memchr(text, '\0', n_byte))
		return mistake(reader, place_of(reader, event->start_mark),
		               "found a zero byte in a text, allowed text");
	refuse_tag(reader, event, event->data.scalar.tag);
	refuse_unprintable(reader, event, text);
	if (!open_anchor(reader, event->start_mark, event->data.scalar.anchor, &anchor))
		return false;

	struct doc_node *node = make_node(reader, event->start_mark, DOC_SCALAR);
	if (!node)
		return false;
	node->text = arena_text(reader->arena, text);
	if (!node->text)
		return out_of_memory(reader);
	node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
	*built = (struct built){node, 0};
	close_anchor(reader, anchor, built, 1);
	return true;
}

static void report_duplicate(struct doc_reader *reader, const struct doc_node *key, const struct doc_node *first)
{
	(void)mistake(reader, doc_place(key), "found the key '%s' again, allowed once; the first is in line %u",
	              doc_quote(key->text).text, first->line);
}

/* A hash table rather than comparing all pairs, which a file of a million keys would turn into hours. */
static bool check_duplicates(struct doc_reader *reader, const struct doc_node *map)
{
	size_t n_slot = 8;
	while (n_slot < 2 * map->n)
		n_slot *= 2;
	const struct doc_node **slot = calloc(n_slot, sizeof(*slot));
	if (!slot)
		return out_of_memory(reader);

	for (size_t i = 0; i < map->n; i++) {
		const struct doc_node *key = map->key[i];
		if (key->kind != DOC_SCALAR)
			continue;
		size_t at = (size_t)hash_bytes(key->text, strlen(key->text), 0) & (n_slot - 1);
		while (slot[at] && strcmp(slot[at]->text, key->text) != 0)
			at = (at + 1) & (n_slot - 1);
		if (slot[at])
			report_duplicate(reader, key, slot[at]);
		else
			slot[at] = key;
	}
	free((void *)slot);
	return true;
}

/* Move the children from stack[first..] to the node. */
static bool take_children(struct doc_reader *reader, struct doc_node *node, size_t first)
{
	size_t n_child = reader->n_stack - first, n_part = node->kind == DOC_MAP ? 2 : 1;
	assert(first <= reader->n_stack);
	assert(n_child % n_part == 0);

	node->n = n_child / n_part;
	reader->n_stack = first;
	if (n_child == 0)
		return true;
	struct doc_node **child = reader->stack + first;
	node->value = arena_array(reader->arena, node->n, sizeof(struct doc_node *));
	if (node->kind == DOC_MAP)
		node->key = arena_array(reader->arena, node->n, sizeof(struct doc_node *));
	if (!node->value || (node->kind == DOC_MAP && !node->key))
		return out_of_memory(reader);
	for (size_t i = 0; i < node->n; i++) {
		node->value[i] = child[n_part * i + n_part - 1];
		if (node->kind == DOC_MAP)
			node->key[i] = child[n_part * i];
	}
	return node->kind == DOC_MAP ? check_duplicates(reader, node) : true;
}

/* One child of a list or map; *end when there was none left. */
static bool read_child(struct doc_reader *reader, unsigned depth, bool is_key, bool *end, unsigned *height)
{
	yaml_event_t event;
	struct built child = {0};
	if (!next_event(reader, &event))
		return false;

	bool good = true;
	*end = event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT;
	if (!*end) {
		good = read_value(reader, &event, depth + 1, &child) && push(reader, child.node);
		if (good && is_key && child.node->kind != DOC_SCALAR)
			good = mistake(reader, place_of(reader, event.start_mark),
			               "found a list or map as a key, allowed a text");
		if (good && child.height + 1 > *height)
			*height = child.height + 1;
	}
	yaml_event_delete(&event);
	return good;
}

static bool read_collection(struct doc_reader *reader, const yaml_event_t *event, unsigned depth, struct built *built)
{
	bool is_map = event->type == YAML_MAPPING_START_EVENT, end = false, is_key = is_map;
	size_t first = reader->n_stack, anchor;
	uint64_t n_before = reader->n_node;
	if (depth > MAX_DEPTH)
		return mistake(reader, place_of(reader, event->start_mark),
		               "found lists and maps nested over 64 levels, allowed 64");
	refuse_tag(reader, event, is_map ? event->data.mapping_start.tag : event->data.sequence_start.tag);
	if (!open_anchor(reader, event->start_mark,
	                 is_map ? event->data.mapping_start.anchor : event->data.sequence_start.anchor, &anchor))
		return false;
	built->node = make_node(reader, event->start_mark, is_map ? DOC_MAP : DOC_LIST);
	built->height = 1;
	if (!built->node)
		return false;
	while (!end) {
		if (!read_child(reader, depth, is_key, &end, &built->height))
			return false;
		is_key = is_map && !is_key;
	}
	if (!take_children(reader, built->node, first))
		return false;
	close_anchor(reader, anchor, built, reader->n_node - n_before);
	return true;
}

/* depth: levels of lists and maps, this one included if it is one. */
static bool read_value(struct doc_reader *reader, const yaml_event_t *event, unsigned depth, struct built *built)
{
	assert(depth >= 1 && depth <= MAX_DEPTH + 1);
	switch (event->type) {
	case YAML_ALIAS_EVENT:
		return read_alias(reader, event, depth - 1, built);
	case YAML_SCALAR_EVENT:
		return read_scalar(reader, event, built);
	default:
		assert(event->type == YAML_SEQUENCE_START_EVENT || event->type == YAML_MAPPING_START_EVENT);
		return read_collection(reader, event, depth, built);
	}
}

/* ---- the document ------------------------------------------------------------------------------- */

/* The next event must be of this type; anything else is reported as the given mistake. */
static bool expect(struct doc_reader *reader, yaml_event_type_t type, const char *otherwise)
{
	yaml_event_t event;
	if (!next_event(reader, &event))
		return false;
	bool good = event.type == type ? true : mistake(reader, place_of(reader, event.start_mark), "%s", otherwise);
	yaml_event_delete(&event);
	return good;
}

static bool read_document(struct doc_reader *reader, struct doc_node **root)
{
	yaml_event_t event;
	struct built built = {0};
	if (!expect(reader, YAML_STREAM_START_EVENT, "found no text") ||
	    !expect(reader, YAML_DOCUMENT_START_EVENT, "found an empty file, allowed one YAML document") ||
	    !next_event(reader, &event))
		return false;
	bool good = read_value(reader, &event, 1, &built);
	yaml_event_delete(&event);
	if (!good || !expect(reader, YAML_DOCUMENT_END_EVENT, "found more after the document's end") ||
	    !expect(reader, YAML_STREAM_END_EVENT, "found a second document, allowed one a file"))
		return false;
	assert(reader->n_stack == 0);
	*root = built.node;
	return true;
}

enum err_code doc_read_text(const char *name, const char *text, size_t n_byte, struct arena *arena,
                            struct doc_node **root, struct err *err)
{
	assert(name && arena && root);
	assert(text || n_byte == 0);
	*root = NULL;
	if (n_byte > MAX_BYTE)
		return err_add(err, ERR_INPUT, "%s: found over 64 MiB, allowed 64 MiB", name);

	struct doc_reader reader = {.file = arena_text(arena, name), .input = text, .arena = arena, .err = err};
	if (!reader.file || !yaml_parser_initialize(&reader.parser))
		return err_add(err, ERR_INTERNAL, "%s: out of memory", name);
	yaml_parser_set_input_string(&reader.parser, (const unsigned char *)text, n_byte);
	bool good = read_document(&reader, root);
	assert(good || reader.code != ERR_OK);
	assert(good == (*root != NULL));
	(void)good;
	yaml_parser_delete(&reader.parser);
	free(reader.stack);
	return reader.code;
}

enum err_code doc_read_file(const char *path, struct arena *arena, struct doc_node **root, struct err *err)
{
	assert(path && root);
	char *buffer = NULL;
	size_t n_byte = 0;
	*root = NULL;
	enum err_code code = file_read(path, MAX_BYTE, &buffer, &n_byte, err);
	if (code == ERR_OK)
		code = doc_read_text(path, buffer, n_byte, arena, root, err);
	free(buffer);
	return code;
}
