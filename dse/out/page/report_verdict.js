// SPDX-License-Identifier: Apache-2.0
// The verdict on the machines of a run: what is said of them, their front with those that lost, their table, and the
// change of the chosen point that is worth most.
'use strict';

(function () {
	const model = dse.model;
	const list = (value) => (Array.isArray(value) ? value : []);
	const SIZES = ['mac_units', 'sram_byte', 'area_mm2']; // of a machine: known, whatever was searched
	const is_number = (value) => typeof value === 'number' && Number.isFinite(value);

	// ---- the picture ----------------------------------------------------------------------------------------

	// The first two objectives; null where there is nothing to set against each other.
	function axes() {
		const two = model.objectives().filter((column) => column.n_distinct > 0);
		return two.length > 1 ? two.slice(0, 2) : null;
	}

	// What tells the machines of the front apart: a knob of the machine with a few values; null: they are not told apart.
	function knob(run) {
		const columns = run.columns
			.filter((from) => from.kind === 'knob' && from.key.includes('.') && !from.key.startsWith('level'))
			.map((from) => model.byKey.get(from.key));
		return columns.find((column) => column.n_distinct > 1 && column.n_distinct <= 6) || null;
	}

	// Sizes as users write them, "128 KiB".
	function shownKnob(column, value) {
		const size = column.values ? NaN : value;
		return column.key.endsWith('_byte') && size >= 1024 && size % 1024 === 0
			? `${dse.count(size / 1024)}\u00a0KiB`
			: model.shown(column, value);
	}

	function frontSets(run, [x, y]) {
		const by = knob(run);
		const winners = list(run.verdict.rows).filter(({place}) => place === 'on the front');
		const alone = winners.length === 1 && winners[0].n <= 1 ? `${winners[0].machines}: on the front` : 'front';
		const sets = new Map();
		for (let row = run.first; row < run.first + run.n; row++) {
			if (Number.isNaN(x.of[row]) || Number.isNaN(y.of[row])) continue;
			const name = by ? `${by.label} ${shownKnob(by, by.of[row])}` : alone;
			if (!sets.has(name)) sets.set(name, []);
			sets.get(name).push({x: x.of[row] * x.scale, y: y.of[row] * y.scale, name: model.name(row)});
		}
		return [...sets].map(([label, data], i) => ({
			label,
			data,
			backgroundColor: dse.series(i),
			borderColor: dse.series(i),
			pointRadius: data.length > 300 ? 2 : 3.5,
		}));
	}

	// Of a machine that is not searched to the end the least values are only what was seen.
	const lost = (run) =>
		list(run.verdict.machines).filter(
			({place, least}) => place !== 'on the front' && place !== 'not searched to the end' && least,
		);

	// Of each machine that lost a corner: its least values, which one design need not have together, and from there up and to
	// the right, where all of its designs are.
	function lostSet(run, [x, y], sets) {
		const corners = lost(run).filter(({least}) => is_number(least[x.key]) && is_number(least[y.key]));
		if (corners.length === 0) return [];
		// a little further than anything is
		const most = (of, key) => {
			const all = [
				...corners.map(({least}) => least[of.key] * of.scale),
				...sets.flatMap(({data}) => data.map((point) => point[key])),
			];
			const high = all.reduce((a, b) => Math.max(a, b));
			return high + 0.04 * (high - all.reduce((a, b) => Math.min(a, b)));
		};
		const far = {x: most(x, 'x'), y: most(y, 'y')};
		const data = corners.flatMap(({name, least, is_bound}) => {
			const at = {x: least[x.key] * x.scale, y: least[y.key] * y.scale};
			at.name = `${name}, ${is_bound ? 'not below this, as bounds prove' : 'its least values'}`;
			return [{x: at.x, y: far.y, name: at.name, end: true}, at, {x: far.x, y: at.y, name: at.name, machine: name, end: true}, {x: NaN, y: NaN}];
		});
		return [
			{
				label: 'machines that lost: all their designs are above and right of a corner',
				data,
				showLine: true,
				borderWidth: 1,
				pointRadius: data.map(({end}) => (end ? 0 : 2)),
				borderColor: dse.colour('c6'),
				backgroundColor: dse.colour('c6'),
			},
		];
	}

	// The knee in a ring, and what the machines that lost are called at the ends of their lines, where all have room.
	function named(run, [x, y]) {
		return {
			id: 'named',
			afterDatasetsDraw(chart) {
				const {ctx, scales} = chart;
				const at = (point) => [scales.x.getPixelForValue(point.x), scales.y.getPixelForValue(point.y)];
				const knee = model.rowOf(run, run.knee);
				ctx.save();
				ctx.font = `11px ${Chart.defaults.font.family}`;
				const ends = chart.data.datasets.flatMap(({data}) => data.filter(({machine}) => machine));
				const rows = ends.map((end) => at(end)[1]);
				if (rows.every((low, i) => rows.every((other, k) => i === k || Math.abs(low - other) > 13)))
					for (const end of ends) {
						const [right, low] = at(end);
						dse.chartText(ctx, end.machine, right, low - 7, dse.colour('ink-2'), chart, 'right');
					}
				if (knee !== null && run.n > 1 && !Number.isNaN(x.of[knee]) && !Number.isNaN(y.of[knee])) {
					const [left, low] = at({x: x.of[knee] * x.scale, y: y.of[knee] * y.scale});
					ctx.strokeStyle = dse.colour('ink');
					ctx.lineWidth = 1.5;
					ctx.beginPath();
					ctx.arc(left, low, 7, 0, 2 * Math.PI);
					ctx.stroke();
					dse.chartText(ctx, 'knee', left + 10, low - 6, dse.colour('ink'), chart);
				}
				ctx.restore();
			},
		};
	}

	function config(run, two) {
		const sets = frontSets(run, two);
		return {
			type: 'scatter',
			plugins: [named(run, two)],
			data: {datasets: [...sets, ...lostSet(run, two, sets)]},
			options: {
				scales: {
					x: {type: 'linear', title: {text: two[0].title}},
					y: {type: 'linear', title: {text: two[1].title}},
				},
				plugins: {
					legend: {display: true},
					tooltip: {
						callbacks: {
							label: ({raw}) =>
								`${raw.name}: ${dse.quantity(raw.x, two[0].shown_unit)}, ${dse.quantity(raw.y, two[1].shown_unit)}`,
						},
					},
				},
			},
		};
	}

	function picture(run) {
		const two = axes();
		if (!two || run.n === 0) return null;
		return dse.figure({
			title: 'Front',
			label: `The front over ${two[0].label} and ${two[1].label}, and least values of machines that lost`,
			height: 260,
			config: () => config(run, two),
		});
	}

	// ---- the table ------------------------------------------------------------------------------------------

	const label = (key) => (model.byKey.has(key) ? model.byKey.get(key).label : key.replace(/_/g, ' '));
	const unit = (key) =>
		model.byKey.has(key) && model.byKey.get(key).shown_unit ? ` (${model.byKey.get(key).shown_unit})` : '';

	// Five digits, of a bound rounded down, as no design has less; counts are whole.
	function figure(value, is_bound) {
		if (Number.isInteger(value) || value === 0) return dse.number(value);
		const decimals = Math.max(0, 4 - Math.floor(Math.log10(Math.abs(value))));
		return dse.fixed(is_bound ? Math.floor(value * 10 ** decimals) / 10 ** decimals : value, decimals);
	}

	function table(run) {
		const {rows, columns} = run.verdict;
		if (list(rows).length < 2) return '';
		const shown = (row, value, key) => {
			const is_bound = row.is_bound && !SIZES.includes(key);
			const scale = model.byKey.has(key) ? model.byKey.get(key).scale : 1;
			return is_number(value) ? `${is_bound ? '\u2265\u00a0' : ''}${figure(value * scale, is_bound)}` : '';
		};
		const has_groups = rows.some(({n}) => n > 1);
		// [name, cell of a row]; a column that is empty in all rows is left out
		const all = [
			['machine', (row) => row.machines],
			['number', (row) => (has_groups ? row.n : '')],
			['verdict', (row) => row.verdict],
			[
				'behind by (%)',
				(row) => (row.place === 'beaten' && is_number(row.behind_pct) ? dse.number(row.behind_pct, 3) : ''),
			],
			...columns.map((key, k) => [label(key) + unit(key), (row) => shown(row, list(row.values)[k], key)]),
			['time bound by', (row) => row.bound || ''],
		].filter(([, cell]) => rows.some((row) => cell(row) !== ''));
		return dse.plainTable('Machines', {
			columns: all.map(([name]) => name),
			rows: rows.map((row) => all.map(([, cell]) => cell(row))),
			right: all.map(([name]) => !['machine', 'verdict', 'time bound by'].includes(name)),
		});
	}

	// ---- what to change next --------------------------------------------------------------------------------

	// The sentence of the run's sensitivity.
	function next(run) {
		const text = (run.sensitivity || {}).text || '';
		const head = text.indexOf(' on ');
		if (head < 0) return '';
		return dse.el(
			'p',
			{id: 'next'},
			dse.el('b', {}, text.slice(0, head)),
			dse.prose(text.slice(head)),
			list(run.sensitivity.bars).length > 0
				? [' Mapped anew, in the fast tier. ', dse.el('a', {href: '#sensitivity'}, 'Other changes')]
				: null,
		);
	}

	// ---- all of it ------------------------------------------------------------------------------------------

	dse.verdict = function (section, run) {
		if (!run.verdict || list(run.verdict.text).length === 0) return;
		const figure = picture(run);
		const said = dse.el(
			'div',
			{class: 'said'},
			list(run.verdict.text).map((sentence) => dse.el('p', {}, dse.prose(sentence))),
		);
		section.append(
			dse.el('div', {class: figure ? 'verdict' : ''}, said, dse.el('div', {}, figure ? figure.element : '', next(run))),
			table(run),
			dse.el('div', {class: 'note'}, list(run.verdict.notes).map((note) => dse.el('p', {}, note.replace('>=', '\u2265')))),
		);
		if (figure) figure.redraw();
	};
})();
