/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_FILE_SYSTEM_H
#define DSE_FILE_SYSTEM_H
/*
 * File systems that other machines may have mounted at the same time. There memory that processes share through a file
 * is not shared, so what relies on it, such as SQLite's write-ahead log, is not safe.
 */
#include <stdint.h>

/* Name of a kind of file system that several machines may share, by the type that statfs tells; NULL: it is of one. */
const char *file_system_shared_name(uint32_t type);

/* The same of where a file lies, or will. NULL also where the system does not tell. */
const char *file_system_shared(const char *path);

#endif
