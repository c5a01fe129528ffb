// SPDX-License-Identifier: Apache-2.0
// How a run went and what it rests on: sensitivity to knobs, progress and certificate of the search, counts, inputs.
'use strict';

(function () {
	const model = dse.model;
	const view = {by: 'evaluations', run: null, of_point: null};

	// ---- sensitivity ----------------------------------------------------------------------------------------

	const barsOf = (run) => (run.sensitivity || []).filter((one) => one.change_pct);
	const verdictsOf = (run) => (run.sensitivity || []).filter((one) => !one.change_pct);
	const change = (one) =>
		`${one.knob}${one.from !== undefined ? ` ${one.from} \u2192` : ' ='} ${one.value}${one.unit ? ' ' + dse.unit(one.unit) : ''}`;

	// The largest changes first.
	function ordered(run, id) {
		const size = (one) => Math.max(...Object.values(one.change_pct).map((value) => Math.abs(value || 0)));
		return barsOf(run)
			.filter((one) => one.of_point === id)
			.sort((a, b) => size(b) - size(a));
	}

	function sensitivityChart(run, id) {
		const shown = ordered(run, id);
		const keys = [...new Set(shown.flatMap((one) => Object.keys(one.change_pct)))];
		const label = (key) => (model.byKey.has(key) ? model.byKey.get(key).label : key);
		return {
			type: 'bar',
			data: {
				labels: shown.map(change),
				datasets: keys.map((key, i) => ({
					label: label(key),
					backgroundColor: dse.series(i),
					data: shown.map((one) => one.change_pct[key]),
				})),
			},
			options: {
				indexAxis: 'y',
				interaction: {mode: 'index', intersect: false, axis: 'y'},
				scales: {
					x: {
						type: 'linear',
						title: {text: 'change (%), less is better'},
						grid: {
							color: (line) =>
								dse.colour(
									line.tick && line.tick.value === 0
										? 'ink-2'
										: 'grid',
								),
						},
						ticks: {
							callback: (value) => (value > 0 ? '+' : '') + dse.number(value),
						},
					},
					y: {
						type: 'category',
						grid: {display: false},
						ticks: {autoSkip: false, color: dse.colour('ink')},
					},
				},
				plugins: {
					tooltip: {
						callbacks: {
							label: (item) =>
								`${item.dataset.label}: ${item.raw > 0 ? '+' : ''}${dse.quantity(item.raw, '%')}`,
						},
					},
				},
			},
		};
	}

	function verdictTable(run, id) {
		const rows = verdictsOf(run).filter((one) => one.of_point === id || one.of_point === undefined);
		return rows.length === 0
			? null
			: dse.el(
					'div',
					{},
					dse.el('h3', {class: 'apart'}, 'Changes without a result'),
					dse.plainTable('Changes without a result', {
						columns: ['change', 'why'],
						rows: rows.map((one) => [change(one), one.verdict || 'not known']),
					}),
				);
	}

	// A point and what it is known for.
	function known(run, id) {
		const mark = model.landmarks().find(({row}) => row === run.first + id);
		return model.name(run.first + id) + (mark ? ` (${mark.name})` : '');
	}

	function sensitivityOf(run) {
		const ids = [
			...new Set((run.sensitivity || []).map((one) => one.of_point).filter((id) => id !== undefined)),
		];
		if (ids.length === 0)
			return [dse.missing(`Not known of ${run.name}${run.without ? ': ' + run.without : '.'}`)];
		if (!ids.includes(view.of_point)) view.of_point = ids.includes(run.knee) ? run.knee : ids[0];
		const id = view.of_point;
		const name = known(run, id);
		const n = ordered(run, id).length,
			n_key = Object.keys((ordered(run, id)[0] || {change_pct: {}}).change_pct).length;
		const figure =
			n === 0
				? null
				: dse.figure({
						title: `One change at a time from ${name}`,
						wide: true,
						height: 90 + n * Math.max(22, 11 * n_key),
						config: () => sensitivityChart(run, id),
						table: () => ({
							columns: [
								'change',
								...Object.keys(ordered(run, id)[0].change_pct).map(
									(key) =>
										`${model.byKey.has(key) ? model.byKey.get(key).label : key} (%)`,
								),
							],
							rows: ordered(run, id).map((one) => [
								change(one),
								...Object.values(one.change_pct),
							]),
						}),
					});
		return [figure, verdictTable(run, id), ids].filter(Boolean);
	}

	dse.sensitivity = function (section) {
		const bar = dse.el('div', {class: 'controls'}),
			holder = dse.el('div', {});
		let figure = null;
		section.append(bar, holder);
		function redraw() {
			const run = view.run;
			const parts = sensitivityOf(run);
			const ids = parts.find(Array.isArray) || [];
			if (figure) figure.remove();
			figure = parts.find((part) => part.redraw) || null;
			bar.replaceChildren(
				...[
					runChoice(redraw),
					ids.length > 1
						? dse.choice(
								'Point',
								ids.map((id) => [id, known(run, id)]),
								view.of_point,
								(value) => {
									view.of_point = Number(value);
									redraw();
								},
							)
						: null,
				].filter(Boolean),
			);
			holder.replaceChildren(
				...parts.filter((part) => !Array.isArray(part)).map((part) => part.element || part),
			);
			if (figure) figure.redraw();
		}
		view.run = model.runs.find((run) => (run.sensitivity || []).length > 0) || model.runs[0];
		redraw();
	};

	const runChoice = (redraw) =>
		model.runs.length < 2
			? null
			: dse.choice(
					'Run',
					model.runs.map((run) => [run.index, run.name]),
					view.run.index,
					(value) => {
						view.run = model.runs[Number(value)];
						redraw();
					},
				);

	// ---- progress -------------------------------------------------------------------------------------------

	const progressOf = (run) => (run.progress && (run.progress.hypervolume || []).length > 0 ? run.progress : null);

	// Hypervolume of one run over evaluations or seconds; a value stands until the next one.
	function progressLine(run, label) {
		const {[view.by]: at = [], hypervolume, front_points = []} = progressOf(run);
		const last = hypervolume[hypervolume.length - 1] || 1;
		const data = at.map((x, i) => ({
			x,
			y: (100 * hypervolume[i]) / last,
			points: front_points[i],
			volume: hypervolume[i],
		}));
		return {
			label,
			data: data.filter(({x, y}) => x !== null && Number.isFinite(y)),
			borderColor: dse.series(run.index),
			backgroundColor: dse.series(run.index),
			borderWidth: 2,
			pointRadius: hypervolume.length < 60 ? 2.5 : 0,
			pointStyle: dse.shape(run),
			stepped: 'before',
			clip: 5,
		};
	}

	function progressChart() {
		const known = model.runs.filter(progressOf);
		const datasets = known.map((run) => progressLine(run, known.length > 1 ? run.name : 'hypervolume'));
		return {
			type: 'line',
			data: {datasets},
			options: {
				parsing: false,
				interaction: {mode: 'nearest', intersect: false, axis: 'x'},
				scales: {
					x: {
						type: 'linear',
						beginAtZero: true,
						title: {text: view.by === 'seconds' ? 'time (s)' : 'evaluations'},
					},
					y: {
						type: 'linear',
						beginAtZero: true,
						max: 100,
						title: {text: 'hypervolume (% of the last)'},
					},
				},
				plugins: {
					legend: {display: known.length > 1},
					tooltip: {
						callbacks: {
							title: (items) =>
								items.length
									? `${items[0].dataset.label} at ${dse.quantity(items[0].raw.x, view.by === 'seconds' ? 's' : 'evaluations')}`
									: '',
							label: ({raw}) =>
								`${dse.quantity(raw.y, '%', 5)} of the last, ${dse.number(raw.volume)}${raw.points !== undefined ? ', ' + dse.plural(raw.points, 'point') : ''}`,
						},
					},
				},
			},
		};
	}

	dse.progress = function (section) {
		if (!model.runs.some(progressOf)) {
			section.append(dse.missing('No progress was recorded.'));
			return;
		}
		const figure = dse.figure({
			title: 'Hypervolume',
			wide: true,
			height: 260,
			config: progressChart,
			table: () => ({
				columns: ['run', 'evaluations', 'seconds', 'points of the front', 'hypervolume'],
				rows: model.runs
					.filter(progressOf)
					.flatMap((run) =>
						run.progress.hypervolume.map((value, i) => [
							run.name,
							...['evaluations', 'seconds', 'front_points'].map(
								(key) => (run.progress[key] || [])[i] ?? null,
							),
							value,
						]),
					),
			}),
		});
		section.append(
			dse.el(
				'div',
				{class: 'controls'},
				dse.choice(
					'Horizontal',
					[
						['evaluations', 'evaluations'],
						['seconds', 'seconds'],
					],
					view.by,
					(value) => {
						view.by = value;
						figure.redraw();
					},
				),
			),
			figure.element,
		);
		figure.redraw();
	};

	// ---- one run's facts ------------------------------------------------------------------------------------

	const words = (key) => key.replace(/_/g, ' ');
	const filled = (object) =>
		Object.entries(object || {}).filter(([, value]) => value !== null && value !== undefined);

	// Reasons and their counts, the most frequent first; null where there are none.
	function reasons(title, of) {
		const counted = filled(of).sort((a, b) => b[1] - a[1]);
		const total = counted.reduce((sum, [, n]) => sum + n, 0);
		return counted.length === 0
			? null
			: [
					title,
					['reason', 'number', 'share (%)'],
					counted.map(([key, n]) => [
						words(key),
						n,
						Number(((100 * n) / total).toPrecision(3)),
					]),
				];
	}

	function tables(run) {
		return [
			filled(run.counts).length > 0
				? [`Counts`, ['of', 'number'], filled(run.counts).map(([key, n]) => [words(key), n])]
				: null,
			reasons('Infeasible by reason', run.infeasible_by_reason),
			reasons('Over limits', run.over_limit),
			reasons('Machines refused', run.machines_refused_by_reason),
			(run.inputs || []).length > 0
				? [
						'Inputs',
						['file', 'hash'],
						run.inputs.map(({file, hash}) => [file, dse.el('code', {}, hash)]),
					]
				: null,
		]
			.filter(Boolean)
			.map(([name, columns, rows]) =>
				dse.el(
					'div',
					{class: name === 'Inputs' && 'wide'},
					dse.el('h3', {}, name),
					dse.plainTable(name, {columns, rows, show: dse.count}),
				),
			);
	}

	const is_there = (value) => value !== undefined && value !== null;

	function facts(run) {
		return dse.facts([
			['Run', is_there(run.run) ? String(run.run) : null],
			['Space', run.space],
			['Date', run.date],
			['Engine', run.engine],
			['Detail', run.detail],
			['Seed', is_there(run.seed) ? String(run.seed) : null],
			['Search', is_there(run.seconds) ? dse.quantity(run.seconds, 's') : null],
			['Ended by', run.stopped_by && words(run.stopped_by)],
			['Complete', !is_there(run.complete) ? null : run.complete ? 'yes' : 'no'],
			[
				'Hypervolume',
				is_there(run.hypervolume)
					? `${dse.number(run.hypervolume)}${run.hypervolume_frac ? ` (${dse.number(100 * run.hypervolume_frac)} % of the box to the reference)` : ''}`
					: null,
			],
			[
				'Reference point',
				filled(run.reference)
					.map(
						([key, value]) =>
							`${model.byKey.has(key) ? model.byKey.get(key).label : words(key)} ${dse.quantity(value, (model.byKey.get(key) || {}).unit)}`,
					)
					.join(', '),
				true,
			],
			['Signature', run.signature && dse.el('code', {}, run.signature)],
			['Folder', run.folder && dse.el('code', {}, run.folder)],
			['Exactness', run.exactness],
			['Certificate', run.certificate, true],
		]);
	}

	// One block a run.
	dse.runFacts = function (section) {
		for (const run of model.runs) {
			section.append(
				dse.el(
					'div',
					{class: 'run'},
					model.runs.length > 1 ? dse.el('h3', {class: 'apart'}, run.name) : null,
					facts(run),
					run.command
						? dse.el(
								'div',
								{class: 'apart'},
								dse.el('p', {class: 'note'}, 'Made by'),
								dse.command(run.command),
							)
						: null,
					dse.el('div', {class: 'figures apart'}, tables(run)),
				),
			);
		}
	};
})();
