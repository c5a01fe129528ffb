/* SPDX-License-Identifier: Apache-2.0 */
/* A machine's own table of parts replaces the shipped one; mistakes in section and table have their places. */
#include "tests/support/unit_test.h"
#include "dse/space/machine_read.h"
#include "sim/machine/machine_param.h"
#include "sim/machine/machine_technology.h"
#include "tests/support/near.h"
#include "tests/support/temporary.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define HEADER "component,technology_nm,vdd_v,size_byte,word_byte,action,energy_pj,leakage_mw,area_um2\n"
#define PARTS                                                 \
	HEADER "sram,22,0.8,65536,16,read,8,0.01,50000\n"     \
	       "sram,22,0.8,65536,16,write,7,0.01,50000\n"    \
	       "sram,28,0.8,65536,16,write,99,9,9\n"          \
	       "sram,22,0.8,262144,16,read,16,0.05,200000\n"  \
	       "sram,22,0.8,262144,16,write,14,0.05,200000\n" \
	       "mac,22,0.5,0,0,compute,0.2,0.0005,250\n"      \
	       "core,22,0.5,0,0,cycle,6,0.05,40000\n"

static void write_file(const char *folder, const char *name, const char *text)
{
	char path[2 * TEMPORARY_SIZE];
	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* Reads a machine with this section and table; messages, if any, into text. */
static enum err_code read_with(const char *section, const char *parts, struct machine *machine, char *text, size_t n)
{
	char folder[TEMPORARY_SIZE], path[2 * TEMPORARY_SIZE], yaml[1024];
	struct err err = {0};
	assert_non_null(temporary_folder(folder, "parts"));
	write_file(folder, "parts.csv", parts);
	(void)snprintf(yaml, sizeof(yaml),
	               "name: own\ntarget: chip\ntechnology: %s\nlevels: [{name: a, vdd_v: 0.5, clk_mhz: 300, "
	               "sram_read32_pj: 4}]\n",
	               section);
	write_file(folder, "own.yaml", yaml);
	(void)snprintf(path, sizeof(path), "%s/own.yaml", folder);
	enum err_code code = machine_read(path, machine, &err);
	(void)snprintf(text, n, "%s", err_text(&err));
	err_clear(&err);
	assert_int_equal(unlink(path), 0);
	(void)snprintf(path, sizeof(path), "%s/parts.csv", folder);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(folder), 0);
	return code;
}

static void test_technology_read_takes_own_table(void **state)
{
	struct machine machine;
	char text[1024];
	(void)state;
	if (read_with("{node_nm: 22, table: parts.csv}", PARTS, &machine, text, sizeof(text)) != ERR_OK)
		fail_msg("%s", text);
	const struct operating_point *level = &machine.level[0];
	/* 128 KiB lie half way, by logarithms */
	assert_true(level->sram_read32_pj == 4);
	assert_close(level->sram_write32_pj, 7 * sqrt(2) / 4);
	assert_close(level->mla_clk_pj, 64 * 0.2);
	assert_close(level->pe_static_mw, 0.01 * sqrt(5) + 64 * 0.0005 + 0.05);
	assert_close(machine_area_of_pe(&machine).pe_um2, 40000);
	assert_close(machine_area_of_pe(&machine).mac_um2, 64 * 250);
	assert_close(machine_area_of_pe(&machine).sram_um2, 100000);
	assert_int_equal(machine_set_param(&machine, machine_find_param("pe.sram_byte"), "229376", NULL), ERR_OK);
	assert_close(level->sram_read32_pj, 4 * sqrt(2));
	assert_int_equal(machine_set_param(&machine, machine_find_param("mla.array"), "16x8", NULL), ERR_OK);
	assert_close(level->pe_static_mw, 0.05 + 128 * 0.0005 + 0.05);
}

static void test_technology_read_places_mistakes(void **state)
{
	static const struct {
		const char *section, *parts, *said;
	} wrong[] = {
	    {"{node_nm: 16}", HEADER, "own.yaml:3:23: technology.node_nm"},
	    {"{sram_cell: itrs-lop}", HEADER, "own.yaml:3:13: technology: without 'node_nm'"},
	    {"{node_nm: 22, sram_cell: fast}", HEADER, "itrs-lstp"},
	    {"{node_nm: 22, table: none.csv}", HEADER, "own.yaml:3:34"},
	    {"{node_nm: 22, table: parts.csv}", "component,action\n",
	     "parts.csv:1:1: a table of parts without the column"},
	    {"{node_nm: 22, table: parts.csv}", HEADER, "no row has technology_nm 22"},
	    {"{node_nm: 22, table: parts.csv}", HEADER "wire,22,0.8,1,1,read,1,1,1\n",
	     "parts.csv:2:1: component: found 'wire'"},
	    {"{node_nm: 22, table: parts.csv}", HEADER "sram,22,0.8,65536,16,read,1,1,1\n", "without 'write'"},
	    {"{node_nm: 22, table: parts.csv}", HEADER "sram,22,0.8,65536,16,erase,1,1,1\n",
	     "parts.csv:2:22: action: found 'erase'"},
	    {"{node_nm: 22, table: parts.csv}", HEADER "mac,22,0.8,0,0,compute,-1,1,1\n", "parts.csv:2:24: energy_pj"},
	    /* the program's memory and the operands' are below the table's smallest */
	    {"{node_nm: 22, table: parts.csv}",
	     HEADER "sram,22,0.8,262144,16,read,1,1,1\nsram,22,0.8,262144,16,write,1,1,1\n",
	     "own.yaml:3:13: pe.sram_byte: a memory with a size of 131072 bytes; the technology's table has 262144 "
	     "alone"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct machine machine;
		char text[2048];
		assert_int_equal(read_with(wrong[i].section, wrong[i].parts, &machine, text, sizeof(text)), ERR_INPUT);
		if (!strstr(text, wrong[i].said))
			fail_msg("%s: %s", wrong[i].said, text);
	}
}

int main(void)
{
	const struct CMUnitTest test[] = {
	    cmocka_unit_test(test_technology_read_takes_own_table),
	    cmocka_unit_test(test_technology_read_places_mistakes),
	};
	return cmocka_run_group_tests(test, NULL, NULL);
}
