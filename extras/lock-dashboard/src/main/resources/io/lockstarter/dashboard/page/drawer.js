import { $, copyOnPress, createHeads, createRow, element, list, setText } from "./dom.js";
import { showIncidents } from "./instances.js";
import { HEADERS } from "./poll.js";
import { clock, clockBefore, count, duration, kind, lease, sentence, shellWord } from "./words.js";

const RUNBOOK = "https://github.com/lockstarter/lock-starter/blob/main/docs/operations.md";

const HOLDER_CELLS = [["Instance", "name-cell"], ["Thread", ""], ["Held for", ""], ["Lease", ""], ["Fencing token", "soft"]];

const WAIT_CELLS = [["Instance", "name-cell"], ["Requests", ""], ["Waiting longest", ""]];

/** Number of requests of an instance that are shown. */
const MAX_WAITERS = 5;

$("drawer-heads").append(...createHeads(HOLDER_CELLS.map(([label]) => [label])));

/** Drawer with the details of one lock and the next steps. */
export class Drawer {
	#registry;
	#key = null;
	#name = "";
	#steps = "";
	#loadedOn = null;
	#state = "connecting";
	#updatedOn = null;

	constructor(registry) {
		this.#registry = registry;
		copyOnPress($("copy-name"), () => this.#name);
		$("close").addEventListener("click", () => $("drawer").close());
		$("drawer").addEventListener("click", (event) => event.target === $("drawer") && $("drawer").close());
		$("drawer").addEventListener("close", () => this.#closed());
		$("release-ask").addEventListener("click", () => showConfirmation(true));
		$("release-cancel").addEventListener("click", () => showConfirmation(false));
		$("release-do").addEventListener("click", () => this.#release());
	}

	open(key, name) {
		this.#key = key;
		this.#name = name;
		this.#loadedOn = null;
		this.#steps = "";
		setText($("drawer-title"), name);
		setText($("drawer-result"), "");
		$("release-confirm").hidden = true;
		$("release-ask").hidden = false;
		["drawer-facts", "drawer-now", "drawer-problem", "drawer-no-holders", "drawer-no-waits", "drawer-no-incidents"].forEach((id) => setText($(id), ""));
		["drawer-holders", "drawer-waits", "drawer-steps", "drawer-incidents"].forEach((id) => $(id).replaceChildren());
		$("drawer").showModal();
		$("close").focus();
	}

	#closed() {
		const row = [...$("rows").children].find(({ dataset }) => dataset.key === this.#key);
		(row?.querySelector(".name") ?? $("text")).focus();
		this.#key = null;
	}

	/** Shows whether the details are up to date. */
	showState(state, updatedOn) {
		this.#state = state;
		this.#updatedOn = updatedOn;
		$("release-do").disabled = state !== "live";
		this.#showAge();
	}

	#showAge() {
		const paused = this.#state === "paused";
		const time = paused ? this.#loadedOn : this.#updatedOn;
		$("drawer-stale").hidden = this.#state === "live";
		setText($("drawer-stale"), this.#state === "live" ? "" : `${paused ? "The page is paused. " : ""}${time ? `Not updated since ${clock(time)}.` : "Nothing was loaded."}`);
	}

	/** Loads and shows the details of the lock. */
	async show({ mayRelease }) {
		const key = this.#key;
		if (key === null) {
			return;
		}
		try {
			const response = await fetch(`api/lock?key=${encodeURIComponent(key)}${this.#query()}`, { headers: HEADERS, cache: "no-store", redirect: "manual" });
			if (response.ok && key === this.#key) {
				this.#update(await response.json(), mayRelease);
			}
		}
		catch {
			// The headline shows that the server does not reply
		}
	}

	#query() {
		const registry = this.#registry();
		return registry ? `&registry=${encodeURIComponent(registry)}` : "";
	}

	#update(lock, mayRelease) {
		this.#loadedOn = new Date();
		this.#showAge();
		const { row, holders, waits, incidents } = lock;
		setText($("drawer-facts"), row ? [kind(row) || (holders.length > 0 ? "unknown type" : ""), metricNameOf(row)].filter(Boolean).join(" · ") : "");
		setText($("drawer-now"), summary(row, holders, this.#loadedOn));
		setText($("drawer-problem"), row ? sentence(row.problems) : "");
		$("drawer-problem").dataset.level = row?.level ?? "GOOD";
		list($("drawer-holders"), holders, () => createRow(HOLDER_CELLS), updateHolder);
		$("drawer-held").hidden = holders.length === 0;
		setText($("drawer-no-holders"), holders.length > 0 ? "" : "None.");
		list($("drawer-waits"), waits, () => createRow(WAIT_CELLS), updateWait);
		setText($("drawer-no-waits"), waits.length > 0 ? "" : "None.");
		showIncidents($("drawer-incidents"), incidents, this.#loadedOn);
		setText($("drawer-no-incidents"), incidents.length > 0 ? "" : "None in the last hour.");
		// A lock with a hidden name cannot be released
		$("release").hidden = !mayRelease || !row || row.hidden || holders.length === 0;
		this.#showSteps(lock, mayRelease);
	}

	#showSteps(lock, mayRelease) {
		const steps = this.#makeSteps(lock, mayRelease);
		const same = JSON.stringify(steps);
		if (same !== this.#steps) {
			// Unchanged steps are not replaced, so that selections stay
			this.#steps = same;
			$("drawer-steps").replaceChildren(...steps.map(createStep));
		}
	}

	#makeSteps({ row, holders, incidents }, mayRelease) {
		const steps = [];
		const [holder] = holders;
		if (holder?.thread && holder.state === "known") {
			steps.push({ text: `Print the stack of ${holder.thread} on the host of ${holder.instance}, with its process id as PID:`, command: `jcmd PID Thread.print | grep -F -A 30 ${shellWord(`"${holder.thread}"`)}` });
		}
		else if (holder) {
			steps.push({ text: holder.state === "unresponsive" ? `Check whether ${holder.instance} is running. If it has ended, the lock is free when the lease ends.` : `Print the threads of ${holder.instance}, with its process id as PID:`, command: holder.state === "unresponsive" ? null : "jcmd PID Thread.print" });
		}
		if (row && !row.hidden) {
			steps.push({ text: "Search the logs for the lock:", command: `grep -F ${shellWord(`Lock '${this.#name}'`)} application.log` });
		}
		if (holder) {
			steps.push({ text: `If the work hangs, restart ${holder.instance}. The end of the instance releases the lock.` });
		}
		if (holder && !mayRelease) {
			steps.push({ text: "To force-release the lock on this page, set distributed-lock.endpoint.force-release=true and management.endpoint.locks.access=unrestricted." });
		}
		steps.push({ text: "Read the runbook:", link: `${RUNBOOK}#${isRefused(incidents) ? "the-database-refuses-tokens" : holder ? "a-lock-is-held-for-a-long-time" : "a-lock-was-lost"}` });
		return steps;
	}

	async #release() {
		$("release-do").disabled = true;
		setText($("drawer-result"), "Releasing the lock…");
		setText($("drawer-result"), await this.#tryRelease(this.#name));
		showConfirmation(false);
	}

	/** Force-releases a lock, and returns the result as text. */
	async #tryRelease(name) {
		try {
			const csrf = await (await fetch("api/csrf", { headers: HEADERS, redirect: "manual" })).json();
			const headers = { ...HEADERS, "X-Lock-Dashboard": "release" };
			if (csrf.header) {
				headers[csrf.header] = csrf.token;
			}
			const response = await fetch(`api/lock?name=${encodeURIComponent(name)}${this.#query()}`, { method: "DELETE", headers, redirect: "manual" });
			if (response.ok) {
				return `Released. The holder was ${(await response.json()).released.map(({ owner }) => owner).join(", ")}.`;
			}
			if (response.status === 404) {
				return "Nobody held this lock.";
			}
			return response.status === 403 || response.status === 401 ? `Not allowed: ${await response.text() || "log in again"}`
				: `The release may have failed. The server replied: ${await response.text() || response.status}`;
		}
		catch (error) {
			return `The release may have failed, because the server did not reply (${error.message}).`;
		}
	}
}

const isRefused = ([latest]) => latest?.kind === "FENCE_REFUSED";

/** Returns the name in meters, unless the lock's name begins with it. */
function metricNameOf({ name, metricName }) {
	return metricName === "programmatic" ? "acquired in code, not by an annotation" : name.startsWith(metricName) ? "" : metricName;
}

/** Returns a text with the holder, the beginning of the hold, and the end of the lease. */
function summary(row, holders, time) {
	if (!row || holders.length === 0) {
		return row?.requests > 0 ? "No holder is known." : "The lock is free.";
	}
	if (holders.length > 1) {
		return `${count(holders.length, "holder", "holders")}, the first since ${clockBefore(time, row.heldMillis)}. If one of them dies, others can acquire the lock when its lease ends.`;
	}
	const [{ instance, thread, heldMillis, leaseMillis, renewal, state }] = holders;
	const holder = `${instance}${thread ? `, ${thread},` : ""}`;
	const hold = `${holder} has held the lock since ${clockBefore(time, heldMillis)}, for ${duration(heldMillis)}.`;
	if (state === "release_unconfirmed") {
		return `${instance} has released the lock, but Redis has not confirmed the release. The lock is free in ${duration(leaseMillis)}.`;
	}
	if (state === "unresponsive") {
		return `${hold} ${instance} does not reply. Unless it renews the lease, the lock is free in ${duration(leaseMillis)}.`;
	}
	if (state === "outdated") {
		return `${holder} held the lock according to its last report.`;
	}
	switch (renewal) {
		case "renewing":
			return `${hold} The lease is renewed until the work ends. If ${instance} dies, the lock is free within ${duration(leaseMillis)}.`;
		case "fixed_lease":
			return `${hold} The lease is fixed: the lock is free within ${duration(leaseMillis)}.`;
		case "failing":
		case "stopped":
			return `${hold} The lease is not renewed: in ${duration(leaseMillis)}, ${instance} loses the lock.`;
		default:
			return `${hold} ${instance} does not report the thread. Unless it renews the lease, the lock is free in ${duration(leaseMillis)}.`;
	}
}

function updateHolder(node, holder) {
	const { instance, thread, heldMillis, token, count: holds, state } = holder;
	const texts = [instance, thread ?? "unknown thread", `${duration(heldMillis)}${holds > 1 ? `, ${holds} times` : ""}`, lease(holder).filter(Boolean).join(", "), token];
	texts.forEach((text, index) => setText(node.children[index], text));
	node.classList.toggle("stale", state !== "known");
}

function updateWait(node, { instance, requests, longestMillis, waiters }) {
	const named = waiters.slice(0, MAX_WAITERS).map(({ owner, millis }) => `${owner} for ${duration(millis)}`);
	const more = requests - named.length;
	const texts = [instance ?? "Other instances", count(requests, "request", "requests"), named.length > 0 ? `${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}` : longestMillis > 0 ? duration(longestMillis) : ""];
	texts.forEach((text, index) => setText(node.children[index], text));
}

function createStep({ text, command, link }) {
	const step = element("li", "", text);
	if (command) {
		const copy = element("button", "button", "Copy");
		copy.type = "button";
		copy.setAttribute("aria-label", `Copy: ${command}`);
		copyOnPress(copy, () => command);
		step.append(element("div", "command", element("code", "", command), copy));
	}
	if (link) {
		const anchor = element("a", "", "docs/operations.md");
		Object.assign(anchor, { href: link, target: "_blank", rel: "noreferrer" });
		step.append(" ", anchor);
	}
	return step;
}

function showConfirmation(shown) {
	$("release-confirm").hidden = !shown;
	$("release-ask").hidden = shown;
	(shown ? $("release-cancel") : $("release-ask")).focus();
}
