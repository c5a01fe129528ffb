/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_MODEL_VERSION_H
#define SIM_MODEL_VERSION_H
/*
 * Which model this program prices designs with: 16 hexadecimal digits, a hash of what sim/ and mapper/ are made of but for
 * comments and the readers of ONNX. Results are compared like for like where it is the same, whatever searched them.
 * "unknown" where the build did not say (the Makefile does).
 */

extern const char *const model_version;

#endif
