/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_RESUME_H
#define DSE_RESUME_H
/*
 * Taking up a run that was stopped: what its folder holds, whether it asks the same question, and what is left to do.
 * The folder has
 *
 *   journal              searches of a run, of a shard, or of rank 0
 *   journal.1, ...       searches of the other ranks
 *   checkpoint           state of the engine of a flat search
 *
 * They are removed when the run is complete; a shard keeps its journal.
 */
#include "dse/run/explore_request.h"
#include "dse/search/explore.h"
#include "dse/space/machine_set.h"

#define RESUME_NAME_SIZE 32

/* What decides the results: text with one "key: value" a line. */
struct resume_question {
	const struct space *space;
	const struct explore_options *options;
	const struct explore_request *request;
	unsigned part, n_part; /* shard part (1..n_part) of n_part */
};

/* The text; the caller frees it. */
char *resume_print_question(const struct resume_question *question);

/*
 * Whether two texts ask the same, as far as results go (part_too: also the same shard). ERR_INPUT with a line for each
 * difference: what path's text says, what the command line says.
 */
enum err_code resume_compare(const char *path, const char *theirs, const char *ours, bool part_too, struct err *err);

/* The value of a key in the text, copied to value; false when it is not there or too long. */
bool resume_value(const char *text, const char *key, char *value, size_t n_byte);

/* A request as the text has it, for a command line that says less. Values live in the memory of this. */
struct resume_request {
	struct explore_request request;
	char space[4096], engine[32], detail[16], shard[32];
	char set_text[MACHINE_SET_MAX][MACHINE_SET_NAME_SIZE];
	const char *set[MACHINE_SET_MAX]; /* into set_text */
};

/* Fill in what given leaves out. ERR_INPUT when the text of the journal at path lacks something. */
enum err_code resume_fill(const char *path, const char *text, const struct explore_request *given,
                          struct resume_request *filled, struct err *err);

/* What a folder holds. */
struct resume {
	struct ledger ledger; /* all journals of the folder that ask what the first one asks; sorted */
	char *text;           /* the first journal's question; NULL: there is no journal */
	size_t n_keep;        /* bytes of this rank's journal that are whole; 0: it has none */
	size_t n_lost;        /* bytes of all journals that are not */
	bool has_end;         /* the first journal has */
	struct ledger_info checkpoint;
};

/* Read the folder's journals and checkpoint. rank: whose journal n_keep is about. ERR_IO, ERR_INTERNAL. */
enum err_code resume_read(const char *dir, unsigned rank, struct resume *resume, struct err *err);
void resume_free(struct resume *resume);

/* Name of a rank's journal in the folder. */
void resume_journal_name(unsigned rank, char name[RESUME_NAME_SIZE]);

/* A complete run has no need of them: remove journals and checkpoint. */
void resume_remove(const char *dir);

/* A new run does not go on with them: an unfinished run's journals and checkpoint are renamed to old.*. */
void resume_put_aside(const char *dir);

/* "I/N", 1 <= I <= N <= SHARE_MAX. ERR_USAGE. */
enum err_code resume_parse_shard(const char *text, unsigned *part, unsigned *n_part, struct err *err);

#endif
