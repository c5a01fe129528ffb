// SPDX-License-Identifier: Apache-2.0
// What a point's layers do: clocks, energy, power over time, utilisation, and the designs as a table.
'use strict';

(function () {
	const model = dse.model;
	const view = {network: null, share: false};
	let table = null;

	// The designs of a point's layers, in the order of its run's layers; [] when they are not known.
	dse.designsOf = function (row) {
		const run = model.runOf(row);
		const numbers = (run.point_designs || [])[row - run.first] || [];
		const designs = run.designs || [];
		return numbers.some((number) => designs[number])
			? numbers.map((number) => designs[number] || null)
			: [];
	};

	// The chosen point's layers, of the chosen network: [{layer, design, name (with its network where there are several),
	// full (always with it, and with what the model calls the layer)}]; without a design they are left out.
	function lines() {
		if (model.current === null) return [];
		const {layers} = model.runOf(model.current);
		const is_one = view.network !== null || networks().length < 2;
		return dse
			.designsOf(model.current)
			.map((design, k) => ({
				design,
				layer: (layers || [])[k] || {network: '', operation: `layer ${k}`},
			}))
			.filter(
				({design, layer}) =>
					design && (view.network === null || layer.network === view.network),
			)
			.map((line) => ({
				...line,
				full: `${line.layer.network} ${line.layer.operation}${line.layer.node ? ', ' + line.layer.node : ''}`,
				name: is_one ? line.layer.operation : `${line.layer.network} ${line.layer.operation}`,
			}));
	}
	dse.layerLines = lines;

	const networks = () => [
		...new Set(((model.runOf(model.current) || {}).layers || []).map((layer) => layer.network)),
	];

	// ---- figures --------------------------------------------------------------------------------------------

	// Bars on top of each other: parts [{name, of: (design) => number}].
	function stacked(parts, unit, title, text) {
		const shown = lines();
		const sums = shown.map(({design}) => parts.reduce((sum, part) => sum + (part.of(design) || 0), 0));
		const {scale, unit: label} = dse.scaleFor(unit, Math.max(...sums, 0));
		const value = (part, design, k) =>
			view.share ? (sums[k] > 0 ? (100 * part.of(design)) / sums[k] : 0) : part.of(design) * scale;
		return {
			type: 'bar',
			data: {
				labels: shown.map(({name}) => name),
				datasets: parts.map((part, i) => ({
					label: part.name,
					backgroundColor: dse.series(i),
					data: shown.map(({design}, k) => value(part, design, k)),
					categoryPercentage: 0.9,
					barPercentage: 0.95,
				})),
			},
			options: {
				interaction: {mode: 'index', intersect: false},
				scales: {
					x: layerAxis(true),
					y: {
						stacked: true,
						beginAtZero: true,
						max: view.share ? 100 : undefined,
						type: 'linear',
						title: {
							text: view.share
								? `share of ${title} (%)`
								: dse.titled(title, label),
						},
					},
				},
				plugins: {
					tooltip: {
						itemSort: (a, b) => b.raw - a.raw,
						filter: (item) => item.raw !== 0,
						callbacks: {
							title: (items) => named(shown, items),
							label: (item) =>
								`${item.dataset.label}: ${dse.quantity(item.raw, view.share ? '%' : label)}`,
							footer: (items) =>
								items.length
									? text(shown[items[0].dataIndex].design)
									: '',
						},
					},
				},
			},
		};
	}

	const named = (shown, items) => (items.length ? shown[items[0].dataIndex].full : '');

	const layerAxis = (is_stacked) => ({
		stacked: is_stacked,
		type: 'category',
		grid: {display: false},
		ticks: {maxRotation: 90, minRotation: 45, font: {size: 10}},
	});

	function phaseParts() {
		const run = model.runOf(model.current);
		const names = run.phases || [
			...new Set(lines().flatMap(({design}) => Object.keys(design.phases || {}))),
		];
		return names
			.filter((name) => lines().some(({design}) => (design.phases || {})[name] > 0))
			.map((name) => ({
				name: name.replace(/_/g, ' '),
				of: (design) => (design.phases || {})[name] || 0,
			}));
	}

	function energyParts() {
		const names = model.runOf(model.current).energy_parts || [];
		const value = (design, k) => {
			const of = design.energy_parts_mj || [];
			return (Array.isArray(of) ? of[k] : of[names[k]]) || 0;
		};
		return names
			.map((name, k) => ({name, of: (design) => value(design, k)}))
			.filter(({of}) => lines().some(({design}) => of(design) > 0));
	}

	const clocks = () =>
		stacked(
			phaseParts(),
			'clk',
			'clocks',
			(design) =>
				`${dse.quantity(design.latency_ms, 'ms')}${design.bound ? ', bound by ' + design.bound : ''}`,
		);
	const energy = () =>
		stacked(energyParts(), 'mJ', 'energy', (design) => `${dse.quantity(design.energy_mj, 'mJ')} in all`);

	function utilisation() {
		const shown = lines();
		const percent = (key, label, i) => ({
			label,
			backgroundColor: dse.series(i),
			data: shown.map(({design}) => (typeof design[key] === 'number' ? 100 * design[key] : null)),
			categoryPercentage: 0.85,
			barPercentage: 0.95,
		});
		return {
			type: 'bar',
			data: {
				labels: shown.map(({name}) => name),
				datasets: [
					percent('mac_util_frac', 'MAC array', 0),
					percent('sram_used_frac', 'SRAM of a PE', 3),
				],
			},
			options: {
				interaction: {mode: 'index', intersect: false},
				scales: {
					x: layerAxis(false),
					y: {
						type: 'linear',
						min: 0,
						max: 100,
						title: {text: 'used (%)'},
						ticks: {stepSize: 25},
					},
				},
				plugins: {
					tooltip: {
						callbacks: {
							title: (items) => named(shown, items),
							label: (item) =>
								`${item.dataset.label}: ${dse.quantity(item.raw, '%')}`,
						},
					},
				},
			},
		};
	}

	// Layers one after the other, as they run: [{from, to (ms), design, name}].
	function schedule() {
		let at = 0;
		return lines().map(({design, full}) => {
			const from = at;
			at += design.latency_ms || 0;
			return {from, to: at, design, name: full};
		});
	}

	// A value stands from its layer's begin to the next one's; the last one's to the end.
	function steppedLine(steps, key, label, i, fill) {
		const last = steps.slice(-1).map((step) => ({x: step.to, y: step.design[key]}));
		return {
			label,
			data: [...steps.map((step) => ({x: step.from, y: step.design[key]})), ...last],
			stepped: 'before',
			borderWidth: 1.5,
			pointRadius: 0,
			pointHitRadius: 6,
			fill,
			borderColor: dse.series(i),
			backgroundColor: dse.series(i) + '33',
		};
	}

	// Mean and highest power of each layer.
	function power() {
		const steps = schedule();
		const end = steps.length > 0 ? steps[steps.length - 1].to : 1;
		const named_step = (items) => {
			const step = items.length > 0 && steps[Math.min(items[0].dataIndex, steps.length - 1)];
			return step
				? `${step.name}, from ${dse.quantity(step.from, 'ms')} to ${dse.quantity(step.to, 'ms')}`
				: '';
		};
		return {
			type: 'line',
			data: {
				datasets: [
					steppedLine(steps, 'power_mw', 'mean of the layer', 0, 'origin'),
					steppedLine(steps, 'peak_power_mw', 'highest phase', 1, false),
				].filter((set) => set.data.some((one) => one.y > 0)),
			},
			options: {
				parsing: false,
				interaction: {mode: 'index', intersect: false},
				scales: {
					x: {
						type: 'linear',
						min: 0,
						max: end,
						title: {text: 'time (ms)'},
						ticks: {includeBounds: false},
					},
					y: {type: 'linear', beginAtZero: true, title: {text: 'power (mW)'}},
				},
				plugins: {
					tooltip: {
						callbacks: {
							title: named_step,
							label: (item) =>
								`${item.dataset.label}: ${dse.quantity(item.raw.y, 'mW')}`,
						},
					},
				},
			},
		};
	}

	function asTable(columns) {
		return () => ({
			columns: ['layer', ...columns().map((one) => one.name)],
			rows: lines().map(({design, full}) => [full, ...columns().map((one) => one.of(design))]),
		});
	}

	// ---- table of designs -----------------------------------------------------------------------------------

	function designColumns() {
		const shown = lines();
		const fields = [...new Set(shown.flatMap(({design}) => Object.keys(design.fields || {})))];
		const number = (key, label, unit, digits) => ({
			key,
			label,
			unit,
			number: true,
			value: ({design}) => design[key],
			cell: ({design}) => dse.number(design[key], digits),
		});
		const percent = (key, label) => ({
			key,
			label,
			unit: '%',
			number: true,
			value: ({design}) => design[key],
			cell: ({design}) =>
				typeof design[key] === 'number' ? dse.number(100 * design[key], 3) : '\u2013',
		});
		const has = (column) =>
			shown.some((line) => column.value(line) !== undefined && column.value(line) !== null);
		return [
			{key: 'network', label: 'network', value: ({layer}) => layer.network},
			{key: 'layer', label: 'layer', value: ({layer}) => layer.operation},
			...(shown.some(({layer}) => layer.node)
				? [{key: 'node', label: 'node', value: ({layer}) => layer.node || ''}]
				: []),
			...fields.map((name) => ({
				key: `field.${name}`,
				label: name,
				value: ({design}) => (design.fields || {})[name],
			})),
			number('total_clk', 'total', 'clk', 9),
			number('latency_ms', 'latency', 'ms'),
			number('energy_mj', 'energy', 'mJ'),
			number('power_mw', 'mean power', 'mW'),
			number('peak_power_mw', 'peak power', 'mW'),
			percent('mac_util_frac', 'MAC array'),
			percent('sram_used_frac', 'SRAM'),
			number('dram_read_byte', 'DRAM read', 'byte', 9),
			number('dram_write_byte', 'DRAM write', 'byte', 9),
			{key: 'bound', label: 'bound by', value: ({design}) => design.bound},
		].filter(has);
	}

	// ---- section --------------------------------------------------------------------------------------------

	const heading = () =>
		`${model.name(model.current)}: ${model
			.objectives()
			.map((column) => `${column.label} ${model.withUnit(column, model.current)}`)
			.join(', ')}`;

	function pointChoice(change) {
		const marks = model.landmarks();
		const rows = [...new Set([...marks.map((mark) => mark.row), ...model.compared, model.current])].filter(
			(row) => row !== null,
		);
		return dse.choice(
			'Point',
			rows.map((row) => {
				const mark = marks.find((one) => one.row === row);
				return [row, mark ? `${model.name(row)} (${mark.name})` : model.name(row)];
			}),
			model.current,
			(value) => change(Number(value)),
		);
	}

	function controls(redraw) {
		const names = networks();
		if (view.network !== null && !names.includes(view.network)) view.network = null;
		return [
			pointChoice(model.setCurrent),
			names.length > 1
				? dse.choice(
						'Network',
						[['', 'all'], ...names.map((name) => [name, name])],
						view.network || '',
						(value) => {
							view.network = value || null;
							redraw();
						},
					)
				: null,
			dse.toggle(
				'Shares',
				view.share,
				(is_on) => {
					view.share = is_on;
					redraw();
				},
				'Bars as shares of each layer',
			),
		].filter(Boolean);
	}

	const FIGURES = [
		{
			title: 'Clocks by phase',
			height: 300,
			config: clocks,
			table: asTable(phaseParts),
		},
		{
			title: 'Energy by part',
			height: 300,
			config: energy,
			table: asTable(energyParts),
		},
		{
			title: 'Power over time',
			height: 240,
			config: power,
			note: 'Layers one after the other, as they run.',
			table: asTable(() => [
				{name: 'latency (ms)', of: (one) => one.latency_ms},
				{name: 'mean power (mW)', of: (one) => one.power_mw},
				{name: 'peak power (mW)', of: (one) => one.peak_power_mw},
			]),
		},
		{
			title: 'Utilisation',
			height: 240,
			config: utilisation,
			table: asTable(() => [
				{name: 'MAC array (%)', of: (one) => 100 * one.mac_util_frac},
				{name: 'SRAM of a PE (%)', of: (one) => 100 * one.sram_used_frac},
			]),
		},
	];

	dse.layers = function (section) {
		const note = dse.el('p', {}),
			bar = dse.el('div', {class: 'controls'}),
			missing = dse.el('div', {});
		const figures = dse.el('div', {class: 'figures'}),
			designs = dse.el('div', {id: 'designs'});
		section.querySelector('header').append(note);
		section.append(bar, missing, figures, dse.el('h3', {class: 'apart'}, 'Designs'), designs);
		const all = FIGURES.map((options) => dse.figure({...options, wide: true}));
		figures.append(...all.map((figure) => figure.element));
		const rooflines = dse.rooflines(figures);

		function redraw() {
			const is_known = lines().length > 0;
			const run = model.runOf(model.current);
			note.textContent = heading();
			bar.replaceChildren(...controls(redraw));
			figures.hidden = designs.hidden = designs.previousSibling.hidden = !is_known;
			missing.replaceChildren(
				...(is_known
					? []
					: [
							dse.missing(
								`Layers are not known of this run${run.without ? ': ' + run.without : '.'}`,
							),
						]),
			);
			if (!is_known) return;
			all.forEach((figure) => figure.redraw());
			rooflines();
			designs.replaceChildren();
			table = dse.table(designs, {
				caption: 'Designs of the layers',
				columns: designColumns(),
				rows: lines(),
				name: (line) => line.name,
			});
		}
		model.on('current', redraw);
		model.on('compared', () => bar.replaceChildren(...controls(redraw)));
		redraw();
	};
})();
