// SPDX-License-Identifier: Apache-2.0
// node bench.js REPORT.html: its size, and milliseconds that a reader waits: to open it, per hover, filter, sort, click and
// change of theme; of its own points and of 2 000 of them. A time ends when the browser could draw the next frame.
'use strict';
const {assert, fs, launch, open, withData} = require('./support.js');

const N_HOVER = 200;

// In the page: how long work takes, layout included, and until a frame could follow it.
function measure(page, work, n) {
	return page.evaluate(
		async ([text, times]) => {
			const body = new Function('i', text);
			const spent = [];
			for (let i = 0; i < times; i++) {
				const begin = performance.now();
				body(i);
				document.body.getBoundingClientRect();
				const script = performance.now() - begin;
				await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
				spent.push([script, performance.now() - begin]);
			}
			const part = (k, share) =>
				spent.map((one) => one[k]).sort((a, b) => a - b)[
					Math.min(times - 1, Math.floor(times * share))
				];
			return {
				script: part(0, 0.5),
				script_most: part(0, 1),
				frame: part(1, 0.5),
				frame_most: part(1, 1),
			};
		},
		[work, n],
	);
}

const hover = (plot) => `
	const plot = document.querySelectorAll('.plot.live')[${plot}], box = plot.getBoundingClientRect();
	plot.dispatchEvent(new PointerEvent('pointermove', {bubbles: true, pointerType: 'mouse',
		clientX: box.left + 60 + (box.width - 80) * (i * 37 % 200) / 200, clientY: box.top + 20 + (box.height - 80) * (i * 91 % 200) / 200}));`;

const WORK = [
	['hover in the scatter', hover(0), N_HOVER],
	['hover in parallel coordinates', hover(1), N_HOVER],
	[
		'filter',
		`const {min, max} = dse.model.columns[0];
		dse.model.setFilters([['KEY', i % 2 ? null : {lo: min, hi: (min + max) / 2}]]);`,
		6,
	],
	['sort', `document.querySelector('#points-table th[data-key="KEY"] button').click();`, 6],
	['click on a point', 'dse.model.setCurrent(i * 997 % dse.model.n);', 6],
	['theme', "document.getElementById('theme').click();", 4],
];

async function bench(browser, file) {
	const begin = Date.now();
	const {page, context, problems} = await open(browser, file);
	await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
	const opened = Date.now() - begin;
	const {n, key} = await page.evaluate(() => ({n: dse.model.n, key: dse.model.columns[0].key}));
	console.log(
		`${n} points, ${(fs.statSync(file).size / 1e6).toFixed(2)} MB, open after ${opened} ms; milliseconds, median and most:`,
	);
	for (const [name, work, times] of WORK) {
		await page
			.locator('.plot.live')
			.nth(name.includes('parallel') ? 1 : 0)
			.scrollIntoViewIfNeeded();
		const spent = await measure(page, work.replaceAll('KEY', key), times);
		const text = (value) => value.toFixed(1).padStart(7);
		console.log(
			`  ${name.padEnd(30)} script ${text(spent.script)} ${text(spent.script_most)}   to the next frame ${text(spent.frame)} ${text(spent.frame_most)}`,
		);
	}
	assert.deepEqual(problems, []);
	await context.close();
}

// A part of the front, for reports of another size.
const some = (file, n) =>
	withData(file, `some-${n}.html`, (data) => {
		const run = data.runs[0];
		const kept = Array.from({length: Math.min(n, run.points.length)}, (_, i) =>
			Math.floor((i * run.points.length) / Math.min(n, run.points.length)),
		);
		const used = new Set(kept.flatMap((id) => run.point_designs[id] || []));
		return {
			...data,
			runs: [
				{
					...run,
					points: kept.map((id) => run.points[id]),
					point_designs: kept.map((id) => run.point_designs[id]),
					knee: 0,
					best: {},
					sensitivity: [],
					designs: run.designs.map((design, i) => (used.has(i) ? design : null)),
				},
			],
		};
	});

(async () => {
	const [file] = process.argv.slice(2);
	const browser = await launch();
	for (const one of [some(file, 2000), file]) await bench(browser, one);
	await browser.close();
})();
