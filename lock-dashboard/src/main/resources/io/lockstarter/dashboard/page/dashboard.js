import { $, element, setText } from "./dom.js";
import { openDrawer, showDrawer, showTroubles } from "./drawer.js";
import { instancesOf, showInstances, total } from "./instances.js";
import { forgetLeases, merge } from "./locks.js";
import { Source } from "./polling.js";
import { Sparkline } from "./sparkline.js";
import { assess } from "./status.js";
import { Stream } from "./stream.js";
import { showTable } from "./table.js";
import { count, duration } from "./words.js";

const TICK_MILLIS = 500;

const instance = new Source("api/instance", 5000, show);
const cluster = new Source("api/cluster", 20_000, keepLastGood);
const stream = new Stream("api/events", { instance, cluster });

/** The instances that have answered, of which a load balancer may have chosen several. */
const answering = new Set();

const heldLine = new Sparkline($("held-line"), "Held");
const waitingLine = new Sparkline($("waiting-line"), "Waiting instances");

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
	const instances = instancesOf(cluster.lastGood, locks);
	showInstances(instances, cluster.lastGood, status);
	showSummary(status, instances);
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
	stream.open(query);
	heldLine.reset();
	waitingLine.reset();
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

function showSummary(status, instances) {
	const known = cluster.lastGood !== null;
	const more = cluster.lastGood?.data.locks.next ? "+" : "";
	const sum = (figure) => locks.reduce((whole, lock) => whole + figure(lock), 0);
	const longest = (all) => {
		const millis = Math.max(0, ...all);
		return millis > 0 ? duration(millis) : "none";
	};
	const held = sum(({ holders }) => holders.length);
	const waiting = sum(({ waitingInstances }) => waitingInstances ?? 0);
	setText($("held"), known ? `${held}${more}` : "?");
	setText($("waiting"), known ? `${waiting}${more}` : "?");
	heldLine.note(status.cluster ? held : null);
	waitingLine.note(status.cluster ? waiting : null);
	setText($("longest-hold"), known ? longest(locks.map(({ longestHold }) => longestHold)) : "?");
	const heard = instance.data !== null;
	const here = sum(({ queue }) => queue.length);
	const telling = status.cluster ? instances.filter(({ tells, own, silent }) => tells && !own && !silent) : [];
	const on = telling.length > 0 ? `on ${telling.length + 1} instances that tell` : "on this instance";
	const requests = total(telling, here, (one) => one.waiting).reduce((one, other) => one + other, 0);
	setText($("waiting-hint"), heard ? `instances; ${count(here, "request", "requests")} on this one${telling.length > 0 ? `, ${requests} on all that tell` : ""}` : "instances");
	setText($("longest-wait"), heard ? longest(total(telling, locks.map(({ longestWait }) => longestWait), (one) => one.longestWaitMillis)) : "?");
	setText($("longest-wait-hint"), on);
	showLosses(instances);
}

/** What an instance has lost it has lost, silent or not. */
function showLosses(instances) {
	if (!instance.data) {
		return;
	}
	const lost = total(instances, instance.data.lost, (one) => one.lost);
	const all = lost.reduce((one, other) => one + other, 0);
	setText($("lost"), String(all));
	$("lost").classList.toggle("bad", all > 0);
	setText($("lost-hint"), lost.length > 1 ? `in the last hour, by ${lost.length} instances` : "in the last hour, by this instance");
}

function open(key) {
	const lock = locks.find((one) => one.key === key);
	if (lock) {
		openDrawer(lock, $("registry").value);
		show();
	}
}

function look() {
	if (document.hidden) {
		stream.close();
	}
	else {
		instance.start();
		cluster.start();
		stream.open();
		show();
	}
}

$("filter").addEventListener("submit", (event) => event.preventDefault());
$("filter").addEventListener("input", show);
$("registry").addEventListener("change", choose);
document.addEventListener("visibilitychange", look);
setInterval(() => !document.hidden && show(), TICK_MILLIS);
look();
