import { $, badge, element, keyed, seconds, setText } from "./dom.js";

const WATCHDOG = {
	renewing: "renewed while held",
	failing: "renewals are failing",
	fixed_lease: "fixed lease",
	stopped: "not renewed any more",
};

/** A lease that ends later than it did before by more than this was renewed. */
const JUMP_MILLIS = 500;

export function showLocks(known) {
	const locks = byName(known);
	keyed($("locks"), locks, ({ name }) => name, createLock, updateLock);
	$("no-locks").hidden = locks.length > 0;
}

function byName(known) {
	const locks = new Map();
	const lockOf = (name) => {
		if (!locks.has(name)) {
			locks.set(name, { name, holders: [], waiters: [] });
		}
		return locks.get(name);
	};
	for (const { instance, color, silent, age, takenAt, leaseMillis, locks: { held, waiting } } of known) {
		for (const hold of held) {
			const remaining = hold.remainingLeaseMillis - age;
			// What a silent instance held lasts until its lease ends, renewed or not
			if ((!silent || remaining > 0) && !isOutdated(hold, instance, takenAt, known)) {
				lockOf(hold.name).holders.push({ ...hold, instance, color, silent, remaining, leaseMillis });
			}
		}
		for (const request of silent ? [] : waiting) {
			lockOf(request.name).waiters.push({ ...request, instance, color });
		}
	}
	return [...locks.values()].sort((one, other) => one.name.localeCompare(other.name));
}

/**
 * Snapshots are taken at different moments: one that tells of a hold is outdated once another instance tells that it got
 * the lock after that snapshot. Where a newer one tells of the hold all the same, both are shown.
 */
function isOutdated({ name, type, permits }, instance, takenAt, known) {
	return type !== "read" && permits === 1 && known.some((other) => other.instance !== instance && other.locks.held.some((hold) =>
		hold.name === name && Date.parse(hold.since) >= Date.parse(takenAt)));
}

function createLock({ name }) {
	const node = element("li", "lock", element("h3", "", name), element("ul", "holders"), element("p", "none", "No instance says that it holds this lock."),
		element("div", "waiters", element("span", "count"), element("ul")));
	node.dataset.lock = name;
	return node;
}

function updateLock(node, { name, holders, waiters }) {
	const [heading, holderList, free, waiting] = node.children;
	const permits = Math.max(1, ...holders.map((holder) => holder.permits));
	setText(heading, permits > 1 ? `${name}: ${holders.length} of ${permits}` : name);
	keyed(holderList, holders, ({ instance, fencingToken }) => `${instance} ${fencingToken}`, createHolder, updateHolder);
	free.hidden = holders.length > 0;
	waiting.hidden = waiters.length === 0;
	setText(waiting.firstChild, `${waiters.length} ${waiters.length === 1 ? "waits" : "wait"}`);
	keyed(waiting.lastChild, waiters, ({ instance, owner }) => `${instance} ${owner}`, createWaiter, updateWaiter);
}

function createHolder({ instance, color, owner, fencingToken }) {
	const bar = element("div", "lease", element("div", "left"));
	bar.setAttribute("aria-hidden", "true");
	const node = element("li", "holder",
		element("div", "who", badge(instance, color), element("span", "owner", owner)),
		bar,
		element("div", "facts", element("strong", "remaining"), element("span", "watchdog"), element("span", "token", `token ${fencingToken}`)));
	Object.assign(node.dataset, { instance, owner, token: fencingToken });
	return node;
}

function updateHolder(node, { remaining, leaseMillis, watchdog, silent }) {
	const full = watchdog === "fixed_lease" ? Math.max(remaining, Number(node.dataset.full ?? 0)) : leaseMillis;
	const left = node.querySelector(".left");
	const renewed = remaining > Number(node.dataset.remaining ?? Infinity) + JUMP_MILLIS;
	Object.assign(node.dataset, { full, remaining, watchdog });
	node.classList.toggle("stale", silent);
	left.style.transition = renewed ? "none" : "";
	left.style.transform = `scaleX(${Math.max(0, Math.min(1, remaining / full)).toFixed(3)})`;
	if (renewed) {
		node.dataset.renewals = Number(node.dataset.renewals ?? 0) + 1;
		left.parentNode.classList.remove("renewed");
		void left.offsetWidth;
		left.parentNode.classList.add("renewed");
	}
	setText(node.querySelector(".remaining"), `${seconds(remaining)} left`);
	setText(node.querySelector(".watchdog"), silent ? "its instance is silent" : WATCHDOG[watchdog] ?? watchdog);
}

function createWaiter({ instance, color, owner }) {
	const node = element("li", "", badge(instance, color));
	node.title = owner;
	Object.assign(node.dataset, { instance, owner });
	return node;
}

function updateWaiter(node, { position }) {
	node.dataset.position = position;
	setText(node.firstChild, `${node.dataset.instance} ${position}`);
}
