/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the published runs were set up. A source is asked row by row:
 *
 *   row -> target -> machine (x array) \
 *       -> network -------------------- > subject -> block -> split -> design -> metrics
 *
 * Everything left of the split is kept, so that a table of many rows prepares
 * each layer once. Validation goes the road every other design goes; only what
 * the sources did differently from our defaults is decided here.
 */
#include "dse/out/renamed.h"
#include "dse/validate/source.h"
#include "dse/space/machine_read.h"
#include "dse/base/memory.h"
#include "dse/out/machine_column.h"
#include "dse/out/paths.h"
#include "dse/validate/run_cache.h"
#include "mapper/split/splitter.h"
#include "sim/base/arena.h"
#include "sim/base/err.h"
#include "sim/machine/machine_check.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Machines, networks and subjects are few, so lists are searched in order. */
struct machine_entry {
	struct machine_entry *next;
	const char *name, *array; /* array "": as in the file */
	const char *setting;      /* parameters that rows set, as text; "": none */
	struct machine machine;
};

struct network_entry {
	struct network_entry *next;
	const char *name, *folder; /* of the table that names it, where it is looked for first */
	bool broken;               /* reported already */
	struct network network;
};

struct source {
	struct arena arena; /* of entries, subjects and names */
	struct machine_entry *machine;
	struct network_entry *network;
	struct source_subject *subject;
	bool has_own_machine, used_own_machine;
	struct machine own_machine;
	struct machine_set set;
	struct split_scheme scheme;
	enum detail detail;
	struct run_cache *runs;                 /* of the event tier; else NULL */
	const struct csv_table *scalesim_table; /* and row: what scalesim is the result of; NULL: nothing */
	size_t scalesim_row;
	struct systolic_result scalesim;
};

static const char *const target_machine[] = {[MACHINE_QPE] = "thesis_qpe_dram", [MACHINE_CHIP] = "thesis_chip"};

/* Where the published runs do not follow the listed split: their weight phases fit 64 filter parts, not 32. */
static const struct {
	const char *network, *target, *operation, *c;
} as_run_table[] = {{"vgg16", "chip", "CONV_7", "4*64"}};

const char source_unlisted_note[] = "split not given by the source; ours by the thesis' rules";

/* Pass on what went wrong in a file that a cell names, with the cell's place; frees inner. */
static enum err_code pass_on(struct err_place at, const char *what, const char *name, struct err *inner,
                             struct err *err)
{
	enum err_code code = inner->code == ERR_INTERNAL ? ERR_INTERNAL : ERR_INPUT;
	assert(inner->n_message > 0);
	size_t n = inner->n_byte; /* without the last line feed */
	(void)err_add_at(err, code, at, "%s '%.40s': %.*s", what, name, (int)(n > 0 ? n - 1 : 0), err_text(inner));
	err_clear(inner);
	return code;
}

enum err_code source_open(const char *machine, const char *split_scheme, struct source **source, struct err *err)
{
	assert(source);
	*source = NULL;
	struct source *made = memory_array(1, sizeof(*made));
	const char *path = NULL;
	enum err_code code = path_find(split_scheme ? split_scheme : "thesis.csv", "splits", &made->arena, &path, err);
	if (!code)
		code = split_scheme_read(path, &made->scheme, err);
	if (!code && machine) {
		made->has_own_machine = true;
		code = path_find(machine, "machines", &made->arena, &path, err);
		if (!code)
			code = machine_read(path, &made->own_machine, err);
	}
	if (code)
		source_close(made);
	else
		*source = made;
	return code;
}

void source_set_machines(struct source *source, const struct machine_set *set)
{
	source->set = *set;
}

void source_close(struct source *source)
{
	if (!source)
		return;
	for (struct network_entry *entry = source->network; entry; entry = entry->next) {
		if (!entry->broken)
			network_free(&entry->network);
	}
	split_scheme_free(&source->scheme);
	run_cache_close(source->runs);
	arena_free(&source->arena);
	free(source);
}

void source_set_detail(struct source *source, const struct detail_options *options)
{
	assert(source && options);
	run_cache_close(source->runs);
	source->detail = options->detail;
	source->runs = options->detail == DETAIL_EVENT ? run_cache_open(options) : NULL;
}

enum detail source_detail(const struct source *source)
{
	return source ? source->detail : DETAIL_FAST;
}

void source_collect(struct source *source)
{
	if (source->runs)
		run_cache_collect(source->runs);
}

/* Networks that cannot be read are looked for again, and reported, when the table is gone through in earnest. */
static void forget_broken(struct source *source)
{
	for (struct network_entry **at = &source->network; *at;)
		if ((*at)->broken)
			*at = (*at)->next;
		else
			at = &(*at)->next;
}

enum err_code source_run_collected(struct source *source, struct err *err)
{
	forget_broken(source);
	return source->runs ? run_cache_run(source->runs, err) : ERR_OK;
}

void source_forget(struct source *source, const struct csv_table *table)
{
	if (source->scalesim_table == table)
		source->scalesim_table = NULL;
	if (source->runs)
		run_cache_forget(source->runs, table);
}

/* Read the machine a table is about and set its array into entry->machine. */
static enum err_code load_machine(struct source *source, struct machine_entry *entry, struct err *err)
{
	const char *path;
	enum err_code code = path_find(entry->name, "machines", &source->arena, &path, err);
	if (!code)
		code = machine_read(path, &entry->machine, err);
	if (code)
		return code;
	/* Of its own target only: a QPE's splits mean nothing on a chip. */
	if (source->has_own_machine && source->own_machine.target == entry->machine.target) {
		entry->machine = source->own_machine;
		source->used_own_machine = true;
	}
	for (size_t i = 0; i < source->set.n && !code; i++) {
		const struct machine_setting *setting = &source->set.setting[i];
		if (machine_param_serves(setting->param, entry->machine.target))
			code = machine_set_param(&entry->machine, setting->param, setting->text, err);
	}
	for (size_t i = 0; i < source->set.n_level && !code; i++)
		if (machine_set_has_level(&entry->machine, source->set.level[i].key))
			code = machine_set_level(&entry->machine, source->set.level[i].key, source->set.level[i].text,
			                         err);
	if (!code && entry->array[0] != '\0') {
		const struct machine_param *param = machine_find_param("mla.array");
		assert(param);
		code = machine_set_param(&entry->machine, param, entry->array, err);
	}
	return code ? code : machine_check(&entry->machine, err);
}

/* Then what the row's columns set; the array only once. */
static enum err_code set_columns(struct machine_entry *entry, const struct source_key *key, struct err *err)
{
	const struct csv_cell *array = machine_column_cell(key->table, key->row, "mla.array");
	if (array && entry->array[0] != '\0')
		return err_add_at(err, ERR_INPUT, csv_place(key->table, array),
		                  "mla.array is '%.40s', but another column has the array already, '%.40s'",
		                  array->text, entry->array);
	return machine_column_apply(key->table, key->row, &entry->machine, err);
}

const char *source_unused_target(const struct source *source)
{
	assert(source);
	bool unused = source->has_own_machine && !source->used_own_machine;
	return unused ? machine_target_name[source->own_machine.target] : NULL;
}

static struct machine_entry *find_entry(const struct source *source, const char *name, const char *array,
                                        const char *setting)
{
	for (struct machine_entry *entry = source->machine; entry; entry = entry->next) {
		if (strcmp(entry->name, name) == 0 && strcmp(entry->array, array) == 0 &&
		    strcmp(entry->setting, setting) == 0)
			return entry;
	}
	return NULL;
}

/* key: of a row; its table NULL: of none. */
static enum err_code make_machine(struct source *source, const char *name, const struct source_key *key,
                                  const char *setting, struct err_place at, const struct machine **machine,
                                  struct err *err)
{
	const char *array = key->array ? key->array->text : "";
	struct machine_entry *entry = find_entry(source, name, array, setting);
	if (entry) {
		*machine = &entry->machine;
		return ERR_OK;
	}
	entry = memory_must(arena_alloc(&source->arena, sizeof(*entry)));
	entry->name = memory_must(arena_text(&source->arena, name));
	entry->array = memory_must(arena_text(&source->arena, array));
	entry->setting = memory_must(arena_text(&source->arena, setting));
	struct err inner = {0};
	if (load_machine(source, entry, &inner) != ERR_OK)
		return pass_on(at, "machine", array[0] ? array : name, &inner, err);
	enum err_code code = key->table ? set_columns(entry, key, err) : ERR_OK;
	if (code)
		return code;
	entry->next = source->machine;
	source->machine = entry;
	*machine = &entry->machine;
	return ERR_OK;
}

enum err_code source_machine(struct source *source, const char *name, const struct source_key *key,
                             const struct csv_cell *blamed, const struct machine **machine, struct err *err)
{
	assert(source && name && key && key->table && blamed && machine);
	size_t n_byte = (size_t)machine_column_print(key->table, key->row, NULL, 0) + 1;
	char *setting = memory_array(n_byte, 1);
	(void)machine_column_print(key->table, key->row, setting, n_byte);
	enum err_code code = make_machine(source, name, key, setting, csv_place(key->table, blamed), machine, err);
	free(setting);
	return code;
}

enum err_code source_file_machine(struct source *source, const char *name, struct err_place at,
                                  const struct machine **machine, struct err *err)
{
	const struct source_key none = {0};
	assert(source && name && machine);
	return make_machine(source, name, &none, "", at, machine, err);
}

/* Networks are named, not given by path: what stands in a table must not open any file. */
static bool is_plain_name(const char *name)
{
	return name[0] != '\0' && strlen(name) < NETWORK_NAME_SIZE && !strpbrk(name, "/\\\n") && name[0] != '.';
}

/* The folder of a table, "." where its path has none. */
static char *folder_of(struct source *source, const char *file)
{
	char *folder = memory_must(arena_text(&source->arena, file));
	char *slash = strrchr(folder, '/');
	if (slash)
		slash[slash == folder ? 1 : 0] = '\0';
	return slash ? folder : memory_must(arena_text(&source->arena, "."));
}

/* A network beside the table, or in a folder networks there, comes before the program's own, as with spaces. */
static enum err_code find_network_file(struct source *source, const struct network_entry *entry, const char **path,
                                       struct err *err)
{
	static const char *const sub_folder[] = {"", "networks/"};
	size_t n = strlen(entry->folder) + strlen(entry->name) + sizeof("/networks/.yaml");
	char *found = memory_must(arena_alloc(&source->arena, n));
	for (size_t i = 0; i < sizeof(sub_folder) / sizeof(sub_folder[0]); i++) {
		struct stat status;
		(void)snprintf(found, n, "%s/%s%s.yaml", entry->folder, sub_folder[i], entry->name);
		if (stat(found, &status) == 0 && !S_ISDIR(status.st_mode)) {
			*path = found;
			return ERR_OK;
		}
	}
	return path_find(entry->name, "networks", &source->arena, path, err);
}

/* Another folder may hold another network of the same name. The folder of a file is its path up to the last slash. */
static struct network_entry *find_known_network(struct source *source, const char *name, const char *file)
{
	const char *slash = strrchr(file, '/');
	size_t n = !slash || slash == file ? 1 : (size_t)(slash - file);
	const char *folder = slash ? file : ".";
	for (struct network_entry *entry = source->network; entry; entry = entry->next) {
		if (strcmp(entry->name, name) == 0 && strlen(entry->folder) == n &&
		    memcmp(entry->folder, folder, n) == 0)
			return entry;
	}
	return NULL;
}

static enum err_code find_network(struct source *source, const char *name, struct err_place at,
                                  struct network_entry **found, struct err *err)
{
	*found = find_known_network(source, name, at.file);
	if (*found)
		return (*found)->broken ? ERR_INPUT : ERR_OK;
	if (!is_plain_name(name))
		return err_add_at(err, ERR_INPUT, at,
		                  "network is '%.40s'; the name of a file beside the table or in spaces/networks is "
		                  "allowed, without .yaml",
		                  name);
	struct network_entry *entry = memory_must(arena_alloc(&source->arena, sizeof(*entry)));
	entry->name = memory_must(arena_text(&source->arena, name));
	entry->folder = folder_of(source, at.file);
	struct err inner = {0};
	const char *path;
	enum err_code code = find_network_file(source, entry, &path, &inner);
	if (!code)
		code = network_read(path, &entry->network, &inner);
	entry->broken = code != ERR_OK;
	entry->next = source->network;
	source->network = entry;
	*found = entry;
	return code ? pass_on(at, "network", name, &inner, err) : ERR_OK;
}

/* Tables without the column are about the chip (thesis tables 5.10 to 5.12). */
static enum err_code find_target(const struct source_key *key, enum machine_target *target, struct err *err)
{
	*target = MACHINE_CHIP;
	if (!key->target)
		return ERR_OK;
	for (size_t i = 0; i < sizeof(target_machine) / sizeof(target_machine[0]); i++) {
		if (strcmp(key->target->text, machine_target_name[i]) == 0) {
			*target = (enum machine_target)i;
			return ERR_OK;
		}
	}
	return err_add_at(err, ERR_INPUT, csv_place(key->table, key->target),
	                  "target is '%.40s'; qpe or chip is allowed", key->target->text);
}

/* A machine entry stands for one array and one setting, so its address tells subjects of different ones apart. */
static struct source_subject *find_subject(struct source *source, const struct network_entry *network,
                                           const struct machine *machine, const char *target)
{
	for (struct source_subject *subject = source->subject; subject; subject = subject->next) {
		if (subject->network == &network->network && subject->machine == machine)
			return subject;
	}
	struct source_subject *subject = memory_must(arena_alloc(&source->arena, sizeof(*subject)));
	size_t n = network->network.n_block;
	subject->network_name = network->name;
	subject->target = target;
	subject->network = &network->network;
	subject->machine = machine;
	subject->context = memory_must(arena_array(&source->arena, n + 1, sizeof(*subject->context)));
	subject->prepared = memory_must(arena_array(&source->arena, n + 1, sizeof(*subject->prepared)));
	subject->next = source->subject;
	source->subject = subject;
	return subject;
}

/* Name the nearest of the network's operations; no more than fit a small table are looked at. */
static enum err_code report_operation(const struct source_key *key, const struct network *network, struct err *err)
{
	const char *name[512];
	size_t n = 0;
	for (; n < network->n_block && n < sizeof(name) / sizeof(name[0]); n++)
		name[n] = network->block[n].name;
	const char *near = err_nearest(key->operation->text, name, n);
	return err_add_at(err, ERR_INPUT, csv_place(key->table, key->operation),
	                  "%s has no core operation '%.40s'%s%s%s", key->network->text, key->operation->text,
	                  near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

enum err_code source_find_machine(struct source *source, const struct source_key *key, const struct machine **machine,
                                  const char **target, struct err *err)
{
	assert(source && key && key->table && machine);
	enum machine_target which;
	enum err_code code = find_target(key, &which, err);
	if (code)
		return code;
	/* What is to blame when a machine cannot be read: the array, which is the row's, before what names the row. */
	const struct csv_cell *named = key->network ? key->network : key->target;
	assert(key->array || named);
	if (target)
		*target = machine_target_name[which];
	return source_machine(source, target_machine[which], key, key->array ? key->array : named, machine, err);
}

enum err_code source_find(struct source *source, const struct source_key *key, struct source_subject **subject,
                          size_t *block, struct err *err)
{
	assert(source && key && key->table && key->network && subject && (block || !key->operation));
	const struct machine *machine = NULL;
	const char *target = NULL;
	enum err_code code = source_find_machine(source, key, &machine, &target, err);
	if (code)
		return code;

	struct network_entry *network = NULL;
	code = find_network(source, key->network->text, csv_place(key->table, key->network), &network, err);
	if (!code)
		*subject = find_subject(source, network, machine, target);
	if (code || !key->operation)
		return code;

	const struct block *found = renamed_find_block(&network->network, key->operation->text);
	if (!found)
		return report_operation(key, &network->network, err);
	*block = (size_t)(found - network->network.block);
	assert(*block < network->network.n_block);
	return ERR_OK;
}

/* Change a listed split to the one that was run. */
static enum err_code apply_as_run(const struct source_subject *subject, const char *operation, struct split *split,
                                  struct err *err)
{
	for (size_t i = 0; i < sizeof(as_run_table) / sizeof(as_run_table[0]); i++) {
		if (strcmp(as_run_table[i].network, subject->network_name) == 0 &&
		    strcmp(as_run_table[i].target, subject->target) == 0 &&
		    strcmp(as_run_table[i].operation, operation) == 0)
			return dim_parse(as_run_table[i].c, &split->c, err);
	}
	return ERR_OK;
}

enum err_code source_find_split(struct source *source, const struct source_subject *subject, size_t block,
                                enum source_split which, struct source_split_choice *choice, struct err *err)
{
	assert(source && subject && choice && block < subject->network->n_block);
	const struct block *core = &subject->network->block[block];
	const struct split_scheme_row *row =
	    renamed_find_split(&source->scheme, subject->network_name, subject->target, core->name);
	choice->listed = row != NULL;
	/* Illegible in the source: its rules, which reproduce the legible ones, are the best guess. */
	if (!row)
		return splitter_thesis(core, subject->machine, &choice->split, err);

	choice->split = row->split;
	enum err_code code = which == SPLIT_AS_RUN ? apply_as_run(subject, core->name, &choice->split, err) : ERR_OK;
	return code ? code : split_check(core, &choice->split, err);
}

static const struct layer_context *context_of(struct source_subject *subject, size_t block)
{
	assert(subject && block < subject->network->n_block);
	if (!subject->prepared[block]) {
		mapper_prepare(&subject->network->block[block], subject->machine, 8, &subject->context[block]);
		subject->prepared[block] = true;
	}
	return &subject->context[block];
}

/* The block whose result this one reads, if that may still be in the storage QPEs: false for the network's input. */
static bool find_producer(const struct network *network, size_t block, size_t *producer)
{
	size_t latest = block; /* the producer is the block before this one */
	if (network->block[block].input == INPUT_DRAM)
		return false;
	if (network->block[block].input == INPUT_HELD) {
		while (latest > 0 && !network->block[latest].hold)
			latest--;
	}
	if (latest == 0)
		return false;
	*producer = latest - 1;
	return true;
}

/* Where ifmap and result of a reuse run lie: in the storage QPEs whenever the result, by its own split, fits. */
static enum err_code place_results(struct source *source, struct source_subject *subject, size_t block,
                                   enum source_split which, struct layer_design *design, struct err *err)
{
	size_t producer;
	design->out_storage = mapper_result_fits_storage(context_of(subject, block), &design->split);
	if (!find_producer(subject->network, block, &producer))
		return ERR_OK;
	struct source_split_choice choice;
	enum err_code code = source_find_split(source, subject, producer, which, &choice, err);
	if (!code)
		design->in_storage = mapper_result_fits_storage(context_of(subject, producer), &choice.split);
	return code;
}

/* On the chip reuse reads from and writes to the storage QPEs, and so does a fused matrix multiplication (thesis
 * section 4.4). */
static bool uses_storage(const struct source_subject *subject, size_t block, enum strategy strategy)
{
	if (subject->machine->target != MACHINE_CHIP)
		return false;
	return strategy_table[strategy].reuses ||
	       (strategy == STRATEGY_FUSION && subject->network->block[block].kind == BLOCK_MATMUL);
}

static enum err_code run_design(struct source *source, const struct run_key *key, const struct layer_context *context,
                                const struct layer_design *design, struct source_run *run, struct err *err)
{
	const struct detail_options closed_form = {.detail = source->detail};
	struct detail_run result = {.context = context, .design = design};
	enum err_code code = ERR_OK;
	if (source->runs)
		code = run_cache_design(source->runs, key, context, design, &result, err);
	else
		detail_run(&result, &closed_form);
	run->ran = result.ran;
	run->verdict = result.verdict;
	run->result = result.result;
	assert(code || run->ran == (run->verdict.reason == VERDICT_OK));
	return code;
}

enum err_code source_run_design(struct source *source, const struct csv_table *table, size_t row,
                                const struct layer_context *context, const struct layer_design *design,
                                struct source_run *run, struct err *err)
{
	const struct run_key key = {.owner = table, .item = row};
	assert(source && table && context && design && run);
	return run_design(source, &key, context, design, run, err);
}

enum err_code source_run_task(struct source *source, const struct csv_table *table, size_t row, size_t column,
                              const struct machine *machine, const struct mla_shape *task, uint64_t *clk,
                              struct err *err)
{
	const struct run_key key = {.owner = table, .item = row, .variant = (unsigned)column};
	assert(source && source->runs && table);
	return run_cache_task(source->runs, &key, machine, task, clk, err);
}

enum err_code source_run_block(struct source *source, struct source_subject *subject, size_t block,
                               enum strategy strategy, enum source_split which, struct source_run *run, struct err *err)
{
	assert(source && subject && run && block < subject->network->n_block);
	if (strategy_table[strategy].reuses && subject->network->block[block].kind != BLOCK_CONV)
		strategy = STRATEGY_FUSION;

	struct source_split_choice choice;
	enum err_code code = source_find_split(source, subject, block, which, &choice, err);
	if (code)
		return code;
	struct layer_design design = {.split = choice.split, .strategy = strategy, .operand_bit = 8};
	if (uses_storage(subject, block, strategy))
		code = place_results(source, subject, block, which, &design, err);
	if (code)
		return code;

	run->listed = choice.listed;
	const struct run_key key = {subject, block, (unsigned)strategy * 2 + (which == SPLIT_AS_RUN)};
	return run_design(source, &key, context_of(subject, block), &design, run, err);
}

enum err_code source_run_scalesim(struct source *source, const struct csv_table *table, size_t row,
                                  const struct systolic_array *array, const struct systolic_layer *layer,
                                  struct systolic_result *result, struct err *err)
{
	if (source->scalesim_table != table || source->scalesim_row != row) {
		source->scalesim_table = NULL;
		enum err_code code = scalesim_run(array, layer, NULL, &source->scalesim, err);
		if (code)
			return code;
		source->scalesim_table = table;
		source->scalesim_row = row;
	}
	*result = source->scalesim;
	return ERR_OK;
}
