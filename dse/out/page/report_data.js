// SPDX-License-Identifier: Apache-2.0
// The report's model: all runs' points as columns of numbers, what is filtered, chosen and pointed at, and who is told.
// A row is a point of any run; rows are numbered through all runs.
'use strict';

(function () {
	const listeners = new Map();
	const model = {
		runs: [],
		columns: [],
		byKey: new Map(),
		n: 0,
		filters: new Map(), // key => {lo, hi} of numbers (either may be null) or {set: Set of indices} of values
		passing: null, // Uint8Array [n]
		rows: [], // rows that pass, of visible runs
		current: null,
		lit: null,
		compared: [],
	};
	dse.model = model;
	model.MAX_COMPARED = 4;
	model.MAX_VALUES = 24; // a column of more texts is no axis and no colour

	// Events: filter, current, compared, lit, runs.
	model.on = function (event, listener) {
		listeners.set(event, [...(listeners.get(event) || []), listener]);
	};
	function tell(event) {
		(listeners.get(event) || []).forEach((listener) => listener());
	}

	// ---- reading --------------------------------------------------------------------------------------------

	const list = (value) => (Array.isArray(value) ? value : []);

	function readRuns(data) {
		let first = 0;
		model.runs = list(data && data.runs).map((run, index) => {
			const points = list(run.points);
			const read = {
				...run,
				index,
				first,
				n: points.length,
				points,
				columns: list(run.columns),
				visible: true,
				name: nameOf(run, index, data.runs),
			};
			first += points.length;
			return read;
		});
		model.n = first;
	}

	function nameOf(run, index, runs) {
		const space = run.space || 'run';
		const is_alone = runs.filter((other) => other.space === run.space).length === 1;
		return is_alone
			? space
			: `${space} ${run.run !== null && run.run !== undefined ? '#' + run.run : '(' + (index + 1) + ')'}`;
	}

	// Columns of all runs by key; a run without one has NaN there.
	function readColumns() {
		for (const run of model.runs) {
			run.columns.forEach((from, k) => {
				const column = model.byKey.get(from.key) || addColumn(from);
				const values = list(from.values).map((text) => valueIndex(column, text));
				run.points.forEach((point, i) => {
					const value = point[k];
					if (value !== null && value !== undefined)
						column.of[run.first + i] = from.values ? values[value] : value;
				});
				if (from.limit && Number.isFinite(from.limit.max))
					column.limits.push({run: run.index, max: from.limit.max});
			});
		}
		model.columns.forEach(measure);
	}

	function addColumn(from) {
		const column = {
			key: from.key,
			label: from.label || from.key,
			unit: from.unit || '',
			kind: from.kind || 'metric',
			values: from.values ? [] : null,
			of: new Float64Array(model.n).fill(NaN),
			limits: [],
		};
		model.columns.push(column);
		model.byKey.set(from.key, column);
		return column;
	}

	function valueIndex(column, text) {
		column.values = column.values || [];
		const at = column.values.indexOf(text);
		return at >= 0 ? at : column.values.push(text) - 1;
	}

	function measure(column) {
		let min = Infinity,
			max = -Infinity;
		const distinct = new Set();
		for (const value of column.of) {
			if (Number.isNaN(value)) continue;
			min = Math.min(min, value);
			max = Math.max(max, value);
			if (distinct.size <= model.MAX_VALUES) distinct.add(value);
		}
		Object.assign(column, {
			min,
			max,
			n_distinct: distinct.size,
			distinct: [...distinct].sort((a, b) => a - b),
		});
		const shown = column.values
			? {scale: 1, unit: ''}
			: dse.scaleFor(column.unit, Math.max(Math.abs(min), Math.abs(max)));
		column.scale = shown.scale;
		column.shown_unit = shown.unit;
		column.title = dse.titled(column.label, column.shown_unit);
		column.least_positive = column.of.reduce(
			(least, value) => (value > 0 && value < least ? value : least),
			Infinity,
		);
		column.decimals = decimals(column);
		column.is_axis = column.n_distinct > 0 && (!column.values || column.values.length <= model.MAX_VALUES);
	}

	// Five digits of the largest value after the point, so that a column is aligned; null: whole or of many sizes.
	function decimals(column) {
		const most = Math.max(Math.abs(column.min), Math.abs(column.max)) * column.scale;
		const is_whole = column.of.every(
			(value) => Number.isNaN(value) || Number.isInteger(value * column.scale),
		);
		if (column.values || is_whole || !(most > 0) || !Number.isFinite(most) || most < 1e-3 || most >= 1e9)
			return null;
		const places = Math.max(0, 4 - Math.floor(Math.log10(most)));
		return column.n_distinct > 1 &&
			column.min !== 0 &&
			Math.abs(column.min) * column.scale < 10 * Math.pow(10, -places)
			? null
			: places;
	}

	function addRunColumn() {
		const column = addColumn({key: 'run', label: 'run', kind: 'knob', values: []});
		for (const run of model.runs)
			column.of.fill(valueIndex(column, run.name), run.first, run.first + run.n);
		measure(column);
	}

	// ---- looking at it --------------------------------------------------------------------------------------

	model.runOf = (row) => model.runs.find((run) => row >= run.first && row < run.first + run.n);
	model.idOf = (row) => row - model.runOf(row).first;
	model.name = function (row) {
		const run = model.runOf(row);
		return model.runs.length > 1 ? `${run.name}, point ${row - run.first}` : `point ${row}`;
	};
	model.rowOf = (run, id) => (Number.isInteger(id) && id >= 0 && id < run.n ? run.first + id : null);

	// A value as the page shows it, without its unit; and with it.
	model.shown = function (column, value, digits = 5) {
		if (Number.isNaN(value) || value === null || value === undefined) return '\u2013';
		if (column.values) return String(column.values[value]);
		return column.decimals === null || digits < 5
			? dse.number(value * column.scale, digits)
			: dse.fixed(value * column.scale, column.decimals);
	};
	model.withUnit = function (column, row) {
		const value = column.of[row];
		return (
			model.shown(column, value) +
			(column.shown_unit && !Number.isNaN(value) ? '\u00a0' + column.shown_unit : '')
		);
	};
	model.objectives = () => model.columns.filter((column) => column.kind === 'objective' && column.n_distinct > 0);
	model.replay = function (row) {
		const run = model.runOf(row);
		return run.replay ? run.replay.replace('{id}', String(row - run.first)) : null;
	};

	// Rows with a name: knee and the best of each objective, of visible runs: [{row, name}].
	model.landmarks = function () {
		const marks = [];
		const add = (row, name) => {
			const mark = marks.find((other) => other.row === row);
			if (mark) mark.name += ', ' + name;
			else if (row !== null) marks.push({row, name});
		};
		for (const run of model.runs.filter((one) => one.visible)) {
			add(model.rowOf(run, run.knee), 'knee');
			for (const [key, id] of Object.entries(run.best || {}))
				add(
					model.rowOf(run, id),
					'least ' + (model.byKey.has(key) ? model.byKey.get(key).label : key),
				);
		}
		return marks;
	};

	// ---- changing it ----------------------------------------------------------------------------------------

	function apply() {
		const passing = new Uint8Array(model.n);
		for (const run of model.runs) passing.fill(run.visible ? 1 : 0, run.first, run.first + run.n);
		for (const [key, filter] of model.filters) {
			const {of} = model.byKey.get(key);
			for (let row = 0; row < model.n; row++) {
				if (passing[row] && !holds(filter, of[row])) passing[row] = 0;
			}
		}
		model.passing = passing;
		model.rows = [];
		for (let row = 0; row < model.n; row++) {
			if (passing[row]) model.rows.push(row);
		}
	}

	function holds(filter, value) {
		if (filter.set) return filter.set.has(value);
		return (
			(filter.lo === null || value >= filter.lo) &&
			(filter.hi === null || value <= filter.hi) &&
			!Number.isNaN(value)
		);
	}

	// Several filters at once: [[key, filter or null], ...]; null takes one away.
	model.setFilters = function (changes) {
		for (const [key, filter] of changes) {
			if (filter && (filter.set || filter.lo !== null || filter.hi !== null))
				model.filters.set(key, filter);
			else model.filters.delete(key);
		}
		apply();
		tell('filter');
		const n_visible = model.runs.reduce((sum, run) => sum + (run.visible ? run.n : 0), 0);
		dse.say(`${dse.number(model.rows.length)} of ${dse.plural(n_visible, 'point')}`);
	};
	model.clearFilters = () => model.setFilters([...model.filters.keys()].map((key) => [key, null]));

	// A filter that keeps lo to hi on a column: of texts and few values those between.
	model.between = function (column, lo, hi) {
		if (!column.values) return {lo, hi};
		return {set: new Set(column.values.map((_, i) => i).filter((i) => i >= lo && i <= hi))};
	};

	model.setVisible = function (run, visible) {
		run.visible = visible;
		apply();
		tell('runs');
	};
	model.setCurrent = function (row) {
		model.current = row;
		tell('current');
	};
	// Light one row up, null none; told only when it is another.
	model.setLit = function (row) {
		if (model.lit === row) return;
		model.lit = row;
		tell('lit');
	};
	// Returns false, and says so, when there are enough already.
	model.setCompared = function (row, is_compared) {
		if (is_compared && !model.compared.includes(row) && model.compared.length >= model.MAX_COMPARED) {
			dse.say(`No more than ${model.MAX_COMPARED} points can be compared`);
			tell('compared');
			return false;
		}
		model.compared = model.compared.filter((other) => other !== row);
		if (is_compared) model.compared.push(row);
		tell('compared');
		return true;
	};
	model.clearCompared = function () {
		model.compared = [];
		tell('compared');
	};

	readRuns(dse.data);
	readColumns();
	if (model.runs.length > 1) addRunColumn();
	apply();
})();
