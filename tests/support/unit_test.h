/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_TEST_H
#define TESTS_UNIT_TEST_H
/* cmocka, behind the four headers that it asks for. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#endif
