// SPDX-License-Identifier: Apache-2.0
// What narrows the points down: one line a filter, of numbers from and to, of values those that are ticked.
'use strict';

(function () {
	const model = dse.model;

	dse.filters = function (parent) {
		const list = dse.el('div', {class: 'filters'});
		let is_walking = false; // through the columns, by keys
		const count = dse.el('b', {id: 'count'});
		const clear = dse.el(
			'button',
			{type: 'button', class: 'plain', onclick: () => model.clearFilters()},
			'Clear filters',
		);
		const add = dse.el(
			'select',
			{
				'aria-label': 'Add a filter',
				title: 'By keyboard: arrows choose, Enter adds',
				onchange: () => is_walking || begin(),
				onkeydown: onKey,
				onpointerdown: () => {
					is_walking = false;
				},
				onblur: () => {
					is_walking = false;
					add.value = '';
				},
			},
			dse.el('option', {value: ''}, 'Add a filter\u2026'),
			model.columns
				.filter((one) => one.is_axis)
				.map((one) => dse.el('option', {value: one.key}, one.title)),
		);
		parent.append(dse.el('div', {class: 'filterbar'}, count, add, list, clear));

		// Keys change a closed list at each step: what they choose waits for Enter.
		function onKey(event) {
			if (event.key !== 'Enter') {
				is_walking = !['Tab', ' '].includes(event.key) && !event.altKey;
			} else if (add.value !== '') {
				event.preventDefault();
				begin();
			}
		}

		// An open filter lets all through, so that it can be narrowed.
		function begin() {
			const key = add.value;
			if (key === '') return;
			is_walking = false;
			add.value = '';
			const column = model.byKey.get(key);
			const all = column.values ? {set: new Set(column.distinct)} : {lo: column.min, hi: column.max};
			model.setFilters([[key, all]]);
			const first = list.querySelector(`[data-filter="${CSS.escape(key)}"] input`);
			if (first) first.focus();
		}

		function draw() {
			const n = model.runs.reduce((sum, run) => sum + (run.visible ? run.n : 0), 0);
			count.textContent =
				model.rows.length === n
					? dse.plural(n, 'point')
					: `${dse.number(model.rows.length)} of ${dse.plural(n, 'point')}`;
			clear.hidden = model.filters.size === 0;
			const focused = document.activeElement && document.activeElement.dataset.input;
			list.replaceChildren(
				...[...model.filters.entries()].map(([key, filter]) =>
					chip(model.byKey.get(key), filter),
				),
			);
			const again = focused && list.querySelector(`[data-input="${CSS.escape(focused)}"]`);
			if (again) again.focus();
		}
		['filter', 'runs'].forEach((event) => model.on(event, draw));
		draw();
	};

	function chip(column, filter) {
		const remove = dse.el(
			'button',
			{
				type: 'button',
				class: 'plain',
				'aria-label': `Remove the filter of ${column.label}`,
				onclick: () => model.setFilters([[column.key, null]]),
			},
			'\u00d7',
		);
		return dse.el(
			'fieldset',
			{class: 'chip', 'data-filter': column.key},
			dse.el('legend', {}, column.title),
			filter.set ? ticks(column, filter) : ends(column, filter),
			remove,
		);
	}

	function ticks(column, filter) {
		const change = (value) => (is_on) => {
			const set = new Set(filter.set);
			if (is_on) set.add(value);
			else set.delete(value);
			model.setFilters([[column.key, {set}]]);
		};
		return column.distinct.map((value) => {
			const label = dse.check(model.shown(column, value), filter.set.has(value), change(value));
			label.firstChild.dataset.input = `${column.key}/${value}`;
			return label;
		});
	}

	function ends(column, filter) {
		const input = (name, label) =>
			dse.el('input', {
				class: 'number',
				type: 'number',
				step: 'any',
				'aria-label': `${column.label}, ${label}`,
				'data-input': `${column.key}/${name}`,
				value: filter[name] === null ? '' : short(filter[name] * column.scale),
				onchange: (event) => {
					const value =
						event.target.value === ''
							? null
							: Number(event.target.value) / column.scale;
					model.setFilters([[column.key, {...filter, [name]: value}]]);
				},
			});
		return [input('lo', 'at least'), '\u2013', input('hi', 'at most')];
	}

	// Ends of rectangles have more digits than anyone means; the filter itself keeps them.
	const short = (value) => String(Number(value.toPrecision(6)));
})();
