import { $, element, keyed, setText } from "./dom.js";
import { opener, showHolders } from "./table.js";
import { clock, count, duration, shellWord, trouble } from "./words.js";

/** How many requests of other instances are shown. */
const MOST_REQUESTS = 100;

let key = null;
let name = null;
let registry = "";

/** Opens the drawer of a lock, of one of several registries if there is a choice. */
export function openDrawer(lock, chosen) {
	registry = chosen;
	key = lock.key;
	name = lock.name;
	$("release-confirm").hidden = true;
	$("release-ask").hidden = false;
	setText($("drawer-said"), "");
	setText($("drawer-title"), name);
	showCommands(lock);
	$("drawer").showModal();
}

/** Shows the lock of the open drawer as it is now. */
export function showDrawer(locks, { status, troubles, mayRelease }) {
	if (!$("drawer").open) {
		return;
	}
	const lock = locks.find((one) => one.key === key) ?? { holders: [], queue: [], elsewhere: [], waitingInstances: 0, hidden: false };
	setText($("drawer-status"), status.state === "live" ? "" : status.text);
	showHolders($("drawer-holders"), lock.holders);
	setText($("drawer-waiting"), waiting(lock, status));
	keyed($("drawer-queue"), lock.queue, ({ thread, position }) => `${position} ${thread}`,
		({ thread }) => element("li", "", `${thread}, for `, element("span", "waited")),
		(node, { waited }) => setText(node.querySelector(".waited"), duration(waited)));
	showElsewhere(lock.elsewhere);
	const own = lock.hidden ? [] : troubles.filter((one) => one.name === name);
	showTroubles($("drawer-troubles"), own);
	$("drawer-no-troubles").hidden = own.length > 0;
	// Nobody takes away what cannot be seen
	$("release").hidden = !mayRelease || lock.hidden;
	$("release-do").disabled = !status.instance;
}

const query = (mark) => (registry ? `${mark}registry=${encodeURIComponent(registry)}` : "");

function waiting({ holders, waitingInstances, queue }, status) {
	if (!status.cluster || waitingInstances === null) {
		return `What other instances wait for is not known. On this instance: ${queue.length}.`;
	}
	if (holders.length === 0 && queue.length === 0) {
		return "Nobody holds this lock now, and nobody on this instance waits for it.";
	}
	return `${count(waitingInstances, "instance waits", "instances wait")}. On this instance, in this order: ${queue.length === 0 ? "nobody" : ""}`;
}

/** The requests of other instances, by their places in the list: nothing else tells them apart. */
function showElsewhere(requests) {
	const shown = requests.slice(0, MOST_REQUESTS).map((request, place) => ({ ...request, place }));
	const words = requests.some(({ stale }) => stale) ? "On other instances, when they were last heard of" : "On other instances, as they told last";
	setText($("drawer-elsewhere-words"), requests.length === 0 ? "" : `${words}, the longest${requests.length > shown.length ? ` ${shown.length}` : ""} first:`);
	keyed($("drawer-elsewhere"), shown, ({ place }) => String(place), () => element("li", ""),
		(node, { instance, thread, waited }) => setText(node, `${thread} on ${instance}, for ${duration(waited)}`));
}

export function showTroubles(list, troubles) {
	keyed(list, troubles, ({ at, kind, owner, name: lock }) => `${at} ${kind} ${owner} ${lock}`,
		(one) => element("li", one.kind.startsWith("LOST") ? "bad" : "", element("time", "", clock(new Date(one.at))), element("b", "", one.name), ` ${trouble(one)}`), () => {});
}

/** Commands to copy: where to look next. */
function showCommands({ holders, hidden }) {
	const page = new URL(`api/cluster${query("?")}`, location.href).href;
	const commands = holders.filter(({ thread }) => thread).slice(0, 3).map(({ instance, thread }) =>
		[`See what ${thread} does, on the host of ${instance}; put its process id for PID`, `jcmd PID Thread.print | grep -F -A 30 ${shellWord(`"${thread}"`)}`]);
	commands.push(["Get what this page knows, as JSON", `curl -s ${shellWord(page)}`]);
	if (!hidden) {
		commands.push(["Find what the log says of it", `grep -F ${shellWord(`Lock '${name}'`)} application.log`]);
	}
	$("drawer-commands").replaceChildren(...commands.map(([text, command]) => {
		const copy = element("button", "quiet", "Copy");
		copy.type = "button";
		copy.setAttribute("aria-label", `Copy: ${text}`);
		copy.addEventListener("click", () => copyText(command));
		return element("li", "", text, element("pre", "", element("code", "", command)), copy);
	}));
}

async function copyText(text) {
	try {
		await navigator.clipboard.writeText(text);
		setText($("drawer-said"), "Copied.");
	}
	catch {
		setText($("drawer-said"), "The browser does not allow copying here; select the text instead.");
	}
}

function ask(asking) {
	$("release-confirm").hidden = !asking;
	$("release-ask").hidden = asking;
	(asking ? $("release-cancel") : $("release-ask")).focus();
}

async function release() {
	$("release-do").disabled = true;
	setText($("drawer-said"), "Taking it away…");
	setText($("drawer-said"), await tryRelease(name));
	ask(false);
}

/** Takes a lock away, and says what came of it. */
async function tryRelease(lock) {
	try {
		const csrf = await (await fetch("api/csrf", { redirect: "manual" })).json();
		const headers = { "X-Lock-Dashboard": "release" };
		if (csrf.header) {
			headers[csrf.header] = csrf.token;
		}
		const response = await fetch(`api/lock?name=${encodeURIComponent(lock)}${query("&")}`, { method: "DELETE", headers, redirect: "manual" });
		if (response.ok) {
			return `Taken away from ${(await response.json()).ousted.map(({ owner }) => owner).join(", ")}.`;
		}
		if (response.status === 404) {
			return "Nobody had a lock of this name.";
		}
		return response.status === 403 ? `Not allowed: ${await response.text()}`
			: `It may or may not have been taken away. The answer was: ${await response.text() || response.status}`;
	}
	catch (error) {
		return `It may or may not have been taken away: there was no answer (${error.message}).`;
	}
}

$("close").addEventListener("click", () => $("drawer").close());
// The row that opened it may have gone meanwhile, or gone and come again
$("drawer").addEventListener("close", () => (opener(key) ?? $("text")).focus());
$("release-ask").addEventListener("click", () => ask(true));
$("release-cancel").addEventListener("click", () => ask(false));
$("release-do").addEventListener("click", release);
