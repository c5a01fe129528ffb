/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/schedule/schedule_chips.h"
#include "dse/base/memory.h"
#include "dse/keep/output_file.h"
#include "dse/schedule/schedule_files_parts.h"
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_CHIP 4096
static const char list_name[] = "chips.yaml";

void schedule_chips_make(uint32_t n_chip, struct schedule_chips *chips)
{
	assert(n_chip > 0);
	*chips = (struct schedule_chips){.n_chip = n_chip};
	chips->chip = memory_must(arena_array(&chips->arena, n_chip, sizeof(*chips->chip)));
	chips->link_us = memory_must(arena_array(&chips->arena, n_chip, sizeof(*chips->link_us)));
}

void schedule_chips_free(struct schedule_chips *chips)
{
	for (uint32_t c = 0; c < chips->n_chip; c++)
		schedule_files_free(&chips->chip[c]);
	arena_free(&chips->arena);
	memset(chips, 0, sizeof(*chips));
}

/* ---- what passes between chips ---- */

/* The next tensor at or behind `from` that a chip sends to the next one, or receives; n_tensor: none. */
static uint32_t next_sent(const struct octopus_dram *dram, uint32_t from)
{
	while (from < dram->n_tensor && !dram->tensor[from].to_chip)
		from++;
	return from;
}

static uint32_t next_received(const struct octopus_dram *dram, uint32_t from)
{
	while (from < dram->n_tensor && !dram->tensor[from].from_chip)
		from++;
	return from;
}

static const char *name_or_none(const struct schedule_files *files, uint32_t t)
{
	return t < files->dram.n_tensor ? files->tensor_name[t] : "none";
}

/* Chip c, counted from 0, receives what the one before sends; the first receives and the last sends nothing. */
static enum err_code check_link(const char *path, const struct schedule_chips *chips, uint32_t c, struct err *err)
{
	static const struct schedule_files nothing;
	const struct schedule_files *before = c > 0 ? &chips->chip[c - 1] : &nothing;
	const struct schedule_files *now = c < chips->n_chip ? &chips->chip[c] : &nothing;
	uint32_t sent = next_sent(&before->dram, 0), got = next_received(&now->dram, 0);
	while (sent < before->dram.n_tensor && got < now->dram.n_tensor) {
		const struct dram_tensor *a = &before->dram.tensor[sent], *b = &now->dram.tensor[got];
		if (a->w != b->w || a->h != b->h || a->c != b->c)
			return err_add(err, ERR_INPUT,
			               "%s:1:1: chip %u sends %s of %u x %u x %u, expected %u x %u x %u as chip %u "
			               "receives it",
			               path, c, before->tensor_name[sent], a->w, a->h, a->c, b->w, b->h, b->c, c + 1);
		if (strcmp(before->tensor_name[sent], now->tensor_name[got]) != 0)
			break;
		sent = next_sent(&before->dram, sent + 1);
		got = next_received(&now->dram, got + 1);
	}
	if (sent == before->dram.n_tensor && got == now->dram.n_tensor)
		return ERR_OK;
	return err_add(err, ERR_INPUT, "%s:1:1: chip %u sends %s, expected %s as chip %u receives", path, c,
	               name_or_none(before, sent), name_or_none(now, got), c + 1);
}

/* Links, and what all chips have in common. */
static enum err_code check_links(const char *path, const struct schedule_chips *chips, struct err *err)
{
	enum err_code code = ERR_OK;
	for (uint32_t c = 0; c <= chips->n_chip && code == ERR_OK; c++)
		code = check_link(path, chips, c, err);
	for (uint32_t c = 1; c < chips->n_chip && code == ERR_OK; c++) {
		const struct schedule_files *first = &chips->chip[0], *now = &chips->chip[c];
		if (strcmp(first->network, now->network) != 0 || strcmp(first->machine, now->machine) != 0 ||
		    strcmp(first->level, now->level) != 0 || strcmp(first->strategy, now->strategy) != 0)
			code = err_add(err, ERR_INPUT,
			               "%s:1:1: chip %u has another network, machine, level or strategy than chip 1",
			               path, c + 1);
	}
	return code;
}

/* A folder without a list has a chip that neither receives nor sends. */
static enum err_code check_alone(const char *folder, const struct schedule_files *files, struct err *err)
{
	uint32_t sent = next_sent(&files->dram, 0), got = next_received(&files->dram, 0);
	if (sent == files->dram.n_tensor && got == files->dram.n_tensor)
		return ERR_OK;
	return err_add(err, ERR_INPUT, "%s: is one chip of several, which %s %s: read the folder above, which has %s",
	               folder, got < files->dram.n_tensor ? "receives" : "sends",
	               files->tensor_name[got < files->dram.n_tensor ? got : sent], list_name);
}

/* ---- chips.yaml ---- */

static void put_sends(const struct schedule_chips *chips, uint32_t c, FILE *file)
{
	const struct schedule_files *from = &chips->chip[c];
	if (c + 1 == chips->n_chip)
		return;
	const struct schedule_files *to = &chips->chip[c + 1];
	uint32_t sent = next_sent(&from->dram, 0), got = next_received(&to->dram, 0);
	(void)fputs("    sends: # where it lies here and there\n", file);
	while (sent < from->dram.n_tensor && got < to->dram.n_tensor) {
		const struct dram_tensor *tensor = &from->dram.tensor[sent];
		schedule_put_name(file, "      - {name", from->tensor_name[sent]);
		(void)fprintf(file, ", from: %" PRIu64 ", to: %" PRIu64 ", byte: %" PRIu64 "}\n", tensor->address,
		              to->dram.tensor[got].address, tensor->byte);
		sent = next_sent(&from->dram, sent + 1);
		got = next_received(&to->dram, got + 1);
	}
}

static void put_list(const struct schedule_chips *chips, FILE *file)
{
	(void)fputs(
	    "# A schedule of dse on a pipeline of chips, each with the files of its folder; compared with them when "
	    "it is read.\n",
	    file);
	(void)fputs("chips: 1\n", file);
	schedule_put_name(file, "network", chips->chip[0].network);
	schedule_put_name(file, "\nmachine", chips->chip[0].machine);
	schedule_put_name(file, "\nstrategy", chips->chip[0].strategy);
	(void)fprintf(file, "\ntotal_us: %.3f\ninterval_us: %.3f\nenergy_nj: %.3f\npipeline:\n", chips->total_us,
	              chips->interval_us, chips->energy_nj);
	for (uint32_t c = 0; c < chips->n_chip; c++) {
		const struct octopus_dram *dram = &chips->chip[c].dram;
		(void)fprintf(file, "  - folder: chip_%u\n    layers: %u\n    workers: %u\n    link_us: %.3f\n", c + 1,
		              dram->n_layer, dram->n_worker, chips->link_us[c]);
		put_sends(chips, c, file);
	}
}

/* ---- writing ---- */

/* DIR/chip_1; the caller frees it. */
static char *chip_folder(const char *folder, uint32_t c)
{
	char name[32];
	(void)snprintf(name, sizeof(name), "chip_%u", c + 1);
	return memory_must(output_file_join(folder, name));
}

static enum err_code write_list(const char *path, const struct schedule_chips *chips, struct err *err)
{
	struct output_file file = {0};
	enum err_code code = output_file_open(&file, path, err);
	if (code != ERR_OK)
		return code;
	put_list(chips, file.file);
	return output_file_commit(&file, err);
}

/* A list of chips that were scheduled earlier would not be of these files. */
static enum err_code drop_list(const char *path, struct err *err)
{
	if (unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR)
		return ERR_OK;
	return err_add(err, ERR_IO, "%s: cannot be removed: %s", path, strerror(errno));
}

enum err_code schedule_chips_write(const char *folder, const struct schedule_chips *chips, struct err *err)
{
	char *path = memory_must(output_file_join(folder, list_name));
	enum err_code code = drop_list(path, err);
	assert(chips->n_chip > 0);
	if (code == ERR_OK && chips->n_chip == 1)
		code = schedule_files_write(folder, &chips->chip[0], err);
	for (uint32_t c = 0; c < chips->n_chip && chips->n_chip > 1 && code == ERR_OK; c++) {
		char *below = chip_folder(folder, c);
		code = schedule_files_write(below, &chips->chip[c], err);
		free(below);
	}
	if (code == ERR_OK && chips->n_chip > 1)
		code = write_list(path, chips, err);
	free(path);
	return code;
}

/* ---- reading ---- */

static enum err_code get_list(const struct doc_node *root, struct schedule_chips *chips, struct err *err)
{
	const struct doc_node *pipeline = schedule_need(root, "pipeline", err);
	unsigned n_before = err->n_message;
	if (!pipeline)
		return ERR_INPUT;
	if (pipeline->kind != DOC_LIST || pipeline->n < 2 || pipeline->n > MAX_CHIP)
		return err_add_at(err, ERR_INPUT, doc_place(pipeline),
		                  "pipeline is no list of chips, allowed are 2 to %d", MAX_CHIP);
	schedule_chips_make((uint32_t)pipeline->n, chips);
	schedule_get_real(root, "total_us", &chips->total_us, err);
	schedule_get_real(root, "interval_us", &chips->interval_us, err);
	schedule_get_real(root, "energy_nj", &chips->energy_nj, err);
	for (uint32_t c = 0; c < chips->n_chip; c++)
		schedule_get_real(pipeline->value[c], "link_us", &chips->link_us[c], err);
	return err->n_message > n_before ? ERR_INPUT : ERR_OK;
}

static enum err_code read_list(const struct schedule_text *text, struct schedule_chips *chips, struct err *err)
{
	struct arena arena = {0};
	struct doc_node *root;
	enum err_code code = doc_read_text(text->path, text->data, text->n, &arena, &root, err);
	if (code == ERR_OK)
		code = get_list(root, chips, err);
	arena_free(&arena);
	return code;
}

/* The list against the one that would be written now. */
static enum err_code check_list(const struct schedule_text *text, const struct schedule_chips *chips, struct err *err)
{
	char *expected = NULL;
	size_t n = 0;
	FILE *file = memory_must(open_memstream(&expected, &n));
	put_list(chips, file);
	memory_check(fclose(file) == 0);
	enum err_code code = schedule_text_compare(text, expected, n, err);
	free(expected);
	return code;
}

static enum err_code read_pipeline(const char *folder, struct schedule_chips *chips, struct err *err)
{
	struct schedule_text text = {0};
	enum err_code code = schedule_text_read(folder, list_name, SCHEDULE_MAX_TEXT_BYTE, &text, err);
	if (code == ERR_OK)
		code = read_list(&text, chips, err);
	for (uint32_t c = 0; code == ERR_OK && c < chips->n_chip; c++) {
		char *below = chip_folder(folder, c);
		code = schedule_files_read(below, &chips->chip[c], err);
		free(below);
	}
	if (code == ERR_OK)
		code = check_links(text.path, chips, err);
	if (code == ERR_OK)
		code = check_list(&text, chips, err);
	schedule_text_free(&text);
	return code;
}

enum err_code schedule_chips_read(const char *folder, struct schedule_chips *chips, struct err *err)
{
	char *path = memory_must(output_file_join(folder, list_name));
	enum err_code code;
	*chips = (struct schedule_chips){0};
	if (access(path, F_OK) == 0) {
		code = read_pipeline(folder, chips, err);
	} else {
		schedule_chips_make(1, chips);
		code = schedule_files_read(folder, &chips->chip[0], err);
		if (code == ERR_OK)
			code = check_alone(folder, &chips->chip[0], err);
	}
	free(path);
	if (code != ERR_OK)
		schedule_chips_free(chips);
	return code;
}

/* ---- summary ---- */

static void put_json(const struct schedule_chips *chips, FILE *file)
{
	struct json json;
	json_start(&json, file, 1);
	if (chips->n_chip > 1) {
		json_begin_object(&json, NULL);
		json_put_fields(&json, "total_us %g, interval_us %g", chips->total_us, chips->interval_us);
		json_begin_list(&json, "chips");
	}
	for (uint32_t c = 0; c < chips->n_chip; c++)
		schedule_files_put_json(&chips->chip[c], &json);
	if (chips->n_chip > 1) {
		json_end(&json);
		json_end(&json);
	}
	json_finish(&json);
}

void schedule_chips_print(const struct schedule_chips *chips, bool as_json, FILE *file)
{
	if (as_json)
		put_json(chips, file);
	for (uint32_t c = 0; c < chips->n_chip && !as_json; c++) {
		if (chips->n_chip > 1)
			(void)fprintf(file, "%schip %u of %u: ", c > 0 ? "\n" : "", c + 1, chips->n_chip);
		schedule_files_print(&chips->chip[c], file);
	}
}
