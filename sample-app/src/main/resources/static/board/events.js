import { $, badge, element, keyed } from "./dom.js";
import { colorOf } from "./instances.js";

const LENGTH = 60;
const WORDS = { FROZEN: "frozen", WRITTEN: "written", REFUSED: "refused", LOST: "lost", FAILING: "failing", RECOVERED: "recovered" };

const events = new Map();

export function hearEvents({ instance, events: heard }) {
	for (const event of heard) {
		const key = `${event.at} ${instance} ${event.number}`;
		if (!events.has(key)) {
			events.set(key, { ...event, instance, key });
		}
	}
}

export function showEvents() {
	const latest = [...events.values()].sort((one, other) => (one.at < other.at ? 1 : -1)).slice(0, LENGTH);
	events.clear();
	latest.forEach((event) => events.set(event.key, event));
	keyed($("events"), latest, ({ key }) => key, createEvent, () => {});
	showFencing(latest);
}

function createEvent({ at, instance, kind, lock, token, text }) {
	const node = element("li", kind.toLowerCase(), element("time", "", new Date(at).toLocaleTimeString()),
		badge(instance, colorOf(instance)), element("span", "text", element("b", "", lock), ` ${text}`));
	if (WORDS[kind]) {
		node.append(element("span", "kind", WORDS[kind]));
	}
	if (token) {
		node.dataset.token = token;
	}
	Object.assign(node.dataset, { kind, lock, instance });
	return node;
}

/** The story of the latest holder that froze: its token beside those of its successors. */
function showFencing(latest) {
	const frozen = latest.find(({ kind, lock }) => lock === "ledger" && kind === "FROZEN");
	const story = !frozen ? [] : latest.filter(({ lock, token, at }) => lock === "ledger" && token && at >= frozen.at).reverse();
	$("no-fencing").hidden = story.length > 0;
	keyed($("fencing"), story, ({ key }) => key, (event) => createStep(event, frozen.token), () => {});
}

function createStep({ kind, instance, token, text }, frozenToken) {
	const stale = token === frozenToken;
	const node = element("li", kind.toLowerCase(), badge(instance, colorOf(instance)), element("span", "text", words(kind, stale, text)),
		element("code", "", ...digits(token, frozenToken)));
	Object.assign(node.dataset, { kind, token, instance });
	return node;
}

function words(kind, stale, text) {
	switch (kind) {
		case "FROZEN": return `holds the lock and ${text}`;
		case "LOST": return "has lost the lock, but sleeps and does not know";
		case "WRITTEN": return stale ? "woke and wrote; nobody else had, so the store took it" : "holds the lock now; the store took its write";
		case "REFUSED": return "woke and wrote; the store refused the lower token";
		default: return text;
	}
}

/** Sets off the digits in which a token differs from another one. */
function digits(token, other) {
	let same = 0;
	while (token !== other && token[same] === other[same]) {
		same++;
	}
	return [token.slice(0, same), element("b", "", token.slice(same))];
}
