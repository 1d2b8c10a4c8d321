import { $, badge, element, keyed, onPress, say, seconds, setText } from "../common/dom.js";
import { every, get, post } from "../common/http.js";

const PERIOD_MILLIS = 500;

/** Time after a grant in which the lease may be short: 2 s. */
const FIRST_LEASE_MILLIS = 2000;

const WORDS = { IDLE: "not requested", WAITING: "waits for a permit", RENDERING: "rendering on", DONE: "done by", LOST: "lost with" };

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

/** Returns whether a permit is renewed. Renewals are due when a third of the lease has passed. */
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

/** Shows the badge of an instance, or nothing. */
function showBadge(parent, instance) {
	if (parent.textContent !== (instance ?? "")) {
		parent.replaceChildren(...(instance ? [badge(instance)] : []));
	}
}

function createKill({ instance, process }) {
	return element("li", "", badge(instance), element("code", "", `kill -9 ${process}`));
}

async function refresh() {
	try {
		show(await get("renderings"));
		say($("connection"), "Live.", true);
	}
	catch (error) {
		say($("connection"), error.message, false);
	}
}

async function start() {
	try {
		await post("renderings");
		say($("started"), "All eight are waiting. Every instance checks for waiting pictures twice a second.", true);
	}
	catch (error) {
		say($("started"), `Not started. ${error.message}`, false);
	}
}

onPress($("start"), start);
every(PERIOD_MILLIS, refresh);
