import { $, createHeads, createRow, list, setText } from "./dom.js";
import { clockBefore, duration, incident, isForced, isLoss } from "./words.js";

const INSTANCE_CELLS = [["Instance", "name-cell"], ["State", "state"], ["Version", "version"], ["Up since", "since"], ["Holds", "number"], ["Longest hold", "number"], ["Waiting", "number"], ["Longest wait", "number"], ["Lost in 1 h", "number"]];

const INCIDENT_CELLS = [["Time", "time"], ["Instance", ""], ["Lock", "name-cell"], ["Incident", "what"]];

$("instance-heads").append(...createHeads(INSTANCE_CELLS));
$("incident-heads").append(...createHeads(INCIDENT_CELLS));

/** Shows the instances as they were at a time. */
export function showInstances(instances, time) {
	list($("instance-rows"), instances, () => createRow(INSTANCE_CELLS), (row, instance) => updateInstance(row, instance, time));
	$("instances").classList.toggle("versionless", instances.every(({ version }) => !version));
}

function updateInstance(row, instance, time) {
	row.dataset.name = instance.instance;
	row.dataset.level = instance.state === "unresponsive" ? "WARNING" : "GOOD";
	row.classList.toggle("stale", instance.state === "unresponsive" || instance.state === "outdated");
	const reported = instance.state !== "unreported";
	const texts = [instance.instance, state(instance, time), instance.version ?? "", reported ? startOf(instance, time) : "", String(instance.held), instance.held > 0 ? duration(instance.longestHoldMillis) : "",
		reported ? String(instance.requests) : "", reported && instance.requests > 0 ? duration(instance.longestWaitMillis) : "", reported ? String(instance.lost) : ""];
	texts.forEach((text, index) => setText(row.children[index], text));
	row.lastChild.classList.toggle("bad", instance.lost > 0);
}

const startOf = ({ upMillis }, time) => new Date(time - upMillis).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });

function state({ state: name, ageMillis }, time) {
	switch (name) {
		case "own": return "Serves this page";
		case "running": return "Running";
		case "unresponsive": return `No reply since ${clockBefore(time, ageMillis)}`;
		case "outdated": return `Last report at ${clockBefore(time, ageMillis)}`;
		default: return "Holds locks, sends no reports";
	}
}

/** Shows incidents with their ages at a time. */
export function showIncidents(parent, incidents, time) {
	list(parent, incidents, () => createRow(INCIDENT_CELLS), (row, one) => {
		[clockBefore(time, one.agoMillis), one.instance, one.name, incident(one)].forEach((text, index) => setText(row.children[index], text));
		row.dataset.level = isForced(one) ? "WARNING" : isLoss(one) ? "BAD" : "GOOD";
	});
}
