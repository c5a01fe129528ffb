/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SHIPPED_NETWORK_H
#define TESTS_SHIPPED_NETWORK_H
/* A network of spaces/networks, by its name. Free with network_free. */
#include "mapper/network/network.h"
#include "tests/support/unit_test.h"
#include <stdio.h>

static inline struct network shipped_network(const char *name)
{
	struct network network;
	struct err err = {0};
	char path[128];
	(void)snprintf(path, sizeof(path), "spaces/networks/%s.yaml", name);
	if (network_read(path, &network, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	return network;
}

#endif
