/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_YAML_WRITE_H
#define DSE_YAML_WRITE_H
/* Texts of the YAML files that commands write; reading them gives the same bytes. Errors stay in the stream. */
#include <stdio.h>

/* In quotes, so that any text is one. */
void yaml_write_quoted(FILE *file, const char *text);

/* As it is where YAML takes it so, else in quotes. */
void yaml_write_text(FILE *file, const char *text);

#endif
