/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/split/verdict.h"

const struct verdict_info verdict_table[N_VERDICT] = {
    [VERDICT_OK] = {"feasible", "the design runs"},
    [VERDICT_SRAM] = {"pe_sram", "a task's operands and results exceed the PE's SRAM"},
    [VERDICT_STORAGE] = {"storage_qpe", "the result exceeds the storage QPEs"},
    [VERDICT_NO_STORAGE] = {"no_storage", "the strategy cannot read from or keep in storage QPEs"},
    [VERDICT_STRATEGY] = {"strategy", "the strategy does not serve this kind of operation"},
    [VERDICT_INPUT_SPLIT] = {"input_split", "the strategy cannot split the input channels of this operation"},
    [VERDICT_OPERAND] = {"reuse_operand", "the chip keeps ifmaps only"},
    [VERDICT_ROWS] = {"rows", "the split cuts rows that one PE needs whole (softmax, normalisation)"},
    [VERDICT_FORM] = {"form", "only 1x1 convolutions without padding and groups have other forms, on machines with an "
                              "MLA; matmul has no reuse"},
    [VERDICT_GROUPS] =
	{"groups", "the filters' parts are those of all groups; on target: systolic those of one, all groups alike"},
    [VERDICT_BATCH] = {"batch", "the strategy takes one image at a time: batch is 1 with thesis_reuse, and of "
                                "convolutions on target: systolic"},
    [VERDICT_AHEAD_ROOM] = {"ahead_room", "weights fetched ahead and all else there exceed the storage QPEs"},
    [VERDICT_AHEAD_PARTS] = {"ahead_parts", "weights fetched ahead have another operand width, or lie in groups of "
                                            "filters that the split cuts"},
    [VERDICT_DATAFLOW] = {"dataflow", "the systolic array cannot keep that operand in its PEs (systolic.dataflow)"},
    [VERDICT_WORD] = {"word", "operands are wider than the systolic array's words (systolic.word_byte)"},
    [VERDICT_IFMAP_BUFFER] = {"ifmap_buffer", "a tile of the ifmap exceeds half of its buffer"},
    [VERDICT_FILTER_BUFFER] = {"filter_buffer", "a tile of the filters exceeds half of its buffer"},
    [VERDICT_OFMAP_BUFFER] = {"ofmap_buffer", "a tile of the ofmap exceeds half of its buffer"},
    [VERDICT_SCALESIM] =
	{"scalesim", "SCALE-Sim's rules are for whole layers (systolic.memory_model) without dilation, reuse auto, "
                     "with up to 2^34 words that enter the array and 2^27 of an operand"},
    [VERDICT_CLOCKS] =
	{"clocks",
         "more clocks, words or DRAM bytes than can be counted exactly, 2^52, by itself or with the layers before it"},
    [VERDICT_TIER] = {"tier", "more tasks, tiles or clocks than the event tier simulates, or a memory slower than "
                              "SCALE-Sim's model knows"},
    [VERDICT_PROOF] = {"proof", "its numbers, or those of layers that it reads, find no memory: at most 2^30 in a map, "
                                "at most 2^30 weights; prove smaller ones (--layers)"},
    [VERDICT_DRAM] = {"dram", "configurations, constants and activations exceed the DRAM"},
};
