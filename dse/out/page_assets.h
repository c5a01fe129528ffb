/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_PAGE_ASSETS_H
#define DSE_PAGE_ASSETS_H
/* Files that the program carries: dse/out/page/ and the charting library, byte for byte as when it was built. */
#include <stddef.h>

struct page_asset {
	const char *text; /* lives as long as the program */
	size_t n_byte;
};

/* An asset by its name, "chart" or that of a file without folder and ending; an assertion fails when there is none. */
struct page_asset page_asset_get(const char *name);

#endif
