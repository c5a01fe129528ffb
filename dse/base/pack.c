/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/base/pack.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ALLOC = 256 };

struct pack pack_reader(const void *data, size_t n_byte)
{
	assert(data || n_byte == 0);
	return (struct pack){.is_reading = true, .from = data, .n = n_byte};
}

void pack_free(struct pack *pack)
{
	free(pack->data);
	*pack = (struct pack){0};
}

bool pack_done(const struct pack *pack)
{
	return !pack->failed && (!pack->is_reading || pack->at == pack->n);
}

bool pack_refuse(struct pack *pack, bool is_wrong)
{
	assert(pack->is_reading || !is_wrong);
	pack->failed = pack->failed || is_wrong;
	return pack->failed;
}

/* Room for n more bytes at the end; NULL when memory is out. */
static uint8_t *grow_pack(struct pack *pack, size_t n)
{
	assert(!pack->is_reading);
	if (n > pack->n_alloc - pack->n) {
		size_t n_alloc = pack->n_alloc > 0 ? pack->n_alloc : FIRST_ALLOC;
		while (n_alloc - pack->n < n && n_alloc <= SIZE_MAX / 4)
			n_alloc *= 2;
		uint8_t *data = n_alloc - pack->n < n ? NULL : realloc(pack->data, n_alloc);
		pack->failed = pack->failed || !data;
		if (!data)
			return NULL;
		pack->data = data;
		pack->n_alloc = n_alloc;
	}
	uint8_t *at = pack->data + pack->n;
	pack->n += n;
	return at;
}

/* The next n bytes of a reader; NULL when there are fewer. */
static const uint8_t *take_bytes(struct pack *pack, size_t n)
{
	assert(pack->is_reading && pack->at <= pack->n);
	pack->failed = pack->failed || n > pack->n - pack->at;
	if (pack->failed)
		return NULL;
	pack->at += n;
	return pack->from + pack->at - n;
}

/*
 * The n_byte low bytes of a number, lowest first. Whether there is a new value: only a reader has one. A writer writes
 * nothing back, since other threads may read what it packs.
 */
static bool pack_number(struct pack *pack, uint64_t *value, unsigned n_byte)
{
	assert(n_byte >= 1 && n_byte <= 8);
	if (pack->is_reading) {
		const uint8_t *from = take_bytes(pack, n_byte);
		uint64_t sum = 0;
		for (unsigned i = n_byte; from && i-- > 0;)
			sum = sum << 8 | from[i];
		if (from)
			*value = sum;
		return from != NULL;
	}
	uint8_t *to = grow_pack(pack, n_byte);
	for (unsigned i = 0; to && i < n_byte; i++)
		to[i] = (uint8_t)(*value >> 8 * i);
	return false;
}

void pack_u64(struct pack *pack, uint64_t *value)
{
	(void)pack_number(pack, value, 8);
}

void pack_u32(struct pack *pack, uint32_t *value)
{
	uint64_t wide = *value;
	if (pack_number(pack, &wide, 4))
		*value = (uint32_t)wide;
}

void pack_size(struct pack *pack, size_t *value)
{
	uint64_t wide = *value;
	if (pack_number(pack, &wide, 8) && !pack_refuse(pack, wide > SIZE_MAX))
		*value = (size_t)wide;
}

void pack_bool(struct pack *pack, bool *value)
{
	uint64_t wide = *value;
	if (pack_number(pack, &wide, 1) && !pack_refuse(pack, wide > 1))
		*value = wide == 1;
}

void pack_real(struct pack *pack, double *value)
{
	uint64_t bits;
	_Static_assert(sizeof(bits) == sizeof(*value), "a double has 64 bits");
	memcpy(&bits, value, sizeof(bits));
	if (pack_number(pack, &bits, 8))
		memcpy(value, &bits, sizeof(bits));
}

void pack_bytes(struct pack *pack, void *data, size_t n_byte)
{
	assert(data || n_byte == 0);
	if (n_byte == 0)
		return;
	if (pack->is_reading) {
		const uint8_t *from = take_bytes(pack, n_byte);
		if (from)
			memcpy(data, from, n_byte);
		return;
	}
	pack_append(pack, data, n_byte);
}

void pack_append(struct pack *pack, const void *data, size_t n_byte)
{
	uint8_t *to = n_byte > 0 ? grow_pack(pack, n_byte) : NULL;
	if (to)
		memcpy(to, data, n_byte);
}

void pack_u64s(struct pack *pack, uint64_t *value, size_t n)
{
	for (size_t i = 0; i < n && !pack->failed; i++)
		pack_u64(pack, &value[i]);
}

void pack_u32s(struct pack *pack, uint32_t *value, size_t n)
{
	for (size_t i = 0; i < n && !pack->failed; i++)
		pack_u32(pack, &value[i]);
}

void pack_reals(struct pack *pack, double *value, size_t n)
{
	for (size_t i = 0; i < n && !pack->failed; i++)
		pack_real(pack, &value[i]);
}

void pack_count(struct pack *pack, size_t *n, size_t item_byte)
{
	size_t count = *n;
	assert(item_byte > 0);
	pack_size(pack, &count);
	if (pack->is_reading && !pack_refuse(pack, count > (pack->n - pack->at) / item_byte))
		*n = count;
}
