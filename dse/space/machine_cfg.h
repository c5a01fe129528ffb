/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_MACHINE_CFG_H
#define DSE_MACHINE_CFG_H
/* SCALE-Sim's .cfg files as systolic machines; dse/space/machine_read.c asks for them by the ending of a machine's
 * path. */
#include "sim/base/err.h"
#include "sim/machine/machine.h"

/*
 * Read a .cfg file. What it does not say: a word has a byte, and the array runs at 1000 MHz with the energies of the
 * default operating point, so that Bandwidth in words a clock is as many GB/s; with InterfaceBandwidth CALC the
 * interface is as fast as machines may have it. ERR_INPUT with file:line:column, ERR_IO, ERR_INTERNAL; *machine is
 * untouched then.
 */
enum err_code machine_read_cfg(const char *path, struct machine *machine, struct err *err);

#endif
