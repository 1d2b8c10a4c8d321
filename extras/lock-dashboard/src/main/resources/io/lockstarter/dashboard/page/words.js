const MINUTE = 60_000;

/** A length of time, as exact as it is worth. */
export function duration(millis) {
	const positive = Math.max(0, millis);
	if (positive < 10_000) {
		return `${(positive / 1000).toFixed(1)} s`;
	}
	if (positive < 2 * MINUTE) {
		return `${Math.floor(positive / 1000)} s`;
	}
	if (positive < 120 * MINUTE) {
		return `${Math.floor(positive / MINUTE)} min`;
	}
	return `${Math.floor(positive / (60 * MINUTE))} h ${Math.floor(positive / MINUTE) % 60} min`;
}

export const count = (number, one, many) => `${number.toLocaleString("en")} ${number === 1 ? one : many}`;

export const clock = (date) => date.toLocaleTimeString("en-GB");

export const ago = (millis) => clock(new Date(Date.now() - millis));

export function moment(millis) {
	return new Date(Date.now() - millis).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}

/** What type a lock is, and how many hold it. */
export function kind({ type, permits, read, holders }) {
	if (permits > 1) {
		return `${holders} of ${permits} permits`;
	}
	if (read && holders > 0) {
		return count(holders, "reader", "readers");
	}
	return type ?? "";
}

/** Joins what is said of something. */
export function sentence(texts) {
	return texts.map((text, index) => index > 0 ? text[0].toLowerCase() + text.slice(1) : text).join(", ");
}

/** How long a holder's lease lasts. */
export function lease({ leaseMillis, renewal, state }) {
	const left = leaseMillis > 0 ? duration(leaseMillis) : "over";
	if (state === "outdated") {
		return `${left} unless renewed`;
	}
	return { renewing: `${left}, renewed`, fixed_lease: `${left}, fixed`, failing: `${left}, not renewed`, stopped: `${left}, not renewed` }[renewal] ?? left;
}

const INCIDENTS = {
	TIMED_OUT: "Did not get the lock in time",
	FAILED: "Could not ask for the lock",
	RENEWAL_FAILED: "Could not renew the lease",
	RELEASE_UNCONFIRMED: "Released the lock, but Redis did not confirm it",
	LOST_LEASE_EXPIRED: "Lost the lock: its lease ran out",
	LOST_NOT_OWNED: "Lost the lock: Redis no longer knew this holder",
	LOST_FORCE_RELEASED: "Lost the lock: it was released by force",
	LOST_OWNER_ENDED: "Lost the lock: its thread ended without releasing it",
	LOST_MAX_HOLD_TIME: "Lost the lock: it was held for longer than distributed-lock.max-hold-time",
	FENCE_REFUSED: "Refused by the database: another owner has held the lock since",
};

export const isForced = ({ kind: name }) => name === "LOST_FORCE_RELEASED";

export const isLoss = ({ kind: name }) => name.startsWith("LOST");

export function incident({ kind: name, owner, millis }) {
	const time = millis === undefined || millis === null ? "" : isLoss({ kind: name }) ? ` after ${duration(millis)}` : `, tried for ${duration(millis)}`;
	return `${INCIDENTS[name] ?? name}${time} (${owner})`;
}

/** Text as one word of a shell, as legible as it can be. */
export function shellWord(text) {
	return text.includes("'") && !/["$`\\!]/.test(text) ? `"${text}"` : `'${text.replaceAll("'", "'\\''")}'`;
}
