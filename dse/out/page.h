/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_PAGE_H
#define DSE_PAGE_H
/*
 * HTML pages: one file each with style, scripts, charting library and data inside it, which opens from a disk and asks
 * no network. Whoever has something to show writes JSON; scripts in dse/out/page/ draw it. dse/out/page/README.md tells
 * how.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Write a page. title: text, shown as heading. kind: "report" or "nightly", which decides the scripts that draw it (an
 * assertion fails on another). json: a JSON value in UTF-8, n_byte long, which the scripts have as `dse.data`.
 * Errors stay in the stream: the caller looks at ferror or fclose. Linear in the lengths.
 */
void page_write(FILE *file, const char *title, const char *kind, const char *json, size_t n_byte);

#endif
