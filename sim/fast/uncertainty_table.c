/* SPDX-License-Identifier: Apache-2.0 */
/* Written by "make tiers-table"; not to be changed by hand. Behind each row stand the numbers of phases it is of. */
#include "sim/fast/uncertainty_table.h"

/* clang-format off */
const float uncertainty_fast_pct[N_UNCERTAINTY_KIND][UNCERTAINTY_N_SPLIT][UNCERTAINTY_N_POINT][UNCERTAINTY_N_SIZE] = {
    [UNCERTAINTY_QPE_JOBS][0] = {{9.6F, 11.3F}, {8.6F, 8.6F}, {8.6F, 8.6F}, {8.6F, 8.6F}}, /* 4 28 2 10 1 4 0 0 */
    [UNCERTAINTY_QPE_JOBS][1] = {{7.4F, 4.5F}, {8.3F, 8.3F}, {21.8F, 21.8F}, {6.4F, 6.4F}}, /* 96 596 13 131 4 50 0 0 */
    [UNCERTAINTY_QPE_JOBS][2] = {{8.0F, 9.3F}, {11.7F, 11.2F}, {22.4F, 22.4F}, {10.1F, 10.1F}}, /* 121 2400 28 509 3 138 0 0 */
    [UNCERTAINTY_QPE_WEIGHT][0] = {{43.1F, 43.1F}, {43.1F, 43.1F}, {43.1F, 43.1F}, {43.1F, 43.1F}}, /* 3 1 0 0 0 0 0 0 */
    [UNCERTAINTY_QPE_WEIGHT][1] = {{54.7F, 47.0F}, {47.0F, 47.0F}, {47.0F, 47.0F}, {47.0F, 47.0F}}, /* 38 5 12 2 6 0 0 0 */
    [UNCERTAINTY_QPE_WEIGHT][2] = {{39.5F, 22.0F}, {26.5F, 34.0F}, {22.8F, 22.8F}, {43.1F, 43.1F}}, /* 226 46 45 5 17 3 0 0 */
    [UNCERTAINTY_QPE_INPUT][0] = {{15.6F, 15.6F}, {15.6F, 15.6F}, {15.6F, 15.6F}, {15.6F, 15.6F}}, /* 4 3 0 1 0 0 0 0 */
    [UNCERTAINTY_QPE_INPUT][1] = {{19.3F, 16.8F}, {19.7F, 19.7F}, {19.7F, 19.7F}, {19.7F, 19.7F}}, /* 45 24 11 5 6 2 0 0 */
    [UNCERTAINTY_QPE_INPUT][2] = {{15.4F, 14.6F}, {8.9F, 14.7F}, {13.7F, 11.8F}, {14.7F, 14.7F}}, /* 212 260 46 44 27 18 0 0 */
    [UNCERTAINTY_QPE_COMPUTE][0] = {{13.1F, 13.1F}, {13.1F, 13.1F}, {13.1F, 13.1F}, {13.1F, 13.1F}}, /* 2 5 0 1 0 0 0 0 */
    [UNCERTAINTY_QPE_COMPUTE][1] = {{6.8F, 6.2F}, {7.1F, 7.1F}, {7.1F, 7.1F}, {7.1F, 7.1F}}, /* 5 64 0 16 1 7 0 0 */
    [UNCERTAINTY_QPE_COMPUTE][2] = {{14.1F, 14.2F}, {15.6F, 15.6F}, {7.5F, 7.5F}, {13.8F, 13.8F}}, /* 7 465 2 88 1 44 0 0 */
    [UNCERTAINTY_JOBS][0] = {{13.2F, 1.8F}, {8.2F, 8.2F}, {4.1F, 4.1F}, {9.3F, 9.3F}}, /* 28 32 17 14 12 10 12 5 */
    [UNCERTAINTY_JOBS][1] = {{9.4F, 7.1F}, {12.7F, 8.6F}, {13.6F, 10.7F}, {25.9F, 34.0F}}, /* 171 498 152 302 160 280 148 243 */
    [UNCERTAINTY_JOBS][2] = {{14.9F, 11.0F}, {15.9F, 17.8F}, {21.6F, 16.9F}, {31.2F, 49.5F}}, /* 325 1563 380 1299 422 1254 430 1271 */
    [UNCERTAINTY_WEIGHT][0] = {{5.7F, 5.7F}, {7.7F, 7.7F}, {7.7F, 7.7F}, {7.7F, 7.7F}}, /* 15 11 13 2 8 4 3 1 */
    [UNCERTAINTY_WEIGHT][1] = {{11.9F, 16.0F}, {11.5F, 14.1F}, {12.3F, 15.2F}, {13.8F, 23.9F}}, /* 296 131 195 89 133 61 72 49 */
    [UNCERTAINTY_WEIGHT][2] = {{16.5F, 23.0F}, {17.7F, 20.5F}, {17.9F, 25.7F}, {20.9F, 27.9F}}, /* 2645 1096 1783 689 1257 606 583 384 */
    [UNCERTAINTY_INPUT][0] = {{8.0F, 8.0F}, {5.7F, 5.7F}, {5.7F, 5.7F}, {5.7F, 5.7F}}, /* 21 5 13 2 10 2 2 2 */
    [UNCERTAINTY_INPUT][1] = {{12.1F, 12.5F}, {12.9F, 15.1F}, {12.4F, 10.2F}, {7.6F, 8.3F}}, /* 335 92 213 71 137 57 82 39 */
    [UNCERTAINTY_INPUT][2] = {{22.2F, 28.6F}, {21.1F, 23.8F}, {19.4F, 20.8F}, {18.3F, 21.1F}}, /* 2768 973 1814 658 1302 561 618 349 */
    [UNCERTAINTY_MIGRATION][0] = {{48.0F, 48.0F}, {48.0F, 48.0F}, {48.0F, 48.0F}, {48.0F, 48.0F}}, /* 4 1 0 0 1 0 0 0 */
    [UNCERTAINTY_MIGRATION][1] = {{53.7F, 53.7F}, {44.4F, 44.4F}, {57.3F, 57.3F}, {57.3F, 57.3F}}, /* 47 8 33 4 14 2 6 7 */
    [UNCERTAINTY_MIGRATION][2] = {{46.9F, 53.2F}, {46.5F, 47.3F}, {47.2F, 52.3F}, {43.6F, 48.5F}}, /* 771 98 499 117 340 100 191 68 */
    [UNCERTAINTY_COMPUTE][0] = {{11.2F, 11.2F}, {16.0F, 16.0F}, {16.0F, 16.0F}, {16.0F, 16.0F}}, /* 11 15 9 6 4 8 2 2 */
    [UNCERTAINTY_COMPUTE][1] = {{26.4F, 15.7F}, {23.6F, 16.3F}, {20.1F, 22.1F}, {18.2F, 19.3F}}, /* 183 244 109 175 74 120 34 87 */
    [UNCERTAINTY_COMPUTE][2] = {{26.4F, 25.4F}, {25.3F, 26.9F}, {25.8F, 27.8F}, {25.8F, 30.3F}}, /* 1064 2677 691 1781 454 1409 199 768 */
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
