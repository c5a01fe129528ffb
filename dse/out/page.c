/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/out/page.h"
#include "dse/out/page_assets.h"
#include <assert.h>
#include <string.h>

#define MAX_SCRIPT 24

struct page {
	const char *title, *kind, *json;
	size_t n_json;
};

static void write_title(FILE *file, const struct page *page)
{
	for (const char *c = page->title; *c; c++) {
		if (strchr("<>&\"", *c))
			(void)fprintf(file, "&#%d;", *c);
		else
			(void)fputc(*c, file);
	}
}

static void write_style(FILE *file, const struct page *page)
{
	const struct page_asset style = page_asset_get("style");
	(void)page;
	(void)fwrite(style.text, 1, style.n_byte, file);
}

/* In JSON `<` stands in strings only; written as a number it cannot end the element that the data is in. */
static void write_data(FILE *file, const struct page *page)
{
	const char *at = page->json, *end = page->json + page->n_json;
	while (at < end) {
		const char *mark = memchr(at, '<', (size_t)(end - at));
		const char *stop = mark ? mark : end;
		(void)fwrite(at, 1, (size_t)(stop - at), file);
		if (mark)
			(void)fputs("\\u003c", file);
		at = stop + (mark != NULL);
	}
}

/* What a kind of page runs, in order. */
static const struct {
	const char *kind, *scripts[MAX_SCRIPT];
} kinds[] = {
    {"report",
     {"chart", "common", "table", "report_data", "report_colour", "report_grid", "report_scatter", "report_filter",
      "report_points", "report_parallel", "report_roofline", "report_layers", "report_sensitivity", "report_verdict",
      "report_search", "report"}},
    {"nightly", {"chart", "common", "table", "nightly"}},
};

static void write_scripts(FILE *file, const struct page *page)
{
	size_t k = 0;
	while (k < sizeof(kinds) / sizeof(kinds[0]) && strcmp(kinds[k].kind, page->kind) != 0)
		k++;
	assert(k < sizeof(kinds) / sizeof(kinds[0]));
	for (size_t i = 0; i < MAX_SCRIPT && kinds[k].scripts[i]; i++) {
		const struct page_asset script = page_asset_get(kinds[k].scripts[i]);
		(void)fputs("<script>\n", file);
		(void)fwrite(script.text, 1, script.n_byte, file);
		(void)fputs("</script>\n", file);
	}
}

/* What stands in the shell for something else. */
static const struct {
	const char *mark;
	void (*write)(FILE *file, const struct page *page);
} fillings[] = {
    {"@title@", write_title},
    {"@style@", write_style},
    {"@data@", write_data},
    {"@scripts@", write_scripts},
};

void page_write(FILE *file, const char *title, const char *kind, const char *json, size_t n_byte)
{
	const struct page page = {title, kind, json, n_byte};
	const struct page_asset shell = page_asset_get("shell");
	const char *at = shell.text;
	for (const char *mark; (mark = strchr(at, '@')) != NULL;) {
		size_t k = 0;
		while (k < sizeof(fillings) / sizeof(fillings[0]) &&
		       strncmp(mark, fillings[k].mark, strlen(fillings[k].mark)) != 0)
			k++;
		assert(k < sizeof(fillings) / sizeof(fillings[0]));
		(void)fwrite(at, 1, (size_t)(mark - at), file);
		fillings[k].write(file, &page);
		at = mark + strlen(fillings[k].mark);
	}
	(void)fputs(at, file);
}
