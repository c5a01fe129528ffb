/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_COMMAND_TEXT_H
#define DSE_COMMAND_TEXT_H
/* Commands as a user would type them: of dse explore for run.json and messages, and what may be done with a run. */
#include "dse/options/cli.h"
#include "dse/search/explore.h"

/*
 * The command that does the same again: every option that decides the front, and those that were given. *command, NULL
 * before, is the caller's to free, also after an error. ERR_INTERNAL.
 */
enum err_code command_print(const struct cli_options *cli, const struct explore_options *options, enum detail detail,
                            char **command, struct err *err);

/* A word as a shell takes it: in quotes where it holds anything a shell might read as more than a word. */
void command_print_word(FILE *file, const char *word);

/* The same as a text, which is returned, cut off where [n_byte] is too short for it. */
const char *command_word(char *text, size_t n_byte, const char *word);

/* How to simulate a point, a number or what stands for one, of a front: of the file at path. */
void command_print_replay(FILE *file, const char *path, const char *point);

/* The same of a run that the store at path store keeps, which is named where commands would not take it by themselves.
 */
void command_print_replay_kept(FILE *file, const char *store, uint64_t run, const char *point);

#endif
