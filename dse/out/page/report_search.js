// SPDX-License-Identifier: Apache-2.0
// How a run went and what it rests on: progress and certificate of the search, counts, inputs.
'use strict';

(function () {
	const model = dse.model;
	const view = {by: 'evaluations'};

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
			(run.changes_of_one_limit || []).length > 0
				? [
						'One limit changed, all others kept',
						['limit', 'is', 'would have to be'],
						run.changes_of_one_limit.map(({limit, now, needed, lets_through}) => [
							limit,
							now === null ? '' : dse.number(now),
							!lets_through
								? 'no value of it helps'
								: needed === null
									? 'another one'
									: dse.limit(needed),
						]),
					]
				: null,
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
