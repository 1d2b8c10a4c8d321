import { $, createRow, list, setText } from "./dom.js";
import { ago, clock, duration, incident, isForced, isLoss, moment } from "./words.js";

const INSTANCE_CELLS = [["Instance", "name-cell"], ["State", "state"], ["Version", "version"], ["Up since", "since"], ["Holds", "number"], ["Longest hold", "number"], ["Waits for", "number"], ["Longest wait", "number"], ["Lost in 1 h", "number"]];

const INCIDENT_CELLS = [["Time", "time"], ["Instance", ""], ["Lock", "name-cell"], ["What happened", "what"]];

export function showInstances(instances) {
	list($("instance-rows"), instances, () => createRow(INSTANCE_CELLS), updateInstance);
	$("instances").classList.toggle("versionless", instances.every(({ version }) => !version));
}

function updateInstance(row, one) {
	row.dataset.name = one.instance;
	row.dataset.level = one.state === "silent" ? "WARNING" : "GOOD";
	row.classList.toggle("stale", one.state === "silent" || one.state === "outdated");
	const told = one.state !== "unreported";
	const texts = [one.instance, state(one), one.version ?? "", told ? moment(one.upMillis) : "", String(one.held), one.held > 0 ? duration(one.longestHoldMillis) : "",
		told ? String(one.requests) : "", told && one.requests > 0 ? duration(one.longestWaitMillis) : "", told ? String(one.lost) : ""];
	texts.forEach((text, index) => setText(row.children[index], text));
	row.lastChild.classList.toggle("bad", one.lost > 0);
}

function state({ state: name, ageMillis }) {
	switch (name) {
		case "own": return "Answers this page";
		case "living": return "Running";
		case "silent": return `Does not answer since ${ago(ageMillis)}`;
		case "outdated": return `Last heard at ${ago(ageMillis)}`;
		default: return "Holds locks, reports nothing";
	}
}

export function showIncidents(parent, incidents) {
	list(parent, incidents, () => createRow(INCIDENT_CELLS), (row, one) => {
		[clock(new Date(Date.now() - one.agoMillis)), one.instance, one.name, incident(one)].forEach((text, index) => setText(row.children[index], text));
		row.dataset.level = isForced(one) ? "WARNING" : isLoss(one) ? "BAD" : "GOOD";
	});
}

