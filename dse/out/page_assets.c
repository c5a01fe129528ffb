/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/out/page_assets.h"
#include <assert.h>
#include <string.h>

/*
 * The assembler puts the files into the program: no generator, nothing to keep in step, the same bytes in every build.
 * Paths are as seen from the repository's root, where the compiler runs; the Makefile says where CHART_JS is and
 * makes this file anew when one of them changes. A row a file; dse/out/page.c says which pages have it.
 */
/* clang-format off */
#define ASSETS(each) \
	each(shell, "dse/out/page/shell.html") \
	each(style, "dse/out/page/style.css") \
	each(chart, CHART_JS) \
	each(common, "dse/out/page/common.js") \
	each(table, "dse/out/page/table.js") \
	each(report_data, "dse/out/page/report_data.js") \
	each(report_colour, "dse/out/page/report_colour.js") \
	each(report_grid, "dse/out/page/report_grid.js") \
	each(report_scatter, "dse/out/page/report_scatter.js") \
	each(report_filter, "dse/out/page/report_filter.js") \
	each(report_points, "dse/out/page/report_points.js") \
	each(report_parallel, "dse/out/page/report_parallel.js") \
	each(report_layers, "dse/out/page/report_layers.js") \
	each(report_roofline, "dse/out/page/report_roofline.js") \
	each(report_sensitivity, "dse/out/page/report_sensitivity.js") \
	each(report_verdict, "dse/out/page/report_verdict.js") \
	each(report_search, "dse/out/page/report_search.js") \
	each(report, "dse/out/page/report.js") \
	each(nightly, "dse/out/page/nightly.js")
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
