// SPDX-License-Identifier: Apache-2.0
// The table of points, what is known of one of them, and several side by side.
'use strict';

(function () {
	const model = dse.model;
	const FIRST_COLUMNS = 9;

	// ---- table ----------------------------------------------------------------------------------------------

	const asColumn = (column) => ({
		key: column.key,
		label: column.label,
		unit: column.shown_unit,
		number: !column.values,
		value: (row) => (column.values ? column.values[column.of[row]] : column.of[row]),
		cell: (row) => model.shown(column, column.of[row]),
	});
	const id_column = {key: 'id', label: 'point', number: true, value: (row) => model.idOf(row)};

	function firstColumns() {
		const of = (kind) => model.columns.filter((column) => column.kind === kind && column.n_distinct > 0);
		const knobs = of('knob').filter((column) => column.n_distinct > 1);
		const run = knobs.filter((column) => column.key === 'run');
		return new Set(
			[...run, ...of('objective'), ...knobs, ...of('metric')]
				.slice(0, FIRST_COLUMNS)
				.map((one) => one.key),
		);
	}

	dse.pointTable = function (parent) {
		const shown = firstColumns();
		const columns = () => [id_column, ...model.columns.filter((one) => shown.has(one.key)).map(asColumn)];
		const holder = dse.el('div', {id: 'points-table'});
		const picker = dse.el(
			'details',
			{class: 'screen'},
			dse.el('summary', {}, 'Columns'),
			dse.el(
				'div',
				{class: 'picks'},
				model.columns
					.filter((one) => one.n_distinct > 0)
					.map((one) =>
						dse.check(one.title, shown.has(one.key), (is_on) => {
							if (is_on) shown.add(one.key);
							else shown.delete(one.key);
							table.setColumns(columns());
						}),
					),
			),
		);
		parent.append(picker, holder);
		const table = dse.table(holder, {
			caption: 'Points',
			columns: columns(),
			rows: model.rows,
			name: model.name,
			choose: (row, is_chosen) => model.setCompared(row, is_chosen),
			open: (row) => model.setCurrent(row),
			point: (row) => model.setLit(row),
		});
		['filter', 'runs'].forEach((event) => model.on(event, () => table.setRows(model.rows)));
		model.on('compared', () => table.setChosen(model.compared));
		model.on('current', () => table.setCurrent(model.current));
		model.on('lit', () => table.setLit(model.lit));
		return table;
	};

	// ---- one point ------------------------------------------------------------------------------------------

	dse.pointCard = function (parent) {
		const card = dse.el('aside', {class: 'card', 'aria-label': 'Point'});
		parent.append(card);
		function draw() {
			const row = model.current;
			card.replaceChildren(
				...(row === null
					? [
							dse.el(
								'p',
								{class: 'note'},
								'Choose a point in the scatter or in the table.',
							),
						]
					: cardOf(row)),
			);
		}
		['current', 'compared'].forEach((event) => model.on(event, draw));
		draw();
	};

	function cardOf(row) {
		const is_compared = model.compared.includes(row);
		const mark = model.landmarks().find((one) => one.row === row);
		const fact = (column) => [column.label, valueNode(column, row)];
		const of = (kind) =>
			model.columns.filter(
				(column) =>
					column.kind === kind && !Number.isNaN(column.of[row]) && column.key !== 'run',
			);
		const replay = model.replay(row);
		return [
			dse.el(
				'h3',
				{},
				model.name(row),
				mark ? dse.el('span', {class: 'note'}, ` ${mark.name}`) : null,
			),
			dse.factList([...of('objective'), ...of('knob')].map(fact)),
			dse.el(
				'details',
				{},
				dse.el('summary', {}, 'All metrics'),
				dse.factList(of('metric').map(fact)),
			),
			dse.el(
				'div',
				{class: 'buttons screen'},
				dse.el(
					'button',
					{
						type: 'button',
						'aria-pressed': String(is_compared),
						onclick: () => model.setCompared(row, !is_compared),
					},
					is_compared ? 'Compared' : 'Compare',
				),
				dse.el('a', {href: '#layers', class: 'screen'}, 'Its layers'),
			),
			replay
				? dse.el('div', {}, dse.el('p', {class: 'note'}, 'Run it again:'), dse.command(replay))
				: null,
		].filter(Boolean);
	}

	// A value with its unit, whole in the title and for who reads the page by program.
	function valueNode(column, row) {
		const value = column.of[row];
		return dse.el(
			'data',
			{
				value: column.values ? column.values[value] : value,
				'data-key': column.key,
				title: column.values ? null : `${value} ${column.unit}`.trim(),
			},
			model.withUnit(column, row),
		);
	}

	// ---- several --------------------------------------------------------------------------------------------

	dse.comparison = function (parent) {
		const holder = dse.el('div', {id: 'comparison'});
		let only_differences = false;
		parent.append(holder);
		function draw() {
			const rows = model.compared;
			if (rows.length < 2) {
				holder.replaceChildren(
					dse.el(
						'p',
						{class: 'note'},
						rows.length === 1
							? `${model.name(rows[0])} is chosen: choose another to see them side by side.`
							: `Tick up to ${model.MAX_COMPARED} points in the table, press Compare beside the scatter, or click points with Shift held down.`,
					),
				);
				return;
			}
			holder.replaceChildren(
				dse.el(
					'div',
					{class: 'controls'},
					dse.check('only what differs', only_differences, (is_on) => {
						only_differences = is_on;
						draw();
					}),
					dse.el(
						'button',
						{type: 'button', class: 'plain', onclick: () => model.clearCompared()},
						'Clear',
					),
				),
				sideBySide(rows, only_differences),
				...layerDifferences(rows),
				replays(rows),
			);
		}
		model.on('compared', draw);
		draw();
	};

	const letter = (i) => String.fromCharCode(65 + i);

	function heads(rows, first) {
		return dse.el(
			'thead',
			{},
			dse.el(
				'tr',
				{},
				first.map((text) => dse.el('th', {scope: 'col'}, text)),
				rows.map((row, i) =>
					dse.el(
						'th',
						{scope: 'col', class: 'number'},
						dse.el('span', {class: 'badge'}, letter(i)),
						' ',
						model.name(row),
					),
				),
			),
		);
	}

	function sideBySide(rows, only_differences) {
		const lines = model.columns
			.filter((column) => column.n_distinct > 0)
			.map((column) => {
				const values = rows.map((row) => column.of[row]);
				const differs = values.some((value) => !Object.is(value, values[0]));
				return only_differences && !differs
					? null
					: dse.el(
							'tr',
							{'data-key': column.key},
							dse.el('th', {scope: 'row'}, column.title),
							values.map((value, i) =>
								dse.el(
									'td',
									{
										class:
											'number' +
											(differs ? ' differs' : ''),
										'data-value': value,
									},
									model.shown(column, value),
									differs && i > 0 && !column.values
										? change(values[0], value)
										: null,
								),
							),
						);
			})
			.filter(Boolean);
		return scrolled(
			'Points side by side',
			dse.el('table', {}, heads(rows, ['']), dse.el('tbody', {}, lines)),
		);
	}

	// By how much a value is off the first point's.
	function change(from, to) {
		const share = ((to - from) / Math.abs(from)) * 100;
		if (!Number.isFinite(share) || share === 0) return null;
		const text = Math.abs(share) < 0.01 ? '<0.01' : dse.number(Number(Math.abs(share).toPrecision(3)));
		return dse.el('span', {class: 'change'}, `${share > 0 ? '+' : '\u2212'}${text}\u00a0%`);
	}

	const scrolled = (label, table) =>
		dse.el('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': label}, table);

	// Layers that the points do differently; only points of the same layers can be told apart so.
	function layerDifferences(rows) {
		const designs = rows.map((row) => dse.designsOf(row));
		const layers = model.runOf(rows[0]).layers || [];
		if (designs.some((of) => of.length === 0 || of.length !== designs[0].length))
			return [
				dse.missing(
					'Designs of layers are not compared: they are not known of every point, or the points are of other networks.',
				),
			];
		const lines = [];
		designs[0].forEach((first, k) => {
			const words = designs.map((of) => designWords(of[k]));
			if (words.some((text) => text !== words[0])) lines.push(layerLine(layers[k], words));
		});
		const heading = dse.el(
			'h3',
			{},
			lines.length === 0
				? 'All layers have the same designs'
				: `Layers with different designs: ${lines.length} of ${designs[0].length}`,
		);
		return lines.length === 0
			? [heading]
			: [
					heading,
					scrolled(
						'Layers with different designs',
						dse.el(
							'table',
							{},
							heads(rows, ['network', 'layer']),
							dse.el('tbody', {}, lines),
						),
					),
				];
	}

	function layerLine(layer, words) {
		return dse.el(
			'tr',
			{},
			dse.el('td', {}, layer ? layer.network : ''),
			dse.el(
				'th',
				{scope: 'row'},
				layer ? layer.operation : '',
				layer && layer.node ? dse.el('span', {class: 'note'}, ` ${layer.node}`) : null,
			),
			words.map((text) =>
				dse.el('td', {class: text !== words[0] ? 'differs' : null}, markWords(text, words[0])),
			),
		);
	}

	const designWords = (design) =>
		design
			? Object.entries(design.fields || {})
					.map(([name, value]) => `${name}\u00a0${value}`)
					.join(', ')
			: 'not known';

	// Words that the first design has not stand out.
	function markWords(text, first) {
		const known = new Set(first.split(', '));
		return text
			.split(', ')
			.flatMap((word, i) => [i > 0 ? ', ' : '', known.has(word) ? word : dse.el('mark', {}, word)]);
	}

	function replays(rows) {
		const commands = rows.map((row) => model.replay(row)).filter(Boolean);
		return dse.el(
			'div',
			{class: 'replays'},
			commands.map((command, i) =>
				dse.el(
					'div',
					{class: 'command'},
					dse.el('span', {class: 'badge'}, letter(i)),
					dse.el('code', {}, command),
					dse.copyButton(command),
				),
			),
		);
	}
})();
