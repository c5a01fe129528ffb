/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/space/expr.h"
#include "sim/base/unit.h"
#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 64  /* of parentheses and signs; keeps the recursion below bounded */
#define MAX_NODE 1000 /* a long sum is a deep tree */
#define MAX_NAME 64
#define MAX_QUANTITY 32  /* numbers with units in a comparison */
#define MAX_ALLOWED 2048 /* of a list of names in a message */
#define MIN_PART 3       /* letters by which a name is known when it is not misspelt */
#define ALLOWED_OPERAND "a number, a name or '('"
#define ALLOWED_OPERATOR "an operator (+ - * / < <= > >= == != and or) or the end"

/*
 * An expression is a tree of nodes in the arena: parsed once when a space is
 * read, evaluated once a machine candidate, so clarity goes before speed.
 * Comparisons and logic come last in the list: expr_is_condition relies on it.
 */
enum op {
	OP_NUMBER,
	OP_NAME,
	OP_NEGATE,
	OP_NOT,
	OP_ADD,
	OP_SUBTRACT,
	OP_MULTIPLY,
	OP_DIVIDE,
	OP_LESS,
	OP_LESS_EQUAL,
	OP_GREATER,
	OP_GREATER_EQUAL,
	OP_EQUAL,
	OP_NOT_EQUAL,
	OP_AND,
	OP_OR
};

struct node {
	enum op op;
	double number;                   /* OP_NUMBER */
	size_t name;                     /* OP_NAME: index into the names */
	const struct node *left, *right; /* operators with one operand: left */
};

struct expr {
	const char *text;
	const struct node *root;
};

/* A number with a unit, "5 ms", until its comparison says what the unit converts to. */
struct quantity {
	struct node *node;
	const char *text;
	size_t n_byte;
};

/* Grammar, loosest first: or, and, not, one comparison, sums, products, sign, operand. */
struct parser {
	const char *text, *next;
	struct err_place at;
	const char *const *name, *const *unit;
	size_t n_name, n_quantity;
	struct quantity quantity[MAX_QUANTITY];
	unsigned depth, n_node;
	struct arena *arena;
	struct err *err;
	bool failed; /* the first mistake of an expression is reported, what follows would be guesses */
};

/* Parentheses lead back from the operand to the loosest operator. */
static const struct node *parse_or(struct parser *parser);

/* Report at a place in the text; returns NULL, so that parsers can return what it returns. */
static const struct node *fail(struct parser *parser, const char *where, const char *found, const char *allowed,
                               const char *nearest)
{
	struct err_place at = parser->at;
	assert(where >= parser->text);
	for (const char *c = parser->text; c < where; c++)
		at.column += ((unsigned char)*c & 0xC0u) != 0x80u; /* characters, not bytes of UTF-8 */
	if (!parser->failed && nearest)
		err_add_at(parser->err, ERR_INPUT, at, "'%s': found %s, allowed %s, did you mean '%s'?", parser->text,
		           found, allowed, nearest);
	else if (!parser->failed)
		err_add_at(parser->err, ERR_INPUT, at, "'%s': found %s, allowed %s", parser->text, found, allowed);
	parser->failed = true;
	return NULL;
}

static void skip_blanks(struct parser *parser)
{
	while (*parser->next == ' ' || *parser->next == '\t' || *parser->next == '\n')
		parser->next++;
}

/* The word, sign or number at the cursor, in quotes, for "found ...". */
static const struct node *fail_here(struct parser *parser, const char *allowed)
{
	char found[MAX_NAME + 3];
	size_t n = 0;
	const char *word = parser->next;
	if (*word == '\0')
		return fail(parser, word, "the end", allowed, NULL);
	while (n < MAX_NAME && (isalnum((unsigned char)word[n]) || word[n] == '_' || word[n] == '.'))
		n++;
	n = n ? n : 1;
	found[0] = '\'';
	memcpy(found + 1, word, n);
	found[n + 1] = '\'';
	found[n + 2] = '\0';
	return fail(parser, word, found, allowed, NULL);
}

/* A node in the arena, unless parsing has failed: then operands may be missing. */
static struct node *make(struct parser *parser, struct node node)
{
	if (parser->failed)
		return NULL;
	assert(node.op <= OP_OR);
	if (++parser->n_node > MAX_NODE) {
		(void)fail(parser, parser->next, "more than 1000 operands and operators", "at most 1000", NULL);
		return NULL;
	}
	struct node *made = arena_alloc(parser->arena, sizeof(*made));
	if (!made) {
		err_add(parser->err, ERR_INTERNAL, "out of memory");
		parser->failed = true;
		return NULL;
	}
	*made = node;
	return made;
}

/* A word that is no part of a longer word. */
static bool take_word(struct parser *parser, const char *word)
{
	skip_blanks(parser);
	size_t n = strlen(word);
	if (strncmp(parser->next, word, n) != 0)
		return false;
	char after = parser->next[n];
	if (isalnum((unsigned char)after) || after == '_' || after == '.')
		return false;
	parser->next += n;
	return true;
}

/* What no misspelling explains may be a part of a name ("sram" of pe.sram_byte) or have too much ("latency_in_ms"). */
static const char *find_similar(const struct parser *parser, const char *word)
{
	for (size_t i = 0; i < parser->n_name; i++)
		if (strlen(word) >= MIN_PART && strstr(parser->name[i], word))
			return parser->name[i];
	for (size_t i = 0; i < parser->n_name; i++) {
		size_t n = strcspn(parser->name[i], "_");
		if (n >= MIN_PART && strncmp(parser->name[i], word, n) == 0)
			return parser->name[i];
	}
	return NULL;
}

/* All names, after what allowed says already; those that find no room become dots. */
static void list_names(const struct parser *parser, char allowed[MAX_ALLOWED])
{
	size_t at = strlen(allowed);
	for (size_t i = 0; i < parser->n_name; i++) {
		size_t n = strlen(parser->name[i]);
		if (at + n + 8 > MAX_ALLOWED) {
			(void)strcpy(allowed + at, ", ...");
			return;
		}
		(void)strcpy(allowed + at, i ? ", " : ": ");
		(void)strcpy(allowed + at + 2, parser->name[i]);
		at += n + 2;
	}
}

/* Names have dots: mla.array is one name. */
static const struct node *parse_name(struct parser *parser)
{
	const char *begin = parser->next;
	char word[MAX_NAME + 1];
	size_t n = 0;
	while (isalnum((unsigned char)begin[n]) || begin[n] == '_' || begin[n] == '.')
		n++;
	if (n > MAX_NAME)
		return fail(parser, begin, "a name of more than 64 characters", "the name of a parameter or metric",
		            NULL);
	memcpy(word, begin, n);
	word[n] = '\0';
	for (size_t i = 0; i < parser->n_name; i++) {
		if (strcmp(parser->name[i], word) == 0) {
			parser->next += n;
			return make(parser, (struct node){.op = OP_NAME, .name = i});
		}
	}
	char found[MAX_NAME + 16] = "the name '", allowed[MAX_ALLOWED] = "the name of a parameter or metric";
	strcat(found, word);
	strcat(found, "'");
	const char *nearest = err_nearest(word, parser->name, parser->n_name);
	if (!nearest)
		nearest = find_similar(parser, word);
	if (!nearest)
		list_names(parser, allowed);
	return fail(parser, begin, found, allowed, nearest);
}

/* Bytes of a word that may be a unit: letters and digits, and one more such word behind a '/'. */
static size_t unit_length(const char *text, bool with_slash)
{
	size_t n = 0;
	while (isalnum((unsigned char)text[n]))
		n++;
	if (with_slash && n > 0 && text[n] == '/' && isalpha((unsigned char)text[n + 1]))
		for (n++; isalnum((unsigned char)text[n]);)
			n++;
	return n;
}

/* Bytes of the unit, and of the blank before it, that stand behind a number; 0: none. "and" and "or" are none. */
static size_t find_unit(const char *end)
{
	size_t n_blank = *end == ' ';
	for (int with_slash = 1; with_slash >= 0; with_slash--) {
		char name[16], list[UNIT_LIST_SIZE];
		size_t n = unit_length(end + n_blank, with_slash);
		if (n == 0 || n >= sizeof(name) || !isalpha((unsigned char)end[n_blank]) || end[n_blank + n] == '_')
			continue;
		memcpy(name, end + n_blank, n);
		name[n] = '\0';
		unit_list(name, list);
		if (list[0] != '\0')
			return n_blank + n;
	}
	return 0;
}

/* Its value follows from the comparison that it stands in. */
static const struct node *add_quantity(struct parser *parser, const char *begin, size_t n_byte)
{
	if (parser->n_quantity == MAX_QUANTITY)
		return fail(parser, begin, "too many numbers with units", "32 in a comparison", NULL);
	struct node *made = make(parser, (struct node){.op = OP_NUMBER});
	if (made)
		parser->quantity[parser->n_quantity++] = (struct quantity){made, begin, n_byte};
	parser->next = begin + n_byte;
	return made;
}

static const struct node *parse_number(struct parser *parser)
{
	char *end;
	const char *begin = parser->next;
	double value = strtod(begin, &end);
	if (end == begin || !isfinite(value) || strspn(begin, "0123456789.eE+-") < (size_t)(end - begin))
		return fail_here(parser, ALLOWED_OPERAND);
	size_t n_unit = find_unit(end);
	if (n_unit > 0)
		return add_quantity(parser, begin, (size_t)(end - begin) + n_unit);
	/* "16x4" and "0x10" are no numbers here, nor is "2mhz". */
	if (isalnum((unsigned char)*end) || *end == '_' || *end == '.')
		return fail_here(parser, ALLOWED_OPERAND);
	parser->next = end;
	return make(parser, (struct node){.op = OP_NUMBER, .number = value});
}

/* The unit of the names below a node that a quantity converts to, and its value there; false: of two of them. */
static bool convert(const struct parser *parser, const struct node *node, const char *text, const char **unit,
                    double *value)
{
	if (!node)
		return true;
	if (node->op != OP_NAME)
		return convert(parser, node->left, text, unit, value) &&
		       convert(parser, node->right, text, unit, value);
	const char *own = parser->unit ? parser->unit[node->name] : NULL;
	double converted;
	if (!own || !unit_read(text, own, &converted))
		return true;
	if (*unit && strcmp(*unit, own) != 0)
		return false;
	*unit = own;
	*value = converted;
	return true;
}

/* Quantities from begin on are those of this comparison. */
static void convert_quantities(struct parser *parser, size_t begin, const struct node *node)
{
	for (size_t i = begin; i < parser->n_quantity && !parser->failed; i++) {
		const struct quantity *quantity = &parser->quantity[i];
		char text[MAX_NAME + 1], found[MAX_NAME + 3];
		const char *unit = NULL;
		size_t n = quantity->n_byte < MAX_NAME ? quantity->n_byte : MAX_NAME;
		memcpy(text, quantity->text, n);
		text[n] = '\0';
		found[0] = '\'';
		memcpy(found + 1, text, n);
		found[n + 1] = '\'';
		found[n + 2] = '\0';
		if (!convert(parser, node, text, &unit, &quantity->node->number))
			(void)fail(parser, quantity->text, found,
			           "a plain number: what it is compared with is in two units of the kind", NULL);
		else if (!unit)
			(void)fail(parser, quantity->text, found,
			           "a plain number, or a unit of what a name in the comparison is in", NULL);
	}
	parser->n_quantity = begin;
}

/* Recursion follows what the user nests; a file of parentheses must not use up the stack. */
static bool deeper(struct parser *parser)
{
	if (parser->depth < MAX_DEPTH) {
		parser->depth++;
		return true;
	}
	(void)fail(parser, parser->next, "more than 64 nested parentheses or signs", "at most 64", NULL);
	return false;
}

static const struct node *parse_operand(struct parser *parser)
{
	skip_blanks(parser);
	char c = *parser->next;
	if (isdigit((unsigned char)c) || c == '.')
		return parse_number(parser);
	if (c == '(') {
		if (!deeper(parser))
			return NULL;
		parser->next++;
		const struct node *inner = parse_or(parser);
		parser->depth--;
		skip_blanks(parser);
		if (!parser->failed && *parser->next != ')')
			return fail_here(parser, "')' or an operator");
		parser->next += !parser->failed;
		return inner;
	}
	static const char *const word[] = {"and", "or", "not"};
	const char *begin = parser->next;
	for (size_t i = 0; i < sizeof(word) / sizeof(word[0]); i++) {
		if (take_word(parser, word[i])) {
			parser->next = begin;
			return fail_here(parser, ALLOWED_OPERAND);
		}
	}
	if (isalpha((unsigned char)c) || c == '_')
		return parse_name(parser);
	return fail_here(parser, ALLOWED_OPERAND);
}

static const struct node *parse_sign(struct parser *parser)
{
	skip_blanks(parser);
	if (*parser->next != '-')
		return parse_operand(parser);
	if (!deeper(parser))
		return NULL;
	parser->next++;
	const struct node *left = parse_sign(parser);
	parser->depth--;
	return make(parser, (struct node){.op = OP_NEGATE, .left = left});
}

/* Terms with one of two signs between them, from the left: one op for the first sign, other for the second. */
static const struct node *parse_terms(struct parser *parser, const struct node *(*term)(struct parser *parser),
                                      const char signs[3], enum op one, enum op other)
{
	const struct node *left = term(parser);
	for (;;) {
		skip_blanks(parser);
		char c = *parser->next;
		if (parser->failed || (c != signs[0] && c != signs[1]))
			return left;
		parser->next++;
		const struct node *right = term(parser);
		left = make(parser, (struct node){.op = c == signs[0] ? one : other, .left = left, .right = right});
	}
}

static const struct node *parse_product(struct parser *parser)
{
	return parse_terms(parser, parse_sign, "*/", OP_MULTIPLY, OP_DIVIDE);
}

static const struct node *parse_sum(struct parser *parser)
{
	return parse_terms(parser, parse_product, "+-", OP_ADD, OP_SUBTRACT);
}

/* Moves past a comparison sign; OP_NUMBER when there is none. */
static enum op take_comparison(struct parser *parser)
{
	/* the longer signs first, so that <= is not read as < */
	static const struct {
		const char *sign;
		enum op op;
	} comparison[] = {
	    {"<=", OP_LESS_EQUAL}, {">=", OP_GREATER_EQUAL}, {"==", OP_EQUAL},
	    {"!=", OP_NOT_EQUAL},  {"<", OP_LESS},           {">", OP_GREATER},
	};
	skip_blanks(parser);
	for (size_t i = 0; i < sizeof(comparison) / sizeof(comparison[0]); i++) {
		size_t n = strlen(comparison[i].sign);
		if (strncmp(parser->next, comparison[i].sign, n) == 0) {
			parser->next += n;
			return comparison[i].op;
		}
	}
	return OP_NUMBER;
}

/*
 * One comparison only: a < b < c would compare a truth value with c, which is
 * never what was meant.
 */
static const struct node *parse_comparison(struct parser *parser)
{
	size_t begin = parser->n_quantity;
	const struct node *left = parse_sum(parser);
	if (parser->failed)
		return NULL;
	enum op op = take_comparison(parser);
	if (op == OP_NUMBER)
		return left;
	const struct node *right = parse_sum(parser);
	const char *second = parser->next;
	if (!parser->failed && take_comparison(parser) != OP_NUMBER) {
		parser->next = second;
		skip_blanks(parser);
		return fail(parser, parser->next, "a second comparison", "one comparison, joined to others by and, or",
		            NULL);
	}
	const struct node *made = make(parser, (struct node){.op = op, .left = left, .right = right});
	convert_quantities(parser, begin, made);
	return made;
}

static const struct node *parse_not(struct parser *parser)
{
	if (!take_word(parser, "not"))
		return parse_comparison(parser);
	if (!deeper(parser))
		return NULL;
	const struct node *left = parse_not(parser);
	parser->depth--;
	return make(parser, (struct node){.op = OP_NOT, .left = left});
}

static const struct node *parse_and(struct parser *parser)
{
	const struct node *left = parse_not(parser);
	while (!parser->failed && take_word(parser, "and")) {
		const struct node *right = parse_not(parser);
		left = make(parser, (struct node){.op = OP_AND, .left = left, .right = right});
	}
	return left;
}

static const struct node *parse_or(struct parser *parser)
{
	const struct node *left = parse_and(parser);
	while (!parser->failed && take_word(parser, "or")) {
		const struct node *right = parse_and(parser);
		left = make(parser, (struct node){.op = OP_OR, .left = left, .right = right});
	}
	return left;
}

struct expr *expr_parse(const char *text, struct err_place at, const char *const *name, const char *const *unit,
                        size_t n, struct arena *arena, struct err *err)
{
	assert(text && arena);
	assert(name || n == 0);
	struct parser parser = {
	    .text = text, .next = text, .at = at, .name = name, .unit = unit, .n_name = n, .arena = arena, .err = err};
	const struct node *root = parse_or(&parser);
	skip_blanks(&parser);
	if (!parser.failed && *parser.next != '\0')
		(void)fail_here(&parser, ALLOWED_OPERATOR);
	convert_quantities(&parser, 0, root); /* of no comparison */
	if (parser.failed)
		return NULL;
	assert(root);
	assert(parser.depth == 0);

	struct expr *expr = arena_alloc(arena, sizeof(*expr));
	const char *copy = arena_text(arena, text);
	if (!expr || !copy) {
		err_add(err, ERR_INTERNAL, "out of memory");
		return NULL;
	}
	expr->text = copy;
	expr->root = root;
	return expr;
}

static bool is_true(double value)
{
	return !isnan(value) && value != 0;
}

/* Both sides are always computed: expressions have no side effects, and division by zero is a value. */
static double value_of(const struct node *node, const double *value)
{
	assert(node);
	double left = node->left ? value_of(node->left, value) : 0;
	double right = node->right ? value_of(node->right, value) : 0;
	switch (node->op) {
	case OP_NUMBER:
		return node->number;
	case OP_NAME:
		return value[node->name];
	case OP_NEGATE:
		return -left;
	case OP_NOT:
		return !is_true(left);
	case OP_ADD:
		return left + right;
	case OP_SUBTRACT:
		return left - right;
	case OP_MULTIPLY:
		return left * right;
	case OP_DIVIDE:
		return right != 0 ? left / right : (double)NAN;
	case OP_AND:
		return is_true(left) && is_true(right);
	case OP_OR:
		return is_true(left) || is_true(right);
	case OP_LESS:
		return left < right;
	case OP_LESS_EQUAL:
		return left <= right;
	case OP_GREATER:
		return left > right;
	case OP_GREATER_EQUAL:
		return left >= right;
	case OP_EQUAL:
		return left == right;
	case OP_NOT_EQUAL: /* what cannot be computed satisfies nothing, not even this, where C's != would be true */
		return left < right || left > right;
	}
	assert(false);
	return 0;
}

double expr_value(const struct expr *expr, const double *value)
{
	assert(expr);
	return value_of(expr->root, value);
}

const char *expr_text(const struct expr *expr)
{
	assert(expr);
	return expr->text;
}

/* Whether name[i], or any name at all, is in the tree. */
static bool node_uses(const struct node *node, size_t i, bool any)
{
	if (!node)
		return false;
	if (node->op == OP_NAME && (any || node->name == i))
		return true;
	return node_uses(node->left, i, any) || node_uses(node->right, i, any);
}

bool expr_uses(const struct expr *expr, size_t i)
{
	assert(expr);
	return node_uses(expr->root, i, false);
}

bool expr_is_condition(const struct expr *expr)
{
	assert(expr);
	enum op op = expr->root->op;
	return op == OP_NOT || op >= OP_LESS;
}

bool expr_missed_sides(const struct expr *expr, const double *value, double *left, double *right)
{
	assert(expr && value && left && right);
	const struct node *node = expr->root;
	while (node->op == OP_AND || node->op == OP_OR)
		node = is_true(value_of(node->left, value)) ? node->right : node->left;
	if (node->op < OP_LESS || is_true(value_of(node, value)))
		return false;
	*left = value_of(node->left, value);
	*right = value_of(node->right, value);
	return true;
}

/* name <= number where is_upper, else name >= number. */
static bool find_limit(const struct expr *expr, bool is_upper, size_t *name, double *number)
{
	assert(expr && name && number);
	const struct node *root = expr->root;
	bool is_less = root->op == OP_LESS || root->op == OP_LESS_EQUAL;
	if (!is_less && root->op != OP_GREATER && root->op != OP_GREATER_EQUAL)
		return false;
	const struct node *limited = is_less == is_upper ? root->left : root->right;
	const struct node *limit = is_less == is_upper ? root->right : root->left;
	/* a < b limits a by b as a <= b does: values are reals, and a limit is never met exactly by chance */
	if (limited->op != OP_NAME || node_uses(limit, 0, true))
		return false;
	double value = value_of(limit, NULL);
	if (!isfinite(value))
		return false;
	*name = limited->name;
	*number = value;
	return true;
}

bool expr_upper_limit(const struct expr *expr, size_t *name, double *max)
{
	return find_limit(expr, true, name, max);
}

bool expr_lower_limit(const struct expr *expr, size_t *name, double *min)
{
	return find_limit(expr, false, name, min);
}
