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

export function count(number, one, many) {
	return `${number} ${number === 1 ? one : many}`;
}

export function clock(date) {
	return date.toLocaleTimeString();
}

const RENEWALS = {
	renewing: "renewed while held",
	failing: "renewals are failing",
	fixed_lease: "fixed lease",
	stopped: "not renewed any more",
};

export const renewal = (state) => RENEWALS[state] ?? "";

const REASONS = {
	unreachable: "cannot reach Redis",
	timeout: "gets no answer from Redis in time",
	read_only: "reaches a read-only replica instead of the master",
	loading: "finds Redis loading its data, or busy with a script",
	cluster_down: "finds that the Redis cluster does not serve all locks",
	out_of_memory: "finds Redis out of memory",
	writes_refused: "finds that Redis refuses writes",
	not_authorized: "is refused by Redis: check user, password and rights",
	clocks_apart: "finds the clocks of the Redis servers too far apart",
};

export const reason = (failure) => REASONS[failure] ?? "gets no list of locks from Redis";

const TROUBLES = {
	TIMED_OUT: "did not get the lock in time",
	FAILED: "could not ask for the lock",
	RENEWAL_FAILED: "could not renew the lease",
	RELEASE_UNCONFIRMED: "released the lock, and Redis did not confirm it",
	LOST_LEASE_EXPIRED: "lost the lock: its lease ran out",
	LOST_NOT_OWNED: "lost the lock: Redis no longer knew this holder, or it was taken away",
	LOST_FORCE_RELEASED: "lost the lock: it was taken away by a forced release",
	FENCE_REFUSED: "was refused by the database: others have held the lock since",
	LOST_OWNER_ENDED: "lost the lock: its thread ended without releasing it",
	LOST_MAX_HOLD_TIME: "lost the lock: it was held for longer than distributed-lock.max-hold-time",
};

export function trouble({ kind, owner, millis }) {
	const time = millis === undefined ? "" : kind.startsWith("LOST") ? `, after ${duration(millis)}` : `, tried for ${duration(millis)}`;
	return `${owner} ${TROUBLES[kind] ?? kind}${time}`;
}

/** Text as one word of a shell. */
export function shellWord(text) {
	return `'${text.replaceAll("'", "'\\''")}'`;
}
