// SPDX-License-Identifier: Apache-2.0
// A table of many rows: sorted by a click on a head, a page of rows at a time, rows walked and chosen by keyboard.
'use strict';

(function () {
	const PAGE_SIZES = [25, 50, 100, 250];

	/*
	 * dse.table(parent, options). options:
	 *   caption   text
	 *   columns   [{key, label, unit, number: bool, value: (row) => to sort by, cell: (row) => text or node, hint}]
	 *   rows      array of anything; the same objects or numbers are given to the functions
	 *   choose    (row, is_chosen) => ..., when rows can be chosen (a checkbox each)
	 *   open      (row) => ..., on Enter or a click
	 *   point     (row or null) => ..., when the mouse or the keyboard is on a row
	 *   name      (row) => text, what the row is called for who cannot see
	 * Returns {setRows, setColumns, setChosen, setCurrent, setLit, sort, rows}: rows() are all, in their order.
	 */
	dse.table = function (parent, options) {
		const state = {
			options,
			rows: [...options.rows],
			sorted: null,
			descending: false,
			first: 0,
			size: PAGE_SIZES[0],
			chosen: new Set(),
			lit: null,
			current: null,
			columns: options.columns,
		};
		build(parent, state);
		draw(state);
		return {
			rows: () => state.rows,
			setRows(rows) {
				state.rows = [...rows];
				state.first = 0;
				arrange(state);
				draw(state);
			},
			setColumns(columns) {
				state.columns = columns;
				drawHead(state);
				draw(state);
			},
			setChosen(chosen) {
				state.chosen = new Set(chosen);
				mark(state);
			},
			setCurrent(row) {
				reveal(state, row);
			},
			setLit(row) {
				state.lit = row;
				mark(state);
			},
			sort(key, descending) {
				sortBy(state, key, descending);
			},
		};
	};

	// ---- once -----------------------------------------------------------------------------------------------

	function build(parent, state) {
		state.head = dse.el('tr', {});
		state.body = dse.el('tbody', {});
		const table = dse.el(
			'table',
			{},
			dse.el('caption', {class: 'unseen'}, state.options.caption),
			dse.el('thead', {}, state.head),
			state.body,
		);
		state.pager = pager(state);
		parent.append(
			dse.el(
				'div',
				{class: 'scroll', role: 'region', 'aria-label': state.options.caption, tabindex: '0'},
				table,
			),
			state.pager.element,
		);
		state.body.addEventListener('keydown', (event) => onKey(state, event));
		state.body.addEventListener('click', (event) => onClick(state, event));
		if (state.options.point) {
			state.body.addEventListener('mouseover', (event) =>
				state.options.point(rowAt(state, event.target)),
			);
			state.body.addEventListener('mouseleave', () => state.options.point(null));
			state.body.addEventListener('focusin', (event) =>
				state.options.point(rowAt(state, event.target)),
			);
		}
		drawHead(state);
	}

	function drawHead(state) {
		const heads = state.columns.map((column) => {
			const unit = dse.unit(column.unit);
			const button = dse.el(
				'button',
				{
					type: 'button',
					title: column.hint || `Sort by ${column.label}`,
					onclick: () =>
						sortBy(
							state,
							column.key,
							state.sorted === column.key && !state.descending,
						),
				},
				column.label,
				unit ? dse.el('span', {class: 'unit'}, ` ${unit}`) : null,
			);
			return dse.el(
				'th',
				{scope: 'col', 'data-key': column.key, class: column.number && 'number'},
				button,
			);
		});
		if (state.options.choose)
			heads.unshift(dse.el('th', {scope: 'col'}, dse.el('span', {class: 'unseen'}, 'Compare')));
		state.head.replaceChildren(...heads);
		markSorted(state);
	}

	function pager(state) {
		const go = (to) => () => {
			state.first = to();
			draw(state);
		};
		const button = (label, text, to) =>
			dse.el('button', {type: 'button', 'aria-label': label, onclick: go(to)}, text);
		const last = () => Math.max(0, Math.floor((state.rows.length - 1) / state.size) * state.size);
		const back = [
			button('First page', '\u00ab', () => 0),
			button('Page before', '\u2039', () => Math.max(0, state.first - state.size)),
		];
		const on = [
			button('Next page', '\u203a', () => Math.min(last(), state.first + state.size)),
			button('Last page', '\u00bb', last),
		];
		const range = dse.el('span', {});
		const size = dse.el(
			'select',
			{
				'aria-label': 'Rows a page',
				class: 'screen',
				onchange: (event) => {
					state.size = Number(event.target.value);
					state.first = Math.floor(state.first / state.size) * state.size;
					draw(state);
				},
			},
			PAGE_SIZES.map((n) => dse.el('option', {value: n}, `${n} rows`)),
		);
		const element = dse.el('div', {class: 'pager'}, back, range, on, size);
		return {element, range, back, on};
	}

	// ---- order ----------------------------------------------------------------------------------------------

	// Nothing comes last, whichever way; equal rows stay as they were.
	function arrange(state) {
		const column = state.columns.find(({key}) => key === state.sorted);
		if (!column) return;
		const sign = state.descending ? -1 : 1;
		const values = new Map(state.rows.map((row) => [row, column.value(row)]));
		const is_nothing = (value) => value === null || value === undefined || Number.isNaN(value);
		state.rows.sort((row_a, row_b) => {
			const a = values.get(row_a),
				b = values.get(row_b);
			if (is_nothing(a) || is_nothing(b)) return is_nothing(a) - is_nothing(b);
			return (
				sign *
				(typeof a === 'number' && typeof b === 'number'
					? a - b
					: String(a).localeCompare(String(b), 'en', {numeric: true}))
			);
		});
	}

	function sortBy(state, key, descending) {
		state.sorted = key;
		state.descending = Boolean(descending);
		state.first = 0;
		arrange(state);
		markSorted(state);
		draw(state);
		const column = state.columns.find((one) => one.key === key);
		dse.say(`Sorted by ${column ? column.label : key}, ${descending ? 'descending' : 'ascending'}`);
	}

	function markSorted(state) {
		for (const head of state.head.children) {
			if (head.dataset.key)
				head.setAttribute(
					'aria-sort',
					head.dataset.key !== state.sorted
						? 'none'
						: state.descending
							? 'descending'
							: 'ascending',
				);
		}
	}

	// ---- rows -----------------------------------------------------------------------------------------------

	function draw(state) {
		const end = Math.min(state.rows.length, state.first + state.size);
		const shown = state.rows.slice(state.first, end);
		state.shown = shown;
		state.body.replaceChildren(...shown.map((row, i) => drawRow(state, row, i)));
		if (shown.length === 0) {
			const n = state.columns.length + (state.options.choose ? 1 : 0);
			state.body.append(dse.el('tr', {}, dse.el('td', {colspan: n}, 'No rows.')));
		}
		state.pager.range.textContent =
			shown.length === 0
				? '0 rows'
				: `${dse.number(state.first + 1)}\u2013${dse.number(end)} of ${dse.number(state.rows.length)}`;
		state.pager.back.forEach((button) => {
			button.disabled = state.first === 0;
		});
		state.pager.on.forEach((button) => {
			button.disabled = end >= state.rows.length;
		});
		state.pager.element.hidden = state.rows.length <= PAGE_SIZES[0];
		mark(state);
	}

	function drawRow(state, row, i) {
		const cells = state.columns.map((column) => {
			const value = column.value(row);
			const shown = column.cell ? column.cell(row) : dse.number(value);
			return dse.el(
				'td',
				{
					class: column.number && 'number',
					'data-key': column.key,
					'data-value': value,
					title:
						typeof value === 'number' && shown !== String(value)
							? String(value)
							: null,
				},
				shown,
			);
		});
		if (state.options.choose) {
			cells.unshift(
				dse.el(
					'td',
					{},
					dse.el('input', {
						type: 'checkbox',
						tabindex: '-1',
						'aria-label': `Compare ${state.options.name ? state.options.name(row) : 'row'}`,
					}),
				),
			);
		}
		// One row is in the tab order, arrows walk from there.
		return dse.el('tr', {tabindex: i === 0 ? '0' : '-1', 'data-row': i}, cells);
	}

	// What is chosen, current and pointed at, on the rows that are there already: the focus stays where it is.
	function mark(state) {
		state.shown.forEach((row, i) => {
			const line = state.body.children[i];
			const is_chosen = state.chosen.has(row);
			line.classList.toggle('lit', row === state.lit);
			line.classList.toggle('chosen', is_chosen);
			line.classList.toggle('current', row === state.current);
			if (state.options.choose) line.firstChild.firstChild.checked = is_chosen;
		});
	}

	function rowAt(state, element) {
		const line = element.closest('tr[data-row]');
		return line ? state.shown[Number(line.dataset.row)] : null;
	}

	// Make a row the current one and show the page it is on; the window does not scroll.
	function reveal(state, row) {
		const index = state.rows.indexOf(row);
		state.current = row;
		if (index >= 0 && !state.shown.includes(row)) {
			state.first = Math.floor(index / state.size) * state.size;
			draw(state);
		} else {
			mark(state);
		}
	}

	// ---- mouse and keyboard ---------------------------------------------------------------------------------

	function onClick(state, event) {
		const row = rowAt(state, event.target);
		if (row === null) return;
		if (event.target.matches('input[type="checkbox"]')) state.options.choose(row, event.target.checked);
		else if (state.options.open && !event.target.closest('button, a')) state.options.open(row);
	}

	function focusRow(state, index) {
		const to = Math.max(0, Math.min(state.rows.length - 1, index));
		const first = Math.floor(to / state.size) * state.size;
		if (first !== state.first) {
			state.first = first;
			draw(state);
		}
		for (const line of state.body.children) line.tabIndex = -1;
		const line = state.body.children[to - first];
		line.tabIndex = 0;
		line.focus();
	}

	function onKey(state, event) {
		const line = event.target.closest('tr[data-row]');
		if (!line || event.target.closest('button, a') || event.altKey || event.ctrlKey || event.metaKey)
			return;
		const local = Number(line.dataset.row);
		const at = state.first + local;
		const moves = {
			ArrowDown: at + 1,
			ArrowUp: at - 1,
			PageDown: at + state.size,
			PageUp: at - state.size,
			Home: 0,
			End: state.rows.length - 1,
		};
		if (event.key in moves) {
			focusRow(state, moves[event.key]);
		} else if (event.key === ' ' && state.options.choose) {
			state.options.choose(state.shown[local], !state.chosen.has(state.shown[local]));
			focusRow(state, at);
		} else if (event.key === 'Enter' && state.options.open) {
			state.options.open(state.shown[local]);
		} else {
			return;
		}
		event.preventDefault();
	}
})();
