/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/schedule/schedule_target.h"
#include "dse/keep/output_file.h"
#include "dse/schedule/schedule_files.h"
#include <assert.h>
#include <ctype.h>
#include <inttypes.h>

const char *const schedule_target_name[N_SCHEDULE_TARGET] = {"none", "spinnaker2"};

/* What the manual of the chip tells and nothing that is published does. */
static const struct {
	const char *key, *help;
} register_table[] = {
    {"DRAM_BASE", "address at which the DRAM begins, as the host's link and the PEs see it"},
    {"PE_BASE", "address of PE 0 of QPE (0, 0)"},
    {"PE_STRIDE", "bytes from a PE of a QPE to the next"},
    {"QPE_X_STRIDE", "bytes from a QPE to the next one along x"},
    {"QPE_Y_STRIDE", "bytes from a QPE to the next one along y"},
    {"PE_IRQ", "offset in a PE of the register that interrupts it"},
    {"PE_IRQ_START", "value that starts the scheduler's program there"},
    {"PE_DONE", "offset in a PE of the word in which the scheduler says that the model is done"},
};
#define N_REGISTER (sizeof(register_table) / sizeof(register_table[0]))

/* ---- C ---- */

static void put_upper(FILE *file, const char *text)
{
	for (; *text; text++)
		(void)fputc(isalnum((unsigned char)*text) ? toupper((unsigned char)*text) : '_', file);
}

static void put_header_tensors(const struct schedule_files *files, bool is_input, FILE *file)
{
	const struct octopus_dram *dram = &files->dram;
	for (uint32_t t = 0; t < dram->n_tensor; t++) {
		const struct dram_tensor *tensor = &dram->tensor[t];
		if (is_input ? !tensor->is_input : !tensor->is_output)
			continue;
		for (int i = 0; i < 2; i++) {
			(void)fprintf(file, "#define MODEL_%s_", is_input ? "INPUT" : "OUTPUT");
			put_upper(file, files->tensor_name[t]);
			(void)fprintf(file, "_%s UINT64_C(%" PRIu64 ")\n", i == 0 ? "ADDRESS" : "BYTE",
			              i == 0 ? tensor->address : tensor->byte);
		}
	}
}

static void put_header_pes(const struct octopus_dram *dram, FILE *file)
{
	(void)fprintf(
	    file,
	    "\n/* x, y of the QPE, PE of it; the first is the scheduler, the others are the workers in order. */\n"
	    "#define MODEL_N_PE %" PRIu32 "\n#define MODEL_PES { \\\n\t{%" PRIu32 ", %" PRIu32 ", %" PRIu32 "}",
	    1 + dram->n_worker, dram->scheduler.x, dram->scheduler.y, dram->scheduler.pe);
	for (uint32_t i = 0; i < dram->n_worker; i++)
		(void)fprintf(file, ", \\\n\t{%" PRIu32 ", %" PRIu32 ", %" PRIu32 "}", dram->worker[i].x,
		              dram->worker[i].y, dram->worker[i].pe);
	(void)fputs("}\n", file);
}

static void put_header(const struct schedule_files *files, FILE *file)
{
	const struct octopus_dram *dram = &files->dram;
	(void)fprintf(
	    file, "/*\n"
		  " * Written by dse schedule --target spinnaker2. Addresses count from the DRAM's begin.\n"
		  " *\n"
		  " * Start: write dram.bin to DRAM_BASE; load the programs of scheduler and workers; then for each\n"
		  " * input write it, interrupt the scheduler, wait for it, and read output and times.\n"
		  " */\n"
		  "#ifndef MODEL_LOAD_H\n#define MODEL_LOAD_H\n#include <stdint.h>\n\n"
		  "/* From the chip's manual: fill these. */\n");
	for (size_t i = 0; i < N_REGISTER; i++)
		(void)fprintf(file, "/* %s */\n/* #define %s */\n", register_table[i].help, register_table[i].key);
	(void)fputc('\n', file);
	for (size_t i = 0; i < N_REGISTER; i++)
		(void)fprintf(file, "#ifndef %s\n#error \"%s is empty: %s\"\n#endif\n", register_table[i].key,
		              register_table[i].key, register_table[i].help);
	(void)fprintf(
	    file,
	    "\n#define MODEL_IMAGE_BYTE UINT64_C(%" PRIu64 ")\n#define MODEL_DRAM_BYTE UINT64_C(%" PRIu64 ")\n"
	    "#define MODEL_TIMES_ADDRESS UINT64_C(%" PRIu64 ")\n#define MODEL_TIMES_BYTE UINT64_C(%" PRIu64 ")\n"
	    "#define MODEL_TICK_PS %" PRIu32 "u\n",
	    dram->data.address, dram->data.address + dram->data.byte, dram->times.address, dram->times.byte,
	    dram->tick_ps);
	put_header_tensors(files, true, file);
	put_header_tensors(files, false, file);
	put_header_pes(dram, file);
	(void)fputs("\n#endif\n", file);
}

/* ---- Python ---- */

static void put_script_tensors(const struct schedule_files *files, bool is_input, FILE *file)
{
	const struct octopus_dram *dram = &files->dram;
	(void)fprintf(file, "%s = [  # name, address, bytes\n", is_input ? "INPUTS" : "OUTPUTS");
	for (uint32_t t = 0; t < dram->n_tensor; t++)
		if (is_input ? dram->tensor[t].is_input : dram->tensor[t].is_output)
			(void)fprintf(file, "    (\"%s\", %" PRIu64 ", %" PRIu64 "),\n", files->tensor_name[t],
			              dram->tensor[t].address, dram->tensor[t].byte);
	(void)fputs("]\n", file);
}

/* What follows the tables: the same for every model. */
static const char script[] =
    "\n\n"
    "def check_registers():\n"
    "    empty = [key for key, (value, _) in REGISTERS.items() if value is None]\n"
    "    if empty:\n"
    "        lines = [\"  %s: %s\" % (key, REGISTERS[key][1]) for key in empty]\n"
    "        sys.exit(\"load.py: registers are empty; fill them in REGISTERS from the chip's manual:\\n\" + "
    "\"\\n\".join(lines))\n"
    "\n\n"
    "def register(key):\n"
    "    return REGISTERS[key][0]\n"
    "\n\n"
    "def pe_address(pe):\n"
    "    x, y, number = pe\n"
    "    return (register(\"PE_BASE\") + x * register(\"QPE_X_STRIDE\") + y * register(\"QPE_Y_STRIDE\")\n"
    "            + number * register(\"PE_STRIDE\"))\n"
    "\n\n"
    "def load(link):\n"
    "    \"\"\"The image, once. Programs of scheduler and workers are loaded by whoever has them.\"\"\"\n"
    "    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), \"dram.bin\"), \"rb\") as file:\n"
    "        image = file.read()\n"
    "    if len(image) != IMAGE_BYTE:\n"
    "        sys.exit(\"load.py: dram.bin has %d bytes, expected %d: fill it with dse schedule --weights\" % "
    "(len(image), IMAGE_BYTE))\n"
    "    link.write(register(\"DRAM_BASE\"), image)\n"
    "\n\n"
    "def run(link, data, timeout_s=10.0):\n"
    "    \"\"\"One input, its tensors' bytes one behind the other; returns output and time area.\"\"\"\n"
    "    expected = sum(byte for _, _, byte in INPUTS)\n"
    "    if len(data) != expected:\n"
    "        sys.exit(\"load.py: an input has %d bytes, expected %d\" % (len(data), expected))\n"
    "    base, scheduler = register(\"DRAM_BASE\"), pe_address(PES[0])\n"
    "    link.write(scheduler + register(\"PE_DONE\"), bytes(4))\n"
    "    at = 0\n"
    "    for _, address, byte in INPUTS:\n"
    "        link.write(base + address, data[at:at + byte])\n"
    "        at += byte\n"
    "    link.write(scheduler + register(\"PE_IRQ\"), register(\"PE_IRQ_START\").to_bytes(4, \"little\"))\n"
    "    end = time.monotonic() + timeout_s\n"
    "    while link.read(scheduler + register(\"PE_DONE\"), 4) == bytes(4):\n"
    "        if time.monotonic() > end:\n"
    "            sys.exit(\"load.py: the scheduler is not done after %g s\" % timeout_s)\n"
    "    output = b\"\".join(link.read(base + address, byte) for _, address, byte in OUTPUTS)\n"
    "    return output, link.read(base + TIMES_ADDRESS, TIMES_BYTE)\n"
    "\n\n"
    "def main():\n"
    "    parser = argparse.ArgumentParser(description=\"load a model's image and run inputs\")\n"
    "    parser.add_argument(\"--link\", required=True, help=\"Python module with write(address, bytes), read(address, "
    "n)\")\n"
    "    parser.add_argument(\"--input\", required=True, help=\"inputs, int8, one behind the other\")\n"
    "    parser.add_argument(\"--output\", required=True, help=\"file for the outputs\")\n"
    "    parser.add_argument(\"--times\", help=\"file for the last run's time area, for dse fit --time-area\")\n"
    "    options = parser.parse_args()\n"
    "    check_registers()\n"
    "    link = importlib.import_module(options.link)\n"
    "    load(link)\n"
    "    size = sum(byte for _, _, byte in INPUTS)\n"
    "    with open(options.input, \"rb\") as file, open(options.output, \"wb\") as out:\n"
    "        for data in iter(lambda: file.read(size), b\"\"):\n"
    "            output, times = run(link, data)\n"
    "            out.write(output)\n"
    "    if options.times:\n"
    "        with open(options.times, \"wb\") as file:\n"
    "            file.write(times)\n"
    "\n\n"
    "if __name__ == \"__main__\":\n"
    "    main()\n";

static void put_script(const struct schedule_files *files, FILE *file)
{
	const struct octopus_dram *dram = &files->dram;
	(void)fputs("#!/usr/bin/env python3\n"
	            "\"\"\"Written by dse schedule --target spinnaker2. Addresses count from the DRAM's begin.\"\"\"\n"
	            "import argparse\nimport importlib\nimport os\nimport sys\nimport time\n\n"
	            "REGISTERS = {  # from the chip's manual: put numbers in place of None\n",
	            file);
	for (size_t i = 0; i < N_REGISTER; i++)
		(void)fprintf(file, "    \"%s\": (None, \"%s\"),\n", register_table[i].key, register_table[i].help);
	(void)fprintf(file,
	              "}\n\nIMAGE_BYTE = %" PRIu64 "\nTIMES_ADDRESS = %" PRIu64 "\nTIMES_BYTE = %" PRIu64
	              "\nTICK_PS = %" PRIu32 "\n",
	              dram->data.address, dram->times.address, dram->times.byte, dram->tick_ps);
	put_script_tensors(files, true, file);
	put_script_tensors(files, false, file);
	(void)fprintf(file,
	              "PES = [  # x, y of the QPE, PE of it: the scheduler, then the workers\n    (%" PRIu32
	              ", %" PRIu32 ", %" PRIu32 "),\n",
	              dram->scheduler.x, dram->scheduler.y, dram->scheduler.pe);
	for (uint32_t i = 0; i < dram->n_worker; i++)
		(void)fprintf(file, "    (%" PRIu32 ", %" PRIu32 ", %" PRIu32 "),\n", dram->worker[i].x,
		              dram->worker[i].y, dram->worker[i].pe);
	(void)fputs("]\n", file);
	(void)fputs(script, file);
}

/* ---- files ---- */

static enum err_code write_one(const char *folder, const char *name, const struct schedule_files *files,
                               void (*put)(const struct schedule_files *files, FILE *file), struct err *err)
{
	struct output_file file = {0};
	enum err_code code = output_file_open_in(&file, folder, name, err);
	if (code != ERR_OK)
		return code;
	put(files, file.file);
	return output_file_commit(&file, err);
}

enum err_code schedule_target_write(const char *folder, enum schedule_target target, const struct schedule_chips *chips,
                                    struct err *err)
{
	assert(target == SCHEDULE_TARGET_SPINNAKER2 && chips->n_chip == 1);
	enum err_code code = write_one(folder, "load.h", &chips->chip[0], put_header, err);
	return code == ERR_OK ? write_one(folder, "load.py", &chips->chip[0], put_script, err) : code;
}
