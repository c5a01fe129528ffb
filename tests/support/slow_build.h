/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SLOW_BUILD_H
#define TESTS_SLOW_BUILD_H
/*
 * SLOW_BUILD: builds in which everything takes five to ten times as long, with
 * a sanitizer or unoptimised. They look for other mistakes than wrong numbers,
 * so a test that repeats one thing over many random cases may do with fewer
 * there; the release build runs them all.
 */
#include <stdbool.h>

#if defined(__has_feature)
#define HAS_FEATURE(name) __has_feature(name)
#else
#define HAS_FEATURE(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || HAS_FEATURE(address_sanitizer) || \
    HAS_FEATURE(thread_sanitizer) || !defined(__OPTIMIZE__)
#define SLOW_BUILD true
#else
#define SLOW_BUILD false
#endif

#endif
