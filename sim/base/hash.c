/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/base/hash.h"
#include "sim/base/file.h"
#include <assert.h>
#include <xxhash.h>

#define READ_BYTE 8192u

uint64_t hash_bytes(const void *data, size_t n_byte, uint64_t seed)
{
	assert(data || n_byte == 0);
	return XXH3_64bits_withSeed(data, n_byte, seed);
}

/* The canonical form is big-endian, so the text is the same on every machine. */
static void print_hex(XXH128_hash_t hash, char hex[HASH_HEX_SIZE])
{
	static const char digit[] = "0123456789abcdef";
	XXH128_canonical_t canonical;
	XXH128_canonicalFromHash(&canonical, hash);

	_Static_assert(2 * sizeof(canonical.digest) + 1 == HASH_HEX_SIZE, "128 bit and a terminator");
	for (size_t i = 0; i < sizeof(canonical.digest); i++) {
		hex[2 * i] = digit[canonical.digest[i] >> 4];
		hex[2 * i + 1] = digit[canonical.digest[i] & 15];
	}
	hex[HASH_HEX_SIZE - 1] = '\0';
}

void hash_hex(const void *data, size_t n_byte, char hex[HASH_HEX_SIZE])
{
	assert(data || n_byte == 0);
	assert(hex);
	print_hex(XXH3_128bits(data, n_byte), hex);
}

enum err_code hash_file(const char *path, char hex[HASH_HEX_SIZE], struct err *err)
{
	assert(path && hex);
	unsigned char buffer[READ_BYTE];
	struct file_input input;
	size_t n = 1;
	enum err_code code = file_open(path, &input, err);
	if (code != ERR_OK)
		return code;
	XXH3_state_t *state = XXH3_createState();
	if (!state || XXH3_128bits_reset(state) != XXH_OK)
		code = err_add(err, ERR_INTERNAL, "%s: out of memory", path);
	while (code == ERR_OK && n > 0) {
		code = file_next(&input, buffer, sizeof(buffer), &n, err);
		if (code == ERR_OK)
			(void)XXH3_128bits_update(state, buffer, n);
	}
	if (code == ERR_OK)
		print_hex(XXH3_128bits_digest(state), hex);
	(void)XXH3_freeState(state);
	file_close(&input);
	return code;
}
