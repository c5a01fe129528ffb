// SPDX-License-Identifier: Apache-2.0
// What one change at a time does to the objectives of a point: the largest as bars, all of them as a table.
'use strict';

(function () {
	const model = dse.model;
	const MAX_BARS = 20;
	const view = {run: null, of_point: null};

	const changes = () => (view.run.sensitivity || []).filter((one) => one.of_point === view.of_point);
	const label = (key) => (model.byKey.has(key) ? model.byKey.get(key).label : key);
	const signed = (value, digits) => (value > 0 ? '+' : '') + dse.number(value, digits);
	const largest = (one) => Math.max(...Object.values(one.change_pct).map((value) => Math.abs(value || 0)));

	function objectives() {
		return [...new Set(changes().flatMap((one) => Object.keys(one.change_pct || {})))];
	}

	function change(one) {
		const unit = one.unit ? ' ' + dse.unit(one.unit) : '';
		return `${one.knob}${one.from !== undefined ? ` ${one.from} \u2192` : ' ='} ${one.value}${unit}`;
	}

	// The largest changes first; those that change nothing are in the table.
	function bars() {
		const found = changes().filter((one) => one.change_pct && largest(one) > 0);
		return found.sort((a, b) => largest(b) - largest(a)).slice(0, MAX_BARS);
	}

	// ---- figure ---------------------------------------------------------------------------------------------

	function config() {
		const shown = bars();
		const zero = (line) => dse.colour(line.tick && line.tick.value === 0 ? 'ink-2' : 'grid');
		const datasets = objectives().map((key, i) => ({
			label: label(key),
			backgroundColor: dse.series(i),
			data: shown.map((one) => one.change_pct[key]),
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
		const n = bars().length,
			n_all = changes().length;
		return dse.figure({
			title: `One change at a time from ${named(view.of_point)}`,
			note: n < n_all ? `The ${n} largest of ${dse.number(n_all)}; all are in the table.` : '',
			wide: true,
			height: 90 + n * Math.max(30, 11 * objectives().length),
			config,
		});
	}

	// ---- table ----------------------------------------------------------------------------------------------

	function columns() {
		const shown = changes();
		const text = (key, name, value) => ({key, label: name, value, cell: value});
		return [
			text('knob', 'knob', (one) => one.knob),
			text('from', 'from', (one) => String(one.from ?? '')),
			text('to', 'to', (one) => `${one.value}${one.unit ? ' ' + dse.unit(one.unit) : ''}`),
			...objectives().map((key) => ({
				key,
				label: label(key),
				unit: '%',
				number: true,
				value: (one) => (one.change_pct ? one.change_pct[key] : null),
				cell: (one) => (one.change_pct ? signed(one.change_pct[key]) : '\u2013'),
			})),
			...(shown.some((one) => one.verdict)
				? [text('verdict', 'why not', (one) => one.verdict || '')]
				: []),
		];
	}

	// ---- section --------------------------------------------------------------------------------------------

	// A point and what it is known for.
	function named(id) {
		const mark = model.landmarks().find(({row}) => row === view.run.first + id);
		return model.name(view.run.first + id) + (mark ? ` (${mark.name})` : '');
	}

	function choices(ids, redraw) {
		const runs = model.runs.map((run) => [run.index, run.name]);
		const points = ids.map((id) => [id, named(id)]);
		const setRun = (value) => {
			view.run = model.runs[Number(value)];
			redraw();
		};
		const setPoint = (value) => {
			view.of_point = Number(value);
			redraw();
		};
		return [
			runs.length > 1 ? dse.choice('Run', runs, view.run.index, setRun) : null,
			ids.length > 1 ? dse.choice('Point', points, view.of_point, setPoint) : null,
		].filter(Boolean);
	}

	dse.sensitivity = function (section) {
		const bar = dse.el('div', {class: 'controls'}),
			holder = dse.el('div', {id: 'changes'});
		let last = null;
		section.append(bar, holder);
		function redraw() {
			const {run} = view;
			const ids = [
				...new Set((run.sensitivity || []).map((one) => one.of_point).filter(Number.isInteger)),
			];
			if (!ids.includes(view.of_point)) view.of_point = ids.includes(run.knee) ? run.knee : ids[0];
			if (last) last.remove();
			last = null;
			bar.replaceChildren(...choices(ids, redraw));
			holder.replaceChildren();
			if (ids.length === 0) {
				holder.append(
					dse.missing(
						`Not known of ${run.name}${run.without ? ': ' + run.without : '.'}`,
					),
				);
				return;
			}
			last = bars().length > 0 ? figure() : null;
			holder.append(...(last ? [last.element] : []), dse.el('h3', {class: 'apart'}, 'All changes'));
			if (last) last.redraw();
			dse.table(holder, {caption: 'All changes', columns: columns(), rows: changes(), name: change});
		}
		view.run = model.runs.find((run) => (run.sensitivity || []).length > 0) || model.runs[0];
		redraw();
	};
})();
