/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_NETWORK_READ_H
#define MAPPER_NETWORK_READ_H
/*
 * The readers behind network_read, one a file format: each fills a layer_list and hands it to parser_build. Paths,
 * errors and the network are those of network_read. The room of ONNX defines its own.
 */
#include "mapper/network/network.h"

/* The project's own format (spaces/networks/README.md), and the topology files of SCALE-Sim. */
enum err_code network_read_yaml(const char *path, struct network *network, struct err *err);
enum err_code network_read_topology(const char *path, struct network *network, struct err *err);

/*
 * Problems of Timeloop (a map with `problem`) and workloads of ZigZag (a list of layers with `equation`): YAML of other
 * tools, which network_read_yaml has read as a document and hands on. Layers are independent, as a topology's.
 */
struct doc_node;
bool network_is_timeloop(const struct doc_node *root);
bool network_is_zigzag(const struct doc_node *root);
enum err_code network_read_timeloop(const char *path, const struct doc_node *root, struct network *network,
                                    struct err *err);
enum err_code network_read_zigzag(const char *path, const struct doc_node *root, struct network *network,
                                  struct err *err);

/* mapper/onnx/onnx.c */
enum err_code network_read_onnx(const char *path, struct network *network, struct err *err);

#endif
