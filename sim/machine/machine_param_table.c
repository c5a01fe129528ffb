/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of parameters, of machines and of operating points. */
#include "sim/machine/machine_param.h"
#include <assert.h>
#include <string.h>

/*
 * The two tables. Defaults are the thesis' chip (2019 plan: 144 PEs, 4 DRAM
 * interfaces, everything of a PE at 250 MHz). "thesis simulator, re-run" is a
 * figure measured on the thesis' own simulator for this project.
 */

#define AT(field) offsetof(struct machine, field)

#define PLAN "thesis sections 2.2 and 5.1"
#define COMPONENTS "thesis table 5.1 (figure: clocks of components)"
#define ARM_OPS "thesis table 5.9"
#define RE_RUN "thesis simulator, re-run"
#define RE_RUN_SETUP "thesis simulator, re-run with the defaults of noc, dram and chip.host_latency_clk at 250 MHz PEs"
#define ROUNDS "thesis figures 2.11 and 2.12 (stages in turn); thesis simulator, re-run: false"
#define EDGE_TPU "Edge TPU as the ARADA study has it"
#define NO_SOURCE "no source gives a figure"
#define IN_PE_STATIC "contained in energy.chip_off_mw and pe_static_mw, measured over all rails"
#define OCTOPUS_LINE \
	"a line through two figures each: 8 workers and all 151 (OctopuScheduler, table II and section V.C)"
#define GREYBOX_MATMUL "the same for its matmul tasks with operand A in the own SRAM, which the model meets exactly"
#define GREYBOX_FIT "least squares of relative errors to the 16x4 tasks of pe_tasks.csv with an SRAM of one clock"

const struct machine_param machine_param[] = {
    {"mla.array", "columns x rows", PARAM_ARRAY, AT(mla_cols), 0, 1, 256,
     "MAC array; columns take pixels of an output row, rows take filters", "thesis section 2.3"},
    {"mla.postprocess", "true/false", PARAM_BOOL, AT(mla_postprocess), 0, 0, 1,
     "ReLU and quantisation in the MLA's output stage: 8-bit results, no ARM work", PLAN},
    {"mla.init_clk", "PE clocks", PARAM_U32, AT(mla_init_clk), 13, 0, 1e6,
     "added to every task: start-up and interrupt", RE_RUN},
    {"mla.accumulator_bit", "bits", PARAM_U32, AT(mla_accumulator_bit), 32, 8, 64,
     "width of an accumulator; with a technology it decides energy and area of a MAC unit. Results leave as 32 bit",
     "thesis section 2.3.2: 29 bit, written as 32"},
    {"mla.round_waits", "true/false", PARAM_BOOL, AT(mla_round_waits), 0, 0, 1,
     "a round asks for operands only when the results of the one before are in SRAM; event tier only", ROUNDS},
    {"mla.turn_clk", "PE clocks", PARAM_U32, AT(mla_turn_clk), 0, 0, 1000,
     "from a round's results to the next round's first read of operand B; event tier only", RE_RUN},
    {"mla.a_buffer_packet", "packets", PARAM_U32, AT(mla_a_buffer_packet), 0, 0, 1024,
     "packets of operand A that the MLA can hold; 0: all of a round; event tier only", RE_RUN},
    {"mla.matmul_stream", "true/false", PARAM_BOOL, AT(mla_matmul_stream), 0, 0, 1,
     "a matmul asks another PE for operand A as a convolution does, several packets on their way; event tier only",
     RE_RUN},
    {"mla.trim_b", "true/false", PARAM_BOOL, AT(mla_trim_b), 0, 0, 1,
     "a block narrower than the array reads no further pixels than it needs; event tier only", RE_RUN},

    {"pe.sram_byte", "bytes", PARAM_U32, AT(pe_sram_byte), 98304, 1024, 1073741824,
     "SRAM of a PE for operands and results (of 128 KiB, 32 KiB hold program and stack)", PLAN},
    {"pe.program_byte", "bytes", PARAM_U32, AT(pe_program_byte), 32768, 0, 1073741824,
     "SRAM of a PE besides pe.sram_byte: program and stack; with a technology both count for energy, leakage and area",
     PLAN},
    {"pe.sram_port_byte", "bytes", PARAM_U32, AT(pe_sram_port_byte), 16, 4, 1024,
     "bytes of one SRAM access, a multiple of 4", COMPONENTS},
    {"pe.sram_access_clk", "PE clocks", PARAM_U32, AT(pe_sram_access_clk), 1, 1, 64,
     "clocks of one SRAM access (2 in the HDL prototype)", COMPONENTS},

    {"qpe.n_pe", "PEs", PARAM_U32, AT(qpe_n_pe), 4, 1, 64, "PEs of a quad processing element", PLAN},

    {"noc.packet_byte", "bytes", PARAM_U32, AT(noc_packet_byte), 16, 4, 1024, "payload of a packet, a multiple of 4",
     COMPONENTS},
    {"noc.hop_clk", "NoC clocks", PARAM_U32, AT(noc_hop_clk), 4, 1, 1000,
     "latency of a router: from one to its neighbour", COMPONENTS},
    {"noc.clk_mhz", "MHz", PARAM_REAL, AT(noc_clk_mhz), 500, 1, 10000, "NoC clock", COMPONENTS},
    {"noc.router_packet", "packets", PARAM_U32, AT(noc_router_packet), 1, 1, 64,
     "packets a router passes a NoC clock over all its ports; the thesis simulator: 1, a crossbar: up to its ports",
     RE_RUN},
    {"noc.sync_clk", "clocks", PARAM_U32, AT(noc_sync_clk), 0, 0, 16,
     "clocks of the receiving side in the asynchronous FIFO between PE and router, either way; event tier only",
     "thesis section 2.3.3 (no figure); thesis simulator: 0"},

    {"dram.access_byte", "bytes", PARAM_U32, AT(dram_access_byte), 16, 1, 4096, "bytes of one DRAM access", COMPONENTS},
    {"dram.access_clk", "DRAM clocks", PARAM_U32, AT(dram_access_clk), 2, 1, 1000,
     "clocks of one DRAM access, reads and writes alike", COMPONENTS},
    {"dram.interface_clk", "DRAM clocks", PARAM_U32, AT(dram_interface_clk), 7, 0, 10000,
     "from the DRAM to the neighbouring QPE", COMPONENTS},
    {"dram.clk_mhz", "MHz", PARAM_REAL, AT(dram_clk_mhz), 250, 1, 10000, "clock of a DRAM interface", COMPONENTS},

    {"chip.n_dram", "interfaces", PARAM_U32, AT(dram_n), 4, 1, 256, "DRAM interfaces of the machine", PLAN},
    {"chip.n_qpe", "QPEs", PARAM_U32, AT(chip.n_qpe), 36, 1, 65536, "all QPEs, storage QPEs included", PLAN},
    {"chip.mesh_w", "QPEs", PARAM_U32, AT(chip.mesh_w), 6, 1, 256, "width of the mesh that takes part in reuse", PLAN},
    {"chip.mesh_h", "QPEs", PARAM_U32, AT(chip.mesh_h), 6, 1, 256, "height of the mesh that takes part in reuse", PLAN},
    {"chip.n_storage_qpe", "QPEs", PARAM_U32, AT(chip.n_storage_qpe), 4, 0, 256,
     "QPEs of the mesh that hold results instead of computing, in reuse; one a double QPE block", "thesis section 4.4"},
    {"chip.storage_pe_byte", "bytes", PARAM_U32, AT(chip.storage_pe_byte), 131072, 1024, 1073741824,
     "SRAM of a storage QPE's PE for results; it runs no program, so all 128 KiB (the published phases of VGG-16 "
     "CONV_4 "
     "and CONV_5 need 1 605 632 bytes to be kept)",
     "thesis section 4.4"},
    {"chip.host_latency_clk", "PE clocks", PARAM_U32, AT(chip.host_latency_clk), 10, 0, 1e6, "host interface, one way",
     COMPONENTS},

    {"transfer.dram_load_setup_clk", "PE clocks", PARAM_U32, AT(dram_load_setup_clk), 60, 0, 1e6,
     "set-up of a phase of DRAM loads, queueing and hand-shake included (a single load, host to host: 45)",
     RE_RUN_SETUP},
    {"transfer.copy_setup_clk", "PE clocks", PARAM_U32, AT(copy_setup_clk), 47, 0, 1e6,
     "set-up of a copy from SRAM to SRAM over the NoC", RE_RUN_SETUP},
    {"transfer.write_setup_clk", "PE clocks", PARAM_U32, AT(write_setup_clk), 57, 0, 1e6,
     "set-up of the write-out of a result", RE_RUN_SETUP},
    {"transfer.migrate_setup_clk", "PE clocks", PARAM_U32, AT(migrate_setup_clk), 225, 0, 1e6,
     "set-up of a rotation of filters inside a block, barriers included", RE_RUN_SETUP},
    {"transfer.ring_setup_clk", "PE clocks", PARAM_U32, AT(ring_setup_clk), 127, 0, 1e6,
     "set-up of one ring step of filters between blocks, barriers included", RE_RUN_SETUP},

    {"arm.padd_word_clk", "ARM clocks", PARAM_REAL, AT(arm_padd_word_clk), 2, 0, 1e6,
     "padding, a 32-bit word of the padded input", ARM_OPS},
    {"arm.quan_pixel_clk", "ARM clocks", PARAM_REAL, AT(arm_quan_pixel_clk), 8, 0, 1e6, "quantisation, a pixel",
     ARM_OPS},
    {"arm.relu32_pixel_clk", "ARM clocks", PARAM_REAL, AT(arm_relu32_pixel_clk), 8, 0, 1e6,
     "ReLU of 32-bit results, a pixel", ARM_OPS},
    {"arm.relu8_pixel_clk", "ARM clocks", PARAM_REAL, AT(arm_relu8_pixel_clk), 2.5, 0, 1e6,
     "ReLU of 8-bit results, a pixel", ARM_OPS},
    /* table 5.9 also has 18.75 for 32-bit results, but blocks quantise before they pool */
    {"arm.pool8_pixel_clk", "ARM clocks", PARAM_REAL, AT(arm_pool8_pixel_clk), 12, 0, 1e6,
     "maximum pooling of quantised results, a pixel read", ARM_OPS},
    {"arm.add_pixel_clk", "ARM clocks", PARAM_REAL, AT(arm_add_pixel_clk), 8, 0, 1e6,
     "element-wise addition of a shortcut, a pixel", ARM_OPS},
    {"arm.average_pixel_clk", "ARM clocks", PARAM_REAL, AT(arm_average_pixel_clk), 12, 0, 1e6,
     "average pooling, a pixel: read where it is fused, of the result where it is a layer of its own",
     "derived: as maximum pooling, which compares where this adds (" ARM_OPS ")"},
    {"arm.average_read_clk", "ARM clocks", PARAM_REAL, AT(arm_average_read_clk), 0, 0, 1e6,
     "average pooling that is a layer of its own: each pixel that its windows read, besides",
     "assumed: 0, as the thesis counts such pooling by pixels of the result (section 4.3.2)"},
    {"arm.multiply_pixel_clk", "ARM clocks", PARAM_REAL, AT(arm_multiply_pixel_clk), 8, 0, 1e6,
     "element-wise multiplication, a pixel",
     "derived: as the addition; a multiplication takes a clock as well (" ARM_OPS ")"},
    {"arm.function_pixel_clk", "ARM clocks", PARAM_REAL, AT(arm_function_pixel_clk), 8, 0, 1e6,
     "a function of each number that is a layer of its own (GELU, sigmoid, scaling), a pixel",
     "derived: as quantisation; a look-up in a table of 256 (" ARM_OPS ")"},
    {"arm.softmax_pixel_clk", "ARM clocks", PARAM_REAL, AT(arm_softmax_pixel_clk), 18.5, 0, 1e6,
     "softmax without exponentials, a pixel: the row's maximum, its sum, and scaling",
     "derived: as a ReLU of 8 bit, an addition and a quantisation (" ARM_OPS ")"},
    {"arm.exp_pixel_clk", "ARM clocks", PARAM_REAL, AT(arm_exp_pixel_clk), 8, 0, 1e6,
     "an exponential of softmax, a pixel: handed to the PE's accelerator and fetched",
     "assumed: the time of an addition (thesis section 2.3.1 names the accelerator, but no figure)"},
    {"arm.norm_pixel_clk", "ARM clocks", PARAM_REAL, AT(arm_norm_pixel_clk), 24, 0, 1e6,
     "normalisation of rows, a pixel: sum, sum of squares, and scaling",
     "derived: as two additions and a quantisation (" ARM_OPS ")"},
    {"arm.gather_pixel_clk", "ARM clocks", PARAM_REAL, AT(arm_gather_pixel_clk), 2, 0, 1e6,
     "1x1 convolution with a stride, packed or as matmul: taking a pixel out of its row",
     "derived: as padding a word; a load and a store (" ARM_OPS ")"},

    {"octopus.setup_us", "us", PARAM_REAL, AT(octopus.setup_us), 10.49, 0, 1e6,
     "multi-layer schedule: before the first layer, however many workers", OCTOPUS_LINE},
    {"octopus.setup_worker_us", "us", PARAM_REAL, AT(octopus.setup_worker_us), 0.1888, 0, 1e6,
     "the same, for each worker", OCTOPUS_LINE},
    {"octopus.cleanup_us", "us", PARAM_REAL, AT(octopus.cleanup_us), 4.301, 0, 1e6,
     "multi-layer schedule: after the last layer, however many workers", OCTOPUS_LINE},
    {"octopus.cleanup_worker_us", "us", PARAM_REAL, AT(octopus.cleanup_worker_us), 0.5874, 0, 1e6,
     "the same, for each worker", OCTOPUS_LINE},
    {"octopus.layer_us", "us", PARAM_REAL, AT(octopus.layer_us), 12.34, 0, 1e6,
     "scheduler: loading a layer's information, storing its time measurements",
     "derived: 13 us on average over four layers of 3.5 workers on average (OctopuScheduler, section V.C), less "
     "octopus.layer_worker_us of these"},
    {"octopus.layer_worker_us", "us", PARAM_REAL, AT(octopus.layer_worker_us), 0.1888, 0, 1e6,
     "scheduler: forwarding that information to a worker and triggering it",
     "derived: as octopus.setup_worker_us, which is a message to each worker, too"},
    {"octopus.worker_us", "us", PARAM_REAL, AT(octopus.worker_us), 33.8, 0, 1e6,
     "worker: waking, fetching its configuration of a layer, and telling its end",
     "fitted with octopus.operand_word_clk to the four layers of OctopuScheduler, table II"},
    {"octopus.worker_gb_s", "GB/s", PARAM_REAL, AT(octopus.worker_gb_s), 0.261, 0.001, 1e5,
     "DRAM bandwidth of one worker; all of them share what dram.* give",
     "fitted to one figure: 401 408 bytes of weights to 8 workers in 192 us (OctopuScheduler, section V.B)"},
    {"octopus.operand_word_clk", "ARM clocks", PARAM_REAL, AT(octopus.operand_word_clk), 6.71, 0, 1e6,
     "laying out operand A of a matrix product, a 32-bit word of its rows padded to the array's",
     "fitted with octopus.worker_us to the four layers of OctopuScheduler, table II"},

    {"octopus.link_gb_s", "GB/s", PARAM_REAL, AT(octopus.link_gb_s), 1, 0.001, 1e5,
     "bandwidth of the link between two chips of a pipeline", NO_SOURCE "; assumed"},
    {"octopus.link_us", "us", PARAM_REAL, AT(octopus.link_us), 1, 0, 1e6, "the same: set-up of a transfer over it",
     NO_SOURCE "; assumed"},

    {"systolic.array", "rows x columns", PARAM_ARRAY, AT(systolic.rows), 0, 1, 4096,
     "PEs of a systolic array (mla.array: columns first)", EDGE_TPU},
    {"systolic.ifmap_byte", "bytes", PARAM_U32, AT(systolic.ifmap_byte), 1397760, 2, 1073741824,
     "buffer of ifmap words, both halves", EDGE_TPU ", a third of 4 MB"},
    {"systolic.filter_byte", "bytes", PARAM_U32, AT(systolic.filter_byte), 1397760, 2, 1073741824,
     "buffer of filter words, both halves", EDGE_TPU ", a third of 4 MB"},
    {"systolic.ofmap_byte", "bytes", PARAM_U32, AT(systolic.ofmap_byte), 1397760, 2, 1073741824,
     "buffer of results and partial sums, both halves", EDGE_TPU ", a third of 4 MB"},
    {"systolic.word_byte", "bytes", PARAM_U32, AT(systolic.word_byte), 1, 1, 8,
     "a word of any operand; partial sums are words, too", "SCALE-Sim: 1"},
    {"systolic.dataflow", "os/ws/is/any", PARAM_ENUM, AT(systolic.dataflow), 3, 0, 3,
     "what the array can keep in its PEs: outputs (os), weights (ws), inputs (is), or any of them, a layer",
     "SCALE-Sim's three dataflows"},
    {"systolic.memory_model", "physical/scalesim/scalesim_calc", PARAM_ENUM, AT(systolic.memory), 0, 0, 2,
     "tiles, double buffers and one shared interface; or SCALE-Sim 2.0.2 rule by rule, which knows whole layers only, "
     "with its bandwidth given (USER) or estimated (CALC)",
     "choice of model; SCALE-Sim for comparison with published figures"},
    {"systolic.memory_gb_s", "GB/s", PARAM_REAL, AT(systolic.memory_gb_s), 25.6, 0.001, 1e5,
     "bandwidth of the memory interface; words a clock follow from the operating point's clock", "LPDDR4-3200, 64 bit"},

    {"energy.dram_byte_pj", "pJ/byte", PARAM_REAL, AT(dram_byte_pj), 64, 0, 1e6, "a byte read from or written to DRAM",
     "LPDDR4 at 8 pJ/bit, a public estimator's figure (HBM2 3.9, DDR3 70 pJ/bit); thesis gives none"},
    {"energy.chip_off_mw", "mW", PARAM_REAL, AT(chip_off_mw), 75.2, 0, 1e6, "chip with all PEs off",
     "measured on the final chip at 0.5 V; thesis gives none"},
    {"energy.sram_static_mw", "mW", PARAM_REAL, AT(sram_static_mw), 0, 0, 1e6,
     "static power of the SRAM's supply, besides energy.chip_off_mw and pe_static_mw", IN_PE_STATIC},
    {"energy.noc_static_mw", "mW", PARAM_REAL, AT(noc_static_mw), 0, 0, 1e6,
     "static power of the NoC's supply, besides energy.chip_off_mw and pe_static_mw", IN_PE_STATIC},
    {"energy.dram_static_mw", "mW", PARAM_REAL, AT(dram_static_mw), 0, 0, 1e6,
     "static power of the DRAMs: refresh and interfaces", NO_SOURCE},

    {"dvfs.switch_ns", "ns", PARAM_REAL, AT(dvfs_switch_ns), 0, 0, 1e9,
     "a change of operating point: time in which nothing is computed",
     "DVFS paper section II: tens of ns; under 100 ns on a test chip; 0: as if it were free"},
    {"dvfs.switch_nj", "nJ", PARAM_REAL, AT(dvfs_switch_nj), 0, 0, 1e9,
     "a change of operating point: energy of one PE's", NO_SOURCE},
    {"dvfs.n_lane", "power lanes", PARAM_U32, AT(dvfs_n_lane), 2, 1, MACHINE_FILE_LEVEL,
     "voltages that the PEs of a chip can have at once, set globally; each PE takes one of them",
     "DVFS paper section II"},
    {"dvfs.lanes", "levels", PARAM_U32, AT(dvfs_lanes), 0, 0, 255,
     "operating points that the lanes supply: 1 for the first, 2 for the second, 4 for the third, ... added up; 0: all",
     "DVFS paper section II: voltages are set externally and globally"},
    {"dvfs.domain", "chip/qpe/pe", PARAM_ENUM, AT(dvfs_domain), DVFS_CHIP, 0, N_DVFS_DOMAIN - 1,
     "what has one operating point at a time: all PEs, those of a QPE, or each PE by itself; dse power, and mixed "
     "operating points",
     "DVFS paper section II: each PE by itself; the default is what results without it rest on"},
    {"dvfs.n_divider", "dividers", PARAM_U32, AT(dvfs_n_divider), 4, 1, 64,
     "clock dividers of a QPE: frequencies that its PEs can choose from; dse power only", "DVFS paper section II"},

    {"area.mac_um2", "um2", PARAM_REAL, AT(area_mac_um2), 0, 0, 1e9, "area of a MAC unit", NO_SOURCE},
    {"area.sram_byte_um2", "um2/byte", PARAM_REAL, AT(area_sram_byte_um2), 0, 0, 1e6, "area of a byte of PE SRAM",
     NO_SOURCE},
    {"area.pe_um2", "um2", PARAM_REAL, AT(area_pe_um2), 0, 0, 1e12, "area of a PE without MAC array and SRAM",
     NO_SOURCE},
    {"area.chip_um2", "um2", PARAM_REAL, AT(area_chip_um2), 0, 0, 1e15, "area of everything outside the PEs",
     NO_SOURCE},
};
const size_t machine_n_param = sizeof(machine_param) / sizeof(machine_param[0]);

const char *machine_nearest_param(const char *key)
{
	const char *name[sizeof(machine_param) / sizeof(machine_param[0])];
	assert(key);
	for (size_t i = 0; i < machine_n_param; i++)
		name[i] = machine_param[i].key;
	return err_nearest(key, name, machine_n_param);
}

bool machine_param_serves(const struct machine_param *param, enum machine_target target)
{
	/* parts of an array have one group, those of PEs with an MLA all others but what every machine has */
	static const char *const shared[] = {"energy.", "dvfs.", "area."};
	assert(param && target < N_MACHINE_TARGET);
	for (size_t i = 0; i < sizeof(shared) / sizeof(shared[0]); i++)
		if (strncmp(param->key, shared[i], strlen(shared[i])) == 0)
			return true;
	bool is_systolic = strncmp(param->key, "systolic.", strlen("systolic.")) == 0;
	return is_systolic == (target == MACHINE_SYSTOLIC);
}

#undef AT
#define AT(field) offsetof(struct operating_point, field)

/*
 * Energies at 0.5 V. The thesis gives none; these are derived from what was
 * published of the final chip: efficiency of the MLA at two voltages (dynamic
 * energy grows with V^2), sleeping and off power over 152 PEs.
 */
const struct level_param level_param[] = {
    {"vdd_v", "V", AT(vdd_v), 0.5, 0.1, 2, "supply voltage of the PEs", "DVFS paper table 1: 0.5 V and 0.6 V"},
    {"clk_mhz", "MHz", AT(clk_mhz), 250, 1, 10000, "clock of the PEs (MLA, SRAM, ARM)", PLAN},
    {"mla_clk_pj", "pJ", AT(mla_clk_pj), 8.5, 0, 1e6,
     "one compute clock of a 16x4 array (64 MACs); other arrays in proportion",
     "derived: measured efficiency of the final chip at two voltages, V^2 scaling; 12.3 at 0.6 V"},
    {"sram_read32_pj", "pJ", AT(sram_read32_pj), 4.9, 0, 1e6, "one 32-bit SRAM read",
     "derived upper bound, SRAM and NoC together; the SRAM's rail is fixed at 0.8 V"},
    {"sram_write32_pj", "pJ", AT(sram_write32_pj), 4.9, 0, 1e6, "one 32-bit SRAM write", "as sram_read32_pj"},
    {"noc_read128_pj", "pJ", AT(noc_read128_pj), 0, 0, 1e6, "one 128-bit packet through one router",
     "contained in the SRAM figures, which bound both together"},
    {"arm_clk_pj", "pJ", AT(arm_clk_pj), 0, 0, 1e6, "one busy clock of the ARM core",
     NO_SOURCE ": ARM work costs time and static energy only"},
    {"pe_static_mw", "mW", AT(pe_static_mw), 1.05, 0, 1e6, "static power of one PE, whether it works or sleeps",
     "derived: (sleeping - off) / 152 PEs = (235.4 - 75.2) / 152 at 0.5 V; 1.5 at 0.6 V, 3.22 at 0.8 V"},
    {"pe_awake_mw", "mW", AT(pe_awake_mw), 0, 0, 1e6, "of one PE besides, while its MLA or its ARM core works",
     "contained in mla_clk_pj, measured with everything clocked (DVFS paper section IV: a sleeping PE draws static "
     "power)"},
    {"conv_init_clk", "PE clocks", AT(conv.init_clk), 3, 0, 1e6, "grey-box model, convolution: clks_init", GREYBOX_FIT},
    {"conv_wb_clk", "PE clocks", AT(conv.wb_clk), 13.3, 0, 1e6, "grey-box model, convolution: clks_wb", GREYBOX_FIT},
    {"conv_a", "PE clocks", AT(conv.a), 1.158, 0, 1e3, "grey-box model, convolution: a, clocks a tap", GREYBOX_FIT},
    {"conv_b", "1", AT(conv.b), 1, 0, 1e3, "grey-box model, convolution: b, of each group of filters",
     "only a b and clks_wb b can be told apart from clocks (DVFS paper equation 8): 1"},
    {"matmul_init_clk", "PE clocks", AT(matmul.init_clk), 18, 0, 1e6, "grey-box model, matmul: clks_init",
     GREYBOX_MATMUL},
    {"matmul_wb_clk", "PE clocks", AT(matmul.wb_clk), 16, 0, 1e6, "grey-box model, matmul: clks_wb", GREYBOX_MATMUL},
    {"matmul_a", "PE clocks", AT(matmul.a), 1.5, 0, 1e3, "grey-box model, matmul: a, clocks a column of A",
     GREYBOX_MATMUL},
    {"matmul_b", "1", AT(matmul.b), 1, 0, 1e3, "grey-box model, matmul: b, of each group of rows of A", "as conv_b"},
};
const size_t machine_n_level_param = sizeof(level_param) / sizeof(level_param[0]);
