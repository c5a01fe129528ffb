#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dse schedule --target: a host's header and script, whose table of registers the user fills.
. tests/cli/common

expect_code 0 "$DSE" schedule mlp_784_512_256_16 --machine final_chip --workers paper --weights random --target spinnaker2 -o "$work/mlp" -q
expect_code 0 "$DSE" schedule --read "$work/mlp"
expect_code 2 "$DSE" schedule mlp_784_512_256_16 --machine final_chip --target spinnaker2 -o "$work/x"
expect_text "$work/err" "--target is of -o DIR with --weights"
expect_code 2 "$DSE" schedule mlp_784_512_256_16 --machine final_chip --weights random --target spinnaker3 -o "$work/x"
expect_text "$work/err" "spinnaker2"

# The header names what is empty, and compiles once it is filled.
grep -v '^$' "$work/mlp/load.h" >"$work/empty.h"
cc=$(command -v cc || command -v gcc || command -v clang) || cc=
if [ -n "$cc" ]; then
	expect_code 1 "$cc" -fsyntax-only -x c "$work/empty.h"
	expect_text "$work/err" "DRAM_BASE is empty"
	sed 's,^/\* #define \([A-Z_]*\) \*/$,#define \1 UINT64_C(1),' "$work/mlp/load.h" >"$work/filled.h"
	cat >"$work/use.c" <<'C'
#include "filled.h"
static const unsigned pe[MODEL_N_PE][3] = MODEL_PES;
int main(void)
{
	return pe[1][2] == 1 && MODEL_INPUT_INPUT_BYTE == 784 && MODEL_OUTPUT_SOFTMAX_4_BYTE == 16 ? 0 : 1;
}
C
	expect_code 0 "$cc" -Wall -Werror -I "$work" "$work/use.c" -o "$work/use"
	expect_code 0 "$work/use"
fi

if ! command -v python3 >/dev/null; then
	echo 'SKIPPED: no python3 here to run load.py'
	exit 0
fi

# The script names what is empty; filled, it drives a chip: here a link to the emulator.
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
head -c 2352 "$work/mlp/dram.bin" >"$work/input"
expect_code 1 python3 "$work/mlp/load.py" --link link --input "$work/input" --output "$work/output"
expect_text "$work/err" "registers are empty; fill them in REGISTERS"
expect_text "$work/err" "PE_IRQ: offset in a PE of the register that interrupts it"
awk '/^REGISTERS/ { in_table = 1 } /^}/ { in_table = 0 }
	in_table && !/^REGISTERS/ && sub(/None/, value[n]) { n++ }
	BEGIN { split("0x80000000 0x1000 0x100 0x400 0x4000 0x10 7 0x20", v, " "); for (i in v) value[i - 1] = v[i]; n = 0 }
	{ print }' "$work/mlp/load.py" >"$work/filled.py"
cp "$work/mlp/dram.bin" "$work/dram.bin"
cat >"$work/link.py" <<'PY'
import os, subprocess
BASE = 0x80000000
work, dse = os.path.dirname(os.path.abspath(__file__)), os.environ["DSE"]
memory, registers = {}, {}
import filled
def write(address, data):
    if address >= BASE:
        memory[address - BASE] = bytes(data)
        return
    registers[address] = bytes(data)
    if address == filled.pe_address(filled.PES[0]) + 0x10:
        assert int.from_bytes(data, "little") == 7
        with open(work + "/one", "wb") as file:
            file.write(memory[filled.INPUTS[0][1]])
        subprocess.run([dse, "emulate", work + "/dram.bin", "--input", work + "/one", "-o", work + "/out", "-q",
                        "--machine", "final_chip", "--time-area", work + "/area"], check=True, stdout=subprocess.DEVNULL)
        with open(work + "/out", "rb") as file:
            memory[filled.OUTPUTS[0][1]] = file.read()
        with open(work + "/area", "rb") as file:
            memory[filled.TIMES_ADDRESS] = file.read()
        registers[filled.pe_address(filled.PES[0]) + 0x20] = b"\1\0\0\0"
def read(address, n):
    data = memory[address - BASE] if address >= BASE else registers[address]
    assert len(data) == n
    return data
PY
PYTHONPATH=$work
export PYTHONPATH
expect_code 0 python3 "$work/filled.py" --link link --input "$work/input" --output "$work/output" --times "$work/times"
expect_code 0 "$DSE" emulate "$work/mlp" --input "$work/input" -o "$work/expected" -q
expect_same "$work/output" "$work/expected"
expect_code 0 "$DSE" fit "$work/mlp" --time-area "$work/times" --machine final_chip
expect_text "$work/out" "within 2 % of every layer's time in every part"
