/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/schedule/image_field.h"
#include "dse/base/memory.h"
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

uint64_t image_position(const struct image *image)
{
	return image->pack.is_reading ? image->pack.at : image->pack.n;
}

bool image_failed(const struct image *image)
{
	return image->pack.failed;
}

void image_begin_record(struct image *image, const char *what, uint64_t i)
{
	(void)snprintf(image->record, sizeof(image->record), "%s %" PRIu64, what, i);
}

void image_begin_field(struct image *image, const char *field)
{
	image->field = field;
	image->field_at = image_position(image);
}

void image_end_field(struct image *image)
{
	if (image->pack.is_reading && image_failed(image) && image->code == ERR_OK)
		image->code = err_add(image->err, ERR_INPUT, "%s:%" PRIu64 ": %s, %s: the file ends here", image->name,
		                      image->field_at, image->record, image->field);
}

void image_u64(struct image *image, const char *field, uint64_t *value)
{
	image_begin_field(image, field);
	pack_u64(&image->pack, value);
	image_end_field(image);
}

void image_u32(struct image *image, const char *field, uint32_t *value)
{
	image_begin_field(image, field);
	pack_u32(&image->pack, value);
	image_end_field(image);
}

void image_require(struct image *image, uint64_t value, uint64_t min, uint64_t max)
{
	assert(image->pack.is_reading || image_failed(image) || (value >= min && value <= max));
	if (image_failed(image) || (value >= min && value <= max))
		return;
	(void)pack_refuse(&image->pack, true);
	if (min == max)
		image->code = err_add(image->err, ERR_INPUT, "%s:%" PRIu64 ": %s, %s is %" PRIu64 ", expected %" PRIu64,
		                      image->name, image->field_at, image->record, image->field, value, min);
	else
		image->code = err_add(image->err, ERR_INPUT,
		                      "%s:%" PRIu64 ": %s, %s is %" PRIu64 ", allowed %" PRIu64 " to %" PRIu64,
		                      image->name, image->field_at, image->record, image->field, value, min, max);
}

void image_u32_in(struct image *image, const char *field, uint32_t *value, uint32_t min, uint32_t max)
{
	image_u32(image, field, value);
	image_require(image, *value, min, max);
}

void image_u64_is(struct image *image, const char *field, uint64_t *value, uint64_t expected)
{
	image_u64(image, field, value);
	image_require(image, *value, expected, expected);
}

void image_u32_is(struct image *image, const char *field, uint32_t expected)
{
	uint32_t value = expected;
	image_u32(image, field, &value);
	image_require(image, value, expected, expected);
}

void *image_array(struct image *image, struct octopus_dram *dram, void *old, uint64_t n, size_t n_byte)
{
	if (!image->pack.is_reading || image_failed(image))
		return old;
	return memory_must(arena_array(&dram->arena, n, n_byte));
}

uint64_t image_room(const struct image *image)
{
	return image->pack.is_reading ? image->pack.n - image->pack.at : UINT64_MAX;
}
