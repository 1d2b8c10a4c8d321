import { $, element, list, setText } from "./dom.js";
import { Drawer } from "./drawer.js";
import { showIncidents, showInstances } from "./instances.js";
import { Poll } from "./poll.js";
import { Sparkline } from "./sparkline.js";
import { LockTable } from "./table.js";
import { clock, clockBefore, count, day, duration } from "./words.js";

const TICK_MILLIS = 500;
const LIMIT = 50;
const TYPING_MILLIS = 200;

const number = (value) => value.toLocaleString("en");

const lines = {
	held: new Sparkline($("held-line"), "Holds", number),
	requests: new Sparkline($("waiting-line"), "Waiting", number),
	longestWaitMillis: new Sparkline($("wait-line"), "Longest wait", duration, 1000),
	longestHoldMillis: new Sparkline($("hold-line"), "Longest hold", duration, 1000),
	lost: new Sparkline($("lost-line"), "Lost", number),
};

const address = new URLSearchParams(location.search);
let metricName = address.get("metricName") ?? "";
let offset = 0;
$("text").value = address.get("q") ?? "";
$("problems-only").checked = address.has("problemsOnly");

const table = new LockTable(open, (sorted) => {
	showAddress();
	if (sorted) {
		reload();
	}
});
table.sortBy(address.get("sort"), address.has("descending"));
table.hide((address.get("hide") ?? "").split(","));
const poll = new Poll(query, show);
const drawer = new Drawer(registry);

/** Returns the parameters of a request for the view. */
function query() {
	return new URLSearchParams({ ...filled({ registry: registry(), ...filter(), pinned: table.pinned().join(",") }), sort: table.sort, descending: table.descending, offset, limit: LIMIT });
}

function filter() {
	return { q: $("text").value.trim(), metricName, problemsOnly: $("problems-only").checked ? "true" : "" };
}

const filled = (parameters) => Object.fromEntries(Object.entries(parameters).filter(([, value]) => value));

function registry() {
	return $("registry").options.length > 0 ? $("registry").value : address.get("registry") ?? "";
}

/** Requests other rows, from the first one on. */
function reload() {
	offset = 0;
	table.allowReordering();
	poll.requestNow();
}

function show() {
	const state = poll.state();
	const { view, updatedOn } = poll;
	$("main").dataset.state = state;
	showHeadline(state, view);
	showUpdate(state, view);
	drawer.showState(state, updatedOn);
	if (!view) {
		return;
	}
	showTiles(state === "live", view);
	showLocks(view);
	showRegistries(view);
	showInstances(view.instances, updatedOn);
	showIncidents($("incident-rows"), view.incidents, updatedOn);
	setText($("no-incidents"), view.incidents.length > 0 ? "" : "No incidents.");
	if (state !== "paused") {
		drawer.show(view);
	}
}

function showHeadline(state, view) {
	const [level, title, detail, since] = headline(state, view);
	$("headline").dataset.level = level;
	setText($("title"), title);
	setText($("since"), since);
	setText($("detail"), detail);
	$("login").hidden = state !== "logged-out";
	const problems = (state === "live" || state === "paused") && view ? view.problems : [];
	$("more").hidden = problems.length === 0;
	setText($("more").firstChild, count(problems.length, "alert", "alerts"));
	list($("problems"), problems, () => element("li", "", element("strong"), element("span", "soft")), (node, problem) => {
		node.dataset.level = problem.level;
		setText(node.firstChild, problem.title);
		setText(node.lastChild, ` ${problem.detail}`);
	});
	document.title = { GOOD: "Locks", unknown: "Locks …", PAUSED: "Locks (paused)" }[level] ?? `(!) ${title}`;
}

/** Returns the level, the title, the detail and the time of the headline. */
function headline(state, view) {
	const { updatedOn, pausedOn } = poll;
	const shown = updatedOn ? `The page shows the locks as they were at ${clock(updatedOn)}.` : "No locks were loaded.";
	switch (state) {
		case "logged-out":
			return ["BAD", "You are logged out", `Log in, or ask for access to this page. ${shown}`, ""];
		case "paused":
			return ["PAUSED", "Paused", `${poll.failed ? "The latest request failed. " : ""}${shown}`, `since ${clock(pausedOn)}`];
		case "cut-off":
			return ["BAD", "This page is cut off", `${view?.instance ?? "The instance that serves it"} does not reply. ${shown}`, updatedOn ? `since ${clock(updatedOn)}` : ""];
		case "connecting":
			return ["unknown", view ? "Reconnecting…" : "Connecting…", view ? shown : "", ""];
		default:
	}
	const [worst] = view.problems;
	if (worst) {
		return [worst.level, worst.title, worst.detail, Number.isFinite(worst.agoMillis) ? `since ${clockBefore(updatedOn, worst.agoMillis)}` : ""];
	}
	const { held, requests, waitingInstances } = view.totals;
	const waiting = requests === 0 ? "No request waits" : `${count(requests, "request waits", "requests wait")} on ${count(waitingInstances, "instance", "instances")}`;
	return ["GOOD", "All well", held === 0 && requests === 0 ? "Nobody holds a lock." : `${waiting}.`, ""];
}

function showUpdate(state, view) {
	setText($("served-by"), view ? [`served by ${view.instance}`, view.backend].filter(Boolean).join(" · ") : "");
	const live = state === "live";
	const texts = poll.updatedOn ? [live ? "Updated " : "Not updated since ", `${day(poll.updatedOn)}, `, clock(poll.updatedOn), live ? ", every second" : ""] : [];
	[...$("updated").children].forEach((part, index) => setText(part, texts[index] ?? ""));
	setText($("pause"), poll.pausedOn ? "Resume" : "Pause");
}

function showTiles(live, { totals }) {
	setText($("held"), number(totals.held));
	setText($("held-hint"), `on ${count(totals.holdingInstances, "instance", "instances")}`);
	setText($("waiting"), number(totals.requests));
	setText($("waiting-hint"), `on ${count(totals.waitingInstances, "instance", "instances")}`);
	setText($("wait"), totals.longestWaitMillis > 0 ? duration(totals.longestWaitMillis) : "–");
	setText($("hold"), totals.longestHoldMillis > 0 ? duration(totals.longestHoldMillis) : "–");
	setText($("lost"), number(totals.lost));
	$("wait").dataset.level = totals.waitLevel;
	$("hold").dataset.level = totals.holdLevel;
	$("lost").dataset.level = totals.lost > 0 ? "BAD" : "GOOD";
	Object.entries(lines).forEach(([name, line]) => line.add(live ? totals[name] : null));
}

function showLocks({ rows, pinned, matching, totals }) {
	if (rows.length === 0 && offset > 0 && matching > 0) {
		offset = Math.floor((matching - 1) / LIMIT) * LIMIT;
		poll.requestNow();
		return;
	}
	const omitted = table.show(rows, pinned, LIMIT);
	setText($("omitted"), omitted > 0 ? `${count(omitted, "more lock appears", "more locks appear")} when you leave the table` : "");
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

/** Shows the choice of registries if there are several. */
function showRegistries({ registries }) {
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

/** Writes the filter, the order and the columns to the address, so that users can share it. */
function showAddress() {
	const shown = new URLSearchParams(filled({ registry: $("registry").options.length > 0 ? $("registry").value : "", ...filter(),
		sort: table.isSorted() ? table.sort : "", descending: table.descending ? "true" : "", hide: [...table.hidden].join(",") }));
	history.replaceState(null, "", `${location.pathname}${shown.size > 0 ? `?${shown}` : ""}`);
}

let typing;
$("filter").addEventListener("submit", (event) => event.preventDefault());
["text", "problems-only"].forEach((id) => $(id).addEventListener("input", () => {
	clearTimeout(typing);
	typing = setTimeout(() => {
		showAddress();
		reload();
	}, TYPING_MILLIS);
}));
$("metric-name").addEventListener("click", () => {
	metricName = "";
	showAddress();
	reload();
	$("text").focus();
});
$("previous").addEventListener("click", () => turn(-LIMIT));
$("next").addEventListener("click", () => turn(LIMIT));

function turn(rows) {
	offset = Math.max(0, offset + rows);
	table.allowReordering();
	poll.requestNow();
}

$("registry").addEventListener("change", () => {
	Object.values(lines).forEach((line) => line.reset());
	showAddress();
	reload();
});
$("pause").addEventListener("click", () => poll.pausedOn ? poll.resume() : poll.pause());
document.addEventListener("click", ({ target }) => closeMenus((menu) => !menu.contains(target)));
document.addEventListener("keydown", ({ key }) => key === "Escape" && closeMenus(() => true));

/** Closes the open menus that fulfil a condition. */
function closeMenus(condition) {
	document.querySelectorAll("details.menu[open]").forEach((menu) => (menu.open = !condition(menu)));
}

document.addEventListener("visibilitychange", () => !document.hidden && !poll.pausedOn && poll.start());
setInterval(() => !document.hidden && !["live", "paused"].includes(poll.state()) && show(), TICK_MILLIS);
poll.start();
