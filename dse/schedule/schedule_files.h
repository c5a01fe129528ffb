/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_SCHEDULE_FILES_H
#define DSE_SCHEDULE_FILES_H
/*
 * A multi-layer schedule as files, for whoever runs it:
 *
 *   dram.bin       what the host writes into the DRAM (dse/schedule/dram_image.h, mapper/DRAM.md)
 *   dram.map       every region of the DRAM, one a line, by address
 *   sram.map       strategy sram only: what lies where in the workers' SRAM (mapper/DRAM.md has the columns)
 *   schedule.yaml  for people: layers, workers, tiles, addresses, estimated times
 *
 * dram.map is derived from image and names: it is made again and compared when it is read. So is schedule.yaml, once
 * names and times are read from it.
 */
#include "dse/schedule/dram_image.h"
#include "dse/out/json.h"
#include "mapper/octopus/octopus_time.h"
#include <stdio.h>

/* What is said of a layer beside the DRAM plan. Times in us to three digits, as the file has them. */
struct schedule_note {
	char name[BLOCK_NAME_SIZE];
	double part_us[N_OCTOPUS_PART], total_us;
	double hidden_us; /* fetches of weights behind computation, in no part */
	double energy_nj;
	uint64_t sram_byte; /* of the fullest worker */
};

/* A part of a worker's SRAM. */
enum sram_kind { SRAM_WEIGHTS, SRAM_RESULT, SRAM_WORK, N_SRAM_KIND };
struct sram_region {
	uint32_t worker; /* row in the table of workers */
	uint64_t address, byte;
	enum sram_kind kind;
	uint32_t first, last; /* layers during which it is used */
	uint32_t layer, tile; /* whose it is; weights and work: the first tile of the worker that needs them */
};
struct sram_map {
	uint64_t capacity_byte; /* of a worker */
	size_t n;
	struct sram_region *region; /* [n] by worker, address, first layer, kind; of the files' arena */
};

/* Initialise with {0}; schedule_files_free gives all of it back. */
struct schedule_files {
	char network[NETWORK_NAME_SIZE], machine[MACHINE_NAME_SIZE], level[MACHINE_NAME_SIZE],
	    strategy[MACHINE_NAME_SIZE];
	double setup_us, cleanup_us, total_us, energy_nj;
	struct octopus_dram dram;
	struct sram_map sram;                 /* n 0: nothing stays in SRAM */
	struct schedule_note *layer;          /* [dram.n_layer] */
	char (*tensor_name)[BLOCK_NAME_SIZE]; /* [dram.n_tensor] */
	struct arena arena;
};

/*
 * Plan the DRAM for a graph whose layers are cut and take names over; times and the other texts are for the caller to
 * set. As octopus_dram_plan; files is empty after an error.
 */
enum err_code schedule_files_plan(const struct octopus_graph *graph, const struct machine *machine,
                                  uint64_t capacity_byte, struct schedule_files *files, struct octopus_memory *memory,
                                  struct err *err);
void schedule_files_free(struct schedule_files *files);

/* Write the files into a folder, which is made if it is missing. None appears unless all could be written. ERR_IO. */
enum err_code schedule_files_write(const char *folder, const struct schedule_files *files, struct err *err);

/*
 * Read them back and check everything: the image by itself (dram_image_read, dram_check), and that map and YAML are
 * what follows from it. ERR_INPUT with file:line (dram.bin: file:byte offset), ERR_IO, ERR_INTERNAL; files is empty
 * then.
 */
enum err_code schedule_files_read(const char *folder, struct schedule_files *files, struct err *err);

/* The texts. A stream that fails keeps its error. */
void schedule_map_write(const struct schedule_files *files, FILE *file);
void schedule_yaml_write(const struct schedule_files *files, FILE *file);

/*
 * Names and times from schedule.yaml, for a plan that is in files already. ERR_INPUT with file:line:column. What
 * follows from the plan is not looked at.
 */
enum err_code schedule_yaml_read(const char *name, const char *text, size_t n_byte, struct schedule_files *files,
                                 struct err *err);

/* sram.map. Whether files have one: the strategy is sram. */
bool schedule_sram_is_due(const struct schedule_files *files);

/* From the seats of a graph that files were planned from; nothing where the strategy is another. */
void schedule_sram_plan(const struct octopus_graph *graph, uint64_t capacity_byte, struct schedule_files *files);
void schedule_sram_write(const struct schedule_files *files, FILE *file);

/* The regions of a text; whether they make sense tells schedule_sram_check. ERR_INPUT with file:line. */
enum err_code schedule_sram_read(const char *name, const char *text, size_t n_byte, struct schedule_files *files,
                                 struct err *err);

/*
 * Whether every worker has room for each of its tiles' results, for each of its parts of the filters and for its work
 * once, as long as they are needed; all at multiples of OCTOPUS_ALIGN_BYTE, below the capacity, and apart where they
 * are needed at once. Without a map: that nothing stays in SRAM. ERR_INPUT.
 */
enum err_code schedule_sram_check(const char *name, const struct schedule_files *files, struct err *err);

/* What was read, as text or a JSON object: areas, how well activations share memory, layers. */
void schedule_files_print(const struct schedule_files *files, FILE *file);
void schedule_files_put_json(const struct schedule_files *files, struct json *json);

#endif
