// SPDX-License-Identifier: Apache-2.0
// What to change next of a machine: one parameter at its next value, mapped anew; the best as bars, all as a table.
'use strict';

(function () {
	const model = dse.model;
	const MAX_BARS = 20;
	const METRICS = [
		['latency_pct', 'least latency'],
		['energy_pct', 'least energy'],
	];
	const view = {run: null};

	const list = (value) => (Array.isArray(value) ? value : []);
	const found = () => view.run.sensitivity || {};
	const is_number = (value) => typeof value === 'number' && Number.isFinite(value);
	const signed = (value, digits) => (is_number(value) ? (value > 0 ? '+' : '') + dse.number(value, digits) : '\u2013');
	const target = (one) => `${one.to}${one.with ? ` (${one.with} ${one.with_to})` : ''}`;
	const change = (one) => `${one.parameter} ${one.from} \u2192 ${target(one)}`;

	// The most useful first, as they come; those that change nothing are in the table.
	function bars() {
		const moves = (one) => METRICS.some(([key]) => is_number(one[key]) && Math.abs(one[key]) > 1e-5);
		return list(found().bars).filter(moves).slice(0, MAX_BARS);
	}

	// ---- figure ---------------------------------------------------------------------------------------------

	function config() {
		const shown = bars();
		const zero = (line) => dse.colour(line.tick && line.tick.value === 0 ? 'ink-2' : 'grid');
		const datasets = METRICS.map(([key, label], i) => ({
			label,
			backgroundColor: dse.series(i),
			data: shown.map((one) => one[key]),
		}));
		return {
			type: 'bar',
			data: {labels: shown.map(change), datasets},
			options: {
				indexAxis: 'y',
				interaction: {mode: 'index', intersect: false, axis: 'y'},
				scales: {
					x: {
						type: 'linear',
						title: {text: 'change (%), less is better'},
						grid: {color: zero},
						ticks: {callback: (value) => signed(value)},
					},
					y: {
						type: 'category',
						grid: {display: false},
						ticks: {
							autoSkip: false,
							color: dse.colour('ink'),
							callback(_, i) {
								return fitted(this.ctx, change(shown[i]), 0.42 * this.chart.width);
							},
						},
					},
				},
				plugins: {
					tooltip: {
						callbacks: {
							label: ({dataset, raw}) =>
								`${dataset.label}: ${signed(raw)}\u00a0%`,
						},
					},
				},
			},
		};
	}

	// A label in at most two lines as wide as there is room, the second one cut where it has to be.
	function fitted(ctx, text, room) {
		ctx.font = `${Chart.defaults.font.size}px ${Chart.defaults.font.family}`;
		const fits = (line) => ctx.measureText(line).width <= room;
		const words = text.split(' ');
		let n = words.length;
		while (n > 1 && !fits(words.slice(0, n).join(' '))) n--;
		return [words.slice(0, n).join(' '), words.slice(n).join(' ')].filter(Boolean).map((line) => {
			let end = line.length;
			while (end > 1 && !fits(line.slice(0, end) + (end < line.length ? '\u2026' : ''))) end--;
			return end < line.length ? line.slice(0, end) + '\u2026' : line;
		});
	}

	function figure() {
		const n = bars().length;
		return dse.figure({
			title: `One parameter at its next value, mapped anew: ${found().machine}, ${found().networks}`,
			wide: true,
			height: 90 + n * 30,
			config,
		});
	}

	// ---- table ----------------------------------------------------------------------------------------------

	const text = (key, name, cell) => ({key, label: name, value: cell, cell});
	const number = (key, name, unit, digits) => ({
		key,
		label: name,
		unit,
		number: true,
		value: (one) => one[key],
		cell: (one) => signed(one[key], digits),
	});

	function columns() {
		return [
			text('parameter', 'parameter', (one) => one.parameter),
			text('from', 'now', (one) => String(one.from)),
			text('to', 'next', target),
			...METRICS.map(([key, name]) => number(key, name, '%')),
			number('latency_elasticity', 'elasticity of latency', undefined, 3),
			number('energy_elasticity', 'elasticity of energy', undefined, 3),
			number('mac_units_pct', 'MAC units', '%'),
			number('sram_pct', 'SRAM', '%'),
			...(list(found().bars).some((one) => one.reason)
				? [text('reason', 'why not', (one) => one.reason || '')]
				: []),
		];
	}

	// What has no bars, one line a reason.
	function left() {
		const by = new Map();
		list(found().left_out).forEach(({parameter, reason}) => by.set(reason, [...(by.get(reason) || []), parameter]));
		return [...by].map(([reason, keys]) => dse.el('p', {}, `Left out: ${keys.join(', ')} (${reason}).`));
	}

	// ---- section --------------------------------------------------------------------------------------------

	dse.sensitivity = function (section) {
		const bar = dse.el('div', {class: 'controls'}),
			holder = dse.el('div', {id: 'changes'});
		let last = null;
		section.append(bar, holder);
		function redraw() {
			const {run} = view;
			const runs = model.runs.map((one) => [one.index, one.name]);
			if (last) last.remove();
			last = null;
			bar.replaceChildren(
				...(runs.length > 1
					? [
							dse.choice('Run', runs, run.index, (value) => {
								view.run = model.runs[Number(value)];
								redraw();
							}),
						]
					: []),
			);
			holder.replaceChildren();
			if (!run.sensitivity) {
				holder.append(dse.missing(`Not known of ${run.name}${run.without ? ': ' + run.without : '.'}`));
				return;
			}
			holder.append(dse.el('p', {}, found().text || ''));
			last = bars().length > 0 ? figure() : null;
			if (last) holder.append(last.element);
			if (list(found().bars).length > 0) {
				holder.append(dse.el('h3', {class: 'apart'}, 'All changes'));
				if (last) last.redraw();
				dse.table(holder, {caption: 'All changes', columns: columns(), rows: list(found().bars), name: change});
			}
			holder.append(dse.el('div', {class: 'note'}, left()));
		}
		view.run = model.runs.find((run) => run.sensitivity) || model.runs[0];
		redraw();
	};
})();
