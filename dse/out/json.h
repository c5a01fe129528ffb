/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_JSON_H
#define DSE_JSON_H
/*
 * JSON writer: values go straight to a stream, keys in the order they are written, so that a front of any size needs no
 * memory. Only json.c knows jansson, which escapes texts.
 */
#include "dse/base/number.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_MAX_DEPTH 32

/* Initialise with json_start. Errors of the stream stay in the stream: check ferror at the end. */
struct json {
	FILE *file;
	unsigned depth;
	unsigned n_open_lines; /* containers nested deeper than this stand on one line */
	bool is_tight;         /* no blanks behind commas and colons; the caller's choice after json_start */
	bool is_list[JSON_MAX_DEPTH];
	bool has_item[JSON_MAX_DEPTH];
};

/* n_open_lines: how many levels of nesting are spread over lines, one item each. */
void json_start(struct json *json, FILE *file, unsigned n_open_lines);

/* The same for a document that is an object, which is begun. */
void json_start_object(struct json *json, FILE *file, unsigned n_open_lines);

/* Finish the document; what has not been ended is. */
void json_finish(struct json *json);

/*
 * A writer of some items of the list or object that json has begun last, into another file: what stands there goes
 * behind what json has written. has_item: others come before them. json is only read; json_skip tells it afterwards.
 */
void json_go_on(struct json *part, const struct json *json, FILE *file, bool has_item);
void json_skip(struct json *json, bool has_item);

/* key is the name in an object; NULL in a list or at the top. */
void json_begin_object(struct json *json, const char *key);
void json_begin_list(struct json *json, const char *key);
void json_end(struct json *json);
void json_put_text(struct json *json, const char *key,
                   const char *text); /* NULL: null; bytes that are not UTF-8 become '?' */
void json_put_lines(struct json *json, const char *key, const char *text); /* a list of the text's lines */
void json_put_real(struct json *json, const char *key, double value);      /* not finite: null */
void json_put_u64(struct json *json, const char *key, uint64_t value);
void json_put_number(struct json *json, const char *key, double value); /* as number_print has it, so 3.0 is 3 */
void json_put_bool(struct json *json, const char *key, bool value);

/*
 * Several, each a key and a conversion of dse/out/format_item.h, with ", " between them: "layer %s, time_ms %g, exact
 * %d". %s is json_put_text, %g json_put_real, %u json_put_u64 and %d json_put_bool. json_put_object puts them as an
 * object.
 */
void json_put_fields(struct json *json, const char *format, ...) __attribute__((format(printf, 2, 3)));
void json_put_object(struct json *json, const char *key, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
