import { $, element, setText } from "./dom.js";
import { openDrawer, showDrawer, showTroubles } from "./drawer.js";
import { forgetLeases, merge } from "./locks.js";
import { Source } from "./polling.js";
import { assess } from "./status.js";
import { showTable } from "./table.js";
import { count, duration } from "./words.js";

const TICK_MILLIS = 500;

const instance = new Source("api/instance", 5000, show);
const cluster = new Source("api/cluster", 20_000, keepLastGood);

/** The instances that have answered, of which a load balancer may have chosen several. */
const answering = new Set();

let locks = [];

/** An answer without locks, from an instance that cannot reach Redis, leaves the last that had some. */
function keepLastGood() {
	if (cluster.data?.locks && cluster.failure === null) {
		cluster.lastGood = { data: cluster.data, askedAt: cluster.askedAt, receivedOn: cluster.receivedOn };
	}
	show();
}

function show() {
	const status = assess(instance, cluster);
	$("main").dataset.instance = status.instance;
	$("main").dataset.cluster = status.cluster;
	showStatus(status);
	showChoice();
	locks = merge(instance, cluster.lastGood, status);
	forgetLeases(locks);
	const filter = { text: $("text").value.trim().toLowerCase(), troubleOnly: $("trouble-only").checked };
	const shown = showTable(locks, filter, open);
	setText($("none"), shown > 0 ? "" : nothing(status));
	showSummary(status);
	const troubles = instance.data?.troubles ?? [];
	showTroubles($("troubles"), troubles);
	setText($("no-troubles"), troubles.length > 0 ? "" : instance.data ? `Nothing${status.instance ? "" : ", when it was last heard of"}.` : "Nothing is known yet.");
	showDrawer(locks, { status, troubles, mayRelease: instance.data?.mayRelease === true });
}

/** Lets one of several registries be chosen. */
function showChoice() {
	const registries = instance.data?.registries ?? [];
	const select = $("registry");
	if (instance.data && registries.length !== select.options.length) {
		select.replaceChildren(...registries.map((name) => element("option", "", name)));
		$("choice").hidden = registries.length === 0;
	}
}

function choose() {
	const query = `?registry=${encodeURIComponent($("registry").value)}`;
	answering.clear();
	instance.reset(query);
	cluster.reset(query);
	show();
}

function showStatus(status) {
	$("status").dataset.state = status.state;
	setText($("status"), status.text);
	const notes = [];
	const page = cluster.lastGood?.data.locks;
	if (page?.next) {
		notes.push(`There are more locks than these ${page.locks.length}, which are the first that Redis told of.`);
	}
	if (page?.limitation) {
		notes.push(`Only locks that this instance knows are shown: ${page.limitation}`);
	}
	[instance, cluster].forEach(({ data }) => data?.instance && answering.add(data.instance));
	if (answering.size > 1) {
		notes.push(`Several instances have answered this page (${[...answering].sort().join(", ")}): what it tells of this instance is told of them by turns.`);
	}
	setText($("note"), notes.join(" "));
	$("note").hidden = notes.length === 0;
	document.title = status.state === "live" ? "Locks" : status.state === "connecting" ? "Locks …" : "Locks (!)";
}

/** Why the table is empty. */
function nothing(status) {
	if (locks.length > 0) {
		return `None of ${count(locks.length, "lock", "locks")} passes the filter.`;
	}
	if (!status.instance || !status.cluster) {
		return cluster.lastGood ? "Nobody held a lock when Redis was last heard of; who does now is not known." : "Who holds a lock is not known.";
	}
	return cluster.lastGood.data.locks.limitation ? "No lock that this instance knows is held." : "Nobody holds a lock.";
}

function showSummary(status) {
	const known = cluster.lastGood !== null;
	const more = cluster.lastGood?.data.locks.next ? "+" : "";
	const sum = (figure) => locks.reduce((total, lock) => total + figure(lock), 0);
	const most = (figure) => {
		const millis = Math.max(0, ...locks.map(figure));
		return millis > 0 ? duration(millis) : "none";
	};
	setText($("held"), known ? `${sum(({ holders }) => holders.length)}${more}` : "?");
	setText($("waiting"), known ? `${sum(({ waitingInstances }) => waitingInstances ?? 0)}${more}` : "?");
	setText($("longest-hold"), known ? most(({ longestHold }) => longestHold) : "?");
	const heard = instance.data !== null;
	const here = sum(({ queue }) => queue.length);
	setText($("waiting-hint"), heard ? `instances; ${count(here, "request", "requests")} on this one` : "instances");
	setText($("longest-wait"), heard ? most(({ longestWait }) => longestWait) : "?");
	setText($("lost"), heard ? String(instance.data.losses) : "?");
	$("lost").classList.toggle("bad", heard && instance.data.losses > 0);
	setText($("lost-hint"), heard ? `by this instance since ${new Date(instance.data.since).toLocaleString()}` : "by this instance");
}

function open(key) {
	const lock = locks.find((one) => one.key === key);
	if (lock) {
		openDrawer(lock, $("registry").value);
		show();
	}
}

function look() {
	if (!document.hidden) {
		instance.start();
		cluster.start();
		show();
	}
}

$("filter").addEventListener("submit", (event) => event.preventDefault());
$("filter").addEventListener("input", show);
$("registry").addEventListener("change", choose);
document.addEventListener("visibilitychange", look);
setInterval(() => !document.hidden && show(), TICK_MILLIS);
look();
