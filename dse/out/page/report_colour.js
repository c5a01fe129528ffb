// SPDX-License-Identifier: Apache-2.0
// Colours and shapes of points: by run, by a choice, or by a number on a scale that colour-blind readers can follow.
'use strict';

(function () {
	// Viridis (Smith and van der Walt, 2015) in nine steps; the end that would vanish in the page's background is cut.
	const VIRIDIS = [
		[68, 1, 84],
		[71, 44, 122],
		[59, 81, 139],
		[44, 113, 142],
		[33, 144, 141],
		[39, 173, 129],
		[92, 200, 99],
		[170, 220, 50],
		[253, 231, 37],
	];
	const N_STEP = 12;
	const FEW = 8; // as many values have colours of their own
	const SHAPES = ['circle', 'rectRot', 'triangle', 'rect', 'star', 'crossRot'];

	dse.shape = (run) => SHAPES[run.index % SHAPES.length];

	// share 0..1
	function viridis(share) {
		const at = (dse.isDark() ? 0.25 + 0.75 * share : 0.9 * share) * (VIRIDIS.length - 1);
		const k = Math.min(VIRIDIS.length - 2, Math.floor(at));
		const mixed = VIRIDIS[k].map((from, i) => Math.round(from + (at - k) * (VIRIDIS[k + 1][i] - from)));
		return `rgb(${mixed.join(' ')})`;
	}

	/*
	 * How a column colours rows: {groups: [{label, colour}], of: (row) => index of a group, column, is_scale}.
	 * Rows without a value belong to the last group.
	 */
	dse.colouring = function (column) {
		if (!column)
			return {
				groups: [{label: 'points', colour: dse.series(0)}],
				of: () => 0,
				column: null,
				is_scale: false,
			};
		return column.values || column.n_distinct <= FEW ? byValue(column) : byScale(column);
	};

	function byValue(column) {
		const values = column.distinct.slice(0, column.values ? model().MAX_VALUES : FEW);
		const groups = values.map((value, i) => ({label: model().shown(column, value), colour: dse.series(i)}));
		groups.push({label: 'none', colour: dse.colour('ink-2')});
		const place = new Map(values.map((value, i) => [value, i]));
		return {
			groups,
			column,
			is_scale: false,
			of: (row) => {
				const at = place.get(column.of[row]);
				return at === undefined ? values.length : at;
			},
		};
	}

	function byScale(column) {
		const is_log = column.min > 0 && column.max / column.min > 50;
		const map = is_log ? Math.log : (value) => value;
		const low = map(column.min),
			range = map(column.max) - low || 1;
		const groups = Array.from({length: N_STEP}, (_, i) => ({colour: viridis((i + 0.5) / N_STEP)}));
		groups.push({label: 'none', colour: dse.colour('ink-2')});
		return {
			groups,
			column,
			is_scale: true,
			is_log,
			of: (row) => {
				const value = column.of[row];
				return Number.isNaN(value)
					? N_STEP
					: Math.min(N_STEP - 1, Math.floor(((map(value) - low) / range) * N_STEP));
			},
		};
	}

	const model = () => dse.model;

	// The legend of a colouring and of the runs' shapes into an element.
	dse.drawColourKey = function (element, colouring) {
		element.replaceChildren();
		const {column} = colouring;
		if (column && colouring.is_scale) {
			const stops = colouring.groups
				.slice(0, N_STEP)
				.map((group) => group.colour)
				.join(', ');
			element.append(
				dse.el('span', {}, column.title + (colouring.is_log ? ', log' : '')),
				dse.el('span', {class: 'number'}, model().shown(column, column.min, 3)),
				dse.el('span', {
					class: 'ramp',
					style: `background: linear-gradient(to right, ${stops})`,
				}),
				dse.el('span', {class: 'number'}, model().shown(column, column.max, 3)),
			);
		} else if (column) {
			element.append(
				dse.el('span', {}, column.title),
				...colouring.groups
					.slice(0, -1)
					.map(({label, colour}) =>
						dse.el(
							'span',
							{},
							dse.el('i', {class: 'swatch', style: `background: ${colour}`}),
							label,
						),
					),
			);
		}
	};
})();
