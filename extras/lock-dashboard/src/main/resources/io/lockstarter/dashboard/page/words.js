/** Returns the text for a duration. The class Words has the same function for the texts of the server. */
export function duration(millis) {
	if (millis > 0 && millis < 1000) {
		return "< 1 s";
	}
	const seconds = Math.floor(Math.max(0, millis) / 1000);
	if (seconds < 60) {
		return `${seconds} s`;
	}
	const minutes = Math.floor(seconds / 60);
	if (minutes < 60) {
		return `${minutes} min ${seconds % 60} s`;
	}
	const hours = Math.floor(minutes / 60);
	return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

export const count = (number, one, many) => `${number.toLocaleString("en")} ${number === 1 ? one : many}`;

export const clock = (date) => date.toLocaleTimeString("en-GB");

export const day = (date) => date.toLocaleDateString("en-GB", { dateStyle: "medium" });

/** Returns the time of day that was some milliseconds before a date. */
export const clockBefore = (date, millis) => clock(new Date(date - millis));

/** Returns the type of a lock, or the number of its readers or of its used permits. */
export function kind({ type, permits, read, holders }) {
	if (permits > 1) {
		return `${holders} of ${permits} permits`;
	}
	if (read && holders > 0) {
		return count(holders, "reader", "readers");
	}
	return type ?? "";
}

/** Joins texts to one sentence. */
export function sentence(texts) {
	return texts.map((text, index) => index > 0 ? text[0].toLowerCase() + text.slice(1) : text).join(", ");
}

/** Returns the remaining lease of a holder, and the state of its renewal. */
export function lease({ leaseMillis, renewal, state }) {
	const left = leaseMillis > 0 ? duration(leaseMillis) : "over";
	const renewals = { renewing: "renewed", fixed_lease: "fixed", failing: "not renewed", stopped: "not renewed" };
	return [left, state === "outdated" ? "unless renewed" : renewals[renewal] ?? ""];
}

const INCIDENTS = {
	TIMED_OUT: "Did not acquire the lock in time",
	FAILED: "The acquire request failed",
	RENEWAL_FAILED: "Could not renew the lease",
	RELEASE_UNCONFIRMED: "Released the lock, but Redis did not confirm the release",
	LOST_LEASE_EXPIRED: "Lost the lock: its lease expired",
	LOST_NOT_OWNED: "Lost the lock: Redis no longer knew this holder",
	LOST_FORCE_RELEASED: "Lost the lock: it was force-released",
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

/** Quotes text as one word of a shell command. */
export function shellWord(text) {
	return text.includes("'") && !/["$`\\!]/.test(text) ? `"${text}"` : `'${text.replaceAll("'", "'\\''")}'`;
}
