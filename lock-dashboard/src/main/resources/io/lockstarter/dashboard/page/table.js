import { $, element, keyed, setText } from "./dom.js";
import { count, duration, renewal } from "./words.js";

/** How many other instances a row names on which somebody waits; the drawer has all. */
const MOST_INSTANCES = 3;

/** Shows the locks that pass the filter; a click on a name opens one. */
export function showTable(locks, filter, open) {
	const shown = locks.filter((lock) => passes(lock, filter));
	keyed($("rows"), shown, ({ key }) => key, (lock) => createRow(lock, open), updateRow);
	return shown.length;
}

/** What opens a lock, as long as the table shows it. */
export function opener(key) {
	return [...$("rows").children].find((row) => row.dataset.key === key)?.querySelector(".name");
}

function passes(lock, { text, troubleOnly }) {
	if (troubleOnly && lock.trouble.words.length === 0) {
		return false;
	}
	const words = [lock.name, lock.group ?? "", ...lock.holders.map(({ instance, thread }) => `${instance}/${thread}`), ...lock.queue.map(({ thread }) => thread), ...lock.elsewhere.map(({ instance, thread }) => `${instance}/${thread}`)];
	return words.some((word) => word.toLowerCase().includes(text));
}

function createRow({ key, name }, open) {
	const button = element("button", "name", name);
	button.type = "button";
	button.setAttribute("aria-haspopup", "dialog");
	button.addEventListener("click", () => open(key));
	const row = element("tr", "",
		cell("Lock", button, element("span", "group"), element("span", "permits"), element("strong", "trouble")),
		cell("Held by", element("ul", "plain holders"), element("span", "none free")),
		cell("Waiting", element("span", "waiters")));
	row.setAttribute("role", "row");
	row.dataset.lock = name;
	return row;
}

function cell(label, ...content) {
	const node = element("td", "", ...content);
	node.setAttribute("role", "cell");
	node.dataset.label = label;
	return node;
}

function updateRow(row, lock) {
	row.classList.toggle("troubled", lock.trouble.words.length > 0);
	setText(row.querySelector(".group"), groupName(lock));
	setText(row.querySelector(".permits"), lock.permits > 1 ? `${lock.holders.length} of ${lock.permits} permits in use` : "");
	setText(row.querySelector(".trouble"), lock.trouble.words.join(", "));
	showHolders(row.querySelector(".holders"), lock.holders);
	setText(row.querySelector(".free"), lock.holders.length === 0 ? "no holder was seen" : "");
	setText(row.querySelector(".waiters"), waiters(lock));
	row.lastChild.classList.toggle("stale", lock.stale === true);
}

/** The method, as far as the lock's name does not tell it. */
function groupName({ name, group }) {
	if (group === null || name.startsWith(group)) {
		return "";
	}
	return group === "programmatic" ? "locked in code, not by an annotation" : group;
}

export function showHolders(list, holders) {
	keyed(list, holders, ({ instance, token, thread }) => `${instance} ${token} ${thread}`, createHolder, updateHolder);
}

function createHolder({ instance, thread, token }) {
	const bar = element("div", "lease", element("div", "left"));
	bar.setAttribute("aria-hidden", "true");
	const node = element("li", "holder",
		element("span", "who", element("b", "", instance), ` ${thread}`),
		element("span", "held"), bar, element("span", "remaining"), element("span", "token", `token #${token}`));
	Object.assign(node.dataset, { instance, thread, token });
	return node;
}

function updateHolder(node, { heldFor, remaining, full, watchdog, stale }) {
	const over = remaining <= 0;
	node.classList.toggle("stale", stale);
	node.classList.toggle("bad", over || watchdog === "failing" || watchdog === "stopped");
	setText(node.querySelector(".held"), `${stale ? "was held" : "held"} for ${duration(heldFor)}`);
	node.querySelector(".left").style.transform = `scaleX(${Math.max(0, Math.min(1, remaining / full)).toFixed(3)})`;
	const lease = over ? "its lease has run out unless it was renewed" : `lease ends in ${duration(remaining)}${stale ? " unless it was renewed" : ""}`;
	setText(node.querySelector(".remaining"), [lease, stale ? "" : renewal(watchdog)].filter(Boolean).join(", "));
}

function waiters({ waitingInstances, queue, elsewhere, stale }) {
	const parts = [];
	if (waitingInstances > 0) {
		parts.push(`${count(waitingInstances, "instance", "instances")} ${stale ? "waited" : waitingInstances === 1 ? "waits" : "wait"}`);
	}
	if (queue.length > 0) {
		parts.push(longest("this one", queue));
	}
	const others = Map.groupBy(elsewhere, ({ instance }) => instance);
	[...others].slice(0, MOST_INSTANCES).forEach(([instance, requests]) => parts.push(longest(instance, requests)));
	if (others.size > MOST_INSTANCES) {
		parts.push(`and on ${others.size - MOST_INSTANCES} more`);
	}
	return parts.join("; ") || (stale || waitingInstances === null ? "not known" : "nobody");
}

function longest(where, [first, ...others]) {
	return `on ${where} ${first.thread}${first.stale ? ", when it was last heard of," : ""} for ${duration(first.waited)}${others.length > 0 ? ` and ${others.length} more` : ""}`;
}
