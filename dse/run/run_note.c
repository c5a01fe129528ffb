/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/run/run_note.h"
#include "dse/base/memory.h"
#include "dse/base/parallel.h"
#include "dse/keep/output_file.h"
#include "dse/out/build.h"
#include "dse/out/colour.h"
#include "dse/pareto/quality.h"
#include "dse/result/certificate.h"
#include "dse/run/answer.h"
#include "sim/base/model_version.h"
#include "sim/base/file.h"
#include "sim/base/text.h"
#include <assert.h>
#include <libgen.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* What a run's folder may hold that dse export gives back; points.csv, by far the largest, can be made again. */
#define N_KEPT (FRONT_N_TEXT + 1)
static const char *const kept_file[N_KEPT] = {
    [FRONT_CSV] = "front.csv", [FRONT_JSON] = "front.json", [FRONT_SVG] = "front.svg", [FRONT_N_TEXT] = "run.json"};

/* dse.sqlite beside a folder; in results/ where there is none. */
static char *default_path(const char *folder)
{
	char *copy = memory_text(folder ? folder : "results/any"), *parent = dirname(copy);
	char *path = strcmp(parent, ".") == 0 ? strdup(RUN_STORE_NAME) : output_file_join(parent, RUN_STORE_NAME);
	free(copy);
	return memory_must(path);
}

/* What DSE_STORE in the environment says; NULL: nothing. */
static const char *from_environment(void)
{
	const char *text = getenv("DSE_STORE");
	return text && *text ? text : NULL;
}

bool run_note_is_usual(const char *path)
{
	const char *given = from_environment();
	return strcmp(path, given ? given : "results/" RUN_STORE_NAME) == 0;
}

enum err_code run_note_choose(const struct store_request *request, const char *folder, char **path, struct err *err)
{
	const char *given = request->store ? request->store : from_environment();
	*path = NULL;
	if (given && given[text_printable_span(given, "")])
		return err_add(err, ERR_USAGE, "DSE_STORE is '%.60s', allowed is printable UTF-8", given);
	if (given && strcmp(given, "none") == 0)
		return ERR_OK;
	*path = given ? memory_text(given) : default_path(folder);
	return ERR_OK;
}

enum err_code run_note_open(const struct store_request *request, struct database **store, struct err *err)
{
	char *path;
	*store = NULL;
	enum err_code code = run_note_choose(request, NULL, &path, err);
	if (code != ERR_OK)
		return code;
	if (!path)
		code = err_add(err, ERR_USAGE, "dse %s: no store is named (--store or DSE_STORE is none)",
		               request->command);
	else if (access(path, F_OK) != 0)
		code =
		    err_add(err, ERR_IO,
		            "%s: there is no store of runs; dse explore makes one, --store FILE names another", path);
	else
		code = run_store_open(path, false, store, err);
	free(path);
	return code;
}

struct database *run_note_open_beside(const struct store_request *request, const char *folder)
{
	struct database *store = NULL;
	struct err ignored = {0};
	char *path;
	assert(request && folder);
	if (run_note_choose(request, folder, &path, &ignored) == ERR_OK && path && access(path, F_OK) == 0)
		(void)run_store_open(path, false, &store, &ignored);
	err_clear(&ignored);
	free(path);
	return store;
}

void run_note_date(time_t time, char text[RUN_DATE_SIZE])
{
	struct tm utc;
	if (!gmtime_r(&time, &utc) || strftime(text, RUN_DATE_SIZE, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0)
		(void)snprintf(text, RUN_DATE_SIZE, "1970-01-01T00:00:00Z");
}

/* A file's bytes, if they are few enough and still those with the hash; it is no mistake when they are not. */
static void read_kept(const char *path, struct run_file *file)
{
	char *text = NULL, hex[HASH_HEX_SIZE];
	struct err unread = {0};
	enum err_code code = file_read(path, RUN_NOTE_MAX_BYTE, &text, &file->n_byte, &unread);
	err_clear(&unread);
	memory_check(code != ERR_INTERNAL);
	bool is_small = code == ERR_OK && file->n_byte <= RUN_NOTE_MAX_BYTE;
	if (is_small)
		hash_hex(text, file->n_byte, hex);
	if (is_small && strcmp(hex, file->hash) == 0)
		file->data = text;
	else
		free(text);
}

enum err_code run_note_begin(struct run_note *note, const struct store_request *request, bool is_quiet,
                             const char *folder, const struct space *space, struct err *err)
{
	struct database *store = NULL;
	assert(note && !note->path);
	run_note_date(time(NULL), note->date);
	enum err_code code = run_note_choose(request, folder, &note->path, err);
	if (code != ERR_OK || !note->path)
		return code;
	code = run_store_open(note->path, true, &store, err);
	if (code != ERR_OK)
		return err_add(
		    err, code,
		    "dse %s keeps its run there; --store FILE names another store, --store none does without",
		    request->command);
	note->held = store;
	note->is_read_only = database_is_read_only(store);
	if (note->is_read_only && !is_quiet)
		colour_print(stderr, COLOUR_WARNING,
		             "%s: is read-only: what it knows is not searched again, and this run is not kept there\n",
		             note->path);
	note->input = memory_array(space->n_file, sizeof(*note->input));
	/* now, because somebody may edit them while the search runs */
	for (; note->n_input < space->n_file; note->n_input++) {
		struct run_file *input = &note->input[note->n_input];
		const struct space_file *file = &space->file[note->n_input];
		*input = (struct run_file){.name = file->path, .hash = file->hash};
		read_kept(file->path, input);
	}
	return ERR_OK;
}

/*
 * What the files of a front are besides its answer, behind that in the same pack: its signature, and where verification
 * added nothing to them, a hash of the inputs' names, which they hold, and those of the files themselves.
 */
struct front_labels {
	char signature[FRONT_SIGNATURE_SIZE], text[FRONT_N_TEXT][HASH_HEX_SIZE];
	uint64_t names;
	bool is_plain;
};

static void pack_labels(struct front_labels *labels, struct pack *pack)
{
	pack_bytes(pack, labels->signature, sizeof(labels->signature));
	pack_u64(pack, &labels->names);
	pack_bool(pack, &labels->is_plain);
	pack_bytes(pack, labels->text, sizeof(labels->text));
	labels->signature[FRONT_SIGNATURE_SIZE - 1] = '\0';
	for (size_t i = 0; i < FRONT_N_TEXT; i++)
		labels->text[i][HASH_HEX_SIZE - 1] = '\0';
}

static uint64_t hash_names(const struct space *space)
{
	uint64_t hash = 0;
	for (size_t i = 0; i < space->n_file; i++)
		hash = hash_bytes(space->file[i].path, strlen(space->file[i].path) + 1, hash);
	return hash;
}

/* The front's files, if the store still has all of them; else they are made anew. */
static void recall_files(struct run_note *note, struct database *store, const struct front_labels *labels)
{
	struct err ignored = {0};
	note->has_text = true;
	for (size_t i = 0; i < FRONT_N_TEXT && note->has_text; i++)
		note->has_text = run_store_content(store, labels->text[i], &note->text[i].data, &note->text[i].n_byte,
		                                   &ignored) == ERR_OK;
	err_clear(&ignored);
}

/* An answer and its labels into an exploration; whether they are whole. */
static bool read_answer(struct run_note *note, struct database *store, const struct run_answer *answer,
                        struct explore *explore)
{
	struct front_labels labels = {0};
	struct pack pack = pack_reader(answer->data, answer->n_byte);
	answer_read(explore, &pack);
	pack_labels(&labels, &pack);
	if (!pack_done(&pack))
		return false;
	memcpy(note->signature, labels.signature, sizeof(note->signature));
	note->known = (struct front_known){.run = answer->run, .seconds = answer->seconds};
	memcpy(note->known.date, answer->date, sizeof(answer->date));
	if (labels.is_plain && labels.names == hash_names(explore->space))
		recall_files(note, store, &labels);
	return true;
}

enum err_code run_note_recall(struct run_note *note, const struct space *space, const struct explore_options *options,
                              struct explore *explore, bool *is_known, struct err *err)
{
	struct database *store = NULL;
	struct run_answer answer = {0};
	*is_known = false;
	if (!note->path || !answer_key(space, options, note->key))
		return ERR_OK;
	enum err_code code = run_store_open(note->path, true, &store, err);
	if (code == ERR_OK)
		code = run_store_answer(store, note->key, &answer, err);
	if (code == ERR_OK && answer.data) {
		code = explore_begin(space, explore, err);
		*is_known = code == ERR_OK && read_answer(note, store, &answer, explore);
		if (!*is_known)
			explore_free(explore);
	}
	database_close(store);
	free(answer.data);
	return code;
}

enum err_code run_note_know_fronts(struct run_note *note, struct explore_options *options, struct err *err)
{
	if (!note->path)
		return ERR_OK;
	enum err_code code = front_store_open(note->path, &note->fronts, err);
	options->kept = front_store_keeper(note->fronts);
	return code;
}

/* What certificate_text says, in a word or two. */
static const char *exactness(const struct front_run *run, char *text, size_t n_byte)
{
	const struct explore *explore = run->explore;
	if (explore->interrupted || explore->truncated || explore->n_failure > 0 || run->options->engine->is_random ||
	    explore->counts.cuts_are_limited)
		return "unproven";
	if (run->price && run->price->is_priced && isinf(run->price->assumed_gap_frac))
		return "priced";
	if (run->price && run->price->is_priced) {
		(void)snprintf(text, n_byte, "priced, within %.2g %%", 100.0 * run->price->assumed_gap_frac);
		return text;
	}
	if (!(explore->counts.epsilon > 0.0))
		return "exact";
	(void)snprintf(text, n_byte, "within %.3g %%", 100.0 * explore->counts.epsilon);
	return text;
}

static const char *state_of(const struct front_run *run)
{
	const struct explore *explore = run->explore;
	if (explore->n_failure > 0)
		return "failed";
	bool is_cut = explore->interrupted || explore->truncated || (run->price && run->price->is_interrupted);
	return is_cut ? "cut short" : "complete";
}

/* A run on its way into the store. */
struct keeping {
	const struct run_note *note;
	const struct front_run *run;
	struct run_record record;
	struct run_file file[N_KEPT];
	char hex[N_KEPT][HASH_HEX_SIZE], certificate[CERTIFICATE_TEXT_SIZE], exactness[32];
	struct pack answer;
	bool has_answer;
};

static void fill_record(struct keeping *keeping)
{
	const struct front_run *run = keeping->run;
	const struct explore *explore = run->explore;
	struct run_record *record = &keeping->record;
	record->date = keeping->note->date;
	record->seconds = explore->seconds;
	record->version = build_version;
	record->build = build_sources;
	record->model = model_version;
	record->command = run->command;
	record->space = run->space->name;
	record->engine = run->options->engine->name;
	record->detail = detail_name[run->space->detail];
	record->state = state_of(run);
	record->seed = run->options->seed;
	record->n_point = explore->front.n;
	record->signature = explore->front.n > 0 ? run->signature : "";
	record->hypervolume = run->has_quality ? run->quality.hypervolume : 0.0;
	record->n_input = keeping->note->n_input;
	record->n_thread = run->options->n_thread;
	record->input = keeping->note->input;
	certificate_text(run, keeping->certificate, sizeof(keeping->certificate));
	record->certificate = keeping->certificate;
	record->exactness = exactness(run, keeping->exactness, sizeof(keeping->exactness));
	record->known_from = keeping->note->known.run;
}

/* What can be made ready side by side: the row, the answer of a search for the next run that asks the same, hashes. */
static void prepare(void *context, size_t i)
{
	struct keeping *keeping = context;
	/* a pack that writes only reads what it is given (dse/base/pack.h) */
	struct explore *explore = (struct explore *)(uintptr_t)keeping->run->explore;
	const struct unroller *unroller = keeping->run->unroller;
	struct run_file *file = i < 2 ? NULL : &keeping->file[i - 2];
	if (i == 0 && keeping->has_answer)
		answer_write(explore, unroller->design, unroller->n_design, keeping->run->options->n_thread,
		             &keeping->answer);
	else if (i == 1)
		fill_record(keeping);
	else if (file)
		hash_hex(file->data, file->n_byte, keeping->hex[i - 2]);
}

static enum err_code read_results(struct keeping *keeping, const char *folder, struct err *err)
{
	enum err_code code = ERR_OK;
	/* without a front there is run.json alone */
	for (size_t i = keeping->run->explore->front.n > 0 ? 0 : N_KEPT - 1; i < N_KEPT && code == ERR_OK; i++) {
		size_t at = keeping->record.n_file++;
		char *path = memory_must(output_file_join(folder, kept_file[i])), *data = NULL;
		keeping->file[at] = (struct run_file){.name = kept_file[i], .hash = keeping->hex[at]};
		code = file_read(path, SIZE_MAX / 2, &data, &keeping->file[at].n_byte, err);
		keeping->file[at].data = data;
		free(path);
	}
	return code;
}

/* Behind the answer its labels; none where a run knew it or it is not whole. */
static void put_answer(struct keeping *keeping)
{
	const struct front_run *run = keeping->run;
	struct front_labels labels = {.names = hash_names(run->space), .is_plain = !run->verify};
	if (!keeping->has_answer)
		return;
	memcpy(labels.signature, run->signature, sizeof(labels.signature));
	memcpy(labels.text, keeping->hex, sizeof(labels.text));
	pack_labels(&labels, &keeping->answer);
	if (keeping->answer.failed)
		return;
	keeping->record.answer_key = keeping->note->key;
	keeping->record.answer = keeping->answer.data;
	keeping->record.n_answer = keeping->answer.n;
}

static enum err_code keep_run(struct keeping *keeping, const char *folder, uint64_t *id, struct err *err)
{
	struct database *store = NULL;
	enum err_code code = read_results(keeping, folder, err);
	if (code == ERR_OK)
		parallel_for(2 + keeping->record.n_file, keeping->run->options->n_thread, prepare, keeping);
	if (code == ERR_OK) {
		put_answer(keeping);
		code = front_store_write(keeping->note->fronts, err);
	}
	if (code == ERR_OK)
		code = run_store_open(keeping->note->path, true, &store, err);
	if (code == ERR_OK)
		code = run_store_put(store, &keeping->record, id, err);
	database_close(store);
	return code;
}

enum err_code run_note_keep(const struct run_note *note, const struct front_run *run, const char *folder, uint64_t *id,
                            struct err *err)
{
	struct keeping keeping = {.note = note, .run = run, .record = {.folder = folder}};
	assert(note && run && folder && id);
	*id = 0;
	if (!note->path || note->is_read_only)
		return ERR_OK;
	keeping.record.file = keeping.file;
	keeping.has_answer = note->key[0] != '\0' && note->known.run == 0 && answer_is_whole(run->explore);
	enum err_code code = keep_run(&keeping, folder, id, err);
	pack_free(&keeping.answer);
	for (size_t i = 0; i < keeping.record.n_file; i++)
		free((void *)(uintptr_t)keeping.file[i].data);
	if (code != ERR_OK)
		(void)err_add(err, code,
		              "%s holds this run's results, but the store does not: make room or give another one with "
		              "--store FILE (none: no store), and run the command again",
		              folder);
	return code;
}

void run_note_free(struct run_note *note)
{
	for (size_t i = 0; i < note->n_input; i++)
		free((void *)(uintptr_t)note->input[i].data);
	for (size_t i = 0; i < FRONT_N_TEXT; i++)
		free(note->text[i].data);
	front_store_close(note->fronts);
	database_close(note->held);
	free(note->input);
	free(note->path);
	*note = (struct run_note){0};
}
