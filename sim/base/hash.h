/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_BASE_HASH_H
#define SIM_BASE_HASH_H
/* Hashes (XXH3 of the xxHash library) for signatures, file identities and duplicate detection. Not cryptographic. */
#include "sim/base/err.h"
#include <stddef.h>
#include <stdint.h>

#define HASH_HEX_SIZE 33 /* 128 bit in hexadecimal and a terminator */

uint64_t hash_bytes(const void *data, size_t n_byte, uint64_t seed);

/* 128-bit hash of memory in hexadecimal. */
void hash_hex(const void *data, size_t n_byte, char hex[HASH_HEX_SIZE]);

/* 128-bit hash of a file's bytes. ERR_IO when it cannot be read; ERR_INTERRUPTED as file_read; ERR_INTERNAL. */
enum err_code hash_file(const char *path, char hex[HASH_HEX_SIZE], struct err *err);

#endif
