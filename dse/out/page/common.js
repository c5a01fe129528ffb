// SPDX-License-Identifier: Apache-2.0
// What all pages share: data, elements, numbers with units, theme, sections, figures. Everything hangs on `dse`.
'use strict';
window.dse = {};

(function () {
	// The JSON that page_write was given; null, and a line that says so, when it is none.
	dse.data = null;
	try {
		dse.data = JSON.parse(document.getElementById('data').textContent);
	} catch (error) {
		document.getElementById('main').append(`The data of this page cannot be read: ${error.message}`);
	}

	// An element: attributes (on... are listeners, false and null are left out), then children (text or nodes).
	dse.el = function (tag, attributes, ...children) {
		const node = document.createElement(tag);
		for (const [name, value] of Object.entries(attributes || {})) {
			if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
			else if (value !== false && value !== null && value !== undefined)
				node.setAttribute(name, value === true ? '' : value);
		}
		node.append(
			...children
				.flat(Infinity)
				.filter((child) => child !== null && child !== undefined && child !== false),
		);
		return node;
	};

	// ---- numbers --------------------------------------------------------------------------------------------

	const THIN = '\u202f'; // narrow no-break space between thousands
	const SUPERSCRIPT = {
		'-': '\u207b',
		0: '\u2070',
		1: '\u00b9',
		2: '\u00b2',
		3: '\u00b3',
		4: '\u2074',
		5: '\u2075',
		6: '\u2076',
		7: '\u2077',
		8: '\u2078',
		9: '\u2079',
	};

	function grouped(text) {
		const [whole, part] = text.split('.');
		const sign = whole.startsWith('-') ? '\u2212' : '';
		const digits = whole.replace('-', '');
		const spaced = digits.length > 4 ? digits.replace(/\B(?=(\d{3})+$)/g, THIN) : digits;
		return sign + spaced + (part ? '.' + part : '');
	}

	// A number for reading, to 4 digits by default; whole numbers below 10^9 are whole.
	dse.number = function (value, digits = 4) {
		if (value === null || value === undefined || Number.isNaN(value)) return '\u2013';
		if (typeof value !== 'number') return String(value);
		if (!Number.isFinite(value)) return value < 0 ? '\u2212\u221e' : '\u221e';
		const size = Math.abs(value);
		if (Number.isInteger(value) && size < 1e9) return grouped(String(value));
		if (size < 1e-4 || size >= 1e9) {
			const [mantissa, exponent] = value.toExponential(digits - 1).split('e');
			return `${grouped(String(Number(mantissa)))}${THIN}\u00d7${THIN}10${[...String(Number(exponent))].map((c) => SUPERSCRIPT[c]).join('')}`;
		}
		return grouped(String(Number(value.toPrecision(Math.max(digits, Math.ceil(Math.log10(size)))))));
	};

	// Two numbers for cells side by side: where they differ, with as many digits as it takes to see it.
	dse.apart = function (left, right) {
		let digits = 4;
		while (digits < 17 && left !== right && dse.number(left, digits) === dse.number(right, digits)) digits++;
		return [left, right].map((value) => (typeof value === 'number' ? {value, digits} : value));
	};

	// A limit that just lets something through: 6 digits, rounded up, so that whoever takes it does not fall short of it.
	dse.limit = function (value) {
		const near = Number(value.toPrecision(6));
		const step = value === 0 ? 0 : 10 ** (Math.floor(Math.log10(Math.abs(value))) - 5);
		return dse.number(near < value ? Number((near + step).toPrecision(6)) : near, 6);
	};

	// A count, whole however large.
	dse.count = (value) =>
		Number.isInteger(value) && Math.abs(value) < 2 ** 53 ? grouped(String(value)) : dse.number(value);

	// A number with as many digits after the point as its neighbours in a column.
	dse.fixed = (value, decimals) =>
		Number.isFinite(value) ? grouped(value.toFixed(decimals)) : dse.number(value);

	// A sentence whose numbers keep their digits and units on one line.
	dse.prose = (text) =>
		text
			.replace(/(\d) (?=\d{3}(?!\d))/g, '$1\u00a0')
			.replace(/(\d) (?=(%|ms|us|mJ|mW|MHz|KiB|MB|GB\/s)(?![\w/]))/g, '$1\u00a0');

	// Units as a reader writes them.
	const UNIT_LABEL = {
		byte: 'B',
		frac: '',
		'mJ ms': 'mJ\u00b7ms',
		layers: '',
		count: '',
		um2: '\u00b5m\u00b2',
		us: '\u00b5s',
		uj: '\u00b5J',
		uw: '\u00b5W',
		1: '',
	};
	dse.unit = (unit) => (unit === null || unit === undefined ? '' : unit in UNIT_LABEL ? UNIT_LABEL[unit] : unit);

	const SCALES = {
		byte: [
			[1e9, 1e-9, 'GB'],
			[1e6, 1e-6, 'MB'],
			[1e4, 1e-3, 'kB'],
			[0, 1, 'B'],
		],
		clk: [
			[1e9, 1e-9, 'Gclk'],
			[1e6, 1e-6, 'Mclk'],
			[1e4, 1e-3, 'kclk'],
			[0, 1, 'clk'],
		],
		frac: [[0, 100, '%']],
	};

	// How numbers of a unit are best shown when max is the largest of them: {scale, unit}, to be multiplied with.
	dse.scaleFor = function (unit, max) {
		const rows = SCALES[unit && unit.toLowerCase()];
		const row = rows && rows.find(([least]) => max >= least);
		return row ? {scale: row[1], unit: row[2]} : {scale: 1, unit: dse.unit(unit)};
	};

	// A number and its unit, for reading.
	dse.quantity = function (value, unit, digits) {
		const label = dse.unit(unit);
		return (
			dse.number(value, digits) +
			(label && value !== null && value !== undefined ? '\u00a0' + label : '')
		);
	};

	// Ends that Chart.js makes an axis of: room around the values, none below zero where no value is, and a constant (or
	// what differs by rounding only) in the middle of a tenth of itself on either side.
	dse.ends = function (values) {
		const low = values.reduce((least, value) => Math.min(least, value), Infinity);
		const high = values.reduce((most, value) => Math.max(most, value), -Infinity);
		if (low > high) return {};
		const size = Math.max(Math.abs(low), Math.abs(high));
		const room = (high - low > 1e-6 * size ? 0.015 * (high - low) : 0.1 * size) || 1;
		return {suggestedMin: low < 0 ? low - room : Math.max(0, low - room), suggestedMax: high + room};
	};

	// "latency (ms)", for axes and heads of columns.
	dse.titled = (label, unit) => (dse.unit(unit) ? `${label} (${dse.unit(unit)})` : label);

	// ---- theme ----------------------------------------------------------------------------------------------

	const root = document.documentElement;
	const wants_dark = window.matchMedia('(prefers-color-scheme: dark)');
	const redraws = new Set();
	let printing = false;

	dse.isDark = () => root.dataset.theme === 'dark';
	dse.colour = (name) =>
		getComputedStyle(root)
			.getPropertyValue('--' + name)
			.trim();

	// Eight colours that colour-blind readers can tell apart (after Okabe and Ito, 2008), four more (after Tol's muted
	// ones, 2021), then again.
	dse.series = (index) => dse.colour('c' + (index % 12));

	// Call redraw whenever colours change.
	dse.onTheme = (redraw) => redraws.add(redraw);

	function kept() {
		try {
			return localStorage.getItem('dse-theme');
		} catch (error) {
			return null; // pages from a disk may have no storage
		}
	}

	function applyTheme() {
		const dark = !printing && (kept() || chosen || (wants_dark.matches ? 'dark' : 'light')) === 'dark';
		root.dataset.theme = dark ? 'dark' : 'light';
		const button = document.getElementById('theme');
		button.textContent = dark ? 'Light' : 'Dark'; // what it does
		button.title = dark ? 'Switch to the light theme' : 'Switch to the dark theme';
		redraws.forEach((redraw) => redraw());
	}

	let chosen = null;
	function switchTheme() {
		chosen = dse.isDark() ? 'light' : 'dark';
		try {
			localStorage.setItem('dse-theme', chosen);
		} catch (error) {
			// for this page only, then
		}
		applyTheme();
	}
	document.getElementById('theme').addEventListener('click', switchTheme);
	wants_dark.addEventListener('change', applyTheme);

	// ---- words ----------------------------------------------------------------------------------------------

	// What a screen reader says next.
	dse.say = (text) => {
		document.getElementById('live').textContent = text;
	};

	dse.plural = (n, one, many) => `${dse.number(n)} ${n === 1 ? one : many || one + 's'}`;

	dse.copyButton = function (text, label) {
		const button = dse.el(
			'button',
			{type: 'button', class: 'screen', 'aria-label': label || 'Copy the command'},
			'Copy',
		);
		button.addEventListener('click', () => {
			copy(text);
			button.textContent = 'Copied';
			dse.say('Copied');
			setTimeout(() => {
				button.textContent = 'Copy';
			}, 1500);
		});
		return button;
	};

	// navigator.clipboard may be refused to a page from a disk; the old way is not.
	function copy(text) {
		const area = dse.el('textarea', {class: 'unseen', 'aria-hidden': 'true'});
		area.value = text;
		document.body.append(area);
		const focused = document.activeElement;
		area.select();
		document.execCommand('copy');
		area.remove();
		if (focused) focused.focus();
	}

	// A command to copy.
	dse.command = (text, label) =>
		dse.el('div', {class: 'command'}, dse.el('code', {}, text), dse.copyButton(text, label));

	// ---- controls -------------------------------------------------------------------------------------------

	let n_control = 0;

	// A list to choose from: choices [[value, label], ...]; beside is a control that belongs to it.
	dse.choice = function (label, choices, value, change, beside) {
		const id = `control-${++n_control}`;
		const select = dse.el(
			'select',
			{id, onchange: (event) => change(event.target.value)},
			choices.map(([one, text]) =>
				dse.el('option', {value: one, selected: String(one) === String(value)}, text),
			),
		);
		return dse.el(
			'div',
			{class: 'control'},
			dse.el('label', {for: id}, label),
			dse.el('div', {class: 'pair'}, select, beside),
		);
	};

	dse.check = (label, is_on, change, hint) =>
		dse.el(
			'label',
			{class: 'check', title: hint},
			dse.el('input', {
				type: 'checkbox',
				checked: is_on,
				'aria-label': hint,
				onchange: (event) => change(event.target.checked),
			}),
			label,
		);

	// A button that stays pressed.
	dse.toggle = function (label, is_on, change, hint) {
		const button = dse.el('button', {type: 'button', 'aria-pressed': String(is_on), title: hint}, label);
		button.addEventListener('click', () => {
			is_on = !is_on;
			button.setAttribute('aria-pressed', String(is_on));
			change(is_on);
		});
		return button;
	};

	// ---- sections and figures -------------------------------------------------------------------------------

	// A section with a heading and a link to it; returns the element to append to.
	dse.section = function (id, title, note) {
		const section = dse.el(
			'section',
			{id, 'aria-labelledby': id + '-title'},
			dse.el(
				'header',
				{},
				dse.el('h2', {id: id + '-title'}, title),
				note ? dse.el('p', {}, note) : null,
			),
		);
		document.getElementById('main').append(section);
		document.getElementById('contents').append(dse.el('a', {href: '#' + id}, title));
		return section;
	};

	// What is not there, and why.
	dse.missing = (text) => dse.el('p', {class: 'missing'}, text);

	// Names and values: [[name, text or node, is_wide], ...]; those without a value are left out.
	dse.facts = (pairs) =>
		dse.el(
			'dl',
			{class: 'facts'},
			pairs
				.filter(([, value]) => value !== null && value !== undefined && value !== '')
				.map(([name, value, is_wide]) =>
					dse.el(
						'div',
						{class: is_wide && 'wide'},
						dse.el('dt', {}, name),
						dse.el('dd', {}, value),
					),
				),
		);

	// Names and values, one a line.
	dse.factList = (pairs) =>
		dse.el(
			'dl',
			{class: 'pairs'},
			pairs.map(([name, value]) => [dse.el('dt', {}, name), dse.el('dd', {}, value)]),
		);

	// A few large figures: [[value, name], ...].
	dse.tiles = (pairs) =>
		dse.el(
			'div',
			{class: 'tiles'},
			pairs.map(([value, name]) =>
				dse.el('div', {class: 'tile'}, dse.el('b', {}, value), dse.el('span', {}, name)),
			),
		);

	const figures = new Set();

	/*
	 * A figure: {title, quiet (its title is not shown), note, height (px), wide, label (for who cannot see it), config: () => Chart.js configuration,
	 * table: () => {columns: [name], rows: [[text]]} (the same as numbers)}. Returns {element, note, canvas, chart(),
	 * redraw(), remove()}. config is called again by redraw and when colours change; it must not keep state.
	 */
	dse.figure = function (options) {
		const canvas = dse.el('canvas', {role: 'img', 'aria-label': options.label || options.title});
		const note = dse.el('span', {class: 'note'}, options.note || '');
		const plot = dse.el('div', {class: 'plot', style: `--height: ${options.height || 300}px`}, canvas);
		const element = dse.el(
			'figure',
			{class: options.wide && 'wide'},
			dse.el('figcaption', {}, dse.el('h3', {class: options.quiet && 'unseen'}, options.title), note),
			plot,
			options.table ? tableOf(options) : null,
		);
		let chart = null;
		function redraw() {
			if (!element.isConnected) return;
			const config = dse.withDefaults(options.config());
			if (chart && chart.config.type === config.type) {
				chart.data = config.data;
				chart.options = config.options;
				chart.update('none');
			} else {
				if (chart) chart.destroy();
				chart = new Chart(canvas, config);
			}
		}
		const handle = {
			element,
			note,
			canvas,
			plot,
			redraw,
			chart: () => chart,
			remove: () => {
				redraws.delete(redraw);
				figures.delete(handle);
				if (chart) chart.destroy();
				chart = null;
				element.remove();
			},
		};
		redraws.add(redraw);
		figures.add(handle);
		return handle;
	};

	function tableOf(options) {
		const details = dse.el('details', {class: 'screen'}, dse.el('summary', {}, 'As a table'));
		details.addEventListener('toggle', () => {
			if (!details.open) return;
			while (details.children.length > 1) details.lastChild.remove();
			details.append(dse.plainTable(options.title, options.table()));
		});
		return details;
	}

	// A table that is only read: {columns: [name], rows: [[text, number or node]], show: how numbers are written}; numbers
	// stand right.
	dse.plainTable = function (caption, {columns, rows, right = [], show = dse.number}) {
		const isNumber = (value) => typeof value === 'number' || value === null || value?.digits > 0;
		const is_number = columns.map(
			(_, k) => right[k] || (rows.length > 0 && rows.every((row) => isNumber(row[k]))),
		);
		const content = (value, as) =>
			value instanceof Node ? value : value?.digits > 0 ? dse.number(value.value, value.digits) : as(value);
		const cell = (value, k) =>
			k === 0
				? dse.el('th', {scope: 'row'}, content(value, dse.number))
				: dse.el('td', {class: is_number[k] && 'number'}, content(value, show));
		return dse.el(
			'div',
			{class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption},
			dse.el(
				'table',
				{},
				dse.el('caption', {class: 'unseen'}, caption),
				dse.el(
					'thead',
					{},
					dse.el(
						'tr',
						{},
						columns.map((name, k) =>
							dse.el(
								'th',
								{scope: 'col', class: is_number[k] && 'number'},
								name,
							),
						),
					),
				),
				dse.el(
					'tbody',
					{},
					rows.map((row) => dse.el('tr', {}, row.map(cell))),
				),
			),
		);
	};

	// ---- Chart.js -------------------------------------------------------------------------------------------

	// A text in a chart, on the page's own colour, moved inside where it would be cut.
	dse.chartText = function (ctx, text, x, y, colour, chart, align = 'left') {
		const {left, right, top} = chart.chartArea;
		const width = ctx.measureText(text).width;
		const from = Math.max(left + 2, Math.min(right - width - 2, align === 'right' ? x - width : x));
		ctx.lineWidth = 3;
		ctx.lineJoin = 'round';
		ctx.strokeStyle = dse.colour('surface');
		ctx.strokeText(text, from, Math.max(top + 12, y));
		ctx.fillStyle = colour;
		ctx.fillText(text, from, Math.max(top + 12, y));
	};

	// A configuration with the page's colours, fonts and manners where it does not say otherwise.
	dse.withDefaults = function (config) {
		Chart.defaults.color = dse.colour('ink-2');
		Chart.defaults.borderColor = dse.colour('grid');
		Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
		Chart.defaults.font.size = 12;
		const options = config.options || {};
		const plugins = options.plugins || {};
		return {
			...config,
			options: {
				animation: false,
				responsive: true,
				maintainAspectRatio: false,
				...options,
				scales: Object.fromEntries(
					Object.entries(options.scales || {}).map(([name, scale]) => [
						name,
						withTicks(scale),
					]),
				),
				plugins: {
					...plugins,
					legend: {...legend(), ...plugins.legend},
					tooltip: {...tooltip(), ...plugins.tooltip},
				},
			},
		};
	};

	function withTicks(scale) {
		const ticks = scale.ticks || {};
		const number = (value) => dse.number(value);
		const is_category = scale.type === 'category' || scale.labels || !scale.type;
		return {
			...scale,
			grid: {
				color: dse.colour('grid'),
				borderColor: dse.colour('line'),
				tickColor: dse.colour('line'),
				...scale.grid,
			},
			title: scale.title ? {display: true, color: dse.colour('ink-2'), ...scale.title} : undefined,
			...(scale.type === 'logarithmic' ? {afterBuildTicks: thin} : {}),
			ticks: is_category ? ticks : {callback: number, maxRotation: 0, autoSkipPadding: 12, ...ticks},
		};
	}

	// Of a log axis 1, 2 and 5 times powers of ten, of a long one the powers only: more would touch.
	// Where too few of them are left all stay.
	function thin(scale) {
		const leads = scale.max / scale.min > 300 ? [1] : [1, 2, 5];
		const thinned = scale.ticks.filter(({value}) => {
			const lead = value / Math.pow(10, Math.floor(Math.log10(value) + 1e-9));
			return leads.some((digit) => Math.abs(lead - digit) < 1e-6);
		});
		if (thinned.length > 2) scale.ticks = thinned;
	}

	const legend = () => ({
		align: 'start',
		labels: {boxWidth: 12, boxHeight: 12, padding: 12, usePointStyle: false, color: dse.colour('ink')},
	});
	const tooltip = () => ({
		backgroundColor: dse.colour('surface'),
		titleColor: dse.colour('ink'),
		bodyColor: dse.colour('ink'),
		borderColor: dse.colour('line'),
		borderWidth: 1,
		padding: 9,
		cornerRadius: 4,
		boxPadding: 4,
		displayColors: true,
	});

	// ---- printing -------------------------------------------------------------------------------------------

	// A4 less margins, in CSS pixels. Browsers lay out for paper only after this event, so figures are told their width,
	// and wide tables are made smaller: else the whole page would be.
	const PAPER_WIDTH = 680;
	window.addEventListener('beforeprint', () => {
		printing = true;
		applyTheme();
		figures.forEach(
			(figure) => figure.chart() && figure.chart().resize(PAPER_WIDTH, figure.plot.clientHeight),
		);
		document.querySelectorAll('table').forEach(fitOnPaper);
	});
	function fitOnPaper(table) {
		table.style.width = 'auto'; // what it needs rather than what it has
		table.style.zoom = Math.min(1, PAPER_WIDTH / (0.85 * table.scrollWidth));
		table.style.width = '';
	}
	window.addEventListener('afterprint', () => {
		printing = false;
		applyTheme();
		figures.forEach((figure) => figure.chart() && figure.chart().resize());
		document.querySelectorAll('table').forEach((table) => {
			table.style.zoom = '';
		});
	});

	if (dse.data && dse.data.version)
		document.getElementById('footer').textContent =
			`dse ${dse.data.version}${dse.data.made ? ', ' + dse.data.made : ''}`;
	applyTheme();
})();
