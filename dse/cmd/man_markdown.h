/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_MAN_MARKDOWN_H
#define DSE_MAN_MARKDOWN_H
/* Reference pages in Markdown, of what the program reads its input by: they cannot say anything else than it does. */
#include <stdbool.h>

/* Print one of MAN_PAGES (command_table.h) to stdout; false: there is no such page, and nothing is printed. */
bool man_markdown(const char *page);

#endif
