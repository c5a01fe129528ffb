// SPDX-License-Identifier: Apache-2.0
// The page of dse nightly: what became of each space in the night, and trends over nights ("dse nightly 1").
'use strict';

(function () {
	const night = dse.data;
	if (!night)
		return;
	// By how much b is more than a, in percent; as text with a sign. Sums of the same numbers may differ in their last digits.
	function change(a, b) {
		if (a === null || b === null || a === undefined || b === undefined || a === 0)
			return '\u2013';
		const percent = 100 * (b - a) / Math.abs(a);
		return Math.abs(percent) < 1e-9 ? '0 %' : `${percent > 0 ? '+' : '\u2212'}${dse.number(Math.abs(percent), 3)} %`;
	}

	const nameOf = (space) => space.space || space.file;
	const idOf = (space, index) => `space-${index + 1}`;
	const seconds = (space) => (space.runs || []).reduce((sum, run) => sum + run.seconds, 0);
	const badge = (space) => dse.el('span', {class: `badge ${space.passes ? 'good' : 'bad'}`, title: space.meaning}, space.verdict);

	// ---- the night ------------------------------------------------------------------------------------------

	function drawSummary() {
		const section = dse.section('summary', 'Summary');
		const passed = night.spaces.filter((space) => space.passes).length;
		const n_run = night.spaces.reduce((sum, space) => sum + (space.runs || []).length, 0);
		section.append(dse.tiles([
			[dse.el('em', {class: night.passes ? 'good' : 'bad', id: 'verdict'}, night.passes ? 'passed' : 'failed'), `exit code ${night.exit_code}`],
			[`${passed} of ${night.spaces.length}`, 'spaces passed'],
			[dse.number(n_run), 'searches'],
			[`${dse.number(night.spaces.reduce((sum, space) => sum + seconds(space), 0), 3)} s`, 'of searching'],
		]));
		section.append(dse.plainTable('Spaces', {
			columns: ['space', 'verdict', 'hypervolume', 'points', 'searched, s', 'why'],
			rows: night.spaces.map((space, index) => [
				dse.el('a', {href: '#' + idOf(space, index)}, nameOf(space)), badge(space),
				space.measures ? change(space.measures[0].good, space.measures[0].now) : '\u2013',
				space.runs ? space.runs[0].points : null, space.runs ? Number(seconds(space).toPrecision(3)) : null,
				dse.el('span', {class: 'prose'}, space.why === 'not begun' && space.log ? space.log : space.why)]),
		}));
	}

	// ---- one space ------------------------------------------------------------------------------------------

	// Least, middle and largest of each night: a line through the middle, a band where seeds differ, marks where it failed.
	function trendFigure(space, title, unit, spread, scale) {
		const nights = space.trend;
		const value = (night_row, k) => { const v = spread(night_row)[k]; return v === null ? null : v * scale; };
		const ends = dse.ends(nights.flatMap((_, i) => [0, 1, 2].map((k) => value(nights[i], k))).filter((one) => one !== null));
		// figures of two models are no line
		const isNewLine = (k) => nights[k].model !== nights[k - 1].model;
		const differs = nights.some((row) => spread(row)[0] !== spread(row)[2]);
		const figure = dse.figure({
			title: dse.titled(title, unit), height: 220,
			label: `${title} of ${nameOf(space)} over ${nights.length} nights`,
			note: differs ? 'line: median of the seeds, band: all of them' : '',
			config: () => {
				const mark = nights.map((row) => dse.colour(row.passes ? 'c0' : 'mark'));
				const edge = {borderWidth: 0, pointRadius: 0, pointHitRadius: 0, backgroundColor: dse.colour('c0') + '33'};
				const sets = [{label: 'median', data: nights.map((row) => value(row, 1)), borderColor: dse.colour('c0'), borderWidth: 1.5,
					segment: {borderColor: ({p1DataIndex: k}) => (isNewLine(k) ? 'transparent' : undefined)},
					pointBackgroundColor: mark, pointBorderColor: mark, pointRadius: nights.map((row) => (row.passes ? 3 : 6)),
					pointStyle: nights.map((row) => (row.passes ? 'circle' : 'rectRot')), tension: 0}];
				if (differs)
					sets.push({...edge, label: 'least', data: nights.map((row) => value(row, 0)), fill: false},
						{...edge, label: 'most', data: nights.map((row) => value(row, 2)), fill: '-1'});
				return {type: 'line', data: {labels: nights.map((row) => row.date), datasets: sets}, options: {
					interaction: {mode: 'index', intersect: false},
					scales: {x: {type: 'category', ticks: {maxRotation: 0, autoSkipPadding: 12}}, y: {type: 'linear', ...ends, ticks: {callback: (tick) => dse.number(tick, 7)}}},
					plugins: {legend: {display: false}, tooltip: {callbacks: {
						title: (items) => `${items[0].label}: ${nights[items[0].dataIndex].verdict}, model ${nights[items[0].dataIndex].model || 'not noted'}`,
						label: (item) => `${item.dataset.label} ${dse.quantity(item.parsed.y, unit)}`}}},
				}};
			},
			table: () => ({columns: ['night', 'model', 'verdict', 'least', 'median', 'most', 'note'],
				rows: nights.map((row) => [row.date, row.model || '', row.verdict, value(row, 0), value(row, 1), value(row, 2), row.note || ''])}),
		});
		return figure;
	}

	function pointsTable(space, caption, points, other) {
		const columns = ['run', 'point', 'machine'];
		space.objectives.forEach(({label, unit}) => columns.push(dse.titled(label, unit), `${other} ${label}`));
		columns.push('short by, %');
		return dse.plainTable(caption, {columns, rows: points.map((point) => [String(point.run), point.id, dse.el('span', {class: 'line'}, point.machine),
			...space.objectives.flatMap((_, k) => dse.apart(point.objectives[k], point.nearest[k])),
			point.short_pct === null ? 'nothing is near' : point.short_pct])});
	}

	function drawCauses(section, space) {
		if (!space.causes || space.causes.length === 0)
			return;
		section.append(dse.el('h3', {class: 'part'}, 'What has changed since'), dse.plainTable('Changes', {
			columns: ['file', 'key', 'then', 'now', 'alone it does'],
			rows: space.causes.map((cause) => [cause.file, cause.key, cause.before, cause.now, dse.el('span', {class: 'prose'}, cause.effect)])}));
	}

	function drawPoints(section, space) {
		const of = (list, n) => (n > list.length ? `the worst ${list.length} of ${dse.number(n)}` : dse.plural(n, 'point'));
		if (space.n_lost > 0)
			section.append(dse.el('h3', {class: 'part'}, `Lost: ${of(space.lost, space.n_lost)}`), pointsTable(space, 'Points lost', space.lost, 'nearest now'));
		if (space.n_gained > 0)
			section.append(dse.el('h3', {class: 'part'}, `Gained: ${of(space.gained, space.n_gained)}`), pointsTable(space, 'Points gained', space.gained, 'nearest then'));
	}

	function drawMeasures(section, space) {
		if (!space.is_random || !space.good_date)
			return;
		section.append(dse.el('h3', {class: 'part'}, 'Beside the noise of the seeds'), dse.plainTable('Measures', {
			columns: ['measure', `median of ${space.pool} earlier seeds`, `median of ${space.runs.length - 1} seeds`, 'chance of as bad', 'chance of as good'],
			rows: space.measures.map((measure, k) => [k === 0 ? 'hypervolume' : `least ${space.objectives[k - 1].label}`, ...dse.apart(measure.good, measure.now),
				dse.number(measure.chance_worse, 2), dse.number(measure.chance_better, 2)])}));
	}

	function drawSpace(space, index) {
		const section = dse.section(idOf(space, index), nameOf(space), '');
		section.append(dse.el('p', {}, badge(space), ' ', space.why === 'not begun' && space.log ? '' : space.why));
		if (space.log)
			section.append(dse.el('pre', {class: 'scroll'}, space.log));
		if (!space.runs)
			return;
		const run = space.runs[0];
		section.append(dse.facts([['file', space.file], ['engine', space.engine], ['exactness', space.exactness], ['run', String(run.run)],
			['points', run.points], ['last good night', space.good_date && `${space.good_date}, run ${space.good_run}`],
			['signature', run.signature], ['note', space.note, true]]));
		drawCauses(section, space);
		drawPoints(section, space);
		drawMeasures(section, space);
		if (space.good_run && (space.n_lost > 0 || space.n_gained > 0))
			section.append(dse.el('h3', {class: 'part'}, 'To look closer'), dse.command(`dse compare ${space.good_run} ${run.run}`));
		const figures = [trendFigure(space, 'hypervolume', '%', (row) => row.hypervolume, 100),
			...space.objectives.map(({label, unit}, k) => trendFigure(space, `least ${label}`, unit, (row) => row.best[k], 1)),
			trendFigure(space, 'a search', 's', (row) => row.seconds, 1)];
		section.append(dse.el('div', {class: 'figures part'}, figures.map((figure) => figure.element)));
		figures.forEach((figure) => figure.redraw());
	}

	// ---- models ---------------------------------------------------------------------------------------------

	function drawModels() {
		const tables = night.model_errors || [];
		if (tables.length === 0)
			return;
		const section = dse.section('models', 'Model errors', 'Mean absolute error of what dse validate predicts, in the fast tier.');
		const dates = [...new Set(tables.flatMap((table) => table.trend.map((row) => row.date)))].sort();
		const at = (table, date) => { const row = table.trend.find((entry) => entry.date === date); return row ? row.mean_abs_error_pct : null; };
		const figure = dse.figure({
			title: 'mean absolute error (%)', wide: true, height: 320, label: `mean absolute errors of ${tables.length} tables over ${dates.length} nights`,
			config: () => ({type: 'line', data: {labels: dates, datasets: tables.map((table, k) => ({
				label: table.table.replace(/\.csv$/, ''), data: dates.map((date) => at(table, date)), borderColor: dse.series(k),
				backgroundColor: dse.series(k), borderDash: k < 8 ? [] : [4, 3], borderWidth: 1.5, pointRadius: 3}))},
			options: {interaction: {mode: 'nearest', intersect: false}, scales: {x: {type: 'category', ticks: {maxRotation: 0, autoSkipPadding: 12}},
				y: {type: 'linear', min: 0}},
			plugins: {tooltip: {callbacks: {label: (item) => `${item.dataset.label} ${dse.quantity(item.parsed.y, '%')}`}}}}}),
		});
		section.append(dse.el('div', {class: 'figures'}, figure.element));
		figure.redraw();
		section.append(dse.plainTable('Model errors of the night', {columns: ['table', 'values', 'mean error, %', 'largest, %', 'mean the night before'],
			rows: tables.map((table) => {
				const last = table.trend[table.trend.length - 1], before = table.trend[table.trend.length - 2];
				return [table.table, last.values, last.mean_abs_error_pct, last.max_abs_error_pct, before ? before.mean_abs_error_pct : null];
			})}));
	}

	drawSummary();
	night.spaces.forEach(drawSpace);
	drawModels();
})();
