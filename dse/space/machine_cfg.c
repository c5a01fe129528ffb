/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SCALE-Sim's .cfg files: INI with sections, `key: value` or `key = value`, keys in any mixture of capitals, comments
 * behind # or ; at the beginning of a line. What the array and its buffers are is in [architecture_presets], whether
 * the bandwidth is given in [run_presets]; keys that only say where things lie in memory are passed over.
 */
#include "dse/space/machine_cfg.h"
#include "dse/out/paths.h"
#include "sim/base/file.h"
#include "sim/base/text.h"
#include "sim/systolic/systolic_work.h"
#include "sim/machine/machine_check.h"
#include "sim/machine/machine_param.h"
#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MAX_BYTE (1u << 20)
#define MAX_MESSAGE 20u
#define KIB 1024u
#define CLK_MHZ 1000.0
#define MAX_WORD_PER_CLK 100000u /* the most that systolic.memory_gb_s allows at that clock */

enum cfg_key {
	CFG_RUN_NAME,
	CFG_HEIGHT,
	CFG_WIDTH,
	CFG_IFMAP,
	CFG_FILTER,
	CFG_OFMAP,
	CFG_DATAFLOW,
	CFG_BANDWIDTH,
	CFG_INTERFACE,
	CFG_MEMORY, /* ours: the tool passes over keys that it does not know */
	N_CFG_KEY
};

/* How a value is read; NUMBER: from 1 to max. */
enum cfg_type { CFG_TEXT, CFG_NUMBER, CFG_NUMBERS, CFG_CHOICE };
static const struct {
	const char *name;
	enum cfg_type type;
	uint32_t max;
	const char *choice[4];
	bool needed;
} cfg_table[N_CFG_KEY] = {
    [CFG_RUN_NAME] = {"run_name", CFG_TEXT, 0, {0}, false},
    [CFG_HEIGHT] = {"ArrayHeight", CFG_NUMBER, 4096, {0}, true},
    [CFG_WIDTH] = {"ArrayWidth", CFG_NUMBER, 4096, {0}, true},
    [CFG_IFMAP] = {"IfmapSramSzkB", CFG_NUMBER, 1u << 20, {0}, true},
    [CFG_FILTER] = {"FilterSramSzkB", CFG_NUMBER, 1u << 20, {0}, true},
    [CFG_OFMAP] = {"OfmapSramSzkB", CFG_NUMBER, 1u << 20, {0}, true},
    [CFG_DATAFLOW] =
	{"Dataflow", CFG_CHOICE, 0, {[SYSTOLIC_OS] = "os", [SYSTOLIC_WS] = "ws", [SYSTOLIC_IS] = "is"}, true},
    [CFG_BANDWIDTH] = {"Bandwidth", CFG_NUMBERS, MAX_WORD_PER_CLK, {0}, false},
    [CFG_INTERFACE] = {"InterfaceBandwidth", CFG_CHOICE, 0, {"CALC", "USER"}, true},
    [CFG_MEMORY] = {"MemoryModel", CFG_CHOICE, 0, {"physical", "scalesim"}, false},
};

/* Keys of the tool that change nothing here. */
static const char *const ignored_key[] = {"IfmapOffset",       "FilterOffset",       "OfmapOffset",   "MemoryBanks",
                                          "ReadRequestBuffer", "WriteRequestBuffer", "TopologyCsvLoc"};
static const char *const section_name[] = {"general", "architecture_presets", "run_presets", "network_presets"};

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

struct cfg_reader {
	const char *path;
	struct err *err;
	unsigned line, n_mistake;
	bool in_section, is_known; /* inside a section of section_name */
	bool given[N_CFG_KEY];
	struct err_place place[N_CFG_KEY];
	uint32_t value[N_CFG_KEY]; /* a choice: its index */
	char run_name[MACHINE_NAME_SIZE];
};

/* A part of a line, blanks around it left out. */
struct part {
	const char *text;
	size_t n;
	unsigned column;
};

/* Tell a mistake, of too many only the first. */
__attribute__((format(printf, 3, 4))) static void tell(struct cfg_reader *reader, struct err_place at,
                                                       const char *format, ...)
{
	if (++reader->n_mistake > MAX_MESSAGE)
		return;
	va_list list;
	va_start(list, format);
	(void)err_add_list(reader->err, ERR_INPUT, at, format, list);
	va_end(list);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static struct part trim(const char *line, const char *from, const char *to)
{
	assert(line <= from && from <= to);
	while (from < to && is_blank(*from))
		from++;
	while (to > from && is_blank(to[-1]))
		to--;
	return (struct part){from, (size_t)(to - from), (unsigned)(from - line) + 1};
}

static bool part_is(const struct part *part, const char *text)
{
	return part->n == strlen(text) && strncasecmp(part->text, text, part->n) == 0;
}

/* Bytes of a part that a message repeats. */
static int shown(const struct part *part)
{
	return part->n < 40 ? (int)part->n : 40;
}

static struct err_place place_of(const struct cfg_reader *reader, const struct part *part)
{
	return (struct err_place){reader->path, reader->line, part->column};
}

static bool parse_number(const struct part *part, uint32_t max, uint32_t *value)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < part->n; i++) {
		if (part->text[i] < '0' || part->text[i] > '9')
			return false;
		sum = 10 * sum + (uint64_t)(part->text[i] - '0');
		if (sum > max)
			return false;
	}
	*value = (uint32_t)sum;
	return sum > 0;
}

/* "10", or "10,10,10": SCALE-Sim gives each operand the bandwidth; all of them have to be the same. */
static bool parse_numbers(const struct part *part, uint32_t max, uint32_t *value)
{
	const char *at = part->text, *end = part->text + part->n;
	uint32_t other;
	for (bool first = true, more = true; more; first = false) {
		const char *comma = memchr(at, ',', (size_t)(end - at));
		const struct part one = trim(at, at, comma ? comma : end);
		if (!parse_number(&one, max, first ? value : &other) || (!first && other != *value))
			return false;
		more = comma != NULL;
		at = comma ? comma + 1 : end;
	}
	return true;
}

static bool parse_choice(const struct part *part, enum cfg_key key, uint32_t *value)
{
	for (uint32_t i = 0; i < N_OF(cfg_table[key].choice) && cfg_table[key].choice[i]; i++)
		if (part_is(part, cfg_table[key].choice[i])) {
			*value = i;
			return true;
		}
	return false;
}

static void report_value(struct cfg_reader *reader, enum cfg_key key, const struct part *value)
{
	if (cfg_table[key].type == CFG_CHOICE)
		tell(reader, place_of(reader, value), "%s: found '%.*s', allowed %s, %s%s%s", cfg_table[key].name,
		     shown(value), value->text, cfg_table[key].choice[0], cfg_table[key].choice[1],
		     cfg_table[key].choice[2] ? ", " : "", cfg_table[key].choice[2] ? cfg_table[key].choice[2] : "");
	else
		tell(reader, place_of(reader, value), "%s: found '%.*s', allowed a whole number from 1 to %u%s",
		     cfg_table[key].name, shown(value), value->text, cfg_table[key].max,
		     cfg_table[key].type == CFG_NUMBERS ? ", or the same one for each operand" : "");
}

static void read_value(struct cfg_reader *reader, enum cfg_key key, const struct part *name, const struct part *value)
{
	bool good = true;
	if (reader->given[key])
		tell(reader, place_of(reader, name), "%s stands twice, first in line %u", cfg_table[key].name,
		     reader->place[key].line);
	reader->given[key] = true;
	reader->place[key] = place_of(reader, value);
	switch (cfg_table[key].type) {
	case CFG_TEXT:
		(void)snprintf(reader->run_name, sizeof(reader->run_name), "%.*s",
		               (int)(value->n < MACHINE_NAME_SIZE ? value->n : MACHINE_NAME_SIZE), value->text);
		break;
	case CFG_NUMBER:
		good = parse_number(value, cfg_table[key].max, &reader->value[key]);
		break;
	case CFG_NUMBERS:
		good = parse_numbers(value, cfg_table[key].max, &reader->value[key]);
		break;
	case CFG_CHOICE:
		good = parse_choice(value, key, &reader->value[key]);
		break;
	}
	if (!good)
		report_value(reader, key, value);
}

/* Sparse layers and detailed DRAM of later versions change what a run gives, so that only their absence is right. */
static void read_foreign(struct cfg_reader *reader, const struct part *name, const struct part *value)
{
	static const char *const off[] = {"false", "no", "0", "off"};
	bool is_off = false;
	for (size_t i = 0; i < N_OF(off); i++)
		is_off = is_off || part_is(value, off[i]);
	if ((part_is(name, "SparsitySupport") || part_is(name, "UseRamulatorTrace")) && !is_off)
		tell(reader, place_of(reader, value), "%.*s: found '%.*s', allowed false", shown(name), name->text,
		     shown(value), value->text);
}

static void report_key(struct cfg_reader *reader, const struct part *name)
{
	const char *known[N_CFG_KEY];
	char text[48];
	for (size_t i = 0; i < N_CFG_KEY; i++)
		known[i] = cfg_table[i].name;
	(void)snprintf(text, sizeof(text), "%.*s", shown(name), name->text);
	const char *nearest = err_nearest(text, known, N_CFG_KEY);
	tell(reader, place_of(reader, name), "key: found '%s', allowed are SCALE-Sim's keys%s%s%s", text,
	     nearest ? ", did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

static void read_key(struct cfg_reader *reader, const struct part *name, const struct part *value)
{
	for (enum cfg_key key = 0; key < N_CFG_KEY; key++)
		if (part_is(name, cfg_table[key].name) && reader->is_known) {
			read_value(reader, key, name, value);
			return;
		}
	read_foreign(reader, name, value);
	if (!reader->is_known || part_is(name, "UseRamulatorTrace"))
		return;
	for (size_t i = 0; i < N_OF(ignored_key); i++)
		if (part_is(name, ignored_key[i]))
			return;
	report_key(reader, name);
}

static void read_line(struct cfg_reader *reader, const char *line, const char *end)
{
	const struct part all = trim(line, line, end);
	if (all.n == 0 || all.text[0] == '#' || all.text[0] == ';')
		return;
	if (all.text[0] == '[' && all.text[all.n - 1] == ']') {
		const struct part name = trim(line, all.text + 1, all.text + all.n - 1);
		reader->in_section = true;
		reader->is_known = false;
		for (size_t i = 0; i < N_OF(section_name); i++)
			reader->is_known = reader->is_known || part_is(&name, section_name[i]);
		return;
	}
	const char *sign = all.text;
	while (sign < all.text + all.n && *sign != ':' && *sign != '=')
		sign++;
	if (sign == all.text + all.n || sign == all.text || !reader->in_section) {
		tell(reader, place_of(reader, &all),
		     reader->in_section ? "found '%.*s', allowed [section], key: value, or a comment behind #"
		                        : "found '%.*s' before a section, allowed [general] or [architecture_presets]",
		     shown(&all), all.text);
		return;
	}
	const struct part name = trim(line, all.text, sign), value = trim(line, sign + 1, all.text + all.n);
	read_key(reader, &name, &value);
}

static void read_lines(struct cfg_reader *reader, const char *text, size_t n_byte)
{
	const char *at = text, *end = text + n_byte;
	if (n_byte >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		at += 3;
	while (at < end && reader->n_mistake <= MAX_MESSAGE) {
		const char *feed = memchr(at, '\n', (size_t)(end - at));
		reader->line++;
		read_line(reader, at, feed ? feed : end);
		at = feed ? feed + 1 : end;
	}
	for (enum cfg_key key = 0; key < N_CFG_KEY && reader->n_mistake <= MAX_MESSAGE; key++)
		if (cfg_table[key].needed && !reader->given[key])
			tell(reader, (struct err_place){reader->path, 1, 1}, "%s is missing", cfg_table[key].name);
	if (reader->value[CFG_INTERFACE] == 1 && !reader->given[CFG_BANDWIDTH])
		tell(reader, reader->place[CFG_INTERFACE],
		     "InterfaceBandwidth: found USER without Bandwidth, allowed with Bandwidth in words a clock, "
		     "or CALC");
}

/* The run's name, or the file's, with what machines' names may not have replaced. */
static void name_machine(const struct cfg_reader *reader, struct machine *machine)
{
	const char *slash = strrchr(reader->path, '/'), *file = slash ? slash + 1 : reader->path;
	size_t n = strlen(file) > 4 && path_ends_in(file, ".cfg") ? strlen(file) - 4 : strlen(file);
	if (reader->run_name[0])
		(void)snprintf(machine->name, sizeof(machine->name), "%s", reader->run_name);
	else
		(void)snprintf(machine->name, sizeof(machine->name), "%.*s",
		               (int)(n < MACHINE_NAME_SIZE ? n : MACHINE_NAME_SIZE), file);
	for (char *c = machine->name; *c; c++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.", *c))
			*c = '_';
	text_make_name(machine->name, sizeof(machine->name));
}

static void make_machine(const struct cfg_reader *reader, struct machine *machine)
{
	const uint32_t *value = reader->value;
	machine_init(machine, MACHINE_SYSTOLIC);
	name_machine(reader, machine);
	machine->systolic.rows = value[CFG_HEIGHT];
	machine->systolic.cols = value[CFG_WIDTH];
	machine->systolic.ifmap_byte = value[CFG_IFMAP] * KIB;
	machine->systolic.filter_byte = value[CFG_FILTER] * KIB;
	machine->systolic.ofmap_byte = value[CFG_OFMAP] * KIB;
	machine->systolic.word_byte = 1;
	machine->systolic.dataflow = value[CFG_DATAFLOW];
	bool is_given = value[CFG_INTERFACE] == 1;
	machine->systolic.memory_gb_s = (is_given ? value[CFG_BANDWIDTH] : MAX_WORD_PER_CLK) * CLK_MHZ / 1e3;
	if (value[CFG_MEMORY] == 1)
		machine->systolic.memory = is_given ? SYSTOLIC_SCALESIM : SYSTOLIC_SCALESIM_CALC;
	machine->n_level = 1;
	machine_init_level(&machine->level[0]);
	(void)snprintf(machine->level[0].name, sizeof(machine->level[0].name), "cfg");
	machine->level[0].clk_mhz = CLK_MHZ;
}

enum err_code machine_read_cfg(const char *path, struct machine *machine, struct err *err)
{
	struct cfg_reader reader = {.path = path, .err = err};
	struct machine read;
	char *text;
	size_t n_byte;
	assert(path && machine);
	enum err_code code = file_read(path, MAX_BYTE, &text, &n_byte, err);
	if (code != ERR_OK)
		return code;
	if (n_byte > MAX_BYTE)
		code = err_add(err, ERR_INPUT, "%s: found over %u byte, allowed %u byte", path, MAX_BYTE, MAX_BYTE);
	else
		read_lines(&reader, text, n_byte);
	free(text);
	if (code != ERR_OK || reader.n_mistake > 0)
		return ERR_INPUT;
	make_machine(&reader, &read);
	struct err found = {0};
	(void)machine_check(&read, &found);
	code = err_move(err, (struct err_place){path, 1, 1}, &found);
	if (code == ERR_OK)
		*machine = read;
	return code;
}
