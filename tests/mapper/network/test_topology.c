/* SPDX-License-Identifier: Apache-2.0 */
/* SCALE-Sim's topology files as networks. */
#include "tests/support/shipped_network.h"
#include "tests/support/unit_test.h"

#include "mapper/network/parser.h"
#include "sim/base/csv.h"
#include "tests/support/network_text.h"
#include "tests/support/temporary.h"
#include <string.h>
#include <unistd.h>

#define HEAD "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\n"

/* Rows, with the header where it is wanted; the file's name ends in .csv. */
static enum err_code read_rows(const char *text, struct network *network, struct err *err)
{
	char path[64];
	temporary_path(path, "rows_%ld.CSV", (long)getpid());
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
	enum err_code code = network_read(path, network, err);
	(void)remove(path);
	return code;
}

static void test_topology_reads_convolutions(void **state)
{
	struct network network;
	struct err err = {0};
	(void)state;
	/* trailing commas, blanks, CR LF and blank lines as files in use have them; no line feed at the end */
	assert_int_equal(
	    read_rows(HEAD
	              ",\r\nConv1, 224, 112,    7, 5, 3, 64, 2, \r\n\n  \nb c,9,9,3,3,1,1,1,\nlast,1,1,1,1,512,1000,1",
	              &network, &err),
	    ERR_OK);
	assert_int_equal(network.n_block, 3);
	assert_int_equal(strncmp(network.name, "rows_", 5), 0);
	assert_null(strchr(network.name, '.'));
	const struct block *block = network.block;
	assert_string_equal(block->name, "CONV_1");
	assert_int_equal(block->in_h, 224);
	assert_int_equal(block->in_w, 112);
	assert_int_equal(block->kernel_h, 7);
	assert_int_equal(block->kernel_w, 5);
	assert_int_equal(block->in_c, 3);
	assert_int_equal(block->out_c, 64);
	assert_int_equal(block->stride, 2);
	/* rounded up, as the tool does */
	assert_int_equal(block->out_h, 110);
	assert_int_equal(block->out_w, 55);
	assert_false(block->has_padd);
	for (size_t i = 0; i < network.n_block; i++) {
		assert_int_equal(block[i].input, INPUT_DRAM);
		assert_true(block[i].result_to_dram && !block[i].hold);
		assert_int_equal(block[i].number, i + 1);
	}
	assert_int_equal(block_n_mac(&block[2]), 512000);
	network_free(&network);
}

static void test_topology_reads_products(void **state)
{
	struct network network;
	struct err err = {0};
	(void)state;
	assert_int_equal(read_rows("\xef\xbb\xbfLayer,M,N,K,\ngemm1,31,84,70000\ngemm2,31,84,70000,\n", &network, &err),
	                 ERR_OK);
	const struct block *block = &network.block[1];
	assert_int_equal(network.n_block, 2);
	assert_string_equal(block->name, "FC_2");
	assert_int_equal(block->kind, BLOCK_MATMUL);
	assert_int_equal(block->in_h, 31);
	assert_int_equal(block->in_w, 70000);
	assert_int_equal(block->out_w, 84);
	assert_int_equal(block_n_mac(block), UINT64_C(31) * 84 * 70000);
	assert_int_equal(block->same_as, 0);
	network_free(&network);
	/* by their letters, in any order */
	assert_int_equal(read_rows("Layer name, k, m, n\na,5,6,7\n", &network, &err), ERR_OK);
	assert_int_equal(network.block[0].in_w, 5);
	assert_int_equal(network.block[0].in_h, 6);
	assert_int_equal(network.block[0].out_w, 7);
	network_free(&network);
}

/* Every layer that SCALE-Sim was run with comes back as it stands in the table of its runs. */
static void test_topology_gives_back_the_reference(void **state)
{
	static char text[1 << 16];
	struct csv_table csv;
	struct network network;
	size_t n = 0, row = 0;
	(void)state;
	assert_int_equal(csv_read_file("tests/reference/scalesim_reference.csv", &csv, NULL), ERR_OK);
	size_t first = csv_find_column(&csv, "layer");
	n += (size_t)snprintf(text, sizeof(text), HEAD);
	for (; row < 69; row++) {
		for (size_t k = 0; k < 8; k++)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s",
			                      csv_get_cell(&csv, row, first + k)->text, k < 7 ? "," : ",\n");
		assert_true(n < sizeof(text));
	}
	assert_int_equal(read_rows(text, &network, NULL), ERR_OK);
	assert_int_equal(network.n_block, 69);
	for (row = 0; row < 69; row++) {
		const struct block *block = &network.block[row];
		const uint32_t field[] = {block->in_h, block->in_w,  block->kernel_h, block->kernel_w,
		                          block->in_c, block->out_c, block->stride};
		for (size_t k = 0; k < 7; k++)
			assert_int_equal(field[k], strtoul(csv_get_cell(&csv, row, first + 1 + k)->text, NULL, 10));
	}
	csv_free(&csv);
	network_free(&network);
}

/* Equal but for padding, which ours needs where the tool's last position reaches past the ifmap. */
static void assert_same_layer(const struct block *ours, const struct block *theirs)
{
	const uint32_t reach_w = (theirs->out_w - 1) * theirs->stride + theirs->kernel_w;
	const uint32_t reach_h = (theirs->out_h - 1) * theirs->stride + theirs->kernel_h;
	struct block same = *ours;
	same.pad_right = same.pad_bottom = 0;
	same.has_padd = false;
	assert_true(block_same(&same, theirs));
	assert_string_equal(ours->name, theirs->name);
	assert_int_equal(ours->number, theirs->number);
	assert_int_equal(ours->same_as, theirs->same_as);
	assert_true(block_n_mac(ours) == block_n_mac(theirs) && block_n_weight(ours) == block_n_weight(theirs));
	assert_int_equal(block_padded_w(ours), reach_w > ours->in_w ? reach_w : ours->in_w);
	assert_int_equal(block_padded_h(ours), reach_h > ours->in_h ? reach_h : ours->in_h);
	assert_int_equal(ours->input, INPUT_DRAM);
	assert_int_equal(ours->added, theirs->added);
	assert_true(ours->result_to_dram && !ours->hold && !ours->release_held);
}

/* Ours in YAML beside the topology's: the same layers, each of its own; and the sums that the table of networks has. */
static void test_topology_is_the_shipped_yaml(void **state)
{
	static const struct {
		const char *name;
		size_t n_layer;
		uint64_t n_mac;
	} shipped[] = {
	    {"face_recognition_id", 18, 759758848}, {"faster_rcnn", 46, 3560764160}, {"speaker_id", 16, 15154331008}};
	(void)state;
	for (size_t i = 0; i < sizeof(shipped) / sizeof(shipped[0]); i++) {
		struct network ours, theirs;
		char path[128];
		uint64_t n_mac = 0;
		ours = shipped_network(shipped[i].name);
		(void)snprintf(path, sizeof(path), "tests/reference/topologies/%s.csv", shipped[i].name);
		assert_int_equal(network_read(path, &theirs, NULL), ERR_OK);
		assert_string_equal(ours.name, theirs.name);
		assert_int_equal(ours.n_block, shipped[i].n_layer);
		assert_int_equal(theirs.n_block, shipped[i].n_layer);
		for (size_t b = 0; b < ours.n_block; b++) {
			assert_same_layer(&ours.block[b], &theirs.block[b]);
			n_mac += block_n_mac(&ours.block[b]);
		}
		assert_true(n_mac == shipped[i].n_mac);
		network_free(&ours);
		network_free(&theirs);
	}
}

static void test_topology_reports_mistakes(void **state)
{
	static const struct {
		const char *text, *said;
	} wrong[] = {
	    {"", ":1:1: no layers, allowed is a header, Layer name, IFMAP Height"},
	    {HEAD, ":1:1: no layers"},
	    {"Conv1,9,9,3,3,1,1,1,\n", ":1:7: found numbers in the first line, allowed is the header"},
	    {"Layer, IFMAP Height\n", ":1:1: found a first line of other columns, allowed is the header"},
	    {HEAD "a,9,9,3,3,1,1\n", ":2:1: found 7 cells, allowed 8: Layer name, IFMAP Height"},
	    {HEAD "a,9,9,3,3,1,1,1,0.5\n", ":2:1: found 9 cells, allowed 8"},
	    {"Layer,M,N,K\na,1,2\n", ":2:1: found 3 cells, allowed 4: Layer, M, N, K"},
	    {HEAD "\na, 9, x9,3,3,1,1,1,\n", ":3:7: IFMAP width: found 'x9', allowed a whole number from 1 to 65536"},
	    {HEAD "a,9,9,3,3,0,1,1,\n", ":2:11: channels: found '0'"},
	    {HEAD "a,9,9,3,3,65537,1,1,\n", ":2:11: channels: found '65537'"},
	    {HEAD "a,9,9,3,,1,1,1,\n", ":2:9: filter width: found ''"},
	    {HEAD "a,9,9,-3,3,1,1,1,\n", ":2:7: filter height: found '-3'"},
	    {HEAD "a,2,9,3,3,1,1,1,\n", ":2:7: filter height: 3 on 2 pixels of the ifmap, allowed up to as many; add"},
	    {HEAD "a,99999999999999999999999,9,3,3,1,1,1,\n", ":2:3: IFMAP height: found '99999999999999999999999'"},
	    {HEAD "a,65536,65536,1,1,65536,65536,1,\n", ":2:1: more work than can be counted"},
	    {"Layer,M,N,K\na,65536,65536,16777216\n", ":2:1: more work than can be counted"},
	    {"Layer, H, W, h, w, C, N, Stride Height, Stride Width\na,9,9,3,3,1,1,1,2\n",
	     ":2:17: stride width: found 2 beside a stride of 1, allowed is one stride"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct network network;
		struct err err = {0};
		assert_int_equal(read_rows(wrong[i].text, &network, &err), ERR_INPUT);
		assert_int_equal(network.n_block, 0);
		if (err.n_message != 1 || !strstr(err_text(&err), wrong[i].said))
			fail_msg("%s: found %u messages:\n%swanted one: %s", wrong[i].text, err.n_message,
			         err_text(&err), wrong[i].said);
		err_clear(&err);
		assert_int_equal(read_rows(wrong[i].text, &network, NULL), ERR_INPUT);
	}
}

static void test_topology_reports_all_mistakes_at_once(void **state)
{
	static char text[1 << 16] = HEAD;
	struct network network;
	struct err err = {0};
	(void)state;
	assert_int_equal(read_rows(HEAD "a,0,9,3,0,1,1,1,\nb,9,9\nc,9,9,9,9,1,1,q,\n", &network, &err), ERR_INPUT);
	assert_int_equal(err.n_message, 4);
	assert_non_null(strstr(err_text(&err), ":4:15: stride: found 'q'"));
	err_clear(&err);
	/* a file of another kind does not fill the screen; one of too many layers is one mistake a layer */
	for (int i = 0; i < 100; i++)
		(void)strcat(text, "x\n");
	assert_int_equal(read_rows(text, &network, &err), ERR_INPUT);
	assert_int_equal(err.n_message, 21);
	assert_non_null(strstr(err_text(&err), "more mistakes follow; is this a SCALE-Sim topology"));
	err_clear(&err);
	assert_int_equal(network_read("/nonexistent/a.csv", &network, &err), ERR_IO);
	err_clear(&err);
}

static void test_topology_refuses_too_many_layers(void **state)
{
	static char text[1 << 18] = "Layer,M,N,K\n";
	size_t n = strlen(text);
	struct network network;
	struct err err = {0};
	(void)state;
	for (unsigned i = 0; i < NETWORK_MAX_LAYER; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%u,1,2,%u\n", i, i % 7 + 1);
	assert_int_equal(read_rows(text, &network, &err), ERR_OK);
	assert_int_equal(network.n_block, NETWORK_MAX_LAYER);
	assert_int_equal(network.block[4095].same_as, 0);
	network_free(&network);
	(void)snprintf(text + n, sizeof(text) - n, "one,2,3,4\n");
	assert_int_equal(read_rows(text, &network, &err), ERR_INPUT);
	assert_non_null(strstr(err_text(&err), ":4098:1: more than 4096 layers, allowed up to 4096"));
	err_clear(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_topology_reads_convolutions),
	    cmocka_unit_test(test_topology_reads_products),
	    cmocka_unit_test(test_topology_gives_back_the_reference),
	    cmocka_unit_test(test_topology_is_the_shipped_yaml),
	    cmocka_unit_test(test_topology_reports_mistakes),
	    cmocka_unit_test(test_topology_reports_all_mistakes_at_once),
	    cmocka_unit_test(test_topology_refuses_too_many_layers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
