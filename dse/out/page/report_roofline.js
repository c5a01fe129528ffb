// SPDX-License-Identifier: Apache-2.0
// Rooflines: what a machine's arrays and memories allow at most, and where a point's layers are below it.
'use strict';

(function () {
	const model = dse.model;
	const view = {memory: ''};
	const FILLS = ['circle', 'rectRot', 'triangle', 'rect'];

	// Operating points that the shown layers run at, with their machine's roofs: [{machine, roof, lines}].
	function groups() {
		const machines = model.runOf(model.current).machines || [];
		const found = new Map();
		for (const line of dse.layerLines()) {
			const machine = machines[line.design.machine];
			const roofs = (machine && machine.roofs) || [];
			const roof =
				roofs.find((one) => one.level === (line.design.fields || {}).level) ||
				(roofs.length === 1 ? roofs[0] : null);
			if (!roof || !line.design.intensity) continue;
			const key = `${line.design.machine}/${roof.level}`;
			if (!found.has(key)) found.set(key, {machine, roof, lines: []});
			found.get(key).lines.push(line);
		}
		return [...found.values()].sort((a, b) => b.lines.length - a.lines.length);
	}

	const memories = (roof) => roof.memories.filter((memory) => memory.gb_s > 0);
	const shownMemories = (roof) =>
		memories(roof)
			.map((memory, i) => ({...memory, i}))
			.filter(({name}) => !view.memory || name === view.memory);

	// From the leftmost layer to so far beyond the last ridge that the flat part is seen to be one.
	function range(group) {
		const xs = group.lines
			.flatMap(({design}) => memories(group.roof).map(({name}) => design.intensity[name]))
			.filter((x) => x > 0);
		const ridges = memories(group.roof).map(({gb_s}) => group.roof.compute_gops / gb_s);
		return [Math.min(...xs, ...ridges) / 2, Math.max(...xs.map((x) => 2 * x), ...ridges.map((x) => 4 * x))];
	}

	function roofOf(group, memory, [from, to]) {
		const ridge = group.roof.compute_gops / memory.gb_s;
		const at = (x) => ({x, y: Math.min(group.roof.compute_gops, x * memory.gb_s)});
		const xs = ridge > from && ridge < to ? [from, ridge, to] : [from, to];
		return {
			type: 'line',
			label: `${memory.name}, ${dse.quantity(memory.gb_s, 'GB/s')}`,
			data: xs.map(at),
			borderColor: dse.series(memory.i),
			borderWidth: 2,
			pointRadius: 0,
			pointStyle: 'line',
			order: 2,
		};
	}

	function pointsOf(group, memory) {
		const data = group.lines
			.filter(({design}) => design.intensity[memory.name] > 0 && design.reached_gops > 0)
			.map(({design, full}) => ({
				x: design.intensity[memory.name],
				y: design.reached_gops,
				name: full,
				design,
			}));
		return {
			type: 'scatter',
			label: memory.name,
			data,
			backgroundColor: dse.series(memory.i) + 'cc',
			borderWidth: 0,
			radius: 4,
			hoverRadius: 6,
			pointStyle: FILLS[memory.i % FILLS.length],
			order: 1,
		};
	}

	function config(group) {
		const [from, to] = range(group);
		const shown = shownMemories(group.roof);
		return {
			type: 'scatter',
			data: {
				datasets: [
					...shown.map((memory) => roofOf(group, memory, [from, to])),
					...shown.map((memory) => pointsOf(group, memory)),
				],
			},
			options: {
				parsing: false,
				interaction: {mode: 'nearest', intersect: true},
				scales: {
					x: {
						type: 'logarithmic',
						min: from,
						max: to,
						title: {text: 'intensity (operations per byte)'},
					},
					y: {
						type: 'logarithmic',
						title: {text: 'operations (GOP/s)'},
						max: group.roof.compute_gops * 1.6,
					},
				},
				plugins: {
					legend: {
						labels: {
							usePointStyle: true,
							filter: (item, data) =>
								data.datasets[item.datasetIndex].type === 'line',
						},
					},
					tooltip: {
						filter: (item) => item.raw.name !== undefined,
						callbacks: {
							title: (items) => (items.length ? items[0].raw.name : ''),
							label: ({raw, dataset}) => [
								`${dse.quantity(raw.y, 'GOP/s')} at ${dse.number(raw.x)} operations per byte of ${dataset.label}`,
								`${dse.number((100 * raw.y) / group.roof.compute_gops, 3)} % of the arrays` +
									(raw.design.bound
										? `, bound by ${raw.design.bound}`
										: ''),
							],
						},
					},
				},
			},
		};
	}

	function figureOf(group, is_alone) {
		const axes = Object.entries(group.machine.axes || {})
			.map(([name, value]) => `${name} ${value}`)
			.join(', ');
		return dse.figure({
			title: `Roofline, ${group.machine.name}${axes ? ' with ' + axes : ''}${group.roof.level ? ', ' + group.roof.level : ''}`,
			wide: is_alone,
			height: 340,
			note: `Arrays ${dse.quantity(group.roof.compute_gops, 'GOP/s')}; ${dse.plural(group.lines.length, 'layer')}, once per memory.`,
			config: () => config(group),
			table: () => ({
				columns: [
					'layer',
					'GOP/s',
					...memories(group.roof).map(({name}) => `operations per byte of ${name}`),
				],
				rows: group.lines.map(({design, full}) => [
					full,
					design.reached_gops,
					...memories(group.roof).map((memory) => design.intensity[memory.name]),
				]),
			}),
		});
	}

	// Into an element; returns what draws them anew.
	dse.rooflines = function (parent) {
		const bar = dse.el('div', {class: 'controls wide'});
		let figures = [];
		parent.append(bar);
		return function redraw() {
			figures.forEach((figure) => figure.remove());
			const found = groups();
			const names = [...new Set(found.flatMap(({roof}) => memories(roof).map(({name}) => name)))];
			bar.replaceChildren(
				...(found.length === 0
					? [
							dse.missing(
								'No rooflines: the roofs of this machine or the bytes of its layers are not known.',
							),
						]
					: [
							dse.choice(
								'Rooflines of',
								[
									['', 'all memories'],
									...names.map((name) => [name, name]),
								],
								view.memory,
								(value) => {
									view.memory = value;
									redraw();
								},
							),
						]),
			);
			figures = found.map((group) => figureOf(group, found.length === 1));
			parent.append(...figures.map((figure) => figure.element));
			figures.forEach((figure) => figure.redraw());
		};
	};
})();
