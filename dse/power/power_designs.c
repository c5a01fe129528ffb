/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/power/power_designs.h"

void power_designs_free(struct power_designs *designs)
{
	network_free(&designs->own_network);
	split_scheme_free(&designs->scheme);
	replay_free(&designs->replay);
	mapping_free(&designs->mapping);
	arena_free(&designs->arena);
}
