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

// A page from a file: {page, context, problems}; problems are messages of the console, exceptions and requests.
async function open(browser, file, options = {}) {
	const context = await browser.newContext({viewport: DESKTOP, colorScheme: 'light', ...options});
	const page = await context.newPage();
	const problems = [];
	page.on('console', (message) => problems.push(`${message.type()}: ${message.text()}`));
	page.on('pageerror', (error) => problems.push(`exception: ${error.message}`));
	page.on('request', (request) => {
		if (request.url() !== pathToFileURL(file).href && !request.url().startsWith('data:'))
			problems.push(`request: ${request.url()}`);
	});
	await page.goto(pathToFileURL(file).href);
	return {page, context, problems};
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
	const [head, ...lines] = fs.readFileSync(file, 'utf8').trim().split('\n').map((line) =>
		[...line.matchAll(/("([^"]*)"|[^,]*)(,|$)/g)].map((match) => (match[2] !== undefined ? match[2] : match[1])));
	return lines.map((line) => Object.fromEntries(head.map((key, k) => [key, line[k]])));
}

// A number as the page writes it: spaces between thousands, its own minus.
const shown = (text) => Number(text.replace(/[\u202f\u00a0 ]/g, '').replace('\u2212', '-').replace(/[^0-9.e+-].*$/, ''));

// Tests one after the other: [name, async (browser) => ...]; exits 1 when one fails.
async function run(tests) {
	const browser = await launch();
	let n_failed = 0;
	for (const [name, test] of tests) {
		try {
			await test(browser);
			console.log(`ok ${name}`);
		} catch (error) {
			n_failed++;
			console.log(`FAILED ${name}\n${error.stack}`);
		}
	}
	await browser.close();
	process.exitCode = n_failed > 0 ? 1 : 0;
}

module.exports = {assert, DESKTOP, PHONE, fs, launch, open, os, path, readFront, run, shown, withData};
