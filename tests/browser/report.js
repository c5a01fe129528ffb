// SPDX-License-Identifier: Apache-2.0
// node report.js REPORT.html FRONT.csv: the page of dse report as a reader uses it, its numbers against front.csv.
'use strict';
const {assert, DESKTOP, PHONE, readFront, run, shown, withData} = require('./support.js');

const [file, front_file] = process.argv.slice(2);
const front = readFront(front_file);
const numbers = Object.keys(front[0]).filter((key) => key !== 'front_csv_format' &&
	front.every((row) => row[key] !== '' && Number.isFinite(Number(row[key]))),
);

// ---- helpers ------------------------------------------------------------------------------------------------

const rows = (page) =>
	page.$$eval('#points-table tbody tr[data-row]', (lines) =>
		lines.map((line) =>
			Object.fromEntries(
				[...line.querySelectorAll('td[data-key]')].map((cell) => [
					cell.dataset.key,
					{value: cell.dataset.value, text: cell.textContent},
				]),
			),
		),
	);
const ids = async (page) => (await rows(page)).map((row) => Number(row.id.value));
const card = (page) =>
	page.$$eval('.card data', (nodes) => Object.fromEntries(nodes.map((node) => [node.dataset.key, node.value])));
const background = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
const theme = (page) => page.evaluate(() => document.documentElement.dataset.theme);

// Where a point is in the window, the scatter scrolled into it.
async function place(page, id) {
	const plot = page.locator('.plot.live').first();
	await plot.scrollIntoViewIfNeeded();
	const box = await plot.boundingBox();
	const [x, y] = await page.evaluate((row) => dse.scatterView.pixelOf(row), id);
	return {x: box.x + x, y: box.y + y};
}

// A point that has no other near it, so that a click means it.
async function lonely(page) {
	const at = await page.evaluate(
		(n) => Array.from({length: n}, (_, row) => dse.scatterView.pixelOf(row)),
		front.length,
	);
	const room = at.map((one, i) =>
		Math.min(
			...at.map((other, k) =>
				i === k ? Infinity : Math.hypot(one[0] - other[0], one[1] - other[1]),
			),
		),
	);
	return room.indexOf(Math.max(...room));
}

const unlike = (key, value) => front.map((row, id) => id).filter((id) => !value(Number(front[id][key])));

async function setFilter(page, key, name, value) {
	const field = page.locator(`[data-filter="${key}"] input[data-input="${key}/${name}"]`);
	await field.fill(String(value));
	await field.press('Enter');
}

// ---- the tests ----------------------------------------------------------------------------------------------

async function showsEverything(page) {
	for (const id of ['overview', 'points', 'compare', 'parallel', 'layers', 'sensitivity', 'search', 'run'])
		assert.ok((await page.locator(`section#${id}`).count()) === 1, `section ${id}`);
	const text = await page.locator('main').innerText();
	assert.doesNotMatch(text, /undefined|NaN|\[object|null/);
	const said = (await page.locator('section#overview').innerText()).replaceAll('\u00a0', ' ');
	assert.doesNotMatch(await page.locator('#overview .said').innerText(), /\d (%|ms|mJ)/); // numbers stay with units
	assert.match(said, /16x4 wins: fastest \(.* ms\), least energy/);
	assert.match(said, /with 8x4 \(half the MAC units\): .* slower/);
	assert.match(said, /What to change next/);
	assert.match(said, /engine exact, event tier, seed/);
	assert.match(
		await page.locator('section#points').innerText(),
		/Latencies: event tier; mapping and operating points searched, each design its own; without run-time overhead\./,
	);
	for (const heading of [
		'Clocks by phase',
		'Energy by part',
		'Power over time',
		'Utilisation',
		'Roofline',
		'One parameter at its next value',
		'Hypervolume',
		'Counts',
		'Inputs',
	])
		assert.ok(text.includes(heading), heading);
	const blank = await page.$$eval('canvas', (nodes) =>
		nodes
			.filter((node) => {
				const {data} = node.getContext('2d').getImageData(0, 0, node.width, node.height);
				return new Set(new Uint32Array(data.buffer)).size < 4;
			})
			.map((node) => node.getAttribute('aria-label')),
	);
	assert.deepEqual(blank, []);
	assert.equal(await page.locator('.missing').count(), 0, await page.locator('.missing').allInnerTexts());
}

// Without a scroll: the verdict, its picture, the table of machines whole, and what to change next; no figure of the search.
async function beginsWithTheAnswer(page) {
	assert.equal(await page.evaluate(() => window.scrollY), 0);
	const box = (selector) => page.locator(selector).first().boundingBox();
	for (const selector of ['#overview .said', '#overview .verdict canvas', '#overview table', '#next']) {
		const {y, height} = await box(selector);
		assert.ok(y >= 0 && y + height <= DESKTOP.height, `${selector} ends at ${y + height}`);
	}
	assert.match(await page.locator('#overview table').first().innerText(), /time bound by/);
	assert.ok((await box('section#search')).y > DESKTOP.height, 'figures of the search come first');
}

// Steps: a layer's power stands from its begin to its end. Looked for in the picture, in the middle of the layer.
async function stepsPower(page) {
	const found = await page.evaluate(() => {
		const canvas = document.querySelector('canvas[aria-label="Power over time"]');
		const chart = Chart.getChart(canvas);
		const {data, borderColor} = chart.data.datasets[0];
		const copy = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
		Object.assign(copy.canvas, {width: canvas.width, height: canvas.height});
		copy.drawImage(canvas, 0, 0);
		const wanted = [1, 3, 5].map((at) => parseInt(borderColor.slice(at, at + 2), 16));
		return data.slice(0, -1).map((point, i) => {
			const x = chart.scales.x.getPixelForValue((point.x + data[i + 1].x) / 2),
				y = chart.scales.y.getPixelForValue(point.y);
			const near = copy.getImageData(Math.round(x) - 1, Math.round(y) - 2, 3, 5).data;
			return Array.from({length: 15}, (_, k) => near.slice(4 * k, 4 * k + 3)).some((pixel) =>
				wanted.every((colour, c) => Math.abs(colour - pixel[c]) < 60),
			);
		});
	});
	assert.ok(found.length > 1 && found.every(Boolean), `layers whose power is drawn: ${found}`);
}

async function hasTheValues(page) {
	await page.locator('#points summary', {hasText: 'Columns'}).click();
	await page.$$eval('#points .picks input:not(:checked)', (boxes) => boxes.forEach((box) => box.click()));
	const table = await rows(page);
	assert.equal(table.length, Math.min(25, front.length));
	const common = numbers.filter((key) => key in table[0]);
	// Those of the only network are those of all.
	assert.deepEqual(
		numbers.filter((key) => !common.includes(key) && !key.includes('.')),
		[],
	);
	const scales = await page.evaluate(() =>
		Object.fromEntries(dse.model.columns.map((column) => [column.key, column.scale])),
	);
	for (const row of table) {
		const wanted = front[Number(row.id.value)];
		for (const key of common) {
			assert.equal(Number(row[key].value), Number(wanted[key]), `${key} of ${row.id.value}`);
			const scale = scales[key] || 1;
			assert.ok(
				Math.abs(shown(row[key].text) - wanted[key] * scale) <=
					Math.abs(wanted[key] * scale) * 1e-3 + 1e-12,
				`${key} reads ${row[key].text}, is ${wanted[key]}`,
			);
		}
		for (const key of ['mla.array', 'strategies', 'levels'].filter((one) => one in wanted && one in row))
			assert.equal(row[key].text, wanted[key]);
	}
}

async function clicksAPoint(page) {
	const id = await lonely(page);
	const at = await place(page, id);
	await page.mouse.move(at.x, at.y);
	assert.match(await page.locator('.tip').innerText(), new RegExp(`point ${id}\\b`));
	await page.mouse.click(at.x + 2, at.y - 2);
	const values = await card(page);
	assert.match(await page.locator('.card h3').innerText(), new RegExp(`point ${id}\\b`));
	assert.equal(Number(values.latency_ms), Number(front[id].latency_ms));
	assert.equal(Number(values.energy_mj), Number(front[id].energy_mj));
	assert.match(
		await page.locator('.card code').innerText(),
		new RegExp(`dse simulate --point .*front\\.json:${id}$`),
	);
	assert.match(await page.locator('#layers header p').innerText(), new RegExp(`point ${id}\\b`));
}

async function filters(page) {
	const values = front.map((row) => Number(row.latency_ms)).sort((a, b) => a - b);
	const most = (values[Math.floor(values.length / 2)] + values[Math.floor(values.length / 2) - 1]) / 2;
	await page.getByLabel('Add a filter').selectOption('latency_ms');
	await setFilter(page, 'latency_ms', 'hi', most);
	const left = front.length - unlike('latency_ms', (value) => value <= most).length;
	assert.ok(left > 0 && left < front.length);
	assert.equal((await ids(page)).length, Math.min(25, left));
	assert.match(await page.locator('#count').innerText(), new RegExp(`^${left} of ${front.length} points$`));
	for (const id of await ids(page)) assert.ok(Number(front[id].latency_ms) <= most);
	await page.getByRole('button', {name: 'Clear filters'}).click();
	assert.match(await page.locator('#count').innerText(), new RegExp(`^${front.length} points$`));
}

// Nothing chosen is no filter; by keyboard the arrows walk, Enter adds.
async function addsAFilterByKeyboard(page) {
	const add = page.getByLabel('Add a filter');
	await add.selectOption('');
	await add.focus();
	await page.keyboard.press('ArrowDown');
	await page.keyboard.press('ArrowDown');
	assert.equal(await page.locator('.chip').count(), 0, 'none before Enter');
	await page.keyboard.press('Enter');
	const second = await add.locator('option').nth(2).getAttribute('value');
	assert.deepEqual(await page.$$eval('.chip', (nodes) => nodes.map((node) => node.dataset.filter)), [second]);
	await page.getByRole('button', {name: 'Clear filters'}).click();
}

async function brushes(page) {
	const id = await lonely(page);
	const at = await place(page, id);
	await page.mouse.move(at.x - 12, at.y - 12);
	await page.mouse.down();
	await page.mouse.move(at.x + 12, at.y + 12, {steps: 3});
	await page.mouse.up();
	assert.deepEqual(await ids(page), [id]);
	const ends = await page.$$eval('.chip input', (nodes) =>
		nodes.map((node) => [node.dataset.input, Number(node.value)]),
	);
	for (const [name, end] of ends) {
		const [key, side] = name.split('/');
		assert.ok(
			side === 'lo' ? Number(front[id][key]) >= end : Number(front[id][key]) <= end,
			`${name} ${end}`,
		);
	}
	await page.locator('.plot.live').first().focus();
	await page.keyboard.press('Escape');
	assert.equal((await ids(page)).length, Math.min(25, front.length));
}

async function brushesAnAxis(page) {
	const plot = page.locator('.plot.live').nth(1);
	await plot.scrollIntoViewIfNeeded();
	const box = await plot.boundingBox();
	const [x, bottom, middle] = await page.evaluate(() => {
		const chart = Chart.getChart(document.querySelectorAll('.plot.live canvas')[1]);
		return [
			chart.scales.x.getPixelForValue(0),
			chart.scales.y.getPixelForValue(-0.02),
			chart.scales.y.getPixelForValue(0.5),
		];
	});
	await page.mouse.move(box.x + x, box.y + bottom);
	await page.mouse.down();
	await page.mouse.move(box.x + x, box.y + middle, {steps: 3});
	await page.mouse.up();
	const values = front.map((row) => Number(row.latency_ms));
	const half = (Math.min(...values) + Math.max(...values)) / 2;
	assert.deepEqual(
		(await ids(page)).sort((a, b) => a - b),
		values
			.map((_, id) => id)
			.filter((id) => values[id] <= half)
			.slice(0, 25),
	);
	await page.getByRole('button', {name: 'Clear filters'}).click();
}

async function sorts(page) {
	const head = page.locator('#points-table th[data-key="energy_mj"]');
	const energies = async () => (await ids(page)).map((id) => Number(front[id].energy_mj));
	await head.getByRole('button').click();
	assert.equal(await head.getAttribute('aria-sort'), 'ascending');
	const all = front.map((row) => Number(row.energy_mj)).sort((a, b) => a - b);
	assert.deepEqual(await energies(), all.slice(0, 25));
	await head.getByRole('button').click();
	assert.equal(await head.getAttribute('aria-sort'), 'descending');
	assert.deepEqual(await energies(), all.reverse().slice(0, 25));
}

async function compares(page) {
	await page.locator('#comparison button', {hasText: 'Clear'}).click();
	const boxes = page.locator('#points-table tbody input');
	await boxes.nth(0).check();
	await boxes.nth(2).check();
	const lines = await page.$$eval('#comparison table tr[data-key]', (nodes) =>
		nodes.map((line) => [
			line.dataset.key,
			[...line.querySelectorAll('td')].map((cell) => [
				Number(cell.dataset.value),
				cell.classList.contains('differs'),
			]),
		]),
	);
	const found = Object.fromEntries(lines);
	for (const key of numbers.filter((one) => one in found)) {
		const wanted = [Number(front[0][key]), Number(front[2][key])];
		assert.deepEqual(
			found[key].map(([value]) => value),
			wanted,
			key,
		);
		assert.equal(
			found[key].every(([, differs]) => differs),
			wanted[0] !== wanted[1],
			`${key} stands out where it differs`,
		);
	}
	await page.getByLabel('only what differs').check();
	assert.equal(await page.locator('#comparison tr[data-key] td:not(.differs)').count(), 0);
	for (const i of [1, 3, 4]) await boxes.nth(i).click();
	assert.equal(await page.locator('#points-table tbody input:checked').count(), 4, 'no more than four');
}

async function switchesTheme(page) {
	const light = await background(page);
	await page.locator('#theme').click();
	assert.equal(await theme(page), 'dark');
	assert.notEqual(await background(page), light);
	assert.equal(await page.locator('#theme').textContent(), 'Light', 'the button says what it does');
	await page.reload();
	assert.equal(await theme(page), 'dark', 'remembered');
	await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
	assert.equal(await theme(page), 'light', 'on paper');
	await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
	assert.equal(await theme(page), 'dark');
}

async function fitsAPhone(page) {
	// Figures follow the window some frames later.
	const fits = (width) =>
		page.waitForFunction((wanted) => document.documentElement.scrollWidth === wanted, width);
	await page.setViewportSize(PHONE);
	await fits(PHONE.width);
	await page.locator('#points summary', {hasText: 'Columns'}).click();
	await page.getByLabel('Add a filter').selectOption('latency_ms');
	await fits(PHONE.width);
	await page.setViewportSize({width: 320, height: 568});
	await fits(320);
	await page.setViewportSize({width: 360, height: 740});
	await fits(360);
	const heights = await page.$$eval('.tile b', (nodes) =>
		nodes.map((node) => {
			node.textContent = '0.05733\u00a0mJ\u00b7ms'; // longer than this front's
			return node.getClientRects()[0].height / parseFloat(getComputedStyle(node).lineHeight);
		}),
	);
	assert.ok(Math.max(...heights) < 1.5, `lines of the figures at the top: ${heights}`);
	const labels = await page.evaluate(() => {
		const {ctx, scales} = Chart.getChart(document.querySelector('#changes canvas'));
		ctx.font = `12px ${Chart.defaults.font.family}`;
		const widths = scales.y.ticks.map(({label}) =>
			Math.max(...[label].flat().map((line) => ctx.measureText(line).width)),
		);
		return {most: Math.max(...widths), room: scales.y.width};
	});
	assert.ok(labels.most > 0 && labels.most <= labels.room, `labels of ${labels.most} px in ${labels.room}`);
	await page.setViewportSize(DESKTOP);
}

async function usesTheKeyboard(page, context) {
	await page.keyboard.press('Tab');
	assert.equal(await page.evaluate(() => document.activeElement.className), 'skip');
	await page.locator('.plot.live').first().focus();
	await page.keyboard.press('ArrowRight');
	await page.keyboard.press('ArrowRight');
	await page.keyboard.press('Enter');
	const order = front.map((_, id) => id).sort((a, b) => front[a].latency_ms - front[b].latency_ms || a - b);
	const knee = await page.evaluate(() => dse.data.runs[0].knee);
	const second = order[Math.min(order.length - 1, order.indexOf(knee) + 2)];
	assert.equal(Number((await card(page)).latency_ms), Number(front[second].latency_ms));
	await page.locator('#points-table tbody tr').first().focus();
	await page.keyboard.press('ArrowDown');
	await page.keyboard.press(' ');
	await page.keyboard.press('ArrowDown');
	await page.keyboard.press(' ');
	assert.deepEqual(await page.evaluate(() => dse.model.compared), [1, 2]);
	await page.keyboard.press('Enter');
	assert.equal(Number((await card(page)).latency_ms), Number(front[2].latency_ms));
	await page.locator('.card button', {hasText: 'Copy'}).click();
	await context.grantPermissions(['clipboard-read']);
	assert.match(
		await page.evaluate(() => navigator.clipboard.readText()),
		/^dse simulate --point .*front\.json:2$/,
	);
}

async function isLabelled(page) {
	const nameless = await page.$$eval(
		'button, select, input, a, canvas, [role="region"], [role="group"]',
		(nodes) =>
			nodes
				.filter(
					(node) =>
						!(
							node.getAttribute('aria-label') ||
							node.textContent.trim() ||
							(node.labels && node.labels.length > 0)
						),
				)
				.map((node) => node.outerHTML),
	);
	assert.deepEqual(nameless, []);
	const twice = await page.$$eval('[id]', (nodes) =>
		nodes.map((node) => node.id).filter((id, i, all) => all.indexOf(id) !== i),
	);
	assert.deepEqual(twice, []);
	assert.equal(await page.locator('thead th:not([scope])').count(), 0);
}

// Two runs, one a thousand times slower than the other, which has two networks; either can be hidden.
const slower = ({columns}, point) =>
	point.map((value, k) => (columns[k].key === 'latency_ms' ? 1000 * value : value));
const two = () =>
	withData(file, 'two.html', (data) => ({
		...data,
		runs: [
			{
				...data.runs[0],
				run: 1,
				layers: data.runs[0].layers.map((one, k) => (k > 0 ? one : {...one, network: 'other'})),
			},
			{...data.runs[0], run: 2, points: data.runs[0].points.map((point) => slower(data.runs[0], point))},
		],
	}));
async function showsRuns(page) {
	const ends = await page.evaluate(() => {
		const {x, y} = Chart.getChart(document.querySelector('.plot.live canvas')).scales;
		return [x.min, y.min];
	});
	assert.ok(Math.min(...ends) >= 0, `no value is negative, axes begin at ${ends}`);
	assert.match(await page.locator('#count').innerText(), new RegExp(`^${2 * front.length} points$`));
	const labels = await page.evaluate(() => Chart.getChart(document.querySelector('#layers canvas')).data.labels);
	assert.match(labels[0], /^other CONV/);
	await page.locator('#overview input[type="checkbox"]').nth(0).uncheck();
	assert.match(await page.locator('#count').innerText(), new RegExp(`^${front.length} points$`));
	await page.getByLabel('Add a filter').selectOption('run');
	assert.equal(await page.locator('.chip[data-filter="run"] input').count(), 2);
}

// Whatever is not there is said to be missing; nothing else breaks.
const without = (name, keys) => () =>
	withData(file, `${name}.html`, (data) => {
		const run = {...data.runs[0]};
		keys.forEach((key) => delete run[key]);
		return {...data, runs: [run]};
	});
const bare = without('bare', [
	'layers',
	'designs',
	'point_designs',
	'machines',
	'sensitivity',
	'progress',
	'inputs',
	'counts',
	'knee',
	'best',
	'certificate',
	'replay',
	'phases',
	'energy_parts',
	'seconds',
	'hypervolume',
	'reference',
	'infeasible_by_reason',
	'command',
	'exactness',
]);
const nothing = without('nothing', ['points', 'columns', 'knee', 'best', 'layers', 'designs', 'point_designs']);
const saysWhatIsMissing = (n) => async (page) => {
	assert.ok((await page.locator('.missing').count()) >= n);
	assert.doesNotMatch(await page.locator('main').innerText(), /undefined|NaN|\[object/);
};

run([
	['shows every section, and every figure has something in it', file, showsEverything],
	['the first screen is the answer', file, beginsWithTheAnswer],
	['power of a layer from its begin to its end', null, stepsPower],
	['click shows a point', null, clicksAPoint],
	['filter by numbers', null, filters],
	['filter by keyboard', null, addsAFilterByKeyboard],
	['rectangle in the scatter', null, brushes],
	['drag along an axis', null, brushesAnAxis],
	['sort', null, sorts],
	['has the values of front.csv', null, hasTheValues],
	['everything has a name', null, isLabelled],
	['themes, also on paper', null, switchesTheme],
	['keyboard', null, usesTheKeyboard],
	['select and compare', null, compares],
	['phone', null, fitsAPhone],
	['two runs', two(), showsRuns],
	['a run without details', bare(), saysWhatIsMissing(3)],
	['a run without points', nothing(), saysWhatIsMissing(1)],
	['a report without runs', withData(file, 'none.html', (data) => ({...data, runs: []})), saysWhatIsMissing(1)],
]);
