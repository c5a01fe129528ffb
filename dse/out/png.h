/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_PNG_H
#define DSE_PNG_H
/*
 * PNG of our SVG pictures, for slides and documents that take no SVG. librsvg's rsvg-convert makes them where it is
 * installed: run, not linked, as few need it, and a picture that fails cannot take the program along.
 */
#include "sim/base/err.h"
#include <stdbool.h>

/* What has to be installed, for messages. */
#define PNG_PROGRAM "rsvg-convert"
#define PNG_PACKAGE "librsvg2-bin"

/*
 * Make png of svg, two pixels for one in each direction. *is_there: false where the program is not installed; there is
 * no PNG then, and no error. ERR_IO when it fails, or the file cannot be written.
 */
enum err_code png_from_svg(const char *svg, const char *png, bool *is_there, struct err *err);

#endif
