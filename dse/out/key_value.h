/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_KEY_VALUE_H
#define DSE_KEY_VALUE_H
/* Values of machine parameters as people write them: the key's ending says the unit, "pe.sram_byte 131072" is 128 KiB.
 */
#include <stddef.h>

/* Bytes of the key's ending that is a unit, "_byte"; 0: it has none. */
size_t key_value_suffix(const char *key);

/* A value's text with the key's unit, "128 KiB", "500 MHz"; of another key as it is. Returns what snprintf returns. */
int key_value_print(const char *key, const char *value, char *text, size_t n_byte);

#endif
