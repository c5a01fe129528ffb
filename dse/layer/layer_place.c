/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/layer/layer_place.h"
#include <assert.h>

void layer_design_place(struct layer_design *design, unsigned place)
{
	assert(place < PLACE_N);
	design->in_storage = (place & PLACE_IFMAP) != 0;
	design->out_storage = (place & PLACE_RESULT) != 0;
	design->add_storage = (place & PLACE_ADDED) != 0;
	design->weight_ahead = place_weight(place);
	design->fetch_next = place_fetch(place);
	assert(design->weight_ahead < AHEAD_N && design->fetch_next < AHEAD_N);
	design->held_storage = (place & PLACE_HELD) != 0;
}
