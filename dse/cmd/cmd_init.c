/* SPDX-License-Identifier: Apache-2.0 */
/* dse init: a space or a machine to begin with, every part of it explained; the space is explored in a second. */
#include "dse/cmd/choice.h"
#include "dse/cmd/command_table.h"
#include "dse/out/paths.h"
#include "dse/space/machine_read.h"
#include "dse/space/machine_template.h"
#include "sim/machine/machine.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_NAME "my_space"
#define DEFAULT_LIKE "dvfs_chip"
#define PATH_SIZE 4096
#define SECTION_SIZE 4096

/* Of a file of this name; %s is the space's. */
static const char starter[] =
    "# A space: which machines, networks and choices of each layer to search, and what is better.\n"
    "# It takes a second as it stands; change a line, then 'dse check' says what is wrong or how large it is.\n"
    "name: %s\n"
    "\n"
    "# The machine: a shipped one (dvfs_chip, thesis_chip, edge_tpu, ...) or a file of your own. 'machines: [A, B]'\n"
    "# takes several.\n"
    "machine: dvfs_chip\n"
    "\n"
    "# What varies of it: values of any machine parameter, as a list or a range. All combinations are looked at.\n"
    "axes:\n"
    "  mla.array: [16x4, 8x4]         # MAC array, columns (output pixels) x rows (filters)\n"
    "# pe.sram_byte: {from: 65536, to: 131072, times: 2}\n"
    "\n"
    "# The network: a shipped one (tiny, resnet50, vgg16, mobilenet_v2, ...), a file of your own or an ONNX model.\n"
    "# 'networks: [vgg16, resnet50]' takes several; 'aggregate' says whether they are added up.\n"
    "network: tiny\n"
    "\n"
    "# Where the network's result must lie at its end: dram (so it is without this line), or any, which lets it stay "
    "in\n"
    "# storage QPEs.\n"
    "network_result: dram\n"
    "\n"
    "# What layers may choose from. 'match' is a pattern on their names; later rules win, key by key. Without rules\n"
    "# every layer has every legal choice.\n"
    "layers:\n"
    "  - match: '.*'                  # all layers\n"
    "    split: even                  # into parts as even as can be; all: every legal split; whole: none\n"
    "    strategy: all                # or some of no_fusion, fusion, fusion_reuse\n"
    "    conv_1x1: [conv, packed, matmul]   # how 1x1 convolutions are put to the array; another: tight\n"
    "    level: all                   # operating points of the machine: voltage and clock\n"
    "  - match: '^CONV_'              # convolutions\n"
    "    split: {width: all, height: all, out_channels: all, in_channels: whole}\n"
    "\n"
    "# What must hold: conditions on machines, limits on results.\n"
    "constraints:\n"
    "  - chip.n_dram * dram.clk_mhz <= 1600\n"
    "  - latency_ms <= 1\n"
    "\n"
    "# What is better: one to four metrics, all as small as possible. The answer is a Pareto front over them.\n"
    "objectives: [latency_ms, energy_mj, mac_units]\n"
    "\n"
    "# How to search: exact (proves its front), nsga2 or pls (for spaces too large for that), exhaustive.\n"
    "search: {engine: exact}\n";

/* The file's path, with its ending, and the space's name; ERR_USAGE where none can be made of it. */
static enum err_code choose_name(const char *given, char path[PATH_SIZE], char name[MACHINE_NAME_SIZE], struct err *err)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
	bool has_ending = path_ends_in(given, ".yaml");
	const char *slash = strrchr(given, '/'), *base = slash ? slash + 1 : given;
	size_t n_name = strlen(base) - (has_ending ? strlen(".yaml") : 0);
	if (n_name == 0 || n_name >= MACHINE_NAME_SIZE || strspn(base, allowed) != strlen(base))
		return err_add(err, ERR_USAGE,
		               "dse init: a name is 1 to %d letters, digits, '_', '-' and '.', found '%.80s'",
		               MACHINE_NAME_SIZE - 1, base);
	int n_byte = snprintf(path, PATH_SIZE, "%s%s", given, has_ending ? "" : ".yaml");
	if (n_byte < 0 || n_byte >= PATH_SIZE)
		return err_add(err, ERR_USAGE, "dse init: the path is longer than %d bytes", PATH_SIZE - 1);
	(void)snprintf(name, MACHINE_NAME_SIZE, "%.*s", (int)n_name, base);
	return ERR_OK;
}

/* What a file is made from: the starter of a space, or a machine like another one. */
struct template
{
	const char *name;
	const struct machine *like; /* NULL: a space */
	const struct machine_sources *sources;
	const char *technology; /* lines of its section; NULL: none */
};

/* Nobody's work is lost by a slip: the file is made by this call or not at all. */
static enum err_code write_new(const char *path, const struct template *template, struct err *err)
{
	FILE *file = fopen(path, "wx");
	if (!file && errno == EEXIST)
		return err_add(err, ERR_IO, "%s: is there already, and stays; choose another name", path);
	if (!file)
		return err_add(err, ERR_IO, "%s: cannot write: %s", path, strerror(errno));
	if (template->like)
		machine_template_write(file, template->name, template->like, template->sources, template->technology);
	else
		(void)fprintf(file, starter, template->name);
	bool failed = ferror(file) != 0;
	int why = errno;
	if (fclose(file) != 0 && !failed) {
		failed = true;
		why = errno;
	}
	if (!failed)
		return ERR_OK;
	(void)remove(path);
	return err_add(err, ERR_IO, "%s: cannot write: %s", path, strerror(why));
}

/* The lines of a file's section 'technology'; false: there is none, or it is too long. */
static bool find_technology(const char *path, char section[SECTION_SIZE])
{
	FILE *file = fopen(path, "r");
	char line[512];
	size_t n = 0;
	bool is_inside = false, fits = true;
	while (file && fgets(line, sizeof(line), file)) {
		bool is_key = line[0] != ' ' && line[0] != '#' && line[0] != '\n';
		is_inside = is_key ? strncmp(line, "technology:", strlen("technology:")) == 0 : is_inside;
		if (is_inside && line[0] != '\n')
			n += (size_t)snprintf(section + n, SECTION_SIZE - n, "%s", line);
		fits = fits && n < SECTION_SIZE;
		n = fits ? n : 0;
	}
	if (file)
		(void)fclose(file);
	return fits && n > 0;
}

/* dse init machine NAME [--like MACHINE] [--set KEY=VALUE]. */
static enum err_code init_machine(const struct cli_options *options, struct err *err)
{
	char path[PATH_SIZE], name[MACHINE_NAME_SIZE];
	struct arena arena = {0};
	struct machine like;
	struct machine_sources sources;
	const char *from = NULL;
	enum err_code code = choose_name(options->file[1], path, name, err);
	if (code == ERR_OK)
		code = path_find(options->like ? options->like : DEFAULT_LIKE, "machines", &arena, &from, err);
	if (code == ERR_OK)
		code = machine_read_sources(from, &like, &sources, &arena, err);
	if (code == ERR_OK)
		code = choice_set_machine(options, &like, &sources, err);
	char section[SECTION_SIZE] = "";
	bool has_section = code == ERR_OK && like.technology.of.node_nm > 0;
	if (has_section && (!like.technology.is_area_alone || !find_technology(from, section)))
		code = err_add(err, ERR_USAGE,
		               "dse init: %s has coefficients that follow from its technology; copy the file instead",
		               from);
	if (code == ERR_OK)
		code = write_new(path, &(struct template){name, &like, &sources, has_section ? section : NULL}, err);
	if (code == ERR_OK && !options->quiet)
		(void)printf("%s is written, a machine like %s; what you may do next:\n"
		             "  dse check %s      # what is wrong with it\n"
		             "  dse explain %s    # its rates, its defaults, how far its numbers are known\n"
		             "  dse map %s tiny   # the fastest mapping of a network on it\n",
		             path, like.name, path, path, path);
	arena_free(&arena);
	return code;
}

static enum err_code init_space(const struct cli_options *options, struct err *err)
{
	char path[PATH_SIZE], name[MACHINE_NAME_SIZE];
	enum err_code code = choose_name(options->n_file > 0 ? options->file[0] : DEFAULT_NAME, path, name, err);
	if (code == ERR_OK)
		code = write_new(path, &(struct template){.name = name}, err);
	if (code == ERR_OK && !options->quiet)
		(void)printf("%s is written; what you may do next:\n"
		             "  dse check %s      # what is wrong with it, how large it is\n"
		             "  dse explain %s    # in words what it asks for\n"
		             "  dse explore %s    # its front, and results/%s-<hash>/ with pictures and tables\n",
		             path, path, path, path, name);
	return code;
}

enum err_code cmd_init(const struct cli_options *options, struct err *err)
{
	bool is_machine = options->n_file > 0 && strcmp(options->file[0], "machine") == 0;
	if (is_machine && options->n_file == 1)
		return err_add(err, ERR_USAGE, "dse init: a machine's name is missing; usage: dse init machine NAME");
	if (!is_machine && options->n_file > 1)
		return err_add(err, ERR_USAGE, "dse init: '%.60s' is one too many; usage: dse init [NAME]",
		               options->file[1]);
	if (!is_machine && (options->like || options->set.n > 0))
		return err_add(err, ERR_USAGE, "dse init: --like and --set are of 'dse init machine NAME'");
	return is_machine ? init_machine(options, err) : init_space(options, err);
}
