// SPDX-License-Identifier: Apache-2.0
// What tests of pages share: a browser without a window, pages that note every complaint and request, front.csv.
'use strict';
const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const {pathToFileURL} = require('node:url');
const {chromium} = require('playwright-core');

const DESKTOP = {width: 1400, height: 900};
const PHONE = {width: 390, height: 844};

// Chromium's own sandbox refuses root, as which containers run.
function launch() {
	return chromium.launch({
		executablePath: process.env.CHROMIUM,
		args: process.getuid && process.getuid() === 0 ? ['--no-sandbox'] : [],
	});
}

// A window: {page, context, problems, go(file)}; problems are messages of the console, exceptions and requests.
async function open(browser, file) {
	const context = await browser.newContext({viewport: DESKTOP, colorScheme: 'light'});
	const page = await context.newPage();
	const problems = [];
	const known = new Set();
	page.on('console', (message) => problems.push(`${message.type()}: ${message.text()}`));
	page.on('pageerror', (error) => problems.push(`exception: ${error.message}`));
	page.on('request', (request) => {
		if (!known.has(request.url()) && !request.url().startsWith('data:'))
			problems.push(`request: ${request.url()}`);
	});
	const go = async (to) => {
		known.add(pathToFileURL(to).href);
		await page.goto(pathToFileURL(to).href);
	};
	await go(file);
	return {page, context, problems, go};
}

// The same page with other data: change gets the data and returns what shall stand there.
function withData(file, name, change) {
	const html = fs.readFileSync(file, 'utf8');
	const begin = '<script type="application/json" id="data">';
	const from = html.indexOf(begin) + begin.length;
	const to = html.indexOf('</script>', from);
	assert.ok(from > begin.length && to > from, 'the page has data');
	const data = change(JSON.parse(html.slice(from, to)));
	const written = path.join(path.dirname(file), name);
	fs.writeFileSync(written, html.slice(0, from) + JSON.stringify(data).replace(/</g, '\\u003c') + html.slice(to));
	return written;
}

// Rows of front.csv as objects of texts; quoted fields hold no line ends.
function readFront(file) {
	const [head, ...lines] = fs
		.readFileSync(file, 'utf8')
		.trim()
		.split('\n')
		.map((line) =>
			[...line.matchAll(/("([^"]*)"|[^,]*)(,|$)/g)].map((match) =>
				match[2] !== undefined ? match[2] : match[1],
			),
		);
	return lines.map((line) => Object.fromEntries(head.map((key, k) => [key, line[k]])));
}

// A number as the page writes it: spaces between thousands, its own minus.
const shown = (text) =>
	Number(
		text
			.replace(/[\u202f\u00a0 ]/g, '')
			.replace('\u2212', '-')
			.replace(/[^0-9.e+-].*$/, ''),
	);

/*
 * Tests one after the other in one window, for a new one costs as much as they do: [name, file or null, async (page,
 * context) => ...], null: on the page as the test before left it. After each nothing may have been complained of or asked
 * for. Exits 1 when one fails; the next begins on a fresh page then.
 */
async function run(tests) {
	const browser = await launch();
	let window = null,
		is_fresh = false,
		last = null;
	for (const [name, file, test] of tests) {
		try {
			last = file || last;
			if (!window) window = await open(browser, last);
			else if (file || is_fresh) await window.go(last);
			is_fresh = false;
			await test(window.page, window.context);
			assert.deepEqual(window.problems.splice(0), []);
			console.log(`ok ${name}`);
		} catch (error) {
			is_fresh = true;
			process.exitCode = 1;
			console.log(`FAILED ${name}\n${error.stack}`);
		}
	}
	await browser.close();
}

module.exports = {assert, DESKTOP, PHONE, fs, launch, open, os, path, readFront, run, shown, withData};
