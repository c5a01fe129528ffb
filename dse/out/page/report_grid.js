// SPDX-License-Identifier: Apache-2.0
// Which point is nearest to the mouse: a grid of pixels, so that 10 000 points cost no more than 100.
'use strict';

(function () {
	const CELL = 24; // pixels; also how far away a point may be

	// at: (row) => [x, y] in pixels or null. Returns (x, y) => nearest row within CELL pixels, or null.
	dse.nearestGrid = function (rows, at) {
		const cells = new Map();
		const key = (i, j) => i * 65536 + j;
		for (const row of rows) {
			const pixel = at(row);
			if (!pixel) continue;
			const place = key(Math.floor(pixel[0] / CELL), Math.floor(pixel[1] / CELL));
			const cell = cells.get(place);
			if (cell) cell.push(row, pixel[0], pixel[1]);
			else cells.set(place, [row, pixel[0], pixel[1]]);
		}
		return function (x, y) {
			let best = null,
				least = CELL * CELL;
			const i = Math.floor(x / CELL),
				j = Math.floor(y / CELL);
			for (let k = 0; k < 9; k++) {
				const cell = cells.get(key(i - 1 + (k % 3), j - 1 + Math.floor(k / 3))) || [];
				for (let n = 0; n < cell.length; n += 3) {
					const distance = (cell[n + 1] - x) ** 2 + (cell[n + 2] - y) ** 2;
					if (distance < least) {
						least = distance;
						best = cell[n];
					}
				}
			}
			return best;
		};
	};
})();
