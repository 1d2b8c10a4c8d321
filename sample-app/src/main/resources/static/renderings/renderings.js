import { $, badge, element, keyed, seconds, setText } from "../board/dom.js";

const PERIOD_MILLIS = 500;
const COLORS = 4;

/** For so long a permit may have a short lease at first. */
const FIRST_LEASE_MILLIS = 2000;

const WORDS = { IDLE: "not asked for", WAITING: "waits for a permit", RENDERING: "rendering on", DONE: "done by", LOST: "lost with" };

const colors = new Map();

function colorOf(instance) {
	if (!colors.has(instance)) {
		colors.set(instance, colors.size % COLORS);
	}
	return colors.get(instance);
}

function show({ permits, leaseMillis, inUse, renderings }) {
	setText($("in-use"), `${inUse.length} of ${permits} permits in use`);
	const slots = [...inUse].sort((one, other) => one.instance.localeCompare(other.instance) || other.heldForMillis - one.heldForMillis);
	while (slots.length < permits) {
		slots.push({});
	}
	const shown = slots.map((permit, index) => ({ ...permit, index, leaseMillis, renewed: isRenewed(permit, leaseMillis) }));
	keyed($("permits"), shown, ({ index }) => String(index), createPermit, updatePermit);
	keyed($("pictures"), renderings, ({ picture }) => String(picture), createPicture, updatePicture);
	const atWork = new Map(renderings.filter(({ state }) => state === "RENDERING").map((rendering) => [rendering.process, rendering]));
	keyed($("at-work"), [...atWork.values()], ({ process }) => String(process), createKill, () => {});
}

/** A lease is renewed at every third of it. */
function isRenewed({ heldForMillis, remainingLeaseMillis }, leaseMillis) {
	return heldForMillis < FIRST_LEASE_MILLIS || remainingLeaseMillis > leaseMillis / 2;
}

function createPermit() {
	const bar = element("div", "lease", element("div", "left"));
	bar.setAttribute("aria-hidden", "true");
	return element("li", "permit", element("div", "who"), bar, element("div", "rest"));
}

function updatePermit(node, { instance, remainingLeaseMillis, leaseMillis, renewed }) {
	const [who, bar, rest] = node.children;
	showBadge(who, instance);
	node.dataset.state = !instance ? "free" : renewed ? "renewed" : "not-renewed";
	bar.firstChild.style.transform = `scaleX(${instance ? Math.min(1, remainingLeaseMillis / leaseMillis).toFixed(3) : 0})`;
	setText(rest, !instance ? "free" : renewed ? `${seconds(remainingLeaseMillis)} left, renewed`
		: `not renewed: free in ${seconds(remainingLeaseMillis)}`);
}

function createPicture({ picture }) {
	return element("li", "picture", element("b", "", `Picture ${picture}`), element("span", "state"), element("span", "by"));
}

function updatePicture(node, { state, instance }) {
	node.dataset.state = state;
	setText(node.children[1], WORDS[state]);
	showBadge(node.children[2], instance);
}

/** Shows who it is, or nobody. */
function showBadge(parent, instance) {
	if (parent.textContent !== (instance ?? "")) {
		parent.replaceChildren(...(instance ? [badge(instance, colorOf(instance))] : []));
	}
}

function createKill({ instance, process }) {
	return element("li", "", badge(instance, colorOf(instance)), element("code", "", `kill -9 ${process}`));
}

function say(text, good) {
	setText($("answer"), text);
	$("answer").classList.toggle("good", good);
	$("answer").classList.toggle("bad", !good);
}

async function look() {
	try {
		const response = await fetch("renderings", { headers: { Accept: "application/json" } });
		const body = await response.json();
		if (response.ok) {
			show(body);
			say("Live.", true);
		}
		else {
			say(`No answer from Redis: ${body.detail ?? body.title ?? response.status}`, false);
		}
	}
	catch {
		say("The instance of this page does not answer; trying again.", false);
	}
	setTimeout(look, PERIOD_MILLIS);
}

async function start() {
	$("start").disabled = true;
	try {
		const response = await fetch("renderings", { method: "POST" });
		setText($("started"), response.ok ? "All eight wait now. Every instance looks for them twice a second." : `Not started: the answer was ${response.status}`);
	}
	catch (error) {
		setText($("started"), `Not started: ${error.message}`);
	}
	$("start").disabled = false;
}

$("start").addEventListener("click", start);
look();
