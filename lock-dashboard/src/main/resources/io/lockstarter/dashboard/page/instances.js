import { $, element, keyed, setText } from "./dom.js";
import { clock, duration } from "./words.js";

/** The instances that tell of themselves, and those of which only their locks in Redis tell. */
export function instancesOf(lastGood, locks) {
	if (!lastGood) {
		return [];
	}
	const age = performance.now() - lastGood.askedAt;
	const all = lastGood.data.roll.instances.map(({ report, own, heardMillis, silent }) =>
		({ ...report, key: report.id, own, silent, tells: true, age: age + heardMillis }));
	const names = new Set(all.map(({ instance }) => instance));
	const mute = new Map();
	for (const { instance, stale } of locks.flatMap(({ holders }) => holders)) {
		if (!names.has(instance) && !stale) {
			mute.set(instance, (mute.get(instance) ?? 0) + 1);
		}
	}
	mute.forEach((held, instance) => all.push({ key: `mute ${instance}`, instance, held, own: false, silent: false, tells: false }));
	return all.sort((one, other) => other.silent - one.silent || one.instance.localeCompare(other.instance));
}

/** Adds up what instances tell of themselves, with what is known better of this one. */
export function total(instances, own, figure) {
	return instances.filter(({ tells, own: here }) => tells && !here).map(figure).concat(own);
}

export function showInstances(instances, lastGood, status) {
	keyed($("instance-rows"), instances, ({ key }) => key, createRow, (row, instance) => updateRow(row, instance, status));
	const refusal = lastGood?.data.roll.refusal;
	const notes = [];
	if (!lastGood) {
		notes.push("Nothing is known yet.");
	}
	else if (refusal) {
		notes.push(`Other instances cannot be asked how they are: ${refusal}.`);
	}
	if (lastGood && !status.cluster) {
		notes.push(`This is from ${clock(lastGood.receivedOn)}.`);
	}
	setText($("instances-note"), notes.join(" "));
}

function createRow({ instance }) {
	const cell = (label, className) => {
		const node = element("td", className);
		node.setAttribute("role", "cell");
		node.dataset.label = label;
		return node;
	};
	const row = element("tr", "", cell("Instance", "who"), cell("Version", "version"), cell("Up since", "up"), cell("Holds", "holds"), cell("Waits for", "waits"), cell("Lost in the last hour", "losses"));
	row.firstChild.append(element("b", "", instance), " ", element("span", "state"));
	row.setAttribute("role", "row");
	row.dataset.name = instance;
	return row;
}

function updateRow(row, { version, upMillis, held, waiting, longestWaitMillis, longestHoldMillis, lost, own, silent, tells, age }, status) {
	const figures = (number, longest) => (tells ? `${number}${number > 0 ? `, the longest for ${duration(longest)}` : ""}` : "not told");
	row.classList.toggle("stale", silent);
	row.querySelector(".state").classList.toggle("bad", silent);
	setText(row.querySelector(".state"), state(own, silent, tells, age, status));
	setText(row.querySelector(".version"), tells ? version ?? "none" : "not told");
	setText(row.querySelector(".up"), tells ? since(upMillis + age) : "not told");
	setText(row.querySelector(".holds"), tells ? figures(held, longestHoldMillis) : String(held));
	setText(row.querySelector(".waits"), figures(waiting, longestWaitMillis));
	setText(row.querySelector(".losses"), tells ? String(lost) : "not told");
	row.querySelector(".losses").classList.toggle("bad", lost > 0);
}

function state(own, silent, tells, age, status) {
	if (silent) {
		return `silent since ${clock(new Date(Date.now() - age))}: it has ended, stands still, or does not reach Redis`;
	}
	if (!tells) {
		return "tells nothing of itself; Redis knows what it holds";
	}
	return own && status.instance ? "answers this page" : "";
}

function since(millis) {
	return new Date(Date.now() - millis).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
}
