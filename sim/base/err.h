/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_BASE_ERR_H
#define SIM_BASE_ERR_H
/*
 * Error record: every fallible function takes one as its last argument and
 * returns its code. A record collects several messages, because all mistakes
 * of a file are reported in one pass. Nothing here exits or prints.
 */
#include <stdarg.h>
#include <stddef.h>

/* Codes are the exit codes of the command line. */
enum err_code {
	ERR_OK = 0,
	ERR_INTERNAL = 1,   /* our own bug */
	ERR_USAGE = 2,      /* the command line is wrong */
	ERR_INPUT = 3,      /* a file is wrong */
	ERR_INFEASIBLE = 4, /* no feasible design */
	ERR_IO = 5,         /* reading or writing failed */
	ERR_GATE = 6,       /* a limit asked for was exceeded */
	ERR_INTERRUPTED = 130
};

/* Initialise with `struct err err = {0};`. The record owns its text. */
struct err {
	enum err_code code; /* of the first message; ERR_OK when there is none */
	unsigned n_message;
	char *text; /* messages, one a line, each ending in '\n'; NULL when empty */
	size_t n_byte, n_alloc;
};

/* Where in a user's file something stands; file NULL: nowhere in particular. */
struct err_place {
	const char *file;
	unsigned line, column; /* counted from 1 */
};

/*
 * Append a message. Returns the code given, so that
 * `return err_add(err, ERR_INPUT, ...)` reads well. err may be NULL: then only
 * the code is returned. Bytes that are not printable (sim/base/text.h) become '?', line feeds
 * blanks. After a thousand messages the others are counted only; one line says so.
 */
enum err_code err_add(struct err *err, enum err_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same, with `file:line:column: ` before the message. */
enum err_code err_add_at(struct err *err, enum err_code code, struct err_place at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The same, of a list of arguments. */
enum err_code err_add_list(struct err *err, enum err_code code, struct err_place at, const char *format, va_list list)
    __attribute__((format(printf, 4, 0)));

/*
 * Append every message of part under part's code, each with `file:line:column: `
 * before it when at.file is not NULL; part is untouched. Returns part's code.
 */
enum err_code err_add_all(struct err *err, struct err_place at, const struct err *part);

/* The same; part is cleared. */
enum err_code err_move(struct err *err, struct err_place at, struct err *part);

/* The text collected so far, "" when there is none; owned by err. */
const char *err_text(const struct err *err);

/* Forget all messages and free their memory; the record can be used again. */
void err_clear(struct err *err);

/*
 * The name in names[0..n-1] nearest to word (edit distance), or NULL when none
 * is near enough to be meant. For "did you mean ...".
 */
const char *err_nearest(const char *word, const char *const *names, size_t n);

/*
 * The index of a value among allowed [n]. ERR_USAGE with what is allowed and the nearest: "WHAT is 'evnt', allowed are
 * ..."; *index is untouched then.
 */
enum err_code err_choose(const char *what, const char *value, const char *const *allowed, size_t n, size_t *index,
                         struct err *err);

#endif
