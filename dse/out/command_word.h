/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_COMMAND_WORD_H
#define DSE_COMMAND_WORD_H
/* Commands that a user can type: words in a shell's quotes, and how to simulate a point of a front. */
#include <stdint.h>
#include <stdio.h>

/* A word as a shell takes it: in quotes where it holds anything a shell might read as more than a word. */
void command_word_print(FILE *file, const char *word);

/* The same as a text, which is returned, cut off where [n_byte] is too short for it. */
const char *command_word_text(char *text, size_t n_byte, const char *word);

/* How to simulate a point, a number or what stands for one, of a front: of the file at path. */
void command_word_replay(FILE *file, const char *path, const char *point);

/*
 * The same of a run that a store keeps; store: its path, NULL where commands take that store by themselves.
 */
void command_word_replay_kept(FILE *file, const char *store, uint64_t run, const char *point);

#endif
