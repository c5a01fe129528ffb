/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/split/dim.h"
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct dim_split dim_whole(uint32_t extent)
{
	return (struct dim_split){.size_a = extent, .n_a = 1};
}

struct dim_split dim_even(uint32_t extent, uint32_t n_part, uint32_t step)
{
	uint32_t n_unit, n_large;
	struct dim_split dim;
	assert(step > 0 && extent > 0 && extent % step == 0);
	n_unit = extent / step;
	assert(n_part > 0 && n_part <= n_unit);
	n_large = n_unit % n_part;
	dim = (struct dim_split){.size_a = n_unit / n_part * step, .n_a = n_part};
	if (n_large > 0) {
		dim.size_b = dim.size_a;
		dim.size_a += step;
		dim.n_a = n_large;
		dim.n_b = n_part - n_large;
	}
	assert(dim_extent(&dim) == extent);
	return dim;
}

/* A number of 1 to UINT32_MAX at *text, which moves behind it; 0 when there is none. */
static uint32_t parse_number(const char **text)
{
	char *end;
	unsigned long long value;
	if (**text < '0' || **text > '9')
		return 0;
	errno = 0;
	value = strtoull(*text, &end, 10);
	*text = end;
	return errno == 0 && value <= UINT32_MAX ? (uint32_t)value : 0;
}

static bool parse_term(const char **text, uint32_t *size, uint32_t *n)
{
	*size = parse_number(text);
	if (*size == 0 || **text != '*')
		return false;
	(*text)++;
	*n = parse_number(text);
	return *n > 0;
}

enum err_code dim_parse(const char *text, struct dim_split *dim, struct err *err)
{
	struct dim_split parsed = {0};
	const char *at = text;
	bool good;
	assert(text && dim);
	good = parse_term(&at, &parsed.size_a, &parsed.n_a);
	if (good && *at == '+') {
		at++;
		good = parse_term(&at, &parsed.size_b, &parsed.n_b);
	}
	if (!good || *at != '\0')
		return err_add(
		    err, ERR_INPUT,
		    "split: found '%.60s', allowed size*count or size*count+size*count with whole numbers above 0, "
		    "for example 28*2 or 21*4+20*7",
		    text);
	if (parsed.size_a == parsed.size_b)
		return err_add(err, ERR_INPUT, "split: found '%.60s' with equal sizes, allowed two different sizes",
		               text);
	if ((uint64_t)parsed.n_a + parsed.n_b > UINT32_MAX)
		return err_add(err, ERR_INPUT, "split: found '%.60s', allowed up to %u parts", text, UINT32_MAX);
	*dim = parsed;
	if (parsed.size_b > parsed.size_a)
		*dim = (struct dim_split){parsed.size_b, parsed.n_b, parsed.size_a, parsed.n_a};
	return ERR_OK;
}

int dim_print(const struct dim_split *dim, char *text, size_t n_byte)
{
	assert(dim->n_a > 0);
	if (dim->n_b == 0)
		return snprintf(text, n_byte, "%u*%u", dim->size_a, dim->n_a);
	return snprintf(text, n_byte, "%u*%u+%u*%u", dim->size_a, dim->n_a, dim->size_b, dim->n_b);
}
