import { $, copyOnPress, createRow, element, list, setText } from "./dom.js";
import { showIncidents } from "./instances.js";
import { HEADERS } from "./poll.js";
import { ago, clock, count, duration, kind, lease, sentence, shellWord } from "./words.js";

const RUNBOOK = "https://github.com/lockstarter/lock-starter/blob/main/docs/operations.md";

const HOLDER_CELLS = [["Instance", "name-cell"], ["Thread", ""], ["Held for", ""], ["Lease", ""], ["Fencing token", "soft"]];

const WAIT_CELLS = [["Instance", "name-cell"], ["Requests", ""], ["Waiting longest", ""]];

/** How many requests of an instance are named. */
const MOST_WAITERS = 5;

/** Everything about one lock, and what to do. */
export class Drawer {
	#registry;
	#key = null;
	#name = "";
	#lock = null;
	#steps = "";

	constructor(registry) {
		this.#registry = registry;
		copyOnPress($("copy-name"), () => this.#name);
		$("close").addEventListener("click", () => $("drawer").close());
		$("drawer").addEventListener("click", (event) => event.target === $("drawer") && $("drawer").close());
		$("drawer").addEventListener("close", () => this.#closed());
		$("release-ask").addEventListener("click", () => ask(true));
		$("release-cancel").addEventListener("click", () => ask(false));
		$("release-do").addEventListener("click", () => this.#release());
	}

	open(key, name) {
		this.#key = key;
		this.#name = name;
		this.#lock = null;
		this.#steps = "";
		setText($("drawer-title"), name);
		setText($("drawer-said"), "");
		$("release-confirm").hidden = true;
		$("release-ask").hidden = false;
		["drawer-facts", "drawer-now", "drawer-trouble", "drawer-no-holders", "drawer-no-waits", "drawer-no-incidents"].forEach((id) => setText($(id), ""));
		["drawer-holders", "drawer-waits", "drawer-steps", "drawer-incidents"].forEach((id) => $(id).replaceChildren());
		$("drawer").showModal();
		$("close").focus();
	}

	#closed() {
		const row = [...$("rows").children].find(({ dataset }) => dataset.key === this.#key);
		(row?.querySelector(".name") ?? $("text")).focus();
		this.#key = null;
	}

	/** Tells how old what is shown is. */
	tell(state, answeredOn) {
		$("drawer-stale").hidden = state === "live";
		$("release-do").disabled = state !== "live";
		setText($("drawer-stale"), state === "live" ? "" : `Not updated since ${answeredOn ? clock(answeredOn) : "the beginning"}.`);
	}

	/** Shows the lock as it is now. */
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
			// The page tells that there is no answer
		}
	}

	#query() {
		const registry = this.#registry();
		return registry ? `&registry=${encodeURIComponent(registry)}` : "";
	}

	#update(lock, mayRelease) {
		this.#lock = lock;
		const { row, holders, waits, incidents } = lock;
		setText($("drawer-facts"), row ? [kind(row) || (holders.length > 0 ? "type not known" : ""), metricNameOf(row)].filter(Boolean).join(" · ") : "");
		setText($("drawer-now"), now(row, holders));
		setText($("drawer-trouble"), row ? sentence(row.troubles) : "");
		$("drawer-trouble").dataset.level = row?.level ?? "GOOD";
		list($("drawer-holders"), holders, () => createRow(HOLDER_CELLS), updateHolder);
		$("drawer-held").hidden = holders.length === 0;
		setText($("drawer-no-holders"), holders.length > 0 ? "" : "Nobody.");
		list($("drawer-waits"), waits, () => createRow(WAIT_CELLS), updateWait);
		setText($("drawer-no-waits"), waits.length > 0 ? "" : "Nobody.");
		showIncidents($("drawer-incidents"), incidents);
		setText($("drawer-no-incidents"), incidents.length > 0 ? "" : "Nothing that is remembered.");
		// Nobody releases what cannot be seen
		$("release").hidden = !mayRelease || !row || row.hidden || holders.length === 0;
		this.#showSteps(lock, mayRelease);
	}

	#showSteps(lock, mayRelease) {
		const steps = this.#makeSteps(lock, mayRelease);
		const same = JSON.stringify(steps);
		if (same !== this.#steps) {
			// Selections stay as long as nothing else is to be done
			this.#steps = same;
			$("drawer-steps").replaceChildren(...steps.map(createStep));
		}
	}

	#makeSteps({ row, holders, incidents }, mayRelease) {
		const steps = [];
		const [holder] = holders;
		if (holder?.thread && holder.state === "known") {
			steps.push({ text: `See what ${holder.thread} does, on the host of ${holder.instance} (PID is its process):`, command: `jcmd PID Thread.print | grep -F -A 30 ${shellWord(`"${holder.thread}"`)}` });
		}
		else if (holder) {
			steps.push({ text: holder.state === "silent" ? `See whether ${holder.instance} still runs. If it has ended, wait: the lock is free when its lease ends.` : `See what ${holder.instance} does:`, command: holder.state === "silent" ? null : "jcmd PID Thread.print" });
		}
		if (row && !row.hidden) {
			steps.push({ text: "Find what the logs say of it:", command: `grep -F ${shellWord(`Lock '${this.#name}'`)} application.log` });
		}
		if (holder && !mayRelease) {
			steps.push({ text: "To release it by force from here, set distributed-lock.endpoint.force-release=true and management.endpoint.locks.access=unrestricted. Restarting the holder's instance frees it as well." });
		}
		steps.push({ text: "Read the runbook:", link: `${RUNBOOK}#${isRefused(incidents) ? "the-database-refuses-tokens" : holder ? "a-lock-is-held-for-a-long-time" : "a-lock-was-lost"}` });
		return steps;
	}

	async #release() {
		$("release-do").disabled = true;
		setText($("drawer-said"), "Releasing it…");
		setText($("drawer-said"), await this.#tryRelease(this.#name));
		ask(false);
	}

	/** Releases a lock by force, and says what came of it. */
	async #tryRelease(name) {
		try {
			const csrf = await (await fetch("api/csrf", { headers: HEADERS, redirect: "manual" })).json();
			const headers = { ...HEADERS, "X-Lock-Dashboard": "release" };
			if (csrf.header) {
				headers[csrf.header] = csrf.token;
			}
			const response = await fetch(`api/lock?name=${encodeURIComponent(name)}${this.#query()}`, { method: "DELETE", headers, redirect: "manual" });
			if (response.ok) {
				return `Released. It was held by ${(await response.json()).released.map(({ owner }) => owner).join(", ")}.`;
			}
			if (response.status === 404) {
				return "Nobody held a lock of this name.";
			}
			return response.status === 403 || response.status === 401 ? `Not allowed: ${await response.text() || "log in again"}`
				: `It may or may not have been released. The answer was: ${await response.text() || response.status}`;
		}
		catch (error) {
			return `It may or may not have been released: there was no answer (${error.message}).`;
		}
	}
}

const isRefused = ([latest]) => latest?.kind === "FENCE_REFUSED";

/** The method, as far as the lock's name does not tell it. */
function metricNameOf({ name, metricName }) {
	return metricName === "programmatic" ? "locked in code, not by an annotation" : name.startsWith(metricName) ? "" : metricName;
}

/** Who holds it, since when, and when it will be free if nothing happens. */
function now(row, holders) {
	if (!row || holders.length === 0) {
		return row?.requests > 0 ? "Nobody is seen to hold it." : "It is free.";
	}
	if (holders.length > 1) {
		return `${count(holders.length, "holder", "holders")}, the first since ${ago(row.heldMillis)}. If one of them dies, its place is free when its lease ends.`;
	}
	const [{ instance, thread, heldMillis, leaseMillis, renewal, state }] = holders;
	const who = `${instance}${thread ? `, ${thread},` : ""} has held it since ${ago(heldMillis)}, for ${duration(heldMillis)}.`;
	if (state === "unclaimed") {
		return `${instance} has released it, but Redis has not confirmed that. It is free in ${duration(leaseMillis)}.`;
	}
	if (state === "silent") {
		return `${who} ${instance} does not answer. Unless it renews the lease, the lock is free in ${duration(leaseMillis)}.`;
	}
	if (state === "outdated") {
		return `${instance}${thread ? `, ${thread},` : ""} held it when it was last heard of.`;
	}
	switch (renewal) {
		case "renewing":
			return `${who} The lease is renewed: the lock stays held until the work ends. If ${instance} dies, it is free within ${duration(leaseMillis)}.`;
		case "fixed_lease":
			return `${who} The lease is fixed: the lock is free in ${duration(leaseMillis)} at the latest.`;
		case "failing":
		case "stopped":
			return `${who} The lease is not renewed: the lock is free in ${duration(leaseMillis)}, and ${instance} loses it then.`;
		default:
			return `${who} ${instance} does not report which of its threads. The lease ends in ${duration(leaseMillis)} unless it is renewed.`;
	}
}

function updateHolder(node, holder) {
	const { instance, thread, heldMillis, token, count: holds, state } = holder;
	const texts = [instance, thread ?? "thread not known", `${duration(heldMillis)}${holds > 1 ? `, ${holds} times` : ""}`, lease(holder), token];
	texts.forEach((text, index) => setText(node.children[index], text));
	node.classList.toggle("stale", state !== "known");
}

function updateWait(node, { instance, requests, longestMillis, waiters }) {
	const named = waiters.slice(0, MOST_WAITERS).map(({ owner, millis }) => `${owner} for ${duration(millis)}`);
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

function ask(asking) {
	$("release-confirm").hidden = !asking;
	$("release-ask").hidden = asking;
	(asking ? $("release-cancel") : $("release-ask")).focus();
}
