/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/page_assets.h"
#include <assert.h>
#include <string.h>

/*
 * The assembler puts the files into the program: no generator, nothing to keep in step, the same bytes in every build.
 * Paths are as seen from the repository's root, where the compiler runs; the Makefile says where CHART_JS is and
 * makes this file anew when one of them changes. A row a file; dse/page.c says which pages have it.
 */
/* clang-format off */
#define ASSETS(each) \
	each(shell, "dse/page/shell.html") \
	each(style, "dse/page/style.css") \
	each(chart, CHART_JS) \
	each(common, "dse/page/common.js") \
	each(table, "dse/page/table.js") \
	each(report_data, "dse/page/report_data.js") \
	each(report_colour, "dse/page/report_colour.js") \
	each(report_grid, "dse/page/report_grid.js") \
	each(report_scatter, "dse/page/report_scatter.js") \
	each(report_filter, "dse/page/report_filter.js") \
	each(report_points, "dse/page/report_points.js") \
	each(report_parallel, "dse/page/report_parallel.js") \
	each(report_layers, "dse/page/report_layers.js") \
	each(report_roofline, "dse/page/report_roofline.js") \
	each(report_sensitivity, "dse/page/report_sensitivity.js") \
	each(report_search, "dse/page/report_search.js") \
	each(report, "dse/page/report.js") \
	each(nightly, "dse/page/nightly.js")
/* clang-format on */

#define INCLUDE(id, path)                                              \
	__asm__(".section .rodata\n"                                   \
	        ".globl page_asset_" #id ", page_asset_" #id "_end\n"  \
	        ".hidden page_asset_" #id ", page_asset_" #id "_end\n" \
	        "page_asset_" #id ": .incbin \"" path "\"\n"           \
	        "page_asset_" #id "_end: .byte 0\n.previous\n");       \
	extern const char page_asset_##id[], page_asset_##id##_end[];
ASSETS(INCLUDE)

struct page_asset page_asset_get(const char *name)
{
#define ENTRY(id, path) {#id, page_asset_##id, page_asset_##id##_end},
	static const struct {
		const char *name, *text, *end;
	} assets[] = {ASSETS(ENTRY)};
	const size_t n = sizeof(assets) / sizeof(assets[0]);
	size_t i = 0;
	while (i < n && strcmp(assets[i].name, name) != 0)
		i++;
	assert(i < n);
	return (struct page_asset){assets[i].text, (size_t)(assets[i].end - assets[i].text)};
}
