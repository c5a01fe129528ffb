/* SPDX-License-Identifier: Apache-2.0 */
/* A space's section `arada:`. Machines and networks are named as in their own files, for a space may name files. */
#include "dse/space/arada_options.h"
#include "dse/space/space_parts.h"
#include <string.h>

/* The paper's: 10 us, 50 MHz; a tenth of the bandwidth, as its table 1 has it. */
#define SWITCH_US 10
#define CLK_STEP_MHZ 50
#define N_BANDWIDTH 10

#define MAX_SWITCH_US 1e6
#define MAX_CLK_STEP_MHZ 1e5
#define MIN_GB_S 1e-3
#define MAX_GB_S 1e5
#define MAX_BUFFER_KIB (1u << 20) /* as a machine's buffers */
#define MAX_NAME 63

const char *const arada_bandwidth_name[N_ARADA_BANDWIDTH] = {"word_per_clk", "gb_s"};
const char *const arada_model_name[N_ARADA_MODEL] = {"scalesim", "physical"};
const char *const arada_shape_name[N_ARADA_SHAPE] = {"tool", "network"};

/* A map that is not one is reported; example shows what it looks like. */
static bool is_map(struct space_reader *reader, const struct doc_node *node, const char *what, const char *example)
{
	if (node->kind == DOC_MAP)
		return true;
	return doc_refuse(reader->err, node, "%s: allowed is a map, e.g. %s", what, example);
}

/* The machine of the space that has this name; false with a message when there is none. */
static bool find_machine(struct space_reader *reader, const struct doc_node *node, size_t *index)
{
	const struct space *space = reader->space;
	/* Where machines were not read their names are not known. */
	const char **name = reader->machines_complete ? space_array(reader, space->n_machine, sizeof(*name)) : NULL;
	for (size_t i = 0; name && i < space->n_machine; i++)
		name[i] = space->machine[i].name;
	return name && doc_get_choice(node, "machine", name, space->n_machine, index, reader->err);
}

/* The memory of a machine that has this name. */
static bool find_memory(struct space_reader *reader, const struct doc_node *node, size_t machine, size_t *index)
{
	const struct arada_options *options = &reader->space->arada;
	const char **name = space_array(reader, options->n_memory, sizeof(*name));
	size_t *at = space_array(reader, options->n_memory, sizeof(*at)), n = 0, found;
	for (size_t i = 0; name && at && i < options->n_memory; i++) {
		if (options->memory[i].machine != machine)
			continue;
		name[n] = options->memory[i].name;
		at[n++] = i;
	}
	if (n == 0)
		return doc_refuse(reader->err, node, "machine %s has no memories under 'memories'",
		                  reader->space->machine[machine].name);
	if (!doc_get_choice(node, "memory", name, n, &found, reader->err))
		return false;
	*index = at[found];
	return true;
}

/* Items of all maps or lists below a map. */
static size_t count_items(const struct doc_node *map)
{
	size_t n = 0;
	for (size_t i = 0; i < map->n; i++)
		n += map->value[i]->kind == DOC_SCALAR ? 1 : map->value[i]->n;
	return n;
}

/* `{edge_tpu: {LPDDR4: 25.6}}` */
static void read_memories(struct space_reader *reader, const struct doc_node *map)
{
	static const char example[] = "{edge_tpu: {LPDDR4: 25.6}}";
	struct arada_options *options = &reader->space->arada;
	if (!is_map(reader, map, "memories", example))
		return;
	options->memory = space_array(reader, count_items(map), sizeof(*options->memory));
	for (size_t i = 0; options->memory && i < map->n; i++) {
		const struct doc_node *of = map->value[i];
		struct arada_memory memory = {0};
		bool found = find_machine(reader, map->key[i], &memory.machine);
		if (!is_map(reader, of, "memories", example))
			continue;
		for (size_t k = 0; k < of->n; k++) {
			bool good = doc_get_name(of->key[k], "name of the memory", MAX_NAME, &memory.name, reader->err);
			good = doc_get_quantity(of->value[k], "memories", "GB/s", MIN_GB_S, MAX_GB_S, &memory.gb_s,
			                        reader->err) &&
			       good;
			if (good && found)
				options->memory[options->n_memory++] = memory;
		}
	}
}

/* `{edge_tpu: {LPDDR4: 38}}`, or `{my_tpu: 38}` of a machine with its own memory. */
static void read_published(struct space_reader *reader, const struct doc_node *map)
{
	static const char example[] = "{edge_tpu: {LPDDR4: 38}}";
	struct arada_options *options = &reader->space->arada;
	if (!is_map(reader, map, "published", example))
		return;
	options->published = space_array(reader, count_items(map), sizeof(*options->published));
	for (size_t i = 0; options->published && i < map->n; i++) {
		const struct doc_node *of = map->value[i];
		struct arada_coupled new = {.memory = SIZE_MAX};
		bool found = find_machine(reader, map->key[i], &new.machine), is_own = of->kind == DOC_SCALAR;
		if (!is_own && !is_map(reader, of, "published", example))
			continue;
		for (size_t k = 0; k < (is_own ? 1 : of->n); k++) {
			bool known = found && (is_own || find_memory(reader, of->key[k], new.machine, &new.memory));
			if (doc_get_real(is_own ? of : of->value[k], "published", 0, 100, &new.saving_pct,
			                 reader->err) &&
			    known)
				options->published[options->n_published++] = new;
		}
	}
}

/* `{network: mobilenet_v1, machines: {hpc_tpu: [HBM2]}}` */
static void read_detail(struct space_reader *reader, const struct doc_node *map)
{
	static const char *const allowed[] = {"network", "machines"};
	static const char example[] = "{network: mobilenet_v1, machines: {hpc_tpu: [HBM2]}}";
	struct space *space = reader->space;
	struct arada_options *options = &space->arada;
	if (!is_map(reader, map, "detail", example))
		return;
	doc_check_keys(map, allowed, 2, reader->err);
	const struct doc_node *network = doc_find(map, "network"), *machines = doc_find(map, "machines");
	if (!network || !machines) {
		(void)doc_refuse(reader->err, map, "detail: needs 'network' and 'machines', e.g. %s", example);
		return;
	}
	const char **name = reader->networks_complete ? space_array(reader, space->n_network, sizeof(*name)) : NULL;
	for (size_t i = 0; name && i < space->n_network; i++)
		name[i] = space->network[i].network.name;
	if (name)
		(void)doc_get_choice(network, "network", name, space->n_network, &options->detail_network, reader->err);
	if (!is_map(reader, machines, "machines", example))
		return;
	options->detail = space_array(reader, count_items(machines), sizeof(*options->detail));
	for (size_t i = 0; options->detail && i < machines->n; i++) {
		const struct doc_node *of = machines->value[i];
		struct arada_coupled new = {0};
		if (!find_machine(reader, machines->key[i], &new.machine))
			continue;
		for (size_t k = 0; k < item_n(of); k++)
			if (find_memory(reader, item_at(of, k), new.machine, &new.memory))
				options->detail[options->n_detail++] = new;
	}
}

/* `{edge_tpu: [1024, 2048, 1024]}` */
static void read_buffers(struct space_reader *reader, const struct doc_node *map)
{
	static const char example[] = "{edge_tpu: [1024, 2048, 1024]}";
	struct arada_options *options = &reader->space->arada;
	if (!is_map(reader, map, "buffers_kib", example))
		return;
	options->buffers = space_array(reader, map->n, sizeof(*options->buffers));
	for (size_t i = 0; options->buffers && i < map->n; i++) {
		const struct doc_node *list = map->value[i];
		struct arada_buffers new;
		uint64_t kib[3];
		bool ok = find_machine(reader, map->key[i], &new.machine);
		if (list->kind != DOC_LIST || list->n != 3) {
			(void)doc_refuse(
			    reader->err, list,
			    "buffers_kib: allowed are three whole numbers, of ifmap, filter and ofmap, e.g. %s",
			    example);
			continue;
		}
		for (size_t k = 0; k < 3; k++)
			ok = doc_get_u64(list->value[k], "buffers_kib", 1, MAX_BUFFER_KIB, &kib[k], reader->err) && ok;
		if (!ok)
			continue;
		new.ifmap_kib = (uint32_t)kib[0];
		new.filter_kib = (uint32_t)kib[1];
		new.ofmap_kib = (uint32_t)kib[2];
		options->buffers[options->n_buffers++] = new;
	}
}

static void read_choices(struct space_reader *reader, const struct doc_node *map)
{
	struct arada_options *options = &reader->space->arada;
	size_t model = ARADA_SCALESIM, bandwidth = ARADA_WORD_PER_CLK, shape = ARADA_TOOL;
	(void)doc_get_choice(doc_find(map, "memory_model"), "memory_model", arada_model_name, N_ARADA_MODEL, &model,
	                     reader->err);
	(void)doc_get_choice(doc_find(map, "bandwidth"), "bandwidth", arada_bandwidth_name, N_ARADA_BANDWIDTH,
	                     &bandwidth, reader->err);
	(void)doc_get_choice(doc_find(map, "layers_as"), "layers_as", arada_shape_name, N_ARADA_SHAPE, &shape,
	                     reader->err);
	options->model = (enum arada_model)model;
	options->bandwidth = (enum arada_bandwidth)bandwidth;
	options->shape = (enum arada_shape)shape;
}

/* Where a key's value stands, for messages of what comes after reading. */
static struct err_place key_place(const struct doc_node *map, const char *key)
{
	const struct doc_node *node = doc_find(map, key);
	return node ? space_text_place(node) : (struct err_place){0};
}

static void read_numbers(struct space_reader *reader, const struct doc_node *map)
{
	struct arada_options *options = &reader->space->arada;
	uint64_t n = N_BANDWIDTH;
	(void)doc_get_quantity(doc_find(map, "switch_us"), "switch_us", "us", 0, MAX_SWITCH_US, &options->switch_us,
	                       reader->err);
	options->clk_step_at = key_place(map, "clk_step_mhz");
	(void)doc_get_quantity(doc_find(map, "clk_step_mhz"), "clk_step_mhz", "MHz", 1e-3, MAX_CLK_STEP_MHZ,
	                       &options->clk_step_mhz, reader->err);
	(void)doc_get_real(doc_find(map, "bandwidth_word_byte"), "bandwidth_word_byte", 0.125, 64,
	                   &options->bandwidth_word_byte, reader->err);
	(void)doc_get_u64(doc_find(map, "bandwidth_steps"), "bandwidth_steps", 1, ARADA_MAX_SETTING, &n, reader->err);
	options->n_bandwidth = (uint32_t)n;
}

void space_read_arada(struct space_reader *reader)
{
	static const char *const allowed[] = {"memory_model", "bandwidth",       "layers_as",          "switch_us",
	                                      "clk_step_mhz", "bandwidth_steps", "buffers_kib",        "memories",
	                                      "published",    "detail",          "bandwidth_word_byte"};
	static const struct {
		const char *key;
		void (*read)(struct space_reader *reader, const struct doc_node *node);
	} part[] = {{"buffers_kib", read_buffers},
	            {"memories", read_memories},
	            {"published", read_published}, /* after the memories that it names */
	            {"detail", read_detail}};
	const struct doc_node *map = doc_find(reader->root, "arada");
	reader->space->arada = (struct arada_options){
	    .is_given = map != NULL,
	    .switch_us = SWITCH_US,
	    .clk_step_mhz = CLK_STEP_MHZ,
	    .n_bandwidth = N_BANDWIDTH,
	    .level_changes_at = key_place(reader->root, "level_changes"),
	    .level_shares_at = key_place(reader->root, "level_shares"),
	    .deadline_at = key_place(reader->root, "deadline_ms"),
	};
	if (!map || !is_map(reader, map, "arada", "{memory_model: scalesim}"))
		return;
	doc_check_keys(map, allowed, sizeof(allowed) / sizeof(allowed[0]), reader->err);
	read_choices(reader, map);
	read_numbers(reader, map);
	for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); i++) {
		const struct doc_node *node = doc_find(map, part[i].key);
		if (node)
			part[i].read(reader, node);
	}
}
