// SPDX-License-Identifier: Apache-2.0
// The page of dse report: its sections from top to bottom.
'use strict';

(function () {
	const model = dse.model;

	// ---- at the top: what came out --------------------------------------------------------------------------

	function tilesOf(run) {
		const counts = run.counts || {};
		const least = run.columns
			.filter((column) => column.kind === 'objective')
			.map((from) => {
				const column = model.byKey.get(from.key);
				const values = column.of
					.slice(run.first, run.first + run.n)
					.filter((value) => !Number.isNaN(value));
				return values.length
					? [
							dse.quantity(
								Math.min(...minOf(values)) * column.scale,
								column.shown_unit,
							),
							`least ${column.label}`,
						]
					: null;
			});
		return [
			[dse.number(run.n), run.n === 1 ? 'point on the front' : 'points on the front'],
			...least,
			typeof counts.evaluations === 'number' ? [dse.number(counts.evaluations), 'evaluations'] : null,
			typeof counts.legal_layer_designs === 'number'
				? [dse.number(counts.legal_layer_designs, 3), 'legal designs of layers']
				: null,
			typeof run.seconds === 'number' ? [dse.quantity(run.seconds, 's', 3), 'search'] : null,
		].filter(Boolean);
	}

	const minOf = (values) => [values.reduce((least, value) => Math.min(least, value), Infinity)];

	function state(run) {
		const words = run.complete === false ? 'not complete' : run.exactness;
		return words ? dse.el('span', {class: 'badge'}, words) : null;
	}

	function overview() {
		const section = dse.section('overview', 'Verdict');
		for (const run of model.runs) {
			const head = dse.el(
				'div',
				{class: 'runhead'},
				model.runs.length > 1
					? dse.check(
							run.name,
							run.visible,
							(is_on) => model.setVisible(run, is_on),
							`Show ${run.name} in the figures`,
						)
					: dse.el('b', {}, run.name),
				state(run),
				dse.el(
					'span',
					{class: 'note'},
					[
						run.date,
						run.engine && `engine ${run.engine}`,
						run.detail && `${run.detail} tier`,
						run.seed !== undefined && run.seed !== null && `seed ${run.seed}`,
					]
						.filter(Boolean)
						.join(', '),
				),
			);
			section.append(head);
			dse.verdict(section, run);
		}
	}

	// Figures of the search, which nobody asks for first.
	function searched(section) {
		for (const run of model.runs)
			section.append(
				model.runs.length > 1 ? dse.el('h3', {}, run.name) : '',
				dse.tiles(tilesOf(run)),
				run.certificate
					? dse.el(
							'p',
							{class: 'note'},
							`Certificate: ${run.certificate}.`.replace('..', '.'),
						)
					: '',
			);
		dse.progress(section);
	}

	// The smallest change of one limit that lets a design through, as the search found it.
	function wayOut(run) {
		const change = (run.changes_of_one_limit || []).find(
			({smallest, lets_through}) => smallest && lets_through,
		);
		if (!change || typeof change.needed !== 'number') return '';
		const there =
			change.kind === 'constraint'
				? `${change.limit} letting ${dse.limit(change.needed)} through against ${dse.limit(change.now)}`
				: `${change.limit} at ${dse.limit(change.needed)} instead`;
		return ` ${run.name}: with ${there}, and all else as it is, a design fits.`;
	}

	function nothing() {
		dse.section('points', 'Points').append(
			dse.missing(
				'There are no points: nothing was feasible. Why is said below, in counts of designs by reason.' +
					model.runs.map(wayOut).join(''),
			),
		);
	}

	// What latencies are of: tier, operating points, mapping, and whether run-time overhead is in them.
	function latencies() {
		const tiers = [...new Set(model.runs.map((run) => run.detail).filter(Boolean))].join(' and ');
		const also = model.byKey.has('run_time_ms') ? ', which run_time_ms has' : '';
		return model.byKey.has('latency_ms')
			? `Latencies: ${tiers} tier; mapping and operating points searched, each design its own; without run-time overhead${also}.`
			: '';
	}

	function points() {
		const section = dse.section(
			'points',
			'Points',
			`Drag over the scatter to select; click for details; Shift-click to compare. ${latencies()}`,
		);
		if (model.objectives().length === 0 && !model.columns.some((column) => column.is_axis)) {
			section.append(dse.missing('The points have no numbers.'));
			return;
		}
		const main = dse.el('div', {class: 'plotside'}),
			side = dse.el('div', {class: 'cardside'});
		section.append(dse.el('div', {class: 'split'}, main, side));
		dse.scatterView = dse.scatter(main);
		dse.pointCard(side);
		dse.filters(section);
		dse.pointTable(section);
		dse.comparison(dse.section('compare', 'Compare'));
		dse.parallel(dse.section('parallel', 'Parallel coordinates'));
	}

	function first() {
		const mark = model.landmarks().find(({name}) => /knee/.test(name)) || model.landmarks()[0];
		return mark ? mark.row : model.n > 0 ? 0 : null;
	}

	function build() {
		if (model.runs.length === 0) {
			document.getElementById('main').append(dse.missing('There is no run in this report.'));
			return;
		}
		overview();
		if (model.n > 0) {
			model.current = first();
			points();
			dse.layers(dse.section('layers', 'Layers'));
			dse.sensitivity(
				dse.section(
					'sensitivity',
					'Sensitivity',
					'What to change next of the machine: each parameter at its next value.',
				),
			);
		} else {
			nothing();
		}
		searched(dse.section('search', 'Search', 'How the front grew.'));
		dse.runFacts(dse.section('run', model.runs.length > 1 ? 'Runs' : 'Run'));
	}
	build();
})();
