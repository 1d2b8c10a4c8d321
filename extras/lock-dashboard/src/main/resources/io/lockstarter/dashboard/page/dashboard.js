import { $, element, list, setText } from "./dom.js";
import { Drawer } from "./drawer.js";
import { showIncidents, showInstances } from "./instances.js";
import { Poll } from "./poll.js";
import { Sparkline } from "./sparkline.js";
import { LockTable } from "./table.js";
import { ago, clock, count, duration } from "./words.js";

const TICK_MILLIS = 500;
const LIMIT = 50;
const TYPING_MILLIS = 200;

const number = (value) => value.toLocaleString("en");

const lines = {
	held: new Sparkline($("held-line"), "Held", number),
	requests: new Sparkline($("waiting-line"), "Waiting", number),
	longestWaitMillis: new Sparkline($("wait-line"), "Longest wait", duration, 1000),
	longestHoldMillis: new Sparkline($("hold-line"), "Longest hold", duration, 1000),
	lost: new Sparkline($("lost-line"), "Lost", number),
};

const address = new URLSearchParams(location.search);
let metricName = address.get("metricName") ?? "";
let offset = 0;
$("text").value = address.get("q") ?? "";
$("troubled").checked = address.has("troubled");

const table = new LockTable(open, () => {
	showAddress();
	begin();
});
table.sortBy(address.get("sort"), address.has("descending"));
const poll = new Poll(query, show);
const drawer = new Drawer(registryParameter);

/** What the server is asked for. */
function query() {
	const parameters = new URLSearchParams({ sort: table.sort, descending: table.descending, offset, limit: LIMIT });
	const registry = registryParameter();
	const optional = { registry, q: $("text").value.trim(), metricName, troubled: $("troubled").checked ? "true" : "", pinned: table.pinned().join(",") };
	Object.entries(optional).filter(([, value]) => value).forEach(([name, value]) => parameters.set(name, value));
	return parameters;
}

function registryParameter() {
	return $("registry").options.length > 0 ? $("registry").value : address.get("registry") ?? "";
}

/** Shows other rows from now on. */
function begin() {
	offset = 0;
	table.forget();
	poll.now();
}

function show() {
	const state = poll.state();
	const { view } = poll;
	$("main").dataset.state = state;
	showHeadline(state, view);
	showUpdated(state, view);
	drawer.tell(state, poll.answeredOn);
	if (!view) {
		return;
	}
	showTiles(state === "live", view);
	showLocks(view);
	showChoice(view);
	showInstances(view.instances);
	showIncidents($("incident-rows"), view.incidents);
	setText($("no-incidents"), view.incidents.length > 0 ? "" : "Nothing.");
	drawer.show(view);
}

function showHeadline(state, view) {
	const [level, title, detail, since] = headline(state, view);
	$("headline").dataset.level = level;
	setText($("title"), title);
	setText($("since"), since);
	setText($("detail"), detail);
	$("detail").title = detail;
	$("login").hidden = state !== "logged-out";
	const problems = state === "live" && view ? view.problems : [];
	$("more").hidden = problems.length === 0;
	setText($("more").firstChild, problems.length > 1 ? `${problems.length} problems` : "Details");
	list($("problems"), problems, () => element("li", "", element("strong"), element("span", "soft")), (node, problem) => {
		node.dataset.level = problem.level;
		setText(node.firstChild, problem.title);
		setText(node.lastChild, ` ${problem.detail}`);
	});
	document.title = level === "GOOD" ? "Locks" : level === "unknown" ? "Locks …" : `(!) ${title}`;
}

function headline(state, view) {
	const then = poll.answeredOn ? `What is shown is from ${clock(poll.answeredOn)}.` : "Nothing is known.";
	switch (state) {
		case "logged-out":
			return ["BAD", "You are logged out", `Or you may not see this. ${then}`, ""];
		case "cut-off":
			return ["BAD", "This page is cut off", `${view?.instance ?? "The instance that serves it"} does not answer. ${then}`, poll.answeredOn ? `since ${clock(poll.answeredOn)}` : ""];
		case "connecting":
			return ["unknown", view ? "Connecting again…" : "Connecting…", view ? then : "", ""];
		default:
	}
	const [worst] = view.problems;
	if (worst) {
		return [worst.level, worst.title, worst.detail, Number.isFinite(worst.agoMillis) ? `since ${ago(worst.agoMillis)}` : ""];
	}
	const { held, requests, waitingInstances } = view.totals;
	const waiting = requests === 0 ? "Nobody waits" : `${count(requests, "request waits", "requests wait")} on ${count(waitingInstances, "instance", "instances")}`;
	return ["GOOD", "All well", held === 0 && requests === 0 ? "Nobody holds a lock." : `${waiting}.`, ""];
}

function showUpdated(state, view) {
	setText($("seen-by"), view ? `as ${view.instance} sees them` : "");
	setText($("updated"), poll.answeredOn ? `${state === "live" ? "Updated" : "Not updated since"} ${clock(poll.answeredOn)}` : "");
}

function showTiles(live, { totals }) {
	setText($("held"), number(totals.held));
	setText($("held-hint"), totals.held > 0 ? `${totals.held === 1 ? "hold" : "holds"} on ${count(totals.holdingInstances, "instance", "instances")}` : "locks");
	setText($("waiting"), number(totals.requests));
	setText($("waiting-hint"), totals.requests > 0 ? `on ${count(totals.waitingInstances, "instance", "instances")}` : "requests");
	setText($("wait"), totals.longestWaitMillis > 0 ? duration(totals.longestWaitMillis) : "–");
	setText($("hold"), totals.longestHoldMillis > 0 ? duration(totals.longestHoldMillis) : "–");
	setText($("lost"), number(totals.lost));
	$("lost").classList.toggle("bad", totals.lost > 0);
	Object.entries(lines).forEach(([name, line]) => line.note(live ? totals[name] : null));
}

function showLocks({ rows, pinned, matching, totals }) {
	if (rows.length === 0 && offset > 0 && matching > 0) {
		offset = Math.floor((matching - 1) / LIMIT) * LIMIT;
		poll.now();
		return;
	}
	const hidden = table.show(rows, pinned, LIMIT);
	setText($("kept"), hidden > 0 ? `${count(hidden, "other lock", "other locks")} when you leave the table` : "");
	const filtered = matching !== totals.locks ? ` of ${number(totals.locks)}` : "";
	setText($("range"), matching === 0 ? "" : rows.length === matching ? `${count(matching, "lock", "locks")}${filtered}` : `${offset + 1}–${offset + rows.length} of ${number(matching)}`);
	$("previous").disabled = offset === 0;
	$("next").disabled = offset + rows.length >= matching;
	$("previous").hidden = $("next").hidden = matching <= LIMIT && offset === 0;
	setText($("none"), $("rows").children.length > 0 ? "" : totals.locks > 0 ? `None of ${count(totals.locks, "lock", "locks")} passes the filter.` : "Nobody holds a lock or waits for one.");
	$("metric-name").hidden = metricName === "";
	setText($("metric-name"), `${metricName} ✕`);
	$("metric-name").setAttribute("aria-label", `Show all locks, not only those of ${metricName}`);
}

/** Lets one of several registries be chosen. */
function showChoice({ registries }) {
	const select = $("registry");
	if (registries.length !== select.options.length) {
		select.replaceChildren(...registries.map((name) => element("option", "", name)));
		select.value = address.get("registry") ?? registries[0];
		$("choice").hidden = registries.length === 0;
	}
}

function open(key, name) {
	drawer.open(key, name);
	drawer.show(poll.view);
}

/** Keeps the filter in the address, so that it can be passed on. */
function showAddress() {
	const shown = new URLSearchParams();
	Object.entries({ registry: $("registry").options.length > 0 ? $("registry").value : "", metricName, q: $("text").value.trim(), troubled: $("troubled").checked ? "true" : "",
		sort: table.isSorted() ? table.sort : "", descending: table.descending ? "true" : "" })
		.filter(([, value]) => value).forEach(([name, value]) => shown.set(name, value));
	history.replaceState(null, "", `${location.pathname}${shown.size > 0 ? `?${shown}` : ""}`);
}

let typing;
$("filter").addEventListener("submit", (event) => event.preventDefault());
$("filter").addEventListener("input", () => {
	clearTimeout(typing);
	typing = setTimeout(() => {
		showAddress();
		begin();
	}, TYPING_MILLIS);
});
$("metric-name").addEventListener("click", () => {
	metricName = "";
	showAddress();
	begin();
	$("text").focus();
});
$("previous").addEventListener("click", () => turn(-LIMIT));
$("next").addEventListener("click", () => turn(LIMIT));

function turn(rows) {
	offset = Math.max(0, offset + rows);
	table.forget();
	poll.now();
}

$("registry").addEventListener("change", () => {
	Object.values(lines).forEach((line) => line.reset());
	showAddress();
	begin();
});
document.addEventListener("visibilitychange", () => !document.hidden && poll.start());
setInterval(() => !document.hidden && poll.state() !== "live" && show(), TICK_MILLIS);
poll.start();
