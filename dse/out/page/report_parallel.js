// SPDX-License-Identifier: Apache-2.0
// Parallel coordinates: a point is a line through all axes, each from its least to its largest value; a drag along an axis
// is a filter. Lines of one colour are one dataset with gaps, so thousands of them are drawn at once.
'use strict';

(function () {
	const model = dse.model;
	const MAX_LINES = 1500;
	const MAX_AXES = 9;
	const view = {keys: []};
	let figure,
		svg,
		drag = null;

	const axes = () => view.keys.map((key) => model.byKey.get(key));

	// Where a value stands on its axis, 0..1.
	function share(column, value) {
		if (Number.isNaN(value)) return NaN;
		return column.max > column.min ? (value - column.min) / (column.max - column.min) : 0.5;
	}

	// Evenly drawn ones when there are too many, and always those with a name.
	function sample(rows) {
		if (rows.length <= MAX_LINES) return rows;
		const some = Array.from({length: MAX_LINES}, (_, i) => rows[Math.floor((i * rows.length) / MAX_LINES)]);
		const named = [...model.landmarks().map((mark) => mark.row), ...model.compared].filter(
			(row) => model.passing[row],
		);
		return [...new Set([...some, ...named])];
	}

	function path(data, row, columns) {
		columns.forEach((column, x) => data.push({x, y: share(column, column.of[row])}));
		data.push({x: NaN, y: NaN});
	}

	function datasets(columns) {
		const colouring = dse.colouring(columns[0]);
		const groups = colouring.groups.map(({colour}) => line(colour, 1));
		const out = line(dse.colour('grid'), 3);
		const rows = sample(model.rows);
		rows.forEach((row) => path(groups[colouring.of(row)].data, row, columns));
		const hidden = [];
		for (let row = 0; row < model.n && model.filters.size > 0; row++) {
			if (!model.passing[row] && model.runOf(row).visible) hidden.push(row);
		}
		const step = Math.max(1, Math.ceil(hidden.length / 300));
		hidden.filter((_, i) => i % step === 0).forEach((row) => path(out.data, row, columns));
		figure.note.textContent =
			`Coloured by ${columns[0].label}. Drag along an axis to filter.` +
			(rows.length < model.rows.length
				? ` ${dse.number(rows.length)} of ${dse.number(model.rows.length)} points drawn.`
				: '');
		return [...groups.filter((group) => group.data.length > 0), out];
	}

	const line = (colour, order) => ({
		data: [],
		borderColor: colour,
		borderWidth: 1,
		pointRadius: 0,
		order,
		spanGaps: false,
	});

	// An axis of a column, standing at its place among the others.
	function axisScale(column, at) {
		const is_text = column.values !== null;
		return {
			type: 'linear',
			axis: 'y',
			position: {x: at},
			min: column.min,
			max: column.max > column.min ? column.max : column.min + 1,
			grid: {drawOnChartArea: false, borderColor: dse.colour('ink-2'), borderWidth: 1},
			afterBuildTicks: (scale) => {
				if (column.n_distinct <= 8) scale.ticks = column.distinct.map((value) => ({value}));
			},
			ticks: {
				z: 1,
				color: dse.colour('ink'),
				font: {size: 11},
				maxTicksLimit: 6,
				showLabelBackdrop: true,
				backdropColor: dse.colour('surface') + 'cc',
				backdropPadding: 1,
				stepSize: is_text ? 1 : undefined,
				callback: (value) =>
					is_text ? column.values[value] || '' : dse.number(value * column.scale, 3),
			},
		};
	}

	function config() {
		const columns = axes();
		const ys = Object.fromEntries(columns.map((column, k) => [`y${k}`, axisScale(column, k)]));
		return {
			type: 'line',
			data: {datasets: datasets(columns)},
			plugins: [over],
			options: {
				events: [],
				parsing: false,
				normalized: true,
				layout: {padding: {left: 24, right: 40, top: 6}},
				scales: {
					x: {
						type: 'linear',
						min: 0,
						max: columns.length - 1,
						position: 'top',
						grid: {display: false, drawBorder: false},
						ticks: {
							stepSize: 1,
							autoSkip: false,
							color: dse.colour('ink'),
							callback: (value) => wrapped(columns[value], columns.length),
						},
					},
					y: {type: 'linear', min: 0, max: 1, display: false},
					...ys,
				},
				plugins: {legend: {display: false}, tooltip: {enabled: false}},
			},
		};
	}

	// A title in lines that fit between two axes.
	function wrapped(column, n) {
		if (!column) return '';
		const room = Math.max(
			8,
			Math.floor(
				((figure.chart() ? figure.chart().width : figure.plot.clientWidth) - 64) /
					Math.max(1, n - 1) /
					7,
			),
		);
		const lines = [''];
		for (const word of column.title.split(' ')) {
			const last = lines[lines.length - 1];
			if (last && (last + ' ' + word).length > room) lines.push(word);
			else lines[lines.length - 1] = last ? last + ' ' + word : word;
		}
		return lines.map((text) => (text.length > room ? text.slice(0, room - 1) + '\u2026' : text));
	}

	// ---- filters on the axes --------------------------------------------------------------------------------

	// Over the lines: those of the point that is shown and of those compared, and the filters.
	const over = {
		id: 'over',
		afterDatasetsDraw(chart) {
			const {ctx} = chart;
			[model.current, ...model.compared]
				.filter((row) => row !== null)
				.forEach((row) => drawLine(chart, row));
			axes().forEach((column, k) => {
				const filter = model.filters.get(column.key);
				if (!filter) return;
				for (const [low, high] of spans(column, filter)) {
					const top = chart.scales.y.getPixelForValue(high),
						bottom = chart.scales.y.getPixelForValue(low);
					const x = chart.scales.x.getPixelForValue(k);
					ctx.save();
					ctx.globalAlpha = 0.35;
					ctx.fillStyle = dse.colour('accent');
					ctx.fillRect(x - 6, top, 12, Math.max(2, bottom - top));
					ctx.restore();
				}
			});
		},
	};

	// The corners of a point's line in pixels; axes where it has no value are passed by.
	function corners(chart, row) {
		return axes()
			.map((column, k) => [
				chart.scales.x.getPixelForValue(k),
				chart.scales.y.getPixelForValue(share(column, column.of[row])),
			])
			.filter(([, y]) => !Number.isNaN(y));
	}

	function drawLine(chart, row) {
		const {ctx} = chart;
		ctx.save();
		ctx.strokeStyle = dse.colour('ink');
		ctx.lineWidth = 2;
		ctx.beginPath();
		corners(chart, row).forEach(([x, y], i) => (i === 0 ? ctx.moveTo(x, y) : ctx.lineTo(x, y)));
		ctx.stroke();
		ctx.restore();
	}

	function spans(column, filter) {
		if (filter.set)
			return [...filter.set].map((value) => [
				share(column, value) - 0.02,
				share(column, value) + 0.02,
			]);
		const at = (value, other) => (value === null ? other : Math.max(0, Math.min(1, share(column, value))));
		return [[at(filter.lo, 0), at(filter.hi, 1)]];
	}

	function place(event) {
		const bounds = figure.plot.getBoundingClientRect();
		const {scales} = figure.chart();
		const axis = Math.round(scales.x.getValueForPixel(event.clientX - bounds.left));
		return {
			axis: Math.max(0, Math.min(view.keys.length - 1, axis)),
			y: event.clientY - bounds.top,
			x: event.clientX - bounds.left,
		};
	}

	function brush(from, to) {
		const column = axes()[from.axis];
		const value = (y) =>
			column.min +
			Math.max(0, Math.min(1, figure.chart().scales.y.getValueForPixel(y))) *
				(column.max - column.min);
		const [low, high] = [value(from.y), value(to.y)].sort((a, b) => a - b);
		model.setFilters([[column.key, model.between(column, low - 1e-12, high + 1e-12)]]);
	}

	// The point whose line is nearest on the nearest axis.
	function nearestRow(at) {
		const column = axes()[at.axis];
		const y = figure.chart().scales.y.getValueForPixel(at.y);
		let best = null,
			least = 0.03;
		for (const row of model.rows) {
			const distance = Math.abs(share(column, column.of[row]) - y);
			if (distance < least) {
				least = distance;
				best = row;
			}
		}
		return best;
	}

	function listen(plot) {
		plot.addEventListener('pointerdown', (event) => {
			if (event.button === 0 && event.pointerType === 'mouse') {
				drag = place(event);
				plot.setPointerCapture(event.pointerId);
			}
		});
		plot.addEventListener('pointermove', (event) => {
			if (!drag) model.setLit(nearestRow(place(event)));
			else showDrag(place(event));
		});
		plot.addEventListener('pointerup', (event) => {
			const to = place(event);
			if (drag && Math.abs(to.y - drag.y) > 4) brush(drag, to);
			else if (nearestRow(to) !== null) model.setCurrent(nearestRow(to));
			drag = null;
			showLit();
		});
		plot.addEventListener('pointerleave', () => model.setLit(null));
	}

	// ---- over the lines -------------------------------------------------------------------------------------

	function shape(tag, attributes) {
		const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
		Object.entries(attributes).forEach(([name, value]) => node.setAttribute(name, value));
		return node;
	}

	function showDrag(to) {
		const x = figure.chart().scales.x.getPixelForValue(drag.axis);
		svg.replaceChildren(
			shape('rect', {
				x: x - 6,
				y: Math.min(drag.y, to.y),
				width: 12,
				height: Math.abs(to.y - drag.y),
				class: 'drag',
			}),
		);
	}

	function showLit() {
		const chart = figure.chart();
		svg.replaceChildren();
		if (model.lit === null || !chart) return;
		svg.append(
			shape('polyline', {
				points: corners(chart, model.lit)
					.map((at) => at.join(','))
					.join(' '),
				class: 'lit',
			}),
		);
	}

	// ---- controls -------------------------------------------------------------------------------------------

	function firstAxes() {
		const varied = model.columns.filter((one) => one.is_axis && one.n_distinct > 1);
		const of = (kind) => varied.filter((one) => one.kind === kind);
		return [...of('objective'), ...of('knob').slice(0, 4), ...of('metric')]
			.slice(0, window.innerWidth < 640 ? 4 : 7)
			.map((one) => one.key);
	}

	function picker() {
		const columns = model.columns.filter((one) => one.is_axis);
		return dse.el(
			'details',
			{class: 'screen'},
			dse.el('summary', {}, 'Axes'),
			dse.el(
				'div',
				{class: 'picks'},
				columns.map((one) =>
					dse.check(one.title, view.keys.includes(one.key), (is_on) => {
						view.keys = is_on
							? [...view.keys, one.key].slice(0, MAX_AXES)
							: view.keys.filter((key) => key !== one.key);
						figure.redraw();
						showLit();
					}),
				),
			),
		);
	}

	dse.parallel = function (parent) {
		view.keys = firstAxes();
		figure = dse.figure({
			title: 'Parallel coordinates',
			quiet: true,
			wide: true,
			height: 340,
			config,
			label: 'Parallel coordinates of the points that pass the filters',
		});
		svg = shape('svg', {class: 'over', 'aria-hidden': 'true'});
		figure.plot.append(svg);
		figure.plot.classList.add('live');
		parent.append(picker(), figure.element);
		figure.redraw();
		listen(figure.plot);
		['filter', 'runs'].forEach((event) => model.on(event, figure.redraw));
		['current', 'compared'].forEach((event) => model.on(event, () => figure.chart().draw()));
		model.on('lit', showLit);
	};
})();
