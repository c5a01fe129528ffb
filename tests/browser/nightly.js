// SPDX-License-Identifier: Apache-2.0
// node nightly.js FOLDER: the page of dse nightly as a reader uses it, its numbers against nightly.json.
'use strict';
const {assert, PHONE, fs, path, run, shown, withData} = require('./support.js');

const [folder] = process.argv.slice(2);
const file = path.join(folder, 'index.html');
const night = JSON.parse(fs.readFileSync(path.join(folder, 'nightly.json'), 'utf8'));
const cells = (row) => row.locator('th, td').allTextContents();

// Eight nights of which each was as the one before, but for the last digit of a sum.
const steady = withData(file, 'steady.html', (data) => {
	const [space] = data.spaces;
	space.trend = Array.from({length: 8}, (_, i) => ({...space.trend[0], date: `2026-01-0${i + 1}`}));
	space.measures[0] = {...space.measures[0], good: 0.3, now: 0.1 + 0.2};
	return data;
});

// Of the points lost, one that the nearest misses by less than the usual digits show.
const near = withData(file, 'near.html', (data) => {
	const [point] = data.spaces[0].lost;
	point.nearest = point.objectives.map((value) => value * (1 + 1e-7));
	return data;
});

run([
	['opens without complaints or requests, says what has failed', file, async (page) => {
		assert.equal(await page.locator('#verdict').textContent(), 'failed');
		const rows = page.locator('#summary tbody tr');
		assert.equal(await rows.count(), 3);
		for (const [i, space] of night.spaces.entries()) {
			const [name, verdict] = await cells(rows.nth(i));
			assert.deepEqual([name, verdict], [space.space || space.file, space.verdict]);
		}
		assert.deepEqual(night.spaces.map((space) => space.verdict), ['worse', 'worse', 'failed']);
		assert.match(await rows.nth(2).textContent(), /bad\.yaml:\d+/);
	}],
	['names lost points and the constant', null, async (page) => {
		const [space] = night.spaces;
		const section = page.locator('#space-1');
		assert.match(await section.locator('table', {hasText: 'alone it does'}).textContent(), /dvfs_chip\.yaml.*noc\.hop_clk.*4.*5.*latency \+/);
		const rows = section.locator('table', {hasText: 'nearest now'}).locator('tbody tr');
		assert.equal(await rows.count(), Math.min(space.n_lost, 10));
		const [run_number, id, machine, latency, nearest] = await cells(rows.first());
		const [point] = space.lost;
		assert.deepEqual([run_number, shown(id), machine], [String(point.run), point.id, point.machine]);
		for (const [text, value] of [[latency, point.objectives[0]], [nearest, point.nearest[0]]])
			assert.ok(Math.abs(shown(text) / value - 1) < 1e-3, `${text} is ${value}`);
		assert.ok(await section.locator('code', {hasText: `dse compare ${space.good_run} ${space.runs[0].run}`}).isVisible());
	}],
	['shows two values that differ as two', near, async (page) => {
		const row = page.locator('#space-1 table', {hasText: 'nearest now'}).locator('tbody tr').first();
		const [, , , value, nearest] = await cells(row);
		assert.notEqual(value, nearest);
		// five digits may do, where both are rounded apart
		assert.ok(Math.abs(shown(nearest) / shown(value) - 1) < 1e-4, `${value} and ${nearest}`);
	}],
	['draws a trend for each figure, with the numbers as a table', null, async (page) => {
		const space = night.spaces[1];
		const figures = page.locator('#space-2 figure');
		assert.equal(await figures.count(), 2 + space.objectives.length);
		await figures.first().locator('summary').click();
		const rows = figures.first().locator('tbody tr');
		await rows.last().waitFor(); // a table is made when it is opened
		assert.equal(await rows.count(), 2);
		const [date, model, verdict, , median] = await cells(rows.last());
		assert.deepEqual([date, model, verdict], ['2026-01-02', space.trend[1].model, space.verdict]);
		assert.ok(Math.abs(shown(median) / (100 * space.trend[1].hypervolume[1]) - 1) < 1e-3, median);
		const models = page.locator('#models tbody tr');
		assert.equal((await cells(models.first()))[0], 'pe_tasks.csv');
	}],
	['fits a phone, in both themes', null, async (page) => {
		await page.setViewportSize(PHONE);
		const width = () => page.evaluate(() => document.documentElement.scrollWidth);
		assert.ok(await width() <= PHONE.width, `${await width()} pixels wide`);
		const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
		const light = await background();
		await page.locator('#theme').click();
		assert.notEqual(await background(), light);
	}],
	['nights without a change', steady, async (page) => {
		await page.setViewportSize({width: 340, height: 740});
		assert.equal((await cells(page.locator('#summary tbody tr').first()))[2], '0 %');
		const value = await page.evaluate(() => dse.data.spaces[0].trend[0].best[0][1]);
		const axes = await page.$$eval('#space-1 canvas', (nodes) => nodes.map((node) => {
			const {ctx, scales: {x, y}} = Chart.getChart(node);
			ctx.font = `12px ${Chart.defaults.font.family}`;
			const places = x.ticks.map((_, i) => x.getPixelForTick(i));
			return {low: y.min, high: y.max, width: ctx.measureText('2026-01-01').width,
				apart: Math.min(...places.slice(1).map((place, i) => place - places[i]))};
		}));
		assert.ok(axes.length > 0 && axes.every(({low, width, apart}) => low >= 0 && apart > width), JSON.stringify(axes));
		assert.ok(axes[1].low > 0.7 * value && axes[1].high < 1.3 * value, `${value} from ${axes[1].low} to ${axes[1].high}`);
	}],
]);
