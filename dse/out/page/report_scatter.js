// SPDX-License-Identifier: Apache-2.0
// The scatter of all points: any column on either axis and as colour; hover, click, a rectangle as a filter, keyboard.
'use strict';

(function () {
	const model = dse.model;
	const view = {x: null, y: null, colour: null, xlog: false, ylog: false, front: true, area: false};
	let figure,
		key,
		tip,
		ring,
		box,
		nearest = () => null;

	// ---- what is drawn --------------------------------------------------------------------------------------

	const column = (axis) => model.byKey.get(view[axis]);
	const isLog = (axis) => view[axis + 'log'] && !column(axis).values && column(axis).max > 0;
	const drawable = (axis, value) => !Number.isNaN(value) && (!isLog(axis) || value > 0);
	const point = (row) => ({x: column('x').of[row], y: column('y').of[row]});
	const isDrawable = (row) => drawable('x', column('x').of[row]) && drawable('y', column('y').of[row]);

	function scale(axis) {
		const of = column(axis);
		const common = {type: isLog(axis) ? 'logarithmic' : 'linear', title: {text: of.title}};
		if (of.values)
			return {
				...common,
				min: -0.5,
				max: of.values.length - 0.5,
				ticks: {stepSize: 1, autoSkip: false, callback: (value) => of.values[value] || ''},
			};
		// Left alone, log axes go out to whole decades.
		const ends = isLog(axis)
			? {min: of.least_positive / 1.02, max: of.max * 1.02}
			: dse.ends(
					model.runs
						.filter((run) => run.visible)
						.flatMap((run) => [...of.of.slice(run.first, run.first + run.n)])
						.filter((value) => !Number.isNaN(value)),
				);
		return {...common, ...ends, ticks: {callback: (value) => dse.number(value * of.scale)}};
	}

	// Points of one colour and run are a dataset, so that no option is asked of single points.
	function datasets() {
		const colouring = dse.colouring(model.byKey.get(view.colour));
		const groups = new Map();
		let n_left_out = 0;
		for (const run of model.runs.filter((one) => one.visible)) {
			for (let row = run.first; row < run.first + run.n; row++) {
				if (!isDrawable(row)) {
					n_left_out++;
					continue;
				}
				const name = model.passing[row]
					? `${run.index}/${colouring.of(row)}`
					: `${run.index}/out`;
				if (!groups.has(name))
					groups.set(
						name,
						dataset(
							run,
							model.passing[row]
								? colouring.groups[colouring.of(row)].colour
								: null,
						),
					);
				groups.get(name).data.push(point(row));
			}
		}
		dse.drawColourKey(key, colouring);
		drawRuns();
		figure.note.textContent =
			n_left_out === 0
				? ''
				: `${dse.plural(n_left_out, 'point')} without a ` +
					`${isLog('x') || isLog('y') ? 'positive ' : ''}value on these axes not drawn.`;
		return [...groups.values(), ...frontLine()];
	}

	function dataset(run, colour) {
		const crowd = model.n > 2000 ? 2.5 : 3.5;
		return {
			data: [],
			pointStyle: dse.shape(run),
			radius: run.index === 0 ? crowd : crowd + 1,
			borderWidth: 0,
			backgroundColor: colour || dse.colour('line'),
			borderColor: colour || dse.colour('line'),
			order: colour ? 1 : 2,
			...(/star|cross/.test(dse.shape(run)) ? {borderWidth: 1.5} : {}),
		};
	}

	// Of two objectives the stairs below which there is nothing.
	function frontLine() {
		if (
			!view.front ||
			column('x').kind !== 'objective' ||
			column('y').kind !== 'objective' ||
			view.x === view.y
		)
			return [];
		return model.runs
			.filter((run) => run.visible)
			.map((run) => {
				const points = model.rows
					.filter((row) => row >= run.first && row < run.first + run.n && isDrawable(row))
					.map(point);
				points.sort((a, b) => a.x - b.x || a.y - b.y);
				let least = Infinity;
				const data = points.filter((one) => one.y < least && ((least = one.y), true));
				return {
					type: 'line',
					data,
					stepped: 'before',
					borderWidth: 1,
					borderColor: dse.colour('ink-2'),
					pointRadius: 0,
					order: 3,
					borderDash: run.index === 0 ? [] : [4, 3],
				};
			});
	}

	function drawRuns() {
		if (model.runs.length < 2) return;
		const is_coloured = view.colour === 'run';
		if (is_coloured) key.replaceChildren();
		const glyphs = ['\u25cf', '\u25c6', '\u25b2', '\u25a0', '\u2733', '\u2715'];
		key.append(
			...model.runs
				.filter((run) => run.visible)
				.map((run) =>
					dse.el(
						'span',
						{},
						dse.el(
							'span',
							{style: is_coloured ? `color: ${dse.series(run.index)}` : ''},
							glyphs[run.index % glyphs.length],
						),
						' ' + run.name,
					),
				),
		);
	}

	function config() {
		return {
			type: 'scatter',
			data: {datasets: datasets()},
			plugins: [marks],
			options: {
				events: [],
				parsing: false,
				normalized: true,
				layout: {padding: {top: 8, right: 8}},
				scales: {x: scale('x'), y: scale('y')},
				plugins: {legend: {display: false}, tooltip: {enabled: false}},
			},
		};
	}

	// ---- lines and names over the points --------------------------------------------------------------------

	const marks = {
		id: 'marks',
		afterDatasetsDraw: drawMarks,
		afterLayout: () => {
			nearest = null;
		},
	};

	function pixel(chart, row) {
		const {x, y} = point(row);
		return isDrawable(row)
			? [chart.scales.x.getPixelForValue(x), chart.scales.y.getPixelForValue(y)]
			: null;
	}

	function drawMarks(chart) {
		const {ctx, chartArea} = chart;
		ctx.save();
		ctx.beginPath();
		ctx.rect(chartArea.left, chartArea.top, chartArea.width, chartArea.height);
		ctx.clip();
		ctx.font = `600 12px ${Chart.defaults.font.family}`;
		drawLimits(chart, ctx);
		drawBrush(chart, ctx);
		const taken = [];
		for (const {row, name} of model.landmarks()) drawLandmark(chart, ctx, row, name, taken);
		model.compared.forEach((row, i) =>
			circle(chart, ctx, row, 8, dse.colour('accent'), 2, String.fromCharCode(65 + i)),
		);
		if (model.current !== null) circle(chart, ctx, model.current, 6, dse.colour('ink'), 2.5);
		ctx.restore();
	}

	function line(ctx, x1, y1, x2, y2, colour, dash) {
		ctx.strokeStyle = colour;
		ctx.lineWidth = 1;
		ctx.setLineDash(dash);
		ctx.beginPath();
		ctx.moveTo(x1, y1);
		ctx.lineTo(x2, y2);
		ctx.stroke();
		ctx.setLineDash([]);
	}

	function drawLimits(chart, ctx) {
		const {left, right, top, bottom} = chart.chartArea;
		for (const axis of ['x', 'y']) {
			const of = column(axis);
			for (const {run, max} of of.limits.filter((limit) => model.runs[limit.run].visible)) {
				const at = chart.scales[axis].getPixelForValue(max);
				const text = `limit ${dse.number(max * of.scale)}\u00a0${of.shown_unit}${model.runs.length > 1 ? ', ' + model.runs[run].name : ''}`;
				if (axis === 'x') line(ctx, at, top, at, bottom, dse.colour('mark'), [6, 4]);
				else line(ctx, left, at, right, at, dse.colour('mark'), [6, 4]);
				dse.chartText(
					ctx,
					text,
					axis === 'x' ? at + 4 : right - 4,
					axis === 'x' ? bottom - 6 : at - 5,
					dse.colour('mark'),
					chart,
					axis === 'x' ? 'left' : 'right',
				);
			}
		}
	}

	function circle(chart, ctx, row, radius, colour, width, text) {
		const at = model.runOf(row).visible && pixel(chart, row);
		if (!at) return;
		ctx.strokeStyle = colour;
		ctx.lineWidth = width;
		ctx.beginPath();
		ctx.arc(at[0], at[1], radius, 0, 2 * Math.PI);
		ctx.stroke();
		if (text) dse.chartText(ctx, text, at[0] + radius + 3, at[1] + 4, colour, chart);
	}

	// A name is left out where it would lie on another; hovering tells it anyway.
	function drawLandmark(chart, ctx, row, name, taken) {
		const at = pixel(chart, row);
		if (!at) return;
		const {left, bottom} = chart.chartArea;
		if (/knee/.test(name)) {
			line(ctx, left, at[1], at[0], at[1], dse.colour('ink-2'), [2, 3]);
			line(ctx, at[0], at[1], at[0], bottom, dse.colour('ink-2'), [2, 3]);
		}
		circle(chart, ctx, row, 5, dse.colour('ink-2'), 1.5);
		const place = {x: at[0] + 9, y: at[1] - 8, width: ctx.measureText(name).width};
		if (
			taken.some(
				(other) =>
					Math.abs(other.y - place.y) < 13 &&
					place.x < other.x + other.width &&
					other.x < place.x + place.width,
			)
		)
			return;
		taken.push(place);
		dse.chartText(ctx, name, place.x, place.y, dse.colour('ink'), chart);
	}

	function drawBrush(chart, ctx) {
		const {left, right, top, bottom} = chart.chartArea;
		const span = (axis, low, high) => {
			const filter = model.filters.get(view[axis]);
			if (!filter) return null;
			const at = (value, other) =>
				value === null ? other : chart.scales[axis].getPixelForValue(value);
			const values = filter.set ? [...filter.set] : null;
			return values
				? values.length
					? [at(Math.min(...values) - 0.4), at(Math.max(...values) + 0.4)]
					: null
				: [at(filter.lo, low), at(filter.hi, high)];
		};
		const xs = span('x', left, right),
			ys = span('y', bottom, top);
		if (!xs && !ys) return;
		const [x1, x2] = xs || [left, right],
			[y1, y2] = ys || [bottom, top];
		ctx.strokeStyle = dse.colour('accent');
		ctx.lineWidth = 1;
		ctx.strokeRect(x1, y2, x2 - x1, y1 - y2);
		ctx.globalAlpha = 0.07;
		ctx.fillStyle = dse.colour('accent');
		ctx.fillRect(x1, y2, x2 - x1, y1 - y2);
		ctx.globalAlpha = 1;
	}

	// ---- mouse ----------------------------------------------------------------------------------------------

	function nearestAt(x, y) {
		const chart = figure.chart();
		if (!nearest) {
			const rows = model.rows.length > 0 ? model.rows : [];
			nearest = dse.nearestGrid(rows, (row) => pixel(chart, row));
		}
		return nearest(x, y);
	}

	function inPlot(event) {
		const bounds = figure.plot.getBoundingClientRect();
		return [event.clientX - bounds.left, event.clientY - bounds.top];
	}

	// What a design is, in a few lines beside the point.
	function describe(row) {
		const columns = [
			column('x'),
			column('y'),
			model.byKey.get(view.colour),
			...model.objectives(),
			...model.columns.filter(({kind}) => kind === 'knob'),
		];
		const unique = [...new Set(columns)].filter((one) => one && !Number.isNaN(one.of[row])).slice(0, 12);
		return [
			dse.el('b', {}, model.name(row)),
			dse.el(
				'dl',
				{},
				unique.map((one) => [
					dse.el('dt', {}, one.label),
					dse.el('dd', {}, model.withUnit(one, row)),
				]),
			),
		];
	}

	function showTip(row) {
		const chart = figure.chart();
		const at = row !== null && chart && model.runOf(row).visible && pixel(chart, row);
		tip.hidden = ring.hidden = !at;
		if (!at) return;
		ring.style.transform = `translate(${at[0]}px, ${at[1]}px)`;
		tip.replaceChildren(...describe(row));
		const room = figure.plot.clientWidth,
			is_left = at[0] > room / 2;
		tip.style.left = is_left ? 'auto' : `${Math.min(at[0] + 14, room - 60)}px`;
		tip.style.right = is_left ? `${room - at[0] + 14}px` : 'auto';
		tip.style.top = `${Math.max(0, Math.min(at[1] - 20, figure.plot.clientHeight - tip.offsetHeight))}px`;
	}

	function listen(plot) {
		let from = null;
		plot.addEventListener('pointermove', (event) => {
			const at = inPlot(event);
			if (from && (box.hidden === false || Math.hypot(at[0] - from[0], at[1] - from[1]) > 5))
				stretch(from, at);
			else model.setLit(nearestAt(at[0], at[1]));
		});
		plot.addEventListener('pointerdown', (event) => {
			if (event.button !== 0) return;
			if (event.pointerType === 'mouse' || view.area) {
				from = inPlot(event);
				plot.setPointerCapture(event.pointerId);
			}
		});
		plot.addEventListener('pointerup', (event) => {
			const at = inPlot(event);
			if (!box.hidden) brush(from, at);
			else click(event, nearestAt(at[0], at[1]));
			from = null;
			box.hidden = true;
		});
		plot.addEventListener('pointercancel', () => {
			from = null;
			box.hidden = true;
		});
		plot.addEventListener('pointerleave', () => model.setLit(null));
		plot.addEventListener('keydown', onKey);
	}

	function click(event, row) {
		if (row === null) return;
		if (event.shiftKey || event.ctrlKey || event.metaKey)
			model.setCompared(row, !model.compared.includes(row));
		else model.setCurrent(row);
	}

	function stretch(from, to) {
		model.setLit(null);
		box.hidden = false;
		Object.assign(box.style, {
			left: `${Math.min(from[0], to[0])}px`,
			top: `${Math.min(from[1], to[1])}px`,
			width: `${Math.abs(to[0] - from[0])}px`,
			height: `${Math.abs(to[1] - from[1])}px`,
		});
	}

	function brush(from, to) {
		const {scales} = figure.chart();
		const values = (axis, a, b) =>
			[scales[axis].getValueForPixel(a), scales[axis].getValueForPixel(b)].sort((p, q) => p - q);
		const [x1, x2] = values('x', from[0], to[0]),
			[y1, y2] = values('y', from[1], to[1]);
		model.setFilters([
			[view.x, model.between(column('x'), x1, x2)],
			[view.y, model.between(column('y'), y1, y2)],
		]);
	}

	// ---- keyboard -------------------------------------------------------------------------------------------

	// The next point along an axis from the one that is lit.
	function step(axis, sign) {
		const {of} = column(axis);
		const rows = model.rows.filter(isDrawable).sort((a, b) => of[a] - of[b] || a - b);
		const at = rows.indexOf(model.lit !== null ? model.lit : model.current);
		const next =
			at < 0 ? (sign > 0 ? 0 : rows.length - 1) : Math.max(0, Math.min(rows.length - 1, at + sign));
		if (rows.length === 0) return;
		model.setLit(rows[next]);
		dse.say(
			`${model.name(rows[next])}: ${['x', 'y'].map((one) => `${column(one).label} ${model.withUnit(column(one), rows[next])}`).join(', ')}`,
		);
	}

	function onKey(event) {
		const steps = {ArrowRight: ['x', 1], ArrowLeft: ['x', -1], ArrowUp: ['y', 1], ArrowDown: ['y', -1]};
		if (event.key in steps) step(...steps[event.key]);
		else if (event.key === 'Enter' && model.lit !== null) model.setCurrent(model.lit);
		else if (event.key === ' ' && model.lit !== null)
			model.setCompared(model.lit, !model.compared.includes(model.lit));
		else if (event.key === 'Escape') model.clearFilters();
		else return;
		event.preventDefault();
	}

	// ---- controls -------------------------------------------------------------------------------------------

	function chooser(name, label, columns, beside) {
		return dse.choice(
			label,
			columns.map((one) => [one.key, one.title]),
			view[name],
			(value) => {
				view[name] = value;
				figure.redraw();
			},
			beside,
		);
	}

	function controls() {
		const axes = model.columns.filter((one) => one.is_axis);
		const redraw = (name) => (is_on) => {
			view[name] = is_on;
			figure.redraw();
		};
		return dse.el(
			'div',
			{class: 'controls'},
			chooser(
				'x',
				'Horizontal',
				axes,
				dse.check('log', view.xlog, redraw('xlog'), 'Logarithmic horizontal axis'),
			),
			chooser(
				'y',
				'Vertical',
				axes,
				dse.check('log', view.ylog, redraw('ylog'), 'Logarithmic vertical axis'),
			),
			chooser('colour', 'Colour', axes),
			dse.check(
				'front line',
				view.front,
				redraw('front'),
				'Line along the front of the two objectives',
			),
			dse.toggle(
				'Select area',
				view.area,
				(is_on) => {
					view.area = is_on;
					figure.plot.classList.toggle('area', is_on);
				},
				'Select an area by touch; the mouse does so without',
			),
		);
	}

	function choose() {
		const objectives = model.objectives();
		const others = model.columns.filter((one) => one.is_axis && !objectives.includes(one));
		const ordered = [...objectives, ...others];
		view.x = ordered[0].key;
		view.y = (ordered[1] || ordered[0]).key;
		const knob = model.columns.find(
			(one) => one.kind === 'knob' && one.is_axis && one.n_distinct > 1 && one.n_distinct <= 8,
		);
		const colour = model.runs.length > 1 ? model.byKey.get('run') : objectives[2] || knob || ordered[0];
		view.colour = colour.key;
	}

	// Into an element; the model has points.
	dse.scatter = function (parent) {
		choose();
		key = dse.el('div', {class: 'key'});
		figure = dse.figure({
			title: 'All points',
			quiet: true,
			wide: true,
			height: 460,
			config,
			label: 'Scatter of all points; the table below has the same',
		});
		tip = dse.el('div', {class: 'tip', hidden: true});
		ring = dse.el('div', {class: 'ring', hidden: true});
		box = dse.el('div', {class: 'brush', hidden: true});
		Object.entries({
			tabindex: '0',
			role: 'group',
			'aria-label':
				'Scatter. Arrows walk from point to point, Enter shows one, space compares it, Escape takes filters away.',
		}).forEach(([name, value]) => figure.plot.setAttribute(name, value));
		figure.plot.classList.add('live');
		figure.plot.append(ring, box, tip);
		figure.element.append(key);
		parent.append(controls(), figure.element);
		listen(figure.plot);
		figure.redraw();
		for (const event of ['filter', 'runs'])
			model.on(event, () => {
				nearest = null;
				figure.redraw();
			});
		for (const event of ['current', 'compared']) model.on(event, () => figure.chart().draw());
		model.on('lit', () => showTip(model.lit));
		return {view, pixelOf: (row) => pixel(figure.chart(), row)};
	};
})();
