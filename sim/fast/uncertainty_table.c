/* SPDX-License-Identifier: Apache-2.0 */
/* Written by "make tiers-table"; not to be changed by hand. Behind each row stand the numbers of phases it is of. */
#include "sim/fast/uncertainty_table.h"

/* clang-format off */
const float uncertainty_fast_pct[N_UNCERTAINTY_KIND][UNCERTAINTY_N_SPLIT][UNCERTAINTY_N_POINT][UNCERTAINTY_N_SIZE] = {
    [UNCERTAINTY_QPE_JOBS][0] = {{8.6F, 8.6F}, {8.6F, 8.6F}, {8.6F, 8.6F}, {8.6F, 8.6F}}, /* 2 16 1 4 1 1 0 0 */
    [UNCERTAINTY_QPE_JOBS][1] = {{7.6F, 4.5F}, {8.0F, 7.6F}, {6.2F, 6.2F}, {6.2F, 6.2F}}, /* 56 290 7 76 1 26 0 0 */
    [UNCERTAINTY_QPE_JOBS][2] = {{7.9F, 9.4F}, {11.9F, 11.0F}, {16.4F, 20.8F}, {10.0F, 10.0F}}, /* 61 1188 15 255 3 81 0 0 */
    [UNCERTAINTY_QPE_WEIGHT][0] = {{49.6F, 49.6F}, {49.6F, 49.6F}, {49.6F, 49.6F}, {49.6F, 49.6F}}, /* 2 0 0 0 0 0 0 0 */
    [UNCERTAINTY_QPE_WEIGHT][1] = {{42.8F, 42.8F}, {42.8F, 42.8F}, {42.8F, 42.8F}, {42.8F, 42.8F}}, /* 17 3 5 1 1 0 0 0 */
    [UNCERTAINTY_QPE_WEIGHT][2] = {{112.2F, 21.1F}, {48.6F, 48.6F}, {112.2F, 112.2F}, {112.2F, 112.2F}}, /* 119 22 18 3 9 1 0 0 */
    [UNCERTAINTY_QPE_INPUT][0] = {{17.4F, 17.4F}, {17.4F, 17.4F}, {17.4F, 17.4F}, {17.4F, 17.4F}}, /* 1 2 0 0 0 0 0 0 */
    [UNCERTAINTY_QPE_INPUT][1] = {{18.3F, 18.3F}, {18.3F, 18.3F}, {18.3F, 18.3F}, {18.3F, 18.3F}}, /* 21 11 3 4 1 0 0 0 */
    [UNCERTAINTY_QPE_INPUT][2] = {{18.2F, 14.9F}, {8.1F, 13.9F}, {8.1F, 8.1F}, {16.2F, 16.2F}}, /* 108 136 23 17 14 9 0 0 */
    [UNCERTAINTY_QPE_COMPUTE][0] = {{13.5F, 13.5F}, {13.5F, 13.5F}, {13.5F, 13.5F}, {13.5F, 13.5F}}, /* 1 2 0 0 0 0 0 0 */
    [UNCERTAINTY_QPE_COMPUTE][1] = {{6.8F, 7.1F}, {7.7F, 7.7F}, {7.7F, 7.7F}, {7.7F, 7.7F}}, /* 2 30 0 7 0 1 0 0 */
    [UNCERTAINTY_QPE_COMPUTE][2] = {{14.5F, 14.5F}, {14.1F, 14.1F}, {8.2F, 8.2F}, {14.1F, 14.1F}}, /* 2 242 1 39 1 22 0 0 */
    [UNCERTAINTY_JOBS][0] = {{4.1F, 2.4F}, {8.2F, 8.2F}, {8.2F, 8.2F}, {8.2F, 8.2F}}, /* 14 21 10 7 8 8 7 3 */
    [UNCERTAINTY_JOBS][1] = {{10.7F, 4.9F}, {13.7F, 6.4F}, {11.2F, 8.6F}, {17.4F, 18.1F}}, /* 94 240 84 154 73 139 63 106 */
    [UNCERTAINTY_JOBS][2] = {{15.1F, 12.9F}, {13.4F, 18.0F}, {24.6F, 13.1F}, {19.9F, 28.5F}}, /* 153 787 195 618 205 592 207 598 */
    [UNCERTAINTY_WEIGHT][0] = {{8.0F, 8.0F}, {8.0F, 8.0F}, {8.0F, 8.0F}, {8.0F, 8.0F}}, /* 8 5 7 0 4 4 2 1 */
    [UNCERTAINTY_WEIGHT][1] = {{14.5F, 6.7F}, {13.8F, 14.6F}, {10.9F, 15.1F}, {12.3F, 18.5F}}, /* 137 67 91 39 71 28 36 26 */
    [UNCERTAINTY_WEIGHT][2] = {{12.3F, 15.5F}, {14.0F, 17.2F}, {16.3F, 24.3F}, {19.2F, 29.5F}}, /* 1332 564 914 348 641 311 323 221 */
    [UNCERTAINTY_INPUT][0] = {{8.0F, 8.0F}, {8.0F, 8.0F}, {8.0F, 8.0F}, {8.0F, 8.0F}}, /* 10 3 7 0 7 1 2 1 */
    [UNCERTAINTY_INPUT][1] = {{10.9F, 11.8F}, {15.1F, 13.6F}, {9.8F, 14.7F}, {7.5F, 7.5F}}, /* 156 48 97 33 74 25 43 19 */
    [UNCERTAINTY_INPUT][2] = {{20.3F, 16.6F}, {19.8F, 16.7F}, {18.2F, 16.8F}, {15.1F, 19.6F}}, /* 1408 488 929 333 675 277 362 182 */
    [UNCERTAINTY_MIGRATION][0] = {{43.6F, 43.6F}, {43.6F, 43.6F}, {43.6F, 43.6F}, {43.6F, 43.6F}}, /* 3 0 0 0 1 0 0 0 */
    [UNCERTAINTY_MIGRATION][1] = {{28.4F, 28.4F}, {39.3F, 39.3F}, {39.3F, 39.3F}, {39.3F, 39.3F}}, /* 25 3 13 1 8 2 5 3 */
    [UNCERTAINTY_MIGRATION][2] = {{43.2F, 50.2F}, {40.3F, 43.3F}, {38.3F, 48.5F}, {29.6F, 45.3F}}, /* 412 65 234 65 150 65 95 34 */
    [UNCERTAINTY_COMPUTE][0] = {{14.2F, 14.2F}, {14.2F, 14.2F}, {14.2F, 14.2F}, {14.2F, 14.2F}}, /* 5 8 5 2 3 5 1 2 */
    [UNCERTAINTY_COMPUTE][1] = {{19.5F, 9.1F}, {20.8F, 13.9F}, {18.2F, 10.6F}, {14.6F, 21.9F}}, /* 84 120 49 81 43 56 15 47 */
    [UNCERTAINTY_COMPUTE][2] = {{24.3F, 15.5F}, {24.2F, 17.0F}, {22.4F, 19.5F}, {22.0F, 18.4F}}, /* 547 1349 361 901 257 695 121 423 */
};

const float uncertainty_event_pct[N_UNCERTAINTY_KIND][UNCERTAINTY_N_POINT] = {
    [UNCERTAINTY_QPE_JOBS] = {1.3F, 0.7F, 0.7F, 1.0F}, /* 242 78 48 0 */
    [UNCERTAINTY_QPE_WEIGHT] = {0.6F, 0.7F, 1.6F, 0.9F}, /* 109 36 24 0 */
    [UNCERTAINTY_QPE_INPUT] = {0.6F, 0.7F, 1.6F, 0.9F}, /* 109 36 24 0 */
    [UNCERTAINTY_QPE_COMPUTE] = {0.6F, 0.7F, 1.6F, 0.9F}, /* 109 36 24 0 */
    [UNCERTAINTY_JOBS] = {0.1F, 0.1F, 0.1F, 0.5F}, /* 0 4 16 10 */
    [UNCERTAINTY_WEIGHT] = {3.4F, 3.4F, 2.0F, 3.9F}, /* 0 8 47 20 */
    [UNCERTAINTY_INPUT] = {1.9F, 1.9F, 1.9F, 1.3F}, /* 0 8 47 20 */
    [UNCERTAINTY_MIGRATION] = {0.0F, 0.0F, 0.0F, 0.0F}, /* 0 0 27 0 */
    [UNCERTAINTY_COMPUTE] = {2.7F, 2.7F, 2.7F, 2.7F}, /* 0 8 74 20 */
};
