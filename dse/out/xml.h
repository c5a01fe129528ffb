/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_XML_H
#define DSE_XML_H
/* Texts in XML, which SVG pictures and junit.xml are. */
#include <stdio.h>

/*
 * A text as the content of an element or as an attribute's value in double quotes: what XML would take for markup is
 * written as a number, what is not printable (sim/base/text.h) becomes '?'; tabs and line feeds stay.
 */
void xml_put_text(FILE *file, const char *text);

#endif
