import { $, badge, element, keyed, setText } from "./dom.js";

const SILENT_AFTER_MILLIS = 2000;
const FORGOTTEN_AFTER_MILLIS = 120_000;
const COLORS = 4;

const instances = new Map();

/** Takes note of a snapshot. */
export function hear(snapshot) {
	const known = instances.get(snapshot.instance);
	const color = known?.color ?? instances.size % COLORS;
	instances.set(snapshot.instance, { ...snapshot, color, heardAt: performance.now() });
}

/** What is known of each instance, with the age of that knowledge. */
export function all() {
	const now = performance.now();
	for (const [name, { heardAt }] of instances) {
		if (now - heardAt > FORGOTTEN_AFTER_MILLIS) {
			instances.delete(name);
		}
	}
	return [...instances.values()]
		.map((instance) => ({ ...instance, age: now - instance.heardAt, silent: now - instance.heardAt > SILENT_AFTER_MILLIS }))
		.sort((one, other) => one.instance.localeCompare(other.instance));
}

export function colorOf(name) {
	return instances.get(name)?.color ?? 0;
}

export function showInstances(known) {
	keyed($("instances"), known, ({ instance }) => instance, create, update);
}

function create({ instance, color }) {
	const row = element("tr");
	const name = element("th", "", badge(instance, color), element("small"));
	name.scope = "row";
	row.append(name, ...["held", "waiting", "renewals", "failed", "lost"].map((figure) => element("td", figure)));
	row.dataset.instance = instance;
	return row;
}

function update(row, { locks, figures, silent, age }) {
	row.classList.toggle("silent", silent);
	setText(row.querySelector("small"), silent ? `silent for ${Math.floor(age / 1000)} s` : "");
	const values = [silent ? "?" : locks.held.length, silent ? "?" : locks.waiting.length, figures.renewals, figures.failedRenewals, figures.losses];
	[...row.querySelectorAll("td")].forEach((cell, index) => setText(cell, String(values[index])));
	row.querySelector(".failed").classList.toggle("bad", figures.failedRenewals > 0);
	row.querySelector(".lost").classList.toggle("bad", figures.losses > 0);
}
