/* global Chart */
import { $ } from "./dom.js";

const charts = new Map();

export function showCharts(known) {
	show("waits", "waits", known);
	show("holds", "holds", known);
}

function show(id, figure, known) {
	const counts = known.map(({ figures }) => figures[figure]);
	const state = JSON.stringify([known.map(({ instance }) => instance), counts]);
	const chart = charts.get(id) ?? create(id);
	if (known.length === 0 || chart.state === state) {
		return;
	}
	chart.state = state;
	chart.data.labels = labels(known[0].figures.boundsMillis);
	chart.data.datasets = known.map(({ instance, color }, index) => ({ label: instance, data: counts[index], color }));
	paint(chart);
	describe(chart, figure);
}

function create(id) {
	const chart = new Chart($(id), {
		type: "bar",
		data: { labels: [], datasets: [] },
		options: {
			maintainAspectRatio: false,
			animation: matchMedia("(prefers-reduced-motion: reduce)").matches ? false : { duration: 200 },
			scales: {
				x: { stacked: true, grid: { display: false }, ticks: { maxRotation: 60, autoSkip: false }, title: { display: true, text: "shorter than" } },
				y: { stacked: true, beginAtZero: true, suggestedMax: 5, ticks: { precision: 0, maxTicksLimit: 6 } },
			},
			plugins: { legend: { position: "top", align: "end", labels: { boxWidth: 12, boxHeight: 12 } } },
		},
	});
	charts.set(id, chart);
	return chart;
}

function labels(bounds) {
	return [...bounds.map((millis) => (millis < 100 ? `${millis} ms` : `${millis / 1000} s`)), "more"];
}

function paint(chart) {
	for (const dataset of chart.data.datasets) {
		dataset.backgroundColor = resolved(`--instance-${dataset.color}`);
		dataset.maxBarThickness = 36;
	}
	const { x, y } = chart.options.scales;
	x.ticks.color = y.ticks.color = x.title.color = resolved("--soft");
	y.grid = { color: resolved("--line") };
	x.border = y.border = { color: resolved("--line") };
	chart.options.plugins.legend.labels.color = resolved("--ink");
	chart.update();
}

function describe(chart, figure) {
	const total = chart.data.labels.map((label, index) => [label,
		chart.data.datasets.reduce((sum, { data }) => sum + data[index], 0)]);
	const words = total.filter(([, count]) => count > 0).map(([label, count]) => `${count} ${label === "more" ? "longer" : `under ${label}`}`);
	chart.canvas.setAttribute("aria-label", words.length > 0 ? `${figure}: ${words.join(", ")}` : `No ${figure} yet`);
}

/** A custom property as the colour it stands for in the present scheme. */
function resolved(property) {
	document.body.style.setProperty("outline-color", `var(${property})`);
	const color = getComputedStyle(document.body).outlineColor;
	document.body.style.removeProperty("outline-color");
	return color;
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => charts.forEach(paint));
