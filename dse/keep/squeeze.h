/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_SQUEEZE_H
#define DSE_SQUEEZE_H
/*
 * Squeeze: bytes to fewer bytes and back (zlib's format, which every language's
 * standard library reads). A front of a thousand points squeezes to a twentieth.
 * Only squeeze.c knows zlib.
 */
#include "sim/base/err.h"
#include <stddef.h>
#include <stdint.h>

/*
 * Squeeze data [n_byte] to [*n_out] bytes, which the caller frees, on n_thread threads; the bytes do not depend on
 * their number.
 */
uint8_t *squeeze(const void *data, size_t n_byte, unsigned n_thread, size_t *n_out);

/*
 * Expand data [n_byte] to *out, which the caller frees; a zero byte follows its n_out bytes. ERR_INPUT when data is
 * damaged or does not expand to n_out bytes, or to others than those with this hash (as hash_hex has it; NULL: any).
 * *out is NULL then. what names the data in messages.
 */
enum err_code squeeze_expand(const char *what, const void *data, size_t n_byte, size_t n_out, const char *hash,
                             uint8_t **out, struct err *err);

/* Whether bytes have a hash. ERR_INPUT as above. */
enum err_code squeeze_check(const char *what, const void *data, size_t n_byte, const char *hash, struct err *err);

#endif
